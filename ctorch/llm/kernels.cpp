// kernels.cpp - the loops of language models' operators, for the processor of the compiler's flags.
//
//     CT_KERNELS=AVX512_KERNELS, -mavx512f ...  =>  const Kernels AVX512_KERNELS = {rms_norm, ...}
//
// Loops work on vectors of 16 floats, GCC's and Clang's own; on processors with shorter registers
// the compiler splits them.  All sums are in float32.  compiling.py compiles this file once for
// each kind of processor.

#include "llm/kernels.h"

#if defined(__F16C__)
#include <immintrin.h>
#endif

namespace {

using ct::Element;

constexpr int64_t WIDE = 16;  // floats in a vector
typedef float Floats __attribute__((vector_size(64)));
typedef int32_t Ints __attribute__((vector_size(64)));
typedef uint32_t Bits __attribute__((vector_size(64)));
typedef uint16_t Shorts __attribute__((vector_size(32)));
typedef float HalfOfFloats __attribute__((vector_size(32)));

struct BFloat16 { uint16_t bits; };
struct Half { uint16_t bits; };

// Loading and storing.

template <class To, class From>
inline To as(const From &from)
{
    static_assert(sizeof(To) == sizeof(From));
    To to;
    __builtin_memcpy(&to, &from, sizeof to);
    return to;
}

template <class Vector>
inline Vector read(const void *p)
{
    Vector v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
}

inline Floats all(float x) { return Floats{} + x; }
inline Floats choose(Ints mask, Floats yes, Floats no)
{
    return as<Floats>((mask & as<Ints>(yes)) | (~mask & as<Ints>(no)));
}

// Whether any lane of a comparison is true.
inline bool is_any(Ints mask)
{
#if defined(__AVX512F__)
    return _mm512_test_epi32_mask(as<__m512i>(mask), as<__m512i>(mask));
#else
    typedef int64_t Longs __attribute__((vector_size(64)));
    Longs x = as<Longs>(mask);
    return ((x[0] | x[1]) | (x[2] | x[3]) | (x[4] | x[5]) | (x[6] | x[7])) != 0;
#endif
}

// sum + weight where key is at least limit.
inline Floats add_from(Floats sum, Floats key, float limit, Floats weight)
{
#if defined(__AVX512F__)
    __mmask16 is_from = _mm512_cmp_ps_mask(as<__m512>(key), _mm512_set1_ps(limit), _CMP_GE_OQ);
    return as<Floats>(_mm512_mask_add_ps(as<__m512>(sum), is_from, as<__m512>(sum),
                                         as<__m512>(weight)));
#else
    return sum + as<Floats>((key >= limit) & as<Ints>(weight));
#endif
}

inline Floats load(const float *p) { return read<Floats>(p); }
inline Floats load(const BFloat16 *p)
{
    return as<Floats>(__builtin_convertvector(read<Shorts>(p), Bits) << 16);
}
inline Floats load(const Half *p)
{
#if defined(__AVX512F__)
    return as<Floats>(_mm512_cvtph_ps(read<__m256i>(p)));
#else
    Bits h = __builtin_convertvector(read<Shorts>(p), Bits);
    Bits size = (h & 0x7fff) << 13, sign = (h & 0x8000) << 16;
    Bits special = as<Bits>((h & 0x7c00) == 0x7c00) & 0x7f800000;
    return as<Floats>(as<Bits>(as<Floats>(size) * 0x1p112f) | special | sign);
#endif
}

inline void store(float *p, Floats x) { __builtin_memcpy(p, &x, sizeof x); }
inline void store(BFloat16 *p, Floats x)
{
    Bits bits = as<Bits>(x), even = (bits >> 16) & 1;
    Bits rounded = (bits + 0x7fff + even) >> 16, nan = as<Bits>(x != x);
    Shorts found = __builtin_convertvector((nan & 0x7fc0) | (~nan & rounded), Shorts);
    __builtin_memcpy(p, &found, sizeof found);
}

// To the nearest half, to even where two are as near.
inline uint16_t half_of(float x)
{
    uint32_t bits = as<uint32_t>(x), sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff;
    if (size > 0x7f800000) return static_cast<uint16_t>(sign | 0x7e00);
    if (size >= 0x477ff000) return static_cast<uint16_t>(sign | 0x7c00);
    if (size < 0x38800000)  // the sum has a half's smallest step as its own
        return static_cast<uint16_t>(sign | (as<uint32_t>(as<float>(size) + 0.5f) - 0x3f000000));
    return static_cast<uint16_t>(sign | ((size - 0x38000000 + 0xfff + (size >> 13 & 1)) >> 13));
}

inline void store(Half *p, Floats x)
{
#if defined(__AVX512F__)
    __m256i found = _mm512_cvtps_ph(as<__m512>(x), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    __builtin_memcpy(p, &found, sizeof found);
#else
    for (int64_t k = 0; k < WIDE; k++) p[k].bits = half_of(x[k]);
#endif
}

// The last elements of a row, fewer than a vector; the others are 0.
template <class T>
inline Floats load_some(const T *p, int64_t count)
{
    T room[WIDE] = {};
    __builtin_memcpy(room, p, static_cast<uint64_t>(count) * sizeof(T));
    return load(room);
}

#if defined(__AVX512F__)
// By masks, which read and write nothing else.
inline __mmask16 first_of(int64_t count) { return static_cast<__mmask16>((1u << count) - 1); }

template <>
inline Floats load_some(const float *p, int64_t count)
{
    return as<Floats>(_mm512_maskz_loadu_ps(first_of(count), p));
}
template <>
inline Floats load_some(const BFloat16 *p, int64_t count)
{
    Shorts bits = as<Shorts>(_mm256_maskz_loadu_epi16(first_of(count), p));
    return as<Floats>(__builtin_convertvector(bits, Bits) << 16);
}
template <>
inline Floats load_some(const Half *p, int64_t count)
{
    return as<Floats>(_mm512_cvtph_ps(_mm256_maskz_loadu_epi16(first_of(count), p)));
}
#endif

template <class T>
inline void store_some(T *p, Floats x, int64_t count)
{
    T room[WIDE];
    store(room, x);
#if defined(__AVX512F__)
    if constexpr (sizeof(T) == sizeof(float))
        _mm512_mask_storeu_ps(p, first_of(count), as<__m512>(x));
    else
        _mm256_mask_storeu_epi16(p, first_of(count), read<__m256i>(room));
#else
    __builtin_memcpy(p, room, static_cast<uint64_t>(count) * sizeof(T));
#endif
}

inline float load_one(const float *p) { return *p; }
template <class T>
inline float load_one(const T *p) { return load_some(p, 1)[0]; }
inline void store_one(float *p, float x) { *p = x; }
template <class T>
inline void store_one(T *p, float x) { store_some(p, all(x), 1); }

// Calls body(at, count) for each vector of a row; count is less than WIDE for the last only.
template <class Body>
inline __attribute__((always_inline)) void each_vector(int64_t count, const Body &body)
{
    int64_t at = 0;
    for (; at + WIDE <= count; at += WIDE) body(at, WIDE);
    if (at < count) body(at, count - at);
}

template <class T>
inline __attribute__((always_inline)) Floats take(const T *p, int64_t count)
{
    return count == WIDE ? load(p) : load_some(p, count);
}

template <class T>
inline __attribute__((always_inline)) void put(T *p, Floats x, int64_t count)
{
    if (count == WIDE) store(p, x);
    else store_some(p, x, count);
}

// As rounded to T and back.
template <class T>
inline Floats rounded(Floats x)
{
    T room[WIDE];
    store(room, x);
    return load(room);
}
template <>
inline Floats rounded<float>(Floats x) { return x; }

inline float sum_of(Floats x)
{
#if defined(__AVX512F__)
    // Without taking the address of x: the compiler would keep the sum of a loop in memory.
    __m512 y = as<__m512>(x);
    auto a = as<HalfOfFloats>(_mm512_castps512_ps256(y)) +
             as<HalfOfFloats>(_mm512_extractf32x8_ps(y, 1));
#else
    HalfOfFloats a = read<HalfOfFloats>(&x);
    HalfOfFloats b = read<HalfOfFloats>(reinterpret_cast<const char *>(&x) + sizeof a);
    a += b;
#endif
    return ((a[0] + a[4]) + (a[1] + a[5])) + ((a[2] + a[6]) + (a[3] + a[7]));
}

// The sums of several vectors, with the same parts as sum_of.
template <int64_t COUNT>
inline void sums_of(const Floats *x, float *sums)
{
    int64_t k = 0;
#if defined(__AVX512F__)
    // Four at once: their quarters are added by shuffling two vectors into one.
#pragma GCC unroll 16
    for (; k + 4 <= COUNT; k += 4) {
        auto v = [&](int64_t j) { return as<__m512>(x[k + j]); };
        __m512 a = _mm512_shuffle_f32x4(v(0), v(1), 0x44) + _mm512_shuffle_f32x4(v(0), v(1), 0xee);
        __m512 b = _mm512_shuffle_f32x4(v(2), v(3), 0x44) + _mm512_shuffle_f32x4(v(2), v(3), 0xee);
        __m512 c = _mm512_shuffle_f32x4(a, b, 0x88) + _mm512_shuffle_f32x4(a, b, 0xdd);
        c += _mm512_permute_ps(c, 0xb1);
        c += _mm512_permute_ps(c, 0x4e);
        __m512 four = _mm512_maskz_compress_ps(0x1111, c);
        __builtin_memcpy(sums + k, &four, 4 * sizeof(float));
    }
#endif
#pragma GCC unroll 16
    for (; k < COUNT; k++) sums[k] = sum_of(x[k]);
}

inline float largest_of(Floats x)
{
    float most = x[0];
    for (int64_t k = 1; k < WIDE; k++) most = x[k] > most ? x[k] : most;
    return most;
}

// e to the power x, within 2 units in the last place; nan for nan.
inline Floats exponential(Floats x)
{
    x = choose(x > 88.5f, all(88.5f), x);
    Ints vanishes = x < -87.3f;
    x = choose(vanishes, all(-87.3f), x);
    constexpr float SHIFT = 0x1.8p23f;  // adding it rounds to an integer
    Floats shifted = x * 1.44269504f + SHIFT, whole = shifted - SHIFT;
    Floats r = (x - whole * 0.693359375f) + whole * 2.12194440e-4f;
    Floats p = r * 1.9875691500e-4f + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * r * r + r + 1.0f;
    Floats power = as<Floats>((as<Ints>(shifted) << 23) + as<Ints>(all(1.0f)));
    return choose(vanishes, Floats{}, p * power);
}

// The operators.

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

#if defined(__AVX512BF16__)

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
        multiply(panel, vectors + c * columns, more, result + c * y_stride, y_stride, rows, columns);
    };
    int64_t c = 0;
    for (; c + 8 <= count; c += 8) each(panel_products<8>, c);
    if (count - c >= 4) {
        each(panel_products<4>, c);
        c += 4;
    }
    for (; c < count; c++) each(panel_products<1>, c);
}

#endif

template <class T>
int64_t index_of_largest(const T *x, int64_t count)
{
    float most = load_one(x);
    Floats best = all(most);
    Ints has_nan{};
    each_vector(count, [&](int64_t at, int64_t n) {
        Floats v = take(x + at, n);
        for (int64_t k = n; k < WIDE; k++) v[k] = most;
        has_nan |= v != v;
        best = choose(v > best, v, best);
    });
    bool is_nan = false;
    for (int64_t k = 0; k < WIDE; k++) is_nan |= has_nan[k] != 0;
    most = largest_of(best);
    for (int64_t at = 0; at < count; at += WIDE) {
        int64_t n = count - at < WIDE ? count - at : WIDE;
        Floats v = take(x + at, n);
        Ints found = is_nan ? v != v : v == all(most);
        if (!is_any(found)) continue;
        for (int64_t k = 0; k < n; k++)
            if (found[k]) return at + k;
    }
    return 0;
}

void exponentials(const float *x, float *y, double *block_sums, int64_t count, float top,
                  float factor, float least)
{
    for (int64_t block = 0; block * ct::SUMMED < count; block++) {
        int64_t begin = block * ct::SUMMED;
        int64_t size = count - begin < ct::SUMMED ? count - begin : ct::SUMMED;
        Floats sum{};
        each_vector(size, [&](int64_t at, int64_t n) {
            Floats v = take(x + begin + at, n);
            Floats e = choose(v < least, Floats{}, exponential((v - top) * factor));
            if (n < WIDE)
                for (int64_t k = n; k < WIDE; k++) e[k] = 0.0f;
            sum += e;
            put(y + begin + at, e, n);
        });
        block_sums[block] = static_cast<double>(sum_of(sum));
    }
}

int64_t above(const float *x, int64_t begin, int64_t count, float limit, int64_t *indices,
              int64_t room)
{
    int64_t found = 0, at = begin;
    for (; at + WIDE <= count && found + WIDE <= room; at += WIDE) {
        Ints is_above = load(x + at) > limit;
        if (!is_any(is_above)) continue;
        for (int64_t k = 0; k < WIDE; k++)
            if (is_above[k]) indices[found++] = at + k;
    }
    for (; at < count && found < room; at++)
        if (x[at] > limit) indices[found++] = at;
    indices[found] = at;  // where to go on
    return found;
}

void sums_from(const float *keys, const float *weights, int64_t count, const float *limits,
               double *sums)
{
    static_assert(ct::LIMITS == 4);
    constexpr int64_t BLOCK = 1024;  // whose sums are in float32
    for (int64_t j = 0; j < ct::LIMITS; j++) sums[j] = 0.0;
    for (int64_t begin = 0; begin < count; begin += BLOCK) {
        int64_t size = count - begin < BLOCK ? count - begin : BLOCK;
        Floats a{}, b{}, c{}, d{};
        each_vector(size, [&](int64_t at, int64_t n) {
            Floats key = take(keys + begin + at, n), weight = take(weights + begin + at, n);
            a = add_from(a, key, limits[0], weight);
            b = add_from(b, key, limits[1], weight);
            c = add_from(c, key, limits[2], weight);
            d = add_from(d, key, limits[3], weight);
        });
        sums[0] += static_cast<double>(sum_of(a));
        sums[1] += static_cast<double>(sum_of(b));
        sums[2] += static_cast<double>(sum_of(c));
        sums[3] += static_cast<double>(sum_of(d));
    }
}

double cut(const float *keys, float *weights, int64_t count, float low, float high,
           int64_t *between, int64_t *found)
{
    double total = 0.0;
    *found = 0;
    for (int64_t begin = 0; begin < count; begin += ct::SUMMED) {
        int64_t size = count - begin < ct::SUMMED ? count - begin : ct::SUMMED;
        Floats sum{};
        each_vector(size, [&](int64_t at, int64_t n) {
            Floats key = take(keys + begin + at, n);
            Floats kept = choose(key >= low, take(weights + begin + at, n), Floats{});
            Ints is_high = key >= high, is_between = (key >= low) & ~is_high;
            sum += choose(is_high, kept, Floats{});
            put(weights + begin + at, kept, n);
            if (!is_any(is_between)) return;
            for (int64_t k = 0; k < n; k++)
                if (is_between[k]) between[(*found)++] = begin + at + k;
        });
        total += static_cast<double>(sum_of(sum));
    }
    return total;
}

void distances(const float *x, float *y, int64_t count, float factor, float shift)
{
    each_vector(count, [&](int64_t at, int64_t n) {
        Floats far = take(x + at, n) * factor + shift;
        put(y + at, choose(far < 0.0f, far, -far), n);
    });
}

double weighted_sum(const float *x, const float *weights, int64_t count, float top)
{
    double total = 0.0;
    for (int64_t begin = 0; begin < count; begin += ct::SUMMED) {
        int64_t size = count - begin < ct::SUMMED ? count - begin : ct::SUMMED;
        Floats sum{};
        each_vector(size, [&](int64_t at, int64_t n) {
            Floats w = take(weights + begin + at, n), product = w * (take(x + begin + at, n) - top);
            sum += choose(w > 0.0f, product, Floats{});
        });
        total += static_cast<double>(sum_of(sum));
    }
    return total;
}

// Attention.

// The products of a query and KEYS keys.  A sum has the same parts whatever KEYS is.
template <int64_t KEYS, class T>
inline __attribute__((always_inline)) void dots(const float *q, const T *const *keys, int64_t width,
                                                float *scores)
{
    Floats one[KEYS] = {}, two[KEYS] = {};
    int64_t at = 0;
    for (; at + 2 * WIDE <= width; at += 2 * WIDE) {
        Floats a = load(q + at), b = load(q + at + WIDE);
#pragma GCC unroll 4
        for (int64_t k = 0; k < KEYS; k++) {
            one[k] += a * load(keys[k] + at);
            two[k] += b * load(keys[k] + at + WIDE);
        }
    }
    each_vector(width - at, [&](int64_t more, int64_t n) {
        Floats a = take(q + at + more, n);
#pragma GCC unroll 4
        for (int64_t k = 0; k < KEYS; k++) one[k] += a * take(keys[k] + at + more, n);
    });
#pragma GCC unroll 4
    for (int64_t k = 0; k < KEYS; k++) one[k] += two[k];
    sums_of<KEYS>(one, scores);
}

template <class T>
inline const T *position(const void *const *blocks, int64_t s, int64_t block, int64_t stride)
{
    if (s < block) return static_cast<const T *>(blocks[0]) + s * stride;
    return static_cast<const T *>(blocks[s / block]) + s % block * stride;
}

// Scores become weights whose sum is 1.
void soften(float *scores, int64_t count, float softcap)
{
    if (softcap != 0.0f)
        each_vector(count, [&](int64_t at, int64_t n) {
            Floats u = take(scores + at, n) * (2.0f / softcap);
            put(scores + at, softcap - 2.0f * softcap / (1.0f + exponential(u)), n);
        });
    float top = scores[0];
    Floats most = all(top);
    int64_t at = 0;
    for (; at + WIDE <= count; at += WIDE) {
        Floats v = load(scores + at);
        most = choose(v > most, v, most);
    }
    top = largest_of(most);
    for (; at < count; at++) top = scores[at] > top ? scores[at] : top;
    Floats sum{};
    each_vector(count, [&](int64_t k, int64_t n) {
        Floats e = exponential(take(scores + k, n) - top);
        for (int64_t j = n; j < WIDE; j++) e[j] = 0.0f;
        sum += e;
        put(scores + k, e, n);
    });
    float factor = 1.0f / sum_of(sum);
    each_vector(count, [&](int64_t k, int64_t n) {
        put(scores + k, take(scores + k, n) * factor, n);
    });
}

// The weighted sums of VECTORS vectors of the values from element `at` on, in registers; size: of
// the last of them.
template <class T, int64_t VECTORS>
inline __attribute__((always_inline)) void sum_values(const ct::AttentionTask &task,
                                                      const float *weights, int64_t group,
                                                      int64_t at, int64_t size)
{
    Floats sum[VECTORS] = {};
    for (int64_t s = task.first; s < task.length; s++) {
        const T *value = position<T>(task.values, s, task.block, task.value_stride) + at;
        float weight = weights[s - task.first];
        for (int64_t k = 0; k < VECTORS; k++) sum[k] += take(value + k * WIDE, size) * weight;
    }
    for (int64_t k = 0; k < VECTORS; k++)
        put(task.sums + group * task.width + at + k * WIDE, sum[k], size);
}

template <class T>
void attend_group(const ct::AttentionTask &task)
{
    int64_t count = task.length - task.first, width = task.width;
    const T *query = static_cast<const T *>(task.query);
    float *q = task.sums;  // holds the queries first, then the sums
    for (int64_t k = 0; k < task.group * width; k++) q[k] = load_one(query + k) * task.scale;
    constexpr int64_t KEYS = 4;
    const T *keys[KEYS];
    auto key_at = [&](int64_t s) {
        return position<T>(task.keys, task.first + s, task.block, task.key_stride);
    };
    int64_t s = 0;
    for (; s + KEYS <= count; s += KEYS) {
        for (int64_t k = 0; k < KEYS; k++) keys[k] = key_at(s + k);
        for (int64_t g = 0; g < task.group; g++)
            dots<KEYS>(q + g * width, keys, width, task.scores + g * count + s);
    }
    for (; s < count; s++) {
        keys[0] = key_at(s);
        for (int64_t g = 0; g < task.group; g++)
            dots<1>(q + g * width, keys, width, task.scores + g * count + s);
    }
    for (int64_t g = 0; g < task.group; g++) soften(task.scores + g * count, count, task.softcap);
    for (int64_t g = 0; g < task.group; g++) {
        const float *weights = task.scores + g * count;
        int64_t at = 0;
        for (; at + 4 * WIDE <= width; at += 4 * WIDE) sum_values<T, 4>(task, weights, g, at, WIDE);
        if (at + 3 * WIDE <= width) {
            sum_values<T, 3>(task, weights, g, at, WIDE);
            at += 3 * WIDE;
        }
        if (at + 2 * WIDE <= width) {
            sum_values<T, 2>(task, weights, g, at, WIDE);
            at += 2 * WIDE;
        }
        if (at + WIDE <= width) {
            sum_values<T, 1>(task, weights, g, at, WIDE);
            at += WIDE;
        }
        if (at < width) sum_values<T, 1>(task, weights, g, at, width - at);
    }
    T *result = static_cast<T *>(task.result);
    each_vector(task.group * width,
                [&](int64_t at, int64_t n) { put(result + at, take(task.sums + at, n), n); });
}

}  // namespace

#include "llm/kernel_prompts.h"

namespace {

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
