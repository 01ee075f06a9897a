// direct.h - calling LibTorch's own functions instead of its boxed ones.  C++ only.
//
// The boxed call makes an IValue of each argument, and lists of those.  For the operators of
// lang/primitives/typed.py the C++ function is known, so what it takes is made right where it is
// called: by direct<Op> from the values of a bound call, whose parameters' C++ types say what, and
// by the functions that typed_source.py writes from arguments without boxes.
#pragma once

#include "call.h"
#include "scalars.h"
#include "typed.h"
#include "views.h"

#include <c10/core/SymIntArrayRef.h>
#include <c10/util/SmallVector.h>

#include <tuple>
#include <type_traits>
#include <utility>

namespace ct {

// Values of a bound call.

// A parameter with what the call gives for it: NULL for its default.
struct Place {
    const Parameter &parameter;
    const Source &source;
    const ct_value *values;

    const ct_value *value() const { return source.count ? &values[source.first] : nullptr; }
    bool is_absent() const
    {
        const ct_value *x = value();
        if (!x) return parameter.fallback->isNone();
        return is_left_out(parameter, *x);
    }
    c10::IValue converted() const { return argument(parameter, source, values); }
};

// What a C++ function takes for a parameter, alive while it runs.  In general it comes from an
// IValue; what follows is what comes more cheaply.
template <class T>
struct Taken {
    explicit Taken(const Place &given) : value(given.converted().to<T>()) {}
    T &get() { return value; }
    T value;
};

template <>
struct Taken<at::Tensor> {
    explicit Taken(const Place &given)
    {
        const ct_value &x = *given.value();
        if (x.kind == CT_TENSOR) tensor = &x.tensor->value;
        else wrapped = wrapped_number(x);
    }
    at::Tensor &get() { return *tensor; }
    at::Tensor wrapped, *tensor = &wrapped;
};

template <>
struct Taken<int64_t> {
    explicit Taken(const Place &given)
    {
        const ct_value *x = given.value();
        if (!x) value = given.parameter.fallback->toInt();
        else if (x->kind == CT_STRING) value = *named_choice(given.parameter, *x);
        else value = integer_of(*x);
    }
    int64_t get() const { return value; }
    int64_t value;
};

template <>
struct Taken<c10::SymInt> : Taken<int64_t> {
    using Taken<int64_t>::Taken;
    c10::SymInt get() const { return value; }
};

template <>
struct Taken<bool> {
    explicit Taken(const Place &given)
    {
        const ct_value *x = given.value();
        value = x ? x->i != 0 : given.parameter.fallback->toBool();
    }
    bool get() const { return value; }
    bool value;
};

template <>
struct Taken<double> {
    explicit Taken(const Place &given)
    {
        const ct_value *x = given.value();
        value = x ? float_of(*x) : given.parameter.fallback->toDouble();
    }
    double get() const { return value; }
    double value;
};

template <>
struct Taken<at::Scalar> {
    explicit Taken(const Place &given)
        : value(given.value() ? scalar_of(*given.value()) : given.parameter.fallback->toScalar())
    {
    }
    at::Scalar &get() { return value; }
    at::Scalar value;
};

template <class T>
struct Taken<std::optional<T>> {
    explicit Taken(const Place &given)
    {
        if (!given.is_absent()) value = Taken<T>(given).get();
    }
    std::optional<T> &get() { return value; }
    std::optional<T> value;
};

// A list of integers, or one for each element of an int[N].
template <>
struct Taken<at::IntArrayRef> {
    explicit Taken(const Place &given)
    {
        const ct_value *x = given.value();
        if (!x || takes_default(given.parameter, *x)) {
            if (given.parameter.fallback->isNone()) return;
            for (int64_t item : given.parameter.fallback->toIntVector()) items.push_back(item);
        } else if (given.source.loose) {
            add(x, given.source.count);
        } else if (x->kind == CT_LIST) {
            add(x->items, x->count);
        } else if (!given.is_absent()) {
            items.append(static_cast<size_t>(given.parameter.length), integer_of(*x));
        }
    }
    void add(const ct_value *x, size_t count)
    {
        for (size_t k = 0; k < count; k++) items.push_back(integer_of(x[k]));
    }
    at::IntArrayRef get() const { return items; }
    c10::SmallVector<int64_t, 6> items;
};

template <>
struct Taken<c10::SymIntArrayRef> : Taken<at::IntArrayRef> {
    using Taken<at::IntArrayRef>::Taken;
    c10::SymIntArrayRef get() const { return c10::fromIntArrayRefSlow(items); }
};

template <>
struct Taken<at::OptionalIntArrayRef> : Taken<at::IntArrayRef> {
    explicit Taken(const Place &given) : Taken<at::IntArrayRef>(given), absent(given.is_absent()) {}
    at::OptionalIntArrayRef get() const
    {
        return absent ? at::OptionalIntArrayRef() : at::OptionalIntArrayRef(items);
    }
    bool absent;
};

template <>
struct Taken<c10::string_view> {
    explicit Taken(const Place &given)
    {
        const ct_value *x = given.value();
        text = x ? c10::string_view(x->text) : given.parameter.fallback->toStringView();
    }
    c10::string_view get() const { return text; }
    c10::string_view text;
};

template <>
struct Taken<at::TensorList> {
    explicit Taken(const Place &given)
    {
        const ct_value *x = given.value();
        bool nested = !given.source.loose;
        const ct_value *items = nested ? x->items : x;
        size_t count = nested ? x->count : given.source.count;
        for (size_t k = 0; k < count; k++)
            tensors.push_back(tensor_of(items[k]));
    }
    at::TensorList get() const { return tensors; }
    c10::SmallVector<at::Tensor, 4> tensors;
};

template <>
struct Taken<at::ITensorListRef> : Taken<at::TensorList> {
    using Taken<at::TensorList>::Taken;
    at::ITensorListRef get() const { return at::TensorList(tensors); }
};

// Bound calls.

using DirectCall = void (*)(const Binding &binding, const ct_value *values,
                            std::vector<c10::IValue> &stack);

template <class Op, class Result, class... Parameters, size_t... Places>
void call_with(Result (*)(Parameters...), std::index_sequence<Places...>, const Binding &binding,
               const ct_value *values, std::vector<c10::IValue> &stack)
{
    const std::vector<Parameter> &parameters = binding.overload->parameters;
    decltype(auto) found = Op::call(Taken<std::decay_t<Parameters>>(
                                        {parameters[Places], binding.sources[Places], values})
                                        .get()...);
    if constexpr (std::is_same_v<std::decay_t<Result>, at::Tensor>)
        stack.emplace_back(std::forward<decltype(found)>(found));
    else
        std::apply([&](auto &&...parts) { (stack.emplace_back(std::move(parts)), ...); },
                   std::move(found));
}

// Leaves the results where the boxed call would.
template <class Op>
void direct(const Binding &binding, const ct_value *values, std::vector<c10::IValue> &stack)
{
    using Schema = typename Op::schema;
    [&]<class Result, class... Parameters>(Result (*schema)(Parameters...)) {
        call_with<Op>(schema, std::index_sequence_for<Parameters...>(), binding, values, stack);
    }(static_cast<Schema *>(nullptr));
}

// The overloads that can be called so; the last one has no name.  in_place: the form that leaves
// its result in the first argument, where an argument of no further use may be reused, or NULL.
struct Direct {
    const char *name, *overload;
    DirectCall call, in_place;
};
extern const Direct DIRECT[];

// Arguments without boxes.

// Where with-device puts new tensors.
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
inline std::optional<at::Tensor> optional(ct_tensor *x)
{
    return x ? std::optional(x->value) : std::nullopt;
}
inline at::IntArrayRef ints(ct_ints x) { return {x.items, x.count}; }
inline c10::SymIntArrayRef sizes(ct_ints x) { return c10::fromIntArrayRefSlow(ints(x)); }
inline at::OptionalIntArrayRef optional_ints(ct_ints x)
{
    return x.items ? at::OptionalIntArrayRef(ints(x)) : at::OptionalIntArrayRef();
}

// An argument of a typed entry that has failed, as the value that it was in Lisp.
class Told {
public:
    Told(ct_tensor *x)
    {
        value_.kind = x ? CT_TENSOR : CT_NONE;
        value_.tensor = x;
    }
    Told(int64_t i) : Told(ct_int(i)) {}
    Told(double f) : Told(ct_float(f)) {}
    Told(ct_number x)
    {
        value_.kind = x.kind;
        if (x.kind == CT_FLOAT) value_.f = x.as.f;
        if (x.kind == CT_INT) value_.i = x.as.i;
    }
    Told(bool on)
    {
        value_.kind = CT_BOOL;
        value_.i = on;
    }
    Told(const char *text)
    {
        value_.kind = CT_SYMBOL;
        value_.text = text;
    }
    Told(ct_ints list)
    {
        value_.kind = CT_LIST;
        for (int64_t i : ints(list)) items_.push_back(Told(i).value_);
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

// As ct::report, with the words that the same call through the schema has.
int report_typed(const char *name, const char *overload,
                 std::initializer_list<Told> told) noexcept;

// tell reports the failure.
template <class Body, class Tell>
int guarded_typed(Body body, Tell tell) noexcept
{
    try {
        body();
        return 0;
    } catch (...) {
        return tell();
    }
}

// Whether an operator that gets x for its own may write its result over it: nobody else holds x or
// its storage, no gradient needs it, and the result is like it, for so are the other operands.
bool is_spare(ct_tensor *x, Operands others);

// The end of an operator that owns x: x is freed, or is the result.
inline int ending(ct_tensor *x, int status)
{
    ct_free(x);
    return status;
}
inline int handing_on(ct_tensor *x, int status, ct_tensor **result)
{
    if (status) ct_free(x);
    else *result = x;
    return status;
}

// An operator that works in place, or has nothing to do, returns its argument: the same handle.
inline void give(at::Tensor found, ct_tensor *argument, ct_tensor **result)
{
    *result = found.is_same(argument->value) ? ct_clone(argument) : handle(std::move(found));
}
inline void give(at::Tensor found, std::initializer_list<ct_tensor *> arguments,
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
