// kernel_attention.h - attention of one position over a cache, a part of kernels.cpp.
#pragma once

#include "llm/kernel_vectors.h"

namespace {

// The products of a query and KEYS keys.  A sum has the same parts whatever KEYS is.
template <int64_t KEYS, class T>
inline __attribute__((always_inline)) void dots(const float *q, const T *const *keys, int64_t width,
                                                float *scores)
{
    Floats one[KEYS] = {}, two[KEYS] = {};
    int64_t at = 0;
    for (; at + 2 * WIDE <= width; at += 2 * WIDE) {
        Floats a = load(q + at), b = load(q + at + WIDE);
#pragma GCC unroll 4
        for (int64_t k = 0; k < KEYS; k++) {
            one[k] += a * load(keys[k] + at);
            two[k] += b * load(keys[k] + at + WIDE);
        }
    }
    each_vector(width - at, [&](int64_t more, int64_t n) {
        Floats a = take(q + at + more, n);
#pragma GCC unroll 4
        for (int64_t k = 0; k < KEYS; k++) one[k] += a * take(keys[k] + at + more, n);
    });
#pragma GCC unroll 4
    for (int64_t k = 0; k < KEYS; k++) one[k] += two[k];
    sums_of<KEYS>(one, scores);
}

template <class T>
inline const T *position(const void *const *blocks, int64_t s, int64_t block, int64_t stride)
{
    if (s < block) return static_cast<const T *>(blocks[0]) + s * stride;
    return static_cast<const T *>(blocks[s / block]) + s % block * stride;
}

// Scores become weights whose sum is 1.
void soften(float *scores, int64_t count, float softcap)
{
    if (softcap != 0.0f)
        each_vector(count, [&](int64_t at, int64_t n) {
            Floats u = take(scores + at, n) * (2.0f / softcap);
            put(scores + at, softcap - 2.0f * softcap / (1.0f + exponential(u)), n);
        });
    float top = scores[0];
    Floats most = all(top);
    int64_t at = 0;
    for (; at + WIDE <= count; at += WIDE) {
        Floats v = load(scores + at);
        most = choose(v > most, v, most);
    }
    top = largest_of(most);
    for (; at < count; at++) top = scores[at] > top ? scores[at] : top;
    Floats sum{};
    each_vector(count, [&](int64_t k, int64_t n) {
        Floats e = exponential(take(scores + k, n) - top);
        for (int64_t j = n; j < WIDE; j++) e[j] = 0.0f;
        sum += e;
        put(scores + k, e, n);
    });
    float factor = 1.0f / sum_of(sum);
    each_vector(count, [&](int64_t k, int64_t n) {
        put(scores + k, take(scores + k, n) * factor, n);
    });
}

// The weighted sums of VECTORS vectors of the values from element `at` on, in registers; size: of
// the last of them.
template <class T, int64_t VECTORS>
inline __attribute__((always_inline)) void sum_values(const ct::AttentionTask &task,
                                                      const float *weights, int64_t group,
                                                      int64_t at, int64_t size)
{
    Floats sum[VECTORS] = {};
    for (int64_t s = task.first; s < task.length; s++) {
        const T *value = position<T>(task.values, s, task.block, task.value_stride) + at;
        float weight = weights[s - task.first];
        for (int64_t k = 0; k < VECTORS; k++) sum[k] += take(value + k * WIDE, size) * weight;
    }
    for (int64_t k = 0; k < VECTORS; k++)
        put(task.sums + group * task.width + at + k * WIDE, sum[k], size);
}

template <class T>
void attend_group(const ct::AttentionTask &task)
{
    int64_t count = task.length - task.first, width = task.width;
    const T *query = static_cast<const T *>(task.query);
    float *q = task.sums;  // holds the queries first, then the sums
    for (int64_t k = 0; k < task.group * width; k++) q[k] = load_one(query + k) * task.scale;
    constexpr int64_t KEYS = 4;
    const T *keys[KEYS];
    auto key_at = [&](int64_t s) {
        return position<T>(task.keys, task.first + s, task.block, task.key_stride);
    };
    int64_t s = 0;
    for (; s + KEYS <= count; s += KEYS) {
        for (int64_t k = 0; k < KEYS; k++) keys[k] = key_at(s + k);
        for (int64_t g = 0; g < task.group; g++)
            dots<KEYS>(q + g * width, keys, width, task.scores + g * count + s);
    }
    for (; s < count; s++) {
        keys[0] = key_at(s);
        for (int64_t g = 0; g < task.group; g++)
            dots<1>(q + g * width, keys, width, task.scores + g * count + s);
    }
    for (int64_t g = 0; g < task.group; g++) soften(task.scores + g * count, count, task.softcap);
    for (int64_t g = 0; g < task.group; g++) {
        const float *weights = task.scores + g * count;
        int64_t at = 0;
        for (; at + 4 * WIDE <= width; at += 4 * WIDE) sum_values<T, 4>(task, weights, g, at, WIDE);
        if (at + 3 * WIDE <= width) {
            sum_values<T, 3>(task, weights, g, at, WIDE);
            at += 3 * WIDE;
        }
        if (at + 2 * WIDE <= width) {
            sum_values<T, 2>(task, weights, g, at, WIDE);
            at += 2 * WIDE;
        }
        if (at + WIDE <= width) {
            sum_values<T, 1>(task, weights, g, at, WIDE);
            at += WIDE;
        }
        if (at < width) sum_values<T, 1>(task, weights, g, at, width - at);
    }
    T *result = static_cast<T *>(task.result);
    each_vector(task.group * width,
                [&](int64_t at, int64_t n) { put(result + at, take(task.sums + at, n), n); });
}

}  // namespace
