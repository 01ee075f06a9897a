// call.cpp - calling any operator: find its overloads, bind the call, push, run.
//
// LibTorch's boxed call trusts its caller: too few arguments make it read below the stack.  So
// every argument is bound to a parameter and checked before anything is pushed (choose.cpp), and a
// binding is remembered under what it depends on.

#include "dispatch/call_pattern.h"
#include "dispatch/direct.h"
#include "dispatch/unboxed.h"
#include "guards/guards.h"
#include "dispatch/unknown.h"

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
    ct::Guard guard = nullptr;
    std::optional<std::vector<ct::Overload>> forms;  // our own; none before they were looked up
    std::vector<std::vector<ct::Overload>> former;  // what known bindings may still point into
};

namespace {

using ct::Binding;
using ct::Call;
using ct::CallPattern;
using ct::Failure;
using ct::Overload;
using ct::Parameter;

constexpr size_t MANY_KNOWN = 32;  // bindings that an operator remembers

}  // namespace

struct ct_op::Known {
    std::string pattern;
    Binding binding;
};

namespace {

const Binding *remembered(const ct_op &op, const CallPattern &pattern)
{
    for (const ct_op::Known &known : op.known)
        if (pattern == known.pattern) return &known.binding;
    return nullptr;
}

// Whether a new tensor goes to another device than LibTorch would put it on.
bool is_elsewhere(const Binding &binding)
{
    return binding.overload->creates && !ct::default_device().is_cpu();
}

// What LibTorch gets, in order.
void push_arguments(const Binding &binding, const ct_value *values, torch::jit::Stack &stack)
{
    const std::vector<Parameter> &parameters = binding.overload->parameters;
    bool elsewhere = is_elsewhere(binding);
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

const std::vector<Overload> &forms(ct_op &op)
{
    if (!op.forms) op.forms = ct::forms_of(op.name);
    return *op.forms;
}

// All that a call may mean.
std::vector<Overload> all_overloads(ct_op &op)
{
    std::vector<Overload> all = op.overloads;
    all.insert(all.end(), forms(op).begin(), forms(op).end());
    return all;
}

// The binding to one of the overloads, if the call fits one.
std::optional<Binding> chosen(const ct_op &op, const std::vector<Overload> &overloads,
                              const Call &call)
{
    try {
        if (!overloads.empty()) return ct::choose(op.name, overloads, call);
    } catch (const ct::Failure &) {
    }
    return std::nullopt;
}

// LibTorch's own overloads go before our forms, whatever these cost, and both before those of the
// scripting language.
Binding choose(ct_op &op, const Call &call)
{
    if (auto found = chosen(op, op.overloads, call)) return *found;
    if (auto found = chosen(op, forms(op), call)) return *found;
    if (add_script_forms(op))
        if (auto found = chosen(op, op.overloads, call)) return *found;
    return ct::choose(op.name, all_overloads(op), call);  // says what is wrong
}

// LibTorch's own functions for an overload; NULL if it is only called through the stack.
const ct::Direct *direct_calls(const std::string &name, const std::string &overload)
{
    for (const ct::Direct *entry = ct::DIRECT; entry->name; entry++)
        if (name == entry->name && overload == entry->overload) return entry;
    return nullptr;
}

// Whether the result may take the place of the first argument, which is of no further use.
bool can_reuse(const Binding &binding, size_t count, const ct_value *values)
{
    if (!binding.direct->in_place) return false;
    c10::SmallVector<ct_tensor *, 4> others;
    for (size_t k = 1; k < count; k++)
        if (values[k].kind == CT_TENSOR) others.push_back(values[k].tensor);
    return ct::is_spare(values[0].tensor, others);
}

// A stack whose memory is kept from call to call; a call inside of another has one of its own.
class KeptStack {
public:
    KeptStack() : stack(std::move(spare())) {}
    ~KeptStack()
    {
        stack.clear();
        spare() = std::move(stack);
    }
    torch::jit::Stack stack;

private:
    static torch::jit::Stack &spare()
    {
        static torch::jit::Stack kept;
        return kept;
    }
};

void look_at(ct::Guard guard, const Binding &binding, const ct_value *values,
             const torch::jit::Stack &stack)
{
    try {
        guard(ct::Arguments(*binding.overload, stack));
    } catch (Failure &failure) {
        failure.message = ct::with_given(failure.message, ct::of_call(binding, values));
        throw;
    }
}

ct_value run(const ct_op &op, const Binding &binding, const ct_value *values, size_t count,
             bool reusing)
{
    KeptStack kept;
    torch::jit::Stack &stack = kept.stack;
    bool is_direct = binding.direct && !is_elsewhere(binding);
    if (!is_direct) push_arguments(binding, values, stack);
    if (op.guard && !is_direct) look_at(op.guard, binding, values, stack);
    try {
        if (!is_direct) binding.overload->call(stack);
        else if (reusing && can_reuse(binding, count, values))
            binding.direct->in_place(binding, values, stack);
        else binding.direct->call(binding, values, stack);
        if (binding.requires_grad && !stack.empty() && stack[0].isTensor())
            stack[0].toTensor().requires_grad_(true);
    } catch (...) {
        throw ct::explained(ct::of_call(binding, values));
    }
    return ct::results(*binding.overload, stack, count, values);
}

// reusing: the first argument is a tensor that nobody needs afterwards.
ct_value call(ct_op &op, size_t count, const ct_value *arguments, bool reusing)
{
    CallPattern pattern(count, arguments);
    if (const Binding *known = pattern.is_simple() ? remembered(op, pattern) : nullptr) {
        if (known->positional == count) return run(op, *known, arguments, count, reusing);
        auto values = ct::in_order(count, arguments);
        return run(op, *known, values.data(), values.size(), reusing);
    }
    Call call = ct::split(count, arguments);
    Binding binding = choose(op, call);
    binding.direct = direct_calls(op.name, binding.overload->name);
    if (pattern.is_simple() && !binding.is_of_call && op.known.size() < MANY_KNOWN)
        op.known.push_back({pattern.text(), binding});
    return run(op, binding, call.values.data(), call.values.size(), reusing);
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
        size_t end = hint.find_first_of(".|}", at), value = std::stoul(hint.substr(at + 1));
        hint.replace(at + 1, end - at - 1, std::to_string(places.at(value)));
    }
}

int guarded_call(ct_op &op, size_t count, const ct_value *arguments, bool reusing,
                 ct_value *result)
{
    return ct::guarded({}, [&] {
        try {
            *result = call(op, count, arguments, reusing);
        } catch (Failure &failure) {
            quote_arguments(failure, count, arguments);
            throw;
        }
    });
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
            bool has_forms = only_script && !ct::forms_of(name).empty();
            if (only_script && !has_forms) overloads = ct::script_overloads_of(name);
            if (overloads.empty() && !has_forms) throw ct::unknown_operator(name);
            ct::Guard guard = ct::guard_of(ct::without_default(name));
            entry = new ct_op{name, std::move(overloads), "", {}, only_script && !has_forms, guard,
                              {}, {}};
        }
        *op = entry;
    });
}

int ct_op_call(ct_op *op, size_t count, const ct_value *arguments, ct_value *result)
{
    return guarded_call(*op, count, arguments, false, result);
}

int ct_op_call_reusing(ct_op *op, size_t count, const ct_value *arguments, ct_value *result)
{
    return guarded_call(*op, count, arguments, true, result);
}

int ct_op_bind(ct_op *op, size_t count, const ct_value *arguments, const char **overload)
{
    return ct::guarded({}, [&] {
        Call call = ct::split(count, arguments);
        bool known = std::none_of(arguments, arguments + count, ct::is_unknown);
        call.has_tensor = call.has_tensor || !known;
        Binding binding = choose(*op, call);
        torch::jit::Stack stack;
        if (known) push_arguments(binding, call.values.data(), stack);
        *overload = binding.overload->name.c_str();
    });
}

const char *ct_op_usage(ct_op *op)
{
    if (op->usage.empty()) {
        add_script_forms(*op);
        op->usage = ct::usages(op->name, all_overloads(*op));
    }
    return op->usage.c_str();
}

}  // extern "C"
