// device_state.cpp - what a device is, the memory that it has and that tensors take there, and
// waiting for it.
//
//     device-memory "cuda:0"  =>  ("live-bytes" 4096 "peak-bytes" 8192 ...)
//
// LibTorch knows one kind of accelerator in a process, and asks it through at::accelerator; the CPU's
// tensors are counted by memory/allocator.cpp.

#include "cuda/driver.h"
#include "dispatch/call.h"
#include "files/procedures.h"
#include "libtorch_versions.h"
#include "memory/memory.h"

#include <ATen/DeviceAccelerator.h>
#include <ATen/Parallel.h>

#include <optional>

namespace {

using ct::Failure;
using ct::Owned;
using ct::ProcedureArguments;
using Stat = c10::CachingAllocator::Stat;

constexpr size_t AGGREGATE = 0;  // of a StatArray: large and small blocks

// A list of names, each before its value.
class Properties {
public:
    void add(const char *name, int64_t number)
    {
        items_.push_back(Owned::text(CT_SYMBOL, name));
        items_.push_back(Owned::integer(number));
    }
    void add(const char *name, const std::string &text)
    {
        items_.push_back(Owned::text(CT_SYMBOL, name));
        items_.push_back(Owned::text(CT_STRING, text));
    }
    Owned list() { return Owned::items(CT_LIST, std::move(items_)); }

private:
    std::vector<Owned> items_;
};

at::Device device_in(const ProcedureArguments &given)
{
    at::Device device = ct::device_from(given.text(0, "a device"));
    if (device.is_meta()) throw Failure{"device meta has no memory", ct::available_devices()};
    return device;
}

// The number of an accelerator: "cuda" is the one that is in use.
at::DeviceIndex index_of(at::Device device)
{
    return device.has_index() ? device.index() : at::accelerator::getDeviceIndex();
}

// Of the memory that the device itself has: free and all of it, if LibTorch tells.
std::optional<std::pair<int64_t, int64_t>> room_of(at::Device device)
{
    if (device.is_cpu()) return {{ct::available_bytes(0), ct::fraction_of_memory(1, SIZE_MAX)}};
#if CT_HAS_MEMORY_INFO
    try {
        return at::accelerator::getMemoryInfo(index_of(device));
    } catch (const c10::NotImplementedError &) {
        return std::nullopt;
    }
#else
    return std::nullopt;
#endif
}

void add_cuda_facts(Properties &facts, at::DeviceIndex index)
{
    ct::cuda::Gpu gpu(index);
    if (auto name = gpu.name()) facts.add("name", *name);
    if (auto number = gpu.capability())
        facts.add("capability", std::to_string(*number / 10) + "." + std::to_string(*number % 10));
    if (auto count = gpu.multiprocessors()) facts.add("multiprocessors", *count);
}

// Before a device's first tensor its allocator knows nothing, and fails if it is asked.
bool has_memory(at::Device device)
{
    return at::getDeviceAllocator(device.type())->initialized();
}

}  // namespace

Owned ct::device_names(const ProcedureArguments &)
{
    std::vector<Owned> names;
    for (const std::string &name : available_device_names())
        names.push_back(Owned::text(CT_STRING, name));
    return Owned::items(CT_LIST, std::move(names));
}

ct::DeviceMemory ct::memory_of(at::Device device)
{
    if (device.is_cpu())
        return {ct_live_bytes(), ct_peak_bytes(), ct_cached_bytes(), ct_allocations(),
                ct_allocated_bytes()};
    if (!has_memory(device)) return {};
    auto stats = at::accelerator::getDeviceStats(index_of(device));
    const Stat &live = stats.allocated_bytes[AGGREGATE], &held = stats.reserved_bytes[AGGREGATE];
    return {live.current, live.peak, held.current - live.current,
            stats.allocation[AGGREGATE].allocated, live.allocated};
}

Owned ct::device_memory(const ProcedureArguments &given)
{
    at::Device device = device_in(given);
    DeviceMemory memory = memory_of(device);
    Properties facts;
    facts.add("live-bytes", memory.live);
    facts.add("peak-bytes", memory.peak);
    facts.add("cached-bytes", memory.cached);
    facts.add("allocations", memory.allocations);
    facts.add("allocated-bytes", memory.allocated);
    if (auto room = room_of(device)) {
        facts.add("free-bytes", room->first);
        facts.add("total-bytes", room->second);
    }
    return facts.list();
}

Owned ct::device_facts(const ProcedureArguments &given)
{
    at::Device device = device_in(given);
    Properties facts;
    facts.add("type", at::DeviceTypeName(device.type(), true));
    if (device.is_cpu()) facts.add("threads", at::get_num_threads());
    else facts.add("index", index_of(device));
    if (device.is_cuda()) add_cuda_facts(facts, index_of(device));
    if (auto room = room_of(device)) facts.add("total-bytes", room->second);
    return facts.list();
}

Owned ct::release_device_cache(const ProcedureArguments &given)
{
    at::Device device = device_in(given);
    if (device.is_cpu()) return Owned::integer(ct_release_cache());
    if (!has_memory(device)) return Owned::integer(0);
    int64_t before = memory_of(device).cached;
    at::accelerator::emptyCache();
    return Owned::integer(before - memory_of(device).cached);
}

Owned ct::reset_device_peak(const ProcedureArguments &given)
{
    at::Device device = device_in(given);
    if (device.is_cpu()) ct_reset_peak();
    else if (has_memory(device)) at::accelerator::resetPeakStats(index_of(device));
    return {};
}

Owned ct::synchronize_device(const ProcedureArguments &given)
{
    at::Device device = device_in(given);
    if (!device.is_cpu()) at::accelerator::synchronizeDevice(index_of(device));
    return {};
}
