/* port.c - the standard output, buffered here, and ports that read text files. */
#define _POSIX_C_SOURCE 200809L   /* write, isatty, fileno, fstat, strerror */
#include "rt_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define FLUSH_FROM ((size_t)1 << 15)

/* ---- Output -------------------------------------------------------------- */

static rt_text output;
static bool lost;   /* some of the output found the disk full */

bool rt_output_is_lost(void) { return lost; }

void rt_flush_standard_output(void) {
    size_t done = 0;
    while (done < output.size) {
        ssize_t written = write(STDOUT_FILENO, output.bytes + done, output.size - done);
        if (written < 0 && errno == ENOSPC) lost = true;
        if (written < 0 && errno != EINTR) break;   /* nobody reads it */
        if (written > 0) done += (size_t)written;
    }
    output.size = 0;
}

/* A person at a terminal sees each line as it ends. */
static void written(void) {
    static int terminal = -1;
    if (terminal < 0) terminal = isatty(STDOUT_FILENO);
    bool line_end = output.size > 0 && output.bytes[output.size - 1] == '\n';
    if (output.size >= FLUSH_FROM || (terminal && line_end)) rt_flush_standard_output();
}

/* Nothing of a value appears if it cannot be shown to its end. */
static int show(rt_value x, bool write) {
    size_t before = output.size;
    if (rt_show(&output, x, write) == 0) return 0;
    output.size = before;
    return 1;
}

int rt_display(rt_value x) {
    int status = show(x, false);
    written();
    return status;
}

int rt_write(rt_value x) {
    int status = show(x, true);
    written();
    return status;
}

void rt_newline(void) {
    rt_text_add(&output, "\n", 1);
    written();
}

int rt_print(size_t count, const rt_value *items) {
    size_t before = output.size;
    for (size_t i = 0; i < count; i++) {
        if (i > 0) rt_text_add(&output, " ", 1);
        if (show(items[i], false) != 0) {
            output.size = before;
            return 1;
        }
    }
    rt_newline();
    return 0;
}

void rt_flush_output(void) { rt_flush_standard_output(); }

/* ---- Input --------------------------------------------------------------- */

/* file is NULL once the port is closed. */
typedef struct port_object { rt_object object; FILE *file; } port_object;

static port_object *port_of(rt_value v) { return (port_object *)rt_object_of(v); }

void rt_close_file(rt_object *port) {
    port_object *object = (port_object *)port;
    if (object->file != NULL) fclose(object->file);
    object->file = NULL;
}

/* fopen opens folders too, and only reading them fails. */
static FILE *open_text(const char *path) {
    FILE *file = fopen(path, "rb");
    struct stat about;
    if (file != NULL && fstat(fileno(file), &about) == 0 && S_ISDIR(about.st_mode)) {
        fclose(file);
        errno = EISDIR;
        return NULL;
    }
    return file;
}

static rt_value fail_open(rt_value path, int reason) {
    rt_text shown = {NULL, 0, 0};
    rt_show(&shown, path, true);
    rt_fail("open-input-file: cannot open %s: %s", shown.bytes, strerror(reason));
    rt_text_free(&shown);
    return RT_ERROR;
}

/* A C string would end at a zero in the name. */
static bool holds_zero(const rt_string_object *string) {
    for (size_t i = 0; i < string->length; i++)
        if (rt_string_at(string, i) == 0) return true;
    return false;
}

rt_value rt_open_input_file(rt_value path) {
    RT_CHECK(rt_is_string(path), "open-input-file", "a string", path);
    if (holds_zero(rt_string_of(path))) return fail_open(path, EINVAL);
    char *name = rt_string_to_utf8(path);
    FILE *file = open_text(name);
    int reason = errno;
    free(name);
    if (file == NULL) return fail_open(path, reason);
    port_object *port = rt_allocate(RT_PORT, sizeof *port);
    port->file = file;
    return rt_of_object(port);
}

/* The open file of a port, or NULL after an error. */
static FILE *file_of(const char *who, rt_value port) {
    if (!rt_is_port(port)) rt_fail_wrong_type(who, "a port", port);
    else if (port_of(port)->file == NULL) rt_fail("%s: the port is closed", who);
    else return port_of(port)->file;
    return NULL;
}

/* Only a line feed ends a line. */
rt_value rt_read_line(rt_value port) {
    static char *line;
    static size_t room;
    FILE *file = file_of("read-line", port);
    if (file == NULL) return RT_ERROR;
    ssize_t size = getline(&line, &room, file);
    if (size < 0) return RT_EOF;
    if (size > 0 && line[size - 1] == '\n') size--;
    return rt_string_of_utf8(line, (size_t)size);
}

static int bytes_that_follow(int first) {
    return first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : first >= 0xc2 ? 1 : 0;
}

rt_value rt_read_char(rt_value port) {
    FILE *file = file_of("read-char", port);
    if (file == NULL) return RT_ERROR;
    int first = getc(file);
    if (first == EOF) return RT_EOF;
    char bytes[4] = {(char)first};
    int size = 1, wanted = 1 + bytes_that_follow(first);
    while (size < wanted) {
        int next = getc(file);
        if (next == EOF || (next & 0xc0) != 0x80) {
            if (next != EOF) ungetc(next, file);
            break;
        }
        bytes[size++] = (char)next;
    }
    const char *at = bytes;
    return RT_CHAR(rt_utf8_next(&at, bytes + size));
}

int rt_close_port(rt_value port) {
    RT_CHECK_STATUS(rt_is_port(port), "close-port", "a port", port);
    rt_close_file(rt_object_of(port));
    return 0;
}

rt_value rt_eof_object(void) { return RT_EOF; }
bool rt_is_eof_object(rt_value x) { return x == RT_EOF; }

int rt_file_exists(rt_value path, bool *result) {
    RT_CHECK_STATUS(rt_is_string(path), "file-exists?", "a string", path);
    char *name = rt_string_to_utf8(path);
    struct stat about;
    *result = stat(name, &about) == 0;
    free(name);
    return 0;
}
