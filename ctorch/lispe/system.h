// system.h - the shell, and modes that last.  C++ only.
#pragma once

#include "files/procedures.h"

namespace ct {

Owned run_command(const ProcedureArguments &given);       // (text): what the command printed
Owned set_grad_enabled(const ProcedureArguments &given);  // (flag): whether it was on before

}  // namespace ct
