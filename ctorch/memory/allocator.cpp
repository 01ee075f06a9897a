// allocator.cpp - the CPU allocator of tensor storages, which caches freed blocks and counts bytes.
//
// Freshly mapped pages cost more than the arithmetic on them: LibTorch's own allocator makes a
// chain of operations on 16 MB tensors 3 to 5 times slower.  This one caches freed blocks, by size
// class, up to a limit.  It is installed when the library loads.
//
//     LAMBENT_CACHE_MB=256     the most that is cached; (tensor-cache-limit! bytes) changes it
//     LAMBENT_MEMORY_MB=4096   the most that tensors may hold; (tensor-memory-limit! bytes), too
//     LAMBENT_ALLOC=malloc     no caching, for valgrind and ASan
//     LAMBENT_ALLOC=pages      each block ends before a page that nobody may touch
//
// What the machine does not have is refused before the system is asked, since Linux grants more
// memory than it has, and later kills the process.

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "files/files.h"
#include "memory/memory.h"
#include "memory/size_classes.h"

namespace {

constexpr size_t MEBIBYTE = size_t{1} << 20;
constexpr size_t ALIGNMENT = 64;   // as vector instructions need and LibTorch's allocator has
constexpr size_t LARGEST = size_t{1} << 50;  // larger sizes are mistakes
constexpr size_t MAPPED = MEBIBYTE;          // larger blocks are mapped, not malloced
constexpr size_t UNCHECKED = 16 * MEBIBYTE;  // allocated between two checks of the machine
constexpr size_t MOST_CACHED = 1024 * MEBIBYTE;
constexpr size_t CACHED_FRACTION = 8;  // an eighth of the machine's memory, if that is less
constexpr uint8_t PRIORITY = 100;  // LibTorch's allocator has 0

// Precedes the elements in every block, and links the free blocks.
struct alignas(ALIGNMENT) Header {
    size_t bytes;  // requested
    size_t size_class;
    Header *next;
};

// Worker threads allocate as well; the lock is held for a few instructions.
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

// window: the peak since ct_exchange_window was last called.
struct Counts {
    int64_t live, peak, window, allocations, allocated;
};

// What ct_watch_live_bytes waits for.
struct Watch {
    int64_t limit = std::numeric_limits<int64_t>::max();
    ct_notice reached = nullptr;
};

SpinLock guard;
Watch watch;
Header *free_blocks[ct::CLASSES];
size_t cached_bytes;
Counts counts;
std::atomic<size_t> held_bytes;       // allocated from the system: live and cached blocks
std::atomic<size_t> unchecked_bytes;  // allocated since the last check of the machine

bool is_alloc(const char *name)
{
    const char *alloc = std::getenv("LAMBENT_ALLOC");
    return alloc && std::strcmp(alloc, name) == 0;
}

bool is_plain()  // whether LAMBENT_ALLOC=malloc turns caching off
{
    static const bool answer = is_alloc("malloc");
    return answer;
}

bool has_guard_pages()
{
    static const bool answer = is_alloc("pages");
    return answer;
}

int64_t from_environment(const char *name, int64_t otherwise)
{
    const char *text = std::getenv(name);
    return text && *text ? std::strtoll(text, nullptr, 10) * int64_t{MEBIBYTE} : otherwise;
}

int64_t cache_limit = is_plain() ? 0 : from_environment(
    "LAMBENT_CACHE_MB", static_cast<int64_t>(ct::fraction_of_memory(CACHED_FRACTION, MOST_CACHED)));
int64_t memory_limit = from_environment("LAMBENT_MEMORY_MB", std::numeric_limits<int64_t>::max());

// The bytes that a block takes from the system, header included.
size_t block_size(const Header &block)
{
    size_t bytes = is_plain() ? block.bytes : ct::class_bytes(block.size_class);
    return (sizeof(Header) + bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

bool is_mapped(size_t size) { return size >= MAPPED && !is_plain(); }

// To and from the system.

void free_block(Header *block)
{
    size_t size = block_size(*block);
    held_bytes -= size;
    if (is_mapped(size)) munmap(block, size);
    else std::free(block);
}

size_t drop_cached()
{
    Header *dropped[ct::CLASSES];
    size_t bytes;
    {
        Hold hold(guard);
        std::copy(std::begin(free_blocks), std::end(free_blocks), dropped);
        std::fill(std::begin(free_blocks), std::end(free_blocks), nullptr);
        bytes = cached_bytes;
        cached_bytes = 0;
    }
    for (Header *list : dropped)
        while (list) {
            Header *block = list;
            list = block->next;
            free_block(block);
        }
    return bytes;
}

Header *allocate_block(size_t size)
{
    if (!is_mapped(size)) return static_cast<Header *>(std::aligned_alloc(ALIGNMENT, size));
    void *pages = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return nullptr;
    return static_cast<Header *>(pages);
}

[[noreturn]] void refuse(size_t bytes, const std::string &why)
{
    TORCH_CHECK_WITH(OutOfMemoryError, false, "not enough memory for ", bytes, " bytes", why);
}

// Whether the machine has that much more memory.  It is checked now and then: a check takes some
// microseconds.
bool machine_has(size_t size)
{
    if ((unchecked_bytes += size) < UNCHECKED) return true;
    unchecked_bytes = 0;
    return size <= ct::available_bytes(held_bytes);
}

Header *fresh(size_t bytes, size_t size_class)
{
    Header header{bytes, size_class, nullptr};
    size_t size = block_size(header);
    if (!machine_has(size) && (drop_cached(), size > ct::available_bytes(held_bytes))) {
        size_t rest = ct::available_bytes(held_bytes);
        refuse(bytes, "; the machine has " + ct::human(static_cast<double>(rest)) + " left");
    }
    Header *block = allocate_block(size);
    if (!block && drop_cached() > 0) block = allocate_block(size);
    if (!block) refuse(bytes, "; the process may map no more (ulimit -v)");
    held_bytes += size;
    *block = header;
    return block;
}

// To and from the program.

bool count(size_t bytes)  // whether this is a new peak
{
    counts.live += static_cast<int64_t>(bytes);
    counts.allocations++;
    counts.allocated += static_cast<int64_t>(bytes);
    counts.window = std::max(counts.window, counts.live);
    if (counts.live > watch.limit) std::exchange(watch, {}).reached();
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

// Blocks that end before a page that nobody may touch: a kernel that reads or writes beyond a tensor
// stops there, also in LibTorch, which is not compiled for memory checkers.
//
//     [GuardedHeader | filling, elements | no access]      pages; the elements end with a page
//
// Freed blocks are unmapped, so that an access to them stops, too.

constexpr size_t PAGE = 4096;
constexpr unsigned char FILLING = 0xA5;

struct GuardedHeader {
    size_t bytes, mapped;
};

GuardedHeader *header_of(const unsigned char *elements)
{
    return reinterpret_cast<GuardedHeader *>(reinterpret_cast<uintptr_t>(elements) / PAGE * PAGE -
                                             PAGE);
}

void *allocate_guarded(size_t bytes)
{
    size_t held = (bytes + PAGE - 1) / PAGE * PAGE, mapped = held + 2 * PAGE;
    if (mapped > ct::available_bytes(held_bytes)) refuse(bytes, "; the machine has no more");
    void *pages = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) refuse(bytes, "; the process may map no more");
    auto *first = static_cast<unsigned char *>(pages);
    *reinterpret_cast<GuardedHeader *>(first) = {bytes, mapped};
    mprotect(first, PAGE, PROT_READ);
    mprotect(first + PAGE + held, PAGE, PROT_NONE);
    std::memset(first + PAGE, FILLING, held - bytes);
    Hold hold(guard);
    count(bytes);
    return first + PAGE + held - bytes;
}

void release_guarded(void *given)
{
    auto *elements = static_cast<unsigned char *>(given);
    GuardedHeader *header = header_of(elements);
    auto *first = reinterpret_cast<unsigned char *>(header) + PAGE;
    if (std::any_of(first, elements, [](unsigned char x) { return x != FILLING; })) {
        std::fputs("lambent: something has written before the beginning of a tensor\n", stderr);
        std::abort();
    }
    {
        Hold hold(guard);
        counts.live -= static_cast<int64_t>(header->bytes);
    }
    munmap(header, header->mapped);
}

void *allocate_elements(size_t bytes)
{
    if (bytes > LARGEST) refuse(bytes, "");
    check_limit(bytes);
    if (has_guard_pages()) return allocate_guarded(bytes);
    size_t size_class = ct::class_of(bytes);
    Header *block;
    bool is_peak = false;
    {
        Hold hold(guard);
        block = free_blocks[size_class];
        if (block) {
            free_blocks[size_class] = block->next;
            cached_bytes -= ct::class_bytes(size_class);
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

bool cache(Header *block)
{
    Hold hold(guard);
    counts.live -= static_cast<int64_t>(block->bytes);
    size_t bytes = ct::class_bytes(block->size_class);
    if (static_cast<int64_t>(cached_bytes + bytes) > cache_limit) return false;
    cached_bytes += bytes;
    block->next = free_blocks[block->size_class];
    free_blocks[block->size_class] = block;
    return true;
}

void release(void *elements)
{
    if (!elements) return;
    if (has_guard_pages()) return release_guarded(elements);
    Header *block = static_cast<Header *>(elements) - 1;
    if (!cache(block)) free_block(block);
}

class CachingAllocator final : public c10::Allocator {
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

CachingAllocator allocator;

const bool installed = (c10::SetAllocator(c10::DeviceType::CPU, &allocator, PRIORITY), true);

}  // namespace

void ct::check_room(const std::string &path, const std::string &what, uint64_t bytes)
{
    if (bytes < UNCHECKED || bytes <= available_bytes(held_bytes)) return;
    drop_cached();
    size_t rest = available_bytes(held_bytes);
    if (bytes > rest)
        fail_about(path, "not enough memory: " + what + " " + human(static_cast<double>(bytes)) +
                             ", the machine has " + human(static_cast<double>(rest)) + " left");
}

extern "C" {

int64_t ct_live_bytes(void) { return counts.live; }
void ct_watch_live_bytes(int64_t limit, ct_notice reached)
{
    Hold hold(guard);
    watch = {limit, reached};
}

int64_t ct_peak_bytes(void) { return counts.peak; }
int64_t ct_cached_bytes(void) { return static_cast<int64_t>(cached_bytes); }
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
    int64_t before = std::exchange(cache_limit, is_plain() ? 0 : bytes);
    if (static_cast<int64_t>(cached_bytes) > cache_limit) drop_cached();
    return before;
}

int64_t ct_release_cache(void) { return static_cast<int64_t>(drop_cached()); }

int64_t ct_set_memory_limit(int64_t bytes)
{
    constexpr int64_t NONE = std::numeric_limits<int64_t>::max();
    int64_t before = std::exchange(memory_limit, bytes < 0 ? NONE : bytes);
    return before == NONE ? -1 : before;
}

}  // extern "C"
