// given.cpp - what a failed operation was given, for its message.
//
//     expected input to have 2 channels, got 3
//  => expected input to have 2 channels, got 3; given input float32 (1 3 8 8), stride (1 1)
//
// LibTorch's messages seldom tell all of it, and the reader has nothing else to go by.

#include "dispatch/call.h"
#include "errors/errors.h"
#include "dispatch/unboxed.h"

namespace {

using ct::Given;
using ct::Givens;
using ct::Parameter;

constexpr size_t MANY_ARGUMENTS = 8;  // more are left out
constexpr size_t MANY_TENSORS = 4;    // in a list

std::string tensor_text(const at::Tensor &x)
{
    return std::string(ct::dtype_name(x.scalar_type())) + " " + ct::shape_text(x);
}

bool holds_tensor(const ct_value &value)
{
    for (size_t k = 0; k < value.count; k++)
        if (value.items[k].kind == CT_TENSOR) return true;
    return value.kind == CT_TENSOR;
}

// "(float32 (2 3), float32 (4))".
std::string list_text(const ct_value &list)
{
    std::string out = "(";
    for (size_t k = 0; k < list.count && k <= MANY_TENSORS; k++) {
        const ct_value &item = list.items[k];
        out += k ? ", " : "";
        out += k == MANY_TENSORS          ? "..."
               : item.kind == CT_TENSOR ? tensor_text(item.tensor->value)
                                        : ct::shown(item);
    }
    return out + ")";
}

std::string value_text(const ct_value &value)
{
    if (value.kind == CT_TENSOR) return tensor_text(value.tensor->value);
    return holds_tensor(value) ? list_text(value) : ct::shown(value);
}

std::string given_text(const Given &given)
{
    if (given.name.empty()) return ct::shown(given.value);
    return given.name + " " + value_text(given.value);
}

void collect(const ct_value &value, std::vector<at::Tensor> &tensors)
{
    if (value.kind == CT_TENSOR) tensors.push_back(value.tensor->value);
    for (size_t k = 0; k < value.count; k++) collect(value.items[k], tensors);
}

// Whether a message says already what shapes there were: each as often as there are tensors of it.
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

// The number that all the elements of an int[2] are, as most calls write it.
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

// What is at its default says nothing; and a typed entry cannot tell whether it was given.
bool is_default(const Parameter &p, const ct::Source &source, const ct_value *values)
{
    return p.fallback && !source.loose && same(ct::argument(p, source, values), *p.fallback);
}

// Whether typed entries have the parameter: typed.py's list of those that they leave out.
bool is_typed(const Parameter &p)
{
    using ct::Kind;
    return p.kind != Kind::Dtype && p.kind != Kind::Layout && p.kind != Kind::Device &&
           p.kind != Kind::MemoryFormat && !(p.kind == Kind::Bool && p.optional);
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
        bool left_out = value.kind == CT_NONE || (value.kind == CT_BOOL && p.kind != Kind::Bool);
        if (left_out || is_default(p, source, values)) continue;
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
                     std::initializer_list<Told> told) noexcept
{
    try {
        std::vector<Overload> overloads = overloads_of(name);
        std::vector<ct_value> values;
        Binding binding;
        for (const Overload &candidate : overloads)
            if (candidate.name == overload) binding.overload = &candidate;
        for (const Told &one : told) values.push_back(one.value());
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

std::string ct::with_given(const std::string &message, const Givens &givens)
{
    if (givens.empty() || tells_shapes(message, givens)) return message;
    std::string out = message + "; given ";
    for (size_t k = 0; k < givens.size() && k <= MANY_ARGUMENTS; k++) {
        out += k == 0 ? "" : givens[k].name.empty() && k + 1 == givens.size() ? " and " : ", ";
        out += k == MANY_ARGUMENTS ? "..." : given_text(givens[k]);
    }
    return out;
}

std::vector<at::Tensor> ct::tensors_of(const Givens &givens)
{
    std::vector<at::Tensor> tensors;
    for (const Given &given : givens) collect(given.value, tensors);
    return tensors;
}

const Given *ct::find_given(const Givens &givens, const std::string &name)
{
    for (const Given &given : givens)
        if (given.name == name && given.value.kind == CT_TENSOR) return &given;
    return nullptr;
}
