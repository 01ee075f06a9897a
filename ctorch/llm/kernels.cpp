// kernels.cpp - the loops of language models' operators, for the processor of the compiler's flags.
//
//     CT_KERNELS=AVX512_KERNELS, -mavx512f ...  =>  const Kernels AVX512_KERNELS = {rms_norm, ...}
//
// Loops work on vectors of 16 floats, GCC's and Clang's own; on processors with shorter registers
// the compiler splits them.  All sums are in float32.  compiling.py compiles this file once for
// each kind of processor.
//
// The larger ones are in headers, each of which is a part of this file.

#include "llm/kernels.h"

#include "llm/kernel_attention.h"
#include "llm/kernel_panels.h"
#include "llm/kernel_products.h"
#include "llm/kernel_prompts.h"
#include "llm/kernel_sampler.h"
#include "llm/kernel_vectors.h"

namespace {

using ct::Element;

// Of rows.

template <class T>
void norm_row(const T *x, const T *weight, T *y, int64_t count, float eps, float offset)
{
    Floats squares{};
    each_vector(count, [&](int64_t at, int64_t n) {
        Floats v = take(x + at, n);
        squares += v * v;
    });
    float factor = 1.0f / __builtin_sqrtf(sum_of(squares) / static_cast<float>(count) + eps);
    if (offset == 0.0f)
        each_vector(count, [&](int64_t at, int64_t n) {
            put(y + at, rounded<T>(take(x + at, n) * factor) * take(weight + at, n), n);
        });
    else
        each_vector(count, [&](int64_t at, int64_t n) {
            put(y + at, take(x + at, n) * factor * (take(weight + at, n) + offset), n);
        });
}

inline Floats silu(Floats x) { return x / (1.0f + exponential(-x)); }

inline Floats gelu(Floats x)
{
    constexpr float ROOT = 0.7978845608f, CUBE = 0.044715f;  // the root of 2 / pi
    Floats u = (x + x * x * x * CUBE) * ROOT;
    return x - x / (1.0f + exponential(u + u));
}

template <class T>
void gate_row(bool is_silu, const T *gate, const T *up, T *y, int64_t count)
{
    each_vector(count, [&](int64_t at, int64_t n) {
        Floats g = take(gate + at, n), active = is_silu ? silu(g) : gelu(g);
        put(y + at, rounded<T>(active) * take(up + at, n), n);
    });
}

template <class T>
void rotate_row(const T *x, const float *cosines, const float *sines, T *y, int64_t pairs,
                int64_t width, bool interleaved)
{
    if (interleaved)
        for (int64_t k = 0; k < pairs; k++) {
            float a = load_one(x + 2 * k), b = load_one(x + 2 * k + 1);
            store_one(y + 2 * k, a * cosines[k] - b * sines[k]);
            store_one(y + 2 * k + 1, b * cosines[k] + a * sines[k]);
        }
    else
        each_vector(pairs, [&](int64_t at, int64_t n) {
            Floats a = take(x + at, n), b = take(x + pairs + at, n);
            Floats c = take(cosines + at, n), s = take(sines + at, n);
            put(y + at, a * c - b * s, n);
            put(y + pairs + at, b * c + a * s, n);
        });
    for (int64_t k = 2 * pairs; k < width; k++) y[k] = x[k];
}

// By dtype.

#define CT_BY_DTYPE(dtype, CALL)                                                                   \
    switch (dtype) {                                                                               \
    case Element::Float: { using T = float; CALL; }                                                \
    case Element::BFloat16: { using T = BFloat16; CALL; }                                          \
    default: { using T = Half; CALL; }                                                             \
    }

template <class T>
const T *in(const void *p) { return static_cast<const T *>(p); }
template <class T>
T *out(void *p) { return static_cast<T *>(p); }

void rms_norm(Element dtype, const void *x, const void *weight, void *y, int64_t count, float eps,
              float offset)
{
    CT_BY_DTYPE(dtype, return norm_row(in<T>(x), in<T>(weight), out<T>(y), count, eps, offset))
}

void gate_by_dtype(Element dtype, bool is_silu, const void *gate, const void *up, void *y,
                   int64_t count)
{
    CT_BY_DTYPE(dtype, return gate_row(is_silu, in<T>(gate), in<T>(up), out<T>(y), count))
}

void rotate(Element dtype, const void *x, const float *cosines, const float *sines, void *y,
            int64_t pairs, int64_t width, bool interleaved)
{
    CT_BY_DTYPE(dtype, return rotate_row(in<T>(x), cosines, sines, out<T>(y), pairs, width,
                                         interleaved))
}

void matrix_vectors(Element dtype, const void *w, int64_t rows, int64_t stride, const void *x,
                    const float *xs, int64_t count, int64_t columns, float *y, int64_t y_stride)
{
    CT_BY_DTYPE(dtype, return product_of_matrix(in<T>(w),
                                                Vectors<T>{in<T>(x), xs, y, columns, y_stride},
                                                count, rows, stride))
}

template <class T>
void widen(const T *x, float *y, int64_t count)
{
    each_vector(count, [&](int64_t at, int64_t n) { put(y + at, take(x + at, n), n); });
}

void to_floats(Element dtype, const void *x, float *y, int64_t count)
{
    CT_BY_DTYPE(dtype, return widen(in<T>(x), y, count))
}

template <class T>
void narrow(const float *x, const T *bias, T *y, int64_t count)
{
    each_vector(count, [&](int64_t at, int64_t n) {
        Floats v = take(x + at, n);
        put(y + at, bias ? v + take(bias + at, n) : v, n);
    });
}

void from_floats(Element dtype, const float *x, const void *bias, void *y, int64_t count)
{
    CT_BY_DTYPE(dtype, return narrow(x, in<T>(bias), out<T>(y), count))
}

int64_t largest(Element dtype, const void *x, int64_t count)
{
    CT_BY_DTYPE(dtype, return index_of_largest(in<T>(x), count))
}

void attend(const ct::AttentionTask &task)
{
    CT_BY_DTYPE(task.dtype, return attend_group<T>(task))
}

}  // namespace

#if !defined(CT_KERNELS)
#define CT_KERNELS BASE_KERNELS
#endif

#if !defined(__AVX512BF16__)
constexpr decltype(ct::Kernels::panel_product) panel_product = nullptr;
#endif

const ct::Kernels ct::CT_KERNELS = {
    rms_norm, gate_by_dtype, rotate,    matrix_vectors, panel_product, to_floats,    from_floats,
    largest,  exponentials,  above,     sums_from,      cut,           distances,    weighted_sum,
    attend};
