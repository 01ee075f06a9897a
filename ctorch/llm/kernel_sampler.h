// kernel_sampler.h - what the choice of a token does with all logits, a part of kernels.cpp.
#pragma once

#include "llm/kernel_vectors.h"

namespace {

template <class T>
int64_t index_of_largest(const T *x, int64_t count)
{
    float most = load_one(x);
    Floats best = all(most);
    Ints has_nan{};
    each_vector(count, [&](int64_t at, int64_t n) {
        Floats v = take(x + at, n);
        for (int64_t k = n; k < WIDE; k++) v[k] = most;
        has_nan |= v != v;
        best = choose(v > best, v, best);
    });
    bool is_nan = false;
    for (int64_t k = 0; k < WIDE; k++) is_nan |= has_nan[k] != 0;
    most = largest_of(best);
    for (int64_t at = 0; at < count; at += WIDE) {
        int64_t n = count - at < WIDE ? count - at : WIDE;
        Floats v = take(x + at, n);
        Ints found = is_nan ? v != v : v == all(most);
        if (!is_any(found)) continue;
        for (int64_t k = 0; k < n; k++)
            if (found[k]) return at + k;
    }
    return 0;
}

void exponentials(const float *x, float *y, double *block_sums, int64_t count, float top,
                  float factor, float least)
{
    for (int64_t block = 0; block * ct::SUMMED < count; block++) {
        int64_t begin = block * ct::SUMMED;
        int64_t size = count - begin < ct::SUMMED ? count - begin : ct::SUMMED;
        Floats sum{};
        each_vector(size, [&](int64_t at, int64_t n) {
            Floats v = take(x + begin + at, n);
            Floats e = choose(v < least, Floats{}, exponential((v - top) * factor));
            if (n < WIDE)
                for (int64_t k = n; k < WIDE; k++) e[k] = 0.0f;
            sum += e;
            put(y + begin + at, e, n);
        });
        block_sums[block] = static_cast<double>(sum_of(sum));
    }
}

int64_t above(const float *x, int64_t begin, int64_t count, float limit, int64_t *indices,
              int64_t room)
{
    int64_t found = 0, at = begin;
    for (; at + WIDE <= count && found + WIDE <= room; at += WIDE) {
        Ints is_above = load(x + at) > limit;
        if (!is_any(is_above)) continue;
        for (int64_t k = 0; k < WIDE; k++)
            if (is_above[k]) indices[found++] = at + k;
    }
    for (; at < count && found < room; at++)
        if (x[at] > limit) indices[found++] = at;
    indices[found] = at;  // where to go on
    return found;
}

void sums_from(const float *keys, const float *weights, int64_t count, const float *limits,
               double *sums)
{
    static_assert(ct::LIMITS == 4);
    constexpr int64_t BLOCK = 1024;  // whose sums are in float32
    for (int64_t j = 0; j < ct::LIMITS; j++) sums[j] = 0.0;
    for (int64_t begin = 0; begin < count; begin += BLOCK) {
        int64_t size = count - begin < BLOCK ? count - begin : BLOCK;
        Floats a{}, b{}, c{}, d{};
        each_vector(size, [&](int64_t at, int64_t n) {
            Floats key = take(keys + begin + at, n), weight = take(weights + begin + at, n);
            a = add_from(a, key, limits[0], weight);
            b = add_from(b, key, limits[1], weight);
            c = add_from(c, key, limits[2], weight);
            d = add_from(d, key, limits[3], weight);
        });
        sums[0] += static_cast<double>(sum_of(a));
        sums[1] += static_cast<double>(sum_of(b));
        sums[2] += static_cast<double>(sum_of(c));
        sums[3] += static_cast<double>(sum_of(d));
    }
}

double cut(const float *keys, float *weights, int64_t count, float low, float high,
           int64_t *between, int64_t *found)
{
    double total = 0.0;
    *found = 0;
    for (int64_t begin = 0; begin < count; begin += ct::SUMMED) {
        int64_t size = count - begin < ct::SUMMED ? count - begin : ct::SUMMED;
        Floats sum{};
        each_vector(size, [&](int64_t at, int64_t n) {
            Floats key = take(keys + begin + at, n);
            Floats kept = choose(key >= low, take(weights + begin + at, n), Floats{});
            Ints is_high = key >= high, is_between = (key >= low) & ~is_high;
            sum += choose(is_high, kept, Floats{});
            put(weights + begin + at, kept, n);
            if (!is_any(is_between)) return;
            for (int64_t k = 0; k < n; k++)
                if (is_between[k]) between[(*found)++] = begin + at + k;
        });
        total += static_cast<double>(sum_of(sum));
    }
    return total;
}

void distances(const float *x, float *y, int64_t count, float factor, float shift)
{
    each_vector(count, [&](int64_t at, int64_t n) {
        Floats far = take(x + at, n) * factor + shift;
        put(y + at, choose(far < 0.0f, far, -far), n);
    });
}

double weighted_sum(const float *x, const float *weights, int64_t count, float top)
{
    double total = 0.0;
    for (int64_t begin = 0; begin < count; begin += ct::SUMMED) {
        int64_t size = count - begin < ct::SUMMED ? count - begin : ct::SUMMED;
        Floats sum{};
        each_vector(size, [&](int64_t at, int64_t n) {
            Floats w = take(weights + begin + at, n), product = w * (take(x + begin + at, n) - top);
            sum += choose(w > 0.0f, product, Floats{});
        });
        total += static_cast<double>(sum_of(sum));
    }
    return total;
}

}  // namespace
