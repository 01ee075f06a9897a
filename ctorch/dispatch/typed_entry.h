// typed_entry.h - what a typed entry point of an operator needs besides LibTorch's C++ function:
// conversions of arguments and results, and reports of failures.  C++ only.
//
// typed_source.py writes the entry points, whose arguments have no boxes (typed.h).
#pragma once

#include "tensor/handle.h"
#include "tensor/sparse.h"
#include "typed.h"

#include <ATen/core/Tensor.h>
#include <c10/core/SymIntArrayRef.h>

#include <optional>
#include <utility>
#include <vector>

namespace ct {

// The device that with-device sets for new tensors; none for LibTorch's default.
inline std::optional<at::Device> device_of_new()
{
    return default_device().is_cpu() ? std::nullopt : std::optional(default_device());
}

inline at::Scalar scalar(ct_number x)
{
    return x.kind == CT_FLOAT ? at::Scalar(x.as.f) : at::Scalar(x.as.i);
}
inline std::optional<at::Scalar> optional_scalar(ct_number x)
{
    return x.kind == CT_NONE ? std::nullopt : std::optional(scalar(x));
}
inline std::optional<int64_t> integer(ct_number x)
{
    return x.kind == CT_NONE ? std::nullopt : std::optional(x.as.i);
}
inline std::optional<double> real(ct_number x)
{
    return x.kind == CT_NONE ? std::nullopt : std::optional(x.as.f);
}
inline at::Tensor &operand(ct_tensor *x)
{
    with_valid_indices(x->value);
    return x->value;
}
inline std::optional<at::Tensor> optional(ct_tensor *x)
{
    return x ? std::optional(operand(x)) : std::nullopt;
}
inline at::IntArrayRef ints(ct_ints x) { return {x.items, x.count}; }
inline c10::SymIntArrayRef sizes(ct_ints x) { return c10::fromIntArrayRefSlow(ints(x)); }
inline at::OptionalIntArrayRef optional_ints(ct_ints x)
{
    return x.items ? at::OptionalIntArrayRef(ints(x)) : at::OptionalIntArrayRef();
}

// An argument of a typed entry point that has failed, as a Lisp value again.
class TypedArgument {
public:
    TypedArgument(ct_tensor *x)
    {
        value_.kind = x ? CT_TENSOR : CT_NONE;
        value_.tensor = x;
    }
    TypedArgument(int64_t i) : TypedArgument(ct_int(i)) {}
    TypedArgument(double f) : TypedArgument(ct_float(f)) {}
    TypedArgument(ct_number x)
    {
        value_.kind = x.kind;
        if (x.kind == CT_FLOAT) value_.f = x.as.f;
        if (x.kind == CT_INT) value_.i = x.as.i;
    }
    TypedArgument(bool on)
    {
        value_.kind = CT_BOOL;
        value_.i = on;
    }
    TypedArgument(const char *text)
    {
        value_.kind = CT_SYMBOL;
        value_.text = text;
    }
    TypedArgument(ct_ints list)
    {
        value_.kind = CT_LIST;
        for (int64_t i : ints(list)) items_.push_back(TypedArgument(i).value_);
    }
    ct_value value() const
    {
        ct_value value = value_;
        if (value.kind == CT_LIST) {
            value.count = items_.size();
            value.items = const_cast<ct_value *>(items_.data());
        }
        return value;
    }

private:
    ct_value value_{};
    std::vector<ct_value> items_;
};

// As ct::report, with the message that the same call through the schema has.
int report_typed(const char *name, const char *overload,
                 std::initializer_list<TypedArgument> arguments) noexcept;

template <class Body, class Report>
int guarded_typed(Body body, Report report_failure) noexcept
{
    try {
        body();
        return 0;
    } catch (...) {
        return report_failure();
    }
}

// Whether an operator that owns x may write its result over it: there is no other reference to x or
// its storage, no gradient needs it, and the other operands have its dtype and shape, so that the
// result has them, too.
bool may_overwrite(ct_tensor *x, Operands others);

// The end of a function that owns x: it frees x, or returns it as the result.
inline int free_after(ct_tensor *x, int status)
{
    ct_free(x);
    return status;
}
inline int return_argument(ct_tensor *x, int status, ct_tensor **result)
{
    if (status) ct_free(x);
    else *result = x;
    return status;
}

// Write the result.  An operator that works in place, or has nothing to do, returns its argument:
// then the result is the same handle.
inline void return_tensor(at::Tensor found, ct_tensor *argument, ct_tensor **result)
{
    *result = found.is_same(argument->value) ? ct_clone(argument) : handle(std::move(found));
}
inline void return_tensor(at::Tensor found, std::initializer_list<ct_tensor *> arguments,
                          ct_tensor **result)
{
    for (ct_tensor *x : arguments)
        if (x && x->value.is_same(found)) {
            *result = ct_clone(x);
            return;
        }
    *result = handle(std::move(found));
}

}  // namespace ct
