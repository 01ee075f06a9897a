// resample.cpp - resizing as Pillow does it, to the bit: what image models were trained on.
//
// Each output sample is a weighted sum of the input samples under a filter, which is widened where
// the picture gets smaller.  Rows and columns are resized one after the other; weights are whole
// numbers of 2^-22, and both results are rounded to bytes.

#include "errors/interrupts.h"
#include "images/images.h"

#include <ATen/ops/empty.h>

#include <cmath>

namespace {

using namespace ct;

constexpr int PRECISION = 22;  // bits after the point: 8 bits of samples, 2 for sums beyond 255

double box(double x) { return x > -0.5 && x <= 0.5 ? 1 : 0; }

double bilinear(double x) { return std::max(0.0, 1 - std::abs(x)); }

double sinc(double x) { return x == 0 ? 1 : std::sin(M_PI * x) / (M_PI * x); }

double hamming(double x)
{
    x = std::abs(x);
    return x >= 1 ? 0 : sinc(x) * (0.54 + 0.46 * std::cos(M_PI * x));
}

// Keys' cubic with a = -1/2.
double bicubic(double x)
{
    constexpr double a = -0.5;
    x = std::abs(x);
    if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
    return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0;
}

double lanczos(double x) { return x >= -3 && x < 3 ? sinc(x) * sinc(x / 3) : 0; }

struct Filter {
    const char *name;
    double (*weight)(double x);
    double support;
};

constexpr Filter FILTERS[] = {
    {"lanczos", lanczos, 3}, {"bilinear", bilinear, 1}, {"bicubic", bicubic, 2},
    {"box", box, 0.5},       {"hamming", hamming, 1},
};

// The input samples that an output sample depends on.
struct Window {
    int64_t first;
    std::vector<int32_t> weights;
};

Window window_at(const Filter &filter, int64_t k, int64_t in, int64_t out)
{
    double scale = static_cast<double>(in) / static_cast<double>(out);
    double stretch = std::max(scale, 1.0), support = filter.support * stretch;
    double center = (static_cast<double>(k) + 0.5) * scale;
    auto first = std::max<int64_t>(0, static_cast<int64_t>(center - support + 0.5));
    auto end = std::min(in, static_cast<int64_t>(center + support + 0.5));
    std::vector<double> weights;
    double sum = 0;
    for (int64_t x = first; x < end; x++) {
        double distance = (static_cast<double>(x) - center + 0.5) * (1 / stretch);
        weights.push_back(filter.weight(distance));
        sum += weights.back();
    }
    Window window{first, {}};
    for (double weight : weights) {
        double share = sum != 0 ? weight / sum : weight;
        double scaled = share * (1 << PRECISION);
        window.weights.push_back(static_cast<int32_t>(scaled + (share < 0 ? -0.5 : 0.5)));
    }
    return window;
}

// The samples nearest to the middle of each output sample; positions are added up, as in Pillow.
std::vector<Window> nearest_windows(int64_t in, int64_t out)
{
    double scale = static_cast<double>(in) / static_cast<double>(out), at = scale * 0.5;
    std::vector<Window> windows;
    for (int64_t k = 0; k < out; k++, at += scale)
        windows.push_back({std::min(static_cast<int64_t>(at), in - 1), {1 << PRECISION}});
    return windows;
}

std::vector<Window> windows_of(const std::string &name, int64_t in, int64_t out)
{
    if (name == "nearest") return nearest_windows(in, out);
    std::vector<Window> windows;
    for (int64_t k = 0; k < out; k++) {
        poll_interrupt();
        for (const Filter &filter : FILTERS)
            if (name == filter.name) windows.push_back(window_at(filter, k, in, out));
    }
    return windows;
}

uint8_t rounded(int32_t sum)
{
    return static_cast<uint8_t>(std::clamp(sum >> PRECISION, 0, 255));
}

constexpr int32_t HALF = 1 << (PRECISION - 1);

void resize_row(const uint8_t *from, uint8_t *to, const std::vector<Window> &windows)
{
    for (const Window &window : windows) {
        int32_t sum = HALF;
        const uint8_t *samples = from + window.first;
        for (size_t k = 0; k < window.weights.size(); k++) sum += samples[k] * window.weights[k];
        *to++ = rounded(sum);
    }
}

// sums: room for the sums of a row.
void add_rows(const uint8_t *from, int64_t width, uint8_t *to, const Window &window,
              std::vector<int32_t> &sums)
{
    std::fill(sums.begin(), sums.end(), HALF);
    const uint8_t *row = from + window.first * width;
    for (int32_t weight : window.weights) {
        for (int64_t x = 0; x < width; x++) sums[static_cast<size_t>(x)] += row[x] * weight;
        row += width;
    }
    for (int64_t x = 0; x < width; x++) to[x] = rounded(sums[static_cast<size_t>(x)]);
}

at::Tensor with_width(const at::Tensor &image, int64_t width, const std::string &filter)
{
    at::Tensor made = at::empty({image.size(0), image.size(1), width}, image.options());
    std::vector<Window> windows = windows_of(filter, image.size(2), width);
    const auto *from = image.const_data_ptr<uint8_t>();
    auto *to = made.mutable_data_ptr<uint8_t>();
    for (int64_t row = 0; row < image.size(0) * image.size(1); row++) {
        poll_interrupt();
        resize_row(from + row * image.size(2), to + row * width, windows);
    }
    return made;
}

at::Tensor with_height(const at::Tensor &image, int64_t height, const std::string &filter)
{
    int64_t width = image.size(2);
    at::Tensor made = at::empty({image.size(0), height, width}, image.options());
    std::vector<Window> windows = windows_of(filter, image.size(1), height);
    std::vector<int32_t> sums(static_cast<size_t>(width));
    const auto *from = image.const_data_ptr<uint8_t>();
    auto *to = made.mutable_data_ptr<uint8_t>();
    for (int64_t c = 0; c < image.size(0); c++)
        for (const Window &window : windows) {
            poll_interrupt();
            add_rows(from + c * image.size(1) * width, width, to, window, sums);
            to += width;
        }
    return made;
}

// Which comes first, which shows where sums leave the range of bytes; Pillow 13's rule.
bool columns_come_first(const at::Tensor &image, int64_t height, int64_t width)
{
    return image.size(1) > height && image.size(1) - height > 2 * (image.size(2) - width);
}

int64_t size_given(const ProcedureArguments &given, size_t k)
{
    if (given.values[k].kind != CT_INT) wrong_kind("an exact integer", given.values[k]);
    return given.values[k].i;
}

}  // namespace

namespace ct {

// (image height width filter), of bytes [channels, height, width], none of them 0, as
// stdlib/vision/image-processor.lisp has checked.
Owned resample_image(const ProcedureArguments &given)
{
    at::Tensor image = as_stored(given.tensor(0));
    int64_t height = size_given(given, 1), width = size_given(given, 2);
    std::string filter = given.text(3);
    bool height_is_first = columns_come_first(image, height, width);
    if (height_is_first) image = with_height(image, height, filter);
    if (width != image.size(2)) image = with_width(image, width, filter);
    if (height != image.size(1)) image = with_height(image, height, filter);
    return Owned::tensor(std::move(image));
}

}  // namespace ct
