// data.h - the procedures on data for training.  C++ only.
#pragma once

#include "files/procedures.h"

namespace ct {

Owned start_batches(const ProcedureArguments &given);   // data/batches.cpp
Owned next_batch(const ProcedureArguments &given);
Owned csv_columns(const ProcedureArguments &given);     // data/csv.cpp
Owned encode_text(const ProcedureArguments &given);     // data/characters.cpp
Owned decode_text(const ProcedureArguments &given);

}  // namespace ct
