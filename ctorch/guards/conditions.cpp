// conditions.cpp - the arguments of a call by name, and the conditions that guards put on them.
//
//     need_rank("self", x, 3, 4)  =>  "expected a tensor of rank 3 or 4 for self, got one of rank 1"

#include "guards/guards.h"
#include "tensor/plain.h"

#include <ATen/core/List.h>
#include <ATen/core/grad_mode.h>

namespace {

using ct::Failure;
using ct::lisp_name;

bool is_readable(const at::Tensor &x)
{
    return x.defined() && !x.is_meta() && x.layout() == at::kStrided && x.numel() > 0 &&
           c10::isIntegralType(x.scalar_type(), /*includeBool=*/false);
}

std::vector<int64_t> elements(const at::Tensor &x)
{
    at::NoGradGuard plain;
    at::Tensor row = ct::plain(x.detach()).to(at::kCPU, at::kLong).contiguous();
    const int64_t *first = row.const_data_ptr<int64_t>();
    return {first, first + row.numel()};
}

std::string number(int64_t x) { return std::to_string(x); }

}  // namespace

c10::IValue ct::Arguments::value(const char *name) const
{
    for (size_t k = 0; k < overload_.parameters.size(); k++)
        if (overload_.parameters[k].name == name) return stack_[k];
    return {};
}

at::Tensor ct::Arguments::tensor(const char *name) const
{
    c10::IValue x = value(name);
    return x.isTensor() ? x.toTensor() : at::Tensor();
}

std::vector<at::Tensor> ct::Arguments::tensors(const char *name) const
{
    c10::IValue x = value(name);
    return x.isTensorList() ? x.toTensorVector() : std::vector<at::Tensor>();
}

std::vector<int64_t> ct::Arguments::integers(const char *name) const
{
    c10::IValue x = value(name);
    return x.isIntList() ? x.toIntVector() : std::vector<int64_t>();
}

int64_t ct::Arguments::integer(const char *name) const
{
    c10::IValue x = value(name);
    return x.isInt() ? x.toInt() : 0;
}

bool ct::Arguments::truth(const char *name) const
{
    c10::IValue x = value(name);
    return x.isBool() && x.toBool();
}

void ct::need_count(const char *name, size_t got, size_t expected)
{
    if (got == expected) return;
    throw Failure{"expected a list of " + std::to_string(expected) + " for " + lisp_name(name) +
                      ", got " + std::to_string(got), ""};
}

void ct::need_rank(const char *name, const at::Tensor &x, int64_t least, int64_t most)
{
    if (!x.defined() || (x.dim() >= least && x.dim() <= most)) return;
    std::string ranks = number(least);
    if (most != least) ranks += most == NO_LIMIT ? " or more" : " or " + number(most);
    throw Failure{"expected a tensor of rank " + ranks + " for " + lisp_name(name) +
                      ", got one of rank " + number(x.dim()), ""};
}

void ct::need_shape(const char *name, const at::Tensor &x, const Shape &expected)
{
    if (!x.defined() || x.sizes() == at::IntArrayRef(expected)) return;
    throw Failure{"expected shape " + shape_text(expected) + " for " + lisp_name(name) + ", got " +
                      shape_text(x), ""};
}

void ct::need_elements(const char *name, const at::Tensor &x, int64_t expected)
{
    if (!x.defined() || x.numel() == expected) return;
    throw Failure{"expected " + number(expected) + " elements for " + lisp_name(name) + ", got " +
                      number(x.numel()), ""};
}

void ct::need_dtype(const char *name, const at::Tensor &x, at::ScalarType expected)
{
    if (!x.defined() || x.scalar_type() == expected) return;
    throw Failure{"expected dtype " + std::string(dtype_name(expected)) + " for " +
                      lisp_name(name) + ", got " + dtype_name(x.scalar_type()), ""};
}

void ct::need_on_cpu(const char *name, const at::Tensor &x)
{
    if (x.is_cpu() || x.is_meta()) return;
    throw Failure{"expected a tensor on the CPU for " + lisp_name(name) + ", got one on " +
                      x.device().str(), "(tensor-to t \"cpu\") moves it"};
}

void ct::need_within(const char *name, int64_t x, int64_t least, int64_t most)
{
    if (x >= least && x <= most) return;
    if (least > most)
        throw Failure{lisp_name(name) + " " + number(x) + " is out of range, which is empty", ""};
    std::string limits = number(least);
    if (most != least) limits += most == NO_LIMIT ? " or more" : " to " + number(most);
    throw Failure{"expected " + limits + " for " + lisp_name(name) + ", got " + number(x), ""};
}

void ct::need_within(const char *name, const at::Tensor &x, int64_t least, int64_t most)
{
    if (!is_readable(x)) return;
    for (int64_t element : elements(x)) need_within(name, element, least, most);
}

void ct::need_contiguous(const char *name, const at::Tensor &x)
{
    if (!x.defined() || x.is_contiguous()) return;
    throw Failure{"expected a contiguous tensor for " + lisp_name(name),
                  "tensor-contiguous makes a contiguous copy"};
}

void ct::need_ascending(const char *name, const at::Tensor &x)
{
    if (!is_readable(x) || x.dim() == 0) return;
    std::vector<int64_t> all = elements(x);
    auto row = static_cast<size_t>(x.size(-1));
    for (size_t k = 1; k < all.size(); k++)
        if (k % row != 0 && all[k] < all[k - 1])
            throw Failure{"expected ascending elements for " + lisp_name(name) + ", got " +
                              number(all[k - 1]) + " before " + number(all[k]), ""};
}
