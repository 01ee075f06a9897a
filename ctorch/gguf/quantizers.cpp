// quantizers.cpp - from floats to the blocks of GGUF files.
//
//     Q8_0, Q4_0, Q4_1, Q5_0, Q5_1   the largest element sets the scale, to the bit as in llama.cpp
//     Q2_K, Q3_K, Q4_K, Q5_K, Q6_K   a search for the scales with the smallest squared error
//
// Of K's blocks, whose 8 or 16 groups have scales of 4, 6 or 8 bits, groups are searched alone; then
// the scales are rounded, and the integers chosen anew for the scales that remain.  Scales of few bits
// are rounded to the neighbour with the smallest error.

#include "gguf/writer.h"
#include "quantize/quantize.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace {

using namespace ct;

constexpr int OLD_BLOCK = 32, K_BLOCK = 256;

float nearest_half(float x) { return from_half(to_half(x)); }

void put_half(uint8_t *to, float x)
{
    uint16_t bits = to_half(x);
    std::memcpy(to, &bits, sizeof bits);
}

// What a function that is compiled for several processors calls, so that this is, too.
#define CT_INLINE [[gnu::always_inline]] inline

// 1 / x, and 0 for what has none.
CT_INLINE float inverse(float x)
{
    float found = 1 / x;
    return std::isfinite(found) ? found : 0;
}

// The element of the largest size; the first of several.
CT_INLINE float largest_of(const float *x, int count)
{
    float largest = 0;
    for (int k = 0; k < count; k++)
        if (std::fabs(x[k]) > std::fabs(largest)) largest = x[k];
    return largest;
}

// Blocks of 32.

void to_q8_0(const float *x, uint8_t *block)
{
    float scale = std::fabs(largest_of(x, OLD_BLOCK)) / 127, by = inverse(scale);
    put_half(block, scale);
    for (int k = 0; k < OLD_BLOCK; k++)
        block[2 + k] = static_cast<uint8_t>(static_cast<int8_t>(std::round(x[k] * by)));
}

// The 32 integers of a block with low halves first and, of 5 bits, with the fifth bits before them.
void put_integers(const int *q, bool five, uint8_t *to)
{
    if (five) {
        uint32_t high = 0;
        for (int k = 0; k < OLD_BLOCK; k++)
            high |= static_cast<uint32_t>(q[k] >> 4) << k;
        std::memcpy(to, &high, sizeof high);
        to += sizeof high;
    }
    for (int k = 0; k < OLD_BLOCK / 2; k++)
        to[k] = static_cast<uint8_t>((q[k] & 15) | (q[k + OLD_BLOCK / 2] & 15) << 4);
}

// Around 0: half is 8 or 16, and becomes the element of the largest size.
void to_symmetric(const float *x, int half, uint8_t *block)
{
    float scale = largest_of(x, OLD_BLOCK) / static_cast<float>(-half), by = inverse(scale);
    int q[OLD_BLOCK];
    for (int k = 0; k < OLD_BLOCK; k++) {
        float moved = x[k] * by + (static_cast<float>(half) + 0.5F);
        q[k] = std::clamp(static_cast<int>(moved), 0, 2 * half - 1);
    }
    put_half(block, scale);
    put_integers(q, half == 16, block + 2);
}

// From the smallest element to the largest, in `most` steps.
void to_affine(const float *x, int most, uint8_t *block)
{
    auto [low, high] = std::minmax_element(x, x + OLD_BLOCK);
    float least = *low, scale = (*high - least) / static_cast<float>(most), by = inverse(scale);
    int q[OLD_BLOCK];
    for (int k = 0; k < OLD_BLOCK; k++)
        q[k] = std::clamp(static_cast<int>((x[k] - least) * by + 0.5F), 0, most);
    put_half(block, scale);
    put_half(block + 2, least);
    put_integers(q, most == 31, block + 4);
}

void to_q4_0(const float *x, uint8_t *block) { to_symmetric(x, 8, block); }
void to_q5_0(const float *x, uint8_t *block) { to_symmetric(x, 16, block); }
void to_q4_1(const float *x, uint8_t *block) { to_affine(x, 15, block); }
void to_q5_1(const float *x, uint8_t *block) { to_affine(x, 31, block); }

// Blocks of 256.

// The nearest integer; the compiler can round several at once.
CT_INLINE float rounded(float x)
{
    constexpr float ROUNDING = 12582912;  // 1.5 * 2^23
    return x + ROUNDING - ROUNDING;
}

// Sums over eight lanes, which the compiler keeps in one register.
constexpr int LANES = 8;

CT_INLINE float sum_of(const float *lanes)
{
    float sum = 0;
    for (int l = 0; l < LANES; l++) sum += lanes[l];
    return sum;
}

constexpr int SIXTEEN = 16, THIRTY_TWO = 32;  // elements that share a scale

// The scale by which -half to half - 1 times it are nearest to 16 elements: of scales by which the
// largest becomes nearly -half, refined by least squares, the best.
CT_INLINE float scale_of_16(const float *x, float half)
{
    constexpr int TRIES = 9;  // in either direction
    float largest = largest_of(x, SIXTEEN), best = 0, most = -1;
    if (largest == 0) return 0;
    for (int t = -TRIES; t <= TRIES; t++) {
        float by = -(half + 0.1F * static_cast<float>(t)) / largest;
        float along[LANES] = {}, square[LANES] = {};
        for (int k = 0; k < SIXTEEN; k += LANES)
            for (int l = 0; l < LANES; l++) {
                float q = rounded(std::clamp(x[k + l] * by, -half, half - 1));
                along[l] += x[k + l] * q;
                square[l] += q * q;
            }
        float xq = sum_of(along), qq = sum_of(square);
        // The squared error of the scale xq / qq is x x - xq xq / qq.
        if (qq <= 0 || xq * xq <= most * qq) continue;
        most = xq * xq / qq;
        best = xq / qq;
    }
    return best;
}

CT_WIDE void to_q6_k(const float *x, uint8_t *block)
{
    constexpr int GROUPS = K_BLOCK / SIXTEEN;
    float scales[GROUPS];
    for (int g = 0; g < GROUPS; g++) scales[g] = scale_of_16(x + g * SIXTEEN, 32);
    float whole = nearest_half(largest_of(scales, GROUPS) / -128), by = inverse(whole);
    int q[K_BLOCK];
    for (int g = 0; g < GROUPS; g++) {
        float share = std::clamp(rounded(scales[g] * by), -128.0F, 127.0F);
        block[192 + g] = static_cast<uint8_t>(static_cast<int8_t>(share));
        float each = inverse(whole * share);
        for (int k = g * SIXTEEN; k < (g + 1) * SIXTEEN; k++)
            q[k] = 32 + static_cast<int>(std::clamp(rounded(x[k] * each), -32.0F, 31.0F));
    }
    put_half(block + 208, whole);
    for (int half = 0; half < 2; half++) {
        const int *of = q + half * 128;
        uint8_t *low = block + half * 64, *high = block + 128 + half * 32;
        for (int k = 0; k < 32; k++) {
            low[k] = static_cast<uint8_t>((of[k] & 15) | (of[k + 64] & 15) << 4);
            low[k + 32] = static_cast<uint8_t>((of[k + 32] & 15) | (of[k + 96] & 15) << 4);
            high[k] = static_cast<uint8_t>(of[k] >> 4 | of[k + 32] >> 4 << 2 |
                                           of[k + 64] >> 4 << 4 | of[k + 96] >> 4 << 6);
        }
    }
}

// The squared error of 16 elements as -half to half - 1 times a scale.
CT_INLINE float error_of_scale(const float *x, float scale, float half)
{
    float by = inverse(scale), errors[LANES] = {};
    for (int k = 0; k < SIXTEEN; k += LANES)
        for (int l = 0; l < LANES; l++) {
            float gap = scale * rounded(std::clamp(x[k + l] * by, -half, half - 1)) - x[k + l];
            errors[l] += gap * gap;
        }
    return sum_of(errors);
}

// Elements of 2 bits: each 32 bytes have 128, whose first 32 are in the lowest bits.
void put_two_bits(const int *q, uint8_t *to)
{
    for (int half = 0; half < 2; half++, q += 128, to += 32)
        for (int k = 0; k < 32; k++)
            to[k] = static_cast<uint8_t>((q[k] & 3) | (q[k + 32] & 3) << 2 | (q[k + 64] & 3) << 4 |
                                         (q[k + 96] & 3) << 6);
}

// The 12 bytes of 16 scales of six bits from 0 on, of blocks of three bits.
void put_16_scales(const int *scales, uint8_t *to)
{
    for (int g = 0; g < 8; g++)
        to[g] = static_cast<uint8_t>((scales[g] & 15) | (scales[g + 8] & 15) << 4);
    for (int g = 0; g < 4; g++)
        to[g + 8] = static_cast<uint8_t>(scales[g] >> 4 | scales[g + 4] >> 4 << 2 |
                                         scales[g + 8] >> 4 << 4 | scales[g + 12] >> 4 << 6);
}

CT_WIDE void to_q3_k(const float *x, uint8_t *block)
{
    constexpr int GROUPS = K_BLOCK / SIXTEEN;
    constexpr float HALF = 4;
    float scales[GROUPS];
    for (int g = 0; g < GROUPS; g++) scales[g] = scale_of_16(x + g * SIXTEEN, HALF);
    float whole = nearest_half(largest_of(scales, GROUPS) / -32), by = inverse(whole);
    int q[K_BLOCK], shares[GROUPS];
    for (int g = 0; g < GROUPS; g++) {
        float nearest = std::clamp(rounded(scales[g] * by), -32.0F, 31.0F), best = nearest;
        float error = error_of_scale(x + g * SIXTEEN, whole * nearest, HALF);
        for (float share : {nearest - 1, nearest + 1}) {
            if (share < -32 || share > 31) continue;
            float found = error_of_scale(x + g * SIXTEEN, whole * share, HALF);
            if (found >= error) continue;
            error = found;
            best = share;
        }
        shares[g] = 32 + static_cast<int>(best);
        float each = inverse(whole * best);
        for (int k = g * SIXTEEN; k < (g + 1) * SIXTEEN; k++)
            q[k] = 4 + static_cast<int>(std::clamp(rounded(x[k] * each), -HALF, HALF - 1));
    }
    for (int k = 0; k < 32; k++) {
        int bits = 0;
        for (int g = 0; g < K_BLOCK / 32; g++) bits |= q[g * 32 + k] >> 2 << g;
        block[k] = static_cast<uint8_t>(bits);
    }
    put_two_bits(q, block + 32);
    put_16_scales(shares, block + 96);
    put_half(block + 108, whole);
}

// x = scale * q - less, where neither is negative.
struct Line {
    float scale, less;
};

// The squared error of a line for COUNT elements, each with its best integer up to `most`.
template <int COUNT>
CT_INLINE float error_of(const float *x, const Line &line, float most)
{
    float by = inverse(line.scale), errors[LANES] = {};
    for (int k = 0; k < COUNT; k += LANES)
        for (int l = 0; l < LANES; l++) {
            float q = rounded(std::clamp((x[k + l] + line.less) * by, 0.0F, most));
            float gap = line.scale * q - line.less - x[k + l];
            errors[l] += gap * gap;
        }
    return sum_of(errors);
}

// The line of least squares for the integers that another line chooses.
template <int COUNT>
CT_INLINE Line refined(const float *x, const Line &line, float most)
{
    float by = inverse(line.scale);
    float q1[LANES] = {}, q2[LANES] = {}, x1[LANES] = {}, xq[LANES] = {};
    for (int k = 0; k < COUNT; k += LANES)
        for (int l = 0; l < LANES; l++) {
            float q = rounded(std::clamp((x[k + l] + line.less) * by, 0.0F, most));
            q1[l] += q;
            q2[l] += q * q;
            x1[l] += x[k + l];
            xq[l] += x[k + l] * q;
        }
    float sum = sum_of(q1), square = sum_of(q2), total = sum_of(x1), along = sum_of(xq);
    float count = COUNT, spread = count * square - sum * sum;
    if (spread <= 0) return line;
    Line found{(count * along - total * sum) / spread, (along * sum - total * square) / spread};
    if (found.less < 0) found = {square > 0 ? along / square : 0, 0};
    return found.scale > 0 ? found : line;
}

// The best line for COUNT elements: of several whose steps are nearly those from the smallest to the
// largest element, each refined, the best.
template <int COUNT>
CT_INLINE Line line_of(const float *x, float most)
{
    constexpr int TRIES = 20;
    auto [low, high] = std::minmax_element(x, x + COUNT);
    float least = std::min(*low, 0.0F), span = *high - least;
    if (span <= 0) return {0, -least};
    Line best{span / most, -least};
    float error = error_of<COUNT>(x, best, most);
    for (int t = 0; t <= TRIES; t++) {
        Line line{span / (most - 1 + 0.1F * static_cast<float>(t)), -least};
        line = refined<COUNT>(x, refined<COUNT>(x, line, most), most);
        float found = error_of<COUNT>(x, line, most);
        if (found >= error) continue;
        error = found;
        best = line;
    }
    return best;
}

CT_WIDE Line line_of_32(const float *x, float most) { return line_of<THIRTY_TWO>(x, most); }

// The 16 scales of a block of two bits have four bits each, as have the minima.
CT_WIDE void to_q2_k(const float *x, uint8_t *block)
{
    constexpr int GROUPS = K_BLOCK / SIXTEEN;
    constexpr float MOST = 3, STEPS = 15;
    Line lines[GROUPS];
    float scale = 0, less = 0;
    for (int g = 0; g < GROUPS; g++) {
        lines[g] = line_of<SIXTEEN>(x + g * SIXTEEN, MOST);
        scale = std::max(scale, lines[g].scale);
        less = std::max(less, lines[g].less);
    }
    scale = nearest_half(scale / STEPS);
    less = nearest_half(less / STEPS);
    int q[K_BLOCK];
    for (int g = 0; g < GROUPS; g++) {
        const float *of = x + g * SIXTEEN;
        float steps = std::min(rounded(lines[g].scale * inverse(scale)), STEPS);
        float down = std::min(rounded(lines[g].less * inverse(less)), STEPS);
        float best_steps = steps, best_down = down, error = -1;
        for (float s = std::max(steps - 1, 0.0F); s <= std::min(steps + 1, STEPS); s++)
            for (float d = std::max(down - 2, 0.0F); d <= std::min(down + 2, STEPS); d++) {
                float found = error_of<SIXTEEN>(of, {scale * s, less * d}, MOST);
                if (error >= 0 && found >= error) continue;
                error = found;
                best_steps = s;
                best_down = d;
            }
        block[g] = static_cast<uint8_t>(static_cast<int>(best_steps) |
                                        static_cast<int>(best_down) << 4);
        float by = inverse(scale * best_steps), minimum = less * best_down;
        for (int k = 0; k < SIXTEEN; k++)
            q[g * SIXTEEN + k] =
                static_cast<int>(rounded(std::clamp((of[k] + minimum) * by, 0.0F, MOST)));
    }
    put_two_bits(q, block + 16);
    put_half(block + 80, scale);
    put_half(block + 82, less);
}

// The 12 bytes of eight scales and minima of six bits: gguf_k_scale reads them.
void put_k_scales(const int *scales, const int *minima, uint8_t *to)
{
    for (int g = 0; g < 4; g++) {
        to[g] = static_cast<uint8_t>(scales[g] | scales[g + 4] >> 4 << 6);
        to[g + 4] = static_cast<uint8_t>(minima[g] | minima[g + 4] >> 4 << 6);
        to[g + 8] = static_cast<uint8_t>((scales[g + 4] & 15) | (minima[g + 4] & 15) << 4);
    }
}

// The first 16 bytes of a block of Q4_K or Q5_K, scales and minima, and its integers up to `most`.
void quantize_lines(const float *x, float most, uint8_t *block, int *q)
{
    constexpr int GROUPS = K_BLOCK / THIRTY_TWO, STEPS = 63;
    Line lines[GROUPS];
    float scale = 0, less = 0;
    for (int g = 0; g < GROUPS; g++) {
        lines[g] = line_of_32(x + g * THIRTY_TWO, most);
        scale = std::max(scale, lines[g].scale);
        less = std::max(less, lines[g].less);
    }
    scale = nearest_half(scale / STEPS);
    less = nearest_half(less / STEPS);
    put_half(block, scale);
    put_half(block + 2, less);
    int scales[GROUPS], minima[GROUPS];
    for (int g = 0; g < GROUPS; g++) {
        scales[g] = static_cast<int>(std::min(rounded(lines[g].scale * inverse(scale)), 63.0F));
        minima[g] = static_cast<int>(std::min(rounded(lines[g].less * inverse(less)), 63.0F));
        Line line{scale * static_cast<float>(scales[g]), less * static_cast<float>(minima[g])};
        float by = inverse(line.scale);
        for (int k = g * THIRTY_TWO; k < (g + 1) * THIRTY_TWO; k++)
            q[k] = static_cast<int>(rounded(std::clamp((x[k] + line.less) * by, 0.0F, most)));
    }
    put_k_scales(scales, minima, block + 4);
}

// The low four bits: two groups share 32 bytes.
void put_low_bits(const int *q, uint8_t *to)
{
    for (int pair = 0; pair < K_BLOCK / 64; pair++, q += 64, to += 32)
        for (int k = 0; k < 32; k++)
            to[k] = static_cast<uint8_t>((q[k] & 15) | (q[k + 32] & 15) << 4);
}

void to_q4_k(const float *x, uint8_t *block)
{
    int q[K_BLOCK];
    quantize_lines(x, 15, block, q);
    put_low_bits(q, block + 16);
}

void to_q5_k(const float *x, uint8_t *block)
{
    int q[K_BLOCK];
    quantize_lines(x, 31, block, q);
    put_low_bits(q, block + 48);
    for (int k = 0; k < 32; k++) {
        int bits = 0;
        for (int g = 0; g < K_BLOCK / 32; g++) bits |= q[g * 32 + k] >> 4 << g;
        block[16 + k] = static_cast<uint8_t>(bits);
    }
}

template <int elements, int bytes, void (*quantize)(const float *, uint8_t *)>
void all_blocks(const float *x, int64_t count, uint8_t *blocks)
{
    for (; count > 0; count -= elements, x += elements, blocks += bytes) quantize(x, blocks);
}

struct Quantizer {
    const char *type;
    GgufQuantizer quantize;
};
constexpr Quantizer QUANTIZERS[] = {
    {"Q8_0", all_blocks<32, 34, to_q8_0>},   {"Q4_0", all_blocks<32, 18, to_q4_0>},
    {"Q4_1", all_blocks<32, 20, to_q4_1>},   {"Q5_0", all_blocks<32, 22, to_q5_0>},
    {"Q5_1", all_blocks<32, 24, to_q5_1>},   {"Q2_K", all_blocks<256, 84, to_q2_k>},
    {"Q3_K", all_blocks<256, 110, to_q3_k>}, {"Q4_K", all_blocks<256, 144, to_q4_k>},
    {"Q5_K", all_blocks<256, 176, to_q5_k>}, {"Q6_K", all_blocks<256, 210, to_q6_k>},
};

}  // namespace

namespace ct {

GgufQuantizer gguf_quantizer(const std::string &type)
{
    for (const Quantizer &found : QUANTIZERS)
        if (type == found.type) return found.quantize;
    return nullptr;
}

std::string gguf_quantizer_names()
{
    std::string names;
    for (const Quantizer &each : QUANTIZERS)
        names += (names.empty() ? "" : ", ") + std::string(each.type);
    return names;
}

}  // namespace ct
