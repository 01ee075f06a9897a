// zlib_abi.h - the few functions of zlib that compression.cpp calls, declared here so that it
// compiles where libz is installed, as it is with gcc, but its header is not.
//
// These names, types and meanings have been the binary interface of libz.so.1 since 1995;
// https://zlib.net/manual.html documents them.
#pragma once

extern "C" {

struct z_stream {
    const unsigned char *next_in;
    unsigned avail_in;
    unsigned long total_in;
    unsigned char *next_out;
    unsigned avail_out;
    unsigned long total_out;
    const char *msg;
    struct internal_state *state;
    void *(*zalloc)(void *, unsigned, unsigned);  // nullptr for malloc
    void (*zfree)(void *, void *);
    void *opaque;
    int data_type;
    unsigned long adler, reserved;
};

int inflateInit2_(z_stream *stream, int window_bits, const char *version, int stream_size);
int inflate(z_stream *stream, int flush);
int inflateEnd(z_stream *stream);
int deflateInit2_(z_stream *stream, int level, int method, int window_bits, int memory_level,
                  int strategy, const char *version, int stream_size);
int deflate(z_stream *stream, int flush);
int deflateEnd(z_stream *stream);
unsigned long crc32(unsigned long before, const unsigned char *bytes, unsigned length);

}  // extern "C"

constexpr int Z_NO_FLUSH = 0, Z_FINISH = 4;
constexpr int Z_OK = 0, Z_STREAM_END = 1;
constexpr int Z_DEFAULT_COMPRESSION = -1, Z_DEFLATED = 8, Z_DEFAULT_STRATEGY = 0;
constexpr char ZLIB_VERSION[] = "1.2.0";  // libz compares the first character with its own
