/* gzip.c - the compressed bytes of a port's file, by zlib, which is loaded at the first one.
 *
 * A file may have several members, one after another: their contents are one text.  A file without
 * any bytes has none.  `lang/interp/io/gzip_streams.py` is the counterpart.
 */
#define _POSIX_C_SOURCE 200809L
#include "ports/ports.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ports/zlib_abi.h"

#define CHUNK ((size_t)1 << 16)   /* bytes read, or written, at once */
#define MEMBER_BITS (15 + 16)     /* the largest window, and the header of gzip */
#define MEMORY_LEVEL 8

static struct {
    inflateInit2__type *inflate_init;
    inflate_type *inflate;
    inflateReset_type *inflate_reset;
    inflateEnd_type *inflate_end;
    deflateInit2__type *deflate_init;
    deflate_type *deflate;
    deflateEnd_type *deflate_end;
} zlib;

/* What is wrong with a file, in place of errno. */
enum { NOT_GZIP = -1, DAMAGED = -2, CUT_OFF = -3 };

typedef struct rt_gzip {
    z_stream stream;
    bool input;
    bool inside;      /* a member has begun, and has not ended */
    bool any;         /* a member has ended */
    unsigned char bytes[CHUNK];   /* of the file */
} rt_gzip;

/* C99 has no cast from an object pointer to a function pointer. */
#define TAKE(field, name) \
    do { \
        void *found = dlsym(library, name); \
        memcpy(&zlib.field, &found, sizeof found); \
        is_complete &= found != NULL; \
    } while (0)

static bool take_functions(void *library) {
    bool is_complete = true;
    TAKE(inflate_init, "inflateInit2_");
    TAKE(inflate, "inflate");
    TAKE(inflate_reset, "inflateReset");
    TAKE(inflate_end, "inflateEnd");
    TAKE(deflate_init, "deflateInit2_");
    TAKE(deflate, "deflate");
    TAKE(deflate_end, "deflateEnd");
    return is_complete;
}

static bool is_available(void) {
    static bool is_tried, is_complete;
    static const char *const names[] = {ZLIB_LIBRARIES};
    for (size_t i = 0; !is_tried && !is_complete && i < sizeof names / sizeof *names; i++) {
        void *library = rt_open_library(names[i]);
        is_complete = library != NULL && take_functions(library);
    }
    is_tried = true;
    return is_complete;
}

/* NULL if there is no memory. */
static rt_gzip *new_gzip(bool input, int level) {
    rt_gzip *gzip = rt_malloc(sizeof *gzip);
    memset(&gzip->stream, 0, sizeof gzip->stream);
    gzip->input = input;
    gzip->inside = gzip->any = false;
    int size = (int)sizeof gzip->stream;
    int status = input ? zlib.inflate_init(&gzip->stream, MEMBER_BITS, ZLIB_VERSION, size)
                       : zlib.deflate_init(&gzip->stream, level, Z_DEFLATED, MEMBER_BITS,
                                           MEMORY_LEVEL, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size);
    if (status == Z_OK) return gzip;
    free(gzip);
    return NULL;
}

static void free_gzip(void *state) {
    rt_gzip *gzip = state;
    if (gzip->input) zlib.inflate_end(&gzip->stream);
    else zlib.deflate_end(&gzip->stream);
    free(gzip);
}

/* ---- Reading ------------------------------------------------------------- */

static bool has_input(const void *state) {
    return ((const rt_gzip *)state)->stream.avail_in > 0;
}

/* Read more of the file: how many bytes, or -1 with errno. */
static ssize_t refill(rt_gzip *gzip, int file) {
    ssize_t size = read(file, gzip->bytes, CHUNK);
    gzip->stream.next_in = gzip->bytes;
    gzip->stream.avail_in = size > 0 ? (unsigned)size : 0;
    return size;
}

/* Begin the next member; what follows the last one and is not a member is damage. */
static void begin_member(rt_gzip *gzip) {
    if (gzip->any) zlib.inflate_reset(&gzip->stream);
    gzip->inside = true;
}

static ssize_t read_gzip(void *state, int file, char *to, size_t size, int *reason) {
    rt_gzip *gzip = state;
    z_stream *stream = &gzip->stream;
    stream->next_out = (unsigned char *)to;
    stream->avail_out = (unsigned)size;
    while (stream->avail_out == size) {
        bool at_end = false;
        if (stream->avail_in == 0) {
            ssize_t more = refill(gzip, file);
            *reason = errno;
            if (more < 0) return -1;
            if (more == 0 && !gzip->inside) return 0;
            at_end = more == 0;
        }
        if (!gzip->inside) begin_member(gzip);
        int status = zlib.inflate(stream, Z_NO_FLUSH);
        if (status == Z_STREAM_END) {
            gzip->inside = false;
            gzip->any = true;
        } else if (status != Z_OK && status != Z_BUF_ERROR) {
            bool is_start = !gzip->any && stream->total_out == 0 && stream->total_in <= 2;
            *reason = is_start ? NOT_GZIP : DAMAGED;
            return -1;
        } else if (at_end && stream->avail_out == size) {   /* nothing waited inside, either */
            *reason = CUT_OFF;
            return -1;
        }
    }
    return (ssize_t)(size - stream->avail_out);
}

/* ---- Writing ------------------------------------------------------------- */

static int write_all(int file, const unsigned char *bytes, size_t size) {
    while (size > 0) {
        ssize_t written = write(file, bytes, size);
        if (written < 0 && errno != EINTR) return errno;
        if (written <= 0) continue;
        bytes += written;
        size -= (size_t)written;
    }
    return 0;
}

static int write_gzip(void *state, int file, const char *bytes, size_t size, bool is_last) {
    rt_gzip *gzip = state;
    z_stream *stream = &gzip->stream;
    int status = Z_OK;
    stream->next_in = (const unsigned char *)bytes;
    while (size > 0 || (is_last && status != Z_STREAM_END)) {
        stream->avail_in = size < CHUNK ? (unsigned)size : (unsigned)CHUNK;
        size_t offered = stream->avail_in;
        stream->next_out = gzip->bytes;
        stream->avail_out = (unsigned)CHUNK;
        status = zlib.deflate(stream, is_last && offered == size ? Z_FINISH : Z_NO_FLUSH);
        size -= offered - stream->avail_in;
        int reason = write_all(file, gzip->bytes, CHUNK - stream->avail_out);
        if (reason != 0) return reason;
    }
    return 0;
}

static const char *text_of_reason(int reason) {
    switch (reason) {
    case NOT_GZIP: return "it is not a gzip file";
    case DAMAGED: return "its compressed data is damaged";
    case CUT_OFF: return "its compressed data is cut off";
    default: return strerror(reason);
    }
}

/* ---- Ports --------------------------------------------------------------- */

/* Let a port, which has just been opened, read or write a compressed file.  level: of compression,
 * from 0 to 9.  #f if zlib is not installed. */
rt_value rt_gzip_port(rt_value v, rt_value level) {
    static const rt_filter gzip = {has_input, read_gzip, write_gzip, free_gzip, text_of_reason};
    RT_CHECK(rt_is_port(v) && rt_port_of(v)->file != RT_MEMORY, "gzip", "a port of a file", v);
    RT_CHECK(rt_is_fixnum(level), "gzip", "a level", level);
    if (!is_available()) return RT_FALSE;
    rt_port_object *port = rt_port_of(v);
    rt_gzip *state = new_gzip(port->input, (int)rt_fixnum(level));
    if (state == NULL) return rt_fail_memory();
    port->filter = &gzip;
    port->filter_state = state;
    return RT_TRUE;
}
