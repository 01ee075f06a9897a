// kernels.cpp - the product of a quantized matrix and quantized activations, for each processor.
//
//     y[r][n] = sum over groups of  scale[n] * xscale[r] * sum(q[n] * x[r])
//
// A weight is read and unpacked once for up to eight rows of activations; one row is as fast as
// memory is.  The kernel is chosen when the program runs (llm/kernel_choice.cpp): AVX-512 with dot
// products of bytes, AVX2, NEON with dot products of bytes, or plain C++.  Kernels are compiled for
// their processors by an attribute, so no flag of the compiler is needed; loops over rows are
// unrolled, or their sums would not stay in registers.

#include "llm/kernels.h"
#include "quantize/parallel.h"
#include "quantize/quantize.h"

#include <c10/util/Half.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#if defined(__x86_64__) && defined(__GNUC__)
#define CT_X86_KERNELS 1
#include <immintrin.h>
#elif defined(__aarch64__) && (defined(__clang__) ? __clang_major__ >= 16 : defined(__GNUC__))
#define CT_NEON_KERNELS 1
#include <arm_neon.h>
#endif

namespace {

using namespace ct;

constexpr int64_t MOST_ROWS = 8;       // of a block
constexpr int64_t GROUPS_EACH = 128;   // of activations that pay for a thread
constexpr size_t MOST_KEPT = 1 << 20;  // bytes of activations that are kept for the next call

// What one call of a kernel computes: y for `count` rows of activations and one tile.
struct Block {
    const QuantizedMatrix &w;
    const QuantizedRows &x;
    int64_t tile, row, count;  // the first row, and how many
    float *y;                  // of the first row and the tile
    int64_t stride;
};

const uint8_t *weights_of(const Block &b) { return b.w.weight + b.tile * b.w.groups * b.w.tile_bytes(); }
const uint16_t *scales_of(const Block &b) { return b.w.scale + b.tile * b.w.groups * TILE; }
const uint16_t *minimums_of(const Block &b)
{
    return b.w.minimum ? b.w.minimum + b.tile * b.w.groups * TILE : nullptr;
}

// Plain C++.

// The unsigned integers of a group, [32 columns][16 rows].
void unpack(const uint8_t *w, int bits, uint8_t *q)
{
    for (int64_t quad = 0; quad < (bits == 8 ? 8 : 4); quad++)
        for (int64_t n = 0; n < TILE; n++)
            for (int64_t k = 0; k < 4; k++) {
                uint8_t byte = w[(quad * TILE + n) * 4 + k];
                q[(quad * 4 + k) * TILE + n] = bits == 8 ? byte : byte & 15;
                if (bits == 4) q[(GROUP / 2 + quad * 4 + k) * TILE + n] = byte >> 4;
            }
}

void portable_block(const Block &b)
{
    const uint8_t *weight = weights_of(b);
    const uint16_t *scale = scales_of(b), *minimum = minimums_of(b);
    float total[MOST_ROWS][TILE] = {};
    for (int64_t g = 0; g < b.w.groups; g++) {
        uint8_t q[GROUP * TILE];
        unpack(weight + g * b.w.tile_bytes(), b.w.bits, q);
        for (int64_t r = 0; r < b.count; r++) {
            int64_t at = (b.row + r) * b.w.groups + g;
            const int8_t *x = &b.x.values[at * GROUP];
            int32_t dot[TILE];
            std::fill(dot, dot + TILE, b.x.starts[at]);
            for (int64_t k = 0; k < GROUP; k++)
                for (int64_t n = 0; n < TILE; n++) dot[n] += q[k * TILE + n] * x[k];
            for (int64_t n = 0; n < TILE; n++) {
                float by = from_half(scale[g * TILE + n]) * b.x.scales[at];
                total[r][n] += static_cast<float>(dot[n]) * by;
                if (minimum)
                    total[r][n] += from_half(minimum[g * TILE + n]) * b.x.scales[at] *
                                   static_cast<float>(b.x.sums[at]);
            }
        }
    }
    for (int64_t r = 0; r < b.count; r++) std::copy(total[r], total[r] + TILE, b.y + r * b.stride);
}

// A group with an infinity or a nan: its products are nan.
void mark_not_finite(int8_t *values, float *scale, int32_t *sum)
{
    std::fill(values, values + GROUP, int8_t{0});
    *scale = std::numeric_limits<float>::quiet_NaN();
    *sum = 0;
}

void portable_quantize(const float *x, int64_t groups, int8_t *values, float *scales,
                       int32_t *sums)
{
    for (int64_t g = 0; g < groups; g++, x += GROUP, values += GROUP) {
        float most = 0;
        bool finite = true;
        for (int64_t k = 0; k < GROUP; k++) {
            most = std::max(most, std::fabs(x[k]));
            finite &= std::isfinite(x[k]);
        }
        scales[g] = most / 127;
        sums[g] = 0;
        if (!finite) {
            mark_not_finite(values, scales + g, sums + g);
            continue;
        }
        float by = most > 0 ? 127 / most : 0;
        for (int64_t k = 0; k < GROUP; k++) {
            values[k] = static_cast<int8_t>(std::lrintf(x[k] * by));
            sums[g] += values[k];
        }
    }
}

#ifdef CT_X86_KERNELS

#define CT_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,f16c,fma")))
#define CT_AVX2 __attribute__((target("avx2,f16c,fma")))

CT_AVX512 inline __m512 halves512(const uint16_t *from)
{
    return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i *>(from)));
}

// Four activations in every lane.
CT_AVX512 inline __m512i quad512(const int8_t *x)
{
    int32_t four;
    std::memcpy(&four, x, sizeof four);
    return _mm512_set1_epi32(four);
}

// ROWS rows of activations at once: their sums stay in registers.
template <int BITS, int ROWS>
CT_AVX512 void avx512_block(const Block &b)
{
    constexpr int64_t bytes = BITS == 8 ? TILE_BYTES_8 : TILE_BYTES_4;
    constexpr int64_t ahead = 4096;  // bytes that are fetched before they are needed
    const uint8_t *w = weights_of(b);
    const uint16_t *scale = scales_of(b), *minimum = minimums_of(b);
    const int64_t groups = b.w.groups;
    const int8_t *x = &b.x.values[b.row * groups * GROUP];
    const float *scales = &b.x.scales[b.row * groups];
    const int32_t *starts = &b.x.starts[b.row * groups], *sums = &b.x.sums[b.row * groups];
    const __m512i low_half = _mm512_set1_epi8(15);
    __m512 total[ROWS];
#pragma GCC unroll 8
    for (int r = 0; r < ROWS; r++) total[r] = _mm512_setzero_ps();
    for (int64_t g = 0; g < groups; g++, w += bytes) {
        __m512i dot[ROWS];
#pragma GCC unroll 8
        for (int r = 0; r < ROWS; r++) dot[r] = _mm512_set1_epi32(starts[r * groups + g]);
        if constexpr (BITS == 8) {
#pragma GCC unroll 8
            for (int quad = 0; quad < 8; quad++) {
                __m512i q = _mm512_loadu_si512(w + quad * 64);
                _mm_prefetch(w + quad * 64 + ahead, _MM_HINT_T0);
#pragma GCC unroll 8
                for (int r = 0; r < ROWS; r++)
                    dot[r] = _mm512_dpbusd_epi32(dot[r], q,
                                                 quad512(x + (r * groups + g) * GROUP + quad * 4));
            }
        } else {
#pragma GCC unroll 4
            for (int quad = 0; quad < 4; quad++) {
                __m512i q = _mm512_loadu_si512(w + quad * 64);
                _mm_prefetch(w + quad * 64 + ahead, _MM_HINT_T0);
                __m512i low = _mm512_and_si512(q, low_half);
                __m512i high = _mm512_and_si512(_mm512_srli_epi16(q, 4), low_half);
#pragma GCC unroll 8
                for (int r = 0; r < ROWS; r++) {
                    const int8_t *xs = x + (r * groups + g) * GROUP + quad * 4;
                    dot[r] = _mm512_dpbusd_epi32(dot[r], low, quad512(xs));
                    dot[r] = _mm512_dpbusd_epi32(dot[r], high, quad512(xs + 16));
                }
            }
        }
        __m512 by = halves512(scale + g * TILE);
#pragma GCC unroll 8
        for (int r = 0; r < ROWS; r++)
            total[r] = _mm512_fmadd_ps(
                _mm512_cvtepi32_ps(dot[r]),
                _mm512_mul_ps(by, _mm512_set1_ps(scales[r * groups + g])), total[r]);
        if (minimum) {
            __m512 least = halves512(minimum + g * TILE);
#pragma GCC unroll 8
            for (int r = 0; r < ROWS; r++) {
                float sum = scales[r * groups + g] * static_cast<float>(sums[r * groups + g]);
                total[r] = _mm512_fmadd_ps(least, _mm512_set1_ps(sum), total[r]);
            }
        }
    }
#pragma GCC unroll 8
    for (int r = 0; r < ROWS; r++) _mm512_storeu_ps(b.y + r * b.stride, total[r]);
}

CT_AVX512 void avx512_quantize(const float *x, int64_t groups, int8_t *values, float *scales,
                               int32_t *sums)
{
    constexpr int INFINITE_OR_NAN = 0x99;  // of _mm512_fpclass_ps_mask
    for (int64_t g = 0; g < groups; g++, x += GROUP, values += GROUP) {
        __m512 a = _mm512_loadu_ps(x), b = _mm512_loadu_ps(x + 16);
        float most = _mm512_reduce_max_ps(_mm512_max_ps(_mm512_abs_ps(a), _mm512_abs_ps(b)));
        if (_mm512_fpclass_ps_mask(a, INFINITE_OR_NAN) | _mm512_fpclass_ps_mask(b, INFINITE_OR_NAN)) {
            mark_not_finite(values, scales + g, sums + g);
            continue;
        }
        __m512 by = _mm512_set1_ps(most > 0 ? 127 / most : 0);
        __m512i p = _mm512_cvtps_epi32(_mm512_mul_ps(a, by));
        __m512i q = _mm512_cvtps_epi32(_mm512_mul_ps(b, by));
        _mm_storeu_si128(reinterpret_cast<__m128i *>(values), _mm512_cvtsepi32_epi8(p));
        _mm_storeu_si128(reinterpret_cast<__m128i *>(values + 16), _mm512_cvtsepi32_epi8(q));
        scales[g] = most / 127;
        sums[g] = _mm512_reduce_add_epi32(_mm512_add_epi32(p, q));
    }
}

CT_AVX2 inline __m256 halves256(const uint16_t *from)
{
    return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i *>(from)));
}

// Sums of four products of bytes, u8 times s8.  Of 4 bits the pairs fit 16 bits; of 8 bits they do
// not, so signs are moved to the activations first.
// What four columns of eight rows of a weight are multiplied by.  Of 8 bits the pairs of products do
// not fit 16 bits, so signs are moved to the activations, which need the signs then.
struct Quad256 {
    __m256i size, sign;
};

template <int BITS>
CT_AVX2 inline __m256i add_dots256(__m256i dot, Quad256 q, const int8_t *x)
{
    int32_t four;
    std::memcpy(&four, x, sizeof four);
    __m256i xs = _mm256_set1_epi32(four);
    if constexpr (BITS == 8) xs = _mm256_sign_epi8(xs, q.sign);
    __m256i pairs = _mm256_maddubs_epi16(q.size, xs);
    return _mm256_add_epi32(dot, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
}

// ROWS rows of activations at once, and a half of the tile after the other: their sums stay in
// registers.
template <int BITS, int ROWS>
CT_AVX2 void avx2_half(const Block &b, int half)
{
    constexpr int64_t bytes = BITS == 8 ? TILE_BYTES_8 : TILE_BYTES_4;
    const __m256i low_half = _mm256_set1_epi8(15), top_bit = _mm256_set1_epi8(-128);
    const uint8_t *w = weights_of(b) + half * 32;
    const uint16_t *scale = scales_of(b) + half * 8;
    const uint16_t *minimum = minimums_of(b) ? minimums_of(b) + half * 8 : nullptr;
    __m256 total[ROWS];
#pragma GCC unroll 8
    for (int r = 0; r < ROWS; r++) total[r] = _mm256_setzero_ps();
    for (int64_t g = 0; g < b.w.groups; g++, w += bytes) {
        auto at = [&](int r) { return (b.row + r) * b.w.groups + g; };
        __m256i dot[ROWS];
        // The bytes of 8 bits become signed here, so nothing was added too much.
#pragma GCC unroll 8
        for (int r = 0; r < ROWS; r++) dot[r] = _mm256_set1_epi32(BITS == 8 ? 0 : b.x.starts[at(r)]);
        for (int quad = 0; quad < (BITS == 8 ? 8 : 4); quad++) {
            __m256i q = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(w + quad * 64));
            if constexpr (BITS == 8) {
                q = _mm256_xor_si256(q, top_bit);
                Quad256 all{_mm256_abs_epi8(q), q};
#pragma GCC unroll 8
                for (int r = 0; r < ROWS; r++)
                    dot[r] = add_dots256<8>(dot[r], all, &b.x.values[at(r) * GROUP + quad * 4]);
            } else {
                Quad256 low{_mm256_and_si256(q, low_half), {}};
                Quad256 high{_mm256_and_si256(_mm256_srli_epi16(q, 4), low_half), {}};
#pragma GCC unroll 8
                for (int r = 0; r < ROWS; r++) {
                    const int8_t *x = &b.x.values[at(r) * GROUP + quad * 4];
                    dot[r] = add_dots256<4>(dot[r], low, x);
                    dot[r] = add_dots256<4>(dot[r], high, x + GROUP / 2);
                }
            }
        }
#pragma GCC unroll 8
        for (int r = 0; r < ROWS; r++) {
            float by = b.x.scales[at(r)];
            total[r] = _mm256_fmadd_ps(_mm256_cvtepi32_ps(dot[r]),
                                       _mm256_mul_ps(halves256(scale + g * TILE), _mm256_set1_ps(by)),
                                       total[r]);
            if (minimum)
                total[r] = _mm256_fmadd_ps(
                    halves256(minimum + g * TILE),
                    _mm256_set1_ps(by * static_cast<float>(b.x.sums[at(r)])), total[r]);
        }
    }
#pragma GCC unroll 8
    for (int r = 0; r < ROWS; r++) _mm256_storeu_ps(b.y + r * b.stride + half * 8, total[r]);
}

template <int BITS, int ROWS>
CT_AVX2 void avx2_block(const Block &b)
{
    for (int half = 0; half < 2; half++) avx2_half<BITS, ROWS>(b, half);
}

#endif

#ifdef CT_NEON_KERNELS

#define CT_NEON __attribute__((target("arch=armv8.2-a+dotprod")))

CT_NEON inline float32x4_t halves128(const uint16_t *from)
{
    return vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(from)));
}

// ROWS rows of activations at once, and a half of the tile, two vectors of four rows, after the
// other: their sums stay in registers.
template <int BITS, int ROWS>
CT_NEON void neon_half(const Block &b, int half)
{
    constexpr int64_t bytes = BITS == 8 ? TILE_BYTES_8 : TILE_BYTES_4;
    const uint8x16_t low_half = vdupq_n_u8(15), top_bit = vdupq_n_u8(128);
    const uint8_t *w = weights_of(b) + half * 32;
    const uint16_t *scale = scales_of(b) + half * 8;
    const uint16_t *minimum = minimums_of(b) ? minimums_of(b) + half * 8 : nullptr;
    float32x4_t total[ROWS][2];
#pragma GCC unroll 8
    for (int r = 0; r < ROWS; r++) total[r][0] = total[r][1] = vdupq_n_f32(0);
    for (int64_t g = 0; g < b.w.groups; g++, w += bytes) {
        auto at = [&](int r) { return (b.row + r) * b.w.groups + g; };
        // Four activations in every lane.
        auto four_of = [&](int r, int64_t k) {
            int32_t four;
            std::memcpy(&four, &b.x.values[at(r) * GROUP + k], sizeof four);
            return vreinterpretq_s8_s32(vdupq_n_s32(four));
        };
        int32x4_t dot[ROWS][2];
        // The bytes of 8 bits become signed here, so nothing was added too much.
#pragma GCC unroll 8
        for (int r = 0; r < ROWS; r++)
            dot[r][0] = dot[r][1] = vdupq_n_s32(BITS == 8 ? 0 : b.x.starts[at(r)]);
        for (int64_t quad = 0; quad < (BITS == 8 ? 8 : 4); quad++)
#pragma GCC unroll 2
            for (int v = 0; v < 2; v++) {
                uint8x16_t q = vld1q_u8(w + quad * 64 + v * 16);
                if constexpr (BITS == 8) {
                    int8x16_t all = vreinterpretq_s8_u8(veorq_u8(q, top_bit));
#pragma GCC unroll 8
                    for (int r = 0; r < ROWS; r++)
                        dot[r][v] = vdotq_s32(dot[r][v], all, four_of(r, quad * 4));
                } else {
                    int8x16_t low = vreinterpretq_s8_u8(vandq_u8(q, low_half));
                    int8x16_t high = vreinterpretq_s8_u8(vshrq_n_u8(q, 4));
#pragma GCC unroll 8
                    for (int r = 0; r < ROWS; r++) {
                        dot[r][v] = vdotq_s32(dot[r][v], low, four_of(r, quad * 4));
                        dot[r][v] = vdotq_s32(dot[r][v], high, four_of(r, quad * 4 + GROUP / 2));
                    }
                }
            }
#pragma GCC unroll 2
        for (int v = 0; v < 2; v++) {
            float32x4_t by = halves128(scale + g * TILE + v * 4);
#pragma GCC unroll 8
            for (int r = 0; r < ROWS; r++) {
                float of_x = b.x.scales[at(r)];
                total[r][v] =
                    vfmaq_f32(total[r][v], vcvtq_f32_s32(dot[r][v]), vmulq_n_f32(by, of_x));
                if (minimum)
                    total[r][v] =
                        vfmaq_n_f32(total[r][v], halves128(minimum + g * TILE + v * 4),
                                    of_x * static_cast<float>(b.x.sums[at(r)]));
            }
        }
    }
#pragma GCC unroll 8
    for (int r = 0; r < ROWS; r++)
        for (int v = 0; v < 2; v++) vst1q_f32(b.y + r * b.stride + half * 8 + v * 4, total[r][v]);
}

template <int BITS, int ROWS>
CT_NEON void neon_block(const Block &b)
{
    for (int half = 0; half < 2; half++) neon_half<BITS, ROWS>(b, half);
}

void neon_quantize(const float *x, int64_t groups, int8_t *values, float *scales, int32_t *sums)
{
    constexpr int VECTORS = GROUP / 4;
    for (int64_t g = 0; g < groups; g++, x += GROUP, values += GROUP) {
        float32x4_t most_of = vdupq_n_f32(0);  // vmaxq_f32 keeps a nan
        for (int i = 0; i < VECTORS; i++) most_of = vmaxq_f32(most_of, vabsq_f32(vld1q_f32(x + i * 4)));
        float most = vmaxvq_f32(most_of);
        if (!std::isfinite(most)) {
            mark_not_finite(values, scales + g, sums + g);
            continue;
        }
        float by = most > 0 ? 127 / most : 0;
        int32x4_t sum = vdupq_n_s32(0);
        for (int i = 0; i < VECTORS; i += 2) {
            int32x4_t a = vcvtnq_s32_f32(vmulq_n_f32(vld1q_f32(x + i * 4), by));
            int32x4_t b = vcvtnq_s32_f32(vmulq_n_f32(vld1q_f32(x + i * 4 + 4), by));
            vst1_s8(values + i * 4, vqmovn_s16(vcombine_s16(vqmovn_s32(a), vqmovn_s32(b))));
            sum = vaddq_s32(sum, vaddq_s32(a, b));
        }
        scales[g] = most / 127;
        sums[g] = vaddvq_s32(sum);
    }
}

#endif

// The choice.

using BlockKernel = void (*)(const Block &);

struct Kernel {
    const char *name;
    BlockKernel of_8_bits[4], of_4_bits[4];  // for 1, 2, 4 and 8 rows
    // Whole groups of a row: values, scales and sums of each.
    void (*quantize)(const float *, int64_t, int8_t *, float *, int32_t *);
};

#define CT_SAME(kernel) {kernel, kernel, kernel, kernel}
#define CT_EACH(kernel, bits) {kernel<bits, 1>, kernel<bits, 2>, kernel<bits, 4>, kernel<bits, 8>}
constexpr Kernel PORTABLE = {"portable", CT_SAME(portable_block), CT_SAME(portable_block),
                             portable_quantize};
#ifdef CT_X86_KERNELS
constexpr Kernel AVX2 = {"avx2", CT_EACH(avx2_block, 8), CT_EACH(avx2_block, 4),
                         portable_quantize};
constexpr Kernel AVX512 = {"avx512", CT_EACH(avx512_block, 8), CT_EACH(avx512_block, 4),
                           avx512_quantize};
#elif defined(CT_NEON_KERNELS)
constexpr Kernel NEON = {"neon", CT_EACH(neon_block, 8), CT_EACH(neon_block, 4), neon_quantize};
#endif

const Kernel &kernel()
{
    static const Kernel &found = []() -> const Kernel & {
#ifdef CT_X86_KERNELS
        if (processor() >= Processor::Avx512 && __builtin_cpu_supports("avx512vnni")) return AVX512;
        if (processor() >= Processor::Avx2) return AVX2;
#elif defined(CT_NEON_KERNELS)
        if (processor() >= Processor::Neon) return NEON;
#endif
        return PORTABLE;
    }();
    return found;
}

}  // namespace

namespace ct {

float from_half(uint16_t bits) { return static_cast<float>(c10::Half(bits, c10::Half::from_bits())); }
uint16_t to_half(float x) { return c10::Half(x).x; }

const char *kernel_name() { return kernel().name; }

void quantize_rows(QuantizedRows &rows, const float *x, int64_t count, int64_t columns,
                   int64_t groups, int offset)
{
    size_t all = static_cast<size_t>(count * groups);
    if (rows.values.size() > all * GROUP + MOST_KEPT) rows = {};
    rows.count = count;
    rows.groups = groups;
    if (rows.values.size() < all * GROUP) {
        rows.values.assign(all * GROUP, 0);
        for (auto *numbers : {&rows.sums, &rows.starts}) numbers->assign(all, 0);
        rows.scales.assign(all, 0);
    }
    int64_t whole = columns / GROUP, rest = columns % GROUP;
    auto quantize = kernel().quantize;
    int64_t least = GROUPS_EACH / std::max<int64_t>(groups, 1) + 1;
    parallel_ranges(count, least, [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; r++) {
            int64_t at = r * groups;
            int8_t *values = rows.values.data() + at * GROUP;
            float *scales = rows.scales.data() + at;
            int32_t *sums = rows.sums.data() + at, *starts = rows.starts.data() + at;
            const float *from = x + r * columns;
            quantize(from, whole, values, scales, sums);
            if (rest) {
                float last[GROUP] = {};
                std::copy(from + whole * GROUP, from + columns, last);
                quantize(last, 1, values + whole * GROUP, scales + whole, sums + whole);
            }
            for (int64_t g = 0; g < groups; g++) starts[g] = -offset * sums[g];
        }
    });
}

void multiply_tiles(const QuantizedMatrix &w, const QuantizedRows &x, int64_t begin, int64_t end,
                    float *y, int64_t stride)
{
    auto &blocks = w.bits == 8 ? kernel().of_8_bits : kernel().of_4_bits;
    for (int64_t tile = begin; tile < end; tile++)
        for (int64_t row = 0, count; row < x.count; row += count) {
            int which = std::min(63 - __builtin_clzll(static_cast<uint64_t>(x.count - row)), 3);
            count = int64_t{1} << which;
            blocks[which]({w, x, tile, row, count, y + row * stride + tile * TILE, stride});
        }
}

}  // namespace ct
