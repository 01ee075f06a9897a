// kernel_products.h - a matrix times a few vectors, a part of kernels.cpp.
//
// The matrix is read once, a few rows at a time: memory is the limit.  Where it is the processor,
// with many vectors, kernel_panels.h does it.
#pragma once

#include "llm/kernel_vectors.h"

namespace {

// What a matrix is multiplied by: rows as given and in floats, and where the results go.
template <class T>
struct Vectors {
    const T *x;
    const float *xs;
    float *y;
    int64_t columns, y_stride;
};

// The compiler would load x again for each of its uses.
template <class Vector>
inline void keep_loaded([[maybe_unused]] Vector &x)
{
#if defined(__AVX512F__)
    asm("" : "+v"(x));
#endif
}

// What is used some hundred steps later: the processor looks ahead by itself where little is done
// with each element.
inline void fetch_ahead(const void *p)
{
    constexpr int64_t BYTES = 1536;
    __builtin_prefetch(static_cast<const char *>(p) + BYTES);
}

template <int64_t ROWS, int64_t COUNT, class T>
inline __attribute__((always_inline)) void put_sums(const Floats (&sum)[ROWS][COUNT],
                                                    const Vectors<T> &given, int64_t apart)
{
    Floats all[ROWS * COUNT];
#pragma GCC unroll 32
    for (int64_t k = 0; k < ROWS * COUNT; k++) all[k] = sum[k / COUNT][k % COUNT];
    float found[ROWS * COUNT];
    sums_of<ROWS * COUNT>(all, found);
#pragma GCC unroll 32
    for (int64_t k = 0; k < ROWS * COUNT; k++)
        given.y[k % COUNT * given.y_stride + k / COUNT * apart] = found[k];
}

// How elements of a type are multiplied: so many at a time, those of the vectors as floats.
template <class T>
struct Multiplication {
    using Vector = Floats;
    static constexpr int64_t WIDTH = WIDE;

    static const float *vectors(const Vectors<T> &given) { return given.xs; }
    template <class U>
    static Floats all(const U *p)
    {
        return load(p);
    }
    template <class U>
    static Floats some(const U *p, int64_t count)
    {
        return load_some(p, count);
    }
    static Floats add(Floats sum, Floats a, Floats x) { return sum + a * x; }
};

#if defined(__AVX512BF16__)
inline __m512bh pairs(const BFloat16 *p) { return as<__m512bh>(read<__m512i>(p)); }

// The first elements, fewer than two vectors have; the others are 0.
inline __m512bh some_pairs(const BFloat16 *p, int64_t count)
{
    return as<__m512bh>(_mm512_maskz_loadu_epi16(static_cast<__mmask32>((1u << count) - 1), p));
}

// The processor multiplies pairs of bfloat16 and adds their products in float32.
template <>
struct Multiplication<BFloat16> {
    using Vector = __m512bh;
    static constexpr int64_t WIDTH = 2 * WIDE;

    static const BFloat16 *vectors(const Vectors<BFloat16> &given) { return given.x; }
    static Vector all(const BFloat16 *p) { return pairs(p); }
    static Vector some(const BFloat16 *p, int64_t count) { return some_pairs(p, count); }
    static Floats add(Floats sum, Vector a, Vector x)
    {
        return as<Floats>(_mm512_dpbf16_ps(as<__m512>(sum), a, x));
    }
};
#endif

// The products of ROWS rows of the matrix, `step` elements apart, and COUNT vectors; the rows'
// results are `apart` elements apart.  A sum has the same parts whatever ROWS and COUNT are, so
// that a token's result does not depend on the others of its batch.
template <int64_t ROWS, int64_t COUNT, class T>
void products(const T *w, int64_t step, const Vectors<T> &given, int64_t apart)
{
    using M = Multiplication<T>;
    using Vector = typename M::Vector;
    Floats sum[ROWS][COUNT] = {};
    int64_t at = 0, columns = given.columns;
    const auto *vectors = M::vectors(given);
    for (; at + M::WIDTH <= columns; at += M::WIDTH) {
        Vector a[ROWS];
#pragma GCC unroll 8
        for (int64_t r = 0; r < ROWS; r++) {
            a[r] = M::all(w + r * step + at);
            if (COUNT > 2) fetch_ahead(w + r * step + at);
        }
#pragma GCC unroll 8
        for (int64_t c = 0; c < COUNT; c++) {
            Vector x = M::all(vectors + c * columns + at);
            keep_loaded(x);
#pragma GCC unroll 8
            for (int64_t r = 0; r < ROWS; r++) sum[r][c] = M::add(sum[r][c], a[r], x);
        }
    }
    if (int64_t n = columns - at) {
#pragma GCC unroll 8
        for (int64_t r = 0; r < ROWS; r++)
#pragma GCC unroll 8
            for (int64_t c = 0; c < COUNT; c++)
                sum[r][c] = M::add(sum[r][c], M::some(w + r * step + at, n),
                                   M::some(vectors + c * columns + at, n));
    }
    put_sums<ROWS, COUNT>(sum, given, apart);
}

// Memory is read fastest in a few streams that lie some pages apart: of four rows next to each
// other it is read half as fast.  So rows that are a part of all rows apart go together.
template <int64_t COUNT, class T>
void product_of_rows(const T *w, Vectors<T> given, int64_t rows, int64_t stride)
{
#if defined(__AVX512F__)
    constexpr int64_t ROWS = COUNT <= 4 ? 4 : 2;  // what the registers hold
#else
    constexpr int64_t ROWS = COUNT <= 2 ? 2 : 1;
#endif
    int64_t part = rows / ROWS;
    for (int64_t r = 0; r < part; r++, given.y++)
        products<ROWS, COUNT>(w + r * stride, part * stride, given, part);
    given.y += (ROWS - 1) * part;
    for (int64_t r = ROWS * part; r < rows; r++, given.y++)
        products<1, COUNT>(w + r * stride, 0, given, 0);
}

template <class T>
void product_of_matrix(const T *w, Vectors<T> given, int64_t count, int64_t rows, int64_t stride)
{
    for (int64_t c = 0; c < count; c += 8) {
        Vectors<T> some{given.x + c * given.columns, given.xs + c * given.columns,
                        given.y + c * given.y_stride, given.columns, given.y_stride};
        switch (count - c) {
        case 1: product_of_rows<1>(w, some, rows, stride); break;
        case 2: product_of_rows<2>(w, some, rows, stride); break;
        case 3: product_of_rows<3>(w, some, rows, stride); break;
        case 4: product_of_rows<4>(w, some, rows, stride); break;
        case 5: product_of_rows<5>(w, some, rows, stride); break;
        case 6: product_of_rows<6>(w, some, rows, stride); break;
        case 7: product_of_rows<7>(w, some, rows, stride); break;
        default: product_of_rows<8>(w, some, rows, stride);
        }
    }
}

}  // namespace
