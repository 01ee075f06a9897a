// overloads.h - operators and overloads of our own, over LibTorch's functions.  C++ only.
//
//     {"softmin(Tensor input, int dim, ScalarType? dtype=None) -> Tensor", boxed(+[](...) {...})}
//
// PyTorch's Python functions take what its operators do not (a mode by name, defaults, indices on
// demand), and some have no operator at all.  A form is a schema for one, and what it does; calls
// bind to it by the rules of all others, after LibTorch's own overloads.
#pragma once

#include "dispatch/call.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <utility>

namespace ct {

using Stack = std::vector<c10::IValue>;

struct Form {
    const char *schema;
    void (*call)(Stack &stack);
};

using Ints = std::vector<int64_t>;  // ABSENT for an element that is left out
using Floats = std::vector<double>;
using OptionalTensor = std::optional<at::Tensor>;
using Several = std::vector<at::Tensor>;  // results, each one for itself

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

// A function as a form's: its arguments come from the stack, and its result goes there.
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

// What a call of one of LibTorch's overloads does instead; it gets that overload's arguments.
using CallInstead = void (*)(const c10::OperatorHandle &op, Stack &stack);
struct Instead {
    const char *name, *overload;
    CallInstead call;
};

c10::ArrayRef<Form> loss_forms();
c10::ArrayRef<Form> layer_forms();
c10::ArrayRef<Form> pool_forms();
c10::ArrayRef<Form> image_forms();
c10::ArrayRef<Form> function_forms();

}  // namespace ct
