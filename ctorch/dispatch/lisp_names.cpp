// lisp_names.cpp - the names of operators and parameters in Lisp: usages, nouns, suggestions.
//
//     "index_add_"  =>  tensor-index-add!          "quantized::add"  =>  tensor-quantized::add

#include "dispatch/operator_versions.h"
#include "dispatch/schema.h"
#include "libtorch_versions.h"

#include <algorithm>

namespace {

using ct::Failure;
using ct::ValueType;
using ct::Overload;
using ct::Parameter;

constexpr size_t SHORTEST_PREFIX = 4;  // letters that a name needs to suggest longer ones

size_t common_prefix(const std::string &a, const std::string &b)
{
    size_t most = std::min(a.size(), b.size());
    return std::mismatch(a.begin(), a.begin() + most, b.begin()).first - a.begin();
}

// The nearest name, or else the shortest name that begins with it; empty if none is near.  Of two
// that are as near, the one that agrees for longer: sum, not smm, for summ.
std::string suggestion(const std::string &name)
{
    auto in_place = [](const std::string &text) { return text.ends_with("_"); };
    std::string nearest, longer;
    size_t limit = std::clamp<size_t>(name.size() / 3, 1, 3), least = 2 * limit + 2;
    auto consider = [&](const std::string &known) {
        if (known.starts_with("_") && !name.starts_with("_")) return;
        if (known.find("::") != std::string::npos && name.find("::") == std::string::npos) return;
        size_t gap = std::max(known.size(), name.size()) - std::min(known.size(), name.size());
        if (gap <= limit) {
            // Half a change for add instead of add_.
            size_t score = 2 * ct::edit_distance(name, known) + (in_place(name) != in_place(known));
            if (score < least || (score == least && common_prefix(name, known) >
                                                        common_prefix(name, nearest))) {
                least = score;
                nearest = known;
            }
        }
        bool extends = name.size() >= SHORTEST_PREFIX && known.starts_with(name);
        if (extends && (longer.empty() || known.size() < longer.size())) longer = known;
    };
    for (auto &[known, overloads] : ct::operator_table()) consider(known);
    for (const std::string &known : ct::own_overload_names()) consider(known);
    return nearest.empty() ? longer : nearest;
}

std::string with_article(const std::string &noun)
{
    bool vowel = std::string("AEIOUaeiou").find(noun[0]) != std::string::npos;
    return (vowel ? "an " : "a ") + noun;
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

std::string ct::lisp_name(std::string name)
{
    std::replace(name.begin(), name.end(), '_', '-');
    return name;
}

std::string ct::lisp_operator(const std::string &name)
{
    bool is_private = name.starts_with("_") || name.find("::_") != std::string::npos;
    std::string prefix = is_private ? "tensor-private-" : "tensor-";
    bool in_place = name.size() > 1 && name.back() == '_' && name[name.size() - 2] != '_';
    if (!in_place) return prefix + lisp_name(name);
    return prefix + lisp_name(name.substr(0, name.size() - 1)) + "!";
}

std::string ct::usage_text(const std::string &name, const Overload &overload)
{
    std::string out = "(" + lisp_operator(name);
    for (const Parameter &p : overload.parameters) {
        bool is_rare = p.name == "layout" || p.name == "pin_memory";
        if (overload.takes_tensor_options && is_rare) continue;
        std::string shown = lisp_name(p.name);
        if (p.keyword_only)
            out += p.fallback ? " [:" + shown + " " + default_text(*p.fallback) + "]"
                              : " :" + shown + " " + shown;
        else
            out += p.fallback ? " [" + shown + "]" : " " + shown;
    }
    if (overload.takes_tensor_options) out += " [:requires-grad #f]";
    return out + ")";
}

std::string ct::usages(const std::string &name, const std::vector<Overload> &overloads)
{
    std::string all;
    for (const Overload &overload : overloads) all += usage_text(name, overload) + "\n";
    return all;
}

std::string ct::short_name(const c10::Type &type)
{
    std::string text = type.str();
    size_t dot = text.rfind('.');
    return dot == std::string::npos ? text : text.substr(dot + 1);
}

std::string ct::noun(const Parameter &parameter)
{
    bool many = parameter.list;
    auto choose = [&](const char *one, const char *several) {
        return many ? std::string("a list of ") + several : std::string(one);
    };
    switch (parameter.type) {
    case ValueType::Tensor: return choose("a tensor", "tensors");
    case ValueType::Int:
        if (std::string choices = ct::choices_text(parameter); !choices.empty()) return choices;
        return choose("an exact integer", "exact integers");
    case ValueType::Float:
    case ValueType::Number: return choose("a number", "numbers");
    case ValueType::Bool: return choose("a boolean", "booleans");
    case ValueType::String: return choose("a string", "strings");
    case ValueType::Dtype: return choose("a dtype", "dtypes");
    case ValueType::Layout: return choose("a layout", "layouts");
    case ValueType::MemoryFormat: return choose("a memory format", "memory formats");
    case ValueType::Device: return choose("a device", "devices");
    case ValueType::Generator: return "a generator";
    case ValueType::Any: return choose("a value", "values");
    case ValueType::Other: {
        std::string name = short_name(*parameter.schema_type);
        return many ? "a list of " + name : with_article(name);
    }
    }
    return "";
}

namespace {

// In which versions of LibTorch there is an operator that this one lacks; empty for all others.
std::string versions_text(const std::string &name)
{
    for (const ct::OperatorVersions &entry : ct::OPERATOR_VERSIONS) {
        if (name != entry.name) continue;
        std::string range;
        if (entry.since) range = " from 2." + std::to_string(entry.since) + " on";
        if (entry.until) range += " until 2." + std::to_string(entry.until);
        return "LibTorch has it" + range + ", and this is " TORCH_VERSION;
    }
    return "";
}

// LibTorch's name of an operator that a program did not ask for as a private one:
// "-softmax", "mkl::-linear" => "_softmax", "mkl::_linear".  Others stay.
std::string private_name(std::string name)
{
    for (size_t at = 0; at < name.size(); at++)
        if (name[at] == '-' && (at == 0 || name[at - 1] == ':')) name[at] = '_';
    return ct::without_default(name);
}

}  // namespace

Failure ct::unknown_operator(const std::string &name)
{
    if (std::string versions = versions_text(name); !versions.empty())
        return {"unknown operator: " + lisp_operator(name), versions};
    std::string meant = private_name(name);
    bool exists = !overloads_of(meant).empty() || !own_overloads_of(meant).empty() ||
                  !script_overloads_of(meant).empty();
    if (meant != name && exists)
        return {"unknown operator: " + lisp_operator(name),
                lisp_operator(meant) + " is LibTorch's private operator, which may check less"};
    std::string near = suggestion(meant);
    return {"unknown operator: " + lisp_operator(name),
            near.empty() ? "" : "did you mean " + lisp_operator(near) + "?"};
}

extern "C" const char *ct_op_names(void)
{
    static const std::string *names = [] {
        std::vector<std::string> all;
        for (auto &[name, overloads] : ct::operator_table()) all.push_back(ct::lisp_operator(name));
        for (const std::string &name : ct::own_overload_names())
            all.push_back(ct::lisp_operator(name));
        for (const Overload &overload : ct::script_overloads())
            if (overload.refusal.empty())
                all.push_back(ct::lisp_operator(ct::without_default(overload.schema->name())));
        std::sort(all.begin(), all.end());
        all.erase(std::unique(all.begin(), all.end()), all.end());
        auto *text = new std::string;
        for (const std::string &name : all) *text += name + "\n";
        return text;
    }();
    return names->c_str();
}
