// ops.cpp - calling any operator: find its overloads, bind the call, push, run.
//
// LibTorch's boxed call trusts its caller: too few arguments make it read below the stack.  So
// every argument is bound to a parameter and checked before anything is pushed (choose.cpp), and a
// binding is remembered under what it depends on.

#include "call.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

// The overloads, and how earlier calls were bound to them.
struct ct_op {
    std::string name;
    std::vector<ct::Overload> overloads;
    std::string usage;
    struct Known;
    std::vector<Known> known;
    bool has_script_forms = false;
    std::vector<std::vector<ct::Overload>> former;  // what known bindings may still point into
};

namespace {

using ct::Binding;
using ct::Call;
using ct::Failure;
using ct::Overload;
using ct::Parameter;

constexpr size_t MANY_KNOWN = 32;  // bindings that an operator remembers

// What decides how a call is bound, as a text: kinds, names, and what stands in lists.  False for
// values of which there are too many sorts.
bool add_to_pattern(std::string &pattern, const ct_value &value)
{
    pattern += static_cast<char>('0' + value.kind);
    switch (value.kind) {
    case CT_BOOL: pattern += value.i ? 't' : 'f'; return true;
    case CT_KEYWORD:
    case CT_SYMBOL:
    case CT_STRING: (pattern += value.text) += '\0'; return true;
    case CT_LIST: {
        ct_kind first = value.count ? value.items[0].kind : CT_NONE;
        pattern += static_cast<char>('0' + first);
        bool simple = first == CT_INT || first == CT_FLOAT || first == CT_TENSOR;
        auto is_alike = [&](const ct_value &item) {
            return item.kind == first &&
                   (first != CT_TENSOR || !ct::is_like_number(item.tensor->value));
        };
        return value.count == 0 ||
               (simple && std::all_of(value.items, value.items + value.count, is_alike));
    }
    case CT_TENSOR:  // may stand for a number, of its sort
        if (!ct::is_like_number(value.tensor->value)) return true;
        pattern += 'n';
        pattern += static_cast<char>(value.tensor->value.scalar_type());
        return true;
    case CT_TABLE:
    case CT_OBJECT:
    case CT_OTHER: return false;
    default: return true;
    }
}

bool make_pattern(std::string &pattern, size_t count, const ct_value *arguments)
{
    pattern.clear();
    for (size_t k = 0; k < count; k++)
        if (!add_to_pattern(pattern, arguments[k])) return false;
    return true;
}

}  // namespace

struct ct_op::Known {
    std::string pattern;
    Binding binding;
};

namespace {

const Binding *remembered(const ct_op &op, const std::string &pattern)
{
    for (const ct_op::Known &known : op.known)
        if (known.pattern == pattern) return &known.binding;
    return nullptr;
}

// What LibTorch gets, in order.
void push_arguments(const Binding &binding, const ct_value *values, torch::jit::Stack &stack)
{
    const std::vector<Parameter> &parameters = binding.overload->parameters;
    bool elsewhere = binding.overload->creates && !ct::default_device().is_cpu();
    for (size_t k = 0; k < parameters.size(); k++) {
        stack.push_back(ct::argument(parameters[k], binding.sources[k], values));
        if (elsewhere && parameters[k].kind == ct::Kind::Device && stack.back().isNone())
            stack.back() = ct::default_device();
    }
}

// Add the overloads that only the scripting language has; whether there are any.
bool add_script_forms(ct_op &op)
{
    if (op.has_script_forms) return false;
    op.has_script_forms = true;
    std::vector<Overload> more = ct::script_overloads_of(op.name);
    if (more.empty()) return false;
    std::vector<Overload> all = op.overloads;
    all.insert(all.end(), more.begin(), more.end());
    op.former.push_back(std::exchange(op.overloads, std::move(all)));
    return true;
}

Binding choose(ct_op &op, const Call &call)
{
    try {
        return ct::choose(op.name, op.overloads, call);
    } catch (const ct::Failure &) {
        if (!add_script_forms(op)) throw;
    }
    return ct::choose(op.name, op.overloads, call);
}

ct_value run(const Binding &binding, const ct_value *values, size_t count)
{
    static torch::jit::Stack stack;  // its memory is kept from call to call
    struct Clear {
        ~Clear() { stack.clear(); }
    } clear;
    push_arguments(binding, values, stack);
    try {
        binding.overload->call(stack);
        if (binding.requires_grad && !stack.empty() && stack[0].isTensor())
            stack[0].toTensor().requires_grad_(true);
    } catch (...) {
        throw ct::explained(ct::of_call(binding, values));
    }
    return ct::results(*binding.overload, stack, count, values);
}

ct_value call(ct_op &op, size_t count, const ct_value *arguments)
{
    static std::string pattern;  // its memory is kept, too
    bool simple = make_pattern(pattern, count, arguments);
    if (const Binding *known = simple ? remembered(op, pattern) : nullptr) {
        if (known->positional == count) return run(*known, arguments, count);
        std::vector<ct_value> values = ct::in_order(count, arguments);
        return run(*known, values.data(), values.size());
    }
    Call call = ct::split(count, arguments);
    Binding binding = choose(op, call);
    if (simple && op.known.size() < MANY_KNOWN) op.known.push_back({pattern, binding});
    return run(binding, call.values.data(), call.values.size());
}

// A hint quotes arguments by their place among the values; that among the call's arguments is
// another where keywords come before.
void quote_arguments(Failure &failure, size_t count, const ct_value *arguments)
{
    std::vector<size_t> places, named;
    for (size_t k = 0; k < count; k++)
        if (arguments[k].kind == CT_KEYWORD) named.push_back(++k);
        else places.push_back(k);
    places.insert(places.end(), named.begin(), named.end());
    std::string &hint = failure.hint;
    for (size_t at = 0; (at = hint.find('{', at)) != std::string::npos; at++) {
        size_t end = hint.find('}', at), value = std::stoul(hint.substr(at + 1));
        hint.replace(at + 1, end - at - 1, std::to_string(places.at(value)));
    }
}

}  // namespace

extern "C" {

int ct_op_find(const char *name, ct_op **op)
{
    static auto &found = *new std::unordered_map<std::string, ct_op *>;  // never given back
    return ct::guarded({}, [&] {
        ct_op *&entry = found[name];
        if (!entry) {
            std::vector<Overload> overloads = ct::overloads_of(name);
            bool only_script = overloads.empty();
            if (only_script) overloads = ct::script_overloads_of(name);
            if (overloads.empty()) throw ct::unknown_operator(name);
            entry = new ct_op{name, std::move(overloads), "", {}, only_script, {}};
        }
        *op = entry;
    });
}

int ct_op_call(ct_op *op, size_t count, const ct_value *arguments, ct_value *result)
{
    return ct::guarded({}, [&] {
        try {
            *result = call(*op, count, arguments);
        } catch (Failure &failure) {
            quote_arguments(failure, count, arguments);
            throw;
        }
    });
}

int ct_op_bind(ct_op *op, size_t count, const ct_value *arguments, const char **overload)
{
    return ct::guarded({}, [&] {
        Call call = ct::split(count, arguments);
        Binding binding = choose(*op, call);
        torch::jit::Stack stack;
        push_arguments(binding, call.values.data(), stack);
        *overload = binding.overload->name.c_str();
    });
}

const char *ct_op_usage(ct_op *op)
{
    if (op->usage.empty()) {
        add_script_forms(*op);
        op->usage = ct::usages(op->name, op->overloads);
    }
    return op->usage.c_str();
}

}  // extern "C"
