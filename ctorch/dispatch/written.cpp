// written.cpp - which tensors of a call are written, and what they may share with the others.

#include "dispatch/call.h"
#include "dispatch/written.h"

namespace {

using ct::Binding;
using ct::Overload;
using ct::Parameter;
using ct::Source;

// The tensors that a parameter gets.
struct CallOperand {
    const Parameter *parameter;
    c10::SmallVector<const at::Tensor *, 2> tensors;
    bool is_list;
};
using CallOperands = c10::SmallVector<CallOperand, 4>;

void add_tensors(CallOperand &operand, const ct_value *values, size_t count)
{
    for (const ct_value *x = values; x < values + count; x++) {
        if (x->kind == CT_TENSOR) operand.tensors.push_back(&x->tensor->value);
        if (x->kind == CT_LIST) {
            operand.is_list = true;
            add_tensors(operand, x->items, x->count);
        }
    }
}

CallOperands operands_of(const Binding &binding, const ct_value *values)
{
    CallOperands operands;
    const std::vector<Parameter> &parameters = binding.overload->parameters;
    for (size_t k = 0; k < parameters.size(); k++) {
        const Source &source = binding.sources[k];
        if (source.count == 0) continue;
        operands.push_back({&parameters[k], {}, source.loose});
        add_tensors(operands.back(), &ct::value_at(source, values), source.count);
        if (operands.back().tensors.empty()) operands.pop_back();
    }
    return operands;
}

// A tensor that stands for a number, which is read before anything is written.
bool stands_for_number(const CallOperand &operand)
{
    return operand.parameter->name == "value" && operand.tensors[0]->dim() == 0;
}

// Whether an operand may be the result, too: each of its elements is needed only for the same
// element of the result.  Operators that work in place do so with self, as tensor-cumsum! does;
// tensor-normal has a mean instead, which it would read after it has overwritten it.
bool may_be_result(const Overload &overload, const CallOperand &operand)
{
    if (operand.parameter->written) return false;
    return overload.is_elementwise ||
           (overload.has_in_place && operand.parameter == &overload.parameters[0] &&
            operand.parameter->name == "self");
}

void need_operands_apart(const Overload &overload, const CallOperand &written, const CallOperand &other)
{
    bool same_is_fine = may_be_result(overload, other);
    // Lists are worked on element by element.
    bool in_pairs = written.is_list && other.is_list;
    for (size_t k = 0; k < written.tensors.size(); k++)
        for (size_t j = 0; j < other.tensors.size(); j++)
            if (!in_pairs || k == j)
                ct::need_apart(*written.tensors[k], *other.tensors[j], same_is_fine);
}

}  // namespace

void ct::need_own_memory(const at::Tensor &written)
{
    TORCH_CHECK(!overlaps_itself(written),
                "more than one element of the written-to tensor refers to a single memory location");
}

void ct::need_apart(const at::Tensor &written, const at::Tensor &other, bool same_is_fine)
{
    Sharing sharing = sharing_of(written, other);
    TORCH_CHECK(sharing == Sharing::NONE || (sharing == Sharing::SAME && same_is_fine),
                "input tensor and the written-to tensor refer to a single memory location");
}

void ct::check_written(const Binding &binding, const ct_value *values)
{
    const Overload &overload = *binding.overload;
    CallOperands operands = operands_of(binding, values);
    for (const CallOperand &written : operands) {
        if (!written.parameter->written) continue;
        for (const at::Tensor *x : written.tensors) need_own_memory(*x);
        for (const CallOperand &other : operands)
            if (&other != &written && !stands_for_number(other)) need_operands_apart(overload, written, other);
    }
}
