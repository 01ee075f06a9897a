// kernels.h - the loops of the operators of language models, one table for each kind of processor.
//
// kernels.cpp is compiled once for each; kernel_choice.cpp takes the best that the processor runs.
// It includes no header with inline functions, of which the linker would keep one version only.
#pragma once

#include <stdint.h>

namespace ct {

// The dtypes that the kernels read and write.  They compute in float32.
enum class Element { Float, BFloat16, Half };

// Attention of a group of queries that share a head of keys.  Positions are rows of width elements.
struct AttentionTask {
    Element dtype;
    const void *query;           // [group, width]
    void *result;                // [group, width]
    const void *const *keys;     // blocks of positions
    const void *const *values;
    int64_t block;               // positions in a block
    int64_t key_stride, value_stride;  // elements from a position to the next
    int64_t first, length;       // positions first up to length are seen
    int64_t group, width;
    float scale, softcap;        // softcap 0: none
    float *scores;               // room for group * length
    float *sums;                 // room for group * width
};

struct Kernels {
    // A row divided by the root of its mean square, times weight or offset + weight.
    void (*rms_norm)(Element dtype, const void *x, const void *weight, void *y, int64_t count,
                     float eps, float offset);
    // silu(gate) * up, or gelu by tanh.
    void (*gate)(Element dtype, bool is_silu, const void *gate, const void *up, void *y,
                 int64_t count);
    // The first 2 * pairs elements of a row rotated, the others copied.
    void (*rotate)(Element dtype, const void *x, const float *cosines, const float *sines, void *y,
                   int64_t pairs, int64_t width, bool interleaved);
    // y[c][r] = the sum of w[r] x[c].  w [rows, columns]; x [count, columns], xs as floats.
    void (*matrix_vectors)(Element dtype, const void *w, int64_t rows, int64_t stride,
                           const void *x, const float *xs, int64_t count, int64_t columns,
                           float *y, int64_t y_stride);
    // y[c][r] = the sum of w[r] x[c], + bias[r] unless it is NULL, all in bfloat16: for many rows
    // of x.  NULL where the processor does not multiply bfloat16.  rows: at most PANEL_ROWS.
    // room: PANEL_ROWS * (columns + 1) elements.
    void (*panel_product)(const void *w, int64_t rows, int64_t stride, const void *x, int64_t count,
                          int64_t columns, const void *bias, void *y, int64_t y_stride, void *room);
    void (*to_floats)(Element dtype, const void *x, float *y, int64_t count);
    // y = x + bias, rounded; bias may be NULL.
    void (*from_floats)(Element dtype, const float *x, const void *bias, void *y, int64_t count);
    // The index of the first of the largest; that of the first nan if there is one.
    int64_t (*largest)(Element dtype, const void *x, int64_t count);
    // y = exp((x - top) * factor), 0 where x is below least; block_sums has a sum for each 64.
    void (*exponentials)(const float *x, float *y, double *block_sums, int64_t count, float top,
                         float factor, float least);
    // The indices of the elements above a limit, at most room; returns how many there are.
    int64_t (*above)(const float *x, int64_t begin, int64_t count, float limit, int64_t *indices,
                     int64_t room);
    // The sums of the weights whose keys are at least each of LIMITS limits.
    void (*sums_from)(const float *keys, const float *weights, int64_t count, const float *limits,
                      double *sums);
    // Weights whose keys are below low become 0; returns the sum of those whose keys are at least
    // high.  The indices of the others, in between, go to `between`, which has room for all.
    double (*cut)(const float *keys, float *weights, int64_t count, float low, float high,
                  int64_t *between, int64_t *found);
    // y = -|x * factor + shift|.
    void (*distances)(const float *x, float *y, int64_t count, float factor, float shift);
    // The sum of weights * (x - top), of those whose weight is not 0.
    double (*weighted_sum)(const float *x, const float *weights, int64_t count, float top);
    void (*attend)(const AttentionTask &task);
};

constexpr int64_t PANEL_ROWS = 48;
constexpr int64_t LIMITS = 4;   // of sums_from
constexpr int64_t SUMMED = 64;  // elements of a block sum of exponentials

extern const Kernels BASE_KERNELS;
#if defined(__x86_64__)
extern const Kernels AVX2_KERNELS, AVX512_KERNELS, AVX512_BF16_KERNELS;
#endif

// What the kernels may use: of the processor, and of what LAMBENT_KERNEL allows when it is first
// asked.  Of x86-64, each has what those before it have.  Neon: aarch64 with dot products of bytes.
enum class Processor { Portable, Neon, Avx2, Avx512, Avx512BFloat16 };
Processor processor();
// Whether it has matrix registers for bfloat16, which LibTorch uses.
bool has_amx();
// The kernels for it.
const Kernels &kernels();

}  // namespace ct
