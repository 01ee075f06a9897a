// linear.h - LibTorch's linear, by the product of matrices that is fastest here.  C++ only.
#pragma once

#include "dispatch/one_thread.h"
#include "tensor/views.h"

#include <ATen/ops/linear_ops.h>

namespace ct {

// x w' + b for tensors to which the fast product applies (linear.cpp): undefined for others.
at::Tensor fast_linear(const at::Tensor &x, const at::Tensor &w,
                       const std::optional<at::Tensor> &b);

namespace llm {
// The same for a few rows; undefined where it does not apply (llm/linear_rows.cpp).
at::Tensor linear_rows(const at::Tensor &x, const at::Tensor &w, const std::optional<at::Tensor> &b);
}

// As the operator of LibTorch.
struct Linear {
    using schema = at::_ops::linear::schema;

    static at::Tensor call(const at::Tensor &x, const at::Tensor &w,
                           const std::optional<at::Tensor> &b)
    {
        at::Tensor found = llm::linear_rows(x, w, b);
        if (!found.defined()) found = fast_linear(x, w, b);
        return found.defined() ? found : Small<at::_ops::linear>::call(x, w, b);
    }
};

}  // namespace ct
