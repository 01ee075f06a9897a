// given_arguments.cpp - the arguments of a failed operation, for its message.
//
//     expected input to have 2 channels, got 3
//  => expected input to have 2 channels, got 3; given input float32 (1 3 8 8), stride (1 1)
//
// LibTorch's messages seldom show them all, and the user needs them to find the mistake.

#include "dispatch/call.h"
#include "errors/errors.h"
#include "dispatch/typed_entry.h"

namespace {

using ct::Given;
using ct::Givens;
using ct::Parameter;

constexpr size_t MANY_ARGUMENTS = 8;  // more are left out
constexpr size_t MANY_TENSORS = 4;    // in a list

std::string tensor_text(const at::Tensor &x, bool with_device)
{
    std::string text = std::string(ct::dtype_name(x.scalar_type())) + " " + ct::shape_text(x);
    return with_device ? text + " on " + x.device().str() : text;
}

bool holds_tensor(const ct_value &value)
{
    for (size_t k = 0; k < value.count; k++)
        if (value.items[k].kind == CT_TENSOR) return true;
    return value.kind == CT_TENSOR;
}

// "(float32 (2 3), float32 (4))".
std::string list_text(const ct_value &list, bool with_devices)
{
    std::string out = "(";
    for (size_t k = 0; k < list.count && k <= MANY_TENSORS; k++) {
        const ct_value &item = list.items[k];
        out += k ? ", " : "";
        out += k == MANY_TENSORS          ? "..."
               : item.kind == CT_TENSOR ? tensor_text(item.tensor->value, with_devices)
                                        : ct::shown(item);
    }
    return out + ")";
}

std::string value_text(const ct_value &value, bool with_devices)
{
    if (value.kind == CT_TENSOR) return tensor_text(value.tensor->value, with_devices);
    return holds_tensor(value) ? list_text(value, with_devices) : ct::shown(value);
}

std::string given_text(const Given &given, bool with_devices)
{
    if (given.name.empty()) return ct::shown(given.value);
    return given.name + " " + value_text(given.value, with_devices);
}

bool are_on_several_devices(const std::vector<at::Tensor> &tensors)
{
    for (const at::Tensor &x : tensors)
        if (x.defined() && tensors[0].defined() && x.device() != tensors[0].device()) return true;
    return false;
}

void collect(const ct_value &value, std::vector<at::Tensor> &tensors)
{
    if (value.kind == CT_TENSOR) tensors.push_back(value.tensor->value);
    for (size_t k = 0; k < value.count; k++) collect(value.items[k], tensors);
}

// Whether a message contains the shapes already: each as often as there are tensors of that shape.
bool tells_shapes(std::string message, const Givens &givens)
{
    std::vector<at::Tensor> tensors = ct::tensors_of(givens);
    for (const at::Tensor &x : tensors) {
        std::string shape = ct::shape_text(x);
        size_t at = message.find(shape);
        if (at == std::string::npos) return false;
        message.erase(at, shape.size());
    }
    return !tensors.empty();
}

// A list for an int[2] whose elements are all equal, as the one number that most calls write.
ct_value as_one(const Parameter &p, const ct_value &list)
{
    if (list.kind != CT_LIST || !p.length || list.count != static_cast<size_t>(p.length))
        return list;
    for (size_t k = 0; k < list.count; k++)
        if (list.items[k].kind != CT_INT || list.items[k].i != list.items[0].i) return list;
    return list.items[0];
}

bool same(const c10::IValue &a, const c10::IValue &b)
{
    if (a.isScalar() && b.isScalar() && !a.isBool() && !b.isBool())
        return a.toScalar().toComplexDouble() == b.toScalar().toComplexDouble();
    if (a.isBool() && b.isBool()) return a.toBool() == b.toBool();
    if (a.isString() && b.isString()) return a.toStringRef() == b.toStringRef();
    if (a.isIntList() && b.isIntList()) return a.toIntVector() == b.toIntVector();
    return a.isNone() && b.isNone();
}

ct_value tensor_value(ct_tensor *x)
{
    ct_value value{};
    value.kind = CT_TENSOR;
    value.tensor = x;
    return value;
}

// Messages leave out what has its default: a typed entry cannot tell whether the call gave it.
bool is_default(const Parameter &p, const ct::Source &source, const ct_value *values)
{
    return p.fallback && !source.loose && same(ct::argument(p, source, values), *p.fallback);
}

// Whether typed entries have the parameter: all but those that lang/primitives/typed.py leaves out.
bool is_typed(const Parameter &p)
{
    switch (p.type) {
    case ct::ValueType::Dtype:
    case ct::ValueType::Layout:
    case ct::ValueType::Device:
    case ct::ValueType::Generator:
    case ct::ValueType::MemoryFormat: return false;
    case ct::ValueType::Bool: return !p.optional;
    default: return true;
    }
}

}  // namespace

Givens ct::unnamed(Operands operands)
{
    Givens givens;
    for (size_t k = 0; k < operands.size(); k++)
        if (operands[k]) givens.push_back({"", tensor_value(operands[k]), k});
    return givens;
}

Givens ct::of_call(const Binding &binding, const ct_value *values)
{
    Givens givens;
    for (size_t k = 0; k < binding.sources.size(); k++) {
        const Source &source = binding.sources[k];
        const Parameter &p = binding.overload->parameters[k];
        ct_value value = source.count ? value_at(source, values) : ct_value{};
        bool is_boolean = value.kind == CT_BOOL && p.type == ValueType::Bool;
        if (value.kind == CT_NONE || (value.kind == CT_BOOL && !is_boolean)) continue;
        if (is_default(p, source, values)) continue;
        if (source.loose) {
            value = ct_value{};
            value.kind = CT_LIST;
            value.count = source.count;
            value.items = const_cast<ct_value *>(values + source.first);
        }
        givens.push_back({lisp_name(p.name), as_one(p, value), source.first});
    }
    return givens;
}

// Called while an exception is in flight.
int ct::report_typed(const char *name, const char *overload,
                     std::initializer_list<TypedArgument> arguments) noexcept
{
    try {
        std::vector<Overload> overloads = overloads_of(name), own = own_overloads_of(name);
        overloads.insert(overloads.end(), own.begin(), own.end());
        std::vector<ct_value> values;
        Binding binding;
        for (const Overload &candidate : overloads)
            if (candidate.name == overload) binding.overload = &candidate;
        for (const TypedArgument &argument : arguments) values.push_back(argument.value());
        for (const Parameter &p : binding.overload->parameters) {
            size_t next = 0;
            for (const Source &source : binding.sources) next += source.count;
            bool passed = is_typed(p) && next < values.size();
            binding.sources.push_back({next, passed ? size_t{1} : size_t{0}, false});
        }
        throw explained(of_call(binding, values.data()));
    } catch (...) {
        return report({});
    }
}

std::string ct::with_arguments(const std::string &message, const Givens &givens)
{
    if (givens.empty() || tells_shapes(message, givens)) return message;
    bool with_devices = are_on_several_devices(ct::tensors_of(givens));
    std::string out = message + "; given ";
    for (size_t k = 0; k < givens.size() && k <= MANY_ARGUMENTS; k++) {
        out += k == 0 ? "" : givens[k].name.empty() && k + 1 == givens.size() ? " and " : ", ";
        out += k == MANY_ARGUMENTS ? "..." : given_text(givens[k], with_devices);
    }
    return out;
}

std::vector<at::Tensor> ct::tensors_of(const Givens &givens)
{
    std::vector<at::Tensor> tensors;
    for (const Given &given : givens) collect(given.value, tensors);
    return tensors;
}

std::string ct::quoted(const Given &given)
{
    std::string name = given.name.empty() ? "" : "|" + given.name;
    return "{" + std::to_string(given.position) + name + "}";
}

const Given *ct::find_given(const Givens &givens, const std::string &name)
{
    for (const Given &given : givens)
        if (given.name == name && given.value.kind == CT_TENSOR) return &given;
    return nullptr;
}
