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
    // y[c][r] = the sum of w[r] x[c].  w [rows, columns]; x [count, columns], xs the same in floats.
    void (*matrix_vectors)(Element dtype, const void *w, int64_t rows, int64_t stride, const void *x,
                           const float *xs, int64_t count, int64_t columns, float *y,
                           int64_t y_stride);
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
    // The bucket of each element, by how far it lies below top: (top - x) * step, at most `last`.
    void (*buckets)(const float *x, uint16_t *y, int64_t count, float top, float step, int32_t last);
    // Weights become 0 where the bucket is beyond a limit; returns the sum of the others.
    double (*cut)(float *weights, const uint16_t *buckets, int64_t count, uint16_t limit);
    // y = -|x * factor + shift|.
    void (*distances)(const float *x, float *y, int64_t count, float factor, float shift);
    // The sum of weights * (x - top), of those whose weight is not 0.
    double (*weighted_sum)(const float *x, const float *weights, int64_t count, float top);
    void (*attend)(const AttentionTask &task);
};

constexpr int64_t SUMMED = 64;  // elements of a block sum of exponentials

extern const Kernels BASE_KERNELS;
#if defined(__x86_64__)
extern const Kernels AVX2_KERNELS, AVX512_KERNELS, AVX512_BF16_KERNELS;
#endif

// Those of this processor.
const Kernels &kernels();

}  // namespace ct
