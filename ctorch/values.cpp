// values.cpp - Lisp values and dtypes by name, as text, and as numbers for LibTorch.

#include "handle.h"

#include <ATen/ops/scalar_tensor_ops.h>

#include <charconv>
#include <cmath>
#include <cstring>

namespace {

constexpr size_t SHOWN_LENGTH = 60;  // characters of a value in a message
constexpr int LARGE = 21, SMALL = -6;  // powers of ten between which no exponent is printed

struct DtypeName {
    at::ScalarType dtype;
    const char *name;
    const char *alias;
};

constexpr DtypeName DTYPES[] = {
    {at::kFloat, "float32", "f32"},
    {at::kDouble, "float64", "f64"},
    {at::kLong, "int64", "i64"},
    {at::kBool, "bool", "boolean"},
    {at::kInt, "int32", "i32"},
    {at::kShort, "int16", "i16"},
    {at::kChar, "int8", "i8"},
    {at::kByte, "uint8", "u8"},
    {at::kHalf, "float16", "f16"},
    {at::kBFloat16, "bfloat16", "bf16"},
    {at::kComplexFloat, "complex64", "c64"},
    {at::kComplexDouble, "complex128", "c128"},
    {at::kUInt16, "uint16", "u16"},
    {at::kUInt32, "uint32", "u32"},
    {at::kUInt64, "uint64", "u64"},
    {at::kFloat8_e4m3fn, "float8-e4m3fn", "f8-e4m3fn"},
    {at::kFloat8_e5m2, "float8-e5m2", "f8-e5m2"},
    {at::kFloat8_e4m3fnuz, "float8-e4m3fnuz", "f8-e4m3fnuz"},
    {at::kFloat8_e5m2fnuz, "float8-e5m2fnuz", "f8-e5m2fnuz"},
    {at::kFloat8_e8m0fnu, "float8-e8m0fnu", "f8-e8m0fnu"},
    {at::kComplexHalf, "complex32", "c32"},
    {at::kQInt8, "qint8", "qi8"},
    {at::kQUInt8, "quint8", "qu8"},
    {at::kQInt32, "qint32", "qi32"},
};

// PyTorch's own further names.
constexpr DtypeName OTHER_NAMES[] = {
    {at::kFloat, "float", "single"}, {at::kDouble, "double", "double"},
    {at::kLong, "long", "int"},      {at::kHalf, "half", "half"},
};

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

std::string quoted(const char *text)
{
    std::string out = "\"";
    for (const char *c = text; *c; c++) {
        switch (*c) {
        case '\n': out += "\\n"; break;
        case '\t': out += "\\t"; break;
        case '"': out += "\\\""; break;
        case '\\': out += "\\\\"; break;
        default: out += *c;
        }
    }
    return out + "\"";
}

// depth: of lists around it.  What lies deeper than a message is long would not be seen.
std::string written(const ct_value &value, size_t depth)
{
    switch (value.kind) {
    case CT_NONE: return "#f";
    case CT_INT: return std::to_string(value.i);
    case CT_FLOAT: return ct::double_text(value.f);
    case CT_BOOL: return value.i ? "#t" : "#f";
    case CT_STRING: return quoted(value.text);
    case CT_SYMBOL: return value.text;
    case CT_KEYWORD: return std::string(":") + value.text;
    case CT_OTHER: return value.text;
    case CT_TABLE: return "#<hash-table " + std::to_string(value.count / 2) + ">";
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
    return std::string("a tensor ") + dtype_name(x.scalar_type()) + " " + shape_text(x);
}

const char *ct::dtype_name(at::ScalarType dtype)
{
    for (const DtypeName &d : DTYPES)
        if (d.dtype == dtype) return d.name;
    return c10::toString(dtype);
}

at::ScalarType ct::dtype_from(const std::string &text)
{
    for (const DtypeName &d : DTYPES)
        if (text == d.name || text == d.alias) return d.dtype;
    for (const DtypeName &d : OTHER_NAMES)
        if (text == d.name || text == d.alias) return d.dtype;
    throw Failure{"unknown dtype: " + text, "float32 float64 float16 bfloat16 int64 int32 int16 "
                                            "int8 uint8 bool complex64 complex128"};
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
