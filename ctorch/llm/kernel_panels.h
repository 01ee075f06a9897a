// kernel_panels.h - a matrix of bfloat16 times many vectors, a part of kernels.cpp.
//
// Rows of the matrix are copied in the order in which the processor's instruction takes them, so
// that they are in the cache while all the vectors pass.
#pragma once

#include "llm/kernel_products.h"

#if defined(__AVX512BF16__)

namespace {

// A panel: PANEL rows of the matrix in the order in which they are used, pairs of columns of all
// the rows after each other.
constexpr int64_t PANEL = ct::PANEL_ROWS;

// 16 rows of 16 pairs become 16 pairs of 16 rows.
inline void transpose_pairs(__m512i *x)
{
    __m512i y[WIDE];
#pragma GCC unroll 16
    for (int k = 0; k < WIDE; k += 2) {
        y[k] = _mm512_unpacklo_epi32(x[k], x[k + 1]);
        y[k + 1] = _mm512_unpackhi_epi32(x[k], x[k + 1]);
    }
#pragma GCC unroll 16
    for (int k = 0; k < WIDE; k += 4) {
        x[k] = _mm512_unpacklo_epi64(y[k], y[k + 2]);
        x[k + 1] = _mm512_unpackhi_epi64(y[k], y[k + 2]);
        x[k + 2] = _mm512_unpacklo_epi64(y[k + 1], y[k + 3]);
        x[k + 3] = _mm512_unpackhi_epi64(y[k + 1], y[k + 3]);
    }
    // Now x[4 * i + j] has in its lane l the pair 4 * l + j of the rows from 4 * i on.
#pragma GCC unroll 16
    for (int j = 0; j < 4; j++) {
        __m512i a = _mm512_shuffle_i32x4(x[j], x[4 + j], 0x88);
        __m512i b = _mm512_shuffle_i32x4(x[8 + j], x[12 + j], 0x88);
        __m512i c = _mm512_shuffle_i32x4(x[j], x[4 + j], 0xdd);
        __m512i d = _mm512_shuffle_i32x4(x[8 + j], x[12 + j], 0xdd);
        y[j] = _mm512_shuffle_i32x4(a, b, 0x88);
        y[8 + j] = _mm512_shuffle_i32x4(a, b, 0xdd);
        y[4 + j] = _mm512_shuffle_i32x4(c, d, 0x88);
        y[12 + j] = _mm512_shuffle_i32x4(c, d, 0xdd);
    }
#pragma GCC unroll 16
    for (int k = 0; k < WIDE; k++) x[k] = y[k];
}

// Rows of the matrix into a panel; rows that are missing are zeros.
void fill_panel(const BFloat16 *w, int64_t stride, int64_t rows, int64_t columns, BFloat16 *panel)
{
    for (int64_t first = 0; first < PANEL; first += WIDE)
        for (int64_t at = 0; at < columns; at += 2 * WIDE) {
            int64_t n = columns - at < 2 * WIDE ? columns - at : 2 * WIDE;
            __m512i block[WIDE];
            for (int64_t r = 0; r < WIDE; r++) {
                const BFloat16 *from = w + (first + r) * stride + at;
                if (first + r >= rows) block[r] = _mm512_setzero_si512();
                else if (n == 2 * WIDE) block[r] = read<__m512i>(from);
                else block[r] = as<__m512i>(some_pairs(from, n));
            }
            transpose_pairs(block);
            for (int64_t k = 0; 2 * k < n; k++)
                _mm512_storeu_si512(panel + ((at / 2 + k) * PANEL + first) * 2, block[k]);
        }
}

// sum += a pair of columns of a panel, of all its rows, times that of COUNT vectors.
template <int64_t COUNT, int64_t PARTS>
inline __attribute__((always_inline)) void add_pair(const BFloat16 *panel, const BFloat16 *x,
                                                    int64_t x_stride, __m512 (&sum)[COUNT][PARTS])
{
    __m512bh a[PARTS];
#pragma GCC unroll 8
    for (int64_t p = 0; p < PARTS; p++) a[p] = pairs(panel + 2 * WIDE * p);
#pragma GCC unroll 8
    for (int64_t c = 0; c < COUNT; c++) {
        __m512bh pair = as<__m512bh>(_mm512_set1_epi32(read<int32_t>(x + c * x_stride)));
#pragma GCC unroll 8
        for (int64_t p = 0; p < PARTS; p++) sum[c][p] = _mm512_dpbf16_ps(sum[c][p], a[p], pair);
    }
}

// A panel times COUNT vectors.
template <int64_t COUNT>
void panel_products(const BFloat16 *panel, const BFloat16 *x, const BFloat16 *bias, BFloat16 *y,
                    int64_t y_stride, int64_t rows, int64_t columns)
{
    constexpr int64_t PARTS = PANEL / WIDE;
    __m512 sum[COUNT][PARTS] = {};
    for (int64_t k = 0; k < columns / 2; k++, panel += 2 * PANEL)
        add_pair<COUNT, PARTS>(panel, x + 2 * k, columns, sum);
    if (columns % 2)
#pragma GCC unroll 8
        for (int64_t c = 0; c < COUNT; c++) {
            __m512bh one = as<__m512bh>(_mm512_set1_epi32(x[c * columns + columns - 1].bits));
#pragma GCC unroll 8
            for (int64_t p = 0; p < PARTS; p++)
                sum[c][p] = _mm512_dpbf16_ps(sum[c][p], pairs(panel + 2 * WIDE * p), one);
        }
#pragma GCC unroll 8
    for (int64_t p = 0; p < PARTS; p++) {
        int64_t n = rows - p * WIDE < WIDE ? rows - p * WIDE : WIDE;
        if (n <= 0) break;
        Floats more = bias ? take(bias + p * WIDE, n) : Floats{};
#pragma GCC unroll 8
        for (int64_t c = 0; c < COUNT; c++)
            put(y + c * y_stride + p * WIDE, as<Floats>(sum[c][p]) + more, n);
    }
}

// rows: at most PANEL.
void panel_product(const void *w, int64_t rows, int64_t stride, const void *x, int64_t count,
                   int64_t columns, const void *bias, void *y, int64_t y_stride, void *room)
{
    auto *panel = static_cast<BFloat16 *>(room);
    auto *vectors = static_cast<const BFloat16 *>(x);
    auto *more = static_cast<const BFloat16 *>(bias);
    auto *result = static_cast<BFloat16 *>(y);
    fill_panel(static_cast<const BFloat16 *>(w), stride, rows, columns, panel);
    auto each = [&](auto multiply, int64_t c) {
        multiply(panel, vectors + c * columns, more, result + c * y_stride, y_stride, rows,
                 columns);
    };
    int64_t c = 0;
    for (; c + 8 <= count; c += 8) each(panel_products<8>, c);
    if (count - c >= 4) {
        each(panel_products<4>, c);
        c += 4;
    }
    for (; c < count; c++) each(panel_products<1>, c);
}

}  // namespace

#endif
