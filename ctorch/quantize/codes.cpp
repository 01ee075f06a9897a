// codes.cpp - weights of 4-bit codes, such as NF4: from codes to floats, and their product.
//
//     weight uint8 [rows, columns / 2], the first code of a byte in its high half
//     scale  float32 [rows, blocks]     =>  code[q] * scale
//     code   float32 [parts, 16], whose first row counts
//
// A product unpacks a few megabytes of the weight at a time, which LibTorch then multiplies.  On
// other devices than the CPU, LibTorch's operators unpack all of it.

#include "quantize/parallel.h"

#include "tensor/handle.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/bitwise_and.h>
#include <ATen/ops/bitwise_right_shift.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/stack.h>
#include <torch/library.h>

#include <algorithm>

namespace {

using namespace ct;
using Optional = std::optional<at::Tensor>;

constexpr int64_t CODES = 16;
constexpr int64_t ELEMENTS_EACH = 1 << 15;   // that pay for a thread
constexpr int64_t ELEMENTS_AT_ONCE = 1 << 21;  // of a product: 8 MB of floats

void check_codes(const at::Tensor &weight, const at::Tensor &scale, const at::Tensor &code)
{
    TORCH_CHECK(weight.dim() == 2 && weight.scalar_type() == at::kByte,
                "expected a weight of 4-bit codes, uint8 (rows columns/2), got ", describe(weight));
    TORCH_CHECK(scale.dim() == 2 && scale.scalar_type() == at::kFloat &&
                    scale.size(0) == weight.size(0) && scale.size(1) > 0 &&
                    weight.size(1) * 2 % scale.size(1) == 0,
                "expected the scales of codes, float32 (", weight.size(0), " blocks), got ",
                describe(scale));
    TORCH_CHECK(code.dim() == 2 && code.scalar_type() == at::kFloat && code.size(0) > 0 &&
                    code.size(1) == CODES,
                "expected the values of codes, float32 (parts 16), got ", describe(code));
}

void check_factor(const at::Tensor &x, const at::Tensor &weight)
{
    int64_t columns = 2 * weight.size(1);
    TORCH_CHECK(x.dim() >= 1 && x.is_floating_point() && x.size(-1) == columns,
                "a weight of codes of ", columns, " columns does not multiply ", describe(x));
}

// Floats of rows from begin on, as many as out has.
void decode_rows(const at::Tensor &weight, const at::Tensor &scale, const at::Tensor &code,
                 int64_t begin, at::Tensor &out)
{
    int64_t columns = out.size(1), blocks = scale.size(1), block = columns / blocks;
    const uint8_t *bytes = weight.const_data_ptr<uint8_t>();
    const float *scales = scale.const_data_ptr<float>(), *values = code.const_data_ptr<float>();
    auto *floats = out.mutable_data_ptr<float>();
    int64_t least = std::max<int64_t>(1, ELEMENTS_EACH / std::max<int64_t>(1, columns));
    parallel_ranges(out.size(0), least, [&](int64_t first, int64_t end) {
        for (int64_t r = first; r < end; r++) {
            const uint8_t *q = bytes + (begin + r) * (columns / 2);
            const float *by = scales + (begin + r) * blocks;
            for (int64_t k = 0; k < columns; k++) {
                int code_of = k % 2 ? q[k / 2] & 15 : q[k / 2] >> 4;
                floats[r * columns + k] = values[code_of] * by[k / block];
            }
        }
    });
}

at::Tensor decode_codes(const at::Tensor &weight, const at::Tensor &scale, const at::Tensor &code)
{
    check_codes(weight, scale, code);
    at::Tensor out = at::empty({weight.size(0), 2 * weight.size(1)}, scale.options());
    decode_rows(weight.contiguous(), scale.contiguous(), code.contiguous(), 0, out);
    return out;
}

at::Tensor code_linear(const at::Tensor &x, const at::Tensor &weight, const at::Tensor &scale,
                       const at::Tensor &code, const Optional &bias)
{
    check_codes(weight, scale, code);
    check_factor(x, weight);
    int64_t rows = weight.size(0), columns = 2 * weight.size(1);
    TORCH_CHECK(!at::GradMode::is_enabled() || !x.requires_grad(),
                "code_linear records no gradient: multiply by the floats, or use it in no-grad");
    std::vector<int64_t> sizes = x.sizes().vec();
    sizes.back() = rows;
    at::Tensor y = at::empty(sizes, x.options());
    int64_t part = std::max<int64_t>(1, ELEMENTS_AT_ONCE / std::max<int64_t>(1, columns));
    at::Tensor whole = at::empty({std::min(part, rows), columns}, scale.options());
    at::Tensor w = weight.contiguous(), s = scale.contiguous(), c = code.contiguous();
    for (int64_t begin = 0; begin < rows; begin += part) {
        at::Tensor floats = whole.narrow(0, 0, std::min(part, rows - begin));
        decode_rows(w, s, c, begin, floats);
        y.narrow(-1, begin, floats.size(0)).copy_(at::linear(x, floats.to(x.scalar_type())));
    }
    if (bias && bias->defined()) y.add_(bias->to(x.scalar_type()));
    return y;
}

// On other devices.

at::Tensor decode_anywhere(const at::Tensor &weight, const at::Tensor &scale,
                           const at::Tensor &code)
{
    check_codes(weight, scale, code);
    at::Tensor q = at::stack({at::bitwise_right_shift(weight, 4), at::bitwise_and(weight, 15)}, 2);
    at::Tensor floats = code.select(0, 0).index_select(0, q.reshape({-1}).to(at::kLong));
    return (floats.reshape({weight.size(0), scale.size(1), -1}) * scale.unsqueeze(2))
        .reshape({weight.size(0), 2 * weight.size(1)});
}

at::Tensor linear_of_codes_anywhere(const at::Tensor &x, const at::Tensor &weight,
                                    const at::Tensor &scale, const at::Tensor &code,
                                    const Optional &bias)
{
    check_codes(weight, scale, code);
    check_factor(x, weight);
    at::Tensor w = decode_anywhere(weight, scale, code).to(x.scalar_type());
    bool has_bias = bias && bias->defined();
    return at::linear(x, w, has_bias ? Optional(bias->to(x.scalar_type())) : std::nullopt);
}

}  // namespace

TORCH_LIBRARY_FRAGMENT(lambent, library)
{
    library.def("decode_codes(Tensor weight, Tensor scale, Tensor code) -> Tensor");
    library.def("code_linear(Tensor x, Tensor weight, Tensor scale, Tensor code, Tensor? bias) "
                "-> Tensor");
}

TORCH_LIBRARY_IMPL(lambent, CPU, library)
{
    library.impl("decode_codes", decode_codes);
    library.impl("code_linear", code_linear);
}

TORCH_LIBRARY_IMPL(lambent, CompositeExplicitAutograd, library)
{
    library.impl("decode_codes", decode_anywhere);
    library.impl("code_linear", linear_of_codes_anywhere);
}
