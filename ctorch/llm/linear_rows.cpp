// linear_rows.cpp - a linear layer for a few rows, as in decoding one token of a few sequences, and
// for many rows of bfloat16, as in reading a prompt.
//
// LibTorch treats few rows as a product of matrices: in bfloat16 and float16 it reads the weight at
// half the speed of memory, and for several rows in float32 at a fifth.  Here each row of the
// weight is read once, and multiplied by all rows, with sums in float32.  For many rows of bfloat16
// a panel of the weight is put into the order of the processor's instruction, and multiplied by all
// rows; where the processor has matrix registers (AMX), LibTorch's product is faster.  Only in
// inference mode: elsewhere a layer gives the same bits with and without gradients.

#include "llm/llm.h"
#include "quantize/parallel.h"

#include <ATen/autocast_mode.h>
#include <c10/core/InferenceMode.h>

using at::Tensor;

namespace {

constexpr int64_t BYTES_EACH = 1 << 16;  // of weights that pay for a thread
constexpr int64_t MOST_ROWS = 8, MOST_COLUMNS = 1 << 16;
constexpr int64_t STRIP = 64;  // the most rows of the weight whose sums are written together
constexpr int64_t STRIPS = 16;  // so many at least, so that threads end at the same time

bool applies(const Tensor &x, const Tensor &w, const std::optional<Tensor> &b)
{
    if (!c10::InferenceMode::is_enabled()) return false;
    if (at::autocast::is_autocast_enabled(at::kCPU)) return false;
    if (w.dim() != 2 || x.dim() < 1 || x.size(-1) != w.size(1) || w.numel() == 0) return false;
    if (x.numel() == 0 || w.stride(1) != 1 || w.size(1) > MOST_COLUMNS) return false;
    if (!ct::llm::are_plain({&x, &w})) return false;
    if (b && (b->dim() != 1 || b->size(0) != w.size(0) || !b->is_contiguous() ||
              !ct::llm::are_plain({&x, &*b})))
        return false;
    return !ct::is_observed();
}

bool is_for_panels(const Tensor &x)
{
    return x.scalar_type() == at::kBFloat16 && ct::kernels().panel_product && !ct::has_amx();
}

const float *floats_of(const Tensor &x)
{
    if (x.scalar_type() == at::kFloat) return x.const_data_ptr<float>();
    thread_local std::vector<float> floats;
    floats.resize(static_cast<size_t>(x.numel()));
    ct::kernels().to_floats(ct::llm::element_of(x), x.const_data_ptr(), floats.data(), x.numel());
    return floats.data();
}

// What both products read and write.
struct Product {
    ct::Element dtype;
    const char *x, *weight, *bias;  // no bias: NULL
    char *result;
    int64_t count, columns, rows, stride, size;  // stride of the weight, size of an element

    Product(const Tensor &x, const Tensor &w, const std::optional<Tensor> &b, const Tensor &y)
        : dtype(ct::llm::element_of(x)), x(static_cast<const char *>(x.const_data_ptr())),
          weight(static_cast<const char *>(w.const_data_ptr())),
          bias(b ? static_cast<const char *>(b->const_data_ptr()) : nullptr),
          result(static_cast<char *>(y.mutable_data_ptr())), count(x.numel() / w.size(1)),
          columns(w.size(1)), rows(w.size(0)), stride(w.stride(0)),
          size(static_cast<int64_t>(x.element_size()))
    {
    }

    const char *bias_at(int64_t row) const { return bias ? bias + row * size : nullptr; }
};

void few_rows(const Product &p, const float *xs)
{
    auto body = [&](int64_t begin, int64_t end) {
        float sums[MOST_ROWS * STRIP];
        for (int64_t r = begin; r < end; r += STRIP) {
            int64_t some = std::min(STRIP, end - r);
            ct::kernels().matrix_vectors(p.dtype, p.weight + r * p.stride * p.size, some, p.stride,
                                         p.x, xs, p.count, p.columns, sums, STRIP);
            for (int64_t c = 0; c < p.count; c++)
                ct::kernels().from_floats(p.dtype, sums + c * STRIP, p.bias_at(r),
                                          p.result + (c * p.rows + r) * p.size, some);
        }
    };
    if (p.rows * p.columns * p.size < 2 * BYTES_EACH) return body(0, p.rows);
    int64_t least = BYTES_EACH / 2 / (p.columns * p.size) + 1;
    ct::parallel_parts(p.rows, std::clamp(p.rows / STRIPS, std::min(least, STRIP), STRIP), body);
}

void many_rows(const Product &p)
{
    ct::parallel_parts(p.rows, ct::PANEL_ROWS, [&](int64_t begin, int64_t end) {
        thread_local std::vector<uint16_t> room;
        auto needed = static_cast<size_t>(ct::PANEL_ROWS * (p.columns + 1));
        if (room.size() < needed) room.resize(needed);
        ct::kernels().panel_product(p.weight + begin * p.stride * p.size, end - begin, p.stride,
                                    p.x, p.count, p.columns, p.bias_at(begin),
                                    p.result + begin * p.size, p.rows, room.data());
    });
}

}  // namespace

Tensor ct::llm::linear_rows(const Tensor &given, const Tensor &w, const std::optional<Tensor> &b)
{
    if (!applies(given, w, b)) return {};
    bool is_few = given.numel() <= MOST_ROWS * w.size(1);
    if (!is_few && !is_for_panels(given)) return {};
    Tensor x = given.contiguous();
    std::vector<int64_t> sizes = x.sizes().vec();
    sizes.back() = w.size(0);
    Tensor y = at::empty(sizes, x.options());
    Product product(x, w, b, y);
    if (is_few) few_rows(product, floats_of(x));
    else many_rows(product);
    return y;
}
