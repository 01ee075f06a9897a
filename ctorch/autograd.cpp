// autograd.cpp - gradients, and the library's random numbers, threads and devices.

#include "handle.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <ATen/record_function.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/headeronly/version.h>

namespace {

using ct::Failure;

bool is_device(const std::string &text)
{
    return text.starts_with("cpu") || text.starts_with("cuda") || text.starts_with("mps") ||
           text.starts_with("xpu") || text.starts_with("meta");
}

}  // namespace

at::Device ct::device_from(const std::string &text)
{
    at::Device device(text);
    bool there = device.is_cpu() || device.is_meta() || (device.is_cuda() && at::hasCUDA());
    if (!there)
        throw Failure{"device " + text + " is not there",
                      std::string("available: cpu") + (at::hasCUDA() ? " cuda" : "")};
    return device;
}

extern "C" {

int ct_to(ct_tensor *x, const char *target, ct_tensor **result)
{
    return ct::guarded({x}, [&] {
        at::Tensor moved = is_device(target) ? x->value.to(ct::device_from(target))
                                             : x->value.to(ct::dtype_from(target));
        bool same = moved.is_same(x->value);
        *result = same ? ct_clone(x) : ct::handle(std::move(moved));
    });
}

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
        if (count < 1) throw Failure{"expected at least one thread, got " + std::to_string(count), ""};
        at::set_num_threads(static_cast<int>(count));
    });
}

const char *ct_torch_version(void) { return TORCH_VERSION; }

}  // extern "C"
