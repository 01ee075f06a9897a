/* zlib_abi.h - the little of zlib that is used, whose header is not installed with gcc.  C99 and
 * C++: ctorch, which links the library, has its types and constants from here.
 *
 * These names, types and meanings have been the binary interface of libz.so.1 since 1995;
 * https://zlib.net/manual.html documents them. */
#ifndef ZLIB_ABI_H
#define ZLIB_ABI_H

typedef struct z_stream {
    const unsigned char *next_in;
    unsigned avail_in;
    unsigned long total_in;
    unsigned char *next_out;
    unsigned avail_out;
    unsigned long total_out;
    const char *msg;
    struct internal_state *state;
    void *(*zalloc)(void *, unsigned, unsigned);   /* NULL for malloc */
    void (*zfree)(void *, void *);
    void *opaque;
    int data_type;
    unsigned long adler, reserved;
} z_stream;

typedef int inflateInit2__type(z_stream *, int, const char *, int);
typedef int inflate_type(z_stream *, int);
typedef int inflateReset_type(z_stream *);
typedef int inflateEnd_type(z_stream *);
typedef int deflateInit2__type(z_stream *, int, int, int, int, int, const char *, int);
typedef int deflate_type(z_stream *, int);
typedef int deflateEnd_type(z_stream *);
typedef unsigned long crc32_type(unsigned long, const unsigned char *, unsigned);

/* The names under which it is looked for, in this order. */
#define ZLIB_LIBRARIES "libz.so.1", "libz.so", "libz.1.dylib"

#define Z_NO_FLUSH 0
#define Z_FINISH 4
#define Z_OK 0
#define Z_STREAM_END 1
#define Z_BUF_ERROR (-5)
#define Z_DEFAULT_COMPRESSION (-1)
#define Z_DEFLATED 8
#define Z_DEFAULT_STRATEGY 0
#define ZLIB_VERSION "1.2.0"   /* libz compares the first character with its own */

#endif
