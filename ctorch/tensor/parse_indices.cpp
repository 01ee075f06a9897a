// parse_indices.cpp - which elements of a tensor a list of indices selects.
//
//     x (4 5 6)  with  1 :all (range 0 4 2)  =>  the view x[1][:, 0:4:2]
//                with  :ellipsis [0 5]       =>  x, and the index tensor [0 5] for dim 2
//
// Each integer, :all, range or list selects along one dimension; index tensors broadcast together,
// as in numpy and PyTorch.

#include "tensor/parse_indices.h"
#include "tensor/plain.h"
#include "tensor/views.h"

#include <ATen/ExpandUtils.h>
#include <ATen/ops/aminmax_ops.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/select_ops.h>

#include <algorithm>
#include <cstring>

namespace {

using ct::Failure;
using ct::Selection;

bool is_word(const ct_value &index, const char *word)
{
    return (index.kind == CT_KEYWORD || index.kind == CT_SYMBOL) &&
           std::strcmp(index.text, word) == 0;
}

bool is_mask(const ct_value &index)
{
    return index.kind == CT_TENSOR && index.tensor->value.scalar_type() == at::kBool;
}

// How many dimensions of the tensor an index consumes.
int64_t dims_of(const ct_value &index)
{
    if (is_word(index, "new-axis") || is_word(index, "ellipsis")) return 0;
    return is_mask(index) ? index.tensor->value.dim() : 1;
}

Failure out_of_range(int64_t index, int64_t dim, int64_t size)
{
    return {"index " + std::to_string(index) + " is out of range for dim " + std::to_string(dim) +
                " of size " + std::to_string(size), ""};
}

int64_t in_range(int64_t index, int64_t dim, int64_t size)
{
    int64_t position = index < 0 ? index + size : index;
    if (position < 0 || position >= size) throw out_of_range(index, dim, size);
    return position;
}

at::Tensor selected(const at::Tensor &x, int64_t dim, int64_t index)
{
    return ct::View<at::_ops::select_int>::call(x, dim, index);
}

void check_rank(const at::Tensor &x, int64_t consumed)
{
    if (consumed > x.dim())
        throw Failure{"too many indices for a tensor of rank " + std::to_string(x.dim()), ""};
}

// The step between the integers if it is constant and positive, as in (range a b step); otherwise
// 0.
int64_t even_step(const std::vector<int64_t> &list)
{
    if (list.size() < 2) return 1;
    int64_t step = list[1] - list[0];
    for (size_t k = 2; k < list.size(); k++)
        if (list[k] - list[k - 1] != step) return 0;
    return step > 0 ? step : 0;
}

at::Tensor tensor_of(const std::vector<int64_t> &list, at::Device device)
{
    at::Tensor copy = at::from_blob(const_cast<int64_t *>(list.data()),
                                    {static_cast<int64_t>(list.size())}, at::kLong).clone();
    return copy.to(device);
}

// Applies the indices one after the other.
class Selector {
public:
    Selector(const at::Tensor &x, int64_t consumed) : rank_(x.dim()), left_(x.dim() - consumed)
    {
        selection_.view = x;
    }

    void take(const ct_value &index)
    {
        if (index.kind == CT_INT) take_integer(index.i);
        else if (is_word(index, "all")) pass(1);
        else if (is_word(index, "ellipsis")) take_ellipsis();
        else if (is_word(index, "new-axis")) take_new_axis();
        else if (index.kind == CT_LIST) take_list(index);
        else if (index.kind == CT_TENSOR) take_tensor(index.tensor->value);
        else
            throw Failure{"expected an integer, :all, a range or a tensor as index, got " +
                              ct::shown(index), ""};
    }

    Selection finish() { return std::move(selection_); }

private:
    int64_t size() const { return selection_.view.size(dim_); }

    void pass(int64_t dims)
    {
        for (int64_t k = 0; k < dims; k++) selection_.indices.push_back(std::nullopt);
        dim_ += dims;
        taken_ += dims;
    }

    void take_integer(int64_t index)
    {
        selection_.view = selected(selection_.view, dim_, in_range(index, taken_, size()));
        taken_++;
    }

    void take_ellipsis()
    {
        if (has_ellipsis_) throw Failure{":ellipsis occurs twice among the indices", ""};
        has_ellipsis_ = true;
        pass(left_);
    }

    void take_new_axis()
    {
        selection_.view = selection_.view.unsqueeze(dim_++);
        selection_.indices.push_back(std::nullopt);
    }

    void take_list(const ct_value &list)
    {
        std::vector<int64_t> at;
        for (size_t k = 0; k < list.count; k++) {
            if (list.items[k].kind != CT_INT)
                throw Failure{"expected an integer as index, got " + ct::shown(list.items[k]), ""};
            at.push_back(in_range(list.items[k].i, taken_, size()));
        }
        if (int64_t step = even_step(at)) {
            int64_t start = at.empty() ? 0 : at.front(), end = at.empty() ? 0 : at.back() + 1;
            selection_.view = selection_.view.slice(dim_, start, end, step);
        } else {
            selection_.picks.push_back({dim_, tensor_of(at, selection_.view.device())});
        }
        pass(1);
    }

    void take_tensor(const at::Tensor &index)
    {
        at::ScalarType dtype = index.scalar_type();
        if (dtype == at::kBool) return index.dim() ? take_mask(index) : take_truth(index);
        if (dtype == at::kByte)
            throw Failure{"cannot index with a uint8 tensor",
                          "convert it to bool or int64 with tensor-to"};
        if (!at::isIntegralType(dtype, false))
            throw Failure{"expected integers or booleans as index, got " + ct::describe(index), ""};
        if (index.dim() == 0 && !index.is_meta()) return take_integer(index.item().toLong());
        bool is_long = dtype == at::kLong;
        at::Tensor positions = ct::plain(is_long ? index : index.to(at::kLong));
        selection_.gathers.push_back({positions, taken_, size()});
        add(positions, 1);
    }

    void take_mask(const at::Tensor &mask)
    {
        for (int64_t k = 0; k < mask.dim(); k++)
            if (mask.size(k) != selection_.view.size(dim_ + k))
                throw Failure{"a mask of shape " + ct::shape_text(mask) + " does not fit dim " +
                                  std::to_string(taken_ + k) + " of size " +
                                  std::to_string(selection_.view.size(dim_ + k)), ""};
        add(ct::plain(mask), mask.dim());
    }

    // A boolean of rank 0 selects everything or nothing, along a new dimension.
    void take_truth(const at::Tensor &truth)
    {
        selection_.view = selection_.view.unsqueeze(dim_);
        add(ct::plain(truth).unsqueeze(0), 1);
        taken_--;
    }

    void add(const at::Tensor &index, int64_t dims)
    {
        selection_.indices.push_back(index);
        selection_.indexed = true;
        dim_ += dims;
        taken_ += dims;
    }

    Selection selection_;
    int64_t rank_, left_;              // of the tensor; dimensions that :ellipsis covers
    int64_t dim_ = 0, taken_ = 0;      // the current dimension of the view, and of the tensor
    bool has_ellipsis_ = false;
};

std::string shapes_of(const std::vector<ct::Gather> &gathers)
{
    std::string shapes;
    for (const ct::Gather &gather : gathers)
        shapes += (shapes.empty() ? "" : " and ") + ct::shape_text(gather.index);
    return shapes;
}

}  // namespace

bool ct::are_integers(size_t count, const ct_value *indices)
{
    return std::all_of(indices, indices + count,
                       [](const ct_value &index) { return index.kind == CT_INT; });
}

at::Tensor ct::at_integers(const at::Tensor &x, size_t count, const ct_value *indices)
{
    check_rank(x, static_cast<int64_t>(count));
    at::Tensor view = x;
    for (size_t k = 0; k < count; k++)
        view = selected(view, 0, in_range(indices[k].i, static_cast<int64_t>(k), view.size(0)));
    return view;
}

Selection ct::select(const at::Tensor &x, size_t count, const ct_value *indices)
{
    int64_t consumed = 0;
    for (size_t k = 0; k < count; k++) consumed += dims_of(indices[k]);
    check_rank(x, consumed);
    Selector selector(x, consumed);
    for (size_t k = 0; k < count; k++) selector.take(indices[k]);
    return selector.finish();
}

void ct::check_gathers(const Selection &selection)
{
    std::vector<int64_t> shape;
    for (const Gather &gather : selection.gathers) {
        if (gather.index.is_meta()) return;
        if (!at::are_expandable(shape, gather.index.sizes()))
            throw Failure{"index tensors of shapes " + shapes_of(selection.gathers) +
                              " do not broadcast", ""};
        shape = at::infer_size(shape, gather.index.sizes());
        if (gather.index.numel() == 0) continue;
        auto [least, most] = at::_ops::aminmax::call(gather.index, std::nullopt, false);
        in_range(least.item().toLong(), gather.dim, gather.size);
        in_range(most.item().toLong(), gather.dim, gather.size);
    }
}
