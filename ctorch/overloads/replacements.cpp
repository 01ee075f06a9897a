// replacements.cpp - operators that do less than PyTorch's Python function of that name.
//
//     (tensor-sparse-csr-tensor '[0 1] '[0] [7] '(1 1))  =>  of int64, as its values are
//
// Calls that fit LibTorch's overload are made here instead, or in division.cpp.

#include "overloads/overloads.h"
#include "tensor/plain.h"

#include <string_view>

namespace {

using at::Tensor;
using ct::Replacement;
using ct::Stack;

// For any rank, where LibTorch has one operator for rank 2 and one for higher ranks.
void any_nll_loss(const c10::OperatorHandle &, Stack &stack)
{
    static const c10::OperatorHandle any_rank =
        c10::Dispatcher::singleton().findSchemaOrThrow("aten::nll_loss_nd", "");
    any_rank.callBoxed(stack);
}

// The dtype and the device are by default those of the values; the values are converted to others.
// LibTorch itself takes the default dtype, and refuses all other values.
void sparse_of_values(const c10::OperatorHandle &op, Stack &stack)
{
    auto argument = [&](const char *name) -> c10::IValue & {
        return stack[static_cast<size_t>(*op.schema().argumentIndexWithName(name))];
    };
    c10::IValue &values = argument("values"), &dtype = argument("dtype");
    c10::IValue &device = argument("device");
    Tensor given = values.toTensor();
    if (dtype.isNone()) dtype = given.scalar_type();
    if (device.isNone()) device = given.device();
    values = given.to(device.toDevice(), dtype.toScalarType());
    if (op.schema().argumentIndexWithName("indices"))
        argument("indices") = argument("indices").toTensor().to(at::kLong);
    op.callBoxed(stack);
}

// For kernels that read memory directly, which a zero tensor does not have.
void call_with_memory(const c10::OperatorHandle &op, Stack &stack)
{
    for (c10::IValue &value : stack)
        if (value.isTensor() && value.toTensor().defined() && value.toTensor()._is_zerotensor())
            value = ct::plain(value.toTensor());
    op.callBoxed(stack);
}

constexpr Replacement REPLACEMENTS[] = {
    {"alpha_dropout", "", call_with_memory},
    {"ctc_loss", "IntList", call_with_memory},
    {"ctc_loss", "Tensor", call_with_memory},
    {"feature_alpha_dropout", "", call_with_memory},
    {"max_pool1d", "", call_with_memory},
    {"poisson_nll_loss", "", call_with_memory},
    {"tensor_split", "tensor_indices_or_sections", call_with_memory},
    {"nll_loss", "", any_nll_loss},
    {"sparse_coo_tensor", "indices", sparse_of_values},
    {"sparse_coo_tensor", "indices_size", sparse_of_values},
    {"sparse_csr_tensor", "crow_col_value", sparse_of_values},
    {"sparse_csr_tensor", "crow_col_value_size", sparse_of_values},
    {"sparse_csc_tensor", "ccol_row_value", sparse_of_values},
    {"sparse_csc_tensor", "ccol_row_value_size", sparse_of_values},
    {"sparse_bsr_tensor", "crow_col_value", sparse_of_values},
    {"sparse_bsr_tensor", "crow_col_value_size", sparse_of_values},
    {"sparse_bsc_tensor", "ccol_row_value", sparse_of_values},
    {"sparse_bsc_tensor", "ccol_row_value_size", sparse_of_values},
    {"sparse_compressed_tensor", "comp_plain_value", sparse_of_values},
    {"sparse_compressed_tensor", "comp_plain_value_size", sparse_of_values},
};

}  // namespace

ct::CallInstead ct::call_instead(const std::string &name, const std::string &overload)
{
    for (c10::ArrayRef<Replacement> table :
         {c10::ArrayRef<Replacement>(REPLACEMENTS), division_replacements()})
        for (const Replacement &entry : table)
            if (name == entry.name && overload == entry.overload) return entry.call;
    return nullptr;
}
