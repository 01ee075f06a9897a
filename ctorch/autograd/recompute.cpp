// recompute.cpp - tensors that the backward pass needs, computed again instead of kept.
//
//     y = f(x), in a region   =>   a graph whose nodes have no tensors, and x
//
// LibTorch asks a hook for each tensor that a node saves.  In a region the hook keeps only the
// tensor's number.  When a node first asks for its tensor, the region's procedure runs again, and
// the tensors that are saved then, in the same order, are the answers.  Each is given up when a
// node has taken it, so that memory is needed for one region at a time.
//
// The inputs are saved as LibTorch saves tensors.  So in a nested region they are themselves
// computed again by the outer one.

#include "autograd/recompute.h"
#include "autograd/autocast.h"
#include "files/procedures.h"

#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/saved_variable.h>
#include <torch/csrc/autograd/saved_variable_hooks.h>

#include <atomic>
#include <memory>

namespace {

using ct::Failure;
using ct::Handles;
using ct::Owned;
using ct::Procedure;
using ct::ProcedureArguments;
using torch::autograd::SavedVariable;
using torch::autograd::SavedVariableHooks;
using torch::autograd::variable_list;

// A region of the forward pass; the graph's nodes own it.
class Region : public std::enable_shared_from_this<Region> {
public:
    Region(Procedure &owner, const variable_list &inputs)
        : procedure_(owner.take()), autocast_(ct::current_autocast())
    {
        for (const at::Tensor &x : inputs) inputs_.emplace_back(x, false);
    }

    // The number of a tensor that the forward pass saves.
    size_t add(const at::Tensor &x)
    {
        tensors_.push_back({x.scalar_type(), x.sizes().vec(), at::Tensor(), 0});
        return tensors_.size() - 1;
    }

    // The next tensor that the procedure saves when it runs again.
    void add_again(const at::Tensor &x)
    {
        if (position_ == tensors_.size()) fail_of_difference();
        Saved &saved = tensors_[position_++];
        if (x.scalar_type() != saved.dtype || x.sizes() != saved.sizes) fail_of_difference();
        saved.again = x;
        saved.version = x._version();
    }

    at::Tensor take(size_t number)
    {
        if (!tensors_[number].again.defined()) compute_again();
        Saved &saved = tensors_[number];
        if (saved.again._version() != saved.version)
            throw Failure{"a tensor that a gradient needs was changed in place inside of recompute: " +
                              ct::describe(saved.again),
                          "use the operator that returns a new tensor, without !"};
        return std::exchange(saved.again, at::Tensor());
    }

private:
    struct Saved {
        at::ScalarType dtype;
        std::vector<int64_t> sizes;
        at::Tensor again;  // undefined before it is computed again, and after it is taken
        uint32_t version;
    };

    void compute_again();

    [[noreturn]] static void fail_of_difference()
    {
        throw Failure{"the procedure of recompute computed something else the second time",
                      "what it computes must follow from its arguments, and random numbers"};
    }

    Procedure procedure_;
    std::optional<at::ScalarType> autocast_;
    std::vector<SavedVariable> inputs_;
    std::vector<Saved> tensors_;
    size_t position_ = 0;
};

// A region that the program is in: first in the forward pass, and again in the backward pass.
struct Entered {
    std::shared_ptr<Region> region;
    bool is_again;
};

// The innermost last.
std::vector<Entered> &entered()
{
    thread_local std::vector<Entered> all;
    return all;
}

// Keeps the number of a tensor.
class Forgetting final : public SavedVariableHooks {
public:
    explicit Forgetting(std::shared_ptr<Region> region) : region_(std::move(region)) {}
    void call_pack_hook(const at::Tensor &x) override { number_ = region_->add(x); }
    at::Tensor call_unpack_hook() override { return region_->take(number_); }

private:
    std::shared_ptr<Region> region_;
    size_t number_ = 0;
};

// Passes a tensor to the region that waits for it.  Its own node lives only as long as the
// procedure that runs again, unless that computes gradients itself.
class Remembering final : public SavedVariableHooks {
public:
    explicit Remembering(std::shared_ptr<Region> region) : region_(std::move(region)) {}
    void call_pack_hook(const at::Tensor &x) override
    {
        tensor_ = x.detach();
        std::exchange(region_, nullptr)->add_again(tensor_);
    }
    at::Tensor call_unpack_hook() override { return tensor_; }

private:
    std::shared_ptr<Region> region_;
    at::Tensor tensor_;
};

// The engine that LibTorch asks for hooks while the program is in a region.  It asks the engine
// that it replaces where there is none, as in other threads.
class HookingEngine final : public torch::autograd::Engine {
public:
    static void install()
    {
        if (installed_++ > 0) return;
        replaced_ = &Engine::get_default_engine();
        torch::autograd::set_default_engine_stub(only);
    }
    static void remove()
    {
        if (--installed_ == 0) torch::autograd::set_default_engine_stub(replaced);
    }

    std::unique_ptr<SavedVariableHooks> get_default_saved_variable_hooks() override
    {
        if (entered().empty()) return replaced_->get_default_saved_variable_hooks();
        const Entered &innermost = entered().back();
        if (innermost.is_again) return std::make_unique<Remembering>(innermost.region);
        return std::make_unique<Forgetting>(innermost.region);
    }

private:
    // Never destroyed, as in backward.cpp.
    static Engine &only()
    {
        static HookingEngine *const engine = new HookingEngine;
        return *engine;
    }
    static Engine &replaced() { return *replaced_; }

    static inline std::atomic<int> installed_ = 0;
    static inline Engine *replaced_ = nullptr;
};

void enter(std::shared_ptr<Region> region, bool is_again)
{
    entered().push_back({std::move(region), is_again});
    HookingEngine::install();
}

void leave()
{
    HookingEngine::remove();
    entered().pop_back();
}

void Region::compute_again()
{
    if (!ct::computes_gradients())
        throw Failure{"only backward and gradients can compute this gradient", ""};
    variable_list xs;
    for (const SavedVariable &x : inputs_) xs.push_back(x.unpack());
    Handles given(std::move(xs)), none(inputs_.size());
    ct_pullback pullback{0, nullptr, nullptr, given.size(), given.data(), none.data()};
    at::AutoGradMode recording(true);
    ct::Autocast autocast(autocast_);
    position_ = 0;
    enter(shared_from_this(), true);
    int status = procedure_.call(pullback);
    leave();
    if (status) throw ct::Raised();
    if (position_ < tensors_.size()) fail_of_difference();
}

}  // namespace

void ct::begin_recomputed_region(Procedure &owner, const variable_list &inputs)
{
    enter(std::make_shared<Region>(owner, inputs), false);
}

Owned ct::end_recomputed_region(const ProcedureArguments &)
{
    leave();
    return Owned::boolean(true);
}
