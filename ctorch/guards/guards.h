// guards.h - checks of arguments before a call, for operators where LibTorch does not check them.
//
//     (tensor-reflection-pad2d-backward [1.0] x '())
//  => expected a list of 4 for padding, got 0          (LibTorch's kernel would end the process)
//
// dispatch/call.cpp looks an operator's guard up once; most operators have none.  guards.cpp has
// the guards of operators in general, windows.cpp those of convolutions and pools, layers.cpp those
// of other layers and of losses, and functions.cpp the checks that PyTorch makes in Python.
#pragma once

#include "dispatch/schema.h"

#include <limits>

namespace ct {

// The arguments of a call, converted, by their names in the schema.  An argument that was left out,
// or that this overload does not have, is undefined, empty or 0.
class Arguments {
public:
    Arguments(const Overload &overload, const std::vector<c10::IValue> &stack)
        : overload_(overload), stack_(stack)
    {
    }
    c10::IValue value(const char *name) const;
    at::Tensor tensor(const char *name) const;
    std::vector<at::Tensor> tensors(const char *name) const;
    std::vector<int64_t> integers(const char *name) const;
    int64_t integer(const char *name) const;
    bool truth(const char *name) const;

private:
    const Overload &overload_;
    const std::vector<c10::IValue> &stack_;
};

// Throws a Failure for arguments that LibTorch would not survive.
using Guard = void (*)(const Arguments &arguments);

struct Guarded {
    const char *name;  // ATen's
    Guard guard;
};

// The guard of an operator; NULL if LibTorch checks the arguments itself.
Guard guard_of(const std::string &name);
// From windows.cpp, layers.cpp and functions.cpp.
c10::ArrayRef<Guarded> window_guards();
c10::ArrayRef<Guarded> layer_guards();
c10::ArrayRef<Guarded> function_guards();
// Why no program may call an operator that no guard can make safe; NULL for all others.
const char *refusal_of(const std::string &name);

// conditions.cpp: what guards are made of.  Names are ATen's; an undefined tensor meets every
// condition.

using Shape = std::vector<int64_t>;
constexpr int64_t NO_LIMIT = std::numeric_limits<int64_t>::max();
constexpr int64_t LARGEST_COUNT = std::numeric_limits<int32_t>::max();  // kernels count by these

void need_count(const char *name, size_t got, size_t expected);
void need_rank(const char *name, const at::Tensor &x, int64_t least, int64_t most);
void need_shape(const char *name, const at::Tensor &x, const Shape &expected);
void need_elements(const char *name, const at::Tensor &x, int64_t expected);
void need_dtype(const char *name, const at::Tensor &x, at::ScalarType expected);
// Of what an operator reads without a kernel.
void need_on_cpu(const char *name, const at::Tensor &x);
// least <= x <= most; for a tensor, all its elements, if they can be read.
void need_within(const char *name, int64_t x, int64_t least, int64_t most);
void need_within(const char *name, const at::Tensor &x, int64_t least, int64_t most);
void need_contiguous(const char *name, const at::Tensor &x);
// No element of a row is less than the one before it.
void need_ascending(const char *name, const at::Tensor &x);

}  // namespace ct
