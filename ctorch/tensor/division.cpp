// division.cpp - the divisors of tensors of integers, without the one that processors trap.

#include "tensor/division.h"

#include "errors/errors.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/any.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/logical_and.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/result_type.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/where.h>

#include <limits>

namespace {

// Kernels divide smaller integers as int32, where nothing overflows.
bool is_trapped(at::ScalarType dtype) { return dtype == at::kInt || dtype == at::kLong; }

bool are_dense(const at::Tensor &x)
{
    return x.is_cpu() && x.layout() == at::kStrided && !x.is_nested() && !x.is_quantized();
}

at::Tensor least_of(at::ScalarType dtype)
{
    int64_t least = dtype == at::kInt ? std::numeric_limits<int32_t>::min()
                                      : std::numeric_limits<int64_t>::min();
    return at::scalar_tensor(least, dtype);
}

// b, with 1 where the mask is true, in the dtype of the result.
at::Tensor with_ones(const at::Tensor &b, const at::Tensor &mask, at::ScalarType dtype)
{
    if (!mask.any().item<bool>()) return b;
    return at::where(mask, at::ones_like(b), b).to(dtype);
}

}  // namespace

void ct::need_absolute_values(const at::Tensor &x)
{
    at::NoGradGuard unrecorded;
    if (!x.defined() || !are_dense(x) || !at::isIntegralType(x.scalar_type(), false)) return;
    at::ScalarType dtype = x.scalar_type();
    int64_t least = dtype == at::kLong    ? std::numeric_limits<int64_t>::min()
                    : dtype == at::kInt   ? std::numeric_limits<int32_t>::min()
                    : dtype == at::kShort ? std::numeric_limits<int16_t>::min()
                    : dtype == at::kChar  ? std::numeric_limits<int8_t>::min() : 0;
    if (least && x.eq(least).any().item<bool>())
        throw ct::Failure{std::to_string(least) + " has no absolute value in " + ct::dtype_name(dtype),
                      dtype == at::kLong ? "" : "a larger dtype has one"};
}

at::Tensor ct::divisor_for_remainder(const at::Tensor &a, const at::Tensor &b)
{
    at::NoGradGuard unrecorded;
    if (!are_dense(b) || (a.defined() && !are_dense(a))) return b;
    at::ScalarType dtype = a.defined() ? at::result_type(a, b) : b.scalar_type();
    return is_trapped(dtype) ? with_ones(b, b.eq(-1), dtype) : b;
}

at::Tensor ct::divisor_for_quotient(const at::Tensor &a, const at::Tensor &b)
{
    at::NoGradGuard unrecorded;
    if (!are_dense(a) || !are_dense(b)) return b;
    at::ScalarType dtype = at::result_type(a, b);
    if (!is_trapped(dtype)) return b;
    at::Tensor negates = b.eq(-1);
    if (!negates.any().item<bool>()) return b;
    return with_ones(b, a.to(dtype).eq(least_of(dtype)).logical_and(negates), dtype);
}
