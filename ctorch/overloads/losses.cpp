// losses.cpp - losses as in torch.nn.functional.
//
//     (tensor-cross-entropy logits targets :label-smoothing 0.1)

#include "overloads/overloads.h"

#include <cmath>
#include <numbers>

namespace {

using at::Tensor;
using ct::boxed;
using ct::Failure;
using ct::OverloadDefinition;
using ct::OptionalTensor;
using ct::reduced;

Tensor cross_entropy(Tensor input, Tensor target, OptionalTensor weight, int64_t ignore_index,
                     int64_t reduction, double label_smoothing)
{
    return at::cross_entropy_loss(input, target, weight, reduction, ignore_index, label_smoothing);
}

Tensor nll_loss(Tensor input, Tensor target, OptionalTensor weight, int64_t ignore_index,
                int64_t reduction)
{
    return at::nll_loss_nd(input, target, weight, reduction, ignore_index);
}

// Check the linear layer: a weight [classes, features], or [classes, d ..., features] for a loss at
// each of d ... positions of an example, and a bias of its shape without the features.
void check_linear(const Tensor &input, const Tensor &weight, const OptionalTensor &bias)
{
    if (input.dim() < 1 || input.dim() > 2)
        throw Failure{"expected input of rank 1 or 2, got shape " + ct::shape_text(input), ""};
    if (weight.dim() < 2)
        throw Failure{"expected a linear-weight of rank 2 or more, got shape " +
                          ct::shape_text(weight),
                      ""};
    if (input.size(-1) != weight.size(-1))
        throw Failure{"input " + ct::shape_text(input) + " and linear-weight " +
                          ct::shape_text(weight) + " differ in their last dimension",
                      ""};
    at::IntArrayRef expected = weight.sizes().slice(0, static_cast<size_t>(weight.dim() - 1));
    if (bias && bias->sizes() != expected)
        throw Failure{"expected a linear-bias of shape " + ct::shape_text(expected) + ", got " +
                          ct::shape_text(*bias),
                      ""};
    if (weight.dim() > 2 && input.dim() == 1)
        throw Failure{"a linear-weight of rank 3 or more needs a batch of inputs, got shape " +
                          ct::shape_text(input),
                      ""};
}

// The scores of all classes: [classes], [n, classes] or [n, classes, d ...].
Tensor linear_scores(const Tensor &input, const Tensor &weight, const OptionalTensor &bias)
{
    if (weight.dim() == 2) return at::linear(input, weight, bias);
    OptionalTensor row = bias ? OptionalTensor(bias->reshape(-1)) : std::nullopt;
    Tensor scores = at::linear(input, weight.reshape({-1, weight.size(-1)}), row);
    std::vector<int64_t> sizes = weight.sizes().vec();
    sizes.pop_back();
    sizes.insert(sizes.begin(), input.size(0));
    return scores.reshape(sizes);
}

Tensor linear_cross_entropy(Tensor input, Tensor linear_weight, Tensor target,
                            OptionalTensor linear_bias, OptionalTensor weight, int64_t reduction,
                            std::optional<int64_t> ignore_index, double label_smoothing)
{
    check_linear(input, linear_weight, linear_bias);
    Tensor scores = linear_scores(input, linear_weight, linear_bias);
    if (ignore_index && target.sizes() == scores.sizes())
        throw Failure{"ignore-index needs classes as targets, got probabilities", ""};
    return at::cross_entropy_loss(scores, target, weight, reduction, ignore_index.value_or(-100),
                                  label_smoothing);
}

// The mean over the examples, each of which is a sum.
Tensor kl_div(Tensor input, Tensor target, std::string reduction, bool log_target)
{
    if (reduction != "batchmean")
        throw Failure{"expected \"none\", \"mean\", \"sum\" or \"batchmean\" for reduction, got \"" +
                          reduction + '"',
                      ""};
    Tensor sum = at::kl_div(input, target, at::Reduction::Sum, log_target);
    return input.dim() ? sum / input.size(0) : sum;
}

Tensor multilabel_soft_margin_loss(Tensor input, Tensor target, OptionalTensor weight,
                                   int64_t reduction)
{
    Tensor losses = -(target * at::log_sigmoid(input) + (1 - target) * at::log_sigmoid(-input));
    if (weight) losses = losses * *weight;
    return reduced(at::mean(losses, -1), reduction);
}

// The variance of each element, of each row, or one for all, as it broadcasts to input.
Tensor variance(const Tensor &input, const Tensor &var)
{
    if (var.sizes() == input.sizes() || var.dim() == 0) return var;
    if (input.dim() && var.sizes() == input.sizes().slice(0, input.dim() - 1))
        return at::unsqueeze(var, -1);
    int64_t differing = 0;
    bool fits = var.dim() == input.dim();
    for (int64_t k = 0; fits && k < var.dim(); k++) {
        if (var.size(k) == input.size(k)) continue;
        fits = var.size(k) == 1 && ++differing == 1;
    }
    if (fits) return var;
    throw Failure{"expected var of the input's shape " + ct::shape_text(input) +
                      ", or with size 1 in one dimension, got " + ct::shape_text(var),
                  ""};
}

Tensor gaussian_nll_loss(Tensor input, Tensor target, Tensor var, bool full, double eps,
                         int64_t reduction)
{
    if (at::any(at::lt(var, 0)).item<bool>()) throw Failure{"var has negative elements", ""};
    var = variance(input, var).clone();
    {
        at::NoGradGuard guard;  // clamping does not change the gradient
        var.clamp_min_(eps);
    }
    Tensor losses = 0.5 * (at::log(var) + at::square(input - target) / var);
    if (full) losses = losses + 0.5 * std::log(2 * std::numbers::pi);
    return reduced(losses, reduction);
}

// Losses of elements, each with a weight.

void check_weight(const Tensor &weight, const Tensor &input)
{
    if (weight.sizes() != input.sizes())
        throw Failure{"expected a weight of the input's shape " + ct::shape_text(input) + ", got " +
                          ct::shape_text(weight),
                      ""};
}

Tensor weighed(const Tensor &losses, const Tensor &weight, int64_t reduction)
{
    Tensor all = losses * weight;
    return reduction == at::Reduction::Mean ? at::sum(all) / at::sum(weight)
                                            : reduced(all, reduction);
}

Tensor mse_loss(Tensor input, Tensor target, int64_t reduction, Tensor weight)
{
    check_weight(weight, input);
    return weighed(at::mse_loss(input, target, at::Reduction::None), weight, reduction);
}

Tensor l1_loss(Tensor input, Tensor target, int64_t reduction, Tensor weight)
{
    check_weight(weight, input);
    return weighed(at::l1_loss(input, target, at::Reduction::None), weight, reduction);
}

Tensor huber_loss(Tensor input, Tensor target, int64_t reduction, double delta, Tensor weight)
{
    check_weight(weight, input);
    Tensor losses = at::huber_loss(input, target, at::Reduction::None, delta);
    if (reduction != at::Reduction::Mean) return weighed(losses, weight, reduction);
    return at::mean(weighed(losses, weight, at::Reduction::None));  // not divided by the weights
}

Tensor poisson_nll_loss(Tensor input, Tensor target, bool log_input, bool full, double eps,
                        int64_t reduction)
{
    return at::poisson_nll_loss(input, target, log_input, full, eps, reduction);
}

constexpr OverloadDefinition LOSS_OVERLOADS[] = {
    {"cross_entropy(Tensor input, Tensor target, Tensor? weight=None, *, int ignore_index=-100,"
     " int reduction=1, float label_smoothing=0.0) -> Tensor",
     boxed<cross_entropy>},
    {"nll_loss(Tensor input, Tensor target, Tensor? weight=None, *, int ignore_index=-100,"
     " int reduction=1) -> Tensor",
     boxed<nll_loss>},
    {"linear_cross_entropy(Tensor input, Tensor linear_weight, Tensor target, *,"
     " Tensor? linear_bias=None, Tensor? weight=None, int reduction=1, int? ignore_index=None,"
     " float label_smoothing=0.0) -> Tensor",
     boxed<linear_cross_entropy>},
    {"kl_div(Tensor input, Tensor target, *, str reduction, bool log_target=False) -> Tensor",
     boxed<kl_div>},
    {"multilabel_soft_margin_loss(Tensor input, Tensor target, Tensor? weight=None, *,"
     " int reduction=1) -> Tensor",
     boxed<multilabel_soft_margin_loss>},
    {"gaussian_nll_loss(Tensor input, Tensor target, Tensor var, bool full=False,"
     " float eps=1e-06, int reduction=1) -> Tensor",
     boxed<gaussian_nll_loss>},
    {"poisson_nll_loss(Tensor input, Tensor target, bool log_input=True, bool full=False, *,"
     " float eps=1e-08, int reduction=1) -> Tensor",
     boxed<poisson_nll_loss>},
    {"mse_loss(Tensor input, Tensor target, *, int reduction=1, Tensor weight) -> Tensor",
     boxed<mse_loss>},
    {"l1_loss(Tensor input, Tensor target, *, int reduction=1, Tensor weight) -> Tensor",
     boxed<l1_loss>},
    {"huber_loss(Tensor input, Tensor target, int reduction=1, float delta=1.0, *, Tensor weight)"
     " -> Tensor",
     boxed<huber_loss>},
};

}  // namespace

c10::ArrayRef<OverloadDefinition> ct::loss_overloads() { return LOSS_OVERLOADS; }
