// allocator.cpp - where tensors' elements live: a CPU allocator that keeps blocks and counts bytes.
//
// Freshly mapped pages cost more than the arithmetic on them: LibTorch's own allocator makes a
// chain of operations on 16 MB tensors 3 to 5 times slower.  This one keeps freed blocks, by size
// class, up to a cap (LAMBENT_CACHE_MB, 1024 unless told).  It is installed when the library loads.

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <cstring>

#include "ctorch.h"

namespace {

constexpr size_t ALIGNMENT = 64;   // what vector instructions and LibTorch's own allocator use
constexpr size_t SMALLEST = 64;    // the smallest class; the header's size as well
constexpr size_t CLASSES = 4 * 48; // four to a power of two
constexpr size_t LARGEST = size_t{1} << 50;  // above it, sizes are mistakes
constexpr uint8_t PRIORITY = 100;  // above LibTorch's own, whose is 0

// Stands before the elements of every block, and links the free ones.
struct alignas(ALIGNMENT) Header {
    size_t bytes;  // what was asked for
    size_t size_class;
    Header *next;
};

// Worker threads allocate, too; the lock is held for a few instructions.
class SpinLock {
public:
    void lock()
    {
        while (flag_.test_and_set(std::memory_order_acquire)) {}
    }
    void unlock() { flag_.clear(std::memory_order_release); }

private:
    std::atomic_flag flag_;
};

struct Hold {
    explicit Hold(SpinLock &lock) : lock_(lock) { lock_.lock(); }
    ~Hold() { lock_.unlock(); }
    SpinLock &lock_;
};

SpinLock guard;
Header *free_blocks[CLASSES];
size_t kept_bytes;
int64_t live_bytes, peak_bytes;

// 64 80 96 112 128 160 192 224 256 ...: rounding up wastes a quarter at most.
size_t class_of(size_t bytes)
{
    size_t units = std::max(bytes, SMALLEST) - 1;
    size_t power = std::bit_width(units) - 1;  // at least 5: units is 63 or more
    size_t quarter = units >> (power - 2) & 3;
    return 4 * (power - 5) + quarter;
}

size_t class_bytes(size_t size_class)
{
    size_t power = size_class / 4 + 5, quarter = size_class % 4;
    return (quarter + 5) << (power - 2);
}

size_t cap()
{
    static const size_t answer = [] {
        const char *alloc = std::getenv("LAMBENT_ALLOC");
        if (alloc && std::strcmp(alloc, "malloc") == 0) return size_t{0};
        const char *text = std::getenv("LAMBENT_CACHE_MB");
        return size_t(text ? std::strtoul(text, nullptr, 10) : 1024) << 20;
    }();
    return answer;
}

Header *take_kept(size_t size_class)
{
    Hold hold(guard);
    Header *block = free_blocks[size_class];
    if (!block) return nullptr;
    free_blocks[size_class] = block->next;
    kept_bytes -= class_bytes(size_class);
    return block;
}

bool keep(Header *block)
{
    Hold hold(guard);
    live_bytes -= static_cast<int64_t>(block->bytes);
    size_t bytes = class_bytes(block->size_class);
    if (kept_bytes + bytes > cap()) return false;
    kept_bytes += bytes;
    block->next = free_blocks[block->size_class];
    free_blocks[block->size_class] = block;
    return true;
}

void drop_kept()
{
    Hold hold(guard);
    for (Header *&list : free_blocks)
        while (list) {
            Header *block = list;
            list = block->next;
            std::free(block);
        }
    kept_bytes = 0;
}

void count(size_t bytes)
{
    Hold hold(guard);
    live_bytes += static_cast<int64_t>(bytes);
    peak_bytes = std::max(peak_bytes, live_bytes);
}

void release(void *elements)
{
    if (!elements) return;
    Header *block = static_cast<Header *>(elements) - 1;
    if (!keep(block)) std::free(block);
}

Header *fresh(size_t size_class)
{
    size_t bytes = sizeof(Header) + class_bytes(size_class);
    bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;  // aligned_alloc asks for that
    void *block = std::aligned_alloc(ALIGNMENT, bytes);
    if (block) return static_cast<Header *>(block);
    drop_kept();
    return static_cast<Header *>(std::aligned_alloc(ALIGNMENT, bytes));
}

class KeepingAllocator final : public c10::Allocator {
public:
    c10::DataPtr allocate(size_t bytes) override
    {
        const c10::Device cpu(c10::DeviceType::CPU);
        if (bytes == 0) return {nullptr, nullptr, release, cpu};
        TORCH_CHECK(bytes <= LARGEST, "not enough memory for ", bytes, " bytes");
        size_t size_class = class_of(bytes);
        Header *block = take_kept(size_class);
        if (!block) block = fresh(size_class);
        TORCH_CHECK(block, "not enough memory for ", bytes, " bytes");
        block->bytes = bytes;
        block->size_class = size_class;
        count(bytes);
        void *elements = block + 1;
        return {elements, elements, release, cpu};
    }
    c10::DeleterFnPtr raw_deleter() const override { return release; }
    void copy_data(void *target, const void *source, size_t bytes) const override
    {
        default_copy_data(target, source, bytes);
    }
};

KeepingAllocator allocator;

const bool installed = (c10::SetAllocator(c10::DeviceType::CPU, &allocator, PRIORITY), true);

}  // namespace

extern "C" {

int64_t ct_live_bytes(void) { return live_bytes; }
int64_t ct_peak_bytes(void) { return peak_bytes; }
void ct_reset_peak(void) { peak_bytes = live_bytes; }

}  // extern "C"
