// scalars.h - arithmetic of a tensor and a number, faster than LibTorch's.  C++ only.
//
// At every call LibTorch creates a float64 tensor from the number and converts it to the dtype of
// the other operand, which costs twice as much as adding a few elements.  Where that dtype is
// float32 or float64, the number becomes a tensor of that dtype at once; the result is the same.
#pragma once

#include "tensor/handle.h"

#include <ATen/ScalarOps.h>
#include <ATen/ops/add_ops.h>
#include <ATen/ops/div_ops.h>
#include <ATen/ops/mul_ops.h>
#include <ATen/ops/nll_loss_nd_ops.h>
#include <ATen/ops/remainder_ops.h>
#include <ATen/ops/sub_ops.h>

#include <cmath>
#include <limits>

namespace ct {

// Whether the number may become a tensor of x's dtype.
inline bool fits_dtype_of(const at::Scalar &number, const at::Tensor &x)
{
    if (!x.is_cpu() || !(number.isFloatingPoint() || number.isIntegral(false))) return false;
    if (x.scalar_type() == at::kDouble) return true;
    // LibTorch refuses to convert a larger number, while its arithmetic computes with infinity.
    return x.scalar_type() == at::kFloat &&
           !(std::isfinite(number.toDouble()) &&
             std::abs(number.toDouble()) > std::numeric_limits<float>::max());
}

// The tensor of a number, of that dtype, with the lowest priority in type promotion.
inline at::Tensor wrapped_as(at::ScalarType dtype, const at::Scalar &number)
{
    at::Tensor x = at::detail::scalar_tensor_static(number, dtype, at::kCPU);
    x.unsafeGetTensorImpl()->set_wrapped_number(true);
    return x;
}

// LibTorch's operators, a few of them replaced.
namespace op {

using namespace at::_ops;

// Slow is the overload for a number, Fast that for two tensors; `more` is alpha.
template <class Slow, class Fast>
struct Quick {
    using schema = typename Slow::schema;
    template <class Self, class... More>
    static decltype(auto) call(Self &self, const at::Scalar &other, const More &...more)
    {
        if (!fits_dtype_of(other, self)) return Slow::call(self, other, more...);
        return Fast::call(self, wrapped_as(self.scalar_type(), other), more...);
    }
};

using add_Scalar = Quick<at::_ops::add_Scalar, at::_ops::add_Tensor>;
using sub_Scalar = Quick<at::_ops::sub_Scalar, at::_ops::sub_Tensor>;
using mul_Scalar = Quick<at::_ops::mul_Scalar, at::_ops::mul_Tensor>;
using div_Scalar = Quick<at::_ops::div_Scalar, at::_ops::div_Tensor>;
using add__Scalar = Quick<at::_ops::add__Scalar, at::_ops::add__Tensor>;
using sub__Scalar = Quick<at::_ops::sub__Scalar, at::_ops::sub__Tensor>;
using mul__Scalar = Quick<at::_ops::mul__Scalar, at::_ops::mul__Tensor>;
using div__Scalar = Quick<at::_ops::div__Scalar, at::_ops::div__Tensor>;

// As overloads/division.cpp has it: the remainder of division by -1 is that of division by 1.
struct remainder_Scalar : at::_ops::remainder_Scalar {
    static at::Tensor call(const at::Tensor &self, const at::Scalar &other)
    {
        bool divides = other.isIntegral(false) && at::isIntegralType(self.scalar_type(), false);
        bool negates = divides && other.toLong() == -1;
        return at::_ops::remainder_Scalar::call(self, negates ? at::Scalar(1) : other);
    }
};

// As replacements.cpp has it.
using nll_loss = at::_ops::nll_loss_nd;

}  // namespace op
}  // namespace ct
