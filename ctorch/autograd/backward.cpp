// backward.cpp - computing gradients.
//
// The graph is LibTorch's.  leaf_gradients.cpp evaluates a plain one; otherwise LibTorch's engine
// walks it, of which this file has its own instance: it works in the calling thread only, where
// Lisp can be called back (custom_gradient.cpp), and it records which operation's gradient failed,
// which LibTorch's messages do not say.

#include "autograd/backward.h"
#include "autograd/node.h"
#include "dispatch/one_thread.h"
#include "tensor/plain.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/ones_like.h>
#include <ATen/record_function.h>
#include <c10/core/AutogradState.h>
#include <torch/csrc/autograd/anomaly_mode.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>
#include <torch/csrc/autograd/functions/basic_ops.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <limits>
#include <unordered_set>
#include <utility>

namespace {

using ct::Failure;
using torch::autograd::Edge;
using torch::autograd::edge_list;
using torch::autograd::Node;
using torch::autograd::variable_list;

// How deeply gradient computations may nest: LibTorch's engine needs much stack.
constexpr int DEEPEST = 1000;

thread_local std::string failed;
thread_local int depth;
thread_local int64_t outermost;  // how many so far
bool checks_for_nan;

class Engine final : public torch::autograd::Engine {
public:
    // Beyond this depth LibTorch would continue in other threads, where Lisp cannot be called.
    Engine() { max_recursion_depth_ = std::numeric_limits<int>::max(); }

    void thread_on_exception(const std::shared_ptr<torch::autograd::GraphTask> &task,
                             const ct::NodeReference &node, std::exception &error) override
    {
        if (node) failed = node->name();
        torch::autograd::Engine::thread_on_exception(task, node, error);
    }
};

// It is never destroyed: its threads, on machines with accelerators, may outlive static objects.
Engine &engine()
{
    static Engine *const only = new Engine;
    return *only;
}

// While it lives, gradients are computed in this thread only, and LibTorch's anomaly mode is on if
// nan is to be detected: only now, since the mode slows down everything else.
class OneThread {
public:
    OneThread() : before_(state().get_multithreading_enabled())
    {
        if (depth == DEEPEST)
            throw Failure{"gradients are nested too deeply", "does the recursion end?"};
        state().set_multithreading_enabled(false);
        failed.clear();
        if (depth++ == 0) outermost++;
        torch::autograd::AnomalyMode::set_enabled(checks_for_nan);
    }
    ~OneThread()
    {
        if (--depth == 0) torch::autograd::AnomalyMode::set_enabled(false);
        state().set_multithreading_enabled(before_);
    }
    OneThread(const OneThread &) = delete;
    OneThread &operator=(const OneThread &) = delete;

private:
    static c10::AutogradState &state() { return c10::AutogradState::get_tls_state(); }
    bool before_;
};

std::vector<at::Tensor> tensors_of(size_t count, ct_tensor *const *handles)
{
    std::vector<at::Tensor> tensors;
    tensors.reserve(count);
    for (size_t k = 0; k < count; k++) tensors.push_back(handles[k]->value);
    return tensors;
}

// Where the gradients start, and the weights of the elements there.
struct Start {
    edge_list edges;
    variable_list weights;
};

// keyword: the argument of the Lisp procedure that takes weights.
at::Tensor weights_of(const at::Tensor &y, const ct_tensor *given, const char *keyword)
{
    if (given && given->value.sizes() != y.sizes())
        throw Failure{std::string(keyword) + " has shape " + ct::shape_text(given->value) +
                          ", and the tensor that it weighs " + ct::shape_text(y), ""};
    if (given) return given->value;
    if (y.numel() != 1)
        throw Failure{"expected a tensor of one element, got " + ct::describe(y),
                      std::string("take the gradient of a sum, (tensor-sum {0|y}), or weigh the "
                                  "elements with ") + keyword};
    if (y.is_complex())
        throw Failure{"expected a tensor of a real number, got " + ct::describe(y),
                      std::string("weigh the element with ") + keyword};
    return at::ones_like(y);
}

void begin_at(Start &start, const at::Tensor &y, const ct_tensor *weights, const char *keyword)
{
    if (y.is_inference() && !y.requires_grad())
        throw Failure{"the tensor was computed in inference-mode, which records nothing",
                      "compute {0|it} outside of inference-mode"};
    if (!y.requires_grad())
        throw Failure{"nothing that this was computed from requires grad",
                      "(requires-grad! x) before {0|it} is computed from x, outside of no-grad"};
    start.weights.push_back(weights_of(y, weights, keyword));
    start.edges.push_back(torch::autograd::impl::gradient_edge(y));
}

// How a hint quotes an element of the list of tensors.
std::string quoted_element(size_t index) { return "{1." + std::to_string(index) + "|it}"; }

edge_list ends_of(const std::vector<at::Tensor> &xs)
{
    edge_list ends;
    for (size_t k = 0; k < xs.size(); k++) {
        if (!xs[k].requires_grad())
            throw Failure{"the tensor at index " + std::to_string(k) +
                              " does not require grad",
                          "(requires-grad! " + quoted_element(k) + ") before the computation"};
        ends.push_back(torch::autograd::impl::gradient_edge(xs[k]));
    }
    return ends;
}

// The nodes of a graph, each once.
class Walk {
public:
    void add(const Edge &edge)
    {
        Node *node = edge.function.get();
        if (node && seen_.insert(node).second) left_.push_back(node);
    }

    Node *next()
    {
        if (left_.empty()) return nullptr;
        Node *node = left_.back();
        left_.pop_back();
        return node;
    }

private:
    std::unordered_set<Node *> seen_;
    std::vector<Node *> left_;
};

// The leaf in which a node accumulates gradients, if it is such a node.
const at::Tensor *leaf_of(Node *node)
{
    auto *end = dynamic_cast<torch::autograd::AccumulateGrad *>(node);
    return end ? &end->variable : nullptr;
}

bool needs_others(const std::vector<at::Tensor> &ys, const std::vector<at::Tensor> &xs)
{
    std::unordered_set<const c10::TensorImpl *> given;
    for (const at::Tensor &x : xs) given.insert(x.unsafeGetTensorImpl());
    Walk walk;
    for (const at::Tensor &y : ys)
        if (y.requires_grad()) walk.add(torch::autograd::impl::gradient_edge(y));
    while (Node *node = walk.next()) {
        const at::Tensor *leaf = leaf_of(node);
        if (leaf && !given.count(leaf->unsafeGetTensorImpl())) return true;
        for (const Edge &edge : node->next_edges()) walk.add(edge);
    }
    return false;
}

// Whether all gradients of a graph are small.  LibTorch's engine calls one node after the other, so
// that it cannot be decided for each.
bool is_small_graph(const edge_list &begin)
{
    Walk walk;
    auto add = [&](const edge_list &edges) {
        return std::all_of(edges.begin(), edges.end(), [&](const Edge &edge) {
            walk.add(edge);
            return !edge.is_valid() || ct::is_small_gradient(edge);
        });
    };
    if (!add(begin)) return false;
    while (Node *node = walk.next())
        if (!add(node->next_edges())) return false;
    return true;
}

// Creates a handle for each tensor: all of them, or none.
void write_handles(variable_list &tensors, ct_tensor **results)
{
    size_t written = 0;
    try {
        for (; written < tensors.size(); written++)
            results[written] = ct::handle(std::move(tensors[written]));
    } catch (...) {
        for (size_t k = 0; k < written; k++) ct_free(results[k]);
        throw;
    }
}

}  // namespace

const std::string &ct::failed_node() { return failed; }

bool ct::computes_gradients() { return depth > 0; }

int64_t ct::backward_number() { return outermost; }

bool (*ct::exchange_gradients)() = nullptr;

extern "C" {

// The tensors of the arguments are copied first: a Lisp callback may free the handles.

int ct_backward(ct_tensor *loss, ct_tensor *gradient, bool retain_graph, bool create_graph)
{
    return ct::guarded({}, [&] {
        RECORD_FUNCTION("backward", std::vector<c10::IValue>());
        OneThread here;
        Start start;
        begin_at(start, at::Tensor(loss->value), gradient, ":gradient");
        // Only the engine calls the hooks of parameters, which others wait for.
        bool is_plain = depth == 1 && !create_graph && !checks_for_nan && !ct::exchange_gradients;
        if (is_plain &&
            ct::leaf_gradients(start.edges[0], start.weights[0], retain_graph, failed))
            return;
        ct::WorkThreads threads(is_small_graph(start.edges));
        engine().execute(start.edges, start.weights, retain_graph || create_graph, create_graph,
                         true, {});
    });
}

// A callback of Lisp may call backward, too: the outermost one exchanges the gradients of all.
int ct_exchange_gradients(bool *ended)
{
    *ended = true;
    if (!ct::exchange_gradients || depth > 0) return 0;
    return ct::guarded({}, [&] {
        *ended = ct::exchange_gradients();
    });
}

void ct_detect_anomaly(bool on) { checks_for_nan = on; }

int ct_gradients(const ct_gradient_query *query, ct_tensor **results)
{
    const ct_gradient_query &q = *query;
    return ct::guarded({}, [&] {
        RECORD_FUNCTION("gradients", std::vector<c10::IValue>());
        OneThread here;
        Start start;
        for (size_t k = 0; k < q.y_count; k++)
            begin_at(start, at::Tensor(q.ys[k]->value), q.weights ? q.weights[k] : nullptr,
                     ":grad-outputs");
        std::vector<at::Tensor> xs = tensors_of(q.x_count, q.xs);
        edge_list ends = ends_of(xs);
        bool allow_unused = q.allow_unused;
        variable_list found;
        ct::WorkThreads threads(is_small_graph(start.edges));
        if (!xs.empty())
            found = engine().execute(start.edges, start.weights, q.retain_graph || q.create_graph,
                                     q.create_graph, false, ends);
        for (size_t k = 0; k < found.size() && !allow_unused; k++)
            if (!found[k].defined())
                throw Failure{"the tensor at index " + std::to_string(k) +
                                  " was not used in the computation",
                              "with :allow-unused #t the gradient in " + quoted_element(k) +
                                  " is #f"};
        for (at::Tensor &x : found)
            if (x.defined() && x._is_zerotensor()) x = ct::plain(x);
        write_handles(found, results);
    });
}

int ct_needs_others(const ct_gradient_query *query, bool *result)
{
    const ct_gradient_query &q = *query;
    return ct::guarded({}, [&] {
        *result = needs_others(tensors_of(q.y_count, q.ys), tensors_of(q.x_count, q.xs));
    });
}

}  // extern "C"
