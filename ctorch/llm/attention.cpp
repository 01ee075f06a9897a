// attention.cpp - attention of new tokens over the keys and values in a cache.
//
//     cached_attention(q [n, heads, 1, d], keys [n, kv, room, d], values, length)  =>  like q
//
// The step that decodes one token has a loop of its own: LibTorch's takes longer to begin than a
// small model's whole head.  So have several tokens in bfloat16, where the processor multiplies it;
// others go to scaled_dot_product_attention, with a mask where the positions need one.
// paged_attention decodes many sequences at once, whose keys lie in pages.

#include "cuda/kernels.h"
#include "llm/llm.h"
#include "llm/prompts.h"
#include "quantize/parallel.h"

#include <ATen/ops/arange.h>

#include <cmath>

using at::Tensor;
using ct::Failure;
using ct::cuda::Seen;

namespace {

constexpr int64_t KEYS_EACH = 1 << 13;  // of keys that pay for a thread
constexpr int64_t QUERIES_EACH = 240;   // of a prompt, in a task
constexpr int64_t SCORED_QUERIES = 128; // whose scores of all keys are in memory at once
constexpr size_t MOST_KEPT = 1 << 22;   // bytes of room that are kept for the next call

// What both kinds of attention are given.
struct Options {
    int64_t window;  // how many positions a query sees, itself included; 0: all
    double scale, softcap;
};

Options options_of(const Tensor &query, std::optional<int64_t> window, std::optional<double> scale,
                   double softcap)
{
    if (window && *window < 1)
        throw Failure{"expected a window of 1 or more, got " + std::to_string(*window), ""};
    if (softcap < 0.0)
        throw Failure{"expected a softcap of 0 or more, got " + ct::double_text(softcap), ""};
    double usual = 1.0 / std::sqrt(static_cast<double>(std::max<int64_t>(query.size(-1), 1)));
    return {window.value_or(0), scale.value_or(usual), softcap};
}

void check_heads(const Tensor &query, const Tensor &keys, const Tensor &values)
{
    ct::llm::need_floats("query", query, 4);
    ct::llm::need_floats("keys", keys, 4);
    ct::llm::need_floats("values", values, 4);
    if (query.dim() != 4 || keys.dim() != 4 || values.dim() != 4)
        throw Failure{"expected query, keys and values of 4 dimensions, got " +
                          ct::shape_text(query) + ", " + ct::shape_text(keys) + " and " +
                          ct::shape_text(values),
                      ""};
    if (keys.sizes() != values.sizes())
        throw Failure{"keys and values differ in shape: " + ct::shape_text(keys) + " and " +
                          ct::shape_text(values),
                      ""};
    if (keys.size(1) == 0 || query.size(1) % keys.size(1) != 0)
        throw Failure{std::to_string(query.size(1)) + " heads of queries cannot share " +
                          std::to_string(keys.size(1)) + " heads of keys",
                      "the first number must be a multiple of the second"};
    if (query.size(3) != keys.size(3))
        throw Failure{"query and keys differ in the size of a head: " + ct::shape_text(query) +
                          " and " + ct::shape_text(keys),
                      ""};
}

// The first position that a query at `at` sees.
int64_t first_seen(int64_t at, int64_t window, int64_t padding)
{
    return std::max<int64_t>(window ? std::max<int64_t>(0, at + 1 - window) : 0, padding);
}

std::vector<int64_t> counts_of(const Tensor &x)
{
    Tensor counts = x.to(at::kCPU, at::kLong).contiguous();
    const int64_t *first = counts.const_data_ptr<int64_t>();
    return {first, first + counts.numel()};
}

void need_count_each(const char *name, const Tensor &x, int64_t rows)
{
    if (!c10::isIntegralType(x.scalar_type(), false) || x.dim() != 1 || x.size(0) != rows)
        throw Failure{std::string("expected ") + name + " of " + std::to_string(rows) +
                          " integers, got " + ct::describe(x),
                      ""};
}

// One query for each row and head, without gaps inside a head.
struct Decoding {
    Tensor query, result;  // [n, heads, 1, d], contiguous
    int64_t heads, shared, width;  // shared: heads of keys

    explicit Decoding(const Tensor &q, int64_t shared)
        : query(q.contiguous()), result(at::empty(query.sizes(), query.options())),
          heads(q.size(1)), shared(shared), width(q.size(3))
    {
    }

    // Attention of the queries of one row that share a head of keys.
    void attend(int64_t row, int64_t head, ct::AttentionTask task, const Options &options) const
    {
        int64_t group = heads / shared, count = task.length - task.first;
        int64_t begin = (row * heads + head * group) * width;
        auto size = static_cast<int64_t>(query.element_size());
        thread_local std::vector<float> room;
        auto needed = static_cast<size_t>(group * (std::max<int64_t>(count, 0) + width));
        if (room.size() < needed) room.resize(needed);
        task.dtype = ct::llm::element_of(query);
        task.query = static_cast<const char *>(query.const_data_ptr()) + begin * size;
        task.result = static_cast<char *>(result.mutable_data_ptr()) + begin * size;
        task.group = group;
        task.width = width;
        task.scale = static_cast<float>(options.scale);
        task.softcap = static_cast<float>(options.softcap);
        task.sums = room.data();
        task.scores = room.data() + group * width;
        ct::kernels().attend(task);
    }
};

Tensor decoded(const Tensor &query, const Tensor &keys, const Tensor &values, int64_t length,
               const std::vector<int64_t> &padding, const Options &options)
{
    Decoding step(query, keys.size(1));
    int64_t shared = keys.size(1), size = static_cast<int64_t>(keys.element_size());
    auto *key = static_cast<const char *>(keys.const_data_ptr());
    auto *value = static_cast<const char *>(values.const_data_ptr());
    int64_t least = KEYS_EACH / std::max<int64_t>(length * step.width, 1) + 1;
    ct::parallel_ranges(query.size(0) * shared, least, [&](int64_t begin, int64_t end) {
        for (int64_t k = begin; k < end; k++) {
            int64_t row = k / shared, head = k % shared;
            const void *block =
                key + (row * keys.stride(0) + head * keys.stride(1)) * size;
            const void *other =
                value + (row * values.stride(0) + head * values.stride(1)) * size;
            int64_t pad = padding.empty() ? 0 : padding[static_cast<size_t>(row)];
            ct::AttentionTask task{};
            task.keys = &block;
            task.values = &other;
            task.block = length;
            task.key_stride = keys.stride(2);
            task.value_stride = values.stride(2);
            task.first = std::min(first_seen(length - 1, options.window, pad), length - 1);
            task.length = length;
            step.attend(row, head, task, options);
        }
    });
    return step.result;
}

// NULL where LibTorch's attention is as fast.
const ct::PromptKernel *prompt_kernel(const Tensor &query)
{
#if defined(__x86_64__)
    if (query.scalar_type() == at::kBFloat16 && !ct::has_amx() &&
        ct::processor() == ct::Processor::Avx512BFloat16)
        return &ct::PROMPT_KERNEL;
#endif
    return nullptr;
}

// A task in room of this thread.
void attend_in_room(const ct::PromptKernel &kernel, ct::PromptTask &task)
{
    thread_local std::vector<char> room;
    auto needed = static_cast<size_t>(kernel.room(task)) + 64;
    if (room.size() < needed) room.resize(needed);
    task.room = room.data() + (64 - reinterpret_cast<uintptr_t>(room.data()) % 64) % 64;
    kernel.attend(task);
    if (room.size() > MOST_KEPT) room = {};
}

// Several queries of each row and head in bfloat16, the last of `length` positions.
Tensor prompted(const ct::PromptKernel &kernel, const Tensor &query, const Tensor &keys,
                const Tensor &values, int64_t length, const std::vector<int64_t> &padding,
                const Options &options)
{
    int64_t heads = query.size(1), times = query.size(2), shared = keys.size(1);
    Tensor q = query.stride(3) == 1 ? query : query.contiguous();
    // In the order in which the heads are joined afterwards.
    Tensor result = at::empty({q.size(0), times, heads, q.size(3)}, q.options()).transpose(1, 2);
    auto *from = static_cast<const char *>(q.const_data_ptr());
    auto *to = static_cast<char *>(result.mutable_data_ptr());
    auto *key = static_cast<const char *>(keys.const_data_ptr());
    auto *value = static_cast<const char *>(values.const_data_ptr());
    auto size = static_cast<int64_t>(q.element_size());
    int64_t parts = (times + QUERIES_EACH - 1) / QUERIES_EACH, group = heads / shared;
    ct::parallel_parts(q.size(0) * shared * parts, 1, [&](int64_t task_index, int64_t) {
        int64_t row = task_index / (shared * parts), head = task_index / parts % shared;
        int64_t at = task_index % parts * QUERIES_EACH;
        auto place = [&](const Tensor &x, int64_t k, int64_t time) {
            return (row * x.stride(0) + k * x.stride(1) + time * x.stride(2)) * size;
        };
        ct::PromptTask task{};
        task.query = from + place(q, head * group, at);
        task.result = to + place(result, head * group, at);
        task.query_stride = q.stride(2);
        task.query_head = q.stride(1);
        task.result_stride = result.stride(2);
        task.result_head = result.stride(1);
        task.start = length - times + at;
        task.count = std::min(QUERIES_EACH, times - at);
        task.group = group;
        task.width = q.size(3);
        task.keys = key + place(keys, head, 0);
        task.values = value + place(values, head, 0);
        task.key_stride = keys.stride(2);
        task.value_stride = values.stride(2);
        task.window = options.window;
        task.padding = padding.empty() ? 0 : padding[static_cast<size_t>(row)];
        task.scale = static_cast<float>(options.scale);
        task.softcap = static_cast<float>(options.softcap);
        attend_in_room(kernel, task);
    });
    return result;
}

// True where a query sees a key: [t, length], or [n, 1, t, length] with padding.
Tensor visible(int64_t times, int64_t length, int64_t window, const std::optional<Tensor> &padding,
               const Tensor &like)
{
    auto options = like.options().dtype(at::kLong);
    Tensor keys = at::arange(length, options);
    Tensor queries = at::arange(length - times, length, options).unsqueeze(1);
    Tensor seen = keys <= queries;
    if (window) seen = seen & (keys > queries - window);
    if (!padding) return seen;
    Tensor real = keys >= padding->to(like.device()).reshape({-1, 1, 1, 1});
    return (seen & real) | (keys == queries);  // padding sees itself: no row without a key
}

Tensor composed(const Tensor &query, const Tensor &keys, const Tensor &values,
                const std::optional<Tensor> &mask, bool is_causal, const Options &options)
{
    bool is_grouped = query.size(1) != keys.size(1);
    if (options.softcap == 0.0)
        return at::scaled_dot_product_attention(query, keys, values, mask, 0.0, is_causal,
                                                options.scale, is_grouped);
    int64_t group = query.size(1) / keys.size(1);
    Tensor k = is_grouped ? keys.repeat_interleave(group, 1) : keys;
    Tensor v = is_grouped ? values.repeat_interleave(group, 1) : values;
    std::vector<Tensor> results;
    for (int64_t at = 0; at < query.size(2) || at == 0; at += SCORED_QUERIES) {
        int64_t count = std::min(SCORED_QUERIES, query.size(2) - at);
        Tensor scores = at::matmul(query.narrow(2, at, count), k.transpose(-1, -2));
        scores = at::tanh(scores * (options.scale / options.softcap)) * options.softcap;
        if (mask)
            scores = scores.masked_fill(mask->narrow(-2, at, count).logical_not(), -INFINITY);
        results.push_back(at::matmul(at::softmax(scores, -1, at::kFloat).to(v.scalar_type()), v));
    }
    return results.size() == 1 ? results[0] : at::cat(results, 2);
}

}  // namespace

Tensor ct::llm::cached_attention(const Tensor &query, const Tensor &keys, const Tensor &values,
                                 int64_t length, const std::optional<Tensor> &padding,
                                 std::optional<int64_t> window, std::optional<double> scale,
                                 double softcap)
{
    check_heads(query, keys, values);
    Options options = options_of(query, window, scale, softcap);
    int64_t times = query.size(2);
    if (query.size(0) != keys.size(0))
        throw Failure{"query and keys differ in the number of sequences: " +
                          std::to_string(query.size(0)) + " and " + std::to_string(keys.size(0)),
                      ""};
    if (length < times || length > keys.size(2) || length < 1)
        throw Failure{"expected a length from " + std::to_string(std::max<int64_t>(times, 1)) +
                          ", the queries, to " + std::to_string(keys.size(2)) +
                          ", the room of the cache, got " + std::to_string(length),
                      ""};
    if (padding) need_count_each("padding", *padding, query.size(0));
    if (cuda::attends(query, keys, values)) {
        std::optional<Tensor> pads;
        if (padding) pads = padding->to(query.device(), at::kLong).contiguous();
        return cuda::attend(query, keys, values, {},
                            {length, options.window, std::nullopt, pads}, options.scale, softcap);
    }
    const PromptKernel *kernel = times == 1 ? nullptr : prompt_kernel(query);
    if ((times == 1 || kernel) && are_plain({&query, &keys, &values}) && keys.stride(3) == 1 &&
        values.stride(3) == 1 && query.numel() > 0) {
        std::vector<int64_t> pads = padding ? counts_of(*padding) : std::vector<int64_t>();
        if (kernel) return prompted(*kernel, query, keys, values, length, pads, options);
        return decoded(query, keys, values, length, pads, options);
    }
    // Keys before the window of the first query are not read.
    int64_t before = window ? std::max<int64_t>(0, length - times - *window + 1) : 0;
    length -= before;
    Tensor k = keys.narrow(2, before, length), v = values.narrow(2, before, length);
    bool is_windowed = window && *window < length;
    bool needs_mask = padding || is_windowed || (times > 1 && (times < length || softcap != 0.0));
    if (!needs_mask) return composed(query, k, v, std::nullopt, times > 1, options);
    std::optional<Tensor> pads;
    if (padding) pads = padding->to(query.device(), at::kLong) - before;
    Tensor mask = visible(times, length, is_windowed ? *window : 0, pads, query);
    return composed(query, k, v, mask, false, options);
}

namespace {

// Which page holds a position, and where in it.
struct Pages {
    std::vector<int64_t> table;  // [n, columns]
    int64_t columns, size, count;

    Pages(const Tensor &given, const Tensor &keys, int64_t rows)
        : columns(given.dim() == 2 ? given.size(1) : 0), size(keys.size(2)), count(keys.size(0))
    {
        if (!c10::isIntegralType(given.scalar_type(), false) || given.dim() != 2 ||
            given.size(0) != rows)
            throw Failure{"expected a table of integers with a row for each of " +
                              std::to_string(rows) + " sequences, got " + ct::describe(given),
                          ""};
        table = counts_of(given);
    }

    int64_t page(int64_t row, int64_t k) const
    {
        return table[static_cast<size_t>(row * columns + k)];
    }

    // Raise an error unless a sequence has pages for that many positions.
    void check(int64_t row, int64_t length) const
    {
        if (length > columns * size)
            throw Failure{"sequence " + std::to_string(row) + " has " + std::to_string(length) +
                              " positions, and its " + std::to_string(columns) + " pages hold " +
                              std::to_string(columns * size),
                          ""};
        for (int64_t k = 0; k * size < length; k++)
            if (page(row, k) < 0 || page(row, k) >= count)
                throw Failure{"page " + std::to_string(page(row, k)) + " of sequence " +
                                  std::to_string(row) + " is out of range for " +
                                  std::to_string(count) + " pages",
                              ""};
    }
};

// Integers in a shape, on a device.  The layers of a step pass the same, so the last ones are kept
// there.
Tensor placed(const std::vector<int64_t> &integers, at::IntArrayRef sizes, at::Device device)
{
    struct Copy {
        std::vector<int64_t> integers;
        Tensor tensor;
    };
    thread_local Copy copies[3];  // of a table, of starts and of lengths
    thread_local size_t next = 0;
    for (const Copy &copy : copies)
        if (copy.tensor.defined() && copy.tensor.device() == device &&
            copy.tensor.sizes() == sizes && copy.integers == integers)
            return copy.tensor;
    Tensor here = at::empty(sizes, at::TensorOptions().dtype(at::kLong).device(at::kCPU));
    std::copy(integers.begin(), integers.end(), here.mutable_data_ptr<int64_t>());
    Copy &copy = copies[next++ % 3];
    copy = {integers, here.to(device)};
    return copy.tensor;
}

void check_pool(const Tensor &keys, const Tensor &values)
{
    if (keys.dim() != 4 || keys.sizes() != values.sizes() || keys.size(2) == 0)
        throw Failure{"expected keys and values of shape (pages heads page-size d), got " +
                          ct::shape_text(keys) + " and " + ct::shape_text(values),
                      ""};
}

}  // namespace

Tensor ct::llm::paged_write_(const Tensor &keys, const Tensor &values, const Tensor &key,
                             const Tensor &value, const Tensor &table, const Tensor &starts)
{
    check_pool(keys, values);
    refuse_gradients({&keys, &values, &key, &value});
    if (key.dim() != 4 || key.sizes() != value.sizes() || key.size(1) != keys.size(1) ||
        key.size(3) != keys.size(3))
        throw Failure{"expected key and value of shape (n heads t d) for pages of shape " +
                          ct::shape_text(keys) + ", got " + ct::shape_text(key) + " and " +
                          ct::shape_text(value),
                      ""};
    int64_t rows = key.size(0), times = key.size(2);
    Pages pages(table, keys, rows);
    need_count_each("starts", starts, rows);
    std::vector<int64_t> begins = counts_of(starts);
    for (int64_t row = 0; row < rows; row++) {
        int64_t begin = begins[static_cast<size_t>(row)];
        if (begin < 0)
            throw Failure{"expected starts of 0 or more, got " + std::to_string(begin), ""};
        pages.check(row, begin + times);
    }
    if (cuda::serves({&keys, &values, &key, &value}) && keys.stride(3) == 1 &&
        values.stride(3) == 1) {
        auto with_rows = [](const Tensor &x) { return x.stride(3) == 1 ? x : x.contiguous(); };
        cuda::paged_write(keys, values, with_rows(key), with_rows(value),
                          placed(pages.table, table.sizes(), keys.device()),
                          placed(begins, starts.sizes(), keys.device()));
        return keys;
    }
    for (int64_t row = 0; row < rows; row++)
        for (int64_t t = 0; t < times;) {
            int64_t at = begins[static_cast<size_t>(row)] + t, inside = at % pages.size;
            int64_t count = std::min(times - t, pages.size - inside);
            int64_t page = pages.page(row, at / pages.size);
            keys.select(0, page).narrow(1, inside, count).copy_(
                key.select(0, row).narrow(1, t, count));
            values.select(0, page).narrow(1, inside, count).copy_(
                value.select(0, row).narrow(1, t, count));
            t += count;
        }
    return keys;
}

Tensor ct::llm::paged_attention(const Tensor &query, const Tensor &keys, const Tensor &values,
                                const Tensor &table, const Tensor &lengths,
                                std::optional<int64_t> window, std::optional<double> scale,
                                double softcap)
{
    check_heads(query, keys, values);
    check_pool(keys, values);
    Options options = options_of(query, window, scale, softcap);
    refuse_gradients({&query, &keys, &values});
    if (query.size(2) != 1)
        wrong_shape("one query for each sequence, (n heads 1 d)", query,
                    "several tokens at once: use cached-attention for each sequence");
    int64_t rows = query.size(0), shared = keys.size(1);
    Pages pages(table, keys, rows);
    need_count_each("lengths", lengths, rows);
    std::vector<int64_t> counts = counts_of(lengths);
    int64_t longest = 1;
    for (int64_t row = 0; row < rows; row++) {
        int64_t count = counts[static_cast<size_t>(row)];
        if (count < 1)
            throw Failure{"expected lengths of 1 or more, got " + std::to_string(count), ""};
        pages.check(row, count);
        longest = std::max(longest, count);
    }
    if (cuda::attends(query, keys, values)) {
        Seen seen{longest, options.window, placed(counts, lengths.sizes(), keys.device()),
                  std::nullopt};
        return cuda::attend(query, keys, values,
                            placed(pages.table, table.sizes(), keys.device()), seen, options.scale,
                            softcap);
    }
    if (!are_plain({&query, &keys, &values}) || keys.stride(3) != 1 || values.stride(3) != 1 ||
        query.numel() == 0) {
        std::vector<Tensor> found;
        for (int64_t row = 0; row < rows; row++) {
            Tensor of_row = table.select(0, row).to(keys.device(), at::kLong);
            auto flat = [&](const Tensor &x) {
                return x.index_select(0, of_row).transpose(0, 1).flatten(1, 2).unsqueeze(0);
            };
            found.push_back(cached_attention(query.narrow(0, row, 1), flat(keys), flat(values),
                                             counts[static_cast<size_t>(row)], std::nullopt, window,
                                             scale, softcap));
        }
        return found.empty() ? at::empty_like(query) : at::cat(found, 0);
    }
    Decoding step(query, shared);
    auto size = static_cast<int64_t>(keys.element_size());
    auto *key = static_cast<const char *>(keys.const_data_ptr());
    auto *value = static_cast<const char *>(values.const_data_ptr());
    int64_t least = KEYS_EACH / std::max<int64_t>(longest * step.width, 1) + 1;
    ct::parallel_ranges(rows * shared, least, [&](int64_t begin, int64_t end) {
        std::vector<const void *> blocks, others;
        for (int64_t k = begin; k < end; k++) {
            int64_t row = k / shared, head = k % shared, length = counts[static_cast<size_t>(row)];
            blocks.clear();
            others.clear();
            for (int64_t p = 0; p * pages.size < length; p++) {
                int64_t page = pages.page(row, p);
                blocks.push_back(key + (page * keys.stride(0) + head * keys.stride(1)) * size);
                others.push_back(
                    value + (page * values.stride(0) + head * values.stride(1)) * size);
            }
            ct::AttentionTask task{};
            task.keys = blocks.data();
            task.values = others.data();
            task.block = pages.size;
            task.key_stride = keys.stride(2);
            task.value_stride = values.stride(2);
            task.first = first_seen(length - 1, options.window, 0);
            task.length = length;
            step.attend(row, head, task, options);
        }
    });
    return step.result;
}
