// parse_indices.h - which elements of a tensor indices select, for reading and for writing.  C++
// only.
#pragma once

#include "tensor/handle.h"

#include <ATen/core/List.h>

#include <optional>

namespace ct {

// Positions along a dimension of the view that are not a slice: they are selected one by one,
// independently of the other indices.
struct Pick {
    int64_t dim;
    at::Tensor positions;
};

// An index tensor of integers, and the dimension of the tensor that it belongs to.
struct Gather {
    at::Tensor index;
    int64_t dim, size;
};

struct Selection {
    at::Tensor view;  // after the indices that a view can express
    std::vector<Pick> picks;
    c10::List<std::optional<at::Tensor>> indices;  // by dimension of the view: integers and masks
    std::vector<Gather> gathers;                   // the integers among them
    bool indexed = false;                          // whether indices holds any
};

// The elements of x that the indices select; throws a Failure for invalid indices.  Whether the
// elements of index tensors are in range is not checked.
Selection select(const at::Tensor &x, size_t count, const ct_value *indices);

// The view of x at integers, the most frequent case in loops.
bool are_integers(size_t count, const ct_value *indices);
at::Tensor at_integers(const at::Tensor &x, size_t count, const ct_value *indices);

// Throws a Failure if index tensors are out of range, or do not broadcast together.
void check_gathers(const Selection &selection);

}  // namespace ct
