// module.cpp - TorchScript modules: loading them, and calling their methods with Lisp values.
//
//     (call-module m x :scale 2)   =>   forward(self, x: Tensor, scale: int = 1)
//
// An archive is checked whole, checksums included, before LibTorch reads it.  Arguments become what
// the method's schema asks for.  jit's headers take long to compile, so only this file has them.

#include "files.h"
#include "json.h"
#include "zip.h"

#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>

#include <algorithm>
#include <cstring>
#include <regex>

namespace {

using namespace ct;
using c10::IValue;
using c10::TypeKind;
using c10::TypePtr;

struct Module final : ct_object {
    explicit Module(torch::jit::Module loaded) : module(std::move(loaded))
    {
        text = "#<module " + module.type()->name()->name() + ">";
    }
    torch::jit::Module module;
};

Module &module_of(const ct_value &value)
{
    auto *module = value.kind == CT_OBJECT ? dynamic_cast<Module *>(value.object) : nullptr;
    if (!module) wrong_kind("a module", value);
    return *module;
}

// What a file made LibTorch say may hold any bytes; a message is text.
std::string as_text(const std::string &bytes)
{
    std::string text;
    for (size_t k = 0; k < bytes.size();) {
        size_t length = utf8_length(std::string_view(bytes).substr(k));
        bool prints = length && static_cast<unsigned char>(bytes[k]) >= ' ' && bytes[k] != 0x7F;
        text += prints ? bytes.substr(k, length) : "?";
        k += std::max<size_t>(length, 1);
    }
    return text;
}

// LibTorch's message about a program: the last of its lines that names an error, else the first.
std::string essence(const char *text)
{
    static const std::regex named("^(?:[\\w.]*(?:Error|Exception|Warning)): ?(.*)");
    std::string found, line;
    std::istringstream lines(text);
    while (std::getline(lines, line)) {
        std::smatch match;
        if (std::regex_search(line, match, named)) found = match[1];
        else if (found.empty() && !line.empty() && line.find("failed in the TorchScript") ==
                                                       std::string::npos)
            found = line;
    }
    return as_text(found);
}

// Runs LibTorch's interpreter, whose errors come with a trace of the program.
template <class Body>
auto running(Body body)
{
    try {
        return body();
    } catch (const c10::Error &error) {
        std::string message = essence(error.what_without_backtrace());
        throw std::runtime_error(message);
    } catch (const Failure &) {
        throw;
    } catch (const std::bad_alloc &) {
        throw;
    } catch (const std::exception &error) {
        throw std::runtime_error(essence(error.what()));
    }
}

// Loading.

bool ends_with(const std::string &text, std::string_view end)
{
    return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// Why LibTorch cannot load an archive: a sentence, without C++.  What only speaks of its own insides
// says no more than that something is damaged.
std::string reason(const char *text)
{
    static const std::regex names("\\b(?:\\w+::)+|\\btorch\\.|PytorchStreamReader[^:]*: ");
    static const std::regex insides("INTERNAL ASSERT|enforce fail|0x[0-9a-f]|IValue|at\\(\\)");
    std::string found = std::regex_replace(essence(text), names, "");
    found = found.substr(0, found.find(". "));
    if (size_t here = found.rfind(" here:"); here != std::string::npos) found.resize(here);
    while (!found.empty() && std::strchr(".: ", found.back())) found.pop_back();
    return found.empty() || std::regex_search(found, insides) ? "its contents are damaged" : found;
}

torch::jit::Module loaded(const std::string &path)
{
    try {
        return torch::jit::load(path, at::kCPU);
    } catch (const c10::Error &error) {
        fail_about(path, "LibTorch cannot load the module: " +
                             reason(error.what_without_backtrace()));
    } catch (const std::bad_alloc &) {
        throw;
    } catch (const std::exception &error) {
        fail_about(path, "LibTorch cannot load the module: " + reason(error.what()));
    }
}

// LibTorch's reader trusts what it reads, so only archives that are whole get there.
void check_archive(const std::string &path)
{
    Zip zip(open_file(path));
    bool script = false, pickle = false;
    for (const ZipEntry &entry : zip.entries) {
        std::string room;
        zip.verify(entry, zip.bytes(entry, room));
        script |= ends_with(entry.name, "/constants.pkl");
        pickle |= ends_with(entry.name, "/data.pkl");
    }
    if (!script)
        fail_about(path, "it holds no TorchScript module",
                   pickle ? "(load-state-dict path) reads a state dict" : "");
}

// Arguments.

std::string lisp_name(std::string name)
{
    std::replace(name.begin(), name.end(), '_', '-');
    return name;
}

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

IValue converted(const ct_value &value, const TypePtr &type, const std::string &name);

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

// For a parameter of any type: what Python would have made of such a value.
IValue guessed(const ct_value &value, const std::string &name)
{
    switch (value.kind) {
    case CT_NONE: return IValue();
    case CT_INT: return IValue(value.i);
    case CT_FLOAT: return IValue(value.f);
    case CT_BOOL: return IValue(value.i != 0);
    case CT_STRING: case CT_SYMBOL: return IValue(std::string(value.text));
    case CT_TENSOR: return IValue(value.tensor->value);
    case CT_OBJECT: return IValue(module_of(value).module._ivalue());
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

IValue converted(const ct_value &value, const TypePtr &type, const std::string &name)
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

// Results.

Owned result(const IValue &value)
{
    if (value.isNone()) return Owned();
    if (value.isTensor()) return Owned::tensor(at::Tensor(value.toTensor()));
    if (value.isBool()) return Owned::boolean(value.toBool());
    if (value.isInt()) return Owned::integer(value.toInt());
    if (value.isDouble()) return Owned::real(value.toDouble());
    if (value.isString()) return Owned::text(CT_STRING, value.toStringRef());
    if (value.isDevice()) return Owned::text(CT_STRING, value.toDevice().str());
    if (value.isModule()) return Owned::object(new Module(value.toModule()));
    std::vector<Owned> items;
    if (value.isTuple()) {
        for (const IValue &item : value.toTupleRef().elements()) items.push_back(result(item));
        return Owned::items(CT_LIST, std::move(items));
    }
    if (value.isList()) {
        for (const IValue &item : value.toListRef()) items.push_back(result(item));
        return Owned::items(CT_LIST, std::move(items));
    }
    if (value.isGenericDict()) {
        for (const auto &entry : value.toGenericDict()) {
            items.push_back(result(entry.key()));
            items.push_back(result(entry.value()));
        }
        return Owned::items(CT_TABLE, std::move(items));
    }
    throw Failure{"the result is a " + value.type()->annotation_str() +
                      ", for which Lisp has no value", ""};
}

// Calling.

// "(forward x [:scale 1])".
std::string usage(const c10::FunctionSchema &schema)
{
    std::string text = "(" + schema.name();
    for (size_t k = 1; k < schema.arguments().size(); k++) {
        const c10::Argument &argument = schema.arguments()[k];
        std::string name = lisp_name(argument.name());
        text += argument.default_value() ? " [" + name + "]" : " " + name;
    }
    return text + ")";
}

size_t place_of(const c10::FunctionSchema &schema, const char *keyword)
{
    for (size_t k = 1; k < schema.arguments().size(); k++)
        if (lisp_name(schema.arguments()[k].name()) == lisp_name(keyword)) return k - 1;
    throw Failure{"unknown keyword :" + std::string(keyword), "usage: " + usage(schema)};
}

// Each parameter's value; NULL for one that the call leaves out.
std::vector<const ct_value *> placed(const c10::FunctionSchema &schema, const ct_value *values,
                                     size_t count)
{
    size_t parameters = schema.arguments().size() - 1, given = 0;
    std::vector<const ct_value *> places(parameters);
    for (size_t k = 0; k < count; k++) {
        size_t place = given;
        if (values[k].kind == CT_KEYWORD) {
            place = place_of(schema, values[k].text);
            std::string keyword = std::string(":") + values[k].text;
            if (++k == count) throw Failure{"keyword " + keyword + " has no value", ""};
            if (places[place]) throw Failure{"keyword " + keyword + " is given twice", ""};
        } else if (++given > parameters) {
            throw Failure{"method " + schema.name() + ": expected at most " +
                              std::to_string(parameters) + " arguments", "usage: " + usage(schema)};
        }
        places[place] = &values[k];
    }
    return places;
}

torch::jit::Method method_of(const Module &module, const std::string &name)
{
    if (auto method = module.module.find_method(name)) return *method;
    std::string names;
    for (const auto &method : module.module.get_methods()) names += " " + method.name();
    throw Failure{module.text + " has no method " + in_quotes(name),
                  names.empty() ? "" : "its methods:" + names};
}

}  // namespace

namespace ct {

Owned load_module(const Arguments &given)
{
    std::string path = given.text(0);
    check_archive(path);
    return Owned::object(new Module(loaded(path)));
}

Owned is_module(const Arguments &given)
{
    const ct_value &x = given.values[0];
    return Owned::boolean(x.kind == CT_OBJECT && dynamic_cast<Module *>(x.object));
}

// (module name arguments ...)
Owned call_module(const Arguments &given)
{
    Module &module = module_of(given.values[0]);
    std::string name = given.text(1);
    torch::jit::Method method = method_of(module, name);
    const c10::FunctionSchema &schema = method.function().getSchema();
    std::vector<const ct_value *> places = placed(schema, given.values + 2, given.count - 2);
    std::vector<IValue> stack;
    for (size_t k = 0; k < places.size(); k++) {
        const c10::Argument &argument = schema.arguments()[k + 1];
        std::string parameter = lisp_name(argument.name());
        if (places[k]) stack.push_back(converted(*places[k], argument.type(), parameter));
        else if (argument.default_value()) stack.push_back(*argument.default_value());
        else throw Failure{"method " + name + ": argument " + parameter + " is missing",
                           "usage: " + usage(schema)};
    }
    return running([&] { return result(method(std::move(stack))); });
}

Owned module_methods(const Arguments &given)
{
    std::vector<Owned> names;
    for (const auto &method : module_of(given.values[0]).module.get_methods())
        names.push_back(Owned::text(CT_STRING, method.name()));
    return Owned::items(CT_LIST, std::move(names));
}

Owned module_parameters(const Arguments &given)
{
    Named<at::Tensor> tensors;
    for (const auto &entry : module_of(given.values[0]).module.named_parameters())
        tensors.emplace_back(entry.name, entry.value);
    return table_of(std::move(tensors));
}

Owned module_buffers(const Arguments &given)
{
    Named<at::Tensor> tensors;
    for (const auto &entry : module_of(given.values[0]).module.named_buffers())
        tensors.emplace_back(entry.name, entry.value);
    return table_of(std::move(tensors));
}

Owned train_module(const Arguments &given)
{
    module_of(given.values[0]).module.train(true);
    return Owned();
}

Owned settle_module(const Arguments &given)
{
    module_of(given.values[0]).module.train(false);
    return Owned();
}

}  // namespace ct
