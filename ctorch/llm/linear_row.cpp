// linear_row.cpp - a linear layer for one row, as in decoding one token: a matrix times a vector.
//
// LibTorch treats it as a product of matrices: in bfloat16 and float16 it reads the weight at half
// the speed of memory.  Here each row of the weight is one sum, in float32.

#include "llm/llm.h"
#include "quantize/parallel.h"

using at::Tensor;

namespace {

constexpr int64_t BYTES_EACH = 1 << 16;  // of weights that pay for a thread
constexpr int64_t MOST_COLUMNS = 1 << 16;

bool applies(const Tensor &x, const Tensor &w, const std::optional<Tensor> &b)
{
    if (w.dim() != 2 || x.dim() < 1 || x.numel() != w.size(1) || x.size(-1) != w.size(1)) return false;
    if (w.stride(1) != 1 || w.size(1) > MOST_COLUMNS || !x.is_contiguous()) return false;
    if (!ct::llm::are_plain({&x, &w}) || w.numel() == 0) return false;
    if (b && (b->dim() != 1 || b->size(0) != w.size(0) || !b->is_contiguous() ||
              !ct::llm::are_plain({&x, &*b})))
        return false;
    return !ct::is_observed();
}

}  // namespace

Tensor ct::llm::linear_row(const Tensor &x, const Tensor &w, const std::optional<Tensor> &b)
{
    if (!applies(x, w, b)) return {};
    int64_t rows = w.size(0), columns = w.size(1);
    std::vector<int64_t> sizes = x.sizes().vec();
    sizes.back() = rows;
    Tensor y = at::empty(sizes, x.options());
    Element dtype = element_of(x);
    const void *given = x.const_data_ptr();
    auto *weight = static_cast<const char *>(w.const_data_ptr());
    auto *bias = b ? static_cast<const char *>(b->const_data_ptr()) : nullptr;
    auto *result = static_cast<char *>(y.mutable_data_ptr());
    auto size = static_cast<int64_t>(x.element_size());
    thread_local std::vector<float> floats;
    const float *xs = static_cast<const float *>(given);
    if (dtype != Element::Float) {
        floats.resize(static_cast<size_t>(columns));
        kernels().to_floats(dtype, given, floats.data(), columns);
        xs = floats.data();
    }
    int64_t stride = w.stride(0);
    ct::parallel_ranges(rows, BYTES_EACH / (columns * size) + 1, [&](int64_t begin, int64_t end) {
        constexpr int64_t STRIP = 64;
        float sums[STRIP];
        for (int64_t r = begin; r < end; r += STRIP) {
            int64_t count = std::min(STRIP, end - r);
            kernels().matrix_vector(dtype, weight + r * stride * size, given, xs, sums, count,
                                    columns, stride);
            kernels().from_floats(dtype, sums, bias ? bias + r * size : nullptr, result + r * size,
                                  count);
        }
    });
    return y;
}
