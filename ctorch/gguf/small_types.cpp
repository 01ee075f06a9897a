// small_types.cpp - the types of GGUF that find their elements in tables, or have 3 bits or fewer.
//
//     IQ2_XS: 32 times 9 bits that choose 8 levels, and 7 bits of signs  =>  scale * level * sign
//     IQ4_NL: scale float16, 32 indices of 16 levels                     =>  scale * level
//
// Products are in the order of llama.cpp's definitions, so that floats are the same, bit for bit.

#include "gguf/gguf.h"
#include "gguf/grids.h"
#include "gguf/small_types.h"
#include "quantize/quantize.h"

#include <cmath>

namespace {

using namespace ct;

uint16_t two_bytes(const uint8_t *bytes)
{
    return number_at<uint16_t>(reinterpret_cast<const char *>(bytes));
}

uint32_t four_bytes(const uint8_t *bytes)
{
    return number_at<uint32_t>(reinterpret_cast<const char *>(bytes));
}

float half_of(const uint8_t *bytes) { return from_half(two_bytes(bytes)); }

int nibble(const uint8_t *bytes, int k) { return bytes[k / 2] >> (k % 2 * 4) & 15; }

int bit(const uint8_t *bytes, int k) { return bytes[k / 8] >> (k % 8) & 1; }

// Elements of 2 bits: each 32 bytes have 128, whose first 32 are in the lowest bits.
int two_bits(const uint8_t *bytes, int k) { return bytes[k / 128 * 32 + k % 32] >> (k / 32 % 4 * 2) & 3; }

void from_q2_k(const uint8_t *block, float *out)
{
    float scale = half_of(block + 80), minimum = half_of(block + 82);
    for (int k = 0; k < 256; k++) {
        int byte = block[k / 16];
        float by = scale * static_cast<float>(byte & 15);
        float less = minimum * static_cast<float>(byte >> 4);
        out[k] = by * static_cast<float>(two_bits(block + 16, k)) - less;
    }
}

// The third bit is in the first 32 bytes, a bit for each 32 elements; where it is 0, 4 is subtracted.
void from_q3_k(const uint8_t *block, float *out)
{
    const uint8_t *scales = block + 96;
    float scale = half_of(block + 108);
    for (int k = 0; k < 256; k++) {
        int g = k / 16;
        int low = g < 8 ? scales[g] & 15 : scales[g - 8] >> 4;
        int six = (low | (scales[8 + g % 4] >> (g / 4 * 2) & 3) << 4) - 32;
        int q = two_bits(block + 32, k) - ((block[k % 32] >> (k / 32) & 1) ? 0 : 4);
        out[k] = scale * static_cast<float>(six) * static_cast<float>(q);
    }
}

// Signs of 8 elements, in 7 bits: their number of ones is even with the eighth.
int signs_of(uint32_t seven)
{
    int bits = static_cast<int>(seven & 127);
    return bits | __builtin_parity(static_cast<unsigned>(bits)) << 7;
}

constexpr float LEVELS_2[] = {8, 25, 43};
constexpr float LEVELS_3_XXS[] = {4, 12, 20, 28, 36, 44, 52, 62};
constexpr float LEVELS_3_S[] = {1, 3, 5, 7, 9, 11, 13, 15};

void put_levels_2(uint16_t levels, int signs, float by, float *out)
{
    for (int k = 0; k < 8; k++) {
        float level = by * LEVELS_2[levels >> (2 * k) & 3];
        out[k] = signs >> k & 1 ? -level : level;
    }
}

void put_levels_3(uint16_t levels, int signs, float by, const float *values, float *out)
{
    for (int k = 0; k < 4; k++) {
        float level = by * values[levels >> (3 * k) & 7];
        out[k] = signs >> k & 1 ? -level : level;
    }
}

float scale_of_2(float scale, int four_bits)
{
    return scale * (0.5F + static_cast<float>(four_bits)) * 0.25F;
}

void from_iq2_xxs(const uint8_t *block, float *out)
{
    float scale = half_of(block);
    for (int g = 0; g < 8; g++) {
        const uint8_t *q = block + 2 + g * 8;
        uint32_t signs = four_bytes(q + 4);
        float by = scale_of_2(scale, static_cast<int>(signs >> 28));
        for (int k = 0; k < 4; k++)
            put_levels_2(IQ2_XXS_GRID[q[k]], signs_of(signs >> (7 * k)), by, out + g * 32 + k * 8);
    }
}

void from_iq2_xs(const uint8_t *block, float *out)
{
    float scale = half_of(block);
    for (int k = 0; k < 32; k++) {
        uint16_t q = two_bytes(block + 2 + 2 * k);
        put_levels_2(IQ2_XS_GRID[q & 511], signs_of(q >> 9),
                     scale_of_2(scale, nibble(block + 66, k / 2)), out + k * 8);
    }
}

void from_iq2_s(const uint8_t *block, float *out)
{
    float scale = half_of(block);
    for (int k = 0; k < 32; k++) {
        int high = block[66 + k / 4] >> (k % 4 * 2) & 3;
        put_levels_2(IQ2_S_GRID[block[2 + k] | high << 8], block[34 + k],
                     scale_of_2(scale, nibble(block + 74, k / 2)), out + k * 8);
    }
}

void from_iq3_xxs(const uint8_t *block, float *out)
{
    float scale = half_of(block);
    for (int k = 0; k < 64; k++) {
        uint32_t signs = four_bytes(block + 66 + k / 8 * 4);
        float by = scale * (0.5F + static_cast<float>(signs >> 28)) * 0.5F;
        put_levels_3(IQ3_XXS_GRID[block[2 + k]],
                     signs_of(signs >> (7 * (k / 2 % 4))) >> (k % 2 * 4), by, LEVELS_3_XXS,
                     out + k * 4);
    }
}

void from_iq3_s(const uint8_t *block, float *out)
{
    float scale = half_of(block);
    for (int k = 0; k < 64; k++) {
        float by = scale * static_cast<float>(1 + 2 * nibble(block + 106, k / 8));
        put_levels_3(IQ3_S_GRID[block[2 + k] | bit(block + 66, k) << 8], nibble(block + 74, k), by,
                     LEVELS_3_S, out + k * 4);
    }
}

// Levels -1, 0 and 1, moved by an eighth up or down.
void put_levels_1(uint16_t levels, float by, bool down, float *out)
{
    float move = down ? -0.125F : 0.125F;
    for (int k = 0; k < 8; k++)
        out[k] = by * (static_cast<float>(levels >> (2 * k) & 3) - 1.0F + move);
}

void from_iq1_s(const uint8_t *block, float *out)
{
    float scale = half_of(block);
    for (int k = 0; k < 32; k++) {
        uint16_t high = two_bytes(block + 34 + k / 4 * 2);
        float by = scale * static_cast<float>(2 * (high >> 12 & 7) + 1);
        put_levels_1(IQ1_S_GRID[block[2 + k] | (high >> (k % 4 * 3) & 7) << 8], by, high & 0x8000,
                     out + k * 8);
    }
}

// Its float16 scale is in the highest bits of the four words of scales.
void from_iq1_m(const uint8_t *block, float *out)
{
    const uint8_t *scales = block + 48;
    int half = 0;
    for (int k = 0; k < 4; k++) half |= two_bytes(scales + 2 * k) >> 12 << (4 * k);
    float scale = from_half(static_cast<uint16_t>(half));
    for (int k = 0; k < 32; k++) {
        int three = two_bytes(scales + k / 8 * 2) >> (k / 2 % 4 * 3) & 7, high = nibble(block + 32, k);
        put_levels_1(IQ1_S_GRID[block[k] | (high & 7) << 8],
                     scale * static_cast<float>(2 * three + 1), high & 8, out + k * 8);
    }
}

void from_iq4_nl(const uint8_t *block, float *out)
{
    float scale = half_of(block);
    for (int k = 0; k < 16; k++) {
        out[k] = scale * static_cast<float>(IQ4_LEVELS[block[2 + k] & 15]);
        out[k + 16] = scale * static_cast<float>(IQ4_LEVELS[block[2 + k] >> 4]);
    }
}

void from_iq4_xs(const uint8_t *block, float *out)
{
    for (int g = 0; g < 8; g++) {
        const uint8_t *q = block + 8 + g * 16;
        float by = iq4_xs_scale(block, g);
        for (int k = 0; k < 16; k++) {
            out[g * 32 + k] = by * static_cast<float>(IQ4_LEVELS[q[k] & 15]);
            out[g * 32 + k + 16] = by * static_cast<float>(IQ4_LEVELS[q[k] >> 4]);
        }
    }
}

void from_trits(const uint8_t *block, float scale, void (*trits)(const uint8_t *, int8_t *),
                float *out)
{
    int8_t q[256];
    trits(block, q);
    for (int k = 0; k < 256; k++) out[k] = scale * static_cast<float>(q[k]);
}

void from_tq1_0(const uint8_t *block, float *out)
{
    from_trits(block, half_of(block + 52), tq1_0_trits, out);
}

void from_tq2_0(const uint8_t *block, float *out)
{
    from_trits(block, half_of(block + 64), tq2_0_trits, out);
}

void from_mxfp4(const uint8_t *block, float *out)
{
    float scale = mxfp4_scale(block[0]);
    for (int k = 0; k < 16; k++) {
        out[k] = scale * static_cast<float>(E2M1_DOUBLED[block[1 + k] & 15]);
        out[k + 16] = scale * static_cast<float>(E2M1_DOUBLED[block[1 + k] >> 4]);
    }
}

// An 8-bit float without a sign, 4 bits of exponent and 3 of mantissa; the levels are doubled.
float half_of_e4m3(int byte)
{
    int exponent = byte >> 3 & 15;
    auto mantissa = static_cast<float>(byte & 7);
    if (byte == 0 || byte == 127) return 0;
    float whole = exponent ? (1 + mantissa / 8) * std::ldexp(1.0F, exponent - 7)
                           : mantissa * std::ldexp(1.0F, -9);
    return whole * 0.5F;
}

void from_nvfp4(const uint8_t *block, float *out)
{
    for (int g = 0; g < 4; g++) {
        float scale = half_of_e4m3(block[g]);
        const uint8_t *q = block + 4 + g * 8;
        for (int k = 0; k < 8; k++) {
            out[g * 16 + k] = scale * static_cast<float>(E2M1_DOUBLED[q[k] & 15]);
            out[g * 16 + k + 8] = scale * static_cast<float>(E2M1_DOUBLED[q[k] >> 4]);
        }
    }
}

const GgufType SMALL_TYPES[] = {
    {10, "Q2_K", 256, 84, {}, from_q2_k}, {11, "Q3_K", 256, 110, {}, from_q3_k},
    {16, "IQ2_XXS", 256, 66, {}, from_iq2_xxs}, {17, "IQ2_XS", 256, 74, {}, from_iq2_xs},
    {18, "IQ3_XXS", 256, 98, {}, from_iq3_xxs}, {19, "IQ1_S", 256, 50, {}, from_iq1_s},
    {20, "IQ4_NL", 32, 18, {}, from_iq4_nl}, {21, "IQ3_S", 256, 110, {}, from_iq3_s},
    {22, "IQ2_S", 256, 82, {}, from_iq2_s}, {23, "IQ4_XS", 256, 136, {}, from_iq4_xs},
    {29, "IQ1_M", 256, 56, {}, from_iq1_m}, {34, "TQ1_0", 256, 54, {}, from_tq1_0},
    {35, "TQ2_0", 256, 66, {}, from_tq2_0}, {39, "MXFP4", 32, 17, {}, from_mxfp4},
    {40, "NVFP4", 64, 36, {}, from_nvfp4},
};

}  // namespace

namespace ct {

const GgufType *small_gguf_type(uint32_t code)
{
    for (const GgufType &type : SMALL_TYPES)
        if (type.code == code) return &type;
    return nullptr;
}

std::string small_gguf_type_names()
{
    std::string names;
    for (const GgufType &type : SMALL_TYPES) names += ", " + std::string(type.name);
    return names;
}

float iq4_xs_scale(const uint8_t *block, int g)
{
    int high = two_bytes(block + 2) >> (2 * g) & 3;
    return half_of(block) * static_cast<float>((nibble(block + 4, g) | high << 4) - 32);
}

float mxfp4_scale(int exponent) { return std::ldexp(1.0F, exponent - 128); }

// Five to a byte, in parts of 32 bytes, 16 bytes and, four to a byte, 4 bytes.  The byte is the
// fraction of 256 that they are, so multiplying by 3 brings each to the top.
void tq1_0_trits(const uint8_t *block, int8_t *out)
{
    constexpr uint8_t POWERS[] = {1, 3, 9, 27, 81};
    auto part = [&](const uint8_t *bytes, int width, int places) {
        for (int place = 0; place < places; place++)
            for (int k = 0; k < width; k++) {
                auto fraction = static_cast<uint8_t>(bytes[k] * POWERS[place]);
                *out++ = static_cast<int8_t>((fraction * 3 >> 8) - 1);
            }
    };
    part(block, 32, 5);
    part(block + 32, 16, 5);
    part(block + 48, 4, 4);
}

void tq2_0_trits(const uint8_t *block, int8_t *out)
{
    for (int k = 0; k < 256; k++) out[k] = static_cast<int8_t>(two_bits(block, k) - 1);
}

}  // namespace ct
