// json_tree.h - a JSON text as a tree, which is fast for tokenizers of megabytes.  C++ only.
//
// The runtime's reader (runtime/text/json.h) finds the tokens.
//
// A value is checked where it is used, and a failure names the byte of the file:
//
//     tree.root().at("model").at("vocab").items(...)
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace ct {

struct JsonNode {
    enum Kind : uint8_t { Null, False, True, Number, String, Array, Object };
    Kind kind = Null;
    uint32_t byte = 0;      // where it begins in the text
    uint32_t size = 0;      // of the text, or the number of items; of an object twice its entries
    union {
        const char *text;        // of a string or a number
        const JsonNode *items;   // of an object each key before its value
    };
};

class JsonTree;

// A value in a tree, or nothing where a key is missing.
class JsonValue {
public:
    JsonValue(const JsonTree &tree, const JsonNode *node) : tree_(&tree), node_(node) {}

    bool exists() const { return node_ && node_->kind != JsonNode::Null; }
    bool is(JsonNode::Kind kind) const { return node_ && node_->kind == kind; }
    bool has(std::string_view key) const { return get(key).node_ != nullptr; }
    // The value of a key, which may be missing; fails if this is not an object.
    JsonValue get(std::string_view key) const;
    // The same for a key that must exist.
    JsonValue at(std::string_view key) const;
    size_t size() const;                   // of an array or an object
    uint64_t byte() const;                 // where it begins in the file
    JsonValue item(size_t k) const;        // of an array
    std::string_view key(size_t k) const;  // of an object
    JsonValue name(size_t k) const;        // its key as a value, which has a place
    JsonValue value(size_t k) const;
    // Fails if a key occurs twice; noun is what messages call a key.
    void check_unique(const char *noun) const;

    std::string_view text(const char *what) const;
    std::string text_or(const char *what, const std::string &otherwise) const;
    int64_t natural(const char *what, int64_t most) const;
    int64_t integer(const char *what, int64_t least, int64_t most) const;
    double real(const char *what) const;     // as Hugging Face's library reads it
    double nearest(const char *what) const;  // the double that is nearest to the number
    bool flag(const char *what, bool otherwise) const;  // what it is if it is missing
    char32_t character(const char *what) const;

    void check(JsonNode::Kind kind, const char *what) const;
    [[noreturn]] void fail(const std::string &what, const std::string &hint = "") const;
    [[noreturn]] void fail_kind(const char *what) const;

private:
    const JsonTree *tree_;
    const JsonNode *node_;
};

class JsonTree {
public:
    // text must live as long as the tree.  For messages: the name of the file, and the place of the
    // text in it.
    JsonTree(std::string_view text, const std::string &name, uint64_t first_byte = 0);

    JsonValue root() const { return {*this, &root_}; }
    const std::string &name() const { return name_; }
    [[noreturn]] void fail(size_t byte, const std::string &what,
                           const std::string &hint = "") const;

private:
    friend class JsonValue;
    friend class TreeReader;

    std::string_view text_;
    std::string name_;
    uint64_t first_byte_;
    JsonNode root_;
    std::deque<std::string> unescaped_;
    std::deque<std::vector<JsonNode>> blocks_;
};

std::string in_marks(std::string_view text);   // for messages, cut if it is long
std::string json_text(std::string_view text);  // a JSON string

}  // namespace ct
