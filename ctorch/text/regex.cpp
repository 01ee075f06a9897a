// regex.cpp - patterns of Oniguruma for PCRE2, which is loaded at the first one.
//
//     \s+(?!\S)  =>  [\t-\r\x{20}\x{85} ...]+(?![^\t-\r\x{20}\x{85} ...])
//
// The two differ in what \s, \w and \h mean, in ^ and $, which match at every line here, and in the
// options that stand in a pattern.

#include "text/regex.h"
#include "text/characters.h"
#include "text/failure.h"
#include "text/json_tree.h"
#include "text/text.h"

#include "../runtime/text/pcre2_abi.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <iterator>

namespace ct {

namespace {

constexpr const char *LIBRARIES[] = {PCRE2_LIBRARIES};
constexpr size_t LONGEST_PATTERN = 100000;
constexpr size_t FIRST_STACK = 32 << 10, LARGEST_STACK = 8 << 20;  // bytes, for compiled patterns
// How many steps a match may take for one character of the text, and at least: patterns that go
// back and forth for ever fail.
constexpr size_t STEPS_EACH = 20, LEAST_STEPS = 1000000, MOST_STEPS = 0x7FFFFFFF;

constexpr const char *SPACES = "\\t-\\r\\x{20}\\x{85}\\x{A0}\\x{1680}\\x{2000}-\\x{200A}\\x{2028}"
                               "\\x{2029}\\x{202F}\\x{205F}\\x{3000}";
constexpr std::string_view SCRIPTS[] = {
    "Han",      "Hiragana",  "Katakana", "Hangul",    "Bopomofo", "Latin",      "Greek",
    "Cyrillic", "Armenian",  "Hebrew",   "Arabic",    "Thaana",   "Devanagari", "Bengali",
    "Gurmukhi", "Gujarati",  "Oriya",    "Tamil",     "Telugu",   "Kannada",    "Malayalam",
    "Sinhala",  "Thai",      "Lao",      "Tibetan",   "Myanmar",  "Georgian",   "Ethiopic",
    "Khmer",    "Mongolian", "Common",   "Inherited", "Yi",
};
constexpr const char *HEXADECIMALS = "0-9A-Fa-f";

struct Pcre2 {
    pcre2_compile_type *compile;
    pcre2_code_free_type *code_free;
    pcre2_jit_compile_type *jit_compile;
    pcre2_match_type *match;
    pcre2_match_data_create_type *match_data_create;
    pcre2_match_data_free_type *match_data_free;
    pcre2_get_ovector_pointer_type *get_ovector_pointer;
    pcre2_match_context_create_type *match_context_create;
    pcre2_match_context_free_type *match_context_free;
    pcre2_set_match_limit_type *set_match_limit;
    pcre2_jit_stack_create_type *jit_stack_create;
    pcre2_jit_stack_free_type *jit_stack_free;
    pcre2_jit_stack_assign_type *jit_stack_assign;
    pcre2_get_error_message_type *get_error_message;
};

const Pcre2 *load()
{
    static Pcre2 p;
    for (const char *name : LIBRARIES) {
        void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
        auto find = [&](const char *symbol, auto *&function) {
            std::string full = std::string("pcre2_") + symbol + "_8";
            function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
                dlsym(library, full.c_str()));
            return function != nullptr;
        };
        if (library && find("compile", p.compile) && find("code_free", p.code_free) &&
            find("jit_compile", p.jit_compile) && find("match", p.match) &&
            find("match_data_create", p.match_data_create) &&
            find("match_data_free", p.match_data_free) &&
            find("get_ovector_pointer", p.get_ovector_pointer) &&
            find("match_context_create", p.match_context_create) &&
            find("match_context_free", p.match_context_free) &&
            find("set_match_limit", p.set_match_limit) &&
            find("jit_stack_create", p.jit_stack_create) &&
            find("jit_stack_free", p.jit_stack_free) &&
            find("jit_stack_assign", p.jit_stack_assign) &&
            find("get_error_message", p.get_error_message))
            return &p;
    }
    return nullptr;
}

const Pcre2 &pcre2()
{
    static const Pcre2 *const loaded = load();
    if (!loaded)
        fail_tokenizer(
            "the patterns of this tokenizer need the library PCRE2, which is not installed",
            "sudo apt-get install libpcre2-8-0");
    return *loaded;
}

// What stands in the braces of \p{...}: categories of Unicode 14 and later characters, or a script.
std::string property(std::string_view name, bool scripts)
{
    std::string made = "\\p{" + std::string(name) + "}";
    for (const Newer &newer : NEWER)
        if (name == newer.name) return made + newer.runs;
    bool script =
        scripts && std::find(std::begin(SCRIPTS), std::end(SCRIPTS), name) != std::end(SCRIPTS);
    return script ? "\\p{sc:" + std::string(name) + "}" : made;
}

// Letters, marks, digits, connectors, and a few more numbers and letters in rings.
std::string words()
{
    return property("L", false) + property("M", false) + property("Nd", false) +
           property("Nl", false) +
           "\\p{Pc}\\x{B2}\\x{B3}\\x{B9}\\x{BC}-\\x{BE}\\x{24B6}-\\x{24E9}\\x{1F130}-\\x{1F149}"
           "\\x{1F150}-\\x{1F169}\\x{1F170}-\\x{1F189}";
}

// Between a word and what is not one; inside: within either.  PCRE2 does not count marks to words.
std::string boundary(bool inside)
{
    std::string word = "[" + words() + "]", after = "(?<=" + word + ")", before = "(?=" + word + ")";
    std::string not_after = "(?<!" + word + ")", not_before = "(?!" + word + ")";
    return inside ? "(?:" + after + before + "|" + not_after + not_before + ")"
                  : "(?:" + after + not_before + "|" + not_after + before + ")";
}

// The set behind a backslash, such as \s or \p{L}; at is moved behind it.  Empty for all others.
std::string set_at(std::string_view pattern, size_t &at, bool scripts, bool *negated)
{
    char letter = at + 1 < pattern.size() ? pattern[at + 1] : 0;
    *negated = letter >= 'A' && letter <= 'Z';
    size_t end = pattern.find('}', at);
    if ((letter | 0x20) == 'p' && pattern.substr(at + 2, 1) == "{" &&
        end != std::string_view::npos) {
        std::string_view name = pattern.substr(at + 3, end - at - 3);
        if (name.substr(0, 1) == "^") *negated = !*negated, name.remove_prefix(1);
        at = end + 1;
        return property(name, scripts);
    }
    const char *set = nullptr;
    if ((letter | 0x20) == 's') set = SPACES;
    if ((letter | 0x20) == 'h') set = HEXADECIMALS;
    if (set) at += 2;
    if ((letter | 0x20) == 'd') return at += 2, property("Nd", scripts);
    if ((letter | 0x20) == 'w') return at += 2, words();
    return set ? set : "";
}

[[noreturn]] void fail_pattern(std::string_view pattern, const std::string &what)
{
    fail_tokenizer("the pattern " + in_marks(pattern) + " is not a regular expression: " + what);
}

// A set in brackets from its '[' on; at is moved behind its ']'.  Sets in it join it.
void translate_set(std::string_view pattern, size_t &at, std::string &out, bool outermost,
                   bool scripts)
{
    bool complement = at + 1 < pattern.size() && pattern[at + 1] == '^';
    if (!outermost && complement) fail_pattern(pattern, "a complement in a set is not supported");
    at += complement ? 2 : 1;
    if (outermost) out += complement ? "[^" : "[";
    if (at < pattern.size() && pattern[at] == ']') {
        out += "\\]";
        at++;
    }
    while (at < pattern.size() && pattern[at] != ']') {
        if (pattern[at] == '\\' && at + 1 < pattern.size()) {
            bool negated;
            size_t start = at;
            std::string set = set_at(pattern, at, scripts, &negated);
            if (set.empty()) at += 2;
            // A complement is PCRE2's own, whose rare differences no set can express.
            out += set.empty() || negated ? std::string(pattern.substr(start, at - start)) : set;
        } else if (pattern.substr(at, 2) == "[:") {
            size_t end = pattern.find(":]", at);
            if (end == std::string_view::npos) fail_pattern(pattern, "a set is never closed");
            out += pattern.substr(at, end + 2 - at);
            at = end + 2;
        } else if (pattern[at] == '[') {
            translate_set(pattern, at, out, false, scripts);
        } else if (pattern.substr(at, 2) == "&&") {
            fail_pattern(pattern, "an intersection of sets is not supported");
        } else {
            out += pattern[at++];
        }
    }
    if (at == pattern.size()) fail_pattern(pattern, "a set is never closed");
    at++;
    if (outermost) out += ']';
}

// Options such as those of (?mi: from their first letter on: Oniguruma's m is PCRE2's s.
void translate_options(std::string_view pattern, size_t &at, std::string &out)
{
    size_t end = at;
    while (end < pattern.size() && std::strchr("imx-", pattern[end]) && pattern[end]) end++;
    if (end < pattern.size() && (pattern[end] == ':' || pattern[end] == ')'))
        for (; at < end; at++) out += pattern[at] == 'm' ? 's' : pattern[at];
}

// scripts: whether the names of scripts need a prefix, as PCRE2 has it since 10.40.
std::string translated(std::string_view pattern, bool scripts)
{
    std::string out;
    // A pattern cannot set options of PCRE2's: "(*" is a group that begins with a star.
    for (size_t at = 0; at < pattern.size();) {
        if (pattern.substr(at, 2) == "(*") fail_pattern(pattern, "a star has nothing to repeat");
        if (pattern.substr(at, 2) == "(?") {
            if (pattern.substr(at, 3) == "(?C" || pattern.substr(at, 3) == "(?R")
                fail_pattern(pattern, "a group has an unknown type");
            out += "(?";
            at += 2;
            translate_options(pattern, at, out);
        } else if (pattern[at] == '[') {
            translate_set(pattern, at, out, true, scripts);
        } else if (pattern[at] == '\\' && at + 1 < pattern.size()) {
            bool negated;
            if ((pattern[at + 1] | 0x20) == 'b') {
                out += boundary(pattern[at + 1] == 'B');
                at += 2;
                continue;
            }
            std::string set = set_at(pattern, at, scripts, &negated);
            if (!set.empty()) out += (negated ? "[^" : "[") + set + "]";
            else out += pattern.substr(at, 2), at += 2;
        } else {
            out += pattern[at++];
        }
    }
    return out;
}

}  // namespace

struct Regex::Compiled {
    const Pcre2 &p = pcre2();  // first: without the library nothing is constructed, or destroyed
    pcre2_code *code = nullptr;
    pcre2_match_data *data = nullptr;
    pcre2_match_context *context = nullptr;
    pcre2_jit_stack *stack = nullptr;

    ~Compiled()
    {
        if (stack) p.jit_stack_free(stack);
        if (context) p.match_context_free(context);
        if (data) p.match_data_free(data);
        if (code) p.code_free(code);
    }
};

Regex::Regex(std::string_view pattern) : pattern_(pattern), compiled_(std::make_unique<Compiled>())
{
    Compiled &c = *compiled_;
    const Pcre2 &p = c.p;
    if (pattern.size() > LONGEST_PATTERN)
        fail_pattern(pattern, "it has more than " + std::to_string(LONGEST_PATTERN) + " bytes");
    int error = 0;
    size_t where = 0;
    uint32_t options = PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C;
    for (bool scripts : {true, false}) {
        std::string text = translated(pattern, scripts);
        c.code = p.compile(reinterpret_cast<const uint8_t *>(text.data()), text.size(), options,
                           &error, &where, nullptr);
        if (c.code) break;
    }
    if (!c.code) {
        uint8_t message[256] = "";
        p.get_error_message(error, message, sizeof message);
        fail_pattern(pattern, reinterpret_cast<const char *>(message));
    }
    c.data = p.match_data_create(1, nullptr);
    c.context = p.match_context_create(nullptr);
    if (!c.data || !c.context) throw std::bad_alloc();
    if (p.jit_compile(c.code, PCRE2_JIT_COMPLETE) == 0 &&
        (c.stack = p.jit_stack_create(FIRST_STACK, LARGEST_STACK, nullptr)))
        p.jit_stack_assign(c.context, nullptr, c.stack);
}

Regex::~Regex() = default;

size_t Regex::step_over(std::string_view text, size_t from)
{
    return from + (from < text.size() ? character_length(text[from]) : 1);
}

bool Regex::search(std::string_view text, size_t from, size_t *start, size_t *end) const
{
    const Compiled &c = *compiled_;
    const Pcre2 &p = c.p;
    size_t steps = std::clamp(text.size() * STEPS_EACH, LEAST_STEPS, MOST_STEPS);
    p.set_match_limit(c.context, static_cast<uint32_t>(steps));
    auto match = [&](uint32_t options) {
        return p.match(c.code, reinterpret_cast<const uint8_t *>(text.data()), text.size(), from,
                       options | PCRE2_NO_UTF_CHECK, c.data, c.context);
    };
    int status = match(0);
    if (status == PCRE2_ERROR_JIT_STACKLIMIT) status = match(PCRE2_NO_JIT);
    if (status == PCRE2_ERROR_NOMATCH) return false;
    if (status < 0) {
        bool endless = status == PCRE2_ERROR_MATCHLIMIT || status == PCRE2_ERROR_DEPTHLIMIT ||
                       status == PCRE2_ERROR_HEAPLIMIT;
        fail_tokenizer("the pattern " + in_marks(pattern_) + " " +
                       (endless ? "takes too many steps to match this text"
                                : "fails with error " + std::to_string(status)));
    }
    const size_t *where = p.get_ovector_pointer(c.data);
    *start = where[0];
    *end = where[1];
    // \K can move the start behind the end.
    if (*start > *end) fail_tokenizer("the pattern " + in_marks(pattern_) + " matches backwards");
    return true;
}

}  // namespace ct
