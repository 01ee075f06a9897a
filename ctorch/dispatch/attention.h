// attention.h - scaled_dot_product_attention, with the check that LibTorch 2.15 leaves out.  C++ only.
//
//     (tensor-scaled-dot-product-attention q k v)    k [5, 2, 3], v [5, 1, 3]
//  => key (5 2 3) has 2 rows, value (5 1 3) has 1
#pragma once

#include "dispatch/one_thread.h"
#include "tensor/handle.h"

#include <ATen/ops/scaled_dot_product_attention_ops.h>

namespace ct {

// The kernel reads as many rows of value as key has.  Throws an error of LibTorch's kind, to which
// the call's arguments are added.
inline void need_same_rows(const at::Tensor &key, const at::Tensor &value)
{
    bool has_rows = key.defined() && value.defined() && key.dim() > 1 && value.dim() > 1 &&
                    !key.is_nested() && !value.is_nested();
    if (!has_rows || key.size(-2) == value.size(-2)) return;
    TORCH_CHECK(false, "key ", shape_text(key), " has ", key.size(-2), " rows, value ",
                shape_text(value), " has ", value.size(-2));
}

// As the operator of LibTorch.
struct Attention {
    using Op = at::_ops::scaled_dot_product_attention;
    using schema = Op::schema;

    template <class... Rest>
    static at::Tensor call(const at::Tensor &query, const at::Tensor &key, const at::Tensor &value,
                           Rest &&...rest)
    {
        need_same_rows(key, value);
        return Small<Op>::call(query, key, value, std::forward<Rest>(rest)...);
    }
};

}  // namespace ct
