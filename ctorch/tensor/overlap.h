// overlap.h - which memory the elements of tensors share.  C++ only.
#pragma once

#include <ATen/core/Tensor.h>

namespace ct {

// Whether two elements of x may be in the same memory, as after tensor-expand.
bool overlaps_itself(const at::Tensor &x);

// SAME: each element of one tensor has the memory of the same element of the other, and no other.
enum class Sharing { NONE, SAME, SOME };

// What the elements of two tensors share.  It answers SOME also where finding it out would take too
// long, as for long slices of one tensor with steps of 2 and 3.
Sharing sharing_of(const at::Tensor &a, const at::Tensor &b);

}  // namespace ct
