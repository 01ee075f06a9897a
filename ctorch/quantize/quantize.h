// quantize.h - matrices of 8-bit and 4-bit integers, and their product with activations.  C++ only.
//
// A weight [rows, columns] is a table of tiles of 16 rows and groups of 32 columns.  The elements of
// a group of one row share a scale: w = scale * q (+ minimum), q from -127 to 127 or -8 to 7.
//
//     weight   uint8    [tiles, groups, 512 or 256]   the q, in the order in which a kernel reads
//     scale    float16  [tiles, groups, 16]           one for each row of the tile
//     minimum  float16  [tiles, groups, 16]           only for weights that have one
//
// The 512 bytes of 8 bits are [8 quads of columns][16 rows][4 columns], each q + 128; the 256 bytes
// of 4 bits are [4 quads][16 rows][4 columns], columns 0..15 in the low halves of the bytes and
// 16..31 in the high ones, each q + 8.  So one load of 64 bytes has four columns of all the rows,
// which the processor's dot-product instruction multiplies by the same four activations.  The
// last tile is filled up with rows of zeros, the last group with columns of zeros.
//
// Activations are quantized to 8 bits, with a scale for each row and group.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

// Before a function with loops over groups: it is also compiled for processors with AVX2.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define CT_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define CT_WIDE
#endif

namespace ct {

constexpr int64_t TILE = 16, GROUP = 32;
constexpr int64_t TILE_BYTES_8 = TILE * GROUP, TILE_BYTES_4 = TILE * GROUP / 2;
constexpr int OFFSET_8 = 128, OFFSET_4 = 8;

// A weight, borrowed.
struct QuantizedMatrix {
    const uint8_t *weight;
    const uint16_t *scale;
    const uint16_t *minimum;  // NULL if it has none
    int bits;
    int64_t tiles, groups;

    int64_t tile_bytes() const { return bits == 8 ? TILE_BYTES_8 : TILE_BYTES_4; }
    int offset() const { return bits == 8 ? OFFSET_8 : OFFSET_4; }
};

// Activations [count, groups * 32] in 8 bits.
struct QuantizedRows {
    int64_t count, groups;
    std::vector<int8_t> values;    // [count, groups, 32]
    std::vector<float> scales;     // [count, groups]
    std::vector<int32_t> sums;     // [count, groups], of the values
    std::vector<int32_t> starts;   // -offset * sum: what the unsigned weights add too much
};

// kernels.cpp

// Quantize rows of `columns` floats each, at most groups * 32; the rest is zeros.
void quantize_rows(QuantizedRows &rows, const float *x, int64_t count, int64_t columns,
                   int64_t groups, int offset);
// y[r][16 * tile + ...] for the tiles from begin to end: y has `stride` floats a row, and room for
// whole tiles.
void multiply_tiles(const QuantizedMatrix &w, const QuantizedRows &x, int64_t begin, int64_t end,
                    float *y, int64_t stride);
// Which kernel runs here: "avx512", "avx2", "neon" or "portable".
const char *kernel_name();

// packing.cpp

// The position of an element in the bytes of its tile and group; of 4 bits, `high` says which half.
struct Position {
    int64_t byte;
    bool high;
};
inline Position position_of(int bits, int64_t row, int64_t column)
{
    int64_t within = bits == 8 ? column : column % (GROUP / 2);
    return {within / 4 * (TILE * 4) + row * 4 + within % 4, bits == 4 && column >= GROUP / 2};
}

// A row's bytes of a group: q + offset of 8 bits each, or 16 bytes whose halves are those of columns
// 0..15 and 16..31.
inline void put_bytes(uint8_t *tile, int bits, int64_t row, const uint8_t *bytes)
{
    for (int64_t k = 0; k < (bits == 8 ? GROUP : GROUP / 2); k += 4)
        std::memcpy(tile + position_of(bits, row, k).byte, bytes + k, 4);
}

struct PackedWeight {
    at::Tensor weight, scale, minimum;  // no minimum: undefined
};
// New tensors of the sizes.  What fills up the last tile and the last group is zeros as elements;
// the rest has no values yet.
PackedWeight empty_packed(int64_t rows, int64_t columns, int bits, bool with_minimum);
// Row n of a floating-point matrix.
void read_row(const at::Tensor &matrix, int64_t n, float *out);
// A matrix of floats [rows, columns].
PackedWeight quantize_matrix(const at::Tensor &matrix, int bits);
// Throws unless the tensors are those of a weight for x [..., columns] and that many rows.
QuantizedMatrix checked_matrix(const at::Tensor &weight, const at::Tensor &scale,
                               const std::optional<at::Tensor> &minimum, int64_t rows);
// Row `row` as floats: groups * 32 of them.
void dequantize_row(const QuantizedMatrix &w, int64_t row, float *out);

// 16-bit floats.
float from_half(uint16_t bits);
uint16_t to_half(float x);

}  // namespace ct
