// run.cpp - running the graph of an exported program.
//
// Each node puts its operator's arguments on a stack, which LibTorch's dispatcher takes: so
// gradients, autocast and devices work as for any other call.

#include "exported/program.h"
#include "autograd/autocast.h"
#include "errors/errors.h"
#include "errors/interrupts.h"
#include "torchscript/module.h"

#include <ATen/core/List.h>
#include <ATen/core/grad_mode.h>
#include <ATen/core/jit_type.h>
#include <ATen/ops/scalar_tensor.h>

#include <deque>

namespace ct::exported {

namespace {

using c10::TypeKind;
using Values = std::vector<IValue>;

const c10::Type &inner(const c10::Type &type)
{
    return type.kind() == TypeKind::OptionalType ? inner(*type.containedType(0)) : type;
}

// The type of the elements of a list that an operator takes: LibTorch reads sizes as integers.
c10::TypePtr element_of(const c10::Type &type)
{
    c10::TypePtr element = type.containedType(0);
    return element->kind() == TypeKind::SymIntType ? c10::TypePtr(c10::IntType::get()) : element;
}

bool is_number(const IValue &value)
{
    return value.isInt() || value.isDouble() || value.isBool() || value.isComplexDouble();
}

IValue value_of(const Input &input, const Values &slots, const c10::Type &type);

IValue list_of(const Input &input, const Values &slots, const c10::Type &type)
{
    if (type.kind() != TypeKind::ListType) {  // for a node without a schema
        Values items;
        for (const Input &item : input.items)
            items.push_back(value_of(item, slots, *c10::AnyType::get()));
        return IValue(c10::ivalue::Tuple::create(std::move(items)));
    }
    c10::TypePtr element = element_of(type);
    c10::impl::GenericList list(element);
    for (const Input &item : input.items) list.push_back(value_of(item, slots, *element));
    return IValue(list);
}

IValue value_of(const Input &input, const Values &slots, const c10::Type &type)
{
    switch (input.kind) {
    case Input::CONSTANT: return input.constant;
    case Input::SLOT: return suited(slots[input.slot], type);
    case Input::LIST: return list_of(input, slots, inner(type));
    case Input::GRAPH: break;
    }
    throw Failure{"a graph is no value", ""};
}

Values of_any_type(const std::vector<Input> &inputs, const Values &slots)
{
    Values values;
    for (const Input &input : inputs) values.push_back(value_of(input, slots, *c10::AnyType::get()));
    return values;
}

// Operators.

// The arguments of a node whose operator has failed, for the message.
Failure failure_of(const Node &node, const Values &arguments)
{
    std::deque<ct_value> values;
    Givens givens;
    const auto &parameters = node.op->schema().arguments();
    for (size_t k = 0; k < arguments.size(); k++) {
        if (!arguments[k].isTensor()) continue;
        values.push_back(result_of(arguments[k]).take());
        givens.push_back({lisp_name(parameters[k].name()), values.back(), k});
    }
    Failure failure = explained(givens);
    for (ct_value &value : values) ct_value_clear(&value);
    return failure;
}

Values call_operator(const Node &node, const Values &slots)
{
    const auto &parameters = node.op->schema().arguments();
    Values stack;
    for (size_t k = 0; k < node.inputs.size(); k++)
        stack.push_back(value_of(node.inputs[k], slots, *parameters[k].type()));
    Values arguments = stack;
    try {
        node.op->callBoxed(stack);
    } catch (const std::bad_alloc &) {
        throw;
    } catch (const std::exception &) {
        Failure failure = failure_of(node, arguments);
        throw Failure{"node " + node.name + ", which calls " + node.target + ": " + failure.message,
                      ""};
    }
    return stack;
}

// Nodes that run graphs.

const Graph &graph_in(const Node &node, size_t k)
{
    if (k >= node.inputs.size() || node.inputs[k].kind != Input::GRAPH)
        throw Failure{"node " + node.name + ": argument " + std::to_string(k) + " is no graph", ""};
    return *node.inputs[k].graph;
}

IValue value_in(const Node &node, size_t k, const Values &slots)
{
    if (k >= node.inputs.size())
        throw Failure{"node " + node.name + " has only " + std::to_string(node.inputs.size()) +
                          " arguments", ""};
    return value_of(node.inputs[k], slots, *c10::AnyType::get());
}

// The elements of an argument that is a list.
Values values_in(const Node &node, size_t k, const Values &slots)
{
    IValue value = value_in(node, k, slots);
    if (!value.isTuple()) return {value};
    return value.toTupleRef().elements().vec();
}

// The arguments from k on.
Values rest_of(const Node &node, size_t k, const Values &slots)
{
    Values values;
    for (; k < node.inputs.size(); k++) values.push_back(value_in(node, k, slots));
    return values;
}

bool truth(const IValue &value)
{
    return value.isTensor() ? value.toTensor().item<bool>() : value.toBool();
}

Values loop(const Node &node, const Values &slots)
{
    const Graph &test = graph_in(node, 0), &body = graph_in(node, 1);
    Values carried = values_in(node, 2, slots), others = values_in(node, 3, slots);
    auto all = [&] {
        Values values = carried;
        values.insert(values.end(), others.begin(), others.end());
        return values;
    };
    while (truth(run(test, all()).at(0))) {
        carried = run(body, all());
        poll_interrupt();
    }
    return carried;
}

Values call_graph(const Node &node, const Values &slots)
{
    switch (*node.higher_order) {
    case HigherOrder::COND: {
        bool chosen = truth(value_in(node, 0, slots));
        return run(graph_in(node, chosen ? 1 : 2), values_in(node, 3, slots));
    }
    case HigherOrder::WHILE_LOOP: return loop(node, slots);
    case HigherOrder::SET_GRAD: {
        at::AutoGradMode mode(truth(value_in(node, 0, slots)));
        return run(graph_in(node, 1), rest_of(node, 2, slots));
    }
    case HigherOrder::AUTOCAST: {
        bool is_on = truth(value_in(node, 2, slots));
        IValue dtype = value_in(node, 1, slots);
        std::optional<at::ScalarType> to;
        if (is_on) to = dtype.isInt() ? static_cast<at::ScalarType>(dtype.toInt()) : at::kBFloat16;
        Autocast region(to);
        return run(graph_in(node, 4), rest_of(node, 5, slots));
    }
    }
    return {};
}

Values results_of(const Node &node, const Values &slots)
{
    if (node.op) return call_operator(node, slots);
    if (node.function) return {node.function(of_any_type(node.inputs, slots))};
    return call_graph(node, slots);
}

void keep(const Node &node, Values results, Values &slots)
{
    if (node.is_list && results.size() == 1 && results[0].isList())
        results = results[0].toListRef().vec();
    if (results.size() < node.outputs.size())
        throw Failure{"node " + node.name + " has " + std::to_string(results.size()) +
                          " results, but the graph names " + std::to_string(node.outputs.size()), ""};
    for (size_t k = 0; k < node.outputs.size(); k++)
        if (node.outputs[k] != NO_SLOT) slots[node.outputs[k]] = std::move(results[k]);
}

}  // namespace

IValue suited(IValue value, const c10::Type &type)
{
    const c10::Type &wanted = inner(type);
    if (wanted.kind() == TypeKind::FloatType && value.isInt())
        return IValue(static_cast<double>(value.toInt()));
    if (wanted.kind() == TypeKind::TensorType && is_number(value)) {
        at::Tensor number = at::scalar_tensor(value.toScalar(), at::TensorOptions().dtype(
                                                                    value.toScalar().type()));
        number.unsafeGetTensorImpl()->set_wrapped_number(true);
        return IValue(number);
    }
    return value;
}

Values run(const Graph &graph, Values inputs)
{
    if (inputs.size() != graph.inputs.size())
        throw Failure{"the graph takes " + std::to_string(graph.inputs.size()) + " values, got " +
                          std::to_string(inputs.size()), ""};
    Values slots(graph.slots);
    for (size_t k = 0; k < inputs.size(); k++)
        if (graph.inputs[k] != NO_SLOT) slots[graph.inputs[k]] = std::move(inputs[k]);
    inputs.clear();
    for (const Node &node : graph.nodes) {
        poll_interrupt();
        keep(node, results_of(node, slots), slots);
        for (size_t slot : node.last_uses) slots[slot] = IValue();
    }
    return of_any_type(graph.outputs, slots);
}

}  // namespace ct::exported
