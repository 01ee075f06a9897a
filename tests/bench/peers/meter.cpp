// Counts the bytes that live CPU tensors ask for, in any process that has LibTorch loaded: an
// allocator that forwards every request to the previous one.  It counts like ctorch.
#include <c10/core/Allocator.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace {

std::atomic<int64_t> live{0}, peak{0};

struct Block {
    at::DataPtr inner;
    size_t size;
};

void release(void *context)
{
    Block *block = static_cast<Block *>(context);
    live -= static_cast<int64_t>(block->size);
    delete block;
}

struct Meter final : c10::Allocator {
    c10::Allocator *inner = nullptr;

    at::DataPtr allocate(size_t size) override
    {
        Block *block = new Block{inner->allocate(size), size};
        void *data = block->inner.get();
        const int64_t now = live += static_cast<int64_t>(size);
        if (now > peak)
            peak = now;
        return {data, block, release, at::Device(at::kCPU)};
    }

    void copy_data(void *to, const void *from, size_t count) const override
    {
        default_copy_data(to, from, count);
    }
};

Meter meter;

} // namespace

extern "C" void meter_install()
{
    meter.inner = c10::GetAllocator(at::kCPU);
    c10::SetAllocator(at::kCPU, &meter, 255);
}

extern "C" int64_t meter_peak()
{
    return peak;
}
