// npy.h - the header of numpy's arrays, which stands before the elements.  C++ only.
#pragma once

#include "files/files.h"

namespace ct {

// What the header says.
struct NpyHeader {
    at::ScalarType dtype = at::kFloat;
    bool big_endian = false, fortran = false;
    std::vector<int64_t> sizes{};
    uint64_t length = 0;  // of all before the elements
};

// The header of the array whose file this text is; base is where that begins in the file at path.
NpyHeader read_npy_header(std::string_view text, const std::string &path, uint64_t base);
// All that numpy writes before the elements of such an array.
std::string npy_header_of(const at::Tensor &x);

}  // namespace ct
