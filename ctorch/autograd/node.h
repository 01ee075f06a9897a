// node.h - references to nodes of LibTorch's graph, as this version of LibTorch holds them.
#pragma once

#include "libtorch_versions.h"

#include <torch/csrc/autograd/edge.h>
#include <torch/csrc/autograd/function.h>

#include <memory>
#include <utility>

namespace ct {

using NodeReference = decltype(torch::autograd::Edge::function);

// A new node.  LibTorch frees long chains of nodes without recursion.
template <class T, class... Arguments>
auto make_node(Arguments &&...arguments)
{
#if CT_SHARED_NODES
    return std::shared_ptr<T>(new T(std::forward<Arguments>(arguments)...), torch::autograd::deleteNode);
#else
    return c10::make_intrusive<T>(std::forward<Arguments>(arguments)...);
#endif
}

}  // namespace ct
