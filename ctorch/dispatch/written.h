// written.h - that an operator does not overwrite what it reads.  C++ only.
//
//     (tensor-mm a b :out a)                   the product would be computed from its own elements
//     (tensor-sub! a (tensor-slice a 1 0 1))   so would the second column of the difference
//     (tensor-zero! (tensor-expand x 3))       its elements share their memory
//
// LibTorch refuses some of these calls and computes nonsense in others.  The failures have
// LibTorch's text, so that they are worded like its own (errors/message_table.cpp).
#pragma once

#include "tensor/overlap.h"

#include <optional>
#include <utility>

namespace ct {

// Throw an error unless the elements of a tensor that is written have memory of their own.
void need_own_memory(const at::Tensor &written);
// Throw an error if a tensor that is written shares memory with one that is read.  same_is_fine:
// unless each of its elements is computed from the same element of the other.
void need_apart(const at::Tensor &written, const at::Tensor &other, bool same_is_fine);

template <int WRITTEN, class Op, class Schema = typename Op::schema>
struct Writing;

// Op, which writes its first WRITTEN tensors, element by element.
template <int WRITTEN, class Op, class Result, class... Parameters>
struct Writing<WRITTEN, Op, Result(Parameters...)> {
    static Result call(Parameters... given)
    {
        const at::Tensor *tensors[] = {tensor_in(given)...};
        for (int k = 0; k < WRITTEN; k++) {
            need_own_memory(*tensors[k]);
            for (size_t other = static_cast<size_t>(k) + 1; other < sizeof...(given); other++)
                if (tensors[other]) need_apart(*tensors[k], *tensors[other], other >= WRITTEN);
        }
        return Op::call(std::forward<Parameters>(given)...);
    }

private:
    static const at::Tensor *tensor_in(const at::Tensor &x) { return &x; }
    static const at::Tensor *tensor_in(const std::optional<at::Tensor> &x) { return x ? &*x : nullptr; }
    template <class T>
    static const at::Tensor *tensor_in(const T &)
    {
        return nullptr;
    }
};

}  // namespace ct
