// gguf.h - what the readers of GGUF files share.  C++ only.
#pragma once

#include "files/files.h"
#include "files/procedures.h"

#include <optional>
#include <unordered_map>

namespace ct {

// The format of a tensor's elements: blocks of elements that take so many bytes.
struct GgufType {
    uint32_t code;
    const char *name;
    int64_t elements, bytes;
    std::optional<at::ScalarType> dtype;  // of those that LibTorch has
    // From a block to its elements; NULL for those that LibTorch has.
    void (*dequantize)(const uint8_t *block, float *out);
};

// types.cpp

// NULL if the code is not known.
const GgufType *gguf_type(uint32_t code);
// "F32, F16 ...": those that can be read.
std::string gguf_type_names();
// The name of a code that others read; empty if nobody does.
std::string other_gguf_type(uint32_t code);

// A value in the metadata: its type, and where it begins in the file.
struct GgufValue {
    uint32_t type;
    uint64_t at;
};

struct GgufTensor {
    std::string name;
    const GgufType *type;
    std::vector<int64_t> sizes;  // the slowest first, as LibTorch has them
    uint64_t from, bytes;        // in the file
};

// An open file.  All of it has been checked but the elements.
struct Gguf final : ct_object {
    FilePointer file;
    Named<GgufValue> metadata;
    std::unordered_map<std::string, size_t> keys;
    std::vector<GgufTensor> tensors;
    std::unordered_map<std::string, size_t> names;
};

// The scale and the minimum of group g of a block of K's: six bits each, eight in 12 bytes.
std::pair<int, int> gguf_k_scale(const uint8_t *scales, int g);

// gguf.cpp

// Fails for other values.
const Gguf &gguf_of(const ct_value &value);

}  // namespace ct
