// accumulation.cpp - gradients that several backwards add up, and their weights afterwards.
//
//     take-gradients loss     =>  each new leaf of the loss's graph, and the gradient that it had
//     backward, backward ...
//     weigh-gradients 1/w     =>  gradient = that of before + sum / w, at each leaf
//
// How much each part counts is known only when all parts are: so the sum is divided at the end.

#include "autograd/backward.h"
#include "files/procedures.h"

#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>
#include <torch/csrc/autograd/variable.h>

#include <unordered_set>

namespace {

using ct::Owned;
using ct::ProcedureArguments;
using torch::autograd::Node;

std::vector<at::Tensor> leaves_of(const at::Tensor &y)
{
    if (!y.requires_grad()) return {};
    if (y.is_leaf()) return {y};
    std::vector<at::Tensor> leaves;
    std::vector<Node *> left{torch::autograd::impl::gradient_edge(y).function.get()};
    std::unordered_set<Node *> seen{left[0]};
    while (!left.empty()) {
        Node *node = left.back();
        left.pop_back();
        auto *end = dynamic_cast<torch::autograd::AccumulateGrad *>(node);
        if (end) leaves.push_back(end->variable);
        for (const torch::autograd::Edge &edge : node->next_edges())
            if (edge.is_valid() && seen.insert(edge.function.get()).second)
                left.push_back(edge.function.get());
    }
    return leaves;
}

// A sum that gradients may be added to afterwards: dense unless both are sparse.
at::Tensor sum_of(const at::Tensor &a, const at::Tensor &b)
{
    if (!a.defined() || !b.defined()) return a.defined() ? a : b;
    return a.is_sparse() ? b + a : a + b;
}

}  // namespace

namespace ct {

// A loss, and the leaves that are known.  The gradients of the new leaves are cleared.
Owned take_gradients(const ProcedureArguments &given)
{
    std::unordered_set<const c10::TensorImpl *> known;
    for (size_t k = 0; k < given.values[1].count; k++)
        known.insert(given.values[1].items[k].tensor->value.unsafeGetTensorImpl());
    std::vector<Owned> found;
    for (at::Tensor &leaf : leaves_of(given.tensor(0))) {
        if (!known.insert(leaf.unsafeGetTensorImpl()).second) continue;
        at::Tensor before = leaf.grad();
        leaf.mutable_grad().reset();
        std::vector<Owned> pair;
        pair.push_back(Owned::tensor(std::move(leaf)));
        pair.push_back(before.defined() ? Owned::tensor(std::move(before)) : Owned::boolean(false));
        found.push_back(Owned::items(CT_LIST, std::move(pair)));
    }
    return Owned::items(CT_LIST, std::move(found));
}

// A factor, leaves, and their gradients of before, #f where there were none.
Owned weigh_gradients(const ProcedureArguments &given)
{
    at::NoGradGuard unrecorded;
    double factor = given.values[0].f;
    const ct_value &leaves = given.values[1], &before = given.values[2];
    for (size_t k = 0; k < leaves.count; k++) {
        at::Tensor &gradient = leaves.items[k].tensor->value.mutable_grad();
        if (gradient.defined() && factor != 1) gradient.mul_(factor);
        if (before.items[k].kind == CT_TENSOR)
            gradient = sum_of(before.items[k].tensor->value, gradient);
    }
    return Owned::boolean(true);
}

}  // namespace ct
