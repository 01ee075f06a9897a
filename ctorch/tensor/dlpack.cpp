// dlpack.cpp - sharing tensors with other libraries in the process, without copying.
//
// DLPack is the protocol by which array libraries share memory.  The structs are DLPack's: the
// memory that one describes lives until the receiver calls its deleter.
//
//     numpy's array  ->  DLManagedTensorVersioned  ->  a tensor on the array's memory

#include "tensor/handle.h"
#include "tensor/plain.h"

#include <ATen/DLConvertor.h>

#include <functional>
#include <memory>

namespace {

using ct::Failure;

void check_shareable(const at::Tensor &x)
{
    if (x.requires_grad())
        throw Failure{"a tensor that requires grad cannot be shared", "share (detach x)"};
    if (x.layout() != at::kStrided)
        throw Failure{"a sparse tensor cannot be shared", "share (tensor-to-dense x)"};
}

// LibTorch has no negative strides.
void check_strides(const DLTensor &given)
{
    for (int32_t k = 0; given.strides && k < given.ndim; k++)
        if (given.strides[k] < 0)
            throw Failure{"an array with a negative stride cannot be shared", "share a copy of it"};
}

// A tensor on the memory of `given`, or on a copy of it.  On failure `given` stays the caller's,
// but LibTorch calls the deleter of every tensor that it drops: so the deleter does nothing until
// nothing more can fail.
template <class Given>
ct_tensor *taken_over(Given *given, at::Tensor (*share)(Given *, std::function<void(void *)>),
                      bool copies)
{
    auto is_taken = std::make_shared<bool>(false);
    at::Tensor shared = share(given, [given, is_taken](void *) {
        if (*is_taken && given->deleter) given->deleter(given);
    });
    ct_tensor *made = ct::handle(copies ? shared.clone() : at::Tensor(shared));
    *is_taken = true;
    return made;
}

}  // namespace

extern "C" {

int ct_to_dlpack(ct_tensor *x, struct DLManagedTensor **result)
{
    return ct::guarded({x}, [&] {
        check_shareable(x->value);
        *result = at::toDLPack(ct::plain(x->value));
    });
}

int ct_to_dlpack_versioned(ct_tensor *x, struct DLManagedTensorVersioned **result)
{
    return ct::guarded({x}, [&] {
        check_shareable(x->value);
        *result = at::toDLPackVersioned(ct::plain(x->value));
    });
}

int ct_from_dlpack(struct DLManagedTensor *given, ct_tensor **result)
{
    return ct::guarded({}, [&] {
        check_strides(given->dl_tensor);
        *result = taken_over(given, at::fromDLPack, false);
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
        *result = taken_over(given, at::fromDLPackVersioned, read_only);
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
