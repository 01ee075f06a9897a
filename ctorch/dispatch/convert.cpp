// convert.cpp - which Lisp values suit a parameter, and what LibTorch gets for them.
//
//     int[2] kernel_size  with  3  =>  [3, 3]        ScalarType? dtype  with  'f64  =>  kDouble

#include "dispatch/call.h"
#include "tensor/plain.h"
#include "dispatch/unknown_value.h"

#include <ATen/ops/item_ops.h>

#include <algorithm>

bool ct::is_absent(const ct_value &value)
{
    return value.kind == CT_NONE || (value.kind == CT_BOOL && !value.i) ||
           (value.kind == CT_LIST && value.count == 0);
}

// #f is a value for an optional boolean, and the empty list for an optional list.  Otherwise both
// leave an optional parameter out.
bool ct::is_left_out(const Parameter &p, const ct_value &value)
{
    bool is_list = p.list && value.kind == CT_LIST;
    bool is_boolean = !p.list && p.type == ValueType::Bool && value.kind == CT_BOOL;
    return p.optional && !is_list && !is_boolean && is_absent(value);
}

// #f selects the default, as None does in Python, of a list that is not optional (max_pool2d's
// stride) and of a dtype (randint's).
bool ct::takes_default(const Parameter &p, const ct_value &value)
{
    bool is_nothing = value.kind == CT_NONE || (value.kind == CT_BOOL && !value.i);
    if (!is_nothing || !p.fallback || p.fallback->isNone()) return false;
    return p.type == ValueType::Dtype || (p.list && !p.optional && p.type != ValueType::Bool);
}

namespace {

using c10::IValue;
using ct::float_of;
using ct::integer_of;
using ct::is_absent;
using ct::CONVERTED;
using ct::Failure;
using ct::ValueType;
using ct::lisp_name;
using ct::NO;
using ct::Parameter;
using ct::scalar_of;
using ct::tensor_of;


bool is_name(const ct_value &value) { return value.kind == CT_SYMBOL || value.kind == CT_STRING; }

std::optional<at::ScalarType> dtype_named(const ct_value &value)
{
    if (!is_name(value)) return std::nullopt;
    try {
        return ct::dtype_from(value.text);
    } catch (const Failure &) {
        return std::nullopt;
    }
}

struct Format {
    const char *name;
    at::MemoryFormat format;
};
constexpr Format FORMATS[] = {{"contiguous-format", at::MemoryFormat::Contiguous},
                              {"preserve-format", at::MemoryFormat::Preserve},
                              {"channels-last", at::MemoryFormat::ChannelsLast},
                              {"channels-last-3d", at::MemoryFormat::ChannelsLast3d}};

struct LayoutName {
    const char *name;
    at::Layout layout;
};
constexpr LayoutName LAYOUTS[] = {{"strided", at::kStrided},
                                  {"sparse-coo", at::kSparse},
                                  {"sparse-csr", at::kSparseCsr},
                                  {"sparse-csc", at::kSparseCsc},
                                  {"sparse-bsr", at::kSparseBsr},
                                  {"sparse-bsc", at::kSparseBsc},
                                  {"mkldnn", at::kMkldnn},
                                  {"jagged", at::kJagged}};

template <class Entry, size_t N>
const Entry *entry_named(const Entry (&entries)[N], const ct_value &value)
{
    if (!is_name(value)) return nullptr;
    for (const Entry &entry : entries)
        if (lisp_name(value.text) == entry.name) return &entry;
    return nullptr;
}

bool is_device(const ct_value &value)
{
    if (!is_name(value)) return false;
    try {
        at::Device device{std::string(value.text)};
        return true;
    } catch (const c10::Error &) {
        return false;
    }
}

const ct::Held *held_in(const ct_value &value)
{
    return value.kind == CT_OBJECT ? dynamic_cast<ct::Held *>(value.object) : nullptr;
}

bool is_plain(const ct_value &value)
{
    return value.kind == CT_TENSOR || value.kind == CT_INT || value.kind == CT_FLOAT ||
           value.kind == CT_BOOL || is_name(value);
}

// Tensors that may stand for numbers.

bool is_like_integer(const ct_value &value)
{
    const at::Tensor &x = value.tensor->value;
    return ct::is_like_number(x) && c10::isIntegralType(x.scalar_type(), /*includeBool=*/false);
}

bool is_like_real(const ct_value &value)
{
    return ct::is_like_number(value.tensor->value) && !value.tensor->value.is_complex();
}

// Which values fit.

// The cost by the types of parameter and value; NO if the table has no such conversion.
int table_cost(ValueType parameter, ct_kind value)
{
    for (const ct::ConversionCost &row : ct::CONVERSION_COSTS)
        if (row.parameter == parameter && row.value == value) return row.cost;
    return NO;
}

// Whether the value itself allows the conversion that the table has for its type.
bool allows_conversion(const Parameter &p, const ct_value &value)
{
    switch (p.type) {
    case ValueType::Tensor: return value.kind == CT_TENSOR || !p.written;
    case ValueType::Int: return value.kind != CT_TENSOR || is_like_integer(value);
    case ValueType::Float: return value.kind != CT_TENSOR || is_like_real(value);
    case ValueType::Number:
        return value.kind != CT_TENSOR || ct::is_like_number(value.tensor->value);
    default: return true;
    }
}

int element_cost(const Parameter &p, const ct_value &value)
{
    switch (p.type) {
    case ValueType::Tensor:
    case ValueType::Int:
    case ValueType::Float:
    case ValueType::Number:
    case ValueType::Bool:
    case ValueType::String:
        if (ct::named_choice(p, value)) return 0;
        return allows_conversion(p, value) ? table_cost(p.type, value.kind) : NO;
    case ValueType::Dtype: return dtype_named(value) ? 0 : NO;
    case ValueType::Layout: return entry_named(LAYOUTS, value) ? 0 : NO;
    case ValueType::MemoryFormat: return entry_named(FORMATS, value) ? 0 : NO;
    case ValueType::Device: return is_device(value) ? 0 : NO;
    case ValueType::Generator: return ct::is_generator(value) ? 0 : NO;
    case ValueType::Any: return is_plain(value) || held_in(value) ? 0 : NO;
    case ValueType::Other: {
        const ct::Held *held = held_in(value);
        return held && held->value.type()->isSubtypeOf(*p.schema_type) ? 0 : NO;
    }
    }
    return NO;
}

}  // namespace

std::optional<at::MemoryFormat> ct::format_named(const ct_value &value)
{
    const Format *found = entry_named(FORMATS, value);
    return found ? std::optional(found->format) : std::nullopt;
}

std::string ct::differing_option(const std::string &keyword, const ct_value &value,
                                 const at::Tensor &x)
{
    if (keyword == "dtype") {
        auto dtype = dtype_named(value);
        return dtype == x.scalar_type() ? "" : std::string("dtype ") + dtype_name(x.scalar_type());
    }
    if (keyword == "device") {
        bool is_same = is_device(value) && ct::device_from(value.text) == x.device();
        return is_same ? "" : std::string("device ") + device_name(x.device());
    }
    const LayoutName *layout = entry_named(LAYOUTS, value);
    if (layout && layout->layout == x.layout()) return "";
    for (const LayoutName &entry : LAYOUTS)
        if (entry.layout == x.layout()) return std::string("layout ") + entry.name;
    return "another layout";
}

bool ct::is_like_number(const at::Tensor &x)
{
    return x.dim() == 0 && !x.requires_grad() && x.layout() == at::kStrided;
}

int ct::cost_of(const Parameter &p, const ct_value &value)
{
    if (is_unknown(value) || is_left_out(p, value)) return 0;
    if (takes_default(p, value)) return CONVERTED;
    if (!p.list) return element_cost(p, value);
    if (value.kind != CT_LIST) {
        int cost = p.length ? element_cost(p, value) : NO;
        return cost == NO ? NO : cost + CONVERTED;
    }
    int total = 0;
    for (size_t k = 0; k < value.count; k++) {
        const ct_value &item = value.items[k];
        int cost = p.optional_elements && is_absent(item) ? 0 : element_cost(p, item);
        if (cost == NO) return NO;
        total = std::max(total, cost);
    }
    return total;
}

std::string ct::name_advice(const Parameter &p, const ct_value &value)
{
    if (!is_name(value)) return "";
    if (p.type == ValueType::Dtype) return dtype_hint(value.text);
    return p.type == ValueType::Device ? available_devices() : "";
}

at::Scalar ct::scalar_of(const ct_value &value)
{
    if (value.kind == CT_TENSOR) return at::_ops::item::call(value.tensor->value);
    if (value.kind == CT_FLOAT) return value.f;
    if (value.kind == CT_BOOL) return value.i != 0;
    return value.i;
}

at::Tensor ct::tensor_of(const ct_value &value)
{
    return value.kind == CT_TENSOR ? value.tensor->value : ct::wrapped_number(value);
}

int64_t ct::integer_of(const ct_value &value)
{
    return value.kind == CT_TENSOR ? scalar_of(value).toLong() : value.i;
}

double ct::float_of(const ct_value &value)
{
    if (value.kind == CT_TENSOR) return scalar_of(value).toDouble();
    return value.kind == CT_FLOAT ? value.f : static_cast<double>(value.i);
}

namespace {

IValue plain(const ct_value &value)
{
    if (value.kind == CT_TENSOR) return value.tensor->value;
    if (is_name(value)) return std::string(value.text);
    return scalar_of(value);
}

IValue converted(ValueType type, const ct_value &value)
{
    switch (type) {
    case ValueType::Tensor: return tensor_of(value);
    case ValueType::Int: return integer_of(value);
    case ValueType::Float: return float_of(value);
    case ValueType::Bool: return value.i != 0;
    case ValueType::Number: return scalar_of(value);
    case ValueType::String: return std::string(value.text);
    case ValueType::Dtype: return ct::dtype_from(value.text);
    case ValueType::Layout: return entry_named(LAYOUTS, value)->layout;
    case ValueType::MemoryFormat: return entry_named(FORMATS, value)->format;
    case ValueType::Device: return ct::device_from(value.text);
    case ValueType::Generator: return ct::generator_of(value);
    case ValueType::Any:
    case ValueType::Other: return held_in(value) ? held_in(value)->value : plain(value);
    }
    return IValue();
}

template <class Element, class Convert>
IValue list_of(const ct_value *items, size_t count, Convert convert)
{
    c10::List<Element> list;
    list.reserve(count);
    for (size_t k = 0; k < count; k++) list.push_back(convert(items[k]));
    return list;
}

IValue converted_list(const Parameter &p, const ct_value *items, size_t count)
{
    switch (p.type) {
    case ValueType::Tensor:
        if (p.optional_elements)  // LibTorch reads the memory of these tensors directly
            return list_of<std::optional<at::Tensor>>(items, count, [](const ct_value &item) {
                return is_absent(item) ? std::nullopt : std::optional(ct::plain(tensor_of(item)));
            });
        return list_of<at::Tensor>(items, count, tensor_of);
    case ValueType::Int:
        return list_of<int64_t>(items, count, [](const ct_value &item) {
            return is_absent(item) ? ct::ABSENT : integer_of(item);
        });
    case ValueType::Float: return list_of<double>(items, count, float_of);
    case ValueType::Bool:
        return list_of<bool>(items, count, [](auto &item) { return item.i != 0; });
    case ValueType::Number: return list_of<at::Scalar>(items, count, scalar_of);
    case ValueType::String:
        return list_of<std::string>(items, count, [](auto &item) { return item.text; });
    default: {
        c10::impl::GenericList list(p.schema_type);
        for (size_t k = 0; k < count; k++) list.push_back(converted(p.type, items[k]));
        return list;
    }
    }
}

}  // namespace

IValue ct::argument(const Parameter &p, const Source &source, const ct_value *values)
{
    if (!source.count) return *p.fallback;
    if (source.loose) return converted_list(p, values + source.first, source.count);
    const ct_value &value = value_at(source, values);
    if (takes_default(p, value)) return *p.fallback;
    if (is_left_out(p, value)) return IValue();
    if (auto number = ct::named_choice(p, value)) return *number;
    if (!p.list) return converted(p.type, value);
    if (value.kind == CT_LIST) return converted_list(p, value.items, value.count);
    std::vector<ct_value> repeated(static_cast<size_t>(p.length), value);  // 3 for int[2]: (3 3)
    return converted_list(p, repeated.data(), repeated.size());
}
