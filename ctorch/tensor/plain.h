// plain.h - tensors whose memory holds their elements.  C++ only.
//
//     the gradient of sgn, zeros without memory  =>  zeros        conj(x)  =>  the conjugates
//
// Some tensors only say what their elements are: zeros that have no memory, and conjugates and
// negatives that still have the memory of what they were made from.  Code that reads memory, or
// passes it on, asks for the plain tensor first.  LibTorch's own operators do so themselves, but for
// lists of optional tensors (convert.cpp) and the operators in replacements.cpp.
#pragma once

#include <ATen/core/Tensor.h>

namespace ct {

// x itself where it is plain, else a copy.
at::Tensor plain(const at::Tensor &x);

}  // namespace ct
