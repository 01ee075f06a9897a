// zlib_abi.h - the few functions of zlib that compression.cpp calls, declared here so that it
// compiles where libz is installed, as it is with gcc, but its header is not.
#pragma once

extern "C" {

#include "../../runtime/ports/zlib_abi.h"

inflateInit2__type inflateInit2_;
inflate_type inflate;
inflateEnd_type inflateEnd;
deflateInit2__type deflateInit2_;
deflate_type deflate;
deflateEnd_type deflateEnd;
crc32_type crc32;

}  // extern "C"
