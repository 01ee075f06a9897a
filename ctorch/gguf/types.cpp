// types.cpp - the types of tensors in GGUF files, and how a block becomes floats.
//
//     Q8_0: scale float16, 32 x int8                      =>  scale * q
//     Q4_K: 8 groups of 32, each with a 6-bit scale and minimum, which have float16 scales
//
// The blocks are those of llama.cpp.  Those of fewer bits, or of levels in tables, are in
// small_types.cpp.

#include "gguf/gguf.h"
#include "gguf/small_types.h"
#include "quantize/quantize.h"

#include <cstring>

namespace {

using namespace ct;

float half_at(const uint8_t *bytes) { return from_half(number_at<uint16_t>(reinterpret_cast<const char *>(bytes))); }

void from_q4_0(const uint8_t *block, float *out)
{
    float scale = half_at(block);
    for (int k = 0; k < 16; k++) {
        out[k] = scale * static_cast<float>((block[2 + k] & 15) - 8);
        out[k + 16] = scale * static_cast<float>((block[2 + k] >> 4) - 8);
    }
}

void from_q4_1(const uint8_t *block, float *out)
{
    float scale = half_at(block), least = half_at(block + 2);
    for (int k = 0; k < 16; k++) {
        out[k] = scale * static_cast<float>(block[4 + k] & 15) + least;
        out[k + 16] = scale * static_cast<float>(block[4 + k] >> 4) + least;
    }
}

// The fifth bits are in a word of 32.
void five_bits(const uint8_t *high, const uint8_t *low, float scale, float least, int offset,
               float *out)
{
    uint32_t bits;
    std::memcpy(&bits, high, sizeof bits);
    for (int k = 0; k < 16; k++) {
        int first = (low[k] & 15) | static_cast<int>(bits >> k & 1) << 4;
        int second = low[k] >> 4 | static_cast<int>(bits >> (k + 16) & 1) << 4;
        out[k] = scale * static_cast<float>(first - offset) + least;
        out[k + 16] = scale * static_cast<float>(second - offset) + least;
    }
}

void from_q5_0(const uint8_t *block, float *out)
{
    five_bits(block + 2, block + 6, half_at(block), 0, 16, out);
}

void from_q5_1(const uint8_t *block, float *out)
{
    five_bits(block + 4, block + 8, half_at(block), half_at(block + 2), 0, out);
}

void from_q8_0(const uint8_t *block, float *out)
{
    float scale = half_at(block);
    for (int k = 0; k < 32; k++)
        out[k] = scale * static_cast<float>(static_cast<int8_t>(block[2 + k]));
}

constexpr int K_GROUPS = 8;

void from_q4_k(const uint8_t *block, float *out)
{
    float scale = half_at(block), minimum = half_at(block + 2);
    for (int g = 0; g < K_GROUPS; g++) {
        auto [s, m] = gguf_k_scale(block + 4, g);
        const uint8_t *q = block + 16 + g / 2 * 32;
        float by = scale * static_cast<float>(s), less = minimum * static_cast<float>(m);
        for (int k = 0; k < 32; k++)
            out[g * 32 + k] = by * static_cast<float>(g % 2 ? q[k] >> 4 : q[k] & 15) - less;
    }
}

void from_q5_k(const uint8_t *block, float *out)
{
    float scale = half_at(block), minimum = half_at(block + 2);
    for (int g = 0; g < K_GROUPS; g++) {
        auto [s, m] = gguf_k_scale(block + 4, g);
        const uint8_t *high = block + 16, *q = block + 48 + g / 2 * 32;
        float by = scale * static_cast<float>(s), less = minimum * static_cast<float>(m);
        for (int k = 0; k < 32; k++) {
            int low = g % 2 ? q[k] >> 4 : q[k] & 15;
            out[g * 32 + k] = by * static_cast<float>(low | (high[k] >> g & 1) << 4) - less;
        }
    }
}

void from_q6_k(const uint8_t *block, float *out)
{
    const uint8_t *low = block, *high = block + 128;
    auto *scales = reinterpret_cast<const int8_t *>(block + 192);
    float scale = half_at(block + 208);
    for (int half = 0; half < 2; half++, low += 64, high += 32, scales += 8, out += 128)
        for (int part = 0; part < 4; part++)
            for (int k = 0; k < 32; k++) {
                int byte = low[k + part % 2 * 32];
                int q = (part < 2 ? byte & 15 : byte >> 4) | (high[k] >> (2 * part) & 3) << 4;
                float by = scale * static_cast<float>(scales[k / 16 + 2 * part]);
                out[part * 32 + k] = by * static_cast<float>(q - 32);
            }
}

const GgufType TYPES_OF_TENSORS[] = {
    {0, "F32", 1, 4, at::kFloat, nullptr}, {1, "F16", 1, 2, at::kHalf, nullptr},
    {2, "Q4_0", 32, 18, {}, from_q4_0}, {3, "Q4_1", 32, 20, {}, from_q4_1},
    {6, "Q5_0", 32, 22, {}, from_q5_0}, {7, "Q5_1", 32, 24, {}, from_q5_1},
    {8, "Q8_0", 32, 34, {}, from_q8_0}, {12, "Q4_K", 256, 144, {}, from_q4_k},
    {13, "Q5_K", 256, 176, {}, from_q5_k}, {14, "Q6_K", 256, 210, {}, from_q6_k},
    {24, "I8", 1, 1, at::kChar, nullptr}, {25, "I16", 1, 2, at::kShort, nullptr},
    {26, "I32", 1, 4, at::kInt, nullptr}, {27, "I64", 1, 8, at::kLong, nullptr},
    {28, "F64", 1, 8, at::kDouble, nullptr}, {30, "BF16", 1, 2, at::kBFloat16, nullptr},
};

struct OtherType {
    uint32_t code;
    const char *name;
};
constexpr OtherType OTHERS[] = {{9, "Q8_1"}, {15, "Q8_K"}, {41, "Q1_0"}};

}  // namespace

namespace ct {

std::pair<int, int> gguf_k_scale(const uint8_t *scales, int g)
{
    if (g < 4) return {scales[g] & 63, scales[g + 4] & 63};
    return {(scales[g + 4] & 15) | scales[g - 4] >> 6 << 4, scales[g + 4] >> 4 | scales[g] >> 6 << 4};
}

const GgufType *gguf_type(uint32_t code)
{
    for (const GgufType &type : TYPES_OF_TENSORS)
        if (type.code == code) return &type;
    return small_gguf_type(code);
}

std::string gguf_type_names()
{
    std::string names;
    for (const GgufType &type : TYPES_OF_TENSORS)
        if (type.dequantize || type.code < 2 || type.code == 30)
            names += (names.empty() ? "" : ", ") + std::string(type.name);
    return names + small_gguf_type_names();
}

std::string other_gguf_type(uint32_t code)
{
    for (const OtherType &type : OTHERS)
        if (type.code == code) return type.name;
    return "";
}

}  // namespace ct
