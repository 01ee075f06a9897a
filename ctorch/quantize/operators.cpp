// operators.cpp - the operators on quantized weights, with their schemas.
//
//     (tensor-lambent::quantized-linear x weight scale minimum bias 32000)
//     (tensor-lambent::quantized-rows ids weight scale minimum 32000 288)
//
// They record no gradient: a module that learns multiplies by the floats (stdlib/quantize/).

#include "quantize/parallel.h"
#include "quantize/quantize.h"

#include "tensor/handle.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <torch/library.h>

#include <algorithm>

namespace {

using namespace ct;
using Optional = std::optional<at::Tensor>;

constexpr int64_t BYTES_EACH = 1 << 15;  // of weights that pay for a thread
constexpr int64_t ROWS_EACH = 8;

void check_no_gradient(const at::Tensor &x, const char *name)
{
    TORCH_CHECK(!at::GradMode::is_enabled() || !x.requires_grad(), name,
                " records no gradient: multiply by the dequantized weight, or use it in no-grad");
}

// The rows of x as floats: x itself if it is like that.
at::Tensor float_rows(const at::Tensor &x)
{
    return x.reshape({-1, x.size(-1)}).to(at::kFloat).contiguous();
}

std::vector<int64_t> with_last(const at::Tensor &x, int64_t last)
{
    std::vector<int64_t> sizes = x.sizes().vec();
    sizes.back() = last;
    return sizes;
}

void add_bias(float *y, int64_t count, int64_t stride, const at::Tensor &bias)
{
    at::Tensor floats = bias.to(at::kFloat).contiguous();
    const float *b = floats.const_data_ptr<float>();
    for (int64_t r = 0; r < count; r++)
        for (int64_t n = 0; n < floats.numel(); n++) y[r * stride + n] += b[n];
}

at::Tensor quantized_linear(const at::Tensor &x, const at::Tensor &weight, const at::Tensor &scale,
                            const Optional &minimum, const Optional &bias, int64_t rows)
{
    check_no_gradient(x, "quantized_linear");
    QuantizedMatrix w = checked_matrix(weight, scale, minimum, rows);
    TORCH_CHECK(x.dim() >= 1 && x.is_floating_point() && x.is_cpu() &&
                    (x.size(-1) + GROUP - 1) / GROUP == w.groups,
                "a packed weight of ", w.groups, " groups of 32 columns does not multiply ",
                describe(x));
    bool has_bias = bias && bias->defined();
    TORCH_CHECK(!has_bias || (bias->dim() == 1 && bias->size(0) == rows), "expected a bias of (",
                rows, "), got ", has_bias ? describe(*bias) : "");
    at::Tensor floats = float_rows(x);
    int64_t count = floats.size(0), stride = w.tiles * TILE;
    QuantizedRows xs = quantize_rows(floats.const_data_ptr<float>(), count, x.size(-1), w.groups,
                                     w.offset());
    at::Tensor y = at::empty({count, stride}, floats.options());
    float *out = y.mutable_data_ptr<float>();
    int64_t least = std::max<int64_t>(1, BYTES_EACH / std::max<int64_t>(1, w.groups * w.tile_bytes()));
    parallel_ranges(w.tiles, least, [&](int64_t begin, int64_t end) {
        multiply_tiles(w, xs, begin, end, out, stride);
    });
    if (has_bias) add_bias(out, count, stride, *bias);
    if (stride != rows) y = y.narrow(1, 0, rows).contiguous();
    return y.to(x.scalar_type()).reshape(with_last(x, rows));
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
