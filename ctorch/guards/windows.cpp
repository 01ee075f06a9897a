// windows.cpp - guards of operators that move a window over images: paddings, pools, convolutions,
// and their gradients.
//
//     grad-output float32 (1 1 1 1), self float32 (1 0 2 3)
//  => expected shape (1 0 1 1) for grad-output, got (1 1 1 1)

#include "guards/guards.h"

namespace {

using ct::Arguments;
using ct::LARGEST_COUNT;
using ct::need_contiguous;
using ct::need_count;
using ct::need_dtype;
using ct::need_elements;
using ct::need_rank;
using ct::need_shape;
using ct::need_within;
using ct::Shape;

// Gradients of paddings and pools of N dimensions: an input of rank N + 1, or one more for batches.

template <int64_t N>
void pad_backward(const Arguments &a)
{
    at::Tensor self = a.tensor("self");
    std::vector<int64_t> padding = a.integers("padding");
    need_count("padding", padding.size(), 2 * N);
    need_rank("self", self, N + 1, N + 2);
    Shape padded = self.sizes().vec();
    for (size_t k = 0; k < N; k++) {
        for (size_t side : {2 * k, 2 * k + 1})
            need_within("padding", padding[side], -LARGEST_COUNT, LARGEST_COUNT);
        padded[padded.size() - 1 - k] += padding[2 * k] + padding[2 * k + 1];
    }
    need_shape("grad_output", a.tensor("grad_output"), padded);
}

template <int64_t N>
void reflection_backward(const Arguments &a)
{
    pad_backward<N>(a);
    at::Tensor self = a.tensor("self");
    std::vector<int64_t> padding = a.integers("padding");
    for (size_t k = 0; k < 2 * N; k++)
        need_within("padding", padding[k], -LARGEST_COUNT,
                    self.size(-1 - static_cast<int64_t>(k / 2)) - 1);
}

// indices: for each element of the gradient, the index in one plane of self to which it belongs.
void need_plane_indices(const at::Tensor &self, const at::Tensor &indices, const Shape &pooled,
                        size_t n)
{
    need_shape("indices", indices, pooled);
    need_dtype("indices", indices, at::kLong);
    int64_t plane = 1;
    for (size_t k = 1; k <= n; k++) plane *= self.size(-static_cast<int64_t>(k));
    need_within("indices", indices, 0, plane - 1);
}

template <int64_t N>
void fractional_backward(const Arguments &a)
{
    at::Tensor self = a.tensor("self");
    std::vector<int64_t> output = a.integers("output_size");
    need_count("output_size", output.size(), N);
    need_rank("self", self, N + 1, N + 2);
    Shape pooled = self.sizes().vec();
    std::copy(output.begin(), output.end(), pooled.end() - N);
    need_shape("grad_output", a.tensor("grad_output"), pooled);
    need_plane_indices(self, a.tensor("indices"), pooled, N);
    need_contiguous("indices", a.tensor("indices"));
}

template <int64_t N>
void pool_backward(const Arguments &a)
{
    at::Tensor self = a.tensor("self"), grad = a.tensor("grad_output");
    need_rank("self", self, N + 1, N + 2);
    need_rank("grad_output", grad, self.dim(), self.dim());
    Shape pooled = self.sizes().vec();
    std::copy(grad.sizes().end() - N, grad.sizes().end(), pooled.end() - N);
    need_shape("grad_output", grad, pooled);
    need_plane_indices(self, a.tensor("indices"), pooled, N);
}

// Sizes that LibTorch stores in 32 bits.
void small_sizes(const Arguments &a)
{
    for (const char *name : {"output_size", "kernel_size", "dilation", "padding", "stride"})
        for (int64_t size : a.integers(name)) need_within(name, size, -LARGEST_COUNT, LARGEST_COUNT);
}

// Padding by more elements than kernels count: the padded size would overflow.
void padding(const Arguments &a)
{
    for (const char *name : {"padding", "pad"})
        for (int64_t size : a.integers(name))
            need_within(name, size, -LARGEST_COUNT, LARGEST_COUNT);
}

// Convolutions get the kernel's size as well as the kernel.
template <int64_t N>
void kernel_size(const Arguments &a)
{
    at::Tensor weight = a.tensor("weight");
    std::vector<int64_t> kernel = a.integers("kernel_size");
    need_count("kernel_size", kernel.size(), N);
    if (weight.dim() != N + 2) return;
    Shape shape = weight.sizes().vec();
    std::copy(kernel.begin(), kernel.end(), shape.end() - N);
    need_shape("weight", weight, shape);
}

void convolution_backward(const Arguments &a)
{
    at::Tensor self = a.tensor("self"), weight = a.tensor("weight");
    need_rank("self", self, 4, 4);
    need_rank("weight", weight, 4, 4);
    kernel_size<2>(a);
    std::vector<int64_t> kernel = a.integers("kernel_size"), stride = a.integers("stride"),
                         padding = a.integers("padding");
    need_count("stride", stride.size(), 2);
    need_count("padding", padding.size(), 2);
    need_within("self", self.size(1), weight.size(1), weight.size(1));
    Shape convolved{self.size(0), weight.size(0)};
    for (int64_t k : {0, 1}) {
        need_within("stride", stride[k], 1, LARGEST_COUNT);
        need_within("padding", padding[k], 0, LARGEST_COUNT);
        convolved.push_back((self.size(2 + k) + 2 * padding[k] - kernel[k]) / stride[k] + 1);
    }
    need_shape("grad_output", a.tensor("grad_output"), convolved);
}

void fractional(const Arguments &a)
{
    for (const char *name : {"output_size", "kernel_size"})
        for (int64_t size : a.integers(name)) need_within(name, size, 1, LARGEST_COUNT);
}

// Libraries below LibTorch have arrays for so many dimensions.
void convolution(const Arguments &a)
{
    constexpr int64_t MOST = 5;  // batch, channels, and three of space
    for (const char *name : {"input", "self", "weight", "grad_output"})
        need_rank(name, a.tensor(name), 0, MOST);
    small_sizes(a);
}

void nnpack(const Arguments &a)
{
    at::Tensor input = a.tensor("input"), weight = a.tensor("weight");
    need_rank("input", input, 4, 4);
    need_rank("weight", weight, 4, 4);
    need_shape("weight", weight, {weight.size(0), input.size(1), weight.size(2), weight.size(3)});
    need_elements("bias", a.tensor("bias"), weight.size(0));
    for (const char *name : {"padding", "stride"}) {
        std::vector<int64_t> sizes = a.integers(name);
        need_count(name, sizes.size(), 2);
        for (int64_t size : sizes) need_within(name, size, *name == 's', LARGEST_COUNT);
    }
    for (const char *name : {"input", "weight", "bias"}) need_dtype(name, a.tensor(name), at::kFloat);
}

constexpr ct::Guarded WINDOW_GUARDS[] = {
    {"reflection_pad1d_backward", reflection_backward<1>},
    {"reflection_pad2d_backward", reflection_backward<2>},
    {"reflection_pad3d_backward", reflection_backward<3>},
    {"replication_pad1d_backward", pad_backward<1>},
    {"replication_pad2d_backward", pad_backward<2>},
    {"replication_pad3d_backward", pad_backward<3>},
    {"reflection_pad1d", padding},
    {"reflection_pad2d", padding},
    {"reflection_pad3d", padding},
    {"replication_pad1d", padding},
    {"replication_pad2d", padding},
    {"replication_pad3d", padding},
    {"constant_pad_nd", padding},
    {"pad", padding},
    {"_pad_circular", padding},
    {"_pad_enum", padding},
    {"fractional_max_pool2d_backward", fractional_backward<2>},
    {"fractional_max_pool3d_backward", fractional_backward<3>},
    {"adaptive_max_pool2d_backward", pool_backward<2>},
    {"adaptive_max_pool3d_backward", pool_backward<3>},
    {"max_pool2d_with_indices_backward", pool_backward<2>},
    {"max_pool3d_with_indices_backward", pool_backward<3>},
    {"col2im", small_sizes},
    {"im2col", small_sizes},
    {"fold", small_sizes},  // Lambent's own overloads of both
    {"unfold", small_sizes},
    {"thnn_conv2d", kernel_size<2>},
    {"_slow_conv2d_forward", kernel_size<2>},
    {"slow_conv_dilated2d", kernel_size<2>},
    {"slow_conv_transpose2d", kernel_size<2>},
    {"slow_conv3d", kernel_size<3>},
    {"slow_conv3d_forward", kernel_size<3>},
    {"slow_conv_dilated3d", kernel_size<3>},
    {"slow_conv_transpose3d", kernel_size<3>},
    {"conv_depthwise3d", kernel_size<3>},
    {"_slow_conv2d_backward", convolution_backward},
    {"_nnpack_spatial_convolution", nnpack},
    {"max_pool1d", small_sizes},
    {"fractional_max_pool2d", fractional},
    {"fractional_max_pool3d", fractional},
    {"max_pool1d_with_indices", small_sizes},
    {"avg_pool1d", small_sizes},
    {"convolution", convolution},
    {"_convolution", convolution},
    {"convolution_overrideable", convolution},
    {"mkldnn_convolution", convolution},
    {"convolution_backward", convolution},
};

}  // namespace

c10::ArrayRef<ct::Guarded> ct::window_guards() { return WINDOW_GUARDS; }
