// block_kernels.h - products of weights in K's blocks, as GGUF files have them.  C++ only.
#pragma once

#include "gguf/gguf.h"
#include "quantize/quantize.h"

namespace ct {

constexpr int64_t K_ELEMENTS = 256;  // of a block
// Rows of activations for which unpacking integers beats unpacking floats.
constexpr int64_t MOST_BLOCK_ROWS = 32;

// Blocks of K in rows, borrowed.
struct BlockMatrix {
    const GgufType *type;
    const uint8_t *bytes;
    int64_t rows, blocks;  // of a row

    const uint8_t *row(int64_t n) const { return bytes + n * blocks * type->bytes; }
};

// Activations, and what is subtracted for the minima of each half of their groups: its sum.
struct BlockRows {
    QuantizedRows rows;
    std::vector<float> sums;  // [count, groups, 2]
};

void quantize_block_rows(BlockRows &to, const float *x, int64_t count, int64_t columns);
// y[r * stride + n] for rows n of the weight from begin to end, and all rows r of activations, at most
// MOST_BLOCK_ROWS.
void multiply_blocks(const BlockMatrix &w, const BlockRows &x, int64_t begin, int64_t end, float *y,
                     int64_t stride);
// Floats of rows from begin to end, which may differ from the definition's in the last bit.
void near_floats(const BlockMatrix &w, int64_t begin, int64_t end, float *out);

}  // namespace ct
