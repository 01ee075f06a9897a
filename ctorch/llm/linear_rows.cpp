// linear_rows.cpp - a linear layer for a few rows, as in decoding one token of a few sequences.
//
// LibTorch treats it as a product of matrices: in bfloat16 and float16 it reads the weight at half
// the speed of memory, and for several rows in float32 at a fifth.  Here each row of the weight is
// read once, and multiplied by all rows, with sums in float32.  Only in inference mode: elsewhere a
// layer gives the same bits with and without gradients.

#include "llm/llm.h"
#include "quantize/parallel.h"

#include <ATen/autocast_mode.h>
#include <c10/core/InferenceMode.h>

using at::Tensor;

namespace {

constexpr int64_t BYTES_EACH = 1 << 16;  // of weights that pay for a thread
constexpr int64_t MOST_ROWS = 8, MOST_COLUMNS = 1 << 16;
constexpr int64_t MOST_BYTES = 3 << 13;  // of bfloat16 rows: LibTorch has a fast product for more
constexpr int64_t STRIP = 64;  // rows of the weight whose sums are written together

int64_t most_rows(const Tensor &w)
{
    if (w.scalar_type() != at::kBFloat16) return MOST_ROWS;
    return std::clamp<int64_t>(MOST_BYTES / (2 * w.size(1)), 1, MOST_ROWS);
}

bool applies(const Tensor &x, const Tensor &w, const std::optional<Tensor> &b)
{
    if (!c10::InferenceMode::is_enabled() || at::autocast::is_autocast_enabled(at::kCPU)) return false;
    if (w.dim() != 2 || x.dim() < 1 || x.size(-1) != w.size(1) || w.numel() == 0) return false;
    if (x.numel() > most_rows(w) * w.size(1) || x.numel() == 0) return false;
    if (w.stride(1) != 1 || w.size(1) > MOST_COLUMNS || !x.is_contiguous()) return false;
    if (!ct::llm::are_plain({&x, &w})) return false;
    if (b && (b->dim() != 1 || b->size(0) != w.size(0) || !b->is_contiguous() ||
              !ct::llm::are_plain({&x, &*b})))
        return false;
    return !ct::is_observed();
}

const float *floats_of(const Tensor &x)
{
    if (x.scalar_type() == at::kFloat) return x.const_data_ptr<float>();
    thread_local std::vector<float> floats;
    floats.resize(static_cast<size_t>(x.numel()));
    ct::kernels().to_floats(ct::llm::element_of(x), x.const_data_ptr(), floats.data(), x.numel());
    return floats.data();
}

}  // namespace

Tensor ct::llm::linear_rows(const Tensor &x, const Tensor &w, const std::optional<Tensor> &b)
{
    if (!applies(x, w, b)) return {};
    int64_t rows = w.size(0), columns = w.size(1), count = x.numel() / columns;
    std::vector<int64_t> sizes = x.sizes().vec();
    sizes.back() = rows;
    Tensor y = at::empty(sizes, x.options());
    Element dtype = element_of(x);
    const void *given = x.const_data_ptr();
    const float *xs = floats_of(x);
    auto *weight = static_cast<const char *>(w.const_data_ptr());
    auto *bias = b ? static_cast<const char *>(b->const_data_ptr()) : nullptr;
    auto *result = static_cast<char *>(y.mutable_data_ptr());
    auto size = static_cast<int64_t>(x.element_size());
    int64_t stride = w.stride(0);
    ct::parallel_ranges(rows, BYTES_EACH / (columns * size) + 1, [&](int64_t begin, int64_t end) {
        float sums[MOST_ROWS * STRIP];
        for (int64_t r = begin; r < end; r += STRIP) {
            int64_t some = std::min(STRIP, end - r);
            kernels().matrix_vectors(dtype, weight + r * stride * size, some, stride, given, xs,
                                     count, columns, sums, STRIP);
            for (int64_t c = 0; c < count; c++)
                kernels().from_floats(dtype, sums + c * STRIP, bias ? bias + r * size : nullptr,
                                      result + (c * rows + r) * size, some);
        }
    });
    return y;
}
