// sparse.cpp - checks of sparse tensors, by LibTorch's own functions for that.

#include "tensor/sparse.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/_validate_sparse_compressed_tensor_args.h>
#include <ATen/ops/_validate_sparse_coo_tensor_args.h>

#include <utility>

namespace {

std::pair<at::Tensor, at::Tensor> compressed_indices(const at::Tensor &x)
{
    bool by_rows = x.layout() == at::kSparseCsr || x.layout() == at::kSparseBsr;
    if (by_rows) return {x.crow_indices(), x.col_indices()};
    return {x.ccol_indices(), x.row_indices()};
}

}  // namespace

void ct::check_sparse_indices(const at::Tensor &given)
{
    at::NoGradGuard unrecorded;
    bool is_compressed = given.layout() == at::kSparseCsr || given.layout() == at::kSparseCsc ||
                         given.layout() == at::kSparseBsr || given.layout() == at::kSparseBsc;
    if (given.is_meta() || !(given.is_sparse() || is_compressed)) return;
    at::Tensor x = given.detach();
    if (given.is_sparse()) {
        at::_validate_sparse_coo_tensor_args(x._indices(), x._values(), x.sizes(), std::nullopt);
        return;
    }
    auto [compressed, plain] = compressed_indices(x);
    at::_validate_sparse_compressed_tensor_args(compressed, plain, x.values(), x.sizes(), x.layout());
}
