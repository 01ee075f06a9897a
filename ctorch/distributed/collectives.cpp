// collectives.cpp - the operations of the language: all-reduce, broadcast, all-gather,
// reduce-scatter, barrier.
//
// Gloo takes dense tensors on the CPU; others are copied there and back.  The results are not
// recorded for gradients.

#ifdef CT_GLOO

#include "distributed/group.h"
#include "tensor/plain.h"

#include <ATen/core/grad_mode.h>

#include <cstring>

namespace {

using ct::Failure;
using ct::Owned;
using ct::ProcedureArguments;
using ct::distributed::Group;
using ct::distributed::Operation;
using ct::distributed::Work;
using c10d::ReduceOp;

// The elements as a dense tensor on the CPU: the tensor's own if it is like that.
at::Tensor dense(const at::Tensor &x)
{
    if (x.layout() != at::kStrided || x.is_quantized())
        throw Failure{"expected a dense tensor, got " + ct::describe(x), "(tensor-to-dense x)"};
    return ct::plain(x.detach()).to(at::kCPU).resolve_conj().resolve_neg().contiguous();
}

bool is_own(const at::Tensor &flat, const at::Tensor &x)
{
    return flat.is_alias_of(x) && flat.data_ptr() == x.data_ptr();
}

// A copy unless the tensor itself is to be changed.
at::Tensor buffer_for(const at::Tensor &x, bool in_place)
{
    at::Tensor flat = dense(x);
    return !in_place && is_own(flat, x) ? flat.clone() : flat;
}

// The result, on the device of x; nothing if x itself was changed.
Owned result_in(const at::Tensor &x, const at::Tensor &flat, bool in_place)
{
    at::NoGradGuard guard;
    if (!in_place) return Owned::tensor(flat.to(x.device()));
    if (!is_own(flat, x)) at::Tensor(x).copy_(flat);
    else x.unsafeGetTensorImpl()->bump_version();
    return {};
}

// Starts one exchange.
std::function<Work()> once(std::function<Work()> start)
{
    return [start, is_done = false]() mutable -> Work {
        if (is_done) return {};
        is_done = true;
        return start();
    };
}

std::string text_of(const std::string &name, const at::Tensor &x)
{
    return name + " " + ct::dtype_name(x.scalar_type()) + " " + ct::shape_text(x);
}

// Reductions.

struct Reduction {
    std::string name;
    ReduceOp::RedOpType type;
};

constexpr struct {
    const char *name;
    ReduceOp::RedOpType type;
} REDUCTIONS[] = {{"sum", ReduceOp::SUM}, {"mean", ReduceOp::SUM}, {"product", ReduceOp::PRODUCT},
                  {"max", ReduceOp::MAX}, {"min", ReduceOp::MIN}};

Reduction reduction_of(const ct_value &value)
{
    if (value.kind == CT_SYMBOL || value.kind == CT_STRING)
        for (const auto &known : REDUCTIONS)
            if (!std::strcmp(known.name, value.text)) return {known.name, known.type};
    throw Failure{"expected an operation for :op, got " + ct::shown(value),
                  "sum, mean, product, max or min"};
}

bool reduces(at::ScalarType dtype)
{
    for (at::ScalarType known : {at::kFloat, at::kDouble, at::kHalf, at::kBFloat16, at::kInt,
                                 at::kLong, at::kChar, at::kByte})
        if (dtype == known) return true;
    return false;
}

// The elements as numbers that Gloo reduces.
at::Tensor numbers_in(const at::Tensor &flat, const Reduction &how)
{
    bool adds = how.name == "sum" || how.name == "mean";
    at::ScalarType dtype = flat.scalar_type();
    if (how.name == "mean" && !flat.is_floating_point() && !flat.is_complex())
        throw Failure{"cannot take the mean of " + ct::describe(flat), "(tensor-to {0|x} 'float32)"};
    if (flat.is_complex() && adds) return at::view_as_real(flat);
    if (dtype == at::kBool && (how.name == "max" || how.name == "min")) return flat.view(at::kByte);
    if (!reduces(dtype))
        throw Failure{"cannot take the " + how.name + " of " + ct::describe(flat),
                      dtype == at::kBool ? "(tensor-to x 'int64), or :op 'max or 'min"
                                         : "(tensor-to x 'float32) or 'int64 has numbers that it can"};
    return flat;
}

Operation reduction(Group &g, const std::string &name, const at::Tensor &x, const Reduction &how,
                    bool in_place)
{
    at::Tensor flat = buffer_for(x, in_place), numbers = numbers_in(flat, how);
    Operation operation;
    operation.text = text_of(name + " " + how.name, x);
    operation.checks = g.settings.check;
    if (flat.numel() > 0)
        operation.next = once([&g, numbers, how] { return reduce_in_place(g, numbers, how.type); });
    operation.finish = [x, flat, how, in_place, world = g.settings.world] {
        if (how.name == "mean") at::Tensor(flat).div_(world);
        return result_in(x, flat, in_place);
    };
    return operation;
}

// The bytes of the elements: Gloo copies those of every dtype.
at::Tensor bytes_of(const at::Tensor &flat) { return flat.view({-1}).view(at::kByte); }

int root_of(const Group &g, const ct_value &value)
{
    if (value.kind != CT_INT || value.i < 0 || value.i >= g.settings.world)
        throw Failure{"expected a rank below " + std::to_string(g.settings.world) +
                          " for :from, got " + ct::shown(value), ""};
    return static_cast<int>(value.i);
}

Operation sending(Group &g, const at::Tensor &x, int root, bool in_place)
{
    at::Tensor flat = buffer_for(x, in_place);
    Operation operation;
    operation.text = text_of("broadcast", x) + " from rank " + std::to_string(root);
    operation.checks = g.settings.check;
    if (flat.numel() > 0)
        operation.next = once([&g, flat, root] { return broadcast_in_place(g, bytes_of(flat), root); });
    operation.finish = [x, flat, in_place] { return result_in(x, flat, in_place); };
    return operation;
}

Owned parts_of(const at::Tensor &all, const at::Tensor &x)
{
    std::vector<Owned> parts;
    for (int64_t k = 0; k < all.size(0); k++)
        parts.push_back(Owned::tensor(all.select(0, k).clone().to(x.device())));
    return Owned::items(CT_LIST, std::move(parts));
}

Operation gathering(Group &g, const at::Tensor &x)
{
    at::Tensor flat = dense(x);
    std::vector<int64_t> sizes = x.sizes().vec();
    sizes.insert(sizes.begin(), g.settings.world);
    at::Tensor all = g.settings.world == 1 ? flat.unsqueeze(0) : at::empty(sizes, flat.options());
    Operation operation;
    operation.text = text_of("all-gather", x);
    operation.checks = g.settings.check;
    if (flat.numel() > 0)
        operation.next = once([&g, all, flat] {
            at::Tensor to = bytes_of(all), from = bytes_of(flat);
            return g.data->_allgather_base(to, from);
        });
    operation.finish = [x, all] { return parts_of(all, x); };
    return operation;
}

// Gloo reduces everything, and each rank takes its part.
Operation scattering(Group &g, const at::Tensor &x, const Reduction &how)
{
    int64_t world = g.settings.world, rank = g.settings.rank;
    if (x.dim() == 0 || x.size(0) % world != 0)
        throw Failure{"cannot divide " + ct::describe(x) + " among " + std::to_string(world) +
                          " ranks",
                      "the size of its first dimension must be a multiple of " + std::to_string(world)};
    at::Tensor flat = buffer_for(x, false);
    Operation operation = reduction(g, "reduce-scatter", flat, how, true);
    operation.finish = [x, flat, how, world, rank] {
        at::Tensor part = flat.chunk(world, 0)[static_cast<size_t>(rank)].clone();
        if (how.name == "mean") part.div_(world);
        return Owned::tensor(part.to(x.device()));
    };
    return operation;
}

}  // namespace

namespace ct {

// "start", a tensor, the operation, whether to change the tensor.
Owned all_reduce(const ProcedureArguments &given)
{
    return distributed::step(given, [&](Group &g) {
        return reduction(g, "all-reduce", given.tensor(1), reduction_of(given.values[2]),
                         given.flag(3));
    });
}

// "start", a tensor, the rank that has it, whether to change the tensor.
Owned broadcast(const ProcedureArguments &given)
{
    return distributed::step(given, [&](Group &g) {
        return sending(g, given.tensor(1), root_of(g, given.values[2]), given.flag(3));
    });
}

// "start", a tensor.
Owned all_gather(const ProcedureArguments &given)
{
    return distributed::step(given, [&](Group &g) { return gathering(g, given.tensor(1)); });
}

// "start", a tensor, the operation.
Owned reduce_scatter(const ProcedureArguments &given)
{
    return distributed::step(given, [&](Group &g) {
        return scattering(g, given.tensor(1), reduction_of(given.values[2]));
    });
}

// "start", what it is called in messages.  The check is all that it needs.
Owned barrier(const ProcedureArguments &given)
{
    return distributed::step(given, [&](Group &) {
        Operation operation;
        operation.text = given.text(1);
        return operation;
    });
}

}  // namespace ct

#endif  // CT_GLOO
