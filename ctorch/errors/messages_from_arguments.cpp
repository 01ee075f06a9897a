// messages_from_arguments.cpp - messages of LibTorch's that are clear only with the arguments.
//
//     The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 1
//  => shapes (2 3) and (2) do not broadcast        hint: (tensor-reshape {1} 2 1) has shape (2 1)

#include "errors/errors.h"
#include "tensor/plain.h"

#include <algorithm>

namespace {

using ct::Failure;
using ct::find_given;
using ct::Given;
using ct::Givens;
using ct::Holes;
using ct::shape_text;
using Shape = std::vector<int64_t>;
using Explained = std::optional<Failure>;

const at::Tensor &tensor(const Given &given) { return given.value.tensor->value; }

Shape shape(const Given &given) { return tensor(given).sizes().vec(); }

// The arguments that are tensors, without :out.
Givens operands(const Givens &givens)
{
    Givens tensors;
    for (const Given &given : givens)
        if (given.value.kind == CT_TENSOR && given.name != "out") tensors.push_back(given);
    return tensors;
}

// The two that are multiplied, which come last: (mat1 mat2) of (self mat1 mat2).
std::optional<std::pair<Given, Given>> factors(const Givens &givens)
{
    Givens tensors = operands(givens);
    if (tensors.size() < 2) return std::nullopt;
    return std::pair(tensors[tensors.size() - 2], tensors.back());
}

// Which of two matrices to transpose so that they can be multiplied, and its new shape.
std::string transpose_hint(const Given &a, const Given &b)
{
    auto hint = [](const Given &x) {
        Shape sizes = shape(x);
        std::swap(sizes[sizes.size() - 1], sizes[sizes.size() - 2]);
        return "(tensor-transpose " + ct::quoted(x) + (sizes.size() == 2 ? " 0 1" : " -2 -1") +
               ") has shape " + shape_text(sizes);
    };
    Shape left = shape(a), right = shape(b);
    if (left.empty() || right.empty()) return "";
    if (right.size() >= 2 && left.back() == right.back()) return hint(b);
    if (left.size() >= 2 && right.size() >= 2 && left[left.size() - 2] == right[right.size() - 2])
        return hint(a);
    return "";
}

bool can_multiply(const Shape &left, const Shape &right)
{
    if (left.empty() || right.empty()) return false;
    return left.back() == right[right.size() - (right.size() > 1 ? 2 : 1)];
}

bool last_sizes_differ(const Given *a, const Given *b)
{
    return a && b && tensor(*a).dim() > 0 && tensor(*b).dim() > 0 &&
           tensor(*a).size(-1) != tensor(*b).size(-1);
}

std::string last_size(const Given &given)
{
    return given.name + " " + shape_text(tensor(given)) + " has " +
           std::to_string(tensor(given).size(-1));
}

int64_t rows(const Given &given)
{
    return tensor(given).dim() < 2 ? 1 : tensor(given).size(-2);
}

// For operators that multiply by a transpose, as tensor-linear and attention do.
Explained features(const Givens &givens)
{
    const Given *input = find_given(givens, "input"), *weight = find_given(givens, "weight");
    if (last_sizes_differ(input, weight) && tensor(*weight).dim() == 2)
        return Failure{last_size(*input) + " features, weight " + shape_text(tensor(*weight)) +
                           " takes " + std::to_string(tensor(*weight).size(1)), ""};
    const Given *query = find_given(givens, "query"), *key = find_given(givens, "key");
    if (last_sizes_differ(query, key))
        return Failure{last_size(*query) + " features, " + last_size(*key), ""};
    const Given *value = find_given(givens, "value");
    if (key && value && rows(*key) != rows(*value))
        return Failure{"key " + shape_text(tensor(*key)) + " has " + std::to_string(rows(*key)) +
                           " rows, value " + shape_text(tensor(*value)) + " has " +
                           std::to_string(rows(*value)), ""};
    return std::nullopt;
}

// Two operands that a matrix product cannot take.
Explained inner_sizes(const Holes &holes, const Givens &givens)
{
    if (Explained linear = features(givens)) return linear;
    auto both = factors(givens);
    if (!both || can_multiply(shape(both->first), shape(both->second)))
        return Failure{"inner sizes differ: " + holes[0] + " times " + holes[1], ""};
    auto &[a, b] = *both;
    return Failure{"inner sizes differ: " + shape_text(tensor(a)) + " times " +
                       shape_text(tensor(b)), transpose_hint(a, b)};
}

// A product of a matrix and a vector: the vector has the wrong size, or the tensor that is added.
Explained vector_sizes(const Holes &holes, const Givens &givens)
{
    auto both = factors(givens);
    if (!both || !can_multiply(shape(both->first), shape(both->second)))
        return inner_sizes({holes[1], holes[2]}, givens);
    return Failure{"self has " + holes[0] + " elements, the product has " +
                       std::to_string(rows(both->first)), ""};
}

Explained batch_sizes(const Holes &holes, const Givens &givens)
{
    auto both = features(givens) ? std::nullopt : factors(givens);
    if (!both || !can_multiply(shape(both->first), shape(both->second)))
        return inner_sizes(holes, givens);
    return Failure{"batch sizes differ: " + shape_text(tensor(both->first)) + " times " +
                       shape_text(tensor(both->second)), ""};
}

bool can_broadcast(const Shape &a, const Shape &b)
{
    for (size_t k = 1; k <= std::min(a.size(), b.size()); k++) {
        int64_t x = a[a.size() - k], y = b[b.size() - k];
        if (x != y && x != 1 && y != 1) return false;
    }
    return true;
}

// How to reshape b so that it broadcasts, if its shape is that of the first dimensions of a: with
// sizes 1 added at the end.
std::string widening_hint(const Given &a, const Given &b)
{
    Shape large = shape(a), small = shape(b);
    if (small.empty() || small.size() >= large.size() ||
        !std::equal(small.begin(), small.end(), large.begin()))
        return "";
    small.resize(large.size(), 1);
    std::string sizes = shape_text(small);
    return "(tensor-reshape " + ct::quoted(b) + " " + sizes.substr(1) + " has shape " + sizes;
}

bool can_broadcast_all(const Givens &tensors)
{
    for (const Given &a : tensors)
        for (const Given &b : tensors)
            if (!can_broadcast(shape(a), shape(b))) return false;
    return true;
}

Explained no_broadcast(const Holes &, const Givens &givens)
{
    Givens tensors = operands(givens);
    if (can_broadcast_all(tensors)) return std::nullopt;
    std::string shapes, hint;
    for (const Given &given : tensors)
        shapes += (shapes.empty() ? "" : &given == &tensors.back() ? " and " : ", ") +
                  shape_text(tensor(given));
    if (tensors.size() == 2) hint = widening_hint(tensors[0], tensors[1]);
    if (tensors.size() == 2 && hint.empty()) hint = widening_hint(tensors[1], tensors[0]);
    return Failure{"shapes " + shapes + " do not broadcast", hint};
}

// LibTorch treats a tensor of rank 0 as one of rank 1 here.
Explained dim_range(const Holes &holes, const Givens &givens)
{
    std::vector<at::Tensor> tensors = ct::tensors_of(givens);
    int64_t rank = std::stoll(holes[1]) + 1;
    if (tensors.size() == 1) rank = tensors[0].dim();
    return Failure{"dim " + holes[2] + " is out of range for a tensor of rank " +
                       std::to_string(rank),
                   rank > 0 ? "dims go from " + holes[0] + " to " + holes[1] : ""};
}

// The first index that is not from 0 to size - 1.
std::optional<int64_t> stray_index(const at::Tensor &indices, int64_t size)
{
    at::Tensor plain = ct::plain(indices.detach()).cpu().to(at::kLong).contiguous();
    const int64_t *elements = plain.const_data_ptr<int64_t>();
    for (int64_t k = 0; k < plain.numel(); k++)
        if (elements[k] < 0 || elements[k] >= size) return elements[k];
    return std::nullopt;
}

Explained out_of_range(int64_t index, const std::string &what)
{
    return Failure{"index " + std::to_string(index) + " is out of range for " + what, ""};
}

// tensor-embedding and tensor-index-select only say "index out of range in self".
Explained row_index(const Holes &, const Givens &givens)
{
    const Given *weight = find_given(givens, "weight"), *indices = find_given(givens, "indices");
    const Given *self = find_given(givens, "self"), *index = find_given(givens, "index");
    if (weight && indices && tensor(*weight).dim() > 0) {
        int64_t rows = tensor(*weight).size(0);
        if (auto stray = stray_index(tensor(*indices), rows))
            return out_of_range(*stray, "a weight of " + std::to_string(rows) + " rows");
    }
    if (self && index && givens[1].value.kind == CT_INT && tensor(*self).dim() > 0) {
        int64_t dim = givens[1].value.i, size = tensor(*self).size(dim);
        if (auto stray = stray_index(tensor(*index), size))
            return out_of_range(*stray, "dim " + std::to_string(dim) + " of size " +
                                            std::to_string(size));
    }
    return Failure{"an index is out of range", ""};
}

Explained class_number(const Holes &holes, const Givens &givens)
{
    const Given *scores = find_given(givens, "self");
    if (!scores) scores = find_given(givens, "input");
    std::string message = "target " + holes[0] + " is out of range";
    if (!scores || tensor(*scores).dim() < 1) return Failure{message, ""};
    int64_t classes = tensor(*scores).size(tensor(*scores).dim() == 1 ? 0 : 1);
    return Failure{message + " for " + std::to_string(classes) + " classes", ""};
}

struct Backend {
    const char *theirs;
    const char *ours;
};

constexpr Backend BACKENDS[] = {
    {"CPU", "dense tensors on cpu"}, {"SparseCPU", "sparse tensors"},
    {"SparseCsrCPU", "compressed sparse tensors"}, {"QuantizedCPU", "quantized tensors"},
    {"MkldnnCPU", "MKL-DNN tensors"}, {"NestedTensorCPU", "nested tensors"},
    {"CUDA", "tensors on cuda"}, {"Meta", "tensors on meta"},
};

std::string backend_word(const std::string &name)
{
    for (const Backend &backend : BACKENDS)
        if (name == backend.theirs) return backend.ours;
    return name + " tensors";
}

// What the operator takes, from LibTorch's list of its backends.
std::string taken(const std::string &list)
{
    std::string out;
    for (const Backend &backend : BACKENDS) {
        std::string name = backend.theirs;
        bool listed = list.find("[" + name + ",") != std::string::npos ||
                      list.find(" " + name + ",") != std::string::npos;
        if (listed && name != "Meta")
            out += (out.empty() ? "it takes " : ", ") + std::string(backend.ours);
    }
    return out;
}

Explained no_kernel(const Holes &holes, const Givens &)
{
    return Failure{"LibTorch has this operator, but not for " + backend_word(holes[0]),
                   taken(holes[2])};
}

// Of mv, which LibTorch computes by addmv with a vector of its own.
Explained matrix_and_vector(const Holes &holes, const Givens &givens)
{
    if (ct::find_given(givens, "mat")) return std::nullopt;
    return Failure{"expected a matrix and a vector, got ranks " + holes[1] + " and " + holes[2],
                   holes[1] == "1" && holes[2] == "2" ? "the matrix comes first" : ""};
}

// Some versions of LibTorch say the rank, and others do not.
Explained matrix(const Holes &holes, const Givens &givens)
{
    const Given *given = find_given(givens, holes[0].c_str());
    if (!given || given->value.kind != CT_TENSOR) return std::nullopt;
    return Failure{"expected a matrix for " + holes[0] + ", got a tensor of rank " +
                       std::to_string(tensor(*given).dim()), ""};
}

struct Explanation {
    const char *pattern;
    Explained (*explain)(const Holes &holes, const Givens &givens);
};

constexpr Explanation EXPLANATIONS[] = {
    {"shapes cannot be multiplied (<s> and <s>)", inner_sizes},
    {"size mismatch, got input (<n>), mat (<s>), vec <s>", vector_sizes},
    {"vector + matrix @ vector expected, got <n>, <n>, <n>", matrix_and_vector},
    {"<w> must be a matrix", matrix},
    {"inconsistent tensor size, expected tensor <s> and src <s>", inner_sizes},
    {"first two dimensions of batch2 tensor to be: <s> but got: <s>", batch_sizes},
    {"The size of tensor a (<n>) must match the size of tensor b", no_broadcast},
    {"shape mismatch: objects cannot be broadcast", no_broadcast},
    {"are not broadcastable", no_broadcast},
    {"Dimension out of range (expected to be in range of [<n>, <n>], but got <n>)", dim_range},
    {"index out of range in self", row_index},
    {"Target <n> is out of bounds", class_number},
    {"with arguments from the <w> backend<*>only available for these backends: <*>].", no_kernel},
};

}  // namespace

std::optional<Failure> ct::failure_from_arguments(const std::string &text, const Givens &givens)
{
    Holes holes;
    for (const Explanation &row : EXPLANATIONS)
        if (occurs(row.pattern, text, holes))
            if (Explained failure = row.explain(holes, givens)) return failure;
    return std::nullopt;
}
