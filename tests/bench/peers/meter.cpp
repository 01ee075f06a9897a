// Counts the bytes that live CPU tensors ask for, in any process that has LibTorch loaded: an
// allocator that forwards every request to the previous one.  It counts like ctorch.
#include <c10/core/Allocator.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace {

std::atomic<int64_t> live{0}, peak{0};

c10::Allocator *inner;

// Precedes the elements: LibTorch's convolutions need blocks without a context of their own.
struct alignas(64) Header {
    size_t size;
};

void release(void *elements)
{
    if (!elements)
        return;
    Header *block = static_cast<Header *>(elements) - 1;
    live -= static_cast<int64_t>(block->size);
    inner->raw_deallocate(block);
}

struct Meter final : c10::Allocator {
    at::DataPtr allocate(size_t size) override
    {
        void *elements = nullptr;
        if (size > 0) {
            Header *block = static_cast<Header *>(inner->raw_allocate(sizeof(Header) + size));
            block->size = size;
            elements = block + 1;
            const int64_t now = live += static_cast<int64_t>(size);
            if (now > peak)
                peak = now;
        }
        return {elements, elements, release, at::Device(at::kCPU)};
    }

    c10::DeleterFnPtr raw_deleter() const override { return release; }

    void copy_data(void *to, const void *from, size_t count) const override
    {
        default_copy_data(to, from, count);
    }
};

Meter meter;

} // namespace

extern "C" void meter_install()
{
    inner = c10::GetAllocator(at::kCPU);
    c10::SetAllocator(at::kCPU, &meter, 255);
}

extern "C" int64_t meter_peak()
{
    return peak;
}
