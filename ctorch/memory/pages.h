// pages.h - the memory of tensors that lie in mapped files.  C++ only.
#pragma once

#include "files/procedures.h"

namespace ct {

// (tensor)  It is used seldom: if it lies in a mapped file, the memory of those pages that were not
// written to is freed.  They are read again when they are touched.
Owned give_back_unchanged(const ProcedureArguments &given);

}  // namespace ct
