// sampler.cpp - the choice of the next token from logits.
//
//     sample(logits [n, vocabulary], temperature=0.8, top_k=40, top_p=0.95)  =>  ids [n]
//
// The filters are those of transformers, in its order: temperature, top-k, top-p (the survivors'
// most likely tokens until their probability reaches p, the token that crosses p included, so that
// 0 leaves one), min-p (tokens at least that fraction as likely as the most likely one), typical-p
// (Meister et al. 2022).
// No filter sorts the vocabulary: top-k keeps a heap, the others search for the limit by sums of
// probabilities, and sort the few tokens that are near it.

#include "llm/llm.h"
#include "quantize/parallel.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>

using at::Tensor;
using ct::Failure;

namespace {

constexpr int64_t LOGITS_EACH = 1 << 14;  // that pay for a thread
constexpr int64_t MOST_IN_HEAP = 1024;
constexpr float RANGE = 40.0f;  // the difference in log-probability in which a limit is searched
constexpr int SEARCHES = 5;      // each makes the range five times smaller

struct Settings {
    double temperature;
    int64_t top_k;  // 0: all
    double top_p, min_p, typical_p;
};

// The tokens that may be chosen: those with weights above 0, exp((logit - top) / temperature).
struct Candidates {
    const float *logits;
    int64_t count;
    float top;                 // the largest logit
    std::vector<int64_t> ids;  // empty: the indices
    float *weights = nullptr;
    double total = 0.0;        // of the weights
};

// Memory that is kept from call to call: new memory costs more than what is done with it.
template <class T, int use>
T *room(int64_t count)
{
    thread_local std::vector<T> kept;
    if (kept.size() < static_cast<size_t>(count)) kept.resize(static_cast<size_t>(count));
    return kept.data();
}

// Before another in the order of likelihood: of equals, the lower index.
struct Likelier {
    const float *keys;
    bool operator()(int64_t a, int64_t b) const
    {
        return keys[a] > keys[b] || (keys[a] == keys[b] && a < b);
    }
};

// The indices of the k largest, by a heap whose first element is the least of them.
std::vector<int64_t> heap_of_largest(const float *x, int64_t count, int64_t k)
{
    std::vector<int64_t> heap(static_cast<size_t>(k));
    std::iota(heap.begin(), heap.end(), 0);
    Likelier order{x};
    std::make_heap(heap.begin(), heap.end(), order);
    constexpr int64_t ROOM = 64;
    int64_t found[ROOM + 1];
    for (int64_t at = k; at < count;) {
        int64_t some = ct::kernels().above(x, at, count, x[heap.front()], found, ROOM);
        at = found[some];
        for (int64_t j = 0; j < some; j++) {
            if (!order(found[j], heap.front())) continue;
            std::pop_heap(heap.begin(), heap.end(), order);
            heap.back() = found[j];
            std::push_heap(heap.begin(), heap.end(), order);
        }
    }
    return heap;
}

std::vector<int64_t> indices_of_largest(const float *x, int64_t count, int64_t k)
{
    if (k <= MOST_IN_HEAP) return heap_of_largest(x, count, k);
    std::vector<int64_t> all(static_cast<size_t>(count));
    std::iota(all.begin(), all.end(), 0);
    std::nth_element(all.begin(), all.begin() + k - 1, all.end(), Likelier{x});
    all.resize(static_cast<size_t>(k));
    return all;
}

// Only the k most likely, in the order of their indices.
void keep_largest(Candidates &c, int64_t k)
{
    c.ids = indices_of_largest(c.logits, c.count, k);
    std::sort(c.ids.begin(), c.ids.end());
    float *logits = room<float, 0>(k);
    for (int64_t j = 0; j < k; j++) logits[j] = c.logits[c.ids[static_cast<size_t>(j)]];
    c.logits = logits;
    c.count = k;
}

// Keys from low up to high are near the limit: the weights of those from high on do not reach the
// mass, those from low on do.
struct Near {
    float low, high;
};

Near near_limit(const Candidates &c, const float *keys, float top, float range, double mass)
{
    Near near{top - std::min(range, 1e30f), INFINITY};
    float upper = top;
    for (int k = 0; k < SEARCHES; k++) {
        float limits[ct::LIMITS];
        double sums[ct::LIMITS];
        // The first search also tells whether the mass is within the range at all.
        float part = (upper - near.low) / static_cast<float>(ct::LIMITS + (k > 0));
        for (int64_t j = 0; j < ct::LIMITS; j++)
            limits[j] = upper - part * static_cast<float>(j + 1);
        ct::kernels().sums_from(keys, c.weights, c.count, limits, sums);
        int64_t first = 0;
        while (first < ct::LIMITS && sums[first] < mass) first++;
        if (first == ct::LIMITS && k == 0) return {-INFINITY, limits[ct::LIMITS - 1]};
        if (first > 0) near.high = upper = limits[first - 1];
        if (first < ct::LIMITS) near.low = limits[first];
    }
    return near;
}

// Only the candidates with the largest keys until their weights reach the mass, the one that
// reaches it included.  Keys are at most `top`.
void keep_until(Candidates &c, const float *keys, float top, float range, double mass)
{
    Near near = near_limit(c, keys, top, range, mass);
    auto *between = room<int64_t, 1>(c.count);
    int64_t count;
    double sum = ct::kernels().cut(keys, c.weights, c.count, near.low, near.high, between, &count);
    std::sort(between, between + count, Likelier{keys});
    c.total = sum;
    bool is_first = sum == 0.0;
    for (int64_t j = 0; j < count; j++) {
        float &weight = c.weights[between[j]];
        bool is_kept = sum < mass || is_first;
        is_first = false;
        sum += static_cast<double>(weight);
        if (is_kept) c.total += static_cast<double>(weight);
        else weight = 0.0f;
    }
}

void weigh(Candidates &c, const Settings &settings)
{
    auto factor = static_cast<float>(1.0 / settings.temperature);
    float least = -INFINITY;  // min-p: the weight of the most likely one is 1
    if (settings.min_p > 0.0)
        least = c.top + static_cast<float>(std::log(settings.min_p) * settings.temperature);
    bool cuts = settings.top_p < 1.0;  // before min-p
    c.weights = room<float, 2>(c.count);
    int64_t blocks = (c.count + ct::SUMMED - 1) / ct::SUMMED;
    double *sums = room<double, 3>(blocks);
    ct::kernels().exponentials(c.logits, c.weights, sums, c.count, c.top, factor,
                               cuts ? -INFINITY : least);
    c.total = std::accumulate(sums, sums + blocks, 0.0);
    if (!cuts) return;
    keep_until(c, c.logits, c.top, RANGE / factor, settings.top_p * c.total);
    for (int64_t k = 0; k < c.count && settings.min_p > 0.0; k++)
        if (c.logits[k] < least) {
            c.total -= static_cast<double>(c.weights[k]);
            c.weights[k] = 0.0f;
        }
}

// The tokens whose information is nearest to the entropy, until their probability reaches p.
void keep_typical(Candidates &c, const Settings &settings)
{
    double factor = 1.0 / settings.temperature;
    double sum = ct::kernels().weighted_sum(c.logits, c.weights, c.count, c.top);
    double mean = sum * factor / c.total;
    // Of (logit - top) * factor, whose mean is as far from the logarithm of the weights' sum as the
    // entropy is.
    double shift = -static_cast<double>(c.top) * factor - mean;
    float *keys = room<float, 4>(c.count);
    ct::kernels().distances(c.logits, keys, c.count, static_cast<float>(factor),
                            static_cast<float>(shift));
    keep_until(c, keys, 0.0f, RANGE, settings.typical_p * c.total);
}

double uniform(at::CPUGeneratorImpl &generator)
{
    std::lock_guard<std::mutex> lock(generator.mutex_);
    return static_cast<double>(generator.random64() >> 11) * 0x1p-53;
}

// The first candidate with which the sum of the weights exceeds the target.
int64_t reaching(const Candidates &c, double target)
{
    int64_t last = 0;
    for (int64_t begin = 0; begin < c.count; begin += ct::SUMMED) {
        int64_t end = std::min(begin + ct::SUMMED, c.count);
        float block[4] = {};  // four sums at once: one would wait for each addition
        for (int64_t k = begin; k < end; k++) block[k % 4] += c.weights[k];
        auto sum = static_cast<double>((block[0] + block[1]) + (block[2] + block[3]));
        if (sum == 0.0) continue;
        last = begin;
        if (target >= sum) {
            target -= sum;
            continue;
        }
        for (int64_t k = begin; k < end; k++) {
            target -= static_cast<double>(c.weights[k]);
            if (c.weights[k] > 0.0f) last = k;
            if (target < 0.0) return last;
        }
        return last;
    }
    while (last + 1 < c.count && c.weights[last] == 0.0f) last++;
    return last;  // rounding left a little of the target
}

// The largest logit, or nan if there is one, where a token can be chosen.
float checked_top(float top)
{
    if (std::isnan(top) || top == INFINITY)
        throw Failure{std::string("the logits contain ") + (std::isnan(top) ? "nan" : "inf"), ""};
    if (top == -INFINITY)
        throw Failure{"no token is allowed: all logits are -inf",
                      "does a mask forbid all of them?"};
    return top;
}

int64_t sampled(const float *x, int64_t count, const Settings &settings,
                at::CPUGeneratorImpl &generator)
{
    int64_t likeliest = ct::kernels().largest(ct::Element::Float, x, count);
    float top = checked_top(x[likeliest]);
    Candidates c{x, count, top, {}};
    if (settings.top_k && settings.top_k < count) keep_largest(c, settings.top_k);
    weigh(c, settings);
    if (settings.typical_p < 1.0) keep_typical(c, settings);
    int64_t place = reaching(c, uniform(generator) * c.total);
    return c.ids.empty() ? place : c.ids[static_cast<size_t>(place)];
}

void need_share(const char *name, double x)
{
    if (x >= 0.0 && x <= 1.0) return;
    throw Failure{std::string("expected ") + name + " from 0 to 1, got " + ct::double_text(x), ""};
}

Settings checked(double temperature, std::optional<int64_t> top_k, double top_p, double min_p,
                 double typical_p)
{
    if (!(temperature >= 0.0) || std::isinf(temperature))
        throw Failure{"expected a temperature of 0 or more, got " + ct::double_text(temperature),
                      "0 takes the most likely token"};
    if (top_k && *top_k < 1)
        throw Failure{"expected top-k of 1 or more, got " + std::to_string(*top_k),
                      "leave it out to keep all tokens"};
    need_share("top-p", top_p);
    need_share("min-p", min_p);
    need_share("typical-p", typical_p);
    return {temperature, top_k.value_or(0), top_p, min_p, typical_p};
}

// Of rows without their last dimension.
std::vector<int64_t> shape_of_rows(const Tensor &x)
{
    return {x.sizes().begin(), x.sizes().end() - 1};
}

void need_choice(const Tensor &x)
{
    ct::llm::need_floats("logits", x, 1);
    if (x.size(-1) == 0) ct::llm::wrong_shape("at least one logit in each row", x);
}

// Tokens are drawn on the CPU: for a device's generator, by one that it gives a seed.
at::Generator on_cpu(const std::optional<at::Generator> &generator)
{
    if (!generator || !generator->defined()) return {};
    if (generator->device().is_cpu()) return *generator;
    at::Generator drawing = at::detail::createCPUGenerator();
    at::Tensor seed = at::empty({1}, at::TensorOptions().dtype(at::kLong).device(generator->device()));
    seed.random_(generator);
    drawing.set_current_seed(static_cast<uint64_t>(seed.item<int64_t>()));
    return drawing;
}

// The most likely token of each row.  The largest logits alone come from another device.
Tensor likeliest(const Tensor &logits)
{
    Tensor ids = ct::llm::argmax_last(logits);
    Tensor tops = at::gather(logits, -1, ids.unsqueeze(-1)).to(at::kCPU, at::kFloat).contiguous();
    for (int64_t r = 0; r < tops.numel(); r++) checked_top(tops.const_data_ptr<float>()[r]);
    return ids;
}

}  // namespace

Tensor ct::llm::argmax_last(const Tensor &input)
{
    need_choice(input);
    if (!is_plain(input)) return at::argmax(input, -1);
    Tensor x = input.contiguous();
    Tensor ids = at::empty(shape_of_rows(x), x.options().dtype(at::kLong));
    auto *row = static_cast<const char *>(x.const_data_ptr());
    int64_t count = x.size(-1), stride = count * static_cast<int64_t>(x.element_size());
    int64_t *id = ids.mutable_data_ptr<int64_t>();
    ct::parallel_ranges(ids.numel(), LOGITS_EACH / count + 1, [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; r++)
            id[r] = kernels().largest(element_of(x), row + r * stride, count);
    });
    return ids;
}

Tensor ct::llm::sample(const Tensor &logits, double temperature, std::optional<int64_t> top_k,
                       double top_p, double min_p, double typical_p,
                       const std::optional<at::Generator> &generator)
{
    need_choice(logits);
    Settings settings = checked(temperature, top_k, top_p, min_p, typical_p);
    if (logits.is_meta())
        return at::empty(shape_of_rows(logits), logits.options().dtype(at::kLong));
    if (settings.temperature == 0.0 || settings.top_k == 1) return likeliest(logits.detach());
    Tensor x = logits.detach().to(at::kCPU, at::kFloat).contiguous();
    Tensor ids = at::empty(shape_of_rows(x), x.options().dtype(at::kLong));
    at::Generator drawing = on_cpu(generator);
    auto *random = at::get_generator_or_default<at::CPUGeneratorImpl>(
        drawing, at::detail::getDefaultCPUGenerator());
    int64_t count = x.size(-1);
    for (int64_t r = 0; r < ids.numel(); r++)
        ids.mutable_data_ptr<int64_t>()[r] =
            sampled(x.const_data_ptr<float>() + r * count, count, settings, *random);
    return ids.to(logits.device());
}
