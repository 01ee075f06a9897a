// torchscript_overloads.cpp - overloads that are not in LibTorch's dispatcher, only in TorchScript.
//
//     aten::size(Tensor self) -> int[]  =>  (tensor-size [[1 2 3]])  =>  (1 3)
//
// Reading TorchScript's table takes longer than the rest of a program's start.  So it is only read
// for a call that no overload of the dispatcher fits.

#include "dispatch/schema.h"

#include <torch/csrc/jit/runtime/operator.h>

#include <algorithm>
#include <string_view>

namespace {

using ct::ValueType;
using ct::Overload;
using ct::Parameter;
using torch::jit::Operator;

const std::string NAMESPACE = "aten::";
constexpr const char *OWN_VALUES = "it works on TorchScript's own values";

std::pair<std::string_view, std::string_view> full_name(const c10::FunctionSchema &schema)
{
    return {schema.name(), schema.overload_name()};
}

// All but the dispatcher's, which TorchScript lists, too.  They are sorted, as LibTorch's order
// depends on what the process did before.
const std::vector<std::shared_ptr<Operator>> &operators()
{
    static const auto &all = *new auto([] {
        std::vector<std::shared_ptr<Operator>> own;
        for (const std::shared_ptr<Operator> &op : torch::jit::getAllOperators())
            if (!c10::Dispatcher::singleton().findSchema(op->schema().operator_name()))
                own.push_back(op);
        std::sort(own.begin(), own.end(), [](const auto &a, const auto &b) {
            return full_name(a->schema()) < full_name(b->schema());
        });
        return own;
    }());
    return all;
}

bool is_foreign(const Parameter &p)
{
    return p.type == ValueType::Other || p.type == ValueType::Any;
}

// Why a program cannot call it; empty if it can.  Lisp has its own procedures on numbers, texts and
// lists, so only operators on tensors are taken.
std::string refusal(const Overload &overload)
{
    const c10::FunctionSchema &schema = *overload.schema;
    bool takes_tensor = !overload.parameters.empty() && !overload.parameters[0].list &&
                        overload.parameters[0].type == ValueType::Tensor;
    bool is_aten = schema.name().starts_with(NAMESPACE);
    const std::string &name = schema.overload_name();
    bool is_duplicate = name.ends_with("hacked_twin") || name.starts_with("prim_");
    const std::vector<Parameter> &parameters = overload.parameters;
    bool takes_foreign = std::any_of(parameters.begin(), parameters.end(), is_foreign);
    const std::vector<ValueType> &returns = overload.returns;
    bool returns_foreign = std::count(returns.begin(), returns.end(), ValueType::Other);
    bool is_complete = !schema.is_vararg() && !schema.is_varret();
    bool is_ours = takes_tensor && is_aten && !is_duplicate && !takes_foreign && !returns_foreign;
    return is_ours && is_complete ? "" : OWN_VALUES;
}

Overload script_overload(const std::shared_ptr<Operator> &op)
{
    Overload overload = ct::overload_of(op->schema(), {});
    overload.refusal = refusal(overload);
    if (overload.refusal.empty())
        overload.call = [operation = op->getOperation()](std::vector<c10::IValue> &stack) mutable {
            operation(stack);
        };
    return overload;
}

}  // namespace

std::vector<Overload> ct::script_overloads_of(const std::string &name)
{
    std::vector<Overload> found;
    std::string full_name = name.starts_with(NAMESPACE) ? name : NAMESPACE + name;
    for (const std::shared_ptr<Operator> &op : operators())
        if (op->schema().name() == full_name) {
            Overload overload = script_overload(op);
            if (overload.refusal.empty()) found.push_back(std::move(overload));
        }
    return found;
}

std::vector<Overload> ct::script_overloads()
{
    std::vector<Overload> all;
    for (const std::shared_ptr<Operator> &op : operators()) all.push_back(script_overload(op));
    return all;
}
