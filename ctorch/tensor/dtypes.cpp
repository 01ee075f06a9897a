// dtypes.cpp - dtypes by name, and which integers fit into which.
//
//     float32  f32  float  =>  kFloat          300 into uint8  =>  "300 does not fit into uint8"

#include "tensor/handle.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace {

using at::ScalarType;
using ct::Failure;

struct DtypeName {
    ScalarType dtype;
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
    {at::kUInt16, "uint16", "u16"},
    {at::kUInt32, "uint32", "u32"},
    {at::kUInt64, "uint64", "u64"},
    {at::kHalf, "float16", "f16"},
    {at::kBFloat16, "bfloat16", "bf16"},
    {at::kFloat8_e4m3fn, "float8-e4m3fn", "f8-e4m3fn"},
    {at::kFloat8_e5m2, "float8-e5m2", "f8-e5m2"},
    {at::kFloat8_e4m3fnuz, "float8-e4m3fnuz", "f8-e4m3fnuz"},
    {at::kFloat8_e5m2fnuz, "float8-e5m2fnuz", "f8-e5m2fnuz"},
    {at::kFloat8_e8m0fnu, "float8-e8m0fnu", "f8-e8m0fnu"},
    {at::kComplexFloat, "complex64", "c64"},
    {at::kComplexDouble, "complex128", "c128"},
    {at::kComplexHalf, "complex32", "c32"},
    // Other names that PyTorch has.
    {at::kFloat, "float", "single"},
    {at::kDouble, "double", "double"},
    {at::kHalf, "half", "half"},
    {at::kLong, "long", "int"},
    {at::kShort, "short", "short"},
    {at::kByte, "byte", "byte"},
    {at::kComplexFloat, "cfloat", "complex"},
    {at::kComplexDouble, "cdouble", "cdouble"},
    // Only operators create tensors of these.
    {ScalarType::QInt8, "qint8", "qint8"},
    {ScalarType::QUInt8, "quint8", "quint8"},
    {ScalarType::QInt32, "qint32", "qint32"},
    {ScalarType::QUInt4x2, "quint4x2", "quint4x2"},
    {ScalarType::QUInt2x4, "quint2x4", "quint2x4"},
    {ScalarType::Bits8, "bits8", "bits8"},
    {ScalarType::Bits16, "bits16", "bits16"},
    {ScalarType::Bits1x8, "bits1x8", "bits1x8"},
    {ScalarType::Bits2x4, "bits2x4", "bits2x4"},
    {ScalarType::Bits4x2, "bits4x2", "bits4x2"},
    {ScalarType::UInt1, "uint1", "u1"},
    {ScalarType::UInt2, "uint2", "u2"},
    {ScalarType::UInt3, "uint3", "u3"},
    {ScalarType::UInt4, "uint4", "u4"},
    {ScalarType::UInt5, "uint5", "u5"},
    {ScalarType::UInt6, "uint6", "u6"},
    {ScalarType::UInt7, "uint7", "u7"},
    {ScalarType::Int1, "int1", "i1"},
    {ScalarType::Int2, "int2", "i2"},
    {ScalarType::Int3, "int3", "i3"},
    {ScalarType::Int4, "int4", "i4"},
    {ScalarType::Int5, "int5", "i5"},
    {ScalarType::Int6, "int6", "i6"},
    {ScalarType::Int7, "int7", "i7"},
    {ScalarType::Float4_e2m1fn_x2, "float4-e2m1fn-x2", "f4-e2m1fn-x2"},
};

const DtypeName *entry_named(const std::string &text)
{
    std::string name = text;
    std::replace(name.begin(), name.end(), '_', '-');
    for (const DtypeName &d : DTYPES)
        if (name == d.name || name == d.alias) return &d;
    return nullptr;
}

// The integers that a dtype takes.  Negative ones wrap around in unsigned dtypes, as in PyTorch: -1
// is 255 as a uint8.
struct Range {
    int64_t least;
    uint64_t most;
};

Range range_of(ScalarType dtype)
{
    switch (dtype) {
    case at::kByte: return {-UINT8_MAX, UINT8_MAX};
    case at::kUInt16: return {-UINT16_MAX, UINT16_MAX};
    case at::kUInt32: return {-static_cast<int64_t>(UINT32_MAX), UINT32_MAX};
    case at::kUInt64: return {0, UINT64_MAX};
    case at::kChar: return {INT8_MIN, INT8_MAX};
    case at::kShort: return {INT16_MIN, INT16_MAX};
    case at::kInt: return {INT32_MIN, INT32_MAX};
    default: return {INT64_MIN, INT64_MAX};
    }
}

bool fits(int64_t i, Range range)
{
    return i < 0 ? i >= range.least : static_cast<uint64_t>(i) <= range.most;
}

bool fits(double f, Range range)
{
    // The greatest 64-bit values are not doubles; the next power of two is.
    double beyond = std::ldexp(1.0, range.most > INT64_MAX ? 64 : 63);
    bool low = f >= static_cast<double>(range.least);
    return low && (range.most < INT64_MAX ? f <= static_cast<double>(range.most) : f < beyond);
}

Failure misfit(const ct_value &number, ScalarType dtype)
{
    std::string name = ct::dtype_name(dtype), hint;
    if (at::isIntegralType(dtype, false)) {
        Range range = range_of(dtype);
        int64_t least = at::isSignedType(dtype) ? range.least : 0;
        hint = name + " holds " + std::to_string(least) + " to " + std::to_string(range.most);
    }
    return {ct::shown(number) + " does not fit into " + name, hint};
}

}  // namespace

const char *ct::dtype_name(ScalarType dtype)
{
    for (const DtypeName &d : DTYPES)
        if (d.dtype == dtype) return d.name;
    return c10::toString(dtype);
}

bool ct::is_dtype_name(const std::string &text) { return entry_named(text); }

at::ScalarType ct::dtype_from(const std::string &text)
{
    if (const DtypeName *found = entry_named(text)) return found->dtype;
    throw Failure{"unknown dtype: " + text, dtype_hint(text)};
}

std::string ct::dtype_hint(const std::string &text)
{
    constexpr size_t NEAR = 3;  // edits below which a name counts as misspelt
    std::string nearest;
    size_t least = NEAR;
    for (const DtypeName &d : DTYPES) {
        size_t distance = edit_distance(text, d.name);
        if (distance >= least || distance >= text.size()) continue;
        least = distance;
        nearest = d.name;
    }
    if (!nearest.empty()) return "did you mean " + nearest + "?";
    return "float32 float64 float16 bfloat16 int64 int32 int16 int8 uint8 bool complex64 complex128";
}

void ct::check_holds_numbers(ScalarType dtype)
{
    std::string name = dtype_name(dtype);
    if (at::isQIntType(dtype))
        throw Failure{"cannot create a tensor of " + name + " from numbers",
                      "tensor-quantize-per-tensor creates one from floats"};
    bool from_numbers = at::isIntegralType(dtype, true) || at::isFloatingType(dtype) ||
                        at::isComplexType(dtype);
    if (!from_numbers || (dtype >= ScalarType::UInt1 && dtype <= ScalarType::Int7) ||
        dtype == ScalarType::Float4_e2m1fn_x2)
        throw Failure{"cannot create a tensor of " + name + " from numbers", ""};
}

int64_t ct::integer_for(const ct_value &number, ScalarType dtype)
{
    Range range = range_of(dtype);
    switch (number.kind) {
    case CT_BOOL: return number.i;
    case CT_INT:
        if (fits(number.i, range)) return number.i;
        break;
    case CT_FLOAT:
        if (!fits(number.f, range)) break;
        if (number.f < 0) return static_cast<int64_t>(number.f);
        return static_cast<int64_t>(static_cast<uint64_t>(number.f));
    case CT_BIG:
        if (number.f < 0 || dtype != at::kUInt64 || number.f > std::ldexp(1.0, 64)) break;
        errno = 0;
        if (uint64_t bits = std::strtoull(number.text, nullptr, 10); errno == 0)
            return static_cast<int64_t>(bits);
        break;
    default: break;
    }
    throw misfit(number, dtype);
}

double ct::real_for(const ct_value &number, ScalarType dtype)
{
    if (number.kind == CT_FLOAT) return number.f;
    if (number.kind != CT_BIG) return static_cast<double>(number.i);
    if (std::isinf(number.f)) throw misfit(number, dtype);
    return number.f;
}
