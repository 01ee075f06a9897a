// one_thread.h - small work in one thread.  C++ only.
//
// Starting and joining threads costs several microseconds, and far more where other processes keep
// the cores busy: more than small products, and the steps of small optimizers, take in one thread.
// LibTorch shares them out all the same.  Results do not depend on it, but for their rounding.
#pragma once

#include <ATen/core/Tensor.h>

namespace ct {

// Tensors of at most so many elements are small.
constexpr int64_t SMALL = 1 << 14;

// While it lives, LibTorch works in this thread only, until a large tensor is allocated: then the
// rest is done with all threads.
class InOneThread {
public:
    explicit InOneThread(bool applies = true);
    ~InOneThread();
    InOneThread(const InOneThread &) = delete;
    InOneThread &operator=(const InOneThread &) = delete;

private:
    bool is_outermost_ = false;
};

// The allocator says that a tensor of so many bytes is about to be written.
void leave_one_thread(size_t bytes);

inline bool is_small(const at::Tensor &x) { return !x.defined() || x.numel() <= SMALL; }
inline bool is_small(const std::optional<at::Tensor> &x) { return !x || is_small(*x); }
inline bool is_small(at::TensorList list)
{
    for (const at::Tensor &x : list)
        if (!is_small(x)) return false;
    return true;
}
// Other parameters, such as strides.
template <class T>
bool is_small(const T &)
{
    return true;
}

template <class Op, class Schema = typename Op::schema>
struct Small;

// Op, in one thread where all its tensors are small.
template <class Op, class Result, class... Parameters>
struct Small<Op, Result(Parameters...)> {
    using schema = typename Op::schema;

    static Result call(Parameters... given)
    {
        InOneThread small((is_small(given) && ...));
        return Op::call(std::forward<Parameters>(given)...);
    }
};

}  // namespace ct
