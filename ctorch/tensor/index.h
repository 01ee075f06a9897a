// index.h - which part of a tensor indices mean, for reading and for writing.  C++ only.
#pragma once

#include "tensor/handle.h"

#include <ATen/core/List.h>

#include <optional>

namespace ct {

// Positions along a dimension of the view that are no slice: they are taken one by one, whatever
// other indices say.
struct Pick {
    int64_t dim;
    at::Tensor positions;
};

// An index tensor of integers, and the dimension of the tensor that it belongs to.
struct Gather {
    at::Tensor index;
    int64_t dim, size;
};

struct Part {
    at::Tensor view;  // after what views can do
    std::vector<Pick> picks;
    c10::List<std::optional<at::Tensor>> indices;  // by dimension of the view: integers and masks
    std::vector<Gather> gathers;                   // the integers among them
    bool indexed = false;                          // whether indices holds any
};

// The part of x; throws a Failure for indices that make no sense.  Whether the elements of index
// tensors are in range is not looked at.
Part part_of(const at::Tensor &x, size_t count, const ct_value *indices);

// The view of x at integers, which is what loops take most.
bool are_integers(size_t count, const ct_value *indices);
at::Tensor at_integers(const at::Tensor &x, size_t count, const ct_value *indices);

// Throws a Failure if index tensors are out of range, or do not broadcast together.
void check_gathers(const Part &part);

}  // namespace ct
