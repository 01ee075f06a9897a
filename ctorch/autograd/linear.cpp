// linear.cpp - large linear layers through oneDNN, where that is faster than MKL.
//
//     linear(x, w, b), x [2048, 256], w [1024, 256]  =>  oneDNN's product, and one node that saves
//                                                        x and w
//
// LibTorch multiplies matrices by MKL, whose AVX-512 kernels run on processors of one maker only;
// oneDNN, which LibTorch has as well, uses them everywhere.  On other makers' processors the products
// of a layer's result and of the gradient in its argument are a tenth to a fifth faster.  MKL is kept
// for the gradient in the weight, and for small products, where oneDNN's start costs more.
//
// The node frees x before it computes the gradient in x, which then takes the same memory.

#include "autograd/linear.h"
#include "autograd/node.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/mm.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/saved_variable.h>

namespace {

using torch::autograd::Node;
using torch::autograd::SavedVariable;
using torch::autograd::variable_list;

constexpr int64_t LARGE = 1 << 24;  // multiplications

using Product = at::Tensor(const at::Tensor &, const at::Tensor &,
                           const std::optional<at::Tensor> &, std::string_view,
                           c10::List<std::optional<at::Scalar>>, std::optional<std::string_view>);

const c10::OperatorHandle *onednn_product()
{
    static const std::optional<c10::OperatorHandle> found =
        c10::Dispatcher::singleton().findSchema({"mkldnn::_linear_pointwise", ""});
    return found ? &*found : nullptr;
}

bool onednn_is_faster()
{
#if defined(__x86_64__)
    static const bool answer = __builtin_cpu_is("amd") && __builtin_cpu_supports("avx512f") &&
                               onednn_product() != nullptr;
    return answer;
#else
    return false;
#endif
}

// x w' + b.  x [..., k], w [n, k].
at::Tensor product(const at::Tensor &x, const at::Tensor &w, const std::optional<at::Tensor> &b)
{
    static const auto call = onednn_product()->typed<Product>();
    return call.call(x, w, b, "none", c10::List<std::optional<at::Scalar>>(), "");
}

at::Tensor rows(const at::Tensor &x) { return x.reshape({-1, x.size(-1)}); }

class LinearGradient final : public Node {
public:
    std::string name() const override { return "LinearBackward0"; }

    void save(const at::Tensor &x, const at::Tensor &w)
    {
        if (should_compute_output(1)) x_ = SavedVariable(x, false);
        if (should_compute_output(0)) w_ = SavedVariable(w, false);
    }

    void will_release_variables() override { is_last_ = true; }

    void release_variables() override
    {
        x_.reset_data();
        w_.reset_data();
    }

private:
    // The gradients in x, w and b.
    variable_list apply(variable_list &&gradients) override
    {
        variable_list found(3);
        at::Tensor g = std::move(gradients[0]);
        if (!g.defined()) return found;
        bool is_recorded = at::GradMode::is_enabled();
        if (task_should_compute_output(2)) found[2] = rows(g).sum(0);
        if (task_should_compute_output(1)) {
            found[1] = rows(g).t().mm(rows(x_.unpack(getptr())));
            if (is_last_) x_.reset_data();
        }
        if (task_should_compute_output(0)) {
            at::Tensor w = w_.unpack(getptr());
            found[0] = is_recorded ? at::matmul(g, w) : product(g, w.t(), std::nullopt);
        }
        return found;
    }

    SavedVariable x_, w_;
    bool is_last_ = false;
};

// In inference mode the layers above the CPU's are skipped.
bool has_plain_layers(const at::Tensor &x)
{
    if (!c10::InferenceMode::is_enabled()) return ct::has_usual_layers(x);
    return ct::USUAL_LAYERS.has_all(x.key_set()) && x.is_cpu();
}

bool is_usual(const at::Tensor &x)
{
    return has_plain_layers(x) && x.scalar_type() == at::kFloat && x.is_contiguous() &&
           !x._is_zerotensor() && !x.is_neg() &&
           (!x.unsafeGetTensorImpl()->autograd_meta() || !x._fw_grad(0).defined());
}

bool applies(const at::Tensor &x, const at::Tensor &w, const std::optional<at::Tensor> &b)
{
    if (x.dim() < 2 || w.dim() != 2 || x.numel() * w.size(0) < LARGE) return false;
    return x.size(-1) == w.size(1) && is_usual(x) && is_usual(w) &&
           (!b || (is_usual(*b) && b->dim() == 1 && b->size(0) == w.size(0))) &&
           !ct::is_observed();
}

}  // namespace

at::Tensor ct::fast_linear(const at::Tensor &x, const at::Tensor &w,
                           const std::optional<at::Tensor> &b)
{
    if (!onednn_is_faster() || !applies(x, w, b)) return {};
    bool records = at::GradMode::is_enabled() &&
                   (x.requires_grad() || w.requires_grad() || (b && b->requires_grad()));
    at::NoGradGuard unrecorded;
    at::Tensor result = product(x, w, b);
    if (records) {
        auto node = ct::make_node<LinearGradient>();
        node->set_next_edges(torch::autograd::collect_next_edges(x, w, b ? *b : at::Tensor()));
        node->save(x, w);
        torch::autograd::set_history(result, node);
    }
    return result;
}
