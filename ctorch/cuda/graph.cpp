// graph.cpp - the kernels of a computation, recorded once and started again with one call.
//
//     capture-graph "cuda"   =>  a graph, or #f for a device that has none; its stream is current
//     graph-begin graph          the calls that follow are recorded, and do nothing
//     graph-end graph            no more of them; the stream of before is current
//     graph-replay graph         what was recorded runs, with the elements that its tensors have now
//
// Memory that is taken meanwhile belongs to the graph, so that nothing else is ever put there.

#include "dispatch/call.h"
#include "files/procedures.h"
#include "libtorch_versions.h"

#include <ATen/DeviceAccelerator.h>
#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#if !CT_HAS_GRAPHS
#include <dlfcn.h>
#endif

namespace {

using ct::Failure;
using ct::Owned;
using ct::ProcedureArguments;

#if CT_HAS_GRAPHS

using Recording = at::accelerator::Graph;

bool can_record() { return true; }

#else

// at::cuda::CUDAGraph, whose header needs CUDA's, by the names of its functions.
class Recording {
public:
    Recording() { call<bool>("_ZN2at4cuda9CUDAGraphC1Eb", false); }
    ~Recording() { call<>("_ZN2at4cuda9CUDAGraphD1Ev"); }
    void capture_begin()
    {
        using Pool = std::pair<unsigned long long, unsigned long long>;
        constexpr int GLOBAL = 0;  // cudaStreamCaptureMode
        call<Pool, int>(BEGIN, Pool(0, 0), GLOBAL);
    }
    void capture_end() { call<>("_ZN2at4cuda9CUDAGraph11capture_endEv"); }
    void replay() { call<>("_ZN2at4cuda9CUDAGraph6replayEv"); }

    static void *symbol(const char *name) { return dlsym(RTLD_DEFAULT, name); }
    static constexpr const char *BEGIN =
        "_ZN2at4cuda9CUDAGraph13capture_beginESt4pairIyyE21cudaStreamCaptureMode";

private:
    template <class... Parameters, class... Arguments>
    void call(const char *name, Arguments... arguments)
    {
        reinterpret_cast<void (*)(void *, Parameters...)>(symbol(name))(memory_, arguments...);
    }

    alignas(std::max_align_t) char memory_[4096];  // more than it takes in any version
};

bool can_record() { return Recording::symbol(Recording::BEGIN) != nullptr; }

#endif

class Graph final : public ct_object {
public:
    explicit Graph(at::Device device)
        : before_(at::accelerator::getCurrentStream(device.index())),
          own_(c10::impl::VirtualGuardImpl(device.type()).getStreamFromGlobalPool(before_.device()))
    {
        text = "#<graph>";
        follow(own_, before_);
        at::accelerator::setCurrentStream(own_);
    }

    void begin()
    {
        recording_.capture_begin();
        is_recording_ = true;
    }

    // A failure is told by `replay`: that of the program's own code comes first.
    void end()
    {
        if (std::exchange(is_recording_, false)) {
            try {
                recording_.capture_end();
                is_complete_ = true;
            } catch (const std::exception &) {
            }
        }
        at::accelerator::setCurrentStream(before_);
        follow(before_, own_);
    }

    void replay()
    {
        if (!is_complete_)
            throw Failure{"the graph could not be captured",
                          "nothing in it may wait for the device, as printing and tensor-item do"};
        recording_.replay();
    }

private:
    // Let a stream wait for what another has been asked to do.
    static void follow(const c10::Stream &later, const c10::Stream &earlier)
    {
        c10::Event event(earlier.device_type());
        event.record(earlier);
        event.block(later);
    }

    Recording recording_;
    c10::Stream before_, own_;
    bool is_recording_ = false, is_complete_ = false;
};

Graph &graph_of(const ProcedureArguments &given)
{
    const ct_value &value = given.values[0];
    auto *found = value.kind == CT_OBJECT ? dynamic_cast<Graph *>(value.object) : nullptr;
    if (!found) ct::wrong_kind("a graph", value);
    return *found;
}

}  // namespace

Owned ct::new_graph(const ProcedureArguments &given)
{
    at::Device device = device_from(given.text(0, "a device"));
    if (!device.is_cuda() || !can_record()) return Owned::boolean(false);
    if (!device.has_index()) device = at::Device(at::kCUDA, at::accelerator::getDeviceIndex());
    return Owned::object(new Graph(device));
}

Owned ct::begin_graph(const ProcedureArguments &given)
{
    graph_of(given).begin();
    return {};
}

Owned ct::end_graph(const ProcedureArguments &given)
{
    graph_of(given).end();
    return {};
}

Owned ct::replay_graph(const ProcedureArguments &given)
{
    graph_of(given).replay();
    return {};
}
