// division.cpp - LibTorch's operators that divide integers, by the divisors of tensor/division.h.

#include "overloads/overloads.h"
#include "tensor/division.h"

#include <ATen/ScalarOps.h>

namespace {

using at::Tensor;
using ct::Replacement;
using ct::Stack;

bool is_minus_one(const c10::IValue &x)
{
    return x.isScalar() && x.toScalar().isIntegral(false) && x.toScalar().toLong() == -1;
}

void remainder_of(const c10::OperatorHandle &op, Stack &stack)
{
    Tensor self = stack[0].isTensor() ? stack[0].toTensor() : Tensor();
    if (stack[1].isTensor()) stack[1] = ct::divisor_for_remainder(self, stack[1].toTensor());
    else if (is_minus_one(stack[1]) && at::isIntegralType(self.scalar_type(), false)) stack[1] = 1;
    op.callBoxed(stack);
}

// The overload that takes a tensor where that one takes a number.
c10::OperatorHandle for_tensor(const c10::FunctionSchema &schema)
{
    static constexpr const char *OVERLOADS[][2] = {
        {"Scalar", "Tensor"}, {"Scalar", ""}, {"Scalar_out", "out"},
        {"Scalar_mode", "Tensor_mode"}, {"Scalar_mode_out", "out_mode"}};
    for (auto [scalar, tensor] : OVERLOADS) {
        if (schema.overload_name() != scalar) continue;
        auto found = c10::Dispatcher::singleton().findSchema({schema.name(), tensor});
        if (found) return *found;
    }
    TORCH_CHECK(false, "no overload for two tensors");
}

void quotient_of(const c10::OperatorHandle &op, Stack &stack)
{
    Tensor self = stack[0].toTensor();
    if (stack[1].isTensor()) {
        stack[1] = ct::divisor_for_quotient(self, stack[1].toTensor());
    } else if (is_minus_one(stack[1])) {
        Tensor other = at::scalar_tensor(-1, at::kLong);
        other.unsafeGetTensorImpl()->set_wrapped_number(true);
        Tensor divisor = ct::divisor_for_quotient(self, other);
        if (!divisor.is_same(other)) {
            stack[1] = divisor;
            for_tensor(op.schema()).callBoxed(stack);
            return;
        }
    }
    op.callBoxed(stack);
}

constexpr Replacement DIVISIONS[] = {
    {"div", "Tensor_mode", quotient_of},
    {"div", "Scalar_mode", quotient_of},
    {"div", "out_mode", quotient_of},
    {"div", "Scalar_mode_out", quotient_of},
    {"div_", "Tensor_mode", quotient_of},
    {"div_", "Scalar_mode", quotient_of},
    {"divide", "Tensor_mode", quotient_of},
    {"divide", "Scalar_mode", quotient_of},
    {"divide", "out_mode", quotient_of},
    {"divide_", "Tensor_mode", quotient_of},
    {"divide_", "Scalar_mode", quotient_of},
    {"floor_divide", "", quotient_of},
    {"floor_divide", "Scalar", quotient_of},
    {"floor_divide", "out", quotient_of},
    {"floor_divide", "Scalar_out", quotient_of},
    {"floor_divide_", "Tensor", quotient_of},
    {"floor_divide_", "Scalar", quotient_of},
    {"remainder", "Tensor", remainder_of},
    {"remainder", "Scalar", remainder_of},
    {"remainder", "Scalar_Tensor", remainder_of},
    {"remainder", "Tensor_out", remainder_of},
    {"remainder", "Scalar_out", remainder_of},
    {"remainder", "Scalar_Tensor_out", remainder_of},
    {"remainder_", "Tensor", remainder_of},
    {"remainder_", "Scalar", remainder_of},
    {"fmod", "Tensor", remainder_of},
    {"fmod", "Scalar", remainder_of},
    {"fmod", "Tensor_out", remainder_of},
    {"fmod", "Scalar_out", remainder_of},
    {"fmod_", "Tensor", remainder_of},
    {"fmod_", "Scalar", remainder_of},
};

}  // namespace

c10::ArrayRef<Replacement> ct::division_replacements() { return DIVISIONS; }
