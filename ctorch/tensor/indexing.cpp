// indexing.cpp - reading elements and slices of tensors, as views where possible, and replacing
// them.

#include "tensor/overlap.h"
#include "tensor/parse_indices.h"
#include "tensor/views.h"

#include <ATen/ExpandUtils.h>
#include <ATen/ops/alias_ops.h>
#include <ATen/ops/slice_ops.h>

#include <cmath>

namespace {

using ct::Failure;
using ct::Selection;
using ct::Sharing;

// LibTorch aborts the process when an index is out of range on a GPU.
void check_ahead(const Selection &selection)
{
    if (!selection.view.is_cpu()) ct::check_gathers(selection);
}

at::Tensor read(Selection selection)
{
    for (const ct::Pick &pick : selection.picks)
        selection.view = selection.view.index_select(pick.dim, pick.positions);
    if (!selection.indexed) return selection.view;
    check_ahead(selection);
    try {
        return selection.view.index(selection.indices);
    } catch (const c10::Error &) {
        ct::check_gathers(selection);
        throw;
    }
}

// A number as an element of target: truncated for integer dtypes, never out of range.
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

// The tensor to write: it does not overlap the memory that it is written to, unless both are the
// same elements.
at::Tensor filler_for(const ct_value &value, const Selection &selection)
{
    const at::Tensor &view = selection.view;
    if (ct::is_number(value)) return number_for(value, view);
    if (value.kind != CT_TENSOR) return ct::make(value, view.scalar_type(), view.device());
    const at::Tensor &filler = value.tensor->value;
    Sharing sharing = ct::sharing_of(view, filler);
    bool overwrites = sharing == Sharing::SOME || (sharing == Sharing::SAME && selection.indexed);
    return overwrites ? filler.clone() : filler;
}

// The value with no more dimensions than the target; throws a Failure if it does not broadcast.
at::Tensor fitted(at::Tensor filler, const at::Tensor &target)
{
    at::Tensor original = filler;
    while (filler.dim() > target.dim() && filler.size(0) == 1) filler = filler.select(0, 0);
    if (at::is_expandable_to(filler.sizes(), target.sizes())) return filler;
    throw Failure{"a value of shape " + ct::shape_text(original) + " does not broadcast to " +
                      ct::shape_text(target), ""};
}

void put_indexed(Selection &selection, at::Tensor filler)
{
    ct::check_gathers(selection);
    for (size_t k = 0; k < selection.indices.size(); k++) {
        std::optional<at::Tensor> index = selection.indices.get(k);
        if (index && index->is_alias_of(selection.view)) selection.indices.set(k, index->clone());
    }
    if (filler.dim() > 0) filler = fitted(filler, selection.view.detach().index(selection.indices));
    at::Tensor &view = selection.view;
    view.index_put_(selection.indices, filler.to(view.device(), view.scalar_type()));
}

void put(Selection &selection, const ct_value &value)
{
    at::Tensor filler = filler_for(value, selection);
    if (selection.indexed) put_indexed(selection, filler);
    else selection.view.copy_(fitted(filler, selection.view));
}

// Picked positions are copied out, changed, and copied back.
void put_picked(Selection &selection, const ct_value &value)
{
    if (selection.picks.empty()) return put(selection, value);
    ct::Pick pick = selection.picks.back();
    at::Tensor all = selection.view, picked = all.index_select(pick.dim, pick.positions);
    selection.picks.pop_back();
    selection.view = picked;
    put_picked(selection, value);
    all.index_copy_(pick.dim, pick.positions, picked);
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
        at::Tensor found = ct::are_integers(count, indices)
                               ? ct::at_integers(x->value, count, indices)
                               : read(ct::select(x->value, count, indices));
        // All of x is a view, too: a change of the view's shape must not change x's.
        bool is_x = found.is_same(x->value);
        *result = ct::handle(is_x ? at::_ops::alias::call(found) : std::move(found));
    });
}

int ct_set(ct_tensor *x, size_t count, const ct_value *indices, const ct_value *value)
{
    return ct::guarded({x}, [&] {
        if (ct::overlaps_itself(x->value))
            throw Failure{"elements of this tensor share memory",
                          "tensor-copy returns a tensor whose elements do not"};
        Selection selection = ct::select(x->value, count, indices);
        put_picked(selection, *value);
    });
}

}  // extern "C"
