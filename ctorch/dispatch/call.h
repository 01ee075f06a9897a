// call.h - a call on its way to LibTorch: bound to an overload, converted, and back.  C++ only.
//
//     values  --split-->  Call  --choose-->  Binding  --argument-->  LibTorch  --results-->  value
#pragma once

#include "errors/errors.h"
#include "dispatch/schema.h"
#include "conversion_costs.h"

#include <c10/util/SmallVector.h>

#include <ATen/core/Generator.h>

#include <limits>

namespace ct {

// A random number generator as a Lisp value.
struct Generator final : ct_object {
    at::Generator value;
};

// A value of LibTorch's for which Lisp has no type, such as packed weights.
struct Held final : ct_object {
    c10::IValue value;
};

// Up to six values need no allocation.
using Values = c10::SmallVector<ct_value, 6>;

// The arguments of a call: the positional ones, then those that keywords name.  Shallow copies.
struct Call {
    Values values;
    size_t positional = 0;
    std::vector<std::string> names;  // of the values from `positional` on, with underscores
    bool has_tensor = false;
};

// An element that is left out of a list of integers, which only Lambent's own overloads take.
constexpr int64_t ABSENT = std::numeric_limits<int64_t>::min();

constexpr int NO = -1;  // the cost of a value that does not fit; conversion_costs.h has the others

// Where a parameter's value comes from: `count` values of the call from `first` on; its default if
// count is 0.  loose: they are the elements of a list, given one by one, as the sizes of
// (tensor-zeros 2 3).  element: the index in the list there, if it is not negative.
struct Source {
    size_t first, count;
    bool loose;
    int64_t element = -1;
};

// The value of a parameter that has one, and is not a list given one by one.
inline const ct_value &value_at(const Source &source, const ct_value *values)
{
    const ct_value &value = values[source.first];
    return source.element < 0 ? value : value.items[source.element];
}

// Why an overload does not fit.  Messages show the overload that came nearest: the later the
// problem stands here, the nearer it came.
enum class Problem { NONE, COUNT, KEYWORD, MISSING, TYPE };

struct Direct;

struct Binding {
    const Overload *overload = nullptr;
    int cost = NO;
    Problem problem = Problem::NONE;
    std::string message;          // what the problem is
    std::string advice;           // a hint, if there is a better one than the usage
    int fitting = 0;              // how many values fit
    std::vector<Source> sources;  // by parameter
    size_t positional = 0;        // values, before those that keywords name
    bool requires_grad = false;
    bool only_this_call = false;  // it depends on more of the call than CallPattern has
    // LibTorch's own functions, where direct_call.h has them: they leave the results on the stack.
    const Direct *direct = nullptr;
};

// choose.cpp

Call split(size_t count, const ct_value *arguments);
// The values with those that keywords name at the end, as a Call has them.
Values in_order(size_t count, const ct_value *arguments);
// The overload that suits the call best; throws a Failure if none does.
Binding choose(const std::string &name, const std::vector<Overload> &overloads, const Call &call);

// bind.cpp

// The call's values as one overload would take them.
Binding bind(const Overload &overload, const Call &call);

// written.cpp

// Throw an error if the call would write to memory that it reads (written.h).
void check_written(const Binding &binding, const ct_value *values);

// convert.cpp

// Whether the value leaves an optional argument out.
bool is_absent(const ct_value &value);
// The same, for that parameter.
bool is_left_out(const Parameter &parameter, const ct_value &value);
// Whether the value stands for a list's default.
bool takes_default(const Parameter &parameter, const ct_value &value);
// How well the value suits the parameter: 0 as it is, more after a conversion, or NO.
int cost_of(const Parameter &parameter, const ct_value &value);
// A hint for a name that is not a dtype or device where one is expected: which ones exist.
std::string name_advice(const Parameter &parameter, const ct_value &value);
// What LibTorch gets for a parameter of a bound call.
c10::IValue argument(const Parameter &parameter, const Source &source, const ct_value *values);
// What x has instead of the dtype, device or layout that a keyword gives, such as "dtype float32";
// "" if it has that one.
std::string differing_option(const std::string &keyword, const ct_value &value,
                             const at::Tensor &x);
// The memory format of that name; none if the value is not such a name.
std::optional<at::MemoryFormat> format_named(const ct_value &value);
// A value that suits the parameter, as LibTorch's type.
at::Scalar scalar_of(const ct_value &value);
int64_t integer_of(const ct_value &value);
double float_of(const ct_value &value);
at::Tensor tensor_of(const ct_value &value);
// Whether a tensor may stand for a number: PyTorch's rule.
bool is_like_number(const at::Tensor &x);

// pytorch_names.cpp

// Whether it is another name of the parameter in PyTorch's Python functions.
bool is_other_name(const Parameter &parameter, const std::string &keyword);
// The number that a name such as "mean" stands for there; none if it names no choice.
std::optional<int64_t> named_choice(const Parameter &parameter, const ct_value &value);

// errors/given_arguments.cpp

// The arguments of the operator, by parameter.
Givens of_call(const Binding &binding, const ct_value *values);

// results.cpp

// The results on the stack, as one value or a list.  values: the call's arguments; an operator that
// returns one of them returns the same handle.
ct_value results(const Overload &overload, std::vector<c10::IValue> &stack, size_t count,
                 const ct_value *values);

// random_generator.cpp

bool is_generator(const ct_value &value);
at::Generator generator_of(const ct_value &value);

}  // namespace ct
