// check.cpp - the kernels for GPUs, run on the CPU, against the operators' own loops there.
//
//     ./check         nothing, or a line for each case that differs
//
// The kernels' text, made by kernels.py without its quotes, and the code that starts them
// (ctorch/cuda/kernels.cpp) are compiled into this program; the operators come from ctorch.

#include "cuda/kernels.h"
#include "llm/llm.h"
#include "quantize/quantize.h"
#include "emulation.h"

#include "cuda/driver.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/randperm.h>
#include <ATen/ops/zeros.h>

#include <cstdio>
#include <map>

using at::Tensor;

namespace {

using emulation::Launcher;

std::map<std::string, Launcher> launchers;

struct Added {
    Added(const char *definitions, const char *name, Launcher launcher)
    {
        launchers[std::string(definitions) + " " + name] = launcher;
    }
};

}  // namespace

#define ADDED(DEFINITIONS, NAME)                                                                   \
    static const Added NAME##_added(DEFINITIONS, #NAME, emulation::launcher_of<NAME>(NAME));

#include "instances.h"

// What the code of ctorch/cuda/kernels.cpp calls.

ct::cuda::Gpu::Gpu(int) {}
std::optional<int> ct::cuda::Gpu::multiprocessors() const { return 8; }

ct::cuda::Kernel ct::cuda::kernel_of(c10::DeviceIndex, const std::string &definitions,
                                     const char *name)
{
    auto found = launchers.find(definitions + " " + name);
    if (found != launchers.end()) return reinterpret_cast<Kernel>(found->second);
    std::printf("no instance of %s %s\n", definitions.c_str(), name);
    std::exit(1);
}

void ct::cuda::launch_with(Kernel kernel, const Grid &grid, void **arguments)
{
    reinterpret_cast<Launcher>(kernel)({static_cast<unsigned>(grid.x),
                                        static_cast<unsigned>(grid.y)},
                                       grid.threads, arguments);
}

namespace {

at::ScalarType dtype;
int failures = 0;

Tensor numbers(at::IntArrayRef sizes) { return at::randn(sizes).to(dtype); }

// bfloat16 has 8 bits, and a sum in another order may round to the next.
double tolerance() { return dtype == at::kFloat ? 2e-5 : dtype == at::kHalf ? 2e-3 : 1.6e-2; }

void compare(const std::string &what, const Tensor &x, const Tensor &y)
{
    bool fits = x.sizes() == y.sizes() && x.scalar_type() == y.scalar_type();
    double most = fits && x.numel()
        ? (x.to(at::kDouble) - y.to(at::kDouble)).abs().max().item<double>() : 0.0;
    double size = fits && x.numel() ? x.to(at::kDouble).abs().max().item<double>() : 0.0;
    if (fits && most <= tolerance() * std::max(1.0, size)) return;
    std::printf("%s of %s: %s, largest difference %g\n", what.c_str(), c10::toString(dtype),
                fits ? "values" : "shapes or dtypes", most);
    failures++;
}

void check_norms()
{
    for (int64_t count : {1, 7, 64, 300, 2100})
        for (double offset : {0.0, 1.0}) {
            Tensor x = numbers({3, count}), w = numbers({count});
            compare("rms_norm", ct::llm::fused_rms_norm(x, w, 1e-5, offset),
                    ct::cuda::rms_norm(x, w, 1e-5, offset));
        }
    Tensor x = numbers({5, 70}), gate = numbers({5, 35}), up = numbers({5, 35});
    using ct::cuda::Gate;
    compare("silu_mul", ct::llm::silu_mul(x, {}), ct::cuda::gated(x, {}, Gate::Silu));
    compare("silu_mul of two", ct::llm::silu_mul(gate, up), ct::cuda::gated(gate, up, Gate::Silu));
    compare("gelu_mul", ct::llm::gelu_mul(x, {}, "none"), ct::cuda::gated(x, {}, Gate::Gelu));
    compare("gelu_mul by tanh", ct::llm::gelu_mul(x, {}, "tanh"),
            ct::cuda::gated(x, {}, Gate::GeluTanh));
}

void check_rotation()
{
    for (bool is_interleaved : {false, true})
        for (int64_t pairs : {32, 10, 0}) {
            int64_t n = 2, t = 3, start = 2;
            Tensor joined = numbers({n, t, 8, 64}).transpose(1, 2);
            Tensor q = joined.narrow(1, 0, 4), k = joined.narrow(1, 4, 2), v = joined.narrow(1, 6, 2);
            for (bool is_of_rows : {false, true}) {
                std::vector<int64_t> sizes{t, pairs};
                if (is_of_rows) sizes.insert(sizes.begin(), n);
                Tensor angle = at::rand(sizes), cos = angle.cos(), sin = angle.sin();
                Tensor keys = at::zeros({n, 2, 9, 64}, q.options()), values = keys.clone();
                Tensor keys_2 = keys.clone(), values_2 = keys.clone();
                Tensor y = ct::llm::rotary_write_(keys, values, q, k, v, cos, sin, start,
                                                  is_interleaved);
                Tensor y_2 = at::empty(q.sizes(), q.options());
                ct::cuda::rotate({{&q, &y_2, true}, {&k, &keys_2, true}, {&v, &values_2, false}},
                                 cos, sin, start, is_interleaved);
                compare("rotary", y, y_2);
                compare("rotated keys", keys, keys_2);
                compare("written values", values, values_2);
            }
        }
}

struct Heads {
    int64_t heads, shared, width;
};

void check_attention(const Heads &size)
{
    for (int64_t length : {1, 5, 300})
        for (int64_t window : {0, 70})
            for (double softcap : {0.0, 5.0}) {
                int64_t n = 2, room = length + 3;
                Tensor q = numbers({n, size.heads, 1, size.width});
                Tensor k = numbers({n, size.shared, room, size.width});
                Tensor v = numbers({n, size.shared, room, size.width});
                std::optional<Tensor> padding;
                if (length > 4) padding = at::randint(0, length / 2, {n}, at::kLong);
                std::optional<int64_t> seen;
                if (window) seen = window;
                compare("attention",
                        ct::llm::cached_attention(q, k, v, length, padding, seen, {}, softcap),
                        ct::cuda::attend(q, k, v, {}, {length, window, std::nullopt, padding},
                                         1.0 / std::sqrt(size.width), softcap));
            }
}

void check_pages(const Heads &size)
{
    int64_t n = 3, page = 4, pages = 40;
    Tensor keys = at::zeros({pages, size.shared, page, size.width}, numbers({1}).options());
    Tensor values = keys.clone(), keys_2 = keys.clone(), values_2 = keys.clone();
    Tensor table = at::randperm(pages, at::kLong).narrow(0, 0, 36).reshape({n, 12});
    auto rows = [&](int64_t count) { return numbers({n, count, size.shared, size.width})
        .transpose(1, 2); };
    Tensor starts = at::zeros({n}, at::kLong);
    for (int64_t count : {7, 1, 30}) {
        Tensor k = rows(count), v = rows(count);
        ct::llm::paged_write_(keys, values, k, v, table, starts);
        ct::cuda::paged_write(keys_2, values_2, k, v, table, starts);
        compare("pages of keys", keys, keys_2);
        compare("pages of values", values, values_2);
        starts = starts + count - at::randint(0, 3, {n}, at::kLong).clamp_max(count - 1);
    }
    Tensor q = numbers({n, size.heads, 1, size.width});
    for (int64_t window : {0, 6}) {
        std::optional<int64_t> seen;
        if (window) seen = window;
        compare("paged attention",
                ct::llm::paged_attention(q, keys, values, table, starts, seen, {}, 0.0),
                ct::cuda::attend(q, keys, values, table, {48, window, starts, std::nullopt},
                                 1.0 / std::sqrt(size.width), 0.0));
    }
}

void check_integers()
{
    for (int bits : {8, 4})
        for (int64_t columns : {64, 100})
            for (bool has_minimum : {false, true}) {
                int64_t rows = 41;
                ct::PackedWeight w = ct::quantize_matrix(at::randn({rows, columns}), bits);
                if (has_minimum) w.minimum = at::rand(w.scale.sizes()).to(at::kHalf);
                std::optional<Tensor> minimum;
                if (has_minimum) minimum = w.minimum;
                ct::QuantizedMatrix matrix = ct::checked_matrix(w.weight, w.scale, minimum, rows);
                std::vector<float> row(static_cast<size_t>(matrix.groups * ct::GROUP));
                Tensor floats = at::empty({rows, columns});
                for (int64_t r = 0; r < rows; r++) {
                    ct::dequantize_row(matrix, r, row.data());
                    for (int64_t c = 0; c < columns; c++)
                        floats[r][c] = row[static_cast<size_t>(c)];
                }
                Tensor ids = at::randint(0, rows, {2, 5}, at::kLong);
                compare("rows of integers", floats.index_select(0, ids.flatten()).to(dtype)
                            .reshape({2, 5, columns}),
                        ct::cuda::quantized_rows(ids, w.weight, w.scale, w.minimum, rows, columns,
                                                 dtype));
                for (int64_t count : {1, 9, 30}) {
                    Tensor x = numbers({count, columns}), b = numbers({rows});
                    Tensor y = at::linear(x.to(at::kFloat), floats, b.to(at::kFloat)).to(dtype);
                    compare("product of integers", y,
                            ct::cuda::quantized_linear(x, w.weight, w.scale, w.minimum, b, rows));
                }
            }
}

}  // namespace

int main()
{
    for (at::ScalarType each : {at::kFloat, at::kBFloat16, at::kHalf}) {
        dtype = each;
        check_norms();
        check_rotation();
        for (Heads size : {Heads{6, 2, 64}, Heads{2, 2, 80}, Heads{16, 2, 16}, Heads{4, 1, 256}}) {
            check_attention(size);
            check_pages(size);
        }
        check_integers();
    }
    return failures != 0;
}
