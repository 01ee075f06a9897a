// common.cpp - what the operators of language models check.

#include "llm/llm.h"

#include <ATen/core/grad_mode.h>

using at::Tensor;
using ct::Failure;

bool ct::llm::is_plain(const Tensor &x)
{
    at::ScalarType dtype = x.scalar_type();
    return (dtype == at::kFloat || dtype == at::kBFloat16 || dtype == at::kHalf) &&
           USUAL_LAYERS.has_all(x.key_set()) && x.layout() == at::kStrided;
}

bool ct::llm::is_recorded_now(const Tensor &x)
{
    if (!x.unsafeGetTensorImpl()->autograd_meta()) return false;
    return (at::GradMode::is_enabled() && x.requires_grad()) || x._fw_grad(0).defined();
}

bool ct::llm::are_plain(std::initializer_list<const Tensor *> xs)
{
    at::ScalarType dtype = (*xs.begin())->scalar_type();
    return std::all_of(xs.begin(), xs.end(), [&](const Tensor *x) {
        return is_plain(*x) && x->scalar_type() == dtype && !is_recorded_now(*x);
    });
}

ct::Element ct::llm::element_of(const Tensor &x)
{
    if (x.scalar_type() == at::kFloat) return Element::Float;
    return x.scalar_type() == at::kBFloat16 ? Element::BFloat16 : Element::Half;
}

void ct::llm::need_floats(const char *name, const Tensor &x, int64_t rank)
{
    if (!x.is_floating_point())
        throw Failure{std::string("expected floating-point numbers for ") + name + ", got " +
                          ct::describe(x),
                      ""};
    if (x.dim() < rank)
        throw Failure{std::string("expected ") + name + " of at least " + std::to_string(rank) +
                          (rank == 1 ? " dimension" : " dimensions") + ", got " + ct::describe(x),
                      ""};
}

void ct::llm::refuse_gradients(std::initializer_list<const Tensor *> xs)
{
    if (std::any_of(xs.begin(), xs.end(), [](const Tensor *x) { return is_recorded_now(*x); }))
        throw Failure{"what is written into a cache records no gradients, but an argument requires "
                      "grad",
                      "use (inference-mode ...) or (no-grad ...), or attention without a cache"};
}

void ct::llm::wrong_shape(const std::string &what, const Tensor &x, const std::string &hint)
{
    throw Failure{"expected " + what + ", got shape " + ct::shape_text(x), hint};
}
