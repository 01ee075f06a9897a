// plain.h - tensors whose memory holds their elements.  C++ only.
//
//     the gradient of sgn, zeros without memory  =>  zeros        conj(x)  =>  the conjugates
//
// Some tensors are lazy: zeros without memory, and conjugates and negatives that still have the
// memory of their source.  Code that reads memory, or passes it on, asks for the plain tensor
// first. LibTorch's operators do so themselves, except for lists of optional tensors (convert.cpp)
// and the operators in replacements.cpp.
#pragma once

#include <ATen/core/Tensor.h>

namespace ct {

// x itself if it is plain, else a copy.
at::Tensor plain(const at::Tensor &x);

}  // namespace ct
