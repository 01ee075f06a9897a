// neighbours.h - tensors that lie one after the other in a file.  C++ only.
#pragma once

#include "files/procedures.h"

namespace ct {

// (tensor tensor)  The two joined along their first dimension, without a copy; #f unless the second
// begins where the first ends, in the same mapped file.
Owned join_neighbours(const ProcedureArguments &given);  // mapping.cpp

}  // namespace ct
