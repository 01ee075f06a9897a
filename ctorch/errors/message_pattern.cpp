// message_pattern.cpp - texts with holes: finding them in LibTorch's messages, and filling ours.
//
//     "index <n> is out of bounds for dimension <n>"
//     in "... index 7 is out of bounds for dimension 0 with size 3"  =>  {"7", "0"}
//
// A hundred regular expressions would take long to compile, and are harder to read.

#include "autograd/backward.h"
#include "dispatch/schema.h"

#include <algorithm>
#include <cctype>
#include <cstring>

namespace {

using ct::Holes;

struct Word {
    const char *theirs;
    const char *ours;
};

constexpr Word DTYPES[] = {
    {"float", "float32"}, {"double", "float64"}, {"long int", "int64"}, {"long", "int64"},
    {"int", "int32"}, {"short", "int16"}, {"signed char", "int8"}, {"char", "int8"},
    {"unsigned char", "uint8"}, {"byte", "uint8"}, {"half", "float16"}, {"bfloat16", "bfloat16"},
    {"bool", "bool"}, {"complexfloat", "complex64"}, {"complexdouble", "complex128"},
    {"complexhalf", "complex32"}, {"complex<float>", "complex64"},
    {"complex<double>", "complex128"}, {"complex<c10::half>", "complex32"}, {"cfloat", "complex64"},
    {"cdouble", "complex128"},
};

constexpr const char *ATEN = "aten::";

bool is_one_of(char c, const char *set) { return c && std::strchr(set, c); }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)); }
bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)); }
bool is_word(char c) { return is_letter(c) || is_digit(c) || c == '_'; }

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

bool starts(const char *text, const char *with) { return !std::strncmp(text, with, strlen(with)); }

// Where a number that begins at `at` ends; at itself if there is none.
const char *number_end(const char *at)
{
    const char *c = at + is_one_of(*at, "+-");
    if (!is_digit(*c)) return starts(c, "inf") || starts(c, "nan") ? c + 3 : at;
    while (is_digit(*c)) c++;
    if (*c == '.' && is_digit(c[1])) c++;
    while (is_digit(*c)) c++;
    if (*c == 'e' && (is_digit(c[1]) || (is_one_of(c[1], "+-") && is_digit(c[2])))) c += 2;
    while (is_digit(*c)) c++;
    return c;
}

// "[2, 3]", "(2, 3)", "(5 x 5)", "2x3", "torch.Size([2, 3])".
const char *shape_end(const char *at)
{
    if (starts(at, "torch.Size(")) {
        const char *inner = shape_end(at + strlen("torch.Size("));
        return *inner == ')' ? inner + 1 : at;
    }
    bool bracketed = *at == '[' || *at == '(';
    const char *c = at + bracketed;
    while (is_digit(*c) || is_one_of(*c, bracketed ? "-, x" : "x")) c++;
    if (!bracketed) return c > at && is_digit(*at) ? c : at;
    return *c == ']' || *c == ')' ? c + 1 : at;
}

const char *dtype_end(const char *at)
{
    const char *c = at;
    while (is_word(*c) || is_one_of(*c, ".:<>")) c++;
    while (c > at && is_one_of(c[-1], ".:,")) c--;
    for (const char *more : {" int", " char"})
        if (starts(c, more) && !is_word(c[strlen(more)])) return c + strlen(more);
    return c;
}

const char *name_end(const char *at)
{
    const char *c = at + is_one_of(*at, "'`\"");
    if (!is_letter(*c) && *c != '_') return at;
    while (is_word(*c) || (*c == '.' && is_word(c[1]))) c++;
    return c + is_one_of(*c, "'`\"");
}

// A number, a text in quotes, or a word.
const char *value_end(const char *at)
{
    const char *number = number_end(at);
    if (number != at) return number;
    if (!is_one_of(*at, "'\"")) return name_end(at);
    const char *end = std::strchr(at + 1, *at);
    return end ? end + 1 : at;
}

// "cpu", "cuda:0".
const char *device_end(const char *at)
{
    const char *c = name_end(at);
    if (c > at && *c == ':' && is_digit(c[1])) c++;
    while (is_digit(*c)) c++;
    return c;
}

// "mm", "'aten::mm'".
const char *operator_end(const char *at)
{
    const char *c = at + is_one_of(*at, "'`\"");
    return name_end(starts(c, ATEN) ? c + strlen(ATEN) : at);
}

const char *hole_end(char hole, const char *at)
{
    switch (hole) {
    case 'n': return number_end(at);
    case 's': return shape_end(at);
    case 't': return dtype_end(at);
    case 'w': return name_end(at);
    case 'v': return value_end(at);
    case 'd': return device_end(at);
    case 'o': return operator_end(at);
    case 'g': return name_end(at);
    case 'l': return at + std::strcspn(at, "\n");
    default: return at;
    }
}

std::string without_quotes(const std::string &text)
{
    std::string out;
    for (char c : text)
        if (!is_one_of(c, "'`\"")) out += c;
    return out;
}

std::string value_word(const std::string &text)
{
    if (text == "None") return "#f";
    if (text == "True") return "#t";
    if (text == "False") return "#f";
    if (number_end(text.c_str()) != text.c_str()) return text;
    return "\"" + without_quotes(text) + "\"";
}

std::string in_lisp(char hole, const std::string &text)
{
    switch (hole) {
    case 's': return ct::shape_word(text);
    case 't': return ct::dtype_word(text);
    case 'w': return ct::lisp_name(without_quotes(text));
    case 'v': return value_word(text);
    case 'o': return ct::lisp_operator(ct::without_default(without_quotes(text)));
    case 'g': return ct::operation_of(without_quotes(text));
    default: return text;
    }
}

bool is_hole(const char *p) { return p[0] == '<' && is_one_of(p[1], "nstwvdogl*") && p[2] == '>'; }

bool matches(const char *pattern, const char *text, Holes &holes)
{
    if (!*pattern) return true;
    if (!is_hole(pattern))
        return *text && lower(*pattern) == lower(*text) && matches(pattern + 1, text + 1, holes);
    const char hole = pattern[1];
    const char *end = hole_end(hole, text);
    size_t before = holes.size();
    if (hole != '*' && end == text) return false;
    do {  // only <*> tries more than one end
        holes.push_back(in_lisp(hole, std::string(text, end)));
        if (matches(pattern + 3, end, holes)) return true;
        holes.resize(before);
    } while (hole == '*' && *end++);
    return false;
}

}  // namespace

std::string ct::shape_word(const std::string &text)
{
    std::string out = "(";
    for (char c : text) {
        bool is_of_number = is_digit(c) || c == '-';
        bool is_gap = !is_of_number && out.size() > 1 && out.back() != ' ';
        if (is_of_number || is_gap) out += is_of_number ? c : ' ';
    }
    if (out.back() == ' ') out.pop_back();
    return out + ")";
}

std::string ct::dtype_word(const std::string &text)
{
    std::string name = text;
    for (const char *prefix : {"torch.", "cuda.", "sparse.", "c10::", "Sparse", "CPU", "CUDA"})
        if (name.starts_with(prefix)) name.erase(0, strlen(prefix));
    for (const char *suffix : {"Tensor", "Type", "_t"})
        if (name.ends_with(suffix)) name.erase(name.size() - strlen(suffix));
    std::string low = name;
    std::transform(low.begin(), low.end(), low.begin(), lower);
    for (const Word &word : DTYPES)
        if (low == word.theirs) return word.ours;
    return low.empty() ? text : name;
}

bool ct::occurs(const char *pattern, const std::string &text, Holes &holes)
{
    for (const char *at = text.c_str(); *at; at++) {
        holes.clear();
        if (matches(pattern, at, holes)) return true;
    }
    return false;
}

std::string ct::filled(const char *text, const Holes &holes)
{
    std::string out;
    for (const char *c = text; *c; c++) {
        size_t hole = c[0] == '$' && is_digit(c[1]) ? static_cast<size_t>(c[1] - '0') : 0;
        if (hole == 0 || hole > holes.size()) {
            out += *c;
        } else {
            out += holes[hole - 1];
            c++;
        }
    }
    return out;
}
