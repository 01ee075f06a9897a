// parallel.h - a loop on the threads that LibTorch's own operators use.  C++ only.
//
// at::parallel_for is a template that runs in one thread unless it is compiled with OpenMP.  So the
// function is called that such code calls in the end, in the library that LibTorch has loaded.
#pragma once

#include <ATen/Parallel.h>

#include <algorithm>
#include <atomic>
#include <cstdint>

extern "C" {
// libgomp's; other OpenMP libraries have it, too.  Weak: without one, loops run in one thread.
__attribute__((weak)) void GOMP_parallel(void (*body)(void *), void *data, unsigned threads,
                                         unsigned flags);
__attribute__((weak)) int omp_get_thread_num(void);
__attribute__((weak)) int omp_get_num_threads(void);
}

namespace ct {

// Calls body(begin, end) for ranges that cover 0 up to count, in as many threads as LibTorch uses.
// A range has at least `least` elements unless it is the last.  body must not throw.
template <class Body>
void parallel_ranges(int64_t count, int64_t least, const Body &body)
{
    int64_t most = std::max<int64_t>(1, (count + least - 1) / least);
    int64_t threads = std::min<int64_t>(at::get_num_threads(), most);
    if (threads < 2 || !GOMP_parallel || at::in_parallel_region()) {
        if (count > 0) body(int64_t{0}, count);
        return;
    }
    struct Shared {
        const Body &body;
        int64_t count;
    } shared{body, count};
    auto run = [](void *data) {
        auto &shared = *static_cast<Shared *>(data);
        int64_t threads = omp_get_num_threads(), thread = omp_get_thread_num();
        int64_t begin = shared.count * thread / threads;
        int64_t end = shared.count * (thread + 1) / threads;
        if (begin < end) shared.body(begin, end);
    };
    GOMP_parallel(run, &shared, static_cast<unsigned>(threads), 0);
}

// Calls body(begin, end) for parts of `part` elements that cover 0 up to count.  Each thread has a
// range of parts, the same in every call, which its cache may still hold; a thread that is done helps
// the others, as when their processor is busy with another program.
template <class Body>
void parallel_parts(int64_t count, int64_t part, const Body &body)
{
    constexpr int64_t MOST = 64;  // threads
    struct alignas(64) Range {    // a line of the cache
        std::atomic<int64_t> next;
        int64_t end;
    } ranges[MOST];
    int64_t parts = (count + part - 1) / part;
    int64_t threads = std::clamp<int64_t>(std::min<int64_t>(at::get_num_threads(), parts), 1, MOST);
    for (int64_t k = 0; k < threads; k++) {
        ranges[k].next.store(parts * k / threads * part, std::memory_order_relaxed);
        ranges[k].end = std::min(parts * (k + 1) / threads * part, count);
    }
    parallel_ranges(threads, 1, [&](int64_t thread, int64_t) {
        for (int64_t k = 0; k < threads; k++) {
            Range &range = ranges[(thread + k) % threads];
            auto take = [&] { return range.next.fetch_add(part, std::memory_order_relaxed); };
            for (int64_t begin = take(); begin < range.end; begin = take())
                body(begin, std::min(begin + part, range.end));
        }
    });
}

}  // namespace ct
