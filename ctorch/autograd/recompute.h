// recompute.h - regions of the forward pass that are computed again in the backward pass.
#pragma once

#include "autograd/callback.h"

namespace ct {

// Operations that are recorded from now on keep no tensors, until the region ends
// (end_recomputed_region).  When a gradient needs them, the procedure that the owner has computes
// them again from the inputs; the owner gives it away.
void begin_recomputed_region(Procedure &owner, const torch::autograd::variable_list &inputs);

}  // namespace ct
