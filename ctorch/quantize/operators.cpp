// operators.cpp - the operators on quantized weights, with their schemas.
//
//     (tensor-lambent::quantized-linear x weight scale minimum bias 32000)
//     (tensor-lambent::quantized-rows ids weight scale minimum 32000 288)
//
// They record no gradient: a module that learns multiplies by the floats (stdlib/quantize/).  An
// NVIDIA GPU has kernels of ours (cuda/).  On other devices the weight is unpacked by LibTorch's
// operators at each call: it takes the memory of integers there, too, but a product takes longer
// than one by floats.

#include "cuda/kernels.h"
#include "quantize/parallel.h"
#include "quantize/quantize.h"

#include "tensor/handle.h"

#include <ATen/core/grad_mode.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/bitwise_and.h>
#include <ATen/ops/bitwise_right_shift.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/div.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linear.h>
#include <torch/library.h>

#include <algorithm>

namespace {

using namespace ct;
using Optional = std::optional<at::Tensor>;

constexpr int64_t BYTES_EACH = 1 << 15;  // of weights that pay for a thread
constexpr int64_t ROWS_EACH = 8;
constexpr int64_t PARTS = 16;  // so many at least, so that threads end at the same time

void check_no_gradient(const at::Tensor &x, const char *name)
{
    TORCH_CHECK(!at::GradMode::is_enabled() || !x.requires_grad(), name,
                " records no gradient: multiply by the dequantized weight, or use it in no-grad");
}

std::vector<int64_t> with_last(const at::Tensor &x, int64_t last)
{
    std::vector<int64_t> sizes = x.sizes().vec();
    sizes.back() = last;
    return sizes;
}

void add_bias(float *y, int64_t count, int64_t stride, const at::Tensor &bias)
{
    at::Tensor floats = bias.scalar_type() == at::kFloat && bias.is_contiguous()
                            ? bias
                            : bias.to(at::kFloat).contiguous();
    const float *b = floats.const_data_ptr<float>();
    for (int64_t r = 0; r < count; r++)
        for (int64_t n = 0; n < floats.numel(); n++) y[r * stride + n] += b[n];
}

// y [count, stride] floats = x times the weight.
void multiply(const QuantizedMatrix &w, const float *x, int64_t count, int64_t columns, float *y)
{
    thread_local QuantizedRows rows;  // its memory is kept: a token calls this for each layer
    quantize_rows(rows, x, count, columns, w.groups, w.offset());
    int64_t tile = std::max<int64_t>(1, w.groups * w.tile_bytes());
    // The body runs in other threads, which have a `rows` of their own.
    const QuantizedRows &shared = rows;
    auto body = [&w, &shared, y](int64_t begin, int64_t end) {
        multiply_tiles(w, shared, begin, end, y, w.tiles * TILE);
    };
    int64_t least = BYTES_EACH / (tile * std::max<int64_t>(1, count));
    if (w.tiles < 2 * least) return body(0, w.tiles);
    parallel_parts(w.tiles, std::max<int64_t>(std::max<int64_t>(1, least), w.tiles / PARTS), body);
}

void check_operands(const at::Tensor &x, const QuantizedMatrix &w, const Optional &bias,
                    int64_t rows)
{
    TORCH_CHECK(x.dim() >= 1 && x.is_floating_point() && x.is_cpu() &&
                    (x.size(-1) + GROUP - 1) / GROUP == w.groups,
                "a packed weight of ", w.groups, " groups of 32 columns does not multiply ",
                describe(x));
    bool has_bias = bias && bias->defined();
    TORCH_CHECK(!has_bias || (bias->dim() == 1 && bias->size(0) == rows), "expected a bias of (",
                rows, "), got ", has_bias ? describe(*bias) : "");
}

at::Tensor quantized_linear(const at::Tensor &x, const at::Tensor &weight, const at::Tensor &scale,
                            const Optional &minimum, const Optional &bias, int64_t rows)
{
    check_no_gradient(x, "quantized_linear");
    QuantizedMatrix w = checked_matrix(weight, scale, minimum, rows);
    check_operands(x, w, bias, rows);
    bool is_plain = x.scalar_type() == at::kFloat && x.is_contiguous();
    at::Tensor floats = is_plain ? x : x.to(at::kFloat).contiguous();
    int64_t columns = x.size(-1), count = columns ? x.numel() / columns : 0;
    int64_t stride = w.tiles * TILE;
    at::Tensor y = at::empty(with_last(x, stride), floats.options());
    float *out = y.mutable_data_ptr<float>();
    multiply(w, floats.const_data_ptr<float>(), count, columns, out);
    if (bias && bias->defined()) add_bias(out, count, stride, *bias);
    if (stride != rows) y = y.narrow(-1, 0, rows).contiguous();
    return x.scalar_type() == at::kFloat ? y : y.to(x.scalar_type());
}

at::Tensor quantized_rows(const at::Tensor &ids, const at::Tensor &weight, const at::Tensor &scale,
                          const Optional &minimum, int64_t rows, int64_t columns)
{
    QuantizedMatrix w = checked_matrix(weight, scale, minimum, rows);
    TORCH_CHECK(columns <= w.groups * GROUP && columns > (w.groups - 1) * GROUP,
                "a packed weight of ", w.groups, " groups of 32 columns does not have ", columns,
                " columns");
    TORCH_CHECK(ids.scalar_type() == at::kLong && ids.is_cpu(), "expected ids of int64, got ",
                describe(ids));
    at::Tensor flat = ids.contiguous();
    const int64_t *id = flat.const_data_ptr<int64_t>();
    for (int64_t k = 0; k < flat.numel(); k++)
        TORCH_CHECK(id[k] >= 0 && id[k] < rows, "row ", id[k], " of a weight of ", rows, " rows");
    std::vector<int64_t> sizes = ids.sizes().vec();
    sizes.push_back(columns);
    at::Tensor y = at::empty(sizes, scale.options().dtype(at::kFloat));
    float *out = y.mutable_data_ptr<float>();
    parallel_ranges(flat.numel(), ROWS_EACH, [&](int64_t begin, int64_t end) {
        std::vector<float> row(static_cast<size_t>(w.groups * GROUP));
        for (int64_t k = begin; k < end; k++) {
            dequantize_row(w, id[k], row.data());
            std::copy(row.begin(), row.begin() + columns, out + k * columns);
        }
    });
    return y;
}

std::tuple<at::Tensor, at::Tensor> quantize_weight(const at::Tensor &matrix, int64_t bits)
{
    TORCH_CHECK(bits == 8 || bits == 4, "expected 8 or 4 bits, got ", bits);
    PackedWeight made = quantize_matrix(matrix.detach(), static_cast<int>(bits));
    return {made.weight, made.scale};
}

// The same on any device.

// The floats of tiles of a weight, [tiles * 16, groups * 32].
at::Tensor floats_of(const at::Tensor &weight, const at::Tensor &scale, const Optional &minimum)
{
    TORCH_CHECK(weight.dim() == 3 && weight.scalar_type() == at::kByte && scale.dim() == 3 &&
                    (weight.size(2) == TILE * GROUP || weight.size(2) == TILE * GROUP / 2),
                "expected a packed weight, uint8 (tiles groups 512) or (tiles groups 256), got ",
                describe(weight));
    int64_t tiles = weight.size(0), groups = weight.size(1), bytes = weight.size(2);
    // From [quads, rows of the tile, columns of the quad] to [rows, columns].
    auto rows_of = [&](const at::Tensor &q) {
        return q.reshape({tiles, groups, -1, TILE, 4}).permute({0, 3, 1, 2, 4})
            .reshape({tiles * TILE, groups, -1}).to(at::kFloat);
    };
    at::Tensor q = bytes == TILE * GROUP
        ? rows_of(weight) - OFFSET_8
        : at::cat({rows_of(at::bitwise_and(weight, 15)),
                   rows_of(at::bitwise_right_shift(weight, 4))}, 2) - OFFSET_4;
    auto column = [&](const at::Tensor &x) {
        return x.permute({0, 2, 1}).reshape({tiles * TILE, groups, 1}).to(at::kFloat);
    };
    at::Tensor w = q * column(scale);
    if (minimum && minimum->defined()) w = w + column(*minimum);
    return w.reshape({tiles * TILE, groups * GROUP});
}

// Whether the kernels of a GPU serve a weight for that many rows and columns.
bool is_on_gpu(const at::Tensor &weight, const at::Tensor &scale, const Optional &minimum,
               int64_t rows, int64_t columns)
{
    auto is_table = [&](const at::Tensor &x) {
        return x.is_cuda() && x.scalar_type() == at::kHalf && x.is_contiguous() &&
               x.sizes() == at::IntArrayRef({weight.size(0), weight.size(1), TILE});
    };
    bool is_packed = weight.is_cuda() && weight.dim() == 3 && weight.is_contiguous() &&
                     weight.scalar_type() == at::kByte &&
                     (weight.size(2) == TILE_BYTES_8 || weight.size(2) == TILE_BYTES_4);
    return is_packed && is_table(scale) && (!minimum || !minimum->defined() || is_table(*minimum)) &&
           cuda::serves({&scale}) && rows <= weight.size(0) * TILE &&
           columns <= weight.size(1) * GROUP;
}

at::Tensor linear_anywhere(const at::Tensor &x, const at::Tensor &weight, const at::Tensor &scale,
                           const Optional &minimum, const Optional &bias, int64_t rows)
{
    check_no_gradient(x, "quantized_linear");
    if (x.dim() >= 1 && cuda::serves({&x}) &&
        is_on_gpu(weight, scale, minimum, rows, x.size(-1))) {
        at::Tensor b = bias && bias->defined() ? bias->to(x.scalar_type()) : at::Tensor();
        return cuda::quantized_linear(x, weight, scale, minimum.value_or(at::Tensor()), b, rows);
    }
    at::Tensor w = floats_of(weight, scale, minimum);
    TORCH_CHECK(x.dim() >= 1 && x.is_floating_point() && x.size(-1) <= w.size(1) &&
                    rows <= w.size(0),
                "a packed weight of ", weight.size(1), " groups of 32 columns does not multiply ",
                describe(x));
    w = w.narrow(0, 0, rows).narrow(1, 0, x.size(-1)).to(x.scalar_type());
    bool has_bias = bias && bias->defined();
    return at::linear(x, w, has_bias ? Optional(bias->to(x.scalar_type())) : std::nullopt);
}

at::Tensor rows_anywhere(const at::Tensor &ids, const at::Tensor &weight, const at::Tensor &scale,
                         const Optional &minimum, int64_t rows, int64_t columns)
{
    TORCH_CHECK(ids.scalar_type() == at::kLong, "expected ids of int64, got ", describe(ids));
    if (ids.is_cuda() && is_on_gpu(weight, scale, minimum, rows, columns))
        return cuda::quantized_rows(ids, weight, scale, minimum.value_or(at::Tensor()), rows,
                                    columns, at::kFloat);
    at::Tensor flat = ids.reshape({-1});
    std::vector<int64_t> sizes = ids.sizes().vec();
    sizes.push_back(columns);
    if (flat.numel() > weight.size(0))
        return floats_of(weight, scale, minimum).narrow(0, 0, rows).index_select(0, flat)
            .narrow(1, 0, columns).reshape(sizes);
    at::Tensor tiles = at::div(flat, TILE, "floor");
    auto chosen = [&](const at::Tensor &x) { return x.index_select(0, tiles); };
    at::Tensor found = floats_of(chosen(weight), chosen(scale),
                                 minimum && minimum->defined() ? Optional(chosen(*minimum))
                                                               : std::nullopt);
    at::Tensor place = at::arange(flat.numel(), flat.options()) * TILE + (flat - tiles * TILE);
    return found.index_select(0, place).narrow(1, 0, columns).reshape(sizes);
}

// The integers are found on the CPU.
std::tuple<at::Tensor, at::Tensor> quantize_anywhere(const at::Tensor &matrix, int64_t bits)
{
    auto [weight, scale] = quantize_weight(matrix.detach().to(at::kCPU), bits);
    return {weight.to(matrix.device()), scale.to(matrix.device())};
}

}  // namespace

TORCH_LIBRARY_FRAGMENT(lambent, library)
{
    library.def("quantized_linear(Tensor x, Tensor weight, Tensor scale, Tensor? minimum, "
                "Tensor? bias, int out_features) -> Tensor");
    library.def("quantized_rows(Tensor ids, Tensor weight, Tensor scale, Tensor? minimum, "
                "int rows, int columns) -> Tensor");
    library.def("quantize_weight(Tensor matrix, int bits) -> (Tensor, Tensor)");
}

TORCH_LIBRARY_IMPL(lambent, CPU, library)
{
    library.impl("quantized_linear", quantized_linear);
    library.impl("quantized_rows", quantized_rows);
    library.impl("quantize_weight", quantize_weight);
}

TORCH_LIBRARY_IMPL(lambent, CompositeExplicitAutograd, library)
{
    library.impl("quantized_linear", linear_anywhere);
    library.impl("quantized_rows", rows_anywhere);
    library.impl("quantize_weight", quantize_anywhere);
}
