// distributed.h - the procedures of training on several machines, for the table in
// files/procedures.cpp.  C++ only.
//
// An operation that waits for other ranks is called twice or more, by stdlib/train/distributed.lisp:
//
//     (%procedure "all-reduce" "start" x "sum" #f)
//     (%procedure "all-reduce" "wait")   =>  #f until it has finished, then a list with the result
//
// Each wait ends after a moment, so that Lisp polls for Ctrl-C in between.
#pragma once

#include "files/procedures.h"

namespace ct {

Owned with_distributed(const ProcedureArguments &given);  // group.cpp: start, wait, leave
Owned distributed_rank(const ProcedureArguments &given);
Owned distributed_world(const ProcedureArguments &given);
Owned distributed_local_rank(const ProcedureArguments &given);

Owned all_reduce(const ProcedureArguments &given);        // collectives.cpp
Owned broadcast(const ProcedureArguments &given);
Owned all_gather(const ProcedureArguments &given);
Owned reduce_scatter(const ProcedureArguments &given);
Owned barrier(const ProcedureArguments &given);

Owned data_parallel(const ProcedureArguments &given);     // gradients.cpp
Owned share_parameters(const ProcedureArguments &given);
Owned sync_gradients(const ProcedureArguments &given);
Owned averages_gradients(const ProcedureArguments &given);

}  // namespace ct
