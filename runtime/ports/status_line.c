/* status_line.c - the last line of a terminal while a progress bar is drawn there.
 *
 *     train  45%|#####      | 45/100      drawn again and again, after a carriage return
 *
 * The line is on the standard error.  Whatever else the program prints on the terminal erases it
 * first (rt_note_output, which port.c calls before it writes), so that nothing is garbled; the next
 * drawing puts it below.  At the program's end, and before an error's report, it is kept.
 */
#define _DEFAULT_SOURCE   /* ioctl, TIOCGWINSZ */
#include "ports/ports.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define USUAL_COLUMNS 80   /* of a terminal that does not say how many it has */

static const char ERASE[] = "\r\x1b[K";

static bool is_shown;      /* the cursor is at the end of the status line */
static bool line_is_open;  /* the last text on the terminal did not end its line */

static bool on_terminal(const rt_port_object *port) {
    bool is_standard = port->file == STDOUT_FILENO || port->file == STDERR_FILENO;
    return is_standard && !port->input && port->open && isatty(port->file);
}

rt_value rt_terminal_columns(rt_value v) {
    const char *kind = getenv("TERM");
    if (!rt_is_port(v) || !on_terminal(rt_port_of(v)) || kind == NULL || strcmp(kind, "dumb") == 0)
        return RT_FALSE;
    struct winsize size;
    bool is_known = ioctl(rt_port_of(v)->file, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return rt_of_fixnum(is_known ? size.ws_col : USUAL_COLUMNS);
}

/* An error cannot be reported: this is the line for reports. */
static void send(const char *bytes, size_t size) {
    while (size > 0) {
        ssize_t written = write(STDERR_FILENO, bytes, size);
        if (written < 0 && errno != EINTR) return;
        if (written < 0) continue;
        bytes += written;
        size -= (size_t)written;
    }
}

void rt_note_output(const rt_port_object *port) {
    if (port->input) {   /* something has been read: at a terminal, the user has ended the line */
        if (port->file == STDIN_FILENO && isatty(port->file)) line_is_open = false;
        return;
    }
    if (port->buffer.size == 0 || (port->file != STDOUT_FILENO && port->file != STDERR_FILENO))
        return;
    if (is_shown && on_terminal(port)) {
        send(ERASE, sizeof ERASE - 1);
        is_shown = false;
    }
    line_is_open = port->buffer.bytes[port->buffer.size - 1] != '\n';
}

/* Declared where it is used: in lang/evaluator/machine/world.h. */
bool rt_line_is_open(void);
bool rt_line_is_open(void) { return line_is_open; }

int rt_show_status(rt_value text, rt_value final) {
    rt_text line = {NULL, 0, 0};
    if (rt_flush_standard_output() != 0) return 1;
    if (!is_shown && line_is_open) rt_text_string(&line, "\n");
    rt_text_string(&line, "\r");
    rt_text_lisp_string(&line, text);
    rt_text_string(&line, final == RT_FALSE ? "\x1b[K" : "\x1b[K\n");
    send(line.bytes, line.size);
    rt_text_free(&line);
    is_shown = final == RT_FALSE;
    line_is_open = false;
    return 0;
}

void rt_end_status(void) {
    if (is_shown) send("\n", 1);
    is_shown = false;
}
