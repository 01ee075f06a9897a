// device.cpp - the pretend device's memory, its generators, and what LibTorch asks of a device.

#include "memory.h"

#include "../../ctorch/libtorch_versions.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/GeneratorImpl.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <atomic>
#include <chrono>
#include <mutex>

namespace {

using pretend::TYPE;
using Clock = std::chrono::steady_clock;

constexpr uintptr_t MARK = uintptr_t{1} << 62;
constexpr int DEVICES = 1;
constexpr size_t SIZE = size_t{1} << 40;  // of its memory, it says

at::Device the_device() { return at::Device(TYPE, 0); }

// What tensors take of the device's memory: blocks, and their bytes.
c10::CachingDeviceAllocator::DeviceStats statistics;
std::mutex statistics_lock;

std::atomic<bool> is_initialized{false};

void count(int64_t blocks, int64_t bytes)
{
    is_initialized = true;
    std::lock_guard<std::mutex> held(statistics_lock);
    auto add = [](c10::CachingAllocator::Stat &stat, int64_t amount) {
        if (amount < 0) stat.decrease(-amount);
        else stat.increase(amount);
    };
    add(statistics.allocation[0], blocks);
    add(statistics.allocated_bytes[0], bytes);
    add(statistics.reserved_bytes[0], bytes);
}

struct Memory {
    explicit Memory(const c10::Storage &cpu) : cpu(cpu), bytes(cpu.nbytes()) { count(1, bytes); }
    ~Memory() { count(-1, -bytes); }

    c10::Storage cpu;
    int64_t bytes;
};

void release(void *context) { delete static_cast<Memory *>(context); }

void *marked(const c10::Storage &cpu)
{
    auto address = reinterpret_cast<uintptr_t>(cpu.mutable_data());
    return reinterpret_cast<void *>(address ? address | MARK : 0);
}

c10::DataPtr data_of(const c10::Storage &cpu)
{
    return {marked(cpu), new Memory{cpu}, release, the_device()};
}

c10::Storage cpu_storage(size_t size)
{
    return c10::Storage(c10::Storage::use_byte_size_t(), size, c10::GetAllocator(at::kCPU), true);
}

struct Allocator final : c10::DeviceAllocator {
    // As CUDA's it knows nothing of itself before the first tensor.
    bool initialized() override { return is_initialized; }
    void check() const { TORCH_CHECK(is_initialized, "the device has no allocator yet"); }
    void emptyCache(c10::MempoolId_t) override { check(); }
    void recordStream(const c10::DataPtr &, c10::Stream) override {}
    c10::CachingDeviceAllocator::DeviceStats getDeviceStats(c10::DeviceIndex) override
    {
        check();
        std::lock_guard<std::mutex> held(statistics_lock);
        return statistics;
    }
    void resetAccumulatedStats(c10::DeviceIndex) override {}
    void resetPeakStats(c10::DeviceIndex) override
    {
        check();
        std::lock_guard<std::mutex> held(statistics_lock);
        statistics.allocated_bytes[0].reset_peak();
    }
#if CT_HAS_MEMORY_INFO
    std::pair<size_t, size_t> getMemoryInfo(c10::DeviceIndex) override
    {
        std::lock_guard<std::mutex> held(statistics_lock);
        return {SIZE - statistics.allocated_bytes[0].current, SIZE};
    }
#endif
    c10::DataPtr allocate(size_t size) override { return data_of(cpu_storage(size)); }
    c10::DeleterFnPtr raw_deleter() const override { return nullptr; }
    void copy_data(void *, const void *, size_t) const override
    {
        TORCH_CHECK(false, "the pretend device does not copy bytes");
    }
};

Allocator the_allocator;

struct Guard final : c10::impl::NoOpDeviceGuardImpl<TYPE> {
    at::Device exchangeDevice(at::Device) const override { return the_device(); }
    at::Device getDevice() const override { return the_device(); }
    c10::Stream getStream(at::Device) const noexcept override
    {
        return c10::Stream(c10::Stream::DEFAULT, the_device());
    }
    c10::Stream exchangeStream(c10::Stream) const noexcept override { return getStream(the_device()); }
    c10::Stream getStreamFromGlobalPool(at::Device, bool) const override
    {
        return getStream(the_device());
    }
    c10::Stream getNewStream(at::Device, int) const override { return getStream(the_device()); }
    c10::DeviceIndex deviceCount() const noexcept override { return DEVICES; }
    // An event is the time at which it was recorded: nothing is asynchronous here.
    void record(void **event, const c10::Stream &, c10::DeviceIndex, c10::EventFlag) const override
    {
        if (!*event) *event = new Clock::time_point;
        *static_cast<Clock::time_point *>(*event) = Clock::now();
    }
    void destroyEvent(void *event, c10::DeviceIndex) const noexcept override
    {
        delete static_cast<Clock::time_point *>(event);
    }
    double elapsedTime(void *first, void *second, c10::DeviceIndex) const override
    {
        auto time = *static_cast<Clock::time_point *>(second) - *static_cast<Clock::time_point *>(first);
        return std::chrono::duration<double, std::milli>(time).count();
    }
    void block(void *, const c10::Stream &) const override {}
    bool queryEvent(void *) const override { return true; }
    void synchronizeEvent(void *) const override {}
    void synchronizeDevice(c10::DeviceIndex) const override {}
};

// A generator whose numbers a CPU generator draws.
struct Generator final : c10::GeneratorImpl {
    explicit Generator(at::Generator cpu)
        : GeneratorImpl(the_device(), c10::DispatchKeySet(pretend::KEY)), cpu(std::move(cpu))
    {
    }
    void set_current_seed(uint64_t seed) override { cpu.set_current_seed(seed); }
    void set_offset(uint64_t offset) override { cpu.set_offset(offset); }
    uint64_t get_offset() const override { return cpu.get_offset(); }
    uint64_t current_seed() const override { return cpu.current_seed(); }
    uint64_t seed() override { return cpu.seed(); }
    void set_state(const c10::TensorImpl &state) override
    {
        cpu.unsafeGetGeneratorImpl()->set_state(state);
    }
    c10::intrusive_ptr<c10::TensorImpl> get_state() const override
    {
        return cpu.unsafeGetGeneratorImpl()->get_state();
    }
    Generator *clone_impl() const override { return new Generator(cpu.clone()); }

    at::Generator cpu;
};

// The default one draws the CPU's numbers, so that programs print what they print there.
const at::Generator &default_generator()
{
    static const at::Generator generator =
        at::make_generator<Generator>(at::detail::getDefaultCPUGenerator());
    return generator;
}

struct Hooks final : at::PrivateUse1HooksInterface {
    bool isBuilt() const override { return true; }
    bool isAvailable() const override { return true; }
    bool hasPrimaryContext(c10::DeviceIndex) const override { return true; }
    c10::DeviceIndex deviceCount() const override { return DEVICES; }
    void setCurrentDevice(c10::DeviceIndex) const override {}
    c10::DeviceIndex getCurrentDevice() const override { return 0; }
    c10::DeviceIndex exchangeDevice(c10::DeviceIndex) const override { return 0; }
    c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex) const override { return 0; }
    at::Device getDeviceFromPtr(void *) const override { return the_device(); }
    const at::Generator &getDefaultGenerator(c10::DeviceIndex) const override
    {
        return default_generator();
    }
    at::Generator getNewGenerator(c10::DeviceIndex) const override
    {
        return at::make_generator<Generator>(at::detail::createCPUGenerator());
    }
};

bool install()
{
    static Hooks hooks;
    c10::register_privateuse1_backend("pretend");
    c10::SetAllocator(TYPE, &the_allocator);
    at::RegisterPrivateUse1HooksInterface(&hooks);
    return true;
}

const bool installed = install();

C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard)

}  // namespace

c10::Allocator *pretend::allocator() { return &the_allocator; }

c10::Storage pretend::to_device(const c10::Storage &cpu)
{
    return c10::Storage(c10::Storage::use_byte_size_t(), cpu.nbytes(), data_of(cpu), &the_allocator,
                        true);
}

const c10::Storage &pretend::to_cpu(const c10::Storage &device)
{
    return static_cast<Memory *>(device.data_ptr().get_context())->cpu;
}

void pretend::follow_cpu(const c10::Storage &device)
{
    c10::Storage cpu = to_cpu(device);  // what holds it is replaced
    c10::StorageImpl *storage = device.unsafeGetStorageImpl();
    if (marked(cpu) == storage->data() && cpu.nbytes() == storage->nbytes()) return;
    storage->set_nbytes(cpu.nbytes());
    storage->set_data_ptr_noswap({});
    storage->set_data_ptr_noswap(data_of(cpu));
}

at::Generator pretend::cpu_generator(const at::Generator &generator)
{
    if (!generator.defined() || generator.device().type() != TYPE) return generator;
    return static_cast<Generator *>(generator.unsafeGetGeneratorImpl())->cpu;
}
