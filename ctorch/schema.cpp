// schema.cpp - reading LibTorch's table of operators: parameters, usage, and names for suggestions.
//
//     aten::softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor
//  => Overload{"int", {self Tensor, dim Int, dtype Dtype optional, absent by default}}

#include "schema.h"

#include <algorithm>
#include <map>

namespace {

using ct::Failure;
using ct::Kind;
using ct::Overload;
using ct::Parameter;

constexpr const char *NAMESPACE = "aten::";
constexpr size_t WORTH_A_PREFIX = 4;  // letters from which on a name may suggest longer ones

// Overload names by operator, read from the dispatcher once.
const std::map<std::string, std::vector<std::string>> &table()
{
    static const auto all = [] {
        std::map<std::string, std::vector<std::string>> table;
        for (const c10::OperatorName &full : c10::Dispatcher::singleton().getAllOpNames())
            if (full.name.starts_with(NAMESPACE))
                table[full.name.substr(std::string(NAMESPACE).size())].push_back(
                    full.overload_name);
        return table;
    }();
    return all;
}

Kind kind_of(const c10::Type &type)
{
    switch (type.kind()) {
    case c10::TypeKind::TensorType: return Kind::Tensor;
    case c10::TypeKind::IntType:
    case c10::TypeKind::SymIntType: return Kind::Int;
    case c10::TypeKind::FloatType: return Kind::Float;
    case c10::TypeKind::BoolType:
    case c10::TypeKind::SymBoolType: return Kind::Bool;
    case c10::TypeKind::NumberType: return Kind::Number;
    case c10::TypeKind::StringType: return Kind::String;
    case c10::TypeKind::ScalarTypeType: return Kind::Dtype;
    case c10::TypeKind::LayoutType: return Kind::Layout;
    case c10::TypeKind::MemoryFormatType: return Kind::MemoryFormat;
    case c10::TypeKind::DeviceObjType: return Kind::Device;
    default: return Kind::Other;
    }
}

Parameter parameter_of(const c10::Argument &argument)
{
    Parameter p{argument.name(), Kind::Other, false, false, false, argument.N().value_or(0),
                argument.kwarg_only(), argument.default_value()};
    c10::TypePtr type = argument.real_type();
    if (auto optional = type->cast<c10::OptionalType>()) {
        p.optional = true;
        type = optional->getElementType();
    }
    if (auto list = type->cast<c10::ListType>()) {
        p.list = true;
        type = list->getElementType();
        if (auto element = type->cast<c10::OptionalType>()) {
            p.optional_elements = true;
            type = element->getElementType();
        }
    }
    p.kind = kind_of(*type);
    return p;
}

Overload overload_of(const c10::OperatorHandle &handle)
{
    const c10::FunctionSchema &schema = handle.schema();
    Overload overload{handle, schema.overload_name(), {}, 0, false, std::nullopt};
    for (const c10::Argument &argument : schema.arguments()) {
        overload.parameters.push_back(parameter_of(argument));
        if (!argument.kwarg_only()) overload.positional++;
        if (argument.name() == "pin_memory") overload.makes_tensors = true;
        if (argument.is_out()) overload.out = argument.name();
    }
    return overload;
}

// Named dimensions are a feature that PyTorch has given up.
bool has_named_dims(const std::string &overload_name)
{
    for (const char *mark : {"Dimname", "names", "named_out_dim", "using_names"})
        if (overload_name.find(mark) != std::string::npos) return true;
    return false;
}

// The edit distance in which two swapped neighbours count as one change.
size_t distance(const std::string &a, const std::string &b)
{
    std::vector<std::vector<size_t>> d(a.size() + 1, std::vector<size_t>(b.size() + 1));
    for (size_t i = 0; i <= a.size(); i++)
        for (size_t j = 0; j <= b.size(); j++) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1,
                                d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[a.size()][b.size()];
}

// The nearest name, or failing that the shortest that begins with it; empty if nothing is near.
std::string suggestion(const std::string &name)
{
    auto in_place = [](const std::string &text) { return text.ends_with("_"); };
    std::string nearest, longer;
    size_t limit = std::clamp<size_t>(name.size() / 3, 1, 3), least = 2 * limit + 2;
    for (auto &[known, overloads] : table()) {
        if (known.starts_with("_") && !name.starts_with("_")) continue;
        size_t gap = std::max(known.size(), name.size()) - std::min(known.size(), name.size());
        if (gap <= limit) {
            // Half a change for add instead of add_.
            size_t score = 2 * distance(name, known) + (in_place(name) != in_place(known));
            if (score < least) {
                least = score;
                nearest = known;
            }
        }
        bool extends = name.size() >= WORTH_A_PREFIX && known.starts_with(name);
        if (extends && (longer.empty() || known.size() < longer.size())) longer = known;
    }
    return nearest.empty() ? longer : nearest;
}

std::string default_text(const c10::IValue &value)
{
    if (value.isNone()) return "#f";
    if (value.isBool()) return value.toBool() ? "#t" : "#f";
    if (value.isInt()) return std::to_string(value.toInt());
    if (value.isDouble()) return ct::double_text(value.toDouble());
    if (value.isString()) return "\"" + value.toStringRef() + "\"";
    if (value.isList()) {
        std::string out = "'(";
        for (const c10::IValue &item : value.toListRef())
            out += (out.size() > 2 ? " " : "") + default_text(item);
        return out + ")";
    }
    return "#f";
}

}  // namespace

std::vector<Overload> ct::overloads_of(const std::string &name)
{
    std::vector<Overload> found;
    auto entry = table().find(name);
    if (entry == table().end()) return found;
    for (const std::string &overload_name : entry->second) {
        auto handle = c10::Dispatcher::singleton().findSchema({NAMESPACE + name, overload_name});
        if (handle && !has_named_dims(overload_name)) found.push_back(overload_of(*handle));
    }
    // The simplest first: it wins where several fit equally well.
    std::sort(found.begin(), found.end(), [](const Overload &a, const Overload &b) {
        if (a.out.has_value() != b.out.has_value()) return b.out.has_value();
        if (a.parameters.size() != b.parameters.size())
            return a.parameters.size() < b.parameters.size();
        return a.name > b.name;  // Tensor before Scalar
    });
    return found;
}

std::string ct::lisp_name(std::string name)
{
    std::replace(name.begin(), name.end(), '_', '-');
    return name;
}

std::string ct::lisp_operator(const std::string &name)
{
    bool in_place = name.size() > 1 && name.back() == '_' && name[name.size() - 2] != '_';
    if (!in_place) return "tensor-" + lisp_name(name);
    return "tensor-" + lisp_name(name.substr(0, name.size() - 1)) + "!";
}

std::string ct::usage_text(const std::string &name, const Overload &overload)
{
    std::string out = "(" + lisp_operator(name);
    for (const Parameter &p : overload.parameters) {
        if (overload.makes_tensors && (p.name == "layout" || p.name == "pin_memory")) continue;
        std::string shown = lisp_name(p.name);
        if (p.keyword_only)
            out += p.fallback ? " [:" + shown + " " + default_text(*p.fallback) + "]"
                              : " :" + shown + " " + shown;
        else
            out += p.fallback ? " [" + shown + "]" : " " + shown;
    }
    if (overload.makes_tensors) out += " [:requires-grad #f]";
    return out + ")";
}

std::string ct::usages(const std::string &name, const std::vector<Overload> &overloads)
{
    std::string all;
    for (const Overload &overload : overloads) all += usage_text(name, overload) + "\n";
    return all;
}

std::string ct::noun(const Parameter &parameter)
{
    bool many = parameter.list;
    auto choose = [&](const char *one, const char *several) {
        return many ? std::string("a list of ") + several : std::string(one);
    };
    switch (parameter.kind) {
    case Kind::Tensor: return choose("a tensor", "tensors");
    case Kind::Int: return choose("an exact integer", "exact integers");
    case Kind::Float:
    case Kind::Number: return choose("a number", "numbers");
    case Kind::Bool: return choose("a boolean", "booleans");
    case Kind::String: return choose("a string", "strings");
    case Kind::Dtype: return choose("a dtype", "dtypes");
    case Kind::Layout: return choose("a layout", "layouts");
    case Kind::MemoryFormat: return choose("a memory format", "memory formats");
    case Kind::Device: return choose("a device", "devices");
    case Kind::Other: return "nothing";
    }
    return "";
}

Failure ct::unknown_operator(const std::string &name)
{
    std::string near = suggestion(name);
    return {"unknown operator: " + lisp_operator(name),
            near.empty() ? "" : "did you mean " + lisp_operator(near) + "?"};
}

extern "C" const char *ct_op_names(void)
{
    static const std::string *names = [] {
        std::vector<std::string> all;
        for (auto &[name, overloads] : table())
            if (!name.starts_with("_")) all.push_back(ct::lisp_operator(name));
        std::sort(all.begin(), all.end());
        auto *text = new std::string;
        for (const std::string &name : all) *text += name + "\n";
        return text;
    }();
    return names->c_str();
}
