// trees.cpp - how the arguments and results of a program nest, after Python's treespecs.
//
//     [1, {"type": "builtins.tuple", "context": "null", "children_spec": [...]}]
//
// Tuples and lists are lists here, dictionaries and the classes of transformers' results hash
// tables.

#include "exported/program.h"
#include "dispatch/call.h"
#include "torchscript/module.h"

namespace ct::exported {

namespace {

// The keys in the context of a node: a list of texts; empty if it is none.
std::vector<std::string> keys_in(std::string_view context, const std::string &path)
{
    std::vector<std::string> keys;
    if (!context.starts_with("[")) return keys;
    JsonTree tree(context, path);
    JsonValue list = tree.root();
    for (size_t k = 0; k < list.size(); k++)
        if (list.item(k).is(JsonNode::String)) keys.emplace_back(list.item(k).text("a key"));
        else keys.push_back(std::to_string(list.item(k).integer("a key", INT64_MIN, INT64_MAX)));
    return keys;
}

// defaultdict keeps its keys in an object.
std::vector<std::string> keys_of(const JsonValue &context, const std::string &path)
{
    if (!context.is(JsonNode::String)) return {};
    std::string_view text = context.text("a context");
    if (!text.starts_with("{")) return keys_in(text, path);
    JsonTree tree(text, path);
    std::vector<std::string> keys;
    JsonValue list = tree.root().get("dict_context");
    if (!list.is(JsonNode::Array)) return keys;
    for (size_t k = 0; k < list.size(); k++) keys.emplace_back(list.item(k).text("a key"));
    return keys;
}

Tree tree_of(const JsonValue &json, const std::string &path)
{
    Tree tree;
    JsonValue type = json.at("type");
    if (!type.exists()) return tree;
    if (type.text("the name of a type").ends_with("NoneType")) {
        tree.kind = Tree::NOTHING;
        return tree;
    }
    JsonValue children = json.at("children_spec");
    children.check(JsonNode::Array, "a list");
    for (size_t k = 0; k < children.size(); k++)
        tree.children.push_back(tree_of(children.item(k), path));
    tree.keys = keys_of(json.get("context"), path);
    bool has_keys = !tree.keys.empty() || type.text("").ends_with("dict");
    tree.kind = has_keys && tree.keys.size() == tree.children.size() ? Tree::TABLE : Tree::LIST;
    return tree;
}

CallParameters call_parameters(const Parameters &parameters)
{
    CallParameters found;
    found.usage = "the program's arguments:";
    for (size_t k = 0; k < parameters.count(); k++) {
        found.names.push_back(lisp_name(parameters.name(k)));
        found.usage += " " + found.names.back();
    }
    found.positional = parameters.positional.children.size();
    found.too_many = "expected at most " + std::to_string(found.positional) +
                     " arguments before keywords";
    return found;
}

const ct_value &entry(const ct_value &table, const std::string &key, const std::string &name)
{
    for (size_t k = 0; k + 1 < table.count; k += 2) {
        const ct_value &candidate = table.items[k];
        if ((candidate.kind == CT_STRING || candidate.kind == CT_SYMBOL) && candidate.text == key)
            return table.items[k + 1];
    }
    throw Failure{"argument " + name + ": the hash table has no key " + in_quotes(key), ""};
}

class Leaves {
public:
    void add(const Tree &tree, const ct_value *value, const std::string &name)
    {
        switch (tree.kind) {
        case Tree::LEAF: leaves.push_back({value, name}); break;
        case Tree::NOTHING:
            if (value && !is_absent(*value))
                throw Failure{"argument " + name + ": the program was exported with #f, got " +
                                  shown(*value), ""};
            break;
        case Tree::LIST: add_list(tree, value, name); break;
        case Tree::TABLE: add_table(tree, value, name); break;
        }
    }

    std::vector<Leaf> leaves;

private:
    void add_list(const Tree &tree, const ct_value *value, const std::string &name)
    {
        size_t size = tree.children.size();
        if (value && (value->kind != CT_LIST || value->count != size))
            throw Failure{"argument " + name + ": expected a list of " + std::to_string(size) +
                              ", got " + shown(*value), ""};
        for (size_t k = 0; k < size; k++)
            add(tree.children[k], value ? &value->items[k] : nullptr,
                name + " " + std::to_string(k));
    }

    void add_table(const Tree &tree, const ct_value *value, const std::string &name)
    {
        if (value && value->kind != CT_TABLE)
            throw Failure{"argument " + name + ": expected a hash table, got " + shown(*value), ""};
        for (size_t k = 0; k < tree.children.size(); k++)
            add(tree.children[k], value ? &entry(*value, tree.keys[k], name) : nullptr,
                name + " " + tree.keys[k]);
    }
};

Owned nested_at(const Tree &tree, std::vector<IValue> &leaves, size_t &used)
{
    if (tree.kind == Tree::NOTHING) return Owned();
    if (tree.kind == Tree::LEAF) {
        if (used == leaves.size()) throw Failure{"the program has fewer results than its tree", ""};
        return result_of(leaves[used++]);
    }
    std::vector<Owned> items;
    for (size_t k = 0; k < tree.children.size(); k++) {
        if (tree.kind == Tree::TABLE) items.push_back(Owned::text(CT_STRING, tree.keys[k]));
        items.push_back(nested_at(tree.children[k], leaves, used));
    }
    return Owned::items(tree.kind == Tree::TABLE ? CT_TABLE : CT_LIST, std::move(items));
}

}  // namespace

Tree read_tree(std::string_view text, const std::string &path)
{
    JsonTree json(text, path);
    JsonValue root = json.root();
    root.check(JsonNode::Array, "a treespec");
    if (root.size() != 2) root.fail("expected a treespec of two parts");
    if (root.item(0).natural("the version of a treespec", 1000) != 1)
        root.fail("this version of treespecs is not known");
    return tree_of(root.item(1), path);
}

std::string Parameters::name(size_t k) const
{
    if (k < names.size()) return names[k];
    size_t first = positional.children.size();
    if (k >= first && k - first < keywords.keys.size()) return keywords.keys[k - first];
    return std::to_string(k + 1);
}

const Tree &Parameters::tree(size_t k) const
{
    size_t first = positional.children.size();
    return k < first ? positional.children[k] : keywords.children[k - first];
}

Parameters read_parameters(std::string_view spec, std::vector<std::string> names,
                           const std::string &path)
{
    Tree both = read_tree(spec, path);
    if (both.children.size() != 2)
        fail_about(path, "the program's arguments are not positional ones and keywords");
    return {std::move(both.children[0]), std::move(both.children[1]), std::move(names)};
}

std::vector<Leaf> leaves_of(const Parameters &parameters, const ct_value *values, size_t count)
{
    CallParameters called = call_parameters(parameters);
    std::vector<const ct_value *> found = bound(called, values, count);
    Leaves all;
    for (size_t k = 0; k < found.size(); k++)
        all.add(parameters.tree(k), found[k], called.names[k]);
    return std::move(all.leaves);
}

Owned nested(const Tree &tree, std::vector<IValue> &leaves)
{
    size_t used = 0;
    return nested_at(tree, leaves, used);
}

}  // namespace ct::exported
