// inference.cpp - the mode of inference-mode, in which new tensors carry nothing for gradients.
//
//     (inference-mode (tensor-matmul x w))  =>  a product without version counter and links to
//                                               views, which never takes part in gradients
//
// LibTorch has a guard class for it, which lives as long as a C++ scope; the regions of a Lisp
// program do not.  So this file sets what the guard sets.  The program is in inference mode where a
// region of inference-mode surrounds it and recording is off: with-grad inside such a region is
// ordinary again, and no-grad inside that is not.

#include "autograd/inference.h"

#include <c10/core/AutogradState.h>
#include <c10/core/InferenceMode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <ATen/core/grad_mode.h>

namespace {

using ct::Owned;
using ct::ProcedureArguments;

thread_local bool is_surrounded;  // by a region of inference-mode

// What leave-inference-mode gets back: the state before.
constexpr int64_t SURROUNDED = 1, RECORDING = 2;

void set_inference_mode(bool on)
{
    c10::AutogradState &state = c10::AutogradState::get_tls_state();
    state.set_inference_mode(on);
    state.set_fw_grad_mode(!on);
    c10::impl::LocalDispatchKeySet now = c10::impl::tls_local_dispatch_key_set();
    constexpr c10::DispatchKey VIEWS = c10::DispatchKey::ADInplaceOrView;
    c10::impl::PODLocalDispatchKeySet layers{};
    layers.set_included(on ? now.included_.remove(VIEWS) : now.included_.add(VIEWS));
    layers.set_excluded(on ? now.excluded_ | c10::autograd_dispatch_keyset
                           : now.excluded_ - c10::autograd_dispatch_keyset);
    c10::impl::_force_tls_local_dispatch_key_set(layers);
}

}  // namespace

void ct::settle_inference_mode()
{
    bool on = is_surrounded && !at::GradMode::is_enabled();
    if (on != c10::InferenceMode::is_enabled()) set_inference_mode(on);
}

Owned ct::enter_inference_mode(const ProcedureArguments &)
{
    int64_t before = (is_surrounded ? SURROUNDED : 0) | (at::GradMode::is_enabled() ? RECORDING : 0);
    is_surrounded = true;
    at::GradMode::set_enabled(false);
    settle_inference_mode();
    return Owned::integer(before);
}

Owned ct::leave_inference_mode(const ProcedureArguments &given)
{
    int64_t before = given.values[0].i;
    is_surrounded = before & SURROUNDED;
    at::GradMode::set_enabled(before & RECORDING);
    settle_inference_mode();
    return Owned();
}

Owned ct::is_inference_mode(const ProcedureArguments &)
{
    return Owned::boolean(c10::InferenceMode::is_enabled());
}
