// division.h - integer division that no processor traps.  C++ only.
//
//     (quotient [-9223372036854775808] -1)   =>  [-9223372036854775808], as (tensor-neg x) has it
//     (remainder [-9223372036854775808] -1)  =>  [0]
//
// The quotient of the least integer and -1 is too large by 1 for its dtype, for which processors stop
// a process that divides (SIGFPE).  LibTorch's other arithmetic of integers wraps; so does this.
#pragma once

#include <ATen/core/Tensor.h>

namespace ct {

// The divisor by which a quotient, rounded by the operator, is computed instead of b.
at::Tensor divisor_for_quotient(const at::Tensor &a, const at::Tensor &b);
// The same for a remainder: that of -1 is that of 1.  a may be undefined: a number.
at::Tensor divisor_for_remainder(const at::Tensor &a, const at::Tensor &b);

// Raise an error if an element has no absolute value in its dtype, by which LibTorch's kernels of gcd
// and lcm would divide.
void need_absolute_values(const at::Tensor &x);

}  // namespace ct
