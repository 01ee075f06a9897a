// packing.cpp - from floats to quantized matrices and back.
//
//     quantize_matrix(w [16, 32], 8)  =>  weight uint8 [1, 1, 512], scale float16 [1, 1, 16]
//
// Of 8 bits the scale is the largest element / 127.  Of 4 bits a few scales are tried, and each is
// refined by least squares; the one with the smallest squared error is taken.

#include "quantize/parallel.h"
#include "quantize/quantize.h"

#include "tensor/handle.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>

namespace {

using namespace ct;

constexpr int64_t TILES_EACH = 4;  // that pay for a thread

int64_t parts(int64_t size, int64_t part) { return (size + part - 1) / part; }

// The scale and the integers of one group of a row.
struct Group {
    uint16_t scale;
    int8_t values[GROUP];
};

[[gnu::always_inline]] inline void round_all(const float *w, float scale, int least, int most,
                                             int8_t *values)
{
    float by = scale != 0 ? 1 / scale : 0;
    // Adding this number rounds to an integer, and the compiler can do several at once.
    constexpr float ROUNDING = 12582912;  // 1.5 * 2^23
    for (int64_t k = 0; k < GROUP; k++) {
        float whole = std::clamp(w[k] * by, static_cast<float>(least), static_cast<float>(most));
        values[k] = static_cast<int8_t>(whole + ROUNDING - ROUNDING);
    }
}

CT_WIDE Group group_of_8(const float *w)
{
    float most = 0;
    for (int64_t k = 0; k < GROUP; k++) most = std::max(most, std::fabs(w[k]));
    Group group;
    group.scale = to_half(most / 127);
    round_all(w, from_half(group.scale), -127, 127, group.values);
    return group;
}

[[gnu::always_inline]] inline double squared_error(const float *w, float scale,
                                                   const int8_t *values)
{
    double sum = 0;
    for (int64_t k = 0; k < GROUP; k++) {
        double gap = w[k] - scale * static_cast<float>(values[k]);
        sum += gap * gap;
    }
    return sum;
}

// The best scale for integers that have been chosen.
[[gnu::always_inline]] inline float least_squares(const float *w, const int8_t *values,
                                                  float otherwise)
{
    float along = 0, square = 0;
    for (int64_t k = 0; k < GROUP; k++) {
        along += w[k] * static_cast<float>(values[k]);
        square += static_cast<float>(values[k] * values[k]);
    }
    return square > 0 ? along / square : otherwise;
}

CT_WIDE Group group_of_4(const float *w)
{
    float largest = 0;
    for (int64_t k = 0; k < GROUP; k++)
        if (std::fabs(w[k]) > std::fabs(largest)) largest = w[k];
    Group best;
    double best_error = -1;
    for (float steps : {-8.7F, -8.0F, -7.3F}) {  // the largest becomes -8, or is cut off
        Group group;
        round_all(w, largest / steps, -8, 7, group.values);
        group.scale = to_half(least_squares(w, group.values, largest / steps));
        round_all(w, from_half(group.scale), -8, 7, group.values);
        double error = squared_error(w, from_half(group.scale), group.values);
        if (best_error >= 0 && error >= best_error) continue;
        best_error = error;
        best = group;
    }
    return best;
}

void put(uint8_t *tile, int bits, int64_t row, const int8_t *values)
{
    uint8_t bytes[GROUP];
    for (int64_t k = 0; k < GROUP; k++)
        bytes[k] = static_cast<uint8_t>(values[k] + (bits == 8 ? OFFSET_8 : OFFSET_4));
    if (bits == 4)
        for (int64_t k = 0; k < GROUP / 2; k++)
            bytes[k] = static_cast<uint8_t>(bytes[k] | bytes[k + GROUP / 2] << 4);
    put_bytes(tile, bits, row, bytes);
}

}  // namespace

namespace ct {

PackedWeight empty_packed(int64_t rows, int64_t columns, int bits, bool with_minimum)
{
    int64_t tiles = parts(rows, TILE), groups = parts(columns, GROUP);
    int64_t bytes = bits == 8 ? TILE_BYTES_8 : TILE_BYTES_4;
    at::TensorOptions cpu = at::TensorOptions().device(at::kCPU);
    PackedWeight made;
    if (rows % TILE == 0 && columns % GROUP == 0) {
        made.weight = at::empty({tiles, groups, bytes}, cpu.dtype(at::kByte));
    } else {
        made.weight = at::full({tiles, groups, bytes}, bits == 8 ? OFFSET_8 : OFFSET_4 * 17,
                               cpu.dtype(at::kByte));
    }
    made.scale = at::zeros({tiles, groups, TILE}, cpu.dtype(at::kHalf));
    if (with_minimum) made.minimum = at::zeros({tiles, groups, TILE}, cpu.dtype(at::kHalf));
    return made;
}

PackedWeight quantize_matrix(const at::Tensor &matrix, int bits)
{
    TORCH_CHECK(matrix.dim() == 2 && matrix.is_floating_point() && matrix.is_cpu(),
                "expected a floating-point matrix on the CPU, got ", describe(matrix));
    int64_t rows = matrix.size(0), columns = matrix.size(1);
    PackedWeight made = empty_packed(rows, columns, bits, false);
    int64_t tiles = made.weight.size(0), groups = made.weight.size(1), bytes = made.weight.size(2);
    auto *weight = made.weight.mutable_data_ptr<uint8_t>();
    auto *scale = static_cast<uint16_t *>(made.scale.mutable_data_ptr());
    // A tile at a time is converted to float32: no copy of the whole is made.
    parallel_ranges(tiles, TILES_EACH, [&](int64_t begin, int64_t end) {
        std::vector<float> row(static_cast<size_t>(groups * GROUP));
        for (int64_t n = begin * TILE; n < std::min(end * TILE, rows); n++) {
            read_row(matrix, n, row.data());
            for (int64_t g = 0; g < groups; g++) {
                Group group = bits == 8 ? group_of_8(&row[static_cast<size_t>(g * GROUP)])
                                        : group_of_4(&row[static_cast<size_t>(g * GROUP)]);
                int64_t block = n / TILE * groups + g;
                scale[block * TILE + n % TILE] = group.scale;
                put(weight + block * bytes, bits, n % TILE, group.values);
            }
        }
    });
    return made;
}

void read_row(const at::Tensor &matrix, int64_t n, float *out)
{
    int64_t columns = matrix.size(1), step = matrix.stride(1);
    auto copy = [&](auto *from) {
        from += n * matrix.stride(0);
        for (int64_t k = 0; k < columns; k++) out[k] = static_cast<float>(from[k * step]);
    };
    switch (matrix.scalar_type()) {
    case at::kFloat: return copy(matrix.const_data_ptr<float>());
    case at::kDouble: return copy(matrix.const_data_ptr<double>());
    case at::kHalf: return copy(matrix.const_data_ptr<at::Half>());
    case at::kBFloat16: return copy(matrix.const_data_ptr<at::BFloat16>());
    default: TORCH_CHECK(false, "cannot quantize ", describe(matrix));
    }
}

QuantizedMatrix checked_matrix(const at::Tensor &weight, const at::Tensor &scale,
                               const std::optional<at::Tensor> &minimum, int64_t rows)
{
    bool has_minimum = minimum && minimum->defined();
    TORCH_CHECK(weight.dim() == 3 && weight.scalar_type() == at::kByte && weight.is_cpu() &&
                    weight.is_contiguous() &&
                    (weight.size(2) == TILE_BYTES_8 || weight.size(2) == TILE_BYTES_4),
                "expected a packed weight, uint8 (tiles groups 512) or (tiles groups 256), got ",
                describe(weight));
    for (const at::Tensor *x : {&scale, has_minimum ? &*minimum : &scale})
        TORCH_CHECK(x->dim() == 3 && x->scalar_type() == at::kHalf && x->is_cpu() &&
                        x->is_contiguous() && x->size(0) == weight.size(0) &&
                        x->size(1) == weight.size(1) && x->size(2) == TILE,
                    "expected the scales of a packed weight, float16 (", weight.size(0), " ",
                    weight.size(1), " 16), got ", describe(*x));
    TORCH_CHECK(rows >= 0 && parts(rows, TILE) == weight.size(0), "a packed weight of ",
                weight.size(0), " tiles of 16 rows does not have ", rows, " rows");
    return {weight.const_data_ptr<uint8_t>(),
            static_cast<const uint16_t *>(scale.const_data_ptr()),
            has_minimum ? static_cast<const uint16_t *>(minimum->const_data_ptr()) : nullptr,
            weight.size(2) == TILE_BYTES_8 ? 8 : 4, weight.size(0), weight.size(1)};
}

void dequantize_row(const QuantizedMatrix &w, int64_t row, float *out)
{
    for (int64_t g = 0; g < w.groups; g++) {
        int64_t block = row / TILE * w.groups + g, n = block * TILE + row % TILE;
        const uint8_t *bytes = w.weight + block * w.tile_bytes();
        float scale = from_half(w.scale[n]), least = w.minimum ? from_half(w.minimum[n]) : 0;
        for (int64_t k = 0; k < GROUP; k++) {
            Position at = position_of(w.bits, row % TILE, k);
            int byte = bytes[at.byte];
            int q = (w.bits == 8 ? byte : at.high ? byte >> 4 : byte & 15) - w.offset();
            out[g * GROUP + k] = scale * static_cast<float>(q) + least;
        }
    }
}

}  // namespace ct
