// handle.h - what the C++ files share: the handle, and the guard around every entry.
//
// C++ stays behind this header: ctorch.h is all that C sees.  An entry is one guarded lambda:
//
//     int ct_relu(ct_tensor *x, ct_tensor **result)
//     {
//         return guarded({x}, [&] { *result = handle(at::relu(x->value)); });
//     }
#pragma once

#include <ATen/core/Tensor.h>

#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "ctorch.h"

// One counted reference to a tensor.  Handles are recycled: value is undefined and next set while
// one waits in the free list.
struct ct_tensor {
    at::Tensor value;
    int64_t count;
    ct_tensor *next;
};

// One counted reference to something else.  Kinds of objects are derived from it.
struct ct_object {
    virtual ~ct_object() = default;
    std::string text;  // how it prints
    int64_t count = 1;
};

namespace ct {

// A mistake of the user's, in Lambent's own words.  Entries turn it into ct_last_error.  LibTorch's
// engine lets nothing through that is no std::exception.
struct Failure : std::exception {
    Failure() = default;
    Failure(std::string text, std::string advice) : message(std::move(text)), hint(std::move(advice))
    {
    }
    const char *what() const noexcept override { return message.c_str(); }

    std::string message;
    std::string hint;
};

// An owned handle for the tensor; NULL for an undefined one.
ct_tensor *handle(at::Tensor &&value);

// The tensors that an operation was given, by the position of the argument; NULL where it was not
// one.  Messages speak of their shapes.
using Operands = c10::ArrayRef<ct_tensor *>;

// Turn the exception in flight into ct_last_error.  Gives 1, the status, or CT_RAISED.
int report(Operands operands) noexcept;

template <class Body>
int guarded(Operands operands, Body body) noexcept
{
    try {
        body();
        return 0;
    } catch (...) {
        return report(operands);
    }
}

template <class Body>
int guarded(std::initializer_list<ct_tensor *> operands, Body body) noexcept
{
    return guarded(Operands(operands), body);
}

// "(2 3)".
std::string shape_text(at::IntArrayRef sizes);
inline std::string shape_text(const at::Tensor &x) { return shape_text(x.sizes()); }

// "a tensor float32 (2 3)".
std::string describe(const at::Tensor &x);

// dtypes.cpp

// "float32".
const char *dtype_name(at::ScalarType dtype);
bool is_dtype_name(const std::string &text);
// From "float32" or "f32"; throws a Failure that names the text otherwise.
at::ScalarType dtype_from(const std::string &text);
// "did you mean float32?", or the dtypes that there are.
std::string dtype_hint(const std::string &text);
// Throws a Failure for a dtype whose tensors are not made of numbers, such as quint8.
void check_holds_numbers(at::ScalarType dtype);
// A number or boolean as an element of an integer dtype, cut to a whole number; the bits of a
// uint64.  Throws a Failure if it does not fit.
int64_t integer_for(const ct_value &number, at::ScalarType dtype);
// The same for other dtypes.  Too large doubles become infinite.
double real_for(const ct_value &number, at::ScalarType dtype);

// devices.cpp

// Where new tensors go.
at::Device default_device();
// "there are cpu and meta".
std::string devices_there();
// From "cpu" or "cuda:0"; throws a Failure if there is none.
at::Device device_from(const std::string &text);
// "cuda:0": kept for ever.
const char *device_name(at::Device device);

// values.cpp

// A value as Lisp's write shows it, cut to the length that messages use.
std::string shown(const ct_value &value);
// A double as Lisp prints it: 0.1, 100.0, 1e21.
std::string double_text(double x);
// The same for a number as text with the fewest digits that read back.
std::string shortest_text(float x);

// The tensor of a number as PyTorch's Python scalars are: its dtype gives way to other operands'.
at::Tensor wrapped_number(const ct_value &value);
// Whether a value is a number or a boolean.
bool is_number(const ct_value &value);
// How many letters to change to make b of a; two swapped neighbours count as one change.
size_t edit_distance(const std::string &a, const std::string &b);

// create.cpp

// A tensor of a number or boolean.
at::Tensor make_number(const ct_value &number, at::ScalarType dtype, at::Device device);
// A tensor of a value and what is nested in it, a tensor too.
at::Tensor make(const ct_value &data, at::ScalarType dtype, at::Device device);

// elements.cpp

// The elements in a row in memory, without gradients: dense, not quantized, on the CPU.
at::Tensor readable(const at::Tensor &x);

// An owned copy of the text for C, which releases it with free.
char *text_for_c(const std::string &text);

}  // namespace ct
