// inference.h - the mode of inference-mode.  C++ only.
#pragma once

#include "files/procedures.h"

namespace ct {

// Follow a change of LibTorch's gradient mode: with-grad leaves inference-mode for its body.
void settle_inference_mode();

Owned enter_inference_mode(const ProcedureArguments &given);
Owned leave_inference_mode(const ProcedureArguments &given);
Owned is_inference_mode(const ProcedureArguments &given);

}  // namespace ct
