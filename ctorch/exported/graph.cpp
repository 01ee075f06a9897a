// graph.cpp - graphs of operators: from JSON to nodes whose values have slots.
//
//     {"target": "torch.ops.aten.relu.default", "inputs": [...], "outputs": [...]}
//
// A slot holds the value of one name.  A run lets a value go after the last node that reads it.

#include "exported/program.h"

#include <unordered_map>
#include <unordered_set>

namespace ct::exported {

namespace {

constexpr size_t LARGEST = 100'000'000;  // of a list or a graph in a file
constexpr std::string_view OPERATORS = "torch.ops.", HIGHER_ORDER = "torch.ops.higher_order.";

at::Layout layout_of(const JsonValue &value)
{
    if (value.natural("the number of a layout", 1000) != 7)
        value.fail("only dense tensors are supported, which have layout 7");
    return at::kStrided;
}

at::MemoryFormat memory_format_of(const JsonValue &value)
{
    static constexpr at::MemoryFormat formats[] = {
        at::MemoryFormat::Contiguous, at::MemoryFormat::ChannelsLast,
        at::MemoryFormat::ChannelsLast3d, at::MemoryFormat::Preserve};
    int64_t number = value.natural("the number of a memory format", 4);
    if (number == 0) value.fail("this memory format is not known");
    return formats[number - 1];
}

at::Device device_of(const JsonValue &value)
{
    std::string name(value.at("type").text("the name of a device"));
    JsonValue index = value.get("index");
    if (index.exists())
        name += ":" + std::to_string(index.natural("the number of a device", 127));
    return device_from(name);
}

// The one entry of an object that stands for a value of several kinds: {"as_int": 3}.
std::pair<std::string_view, JsonValue> variant(const JsonValue &value)
{
    value.check(JsonNode::Object, "an argument");
    if (value.size() != 1) value.fail("expected an argument of one kind");
    return {value.key(0), value.value(0)};
}

class Reader {
public:
    Graph read(const JsonValue &json);

private:
    size_t slot(std::string_view name, const JsonValue &where) const;
    size_t new_slot(std::string_view name, const JsonValue &where);
    size_t output_slot(const JsonValue &argument);
    Input input(const JsonValue &argument);
    Input named(const JsonValue &name) const { return value_in(slot(name.text("a name"), name)); }
    Input value_in(size_t slot) const;
    Input list(const JsonValue &values, Input (Reader::*item)(const JsonValue &));
    Input tensor(const JsonValue &argument) { return named(argument.at("name")); }
    Input symbolic(const JsonValue &argument);
    Input optional_tensor(const JsonValue &argument);
    Input integer(const JsonValue &x) { return constant(x.integer("an integer", INT64_MIN, INT64_MAX)); }
    Input real(const JsonValue &x) { return constant(real_of_text(x)); }
    Input boolean(const JsonValue &x) { return constant(x.flag("a boolean", false)); }
    Input string(const JsonValue &x) { return constant(std::string(x.text("a string"))); }
    Input integers(const JsonValue &x) { return list(x, &Reader::integer); }
    Input reals(const JsonValue &x) { return list(x, &Reader::real); }
    Input tensors(const JsonValue &x) { return list(x, &Reader::tensor); }
    Input graph(const JsonValue &argument);

    static Input constant(IValue value)
    {
        Input input;
        input.constant = std::move(value);
        return input;
    }

    Node node(const JsonValue &json);
    void find_target(Node &node, const JsonValue &json);
    void read_operands(Node &node, const JsonValue &json);
    void read_outputs(Node &node, const JsonValue &json);
    void find_last_uses();

    Graph graph_;
    std::unordered_map<std::string, size_t> slots_;
};

size_t Reader::slot(std::string_view name, const JsonValue &where) const
{
    auto found = slots_.find(std::string(name));
    if (found == slots_.end()) where.fail("no node before this one is called " + in_marks(name));
    return found->second;
}

size_t Reader::new_slot(std::string_view name, const JsonValue &where)
{
    if (!slots_.emplace(name, graph_.slots).second)
        where.fail("the name " + in_marks(name) + " occurs twice");
    return graph_.slots++;
}

Input Reader::value_in(size_t slot) const
{
    Input input;
    input.kind = Input::SLOT;
    input.slot = slot;
    return input;
}

Input Reader::list(const JsonValue &values, Input (Reader::*item)(const JsonValue &))
{
    values.check(JsonNode::Array, "a list");
    Input input;
    input.kind = Input::LIST;
    for (size_t k = 0; k < values.size(); k++)
        input.items.push_back((this->*item)(values.item(k)));
    return input;
}

// A size or another number that is known, or computed: {"as_name": "mul_1"}.
Input Reader::symbolic(const JsonValue &argument)
{
    auto [kind, value] = variant(argument);
    if (kind == "as_name") return named(value);
    if (kind == "as_int") return integer(value);
    if (kind == "as_float") return real(value);
    if (kind == "as_bool") return boolean(value);
    argument.fail("expected a name or a number");
}

Input Reader::optional_tensor(const JsonValue &argument)
{
    auto [kind, value] = variant(argument);
    return kind == "as_tensor" ? tensor(value) : constant(IValue());
}

Input Reader::graph(const JsonValue &argument)
{
    Input input;
    input.kind = Input::GRAPH;
    input.graph = std::make_shared<Graph>(read_graph(argument.at("graph")));
    return input;
}

Input Reader::input(const JsonValue &argument)
{
    auto [kind, value] = variant(argument);
    if (kind == "as_tensor") return tensor(value);
    if (kind == "as_int") return integer(value);
    if (kind == "as_float") return real(value);
    if (kind == "as_bool") return boolean(value);
    if (kind == "as_none") return constant(IValue());
    if (kind == "as_string") return string(value);
    if (kind == "as_ints") return integers(value);
    if (kind == "as_floats") return reals(value);
    if (kind == "as_bools") return list(value, &Reader::boolean);
    if (kind == "as_strings") return list(value, &Reader::string);
    if (kind == "as_tensors") return tensors(value);
    if (kind == "as_optional_tensor") return optional_tensor(value);
    if (kind == "as_optional_tensors") return list(value, &Reader::optional_tensor);
    if (kind == "as_nested_tensors") return list(value, &Reader::tensors);
    if (kind == "as_int_lists") return list(value, &Reader::integers);
    if (kind == "as_float_lists") return list(value, &Reader::reals);
    if (kind == "as_sym_int" || kind == "as_sym_float" || kind == "as_sym_bool")
        return symbolic(value);
    if (kind == "as_sym_ints" || kind == "as_sym_floats" || kind == "as_sym_bools")
        return list(value, &Reader::symbolic);
    if (kind == "as_scalar_type") return constant(static_cast<int64_t>(dtype_of_number(value)));
    if (kind == "as_layout") return constant(static_cast<int64_t>(layout_of(value)));
    if (kind == "as_memory_format") return constant(static_cast<int64_t>(memory_format_of(value)));
    if (kind == "as_device") return constant(device_of(value));
    if (kind == "as_complex")
        return constant(c10::complex<double>(real_of_text(value.at("real")),
                                             real_of_text(value.at("imag"))));
    if (kind == "as_graph") return graph(value);
    argument.fail("arguments of the kind " + in_marks(kind) + " are not supported");
}

// What a node does.

std::optional<HigherOrder> higher_order(std::string_view name)
{
    if (name == "cond") return HigherOrder::COND;
    if (name == "while_loop") return HigherOrder::WHILE_LOOP;
    if (name == "wrap_with_set_grad_enabled") return HigherOrder::SET_GRAD;
    if (name == "wrap_with_autocast") return HigherOrder::AUTOCAST;
    return std::nullopt;
}

// "aten.add.Tensor" => aten::add.Tensor
std::optional<c10::OperatorHandle> operator_of(std::string_view name)
{
    size_t first = name.find('.'), last = name.rfind('.');
    if (first == std::string_view::npos || first == last) return std::nullopt;
    std::string overload(name.substr(last + 1));
    if (overload == "default") overload.clear();
    std::string full = std::string(name.substr(0, first)) + "::" +
                       std::string(name.substr(first + 1, last - first - 1));
    return c10::Dispatcher::singleton().findSchema({full, overload});
}

void Reader::find_target(Node &node, const JsonValue &json)
{
    JsonValue target = json.at("target");
    std::string_view text = target.text("the name of an operator");
    node.target = text;
    if (text.starts_with(HIGHER_ORDER)) {
        node.higher_order = higher_order(text.substr(HIGHER_ORDER.size()));
    } else if (text.starts_with(OPERATORS)) {
        node.target = text.substr(OPERATORS.size());
        node.op = operator_of(node.target);
    } else {
        node.function = size_function(text);
    }
    if (!node.op && !node.function && !node.higher_order)
        target.fail("the operator " + in_marks(text) + " does not exist here",
                    "operators of Python's packages, and their kernels, are not in LibTorch; "
                    "program.run_decompositions() before torch.export.save may replace them");
}

// An operator's arguments by its schema, with the defaults of those that are left out.
void Reader::read_operands(Node &node, const JsonValue &json)
{
    JsonValue given = json.at("inputs");
    given.check(JsonNode::Array, "a list of arguments");
    if (!node.op) {
        for (size_t k = 0; k < given.size(); k++)
            node.inputs.push_back(input(given.item(k).at("arg")));
        return;
    }
    const auto &parameters = node.op->schema().arguments();
    std::vector<bool> seen(parameters.size());
    for (const c10::Argument &parameter : parameters)
        node.inputs.push_back(constant(parameter.default_value().value_or(IValue())));
    for (size_t k = 0; k < given.size(); k++) {
        JsonValue name = given.item(k).at("name");
        size_t place = 0;
        while (place < parameters.size() && parameters[place].name() != name.text("a name")) place++;
        if (place == parameters.size()) name.fail("the operator has no such argument");
        Input value = input(given.item(k).at("arg"));
        if (value.kind == Input::CONSTANT)
            value.constant = suited(value.constant, *parameters[place].type());
        node.inputs[place] = std::move(value);
        seen[place] = true;
    }
    for (size_t k = 0; k < parameters.size(); k++)
        if (!seen[k] && !parameters[k].default_value())
            json.fail("the argument " + in_marks(parameters[k].name()) + " is missing");
}

size_t Reader::output_slot(const JsonValue &argument)
{
    auto [kind, value] = variant(argument);
    if (kind == "as_tensor") return new_slot(value.at("name").text("a name"), value);
    if (kind == "as_none") return NO_SLOT;
    if (kind == "as_sym_int" || kind == "as_sym_float" || kind == "as_sym_bool") {
        JsonValue name = value.get("as_name");
        return name.exists() ? new_slot(name.text("a name"), value) : NO_SLOT;
    }
    if (kind == "as_optional_tensor") return output_slot(value);
    if (kind == "as_int" || kind == "as_float" || kind == "as_bool") return NO_SLOT;
    argument.fail("results of the kind " + in_marks(kind) + " are not supported");
}

void Reader::read_outputs(Node &node, const JsonValue &json)
{
    JsonValue outputs = json.at("outputs");
    outputs.check(JsonNode::Array, "a list of results");
    if (outputs.size() == 1 && variant(outputs.item(0)).first == "as_tensors") {
        node.is_list = true;
        JsonValue tensors = variant(outputs.item(0)).second;
        tensors.check(JsonNode::Array, "a list of tensors");
        for (size_t k = 0; k < tensors.size(); k++)
            node.outputs.push_back(new_slot(tensors.item(k).at("name").text("a name"), tensors));
        return;
    }
    for (size_t k = 0; k < outputs.size(); k++)
        node.outputs.push_back(output_slot(outputs.item(k)));
    size_t least = node.op ? node.op->schema().returns().size() : node.outputs.size();
    if (node.outputs.size() > least) outputs.fail("the operator has fewer results");
}

Node Reader::node(const JsonValue &json)
{
    Node node;
    find_target(node, json);
    read_operands(node, json);
    read_outputs(node, json);
    node.name = json.get("name").text_or("a name", node.target);
    return node;
}

void mark(const Input &input, std::vector<size_t> &last, size_t at)
{
    if (input.kind == Input::SLOT) last[input.slot] = at;
    for (const Input &item : input.items) mark(item, last, at);
}

void Reader::find_last_uses()
{
    constexpr size_t UNUSED = SIZE_MAX;
    std::vector<size_t> last(graph_.slots, UNUSED);
    for (size_t k = 0; k < graph_.nodes.size(); k++) {
        for (size_t slot : graph_.nodes[k].outputs)
            if (slot != NO_SLOT) last[slot] = k;
        for (const Input &input : graph_.nodes[k].inputs) mark(input, last, k);
    }
    for (const Input &output : graph_.outputs) mark(output, last, UNUSED);
    for (size_t slot = 0; slot < last.size(); slot++)
        if (last[slot] != UNUSED) graph_.nodes[last[slot]].last_uses.push_back(slot);
}

Graph Reader::read(const JsonValue &json)
{
    JsonValue inputs = json.at("inputs"), nodes = json.at("nodes"), outputs = json.at("outputs");
    for (const JsonValue &array : {inputs, nodes, outputs}) array.check(JsonNode::Array, "a list");
    if (nodes.size() > LARGEST) nodes.fail("the graph has too many nodes");
    for (size_t k = 0; k < inputs.size(); k++) graph_.inputs.push_back(output_slot(inputs.item(k)));
    for (size_t k = 0; k < nodes.size(); k++) graph_.nodes.push_back(node(nodes.item(k)));
    for (size_t k = 0; k < outputs.size(); k++) graph_.outputs.push_back(input(outputs.item(k)));
    find_last_uses();
    return std::move(graph_);
}

void move_input(Input &input, at::Device device)
{
    if (input.kind == Input::CONSTANT && input.constant.isDevice()) input.constant = device;
    for (Input &item : input.items) move_input(item, device);
    if (input.graph) move_graph(*input.graph, device);
}

}  // namespace

// torch/_export/serde/schema.py's numbers of dtypes.
at::ScalarType dtype_of_number(const JsonValue &value)
{
    static const std::map<int64_t, at::ScalarType> dtypes = {
        {1, at::kByte}, {2, at::kChar}, {3, at::kShort}, {4, at::kInt}, {5, at::kLong},
        {6, at::kHalf}, {7, at::kFloat}, {8, at::kDouble}, {9, at::kComplexHalf},
        {10, at::kComplexFloat}, {11, at::kComplexDouble}, {12, at::kBool}, {13, at::kBFloat16},
        {28, at::kUInt16}, {29, at::kFloat8_e4m3fn}, {30, at::kFloat8_e5m2},
        {31, at::kFloat8_e4m3fnuz}, {32, at::kFloat8_e5m2fnuz}, {33, at::kFloat8_e8m0fnu},
        {34, at::kUInt32}, {35, at::kUInt64},
    };
    auto found = dtypes.find(value.natural("the number of a dtype", 1000));
    if (found == dtypes.end()) value.fail("this dtype is not known");
    return found->second;
}

// JSON has no infinities: they are texts.
double real_of_text(const JsonValue &value)
{
    if (!value.is(JsonNode::String)) return value.nearest("a number");
    std::string_view text = value.text("a number");
    if (text == "Infinity") return std::numeric_limits<double>::infinity();
    if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
    if (text != "NaN") value.fail_kind("a number");
    return std::numeric_limits<double>::quiet_NaN();
}

Graph read_graph(const JsonValue &graph) { return Reader().read(graph); }

void move_graph(Graph &graph, at::Device device)
{
    for (Node &node : graph.nodes)
        for (Input &input : node.inputs) move_input(input, device);
}

}  // namespace ct::exported
