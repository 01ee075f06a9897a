// rotary.cpp - rotary position embeddings (Su et al. 2021), and the write into a cache after them.
//
//     rotary(q [n, heads, t, d], cos [t, d/2], sin [t, d/2])
//
// Element k of the first half of a head is rotated with element k of the second half, or, if
// interleaved, element 2k with element 2k + 1.  Tables with fewer than d/2 columns rotate the first
// elements of a head and leave the others.

#include "cuda/kernels.h"
#include "llm/llm.h"
#include "quantize/parallel.h"

using at::Tensor;
using ct::Failure;

namespace {

constexpr int64_t ROWS_EACH = 128;  // rotated heads that pay for a thread

// Angles for x [n, heads, t, d]: cos and sin are [t, pairs] or [n, t, pairs].
struct Angles {
    Tensor cos, sin;  // float32, contiguous
    int64_t pairs, per_row;  // per_row: elements from one row of the batch to the next; 0 if shared

    const float *cosines(int64_t row, int64_t t) const { return at(cos, row, t); }
    const float *sines(int64_t row, int64_t t) const { return at(sin, row, t); }

    const float *at(const Tensor &x, int64_t row, int64_t t) const
    {
        return pairs ? x.const_data_ptr<float>() + row * per_row + t * pairs : nullptr;
    }
};

void check_angles(const Tensor &x, const Tensor &cos, const Tensor &sin)
{
    ct::llm::need_floats("cos", cos, 2);
    ct::llm::need_floats("sin", sin, 2);
    if (cos.sizes() != sin.sizes())
        throw Failure{"cos and sin differ in shape: " + ct::shape_text(cos) + " and " +
                          ct::shape_text(sin),
                      ""};
    int64_t t = x.size(-2), d = x.size(-1);
    bool fits = cos.dim() == 2 || (cos.dim() == 3 && x.dim() == 4 && cos.size(0) == x.size(0));
    if (!fits || cos.size(-2) != t || 2 * cos.size(-1) > d)
        ct::llm::wrong_shape("cos and sin of shape (" + std::to_string(t) + " " +
                                 std::to_string(d / 2) + ") or less in the last dimension, for an "
                                 "input of shape " + ct::shape_text(x),
                             cos, "one row for each position, half a head's size in columns");
}

Tensor as_floats(const Tensor &x)
{
    bool is_ready = x.scalar_type() == at::kFloat && x.is_contiguous();
    return is_ready ? x : x.to(at::kFloat).contiguous();
}

Angles angles_of(const Tensor &cos, const Tensor &sin)
{
    int64_t pairs = cos.size(-1), per_row = cos.dim() == 3 ? cos.size(1) * pairs : 0;
    return {as_floats(cos), as_floats(sin), pairs, per_row};
}

// x [n, heads, t, d] with rows without gaps.
Tensor with_rows(const Tensor &x) { return x.stride(-1) == 1 ? x : x.contiguous(); }

// Heads [n, heads, t, d] in a tensor, without gaps inside a head.
struct Heads {
    ct::Element dtype;
    char *data;
    int64_t bytes, rows, heads, times, width;  // bytes: of an element
    int64_t row_stride, head_stride, time_stride;

    Heads(const Tensor &x, const void *memory)
        : dtype(ct::llm::element_of(x)), data(static_cast<char *>(const_cast<void *>(memory))),
          bytes(static_cast<int64_t>(x.element_size())), rows(x.size(0)), heads(x.size(1)),
          times(x.size(2)), width(x.size(3)), row_stride(x.stride(0)), head_stride(x.stride(1)),
          time_stride(x.stride(2))
    {
    }

    // Some heads of a tensor [n, t, heads, d].
    static Heads part(const Tensor &joined, int64_t first, int64_t count)
    {
        Heads part(joined, joined.const_data_ptr());
        std::swap(part.times, part.heads);
        std::swap(part.time_stride, part.head_stride);
        part.heads = count;
        part.data += first * part.head_stride * part.bytes;
        return part;
    }

    // The same from a position on.
    Heads from(int64_t start) const
    {
        Heads later = *this;
        later.data += start * time_stride * bytes;
        return later;
    }

    char *at(int64_t row, int64_t head, int64_t t) const
    {
        return data + (row * row_stride + head * head_stride + t * time_stride) * bytes;
    }
};

void rotate_into(const Heads &x, const Angles &angles, bool interleaved, const Heads &y)
{
    int64_t each = x.heads * x.times;
    ct::parallel_ranges(x.rows * each, ROWS_EACH, [&](int64_t begin, int64_t end) {
        for (int64_t k = begin; k < end; k++) {
            int64_t row = k / each, head = k / x.times % x.heads, t = k % x.times;
            ct::kernels().rotate(x.dtype, x.at(row, head, t), angles.cosines(row, t),
                                 angles.sines(row, t), y.at(row, head, t), angles.pairs, x.width,
                                 interleaved);
        }
    });
}

Heads heads_in(const Tensor &x) { return Heads(x, x.const_data_ptr()); }
Heads heads_of(const Tensor &x) { return Heads(x, x.mutable_data_ptr()); }

Tensor composed(const Tensor &x, const Tensor &cos, const Tensor &sin, bool interleaved)
{
    int64_t pairs = cos.size(-1);
    at::ScalarType wide = x.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
    Tensor c = cos.to(wide), s = sin.to(wide), floats = x.to(wide);
    if (cos.dim() == 3) {
        c = c.unsqueeze(1);
        s = s.unsqueeze(1);
    }
    Tensor turned = floats.narrow(-1, 0, 2 * pairs), result;
    if (interleaved) {
        Tensor a = turned.slice(-1, 0, std::nullopt, 2), b = turned.slice(-1, 1, std::nullopt, 2);
        result = at::stack({a * c - b * s, b * c + a * s}, -1).flatten(-2);
    } else {
        Tensor a = turned.narrow(-1, 0, pairs), b = turned.narrow(-1, pairs, pairs);
        result = at::cat({a * c - b * s, b * c + a * s}, -1);
    }
    Tensor rest = floats.narrow(-1, 2 * pairs, x.size(-1) - 2 * pairs);
    return at::cat({result, rest}, -1).to(x.scalar_type());
}

bool are_plain_angles(const Tensor &cos, const Tensor &sin)
{
    return ct::llm::is_plain(cos) && ct::llm::is_plain(sin) &&
           !ct::llm::is_recorded_now(cos) && !ct::llm::is_recorded_now(sin);
}

// Whether a kernel of a GPU rotates heads [n, heads, t, d] by these angles.
bool are_on_gpu(std::initializer_list<const Tensor *> xs, const Tensor &cos, const Tensor &sin)
{
    auto is_ready = [](const Tensor *x) { return x->dim() == 4 && x->stride(3) == 1; };
    return ct::cuda::serves(xs) && std::all_of(xs.begin(), xs.end(), is_ready) &&
           ct::cuda::serves({&cos, &sin}) && cos.scalar_type() == at::kFloat &&
           cos.is_contiguous() && sin.is_contiguous() &&
           cos.device() == (*xs.begin())->device();
}

void check_write(const Tensor &keys, const Tensor &values, const Tensor &key, const Tensor &value,
                 int64_t start)
{
    auto fits = [&](const Tensor &cache, const Tensor &x) {
        return cache.dim() == 4 && x.dim() == 4 && cache.size(0) == x.size(0) &&
               cache.size(1) == x.size(1) && cache.size(3) == x.size(3);
    };
    if (!fits(keys, key) || !fits(values, value) || key.size(2) != value.size(2) ||
        keys.size(2) != values.size(2) || key.size(1) != value.size(1))
        throw Failure{"expected key and value of shape (n heads t d) for caches of shape "
                      "(n heads length d), got " + ct::shape_text(key) + " and " +
                          ct::shape_text(value) + " for " + ct::shape_text(keys) + " and " +
                          ct::shape_text(values),
                      ""};
    if (start < 0 || start + key.size(2) > keys.size(2))
        throw Failure{std::to_string(key.size(2)) + " positions from " + std::to_string(start) +
                          " on do not fit in a cache of " + std::to_string(keys.size(2)),
                      "make a longer cache"};
}

}  // namespace

Tensor ct::llm::rotary(const Tensor &input, const Tensor &cos, const Tensor &sin, bool interleaved)
{
    need_floats("input", input, 2);
    check_angles(input, cos, sin);
    if (are_on_gpu({&input}, cos, sin)) {
        Tensor y = at::empty(input.sizes(), input.options());
        cuda::rotate({{&input, &y, true}}, cos, sin, 0, interleaved);
        return y;
    }
    if (!are_plain({&input}) || !are_plain_angles(cos, sin) || input.dim() > 4)
        return composed(input, cos, sin, interleaved);
    Tensor x = with_rows(input);
    while (x.dim() < 4) x = x.unsqueeze(0);
    Tensor y = at::empty(x.sizes(), x.options());
    rotate_into(heads_in(x), angles_of(cos, sin), interleaved, heads_of(y));
    return y.view(input.sizes());
}

Tensor ct::llm::rotary_write_(const Tensor &keys, const Tensor &values, const Tensor &query,
                              const Tensor &key, const Tensor &value, const Tensor &cos,
                              const Tensor &sin, int64_t start, bool interleaved)
{
    for (const Tensor *x : {&keys, &values, &query, &key, &value}) need_floats("each", *x, 4);
    refuse_gradients({&keys, &values, &query, &key, &value});
    check_write(keys, values, key, value, start);
    if (query.dim() != 4 || query.size(2) != key.size(2))
        wrong_shape("a query as long as the key", query);
    check_angles(key, cos, sin);
    if (are_on_gpu({&keys, &values, &query, &key, &value}, cos, sin)) {
        Tensor y = at::empty(query.sizes(), query.options());
        cuda::rotate({{&query, &y, true}, {&key, &keys, true}, {&value, &values, false}}, cos, sin,
                     start, interleaved);
        return y;
    }
    if (are_plain({&keys, &key}) && are_plain_angles(cos, sin) && keys.stride(3) == 1) {
        Tensor k = with_rows(key);
        rotate_into(heads_in(k), angles_of(cos, sin), interleaved, heads_of(keys).from(start));
    } else keys.narrow(2, start, key.size(2)).copy_(rotary(key, cos, sin, interleaved));
    if (are_plain({&values, &value}) && values.stride(3) == 1) {
        Tensor v = with_rows(value);
        rotate_into(heads_in(v), {cos, sin, 0, 0}, false, heads_of(values).from(start));
    } else values.narrow(2, start, value.size(2)).copy_(value);
    return rotary(query, cos, sin, interleaved);
}

Tensor ct::llm::qkv_write_(const Tensor &keys, const Tensor &values, const Tensor &joined,
                           const Tensor &cos, const Tensor &sin, int64_t start, bool interleaved)
{
    for (const Tensor *x : {&keys, &values, &joined}) need_floats("each", *x, 4);
    refuse_gradients({&keys, &values, &joined});
    int64_t shared = keys.size(1), heads = joined.size(2) - 2 * shared;
    if (joined.dim() != 4 || heads < 1)
        wrong_shape("queries, keys and values of shape (n t heads d), with " +
                        std::to_string(2 * shared) + " heads of keys and values at the end",
                    joined);
    auto part = [&](int64_t first, int64_t count) {
        return joined.narrow(2, first, count).transpose(1, 2);
    };
    bool is_fused = are_plain({&keys, &values, &joined}) && are_plain_angles(cos, sin) &&
                    keys.dim() == 4 && keys.stride(3) == 1 && values.dim() == 4 &&
                    values.stride(3) == 1 && joined.stride(3) == 1 &&
                    keys.sizes() == values.sizes() && keys.size(0) == joined.size(0) &&
                    keys.size(3) == joined.size(3) && start >= 0 &&
                    start + joined.size(1) <= keys.size(2) && cos.dim() == 2 &&
                    cos.size(0) == joined.size(1) && 2 * cos.size(1) <= joined.size(3) &&
                    sin.sizes() == cos.sizes();
    if (!is_fused)  // also where something is wrong, which that says
        return rotary_write_(keys, values, part(0, heads), part(heads, shared),
                             part(heads + shared, shared), cos, sin, start, interleaved);
    Angles angles = angles_of(cos, sin);
    Tensor query = at::empty({joined.size(0), heads, joined.size(1), joined.size(3)},
                             joined.options());
    rotate_into(Heads::part(joined, 0, heads), angles, interleaved, heads_of(query));
    rotate_into(Heads::part(joined, heads, shared), angles, interleaved,
                heads_of(keys).from(start));
    rotate_into(Heads::part(joined, heads + shared, shared), {cos, sin, 0, 0}, false,
                heads_of(values).from(start));
    return query;
}
