// block_operators.cpp - weights that stay in K's blocks: made, unpacked and multiplied.
//
//     weight uint8 [rows, columns / 256 * bytes of a block]   the bytes say which of K's types it is
//
// A few rows of activations are multiplied by the blocks; for more, a part of the weight at a time
// becomes floats, which LibTorch multiplies.

#include "gguf/block_kernels.h"
#include "gguf/writer.h"
#include "quantize/parallel.h"
#include "tensor/handle.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linear.h>
#include <torch/library.h>

#include <algorithm>
#include <cmath>

namespace {

using namespace ct;
using Optional = std::optional<at::Tensor>;

constexpr int64_t BYTES_EACH = 1 << 15;        // of weights that pay for a thread
constexpr int64_t ELEMENTS_AT_ONCE = 1 << 21;  // of a product by floats: 8 MB
constexpr int64_t PARTS = 16;  // so many at least, so that threads end at the same time
constexpr float LARGEST_HALF = 65504;
constexpr uint32_t K_CODES[] = {10, 11, 12, 13, 14};

// The type whose blocks have so many bytes a row; NULL if there is none.
const GgufType *type_of_bytes(int64_t bytes, int64_t columns)
{
    for (uint32_t code : K_CODES) {
        const GgufType *type = gguf_type(code);
        if (columns % K_ELEMENTS == 0 && columns / K_ELEMENTS * type->bytes == bytes) return type;
    }
    return nullptr;
}

BlockMatrix checked_blocks(const at::Tensor &weight, int64_t columns)
{
    TORCH_CHECK(weight.dim() == 2 && weight.scalar_type() == at::kByte && weight.is_cpu() &&
                    weight.is_contiguous(),
                "expected a weight in blocks, uint8 (rows bytes), got ", describe(weight));
    const GgufType *type = type_of_bytes(weight.size(1), columns);
    TORCH_CHECK(columns > 0 && type, "a weight in blocks of ", weight.size(1),
                " bytes a row does not have ", columns, " columns");
    return {type, weight.const_data_ptr<uint8_t>(), weight.size(0), columns / K_ELEMENTS};
}

// Floats of all rows, those of the definition.
void decode_rows(const BlockMatrix &w, float *out)
{
    int64_t columns = w.blocks * K_ELEMENTS;
    parallel_ranges(w.rows, 1 + BYTES_EACH / columns, [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; r++)
            for (int64_t b = 0; b < w.blocks; b++)
                w.type->dequantize(w.row(r) + b * w.type->bytes,
                                   out + r * columns + b * K_ELEMENTS);
    });
}

// Floats of rows from first on, as many as out has.
void unpack_rows(const BlockMatrix &w, int64_t first, at::Tensor &out)
{
    auto *floats = out.mutable_data_ptr<float>();
    int64_t columns = out.size(1);
    parallel_ranges(out.size(0), 1 + BYTES_EACH / columns, [&](int64_t begin, int64_t end) {
        near_floats(w, first + begin, first + end, floats + begin * columns);
    });
}

at::Tensor decode_blocks(const at::Tensor &weight, int64_t columns)
{
    at::Tensor bytes = weight.contiguous();
    BlockMatrix w = checked_blocks(bytes, columns);
    at::Tensor out = at::empty({w.rows, columns}, weight.options().dtype(at::kFloat));
    decode_rows(w, out.mutable_data_ptr<float>());
    return out;
}

at::Tensor encode_blocks(const at::Tensor &matrix, c10::string_view name)
{
    TORCH_CHECK(matrix.dim() == 2 && matrix.is_floating_point() && matrix.is_cpu(),
                "expected a floating-point matrix on the CPU, got ", describe(matrix));
    const GgufType *type = nullptr;
    for (uint32_t code : K_CODES)
        if (name == gguf_type(code)->name) type = gguf_type(code);
    TORCH_CHECK(type, "expected Q2_K, Q3_K, Q4_K, Q5_K or Q6_K as the type of blocks, got ", name);
    int64_t rows = matrix.size(0), columns = matrix.size(1);
    TORCH_CHECK(columns > 0 && columns % K_ELEMENTS == 0, "blocks of ", name,
                " have 256 elements, which ", columns, " columns are not a multiple of");
    at::Tensor floats = matrix.detach();
    int64_t bytes = columns / K_ELEMENTS * type->bytes;
    at::Tensor made = at::empty({rows, bytes}, matrix.options().dtype(at::kByte));
    auto *out = made.mutable_data_ptr<uint8_t>();
    GgufQuantizer quantize = gguf_quantizer(type->name);
    std::atomic<bool> fits{true};
    parallel_ranges(rows, 1, [&](int64_t begin, int64_t end) {
        std::vector<float> row(static_cast<size_t>(columns));
        for (int64_t n = begin; n < end; n++) {
            read_row(floats, n, row.data());
            for (float x : row)
                if (!(std::fabs(x) <= LARGEST_HALF)) fits = false;  // nor NaN
            quantize(row.data(), columns, out + n * bytes);
        }
    });
    TORCH_CHECK(fits, "the matrix has elements that blocks cannot hold: NaN, or above 65504");
    return made;
}

void check_operands(const at::Tensor &x, const at::Tensor &weight, const Optional &bias)
{
    TORCH_CHECK(x.dim() >= 1 && x.is_floating_point(), "a weight in blocks does not multiply ",
                describe(x));
    TORCH_CHECK(!at::GradMode::is_enabled() || !x.requires_grad(),
                "block_linear records no gradient: multiply by the floats, or use it in no-grad");
    bool has_bias = bias && bias->defined();
    TORCH_CHECK(!has_bias || (bias->dim() == 1 && bias->size(0) == weight.size(0)),
                "expected a bias of (", weight.size(0), "), got ", has_bias ? describe(*bias) : "");
}

at::Tensor product_of_few(const at::Tensor &x, const BlockMatrix &w, int64_t count)
{
    thread_local BlockRows rows;  // its memory is kept: a token calls this for each layer
    at::Tensor floats = x.to(at::kFloat).contiguous();
    std::vector<int64_t> sizes = x.sizes().vec();
    sizes.back() = w.rows;
    at::Tensor y = at::empty(sizes, floats.options());
    if (count == 0) return y.to(x.scalar_type());
    quantize_block_rows(rows, floats.const_data_ptr<float>(), count, w.blocks * K_ELEMENTS);
    // The body runs in other threads, which have `rows` of their own.
    const BlockRows &shared = rows;
    auto *out = y.mutable_data_ptr<float>();
    auto body = [&w, &shared, out](int64_t begin, int64_t end) {
        multiply_blocks(w, shared, begin, end, out, w.rows);
    };
    int64_t least = std::max<int64_t>(1, BYTES_EACH / (w.blocks * w.type->bytes * count));
    if (w.rows < 2 * least) body(0, w.rows);
    else parallel_parts(w.rows, std::max<int64_t>(least, w.rows / PARTS), body);
    return x.scalar_type() == at::kFloat ? y : y.to(x.scalar_type());
}

at::Tensor product_of_many(const at::Tensor &x, const BlockMatrix &w)
{
    int64_t columns = w.blocks * K_ELEMENTS;
    std::vector<int64_t> sizes = x.sizes().vec();
    sizes.back() = w.rows;
    at::Tensor y = at::empty(sizes, x.options());
    int64_t part = std::max<int64_t>(1, ELEMENTS_AT_ONCE / columns);
    at::Tensor whole =
        at::empty({std::min(part, w.rows), columns}, x.options().dtype(at::kFloat));
    for (int64_t begin = 0; begin < w.rows; begin += part) {
        at::Tensor floats = whole.narrow(0, 0, std::min(part, w.rows - begin));
        unpack_rows(w, begin, floats);
        y.narrow(-1, begin, floats.size(0)).copy_(at::linear(x, floats.to(x.scalar_type())));
    }
    return y;
}

at::Tensor block_linear(const at::Tensor &x, const at::Tensor &weight, const Optional &bias)
{
    check_operands(x, weight, bias);
    at::Tensor bytes = weight.contiguous();
    BlockMatrix w = checked_blocks(bytes, x.size(-1));
    int64_t count = x.numel() / x.size(-1);
    at::Tensor y = count <= MOST_BLOCK_ROWS ? product_of_few(x, w, count) : product_of_many(x, w);
    if (bias && bias->defined()) y.add_(bias->to(x.scalar_type()));
    return y;
}

// On other devices the weight is unpacked by the CPU.

at::Tensor decode_anywhere(const at::Tensor &weight, int64_t columns)
{
    return decode_blocks(weight.to(at::kCPU), columns).to(weight.device());
}

at::Tensor encode_anywhere(const at::Tensor &matrix, c10::string_view name)
{
    return encode_blocks(matrix.detach().to(at::kCPU), name).to(matrix.device());
}

at::Tensor linear_anywhere(const at::Tensor &x, const at::Tensor &weight, const Optional &bias)
{
    check_operands(x, weight, bias);
    at::Tensor w = decode_anywhere(weight, x.size(-1)).to(x.scalar_type());
    bool has_bias = bias && bias->defined();
    return at::linear(x, w, has_bias ? Optional(bias->to(x.scalar_type())) : std::nullopt);
}

}  // namespace

TORCH_LIBRARY_FRAGMENT(lambent, library)
{
    library.def("decode_blocks(Tensor weight, int columns) -> Tensor");
    library.def("encode_blocks(Tensor matrix, str type) -> Tensor");
    library.def("block_linear(Tensor x, Tensor weight, Tensor? bias) -> Tensor");
}

TORCH_LIBRARY_IMPL(lambent, CPU, library)
{
    library.impl("decode_blocks", decode_blocks);
    library.impl("encode_blocks", encode_blocks);
    library.impl("block_linear", block_linear);
}

TORCH_LIBRARY_IMPL(lambent, CompositeExplicitAutograd, library)
{
    library.impl("decode_blocks", decode_anywhere);
    library.impl("encode_blocks", encode_anywhere);
    library.impl("block_linear", linear_anywhere);
}
