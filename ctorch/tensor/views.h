// views.h - views of tensors that record no gradients, without LibTorch's autograd layer.  C++
// only.
//
//     View<at::_ops::view>::call(x, sizes)   =>   at::_ops::view::call(x, sizes)
//
// Most of a view's cost is dispatch: each call passes the layer that records gradients, and then
// the one that links the view to its base.  Where the first has nothing to do, calls begin at the
// second, which saves up to a third of the time.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/record_function.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <utility>

namespace ct {

// The layers from the one that links views to their bases on.
constexpr c10::DispatchKeySet BELOW_AUTOGRAD{c10::DispatchKey::CPU,
                                             c10::DispatchKey::ADInplaceOrView};
// The layers of dense tensors on the CPU, unless a mode or a tracer is active.
constexpr c10::DispatchKeySet USUAL_LAYERS =
    BELOW_AUTOGRAD |
    c10::DispatchKeySet{c10::DispatchKey::AutogradCPU, c10::DispatchKey::AutocastCPU};

inline bool has_usual_layers(const at::Tensor &x)
{
    // A bit is set where the thread's layers differ from the default.
    const c10::impl::PODLocalDispatchKeySet &changed = c10::impl::raw_local_dispatch_key_set;
    return x.key_set() == USUAL_LAYERS && !changed.included_ && !changed.excluded_;
}

inline bool is_recorded(const at::Tensor &x)
{
    if (!x.unsafeGetTensorImpl()->autograd_meta()) return false;
    return x.requires_grad() || x._fw_grad(0).defined();
}

inline bool is_observed()
{
    return at::getStepCallbacksUnlessEmpty(at::RecordScope::FUNCTION).has_value();
}

// Whether the operator has a kernel in both layers: a composite operator does not.
template <class Op>
bool has_both_layers()
{
    static const bool answer = [] {
        c10::OperatorHandle op = c10::Dispatcher::singleton().findSchemaOrThrow(
            static_cast<const char *>(Op::name), static_cast<const char *>(Op::overload_name));
        return op.hasKernelForDispatchKey(c10::DispatchKey::ADInplaceOrView) &&
               op.hasComputedKernelForDispatchKey(c10::DispatchKey::CPU);
    }();
    return answer;
}

template <class Op, class Schema = typename Op::schema>
struct View;

// Op, with the dispatch shortened where possible.
template <class Op, class... Rest>
struct View<Op, at::Tensor(const at::Tensor &, Rest...)> {
    using schema = typename Op::schema;

    static at::Tensor call(const at::Tensor &x, Rest... rest)
    {
        if (has_both_layers<Op>() && has_usual_layers(x) && !is_recorded(x) && !is_observed())
            return Op::redispatch(BELOW_AUTOGRAD, x, std::forward<Rest>(rest)...);
        return Op::call(x, std::forward<Rest>(rest)...);
    }
};

}  // namespace ct
