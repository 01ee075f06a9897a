// call.cpp - calling any operator: find its overloads, bind the call, push the arguments, run it.
//
// LibTorch's boxed call does not check its arguments: with too few it reads below the stack.  So
// every argument is bound to a parameter and checked before anything is pushed (choose.cpp).  A
// binding is kept for later calls with the same pattern (call_pattern.h).

#include "dispatch/call_pattern.h"
#include "dispatch/direct_call.h"
#include "dispatch/one_thread.h"
#include "dispatch/typed_entry.h"
#include "guards/guards.h"
#include "tensor/sparse.h"
#include "dispatch/unknown_value.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

// The overloads, and how earlier calls were bound to them.
struct ct_op {
    std::string name;
    std::vector<ct::Overload> overloads;
    std::string usage;
    struct KeptBinding;
    std::vector<KeptBinding> kept;
    bool has_script_overloads = false;
    ct::Guard guard = nullptr;
    bool is_size = false;
    std::optional<std::vector<ct::Overload>> own_overloads;  // none before the first look-up
    std::vector<std::vector<ct::Overload>> former;  // kept bindings may still point into these
};

namespace {

using ct::Binding;
using ct::Call;
using ct::CallPattern;
using ct::Failure;
using ct::Overload;
using ct::Parameter;

constexpr size_t MOST_KEPT = 32;  // bindings of one operator

}  // namespace

struct ct_op::KeptBinding {
    std::string pattern;
    Binding binding;
};

namespace {

const Binding *kept_binding(const ct_op &op, const CallPattern &pattern)
{
    for (const ct_op::KeptBinding &kept : op.kept)
        if (pattern == kept.pattern) return &kept.binding;
    return nullptr;
}

// Whether a new tensor goes to another device than LibTorch's default.
bool needs_device(const Binding &binding)
{
    return binding.overload->uses_default_device && !ct::default_device().is_cpu();
}

// Push what LibTorch gets, in the order of the parameters.
void push_arguments(const Binding &binding, const ct_value *values, torch::jit::Stack &stack)
{
    const std::vector<Parameter> &parameters = binding.overload->parameters;
    bool sets_device = needs_device(binding);
    for (size_t k = 0; k < parameters.size(); k++) {
        stack.push_back(ct::argument(parameters[k], binding.sources[k], values));
        if (sets_device && parameters[k].type == ct::ValueType::Device && stack.back().isNone())
            stack.back() = ct::default_device();
    }
}

// Add the overloads that only TorchScript has; whether there are any.
bool add_script_overloads(ct_op &op)
{
    if (op.has_script_overloads) return false;
    op.has_script_overloads = true;
    std::vector<Overload> more = ct::script_overloads_of(op.name);
    if (more.empty()) return false;
    std::vector<Overload> all = op.overloads;
    all.insert(all.end(), more.begin(), more.end());
    op.former.push_back(std::exchange(op.overloads, std::move(all)));
    return true;
}

const std::vector<Overload> &own_overloads(ct_op &op)
{
    if (!op.own_overloads) op.own_overloads = ct::own_overloads_of(op.name);
    return *op.own_overloads;
}

std::vector<Overload> all_overloads(ct_op &op)
{
    std::vector<Overload> all = op.overloads;
    all.insert(all.end(), own_overloads(op).begin(), own_overloads(op).end());
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

// LibTorch's overloads are tried first, then Lambent's own, then TorchScript's.  The first that a
// call fits are taken, whatever the later ones would cost.
Binding choose(ct_op &op, const Call &call)
{
    if (auto found = chosen(op, op.overloads, call)) return *found;
    if (auto found = chosen(op, own_overloads(op), call)) return *found;
    if (add_script_overloads(op))
        if (auto found = chosen(op, op.overloads, call)) return *found;
    return ct::choose(op.name, all_overloads(op), call);  // throws: says why none fits
}

// LibTorch's C++ functions for an overload; NULL if it is only called through the stack.
const ct::Direct *direct_calls(const std::string &name, const std::string &overload)
{
    for (const ct::Direct *entry = ct::DIRECT; entry->name; entry++)
        if (name == entry->name && overload == entry->overload) return entry;
    return nullptr;
}

// Whether the result may overwrite the first argument, which is at its last use.
bool can_reuse(const Binding &binding, size_t count, const ct_value *values)
{
    if (!binding.direct->in_place) return false;
    c10::SmallVector<ct_tensor *, 4> others;
    for (size_t k = 1; k < count; k++)
        if (values[k].kind == CT_TENSOR) others.push_back(values[k].tensor);
    return ct::may_overwrite(values[0].tensor, others);
}

// A stack whose memory is kept from call to call.  A nested call allocates another one.
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

void check_guard(ct::Guard guard, const Binding &binding, const ct_value *values,
                 const torch::jit::Stack &stack)
{
    try {
        guard(ct::Arguments(*binding.overload, stack));
    } catch (Failure &failure) {
        failure.message = ct::with_arguments(failure.message, ct::of_call(binding, values));
        throw;
    }
}

// The tensors whose memory other tensors describe.
void check_operands(size_t count, const ct_value *values)
{
    for (const ct_value *x = values; x < values + count; x++) {
        if (x->kind == CT_TENSOR) ct::with_valid_indices(x->tensor->value);
        if (x->kind == CT_LIST) check_operands(x->count, x->items);
    }
}

// What the call computes, as far as its values say.
ct::Work work_of(size_t count, const ct_value *values)
{
    ct::Work work;
    auto add_item = [&](const ct_value &x) {
        if (x.kind == CT_TENSOR) work.add_one_of_many(x.tensor->value);
        if (x.kind == CT_INT) work.add_size(x.i);
    };
    for (const ct_value *x = values; x < values + count; x++) {
        if (x->kind == CT_TENSOR) work.add(x->tensor->value);
        else if (x->kind == CT_LIST) std::for_each(x->items, x->items + x->count, add_item);
        else add_item(*x);
    }
    return work;
}

ct_value run(const ct_op &op, const Binding &binding, const ct_value *values, size_t count,
             bool reusing)
{
    bool is_direct = binding.direct && !needs_device(binding);
    ct::WorkThreads threads(work_of(count, values).is_small());
    KeptStack kept;
    torch::jit::Stack &stack = kept.stack;
    if (!is_direct) push_arguments(binding, values, stack);
    if (op.guard && !is_direct) check_guard(op.guard, binding, values, stack);
    try {
        check_operands(count, values);
        if (binding.overload->writes_elements) ct::check_written(binding, values);
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

// Programs ask for sizes more often than for anything else: (tensor-size x k) is read directly.
bool is_size_of_dimension(const ct_op &op, size_t count, const ct_value *arguments)
{
    if (!op.is_size || count != 2 || arguments[0].kind != CT_TENSOR || arguments[1].kind != CT_INT)
        return false;
    int64_t rank = arguments[0].tensor->value.dim();
    return arguments[1].i >= -rank && arguments[1].i < rank;
}

// reusing: the first argument is a tensor at its last use.
ct_value call(ct_op &op, size_t count, const ct_value *arguments, bool reusing)
{
    if (is_size_of_dimension(op, count, arguments))
        return {.kind = CT_INT, .i = arguments[0].tensor->value.size(arguments[1].i)};
    CallPattern pattern(count, arguments);
    if (const Binding *kept = pattern.is_simple() ? kept_binding(op, pattern) : nullptr) {
        if (kept->positional == count) return run(op, *kept, arguments, count, reusing);
        auto values = ct::in_order(count, arguments);
        return run(op, *kept, values.data(), values.size(), reusing);
    }
    Call call = ct::split(count, arguments);
    Binding binding = choose(op, call);
    binding.direct = direct_calls(op.name, binding.overload->name);
    if (pattern.is_simple() && !binding.only_this_call && op.kept.size() < MOST_KEPT)
        op.kept.push_back({pattern.text(), binding});
    return run(op, binding, call.values.data(), call.values.size(), reusing);
}

// Hints refer to an argument as {k}, its index among the values, where those of keywords come last.
// Replace it by the index among the call's arguments, keywords included.
void quote_arguments(Failure &failure, size_t count, const ct_value *arguments)
{
    std::vector<size_t> indices, named;
    for (size_t k = 0; k < count; k++)
        if (arguments[k].kind == CT_KEYWORD) named.push_back(++k);
        else indices.push_back(k);
    indices.insert(indices.end(), named.begin(), named.end());
    std::string &hint = failure.hint;
    for (size_t at = 0; (at = hint.find('{', at)) != std::string::npos; at++) {
        size_t end = hint.find_first_of(".|}", at), value = std::stoul(hint.substr(at + 1));
        hint.replace(at + 1, end - at - 1, std::to_string(indices.at(value)));
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
    static auto &found = *new std::unordered_map<std::string, ct_op *>;  // never freed
    return ct::guarded({}, [&] {
        ct_op *&entry = found[name];
        if (!entry) {
            std::vector<Overload> overloads = ct::overloads_of(name);
            bool has_own = overloads.empty() && !ct::own_overloads_of(name).empty();
            bool is_script = overloads.empty() && !has_own;
            if (is_script) overloads = ct::script_overloads_of(name);
            if (overloads.empty() && !has_own) throw ct::unknown_operator(name);
            ct::Guard guard = ct::guard_of(ct::without_default(name));
            bool is_size = std::string_view(name) == "size";
            entry = new ct_op{name, std::move(overloads), "", {}, is_script, guard, is_size, {}, {}};
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
        add_script_overloads(*op);
        op->usage = ct::usages(op->name, all_overloads(*op));
    }
    return op->usage.c_str();
}

}  // extern "C"
