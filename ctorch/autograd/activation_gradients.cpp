// activation_gradients.cpp - gradients of activation functions, written over the gradient that came.
//
//     gelu: the gradient in the result, 8 MB  =>  the gradient in the argument, in the same 8 MB
//
// A deep network's memory is at its peak when backward begins: then each of these functions would
// hold two gradients beside all that is saved.  LibTorch's own nodes take a new tensor.  The kernels
// are the same.

#include "autograd/backward.h"

#include <ATen/ops/gelu_backward.h>
#include <ATen/ops/sigmoid_backward.h>
#include <ATen/ops/silu_backward.h>
#include <ATen/ops/tanh_backward.h>
#include <ATen/ops/threshold_backward.h>
#include <torch/csrc/autograd/generated/Functions.h>

#include <typeinfo>

namespace {

namespace nodes = torch::autograd::generated;
using torch::autograd::Node;

// Whether the kernel would give its result the layout that the gradient has.
bool is_alike(const at::Tensor &gradient, const at::Tensor &saved)
{
    return saved.layout() == at::kStrided && saved.scalar_type() == gradient.scalar_type() &&
           saved.sizes() == gradient.sizes() && saved.strides() == gradient.strides() &&
           !saved.is_neg() && !saved.is_conj() && !saved._is_zerotensor();
}

template <typename Type>
Type *as(Node &node)
{
    return &typeid(node) == &typeid(Type) ? static_cast<Type *>(&node) : nullptr;
}

}  // namespace

bool ct::overwrites_gradient(Node &node, at::Tensor &gradient)
{
    if (gradient.is_complex()) return false;
    auto saved = [&](torch::autograd::SavedVariable &variable) {
        at::Tensor x = variable.unpack(node.getptr());
        return is_alike(gradient, x) ? x : at::Tensor();
    };
    at::Tensor x;
    if (auto *relu = as<nodes::ReluBackward0>(node)) {
        if ((x = saved(relu->result_)).defined())
            at::threshold_backward_out(gradient, gradient, x, 0);
    } else if (auto *gelu = as<nodes::GeluBackward0>(node)) {
        if ((x = saved(gelu->self_)).defined())
            at::gelu_backward_out(gradient, gradient, x, gelu->approximate);
    } else if (auto *silu = as<nodes::SiluBackward0>(node)) {
        if ((x = saved(silu->self_)).defined()) at::silu_backward_out(gradient, gradient, x);
    } else if (auto *tanh = as<nodes::TanhBackward0>(node)) {
        if ((x = saved(tanh->result_)).defined()) at::tanh_backward_out(gradient, gradient, x);
    } else if (auto *sigmoid = as<nodes::SigmoidBackward0>(node)) {
        if ((x = saved(sigmoid->result_)).defined())
            at::sigmoid_backward_out(gradient, gradient, x);
    }
    return x.defined();
}
