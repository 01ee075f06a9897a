// empty_rows.h - what tensors without elements are as lists.  C++ only.
//
//     shape (2 3 0)                    =>  6: [[[] [] []] [[] [] []]]
//     shape (9223372036854775807 0)    =>  more than anyone can print
#pragma once

#include <ATen/core/Tensor.h>

namespace ct {

// How many lists of nothing a tensor is; 0 if it has elements.
int64_t empty_rows(const at::Tensor &x);

}  // namespace ct
