// printing.cpp - tensors as text, as docs/tensors.md describes it.
//
//     display  [[1.0 0.2225] [-3.5 100.0]]
//     write    every element, with the fewest digits that its dtype needs to read back
//     repl     a matrix in rows, aligned, and a line with dtype and shape

#include "tensor/empty_rows.h"
#include "tensor/handle.h"

#include <ATen/record_function.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace {

constexpr int64_t MANY_ELEMENTS = 1000;  // larger tensors are cut, except by write
constexpr int64_t MANY_EMPTY_ROWS = 1000;  // of which not even one is printed
constexpr int64_t EDGE = 3;              // elements left at either end of a cut dimension
constexpr double LARGE = 1e6;            // magnitudes from LARGE on, and below SMALL, are printed
constexpr float SMALL = 1e-4F;           // with an exponent

using Format = std::string (*)(const at::Tensor &elements, int64_t k);

std::string displayed(double x)
{
    if (std::isnan(x)) return "nan";
    if (std::isinf(x)) return x < 0 ? "-inf" : "inf";
    char text[64];
    float rounded = std::fabs(static_cast<float>(x));
    if (std::fabs(x) >= LARGE || (rounded != 0 && rounded < SMALL)) {
        std::snprintf(text, sizeof text, "%.4e", x);
        return text;
    }
    std::snprintf(text, sizeof text, "%.4f", x);
    std::string out = text;
    while (out.back() == '0' && out[out.size() - 2] != '.') out.pop_back();
    return out == "-0.0" ? "0.0" : out;
}

std::string written(double x) { return ct::double_text(x); }
std::string written(float x) { return ct::shortest_text(x); }

// The fewest digits that read back as the same number of 8 or 16 bits.
template <class Small>
std::string written(Small x)
{
    double value = static_cast<double>(static_cast<float>(x));
    if (!std::isfinite(value)) return ct::double_text(value);
    for (int digits = 1;; digits++) {
        char text[32];
        std::snprintf(text, sizeof text, "%.*e", digits - 1, value);
        double back = std::strtod(text, nullptr);
        if (Small(static_cast<float>(back)).x == x.x) return ct::double_text(back);
    }
}

template <class Real>
std::string display_real(const at::Tensor &elements, int64_t k)
{
    return displayed(static_cast<double>(elements.const_data_ptr<Real>()[k]));
}

template <class Real>
std::string write_real(const at::Tensor &elements, int64_t k)
{
    return written(elements.const_data_ptr<Real>()[k]);
}

template <class Int>
std::string integer(const at::Tensor &elements, int64_t k)
{
    return std::to_string(elements.const_data_ptr<Int>()[k]);
}

std::string boolean(const at::Tensor &elements, int64_t k)
{
    return elements.const_data_ptr<bool>()[k] ? "#t" : "#f";
}

// 1.0-2.0i
std::string complex_text(const std::string &real, const std::string &imaginary)
{
    bool has_sign = imaginary[0] == '-' || imaginary[0] == '+';
    return real + (has_sign ? "" : "+") + imaginary + "i";
}

template <class Real>
std::string display_complex(const at::Tensor &elements, int64_t k)
{
    c10::complex<Real> x = elements.const_data_ptr<c10::complex<Real>>()[k];
    return complex_text(displayed(static_cast<double>(x.real())),
                        displayed(static_cast<double>(x.imag())));
}

template <class Real>
std::string write_complex(const at::Tensor &elements, int64_t k)
{
    c10::complex<Real> x = elements.const_data_ptr<c10::complex<Real>>()[k];
    return complex_text(written(x.real()), written(x.imag()));
}

template <class Real>
Format real_format(bool write)
{
    return write ? write_real<Real> : display_real<Real>;
}

template <class Real>
Format complex_format(bool write)
{
    return write ? write_complex<Real> : display_complex<Real>;
}

Format format_of(at::ScalarType dtype, bool write)
{
    switch (dtype) {
    case at::kFloat: return real_format<float>(write);
    case at::kDouble: return real_format<double>(write);
    case at::kHalf: return real_format<at::Half>(write);
    case at::kBFloat16: return real_format<at::BFloat16>(write);
    case at::kFloat8_e4m3fn: return real_format<at::Float8_e4m3fn>(write);
    case at::kFloat8_e5m2: return real_format<at::Float8_e5m2>(write);
    case at::kFloat8_e4m3fnuz: return real_format<at::Float8_e4m3fnuz>(write);
    case at::kFloat8_e5m2fnuz: return real_format<at::Float8_e5m2fnuz>(write);
    case at::kFloat8_e8m0fnu: return real_format<at::Float8_e8m0fnu>(write);
    case at::kLong: return integer<int64_t>;
    case at::kInt: return integer<int32_t>;
    case at::kShort: return integer<int16_t>;
    case at::kChar: return integer<int8_t>;
    case at::kByte: return integer<uint8_t>;
    case at::kUInt16: return integer<uint16_t>;
    case at::kUInt32: return integer<uint32_t>;
    case at::kUInt64: return integer<uint64_t>;
    case at::kBool: return boolean;
    case at::kComplexHalf: return complex_format<at::Half>(write);
    case at::kComplexFloat: return complex_format<float>(write);
    case at::kComplexDouble: return complex_format<double>(write);
    default: throw ct::Failure{std::string("cannot print elements of ") + ct::dtype_name(dtype), ""};
    }
}

// Prints a tensor's dimensions from the outermost in.
struct Printer {
    const at::Tensor &x;
    Format format;
    bool cut;   // whether the middle of long dimensions is left out
    bool rows;  // whether elements are aligned, and each innermost list is a line
    size_t width = 0;

    bool skips(int64_t k, int64_t size) const { return cut && size > 2 * EDGE && k == EDGE; }

    // The separator between the items of a dimension.
    std::string separator(int64_t dim) const
    {
        int64_t inner = x.dim() - 1 - dim;
        if (!rows || inner == 0) return " ";
        return std::string(static_cast<size_t>(std::min<int64_t>(inner, 2)), '\n') +
               std::string(static_cast<size_t>(dim + 1), ' ');
    }

    std::string element(int64_t k) const
    {
        std::string text = format(x, k);
        if (text.size() >= width) return text;
        return std::string(width - text.size(), ' ') + text;
    }

    std::string print(int64_t dim, int64_t offset) const
    {
        if (dim == x.dim()) return element(offset);
        std::string out = "[";
        int64_t size = x.size(dim);
        for (int64_t k = 0; k < size; k++) {
            if (k) out += separator(dim);
            if (skips(k, size)) {
                out += "...";
                k = size - EDGE - 1;
                continue;
            }
            out += print(dim + 1, offset + k * x.stride(dim));
        }
        return out + "]";
    }

    size_t widest(int64_t dim, int64_t offset) const
    {
        if (dim == x.dim()) return format(x, offset).size();
        size_t most = 0;
        int64_t size = x.size(dim);
        for (int64_t k = 0; k < size; k++) {
            if (skips(k, size)) k = size - EDGE;
            most = std::max(most, widest(dim + 1, offset + k * x.stride(dim)));
        }
        return most;
    }
};

// #<meta tensor float32 (2 3)>
std::string described(const char *kind, const at::Tensor &x)
{
    return std::string("#<") + kind + " tensor " + ct::dtype_name(x.scalar_type()) + " " +
           ct::shape_text(x) + ">";
}

std::string text_of(const at::Tensor &x, ct_text_mode mode)
{
    bool write = mode == CT_WRITE;
    if (x.is_meta()) return described("meta", x);
    if (ct::empty_rows(x) > MANY_EMPTY_ROWS) return described("empty", x);
    at::Tensor plain = ct::readable(x);
    Printer printer{plain, format_of(plain.scalar_type(), write),
                    !write && plain.numel() > MANY_ELEMENTS, mode == CT_REPL && plain.dim() > 1};
    if (printer.rows) printer.width = printer.widest(0, 0);
    std::string out = printer.print(0, 0);
    if (mode != CT_REPL) return out;
    return out + "\n" + ct::dtype_name(x.scalar_type()) + " " + ct::shape_text(x);
}

}  // namespace

extern "C" int ct_to_text(ct_tensor *x, ct_text_mode mode, char **result)
{
    return ct::guarded({x}, [&] {
        RECORD_FUNCTION(mode == CT_WRITE ? "write" : "display", std::vector<c10::IValue>());
        *result = ct::text_for_c(text_of(x->value, mode));
    });
}
