// overlap.cpp - which memory the elements of tensors share.
//
//     a of shape (2 3), its columns 0 and 1      =>  NONE, though their memory is interleaved
//     a, its columns 0 and 1                     =>  SOME
//
// Two elements share memory if their distance, a sum of strides times differences of indices, is
// the distance of the tensors.  The search for such differences goes from the largest stride to the
// smallest.  For slices of one tensor one or two differences are possible at each stride, so it takes
// as many steps as there are dimensions.  (LibTorch gives up unless both tensors are dense.)

#include "tensor/overlap.h"

#include <algorithm>
#include <vector>

namespace {

using ct::Sharing;

constexpr int MOST_STEPS = 10'000;

// A stride in bytes, and the least and the largest difference of the indices along it.
struct Dimension {
    int64_t stride, least, most;
};

struct Search {
    std::vector<Dimension> dimensions;  // the largest stride first
    bool needs_difference;              // whether equal indices do not count
    int steps = 0;

    // How far the dimensions from k on reach, down or up.
    int64_t reach(size_t k, bool up) const
    {
        int64_t sum = 0;
        for (; k < dimensions.size(); k++)
            sum += dimensions[k].stride * (up ? dimensions[k].most : dimensions[k].least);
        return sum;
    }

    // Whether the dimensions from k on can make up the distance.
    bool finds(size_t k, int64_t distance, bool differs)
    {
        if (k == dimensions.size()) return distance == 0 && (differs || !needs_difference);
        if (++steps > MOST_STEPS) return true;
        const Dimension &here = dimensions[k];
        // stride * difference = distance - rest, for a rest that the others reach
        int64_t least = std::max(here.least, ceiling(distance - reach(k + 1, true), here.stride));
        int64_t most = std::min(here.most, floor(distance - reach(k + 1, false), here.stride));
        for (int64_t difference = least; difference <= most; difference++)
            if (finds(k + 1, distance - difference * here.stride, differs || difference != 0))
                return true;
        return false;
    }

    static int64_t floor(int64_t a, int64_t b) { return a / b - (a % b < 0); }
    static int64_t ceiling(int64_t a, int64_t b) { return a / b + (a % b > 0); }
};

bool has_memory(const at::Tensor &x)
{
    return x.defined() && x.layout() == at::kStrided && !x.is_nested() && x.has_storage() &&
           x.numel() > 0 && x.const_data_ptr();
}

int64_t address(const at::Tensor &x) { return reinterpret_cast<int64_t>(x.const_data_ptr()); }

// The bytes from the first one of x to the end of the last one.
int64_t span(const at::Tensor &x)
{
    auto bytes = static_cast<int64_t>(x.element_size()), last = int64_t{0};
    for (int64_t k = 0; k < x.dim(); k++) last += (x.size(k) - 1) * x.stride(k) * bytes;
    return last + bytes;
}

void sort_by_stride(std::vector<Dimension> &dimensions)
{
    std::sort(dimensions.begin(), dimensions.end(),
              [](const Dimension &a, const Dimension &b) { return a.stride > b.stride; });
}

// The dimensions of x, whose indices count up or down, with the bytes of an element as the last one.
// Dimensions of one stride become one, since only the sum of their indices counts.
void add_dimensions(std::vector<Dimension> &dimensions, const at::Tensor &x, bool up)
{
    auto add = [&](int64_t size, int64_t stride) {
        if (size < 2 || stride == 0) return;
        auto same = std::find_if(dimensions.begin(), dimensions.end(),
                                 [=](const Dimension &d) { return d.stride == stride; });
        if (same == dimensions.end()) same = dimensions.insert(same, {stride, 0, 0});
        (up ? same->most : same->least) += up ? size - 1 : 1 - size;
    };
    auto bytes = static_cast<int64_t>(x.element_size());
    for (int64_t k = 0; k < x.dim(); k++) add(x.size(k), x.stride(k) * bytes);
    add(bytes, 1);
}

bool are_same(const at::Tensor &a, const at::Tensor &b)
{
    if (a.scalar_type() != b.scalar_type() || a.sizes() != b.sizes()) return false;
    for (int64_t k = 0; k < a.dim(); k++)
        if (a.size(k) > 1 && a.stride(k) != b.stride(k)) return false;
    return address(a) == address(b);
}

}  // namespace

bool ct::overlaps_itself(const at::Tensor &x)
{
    if (!has_memory(x) || x.is_non_overlapping_and_dense() || x.numel() < 2) return false;
    Search search{{}, true};
    for (int64_t k = 0; k < x.dim(); k++) {
        if (x.size(k) < 2) continue;
        if (x.stride(k) == 0) return true;
        search.dimensions.push_back({x.stride(k), 1 - x.size(k), x.size(k) - 1});
    }
    sort_by_stride(search.dimensions);
    return search.finds(0, 0, false);
}

Sharing ct::sharing_of(const at::Tensor &a, const at::Tensor &b)
{
    if (a.is_same(b)) return Sharing::SAME;  // without elements, too: one that is written can grow
    if (!has_memory(a) || !has_memory(b) || a.device() != b.device()) return Sharing::NONE;
    int64_t distance = address(b) - address(a);
    if (distance >= span(a) || -distance >= span(b)) return Sharing::NONE;
    if (are_same(a, b)) return Sharing::SAME;
    Search search{{}, false};
    add_dimensions(search.dimensions, a, true);
    add_dimensions(search.dimensions, b, false);
    sort_by_stride(search.dimensions);
    return search.finds(0, distance, false) ? Sharing::SOME : Sharing::NONE;
}
