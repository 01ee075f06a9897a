// json_tree.cpp - building the tree from tokens, and asking it.

#include "text/json_tree.h"

#include "errors/interrupts.h"
#include "text/failure.h"
#include "text/text.h"

#include "../runtime/text/json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <unordered_set>

namespace ct {

namespace {

constexpr size_t LONGEST_SHOWN = 60;   // bytes of a text in a message
constexpr size_t LONGEST_PATH = 4096;  // of a file's name there
constexpr size_t LARGEST = 0xFFFFFFFF;

const char *kind_name(const JsonNode *node)
{
    if (!node) return "nothing";
    switch (node->kind) {
    case JsonNode::Null: return "null";
    case JsonNode::False: return "false";
    case JsonNode::True: return "true";
    case JsonNode::Number: return "a number";
    case JsonNode::String: return "a string";
    case JsonNode::Array: return "an array";
    case JsonNode::Object: return "an object";
    }
    return "";
}

std::string in_marks_up_to(std::string_view text, size_t longest)
{
    bool cut = text.size() > longest;
    if (cut) {
        size_t end = longest;
        while (end > 0 && is_inside_character(text[end])) end--;
        text = text.substr(0, end);
    }
    std::string out = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        if (static_cast<unsigned char>(c) < ' ' || c == 0x7F) {
            char escaped[8];
            std::snprintf(escaped, sizeof escaped, "\\x%x;", static_cast<unsigned char>(c));
            out += escaped;
        } else {
            out += c;
        }
    }
    return out + (cut ? "..." : "") + "\"";
}

}  // namespace

std::string in_marks(std::string_view text) { return in_marks_up_to(text, LONGEST_SHOWN); }

std::string json_text(std::string_view text)
{
    std::string out = "\"";
    char escape[RT_JSON_LONGEST_ESCAPE];
    for (char c : text) {
        int size = rt_json_escape(static_cast<unsigned char>(c), escape);
        if (size > 0) out.append(escape, static_cast<size_t>(size));
        else out += c;
    }
    return out + "\"";
}

// Values.

JsonValue JsonValue::get(std::string_view key) const
{
    check(JsonNode::Object, "an object");
    for (uint32_t k = 0; k < node_->size; k += 2)
        if (std::string_view(node_->items[k].text, node_->items[k].size) == key)
            return {*tree_, &node_->items[k + 1]};
    return {*tree_, nullptr};
}

JsonValue JsonValue::at(std::string_view key) const
{
    JsonValue found = get(key);
    if (!found.node_) fail("the object has no entry " + in_marks(key));
    return found;
}

size_t JsonValue::size() const { return is(JsonNode::Object) ? node_->size / 2 : node_->size; }
uint64_t JsonValue::byte() const { return tree_->first_byte_ + node_->byte; }
JsonValue JsonValue::item(size_t k) const { return {*tree_, &node_->items[k]}; }

std::string_view JsonValue::key(size_t k) const
{
    return {node_->items[2 * k].text, node_->items[2 * k].size};
}

JsonValue JsonValue::name(size_t k) const { return {*tree_, &node_->items[2 * k]}; }
JsonValue JsonValue::value(size_t k) const { return {*tree_, &node_->items[2 * k + 1]}; }

void JsonValue::check_unique(const char *noun) const
{
    constexpr size_t FEW = 8;  // need no table
    std::unordered_set<std::string_view> seen;
    for (size_t k = 1; k < size(); k++) {
        bool is_twice = false;
        if (size() <= FEW)
            for (size_t i = 0; i < k; i++) is_twice |= key(i) == key(k);
        else
            is_twice = !seen.insert(key(k)).second || key(0) == key(k);
        if (is_twice)
            name(k).fail(std::string("the ") + noun + " " + in_marks(key(k)) + " occurs twice");
    }
}

std::string_view JsonValue::text(const char *what) const
{
    if (!is(JsonNode::String)) fail_kind(what);
    return {node_->text, node_->size};
}

std::string JsonValue::text_or(const char *what, const std::string &otherwise) const
{
    return exists() ? std::string(text(what)) : otherwise;
}

int64_t JsonValue::natural(const char *what, int64_t most) const
{
    return integer(what, 0, most);
}

int64_t JsonValue::integer(const char *what, int64_t least, int64_t most) const
{
    if (!is(JsonNode::Number)) fail_kind(what);
    int64_t number = 0;
    auto [end, error] = std::from_chars(node_->text, node_->text + node_->size, number);
    if (error != std::errc() || end != node_->text + node_->size || number < least || number > most)
        fail(std::string("expected ") + what + " from " + std::to_string(least) + " to " +
             std::to_string(most) + ", got " +
             std::string(node_->text, std::min<size_t>(node_->size, LONGEST_SHOWN)));
    return number;
}

namespace {

// Ten to a power, correctly rounded.
double power_of_ten(int64_t exponent)
{
    double power = 0;
    std::string text = "1e" + std::to_string(exponent);
    std::from_chars(text.data(), text.data() + text.size(), power);
    return power;
}

// The number as Hugging Face's library reads it: as many digits as 64 bits hold, times a power of
// ten.  A tenth of all scores differs in the last bit from the nearest number, and with scores, the
// choice between equally likely ways to cut a word.
double number_of_digits(std::string_view text)
{
    constexpr int64_t GREATEST = 308, MOST = 100000;
    uint64_t digits = 0;
    int64_t exponent = 0, written = 0;
    bool negative = text.starts_with('-'), fraction = false, full = false;
    size_t e = std::min(text.find_first_of("eE"), text.size());
    for (char c : text.substr(0, e)) {
        if (c == '.') fraction = true;
        if (c < '0' || c > '9') continue;
        auto digit = static_cast<uint64_t>(c - '0');
        full = full || digits > (UINT64_MAX - digit) / 10;
        if (full) exponent += !fraction;
        else digits = digits * 10 + digit, exponent -= fraction;
    }
    if (e < text.size()) {
        const char *from = text.data() + e + 1 + (text.substr(e + 1, 1) == "+");
        auto end = std::from_chars(from, text.data() + text.size(), written);
        if (end.ec != std::errc()) written = *from == '-' ? -MOST : MOST;
    }
    exponent += std::clamp(written, -MOST, MOST);
    auto number = static_cast<double>(digits);
    for (; exponent < -GREATEST && number != 0; exponent += GREATEST) number /= 1e308;
    if (number == 0) exponent = 0;
    if (exponent < 0) number /= power_of_ten(-exponent);
    else if (exponent > GREATEST) number = INFINITY;
    else number *= power_of_ten(exponent);
    return negative ? -number : number;
}

}  // namespace

double JsonValue::real(const char *what) const
{
    if (!is(JsonNode::Number)) fail_kind(what);
    double number = number_of_digits({node_->text, node_->size});
    if (!std::isfinite(number))
        fail(std::string("expected ") + what + ", got a number beyond all doubles");
    return number;
}

double JsonValue::nearest(const char *what) const
{
    if (!is(JsonNode::Number)) fail_kind(what);
    double number = 0;
    std::from_chars(node_->text, node_->text + node_->size, number);
    return number;
}

bool JsonValue::flag(const char *what, bool otherwise) const
{
    if (!exists()) return otherwise;
    if (!is(JsonNode::True) && !is(JsonNode::False)) fail_kind(what);
    return is(JsonNode::True);
}

char32_t JsonValue::character(const char *what) const
{
    std::string_view given = text(what);
    size_t at = 0;
    if (given.empty() || character_length(given[0]) != given.size()) fail_kind(what);
    return next_character(given, at);
}

void JsonValue::check(JsonNode::Kind kind, const char *what) const
{
    if (!is(kind)) fail_kind(what);
}

void JsonValue::fail(const std::string &what, const std::string &hint) const
{
    if (node_) tree_->fail(node_->byte, what, hint);
    fail_tokenizer(in_marks_up_to(tree_->name(), LONGEST_PATH) + ": " + what, hint);
}

void JsonValue::fail_kind(const char *what) const
{
    std::string got = kind_name(node_);
    if (is(JsonNode::String)) got = in_marks({node_->text, node_->size});
    fail(std::string("expected ") + what + ", got " + got);
}

// Reading.

namespace {

// Lets Ctrl-C in between two parts of the text, whose size is that of `source`.
int more_of_text(rt_json *in)
{
    size_t size = static_cast<std::string_view *>(in->source)->size();
    if (in->size == size) return 0;
    try {
        poll_interrupt();
    } catch (const Raised &) {  // it cannot pass through C
        return -1;
    }
    in->size = std::min(size, in->size + RT_JSON_STEP);
    return 1;
}

}  // namespace

class TreeReader {
public:
    explicit TreeReader(JsonTree &tree) : tree_(tree)
    {
        rt_json_begin(&in_, more_of_text, &tree.text_);
        in_.bytes = reinterpret_cast<const unsigned char *>(tree.text_.data());
    }

    void read()
    {
        if (tree_.text_.starts_with("\xEF\xBB\xBF")) in_.size = in_.at = 3;
        std::vector<JsonNode> values;
        read_value(next(), values);
        next();  // the end
        tree_.root_ = values.front();
    }

private:
    rt_json_token next()
    {
        rt_json_token token = rt_json_next(&in_);
        if (token == RT_JSON_STOPPED) throw Raised();
        if (token == RT_JSON_WRONG) {
            char got[RT_JSON_LONGEST_SHOWN];
            size_t size = rt_json_show_next(&in_, got);
            tree_.fail(in_.at, std::string("expected ") + in_.wanted + ", got " +
                                   std::string(got, size));
        }
        return token;
    }

    void read_value(rt_json_token token, std::vector<JsonNode> &into)
    {
        JsonNode node;
        node.byte = static_cast<uint32_t>(in_.start);
        switch (token) {
        case RT_JSON_NULL: node.kind = JsonNode::Null; break;
        case RT_JSON_FALSE: node.kind = JsonNode::False; break;
        case RT_JSON_TRUE: node.kind = JsonNode::True; break;
        case RT_JSON_INTEGER:
        case RT_JSON_REAL: set_text(node, JsonNode::Number); break;
        case RT_JSON_ARRAY:
        case RT_JSON_OBJECT: read_items(token, node, into); break;
        default: set_string(node); break;
        }
        into.push_back(node);
    }

    void set_text(JsonNode &node, JsonNode::Kind kind)
    {
        node.kind = kind;
        node.text = tree_.text_.data() + in_.start;
        node.size = static_cast<uint32_t>(in_.end - in_.start);
    }

    void set_string(JsonNode &node)
    {
        set_text(node, JsonNode::String);
        node.byte--;  // the quote
        if (!in_.has_escapes) return;
        std::string &meant = tree_.unescaped_.emplace_back(node.size, '\0');
        meant.resize(rt_json_unescape(in_.bytes + in_.start, node.size,
                                      reinterpret_cast<unsigned char *>(meant.data())));
        node.text = meant.data();
        node.size = static_cast<uint32_t>(meant.size());
    }

    // The items gather behind what `into` holds already, and move to a block of their own.
    void read_items(rt_json_token opening, JsonNode &node, std::vector<JsonNode> &into)
    {
        node.kind = opening == RT_JSON_OBJECT ? JsonNode::Object : JsonNode::Array;
        size_t before = into.size();
        for (rt_json_token token = next(); token != RT_JSON_CLOSE; token = next())
            read_value(token, into);
        auto first = into.begin() + static_cast<std::ptrdiff_t>(before);
        std::vector<JsonNode> &block = tree_.blocks_.emplace_back(first, into.end());
        into.erase(first, into.end());
        node.size = static_cast<uint32_t>(block.size());
        node.items = block.data();
    }

    JsonTree &tree_;
    rt_json in_;
};

JsonTree::JsonTree(std::string_view text, const std::string &name, uint64_t first_byte)
    : text_(text), name_(name), first_byte_(first_byte)
{
    size_t bad;
    if (text.size() > LARGEST) fail(0, "the text has more than 4 GB");
    if (!is_utf8(text, &bad)) fail(bad, "expected UTF-8");
    TreeReader(*this).read();
}

void JsonTree::fail(size_t byte, const std::string &what, const std::string &hint) const
{
    fail_tokenizer(in_marks_up_to(name_, LONGEST_PATH) + ", byte " +
                       std::to_string(first_byte_ + byte) + ": " + what,
                   hint);
}

}  // namespace ct
