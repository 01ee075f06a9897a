// operation.cpp - one operation of all ranks: a check, then what they exchange.
//
// Gloo ends the process if the sizes differ, and hangs if the operations differ.  So all ranks first
// exchange a digest of what they are about to do, in a group of connections of its own, where
// nothing else is exchanged.

#ifdef CT_GLOO

#include "distributed/group.h"

#include <ATen/ops/tensor.h>

namespace {

using ct::distributed::Clock;
using ct::distributed::Group;
using ct::distributed::Milliseconds;
using ct::distributed::Operation;

// After that long a rank tells what it waits in, and looks for messages of others.
constexpr Milliseconds QUIET{200}, BETWEEN_LOOKS{200};
constexpr uint64_t FNV_START = 0xcbf29ce484222325, FNV_FACTOR = 0x100000001b3;

int64_t digest_of(const std::string &text)
{
    uint64_t digest = FNV_START;
    for (unsigned char c : text) digest = (digest ^ c) * FNV_FACTOR;
    return static_cast<int64_t>(digest >> 2);  // its negative fits, too
}

// While it waits: ranks may be late, or have failed, which not every connection shows.
void look(Group &g, Operation &operation)
{
    Clock::time_point now = Clock::now();
    if (now - operation.began < QUIET || now - operation.looked < BETWEEN_LOOKS) return;
    operation.looked = now;
    forget_visitors(g.life);
    if (!operation.is_told) tell_place(g, operation);
    operation.is_told = true;
    if (has_trouble(g)) ct::distributed::fail_for_lost(g, "");
    visit_next(g);
    if (now - operation.began > g.settings.timeout) fail_for_late(g, operation);
}

// The first sentence of Gloo's message.
std::string reason_of(const std::exception &error)
{
    std::string text = error.what();
    size_t start = text.rfind("] ", text.find("This is")) + 1;
    text = start == 0 ? text : text.substr(start + 1);
    return text.substr(0, text.find(". "));
}

}  // namespace

namespace ct::distributed {

void begin(Group &g, Operation &operation)
{
    operation.number = ++g.operations;
    forget_visitors(g.life);
    operation.began = Clock::now();
    operation.checks = operation.checks && g.settings.world > 1;
    if (!operation.checks) return;
    int64_t digest = digest_of(operation.text + "\n" + operation.detail) ^ operation.number;
    operation.digest = at::tensor({digest, -digest}, at::kLong);
    std::vector<at::Tensor> tensors{operation.digest};
    c10d::AllreduceOptions options;
    options.reduceOp = c10d::ReduceOp::MAX;
    operation.check = g.control->allreduce(tensors, options);
}

bool wait_for(Group &g, Operation &operation, const Work &work, Milliseconds moment)
{
    try {
        work->wait(moment);
        return true;
    } catch (const std::exception &error) {
        if (!work->isCompleted()) {
            look(g, operation);
            return false;
        }
        if (work->isSuccess()) return true;
        fail_for_lost(g, reason_of(error));
    }
}

bool passes_check(Group &g, Operation &operation, Milliseconds moment)
{
    if (!operation.check) return true;
    if (!wait_for(g, operation, operation.check, moment)) return false;
    const int64_t *digest = operation.digest.const_data_ptr<int64_t>();
    if (digest[0] != -digest[1]) fail_for_different(g, operation);
    operation.check.reset();
    return true;
}

bool advance(Group &g, Operation &operation)
{
    if (g.settings.world == 1) return true;
    if (!passes_check(g, operation)) return false;
    for (;;) {
        if (!operation.work && operation.next) operation.work = operation.next();
        if (!operation.work) return true;
        if (!wait_for(g, operation, operation.work)) return false;
        operation.work.reset();
    }
}

Work reduce_in_place(Group &g, const at::Tensor &flat, c10d::ReduceOp::RedOpType operation)
{
    std::vector<at::Tensor> tensors{flat};
    c10d::AllreduceOptions options;
    options.reduceOp = operation;
    return g.data->allreduce(tensors, options);
}

Work broadcast_in_place(Group &g, const at::Tensor &flat, int root)
{
    std::vector<at::Tensor> tensors{flat};
    c10d::BroadcastOptions options;
    options.rootRank = root;
    return g.data->broadcast(tensors, options);
}

Owned step(const ProcedureArguments &given, const std::function<Operation(Group &)> &make)
{
    Group &g = working_group();
    if (given.text(0) != "wait") {
        g.current = std::make_unique<Operation>(make(g));
        begin(g, *g.current);
    }
    if (!g.current) throw Failure{"no operation is in progress", ""};
    if (!advance(g, *g.current)) return Owned::boolean(false);
    std::unique_ptr<Operation> ended = std::move(g.current);
    std::vector<Owned> results;
    if (ended->finish) results.push_back(ended->finish());
    return Owned::items(CT_LIST, std::move(results));
}

}  // namespace ct::distributed

#endif  // CT_GLOO
