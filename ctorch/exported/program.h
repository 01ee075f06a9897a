// program.h - exported programs: what the files that read and run them share.  C++ only.
//
//     torch.export.save(program, "m.pt2")   =>   (load-module "m.pt2")
//
// A package is a ZIP archive of models: graphs of operators in JSON, which run here, node by node;
// or libraries that AOTInductor has compiled, which LibTorch loads (compiled.cpp).  The JSON is that
// of torch/_export/serde/schema.py.
#pragma once

#include "dispatch/schema.h"
#include "files/procedures.h"
#include "files/zip.h"
#include "text/json_tree.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>

#include <map>
#include <memory>
#include <optional>

namespace ct::exported {

using c10::IValue;

// Graphs: graph.cpp reads them.

struct Graph;

// What a node gets: a constant, the value in a slot of the run, a list of such, or a graph.
struct Input {
    enum Kind { CONSTANT, SLOT, LIST, GRAPH };
    Kind kind = CONSTANT;
    IValue constant;
    size_t slot = 0;
    std::vector<Input> items;
    std::shared_ptr<Graph> graph;
};

// A function of integers, real numbers and booleans, such as _operator.floordiv.
using SizeFunction = IValue (*)(const std::vector<IValue> &);

enum class HigherOrder { COND, WHILE_LOOP, SET_GRAD, AUTOCAST };

constexpr size_t NO_SLOT = SIZE_MAX;

struct Node {
    std::string name, target;
    // What it does: one of these.
    std::optional<c10::OperatorHandle> op;
    SizeFunction function = nullptr;
    std::optional<HigherOrder> higher_order;
    std::vector<Input> inputs;     // of an operator: by its schema
    std::vector<size_t> outputs;   // slots, or NO_SLOT
    bool is_list = false;          // whether the outputs are the elements of one list
    std::vector<size_t> last_uses;  // slots that no later node reads
};

struct Graph {
    size_t slots = 0;
    std::vector<size_t> inputs;    // slots; NO_SLOT for a constant
    std::vector<Node> nodes;
    std::vector<Input> outputs;
};

// The dtype of schema.py's number.
at::ScalarType dtype_of_number(const JsonValue &value);
// A number, or the text of an infinity.
double real_of_text(const JsonValue &value);
Graph read_graph(const JsonValue &graph);
// The program's devices become this one.
void move_graph(Graph &graph, at::Device device);

// run.cpp

std::vector<IValue> run(const Graph &graph, std::vector<IValue> inputs);
// The value as a parameter of that type takes it: a number for a tensor is one without dimensions.
IValue suited(IValue value, const c10::Type &type);

// sizes.cpp

// The function of that name; NULL if there is none.
SizeFunction size_function(std::string_view target);

// A size of an input: a number, or an expression of symbols.
struct Size {
    enum Kind { NUMBER, SYMBOL, SUM, PRODUCT, OTHER };
    Kind kind = OTHER;
    int64_t number = 0;
    std::string symbol;
    std::vector<Size> terms;
};
Size read_size(const JsonValue &size);

// What the symbols of a call stand for.
class Symbols {
public:
    struct Range { std::optional<int64_t> least, most; };
    explicit Symbols(const std::map<std::string, Range> &ranges) : ranges_(ranges) {}

    // Takes a symbol's number from an argument; fails if it is outside of the range that the program
    // was exported for, or differs from what the symbol stands for.
    void bind(const std::string &symbol, int64_t number, const std::string &what);
    // The number of an expression; none if it has other operations or unknown symbols.
    std::optional<int64_t> value(const Size &size) const;

private:
    const std::map<std::string, Range> &ranges_;
    std::map<std::string, std::pair<int64_t, std::string>> bound_;
};

// trees.cpp: how arguments and results nest.

struct Tree {
    enum Kind { LEAF, NOTHING, LIST, TABLE };
    Kind kind = LEAF;
    std::vector<std::string> keys;  // of a table
    std::vector<Tree> children;
};

// text: Python's treespec in JSON.
Tree read_tree(std::string_view text, const std::string &path);

// The parameters of a program: how they are named and nest.
struct Parameters {
    Tree positional, keywords;
    std::vector<std::string> names;  // of both, where the program has them

    size_t count() const { return positional.children.size() + keywords.children.size(); }
    std::string name(size_t k) const;
    const Tree &tree(size_t k) const;
};
Parameters read_parameters(std::string_view spec, std::vector<std::string> names,
                           const std::string &path);

// An argument without parts.  value: NULL if the call leaves it out.
struct Leaf {
    const ct_value *value;
    std::string name;
};
// The leaves of a call's arguments, in the order of the program's inputs.
std::vector<Leaf> leaves_of(const Parameters &parameters, const ct_value *values, size_t count);
// The results, nested as the tree is.
Owned nested(const Tree &tree, std::vector<IValue> &leaves);

// Models in packages.

class Model {
public:
    virtual ~Model() = default;
    virtual Owned call(const ct_value *values, size_t count) = 0;
    virtual Named<at::Tensor> parameters() const = 0;
    virtual Named<at::Tensor> buffers() const = 0;
    virtual void move(at::Device device) = 0;
};

// A package that has been opened: root is the folder that its names begin with.
struct Package {
    Zip zip;
    std::string root;

    const ZipEntry &entry(const std::string &name) const;
    // The text of an entry, whose checksum is right.
    Unpacked text(const std::string &name) const;
};

// model.cpp
std::unique_ptr<Model> read_model(const Package &package, const std::string &name);
// compiled.cpp
std::unique_ptr<Model> load_compiled(const Package &package, const std::string &name);

// package.cpp

// Whether an archive is a package of exported programs.
bool is_package(const Zip &zip);
// All of its models, as one module.
Owned load_package(Zip zip);

}  // namespace ct::exported
