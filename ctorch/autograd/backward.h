// backward.h - what takes gradients, explains its failures, and calls Lisp back.
#pragma once

#include <torch/csrc/autograd/engine.h>

#include <stdexcept>

#include "errors/errors.h"

namespace ct {

// A procedure of the caller's has failed; the error waits there.  It goes through LibTorch's engine,
// which passes on only what is a std::exception.
struct Raised final : std::exception {};

// The operation whose gradient failed last in this thread: "MulBackward0".  Empty if none has.
const std::string &failed_node();

// "MulBackward0", "Mul" => "tensor-mul": what Lisp calls the operation that a node is the gradient of.
// Empty for one that it does not know.
std::string operation_of(const std::string &node);

// Whether gradients are taken in this thread now, by a call out of it.
bool takes_gradients();

// LibTorch's message on gradients in Lambent's words, if it is one.
std::optional<Failure> explain_autograd(const std::string &text, const Givens &givens);

}  // namespace ct
