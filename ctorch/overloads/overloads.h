// overloads.h - Lambent's own operators and overloads, over LibTorch's functions.  C++ only.
//
//     {"softmin(Tensor input, int dim, ScalarType? dtype=None) -> Tensor", boxed<softmin>}
//
// PyTorch's Python functions take arguments that its operators do not (a mode by name, defaults,
// indices on demand), and some have no operator at all.  Each such function is defined here by a
// schema and a C++ function.  Calls bind to it by the usual rules, after LibTorch's own overloads.
#pragma once

#include "dispatch/call.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>

#include <utility>

namespace ct {

using Stack = std::vector<c10::IValue>;

struct OverloadDefinition {
    const char *schema;
    void (*call)(Stack &stack);
};

using Ints = std::vector<int64_t>;  // ABSENT for an element that is left out
using Floats = std::vector<double>;
using OptionalTensor = std::optional<at::Tensor>;
using Several = std::vector<at::Tensor>;  // several results, not one list

inline void push(Stack &stack, Several results)
{
    for (at::Tensor &x : results) stack.emplace_back(std::move(x));
}

template <class Result>
void push(Stack &stack, Result result)
{
    stack.emplace_back(std::move(result));
}

template <class Result, class... Arguments, size_t... K>
Result with_arguments(Result (*function)(Arguments...), Stack &stack, std::index_sequence<K...>)
{
    return function(std::move(stack[K]).template to<Arguments>()...);
}

template <auto function, class Result, class... Arguments>
void call_boxed(Stack &stack, Result (*)(Arguments...))
{
    Result result = with_arguments(function, stack, std::index_sequence_for<Arguments...>{});
    stack.clear();
    push(stack, std::move(result));
}

// The function with its arguments taken from the stack, and its result pushed there.
template <auto function>
void boxed(Stack &stack)
{
    call_boxed<function>(stack, function);
}

// The function's result for the reduction of that name.
inline at::Tensor reduced(const at::Tensor &losses, int64_t reduction)
{
    return reduction == 1 ? at::mean(losses) : reduction == 2 ? at::sum(losses) : losses;
}

// The result, written to the tensor that a call passes as :out, which gets its shape.
inline at::Tensor write_out(at::Tensor out, const at::Tensor &result)
{
    TORCH_CHECK(!at::GradMode::is_enabled() || !(out.requires_grad() || result.requires_grad()),
                "functions with out=... arguments don't support automatic differentiation, but one "
                "of the arguments requires grad.");
    TORCH_CHECK(at::canCast(result.scalar_type(), out.scalar_type()), "result type ",
                result.scalar_type(), " can't be cast to the desired output type ",
                out.scalar_type());
    if (out.sizes() != result.sizes()) out.resize_(result.sizes());
    return out.copy_(result);
}

// A function that is called instead of one of LibTorch's overloads, with that overload's arguments.
using CallInstead = void (*)(const c10::OperatorHandle &op, Stack &stack);
struct Replacement {
    const char *name, *overload;
    CallInstead call;
};

c10::ArrayRef<Replacement> division_replacements();

c10::ArrayRef<OverloadDefinition> loss_overloads();
c10::ArrayRef<OverloadDefinition> layer_overloads();
c10::ArrayRef<OverloadDefinition> pool_overloads();
c10::ArrayRef<OverloadDefinition> image_overloads();
c10::ArrayRef<OverloadDefinition> function_overloads();
c10::ArrayRef<OverloadDefinition> llm_overloads();  // llm/operators.cpp

}  // namespace ct
