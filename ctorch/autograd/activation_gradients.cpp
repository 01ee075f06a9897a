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

// Each node gives what it saved once only, since that may have to be computed again.
bool ct::overwrites_gradient(Node &node, at::Tensor &gradient)
{
    if (gradient.is_complex()) return false;
    auto write = [&](torch::autograd::SavedVariable &saved, auto compute, auto overwrite) {
        at::Tensor x = saved.unpack(node.getptr());
        if (is_alike(gradient, x)) overwrite(gradient, x);
        else gradient = compute(gradient, x);
        return true;
    };
    using T = const at::Tensor &;
    if (auto *relu = as<nodes::ReluBackward0>(node))
        return write(
            relu->result_, [](T g, T x) { return at::threshold_backward(g, x, 0); },
            [](at::Tensor &g, T x) { at::threshold_backward_out(g, g, x, 0); });
    if (auto *gelu = as<nodes::GeluBackward0>(node))
        return write(
            gelu->self_, [&](T g, T x) { return at::gelu_backward(g, x, gelu->approximate); },
            [&](at::Tensor &g, T x) { at::gelu_backward_out(g, g, x, gelu->approximate); });
    if (auto *silu = as<nodes::SiluBackward0>(node))
        return write(
            silu->self_, [](T g, T x) { return at::silu_backward(g, x); },
            [](at::Tensor &g, T x) { at::silu_backward_out(g, g, x); });
    if (auto *tanh = as<nodes::TanhBackward0>(node))
        return write(
            tanh->result_, [](T g, T x) { return at::tanh_backward(g, x); },
            [](at::Tensor &g, T x) { at::tanh_backward_out(g, g, x); });
    if (auto *sigmoid = as<nodes::SigmoidBackward0>(node))
        return write(
            sigmoid->result_, [](T g, T x) { return at::sigmoid_backward(g, x); },
            [](at::Tensor &g, T x) { at::sigmoid_backward_out(g, g, x); });
    return false;
}
