// pytorch_names.cpp - names of arguments, and of choices, in PyTorch's Python functions.
//
//     (tensor-sum :input x :axis 0)           =>  self x, dim 0
//     (tensor-mse-loss x y :reduction "sum")  =>  reduction 2
//
// Those functions rename what ATen calls self, and give names to what ATen numbers.  ATen's own
// names are tried first.

#include "dispatch/call.h"

#include <algorithm>
#include <string_view>

namespace {

using ct::ValueType;
using ct::Parameter;

struct Renaming {
    std::string_view parameter, keyword;
};

// The documented names, and numpy's, which PyTorch also takes.
constexpr Renaming RENAMINGS[] = {
    {"self", "input"},
    {"self", "tensor"},
    {"self", "x"},
    {"self", "a"},
    {"self", "A"},
    {"self", "x1"},
    {"input", "tensor"},
    {"input", "x"},
    {"x", "input"},
    {"dim", "axis"},
    {"keepdim", "keepdims"},
    {"other", "x2"},
    {"other", "value"},
    {"train", "training"},
    {"size", "shape"},
    {"shape", "size"},
    {"split_size", "split_size_or_sections"},
    {"split_sizes", "split_size_or_sections"},
    {"sections", "indices_or_sections"},
    {"indices", "indices_or_sections"},
    {"tensor_indices_or_sections", "indices_or_sections"},
    {"dims_self", "dims_a"},
    {"dims_other", "dims_b"},
};

struct Choice {
    std::string_view parameter, name;
    int64_t number;
};

constexpr Choice CHOICES[] = {
    {"reduction", "none", 0},
    {"reduction", "mean", 1},
    {"reduction", "sum", 2},
    {"mode", "sum", 0},  // embedding_bag's
    {"mode", "mean", 1},
    {"mode", "max", 2},
    {"interpolation_mode", "bilinear", 0},
    {"interpolation_mode", "nearest", 1},
    {"interpolation_mode", "bicubic", 2},
    {"padding_mode", "zeros", 0},
    {"padding_mode", "border", 1},
    {"padding_mode", "reflection", 2},
    {"compute_mode", "use_mm_for_euclid_dist_if_necessary", 0},
    {"compute_mode", "use_mm_for_euclid_dist", 1},
    {"compute_mode", "donot_use_mm_for_euclid_dist", 2},
};

}  // namespace

bool ct::is_other_name(const Parameter &parameter, const std::string &keyword)
{
    return std::any_of(std::begin(RENAMINGS), std::end(RENAMINGS), [&](const Renaming &r) {
        return r.parameter == parameter.name && r.keyword == keyword;
    });
}

std::optional<int64_t> ct::named_choice(const Parameter &parameter, const ct_value &value)
{
    if (parameter.type != ValueType::Int || parameter.list || value.kind != CT_STRING)
        return std::nullopt;
    for (const Choice &choice : CHOICES)
        if (choice.parameter == parameter.name && choice.name == value.text) return choice.number;
    return std::nullopt;
}

std::string ct::choices_text(const Parameter &parameter)
{
    std::vector<std::string> names;
    if (parameter.type == ValueType::Int && !parameter.list)
        for (const Choice &choice : CHOICES)
            if (choice.parameter == parameter.name)
                names.push_back('"' + std::string(choice.name) + '"');
    std::string text;
    for (size_t k = 0; k < names.size(); k++)
        text += (k == 0 ? "" : k + 1 == names.size() ? " or " : ", ") + names[k];
    return text;
}
