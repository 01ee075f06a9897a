// layers.cpp - activations, dropout, embeddings and normalizations as in torch.nn.functional.
//
//     (tensor-batch-norm x :running-mean m :running-var v :training #t)

#include "overloads/overloads.h"

namespace {

using at::Tensor;
using ct::boxed;
using ct::Failure;
using ct::OverloadDefinition;
using ct::OptionalTensor;

// Activations.

Tensor softmin(Tensor input, int64_t dim, std::optional<at::ScalarType> dtype)
{
    return at::softmax(-input, dim, dtype);
}

Tensor softsign(Tensor input) { return input / (at::abs(input) + 1); }

Tensor tanhshrink(Tensor input) { return input - at::tanh(input); }

Tensor logsigmoid(Tensor input) { return at::log_sigmoid(input); }

Tensor gumbel_softmax(Tensor logits, double tau, bool hard, double, int64_t dim)
{
    Tensor noise = -at::empty_like(logits).exponential_().log();
    Tensor soft = at::softmax((logits + noise) / tau, dim);
    if (!hard) return soft;
    // One element is 1, the others are 0, and the gradient is that of the soft elements.
    Tensor index = std::get<1>(at::max(soft, dim, /*keepdim=*/true));
    return at::zeros_like(logits).scatter_(dim, index, 1.0) - soft.detach() + soft;
}

Tensor normalize(Tensor input, double p, at::OptionalIntArrayRef dim, double eps,
                 const OptionalTensor &out)
{
    Tensor norm = at::linalg_vector_norm(input, p, dim, /*keepdim=*/true).clamp_min(eps);
    return out ? ct::write_out(*out, input / norm) : input / norm;
}

Tensor normalize_dim(Tensor input, double p, int64_t dim, double eps, OptionalTensor out)
{
    return normalize(input, p, at::IntArrayRef(dim), eps, out);
}

Tensor normalize_dims(Tensor input, double p, ct::Ints dims, double eps, OptionalTensor out)
{
    return normalize(input, p, dims, eps, out);
}

// Dropout.

Tensor dropout(Tensor input, double p, bool training) { return at::dropout(input, p, training); }

Tensor dropout_in_place(Tensor self, double p, bool training)
{
    return at::dropout_(self, p, training);
}

Tensor alpha_dropout(Tensor input, double p, bool training)
{
    return at::alpha_dropout(input, p, training);
}

Tensor alpha_dropout_in_place(Tensor self, double p, bool training)
{
    return at::alpha_dropout_(self, p, training);
}

Tensor feature_alpha_dropout(Tensor input, double p, bool training)
{
    return at::feature_alpha_dropout(input, p, training);
}

Tensor feature_alpha_dropout_in_place(Tensor self, double p, bool training)
{
    return at::feature_alpha_dropout_(self, p, training);
}

// Dropout of whole channels.  The input may lack the batch dimension, except for dropout2d, where
// PyTorch takes the first dimension for the batch.
template <int64_t rank, bool may_lack_batch>
bool lacks_batch(const Tensor &input)
{
    if (may_lack_batch && input.dim() == rank + 1) return true;
    if (rank == 1 && input.dim() != 3)
        throw Failure{"expected input of 2 or 3 dimensions, got shape " + ct::shape_text(input), ""};
    return false;
}

template <int64_t rank, bool may_lack_batch>
Tensor channel_dropout(Tensor input, double p, bool training)
{
    if (lacks_batch<rank, may_lack_batch>(input))
        return at::feature_dropout(input.unsqueeze(0), p, training).squeeze(0);
    return at::feature_dropout(input, p, training);
}

template <int64_t rank, bool may_lack_batch>
Tensor channel_dropout_in_place(Tensor self, double p, bool training)
{
    bool single = lacks_batch<rank, may_lack_batch>(self);
    Tensor batch = single ? self.unsqueeze(0) : self;
    at::feature_dropout_(batch, p, training);
    return self;
}

// Embeddings.  padding_idx counts from the end where it is negative.

int64_t padding_index(std::optional<int64_t> index, const Tensor &weight)
{
    if (!index) return -1;
    int64_t count = weight.size(0), found = *index < 0 ? *index + count : *index;
    if (found >= 0 && found < count) return found;
    throw Failure{"padding-idx " + std::to_string(*index) + " is out of range for " +
                      std::to_string(count) + " rows",
                  ""};
}

void shrink_rows(Tensor &weight, const Tensor &indices, std::optional<double> max_norm, double p)
{
    if (!max_norm) return;
    at::NoGradGuard guard;
    at::embedding_renorm_(weight, indices.contiguous(), *max_norm, p);
}

Tensor embedding(Tensor input, Tensor weight, std::optional<int64_t> padding_idx,
                 std::optional<double> max_norm, double norm_type, bool scale_grad_by_freq,
                 bool sparse)
{
    if (input.is_floating_point() && !weight.is_floating_point()) std::swap(input, weight);
    int64_t padding = padding_index(padding_idx, weight);
    shrink_rows(weight, input, max_norm, norm_type);
    return at::embedding(weight, input, padding, scale_grad_by_freq, sparse);
}

Tensor embedding_bag(Tensor input, Tensor weight, OptionalTensor offsets,
                     std::optional<double> max_norm, double norm_type, bool scale_grad_by_freq,
                     int64_t mode, bool sparse, OptionalTensor per_sample_weights,
                     bool include_last_offset, std::optional<int64_t> padding_idx)
{
    if (input.is_floating_point() && !weight.is_floating_point()) std::swap(input, weight);
    if (input.dim() == 2) {  // each row is a bag
        if (offsets) throw Failure{"offsets need an input of one dimension", ""};
        offsets = at::arange(0, input.numel(), input.size(1), input.options());
        input = input.reshape(-1);
        if (per_sample_weights) per_sample_weights = per_sample_weights->reshape(-1);
        include_last_offset = false;
    } else if (!offsets) {
        throw Failure{"expected offsets for an input of shape " + ct::shape_text(input), ""};
    }
    shrink_rows(weight, input, max_norm, norm_type);
    return std::get<0>(at::embedding_bag(weight, input, *offsets, scale_grad_by_freq, mode, sparse,
                                         per_sample_weights, include_last_offset, padding_idx));
}

// Norms.

// How many elements of each channel the mean is taken over.
int64_t elements_from(const Tensor &input, int64_t dim)
{
    int64_t count = 1;
    for (; dim < input.dim(); dim++) count *= input.size(dim);
    return count;
}

void check_several(const Tensor &input, int64_t count)
{
    if (count == 1)
        throw Failure{"expected more than one value for each channel, got an input of shape " +
                          ct::shape_text(input),
                      ""};
}

void check_eps(double eps, bool training)
{
    if (training ? eps <= 0 : eps < 0)
        throw Failure{std::string("expected eps ") + (training ? "greater than 0" : "of 0 or more") +
                          ", got " + ct::double_text(eps),
                      ""};
}

Tensor batch_norm(Tensor input, OptionalTensor running_mean, OptionalTensor running_var,
                  OptionalTensor weight, OptionalTensor bias, bool training, double momentum,
                  double eps)
{
    if (training && input.dim()) check_several(input, input.size(0) * elements_from(input, 2));
    check_eps(eps, training);
    return at::batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps,
                          /*cudnn_enabled=*/true);
}

Tensor instance_norm(Tensor input, OptionalTensor running_mean, OptionalTensor running_var,
                     OptionalTensor weight, OptionalTensor bias, bool use_input_stats,
                     double momentum, double eps)
{
    if (use_input_stats) check_several(input, elements_from(input, 2));
    return at::instance_norm(input, weight, bias, running_mean, running_var, use_input_stats,
                             momentum, eps, /*cudnn_enabled=*/true);
}

// Divide each element by the mean square over a window of neighbouring channels.
Tensor local_response_norm(Tensor input, int64_t size, double alpha, double beta, double k)
{
    if (input.dim() < 3)
        throw Failure{"expected input of 3 or more dimensions, got shape " + ct::shape_text(input),
                      ""};
    if (input.numel() == 0) return input;
    Tensor squares = at::square(input).flatten(2).unsqueeze(1);  // [n, 1, channels, rest]
    squares = at::pad(squares, {0, 0, size / 2, (size - 1) / 2});
    Tensor means = at::avg_pool2d(squares, {size, 1}, /*stride=*/{1, 1}).view(input.sizes());
    return input / at::pow(means * alpha + k, beta);
}

constexpr OverloadDefinition LAYER_OVERLOADS[] = {
    {"softmin(Tensor input, int dim, ScalarType? dtype=None) -> Tensor", boxed<softmin>},
    {"softsign(Tensor input) -> Tensor", boxed<softsign>},
    {"tanhshrink(Tensor input) -> Tensor", boxed<tanhshrink>},
    {"logsigmoid(Tensor input) -> Tensor", boxed<logsigmoid>},
    {"gumbel_softmax(Tensor logits, float tau=1, bool hard=False, float eps=1e-10, int dim=-1)"
     " -> Tensor",
     boxed<gumbel_softmax>},
    {"normalize(Tensor input, float p=2.0, int dim=1, float eps=1e-12,"
     " Tensor(a!)? out=None) -> Tensor",
     boxed<normalize_dim>},
    {"normalize(Tensor input, float p, int[] dim, float eps=1e-12, Tensor(a!)? out=None)"
     " -> Tensor",
     boxed<normalize_dims>},
    {"dropout(Tensor input, float p=0.5, bool training=True) -> Tensor", boxed<dropout>},
    {"dropout_(Tensor(a!) self, float p=0.5, bool training=True) -> Tensor(a!)",
     boxed<dropout_in_place>},
    {"alpha_dropout(Tensor input, float p=0.5, bool training=False) -> Tensor",
     boxed<alpha_dropout>},
    {"feature_alpha_dropout(Tensor input, float p=0.5, bool training=False) -> Tensor",
     boxed<feature_alpha_dropout>},
    {"alpha_dropout_(Tensor(a!) self, float p=0.5, bool training=False) -> Tensor(a!)",
     boxed<alpha_dropout_in_place>},
    {"feature_alpha_dropout_(Tensor(a!) self, float p=0.5, bool training=False) -> Tensor(a!)",
     boxed<feature_alpha_dropout_in_place>},
    {"dropout1d_(Tensor(a!) self, float p=0.5, bool training=True) -> Tensor(a!)",
     boxed<channel_dropout_in_place<1, true>>},
    {"dropout2d_(Tensor(a!) self, float p=0.5, bool training=True) -> Tensor(a!)",
     boxed<channel_dropout_in_place<2, false>>},
    {"dropout3d_(Tensor(a!) self, float p=0.5, bool training=True) -> Tensor(a!)",
     boxed<channel_dropout_in_place<3, true>>},
    {"dropout1d(Tensor input, float p=0.5, bool training=True) -> Tensor",
     boxed<channel_dropout<1, true>>},
    {"dropout2d(Tensor input, float p=0.5, bool training=True) -> Tensor",
     boxed<channel_dropout<2, false>>},
    {"dropout3d(Tensor input, float p=0.5, bool training=True) -> Tensor",
     boxed<channel_dropout<3, true>>},
    {"embedding(Tensor input, Tensor weight, int? padding_idx=None, float? max_norm=None,"
     " float norm_type=2.0, bool scale_grad_by_freq=False, bool sparse=False) -> Tensor",
     boxed<embedding>},
    {"embedding_bag(Tensor input, Tensor weight, Tensor? offsets=None, float? max_norm=None,"
     " float norm_type=2.0, bool scale_grad_by_freq=False, int mode=1, bool sparse=False,"
     " Tensor? per_sample_weights=None, bool include_last_offset=False, int? padding_idx=None)"
     " -> Tensor",
     boxed<embedding_bag>},
    {"batch_norm(Tensor input, Tensor? running_mean, Tensor? running_var, Tensor? weight=None,"
     " Tensor? bias=None, bool training=False, float momentum=0.1, float eps=1e-05) -> Tensor",
     boxed<batch_norm>},
    {"instance_norm(Tensor input, Tensor? running_mean=None, Tensor? running_var=None,"
     " Tensor? weight=None, Tensor? bias=None, bool use_input_stats=True, float momentum=0.1,"
     " float eps=1e-05) -> Tensor",
     boxed<instance_norm>},
    {"local_response_norm(Tensor input, int size, float alpha=0.0001, float beta=0.75,"
     " float k=1.0) -> Tensor",
     boxed<local_response_norm>},
};

}  // namespace

c10::ArrayRef<OverloadDefinition> ct::layer_overloads() { return LAYER_OVERLOADS; }
