// create.cpp - tensors from Lisp values: literals, nested lists and vectors.
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

// The elements of nested lists, in row-major order, and which types of value are among them.
struct Elements {
    std::vector<int64_t> sizes;
    std::vector<const ct_value *> all;
    bool floats = false, integers = false, tensors = false;

    at::ScalarType dtype() const
    {
        return floats || all.empty() ? at::kFloat : integers ? at::kLong : at::kBool;
    }
};

// In brackets other Lisps write calls, bindings and vectors.
constexpr const char *LITERAL_HINT =
    "[...] is a tensor of numbers; write a call or a binding in (...), other elements as (list ...)";

void add(Elements &elements, const ct_value &element, const char *hint = "")
{
    switch (element.kind) {
    case CT_FLOAT: elements.floats = true; break;
    case CT_INT:
    case CT_BIG: elements.integers = true; break;
    case CT_BOOL: break;
    case CT_TENSOR: elements.tensors = true; break;
    default: throw Failure{"expected a number or a tensor, got " + ct::shown(element), hint};
    }
    elements.all.push_back(&element);
}

// Walks through nested lists.  The first list at each depth sets the size of that dimension.
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
        add(elements_, value);
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
        std::string position;
        for (size_t index : path_) position += " " + std::to_string(index);
        return {"ragged data: expected " + expected + " at index" + position + ", got " +
                    ct::shown(got), ""};
    }

    Elements elements_;
    std::vector<size_t> path_;  // the indices of the current value
    bool closed_ = false;       // a list has ended: the sizes of all dimensions are set
};

template <class Element>
at::Tensor filled(const Elements &elements, at::ScalarType dtype, at::ScalarType target_dtype)
{
    at::Tensor result = empty(elements.sizes, dtype);
    Element *out = result.mutable_data_ptr<Element>();
    for (const ct_value *e : elements.all)
        if constexpr (std::is_same_v<Element, int64_t>) *out++ = ct::integer_for(*e, target_dtype);
        else *out++ = static_cast<Element>(ct::real_for(*e, target_dtype));
    return result;
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
    bool integral = at::isIntegralType(dtype, false);
    return (integral ? filled<int64_t>(elements, at::kLong, dtype)
                     : filled<double>(elements, at::kDouble, dtype)).to(dtype);
}

// The dtype of tensors and numbers together: as in arithmetic, numbers have the lowest priority.
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

// Elements of which at least one is a tensor: they are stacked, which records gradients.
at::Tensor of_tensors(const Elements &elements, at::ScalarType dtype, at::Device device)
{
    std::vector<at::Tensor> tensors;
    for (const ct_value *e : elements.all) {
        tensors.push_back(e->kind == CT_TENSOR ? e->tensor->value.to(device, dtype)
                                               : ct::make_number(*e, dtype, device));
        if (tensors.back().sizes() != tensors[0].sizes())
            throw Failure{"elements differ in shape: " + ct::shape_text(tensors[0]) + " and " +
                              ct::shape_text(tensors.back()), ""};
    }
    std::vector<int64_t> sizes = elements.sizes;
    sizes.insert(sizes.end(), tensors[0].sizes().begin(), tensors[0].sizes().end());
    return at::_ops::stack::call(tensors, 0).reshape(sizes);
}

at::Tensor make_of(const Elements &elements, std::optional<at::ScalarType> dtype,
                   std::optional<at::Device> device)
{
    if (elements.tensors)
        return of_tensors(elements, dtype ? *dtype : common_dtype(elements),
                          device ? *device : device_of_tensors(elements));
    at::Tensor created = of_numbers(elements, dtype.value_or(elements.dtype()));
    at::Device target = device.value_or(ct::default_device());
    return target.is_cpu() ? created : created.to(target);
}

}  // namespace

at::Tensor ct::make_number(const ct_value &number, at::ScalarType dtype, at::Device device)
{
    Elements one;
    add(one, number);
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
        std::optional<at::ScalarType> target_dtype;
        std::optional<at::Device> target;
        if (dtype) target_dtype = ct::dtype_from(dtype);
        if (device) target = ct::device_from(device);
        at::Tensor made = make_of(Collector().collect(*data), target_dtype, target);
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
        Elements collected;
        collected.sizes.assign(sizes, sizes + rank);
        collected.all.reserve(count);
        for (size_t k = 0; k < count; k++) add(collected, elements[k], LITERAL_HINT);
        *result = ct::handle(make_of(collected, std::nullopt, std::nullopt));
    });
}

}  // extern "C"
