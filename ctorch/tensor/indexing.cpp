// indexing.cpp - taking parts of tensors, as views where that is possible, and replacing them.

#include "tensor/index.h"
#include "tensor/views.h"

#include <ATen/ExpandUtils.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/ops/alias_ops.h>
#include <ATen/ops/slice_ops.h>

#include <cmath>

namespace {

using ct::Failure;
using ct::Part;

// LibTorch stops the process where a GPU meets an index that is out of range.
void check_ahead(const Part &part)
{
    if (!part.view.is_cpu()) ct::check_gathers(part);
}

at::Tensor taken(Part part)
{
    for (const ct::Pick &pick : part.picks)
        part.view = part.view.index_select(pick.dim, pick.positions);
    if (!part.indexed) return part.view;
    check_ahead(part);
    try {
        return part.view.index(part.indices);
    } catch (const c10::Error &) {
        ct::check_gathers(part);
        throw;
    }
}

// A number as an element of target: cut to a whole number for integers, never out of range.
at::Tensor number_for(const ct_value &number, const at::Tensor &target)
{
    at::Tensor made = ct::make_number(number, target.scalar_type(), target.device());
    bool finite = number.kind != CT_FLOAT || std::isfinite(number.f);
    bool real = at::isFloatingType(target.scalar_type()) && !target.is_meta();
    if (real && finite && !std::isfinite(made.item().toDouble()))
        throw Failure{ct::shown(number) + " does not fit into " +
                          ct::dtype_name(target.scalar_type()), ""};
    return made;
}

// What to write: a tensor that does not lie in the memory of its place, unless it is that place.
at::Tensor filler_for(const ct_value &value, const Part &part)
{
    const at::Tensor &view = part.view;
    if (ct::is_number(value)) return number_for(value, view);
    if (value.kind != CT_TENSOR) return ct::make(value, view.scalar_type(), view.device());
    const at::Tensor &filler = value.tensor->value;
    bool shares = filler.has_storage() && view.has_storage() && filler.is_alias_of(view);
    bool same = at::get_overlap_status(view, filler) == at::MemOverlapStatus::Full;
    return shares && (part.indexed || !same) ? filler.clone() : filler;
}

// The value with no more dimensions than its place; throws a Failure if it does not broadcast.
at::Tensor fitted(at::Tensor filler, const at::Tensor &target)
{
    at::Tensor whole = filler;
    while (filler.dim() > target.dim() && filler.size(0) == 1) filler = filler.select(0, 0);
    if (at::is_expandable_to(filler.sizes(), target.sizes())) return filler;
    throw Failure{"a value of shape " + ct::shape_text(whole) + " does not broadcast to " +
                      ct::shape_text(target), ""};
}

void put_indexed(Part &part, at::Tensor filler)
{
    ct::check_gathers(part);
    for (size_t k = 0; k < part.indices.size(); k++) {
        std::optional<at::Tensor> index = part.indices.get(k);
        if (index && index->is_alias_of(part.view)) part.indices.set(k, index->clone());
    }
    if (filler.dim() > 0) filler = fitted(filler, part.view.detach().index(part.indices));
    part.view.index_put_(part.indices, filler.to(part.view.device(), part.view.scalar_type()));
}

void put(Part &part, const ct_value &value)
{
    if (at::has_internal_overlap(part.view) == at::MemOverlap::Yes)
        throw Failure{"elements of this tensor share their place in memory",
                      "tensor-copy gives each a place of its own"};
    at::Tensor filler = filler_for(value, part);
    if (part.indexed) put_indexed(part, filler);
    else part.view.copy_(fitted(filler, part.view));
}

// Picked positions are copied out, changed, and copied back.
void put_picked(Part &part, const ct_value &value)
{
    if (part.picks.empty()) return put(part, value);
    ct::Pick pick = part.picks.back();
    at::Tensor whole = part.view, picked = whole.index_select(pick.dim, pick.positions);
    part.picks.pop_back();
    part.view = picked;
    put_picked(part, value);
    whole.index_copy_(pick.dim, pick.positions, picked);
}

void check_dim(const at::Tensor &x, int64_t dim)
{
    if (dim < -x.dim() || dim >= x.dim())
        throw Failure{"dim " + std::to_string(dim) + " is out of range for a tensor of rank " +
                          std::to_string(x.dim()), ""};
}

}  // namespace

extern "C" {

int ct_copy(ct_tensor *x, ct_tensor **result)
{
    return ct::guarded({x}, [&] { *result = ct::handle(x->value.clone()); });
}

int ct_slice(ct_tensor *x, int64_t dim, int64_t start, const int64_t *end, int64_t step,
             ct_tensor **result)
{
    return ct::guarded({x}, [&] {
        check_dim(x->value, dim);
        if (step <= 0)
            throw Failure{"expected a positive step, got " + std::to_string(step), ""};
        std::optional<c10::SymInt> stop;
        if (end) stop = *end;
        *result = ct::handle(ct::View<at::_ops::slice_Tensor>::call(x->value, dim, start, stop, step));
    });
}

int ct_ref(ct_tensor *x, size_t count, const ct_value *indices, ct_tensor **result)
{
    return ct::guarded({x}, [&] {
        at::Tensor part = ct::are_integers(count, indices)
                              ? ct::at_integers(x->value, count, indices)
                              : taken(ct::part_of(x->value, count, indices));
        // All of x is a view, too: what changes the view's shape leaves x as it is.
        bool is_whole = part.is_same(x->value);
        *result = ct::handle(is_whole ? at::_ops::alias::call(part) : std::move(part));
    });
}

int ct_set(ct_tensor *x, size_t count, const ct_value *indices, const ct_value *value)
{
    return ct::guarded({x}, [&] {
        Part part = ct::part_of(x->value, count, indices);
        put_picked(part, *value);
    });
}

}  // extern "C"
