// block_kernels.cpp - products of weights in K's blocks and quantized activations.
//
//     y[n] = sum over groups of 16 of  scale * xscale * sum(q * x)  -  minimum * xscale * sum(x)
//
// A block is unpacked to integers without signs, 16 scales and 16 minima, which all of K's types have
// in this form: where integers are around a middle, that times the scale is the minimum.  It is
// unpacked once for all rows of activations.

#include "gguf/block_kernels.h"
#include "llm/kernels.h"

#include <cstring>

#if defined(__x86_64__) && defined(__GNUC__)
#define CT_X86_KERNELS 1
#include <immintrin.h>
#endif

namespace {

using namespace ct;

constexpr int GROUPS = K_ELEMENTS / GROUP, SCALES = 2 * GROUPS;

enum class Type { Q2, Q3, Q4, Q5, Q6 };

Type type_of(const GgufType &type)
{
    switch (type.code) {
    case 10: return Type::Q2;
    case 11: return Type::Q3;
    case 12: return Type::Q4;
    case 13: return Type::Q5;
    default: return Type::Q6;
    }
}

float half_at(const uint8_t *bytes)
{
    uint16_t bits;
    std::memcpy(&bits, bytes, sizeof bits);
    return from_half(bits);
}

// What the integers of a block are multiplied by, and what is subtracted.
struct Scales {
    alignas(32) float by[SCALES], less[SCALES];
};

template <Type type>
void read_scales(const uint8_t *block, Scales &to)
{
    if constexpr (type == Type::Q2) {
        float scale = half_at(block + 80), minimum = half_at(block + 82);
        for (int g = 0; g < SCALES; g++) {
            to.by[g] = scale * static_cast<float>(block[g] & 15);
            to.less[g] = minimum * static_cast<float>(block[g] >> 4);
        }
    } else if constexpr (type == Type::Q3) {
        const uint8_t *scales = block + 96;
        float scale = half_at(block + 108);
        for (int g = 0; g < SCALES; g++) {
            int low = g < 8 ? scales[g] & 15 : scales[g - 8] >> 4;
            int six = (low | (scales[8 + g % 4] >> (g / 4 * 2) & 3) << 4) - 32;
            to.by[g] = scale * static_cast<float>(six);
            to.less[g] = 4 * to.by[g];
        }
    } else if constexpr (type == Type::Q6) {
        auto *scales = reinterpret_cast<const int8_t *>(block + 192);
        float scale = half_at(block + 208);
        for (int g = 0; g < SCALES; g++) {
            to.by[g] = scale * static_cast<float>(scales[g]);
            to.less[g] = 32 * to.by[g];
        }
    } else {
        float scale = half_at(block), minimum = half_at(block + 2);
        for (int g = 0; g < GROUPS; g++) {
            auto [s, m] = gguf_k_scale(block + 4, g);
            to.by[2 * g] = to.by[2 * g + 1] = scale * static_cast<float>(s);
            to.less[2 * g] = to.less[2 * g + 1] = minimum * static_cast<float>(m);
        }
    }
}

// Plain C++.

// The integers of a block, from 0 on.
template <Type type>
void unpack(const uint8_t *block, uint8_t *q)
{
    for (int k = 0; k < K_ELEMENTS; k++) {
        int half = k / 128, part = k / 32 % 4, column = k % 32, group = k / 32;
        if constexpr (type == Type::Q2 || type == Type::Q3) {
            const uint8_t *low = block + (type == Type::Q2 ? 16 : 32);
            int bits = low[half * 32 + column] >> (2 * part) & 3;
            if constexpr (type == Type::Q3) bits |= (block[column] >> group & 1) << 2;
            q[k] = static_cast<uint8_t>(bits);
        } else if constexpr (type == Type::Q6) {
            int low = block[half * 64 + part % 2 * 32 + column];
            int high = block[128 + half * 32 + column] >> (2 * part) & 3;
            q[k] = static_cast<uint8_t>((part < 2 ? low & 15 : low >> 4) | high << 4);
        } else {
            int low = block[(type == Type::Q4 ? 16 : 48) + group / 2 * 32 + column];
            int four = group % 2 ? low >> 4 : low & 15;
            if constexpr (type == Type::Q5) four |= (block[16 + column] >> group & 1) << 4;
            q[k] = static_cast<uint8_t>(four);
        }
    }
}

// What is left of a weight's row n for each row of activations.
struct Call {
    const BlockMatrix &w;
    const BlockRows &x;
    int64_t n;
    float *y;
    int64_t stride;
};

template <Type type>
void portable_row(const Call &call)
{
    const QuantizedRows &x = call.x.rows;
    float total[MOST_BLOCK_ROWS] = {};
    for (int64_t b = 0; b < call.w.blocks; b++) {
        const uint8_t *block = call.w.row(call.n) + b * call.w.type->bytes;
        uint8_t q[K_ELEMENTS];
        Scales scales;
        unpack<type>(block, q);
        read_scales<type>(block, scales);
        for (int64_t r = 0; r < x.count; r++) {
            int64_t at = r * x.groups + b * GROUPS;
            for (int g = 0; g < SCALES; g++) {
                const int8_t *values = x.values.data() + at * GROUP + g * 16;
                int32_t dot = 0;
                for (int k = 0; k < 16; k++) dot += q[g * 16 + k] * values[k];
                total[r] += scales.by[g] * x.scales[static_cast<size_t>(at + g / 2)] *
                            static_cast<float>(dot);
                total[r] -= scales.less[g] * call.x.sums[static_cast<size_t>(at * 2 + g)];
            }
        }
    }
    for (int64_t r = 0; r < x.count; r++) call.y[r * call.stride + call.n] = total[r];
}

#ifdef CT_X86_KERNELS

#define CT_AVX2 __attribute__((target("avx2,f16c,fma")))

CT_AVX2 inline __m256i bytes256(const uint8_t *from)
{
    return _mm256_loadu_si256(reinterpret_cast<const __m256i *>(from));
}

// Bits `from` and above of each byte, as many as the mask has.
CT_AVX2 inline __m256i bits256(__m256i x, int from, int mask)
{
    return _mm256_and_si256(_mm256_srli_epi16(x, from), _mm256_set1_epi8(static_cast<char>(mask)));
}

// The integers of a block, 32 to a vector.
template <Type type>
CT_AVX2 inline void unpack256(const uint8_t *block, __m256i *q)
{
    if constexpr (type == Type::Q2 || type == Type::Q3) {
        const uint8_t *low = block + (type == Type::Q2 ? 16 : 32);
        __m256i third = bytes256(block);
#pragma GCC unroll 8
        for (int g = 0; g < GROUPS; g++) {
            q[g] = bits256(bytes256(low + g / 4 * 32), g % 4 * 2, 3);
            if constexpr (type == Type::Q3)
                q[g] = _mm256_or_si256(q[g], _mm256_slli_epi16(bits256(third, g, 1), 2));
        }
    } else if constexpr (type == Type::Q6) {
#pragma GCC unroll 8
        for (int g = 0; g < GROUPS; g++) {
            int half = g / 4, part = g % 4;
            __m256i low = bits256(bytes256(block + half * 64 + part % 2 * 32), part < 2 ? 0 : 4, 15);
            __m256i high = bits256(bytes256(block + 128 + half * 32), 2 * part, 3);
            q[g] = _mm256_or_si256(low, _mm256_slli_epi16(high, 4));
        }
    } else {
        const uint8_t *low = block + (type == Type::Q4 ? 16 : 48);
        __m256i fifth = bytes256(block + 16);
#pragma GCC unroll 8
        for (int g = 0; g < GROUPS; g++) {
            q[g] = bits256(bytes256(low + g / 2 * 32), g % 2 * 4, 15);
            if constexpr (type == Type::Q5)
                q[g] = _mm256_or_si256(q[g], _mm256_slli_epi16(bits256(fifth, g, 1), 4));
        }
    }
}

CT_AVX2 inline float sum256(__m256 x)
{
    __m128 four = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}

CT_AVX2 inline float half256(const uint8_t *bytes)
{
    uint16_t bits;
    std::memcpy(&bits, bytes, sizeof bits);
    return _cvtsh_ss(bits);
}

CT_AVX2 inline uint32_t word(const uint8_t *bytes)
{
    uint32_t four;
    std::memcpy(&four, bytes, sizeof four);
    return four;
}

// Eight bytes, the lowest of which is the first, as floats.
CT_AVX2 inline __m256 floats256(uint32_t low, uint32_t high)
{
    __m128i bytes = _mm_set_epi32(0, 0, static_cast<int>(high), static_cast<int>(low));
    return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(bytes));
}

// As read_scales, for several scales at once.
template <Type type>
CT_AVX2 inline void scales256(const uint8_t *block, Scales &to)
{
    constexpr uint32_t SIX = 0x3f3f3f3f, FOUR = 0x0f0f0f0f, TWO = 0x03030303;
    if constexpr (type == Type::Q2) {
        __m256 scale = _mm256_set1_ps(half256(block + 80));
        __m256 minimum = _mm256_set1_ps(half256(block + 82));
        for (int h = 0; h < 2; h++) {
            uint32_t low = word(block + 8 * h), high = word(block + 8 * h + 4);
            __m256 by = floats256(low & FOUR, high & FOUR);
            __m256 less = floats256(low >> 4 & FOUR, high >> 4 & FOUR);
            _mm256_store_ps(to.by + 8 * h, _mm256_mul_ps(by, scale));
            _mm256_store_ps(to.less + 8 * h, _mm256_mul_ps(less, minimum));
        }
    } else if constexpr (type == Type::Q3) {
        __m256 scale = _mm256_set1_ps(half256(block + 108));
        uint32_t a = word(block + 96), b = word(block + 100), top = word(block + 104);
        __m256 six[2] = {
            floats256((a & FOUR) | (top & TWO) << 4, (b & FOUR) | (top >> 2 & TWO) << 4),
            floats256((a >> 4 & FOUR) | (top >> 4 & TWO) << 4,
                      (b >> 4 & FOUR) | (top >> 6 & TWO) << 4)};
        for (int h = 0; h < 2; h++) {
            __m256 by = _mm256_mul_ps(_mm256_sub_ps(six[h], _mm256_set1_ps(32)), scale);
            _mm256_store_ps(to.by + 8 * h, by);
            _mm256_store_ps(to.less + 8 * h, _mm256_mul_ps(by, _mm256_set1_ps(4)));
        }
    } else if constexpr (type == Type::Q6) {
        __m256 scale = _mm256_set1_ps(half256(block + 208));
        for (int h = 0; h < 2; h++) {
            __m128i eight =
                _mm_loadl_epi64(reinterpret_cast<const __m128i *>(block + 192 + 8 * h));
            __m256 by = _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(eight)), scale);
            _mm256_store_ps(to.by + 8 * h, by);
            _mm256_store_ps(to.less + 8 * h, _mm256_mul_ps(by, _mm256_set1_ps(32)));
        }
    } else {
        uint32_t a = word(block + 4), b = word(block + 8), c = word(block + 12);
        __m256 by = floats256(a & SIX, (c & FOUR) | (a >> 6 & TWO) << 4);
        __m256 less = floats256(b & SIX, (c >> 4 & FOUR) | (b >> 6 & TWO) << 4);
        by = _mm256_mul_ps(by, _mm256_set1_ps(half256(block)));
        less = _mm256_mul_ps(less, _mm256_set1_ps(half256(block + 2)));
        // Each is that of two halves of a group.
        const __m256i first = _mm256_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3);
        const __m256i second = _mm256_setr_epi32(4, 4, 5, 5, 6, 6, 7, 7);
        _mm256_store_ps(to.by, _mm256_permutevar8x32_ps(by, first));
        _mm256_store_ps(to.by + 8, _mm256_permutevar8x32_ps(by, second));
        _mm256_store_ps(to.less, _mm256_permutevar8x32_ps(less, first));
        _mm256_store_ps(to.less + 8, _mm256_permutevar8x32_ps(less, second));
    }
}

// The lower four lanes are of the first 16 integers of a group, the upper four of the others.
CT_AVX2 inline __m256 of_halves(const float *two)
{
    return _mm256_set_m128(_mm_set1_ps(two[1]), _mm_set1_ps(two[0]));
}

template <Type type>
CT_AVX2 void avx2_row(const Call &call)
{
    const QuantizedRows &x = call.x.rows;
    const __m256i ones = _mm256_set1_epi16(1);
    __m256 total[MOST_BLOCK_ROWS];
    for (int64_t r = 0; r < x.count; r++) total[r] = _mm256_setzero_ps();
    for (int64_t b = 0; b < call.w.blocks; b++) {
        const uint8_t *block = call.w.row(call.n) + b * call.w.type->bytes;
        __builtin_prefetch(block + 1024);
        __m256i q[GROUPS];
        __m256 by[GROUPS];
        Scales scales;
        unpack256<type>(block, q);
        scales256<type>(block, scales);
#pragma GCC unroll 8
        for (int g = 0; g < GROUPS; g++) by[g] = of_halves(scales.by + 2 * g);
        __m256 less0 = _mm256_load_ps(scales.less), less1 = _mm256_load_ps(scales.less + 8);
        for (int64_t r = 0; r < x.count; r++) {
            int64_t at = r * x.groups + b * GROUPS;
            const int8_t *values = x.values.data() + at * GROUP;
            const float *xs = x.scales.data() + at, *sums = call.x.sums.data() + 2 * at;
            __m256 sum = total[r];
#pragma GCC unroll 8
            for (int g = 0; g < GROUPS; g++) {
                __m256i of = _mm256_loadu_si256(
                    reinterpret_cast<const __m256i *>(values + g * GROUP));
                __m256i dot = _mm256_madd_epi16(_mm256_maddubs_epi16(q[g], of), ones);
                sum = _mm256_fmadd_ps(_mm256_mul_ps(by[g], _mm256_set1_ps(xs[g])),
                                      _mm256_cvtepi32_ps(dot), sum);
            }
            sum = _mm256_fnmadd_ps(less0, _mm256_loadu_ps(sums), sum);
            total[r] = _mm256_fnmadd_ps(less1, _mm256_loadu_ps(sums + 8), sum);
        }
    }
    for (int64_t r = 0; r < x.count; r++) call.y[r * call.stride + call.n] = sum256(total[r]);
}

// Floats of a row of blocks.
template <Type type>
CT_AVX2 void avx2_floats(const BlockMatrix &w, int64_t n, float *out)
{
    for (int64_t b = 0; b < w.blocks; b++, out += K_ELEMENTS) {
        const uint8_t *block = w.row(n) + b * w.type->bytes;
        __m256i q[GROUPS];
        Scales scales;
        unpack256<type>(block, q);
        scales256<type>(block, scales);
#pragma GCC unroll 8
        for (int g = 0; g < GROUPS; g++) {
            __m128i halves[2] = {_mm256_castsi256_si128(q[g]), _mm256_extracti128_si256(q[g], 1)};
            for (int h = 0; h < 2; h++) {
                __m256 by = _mm256_set1_ps(scales.by[2 * g + h]);
                __m256 less = _mm256_set1_ps(scales.less[2 * g + h]);
                __m256i low = _mm256_cvtepu8_epi32(halves[h]);
                __m256i high = _mm256_cvtepu8_epi32(_mm_srli_si128(halves[h], 8));
                float *to = out + g * GROUP + h * 16;
                _mm256_storeu_ps(to, _mm256_fmsub_ps(by, _mm256_cvtepi32_ps(low), less));
                _mm256_storeu_ps(to + 8, _mm256_fmsub_ps(by, _mm256_cvtepi32_ps(high), less));
            }
        }
    }
}

#endif

template <Type type>
void portable_floats(const BlockMatrix &w, int64_t n, float *out)
{
    for (int64_t b = 0; b < w.blocks; b++)
        w.type->dequantize(w.row(n) + b * w.type->bytes, out + b * K_ELEMENTS);
}

using RowKernel = void (*)(const Call &);
using FloatsKernel = void (*)(const BlockMatrix &, int64_t, float *);

struct BlockKernels {
    RowKernel product;
    FloatsKernel floats;
};

template <Type type>
BlockKernels kernels_of()
{
#ifdef CT_X86_KERNELS
    if (processor() >= Processor::Avx2) return {avx2_row<type>, avx2_floats<type>};
#endif
    return {portable_row<type>, portable_floats<type>};
}

BlockKernels kernels_for(const BlockMatrix &w)
{
    switch (type_of(*w.type)) {
    case Type::Q2: return kernels_of<Type::Q2>();
    case Type::Q3: return kernels_of<Type::Q3>();
    case Type::Q4: return kernels_of<Type::Q4>();
    case Type::Q5: return kernels_of<Type::Q5>();
    default: return kernels_of<Type::Q6>();
    }
}

}  // namespace

namespace ct {

void quantize_block_rows(BlockRows &to, const float *x, int64_t count, int64_t columns)
{
    int64_t groups = columns / GROUP;
    quantize_rows(to.rows, x, count, columns, groups, 0);
    to.sums.resize(static_cast<size_t>(count * groups * 2));
    for (int64_t k = 0; k < count * groups * 2; k++) {
        const int8_t *values = to.rows.values.data() + k * (GROUP / 2);
        int32_t sum = 0;
        for (int64_t i = 0; i < GROUP / 2; i++) sum += values[i];
        to.sums[static_cast<size_t>(k)] =
            to.rows.scales[static_cast<size_t>(k / 2)] * static_cast<float>(sum);
    }
}

void multiply_blocks(const BlockMatrix &w, const BlockRows &x, int64_t begin, int64_t end, float *y,
                     int64_t stride)
{
    RowKernel product = kernels_for(w).product;
    for (int64_t n = begin; n < end; n++) product({w, x, n, y, stride});
}

void near_floats(const BlockMatrix &w, int64_t begin, int64_t end, float *out)
{
    FloatsKernel floats = kernels_for(w).floats;
    for (int64_t n = begin; n < end; n++, out += w.blocks * K_ELEMENTS) floats(w, n, out);
}

}  // namespace ct
