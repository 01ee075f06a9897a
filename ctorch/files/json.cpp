// json.cpp - RFC 8259, strictly: text that is not JSON, or nests too deeply, is a Failure at its
// byte.

#include "files/json.h"

#include <cstring>

namespace ct {

namespace {

constexpr int DEEPEST = 64;

void add_utf8(std::string &out, uint32_t code)
{
    if (code < 0x80) {
        out += static_cast<char>(code);
    } else if (code < 0x800) {
        out += static_cast<char>(0xC0 | code >> 6);
        out += static_cast<char>(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        out += static_cast<char>(0xE0 | code >> 12);
        out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
        out += static_cast<char>(0x80 | (code & 0x3F));
    } else {
        out += static_cast<char>(0xF0 | code >> 18);
        out += static_cast<char>(0x80 | (code >> 12 & 0x3F));
        out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
        out += static_cast<char>(0x80 | (code & 0x3F));
    }
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

size_t utf8_length(std::string_view text)
{
    auto byte = [&](size_t k) { return static_cast<unsigned char>(k < text.size() ? text[k] : 0); };
    auto follows = [&](size_t k) { return (byte(k) & 0xC0) == 0x80; };
    unsigned char first = byte(0);
    if (first < 0x80) return 1;
    if (first >= 0xC2 && first < 0xE0) return follows(1) ? 2 : 0;
    if (first >= 0xE0 && first < 0xF0) {
        bool shortest = first != 0xE0 || byte(1) >= 0xA0;
        bool surrogate = first == 0xED && byte(1) >= 0xA0;
        return shortest && !surrogate && follows(1) && follows(2) ? 3 : 0;
    }
    if (first >= 0xF0 && first < 0xF5) {
        bool shortest = first != 0xF0 || byte(1) >= 0x90;
        bool too_large = first == 0xF4 && byte(1) >= 0x90;
        return shortest && !too_large && follows(1) && follows(2) && follows(3) ? 4 : 0;
    }
    return 0;
}

std::string json_text(const std::string &text)
{
    std::string out = "\"";
    for (char c : text) {
        char escaped[8];
        if (c == '"' || c == '\\') out += '\\';
        if (static_cast<unsigned char>(c) < ' ') {
            std::snprintf(escaped, sizeof escaped, "\\u%04x", c);
            out += escaped;
        } else {
            out += c;
        }
    }
    return out + "\"";
}

void Json::expected(const char *what)
{
    std::string got = "the end";
    if (at_ < text_.size()) {
        size_t length = utf8_length(text_.substr(at_));
        unsigned char c = static_cast<unsigned char>(text_[at_]);
        bool prints = length && c >= ' ' && c != 0x7F;
        got = prints ? "'" + std::string(text_.substr(at_, length)) + "'"
                     : "a byte of " + std::to_string(c);
    }
    fail_at(path_, byte(), std::string("expected ") + what + ", got " + got);
}

void Json::skip_space()
{
    auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
    polls_.step();
    while (at_ < text_.size() && is_space(text_[at_])) at_++;
}

void Json::consume(char c, const char *what)
{
    if (at_ == text_.size() || text_[at_] != c) expected(what);
    at_++;
}

void Json::begin(char open, const char *what)
{
    skip_space();
    if (++depth_ > DEEPEST)
        fail_at(path_, byte(), "brackets nest more than " + std::to_string(DEEPEST) + " deep");
    consume(open, what);
}

bool Json::ends(char close)
{
    skip_space();
    if (at_ == text_.size() || text_[at_] != close) return false;
    at_++;
    return true;
}

bool Json::goes_on(char close)
{
    if (ends(close)) return false;
    consume(',', close == '}' ? "',' or '}'" : "',' or ']'");
    return true;
}

std::string Json::new_key(JsonKeys &keys, const char *noun)
{
    skip_space();
    key_byte_ = byte();
    std::string key = string("a name in double quotes");
    if (!keys.add(key))
        fail_at(path_, key_byte_, std::string("the ") + noun + " " + in_quotes(key) + " occurs twice");
    skip_space();
    consume(':', "':'");
    return key;
}

std::string Json::string(const char *what)
{
    skip_space();
    consume('"', what);
    std::string out;
    for (;; polls_.step()) {
        add_ordinary(out);
        if (at_ == text_.size()) expected("a closing quote");
        char c = text_[at_];
        if (c == '"') break;
        if (c == '\\') add_escape(out);
        else add_character(out);
    }
    at_++;
    return out;
}

// The next characters up to one that is not ASCII, or needs a look.
void Json::add_ordinary(std::string &out)
{
    constexpr size_t MOST = 1 << 16;  // bytes between two polls
    auto is_ordinary = [](char c) {
        return static_cast<unsigned char>(c) >= ' ' && static_cast<unsigned char>(c) < 0x80 &&
               c != '"' && c != '\\';
    };
    bool more = true;
    while (more) {
        size_t start = at_, end = std::min(text_.size(), at_ + MOST);
        while (at_ < end && is_ordinary(text_[at_])) at_++;
        out += text_.substr(start, at_ - start);
        more = at_ == end && at_ < text_.size();
        if (more) poll_interrupt();
    }
}

void Json::add_character(std::string &out)
{
    size_t length = utf8_length(text_.substr(at_));
    if (!length) expected("UTF-8");
    if (static_cast<unsigned char>(text_[at_]) < ' ') expected("no control character in a string");
    out += text_.substr(at_, length);
    at_ += length;
}

uint32_t Json::hex()
{
    uint32_t code = 0;
    for (int k = 0; k < 4; k++, at_++) {
        const char *digits = "0123456789abcdef";
        char c = at_ < text_.size() ? text_[at_] : ' ';
        const char *found = std::strchr(digits, c >= 'A' && c <= 'F' ? c + ('a' - 'A') : c);
        if (!found || !*found) expected("a hexadecimal digit");
        code = code * 16 + static_cast<uint32_t>(found - digits);
    }
    return code;
}

void Json::add_escape(std::string &out)
{
    static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    at_++;
    char c = at_ < text_.size() ? text_[at_] : 0;
    const char *found = c ? std::strchr(letters, c) : nullptr;
    if (!found && c != 'u') expected("one of \"\\/bfnrtu");
    at_++;
    if (found) {
        out += meant[found - letters];
        return;
    }
    uint32_t code = hex();
    if (code >= 0xD800 && code < 0xDC00) {
        consume('\\', "a low surrogate");
        consume('u', "a low surrogate");
        uint32_t low = hex();
        if (low < 0xDC00 || low > 0xDFFF) expected("a low surrogate after a high one");
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    } else if (code >= 0xDC00 && code <= 0xDFFF) {
        expected("a high surrogate before a low one");
    }
    if (code == 0) expected("no NUL in a string");
    add_utf8(out, code);
}

int64_t Json::natural()
{
    skip_space();
    if (at_ == text_.size() || !is_digit(text_[at_])) expected("an integer from 0 up");
    int64_t number = 0;
    bool leading_zero = text_[at_] == '0';
    size_t start = at_;
    for (; at_ < text_.size() && is_digit(text_[at_]); at_++)
        if (__builtin_mul_overflow(number, 10, &number) ||
            __builtin_add_overflow(number, text_[at_] - '0', &number))
            fail_at(path_, first_byte_ + start, "a number beyond 64 bits");
    if (leading_zero && at_ - start > 1) fail_at(path_, first_byte_ + start, "a number with a leading 0");
    if (at_ < text_.size() && std::strchr(".eE", text_[at_])) expected("an integer");
    return number;
}

bool Json::is_null()
{
    skip_space();
    if (text_.substr(at_, 4) != "null") return false;
    at_ += 4;
    return true;
}

void Json::skip_word(const char *word)
{
    for (const char *c = word; *c; c++) consume(*c, word);
}

void Json::skip_number()
{
    auto digits = [&] {
        if (at_ == text_.size() || !is_digit(text_[at_])) expected("a digit");
        while (at_ < text_.size() && is_digit(text_[at_])) at_++;
    };
    auto is = [&](const char *set) {
        return at_ < text_.size() && text_[at_] && std::strchr(set, text_[at_]);
    };
    if (is("-")) at_++;
    digits();
    if (is(".")) {
        at_++;
        digits();
    }
    if (is("eE")) {
        at_++;
        if (is("+-")) at_++;
        digits();
    }
}

void Json::skip_value()
{
    skip_space();
    switch (at_ < text_.size() ? text_[at_] : 0) {
    case '{': object([&](const std::string &) { skip_value(); }); break;
    case '[': array([&] { skip_value(); }); break;
    case '"': string(); break;
    case 't': skip_word("true"); break;
    case 'f': skip_word("false"); break;
    case 'n': skip_word("null"); break;
    case '-': case '0': case '1': case '2': case '3': case '4': case '5': case '6': case '7':
    case '8': case '9': skip_number(); break;
    default: expected("a value");
    }
}

void Json::end()
{
    skip_space();
    if (at_ != text_.size()) expected("nothing more");
}

}  // namespace ct
