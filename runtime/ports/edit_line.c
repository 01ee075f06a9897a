/* edit_line.c - lines that a person types, with the machine's line editor.
 *
 * The library that most programs use for that is opened when the first line is read, and only if
 * the input is a terminal: few programs need it, and without it the terminal's own editing remains.
 * It is called for each byte, from a loop that polls for Ctrl-C.
 */
#include "ports/ports.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#define PATIENCE 25   /* milliseconds between two polls for Ctrl-C */

typedef void (*line_handler)(char *line);

/* The functions of the library; `install` is NULL if it is not installed. */
static struct {
    void (*install)(const char *prompt, line_handler handler);
    void (*remove)(void);
    void (*read_char)(void);
    void (*add_history)(const char *line);
    int (*set)(const char *variable, const char *value);
    int (*bind_key)(int key, int (*function)(int, int));
    int (*insert)(int, int);
} editor;

static char *finished_line;   /* from malloc; NULL at the end of the input */
static bool is_finished;


/* C99 has no cast from an object pointer to a function pointer. */
#define TAKE(field, library, name) \
    do { \
        void *found = dlsym(library, name); \
        memcpy(&editor.field, &found, sizeof found); \
    } while (0)

static void open_library(void) {
    static bool is_tried;
    static const char *const names[] = {
        "libreadline.so.8", "libreadline.so.7", "libreadline.dylib", "libedit.so.2",
    };
    if (is_tried) return;
    is_tried = true;
    void *library = NULL;
    for (size_t i = 0; library == NULL && i < sizeof names / sizeof *names; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return;
    TAKE(remove, library, "rl_callback_handler_remove");
    TAKE(read_char, library, "rl_callback_read_char");
    TAKE(add_history, library, "add_history");
    TAKE(set, library, "rl_variable_bind");
    TAKE(bind_key, library, "rl_bind_key");
    TAKE(insert, library, "rl_insert");
    int *catches = dlsym(library, "rl_catch_signals");
    if (catches != NULL) *catches = 0;   /* the program handles Ctrl-C */
    if (editor.remove == NULL || editor.read_char == NULL || editor.add_history == NULL) return;
    TAKE(install, library, "rl_callback_handler_install");
    if (editor.set != NULL) editor.set("enable-bracketed-paste", "on");
    if (editor.bind_key != NULL && editor.insert != NULL) editor.bind_key('\t', editor.insert);
}

static void finish(char *line) {
    finished_line = line;
    is_finished = true;
    editor.remove();   /* else the prompt is shown again */
}

/* false after Ctrl-C. */
static bool read_with_editor(const char *prompt) {
    is_finished = false;
    editor.install(prompt, finish);
    while (!is_finished) {
        struct pollfd asked = {STDIN_FILENO, POLLIN, 0};
        int ready = poll(&asked, 1, PATIENCE);
        if (rt_is_interrupted()) {
            editor.remove();
            return false;
        }
        if (ready > 0) editor.read_char();
    }
    return true;
}

/* Terminals can send bytes that are not UTF-8. */
static rt_value string_of_line(const char *line, size_t size) {
    for (const char *at = line; at < line + size;)
        if (!rt_utf8_is_next(&at, line + size)) {
            rt_fail("edit-line: the input is not UTF-8 text");
            return rt_categorize_error(RT_READ_ERROR);
        }
    return rt_string_of_utf8(line, size);
}

static rt_value edited(rt_value prompt) {
    char *shown = rt_string_to_c(prompt);
    bool is_complete = read_with_editor(shown);
    free(shown);
    if (!is_complete) return RT_FALSE;
    if (finished_line == NULL) return RT_EOF;
    rt_value line = string_of_line(finished_line, strlen(finished_line));
    free(finished_line);
    return line;
}

static rt_value plain(rt_value prompt) {
    if (rt_display(prompt, rt_current_port(RT_STANDARD_OUTPUT)) != 0) return RT_ERROR;
    rt_flush_standard_output();
    rt_value line = rt_read_line(rt_current_port(RT_STANDARD_INPUT));
    if (line != RT_ERROR || rt_waiting.kind != RT_INTERRUPTED) return line;
    rt_clear_failure(&rt_waiting);
    return RT_FALSE;
}

rt_value rt_edit_line(rt_value prompt) {
    RT_CHECK(rt_is_string(prompt), "%edit-line", "a string", prompt);
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        return rt_read_line(rt_current_port(RT_STANDARD_INPUT));
    rt_flush_standard_output();
    rt_end_status();
    open_library();
    rt_value line = editor.install != NULL ? edited(prompt) : plain(prompt);
    if (line != RT_FALSE) return line;
    rt_forget_interrupt_signal();
    rt_newline(rt_current_port(RT_STANDARD_OUTPUT));
    rt_flush_standard_output();
    return RT_FALSE;
}

bool rt_is_terminal_port(rt_value v) {
    if (!rt_is_port(v) || !rt_port_of(v)->open) return false;
    int file = rt_port_of(v)->file;
    return file >= STDIN_FILENO && file <= STDERR_FILENO && isatty(file);
}

int rt_remember_line(rt_value line) {
    if (!rt_is_string(line) || !isatty(STDIN_FILENO)) return 0;
    open_library();
    if (editor.install == NULL) return 0;
    char *text = rt_string_to_c(line);
    if (text == NULL) return 1;
    editor.add_history(text);
    free(text);
    return 0;
}
