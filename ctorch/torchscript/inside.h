// inside.h - what happens inside a TorchScript module: other weights, the values of its layers, its
// device.  C++ only.
#pragma once

#include "files/procedures.h"

namespace ct {

// (module names-and-tensors argument ...): forward, where the tensors stand for the parameters.
Owned call_module_with(const ProcedureArguments &given);
// (module names argument ...): the values of the layers in a run of forward, as a list.
Owned module_states(const ProcedureArguments &given);
// (module device): move it there.
Owned move_module(const ProcedureArguments &given);

}  // namespace ct
