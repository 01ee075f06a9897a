// unavailable.cpp - the procedures where LibTorch was built without Gloo.

#ifndef CT_GLOO

#include "distributed/distributed.h"

namespace {

[[noreturn]] void fail_without_gloo()
{
    throw ct::Failure{"the installed torch was built without c10d and Gloo",
                      "the packages of PyTorch for Linux have them"};
}

}  // namespace

namespace ct {

Owned with_distributed(const ProcedureArguments &) { fail_without_gloo(); }
Owned distributed_rank(const ProcedureArguments &) { return Owned::integer(0); }
Owned distributed_world(const ProcedureArguments &) { return Owned::integer(1); }
Owned distributed_local_rank(const ProcedureArguments &) { return Owned::integer(0); }
Owned all_reduce(const ProcedureArguments &) { fail_without_gloo(); }
Owned broadcast(const ProcedureArguments &) { fail_without_gloo(); }
Owned all_gather(const ProcedureArguments &) { fail_without_gloo(); }
Owned reduce_scatter(const ProcedureArguments &) { fail_without_gloo(); }
Owned barrier(const ProcedureArguments &) { fail_without_gloo(); }
Owned data_parallel(const ProcedureArguments &) { fail_without_gloo(); }
Owned share_parameters(const ProcedureArguments &) { fail_without_gloo(); }
Owned sync_gradients(const ProcedureArguments &) { fail_without_gloo(); }
Owned averages_gradients(const ProcedureArguments &) { return Owned::boolean(false); }

}  // namespace ct

#endif  // CT_GLOO
