// sampler.cpp - the choice of the next token from logits.
//
//     sample(logits [n, vocabulary], temperature=0.8, top_k=40, top_p=0.95)  =>  ids [n]
//
// The filters are those of transformers, in its order: temperature, top-k, top-p (the survivors'
// most likely tokens until their probability reaches p, the token that crosses p included), min-p
// (tokens at least that fraction as likely as the most likely one), typical-p (Meister et al. 2022).
// No filter sorts the vocabulary: top-k keeps a heap, the others count probabilities in buckets and
// sort the one bucket in which the limit lies.

#include "llm/llm.h"

#include <ATen/CPUGeneratorImpl.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>

using at::Tensor;
using ct::Failure;

namespace {

constexpr int64_t MOST_IN_HEAP = 1024;
constexpr size_t BUCKETS = 4096;
constexpr float RANGE = 40.0f;  // differences in log-probability that buckets tell apart
constexpr int64_t FEW = 2048;   // candidates that are sorted at once

struct Settings {
    double temperature;
    int64_t top_k;  // 0: all
    double top_p, min_p, typical_p;
};

// The tokens that may still be chosen, with their logits; weights are exp((logit - top) / temperature).
struct Candidates {
    std::vector<float> logits, weights;
    std::vector<int64_t> ids;  // empty: the indices
    double total = 0.0;

    int64_t count() const { return static_cast<int64_t>(logits.size()); }
};

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

std::vector<int64_t> indices_of_largest(const std::vector<float> &x, int64_t k)
{
    auto count = static_cast<int64_t>(x.size());
    if (k <= MOST_IN_HEAP) return heap_of_largest(x.data(), count, k);
    std::vector<int64_t> all(x.size());
    std::iota(all.begin(), all.end(), 0);
    std::nth_element(all.begin(), all.begin() + k - 1, all.end(), Likelier{x.data()});
    all.resize(static_cast<size_t>(k));
    return all;
}

// Keep the candidates at those places, in the order of their indices.
void keep(Candidates &from, std::vector<int64_t> places)
{
    std::sort(places.begin(), places.end());
    Candidates kept;
    for (int64_t k : places) {
        auto at = static_cast<size_t>(k);
        kept.logits.push_back(from.logits[at]);
        if (!from.weights.empty()) {
            kept.weights.push_back(from.weights[at]);
            kept.total += static_cast<double>(from.weights[at]);
        }
        kept.ids.push_back(from.ids.empty() ? k : from.ids[at]);
    }
    from = std::move(kept);
}

// The places of the candidates with the largest keys until their weights reach the mass, the one
// that reaches it included.  Keys lie below `top`.
std::vector<int64_t> largest_until(const Candidates &c, const std::vector<float> &keys, float top,
                                   float step, double mass)
{
    std::vector<int64_t> crossing, kept;
    double sum = 0.0;
    if (c.count() <= FEW) {
        crossing.resize(keys.size());
        std::iota(crossing.begin(), crossing.end(), 0);
    } else {
        std::vector<double> sums(BUCKETS, 0.0);
        std::vector<uint16_t> buckets(keys.size());
        for (size_t k = 0; k < keys.size(); k++) {
            float distance = (top - keys[k]) * step;
            buckets[k] = static_cast<uint16_t>(
                distance < static_cast<float>(BUCKETS - 1) ? static_cast<size_t>(distance) : BUCKETS - 1);
            sums[buckets[k]] += static_cast<double>(c.weights[k]);
        }
        size_t bucket = 0;
        while (bucket + 1 < BUCKETS && sum + sums[bucket] < mass) sum += sums[bucket++];
        for (size_t k = 0; k < keys.size(); k++) {
            if (buckets[k] < bucket) kept.push_back(static_cast<int64_t>(k));
            else if (buckets[k] == bucket) crossing.push_back(static_cast<int64_t>(k));
        }
    }
    std::sort(crossing.begin(), crossing.end(), Likelier{keys.data()});
    for (int64_t k : crossing) {
        if (sum >= mass && !kept.empty()) break;
        sum += static_cast<double>(c.weights[static_cast<size_t>(k)]);
        kept.push_back(k);
    }
    return kept;
}

void weigh(Candidates &c, const Settings &settings)
{
    float top = *std::max_element(c.logits.begin(), c.logits.end());
    auto factor = static_cast<float>(1.0 / settings.temperature);
    float least = -INFINITY;  // min-p: the weight of the most likely one is 1
    if (settings.min_p > 0.0)
        least = top + static_cast<float>(std::log(settings.min_p) * settings.temperature);
    c.weights.resize(c.logits.size());
    std::vector<double> sums(c.logits.size() / ct::SUMMED + 1);
    bool is_last = settings.top_p >= 1.0;  // min-p comes after top-p
    ct::kernels().exponentials(c.logits.data(), c.weights.data(), sums.data(), c.count(), top,
                               factor, is_last ? least : -INFINITY);
    c.total = std::accumulate(sums.begin(), sums.end(), 0.0);
    if (is_last) return;
    auto step = static_cast<float>(BUCKETS) / (RANGE / factor);
    keep(c, largest_until(c, c.logits, top, step, settings.top_p * c.total));
    if (settings.min_p <= 0.0) return;
    std::vector<int64_t> places;
    for (int64_t k = 0; k < c.count(); k++)
        if (c.logits[static_cast<size_t>(k)] >= least) places.push_back(k);
    keep(c, std::move(places));
}

// The tokens whose information is nearest to the entropy, until their probability reaches p.
void keep_typical(Candidates &c, double p)
{
    double entropy = 0.0;
    for (float w : c.weights)
        if (w > 0.0f) {
            double share = static_cast<double>(w) / c.total;
            entropy -= share * std::log(share);
        }
    std::vector<float> keys(c.weights.size());
    for (size_t k = 0; k < keys.size(); k++) {
        double share = static_cast<double>(c.weights[k]) / c.total;
        keys[k] = share > 0.0 ? static_cast<float>(-std::abs(-std::log(share) - entropy)) : -INFINITY;
    }
    keep(c, largest_until(c, keys, 0.0f, static_cast<float>(BUCKETS) / RANGE, p * c.total));
}

double uniform(at::CPUGeneratorImpl &generator)
{
    std::lock_guard<std::mutex> lock(generator.mutex_);
    return static_cast<double>(generator.random64() >> 11) * 0x1p-53;
}

int64_t drawn(const Candidates &c, at::CPUGeneratorImpl &generator)
{
    double target = uniform(generator) * c.total;
    size_t last = 0;
    for (size_t begin = 0; begin < c.weights.size(); begin += ct::SUMMED) {
        size_t end = std::min(begin + ct::SUMMED, c.weights.size());
        float block[4] = {};  // four sums at once: one would wait for each addition
        for (size_t k = begin; k < end; k++) block[k % 4] += c.weights[k];
        double sum = static_cast<double>((block[0] + block[1]) + (block[2] + block[3]));
        if (sum > 0.0) {
            if (target < sum)
                for (size_t k = begin; k < end; k++) {
                    if (c.weights[k] > 0.0f) last = k;
                    target -= static_cast<double>(c.weights[k]);
                    if (target < 0.0) return static_cast<int64_t>(k);
                }
            else target -= sum;
            for (size_t k = begin; k < end; k++)
                if (c.weights[k] > 0.0f) last = k;
        }
    }
    return static_cast<int64_t>(last);  // rounding left a little of the target
}

void check_logits(const float *x, int64_t count)
{
    float top = x[ct::kernels().largest(ct::Element::Float, x, count)];
    if (std::isnan(top) || top == INFINITY)
        throw Failure{std::string("the logits contain ") + (std::isnan(top) ? "nan" : "inf"), ""};
    if (top == -INFINITY)
        throw Failure{"no token is allowed: all logits are -inf", "does a mask forbid all of them?"};
}

int64_t sampled(const float *x, int64_t count, const Settings &settings,
                at::CPUGeneratorImpl &generator)
{
    check_logits(x, count);
    if (settings.temperature == 0.0 || settings.top_k == 1)
        return ct::kernels().largest(ct::Element::Float, x, count);
    Candidates c;
    c.logits.assign(x, x + count);
    if (settings.top_k && settings.top_k < count)
        keep(c, indices_of_largest(c.logits, settings.top_k));
    weigh(c, settings);
    if (settings.typical_p < 1.0) keep_typical(c, settings.typical_p);
    int64_t place = drawn(c, generator);
    return c.ids.empty() ? place : c.ids[static_cast<size_t>(place)];
}

void need_share(const char *name, double x, bool may_be_zero)
{
    if (x <= 1.0 && (x > 0.0 || (may_be_zero && x == 0.0))) return;
    throw Failure{std::string("expected ") + name + (may_be_zero ? " from 0" : " greater than 0") +
                      " and at most 1, got " + ct::double_text(x),
                  ""};
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
    need_share("top-p", top_p, false);
    need_share("min-p", min_p, true);
    need_share("typical-p", typical_p, false);
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

}  // namespace

Tensor ct::llm::argmax_last(const Tensor &input)
{
    need_choice(input);
    if (!is_plain(input)) return at::argmax(input, -1);
    Tensor x = input.contiguous();
    Tensor ids = at::empty(shape_of_rows(x), x.options().dtype(at::kLong));
    auto *row = static_cast<const char *>(x.const_data_ptr());
    int64_t count = x.size(-1), stride = count * static_cast<int64_t>(x.element_size());
    for (int64_t r = 0; r < ids.numel(); r++)
        ids.mutable_data_ptr<int64_t>()[r] = kernels().largest(element_of(x), row + r * stride, count);
    return ids;
}

Tensor ct::llm::sample(const Tensor &logits, double temperature, std::optional<int64_t> top_k,
                       double top_p, double min_p, double typical_p,
                       const std::optional<at::Generator> &generator)
{
    need_choice(logits);
    Settings settings = checked(temperature, top_k, top_p, min_p, typical_p);
    if (logits.is_meta()) return at::empty(shape_of_rows(logits), logits.options().dtype(at::kLong));
    Tensor x = logits.detach().to(at::kCPU, at::kFloat).contiguous();
    Tensor ids = at::empty(shape_of_rows(x), x.options().dtype(at::kLong));
    auto *random = at::get_generator_or_default<at::CPUGeneratorImpl>(
        generator, at::detail::getDefaultCPUGenerator());
    int64_t count = x.size(-1);
    for (int64_t r = 0; r < ids.numel(); r++)
        ids.mutable_data_ptr<int64_t>()[r] =
            sampled(x.const_data_ptr<float>() + r * count, count, settings, *random);
    return ids.to(logits.device());
}
