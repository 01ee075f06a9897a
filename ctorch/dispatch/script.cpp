// script.cpp - operators that only the scripting language of LibTorch registers.
//
//     aten::size(Tensor self) -> int[]  =>  (tensor-size [[1 2 3]])  =>  (1 3)
//
// Reading that table takes longer than everything else at a program's start, so it is read for calls
// that nothing in the dispatcher's own table fits.

#include "dispatch/schema.h"

#include <torch/csrc/jit/runtime/operator.h>

#include <algorithm>
#include <string_view>

namespace {

using ct::Kind;
using ct::Overload;
using ct::Parameter;
using torch::jit::Operator;

const std::string NAMESPACE = "aten::";
constexpr const char *OWN_VALUES = "it works on the scripting language's own values";

std::pair<std::string_view, std::string_view> full_name(const c10::FunctionSchema &schema)
{
    return {schema.name(), schema.overload_name()};
}

// All but those of the dispatcher, which the scripting language knows, too; in an order of their own,
// for the library's hangs on what a process has done before.
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

bool is_foreign(const Parameter &p) { return p.kind == Kind::Other || p.kind == Kind::Any; }

// Why a program cannot call it; empty if one can.  Those on numbers, texts and lists are Lisp's own.
std::string refusal(const Overload &overload)
{
    const c10::FunctionSchema &schema = *overload.schema;
    bool takes_tensor = !overload.parameters.empty() && !overload.parameters[0].list &&
                        overload.parameters[0].kind == Kind::Tensor;
    bool is_aten = schema.name().starts_with(NAMESPACE);
    const std::string &form = schema.overload_name();
    bool is_twin = form.ends_with("hacked_twin") || form.starts_with("prim_");  // of a better one
    bool takes_foreign = std::any_of(overload.parameters.begin(), overload.parameters.end(),
                                     is_foreign);
    bool gives_foreign = std::count(overload.returns.begin(), overload.returns.end(), Kind::Other);
    bool is_whole = !schema.is_vararg() && !schema.is_varret();
    bool is_ours = takes_tensor && is_aten && !is_twin && !takes_foreign && !gives_foreign;
    return is_ours && is_whole ? "" : OWN_VALUES;
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
