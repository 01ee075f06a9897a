// autograd.cpp - gradients, and the library's random numbers and threads.

#include "handle.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <ATen/record_function.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/headeronly/version.h>

extern "C" {

int ct_requires_grad(ct_tensor *x, bool on)
{
    return ct::guarded({x}, [&] { x->value.requires_grad_(on); });
}

int ct_backward(ct_tensor *loss, ct_tensor *gradient, bool retain_graph, bool create_graph)
{
    return ct::guarded({loss, gradient}, [&] {
        RECORD_FUNCTION("backward", std::vector<c10::IValue>());
        at::Tensor weights = gradient ? gradient->value : at::Tensor();
        torch::autograd::backward({loss->value}, {weights}, retain_graph || create_graph,
                                  create_graph);
    });
}

int ct_grad(ct_tensor *x, ct_tensor **result)
{
    return ct::guarded({x}, [&] { *result = ct::handle(at::Tensor(x->value.grad())); });
}

void ct_zero_grad(ct_tensor *x)
{
    if (x->value.grad().defined()) x->value.mutable_grad().reset();
}

int ct_detach(ct_tensor *x, ct_tensor **result)
{
    return ct::guarded({x}, [&] { *result = ct::handle(x->value.detach()); });
}

int ct_gradients(ct_tensor *y, size_t count, ct_tensor *const *xs, bool create_graph,
                 ct_tensor **results)
{
    return ct::guarded({y}, [&] {
        RECORD_FUNCTION("gradients", std::vector<c10::IValue>());
        std::vector<at::Tensor> inputs;
        for (size_t k = 0; k < count; k++) inputs.push_back(xs[k]->value);
        auto gradients =
            torch::autograd::grad({y->value}, inputs, {}, create_graph, create_graph, false);
        for (size_t k = 0; k < count; k++) results[k] = ct::handle(std::move(gradients[k]));
    });
}

bool ct_set_grad_mode(bool on)
{
    bool before = at::GradMode::is_enabled();
    at::GradMode::set_enabled(on);
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

const char *ct_torch_version(void) { return TORCH_VERSION; }

}  // extern "C"
