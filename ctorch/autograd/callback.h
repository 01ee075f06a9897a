// callback.h - calling a Lisp procedure while gradients are computed.
#pragma once

#include <torch/csrc/autograd/variable.h>

#include <utility>
#include <vector>

#include "autograd/backward.h"
#include "dispatch/one_thread.h"

namespace ct {

// A procedure that is released with its owner.
class Procedure {
public:
    explicit Procedure(ct_closure closure) : closure_(closure) {}
    ~Procedure() { release(); }
    Procedure(const Procedure &) = delete;
    Procedure &operator=(const Procedure &) = delete;

    // It decides for each operator that it calls how many threads work.
    int call(const ct_pullback &pullback) const
    {
        WorkThreads all(false);
        return closure_.call(closure_.data, &pullback);
    }
    void release()
    {
        void *data = std::exchange(closure_.data, nullptr);
        if (data) closure_.release(data);
    }
    ct_closure take() { return std::exchange(closure_, ct_closure{}); }

private:
    ct_closure closure_;
};

// Handles of tensors that are passed to Lisp or returned by it, freed with this object.
class Handles {
public:
    explicit Handles(size_t count) : handles_(count, nullptr) {}
    explicit Handles(torch::autograd::variable_list tensors) : Handles(tensors.size())
    {
        // The delegated constructor has completed, so the destructor runs if a handle cannot be
        // created.
        for (size_t k = 0; k < tensors.size(); k++) handles_[k] = ct::handle(std::move(tensors[k]));
    }
    ~Handles()
    {
        for (ct_tensor *x : handles_) ct_free(x);
    }
    Handles(const Handles &) = delete;
    Handles &operator=(const Handles &) = delete;

    ct_tensor **data() { return handles_.data(); }
    size_t size() const { return handles_.size(); }
    ct_tensor *operator[](size_t k) const { return handles_[k]; }

private:
    std::vector<ct_tensor *> handles_;
};

}  // namespace ct
