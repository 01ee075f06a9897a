// module.cpp - TorchScript modules: loading them, and calling their methods with Lisp values.
//
//     (call-module m x :scale 2)   =>   forward(self, x: Tensor, scale: int = 1)
//
// A module is a program that LibTorch's interpreter runs.  Its errors come with a trace of its
// text, which is cut down to a message here.

#include "torchscript/module.h"
#include "torchscript/inside.h"
#include "text/utf8.h"
#include "dispatch/schema.h"
#include "exported/program.h"

#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/serialization/import.h>

#include <algorithm>
#include <cstring>
#include <regex>

namespace {

using namespace ct;
using c10::IValue;

constexpr size_t LONGEST_LINE = 4000;  // a line of a message is cut to this length

template <class List>
Named<at::Tensor> tensors_in(const List &list)
{
    Named<at::Tensor> tensors;
    for (const auto &entry : list) tensors.emplace_back(entry.name, entry.value);
    return tensors;
}

struct Module final : LoadedModule {
    explicit Module(torch::jit::Module loaded) : module(std::move(loaded))
    {
        text = "#<module " + module.type()->name()->name() + ">";
    }

    Owned call(const std::string &method, const ct_value *values, size_t count) override;
    std::vector<std::string> methods() const override;
    void move(at::Device device) override;
    void train(bool is_on) override { module.train(is_on); }

    Named<at::Tensor> parameters() const override { return tensors_in(module.named_parameters()); }
    Named<at::Tensor> buffers() const override { return tensors_in(module.named_buffers()); }

    torch::jit::Module module;
};

template <class Kind>
Kind *as(const ct_value &value)
{
    return value.kind == CT_OBJECT ? dynamic_cast<Kind *>(value.object) : nullptr;
}

LoadedModule &loaded_module(const ct_value &value)
{
    auto *module = as<LoadedModule>(value);
    if (!module) wrong_kind("a module", value);
    return *module;
}

Module &module_of(const ct_value &value)
{
    auto *module = as<Module>(value);
    if (!module) wrong_kind(as<LoadedModule>(value) ? "a TorchScript module" : "a module", value);
    return *module;
}

// LibTorch may quote any bytes of a file; a message must be text.
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
std::string essence(const std::exception &error)
{
    static const std::regex named("^(?:[\\w.]*(?:Error|Exception|Warning)): ?(.*)");
    auto *own = dynamic_cast<const c10::Error *>(&error);
    std::istringstream lines(own ? own->what_without_backtrace() : error.what());
    std::string found, line;
    while (std::getline(lines, line)) {
        // std::regex_search takes stack in proportion to the length of the text.
        line.resize(std::min(line.size(), LONGEST_LINE));
        std::smatch match;
        if (std::regex_search(line, match, named)) found = match[1];
        else if (found.empty() && !line.empty() && line.find("failed in the TorchScript") ==
                                                       std::string::npos)
            found = line;
    }
    return as_text(found);
}

// Runs LibTorch's interpreter.
template <class Body>
auto running(Body body)
{
    try {
        return body();
    } catch (const Failure &) {
        throw;
    } catch (const std::bad_alloc &) {
        throw;
    } catch (const std::exception &error) {
        throw std::runtime_error(essence(error));
    }
}

// Loading.

torch::jit::Module loaded(const std::string &path)
{
    auto archive = checked_archive(path);
    try {
        return torch::jit::load(std::move(archive), at::kCPU, /*load_debug_files=*/false);
    } catch (const std::bad_alloc &) {
        throw;
    } catch (const std::exception &error) {
        fail_about(path, "LibTorch cannot load the module: " + ct::loading_failure(error));
    }
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

CallParameters parameters_of(const c10::FunctionSchema &schema)
{
    CallParameters parameters;
    for (size_t k = 1; k < schema.arguments().size(); k++)
        parameters.names.push_back(lisp_name(schema.arguments()[k].name()));
    parameters.positional = parameters.names.size();
    parameters.usage = "usage: " + usage(schema);
    parameters.too_many = "method " + schema.name() + ": expected at most " +
                          std::to_string(parameters.positional) + " arguments";
    return parameters;
}

torch::jit::Method method_of(const Module &module, const std::string &name)
{
    if (auto method = module.module.find_method(name)) return *method;
    std::string names;
    for (const auto &method : module.module.get_methods()) names += " " + method.name();
    throw Failure{module.text + " has no method " + in_quotes(name),
                  names.empty() ? "" : "its methods:" + names};
}

// The values of a method's parameters.
std::vector<IValue> stack_of(const torch::jit::Method &method, const ct_value *arguments,
                             size_t count)
{
    const c10::FunctionSchema &schema = method.function().getSchema();
    std::vector<const ct_value *> values = bound(parameters_of(schema), arguments, count);
    std::vector<IValue> stack;
    for (size_t k = 0; k < values.size(); k++) {
        const c10::Argument &argument = schema.arguments()[k + 1];
        std::string parameter = lisp_name(argument.name());
        if (values[k]) stack.push_back(converted(*values[k], argument.type(), parameter));
        else if (argument.default_value()) stack.push_back(*argument.default_value());
        else throw Failure{"method " + method.name() + ": argument " + parameter + " is missing",
                           "usage: " + usage(schema)};
    }
    return stack;
}

std::vector<IValue> stack_of(const torch::jit::Method &method, const ProcedureArguments &given)
{
    return stack_of(method, given.values + 2, given.count - 2);
}

Owned Module::call(const std::string &name, const ct_value *values, size_t count)
{
    torch::jit::Method method = method_of(*this, name);
    std::vector<IValue> stack = stack_of(method, values, count);
    return running([&] { return result_of(method(std::move(stack))); });
}

std::vector<std::string> Module::methods() const
{
    std::vector<std::string> names;
    for (const auto &method : module.get_methods()) names.push_back(method.name());
    return names;
}

void Module::move(at::Device device)
{
    running([&] { module.to(device); });
}

// Tensors in the places of a module's parameters; the destructor puts the parameters back.
class Replaced {
public:
    ~Replaced()
    {
        for (auto place = places_.rbegin(); place != places_.rend(); ++place)
            place->module.setattr(place->name, place->before);
    }

    void put(torch::jit::Module module, const std::string &path, const at::Tensor &tensor)
    {
        std::string left = path;
        for (size_t dot; (dot = left.find('.')) != std::string::npos; left = left.substr(dot + 1)) {
            std::string part = left.substr(0, dot);
            if (!module.hasattr(part) || !module.attr(part).isModule()) no_parameter(path);
            module = module.attr(part).toModule();
        }
        if (!module.hasattr(left) || !module.attr(left).isTensor()) no_parameter(path);
        IValue before = module.attr(left);
        if (before.toTensor().sizes() != tensor.sizes())
            throw Failure{"the tensor for " + in_quotes(path) + " has another shape", ""};
        places_.push_back({module, left, before});
        module.setattr(left, tensor);
    }

private:
    struct Place {
        torch::jit::Module module;
        std::string name;
        IValue before;
    };

    [[noreturn]] static void no_parameter(const std::string &path)
    {
        throw Failure{"the module has no parameter " + in_quotes(path), ""};
    }

    std::vector<Place> places_;
};

// The call of a submodule in the graph of a forward method.
torch::jit::Node *call_of(torch::jit::Graph &graph, const std::string &name)
{
    for (torch::jit::Node *node : graph.nodes()) {
        if (node->kind() != c10::prim::CallMethod || node->s(c10::attr::name) != "forward") continue;
        torch::jit::Node *callee = node->input(0)->node();
        if (callee->kind() == c10::prim::GetAttr && callee->s(c10::attr::name) == name) return node;
    }
    throw Failure{"forward calls no layer " + in_quotes(name), ""};
}

// The value of the layer of a path, such as "blocks.0", in a run of forward: a run of a copy of the
// graph that ends there.  For a layer inside another one, first the inputs of the outer one.
IValue state(const torch::jit::Module &module, const std::string &path, std::vector<IValue> inputs)
{
    size_t dot = path.find('.');
    bool inside = dot != std::string::npos;
    auto graph = torch::jit::toGraphFunction(module.get_method("forward").function()).graph()->copy();
    torch::jit::Node *call = call_of(*graph, path.substr(0, dot));
    torch::jit::Value *value = call->output();
    if (inside) value = graph->insertNode(graph->createTuple(call->inputs().slice(1)))->output();
    while (!graph->outputs().empty()) graph->eraseOutput(0);
    graph->registerOutput(value);
    torch::jit::GraphFunction function("state", graph, nullptr);
    inputs.insert(inputs.begin(), module._ivalue());
    function.run(inputs);
    IValue found = inputs.back();
    if (!inside) return found;
    torch::jit::Module inner = module.attr(path.substr(0, dot)).toModule();
    return state(inner, path.substr(dot + 1), found.toTupleRef().elements().vec());
}

}  // namespace

namespace ct {

std::string loading_failure(const std::exception &error)
{
    static const std::regex names("\\b(?:\\w+::)+|\\btorch\\.|PytorchStreamReader[^:]*: ");
    static const std::regex insides("INTERNAL ASSERT|enforce fail|0x[0-9a-f]|IValue|at\\(\\)");
    std::string found = std::regex_replace(essence(error), names, "");
    found = found.substr(0, found.find(". "));
    if (size_t here = found.rfind(" here:"); here != std::string::npos) found.resize(here);
    while (!found.empty() && std::strchr(".: ", found.back())) found.pop_back();
    return found.empty() || std::regex_search(found, insides) ? "its contents are damaged" : found;
}

IValue module_object(const ct_value &value) { return module_of(value).module._ivalue(); }

Owned module_value(const IValue &object) { return Owned::object(new Module(object.toModule())); }

Owned load_module(const ProcedureArguments &given)
{
    std::string path = given.text(0);
    Zip zip(open_file(path));
    if (exported::is_package(zip)) return exported::load_package(std::move(zip));
    return Owned::object(new Module(loaded(path)));
}

Owned is_module(const ProcedureArguments &given)
{
    return Owned::boolean(as<Module>(given.values[0]));
}

Owned is_exported_program(const ProcedureArguments &given)
{
    return Owned::boolean(as<LoadedModule>(given.values[0]) && !as<Module>(given.values[0]));
}

// (module name arguments ...)
Owned call_module(const ProcedureArguments &given)
{
    LoadedModule &module = loaded_module(given.values[0]);
    return module.call(given.text(1), given.values + 2, given.count - 2);
}

Owned call_module_with(const ProcedureArguments &given)
{
    Module &module = module_of(given.values[0]);
    torch::jit::Method method = method_of(module, "forward");
    std::vector<IValue> stack = stack_of(method, given);
    Replaced replaced;
    for (auto &[name, tensor] : named_tensors(given.values[1]))
        replaced.put(module.module, name, tensor);
    return running([&] { return result_of(method(std::move(stack))); });
}

Owned module_states(const ProcedureArguments &given)
{
    Module &module = module_of(given.values[0]);
    std::vector<IValue> inputs = stack_of(method_of(module, "forward"), given);
    const ct_value &names = given.values[1];
    if (names.kind != CT_LIST) wrong_kind("a list of names", names);
    std::vector<Owned> states;
    for (size_t k = 0; k < names.count; k++) {
        if (names.items[k].kind != CT_STRING) wrong_kind("a string as a name", names.items[k]);
        std::string name = names.items[k].text;
        states.push_back(running([&] { return result_of(state(module.module, name, inputs)); }));
    }
    return Owned::items(CT_LIST, std::move(states));
}

Owned move_module(const ProcedureArguments &given)
{
    LoadedModule &module = loaded_module(given.values[0]);
    module.move(at::Device(given.text(1)));
    return {};
}

Owned module_methods(const ProcedureArguments &given)
{
    std::vector<Owned> names;
    for (const std::string &name : loaded_module(given.values[0]).methods())
        names.push_back(Owned::text(CT_STRING, name));
    return Owned::items(CT_LIST, std::move(names));
}

Owned module_parameters(const ProcedureArguments &given)
{
    return table_of(loaded_module(given.values[0]).parameters());
}

Owned module_buffers(const ProcedureArguments &given)
{
    return table_of(loaded_module(given.values[0]).buffers());
}

Owned set_module_to_train(const ProcedureArguments &given)
{
    loaded_module(given.values[0]).train(true);
    return Owned();
}

Owned set_module_to_evaluate(const ProcedureArguments &given)
{
    loaded_module(given.values[0]).train(false);
    return Owned();
}

}  // namespace ct
