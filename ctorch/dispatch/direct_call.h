// direct_call.h - bound calls of LibTorch's C++ functions, without its boxed values.  C++ only.
//
// The boxed call makes an IValue of each argument, and lists of those.  For the operators of
// lang/primitives/typed.py the C++ function is known: direct<Op> converts the values of a bound
// call to the C++ types of its parameters.  The functions that compiled programs call do not even
// have the values (typed_entry.h).
#pragma once

#include "dispatch/call.h"
#include "tensor/scalars.h"

#include <c10/core/SymIntArrayRef.h>
#include <c10/util/SmallVector.h>

#include <tuple>
#include <type_traits>
#include <utility>

namespace ct {

struct BoundParameter {
    const Parameter &parameter;
    const Source &source;
    const ct_value *values;

    // What the call gives for it; NULL for its default.
    const ct_value *value() const { return source.count ? &values[source.first] : nullptr; }
    bool is_absent() const
    {
        const ct_value *x = value();
        if (!x) return parameter.fallback->isNone();
        return is_left_out(parameter, *x);
    }
    c10::IValue converted() const { return argument(parameter, source, values); }
};

// The argument of a C++ function for a parameter of type T; it lives while the function runs.  In
// general it is made from an IValue; the specializations below are cheaper.
template <class T>
struct Taken {
    explicit Taken(const BoundParameter &given) : value(given.converted().to<T>()) {}
    T &get() { return value; }
    T value;
};

template <>
struct Taken<at::Tensor> {
    explicit Taken(const BoundParameter &given)
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
    explicit Taken(const BoundParameter &given)
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
    explicit Taken(const BoundParameter &given)
    {
        const ct_value *x = given.value();
        value = x ? x->i != 0 : given.parameter.fallback->toBool();
    }
    bool get() const { return value; }
    bool value;
};

template <>
struct Taken<double> {
    explicit Taken(const BoundParameter &given)
    {
        const ct_value *x = given.value();
        value = x ? float_of(*x) : given.parameter.fallback->toDouble();
    }
    double get() const { return value; }
    double value;
};

template <>
struct Taken<at::Scalar> {
    explicit Taken(const BoundParameter &given)
        : value(given.value() ? scalar_of(*given.value()) : given.parameter.fallback->toScalar())
    {
    }
    at::Scalar &get() { return value; }
    at::Scalar value;
};

template <class T>
struct Taken<std::optional<T>> {
    explicit Taken(const BoundParameter &given)
    {
        if (!given.is_absent()) value = Taken<T>(given).get();
    }
    std::optional<T> &get() { return value; }
    std::optional<T> value;
};

// A list of integers, or one for each element of an int[N].
template <>
struct Taken<at::IntArrayRef> {
    explicit Taken(const BoundParameter &given)
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
    explicit Taken(const BoundParameter &given)
        : Taken<at::IntArrayRef>(given), absent(given.is_absent())
    {
    }
    at::OptionalIntArrayRef get() const
    {
        return absent ? at::OptionalIntArrayRef() : at::OptionalIntArrayRef(items);
    }
    bool absent;
};

template <>
struct Taken<c10::string_view> {
    explicit Taken(const BoundParameter &given)
    {
        const ct_value *x = given.value();
        text = x ? c10::string_view(x->text) : given.parameter.fallback->toStringView();
    }
    c10::string_view get() const { return text; }
    c10::string_view text;
};

template <>
struct Taken<at::TensorList> {
    explicit Taken(const BoundParameter &given)
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

using DirectCall = void (*)(const Binding &binding, const ct_value *values,
                            std::vector<c10::IValue> &stack);

template <class Op, class Result, class... Parameters, size_t... Indices>
void call_with(Result (*)(Parameters...), std::index_sequence<Indices...>, const Binding &binding,
               const ct_value *values, std::vector<c10::IValue> &stack)
{
    const std::vector<Parameter> &parameters = binding.overload->parameters;
    decltype(auto) found = Op::call(Taken<std::decay_t<Parameters>>(
                                        {parameters[Indices], binding.sources[Indices], values})
                                        .get()...);
    if constexpr (std::is_same_v<std::decay_t<Result>, at::Tensor>)
        stack.emplace_back(std::forward<decltype(found)>(found));
    else
        std::apply([&](auto &&...results) { (stack.emplace_back(std::move(results)), ...); },
                   std::move(found));
}

// Leaves the results on the stack, as the boxed call does.
template <class Op>
void direct(const Binding &binding, const ct_value *values, std::vector<c10::IValue> &stack)
{
    using Schema = typename Op::schema;
    [&]<class Result, class... Parameters>(Result (*schema)(Parameters...)) {
        call_with<Op>(schema, std::index_sequence_for<Parameters...>(), binding, values, stack);
    }(static_cast<Schema *>(nullptr));
}

// The overloads that can be called so; the last row has no name.  in_place: the operator that
// leaves its result in the first argument, for an argument at its last use; NULL if there is none.
struct Direct {
    const char *name, *overload;
    DirectCall call, in_place;
};
extern const Direct DIRECT[];

}  // namespace ct
