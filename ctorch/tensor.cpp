// tensor.cpp - making tensors of Lisp values, reading them back, and taking and replacing parts.

#include "handle.h"

#include <ATen/core/List.h>
#include <ATen/core/ivalue.h>
#include <ATen/ops/empty_ops.h>
#include <ATen/ops/equal_ops.h>
#include <ATen/ops/stack_ops.h>

#include <cstdlib>
#include <optional>

namespace {

using ct::Failure;

constexpr size_t MOST_DIMS = 64;  // LibTorch's own limit

at::Tensor empty(at::IntArrayRef sizes, at::ScalarType dtype)
{
    return at::_ops::empty_memory_format::call(c10::fromIntArrayRefSlow(sizes), dtype,
                                               std::nullopt, std::nullopt, std::nullopt,
                                               std::nullopt);
}

// Making.

// The numbers of nested lists, in row-major order, and the largest kind among them.
struct Numbers {
    std::vector<int64_t> sizes;
    std::vector<const ct_value *> elements;
    bool floats = false, integers = false, tensors = false;

    at::ScalarType dtype() const
    {
        return floats || elements.empty() ? at::kFloat : integers ? at::kLong : at::kBool;
    }
};

void note(Numbers &numbers, const ct_value &element)
{
    switch (element.kind) {
    case CT_FLOAT: numbers.floats = true; break;
    case CT_INT: numbers.integers = true; break;
    case CT_BOOL: break;
    case CT_TENSOR: numbers.tensors = true; break;
    default:
        throw Failure{"expected a number or a tensor, got " + ct::shown(element), ""};
    }
    numbers.elements.push_back(&element);
}

// depth counts the lists around value; the first list met at a depth sets the size there.
void collect(Numbers &numbers, const ct_value &value, size_t depth, bool first)
{
    if (value.kind != CT_LIST) {
        if (depth != numbers.sizes.size())
            throw Failure{"ragged: " + ct::shown(value) + " stands where a list is expected", ""};
        note(numbers, value);
        return;
    }
    int64_t size = static_cast<int64_t>(value.count);
    if (depth == MOST_DIMS)
        throw Failure{"lists are nested more than " + std::to_string(MOST_DIMS) + " deep", ""};
    if (first && depth == numbers.sizes.size())
        numbers.sizes.push_back(size);
    else if (depth >= numbers.sizes.size())
        throw Failure{"ragged: " + ct::shown(value) + " stands where a number is expected", ""};
    else if (numbers.sizes[depth] != size)
        throw Failure{"ragged: lists of " + std::to_string(numbers.sizes[depth]) + " and " +
                          std::to_string(size) + " elements", ""};
    for (size_t k = 0; k < value.count; k++)
        collect(numbers, value.items[k], depth + 1, first && k == 0);
}

template <class Element>
void fill(at::Tensor &target, const Numbers &numbers)
{
    Element *out = target.mutable_data_ptr<Element>();
    for (const ct_value *e : numbers.elements)
        *out++ = e->kind == CT_FLOAT ? static_cast<Element>(e->f) : static_cast<Element>(e->i);
}

at::Tensor of_numbers(const Numbers &numbers, at::ScalarType dtype)
{
    at::Tensor target = empty(numbers.sizes, dtype);
    switch (dtype) {
    case at::kFloat: fill<float>(target, numbers); return target;
    case at::kDouble: fill<double>(target, numbers); return target;
    case at::kLong: fill<int64_t>(target, numbers); return target;
    case at::kBool: fill<bool>(target, numbers); return target;
    default: return of_numbers(numbers, numbers.floats ? at::kDouble : at::kLong).to(dtype);
    }
}

// Elements of which at least one is a tensor: they stack, and keep their gradients.
at::Tensor of_tensors(const Numbers &numbers)
{
    std::vector<at::Tensor> parts;
    for (const ct_value *e : numbers.elements) {
        parts.push_back(e->kind == CT_TENSOR ? e->tensor->value : ct::make(*e));
        if (parts.back().sizes() != parts[0].sizes())
            throw Failure{"elements differ in shape: " + ct::shape_text(parts[0]) + " and " +
                              ct::shape_text(parts.back()), ""};
    }
    std::vector<int64_t> sizes = numbers.sizes;
    sizes.insert(sizes.end(), parts[0].sizes().begin(), parts[0].sizes().end());
    return at::_ops::stack::call(parts, 0).reshape(sizes);
}

at::Tensor make_as(const Numbers &numbers, std::optional<at::ScalarType> dtype)
{
    if (!numbers.tensors) return of_numbers(numbers, dtype.value_or(numbers.dtype()));
    at::Tensor stacked = of_tensors(numbers);
    return dtype ? stacked.to(*dtype) : stacked;
}

// Reading.

at::Tensor strided_on_cpu(const at::Tensor &x)
{
    at::Tensor plain = x.detach();
    if (plain.layout() != at::kStrided) plain = plain.to_dense();
    return plain.cpu().contiguous();
}

ct_value scalar_value(const at::Scalar &scalar)
{
    ct_value value{};
    if (scalar.isComplex()) throw Failure{"complex numbers have no counterpart in Lisp", ""};
    if (scalar.isBoolean()) {
        value.kind = CT_BOOL;
        value.i = scalar.toBool();
    } else if (scalar.isIntegral(false)) {
        value.kind = CT_INT;
        value.i = scalar.toLong();
    } else {
        value.kind = CT_FLOAT;
        value.f = scalar.toDouble();
    }
    return value;
}

ct_value list_of(size_t count)
{
    ct_value list{};
    list.kind = CT_LIST;
    list.items = static_cast<ct_value *>(std::calloc(count ? count : 1, sizeof(ct_value)));
    if (!list.items) throw std::bad_alloc();
    list.count = count;
    return list;
}

// Writes the elements of x, which are contiguous, from `elements` on, through get.
template <class Element>
void read_nested(const at::Tensor &x, int64_t dim, const Element *&elements, ct_value &out)
{
    if (dim == x.dim()) {
        out = scalar_value(at::Scalar(*elements++));
        return;
    }
    out = list_of(static_cast<size_t>(x.size(dim)));
    for (size_t k = 0; k < out.count; k++) read_nested(x, dim + 1, elements, out.items[k]);
}

template <class Element>
void read_as(const at::Tensor &x, ct_value &out)
{
    const Element *elements = x.const_data_ptr<Element>();
    read_nested(x, 0, elements, out);
}

// Parts.

struct Part {
    at::Tensor view;  // after the integers, :all and ranges
    c10::List<std::optional<at::Tensor>> indices;  // what remains, by dimension of view
    bool indexed = false;
};

bool is_all(const ct_value &index)
{
    return (index.kind == CT_KEYWORD || index.kind == CT_SYMBOL) && std::string(index.text) == "all";
}

int64_t in_range(int64_t index, int64_t dim, int64_t size)
{
    int64_t position = index < 0 ? index + size : index;
    if (position < 0 || position >= size)
        throw Failure{"index " + std::to_string(index) + " is out of range for dim " +
                          std::to_string(dim) + " of size " + std::to_string(size), ""};
    return position;
}

// The integers of a list, counted from the start of a dimension of that size.
std::vector<int64_t> positions(const ct_value &list, int64_t dim, int64_t size)
{
    std::vector<int64_t> out;
    for (size_t k = 0; k < list.count; k++) {
        if (list.items[k].kind != CT_INT)
            throw Failure{"expected an integer as index, got " + ct::shown(list.items[k]), ""};
        out.push_back(in_range(list.items[k].i, dim, size));
    }
    return out;
}

// The step between them if they rise evenly, as (range a b step) makes them; otherwise 0.
int64_t even_step(const std::vector<int64_t> &list)
{
    if (list.size() < 2) return 1;
    int64_t step = list[1] - list[0];
    for (size_t k = 2; k < list.size(); k++)
        if (list[k] - list[k - 1] != step) return 0;
    return step > 0 ? step : 0;
}

at::Tensor index_tensor(const std::vector<int64_t> &list)
{
    at::Tensor index = empty({static_cast<int64_t>(list.size())}, at::kLong);
    std::copy(list.begin(), list.end(), index.mutable_data_ptr<int64_t>());
    return index;
}

void take_list(Part &part, const ct_value &list, int64_t dim, int64_t shown_dim)
{
    std::vector<int64_t> at = positions(list, shown_dim, part.view.size(dim));
    int64_t step = even_step(at);
    if (step) {
        int64_t start = at.empty() ? 0 : at.front(), end = at.empty() ? 0 : at.back() + 1;
        part.view = part.view.slice(dim, start, end, step);
        part.indices.push_back(std::nullopt);
    } else {
        part.indices.push_back(index_tensor(at));
        part.indexed = true;
    }
}

// How many dimensions an index takes up.
int64_t dims_of(const ct_value &index)
{
    bool mask = index.kind == CT_TENSOR && index.tensor->value.scalar_type() == at::kBool;
    return mask ? index.tensor->value.dim() : 1;
}

Part part_of(const at::Tensor &x, size_t count, const ct_value *indices)
{
    Part part{x, c10::List<std::optional<at::Tensor>>(), false};
    int64_t dim = 0, taken = 0;  // of the view, and of x
    for (size_t k = 0; k < count; k++) {
        const ct_value &index = indices[k];
        if (taken + dims_of(index) > x.dim())
            throw Failure{"too many indices for a tensor of rank " + std::to_string(x.dim()), ""};
        if (index.kind == CT_INT) {
            int64_t size = part.view.size(dim);
            part.view = part.view.select(dim, in_range(index.i, taken, size));
        } else if (is_all(index)) {
            part.indices.push_back(std::nullopt);
            dim++;
        } else if (index.kind == CT_LIST) {
            take_list(part, index, dim, taken);
            dim++;
        } else if (index.kind == CT_TENSOR) {
            part.indices.push_back(index.tensor->value);
            part.indexed = true;
            dim += dims_of(index);
        } else {
            throw Failure{"expected an integer, :all, a range or a tensor as index, got " +
                              ct::shown(index), ""};
        }
        taken += dims_of(index);
    }
    return part;
}

void check_dim(const at::Tensor &x, int64_t dim)
{
    if (dim < -x.dim() || dim >= x.dim())
        throw Failure{"dim " + std::to_string(dim) + " is out of range for a tensor of rank " +
                          std::to_string(x.dim()), ""};
}

bool is_number(const ct_value &value)
{
    return value.kind == CT_INT || value.kind == CT_FLOAT || value.kind == CT_BOOL;
}

}  // namespace

at::Tensor ct::make(const ct_value &data)
{
    Numbers numbers;
    collect(numbers, data, 0, true);
    return make_as(numbers, std::nullopt);
}

extern "C" {

int ct_make(const ct_value *data, const char *dtype, bool requires_grad, ct_tensor **result)
{
    return ct::guarded({}, [&] {
        std::optional<at::ScalarType> wanted;
        if (dtype) wanted = ct::dtype_from(dtype);
        Numbers numbers;
        collect(numbers, *data, 0, true);
        at::Tensor made = make_as(numbers, wanted);
        if (requires_grad && !made.is_floating_point())
            throw Failure{"only tensors of floating-point numbers have gradients, got " +
                              ct::describe(made), "(tensor ... :dtype 'float32)"};
        if (requires_grad) made = made.detach().requires_grad_(true);
        *result = ct::handle(std::move(made));
    });
}

int ct_literal(size_t rank, const int64_t *sizes, size_t count, const ct_value *elements,
               ct_tensor **result)
{
    return ct::guarded({}, [&] {
        Numbers numbers;
        numbers.sizes.assign(sizes, sizes + rank);
        for (size_t k = 0; k < count; k++) note(numbers, elements[k]);
        *result = ct::handle(make_as(numbers, std::nullopt));
    });
}

int64_t ct_rank(ct_tensor *x) { return x->value.dim(); }
int64_t ct_size(ct_tensor *x, int64_t dim) { return x->value.sizes()[static_cast<size_t>(dim)]; }
int64_t ct_count(ct_tensor *x) { return x->value.numel(); }
const char *ct_dtype(ct_tensor *x) { return ct::dtype_name(x->value.scalar_type()); }

const char *ct_device(ct_tensor *x)
{
    at::Device device = x->value.device();
    if (device.is_cpu()) return "cpu";
    static std::vector<std::string *> names;  // few, and kept for ever
    std::string name = device.str();
    for (std::string *known : names)
        if (*known == name) return known->c_str();
    names.push_back(new std::string(name));
    return names.back()->c_str();
}

int ct_item(ct_tensor *x, ct_value *result)
{
    return ct::guarded({x}, [&] {
        if (x->value.numel() != 1)
            throw Failure{"expected a tensor of one element, got " + ct::describe(x->value),
                          "tensor->list gives all elements"};
        *result = scalar_value(x->value.item());
    });
}

int ct_to_list(ct_tensor *x, ct_value *result)
{
    return ct::guarded({x}, [&] {
        at::Tensor plain = strided_on_cpu(x->value);
        ct_value out{};
        if (plain.is_complex()) throw Failure{"complex numbers have no counterpart in Lisp", ""};
        if (plain.is_floating_point())
            read_as<double>(plain.to(at::kDouble), out);
        else if (plain.scalar_type() == at::kBool)
            read_as<bool>(plain, out);
        else
            read_as<int64_t>(plain.to(at::kLong), out);
        *result = out;
    });
}

int ct_truth(ct_tensor *x, bool *result)
{
    return ct::guarded({x}, [&] {
        const at::Tensor &value = x->value;
        if (value.scalar_type() == at::kBool && value.numel() != 1)
            throw Failure{"a bool tensor of shape " + ct::shape_text(value) +
                              " has no single truth value", "use tensor-any or tensor-all"};
        *result = value.scalar_type() != at::kBool || value.item().toBool();
    });
}

int ct_equal(ct_tensor *a, ct_tensor *b, bool *result)
{
    return ct::guarded({a, b}, [&] {
        const at::Tensor &x = a->value, &y = b->value;
        *result = x.scalar_type() == y.scalar_type() && x.sizes() == y.sizes() &&
                  x.device() == y.device() && at::_ops::equal::call(x, y);
    });
}

int ct_describe(ct_tensor *x, char **result)
{
    return ct::guarded({x}, [&] { *result = ct::text_for_c(ct::describe(x->value)); });
}

int ct_slice(ct_tensor *x, int64_t dim, int64_t start, const int64_t *end, ct_tensor **result)
{
    return ct::guarded({x}, [&] {
        check_dim(x->value, dim);
        std::optional<c10::SymInt> stop;
        if (end) stop = *end;
        *result = ct::handle(x->value.slice_symint(dim, start, stop, 1));
    });
}

int ct_ref(ct_tensor *x, size_t count, const ct_value *indices, ct_tensor **result)
{
    return ct::guarded({x}, [&] {
        Part part = part_of(x->value, count, indices);
        at::Tensor found = part.indexed ? at::_ops::index_Tensor::call(part.view, part.indices)
                                        : part.view;
        *result = ct::handle(std::move(found));
    });
}

int ct_set(ct_tensor *x, size_t count, const ct_value *indices, const ct_value *value)
{
    return ct::guarded({x}, [&] {
        Part part = part_of(x->value, count, indices);
        at::Tensor filler = is_number(*value)           ? ct::wrapped_number(*value)
                            : value->kind == CT_TENSOR ? value->tensor->value
                                                       : ct::make(*value);
        if (part.indexed)
            at::_ops::index_put_::call(part.view, part.indices, filler.to(part.view.dtype()), false);
        else
            part.view.copy_(filler);
    });
}

}  // extern "C"
