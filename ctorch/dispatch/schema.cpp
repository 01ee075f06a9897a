// schema.cpp - reading LibTorch's operator registry: overloads and their parameters.
//
//     aten::softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor
//  => Overload{"int", {self Tensor, dim Int, dtype Dtype optional, absent by default}}

#include "guards/guards.h"
#include "libtorch_versions.h"

#include <ATen/core/function_schema.h>

#include <algorithm>
#include <set>
#include <sstream>

namespace {

using ct::ValueType;
using ct::Overload;
using ct::Parameter;

const std::string DEFAULT_NAMESPACE = "aten::";

ValueType value_type_of(const c10::Type &type)
{
    switch (type.kind()) {
    case c10::TypeKind::TensorType: return ValueType::Tensor;
    case c10::TypeKind::IntType:
    case c10::TypeKind::SymIntType: return ValueType::Int;
    case c10::TypeKind::FloatType:
    case c10::TypeKind::SymFloatType: return ValueType::Float;
    case c10::TypeKind::BoolType:
    case c10::TypeKind::SymBoolType: return ValueType::Bool;
    case c10::TypeKind::NumberType: return ValueType::Number;
    case c10::TypeKind::StringType: return ValueType::String;
    case c10::TypeKind::ScalarTypeType: return ValueType::Dtype;
    case c10::TypeKind::LayoutType: return ValueType::Layout;
    case c10::TypeKind::MemoryFormatType: return ValueType::MemoryFormat;
    case c10::TypeKind::DeviceObjType: return ValueType::Device;
    case c10::TypeKind::GeneratorType: return ValueType::Generator;
    case c10::TypeKind::AnyType: return ValueType::Any;
    default: return ValueType::Other;
    }
}

Parameter parameter_of(const c10::Argument &argument)
{
    Parameter p{argument.name(), ValueType::Other, nullptr, false, false, false,
                argument.N().value_or(0), argument.kwarg_only(),
                argument.alias_info() && argument.alias_info()->isWrite(),
                argument.default_value()};
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
    p.type = value_type_of(*type);
    p.schema_type = type;
    return p;
}

// The types without a Lisp counterpart that operators return.  No program can have a value of any
// other such type.
const std::set<std::string> &returned_types()
{
    static const auto all = [] {
        std::set<std::string> types;
        for (const c10::OperatorName &full : c10::Dispatcher::singleton().getAllOpNames())
            if (auto handle = c10::Dispatcher::singleton().findSchema(full))
                for (const c10::Argument &argument : handle->schema().returns())
                    if (value_type_of(*argument.real_type()) == ValueType::Other)
                        types.insert(argument.real_type()->str());
        return types;
    }();
    return all;
}

// The type of a result, or of its elements.
ValueType result_type(const c10::Type &type)
{
    if (auto optional = type.cast<c10::OptionalType>())
        return result_type(*optional->getElementType());
    if (auto list = type.cast<c10::ListType>()) return result_type(*list->getElementType());
    if (type.kind() == c10::TypeKind::QSchemeType) return ValueType::Int;
    return value_type_of(type);
}

void read_parameters(Overload &overload, const c10::FunctionSchema &schema)
{
    for (const c10::Argument &argument : schema.arguments()) {
        Parameter p = parameter_of(argument);
        bool needed = !p.optional && !p.fallback && p.type == ValueType::Other;
        if (needed && !returned_types().count(p.schema_type->str()))
            overload.refusal = "no operator returns " + ct::noun(p) + ", which it takes";
        if (!argument.kwarg_only()) overload.positional++;
        if (argument.name() == "pin_memory") overload.takes_tensor_options = true;
        // The :out of our own overloads is optional, so they are for calls without it, too.
        if (argument.is_out() && !argument.default_value())
            overload.outs.push_back(argument.name());
        overload.parameters.push_back(std::move(p));
    }
}

bool may_take_string(const Overload &overload)
{
    auto is_optional_string = [](const Parameter &p) {
        return p.type == ValueType::String && p.fallback;
    };
    return std::any_of(overload.parameters.begin(), overload.parameters.end(), is_optional_string);
}

// Operators that change something else of the tensor that their schemas say they write.
bool changes_no_elements(const std::string &name)
{
    for (const char *each : {"aten::requires_grad_", "aten::retain_grad", "aten::set_data",
                             "aten::rename_", "aten::_coalesced_", "aten::sparse_resize_",
                             "aten::sparse_resize_and_clear_", "aten::resize_as_sparse_"})
        if (name == each) return true;
    return false;
}

// The simplest first: it wins where several fit equally well.
bool goes_before(const Overload &a, const Overload &b)
{
    if (a.outs.empty() != b.outs.empty()) return a.outs.empty();
    // stft centers its frames unless the call passes :center #f, as torch.stft does.
    if ((a.name == "center") != (b.name == "center")) return a.name == "center";
    if (a.parameters.size() != b.parameters.size())
        return a.parameters.size() < b.parameters.size();
    // conv2d before conv2d.padding, whose padding is a string: the order of PyTorch's parser.
    if (may_take_string(a) != may_take_string(b)) return may_take_string(b);
    return a.name > b.name;  // Tensor before Scalar
}

}  // namespace

Overload ct::overload_of(const c10::FunctionSchema &schema,
                         std::function<void(std::vector<c10::IValue> &)> call)
{
    Overload overload{&schema, std::move(call), schema.overload_name(), {}, 0, {}, false, {}, ""};
    for (const c10::Argument &argument : schema.returns())
        overload.returns.push_back(result_type(*argument.real_type()));
    read_parameters(overload, schema);
    if (const char *why = refusal_of(ct::without_default(schema.name()))) overload.refusal = why;
    if (schema.is_vararg()) overload.refusal = "its schema does not say what it takes";
    auto is_tensor = [](const Parameter &p) { return p.type == ValueType::Tensor; };
    overload.writes_elements =
        !changes_no_elements(schema.name()) &&
        std::any_of(overload.parameters.begin(), overload.parameters.end(),
                    [](const Parameter &p) { return p.written; });
    overload.uses_default_device =
        overload.takes_tensor_options &&
        std::none_of(overload.parameters.begin(), overload.parameters.end(), is_tensor);
    return overload;
}

std::string ct::without_default(const std::string &name)
{
    bool is_default = name.starts_with(DEFAULT_NAMESPACE);
    return is_default ? name.substr(DEFAULT_NAMESPACE.size()) : name;
}

namespace {

// Lambent has no names of dims, and these would take a word for a dim.
bool takes_named_dims([[maybe_unused]] const std::string &overload)
{
#if CT_HAS_NAMED_DIMS
    for (const char *word : {"Dimname", "dimname", "names", "named_"})
        if (overload.find(word) != std::string::npos) return true;
#endif
    return false;
}

}  // namespace

const std::map<std::string, std::vector<std::string>> &ct::operator_table()
{
    static const auto all = [] {
        std::map<std::string, std::vector<std::string>> table;
        for (const c10::OperatorName &full : c10::Dispatcher::singleton().getAllOpNames())
            if (!takes_named_dims(full.overload_name) && c10::Dispatcher::singleton().findSchema(full))
                table[ct::without_default(full.name)].push_back(full.overload_name);
        return table;
    }();
    return all;
}

namespace {

// LibTorch marks most of them.
bool is_elementwise(const std::string &name, const c10::OperatorHandle &op)
{
    return op.hasTag(at::Tag::pointwise) || name == "copy_" || name.starts_with("_foreach_");
}

std::function<void(std::vector<c10::IValue> &)> call_of(const c10::OperatorHandle &op)
{
    const c10::OperatorName &name = op.operator_name();
    auto instead = ct::call_instead(ct::without_default(name.name), name.overload_name);
    if (instead) return [=](std::vector<c10::IValue> &stack) { instead(op, stack); };
    return [op](std::vector<c10::IValue> &stack) { op.callBoxed(stack); };
}

}  // namespace

std::vector<Overload> ct::overloads_of(const std::string &name)
{
    std::vector<Overload> found;
    auto entry = operator_table().find(ct::without_default(name));
    if (entry == operator_table().end()) return found;
    bool is_default = entry->first.find("::") == std::string::npos;
    std::string full_name = is_default ? DEFAULT_NAMESPACE + entry->first : entry->first;
    for (const std::string &overload_name : entry->second) {
        auto handle = c10::Dispatcher::singleton().findSchema({full_name, overload_name});
        if (!handle) continue;
        found.push_back(overload_of(handle->schema(), call_of(*handle)));
        Overload &overload = found.back();
        overload.is_elementwise = is_elementwise(entry->first, *handle);
        overload.has_in_place = !overload.outs.empty() && operator_table().count(entry->first + "_");
        if (handle->hasTag(at::Tag::inplace_view)) overload.writes_elements = false;
    }
    std::sort(found.begin(), found.end(), goes_before);
    return found;
}

namespace {

// One schema a line, followed by a tab and the refusal.
std::string lines(const std::vector<Overload> &overloads)
{
    std::ostringstream text;
    for (const Overload &overload : overloads)
        text << *overload.schema << "\t" << overload.refusal << "\n";
    return text.str();
}

}  // namespace

extern "C" const char *ct_op_schemas(void)
{
    static const auto *all = [] {
        auto *text = new std::string;
        for (auto &[name, overload_names] : ct::operator_table())
            *text += lines(ct::overloads_of(name));
        return text;
    }();
    return all->c_str();
}

extern "C" const char *ct_script_schemas(void)
{
    static const auto *all = new std::string(lines(ct::script_overloads()));
    return all->c_str();
}
