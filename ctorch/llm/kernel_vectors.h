// kernel_vectors.h - vectors of 16 floats, a part of kernels.cpp: loading, storing, sums.
//
//     put(y, take(x, 3) * 2.0f, 3)   the doubles of three elements of any type
//
// They are GCC's and Clang's own vectors; the processor's instructions are called where these have
// no word for them.  On processors with shorter registers the compiler splits them.
#pragma once

#include "llm/kernels.h"

#if defined(__F16C__)
#include <immintrin.h>
#endif

namespace {

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

}  // namespace
