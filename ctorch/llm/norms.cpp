// norms.cpp - root mean square norms and gated activations in one pass.
//
//     fused_rms_norm(x [2, 5, 64], weight [64], 1e-6)  =>  x / sqrt(mean(x^2) + 1e-6) * weight
//
// The rounding is that of the models themselves: Llama's norm is rounded to the dtype before it is
// multiplied by the weight, Gemma's (offset 1) after it.

#include "cuda/kernels.h"
#include "llm/llm.h"
#include "quantize/parallel.h"

using at::Tensor;
using ct::Failure;

namespace {

constexpr int64_t ELEMENTS_EACH = 1 << 14;  // that pay for a thread

Tensor composed_norm(const Tensor &x, const Tensor &weight, double eps, double offset)
{
    at::ScalarType wide = x.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
    Tensor floats = x.to(wide);
    Tensor norm = floats * at::rsqrt(at::mean(at::square(floats), -1, true) + eps);
    if (offset == 0.0) return norm.to(x.scalar_type()) * weight;
    return (norm * (weight.to(wide) + offset)).to(x.scalar_type());
}

// Gate and up, which may be the halves of one tensor.
struct Halves {
    Tensor gate, up;
    bool is_joined;

    Halves(const Tensor &given, const std::optional<Tensor> &other) : gate(given), is_joined(!other)
    {
        ct::llm::need_floats("gate", given, other ? 0 : 1);
        if (other) {
            ct::llm::need_floats("up", *other, 0);
            up = *other;
        } else if (given.size(-1) % 2 != 0)
            ct::llm::wrong_shape("an even size for the last dimension, gate and up", given);
    }

    bool is_fused() const
    {
        if (is_joined) return ct::llm::are_plain({&gate});
        return ct::llm::are_plain({&gate, &up}) && gate.sizes() == up.sizes();
    }

    template <class Activation>
    Tensor composed(const Activation &active) const
    {
        if (!is_joined) return active(gate) * up;
        int64_t half = gate.size(-1) / 2;
        return active(gate.narrow(-1, 0, half)) * gate.narrow(-1, half, half);
    }

    bool is_on_gpu() const
    {
        if (is_joined) return ct::cuda::serves({&gate});
        return ct::cuda::serves({&gate, &up}) && gate.sizes() == up.sizes();
    }

    Tensor fused(bool is_silu) const
    {
        Tensor g = gate.contiguous(), u = is_joined ? g : up.contiguous();
        std::vector<int64_t> sizes = g.sizes().vec();
        if (is_joined) sizes.back() /= 2;
        Tensor y = at::empty(sizes, g.options());
        if (y.numel() == 0) return y;
        auto *from = static_cast<const char *>(g.const_data_ptr());
        auto *by = static_cast<const char *>(u.const_data_ptr());
        auto *to = static_cast<char *>(y.mutable_data_ptr());
        auto size = static_cast<int64_t>(g.element_size());
        int64_t row = is_joined ? sizes.back() : y.numel(), step = is_joined ? 2 * row : row;
        if (is_joined) by += row * size;
        auto run = [&](int64_t r, int64_t begin, int64_t end) {
            ct::kernels().gate(ct::llm::element_of(g), is_silu, from + (r * step + begin) * size,
                               by + (r * step + begin) * size, to + (r * row + begin) * size,
                               end - begin);
        };
        int64_t rows = y.numel() / row;
        if (rows == 1)
            ct::parallel_ranges(row, ELEMENTS_EACH,
                                [&](int64_t begin, int64_t end) { run(0, begin, end); });
        else
            ct::parallel_ranges(rows, ELEMENTS_EACH / row + 1, [&](int64_t begin, int64_t end) {
                for (int64_t r = begin; r < end; r++) run(r, 0, row);
            });
        return y;
    }
};

}  // namespace

Tensor ct::llm::fused_rms_norm(const Tensor &input, const Tensor &weight, double eps, double offset)
{
    need_floats("input", input, 1);
    need_floats("weight", weight, 1);
    int64_t count = input.size(-1);
    if (weight.dim() != 1 || weight.size(0) != count)
        wrong_shape("a weight of shape (" + std::to_string(count) +
                        "), as the last dimension of the input",
                    weight);
    if (!(eps >= 0.0))
        throw Failure{"expected eps of 0 or more, got " + ct::double_text(eps), ""};
    if (cuda::serves({&input, &weight})) return cuda::rms_norm(input, weight, eps, offset);
    if (!are_plain({&input, &weight})) return composed_norm(input, weight, eps, offset);
    Tensor x = input.contiguous(), w = weight.contiguous(), y = at::empty(x.sizes(), x.options());
    if (x.numel() == 0) return y;
    auto *from = static_cast<const char *>(x.const_data_ptr());
    auto *to = static_cast<char *>(y.mutable_data_ptr());
    int64_t stride = count * static_cast<int64_t>(x.element_size());
    int64_t rows = x.numel() / count;
    ct::parallel_ranges(rows, ELEMENTS_EACH / count + 1, [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; r++)
            kernels().rms_norm(element_of(x), from + r * stride, w.const_data_ptr(),
                               to + r * stride, count, static_cast<float>(eps),
                               static_cast<float>(offset));
    });
    return y;
}

Tensor ct::llm::silu_mul(const Tensor &gate, const std::optional<Tensor> &up)
{
    Halves halves(gate, up);
    if (halves.is_on_gpu()) return cuda::gated(halves.gate, halves.up, cuda::Gate::Silu);
    if (halves.is_fused()) return halves.fused(true);
    return halves.composed([](const Tensor &x) { return at::silu(x); });
}

Tensor ct::llm::gelu_mul(const Tensor &gate, const std::optional<Tensor> &up,
                         std::string_view approximate)
{
    Halves halves(gate, up);
    if (halves.is_on_gpu() && (approximate == "tanh" || approximate == "none"))
        return cuda::gated(halves.gate, halves.up,
                           approximate == "tanh" ? cuda::Gate::GeluTanh : cuda::Gate::Gelu);
    if (approximate == "tanh" && halves.is_fused()) return halves.fused(false);
    return halves.composed([&](const Tensor &x) { return at::gelu(x, approximate); });
}
