// reuse.cpp - when an operator may write its result over an argument that dies with it.
//
//     (tensor-relu (tensor-add x y))  =>  the sum's elements become the result's
//
// It saves the memory, and the time to get it.  Compiled programs pass what dies to the reusing
// forms in typed.cpp, scripts to ct_op_call_reusing; whether anybody could tell is only known when
// the program runs.

#include "dispatch/unboxed.h"
#include "memory/reports.h"

#include <c10/core/CPUAllocator.h>

namespace {

// Whether all of the storage is x's, and comes from the allocator: not from a file or from Python.
bool has_its_own_storage(const at::Tensor &x)
{
    const at::Storage &storage = x.storage();
    return storage.use_count() == 1 && storage.nbytes() == x.nbytes() &&
           storage.data_ptr().get_deleter() == c10::GetCPUAllocator()->raw_deleter();
}

bool is_plain(const at::Tensor &x)
{
    return x.is_cpu() && x.layout() == at::kStrided &&
           (x.scalar_type() == at::kFloat || x.scalar_type() == at::kDouble) &&
           !x.requires_grad() && !x.is_neg();
}

}  // namespace

bool ct::is_spare(ct_tensor *x, Operands others)
{
    const at::Tensor &value = x->value;
    if (x->count != 1 || value.use_count() != 1 || !is_plain(value) ||
        !value.is_non_overlapping_and_dense() || !has_its_own_storage(value))
        return false;
    for (const ct_tensor *other : others) {
        const at::Tensor &beside = other->value;
        if (!is_plain(beside) || beside.scalar_type() != value.scalar_type() ||
            beside.sizes() != value.sizes())
            return false;
    }
    ct::is_reusing = true;
    return true;
}
