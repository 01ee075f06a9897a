/* ports.h - the structure of ports, for the files that open, read and write them. */
#ifndef PORTS_H
#define PORTS_H

#include "rt_internal.h"

#include <sys/types.h>

#define RT_UTF_8_MOST 4   /* bytes of a character */
#define RT_TAIL_MOST 8    /* bytes of a character in any encoding */
#define RT_MEMORY (-1)   /* in place of a descriptor: the port's text is in its buffer only */

/* Of an input port, buffer holds what has been read from the file, and `at` is the index of the
 * next byte in it; of an output port, buffer holds what has not been written to the file yet.
 *
 * offset is the position of the buffer in the file.  line and column, from 1, are the location of
 * the byte at `counted`: rt_port_location counts the bytes from there to `at`. */
typedef enum {
    RT_UTF_8,
    RT_UTF_16,       /* of an input port whose byte order is not known yet */
    RT_UTF_16_LE,
    RT_UTF_16_BE,
    RT_LATIN_1,
    RT_WINDOWS_1252,
    RT_CONVERTED,    /* by the C library, as the port's converter says */
} rt_encoding;

/* What stands between a port and its file, which holds other bytes: those of gzip.c are compressed.
 * A filter is behind these functions, so that programs without it do not contain it. */
typedef struct rt_filter {
    /* Whether something can be read without asking the file. */
    bool (*has_input)(const void *state);
    /* Read at most size bytes.  0 at the end; -1 after an error, with errno or another reason. */
    ssize_t (*read)(void *state, int file, char *to, size_t size, int *reason);
    /* Write bytes, and the end of the file if it is the last time.  0, or errno. */
    int (*write)(void *state, int file, const char *bytes, size_t size, bool is_last);
    void (*free)(void *state);
    const char *(*text_of_reason)(int reason);
} rt_filter;

typedef struct rt_port_object {
    rt_object object;
    bool input, binary, open;
    bool folds_case;       /* `read` has met #!fold-case */
    bool lossy;            /* failures to write are not reported: standard streams */
    bool replaces;         /* what is not text is replaced */
    bool skips_line_feed;  /* a line has ended with the return that was last in the buffer */
    bool begun;            /* the start of a UTF-16 file has been read */
    bool is_pipe;          /* to or from a process: writing may find that it has ended */
    bool mark_due;         /* a byte order mark comes before the first text that is written */
    rt_encoding encoding;
    struct rt_converter *converter;   /* or NULL */
    const rt_filter *filter;          /* or NULL */
    void *filter_state;
    char tail[RT_TAIL_MOST];    /* the bytes so far of a character of a port that converts */
    size_t tail_size;
    int file;
    char *name;            /* the file's name in messages, or NULL */
    rt_text buffer;
    size_t at, counted;
    uint64_t offset;
    size_t line, column;
    struct rt_port_object *next, *previous;   /* in the list of files open for writing */
} rt_port_object;

enum { RT_STANDARD_INPUT, RT_STANDARD_OUTPUT, RT_STANDARD_ERROR };

static inline rt_port_object *rt_port_of(rt_value v) { return (rt_port_object *)rt_object_of(v); }

rt_value rt_current_port(int which);   /* borrowed */
/* A port for our end of a pipe, which it closes.  name is copied. */
rt_value rt_new_pipe_port(bool input, bool binary, int file, const char *name);
/* write, but without the signal if nobody reads any more: then errno is EPIPE. */
ssize_t rt_write_to_pipe(int file, const char *bytes, size_t size);

/* The port, or the current one if it is absent; NULL after an error: it is not such a port, or it
 * is closed. */
rt_port_object *rt_input_slowly(const char *who, rt_value port, bool binary);
rt_port_object *rt_output_slowly(const char *who, rt_value port, bool binary);
static inline bool rt_is_usable(rt_value port, bool input, bool binary) {
    if (!rt_is_port(port)) return false;
    const rt_port_object *object = rt_port_of(port);
    return object->input == input && object->binary == binary && object->open;
}
static inline rt_port_object *rt_input(const char *who, rt_value port, bool binary) {
    if (RT_LIKELY(rt_is_usable(port, true, binary))) return rt_port_of(port);
    return rt_input_slowly(who, port, binary);
}
static inline rt_port_object *rt_output(const char *who, rt_value port, bool binary) {
    if (RT_LIKELY(rt_is_usable(port, false, binary))) return rt_port_of(port);
    return rt_output_slowly(who, port, binary);
}

/* Read more into the buffer.  Returns how many bytes, 0 at the end of the file, or -1 after an
 * error. */
int64_t rt_port_fill(const char *who, rt_port_object *port);
/* Whether a byte, or the end, can be read without waiting. */
bool rt_port_is_ready(rt_port_object *port);
/* The line and column of the next byte. */
void rt_port_location(rt_port_object *port, size_t *line, size_t *column);

/* The next character, which stays in the port, and its size in bytes.  Returns 1 if there is one, 0
 * at the end of the file, or -1 after an error. */
int rt_port_peek(const char *who, rt_port_object *port, uint32_t *code, size_t *size);

/* Whether the next size bytes, which are in the buffer, are complete characters; if not, an error,
 * which takes everything up to the bytes that are not, and them. */
bool rt_port_is_text(const char *who, rt_port_object *port, size_t size);

/* The size of the character that begins at `at`; 0 if no character does; -1 if there are too few
 * bytes to say.  rt_utf8_bad_size: how many bytes are not text where that is not positive. */
int rt_utf8_size(const unsigned char *at, size_t have);
size_t rt_utf8_bad_size(const unsigned char *at, size_t have);

/* Whether what is read or written is not the bytes of the file: encoding.c.  Of an output port,
 * `at` is where the text begins that has not been converted. */
bool rt_port_converts(const rt_port_object *port);
/* #f stands for UTF-8, and for errors.  1 after an error. */
int rt_port_set_encoding(const char *who, rt_port_object *port, rt_value encoding,
                         rt_value invalid);
/* The encoding of that name, and whether files in it begin with a byte order mark; false if there is
 * none of that name here: the C library may have it. */
bool rt_find_encoding(rt_value name, rt_encoding *encoding, bool *is_marked);
/* What a byte stands for in latin-1 and windows-1252, and the byte of a character, or -1. */
uint32_t rt_code_of_byte(rt_encoding encoding, unsigned char byte);
int rt_byte_of_code(rt_encoding encoding, uint32_t code);
/* Add what has been read to the buffer. */
void rt_port_convert_input(rt_port_object *port, const char *bytes, size_t size, bool at_end);
/* Convert the text that has been added to the buffer; 1 after an error. */
int rt_port_convert_output(rt_port_object *port);

/* Something has been added to the buffer of an output port: flush it if it is due. */
int rt_port_written(const char *who, rt_port_object *port);
/* Record the error that there is no memory for the buffer and `wanted` bytes more.  Always 1. */
int rt_fail_buffer(const char *who, const rt_port_object *port, size_t wanted);
int rt_port_flush(const char *who, rt_port_object *port);
/* The text in the buffer is about to be written: the status line makes way for it. */
void rt_note_output(const rt_port_object *port);

#endif
