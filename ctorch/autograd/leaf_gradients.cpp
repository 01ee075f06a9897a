// leaf_gradients.cpp - the gradients of the leaves of a graph, without LibTorch's engine.
//
//     loss <- mm <- relu <- linear <- w, b  =>  the gradients of w and b, accumulated
//
// The engine is made for several threads and devices: for each node it saves and sets all that is
// local to the thread, locks queues, and asks for the devices' streams, which takes as long as the
// gradients of small tensors.  A training step needs none of that.  This file evaluates the same
// nodes in the same order, the latest recorded first.  It leaves to the engine what is not plain:
// hooks, other devices, gradients within gradients, and those to be differentiated again.

#include "autograd/backward.h"
#include "autograd/node.h"
#include "dispatch/one_thread.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/add.h>
#include <ATen/record_function.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/input_metadata.h>

#include <algorithm>
#include <queue>
#include <unordered_map>
#include <utility>

namespace {

using torch::autograd::Edge;
using torch::autograd::edge_list;
using torch::autograd::Node;
using torch::autograd::variable_list;

// A node whose gradients are awaited.
struct Pending {
    explicit Pending(const ct::NodeReference &of) : node(of) {}
    ct::NodeReference node;
    int awaited = 0;          // the edges over which gradients will come
    variable_list gradients;  // of the node's results; empty until the first comes
};

using Graph = std::unordered_map<Node *, Pending>;

struct Earlier {
    bool operator()(const Pending *a, const Pending *b) const
    {
        return a->node->sequence_nr() < b->node->sequence_nr();
    }
};

bool is_plain_node(Node &node)
{
    return node.pre_hooks().empty() && node.tensor_pre_hooks().empty() &&
           node.retains_grad_hooks().empty() && node.post_hooks().empty() &&
           node.device().is_cpu();
}

// All nodes that the root reaches; whether all of them are plain.
bool collect(Graph &graph, const ct::NodeReference &root)
{
    std::vector<Node *> left{root.get()};
    graph.emplace(root.get(), Pending(root));
    while (!left.empty()) {
        Node *node = left.back();
        left.pop_back();
        if (!is_plain_node(*node)) return false;
        for (const Edge &edge : node->next_edges()) {
            if (!edge.is_valid()) continue;
            auto [found, is_new] = graph.try_emplace(edge.function.get(), edge.function);
            found->second.awaited++;
            if (is_new) left.push_back(edge.function.get());
        }
    }
    return true;
}

// Whether nobody else sees the elements of a sum, so that the next gradient may be added in place.
bool is_private(const at::Tensor &x)
{
    return x.use_count() == 1 && x.layout() == at::kStrided && x.has_storage() &&
           x.storage().use_count() == 1 && !x._is_zerotensor() && !x.is_neg() && !x.is_conj() &&
           x.is_non_overlapping_and_dense();
}

void accumulate(at::Tensor &sum, at::Tensor &&gradient)
{
    if (!gradient.defined()) return;
    if (!sum.defined()) {
        sum = std::move(gradient);
        return;
    }
    bool is_alike = sum.sizes() == gradient.sizes() && sum.scalar_type() == gradient.scalar_type() &&
                    gradient.layout() == at::kStrided;
    if (is_alike && is_private(sum)) sum.add_(gradient);
    else if (is_alike && is_private(gradient)) sum = gradient.add_(sum);
    else if (sum.is_sparse()) sum = gradient + sum;  // LibTorch adds sparse to dense, not vice versa
    else sum = sum + gradient;
}

void add_at(Pending &pending, uint32_t index, at::Tensor &&gradient)
{
    if (pending.gradients.empty()) pending.gradients.resize(pending.node->num_inputs());
    accumulate(pending.gradients[index], std::move(gradient));
}

// Whether what a node computes is small: the gradients in its results, and in its arguments.
bool is_small_step(const Node &node, const variable_list &gradients)
{
    ct::Work work;
    for (const at::Tensor &gradient : gradients) work.add_one_of_many(gradient);
    if (!work.is_small()) return false;
    const edge_list &edges = node.next_edges();
    return std::all_of(edges.begin(), edges.end(), [](const Edge &edge) {
        return !edge.is_valid() || ct::is_small_gradient(edge);
    });
}

// The gradients are taken by value: they must not live longer than the call.
variable_list evaluated(Node &node, variable_list gradients, bool keep_graph)
{
    RECORD_FUNCTION(c10::str("autograd::engine::evaluate_function: ", node.name()),
                    c10::ArrayRef<const c10::IValue>());
    ct::WorkThreads threads(is_small_step(node, gradients));
    if (!keep_graph) node.will_release_variables();
    bool is_one = gradients.size() == 1 && gradients[0].defined() && is_private(gradients[0]);
    bool is_done = is_one && ct::overwrites_gradient(node, gradients[0]);
    variable_list results = is_done ? std::move(gradients) : node(std::move(gradients));
    torch::autograd::validate_outputs(
        node.next_edges(), results, [&node](const std::string &message) {
            return "Function " + node.name() + " " + message;
        });
    if (!keep_graph) node.release_variables();
    return results;
}

}  // namespace

bool ct::is_small_gradient(const Edge &edge)
{
    const torch::autograd::InputMetadata &of = edge.function->input_metadata(edge.input_nr);
    if (of.was_default_constructed()) return true;  // nothing comes over this edge
    if (of.is_nested_tensor()) return false;
    int64_t count = 1;
    for (const c10::SymInt &size : of.shape_as_dim_vector())
        if (__builtin_mul_overflow(count, size.guard_int(__FILE__, __LINE__), &count)) return false;
    return count <= SMALL;
}

bool ct::leaf_gradients(const Edge &start, const at::Tensor &weights, bool keep_graph,
                        std::string &failed)
{
    Graph graph;
    if (!collect(graph, start.function)) return false;
    at::AutoGradMode unrecorded(false);
    std::priority_queue<Pending *, std::vector<Pending *>, Earlier> ready;
    Pending &first = graph.at(start.function.get());
    variable_list begun{weights};
    torch::autograd::validate_outputs({start}, begun,
                                      [](const std::string &message) { return message; });
    add_at(first, start.input_nr, std::move(begun[0]));
    ready.push(&first);
    while (!ready.empty()) {
        Pending &here = *ready.top();
        ready.pop();
        Node &node = *here.node;
        variable_list results;
        try {
            results = evaluated(node, std::move(here.gradients), keep_graph);
        } catch (...) {
            failed = node.name();
            throw;
        }
        for (size_t k = 0; k < results.size(); k++) {
            const Edge &edge = node.next_edge(k);
            if (!edge.is_valid()) continue;
            Pending &next = graph.at(edge.function.get());
            add_at(next, edge.input_nr, std::move(results[k]));
            if (--next.awaited == 0) ready.push(&next);
        }
    }
    return true;
}
