// dlpack.cpp - tensors that other libraries of the process made, and ours for them, without copying.
//
// DLPack is how array libraries share memory.  The structs are DLPack's own: the memory behind one
// lives until its receiver calls the deleter in it.
//
//     numpy's array  ->  DLManagedTensorVersioned  ->  a tensor on the array's memory

#include "handle.h"

#include <ATen/DLConvertor.h>

namespace {

using ct::Failure;

void check_shareable(const at::Tensor &x)
{
    if (x.requires_grad())
        throw Failure{"a tensor that requires grad cannot be shared", "share (detach x)"};
    if (x.layout() != at::kStrided)
        throw Failure{"a sparse tensor cannot be shared", "share (tensor-to-dense x)"};
}

// LibTorch has no views that run backwards.
void check_strides(const DLTensor &given)
{
    for (int32_t k = 0; given.strides && k < given.ndim; k++)
        if (given.strides[k] < 0)
            throw Failure{"an array with a negative stride cannot be shared", "share a copy of it"};
}

}  // namespace

extern "C" {

int ct_to_dlpack(ct_tensor *x, struct DLManagedTensor **result)
{
    return ct::guarded({x}, [&] {
        check_shareable(x->value);
        *result = at::toDLPack(x->value.resolve_conj().resolve_neg());
    });
}

int ct_to_dlpack_versioned(ct_tensor *x, struct DLManagedTensorVersioned **result)
{
    return ct::guarded({x}, [&] {
        check_shareable(x->value);
        *result = at::toDLPackVersioned(x->value.resolve_conj().resolve_neg());
    });
}

int ct_from_dlpack(struct DLManagedTensor *given, ct_tensor **result)
{
    return ct::guarded({}, [&] {
        check_strides(given->dl_tensor);
        *result = ct::handle(at::fromDLPack(given));
    });
}

int ct_from_dlpack_versioned(struct DLManagedTensorVersioned *given, ct_tensor **result)
{
    return ct::guarded({}, [&] {
        if (given->version.major != DLPACK_MAJOR_VERSION)
            throw Failure{"expected DLPack of version " + std::to_string(DLPACK_MAJOR_VERSION) +
                              ", got version " + std::to_string(given->version.major),
                          ""};
        check_strides(given->dl_tensor);
        bool read_only = given->flags & DLPACK_FLAG_BITMASK_READ_ONLY;
        at::Tensor shared = at::fromDLPackVersioned(given);
        *result = ct::handle(read_only ? shared.clone() : std::move(shared));
    });
}

void ct_dlpack_free(struct DLManagedTensor *given)
{
    if (given->deleter) given->deleter(given);
}

void ct_dlpack_versioned_free(struct DLManagedTensorVersioned *given)
{
    if (given->deleter) given->deleter(given);
}

}  // extern "C"
