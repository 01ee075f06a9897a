// emulation.h - what kernels in CUDA C use, for the CPU.
//
// The threads of a block are coroutines of one thread.  Each runs until it waits for the others, at
// __syncthreads() or in a shuffle; when all wait, all go on.
#pragma once

#include <ucontext.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

namespace emulation {

struct Index {
    unsigned x, y;
};

inline Index thread_index, block_index, block_size, grid_size;

// The coroutines of a block.
class Block {
public:
    static Block &current()
    {
        static Block block;
        return block;
    }

    void run(unsigned threads, const std::function<void()> &body)
    {
        body_ = &body;
        if (stacks_.size() < threads) stacks_.resize(threads, std::vector<char>(STACK));
        contexts_.resize(threads);
        ended_.assign(threads, false);
        shared_.assign(threads, 0.0f);
        for (unsigned k = 0; k < threads; k++) {
            getcontext(&contexts_[k]);
            contexts_[k].uc_stack = {stacks_[k].data(), 0, STACK};
            contexts_[k].uc_link = &scheduler_;
            makecontext(&contexts_[k], start, 0);
        }
        for (bool is_running = true; is_running;) {
            is_running = false;
            for (unsigned k = 0; k < threads; k++) {
                if (ended_[k]) continue;
                thread_index.x = k;
                swapcontext(&scheduler_, &contexts_[k]);
                is_running = true;
            }
        }
    }

    // Until all threads of the block wait, too.
    void wait() { swapcontext(&contexts_[thread_index.x], &scheduler_); }

    float exchange(float value, int mask)
    {
        shared_[thread_index.x] = value;
        wait();
        float other = shared_[thread_index.x ^ static_cast<unsigned>(mask)];
        wait();
        return other;
    }

private:
    static constexpr size_t STACK = 1 << 16;

    static void start()
    {
        Block &block = current();
        (*block.body_)();
        block.ended_[thread_index.x] = true;
    }

    const std::function<void()> *body_ = nullptr;
    std::vector<std::vector<char>> stacks_;
    std::vector<ucontext_t> contexts_;
    std::vector<bool> ended_;
    std::vector<float> shared_;
    ucontext_t scheduler_;
};

template <class... Parameters, size_t... K>
void run_grid(void (*kernel)(Parameters...), Index grid, unsigned threads, void **arguments,
              std::index_sequence<K...>)
{
    std::function<void()> body = [&] { kernel(*static_cast<Parameters *>(arguments[K])...); };
    block_size = {threads, 1};
    grid_size = grid;
    for (unsigned y = 0; y < grid.y; y++)
        for (unsigned x = 0; x < grid.x; x++) {
            block_index = {x, y};
            Block::current().run(threads, body);
        }
}

// A kernel as cuLaunchKernel starts it.
using Launcher = void (*)(Index grid, unsigned threads, void **arguments);

template <auto kernel, class... Parameters>
Launcher launcher_of(void (*)(Parameters...))
{
    return [](Index grid, unsigned threads, void **arguments) {
        run_grid(kernel, grid, threads, arguments, std::index_sequence_for<Parameters...>());
    };
}

}  // namespace emulation

struct uchar4 {
    unsigned char x, y, z, w;
};

#define KERNEL static void
#define __device__ static inline
#define __shared__ static
#define __align__(n) alignas(n)
#define threadIdx emulation::thread_index
#define blockIdx emulation::block_index
#define blockDim emulation::block_size
#define gridDim emulation::grid_size

static inline void __syncthreads() { emulation::Block::current().wait(); }
static inline float __shfl_xor_sync(unsigned, float value, int mask)
{
    return emulation::Block::current().exchange(value, mask);
}
static inline float __uint_as_float(unsigned x) { return std::bit_cast<float>(x); }
static inline unsigned __float_as_uint(float x) { return std::bit_cast<unsigned>(x); }
