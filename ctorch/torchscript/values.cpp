// values.cpp - converting Lisp values for the methods of modules, and their results back.
//
//     int[2]   (1 2)                 Dict(str, Tensor)   a hash table, strings to tensors
//
// A method's schema has the type of each parameter, to which the values are converted.

#include "torchscript/module.h"
#include "dispatch/schema.h"

#include <ATen/core/Dict.h>
#include <ATen/core/List.h>
#include <ATen/core/jit_type.h>

namespace {

using namespace ct;
using c10::IValue;
using c10::TypeKind;
using c10::TypePtr;

constexpr int DEEPEST = 10000;  // nested lists; one may contain itself

std::string noun(const TypePtr &type)
{
    switch (type->kind()) {
    case TypeKind::TensorType: return "a tensor";
    case TypeKind::IntType: case TypeKind::SymIntType: return "an exact integer";
    case TypeKind::FloatType: case TypeKind::NumberType: return "a number";
    case TypeKind::BoolType: return "a boolean";
    case TypeKind::StringType: return "a string";
    case TypeKind::DeviceObjType: return "a device";
    case TypeKind::ListType: return "a list";
    case TypeKind::TupleType:
        return "a list of " + std::to_string(type->containedTypes().size());
    case TypeKind::DictType: return "a hash table";
    case TypeKind::NoneType: return "#f";
    case TypeKind::OptionalType: return noun(type->containedType(0)) + " or #f";
    default: return "a " + type->annotation_str();
    }
}

[[noreturn]] void misfit(const ct_value &value, const TypePtr &type, const std::string &name)
{
    throw Failure{"argument " + name + ": expected " + noun(type) + ", got " + shown(value), ""};
}

bool is_absent(const ct_value &value)
{
    return value.kind == CT_NONE || (value.kind == CT_BOOL && !value.i);
}

bool is_name(const ct_value &value) { return value.kind == CT_STRING || value.kind == CT_SYMBOL; }

IValue list_of(const ct_value &value, const TypePtr &type, const std::string &name)
{
    if (value.kind != CT_LIST) misfit(value, type, name);
    TypePtr element = type->containedType(0);
    c10::impl::GenericList list(element);
    for (size_t k = 0; k < value.count; k++)
        list.push_back(converted(value.items[k], element, name));
    return IValue(list);
}

IValue tuple_of(const ct_value &value, const TypePtr &type, const std::string &name)
{
    at::ArrayRef<TypePtr> types = type->containedTypes();
    if (value.kind != CT_LIST || value.count != types.size()) misfit(value, type, name);
    std::vector<IValue> items;
    for (size_t k = 0; k < value.count; k++)
        items.push_back(converted(value.items[k], types[k], name));
    return IValue(c10::ivalue::Tuple::create(std::move(items)));
}

IValue dict_of(const ct_value &value, const TypePtr &type, const std::string &name)
{
    if (value.kind != CT_TABLE) misfit(value, type, name);
    TypePtr key = type->containedType(0), item = type->containedType(1);
    c10::impl::GenericDict dict(key, item);
    for (size_t k = 0; k + 1 < value.count; k += 2)
        dict.insert_or_assign(converted(value.items[k], key, name),
                              converted(value.items[k + 1], item, name));
    return IValue(dict);
}

// For a parameter of any type: what Python would pass for such a value.
IValue guessed(const ct_value &value, const std::string &name)
{
    switch (value.kind) {
    case CT_NONE: return IValue();
    case CT_INT: return IValue(value.i);
    case CT_FLOAT: return IValue(value.f);
    case CT_BOOL: return IValue(value.i != 0);
    case CT_STRING: case CT_SYMBOL: return IValue(std::string(value.text));
    case CT_TENSOR: return IValue(value.tensor->value);
    case CT_OBJECT: return module_object(value);
    case CT_LIST: {
        std::vector<IValue> items;
        for (size_t k = 0; k < value.count; k++) items.push_back(guessed(value.items[k], name));
        return IValue(c10::ivalue::Tuple::create(std::move(items)));
    }
    case CT_TABLE: {
        c10::impl::GenericDict dict(c10::StringType::get(), c10::AnyType::get());
        for (size_t k = 0; k + 1 < value.count; k += 2)
            dict.insert_or_assign(converted(value.items[k], c10::StringType::get(), name),
                                  guessed(value.items[k + 1], name));
        return IValue(dict);
    }
    default: misfit(value, c10::AnyType::get(), name);
    }
}

IValue one_of(const ct_value &value, const TypePtr &type, const std::string &name)
{
    for (const TypePtr &choice : type->containedTypes()) {
        try {
            return converted(value, choice, name);
        } catch (const Failure &) {
            continue;
        }
    }
    misfit(value, type, name);
}

size_t place_of(const CallParameters &parameters, const std::string &keyword)
{
    for (size_t k = 0; k < parameters.names.size(); k++)
        if (parameters.names[k] == lisp_name(keyword)) return k;
    throw Failure{"unknown keyword :" + keyword, parameters.usage};
}

// depth: how many lists and other containers it is nested in.
Owned result(const IValue &value, int depth)
{
    if (depth > DEEPEST) throw Failure{"the result nests more than 10000 deep", ""};
    if (value.isNone()) return Owned();
    if (value.isTensor()) return Owned::tensor(at::Tensor(value.toTensor()));
    if (value.isBool()) return Owned::boolean(value.toBool());
    if (value.isInt()) return Owned::integer(value.toInt());
    if (value.isDouble()) return Owned::real(value.toDouble());
    if (value.isString()) return Owned::text(CT_STRING, value.toStringRef());
    if (value.isDevice()) return Owned::text(CT_STRING, value.toDevice().str());
    if (value.isModule()) return module_value(value);
    std::vector<Owned> items;
    if (value.isTuple()) {
        for (const IValue &item : value.toTupleRef().elements()) items.push_back(result(item, depth + 1));
        return Owned::items(CT_LIST, std::move(items));
    }
    if (value.isList()) {
        for (const IValue &item : value.toListRef()) items.push_back(result(item, depth + 1));
        return Owned::items(CT_LIST, std::move(items));
    }
    if (value.isGenericDict()) {
        for (const auto &entry : value.toGenericDict()) {
            items.push_back(result(entry.key(), depth + 1));
            items.push_back(result(entry.value(), depth + 1));
        }
        return Owned::items(CT_TABLE, std::move(items));
    }
    throw Failure{"the result is a " + value.type()->annotation_str() +
                      ", for which Lisp has no value", ""};
}

}  // namespace

std::vector<const ct_value *> ct::bound(const CallParameters &parameters, const ct_value *values,
                                        size_t count)
{
    std::vector<const ct_value *> found(parameters.names.size());
    size_t given = 0;
    for (size_t k = 0; k < count; k++) {
        size_t place = given;
        if (values[k].kind == CT_KEYWORD) {
            std::string keyword = std::string(":") + values[k].text;
            place = place_of(parameters, values[k].text);
            if (++k == count) throw Failure{"keyword " + keyword + " has no value", ""};
            if (found[place]) throw Failure{"keyword " + keyword + " is given twice", ""};
        } else if (++given > parameters.positional) {
            throw Failure{parameters.too_many, parameters.usage};
        }
        found[place] = &values[k];
    }
    return found;
}

IValue ct::converted(const ct_value &value, const TypePtr &type, const std::string &name)
{
    switch (type->kind()) {
    case TypeKind::TensorType:
        if (value.kind == CT_TENSOR) return IValue(value.tensor->value);
        break;
    case TypeKind::IntType: case TypeKind::SymIntType:
        if (value.kind == CT_INT) return IValue(value.i);
        break;
    case TypeKind::FloatType:
        if (value.kind == CT_FLOAT) return IValue(value.f);
        if (value.kind == CT_INT) return IValue(static_cast<double>(value.i));
        break;
    case TypeKind::NumberType:
        if (value.kind == CT_INT || value.kind == CT_FLOAT || value.kind == CT_BOOL)
            return guessed(value, name);
        break;
    case TypeKind::BoolType:
        if (value.kind == CT_BOOL) return IValue(value.i != 0);
        break;
    case TypeKind::StringType:
        if (is_name(value)) return IValue(std::string(value.text));
        break;
    case TypeKind::DeviceObjType:
        if (is_name(value)) return IValue(device_from(value.text));
        break;
    case TypeKind::NoneType:
        if (is_absent(value)) return IValue();
        break;
    case TypeKind::OptionalType: {
        TypePtr inner = type->containedType(0);
        bool plain = inner->kind() == TypeKind::BoolType && value.kind == CT_BOOL;
        return is_absent(value) && !plain ? IValue() : converted(value, inner, name);
    }
    case TypeKind::ListType: return list_of(value, type, name);
    case TypeKind::TupleType: return tuple_of(value, type, name);
    case TypeKind::DictType: return dict_of(value, type, name);
    case TypeKind::UnionType: return one_of(value, type, name);
    case TypeKind::AnyType: return guessed(value, name);
    default: break;
    }
    misfit(value, type, name);
}

ct::Owned ct::result_of(const IValue &value) { return result(value, 0); }
