// npy.h - the header before the elements of numpy's arrays.  C++ only.
#pragma once

#include "files/files.h"

namespace ct {

// The contents of the header.
struct NpyHeader {
    at::ScalarType dtype = at::kFloat;
    bool big_endian = false, fortran = false;
    std::vector<int64_t> sizes{};
    uint64_t length = 0;  // of everything before the elements
};

// The header of the array in this text; base is the position of the text in the file at path.
NpyHeader read_npy_header(std::string_view text, const std::string &path, uint64_t base);
// Everything that numpy writes before the elements of such an array.
std::string npy_header_of(const at::Tensor &x);

}  // namespace ct
