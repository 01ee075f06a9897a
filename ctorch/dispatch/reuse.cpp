// reuse.cpp - whether an operator may write its result over an argument at its last use.
//
//     (tensor-relu (tensor-add x y))  =>  relu works in place on the sum
//
// This saves the memory of the result, and the time to allocate it.  Compiled programs call the
// reusing functions of typed.cpp with an argument at its last use, scripts call ct_op_call_reusing.
// Whether the storage is shared is only known when the program runs.

#include "dispatch/typed_entry.h"
#include "memory/reports.h"

#include <c10/core/CPUAllocator.h>

namespace {

// Whether x uses all of its storage, and that comes from the allocator, not from a file or Python.
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

bool ct::may_overwrite(ct_tensor *x, Operands others)
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
