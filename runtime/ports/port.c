/* port.c - ports: opening and closing them, and moving bytes between their buffers and files.
 *
 * input.c reads from them, output.c writes to them.
 */
#define _POSIX_C_SOURCE 200809L   /* open, read, write, poll, isatty, fstat, strerror */
#include "ports/ports.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text/conversions.h"

#define CHUNK ((size_t)1 << 16)       /* bytes read at once */
#define FLUSH_FROM ((size_t)1 << 15)  /* most bytes that wait to be written */
#define PATIENCE 100                  /* milliseconds between two polls for Ctrl-C */
#define NEW_FILE_MODE 0666

#define STANDARD(is_input, descriptor)                                                          \
    {.object = {RT_IMMORTAL, RT_PORT, 0, 0}, .input = is_input, .open = true, .lossy = true,   \
     .encoding = RT_UTF_8, .file = descriptor, .line = 1, .column = 1}

static rt_port_object standard[] = {
    STANDARD(true, STDIN_FILENO), STANDARD(false, STDOUT_FILENO), STANDARD(false, STDERR_FILENO)
};

/* The parameters that hold the current ports; value is 0 while that is the standard port. */
static struct { rt_closure_object closure; rt_value value, converter, set; } current[] = {
    {{{RT_IMMORTAL, RT_CLOSURE, 0, 3}, &rt_parameter_function}, 0, RT_FALSE, RT_FALSE},
    {{{RT_IMMORTAL, RT_CLOSURE, 0, 3}, &rt_parameter_function}, 0, RT_FALSE, RT_FALSE},
    {{{RT_IMMORTAL, RT_CLOSURE, 0, 3}, &rt_parameter_function}, 0, RT_FALSE, RT_FALSE},
};

/* For a host (lang/evaluator/machine/guest.c). */
rt_port_object *rt_standard_port(int file);
rt_port_object *rt_standard_port(int file) { return &standard[file]; }

rt_value rt_current_port(int which) {
    rt_value port = current[which].value;
    return port != 0 ? port : rt_of_object(&standard[which]);
}

/* ---- Which port ---------------------------------------------------------- */

static rt_port_object *usable(const char *who, rt_value port, bool input, bool binary) {
    static const char *const nouns[2][2] = {
        {"a textual output port", "a binary output port"},
        {"a textual input port", "a binary input port"},
    };
    bool fits = rt_is_port(port) && rt_port_of(port)->input == input &&
                rt_port_of(port)->binary == binary;
    if (!fits) rt_fail_wrong_type(who, nouns[input][binary], port);
    else if (!rt_port_of(port)->open) rt_fail("%s: the port is closed", who);
    else return rt_port_of(port);
    return NULL;
}

rt_port_object *rt_input_slowly(const char *who, rt_value port, bool binary) {
    if (port == RT_ABSENT) port = rt_current_port(RT_STANDARD_INPUT);
    return usable(who, port, true, binary);
}

rt_port_object *rt_output_slowly(const char *who, rt_value port, bool binary) {
    if (port == RT_ABSENT) port = rt_current_port(RT_STANDARD_OUTPUT);
    return usable(who, port, false, binary);
}

/* ---- Bytes out ----------------------------------------------------------- */

static bool lost;   /* some of the standard output could not be written: the disk was full */

bool rt_output_is_lost(void) { return lost; }

/* The error of a file that cannot be read or written. */
static int fail_file(const char *who, const char *verb, const rt_port_object *port, int reason) {
    const char *text = port->filter != NULL ? port->filter->text_of_reason(reason) : strerror(reason);
    rt_fail("%s: cannot %s %s: %s", who, verb, port->name, text);
    return rt_status(rt_categorize_error(RT_FILE_ERROR));
}

ssize_t rt_write_to_pipe(int file, const char *bytes, size_t size) {
    sigset_t broken, before, waiting;
    sigemptyset(&broken);
    sigaddset(&broken, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &broken, &before);
    ssize_t written = write(file, bytes, size);
    int reason = errno, number;
    if (written < 0 && reason == EPIPE && sigpending(&waiting) == 0 &&
        sigismember(&waiting, SIGPIPE))
        sigwait(&broken, &number);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = reason;
    return written;
}

static ssize_t write_some(const rt_port_object *port, size_t from) {
    const char *bytes = port->buffer.bytes + from;
    size_t size = port->buffer.size - from;
    return port->is_pipe ? rt_write_to_pipe(port->file, bytes, size)
                         : write(port->file, bytes, size);
}

/* Write the buffer through the port's filter: 0, or errno. */
static int flush_filter(rt_port_object *port, bool is_last) {
    size_t size = port->buffer.size;
    int reason = port->filter->write(port->filter_state, port->file, port->buffer.bytes, size, is_last);
    port->buffer.size = port->at = 0;
    port->offset += size;
    return reason;
}

/* is_last: nothing will be written to the port any more. */
static int flush_port(const char *who, rt_port_object *port, bool is_last) {
    size_t done = 0;
    int reason = 0;
    if (port->file == RT_MEMORY) return 0;
    rt_note_output(port);
    if (port->filter != NULL && !port->input) reason = flush_filter(port, is_last);
    while (done < port->buffer.size && reason == 0) {
        ssize_t written = write_some(port, done);
        if (written > 0) done += (size_t)written;
        else if (written < 0 && errno != EINTR) reason = errno;
        else if (written < 0 && port->is_pipe && rt_poll() != 0) return 1;
    }
    port->buffer.size = 0;
    if (!port->input) port->at = 0;
    port->offset += done;
    if (rt_text_is_lost(&port->buffer)) rt_text_free(&port->buffer);
    if (reason == 0) return 0;
    if (!port->lossy) return fail_file(who, "write", port, reason);
    if (reason == ENOSPC && port->file == STDOUT_FILENO) lost = true;
    return 0;   /* the reader has closed the pipe */
}

int rt_port_flush(const char *who, rt_port_object *port) { return flush_port(who, port, false); }

/* The buffer could not grow for a large text.  This error has a location, so the next poll need not
 * fail. */
int rt_fail_buffer(const char *who, const rt_port_object *port, size_t wanted) {
    size_t count = port->buffer.size + wanted;
    for (size_t i = 0; i < port->buffer.size && !port->binary; i++)
        count -= ((unsigned char)port->buffer.bytes[i] & 0xc0) == 0x80;   /* inside one */
    rt_fail_room(who, count, port->binary ? "bytes" : "characters");
    rt_forget_shortage();
    return 1;
}

/* Flush at the end of each line on a terminal, and always on the standard error. */
int rt_port_written(const char *who, rt_port_object *port) {
    static int terminal = -1;
    if (port->file == RT_MEMORY)
        return rt_text_is_lost(&port->buffer) ? rt_fail_buffer(who, port, 0) : 0;
    if (rt_port_converts(port) && rt_port_convert_output(port) != 0) return 1;
    bool now = port->buffer.size >= FLUSH_FROM || port == &standard[RT_STANDARD_ERROR];
    if (!now && port == &standard[RT_STANDARD_OUTPUT]) {
        if (terminal < 0) terminal = isatty(STDOUT_FILENO);
        now = terminal && port->buffer.size > 0 &&
              port->buffer.bytes[port->buffer.size - 1] == '\n';
    }
    return now ? rt_port_flush(port->binary ? who : "write", port) : 0;   /* as scripts say it */
}

/* The files that are open for writing. */
static rt_port_object *files;

static void enter_file(rt_port_object *port) {
    port->next = files;
    port->previous = NULL;
    if (files != NULL) files->previous = port;
    files = port;
}

static void forget_file(rt_port_object *port) {
    if (port->input || port->file == RT_MEMORY || port->lossy) return;
    if (port->previous != NULL) port->previous->next = port->next;
    else files = port->next;
    if (port->next != NULL) port->next->previous = port->previous;
}

/* At the end of the process: an error in writing can no longer be reported. */
void rt_flush_ports(void) {
    rt_flush_standard_output();
    rt_end_status();
    for (rt_port_object *port = files; port != NULL; port = port->next) {
        port->lossy = true;
        flush_port("close-port", port, true);
    }
}

int rt_flush_standard_output(void) {
    return rt_port_flush("", &standard[RT_STANDARD_OUTPUT]);
}

/* ---- Bytes in ------------------------------------------------------------ */

static void count_lines(rt_port_object *port) {
    const char *at = port->buffer.bytes + port->counted, *end = port->buffer.bytes + port->at;
    while (at < end) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        if (line_end == NULL) break;
        port->line++;
        port->column = 1;
        at = line_end + 1;
    }
    for (; at < end; port->column++) {
        if ((signed char)*at >= 0) at++;
        else rt_utf8_next(&at, end);
    }
    port->counted = port->at;
}

void rt_port_location(rt_port_object *port, size_t *line, size_t *column) {
    count_lines(port);
    *line = port->line;
    *column = port->column;
}

/* Drop the bytes that have been read from the buffer. */
static void drop_read(rt_port_object *port) {
    if (port->at == 0) return;
    count_lines(port);
    port->buffer.size -= port->at;
    memmove(port->buffer.bytes, port->buffer.bytes + port->at, port->buffer.size);
    port->offset += port->at;
    port->at = port->counted = 0;
}

/* Whether a read would return at once.  false after a signal, which ends poll early: a read would
 * block and miss that Ctrl-C. */
static bool has_input(int file, int milliseconds) {
    struct pollfd asked = {file, POLLIN, 0};
    int ready = poll(&asked, 1, milliseconds);
    return ready > 0 || (ready < 0 && errno != EINTR);
}

/* Skip a byte order mark at the start of a text file, which is not part of the text.  Returns
 * whether the port so far holds only the beginning of one. */
static bool skip_byte_order_mark(rt_port_object *port) {
    static const char mark[] = "\xef\xbb\xbf";
    const size_t full = sizeof mark - 1;
    if (port->binary || port->offset > 0 || port->at > 0 || port->encoding != RT_UTF_8) return false;
    size_t have = port->buffer.size < full ? port->buffer.size : full;
    if (memcmp(port->buffer.bytes, mark, have) != 0) return false;
    if (have == full) port->at = port->counted = full;
    return have < full;
}

/* Skip the line feed after a return that has ended a line.  Returns whether nothing is left. */
static bool skip_line_feed(rt_port_object *port) {
    if (!port->skips_line_feed) return false;
    port->skips_line_feed = false;
    if (port->buffer.bytes[port->at] == '\n') port->at++;
    return port->at == port->buffer.size;
}

/* The buffer has been lost: nothing more can be read. */
static int64_t fail_fill(const char *who, rt_port_object *port, size_t wanted) {
    rt_fail_buffer(who, port, wanted);
    rt_text_free(&port->buffer);
    port->at = port->counted = 0;
    return -1;
}

/* size bytes have been read to the end of the buffer.  Returns how many it now has more, or -1 after
 * an error. */
static int64_t add_read(const char *who, rt_port_object *port, size_t size) {
    size_t before = port->buffer.size;
    if (!rt_port_converts(port)) {
        port->buffer.size += size;
        return (int64_t)size;
    }
    rt_text read = {NULL, 0, 0};
    rt_text_add(&read, port->tail, port->tail_size);
    rt_text_add(&read, port->buffer.bytes + before, size);
    if (!rt_text_is_lost(&read)) rt_port_convert_input(port, read.bytes, read.size, size == 0);
    bool lost_text = rt_text_is_lost(&read) || rt_text_is_lost(&port->buffer);
    rt_text_free(&read);
    return lost_text ? fail_fill(who, port, size) : (int64_t)(port->buffer.size - before);
}

/* Whether reading would return at once. */
static bool is_readable(const rt_port_object *port, int milliseconds) {
    bool is_ready = port->filter != NULL && port->filter->has_input(port->filter_state);
    return is_ready || has_input(port->file, milliseconds);
}

/* Read at most size bytes to the end of the buffer; -1 after an error, with its reason. */
static ssize_t read_some(rt_port_object *port, size_t size, int *reason) {
    char *to = port->buffer.bytes + port->buffer.size;
    if (port->filter != NULL)
        return port->filter->read(port->filter_state, port->file, to, size, reason);
    ssize_t result = read(port->file, to, size);
    *reason = errno;
    return result;
}

int64_t rt_port_fill(const char *who, rt_port_object *port) {
    if (port->file == RT_MEMORY) return 0;
    if (port == &standard[RT_STANDARD_INPUT]) rt_flush_standard_output();
    drop_read(port);
    /* A growing buffer is filled in larger and larger steps, so that long lines take linear
     * time. */
    size_t wanted = port->buffer.size > CHUNK ? port->buffer.size : CHUNK;
    if (!rt_text_reserve(&port->buffer, wanted)) return fail_fill(who, port, wanted);
    for (;;) {
        bool is_ready = false;
        while (!is_ready) {
            is_ready = is_readable(port, PATIENCE);
            if (rt_poll() != 0) return -1;   /* also where input came with the Ctrl-C */
        }
        int reason = 0;
        ssize_t size = read_some(port, wanted, &reason);
        if (size >= 0) {
            int64_t added = add_read(who, port, (size_t)size);
            if (added < 0) return -1;
            if (added > 0) rt_note_output(port);
            if (added > 0 && skip_byte_order_mark(port)) continue;
            if (added > 0 && skip_line_feed(port)) continue;
            if (added == 0 && size > 0) continue;   /* the first bytes of a character */
            return added;
        }
        if (reason == EINTR) continue;
        if (port->lossy) return 0;
        fail_file(who, "read", port, reason);
        return -1;
    }
}

bool rt_port_is_ready(rt_port_object *port) {
    return port->file == RT_MEMORY || is_readable(port, 0);
}

/* ---- Opening ------------------------------------------------------------- */

static rt_value new_port(bool input, bool binary, int file) {
    rt_port_object *port = rt_allocate(RT_PORT, sizeof *port);
    port->input = input;
    port->binary = binary;
    port->open = true;
    port->folds_case = false;
    port->lossy = port->replaces = port->skips_line_feed = false;
    port->begun = port->mark_due = port->is_pipe = false;
    port->encoding = RT_UTF_8;
    port->converter = NULL;
    port->filter = NULL;
    port->filter_state = NULL;
    port->tail_size = 0;
    port->file = file;
    port->name = NULL;
    port->buffer = (rt_text){NULL, 0, 0};
    port->at = port->counted = 0;
    port->offset = 0;
    port->line = port->column = 1;
    if (!input && file != RT_MEMORY) enter_file(port);
    return rt_of_object(port);
}

rt_value rt_new_pipe_port(bool input, bool binary, int file, const char *name) {
    rt_value port = new_port(input, binary, file);
    rt_port_of(port)->is_pipe = true;
    rt_port_of(port)->name = strdup(name);
    return port;
}

/* The path as messages show it. */
static char *shown(rt_value path) {
    rt_text text = {NULL, 0, 0};
    rt_show(&text, path, true);
    return text.bytes;
}

static rt_value fail_path(const char *who, const char *verb, rt_value path, int reason) {
    char *name = shown(path);
    rt_fail("%s: cannot %s %s: %s", who, verb, name, strerror(reason));
    free(name);
    return rt_categorize_error(RT_FILE_ERROR);
}

/* Folders can be opened too, and only reading them fails. */
static int open_path(const char *path, int flags) {
    int file = open(path, flags | O_CLOEXEC, NEW_FILE_MODE);
    struct stat about;
    if (file >= 0 && fstat(file, &about) == 0 && S_ISDIR(about.st_mode)) {
        close(file);
        errno = EISDIR;
        return -1;
    }
    return file;
}

static rt_value open_file(const char *who, rt_value path, int flags, bool input, bool binary) {
    RT_CHECK(rt_is_string(path), who, "a string", path);
    if (rt_holds_nul(path)) return fail_path(who, "open", path, EINVAL);
    char *name = rt_string_to_c(path);
    int file = open_path(name, flags);
    if (file < 0 && (errno == EMFILE || errno == ENFILE)) {
        rt_collect_garbage();   /* open ports may be on cycles that nothing reaches any more */
        file = open_path(name, flags);
    }
    int reason = errno;
    free(name);
    if (file < 0) return fail_path(who, "open", path, reason);
    rt_value port = new_port(input, binary, file);
    rt_port_of(port)->name = shown(path);
    return port;
}

/* The port, or an error if it cannot have that encoding. */
static rt_value with_encoding(const char *who, rt_value port, rt_value encoding, rt_value invalid) {
    if (port == RT_ERROR || rt_port_set_encoding(who, rt_port_of(port), encoding, invalid) == 0)
        return port;
    rt_free(port);
    return RT_ERROR;
}

rt_value rt_open_input_file(rt_value path, rt_value encoding, rt_value invalid) {
    rt_value port = open_file("open-input-file", path, O_RDONLY, true, false);
    return with_encoding("open-input-file", port, encoding, invalid);
}

rt_value rt_open_binary_input_file(rt_value path) {
    return open_file("open-binary-input-file", path, O_RDONLY, true, true);
}

/* append is any value, as in a test. */
static rt_value open_output(const char *who, rt_value path, rt_value append, bool binary) {
    bool at_end;
    if (rt_truth(append, &at_end) != 0) return RT_ERROR;
    int flags = O_WRONLY | O_CREAT | (at_end ? O_APPEND : O_TRUNC);
    return open_file(who, path, flags, false, binary);
}

rt_value rt_open_output_file(rt_value path, rt_value append, rt_value encoding, rt_value invalid) {
    rt_value port = open_output("open-output-file", path, append, false);
    return with_encoding("open-output-file", port, encoding, invalid);
}

rt_value rt_open_binary_output_file(rt_value path, rt_value append) {
    return open_output("open-binary-output-file", path, append, true);
}

rt_value rt_open_input_string(rt_value text) {
    RT_CHECK(rt_is_string(text), "open-input-string", "a string", text);
    rt_value port = new_port(true, false, RT_MEMORY);
    rt_text_add(&rt_port_of(port)->buffer, "", 0);
    rt_text_lisp_string(&rt_port_of(port)->buffer, text);
    return port;
}

rt_value rt_open_input_bytevector(rt_value bytes) {
    RT_CHECK(rt_is_bytes(bytes), "open-input-bytevector", "a bytevector", bytes);
    rt_value port = new_port(true, true, RT_MEMORY);
    const rt_bytes_object *source = rt_bytes_of(bytes);
    rt_text_add(&rt_port_of(port)->buffer, (const char *)source->data, source->length);
    return port;
}

rt_value rt_open_output_string(void) {
    rt_value port = new_port(false, false, RT_MEMORY);
    rt_text_add(&rt_port_of(port)->buffer, "", 0);
    return port;
}

rt_value rt_open_output_bytevector(void) {
    rt_value port = new_port(false, true, RT_MEMORY);
    rt_text_add(&rt_port_of(port)->buffer, "", 0);
    return port;
}

rt_value rt_get_output_bytevector(rt_value v) {
    bool fits = rt_is_port(v) && !rt_port_of(v)->input && rt_port_of(v)->binary &&
                rt_port_of(v)->file == RT_MEMORY;
    RT_CHECK(fits, "get-output-bytevector", "a bytevector output port", v);
    const rt_text *buffer = &rt_port_of(v)->buffer;
    rt_value bytes = rt_text_is_lost(buffer) ? RT_ERROR : rt_new_bytes(buffer->size, buffer->bytes);
    if (bytes == RT_ERROR) rt_fail_buffer("get-output-bytevector", rt_port_of(v), 0);
    return bytes;
}

rt_value rt_get_output_string(rt_value v) {
    bool fits = rt_is_port(v) && !rt_port_of(v)->input && !rt_port_of(v)->binary &&
                rt_port_of(v)->file == RT_MEMORY;
    RT_CHECK(fits, "get-output-string", "a string output port", v);
    const rt_text *buffer = &rt_port_of(v)->buffer;
    bool lost = rt_text_is_lost(buffer);
    rt_value text = lost ? RT_ERROR : rt_string_of_utf8(buffer->bytes, buffer->size);
    if (text == RT_ERROR) rt_fail_buffer("get-output-string", rt_port_of(v), 0);
    return text;
}

/* ---- Closing ------------------------------------------------------------- */

/* Free what stands between a port and its file. */
static void release_stages(rt_port_object *port) {
    if (port->filter != NULL) port->filter->free(port->filter_state);
    port->filter = NULL;
    rt_free_converter(port->converter);
    port->converter = NULL;
}

/* The text of a closed string port is still available. */
static int close_port(const char *who, rt_port_object *port) {
    if (!port->open) return 0;
    int status = port->input ? 0 : flush_port(who, port, true);
    forget_file(port);
    port->open = false;
    if (port->file != RT_MEMORY && !port->lossy) close(port->file);
    if (port->input || port->file != RT_MEMORY) rt_text_free(&port->buffer);
    release_stages(port);
    return status;
}

/* The last reference to a port is gone. */
void rt_release_port(rt_object *object) {
    rt_port_object *port = (rt_port_object *)object;
    if (port->open) forget_file(port);
    if (port->open && !port->input && port->file != RT_MEMORY) {
        port->lossy = true;   /* an error can no longer be reported */
        flush_port("close-port", port, true);
    }
    if (port->open && port->file != RT_MEMORY) close(port->file);
    rt_text_free(&port->buffer);
    release_stages(port);
    free(port->name);
}

int rt_close_port(rt_value port) {
    RT_CHECK_STATUS(rt_is_port(port), "close-port", "a port", port);
    return close_port("close-port", rt_port_of(port));
}

int rt_close_input_port(rt_value port) {
    bool fits = rt_is_port(port) && rt_port_of(port)->input;
    RT_CHECK_STATUS(fits, "close-input-port", "an input port", port);
    return close_port("close-input-port", rt_port_of(port));
}

int rt_close_output_port(rt_value port) {
    bool fits = rt_is_port(port) && !rt_port_of(port)->input;
    RT_CHECK_STATUS(fits, "close-output-port", "an output port", port);
    return close_port("close-output-port", rt_port_of(port));
}

/* ---- Questions ----------------------------------------------------------- */

bool rt_is_input_port(rt_value x) { return rt_is_port(x) && rt_port_of(x)->input; }
bool rt_is_output_port(rt_value x) { return rt_is_port(x) && !rt_port_of(x)->input; }
bool rt_is_textual_port(rt_value x) { return rt_is_port(x) && !rt_port_of(x)->binary; }
bool rt_is_binary_port(rt_value x) { return rt_is_port(x) && rt_port_of(x)->binary; }

int rt_is_input_port_open(rt_value port, bool *result) {
    RT_CHECK_STATUS(rt_is_port(port), "input-port-open?", "a port", port);
    *result = rt_port_of(port)->input && rt_port_of(port)->open;
    return 0;
}

int rt_is_output_port_open(rt_value port, bool *result) {
    RT_CHECK_STATUS(rt_is_port(port), "output-port-open?", "a port", port);
    *result = !rt_port_of(port)->input && rt_port_of(port)->open;
    return 0;
}

rt_value rt_eof_object(void) { return RT_EOF; }
bool rt_is_eof_object(rt_value x) { return x == RT_EOF; }

/* The parameter current-input-port, current-output-port or current-error-port. */
rt_value rt_port_parameter(rt_value which, rt_value converter, rt_value set) {
    int index = (int)rt_fixnum(which);
    current[index].value = rt_current_port(index);
    current[index].converter = rt_dup(converter);
    current[index].set = rt_dup(set);
    return rt_of_object(&current[index].closure);
}

void rt_release_current_ports(void) {
    for (size_t i = 0; i < sizeof current / sizeof *current; i++) {
        if (current[i].value != 0) rt_free(current[i].value);
        current[i].value = 0;
    }
}

/* ---- Files --------------------------------------------------------------- */

int rt_file_exists(rt_value path, bool *result) {
    RT_CHECK_STATUS(rt_is_string(path), "file-exists?", "a string", path);
    char *name = rt_string_to_c(path);
    struct stat about;
    *result = !rt_holds_nul(path) && stat(name, &about) == 0;
    free(name);
    return 0;
}

int rt_delete_file(rt_value path) {
    RT_CHECK_STATUS(rt_is_string(path), "delete-file", "a string", path);
    if (rt_holds_nul(path))
        return rt_status(fail_path("delete-file", "delete", path, EINVAL));
    char *name = rt_string_to_c(path);
    int status = unlink(name), reason = errno;
    free(name);
    return status == 0 ? 0 : rt_status(fail_path("delete-file", "delete", path, reason));
}

int rt_rename_file(rt_value from, rt_value to) {
    RT_CHECK_STATUS(rt_is_string(from), "rename-file", "a string", from);
    RT_CHECK_STATUS(rt_is_string(to), "rename-file", "a string", to);
    if (rt_holds_nul(from) || rt_holds_nul(to))
        return rt_status(fail_path("rename-file", "rename", from, EINVAL));
    char *old = rt_string_to_c(from), *new = rt_string_to_c(to);
    int status = rename(old, new), reason = errno;
    free(old);
    free(new);
    return status == 0 ? 0 : rt_status(fail_path("rename-file", "rename", from, reason));
}
