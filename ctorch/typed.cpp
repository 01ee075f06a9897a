// typed.cpp - operators with a typed way in: what models call most, without a look at the schema.
//
// _ops.h headers declare one operator each and nothing else; they keep this file quick to compile.
// They want Tensor.h, which handle.h includes, before them.

#include "handle.h"

#include <ATen/ops/abs_ops.h>
#include <ATen/ops/add_ops.h>
#include <ATen/ops/ceil_ops.h>
#include <ATen/ops/clone_ops.h>
#include <ATen/ops/cos_ops.h>
#include <ATen/ops/div_ops.h>
#include <ATen/ops/eq_ops.h>
#include <ATen/ops/exp_ops.h>
#include <ATen/ops/floor_ops.h>
#include <ATen/ops/ge_ops.h>
#include <ATen/ops/gt_ops.h>
#include <ATen/ops/le_ops.h>
#include <ATen/ops/log_ops.h>
#include <ATen/ops/lt_ops.h>
#include <ATen/ops/matmul_ops.h>
#include <ATen/ops/maximum_ops.h>
#include <ATen/ops/mean_ops.h>
#include <ATen/ops/minimum_ops.h>
#include <ATen/ops/mm_ops.h>
#include <ATen/ops/mul_ops.h>
#include <ATen/ops/ne_ops.h>
#include <ATen/ops/neg_ops.h>
#include <ATen/ops/pow_ops.h>
#include <ATen/ops/reciprocal_ops.h>
#include <ATen/ops/relu_ops.h>
#include <ATen/ops/round_ops.h>
#include <ATen/ops/sigmoid_ops.h>
#include <ATen/ops/sin_ops.h>
#include <ATen/ops/sqrt_ops.h>
#include <ATen/ops/square_ops.h>
#include <ATen/ops/sub_ops.h>
#include <ATen/ops/sum_ops.h>
#include <ATen/ops/t_ops.h>
#include <ATen/ops/tanh_ops.h>
#include <ATen/ops/trunc_ops.h>

namespace {

namespace op = at::_ops;

// Op is an operator; its name is needed only where it fails.
template <class Op, class Body>
int guarded(std::initializer_list<ct_tensor *> operands, Body body) noexcept
{
    try {
        body();
        return 0;
    } catch (...) {
        return ct::report_operator(Op::name, Op::overload_name, operands);
    }
}

// Op is an operator of one tensor; `more` are its further arguments.
template <class Op, class... More>
int unary(ct_tensor *x, ct_tensor **result, More... more)
{
    return guarded<Op>({x}, [&] { *result = ct::handle(Op::call(x->value, more...)); });
}

template <class Op, class... More>
int binary(ct_tensor *a, ct_tensor *b, ct_tensor **result, More... more)
{
    return guarded<Op>({a, b}, [&] { *result = ct::handle(Op::call(a->value, b->value, more...)); });
}

const at::Scalar ONE = 1;

}  // namespace

extern "C" {

int ct_add(ct_tensor *a, ct_tensor *b, ct_tensor **result)
{
    return binary<op::add_Tensor>(a, b, result, ONE);
}
int ct_subtract(ct_tensor *a, ct_tensor *b, ct_tensor **result)
{
    return binary<op::sub_Tensor>(a, b, result, ONE);
}
int ct_multiply(ct_tensor *a, ct_tensor *b, ct_tensor **result)
{
    return binary<op::mul_Tensor>(a, b, result);
}
int ct_divide(ct_tensor *a, ct_tensor *b, ct_tensor **result)
{
    return binary<op::div_Tensor>(a, b, result);
}
int ct_maximum(ct_tensor *a, ct_tensor *b, ct_tensor **result)
{
    return binary<op::maximum>(a, b, result);
}
int ct_minimum(ct_tensor *a, ct_tensor *b, ct_tensor **result)
{
    return binary<op::minimum>(a, b, result);
}
int ct_pow(ct_tensor *a, ct_tensor *b, ct_tensor **result)
{
    return binary<op::pow_Tensor_Tensor>(a, b, result);
}
int ct_eq(ct_tensor *a, ct_tensor *b, ct_tensor **result)
{
    return binary<op::eq_Tensor>(a, b, result);
}
int ct_ne(ct_tensor *a, ct_tensor *b, ct_tensor **result)
{
    return binary<op::ne_Tensor>(a, b, result);
}
int ct_lt(ct_tensor *a, ct_tensor *b, ct_tensor **result)
{
    return binary<op::lt_Tensor>(a, b, result);
}
int ct_gt(ct_tensor *a, ct_tensor *b, ct_tensor **result)
{
    return binary<op::gt_Tensor>(a, b, result);
}
int ct_le(ct_tensor *a, ct_tensor *b, ct_tensor **result)
{
    return binary<op::le_Tensor>(a, b, result);
}
int ct_ge(ct_tensor *a, ct_tensor *b, ct_tensor **result)
{
    return binary<op::ge_Tensor>(a, b, result);
}
int ct_matmul(ct_tensor *a, ct_tensor *b, ct_tensor **result)
{
    return binary<op::matmul>(a, b, result);
}
int ct_mm(ct_tensor *a, ct_tensor *b, ct_tensor **result) { return binary<op::mm>(a, b, result); }

int ct_relu(ct_tensor *x, ct_tensor **result) { return unary<op::relu>(x, result); }
int ct_sigmoid(ct_tensor *x, ct_tensor **result) { return unary<op::sigmoid>(x, result); }
int ct_tanh(ct_tensor *x, ct_tensor **result) { return unary<op::tanh>(x, result); }
int ct_exp(ct_tensor *x, ct_tensor **result) { return unary<op::exp>(x, result); }
int ct_log(ct_tensor *x, ct_tensor **result) { return unary<op::log>(x, result); }
int ct_sqrt(ct_tensor *x, ct_tensor **result) { return unary<op::sqrt>(x, result); }
int ct_sin(ct_tensor *x, ct_tensor **result) { return unary<op::sin>(x, result); }
int ct_cos(ct_tensor *x, ct_tensor **result) { return unary<op::cos>(x, result); }
int ct_neg(ct_tensor *x, ct_tensor **result) { return unary<op::neg>(x, result); }
int ct_abs(ct_tensor *x, ct_tensor **result) { return unary<op::abs>(x, result); }
int ct_square(ct_tensor *x, ct_tensor **result) { return unary<op::square>(x, result); }
int ct_reciprocal(ct_tensor *x, ct_tensor **result) { return unary<op::reciprocal>(x, result); }
int ct_floor(ct_tensor *x, ct_tensor **result) { return unary<op::floor>(x, result); }
int ct_ceil(ct_tensor *x, ct_tensor **result) { return unary<op::ceil>(x, result); }
int ct_round(ct_tensor *x, ct_tensor **result) { return unary<op::round>(x, result); }
int ct_trunc(ct_tensor *x, ct_tensor **result) { return unary<op::trunc>(x, result); }
int ct_sum(ct_tensor *x, ct_tensor **result)
{
    return unary<op::sum>(x, result, std::nullopt);
}
int ct_mean(ct_tensor *x, ct_tensor **result)
{
    return unary<op::mean>(x, result, std::nullopt);
}
int ct_t(ct_tensor *x, ct_tensor **result) { return unary<op::t>(x, result); }
int ct_copy(ct_tensor *x, ct_tensor **result)
{
    return unary<op::clone>(x, result, std::nullopt);
}

}  // extern "C"
