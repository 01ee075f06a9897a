// batches.cpp - batches of rows of tensors, gathered in an order, by a thread ahead of the program.
//
//     (start-batches (list x y) order 32 4)  =>  batches, at most 4 of them ready
//     (data-loader batches)                  =>  (x[order[0:32]] y[order[0:32]]), #f after the last
//
// Without a thread (0 ahead), the second call gathers.  Batches for a device go there on a stream of
// the thread's own, from pinned memory, while the program's stream computes; the program's stream
// waits for a batch that it takes.  The thread touches no handles and no Lisp
// values, only the tensors' memory: pages of mapped files are read there.  It ends with its object,
// after the last batch, after a failure, which the second call reports, and before the process
// exits.

#include "data/data.h"
#include "tensor/plain.h"

#include <ATen/DeviceAccelerator.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/index_select_ops.h>
#include <ATen/ops/select_ops.h>
#include <c10/core/Event.h>
#include <c10/core/StreamGuard.h>

#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>

namespace {

using namespace ct;

struct Batch {
    std::vector<at::Tensor> tensors;
    std::optional<c10::Event> arrival;  // after the copies to a device
};

// A stream beside the one on which a program computes.
c10::Stream other_stream(at::Device device)
{
    return c10::impl::VirtualGuardImpl(device.type()).getStreamFromGlobalPool(device);
}

// Ask for copies of a batch on a device.
void send(Batch &batch, at::Device device, const c10::Stream &stream)
{
    c10::StreamGuard guard(stream);
    for (at::Tensor &x : batch.tensors) {
        if (device.is_cuda() && x.is_cpu()) x = x.pin_memory();
        x = x.to(device, x.scalar_type(), true);
    }
    batch.arrival.emplace(device.type());
    batch.arrival->record(stream);
}

// Let the program's stream wait for a batch, whose memory is not used again before that stream is
// done with it.
void receive(Batch &batch)
{
    c10::Stream stream =
        at::accelerator::getCurrentStream(batch.tensors.front().device().index());
    batch.arrival->block(stream);
    for (const at::Tensor &x : batch.tensors)
        at::getDeviceAllocator(stream.device_type())->recordStream(x.storage().data_ptr(), stream);
}

// A tensor whose first dimension counts examples.
struct Rows {
    explicit Rows(at::Tensor x) : tensor(std::move(x)), count(tensor.size(0))
    {
        if (!tensor.is_cpu() || tensor.layout() != at::kStrided || tensor.is_quantized()) return;
        is_flat = !count || at::_ops::select_int::call(tensor, 0, 0).is_contiguous();
    }

    at::Tensor tensor;
    int64_t count;
    bool is_flat = false;  // each row lies in memory without gaps
};

// A new tensor of the rows at the indices.  The caller has checked them.
at::Tensor copied(const Rows &rows, const int64_t *indices, int64_t count)
{
    std::vector<int64_t> sizes = rows.tensor.sizes().vec();
    sizes[0] = count;
    at::Tensor batch = at::empty(sizes, rows.tensor.options());
    if (!batch.numel()) return batch;
    size_t width = batch.nbytes() / static_cast<size_t>(count);
    size_t step = static_cast<size_t>(rows.tensor.stride(0)) * rows.tensor.element_size();
    const char *from = static_cast<const char *>(rows.tensor.const_data_ptr());
    char *to = static_cast<char *>(batch.mutable_data_ptr());
    for (int64_t k = 0; k < count; k++, to += width)
        std::memcpy(to, from + static_cast<size_t>(indices[k]) * step, width);
    return batch;
}

// What to gather.  Only one thread at a time uses it.
struct Plan {
    std::vector<Rows> sources;
    at::Tensor order;  // int64, contiguous, on the CPU
    int64_t size = 1, at = 0;
    std::optional<at::Device> device;  // where the batches go

    bool is_over() const { return at >= order.numel(); }

    // Gathers the next batch.
    Batch next()
    {
        int64_t count = std::min(size, order.numel() - at);
        const int64_t *indices = order.const_data_ptr<int64_t>() + at;
        at += count;
        Batch batch;
        for (const Rows &rows : sources) {
            check(rows, indices, count);
            batch.tensors.push_back(rows.is_flat ? copied(rows, indices, count)
                                                 : selected(rows, indices, count));
        }
        return batch;
    }

private:
    static void check(const Rows &rows, const int64_t *indices, int64_t count)
    {
        for (int64_t k = 0; k < count; k++)
            if (indices[k] < 0 || indices[k] >= rows.count)
                throw Failure{"index " + std::to_string(indices[k]) +
                                  " is out of range for length " + std::to_string(rows.count), ""};
    }

    // LibTorch's kernel, which may start threads of its own.
    at::Tensor selected(const Rows &rows, const int64_t *indices, int64_t count) const
    {
        at::Tensor chosen = at::empty({count}, order.options());
        std::copy(indices, indices + count, chosen.mutable_data_ptr<int64_t>());
        return at::_ops::index_select::call(rows.tensor, 0, chosen.to(rows.tensor.device()));
    }
};

// What the thread and the program share.
struct Queue {
    explicit Queue(Plan given, size_t ahead) : plan(std::move(given)), room(ahead) {}

    // The thread's work.
    void fill()
    {
        try {
            std::optional<c10::Stream> stream;
            if (plan.device && plan.device->type() == at::getAccelerator(false))
                stream = other_stream(*plan.device);
            while (!plan.is_over()) {
                Batch batch = plan.next();
                if (stream) send(batch, *plan.device, *stream);
                std::unique_lock hold(lock);
                changed.wait(hold, [&] { return ready.size() < room || stopping; });
                if (stopping) return;
                ready.push_back(std::move(batch));
                changed.notify_all();
            }
        } catch (...) {
            std::lock_guard hold(lock);
            failure = std::current_exception();
        }
        std::lock_guard hold(lock);
        finished = true;
        changed.notify_all();
    }

    // The next batch; an empty one after the last.
    Batch take()
    {
        std::unique_lock hold(lock);
        changed.wait(hold, [&] { return !ready.empty() || finished; });
        if (ready.empty()) {
            if (failure) std::rethrow_exception(failure);
            return {};
        }
        Batch batch = std::move(ready.front());
        ready.pop_front();
        changed.notify_all();
        return batch;
    }

    void stop()
    {
        std::lock_guard hold(lock);
        stopping = true;
        changed.notify_all();
    }

    Plan plan;
    const size_t room;
    std::mutex lock;
    std::condition_variable changed;
    std::deque<Batch> ready;
    std::exception_ptr failure;
    bool finished = false, stopping = false;
};

class Batches final : public ct_object {
public:
    Batches(Plan plan, size_t ahead);
    ~Batches() override;
    Batch next();
    void end();

private:
    Plan plan_;  // without a thread
    Queue *queue_ = nullptr;
    std::thread thread_;
    pid_t owner_ = getpid();
};

// The objects that have a thread, which must not run while the process's static objects are
// destroyed.  Programs mostly leave with _exit, which ends threads by itself.
std::mutex threads_lock;
std::set<Batches *> *with_threads;

void end_threads()
{
    std::set<Batches *> left;
    {
        std::lock_guard hold(threads_lock);
        left = *with_threads;
    }
    for (Batches *batches : left) batches->end();
}

void note(Batches *batches)
{
    std::lock_guard hold(threads_lock);
    if (!with_threads) {
        with_threads = new std::set<Batches *>;
        std::atexit(end_threads);
    }
    with_threads->insert(batches);
}

// Signals go to the program's threads: the mask is inherited.
std::thread without_signals(Queue *queue)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    struct Restore {
        sigset_t *mask;
        ~Restore() { pthread_sigmask(SIG_SETMASK, mask, nullptr); }
    } restore{&before};
    return std::thread([queue] { queue->fill(); });
}

Batches::Batches(Plan plan, size_t ahead) : plan_(std::move(plan))
{
    text = "#<batches>";
    bool flat = std::all_of(plan_.sources.begin(), plan_.sources.end(),
                            [](const Rows &rows) { return rows.is_flat; });
    if (!ahead || !flat || plan_.is_over()) return;
    note(this);
    queue_ = new Queue(plan_, ahead);
    try {
        thread_ = without_signals(queue_);
    } catch (const std::system_error &) {  // no more threads: next gathers
        delete std::exchange(queue_, nullptr);
    }
}

Batches::~Batches()
{
    end();
    std::lock_guard hold(threads_lock);
    if (with_threads) with_threads->erase(this);
}

// A fork has the queue, locked or not, but not the thread: nothing can wait for it there.
void Batches::end()
{
    if (!queue_) return;
    if (owner_ != getpid()) {
        thread_.detach();
        queue_ = nullptr;
        return;
    }
    queue_->stop();
    thread_.join();
    delete std::exchange(queue_, nullptr);
    plan_.at = plan_.order.numel();
}

// A batch of the program's own thread, on the device.
Batch placed(Batch batch, std::optional<at::Device> device)
{
    if (device)
        for (at::Tensor &x : batch.tensors) x = x.to(*device);
    return batch;
}

Batch Batches::next()
{
    if (!queue_) return plan_.is_over() ? Batch{} : placed(plan_.next(), plan_.device);
    if (owner_ != getpid()) throw Failure{"the batches belong to the process that was forked", ""};
    Batch batch;
    try {
        batch = queue_->take();
    } catch (...) {
        end();
        throw;
    }
    if (batch.tensors.empty()) end();
    if (!batch.arrival) return placed(std::move(batch), plan_.device);
    receive(batch);
    return batch;
}

int64_t positive(const ct_value &value, const char *noun)
{
    if (value.kind != CT_INT || value.i < 1) wrong_kind(noun, value);
    return value.i;
}

std::vector<Rows> sources_in(const ct_value &list)
{
    std::vector<Rows> sources;
    if (list.kind != CT_LIST) wrong_kind("a list of tensors", list);
    for (size_t k = 0; k < list.count; k++) {
        const ct_value &item = list.items[k];
        if (item.kind != CT_TENSOR || !item.tensor->value.dim())
            wrong_kind("a tensor of at least one dimension", item);
        sources.emplace_back(plain(item.tensor->value.detach()));
    }
    return sources;
}

Batches &batches_of(const ct_value &value)
{
    auto *found = value.kind == CT_OBJECT ? dynamic_cast<Batches *>(value.object) : nullptr;
    if (!found) wrong_kind("batches", value);
    return *found;
}

}  // namespace

namespace ct {

// (tensors order size ahead device), #f for the device that the tensors are on
Owned start_batches(const ProcedureArguments &given)
{
    const at::Tensor &order = given.tensor(1);
    if (order.scalar_type() != at::kLong || order.dim() != 1 || !order.is_cpu())
        throw Failure{"expected a list of int64 indices, got " + describe(order), ""};
    Plan plan{sources_in(given.values[0]), order.detach().contiguous(),
              positive(given.values[2], "a batch size from 1")};
    if (plan.sources.empty()) wrong_kind("a list of tensors", given.values[0]);
    if (given.values[4].kind != CT_BOOL)
        plan.device = device_from(given.text(4, "a device"));
    int64_t ahead = given.values[3].kind == CT_INT ? std::max<int64_t>(given.values[3].i, 0) : 0;
    return Owned::object(new Batches(std::move(plan), static_cast<size_t>(ahead)));
}

Owned next_batch(const ProcedureArguments &given)
{
    Batch batch = batches_of(given.values[0]).next();
    if (batch.tensors.empty()) return Owned::boolean(false);
    std::vector<Owned> tensors;
    for (at::Tensor &x : batch.tensors) tensors.push_back(Owned::tensor(std::move(x)));
    return Owned::items(CT_LIST, std::move(tensors));
}

}  // namespace ct
