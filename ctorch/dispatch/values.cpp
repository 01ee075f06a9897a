// values.cpp - Lisp values as text, and as numbers for LibTorch.

#include "files/files.h"

#include <ATen/ops/scalar_tensor_ops.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

namespace {

constexpr size_t SHOWN_LENGTH = 60;  // characters of a value in a message
constexpr size_t SHOWN_ENTRIES = 20;  // of a hash table, as in lang/interp/io/printing.py
constexpr int LARGE = 21, SMALL = -6;  // powers of ten between which no exponent is printed

// digits d1d2d3... and an exponent as in 0.d1d2d3 * 10^point, laid out as JavaScript does, with
// ".0" on whole numbers.
std::string laid_out(bool negative, const std::string &digits, int point)
{
    int count = static_cast<int>(digits.size());
    std::string out = negative ? "-" : "";
    if (point - 1 >= LARGE || point - 1 < SMALL) {
        out += digits.substr(0, 1);
        if (count > 1) out += "." + digits.substr(1);
        return out + "e" + std::to_string(point - 1);
    }
    if (point <= 0) return out + "0." + std::string(static_cast<size_t>(-point), '0') + digits;
    if (point >= count)
        return out + digits + std::string(static_cast<size_t>(point - count), '0') + ".0";
    return out + digits.substr(0, static_cast<size_t>(point)) + "." +
           digits.substr(static_cast<size_t>(point));
}

template <class Real>
std::string shortest(Real x)
{
    if (std::isnan(x)) return "+nan.0";
    if (std::isinf(x)) return x < 0 ? "-inf.0" : "+inf.0";
    if (x == 0) return std::signbit(x) ? "-0.0" : "0.0";
    char text[40];
    auto end = std::to_chars(text, text + sizeof text, x, std::chars_format::scientific).ptr;
    std::string whole(text, end);  // [-]d[.ddd]e±xx
    size_t e = whole.find('e');
    std::string digits;
    for (char c : whole.substr(0, e))
        if (c >= '0' && c <= '9') digits += c;
    return laid_out(x < 0, digits, std::stoi(whole.substr(e + 1)) + 1);
}

// depth: how many lists are around it.  Deeper values would not fit into a message.
std::string written(const ct_value &value, size_t depth)
{
    switch (value.kind) {
    case CT_NONE: return "#f";
    case CT_INT: return std::to_string(value.i);
    case CT_FLOAT: return ct::double_text(value.f);
    case CT_BOOL: return value.i ? "#t" : "#f";
    case CT_STRING: return ct::in_quotes(value.text);
    case CT_SYMBOL: return value.text;
    case CT_KEYWORD: return std::string(":") + value.text;
    case CT_BIG:
    case CT_OTHER: return value.text;
    case CT_TABLE: {
        size_t entries = value.count / 2, shown = std::min(entries, SHOWN_ENTRIES);
        std::string out = "#<hash-table";
        for (size_t k = 0; k < shown && depth < SHOWN_LENGTH; k++)
            out += " " + written(value.items[2 * k], depth + 1) + ": " +
                   written(value.items[2 * k + 1], depth + 1);
        if (entries > shown) out += " ... " + std::to_string(entries - shown) + " more";
        return out + ">";
    }
    case CT_OBJECT: return value.object->text;
    case CT_UNSPECIFIED: return "#<unspecified>";
    case CT_TENSOR: {
        if (depth == 0) return ct::describe(value.tensor->value);
        char *text;
        if (ct_to_text(value.tensor, CT_WRITE, &text)) return "a tensor";
        std::string out = text;
        ct_free_text(text);
        return out;
    }
    case CT_LIST: {
        std::string out = "(";
        bool seen = depth < SHOWN_LENGTH;
        for (size_t k = 0; k < value.count && seen && out.size() <= 4 * SHOWN_LENGTH; k++)
            out += (k ? " " : "") + written(value.items[k], depth + 1);
        return out + ")";
    }
    }
    return "";
}

// How many bytes hold the first `characters` of UTF-8.
size_t bytes_of(const std::string &text, size_t characters)
{
    size_t k = 0;
    while (k < text.size()) {
        bool starts = (text[k] & 0xC0) != 0x80;
        if (starts && characters-- == 0) break;
        k++;
    }
    return k;
}

}  // namespace

std::string ct::double_text(double x) { return shortest(x); }
std::string ct::shortest_text(float x) { return shortest(x); }

std::string ct::shown(const ct_value &value)
{
    std::string text = written(value, 0);
    if (value.kind == CT_TENSOR) return text;
    size_t end = bytes_of(text, SHOWN_LENGTH);
    return end < text.size() ? text.substr(0, end) + "..." : text;
}

std::string ct::shape_text(at::IntArrayRef sizes)
{
    std::string out = "(";
    for (size_t k = 0; k < sizes.size(); k++) out += (k ? " " : "") + std::to_string(sizes[k]);
    return out + ")";
}

std::string ct::describe(const at::Tensor &x)
{
    std::string text = std::string("a tensor ") + dtype_name(x.scalar_type()) + " " + shape_text(x);
    return x.is_cpu() ? text : text + " on " + device_name(x.device());
}

// The edit distance in which two swapped neighbours count as one change.
size_t ct::edit_distance(const std::string &a, const std::string &b)
{
    std::vector<std::vector<size_t>> d(a.size() + 1, std::vector<size_t>(b.size() + 1));
    for (size_t i = 0; i <= a.size(); i++)
        for (size_t j = 0; j <= b.size(); j++) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1,
                                d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[a.size()][b.size()];
}

bool ct::is_number(const ct_value &value)
{
    return value.kind == CT_INT || value.kind == CT_FLOAT || value.kind == CT_BOOL ||
           value.kind == CT_BIG;
}

at::Tensor ct::wrapped_number(const ct_value &value)
{
    at::Scalar scalar = value.kind == CT_INT     ? at::Scalar(value.i)
                        : value.kind == CT_FLOAT ? at::Scalar(value.f)
                                                 : at::Scalar(value.i != 0);
    at::ScalarType dtype = value.kind == CT_INT     ? at::kLong
                           : value.kind == CT_FLOAT ? at::kDouble
                                                    : at::kBool;
    at::Tensor x = at::_ops::scalar_tensor::call(scalar, dtype, std::nullopt, std::nullopt,
                                                 std::nullopt);
    x.unsafeGetTensorImpl()->set_wrapped_number(true);
    return x;
}
