// sparse.h - that the indices of sparse tensors are inside of them.  C++ only.
//
//     (tensor-to-dense (tensor-private--sparse-coo-tensor-unsafe [[9]] [1.0] '(3)))
//  => a sparse tensor has index 9 in a dimension of size 3
//
// LibTorch checks indices when some functions create a tensor, and trusts them ever after: but they are
// tensors, which a program can change, and other functions check nothing.
#pragma once

#include <ATen/core/Tensor.h>

namespace ct {

// The check, for a tensor that is not strided.
void check_sparse_indices(const at::Tensor &x);

// x, if it is not a sparse tensor with bad indices; otherwise an error.
inline const at::Tensor &with_valid_indices(const at::Tensor &x)
{
    if (x.defined() && x.layout() != at::kStrided) check_sparse_indices(x);
    return x;
}

}  // namespace ct
