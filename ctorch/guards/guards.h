// guards.h - what must hold before LibTorch is called, where LibTorch does not look itself.
//
//     (tensor-reflection-pad2d-backward [1.0] x '())
//  => expected 4 numbers for padding, got 0          where LibTorch's kernel would end the process
//
// A guard is found once, when an operator is (dispatch/call.cpp); nearly all have none.  guards.cpp
// has those of operators in general, windows.cpp those of convolutions and pools, layers.cpp those
// of other layers and of losses, and functions.cpp the checks of PyTorch's own functions.
#pragma once

#include "dispatch/schema.h"

#include <limits>

namespace ct {

// The arguments of a call, converted, by their names in the schema.  What was left out, or is no
// parameter of this overload, is undefined, empty or 0.
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

// Throws a Failure for what LibTorch would not survive.
using Guard = void (*)(const Arguments &arguments);

struct Guarded {
    const char *name;  // ATen's
    Guard guard;
};

// The guard of an operator; NULL if LibTorch looks itself.
Guard guard_of(const std::string &name);
// windows.cpp, layers.cpp and functions.cpp have these.
c10::ArrayRef<Guarded> window_guards();
c10::ArrayRef<Guarded> layer_guards();
c10::ArrayRef<Guarded> function_guards();
// Why no program may call an operator that nothing makes safe; NULL for all others.
const char *refusal_of(const std::string &name);

// conditions.cpp: what guards are made of.  Names are ATen's; undefined tensors are as they should
// be.

using Shape = std::vector<int64_t>;
constexpr int64_t NO_LIMIT = std::numeric_limits<int64_t>::max();
constexpr int64_t LARGEST_COUNT = std::numeric_limits<int32_t>::max();  // kernels count by these

void need_count(const char *name, size_t got, size_t expected);
void need_rank(const char *name, const at::Tensor &x, int64_t least, int64_t most);
void need_shape(const char *name, const at::Tensor &x, const Shape &expected);
void need_elements(const char *name, const at::Tensor &x, int64_t expected);
void need_dtype(const char *name, const at::Tensor &x, at::ScalarType expected);
// least <= x <= most; of a tensor, all its elements, if it has any to read.
void need_within(const char *name, int64_t x, int64_t least, int64_t most);
void need_within(const char *name, const at::Tensor &x, int64_t least, int64_t most);
// Elements in a row in memory, which a kernel reads as they lie.
void need_contiguous(const char *name, const at::Tensor &x);
// From each element to the next, it does not fall.
void need_rising(const char *name, const at::Tensor &x);

}  // namespace ct
