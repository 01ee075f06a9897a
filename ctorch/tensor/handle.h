// handle.h - what the C++ files share: the handle, and the guard around every entry point.
//
// C sees ctorch.h only, never this header.  An entry point is one guarded lambda:
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

// One counted reference to a tensor.  Handles are recycled: value is undefined and next is set
// while it is in the free list.  Compiled programs count references themselves, except the last one.
struct ct_tensor {
    uint32_t unused;
    uint32_t count;  // at CT_COUNT_AT; from CT_IMMORTAL on it has overflowed, and stays
    at::Tensor value;
    ct_tensor *next;
};

// One counted reference to something else.  Classes of objects are derived from it.
struct ct_object {
    virtual ~ct_object() = default;
    std::string text;  // how it prints
    int64_t count = 1;
};

namespace ct {

// A mistake of the user's, in Lambent's own words.  Entry points report it in ct_last_error.
// LibTorch's autograd engine passes on only what is a std::exception.
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

// The tensor arguments of an operation, by position; NULL where the argument is not a tensor.
// Messages name their shapes.
using Operands = c10::ArrayRef<ct_tensor *>;

// Report the current exception in ct_last_error.  Returns the status, 1 or CT_RAISED.
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
// "did you mean float32?", or the list of dtypes.
std::string dtype_hint(const std::string &text);
// Throws a Failure for a dtype whose tensors cannot be created from numbers, such as quint8.
void check_holds_numbers(at::ScalarType dtype);
// A number or boolean as an element of an integer dtype, truncated; the bits of a uint64.  Throws a
// Failure if it does not fit.
int64_t integer_for(const ct_value &number, at::ScalarType dtype);
// The same for other dtypes.  Too large doubles become infinite.
double real_for(const ct_value &number, at::ScalarType dtype);

// devices.cpp

// The device of new tensors.
at::Device default_device();
// The CPU, and the accelerators that the program has used: asking another one would initialize it.
std::vector<at::Device> devices_in_use();
// "cpu", "cuda:0", ...
std::vector<std::string> available_device_names();
// "available devices: cpu and meta".
std::string available_devices();
// From "cpu" or "cuda:0"; throws a Failure if it is not available.
at::Device device_from(const std::string &text);
// "cuda:0"; never freed.
const char *device_name(at::Device device);

// values.cpp

// A value as Lisp's write prints it, cut to the length that messages use.
std::string shown(const ct_value &value);
// A double as Lisp prints it: 0.1, 100.0, 1e21.
std::string double_text(double x);
// The same for a number as text with the fewest digits that read back.
std::string shortest_text(float x);

// The tensor of a number, as PyTorch makes it of a Python scalar: it has the lowest priority in
// type promotion.
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

// The elements as a contiguous tensor without gradients: dense, not quantized, on the CPU.
at::Tensor readable(const at::Tensor &x);

// An owned copy of the text for C, which releases it with free.
char *text_for_c(const std::string &text);

}  // namespace ct
