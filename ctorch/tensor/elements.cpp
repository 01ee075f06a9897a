// elements.cpp - a tensor's elements as Lisp values, its truth value, and equality.

#include "tensor/empty_rows.h"
#include "tensor/handle.h"
#include "tensor/plain.h"
#include "tensor/sparse.h"

#include <ATen/ops/equal_ops.h>

#include <cstdlib>
#include <limits>
#include <utility>

namespace {

using ct::Failure;

constexpr int64_t MOST_EMPTY_ROWS = 1'000'000;  // of a list

Failure complex_numbers()
{
    return {"complex numbers have no counterpart in Lisp",
            "tensor-view-as-real returns pairs of real and imaginary parts"};
}

ct_value value_of(const at::Scalar &scalar)
{
    ct_value value{};
    if (scalar.isComplex()) throw complex_numbers();
    if (scalar.isBoolean()) {
        value.kind = CT_BOOL;
        value.i = scalar.toBool();
    } else if (scalar.isFloatingPoint()) {
        value.kind = CT_FLOAT;
        value.f = scalar.toDouble();
    } else if (scalar.type() == at::kUInt64 && scalar.toUInt64() > INT64_MAX) {
        value.kind = CT_BIG;
        value.f = static_cast<double>(scalar.toUInt64());
        value.text = ct::text_for_c(std::to_string(scalar.toUInt64()));
    } else {
        value.kind = CT_INT;
        value.i = scalar.toLong();
    }
    return value;
}

// Releases an incomplete result when something fails.
struct Unfinished {
    ct_value value{};
    ~Unfinished() { ct_value_clear(&value); }
    ct_value finish() { return std::exchange(value, ct_value{}); }
};

void begin_list(ct_value &list, size_t count)
{
    list.kind = CT_LIST;
    list.items = static_cast<ct_value *>(std::calloc(count ? count : 1, sizeof(ct_value)));
    if (!list.items) throw std::bad_alloc();
    list.count = count;
}

// Writes the elements of x, which are contiguous from `elements` on.
template <class Element>
void read_nested(const at::Tensor &x, int64_t dim, const Element *&elements, ct_value &out)
{
    if (dim == x.dim()) {
        out = value_of(at::Scalar(*elements++));
        return;
    }
    begin_list(out, static_cast<size_t>(x.size(dim)));
    for (size_t k = 0; k < out.count; k++) read_nested(x, dim + 1, elements, out.items[k]);
}

template <class Element>
void read_as(const at::Tensor &x, ct_value &out)
{
    const Element *elements = x.const_data_ptr<Element>();
    read_nested(x, 0, elements, out);
}

void read_all(const at::Tensor &x, ct_value &out)
{
    if (x.is_complex()) throw complex_numbers();
    if (x.is_floating_point()) return read_as<double>(x.to(at::kDouble), out);
    if (x.scalar_type() == at::kBool) return read_as<bool>(x, out);
    if (x.scalar_type() == at::kUInt64) return read_as<uint64_t>(x, out);
    read_as<int64_t>(x.to(at::kLong), out);
}

// Two tensors on one device, of one dtype and shape.
bool same_elements(const at::Tensor &x, const at::Tensor &y)
{
    if (x.is_same(y)) return true;
    if (x.is_meta()) return false;  // no elements to compare
    if (x.layout() == at::kStrided && !x.is_quantized()) return at::_ops::equal::call(x, y);
    return at::_ops::equal::call(ct::readable(x), ct::readable(y));
}

}  // namespace

at::Tensor ct::readable(const at::Tensor &x)
{
    if (x.is_meta()) throw Failure{"a tensor on device meta has no elements", ""};
    at::Tensor plain = x.detach();
    if (plain.layout() != at::kStrided) plain = ct::with_valid_indices(plain).to_dense();
    if (plain.is_quantized()) plain = plain.dequantize();
    return ct::plain(plain).cpu().contiguous();
}

int64_t ct::empty_rows(const at::Tensor &x)
{
    if (x.numel() > 0) return 0;
    int64_t rows = 1;
    for (int64_t size : x.sizes()) {
        if (size == 0) return rows;
        if (__builtin_mul_overflow(rows, size, &rows)) return std::numeric_limits<int64_t>::max();
    }
    return rows;
}

at::Tensor ct::plain(const at::Tensor &x)
{
    at::Tensor found = x.resolve_conj().resolve_neg();
    return found._is_zerotensor() ? found.clone() : found;
}

extern "C" {

int64_t ct_rank(ct_tensor *x) { return x->value.dim(); }
int64_t ct_size(ct_tensor *x, int64_t dim) { return x->value.sizes()[static_cast<size_t>(dim)]; }
int64_t ct_count(ct_tensor *x) { return x->value.numel(); }
const char *ct_dtype(ct_tensor *x) { return ct::dtype_name(x->value.scalar_type()); }

int ct_item(ct_tensor *x, ct_value *result)
{
    return ct::guarded({x}, [&] {
        if (x->value.numel() != 1)
            throw Failure{"expected a tensor of one element, got " + ct::describe(x->value),
                          "tensor->list returns all elements"};
        bool plain = x->value.is_cpu() && !x->value.is_quantized();
        *result = value_of(plain ? x->value.item() : ct::readable(x->value).item());
    });
}

int ct_to_list(ct_tensor *x, ct_value *result)
{
    return ct::guarded({x}, [&] {
        if (ct::empty_rows(x->value) > MOST_EMPTY_ROWS)
            throw Failure{"too many empty rows for a list: the tensor has shape " +
                              ct::shape_text(x->value), ""};
        Unfinished out;
        read_all(ct::readable(x->value), out.value);
        *result = out.finish();
    });
}

int ct_truth(ct_tensor *x, bool *result)
{
    return ct::guarded({x}, [&] {
        const at::Tensor &value = x->value;
        if (value.scalar_type() == at::kBool && value.numel() != 1)
            throw Failure{"a bool tensor of shape " + ct::shape_text(value) +
                              " has no single truth value", "use tensor-any or tensor-all"};
        if (value.is_meta() && value.scalar_type() == at::kBool) ct::readable(value);
        *result = value.scalar_type() != at::kBool || value.item().toBool();
    });
}

int ct_equal(ct_tensor *a, ct_tensor *b, bool *result)
{
    return ct::guarded({a, b}, [&] {
        const at::Tensor &x = a->value, &y = b->value;
        *result = x.scalar_type() == y.scalar_type() && x.sizes() == y.sizes() &&
                  x.device() == y.device() && x.layout() == y.layout() && same_elements(x, y);
    });
}

int ct_describe(ct_tensor *x, char **result)
{
    return ct::guarded({x}, [&] { *result = ct::text_for_c(ct::describe(x->value)); });
}

}  // extern "C"
