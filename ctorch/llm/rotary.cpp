// rotary.cpp - rotary position embeddings (Su et al. 2021), and the write into a cache that follows.
//
//     rotary(q [n, heads, t, d], cos [t, d/2], sin [t, d/2])
//
// Element k of the first half of a head is rotated with element k of the second half, or, if
// interleaved, element 2k with element 2k + 1.  Tables with fewer than d/2 columns rotate the first
// elements of a head and leave the others.

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

// Rotates x into y, both [n, heads, t, d]; y begins at that pointer, with those strides.
void rotate_into(const Tensor &x, const Angles &angles, bool interleaved, char *y,
                 at::IntArrayRef strides)
{
    auto *from = static_cast<const char *>(x.const_data_ptr());
    auto size = static_cast<int64_t>(x.element_size());
    int64_t heads = x.size(1), times = x.size(2), width = x.size(3);
    at::IntArrayRef own = x.strides();
    ct::parallel_ranges(x.size(0) * heads * times, ROWS_EACH, [&](int64_t begin, int64_t end) {
        for (int64_t k = begin; k < end; k++) {
            int64_t row = k / (heads * times), head = k / times % heads, t = k % times;
            ct::kernels().rotate(
                ct::llm::element_of(x),
                from + (row * own[0] + head * own[1] + t * own[2]) * size,
                angles.cosines(row, t), angles.sines(row, t),
                y + (row * strides[0] + head * strides[1] + t * strides[2]) * size, angles.pairs,
                width, interleaved);
        }
    });
}

char *place_in(const Tensor &cache, int64_t start)
{
    auto size = static_cast<int64_t>(cache.element_size());
    return static_cast<char *>(cache.mutable_data_ptr()) + start * cache.stride(2) * size;
}

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
    if (!are_plain({&input}) || !are_plain_angles(cos, sin) || input.dim() > 4)
        return composed(input, cos, sin, interleaved);
    Tensor x = with_rows(input);
    while (x.dim() < 4) x = x.unsqueeze(0);
    Tensor y = at::empty(x.sizes(), x.options());
    rotate_into(x, angles_of(cos, sin), interleaved, static_cast<char *>(y.mutable_data_ptr()),
                y.strides());
    return y.view(input.sizes());
}

Tensor ct::llm::rotary_write_(const Tensor &keys, const Tensor &values, const Tensor &query,
                              const Tensor &key, const Tensor &value, const Tensor &cos,
                              const Tensor &sin, int64_t start, bool interleaved)
{
    for (const Tensor *x : {&keys, &values, &query, &key, &value}) need_floats("each", *x, 4);
    refuse_gradients({&keys, &values, &query, &key, &value});
    check_write(keys, values, key, value, start);
    if (query.dim() != 4 || query.size(2) != key.size(2)) wrong_shape("a query as long as the key", query);
    check_angles(key, cos, sin);
    if (are_plain({&keys, &key}) && are_plain_angles(cos, sin) && keys.stride(3) == 1)
        rotate_into(with_rows(key), angles_of(cos, sin), interleaved, place_in(keys, start),
                    keys.strides());
    else keys.narrow(2, start, key.size(2)).copy_(rotary(key, cos, sin, interleaved));
    if (are_plain({&values, &value}) && values.stride(3) == 1)
        rotate_into(with_rows(value), Angles{cos, sin, 0, 0}, false, place_in(values, start),
                    values.strides());
    else values.narrow(2, start, value.size(2)).copy_(value);
    return rotary(query, cos, sin, interleaved);
}
