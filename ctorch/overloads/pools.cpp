// pools.cpp - pooling and patches as in torch.nn.functional.
//
//     (tensor-max-pool2d x 2 :return-indices #t)  =>  (maxima indices)

#include "overloads/overloads.h"

#include <cmath>

namespace {

using at::Tensor;
using ct::boxed;
using ct::Failure;
using ct::Floats;
using ct::OverloadDefinition;
using ct::Ints;
using ct::Several;

// Maxima, and their indices on demand.

Several one_or_both(std::tuple<Tensor, Tensor> found, bool both)
{
    auto &[values, indices] = found;
    return both ? Several{values, indices} : Several{values};
}

template <auto function>
Several max_pool(Tensor input, Ints kernel_size, Ints stride, Ints padding, Ints dilation,
                 bool ceil_mode, bool return_indices)
{
    return one_or_both(function(input, kernel_size, stride, padding, dilation, ceil_mode),
                       return_indices);
}

// The sizes, with the input's own for those that are left out.
Ints with_own(const Tensor &input, Ints sizes)
{
    int64_t rank = static_cast<int64_t>(sizes.size());
    for (int64_t k = 0; k < rank; k++) {
        if (sizes[k] != ct::ABSENT) continue;
        if (rank >= input.dim())
            throw Failure{"expected input of more than " + std::to_string(rank) +
                              " dimensions, got shape " + ct::shape_text(input),
                          ""};
        sizes[k] = input.size(k - rank);
    }
    return sizes;
}

template <auto function>
Several adaptive_max_pool(Tensor input, Ints output_size, bool return_indices)
{
    return one_or_both(function(input, with_own(input, output_size)), return_indices);
}

template <auto function>
Tensor adaptive_avg_pool(Tensor input, Ints output_size)
{
    return function(input, with_own(input, output_size));
}

template <auto function, size_t rank>
Several fractional_max_pool(Tensor input, Ints kernel_size, std::optional<Ints> output_size,
                            std::optional<Floats> output_ratio, bool return_indices,
                            ct::OptionalTensor random_samples)
{
    if (!output_size == !output_ratio)
        throw Failure{"expected either an output-size or an output-ratio", ""};
    if (!output_size) {
        output_size.emplace();
        for (size_t k = 0; k < rank; k++)
            output_size->push_back(static_cast<int64_t>(
                static_cast<double>(input.size(k - static_cast<int64_t>(rank))) *
                (*output_ratio)[k]));
    }
    if (!random_samples) {
        bool has_batch = input.dim() == static_cast<int64_t>(rank) + 2;
        int64_t channels = input.size(-1 - static_cast<int64_t>(rank));
        random_samples = at::rand({has_batch ? input.size(0) : 1, channels, rank}, input.options());
    }
    return one_or_both(function(input, kernel_size, *output_size, *random_samples), return_indices);
}

// The size before pooling: the requested one if it is near stride * (n - 1) + kernel - 2 padding.
Ints unpooled_size(const Tensor &input, const Ints &kernel, const Ints &stride, const Ints &padding,
                   std::optional<Ints> requested)
{
    int64_t rank = static_cast<int64_t>(kernel.size());
    Ints usual;
    for (int64_t k = 0; k < rank; k++)
        usual.push_back((input.size(k - rank) - 1) * stride[k] + kernel[k] - 2 * padding[k]);
    if (!requested) return usual;
    if (requested->size() == kernel.size() + 2)
        requested->erase(requested->begin(), requested->begin() + 2);
    bool fits = requested->size() == kernel.size();
    for (int64_t k = 0; fits && k < rank; k++)
        fits = std::abs((*requested)[k] - usual[k]) < stride[k];
    if (fits) return *requested;
    throw Failure{"expected an output-size near " + ct::shape_text(usual) + ", got " +
                      ct::shape_text(*requested),
                  ""};
}

template <size_t rank>
Tensor max_unpool(Tensor input, Tensor indices, Ints kernel, Ints stride, Ints padding,
                  std::optional<Ints> output_size)
{
    if (stride.empty()) stride = kernel;
    Ints size = unpooled_size(input, kernel, stride, padding, output_size);
    if constexpr (rank == 3) return at::max_unpool3d(input, indices, size, stride, padding);
    if constexpr (rank == 2) return at::max_unpool2d(input, indices, size);
    size.push_back(1);
    return at::max_unpool2d(input.unsqueeze(-1), indices.unsqueeze(-1), size).squeeze(-1);
}

// The norm of each window.

Tensor max_pool(const Tensor &x, const Ints &kernel, const Ints &stride, bool ceil_mode)
{
    Ints none(kernel.size(), 0), ones(kernel.size(), 1);
    if (kernel.size() == 1) return at::max_pool1d(x, kernel, stride, none, ones, ceil_mode);
    if (kernel.size() == 2) return at::max_pool2d(x, kernel, stride, none, ones, ceil_mode);
    return at::max_pool3d(x, kernel, stride, none, ones, ceil_mode);
}

Tensor avg_pool(const Tensor &x, const Ints &kernel, const Ints &stride, bool ceil_mode)
{
    Ints none(kernel.size(), 0);
    if (kernel.size() == 1) return at::avg_pool1d(x, kernel, stride, none, ceil_mode);
    if (kernel.size() == 2) return at::avg_pool2d(x, kernel, stride, none, ceil_mode);
    return at::avg_pool3d(x, kernel, stride, none, ceil_mode);
}

Tensor lp_pool(Tensor input, double p, Ints kernel, Ints stride, bool ceil_mode)
{
    if (std::isinf(p))
        return p > 0 ? max_pool(at::abs(input), kernel, stride, ceil_mode)
                     : -max_pool(-at::abs(input), kernel, stride, ceil_mode);
    int64_t count = 1;
    for (int64_t n : kernel) count *= n;
    Tensor means = avg_pool(at::pow(input, p), kernel, stride, ceil_mode);
    return at::pow(at::sign(means) * at::relu(at::abs(means)) * count, 1 / p);
}

// Patches.

Tensor unfold(Tensor input, Ints kernel_size, Ints dilation, Ints padding, Ints stride)
{
    return at::im2col(input, kernel_size, dilation, padding, stride);
}

Tensor fold(Tensor input, Ints output_size, Ints kernel_size, Ints dilation, Ints padding,
            Ints stride)
{
    return at::col2im(input, output_size, kernel_size, dilation, padding, stride);
}

#define MAX_POOL(N)                                                                              \
    {"max_pool" #N "d(Tensor input, int[" #N "] kernel_size, int[" #N "] stride=[], int[" #N     \
     "] padding=0, int[" #N "] dilation=1, bool ceil_mode=False, bool return_indices=False)"     \
     " -> (Tensor, Tensor)",                                                                     \
     boxed<max_pool<at::max_pool##N##d_with_indices>>}

#define ADAPTIVE_AVG_POOL(N)                                                                     \
    {"adaptive_avg_pool" #N "d(Tensor input, int?[" #N "] output_size) -> Tensor",               \
     boxed<adaptive_avg_pool<at::adaptive_avg_pool##N##d>>}

#define ADAPTIVE_MAX_POOL(N)                                                                     \
    {"adaptive_max_pool" #N "d(Tensor input, int?[" #N "] output_size, bool return_indices=True)" \
     " -> (Tensor, Tensor)",                                                                     \
     boxed<adaptive_max_pool<at::adaptive_max_pool##N##d>>}

#define FRACTIONAL_MAX_POOL(N)                                                                   \
    {"fractional_max_pool" #N "d(Tensor input, int[" #N "] kernel_size, int[" #N                 \
     "]? output_size=None, float[" #N "]? output_ratio=None, bool return_indices=False,"         \
     " Tensor? _random_samples=None) -> (Tensor, Tensor)",                                       \
     boxed<fractional_max_pool<at::fractional_max_pool##N##d, N>>}

#define LP_POOL(N)                                                                               \
    {"lp_pool" #N "d(Tensor input, float norm_type, int[" #N "] kernel_size, int[" #N            \
     "] stride=[], bool ceil_mode=False) -> Tensor",                                             \
     boxed<lp_pool>}

#define MAX_UNPOOL(N)                                                                            \
    {"max_unpool" #N "d(Tensor input, Tensor indices, int[" #N "] kernel_size, int[" #N          \
     "] stride=[], int[" #N "] padding=0, int[" #N "]? output_size=None) -> Tensor",             \
     boxed<max_unpool<N>>}

constexpr OverloadDefinition POOL_OVERLOADS[] = {
    MAX_POOL(1),
    MAX_POOL(2),
    MAX_POOL(3),
    ADAPTIVE_AVG_POOL(2),
    ADAPTIVE_AVG_POOL(3),
    ADAPTIVE_MAX_POOL(1),
    ADAPTIVE_MAX_POOL(2),
    ADAPTIVE_MAX_POOL(3),
    FRACTIONAL_MAX_POOL(2),
    FRACTIONAL_MAX_POOL(3),
    LP_POOL(1),
    LP_POOL(2),
    LP_POOL(3),
    MAX_UNPOOL(1),
    MAX_UNPOOL(2),
    MAX_UNPOOL(3),
    {"unfold(Tensor input, int[2] kernel_size, int[2] dilation=1, int[2] padding=0,"
     " int[2] stride=1) -> Tensor",
     boxed<unfold>},
    {"fold(Tensor input, int[2] output_size, int[2] kernel_size, int[2] dilation=1,"
     " int[2] padding=0, int[2] stride=1) -> Tensor",
     boxed<fold>},
};

}  // namespace

c10::ArrayRef<OverloadDefinition> ct::pool_overloads() { return POOL_OVERLOADS; }
