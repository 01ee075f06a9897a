// allocator.cpp - where tensors' elements live: a CPU allocator that keeps blocks and counts bytes.
//
// Freshly mapped pages cost more than the arithmetic on them: LibTorch's own allocator makes a
// chain of operations on 16 MB tensors 3 to 5 times slower.  This one keeps freed blocks, by size
// class, up to a limit.  It is installed when the library loads.
//
//     LAMBENT_CACHE_MB=256     the most that is kept; (tensor-cache-limit! bytes) changes it
//     LAMBENT_MEMORY_MB=4096   the most that tensors may hold; (tensor-memory-limit! bytes), too
//     LAMBENT_ALLOC=malloc     every block by itself, for valgrind and ASan
//
// What cannot be had is refused before the system is asked, since Linux grants what it does not
// have, and then kills.

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "memory/memory.h"
#include "memory/size_classes.h"

namespace {

constexpr size_t MEBIBYTE = size_t{1} << 20;
constexpr size_t ALIGNMENT = 64;   // what vector instructions and LibTorch's own allocator use
constexpr size_t LARGEST = size_t{1} << 50;  // above it, sizes are mistakes
constexpr size_t MAPPED = MEBIBYTE;          // from here on, blocks go back to the system whole
constexpr size_t UNCHECKED = 16 * MEBIBYTE;  // may be taken between two looks at the machine
constexpr size_t MOST_KEPT = 1024 * MEBIBYTE;
constexpr size_t KEPT_PART = 8;    // of the machine's memory, if that is less
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

// The account.  window: the peak since somebody began to look.
struct Counts {
    int64_t live, peak, window, allocations, allocated;
};

SpinLock guard;
Header *free_blocks[ct::CLASSES];
size_t kept_bytes;
Counts counts;
std::atomic<size_t> held_bytes;     // taken from the system: live and kept blocks
std::atomic<size_t> not_looked_at;  // taken since the last look at the machine

bool separate()  // every block by itself
{
    static const bool answer = [] {
        const char *alloc = std::getenv("LAMBENT_ALLOC");
        return alloc && std::strcmp(alloc, "malloc") == 0;
    }();
    return answer;
}

int64_t from_environment(const char *name, int64_t otherwise)
{
    const char *text = std::getenv(name);
    return text && *text ? std::strtoll(text, nullptr, 10) * int64_t{MEBIBYTE} : otherwise;
}

int64_t cache_limit = separate() ? 0 : from_environment(
    "LAMBENT_CACHE_MB", static_cast<int64_t>(ct::part_of_memory(KEPT_PART, MOST_KEPT)));
int64_t memory_limit = from_environment("LAMBENT_MEMORY_MB", std::numeric_limits<int64_t>::max());

// What a block takes from the system.
size_t whole_size(const Header &block)
{
    size_t bytes = separate() ? block.bytes : ct::class_bytes(block.size_class);
    return (sizeof(Header) + bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

bool is_mapped(size_t whole) { return whole >= MAPPED && !separate(); }

// The system's side.

void give_back(Header *block)
{
    size_t whole = whole_size(*block);
    held_bytes -= whole;
    if (is_mapped(whole)) munmap(block, whole);
    else std::free(block);
}

size_t drop_kept()
{
    Header *dropped[ct::CLASSES];
    size_t bytes;
    {
        Hold hold(guard);
        std::copy(std::begin(free_blocks), std::end(free_blocks), dropped);
        std::fill(std::begin(free_blocks), std::end(free_blocks), nullptr);
        bytes = kept_bytes;
        kept_bytes = 0;
    }
    for (Header *list : dropped)
        while (list) {
            Header *block = list;
            list = block->next;
            give_back(block);
        }
    return bytes;
}

Header *ask(size_t whole)
{
    if (!is_mapped(whole)) return static_cast<Header *>(std::aligned_alloc(ALIGNMENT, whole));
    void *pages = mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return nullptr;
    return static_cast<Header *>(pages);
}

[[noreturn]] void refuse(size_t bytes, const std::string &why)
{
    TORCH_CHECK_WITH(OutOfMemoryError, false, "not enough memory for ", bytes, " bytes", why);
}

// Whether the machine has that much more, asked now and then: each look takes some microseconds.
bool machine_has(size_t whole)
{
    if ((not_looked_at += whole) < UNCHECKED) return true;
    not_looked_at = 0;
    return whole <= ct::available_bytes(held_bytes);
}

Header *fresh(size_t bytes, size_t size_class)
{
    Header wanted{bytes, size_class, nullptr};
    size_t whole = whole_size(wanted);
    if (!machine_has(whole) && (drop_kept(), whole > ct::available_bytes(held_bytes))) {
        size_t rest = ct::available_bytes(held_bytes);
        refuse(bytes, "; the machine has " + ct::human(static_cast<double>(rest)) + " left");
    }
    Header *block = ask(whole);
    if (!block && drop_kept() > 0) block = ask(whole);
    if (!block) refuse(bytes, "; the system gives the process no more (ulimit -v)");
    held_bytes += whole;
    *block = wanted;
    return block;
}

// The program's side.

bool count(size_t bytes)  // whether it is a new peak
{
    counts.live += static_cast<int64_t>(bytes);
    counts.allocations++;
    counts.allocated += static_cast<int64_t>(bytes);
    counts.window = std::max(counts.window, counts.live);
    if (counts.live <= counts.peak) return false;
    counts.peak = counts.live;
    return true;
}

void check_limit(size_t bytes)
{
    int64_t live = counts.live, limit = memory_limit;
    if (live + static_cast<int64_t>(bytes) <= limit) return;
    refuse(bytes, "; tensors hold " + ct::human(static_cast<double>(live)) +
                      ", and their limit is " + ct::human(static_cast<double>(limit)));
}

void *allocate_elements(size_t bytes)
{
    if (bytes > LARGEST) refuse(bytes, "");
    check_limit(bytes);
    size_t size_class = ct::class_of(bytes);
    Header *block;
    bool is_peak = false;
    {
        Hold hold(guard);
        block = free_blocks[size_class];
        if (block) {
            free_blocks[size_class] = block->next;
            kept_bytes -= ct::class_bytes(size_class);
            block->bytes = bytes;
            is_peak = count(bytes);
        }
    }
    if (!block) {
        block = fresh(bytes, size_class);
        Hold hold(guard);
        is_peak = count(bytes);
    }
    if (is_peak && ct::watches_peak) ct::note_peak();
    return block + 1;
}

bool keep(Header *block)
{
    Hold hold(guard);
    counts.live -= static_cast<int64_t>(block->bytes);
    size_t bytes = ct::class_bytes(block->size_class);
    if (static_cast<int64_t>(kept_bytes + bytes) > cache_limit) return false;
    kept_bytes += bytes;
    block->next = free_blocks[block->size_class];
    free_blocks[block->size_class] = block;
    return true;
}

void release(void *elements)
{
    if (!elements) return;
    Header *block = static_cast<Header *>(elements) - 1;
    if (!keep(block)) give_back(block);
}

class KeepingAllocator final : public c10::Allocator {
public:
    c10::DataPtr allocate(size_t bytes) override
    {
        void *elements = bytes ? allocate_elements(bytes) : nullptr;
        return {elements, elements, release, c10::Device(c10::DeviceType::CPU)};
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

int64_t ct_live_bytes(void) { return counts.live; }
int64_t ct_peak_bytes(void) { return counts.peak; }
int64_t ct_cached_bytes(void) { return static_cast<int64_t>(kept_bytes); }
int64_t ct_allocations(void) { return counts.allocations; }
int64_t ct_allocated_bytes(void) { return counts.allocated; }
void ct_reset_peak(void) { counts.peak = counts.live; }

int64_t ct_exchange_window(int64_t least)
{
    Hold hold(guard);
    int64_t found = counts.window;
    counts.window = least < 0 ? counts.live : std::max(found, least);
    return found;
}

int64_t ct_set_cache_limit(int64_t bytes)
{
    int64_t before = std::exchange(cache_limit, separate() ? 0 : bytes);
    if (static_cast<int64_t>(kept_bytes) > cache_limit) drop_kept();
    return before;
}

int64_t ct_release_cache(void) { return static_cast<int64_t>(drop_kept()); }

int64_t ct_set_memory_limit(int64_t bytes)
{
    constexpr int64_t NONE = std::numeric_limits<int64_t>::max();
    int64_t before = std::exchange(memory_limit, bytes < 0 ? NONE : bytes);
    return before == NONE ? -1 : before;
}

}  // extern "C"
