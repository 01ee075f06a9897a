// custom_gradient.cpp - computations whose gradients a procedure of the caller's computes.
//
//     y = f(x), not recorded  =>  y with a node that saves x and y as LibTorch's nodes do, and
//                                 holds the procedure that computes the gradient in x
//
// The node is freed with the graph.  The procedure is freed with the node, or when the backward pass
// gives up what the node saved; saved results do not keep themselves alive.  The procedure runs in
// the thread that computes the gradients, the only one in which Lisp runs: backward.cpp ensures that.
//
// Without results the procedure does not compute gradients, but a region of the forward pass again:
// recompute.cpp.

#include "autograd/callback.h"
#include "autograd/node.h"
#include "autograd/recompute.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/saved_variable.h>
#include <torch/csrc/autograd/variable.h>

#include <utility>

namespace {

using ct::Handles;
using ct::Procedure;
using torch::autograd::Node;
using torch::autograd::SavedVariable;
using torch::autograd::variable_list;

class CustomGradient final : public Node {
public:
    explicit CustomGradient(Procedure &owner) : procedure_(owner.take()) {}

    std::string name() const override { return "custom-gradient"; }

    void save(const std::vector<at::Tensor> &inputs)
    {
        for (const at::Tensor &x : inputs) inputs_.emplace_back(x, false);
    }

    // The result with this node as its gradient function.
    at::Tensor record(const at::Tensor &result)
    {
        at::Tensor recorded = result.detach();
        bool differentiable = torch::autograd::isDifferentiableType(result.scalar_type());
        if (differentiable) torch::autograd::set_history(recorded, getptr());
        else add_input_metadata(Node::undefined_input());
        results_.emplace_back(recorded, differentiable);
        return recorded;
    }

    // The procedure is given up with the tensors: it may hold the result, and so this node.
    void release_variables() override
    {
        inputs_.clear();
        results_.clear();
        is_released_ = true;
        if (running_ == 0) procedure_.release();
    }

#if !CT_SHARED_NODES
    void release_resources() override
    {
        // While the edges still hold the nodes before this one: it must not recurse.
        release_variables();
        Node::release_resources();
    }
#endif

private:
    variable_list apply(variable_list &&gradients) override
    {
        if (!ct::computes_gradients())
            throw ct::Failure{"only backward and gradients can compute this gradient", ""};
        if (is_released_)
            throw std::runtime_error(torch::autograd::ERR_BACKWARD_TWICE);
        Handles inputs(unpacked(inputs_)), results(unpacked(results_));
        Handles given(without_gaps(std::move(gradients), results));
        Handles found(inputs.size());
        ct_pullback pullback{results.size(), given.data(),  results.data(),
                             inputs.size(),  inputs.data(), found.data()};
        call(pullback);
        variable_list input_gradients;
        for (size_t k = 0; k < found.size(); k++)
            input_gradients.push_back(found[k] ? found[k]->value : at::Tensor());
        return input_gradients;
    }

    void call(const ct_pullback &pullback)
    {
        ct::NodeReference alive = getptr();
        running_++;
        int status = procedure_.call(pullback);
        running_--;
        // The procedure itself may have computed gradients of this graph, which released it.
        if (running_ == 0 && is_released_) procedure_.release();
        if (status) throw ct::Raised();
    }

    variable_list unpacked(const std::vector<SavedVariable> &saved)
    {
        variable_list tensors;
        for (const SavedVariable &x : saved) tensors.push_back(x.unpack(getptr()));
        return tensors;
    }

    // A result that the loss was not computed from has a gradient of zeros.
    static variable_list without_gaps(variable_list &&gradients, const Handles &results)
    {
        for (size_t k = 0; k < gradients.size(); k++)
            if (!gradients[k].defined()) gradients[k] = at::zeros_like(results[k]->value);
        return std::move(gradients);
    }

    Procedure procedure_;
    std::vector<SavedVariable> inputs_, results_;
    bool is_released_ = false;
    int running_ = 0;  // calls of the procedure
};

variable_list variables_of(size_t count, ct_tensor *const *handles)
{
    variable_list tensors;
    for (size_t k = 0; k < count; k++) tensors.push_back(handles[k]->value);
    return tensors;
}

}  // namespace

extern "C" {

int ct_custom_gradient(size_t input_count, ct_tensor *const *inputs, size_t result_count,
                       ct_tensor *const *results, ct_closure closure, ct_tensor **recorded)
{
    Procedure owner(closure);
    return ct::guarded({}, [&] {
        variable_list xs = variables_of(input_count, inputs);
        if (result_count == 0) {
            ct::begin_recomputed_region(owner, xs);
            return;
        }
        bool records = torch::autograd::compute_requires_grad(xs);
        if (!records) {
            for (size_t k = 0; k < result_count; k++) recorded[k] = ct_clone(results[k]);
            return;
        }
        auto node = ct::make_node<CustomGradient>(owner);
        node->set_next_edges(torch::autograd::collect_next_edges(xs));
        node->save(xs);
        Handles made(result_count);
        for (size_t k = 0; k < result_count; k++)
            made.data()[k] = ct::handle(node->record(results[k]->value));
        for (size_t k = 0; k < result_count; k++)
            recorded[k] = std::exchange(made.data()[k], nullptr);
    });
}

}  // extern "C"
