// arithmetic.cpp - + - exp < and similar procedures when an operand is a tensor.
//
// A number is what PyTorch calls a Python scalar: it is broadcast, and has the lowest priority in
// type promotion.

#include "errors/errors.h"
#include "tensor/division.h"
#include "tensor/scalars.h"
#include "typed.h"

#include <ATen/ops/maximum_ops.h>
#include <ATen/ops/minimum_ops.h>

#include <cmath>
#include <cstring>

namespace {

using ct::Failure;
using Tensor = at::Tensor;

// A Lisp procedure of one or two operands; a function is NULL where it does not take that many.
struct Procedure {
    const char *name;
    Tensor (*one)(const Tensor &);
    Tensor (*two)(const Tensor &, const Tensor &);
};

Tensor truncated(const Tensor &a, const Tensor &b)
{
    return a.div(ct::divisor_for_quotient(a, b), "trunc");
}
Tensor floored(const Tensor &a, const Tensor &b)
{
    return a.div(ct::divisor_for_quotient(a, b), "floor");
}
Tensor truncated_remainder(const Tensor &a, const Tensor &b)
{
    return a.fmod(ct::divisor_for_remainder(a, b));
}
Tensor floored_remainder(const Tensor &a, const Tensor &b)
{
    return a.remainder(ct::divisor_for_remainder(a, b));
}

// A number beside a tensor on a GPU, where these two kernels want both.
Tensor beside(const Tensor &x, const Tensor &other)
{
    return x.dim() == 0 && x.is_cpu() && !other.is_cpu() ? x.to(other.device()) : x;
}

Tensor with_absolute(const Tensor &x)
{
    ct::need_absolute_values(x);
    return x;
}

const Procedure PROCEDURES[] = {
    {"+", nullptr, [](const Tensor &a, const Tensor &b) { return a.add(b); }},
    {"-", [](const Tensor &x) { return x.neg(); },
     [](const Tensor &a, const Tensor &b) { return a.sub(b); }},
    {"*", nullptr, [](const Tensor &a, const Tensor &b) { return a.mul(b); }},
    {"/", [](const Tensor &x) { return x.reciprocal(); },
     [](const Tensor &a, const Tensor &b) { return a.div(b); }},
    {"max", nullptr, at::_ops::maximum::call},
    {"min", nullptr, at::_ops::minimum::call},
    {"expt", nullptr, [](const Tensor &a, const Tensor &b) { return a.pow(b); }},
    {"quotient", nullptr, truncated},
    {"truncate-quotient", nullptr, truncated},
    {"truncate/", nullptr, truncated},
    {"floor-quotient", nullptr, floored},
    {"floor/", nullptr, floored},
    {"remainder", nullptr, truncated_remainder},
    {"truncate-remainder", nullptr, truncated_remainder},
    {"modulo", nullptr, floored_remainder},
    {"floor-remainder", nullptr, floored_remainder},
    {"gcd", nullptr,
     [](const Tensor &a, const Tensor &b) {
         return with_absolute(beside(a, b)).gcd(with_absolute(beside(b, a)));
     }},
    {"lcm", nullptr,
     [](const Tensor &a, const Tensor &b) {
         return with_absolute(beside(a, b)).lcm(with_absolute(beside(b, a)));
     }},
    {"abs", [](const Tensor &x) { return x.abs(); }, nullptr},
    {"square", [](const Tensor &x) { return x.square(); }, nullptr},
    {"exp", [](const Tensor &x) { return x.exp(); }, nullptr},
    {"log", [](const Tensor &x) { return x.log(); },
     [](const Tensor &x, const Tensor &base) { return x.log().div(base.log()); }},
    {"sqrt", [](const Tensor &x) { return x.sqrt(); }, nullptr},
    {"sin", [](const Tensor &x) { return x.sin(); }, nullptr},
    {"cos", [](const Tensor &x) { return x.cos(); }, nullptr},
    {"tan", [](const Tensor &x) { return x.tan(); }, nullptr},
    {"asin", [](const Tensor &x) { return x.asin(); }, nullptr},
    {"acos", [](const Tensor &x) { return x.acos(); }, nullptr},
    {"atan", [](const Tensor &x) { return x.atan(); },
     [](const Tensor &y, const Tensor &x) { return y.atan2(x); }},
    {"tanh", [](const Tensor &x) { return x.tanh(); }, nullptr},
    {"floor", [](const Tensor &x) { return x.floor(); }, nullptr},
    {"ceiling", [](const Tensor &x) { return x.ceil(); }, nullptr},
    {"truncate", [](const Tensor &x) { return x.trunc(); }, nullptr},
    {"round", [](const Tensor &x) { return x.round(); }, nullptr},
};

const Procedure &procedure(const char *name)
{
    for (const Procedure &p : PROCEDURES)
        if (std::strcmp(p.name, name) == 0) return p;
    throw Failure{"does not take tensors", ""};
}

// One operand as a tensor.  other: the other operand, NULL if there is none; converts: a number may
// be converted to its dtype at once.
class Operand {
public:
    Operand(const ct_value &value, const ct_value *other, bool converts)
    {
        if (value.kind == CT_TENSOR) {
            tensor_ = &value.tensor->value;
            return;
        }
        const Tensor *x = other && other->kind == CT_TENSOR ? &other->tensor->value : nullptr;
        bool is_big = value.kind == CT_BIG;
        // Beside floating-point numbers a number is one of them, whatever its size.
        if (is_big && !(x && (x->is_floating_point() || x->is_complex())))
            throw Failure{ct::shown(value) + " does not fit into int64",
                          "inexact converts it to a floating-point number"};
        if (!is_big && value.kind != CT_INT && value.kind != CT_FLOAT)
            throw Failure{"expected a number, got " + ct::shown(value), ""};
        at::Scalar number = value.kind == CT_INT ? at::Scalar(value.i) : at::Scalar(value.f);
        converted_ = converts && x && ct::fits_dtype_of(number, *x) ? ct::wrapped_as(x->scalar_type(), number)
                     : is_big ? ct::wrapped_as(at::kDouble, number) : ct::wrapped_number(value);
    }
    operator const Tensor &() const { return *tensor_; }

private:
    Tensor converted_;
    const Tensor *tensor_ = &converted_;
};

Tensor apply(const char *name, size_t count, const ct_value *operands)
{
    const Procedure &p = procedure(name);
    if (count == 1 && p.one) return p.one(Operand(operands[0], nullptr, false));
    if (count != 2 || !p.two)
        throw Failure{"does not take a tensor among " + std::to_string(count) + " operands", ""};
    // pow with a number as exponent has shortcuts for squares and roots.
    bool power = operands[0].kind == CT_TENSOR && operands[1].kind != CT_TENSOR && *name == 'e';
    if (power)
        return operands[0].tensor->value.pow(
            Tensor(Operand(operands[1], &operands[0], false)).item());
    bool basic = name[1] == '\0';  // + - * /
    return p.two(Operand(operands[0], &operands[1], basic),
                 Operand(operands[1], &operands[0], basic));
}

// A number to compare; two exact ones are compared exactly.
struct Number {
    bool exact;
    int64_t i;
    double f;
};

Number number(const ct_value &value, const char *elementwise)
{
    ct_value single = value;
    if (value.kind == CT_TENSOR) {
        if (value.tensor->value.numel() != 1)
            throw Failure{"expected a tensor of one element, got " +
                              ct::describe(value.tensor->value),
                          std::string(elementwise) + " compares element by element"};
        if (ct_item(value.tensor, &single)) throw Failure{ct_last_error(), ""};
    }
    bool element = value.kind == CT_TENSOR;
    if (single.kind == CT_FLOAT) return {false, 0, single.f};
    if (single.kind == CT_INT || (single.kind == CT_BOOL && element))
        return {true, single.i, static_cast<double>(single.i)};
    throw Failure{"expected a number, got " + ct::shown(value), ""};
}

template <class T>
bool compare(ct_comparison comparison, T a, T b)
{
    switch (comparison) {
    case CT_EQ: return a == b;
    case CT_LT: return a < b;
    case CT_GT: return a > b;
    case CT_LE: return a <= b;
    case CT_GE: return a >= b;
    }
    return false;
}

// The operands with names for messages: the parameter names of the LibTorch operator, if there is
// one.
ct::Givens givens_of(const char *name, size_t count, const ct_value *operands)
{
    static const char *const names[] = {"self", "other"};
    bool named = count == 1 || (count == 2 && std::strpbrk(name, "+-*/")) || *name == 'm';
    ct::Givens givens;
    for (size_t k = 0; k < count; k++)
        givens.push_back({named && k < 2 ? names[k] : "", operands[k], k});
    return givens;
}

int with_number(const char *name, ct_number a, ct_tensor *b, ct_tensor **result)
{
    ct_value operands[2] = {{.kind = a.kind}, {.kind = CT_TENSOR, .tensor = b}};
    if (a.kind == CT_FLOAT) operands[0].f = a.as.f;
    else operands[0].i = a.as.i;
    return ct_arithmetic(name, 2, operands, result);
}

}  // namespace

extern "C" {

int ct_arithmetic(const char *name, size_t count, const ct_value *operands, ct_tensor **result)
{
    return ct::guarded({}, [&] {
        try {
            *result = ct::handle(apply(name, count, operands));
        } catch (...) {
            throw ct::explained(givens_of(name, count, operands));
        }
    });
}

int ct_number_plus(ct_number a, ct_tensor *b, ct_tensor **result)
{
    return with_number("+", a, b, result);
}

int ct_number_times(ct_number a, ct_tensor *b, ct_tensor **result)
{
    return with_number("*", a, b, result);
}

int ct_number_minus(ct_number a, ct_tensor *b, ct_tensor **result)
{
    return with_number("-", a, b, result);
}

int ct_number_over(ct_number a, ct_tensor *b, ct_tensor **result)
{
    return with_number("/", a, b, result);
}

int ct_compare(ct_comparison comparison, const ct_value *a, const ct_value *b, bool *result)
{
    static const char *const elementwise[] = {"tensor-eq", "tensor-lt", "tensor-gt", "tensor-le",
                                              "tensor-ge"};
    return ct::guarded({}, [&] {
        Number x = number(*a, elementwise[comparison]), y = number(*b, elementwise[comparison]);
        *result = x.exact && y.exact ? compare(comparison, x.i, y.i)
                                     : compare(comparison, x.f, y.f);
    });
}

}  // extern "C"
