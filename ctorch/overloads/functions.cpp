// functions.cpp - functions of torch itself that are not operators, or take more arguments.
//
//     (tensor-unique [3 1 3] :return-counts #t)  =>  ([1 3] [1 2])

#include "overloads/overloads.h"

#include <ATen/ExpandUtils.h>

#include <algorithm>
#include <numeric>

namespace {

using at::Tensor;
using ct::boxed;
using ct::Failure;
using ct::OverloadDefinition;
using ct::Ints;
using ct::OptionalTensor;
using ct::Several;

// The values, and the inverse and the counts if a call asks for them.
Several unique(Tensor input, bool sorted, bool return_inverse, bool return_counts,
               std::optional<int64_t> dim)
{
    auto [values, inverse, counts] =
        dim ? at::unique_dim(input, *dim, sorted, return_inverse, return_counts)
            : at::_unique2(input, sorted, return_inverse, return_counts);
    Several all{values};
    if (return_inverse) all.push_back(inverse);
    if (return_counts) all.push_back(counts);
    return all;
}

// The strides of a contiguous tensor of that shape.
Ints strides_of(const Ints &shape)
{
    Ints strides(shape.size(), 1);
    for (size_t k = shape.size(); k-- > 1;)
        if (__builtin_mul_overflow(strides[k], shape[k], &strides[k - 1]))
            throw Failure{"the shape " + ct::shape_text(shape) + " has too many elements", ""};
    return strides;
}

// The index in each dimension of the elements with these indices in row-major order.  The result is
// int64 whatever the dtype of the indices, as a stride may not fit into a smaller one.
c10::List<Tensor> unravel_index(Tensor indices, Ints shape)
{
    if (!at::isIntegralType(indices.scalar_type(), /*includeBool=*/false))
        throw Failure{"expected integer indices, got " + ct::describe(indices), ""};
    for (int64_t size : shape)
        if (size < 0)
            throw Failure{"expected sizes of 0 or more, got " + ct::shape_text(shape), ""};
    at::TensorOptions options = indices.options().dtype(at::kLong);
    Tensor strides = at::tensor(strides_of(shape), options), sizes = at::tensor(shape, options);
    Tensor quotients = at::floor_divide(indices.unsqueeze(-1), strides);
    return c10::List<Tensor>(at::unbind(at::remainder(quotients, sizes), -1));
}

// The result, in the tensor that a call passes as :out, if it passes one.
Tensor in_out(const Tensor &result, const OptionalTensor &out)
{
    return out ? ct::write_out(*out, result) : result;
}

Tensor tensordot(Tensor a, Tensor b, int64_t dims, OptionalTensor out)
{
    if (dims < 0 || dims > std::min(a.dim(), b.dim()))
        throw Failure{"cannot contract " + std::to_string(dims) + " dimensions of shapes " +
                          ct::shape_text(a) + " and " + ct::shape_text(b),
                      ""};
    Ints last(static_cast<size_t>(dims)), first(static_cast<size_t>(dims));
    std::iota(last.begin(), last.end(), a.dim() - dims);
    std::iota(first.begin(), first.end(), 0);
    return in_out(at::tensordot(a, b, last, first), out);
}

at::OptionalIntArrayRef optional_dims(const std::optional<Ints> &dims)
{
    return dims ? at::OptionalIntArrayRef(*dims) : std::nullopt;
}

Tensor norm(Tensor input, double p, std::optional<Ints> dim, bool keepdim,
            std::optional<at::ScalarType> dtype, OptionalTensor out)
{
    return in_out(at::linalg_vector_norm(input, p, optional_dims(dim), keepdim, dtype), out);
}

// "fro" over up to two dimensions, or over all, is the vector norm.
Tensor named_norm(Tensor input, std::string p, std::optional<Ints> dim, bool keepdim,
                  std::optional<at::ScalarType> dtype, OptionalTensor out)
{
    if (p == "fro" && (!dim || dim->size() <= 2)) return norm(input, 2, dim, keepdim, dtype, out);
    if (!dim) {
        dim.emplace(static_cast<size_t>(input.dim()));
        std::iota(dim->begin(), dim->end(), 0);
    }
    return in_out(at::linalg_matrix_norm(input, p, *dim, keepdim, dtype), out);
}

Several lu(Tensor A, bool pivot, bool get_infos, std::optional<Several> out)
{
    auto [factors, pivots, infos] = at::_lu_with_info(A, pivot, /*check_errors=*/!get_infos);
    Several results{factors, pivots};
    if (get_infos) results.push_back(infos);
    if (!out) return results;
    if (out->size() != results.size())
        throw Failure{"expected a list of " + std::to_string(results.size()) + " for out, got " +
                          std::to_string(out->size()), ""};
    for (size_t k = 0; k < results.size(); k++) ct::write_out((*out)[k], results[k]);
    return *out;
}

c10::IValue nonzero(Tensor input, bool as_tuple, OptionalTensor out)
{
    if (out && as_tuple)
        throw Failure{"with :out the indices come as one tensor", "leave out :as-tuple #t"};
    if (!as_tuple) return in_out(at::nonzero(input), out);
    return c10::List<Tensor>(at::nonzero_numpy(input));
}

// The layout of a tensor by the name that :layout takes.
std::string layout(Tensor input)
{
    switch (input.layout()) {
    case at::kSparse: return "sparse-coo";
    case at::kSparseCsr: return "sparse-csr";
    case at::kSparseCsc: return "sparse-csc";
    case at::kSparseBsr: return "sparse-bsr";
    case at::kSparseBsc: return "sparse-bsc";
    case at::kMkldnn: return "mkldnn";
    case at::kJagged: return "jagged";
    default: return "strided";
    }
}

bool is_sparse(Tensor input) { return input.is_sparse(); }
bool is_sparse_csr(Tensor input) { return input.is_sparse_csr(); }
bool is_mkldnn(Tensor input) { return input.is_mkldnn(); }
bool is_nested(Tensor input) { return input.is_nested(); }
bool is_quantized(Tensor input) { return input.is_quantized(); }

// Randomized factorizations (Halko et al. 2011, algorithm 5.1).

// An orthonormal basis of nearly the range of A, which has at least as many rows as columns.
Tensor approximate_basis(const Tensor &A, int64_t q, int64_t niter)
{
    Tensor start = at::randn({A.size(-1), q}, A.options());
    Tensor basis = std::get<0>(at::linalg_qr(at::matmul(A, start)));
    for (int64_t k = 0; k < niter; k++) {
        basis = std::get<0>(at::linalg_qr(at::matmul(A.mH(), basis)));
        basis = std::get<0>(at::linalg_qr(at::matmul(A, basis)));
    }
    return basis;
}

Several svd_lowrank(Tensor A, int64_t q, int64_t niter, OptionalTensor M)
{
    if (A.dim() < 2)
        throw Failure{"expected a matrix or several, got shape " + ct::shape_text(A), ""};
    if (M) A = A - *M;
    bool is_wide = A.size(-2) < A.size(-1);
    if (is_wide) A = A.mH();
    Tensor basis = approximate_basis(A, q, niter);
    auto [U, S, Vh] = at::linalg_svd(at::matmul(basis.mH(), A), /*full_matrices=*/false);
    Tensor left = at::matmul(basis, U), right = Vh.mH();
    return is_wide ? Several{right, S, left} : Several{left, S, right};
}

Several pca_lowrank(Tensor A, std::optional<int64_t> q, bool center, int64_t niter)
{
    if (A.dim() < 2)
        throw Failure{"expected a matrix or several, got shape " + ct::shape_text(A), ""};
    int64_t most = std::min(A.size(-2), A.size(-1)), rank = q.value_or(std::min<int64_t>(6, most));
    if (rank < 0 || rank > most)
        throw Failure{"expected a q from 0 to " + std::to_string(most) + ", got " +
                          std::to_string(rank),
                      ""};
    Tensor centred = center ? A - at::mean(A, {-2}, /*keepdim=*/true) : A;
    return svd_lowrank(centred, rank, niter, std::nullopt);
}

constexpr OverloadDefinition FUNCTION_OVERLOADS[] = {
    {"unique(Tensor input, bool sorted=True, bool return_inverse=False, bool return_counts=False,"
     " int? dim=None) -> (Tensor, Tensor, Tensor)",
     boxed<unique>},
    {"unravel_index(Tensor indices, int[1] shape) -> Tensor[]", boxed<unravel_index>},
    {"tensordot(Tensor a, Tensor b, int dims=2, *, Tensor(a!)? out=None) -> Tensor", boxed<tensordot>},
    {"norm(Tensor input, str p='fro', int[1]? dim=None, bool keepdim=False, *,"
     " ScalarType? dtype=None, Tensor(a!)? out=None) -> Tensor",
     boxed<named_norm>},
    {"norm(Tensor input, float p, int[1]? dim=None, bool keepdim=False, *,"
     " ScalarType? dtype=None, Tensor(a!)? out=None) -> Tensor",
     boxed<norm>},
    {"lu(Tensor A, bool pivot=True, bool get_infos=False, *, Tensor(a!)[]? out=None)"
     " -> (Tensor, Tensor, Tensor)",
     boxed<lu>},
    {"nonzero(Tensor input, *, bool as_tuple, Tensor(a!)? out=None) -> Tensor", boxed<nonzero>},
    {"layout(Tensor input) -> str", boxed<layout>},
    {"is_sparse(Tensor input) -> bool", boxed<is_sparse>},
    {"is_sparse_csr(Tensor input) -> bool", boxed<is_sparse_csr>},
    {"is_mkldnn(Tensor input) -> bool", boxed<is_mkldnn>},
    {"is_nested(Tensor input) -> bool", boxed<is_nested>},
    {"is_quantized(Tensor input) -> bool", boxed<is_quantized>},
    {"svd_lowrank(Tensor A, int q=6, int niter=2, Tensor? M=None) -> (Tensor, Tensor, Tensor)",
     boxed<svd_lowrank>},
    {"pca_lowrank(Tensor A, int? q=None, bool center=True, int niter=2)"
     " -> (Tensor, Tensor, Tensor)",
     boxed<pca_lowrank>},
};

}  // namespace

c10::ArrayRef<OverloadDefinition> ct::function_overloads() { return FUNCTION_OVERLOADS; }
