// kernels.cpp - start the kernels of kernels_source.h, whose parameters these are.

#include "cuda/kernels.h"

#include "cuda/driver.h"
#include "llm/llm.h"
#include "quantize/quantize.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/linear.h>
#include <c10/core/DeviceGuard.h>

#include <bit>

using at::Tensor;
using ct::cuda::Grid;
using ct::cuda::Kernel;

namespace {

constexpr int64_t MOST_GROUP = 8;    // queries of a block of `attend`
constexpr int64_t KEYS_EACH = 64;    // of a part of the positions, at least
constexpr int64_t BLOCKS_EACH = 4;   // of `attend`, for a multiprocessor
constexpr int64_t MOST_PARTS = 64;
constexpr int64_t MOST_Y = 65535;    // blocks
constexpr int64_t FEW_ROWS = 16;     // that are multiplied by integers as they are
constexpr unsigned ATTEND_THREADS = 128;  // THREADS of the kernels

// The structures of kernels_source.h.
struct Part {
    const void *from;
    void *to;
    int64_t heads, from_row, from_head, from_time, to_row, to_head, to_time;
    int is_rotated;
};
struct Store {
    const void *data;
    int64_t page_step, head_step, time_step;
};
struct Pages {
    const int64_t *table;
    int64_t columns, size, count;
};
struct Queries {
    const void *from;
    void *to;
    float *parts;
    int64_t heads, shared;
    const int64_t *lengths, *padding;
    int64_t length, window;
    float scale, softcap;
};
struct Quantized {
    const void *weight, *scale, *minimum;
    int64_t tiles, groups;
    int bits;
};

enum class Program { Norms, Attention, Integers };

std::string definitions(Program program, at::ScalarType dtype)
{
    int element = dtype == at::kFloat ? 0 : dtype == at::kBFloat16 ? 1 : 2;
    return "-DPROGRAM=" + std::to_string(static_cast<int>(program)) +
           " -DELEMENT=" + std::to_string(element);
}

Kernel kernel_for(const Tensor &x, Program program, const char *name)
{
    return ct::cuda::kernel_of(x.device().index(), definitions(program, x.scalar_type()), name);
}

bool is_on()
{
    static const bool is_on = ct::processor() != ct::Processor::Portable ||
                              std::getenv("LAMBENT_KERNEL") == nullptr;
    return is_on;
}

bool has_kernels(const Tensor &x)
{
    c10::DeviceGuard guard(x.device());
    return kernel_for(x, Program::Norms, "rms_norm") != nullptr;
}

bool is_served(const Tensor &x, const Tensor &like)
{
    at::ScalarType dtype = x.scalar_type();
    return x.is_cuda() && x.layout() == at::kStrided && x.device() == like.device() &&
           dtype == like.scalar_type() && !ct::llm::is_recorded_now(x) &&
           (dtype == at::kFloat || dtype == at::kBFloat16 || dtype == at::kHalf);
}

int64_t divided_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

const int64_t *integers(const std::optional<Tensor> &x)
{
    return x ? x->const_data_ptr<int64_t>() : nullptr;
}

Store store_of(const Tensor &x)
{
    return {x.const_data_ptr(), x.stride(0), x.stride(1), x.stride(2)};
}

Pages pages_of(const Tensor &table, const Tensor &keys)
{
    if (!table.defined()) return {nullptr, 0, 0, keys.size(0)};
    return {table.const_data_ptr<int64_t>(), table.size(1), keys.size(2), keys.size(0)};
}

// Parts of the positions, so that all multiprocessors have work.
int64_t parts_of(int64_t blocks, int64_t positions, c10::DeviceIndex device)
{
    static const int64_t wanted = BLOCKS_EACH * ct::cuda::Gpu(device).multiprocessors().value_or(64);
    int64_t parts = std::min(divided_up(positions, KEYS_EACH), wanted / std::max<int64_t>(blocks, 1));
    return std::clamp<int64_t>(parts, 1, MOST_PARTS);
}

// The most queries that share a head of keys and fit in a block, with no rest.
int64_t group_of(int64_t shared_by)
{
    for (int64_t group = std::min(shared_by, MOST_GROUP); group > 1; group--)
        if (shared_by % group == 0) return group;
    return 1;
}

Kernel attention_kernel(const Tensor &query, int64_t group, const char *name)
{
    std::string text = definitions(Program::Attention, query.scalar_type()) +
                       " -DWIDTH=" + std::to_string(query.size(3)) +
                       " -DGROUP=" + std::to_string(group);
    return ct::cuda::kernel_of(query.device().index(), text, name);
}

Quantized quantized(const Tensor &weight, const Tensor &scale, const Tensor &minimum)
{
    return {weight.const_data_ptr(), scale.const_data_ptr(),
            minimum.defined() ? minimum.const_data_ptr() : nullptr, weight.size(0), weight.size(1),
            weight.size(2) == ct::TILE_BYTES_8 ? 8 : 4};
}

}  // namespace

bool ct::cuda::serves(std::initializer_list<const Tensor *> xs)
{
    const Tensor &first = **xs.begin();
    if (!first.is_cuda() || !is_on()) return false;
    return std::all_of(xs.begin(), xs.end(),
                       [&](const Tensor *x) { return is_served(*x, first); }) &&
           has_kernels(first);
}

Tensor ct::cuda::rms_norm(const Tensor &input, const Tensor &weight, double eps, double offset)
{
    c10::DeviceGuard guard(input.device());
    Tensor x = input.contiguous(), w = weight.contiguous(), y = at::empty(x.sizes(), x.options());
    if (x.numel() == 0) return y;
    int64_t count = x.size(-1);
    unsigned threads = count <= 1024 ? 128 : count <= 2048 ? 256 : 512;
    launch(kernel_for(x, Program::Norms, "rms_norm"), {x.numel() / count, 1, threads},
           x.const_data_ptr(), w.const_data_ptr(), y.mutable_data_ptr(), count,
           static_cast<float>(eps), static_cast<float>(offset));
    return y;
}

Tensor ct::cuda::gated(const Tensor &gate, const Tensor &up, Gate kind)
{
    c10::DeviceGuard guard(gate.device());
    Tensor g = gate.contiguous(), u = up.defined() ? up.contiguous() : g;
    std::vector<int64_t> sizes = g.sizes().vec();
    int64_t step = sizes.empty() ? 1 : sizes.back(), width = step;
    if (!up.defined()) sizes.back() = width = step / 2;
    Tensor y = at::empty(sizes, g.options());
    if (y.numel() == 0) return y;
    auto *first = static_cast<const char *>(u.const_data_ptr());
    if (!up.defined()) first += width * static_cast<int64_t>(g.element_size());
    launch(kernel_for(g, Program::Norms, "gate_up"), {divided_up(y.numel(), 256), 1, 256},
           g.const_data_ptr(), static_cast<const void *>(first), y.mutable_data_ptr(),
           y.numel() / width, width, step, step, static_cast<int>(kind));
    return y;
}

void ct::cuda::rotate(std::initializer_list<Rotated> parts, const Tensor &cos, const Tensor &sin,
                      int64_t start, bool is_interleaved)
{
    const Tensor &first = *parts.begin()->from;
    c10::DeviceGuard guard(first.device());
    Part given[3] = {};
    int64_t heads = 0, k = 0;
    for (const Rotated &part : parts) {
        const Tensor &x = *part.from, &y = *part.to;
        auto *to = static_cast<char *>(y.mutable_data_ptr());
        if (k) to += start * y.stride(2) * static_cast<int64_t>(y.element_size());
        given[k++] = {x.const_data_ptr(), to, x.size(1), x.stride(0), x.stride(1), x.stride(2),
                      y.stride(0), y.stride(1), y.stride(2), part.is_rotated};
        heads += x.size(1);
    }
    int64_t times = first.size(2), width = first.size(3), pairs = cos.size(-1);
    if (first.size(0) * times * heads * width == 0) return;
    int64_t angle_row = cos.dim() == 3 ? cos.size(1) * pairs : 0;
    unsigned threads = width <= 64 ? 32 : width <= 128 ? 64 : 128;
    launch(kernel_for(first, Program::Norms, "rotate"), {first.size(0) * times, heads, threads},
           given[0], given[1], given[2], cos.const_data_ptr<float>(), sin.const_data_ptr<float>(),
           times, pairs, width, angle_row, static_cast<int>(is_interleaved));
}

bool ct::cuda::attends(const Tensor &query, const Tensor &keys, const Tensor &values)
{
    if (query.size(2) != 1 || query.numel() == 0 || !serves({&query, &keys, &values})) return false;
    int64_t width = query.size(3), vector = 16 / static_cast<int64_t>(query.element_size());
    auto is_aligned = [&](const Tensor &x) {
        bool fits = x.stride(3) == 1 && reinterpret_cast<uintptr_t>(x.const_data_ptr()) % 16 == 0;
        for (int64_t k = 0; k < 3; k++) fits = fits && x.stride(k) % vector == 0;
        return fits;
    };
    if (width % 8 != 0 || width > 256 || !is_aligned(keys) || !is_aligned(values)) return false;
    c10::DeviceGuard guard(query.device());
    return attention_kernel(query, group_of(query.size(1) / keys.size(1)), "attend") != nullptr;
}

Tensor ct::cuda::attend(const Tensor &given, const Tensor &keys, const Tensor &values,
                        const Tensor &table, const Seen &seen, double scale, double softcap)
{
    c10::DeviceGuard guard(given.device());
    Tensor query = given.contiguous(), result = at::empty(query.sizes(), query.options()), room;
    if (reinterpret_cast<uintptr_t>(query.const_data_ptr()) % 16) query = query.clone();
    int64_t heads = query.size(1), width = query.size(3), group = group_of(heads / keys.size(1));
    int64_t blocks = query.size(0) * heads / group;
    int64_t most = seen.length;
    if (seen.window) most = std::min(most, seen.window);
    int64_t parts = parts_of(blocks, most, query.device().index());
    if (parts > 1)
        room = at::empty({query.size(0) * heads * parts * (width + 2)},
                         query.options().dtype(at::kFloat));
    float *sums = parts > 1 ? room.mutable_data_ptr<float>() : nullptr;
    Queries queries{query.const_data_ptr(), result.mutable_data_ptr(), sums, heads, keys.size(1),
                    integers(seen.lengths), integers(seen.padding), seen.length, seen.window,
                    static_cast<float>(scale), static_cast<float>(softcap)};
    launch(attention_kernel(query, group, "attend"), {blocks, parts, ATTEND_THREADS}, queries,
           store_of(keys), store_of(values), pages_of(table, keys));
    if (parts > 1)
        launch(attention_kernel(query, group, "join"),
               {query.size(0) * heads, 1, static_cast<unsigned>(divided_up(width, 32) * 32)},
               static_cast<const float *>(sums), result.mutable_data_ptr(),
               static_cast<int>(parts));
    return result;
}

void ct::cuda::paged_write(const Tensor &keys, const Tensor &values, const Tensor &key,
                           const Tensor &value, const Tensor &table, const Tensor &starts)
{
    c10::DeviceGuard guard(key.device());
    auto part = [](const Tensor &x, const Tensor &y) {
        return Part{x.const_data_ptr(), y.mutable_data_ptr(), x.size(1), x.stride(0), x.stride(1),
                    x.stride(2), y.stride(0), y.stride(1), y.stride(2), 0};
    };
    Part of_keys = part(key, keys), of_values = part(value, values);
    Pages pages = pages_of(table, keys);
    const int64_t *first = starts.const_data_ptr<int64_t>();
    int64_t width = key.size(3), step = key.stride(2), other = value.stride(2);
    if (key.numel() == 0) return;
    Kernel kernel = kernel_for(key, Program::Norms, "paged_write");
    // The y of a grid is limited, so long prompts take several.
    for (int64_t t = 0; t < key.size(2); t += MOST_Y) {
        int64_t count = std::min(MOST_Y, key.size(2) - t), bytes = t * key.element_size();
        Part now = of_keys, then = of_values;
        now.from = static_cast<const char *>(now.from) + bytes * step;
        then.from = static_cast<const char *>(then.from) + bytes * other;
        launch(kernel, {key.size(0) * key.size(1), count, 64}, now, then, pages, first, t, width);
    }
}

Tensor ct::cuda::quantized_linear(const Tensor &input, const Tensor &weight, const Tensor &scale,
                                  const Tensor &minimum, const Tensor &bias, int64_t rows)
{
    c10::DeviceGuard guard(input.device());
    int64_t columns = input.size(-1), count = columns ? input.numel() / columns : 0;
    std::vector<int64_t> sizes = input.sizes().vec();
    sizes.back() = rows;
    if (count == 0 || rows == 0) return at::empty(sizes, input.options());
    if (count > FEW_ROWS) {
        Tensor w = quantized_rows({}, weight, scale, minimum, rows, columns, input.scalar_type());
        return at::linear(input, w, bias.defined() ? std::optional(bias) : std::nullopt);
    }
    Tensor x = input.contiguous(), b = bias.defined() ? bias.contiguous() : bias;
    Tensor y = at::empty(sizes, x.options());
    launch(kernel_for(x, Program::Integers, "quantized_product"),
           {weight.size(0), divided_up(count, 8), 256}, quantized(weight, scale, minimum),
           x.const_data_ptr(), b.defined() ? b.const_data_ptr() : nullptr, y.mutable_data_ptr(),
           count, columns, rows);
    return y;
}

Tensor ct::cuda::quantized_rows(const Tensor &ids, const Tensor &weight, const Tensor &scale,
                                const Tensor &minimum, int64_t rows, int64_t columns,
                                at::ScalarType dtype)
{
    c10::DeviceGuard guard(weight.device());
    Tensor flat = ids.defined() ? ids.contiguous() : ids;
    std::vector<int64_t> sizes = ids.defined() ? ids.sizes().vec() : std::vector<int64_t>{rows};
    sizes.push_back(columns);
    Tensor y = at::empty(sizes, scale.options().dtype(dtype));
    int64_t count = columns ? y.numel() / columns : 0;
    if (count == 0) return y;
    launch(kernel_for(y, Program::Integers, "unpack_rows"), {count, 1, 128},
           quantized(weight, scale, minimum),
           flat.defined() ? flat.const_data_ptr<int64_t>() : static_cast<const int64_t *>(nullptr),
           y.mutable_data_ptr(), columns, rows);
    return y;
}
