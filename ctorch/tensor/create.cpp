// create.cpp - tensors of Lisp values: literals, nested lists and vectors.
//
//     ((1 2) (3 4.5))  =>  sizes (2 2), elements 1 2 3 4.5, dtype float32

#include "tensor/handle.h"

#include <ATen/ops/empty_ops.h>
#include <ATen/ops/stack_ops.h>

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

// The elements of nested lists, in row-major order, and which kinds are among them.
struct Elements {
    std::vector<int64_t> sizes;
    std::vector<const ct_value *> all;
    bool floats = false, integers = false, tensors = false;

    at::ScalarType dtype() const
    {
        return floats || all.empty() ? at::kFloat : integers ? at::kLong : at::kBool;
    }
};

void note(Elements &elements, const ct_value &element)
{
    switch (element.kind) {
    case CT_FLOAT: elements.floats = true; break;
    case CT_INT:
    case CT_BIG: elements.integers = true; break;
    case CT_BOOL: break;
    case CT_TENSOR: elements.tensors = true; break;
    default: throw Failure{"expected a number or a tensor, got " + ct::shown(element), ""};
    }
    elements.all.push_back(&element);
}

// Walks through nested lists.  The first list met at a depth sets the size there.
class Collector {
public:
    Elements collect(const ct_value &data)
    {
        visit(data);
        return std::move(elements_);
    }

private:
    void visit(const ct_value &value)
    {
        size_t depth = path_.size();
        if (value.kind == CT_LIST) return visit_row(value, depth);
        if (depth < elements_.sizes.size())
            throw ragged(row_of(elements_.sizes[depth]), value);
        note(elements_, value);
    }

    void visit_row(const ct_value &row, size_t depth)
    {
        int64_t size = static_cast<int64_t>(row.count);
        if (depth == MOST_DIMS)
            throw Failure{"a tensor has at most " + std::to_string(MOST_DIMS) + " dimensions", ""};
        bool inner = depth == elements_.sizes.size();
        if (inner && (closed_ || !elements_.all.empty())) throw ragged("a number", row);
        if (inner) elements_.sizes.push_back(size);
        else if (elements_.sizes[depth] != size)
            throw ragged(row_of(elements_.sizes[depth]), row);
        for (size_t k = 0; k < row.count; k++) {
            path_.push_back(k);
            visit(row.items[k]);
            path_.pop_back();
        }
        closed_ = true;
    }

    static std::string row_of(int64_t size) { return "a row of " + std::to_string(size); }

    Failure ragged(const std::string &expected, const ct_value &got) const
    {
        std::string place;
        for (size_t index : path_) place += " " + std::to_string(index);
        return {"ragged data: expected " + expected + " at index" + place + ", got " +
                    ct::shown(got), ""};
    }

    Elements elements_;
    std::vector<size_t> path_;  // the indices that lead to the value in hand
    bool closed_ = false;       // a list is complete: the sizes of all dimensions are known
};

template <class Element>
at::Tensor filled(const Elements &elements, at::ScalarType dtype, at::ScalarType wanted)
{
    at::Tensor target = empty(elements.sizes, dtype);
    Element *out = target.mutable_data_ptr<Element>();
    for (const ct_value *e : elements.all)
        if constexpr (std::is_same_v<Element, int64_t>) *out++ = ct::integer_for(*e, wanted);
        else *out++ = static_cast<Element>(ct::real_for(*e, wanted));
    return target;
}

at::Tensor of_numbers(const Elements &elements, at::ScalarType dtype)
{
    switch (dtype) {
    case at::kFloat: return filled<float>(elements, dtype, dtype);
    case at::kDouble: return filled<double>(elements, dtype, dtype);
    case at::kLong: return filled<int64_t>(elements, dtype, dtype);
    case at::kBool: return filled<bool>(elements, dtype, dtype);
    default: break;
    }
    ct::check_holds_numbers(dtype);
    bool whole = at::isIntegralType(dtype, false);
    return (whole ? filled<int64_t>(elements, at::kLong, dtype)
                  : filled<double>(elements, at::kDouble, dtype)).to(dtype);
}

// The dtype of tensors and numbers together: numbers give way, as in arithmetic.
at::ScalarType common_dtype(const Elements &elements)
{
    std::optional<at::ScalarType> common;
    for (const ct_value *e : elements.all) {
        if (e->kind != CT_TENSOR) continue;
        at::ScalarType dtype = e->tensor->value.scalar_type();
        common = common && *common != dtype ? c10::promoteTypes(*common, dtype) : dtype;
    }
    if (elements.floats && at::isIntegralType(*common, true)) return at::kFloat;
    if (elements.integers && *common == at::kBool) return at::kLong;
    return *common;
}

at::Device device_of_tensors(const Elements &elements)
{
    for (const ct_value *e : elements.all)
        if (e->kind == CT_TENSOR) return e->tensor->value.device();
    return ct::default_device();
}

// Elements of which at least one is a tensor: they stack, and keep their gradients.
at::Tensor of_tensors(const Elements &elements, at::ScalarType dtype, at::Device device)
{
    std::vector<at::Tensor> parts;
    for (const ct_value *e : elements.all) {
        parts.push_back(e->kind == CT_TENSOR ? e->tensor->value.to(device, dtype)
                                             : ct::make_number(*e, dtype, device));
        if (parts.back().sizes() != parts[0].sizes())
            throw Failure{"elements differ in shape: " + ct::shape_text(parts[0]) + " and " +
                              ct::shape_text(parts.back()), ""};
    }
    std::vector<int64_t> sizes = elements.sizes;
    sizes.insert(sizes.end(), parts[0].sizes().begin(), parts[0].sizes().end());
    return at::_ops::stack::call(parts, 0).reshape(sizes);
}

at::Tensor make_of(const Elements &elements, std::optional<at::ScalarType> dtype,
                   std::optional<at::Device> device)
{
    if (elements.tensors)
        return of_tensors(elements, dtype ? *dtype : common_dtype(elements),
                          device ? *device : device_of_tensors(elements));
    at::Tensor made = of_numbers(elements, dtype.value_or(elements.dtype()));
    at::Device place = device.value_or(ct::default_device());
    return place.is_cpu() ? made : made.to(place);
}

}  // namespace

at::Tensor ct::make_number(const ct_value &number, at::ScalarType dtype, at::Device device)
{
    Elements one;
    note(one, number);
    return make_of(one, dtype, device);
}

at::Tensor ct::make(const ct_value &data, at::ScalarType dtype, at::Device device)
{
    return make_of(Collector().collect(data), dtype, device);
}

extern "C" {

int ct_make(const ct_value *data, const char *dtype, const char *device, bool requires_grad,
            ct_tensor **result)
{
    return ct::guarded({}, [&] {
        std::optional<at::ScalarType> wanted;
        std::optional<at::Device> place;
        if (dtype) wanted = ct::dtype_from(dtype);
        if (device) place = ct::device_from(device);
        at::Tensor made = make_of(Collector().collect(*data), wanted, place);
        if (requires_grad && !made.is_floating_point() && !made.is_complex())
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
        Elements noted;
        noted.sizes.assign(sizes, sizes + rank);
        noted.all.reserve(count);
        for (size_t k = 0; k < count; k++) note(noted, elements[k]);
        *result = ct::handle(make_of(noted, std::nullopt, std::nullopt));
    });
}

}  // extern "C"
