// model.cpp - a model of a package that is a graph: its weights, and its calls.

#include "exported/program.h"
#include "files/storages.h"
#include "torchscript/module.h"

#include <ATen/core/grad_mode.h>

#include <unordered_map>

namespace ct::exported {

namespace {

constexpr std::string_view WEIGHTS = "data/weights/", CONSTANTS = "data/constants/";

// Tensors by name.
using Tensors = std::map<std::string, at::Tensor>;

std::vector<int64_t> numbers_of(const JsonValue &sizes)
{
    sizes.check(JsonNode::Array, "a list of sizes");
    if (sizes.size() > MOST_DIMS) sizes.fail("LibTorch allows at most 64 dimensions");
    std::vector<int64_t> numbers;
    for (size_t k = 0; k < sizes.size(); k++)
        numbers.push_back(sizes.item(k).at("as_int").natural("a size", INT64_MAX));
    return numbers;
}

// The tensors of one configuration: {"config": {name: {"path_name": ..., "tensor_meta": ...}}}.
// Those with one path share a storage.
class WeightsReader {
public:
    WeightsReader(const Package &package, std::string_view folder)
        : package_(package), folder_(folder) {}

    void read(const std::string &model, Tensors &into)
    {
        std::string name = folder_ + model + (folder_ == WEIGHTS ? "_weights" : "_constants") +
                           "_config.json";
        if (!package_.zip.find(package_.root + name)) refuse_old(model);
        Unpacked text = package_.text(name);
        JsonTree tree(text.text(), package_.zip.file->path);
        JsonValue config = tree.root().at("config");
        for (size_t k = 0; k < config.size(); k++)
            into.emplace(config.key(k), tensor(config.value(k)));
    }

private:
    [[noreturn]] void refuse_old(const std::string &model) const
    {
        fail_about(package_.zip.file->path, "the weights of " + in_quotes(model) +
                                                " are in the format of PyTorch 2.8 or older",
                   "in Python, with a newer one: torch.export.save(torch.export.load(path), path)");
    }

    at::Tensor tensor(const JsonValue &json)
    {
        if (json.at("use_pickle").flag("a boolean", false))
            json.fail("the tensor is of a class of Python's, which only Python can read");
        JsonValue meta = json.at("tensor_meta");
        at::ScalarType dtype = dtype_of_number(meta.at("dtype"));
        if (meta.at("layout").natural("the number of a layout", 1000) != 7)
            meta.fail("only dense tensors are supported, which have layout 7");
        std::vector<int64_t> sizes = numbers_of(meta.at("sizes"));
        std::vector<int64_t> strides = numbers_of(meta.at("strides"));
        int64_t offset = meta.at("storage_offset").at("as_int").natural("an offset", INT64_MAX);
        const Unpacked &bytes = storage(json.at("path_name"));
        auto item_size = static_cast<int64_t>(c10::elementSize(dtype));
        auto elements = static_cast<int64_t>(bytes.size) / item_size;
        uint64_t taken;
        if (strides.size() != sizes.size() || !byte_count(sizes, dtype, &taken) ||
            !lies_within(elements, offset, sizes, strides))
            meta.fail("the tensor does not lie within the " + std::to_string(bytes.size) +
                      " bytes of its storage");
        at::Tensor found =
            tensor_at(bytes.keeper, bytes.start + offset * item_size, dtype, sizes, strides);
        if (json.at("is_param").flag("a boolean", false) && found.is_floating_point())
            found.requires_grad_(meta.at("requires_grad").flag("a boolean", true));
        return found;
    }

    const Unpacked &storage(const JsonValue &path)
    {
        std::string name = folder_ + std::string(path.text("the name of a file"));
        auto found = storages_.find(name);
        if (found == storages_.end())
            found = storages_.emplace(name, package_.zip.unpacked(package_.entry(name))).first;
        return found->second;
    }

    const Package &package_;
    std::string folder_;
    std::unordered_map<std::string, Unpacked> storages_;
};

// An input of the graph.
struct Source {
    enum Kind { WEIGHT, ARGUMENT, CONSTANT };
    Kind kind = ARGUMENT;
    std::string weight;             // its name
    IValue constant;                // what the program was exported with
    std::optional<at::ScalarType> dtype;  // of an argument that is a tensor
    std::vector<Size> sizes;        // of the tensor
    std::string symbol;             // of an argument that is a number
    c10::TypePtr type;              // of such a number
};

// What becomes of an output of the graph.
struct Target {
    enum Kind { RESULT, WEIGHT, ARGUMENT, NOTHING };
    Kind kind = RESULT;
    std::string name;  // of the weight, or of the graph's input
};

IValue constant_of(const JsonValue &value)
{
    if (value.size() != 1) value.fail("expected one constant");
    std::string_view kind = value.key(0);
    JsonValue constant = value.value(0);
    if (kind == "as_int") return IValue(constant.integer("an integer", INT64_MIN, INT64_MAX));
    if (kind == "as_float") return IValue(real_of_text(constant));
    if (kind == "as_bool") return IValue(constant.flag("a boolean", false));
    if (kind == "as_string") return IValue(std::string(constant.text("a string")));
    return IValue();
}

class Program final : public Model {
public:
    Program(const Package &package, const std::string &name);

    Owned call(const ct_value *values, size_t count) override;
    Named<at::Tensor> parameters() const override { return named(parameter_names_); }
    Named<at::Tensor> buffers() const override { return named(buffer_names_); }
    void move(at::Device device) override;

private:
    void read_sources(const JsonValue &json);
    Source source_of(const JsonValue &spec, const JsonValue &values);
    void read_argument(const JsonValue &argument, const JsonValue &values, Source &source);
    void read_targets(const JsonValue &specs);
    void read_ranges(const JsonValue &ranges);
    void read_signature(const JsonValue &json, const std::string &path);
    Named<at::Tensor> named(const std::vector<std::string> &names) const;
    const at::Tensor &weight(const std::string &name) const;
    std::vector<IValue> inputs_of(const std::vector<Leaf> &leaves);
    void check_sizes(const std::vector<const Leaf *> &leaves) const;

    Tensors weights_;
    std::vector<std::string> parameter_names_, buffer_names_, input_names_;
    std::vector<Source> sources_;
    std::vector<Target> targets_;
    std::map<std::string, Symbols::Range> ranges_;
    Graph graph_;
    Parameters parameters_;
    Tree results_;
};

Program::Program(const Package &package, const std::string &name)
{
    const std::string &path = package.zip.file->path;
    WeightsReader(package, WEIGHTS).read(name, weights_);
    WeightsReader(package, CONSTANTS).read(name, weights_);
    Unpacked text = package.text("models/" + name + ".json");
    JsonTree tree(text.text(), path);
    JsonValue root = tree.root();
    JsonValue version = root.at("schema_version").at("major");
    if (version.natural("the version of the format", 1'000'000) != 8)
        version.fail("only version 8 of the format of exported programs is known",
                     "export the program with the PyTorch that this LibTorch belongs to");
    JsonValue module = root.at("graph_module"), graph = module.at("graph");
    read_ranges(root.at("range_constraints"));
    graph_ = read_graph(graph);
    read_sources(module);
    read_targets(module.at("signature").at("output_specs"));
    if (sources_.size() != graph_.inputs.size() || targets_.size() != graph_.outputs.size())
        module.fail("the signature and the graph have different inputs or outputs");
    read_signature(module.at("module_call_graph"), path);
}

void Program::read_ranges(const JsonValue &ranges)
{
    ranges.check(JsonNode::Object, "the ranges of symbols");
    auto bound = [](const JsonValue &value) -> std::optional<int64_t> {
        if (!value.exists()) return std::nullopt;
        return value.integer("the bound of a size", INT64_MIN, INT64_MAX);
    };
    for (size_t k = 0; k < ranges.size(); k++) {
        JsonValue range = ranges.value(k);
        ranges_[std::string(ranges.key(k))] = {bound(range.get("min_val")),
                                               bound(range.get("max_val"))};
    }
}

void Program::read_sources(const JsonValue &module)
{
    JsonValue specs = module.at("signature").at("input_specs");
    JsonValue values = module.at("graph").at("tensor_values");
    specs.check(JsonNode::Array, "the inputs of the program");
    for (size_t k = 0; k < specs.size(); k++) sources_.push_back(source_of(specs.item(k), values));
}

Source Program::source_of(const JsonValue &spec, const JsonValue &values)
{
    if (spec.size() != 1) spec.fail("expected an input of one kind");
    std::string_view kind = spec.key(0);
    JsonValue json = spec.value(0);
    Source source;
    source.kind = Source::WEIGHT;
    input_names_.emplace_back();
    if (kind == "user_input") {
        read_argument(json.at("arg"), values, source);
    } else if (kind == "constant_input") {
        source.kind = Source::CONSTANT;
        source.constant = constant_of(json.at("value"));
    } else if (kind == "parameter") {
        source.weight = json.at("parameter_name").text("a name");
        parameter_names_.push_back(source.weight);
    } else if (kind == "buffer") {
        source.weight = json.at("buffer_name").text("a name");
        buffer_names_.push_back(source.weight);
    } else if (kind == "tensor_constant") {
        source.weight = json.at("tensor_constant_name").text("a name");
    } else {
        spec.fail("inputs of the kind " + in_marks(kind) + " are not supported");
    }
    if (source.kind == Source::WEIGHT && !weights_.count(source.weight))
        json.fail("the package has no tensor " + in_marks(source.weight));
    return source;
}

void Program::read_argument(const JsonValue &argument, const JsonValue &values, Source &source)
{
    if (argument.size() != 1) argument.fail("expected an argument of one kind");
    std::string_view kind = argument.key(0);
    JsonValue json = argument.value(0);
    source.kind = Source::ARGUMENT;
    if (kind == "as_tensor") {
        input_names_.back() = json.at("name").text("a name");
        JsonValue meta = values.at(input_names_.back());
        source.dtype = dtype_of_number(meta.at("dtype"));
        JsonValue sizes = meta.at("sizes");
        sizes.check(JsonNode::Array, "a list of sizes");
        for (size_t k = 0; k < sizes.size(); k++) source.sizes.push_back(read_size(sizes.item(k)));
    } else if (kind == "as_sym_int" || kind == "as_int") {
        source.type = c10::IntType::get();
    } else if (kind == "as_sym_float" || kind == "as_float") {
        source.type = c10::FloatType::get();
    } else if (kind == "as_sym_bool" || kind == "as_bool") {
        source.type = c10::BoolType::get();
    } else {
        source.kind = Source::CONSTANT;
    }
}

void Program::read_targets(const JsonValue &specs)
{
    specs.check(JsonNode::Array, "the outputs of the program");
    for (size_t k = 0; k < specs.size(); k++) {
        JsonValue spec = specs.item(k);
        if (spec.size() != 1) spec.fail("expected an output of one kind");
        std::string_view kind = spec.key(0);
        JsonValue json = spec.value(0);
        Target target;
        if (kind == "buffer_mutation") {
            target = {Target::WEIGHT, std::string(json.at("buffer_name").text("a name"))};
        } else if (kind == "parameter_mutation") {
            target = {Target::WEIGHT, std::string(json.at("parameter_name").text("a name"))};
        } else if (kind == "user_input_mutation") {
            target = {Target::ARGUMENT, std::string(json.at("user_input_name").text("a name"))};
        } else if (kind == "token") {
            target.kind = Target::NOTHING;
        } else if (kind != "user_output" && kind != "loss_output") {
            spec.fail("outputs of the kind " + in_marks(kind) + " are not supported");
        }
        if (target.kind == Target::WEIGHT && !weights_.count(target.name))
            json.fail("the package has no tensor " + in_marks(target.name));
        targets_.push_back(std::move(target));
    }
}

void Program::read_signature(const JsonValue &calls, const std::string &path)
{
    calls.check(JsonNode::Array, "the calls of modules");
    for (size_t k = 0; k < calls.size(); k++) {
        if (!calls.item(k).at("fqn").text("a name").empty()) continue;
        JsonValue signature = calls.item(k).at("signature"), names = signature.get("forward_arg_names");
        std::vector<std::string> found;
        for (size_t i = 0; names.is(JsonNode::Array) && i < names.size(); i++)
            found.emplace_back(names.item(i).text("a name"));
        parameters_ = read_parameters(signature.at("in_spec").text("a treespec"), std::move(found),
                                      path);
        results_ = read_tree(signature.at("out_spec").text("a treespec"), path);
        return;
    }
    calls.fail("the program's own signature is missing");
}

const at::Tensor &Program::weight(const std::string &name) const { return weights_.at(name); }

Named<at::Tensor> Program::named(const std::vector<std::string> &names) const
{
    Named<at::Tensor> tensors;
    for (const std::string &name : names) tensors.emplace_back(name, weight(name));
    return tensors;
}

void Program::move(at::Device device)
{
    std::unordered_map<const void *, at::Tensor> moved;  // names may share a tensor
    for (auto &[name, tensor] : weights_) {
        at::Tensor &there = moved[tensor.data_ptr()];
        if (!there.defined() || there.sizes() != tensor.sizes() || there.dtype() != tensor.dtype())
            there = tensor.detach().to(device).requires_grad_(tensor.requires_grad());
        tensor = there;
    }
    move_graph(graph_, device);
}

// Calls.

[[noreturn]] void misfit(const Leaf &leaf, const std::string &wanted)
{
    throw Failure{"argument " + leaf.name + ": expected " + wanted + ", got " +
                      (leaf.value ? shown(*leaf.value) : "nothing"), ""};
}

IValue number_of(const Leaf &leaf, const c10::TypePtr &type)
{
    if (!leaf.value) throw Failure{"argument " + leaf.name + " is missing", ""};
    return converted(*leaf.value, type, leaf.name);
}

const at::Tensor &tensor_of(const Leaf &leaf, const Source &source)
{
    if (!leaf.value) throw Failure{"argument " + leaf.name + " is missing", ""};
    if (leaf.value->kind != CT_TENSOR) misfit(leaf, "a tensor");
    const at::Tensor &tensor = leaf.value->tensor->value;
    if (tensor.scalar_type() != *source.dtype)
        misfit(leaf, "a tensor of " + std::string(dtype_name(*source.dtype)));
    if (static_cast<size_t>(tensor.dim()) != source.sizes.size())
        misfit(leaf, "a tensor of rank " + std::to_string(source.sizes.size()));
    return tensor;
}

// A constant may be left out; another value than the program was exported with is a mistake.
void check_constant(const Leaf &leaf, const IValue &constant)
{
    if (!leaf.value) return;
    Owned exported = result_of(constant);
    ct_value expected = exported.take();
    std::string text = shown(expected), got = shown(*leaf.value);
    ct_value_clear(&expected);
    bool equal = got == text || (constant.isDouble() && leaf.value->kind == CT_INT &&
                                 static_cast<double>(leaf.value->i) == constant.toDouble());
    if (!equal)
        throw Failure{"argument " + leaf.name + ": the program was exported with " + text +
                          ", got " + got, "leave it out, or export the program with that value"};
}

std::string dimension(const Leaf &leaf, size_t k)
{
    return "argument " + leaf.name + ": dimension " + std::to_string(k);
}

void Program::check_sizes(const std::vector<const Leaf *> &leaves) const
{
    Symbols symbols(ranges_);
    auto each = [&](auto visit) {
        for (size_t k = 0; k < sources_.size(); k++) {
            if (!sources_[k].dtype) continue;
            at::IntArrayRef sizes = leaves[k]->value->tensor->value.sizes();
            for (size_t d = 0; d < sizes.size(); d++)
                visit(sources_[k].sizes[d], sizes[d], dimension(*leaves[k], d));
        }
    };
    each([&](const Size &size, int64_t got, const std::string &what) {
        if (size.kind == Size::SYMBOL) symbols.bind(size.symbol, got, what);
    });
    each([&](const Size &size, int64_t got, const std::string &what) {
        std::optional<int64_t> wanted = symbols.value(size);
        if (wanted && *wanted != got)
            throw Failure{what + " is " + std::to_string(got) + ", but the program was exported for " +
                              std::to_string(*wanted),
                          "torch.export's dynamic_shapes says which sizes may vary"};
    });
}

std::vector<IValue> Program::inputs_of(const std::vector<Leaf> &leaves)
{
    std::vector<IValue> inputs;
    std::vector<const Leaf *> of_sources(sources_.size());
    size_t used = 0;
    for (size_t k = 0; k < sources_.size(); k++) {
        const Source &source = sources_[k];
        if (source.kind == Source::WEIGHT) {
            inputs.emplace_back(weight(source.weight));
            continue;
        }
        if (used == leaves.size()) throw Failure{"the program has more inputs than arguments", ""};
        const Leaf &leaf = leaves[used++];
        of_sources[k] = &leaf;
        if (source.kind == Source::CONSTANT) {
            check_constant(leaf, source.constant);
            inputs.push_back(source.constant);
        } else {
            inputs.push_back(source.dtype ? IValue(tensor_of(leaf, source))
                                          : number_of(leaf, source.type));
        }
    }
    check_sizes(of_sources);
    return inputs;
}

Owned Program::call(const ct_value *values, size_t count)
{
    std::vector<IValue> inputs = inputs_of(leaves_of(parameters_, values, count));
    std::vector<IValue> outputs = run(graph_, inputs), results;
    for (size_t k = 0; k < targets_.size(); k++) {
        if (targets_[k].kind == Target::RESULT) results.push_back(std::move(outputs[k]));
        if (targets_[k].kind != Target::WEIGHT && targets_[k].kind != Target::ARGUMENT) continue;
        at::NoGradGuard no_grad;
        if (targets_[k].kind == Target::WEIGHT) {
            weight(targets_[k].name).copy_(outputs[k].toTensor());
            continue;
        }
        for (size_t i = 0; i < input_names_.size(); i++)
            if (input_names_[i] == targets_[k].name)
                inputs[i].toTensor().copy_(outputs[k].toTensor());
    }
    return nested(results_, results);
}

}  // namespace

std::unique_ptr<Model> read_model(const Package &package, const std::string &name)
{
    return std::make_unique<Program>(package, name);
}

}  // namespace ct::exported
