// kernel_prompts.h - attention of a prompt's queries in bfloat16, a part of kernels.cpp.
//
// The keys that a task's queries see become panels (fill_panel), and their values panels of pairs
// of positions, so that both products are those of the processor's instruction, with sums in
// float32.
// Some queries at a time have all their scores in memory.  The weights are rounded to bfloat16, as
// LibTorch rounds them.  Panels of keys that no query sees are left out.
#pragma once

#include "llm/kernel_panels.h"
#include "llm/prompts.h"

#if defined(__AVX512BF16__)

namespace {

constexpr int64_t QUERIES = 24;           // at a time
constexpr int64_t SCORED = 8, SUMMED = 6;  // of these, so many in registers
constexpr int64_t MOST_PARTS = 4;         // vectors of a value, in registers

inline int64_t rounded_up(int64_t size, int64_t to) { return (size + to - 1) / to * to; }

// The first key that the query at a position sees: padding sees itself.
inline int64_t first_seen(const ct::PromptTask &task, int64_t position)
{
    int64_t first = task.window && position + 1 > task.window ? position + 1 - task.window : 0;
    if (first < task.padding) first = task.padding;
    return first < position ? first : position;
}

// Where a task's panels and scores lie in its room.  Keys are counted from `first`.
struct PromptRoom {
    int64_t even, parts, first, keys;  // even: the width, with an even number of elements
    float *scores, *sums;
    BFloat16 *key_panels, *value_panels, *queries, *weights;
    char *end;

    explicit PromptRoom(const ct::PromptTask &task)
        : even(rounded_up(task.width, 2)), parts((task.width + WIDE - 1) / WIDE),
          first(first_seen(task, task.start)),
          keys(rounded_up(task.start + task.count - first, PANEL)), end(task.room)
    {
        scores = part<float>(QUERIES * keys);
        sums = part<float>(QUERIES * parts * WIDE);
        key_panels = part<BFloat16>(keys * even);
        value_panels = part<BFloat16>(keys * parts * WIDE);
        queries = part<BFloat16>(QUERIES * even);
        weights = part<BFloat16>(QUERIES * keys);
    }

    template <class T>
    T *part(int64_t count)
    {
        T *begin = reinterpret_cast<T *>(end);
        end += rounded_up(count * static_cast<int64_t>(sizeof(T)), 64);
        return begin;
    }
};

// y = a panel times COUNT vectors of pairs.  step: elements from a pair to the next.
template <int64_t COUNT, int64_t PARTS>
void pair_products(const BFloat16 *panel, int64_t step, const BFloat16 *x, int64_t x_stride,
                   int64_t count, float *y, int64_t y_stride)
{
    __m512 sum[COUNT][PARTS] = {};
    for (int64_t k = 0; k < count; k++, panel += step)
        add_pair<COUNT, PARTS>(panel, x + 2 * k, x_stride, sum);
#pragma GCC unroll 8
    for (int64_t c = 0; c < COUNT; c++)
#pragma GCC unroll 8
        for (int64_t p = 0; p < PARTS; p++)
            store(y + c * y_stride + p * WIDE, as<Floats>(sum[c][p]));
}

// Two rows of values become pairs; the second is NULL after the last.
void fill_pairs(const BFloat16 *one, const BFloat16 *two, int64_t width, BFloat16 *panel)
{
    each_vector(width, [&](int64_t at, int64_t n) {
        auto bits = [&](const BFloat16 *row) {
            return _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(first_of(n), row + at));
        };
        __m512i low = bits(one);
        __m512i high = two ? _mm512_slli_epi32(bits(two), 16) : _mm512_setzero_si512();
        _mm512_storeu_si512(panel + 2 * at, _mm512_or_si512(low, high));
    });
}

void fill_panels(const ct::PromptTask &task, const PromptRoom &room)
{
    int64_t count = task.start + task.count - room.first;
    auto *key = static_cast<const BFloat16 *>(task.keys) + room.first * task.key_stride;
    auto *value = static_cast<const BFloat16 *>(task.values) + room.first * task.value_stride;
    for (int64_t k = 0; k < count; k += PANEL)
        fill_panel(key + k * task.key_stride, task.key_stride, count - k, task.width,
                   room.key_panels + k * room.even);
    for (int64_t k = 0; k < count; k += 2) {
        const BFloat16 *one = value + k * task.value_stride;
        fill_pairs(one, k + 1 < count ? one + task.value_stride : nullptr, task.width,
                   room.value_panels + k * room.parts * WIDE);
    }
    int64_t filled = rounded_up(count, 2) * room.parts * WIDE;
    __builtin_memset(room.value_panels + filled, 0,
                     static_cast<uint64_t>(room.keys * room.parts * WIDE - filled) * sizeof *value);
}

// Scores from begin up to end become weights, of which the sum is returned; those from low up to
// begin and from end up to high are 0.
float weigh(float *scores, BFloat16 *weights, int64_t low, int64_t begin, int64_t end, int64_t high,
            float scale, float softcap)
{
    Floats most = all(-__builtin_inff());
    auto capped = [&](Floats v) {
        v *= scale;
        if (softcap == 0.0f) return v;
        return softcap - 2.0f * softcap / (1.0f + exponential(v * (2.0f / softcap)));
    };
    each_vector(end - begin, [&](int64_t at, int64_t n) {
        Floats v = capped(take(scores + begin + at, n));
        put(scores + begin + at, v, n);
        if (n < WIDE)
            v = as<Floats>(_mm512_mask_mov_ps(_mm512_set1_ps(-__builtin_inff()), first_of(n),
                                              as<__m512>(v)));
        most = choose(v > most, v, most);
    });
    float top = _mm512_reduce_max_ps(as<__m512>(most));
    __builtin_memset(weights + low, 0, static_cast<uint64_t>(begin - low) * sizeof *weights);
    __builtin_memset(weights + end, 0, static_cast<uint64_t>(high - end) * sizeof *weights);
    Floats sum{};
    each_vector(end - begin, [&](int64_t at, int64_t n) {
        Floats e = exponential(take(scores + begin + at, n) - top);
        if (n < WIDE) e = as<Floats>(_mm512_maskz_mov_ps(first_of(n), as<__m512>(e)));
        sum += e;
        _mm256_mask_storeu_epi16(weights + begin + at, first_of(n),
                                 as<__m256i>(_mm512_cvtneps_pbh(as<__m512>(e))));
    });
    return sum_of(sum);
}

template <int64_t PARTS>
void sum_parts(const PromptRoom &room, int64_t query, int64_t low, int64_t high, int64_t part)
{
    pair_products<SUMMED, PARTS>(room.value_panels + (low * room.parts + 2 * part) * WIDE,
                                 2 * room.parts * WIDE, room.weights + query * room.keys + low,
                                 room.keys, (high - low) / 2,
                                 room.sums + (query * room.parts + part) * WIDE, room.parts * WIDE);
}

// Queries of one head, the first at a position; count: at most QUERIES.
void attend_queries(const ct::PromptTask &task, const PromptRoom &room, const BFloat16 *query,
                    BFloat16 *result, int64_t position, int64_t count)
{
    for (int64_t c = 0; c < count; c++)
        __builtin_memcpy(room.queries + c * room.even, query + c * task.query_stride,
                         static_cast<uint64_t>(task.width) * sizeof *query);
    int64_t low = (first_seen(task, position) - room.first) / PANEL * PANEL;
    auto end_of = [&](int64_t c) { return position + (c < count ? c : count) - room.first; };
    for (int64_t c = 0; c < count; c += SCORED)
        for (int64_t k = low; k < end_of(c + SCORED); k += PANEL)
            pair_products<SCORED, PANEL / WIDE>(room.key_panels + k * room.even, 2 * PANEL,
                                                room.queries + c * room.even, room.even,
                                                room.even / 2, room.scores + c * room.keys + k,
                                                room.keys);
    float totals[QUERIES];
    int64_t high = rounded_up(end_of(count), 2);
    for (int64_t c = 0; c < count; c++)
        totals[c] = weigh(room.scores + c * room.keys, room.weights + c * room.keys, low,
                          first_seen(task, position + c) - room.first, end_of(c + 1), high,
                          task.scale, task.softcap);
    for (int64_t c = 0; c < count; c += SUMMED) {
        int64_t last = rounded_up(end_of(c + SUMMED), 2), part = 0;
        for (; part + MOST_PARTS <= room.parts; part += MOST_PARTS)
            sum_parts<MOST_PARTS>(room, c, low, last, part);
        switch (room.parts - part) {
        case 3: sum_parts<3>(room, c, low, last, part); break;
        case 2: sum_parts<2>(room, c, low, last, part); break;
        case 1: sum_parts<1>(room, c, low, last, part); break;
        }
    }
    for (int64_t c = 0; c < count; c++)
        each_vector(task.width, [&](int64_t at, int64_t n) {
            put(result + c * task.result_stride + at,
                load(room.sums + c * room.parts * WIDE + at) * (1.0f / totals[c]), n);
        });
}

void attend_prompt(const ct::PromptTask &task)
{
    PromptRoom room(task);
    fill_panels(task, room);
    __builtin_memset(room.queries, 0,
                     static_cast<uint64_t>(QUERIES * room.even) * sizeof(BFloat16));
    for (int64_t g = 0; g < task.group; g++) {
        auto *query = static_cast<const BFloat16 *>(task.query) + g * task.query_head;
        auto *result = static_cast<BFloat16 *>(task.result) + g * task.result_head;
        for (int64_t at = 0; at < task.count; at += QUERIES)
            attend_queries(task, room, query + at * task.query_stride,
                           result + at * task.result_stride, task.start + at,
                           task.count - at < QUERIES ? task.count - at : QUERIES);
    }
}

// The bytes of room for a task.
int64_t prompt_room(const ct::PromptTask &task)
{
    ct::PromptTask without = task;
    without.room = nullptr;
    return reinterpret_cast<intptr_t>(PromptRoom(without).end);
}

}  // namespace

const ct::PromptKernel ct::PROMPT_KERNEL = {attend_prompt, prompt_room};

#endif
