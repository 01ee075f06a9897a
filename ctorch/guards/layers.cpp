// layers.cpp - guards of other layers and their gradients: normalizations, recurrent cells,
// embeddings, losses.
//
//     (tensor-quantized-lstm-cell x (list h) ...)   =>   expected a list of 2 for hx, got 1

#include "dispatch/attention.h"
#include "guards/guards.h"
#include "tensor/plain.h"

namespace {

using ct::Arguments;
using ct::Failure;
using ct::LARGEST_COUNT;
using ct::need_count;
using ct::need_dtype;
using ct::need_elements;
using ct::need_rank;
using ct::need_ascending;
using ct::need_shape;
using ct::need_within;
using ct::NO_LIMIT;
using ct::Shape;

// Normalizations: numbers for each channel, which is dim 1.

void channels(const Arguments &a)
{
    at::Tensor input = a.tensor("input");
    need_rank("input", input, 2, NO_LIMIT);
    for (const char *name : {"weight", "bias", "running_mean", "running_var"})
        need_elements(name, a.tensor(name), input.size(1));
}

void batch_norm(const Arguments &a)
{
    channels(a);
    if (!a.truth("training") && !(a.tensor("running_mean").defined() &&
                                  a.tensor("running_var").defined()))
        throw Failure{"expected a running-mean and a running-var, as training is #f", ""};
}

void batch_norm_statistics(const Arguments &a)
{
    channels(a);
    at::Tensor input = a.tensor("input");
    if (input.numel() == 0) throw Failure{"expected at least one element for input", ""};
    for (const char *name : {"running_mean", "running_var"})
        need_dtype(name, a.tensor(name), input.scalar_type());
}

void weight_norm(const Arguments &a)
{
    at::Tensor v = a.tensor("v"), g = a.tensor("g");
    int64_t dim = a.integer("dim");
    if (dim != 0 && dim != v.dim() - 1) return;
    need_within("dim", dim, 0, v.dim() - 1);
    if (v.numel() == 0) throw Failure{"expected at least one element for v", ""};
    need_elements("g", g, v.size(dim));
    need_dtype("g", g, v.scalar_type());
}

// Observers of quantization: one range for all elements, or one for each index of an axis of self.
void fused_observer(const Arguments &a)
{
    at::Tensor self = a.tensor("self");
    bool is_per_row = a.truth("per_row_fake_quant");
    int64_t axis = a.integer("ch_axis");
    for (const char *name : {"observer_on", "fake_quant_on"}) need_elements(name, a.tensor(name), 1);
    if (is_per_row) need_within("ch_axis", axis, 0, self.dim() - 1);
    bool is_new = is_per_row && a.tensor("running_min").numel() == 0;
    int64_t expected = is_new ? 0 : is_per_row ? self.size(axis) : 1;
    for (const char *name : {"running_min", "running_max"})
        need_elements(name, a.tensor(name), expected);
    if (!is_new)
        for (const char *name : {"scale", "zero_point"})
            need_elements(name, a.tensor(name), expected);
}

// Recurrent cells and sequences.

void quantized_lstm(const Arguments &a) { need_count("hx", a.tensors("hx").size(), 2); }

// The gates are concatenated along dim 1.
void need_gates(const Arguments &a, const at::Tensor &state, int64_t gate_count)
{
    need_rank("input_gates", a.tensor("input_gates"), 2, 2);
    Shape gates{a.tensor("input_gates").size(0), a.tensor("input_gates").size(1)};
    need_rank("hx", state, 2, 2);
    need_shape("input_gates", a.tensor("input_gates"),
               {state.size(0), gate_count * state.size(1)});
    need_shape("hidden_gates", a.tensor("hidden_gates"), gates);
    for (const char *name : {"input_bias", "hidden_bias"})
        need_shape(name, a.tensor(name), {gates[1]});
}

void gru_backward(const Arguments &a)
{
    at::Tensor hx = a.tensor("hx");
    need_gates(a, hx, 3);
    need_shape("grad_hy", a.tensor("grad_hy"), hx.sizes().vec());
}

void lstm_backward(const Arguments &a)
{
    at::Tensor cx = a.tensor("cx");
    need_gates(a, cx, 4);
    for (const char *name : {"cy", "grad_hy", "grad_cy"})
        need_shape(name, a.tensor(name), cx.sizes().vec());
}

void mkldnn_rnn(const Arguments &a)
{
    constexpr int64_t LSTM = 2;
    at::Tensor input = a.tensor("input");
    int64_t hidden = a.integer("hidden_size");
    need_within("mode", a.integer("mode"), LSTM, LSTM);
    need_within("hidden_size", hidden, 1, LARGEST_COUNT);
    need_rank("input", input, 3, 3);
    need_count("batch_sizes", a.integers("batch_sizes").size(), 0);
    need_shape("weight0", a.tensor("weight0"), {4 * hidden, input.size(2)});
    need_shape("weight1", a.tensor("weight1"), {4 * hidden, hidden});
    if (a.truth("has_biases"))
        for (const char *name : {"weight2", "weight3"})
            need_shape(name, a.tensor(name), {4 * hidden});
    for (const char *name : {"hx_", "cx_"})
        need_elements(name, a.tensor(name), input.size(1) * hidden);
}

// The number of examples at each step, which never grows.
void need_batch_sizes(const at::Tensor &sizes)
{
    need_rank("batch_sizes", sizes, 1, 1);
    need_dtype("batch_sizes", sizes, at::kLong);
    ct::need_on_cpu("batch_sizes", sizes);
    need_within("batch_sizes", sizes, 1, NO_LIMIT);
    need_ascending("batch_sizes", sizes.flip(0));
}

void pad_packed(const Arguments &a)
{
    at::Tensor data = a.tensor("data"), sizes = a.tensor("batch_sizes");
    need_rank("batch_sizes", sizes, 1, 1);
    if (data.dim() == 0 || sizes.numel() == 0 || sizes.is_meta())
        throw Failure{"expected at least one batch size, and data of rank 1 or more", ""};
    need_batch_sizes(sizes);
    need_within("data", data.size(0), sizes.sum().item<int64_t>(), sizes.sum().item<int64_t>());
}

// Of sequences without padding, not of a batch with it.
bool has_batch_sizes(const Arguments &a)
{
    at::Tensor sizes = a.tensor("batch_sizes");
    if (!sizes.defined()) return false;
    if (sizes.numel() == 0) throw Failure{"expected at least one batch size", ""};
    need_batch_sizes(sizes);
    return true;
}

void quantized_layers(const Arguments &a) { has_batch_sizes(a); }

// One tensor of states, or a list of them.
std::vector<at::Tensor> states(const Arguments &a)
{
    return a.value("hx").isTensor() ? std::vector{a.tensor("hx")} : a.tensors("hx");
}

// A cell: GATES rows of weights for each element of the state.  2.9 does not check that.
template <int64_t GATES>
void cell(const Arguments &a)
{
    if (a.tensor("w_hh").dim() != 2) return;
    int64_t hidden = a.tensor("w_hh").size(1);
    for (const auto &[name, text] :
         {std::pair("w_ih", "weight-ih"), std::pair("w_hh", "weight-hh")}) {
        at::Tensor weight = a.tensor(name);
        if (weight.dim() != 2 || weight.size(0) == GATES * hidden) continue;
        throw Failure{std::string(text) + " first dim must be " + std::to_string(GATES) +
                          " * hidden-size = " + std::to_string(GATES * hidden) + ", but got " +
                          std::to_string(weight.size(0)), ""};
    }
}

// Layers of cells: oneDNN reads states and weights as if they had the right shapes.  STATES: 2 for
// an LSTM, whose first one is smaller than the second where it is projected.
template <int64_t GATES, size_t STATES>
void layers(const Arguments &a)
{
    bool is_packed = has_batch_sizes(a);
    at::Tensor input = a.tensor(is_packed ? "data" : "input");
    std::vector<at::Tensor> hx = states(a), params = a.tensors("params");
    if (input.dim() != (is_packed ? 2 : 3) || hx.size() != STATES) return;  // LibTorch says that
    for (const at::Tensor &state : hx) need_rank("hx", state, 3, 3);
    int64_t out = hx.front().size(2), hidden = hx.back().size(2);

    int64_t directions = a.truth("bidirectional") ? 2 : 1;
    size_t each = (a.truth("has_biases") ? 4 : 2) + (out != hidden ? 1 : 0);
    need_within("num_layers", a.integer("num_layers"), 1, LARGEST_COUNT);
    int64_t count = a.integer("num_layers") * directions;
    need_count("params", params.size(), static_cast<size_t>(count) * each);

    int64_t examples = hx.front().size(1);
    if (!is_packed)
        examples = input.size(a.truth("batch_first") ? 0 : 1);
    else if (!a.tensor("batch_sizes").is_meta())
        examples = a.tensor("batch_sizes")[0].item<int64_t>();
    for (const at::Tensor &state : hx) need_shape("hx", state, {count, examples, state.size(2)});

    int64_t rows = GATES * hidden;
    for (int64_t k = 0; k < count; k++) {
        const at::Tensor *own = &params[static_cast<size_t>(k) * each];
        int64_t in = k < directions ? input.size(-1) : directions * out;
        std::vector<Shape> shapes{{rows, in}, {rows, out}};
        if (a.truth("has_biases")) shapes.insert(shapes.end(), 2, {rows});
        if (out != hidden) shapes.push_back({out, hidden});
        for (size_t j = 0; j < each; j++) need_shape("params", own[j], shapes[j]);
    }
}

void transform_bias_rescale(const Arguments &a)
{
    at::Tensor qkv = a.tensor("qkv");
    need_rank("qkv", qkv, 3, 3);
    need_within("num_heads", a.integer("num_heads"), 1, NO_LIMIT);
    need_shape("qkv_bias", a.tensor("qkv_bias"), {qkv.size(2)});
    if (qkv.size(2) % (3 * a.integer("num_heads")) != 0)
        throw Failure{"the last size of qkv is not divisible by three times num-heads", ""};
}

// Losses and embeddings.

void embedding_backward(const Arguments &a)
{
    if (a.truth("scale_grad_by_freq"))  // LibTorch counts all of them
        need_within("indices", a.tensor("indices"), 0, a.integer("num_weights") - 1);
}

std::vector<int64_t> lengths(const Arguments &a, const char *name)
{
    at::Tensor given = a.tensor(name);
    if (!given.defined()) return a.integers(name);
    at::Tensor row = ct::plain(given).to(at::kCPU, at::kLong).contiguous();
    const int64_t *first = row.const_data_ptr<int64_t>();
    return {first, first + row.numel()};
}

// Only targets up to their lengths are checked: the padding after them may be -1.
void ctc_loss(const Arguments &a)
{
    at::Tensor scores = a.tensor("log_probs"), targets = a.tensor("targets");
    if (scores.is_meta() || targets.is_meta() || scores.dim() == 0) return;
    int64_t last = scores.size(-1) - 1, begin = 0;
    std::vector<int64_t> counts = lengths(a, "target_lengths");
    for (size_t k = 0; k < counts.size(); k++) {
        int64_t row = static_cast<int64_t>(k);
        bool is_matrix = targets.dim() == 2 && row < targets.size(0);
        at::Tensor own = is_matrix ? targets.select(0, row) : targets;
        if (own.dim() != 1 || counts[k] < 0 || begin + counts[k] > own.size(0)) return;
        need_within("targets", own.narrow(0, begin, counts[k]), 0, last);
        if (!is_matrix) begin += counts[k];
    }
}

void attention(const Arguments &a) { ct::need_same_rows(a.tensor("key"), a.tensor("value")); }

constexpr ct::Guarded LAYER_GUARDS[] = {
    {"_scaled_dot_product_flash_attention_for_cpu", attention},
    {"native_batch_norm", batch_norm},
    {"batch_norm_update_stats", batch_norm_statistics},
    {"_weight_norm", weight_norm},
    {"_weight_norm_interface", weight_norm},
    {"fused_moving_avg_obs_fake_quant", fused_observer},
    {"_fused_moving_avg_obs_fq_helper", fused_observer},
    {"_fused_moving_avg_obs_fq_helper_functional", fused_observer},
    {"gru_cell", cell<3>},
    {"lstm_cell", cell<4>},
    {"gru", layers<3, 1>},
    {"lstm", layers<4, 2>},
    {"quantized_gru", quantized_layers},
    {"quantized_lstm", quantized_layers},
    {"quantized_lstm_cell", quantized_lstm},
    {"_thnn_differentiable_gru_cell_backward", gru_backward},
    {"_thnn_differentiable_lstm_cell_backward", lstm_backward},
    {"mkldnn_rnn_layer", mkldnn_rnn},
    {"_pad_packed_sequence", pad_packed},
    {"_transform_bias_rescale_qkv", transform_bias_rescale},
    {"embedding_backward", embedding_backward},
    {"embedding_dense_backward", embedding_backward},
    {"ctc_loss", ctc_loss},
    {"_ctc_loss", ctc_loss},
};

}  // namespace

c10::ArrayRef<ct::Guarded> ct::layer_guards() { return LAYER_GUARDS; }
