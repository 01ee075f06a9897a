// images.cpp - resizing, and sampling on a grid, as in torch.nn.functional.
//
//     (tensor-interpolate images :scale-factor 2 :mode "bilinear")

#include "libtorch_versions.h"
#include "overloads/overloads.h"

#include <cmath>

namespace {

using at::Tensor;
using ct::boxed;
using ct::Failure;
using ct::Floats;
using ct::OverloadDefinition;
using ct::Ints;

// Resizing.

// One number is used for each dimension after the first two.
template <class T>
std::optional<std::vector<T>> for_each_dim(std::optional<std::vector<T>> given, int64_t dims,
                                           const char *name)
{
    if (given && given->size() == 1) given->resize(static_cast<size_t>(dims), given->front());
    if (!given || static_cast<int64_t>(given->size()) == dims) return given;
    throw Failure{"expected one number for " + std::string(name) + ", or " + std::to_string(dims) +
                      ", got " + std::to_string(given->size()),
                  ""};
}

struct Resizing {
    const Tensor &x;
    at::OptionalIntArrayRef size;
    std::optional<at::ArrayRef<double>> scale;
    bool align_corners, antialias;
};

// Each mode's function for 1, 2 and 3 dimensions.

Tensor nearest(const Resizing &r)
{
    if (r.x.dim() == 3) return at::upsample_nearest1d(r.x, r.size, r.scale);
    if (r.x.dim() == 4) return at::upsample_nearest2d(r.x, r.size, r.scale);
    return at::upsample_nearest3d(r.x, r.size, r.scale);
}

Tensor nearest_exact(const Resizing &r)
{
    if (r.x.dim() == 3) return at::_upsample_nearest_exact1d(r.x, r.size, r.scale);
    if (r.x.dim() == 4) return at::_upsample_nearest_exact2d(r.x, r.size, r.scale);
    return at::_upsample_nearest_exact3d(r.x, r.size, r.scale);
}

Tensor area(const Resizing &r)
{
    if (r.x.dim() == 3) return at::adaptive_avg_pool1d(r.x, *r.size);
    if (r.x.dim() == 4) return at::adaptive_avg_pool2d(r.x, *r.size);
    return at::adaptive_avg_pool3d(r.x, *r.size);
}

Tensor linear(const Resizing &r)
{
    return at::upsample_linear1d(r.x, r.size, r.align_corners, r.scale);
}

Tensor bilinear(const Resizing &r)
{
    return r.antialias ? at::_upsample_bilinear2d_aa(r.x, r.size, r.align_corners, r.scale)
                       : at::upsample_bilinear2d(r.x, r.size, r.align_corners, r.scale);
}

Tensor bicubic(const Resizing &r)
{
    return r.antialias ? at::_upsample_bicubic2d_aa(r.x, r.size, r.align_corners, r.scale)
                       : at::upsample_bicubic2d(r.x, r.size, r.align_corners, r.scale);
}

Tensor lanczos(const Resizing &r)
{
    if (!r.antialias) throw Failure{"mode \"lanczos\" needs :antialias #t", ""};
#if CT_HAS_LANCZOS
    return at::_upsample_lanczos2d_aa(r.x, r.size, r.align_corners, r.scale);
#else
    throw Failure{"mode \"lanczos\" needs LibTorch 2.12, and this is " TORCH_VERSION, ""};
#endif
}

Tensor trilinear(const Resizing &r)
{
    return at::upsample_trilinear3d(r.x, r.size, r.align_corners, r.scale);
}

struct Mode {
    const char *name;
    int64_t dims;  // 0 for any number
    bool aligns, antialiases;
    Tensor (*resize)(const Resizing &);
};

constexpr Mode MODES[] = {
    {"nearest", 0, false, false, nearest}, {"nearest-exact", 0, false, false, nearest_exact},
    {"area", 0, false, false, area},       {"linear", 1, true, false, linear},
    {"bilinear", 2, true, true, bilinear}, {"bicubic", 2, true, true, bicubic},
    {"lanczos", 2, true, true, lanczos},   {"trilinear", 3, true, false, trilinear},
};

const Mode &mode_named(const std::string &name, int64_t dims)
{
    std::string fitting;
    for (const Mode &mode : MODES) {
        if (mode.dims && mode.dims != dims) continue;
        if (mode.name == name) return mode;
        fitting += (fitting.empty() ? "\"" : ", \"") + std::string(mode.name) + '"';
    }
    throw Failure{"mode \"" + name + "\" does not fit an input of " + std::to_string(dims + 2) +
                      " dimensions",
                  "the modes that fit: " + fitting};
}

// The size that follows from scales, rounded down.
Ints scaled_size(const Tensor &x, const Floats &scale)
{
    Ints size;
    for (size_t k = 0; k < scale.size(); k++)
        size.push_back(static_cast<int64_t>(
            std::floor(static_cast<double>(x.size(static_cast<int64_t>(k) + 2)) * scale[k])));
    return size;
}

Tensor interpolate(Tensor input, std::optional<Ints> size, std::optional<Floats> scale_factor,
                   std::string mode_name, std::optional<bool> align_corners,
                   std::optional<bool> recompute_scale_factor, bool antialias)
{
    int64_t dims = input.dim() - 2;
    if (dims < 1 || dims > 3)
        throw Failure{"expected input of 3 to 5 dimensions, got shape " + ct::shape_text(input), ""};
    const Mode &mode = mode_named(mode_name, dims);
    if (!size == !scale_factor) throw Failure{"expected either a size or a scale-factor", ""};
    if (align_corners && !mode.aligns)
        throw Failure{"mode \"" + mode_name + "\" does not take align-corners", ""};
    if (antialias && !mode.antialiases)
        throw Failure{"mode \"" + mode_name + "\" does not take antialias", ""};
    if (size && recompute_scale_factor.value_or(false))
        throw Failure{"recompute-scale-factor cannot be used with a size", ""};
    size = for_each_dim(size, dims, "size");
    scale_factor = for_each_dim(scale_factor, dims, "scale-factor");
    if (scale_factor && (recompute_scale_factor.value_or(false) || mode.resize == area)) {
        size = scaled_size(input, *scale_factor);
        scale_factor.reset();
    }
    Resizing r{input, {}, {}, align_corners.value_or(false), antialias};
    if (size) r.size = *size;
    if (scale_factor) r.scale = *scale_factor;
    return mode.resize(r);
}

Tensor upsample(Tensor input, std::optional<Ints> size, std::optional<Floats> scale_factor,
                std::string mode, std::optional<bool> align_corners)
{
    return interpolate(input, size, scale_factor, mode, align_corners, std::nullopt, false);
}

Tensor upsample_nearest(Tensor input, std::optional<Ints> size, std::optional<Floats> scale_factor)
{
    return upsample(input, size, scale_factor, "nearest", std::nullopt);
}

Tensor upsample_bilinear(Tensor input, std::optional<Ints> size, std::optional<Floats> scale_factor)
{
    return upsample(input, size, scale_factor, "bilinear", true);
}

// The number that stands for a name: its index among the names.
int64_t index_of(const std::string &name, std::initializer_list<const char *> names,
                 const char *parameter)
{
    int64_t index = 0;
    std::string all;
    for (const char *known : names) {
        if (name == known) return index;
        all += (index++ ? " or \"" : "\"") + std::string(known) + '"';
    }
    throw Failure{"expected " + all + " for " + parameter + ", got \"" + name + '"', ""};
}

Tensor grid_sample(Tensor input, Tensor grid, std::string mode, std::string padding_mode,
                   bool align_corners)
{
    return at::grid_sampler(
        input, grid, index_of(mode, {"bilinear", "nearest", "bicubic"}, "mode"),
        index_of(padding_mode, {"zeros", "border", "reflection"}, "padding-mode"), align_corners);
}

// theta is [n, dims, dims + 1], where size is (n channels) followed by dims sizes.
void check_affine(const Tensor &theta, const Ints &size)
{
    int64_t dims = static_cast<int64_t>(size.size()) - 2;
    if (dims != 2 && dims != 3)
        throw Failure{"expected 4 or 5 numbers for size, got " + std::to_string(size.size()), ""};
    bool fits = theta.is_floating_point() && theta.dim() == 3 && theta.size(1) == dims &&
                theta.size(2) == dims + 1;
    if (!fits)
        throw Failure{"expected floating-point matrices of " + std::to_string(dims) + " by " +
                          std::to_string(dims + 1) + " for theta, got " + ct::describe(theta),
                      ""};
    for (int64_t n : size)
        if (n <= 0) throw Failure{"expected sizes of 1 or more, got " + ct::shape_text(size), ""};
}

Tensor affine_grid(Tensor theta, Ints size, bool align_corners)
{
    check_affine(theta, size);
    return at::affine_grid_generator(theta, size, align_corners);
}

constexpr OverloadDefinition IMAGE_OVERLOADS[] = {
    {"interpolate(Tensor input, int[1]? size=None, float[1]? scale_factor=None,"
     " str mode='nearest', bool? align_corners=None, bool? recompute_scale_factor=None,"
     " bool antialias=False) -> Tensor",
     boxed<interpolate>},
    {"upsample(Tensor input, int[1]? size=None, float[1]? scale_factor=None,"
     " str mode='nearest', bool? align_corners=None) -> Tensor",
     boxed<upsample>},
    {"upsample_nearest(Tensor input, int[1]? size=None, float[1]? scale_factor=None) -> Tensor",
     boxed<upsample_nearest>},
    {"upsample_bilinear(Tensor input, int[1]? size=None, float[1]? scale_factor=None) -> Tensor",
     boxed<upsample_bilinear>},
    {"grid_sample(Tensor input, Tensor grid, str mode='bilinear', str padding_mode='zeros',"
     " bool align_corners=False) -> Tensor",
     boxed<grid_sample>},
    {"affine_grid(Tensor theta, int[] size, bool align_corners=False) -> Tensor",
     boxed<affine_grid>},
};

}  // namespace

c10::ArrayRef<OverloadDefinition> ct::image_overloads() { return IMAGE_OVERLOADS; }
