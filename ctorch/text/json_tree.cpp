// json_tree.cpp - RFC 8259, strictly; nesting is limited.

#include "text/json_tree.h"
#include "text/failure.h"
#include "text/text.h"

#include <charconv>
#include <cmath>
#include <cstring>

namespace ct {

namespace {

constexpr int DEEPEST = 128;
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
JsonValue JsonValue::item(size_t k) const { return {*tree_, &node_->items[k]}; }

std::string_view JsonValue::key(size_t k) const
{
    return {node_->items[2 * k].text, node_->items[2 * k].size};
}

JsonValue JsonValue::value(size_t k) const { return {*tree_, &node_->items[2 * k + 1]}; }

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

JsonTree::JsonTree(std::string_view text, const std::string &name) : text_(text), name_(name)
{
    size_t bad;
    if (text.size() > LARGEST) fail(0, "the text has more than 4 GB");
    if (!is_utf8(text, &bad)) fail(bad, "expected UTF-8");
    if (text.substr(0, 3) == "\xEF\xBB\xBF") at_ = 3;
    std::vector<JsonNode> values;
    read_value(values);
    skip_space();
    if (at_ != text_.size()) expected("nothing more");
    root_ = values.front();
}

void JsonTree::fail(size_t byte, const std::string &what, const std::string &hint) const
{
    fail_tokenizer(in_marks_up_to(name_, LONGEST_PATH) + ", byte " + std::to_string(byte) + ": " + what, hint);
}

void JsonTree::expected(const char *what)
{
    std::string got = at_ < text_.size()
                          ? in_marks(text_.substr(at_, character_length(text_[at_])))
                          : "the end";
    fail(at_, std::string("expected ") + what + ", got " + got);
}

void JsonTree::skip_space()
{
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' ||
                                  text_[at_] == '\r'))
        at_++;
}

void JsonTree::read_value(std::vector<JsonNode> &into)
{
    polls_.step();
    skip_space();
    JsonNode node;
    node.byte = static_cast<uint32_t>(at_);
    char c = at_ < text_.size() ? text_[at_] : 0;
    if (c == '"') {
        read_string(node);
    } else if (c == '{' || c == '[') {
        node.kind = c == '{' ? JsonNode::Object : JsonNode::Array;
        read_items(into, node, c == '{' ? '}' : ']');
    } else if (c == '-' || (c >= '0' && c <= '9')) {
        read_number(node);
    } else {
        read_word(node);
    }
    into.push_back(node);
}

// The items gather behind what `into` holds already, and move to a block of their own.
void JsonTree::read_items(std::vector<JsonNode> &into, JsonNode &node, char close)
{
    if (++depth_ > DEEPEST)
        fail(at_, "brackets nest more than " + std::to_string(DEEPEST) + " deep");
    size_t before = into.size();
    at_++;
    skip_space();
    bool more = at_ < text_.size() && text_[at_] != close;
    if (!more && at_ == text_.size()) expected("a value");
    if (!more) at_++;
    while (more) {
        if (close == '}') {
            skip_space();
            JsonNode key;
            key.byte = static_cast<uint32_t>(at_);
            if (at_ == text_.size() || text_[at_] != '"') expected("a name in double quotes");
            read_string(key);
            into.push_back(key);
            skip_space();
            if (at_ == text_.size() || text_[at_] != ':') expected("':'");
            at_++;
        }
        read_value(into);
        skip_space();
        if (at_ == text_.size() || (text_[at_] != ',' && text_[at_] != close))
            expected(close == '}' ? "',' or '}'" : "',' or ']'");
        more = text_[at_++] == ',';
    }
    auto first = into.begin() + static_cast<std::ptrdiff_t>(before);
    blocks_.emplace_back(first, into.end());
    into.erase(first, into.end());
    node.size = static_cast<uint32_t>(blocks_.back().size());
    node.items = blocks_.back().data();
    depth_--;
}

void JsonTree::read_string(JsonNode &node)
{
    node.kind = JsonNode::String;
    size_t start = ++at_;
    while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\\' &&
           static_cast<unsigned char>(text_[at_]) >= ' ')
        at_++;
    if (at_ < text_.size() && text_[at_] == '"') {
        node.text = text_.data() + start;
        node.size = static_cast<uint32_t>(at_++ - start);
        return;
    }
    std::string out(text_.substr(start, at_ - start));
    for (;; polls_.step()) {
        if (at_ == text_.size()) expected("a closing quote");
        char c = text_[at_];
        if (c == '"') break;
        if (static_cast<unsigned char>(c) < ' ') expected("no control character in a string");
        if (c == '\\') {
            add_escape(out);
        } else {
            out += c;
            at_++;
        }
    }
    at_++;
    unescaped_.push_back(std::move(out));
    node.text = unescaped_.back().data();
    node.size = static_cast<uint32_t>(unescaped_.back().size());
}

uint32_t JsonTree::read_hex()
{
    uint32_t code = 0;
    for (int k = 0; k < 4; k++, at_++) {
        char c = at_ < text_.size() ? text_[at_] : ' ';
        if (c >= '0' && c <= '9') code = code * 16 + static_cast<uint32_t>(c - '0');
        else if (c >= 'a' && c <= 'f') code = code * 16 + static_cast<uint32_t>(c - 'a' + 10);
        else if (c >= 'A' && c <= 'F') code = code * 16 + static_cast<uint32_t>(c - 'A' + 10);
        else expected("a hexadecimal digit");
    }
    return code;
}

void JsonTree::add_escape(std::string &out)
{
    static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    char c = at_ + 1 < text_.size() ? text_[at_ + 1] : 0;
    const char *found = c ? std::strchr(letters, c) : nullptr;
    at_++;
    if (!found && c != 'u') expected("one of \"\\/bfnrtu");
    at_++;
    if (found) {
        out += meant[found - letters];
        return;
    }
    uint32_t code = read_hex();
    if (code >= 0xDC00 && code <= 0xDFFF) expected("a high surrogate before a low one");
    if (code >= 0xD800 && code < 0xDC00) {
        if (text_.substr(at_, 2) != "\\u") expected("a low surrogate");
        at_ += 2;
        uint32_t low = read_hex();
        if (low < 0xDC00 || low > 0xDFFF) expected("a low surrogate after a high one");
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    add_character(out, code);
}

void JsonTree::read_number(JsonNode &node)
{
    size_t start = at_;
    auto digits = [&] {
        size_t first = at_;
        while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') at_++;
        if (at_ == first) expected("a digit");
        return at_ - first;
    };
    if (text_[at_] == '-') at_++;
    bool zero = at_ < text_.size() && text_[at_] == '0';
    if (digits() > 1 && zero) fail(start, "a number with a leading 0");
    if (at_ < text_.size() && text_[at_] == '.') at_++, digits();
    if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
        at_++;
        if (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) at_++;
        digits();
    }
    node.kind = JsonNode::Number;
    node.text = text_.data() + start;
    node.size = static_cast<uint32_t>(at_ - start);
}

void JsonTree::read_word(JsonNode &node)
{
    auto starts = [&](std::string_view word) { return text_.substr(at_, word.size()) == word; };
    if (starts("null")) node.kind = JsonNode::Null, at_ += 4;
    else if (starts("true")) node.kind = JsonNode::True, at_ += 4;
    else if (starts("false")) node.kind = JsonNode::False, at_ += 5;
    else expected("a value");
}

}  // namespace ct
