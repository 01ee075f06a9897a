// autograd.cpp - what is recorded for gradients, LibTorch's random seed and its number of threads.
// backward.cpp computes the gradients.

#include "autograd/inference.h"
#include "tensor/handle.h"
#include "tensor/plain.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>

extern "C" {

int ct_requires_grad(ct_tensor *x, bool on)
{
    return ct::guarded({x}, [&] { x->value.requires_grad_(on); });
}

bool ct_is_recorded(ct_tensor *x) { return x->value.requires_grad(); }

bool ct_is_leaf(ct_tensor *x) { return x->value.is_leaf(); }

int ct_retain_grad(ct_tensor *x)
{
    return ct::guarded({x}, [&] {
        if (!x->value.requires_grad())
            throw ct::Failure{"the tensor does not require grad",
                          "(requires-grad! x) before {0|it} is computed from x"};
        x->value.retain_grad();
    });
}

int ct_grad(ct_tensor *x, ct_tensor **result)
{
    return ct::guarded({x}, [&] {
        // Optimizers change gradients in place, which zeros without memory do not allow.
        if (x->value.grad().defined() && x->value.grad()._is_zerotensor())
            x->value.mutable_grad() = ct::plain(x->value.grad());
        *result = ct::handle(at::Tensor(x->value.grad()));
    });
}

void ct_zero_grad(ct_tensor *x)
{
    if (x->value.grad().defined()) x->value.mutable_grad().reset();
}

int ct_detach(ct_tensor *x, ct_tensor **result)
{
    return ct::guarded({x}, [&] { *result = ct::handle(x->value.detach()); });
}

bool ct_grad_mode(void) { return at::GradMode::is_enabled(); }

bool ct_set_grad_mode(bool on)
{
    bool before = at::GradMode::is_enabled();
    at::GradMode::set_enabled(on);
    ct::settle_inference_mode();
    return before;
}

int ct_manual_seed(int64_t seed)
{
    return ct::guarded({}, [&] { at::manual_seed(static_cast<uint64_t>(seed)); });
}

int ct_set_num_threads(int64_t count)
{
    return ct::guarded({}, [&] {
        if (count < 1) throw ct::Failure{"expected at least one thread, got " + std::to_string(count), ""};
        at::set_num_threads(static_cast<int>(count));
    });
}

}  // extern "C"
