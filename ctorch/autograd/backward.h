// backward.h - computing gradients, explaining failures of it, and calling Lisp back.
#pragma once

#include <torch/csrc/autograd/edge.h>
#include <torch/csrc/autograd/engine.h>

#include <stdexcept>

#include "errors/errors.h"
#include "errors/interrupts.h"

namespace ct {

// The operation whose gradient failed last in this thread: "MulBackward0".  Empty if none has.
const std::string &failed_node();

// "MulBackward0", "Mul" => "tensor-mul": the Lisp name of the operation whose gradient a node
// computes. Empty for an unknown operation.
std::string operation_of(const std::string &node);

// Whether this thread is inside a call of ct_backward or ct_gradients.
bool computes_gradients();

// Accumulates the gradients of the leaves that the edge leads to, weighed, if every node on the way
// is plain; otherwise it does nothing and returns false.  It writes the name of a node that fails.
bool leaf_gradients(const torch::autograd::Edge &start, const at::Tensor &weights, bool keep_graph,
                    std::string &failed);

// Whether the gradient that goes over a valid edge is small (dispatch/one_thread.h).
bool is_small_gradient(const torch::autograd::Edge &edge);

// The number of the outermost of those calls, from 1.
int64_t backward_number();

// Exchanges for a moment the gradients that the outermost ct_backward has left; whether that has
// ended.  NULL if nobody waits for them.
extern bool (*exchange_gradients)();

// Replaces a gradient in the result of a node, of which nobody else knows, by the gradient in the
// node's argument, if the node is that of an activation function; otherwise it returns false.
bool overwrites_gradient(torch::autograd::Node &node, at::Tensor &gradient);

// LibTorch's message in Lambent's words, if it is about gradients.
std::optional<Failure> explain_autograd(const std::string &text, const Givens &givens);

}  // namespace ct
