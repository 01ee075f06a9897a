// writer.h - what writes GGUF files.  C++ only.
#pragma once

#include "gguf/gguf.h"

namespace ct {

// quantizers.cpp

// Writes `count` floats, whole blocks of the type, to `blocks`.  Each block is the nearest that the
// definition of its type allows to find, as llama.cpp's quantizers do.
using GgufQuantizer = void (*)(const float *x, int64_t count, uint8_t *blocks);
// NULL if blocks of that name are not written.
GgufQuantizer gguf_quantizer(const std::string &type);
// "Q8_0, Q4_0 ...": those that are.
std::string gguf_quantizer_names();

// writer.cpp

// (path metadata tensors)  metadata: lists of key, type and value; tensors: lists of name, type and
// a tensor: of floats, or for a type of blocks uint8 [rows, bytes], which are written as they are.
Owned save_gguf(const ProcedureArguments &given);

}  // namespace ct
