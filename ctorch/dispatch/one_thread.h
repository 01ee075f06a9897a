// one_thread.h - small work in one thread.  C++ only.
//
// Starting and joining threads costs several microseconds, and far more where other processes keep
// the cores busy: more than small products, and the steps of small optimizers, take in one thread.
// LibTorch shares them out all the same.  Results do not depend on it, but for their rounding.
//
// The number of threads is decided before an operator is called, and never changes while it runs:
// LibTorch's kernels size buffers by the number at their beginning, and use it again at their end.
#pragma once

#include <ATen/core/Tensor.h>

#include <algorithm>

namespace ct {

// Tensors of at most so many elements are small.
constexpr int64_t SMALL = 1 << 14;

// An estimate of what a call computes, from its arguments alone.
class Work {
public:
    // A tensor, whose largest size may meet that of another one in the result, as in a product.
    void add(const at::Tensor &x)
    {
        add_one_of_many(x);
        if (!is_small_ || !x.defined()) return;
        int64_t size = 1;
        for (int64_t each : x.sizes()) size = std::max(size, each);
        second_ = std::max(second_, std::min(size, largest_));
        largest_ = std::max(size, largest_);
    }
    // A tensor of a list, whose elements are computed one by one.
    void add_one_of_many(const at::Tensor &x)
    {
        if (x.defined() && (x.is_nested() || x.numel() > SMALL)) is_small_ = false;
    }
    // A number, which may be a size of the result.
    void add_size(int64_t size)
    {
        if (size > 1 && __builtin_mul_overflow(sizes_, size, &sizes_)) is_small_ = false;
    }
    bool is_small() const
    {
        int64_t results;
        return is_small_ && !__builtin_mul_overflow(largest_ * second_, sizes_, &results) &&
               results <= SMALL_RESULT;
    }

private:
    // Some operators make large results of small tensors: more elements than these are shared out.
    static constexpr int64_t SMALL_RESULT = 1 << 20;
    bool is_small_ = true;
    int64_t largest_ = 1, second_ = 1;  // sizes of tensors
    int64_t sizes_ = 1;
};

// While it lives, LibTorch works in this thread only if the work is small, and in all otherwise.
class WorkThreads {
public:
    explicit WorkThreads(bool is_small);
    ~WorkThreads();
    WorkThreads(const WorkThreads &) = delete;
    WorkThreads &operator=(const WorkThreads &) = delete;

private:
    enum class Change { NONE, TO_ONE, TO_ALL } change_ = Change::NONE;
};

inline void add_to(Work &work, const at::Tensor &x) { work.add(x); }
inline void add_to(Work &work, const std::optional<at::Tensor> &x)
{
    if (x) work.add(*x);
}
inline void add_to(Work &work, at::TensorList list)
{
    for (const at::Tensor &x : list) work.add_one_of_many(x);
}
// Other parameters, such as strides.
template <class T>
void add_to(Work &, const T &)
{
}

template <class Op, class Schema = typename Op::schema>
struct Small;

// Op, in one thread where its work is small.
template <class Op, class Result, class... Parameters>
struct Small<Op, Result(Parameters...)> {
    using schema = typename Op::schema;

    static Result call(Parameters... given)
    {
        Work work;
        (add_to(work, given), ...);
        WorkThreads threads(work.is_small());
        return Op::call(std::forward<Parameters>(given)...);
    }
};

}  // namespace ct
