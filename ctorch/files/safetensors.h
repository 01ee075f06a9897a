// safetensors.h - constants of the safetensors format, and its reader.  C++ only.
#pragma once

#include "errors/interrupts.h"
#include "files/files.h"
#include "files/procedures.h"
#include "text/json_tree.h"

namespace ct {

constexpr uint64_t PREFIX = 8;                  // bytes that hold the header's length
constexpr uint64_t LONGEST_HEADER = 100000000;  // the limit that all readers of the format have
constexpr char METADATA[] = "__metadata__";     // a key among the names of tensors

constexpr DtypeCode SAFETENSORS_DTYPES[] = {
    {"F64", at::kDouble}, {"F32", at::kFloat}, {"F16", at::kHalf}, {"BF16", at::kBFloat16},
    {"I64", at::kLong}, {"I32", at::kInt}, {"I16", at::kShort}, {"I8", at::kChar},
    {"U64", at::kUInt64}, {"U32", at::kUInt32}, {"U16", at::kUInt16}, {"U8", at::kByte},
    {"BOOL", at::kBool}, {"C64", at::kComplexFloat}, {"F8_E4M3", at::kFloat8_e4m3fn},
    {"F8_E5M2", at::kFloat8_e5m2}, {"F8_E8M0", at::kFloat8_e8m0fnu},
    {"F8_E4M3FNUZ", at::kFloat8_e4m3fnuz}, {"F8_E5M2FNUZ", at::kFloat8_e5m2fnuz},
};

// safetensors.cpp: the tensors of one file.
Named<at::Tensor> load_safetensors(const std::string &path);

}  // namespace ct
