// guards.cpp - guards of operators whose arguments LibTorch does not check.
//
// With sizes that do not fit, these operators read and write out of bounds, divide by zero, or
// recurse without end.  tests/support/wrong_calls.py finds them by generating wrong calls.

#include "guards/guards.h"
#include "tensor/division.h"
#include "tensor/plain.h"

#include <algorithm>
#include <unordered_map>

namespace {

using ct::Arguments;
using ct::Failure;
using ct::need_count;
using ct::need_dtype;
using ct::need_elements;
using ct::need_rank;
using ct::need_ascending;
using ct::need_shape;
using ct::need_within;
using ct::NO_LIMIT;
using ct::Shape;

constexpr int64_t MOST_SECTIONS = 10'000'000;  // that one call may return
constexpr int64_t SOBOL_BITS = 30;

bool is_integral(at::ScalarType dtype) { return c10::isIntegralType(dtype, true); }

// For a range of integers LibTorch rounds a step of 0.5 to 0, and divides by it.
void range(const Arguments &a)
{
    c10::IValue dtype = a.value("dtype"), step = a.value("step");
    at::Tensor out = a.tensor("out");
    bool whole = out.defined() ? is_integral(out.scalar_type())
                               : dtype.isInt() && is_integral(dtype.toScalarType());
    if (whole && step.isScalar() && step.toScalar().toDouble() > -1 && step.toScalar().toDouble() < 1)
        throw Failure{"expected a step of 1 or more for integers",
                      "tensor-arange takes smaller steps"};
}

// LibTorch negates a negative power, which overflows for the least integer.
void matrix_power(const Arguments &a) { need_within("n", a.integer("n"), -NO_LIMIT, NO_LIMIT); }

void tensor_split(const Arguments &a)
{
    need_within("sections", a.integer("sections"), 0, MOST_SECTIONS);
}

// Millions of parts need memory, also of a tensor without elements, whose sizes nothing limits.
// length: of a part.
void need_few_parts(const Arguments &a, int64_t length)
{
    at::Tensor self = a.tensor("self");
    int64_t dim = a.integer("dim");
    if (length < 1 || dim < -self.dim() || dim >= self.dim()) return;  // LibTorch refuses them
    if (self.size(dim) / length > MOST_SECTIONS)
        throw Failure{"a tensor of shape " + ct::shape_text(self) + " has too many parts", ""};
}

void unbind(const Arguments &a) { need_few_parts(a, 1); }

void split(const Arguments &a) { need_few_parts(a, a.integer("split_size")); }

void chunk(const Arguments &a)
{
    if (a.integer("chunks") > MOST_SECTIONS) unbind(a);
}

// LibTorch computes a polynomial of degree n in n steps, or n recursions.
void degree(const Arguments &a)
{
    constexpr double MOST = 1e6;
    double most = 0;
    c10::IValue n = a.value("n");
    if (n.isScalar()) {
        at::Scalar number = n.toScalar();
        most = number.isComplex() ? 0 : number.toDouble();
    } else if (n.isTensor()) {
        at::Tensor all = n.toTensor();
        if (all.is_meta() || all.layout() != at::kStrided || all.numel() == 0 || all.is_complex()) return;
        at::NoGradGuard plain;
        most = ct::plain(all.detach()).to(at::kDouble).nan_to_num(0.0).max().item<double>();
    }
    if (most > MOST)
        throw Failure{"expected 1000000 or less for n, got " + ct::double_text(most), ""};
}

// Sums with a product, written into the summand: LibTorch would make room for the product first if
// the summand has fewer elements, and read it from there.
void need_shape_of_product(const Arguments &a, const Shape &product)
{
    at::Tensor self = a.tensor("self"), out = a.tensor("out");
    if (out.defined() && out.is_same(self)) need_shape("self", self, product);
}

void addmm(const Arguments &a)
{
    at::Tensor one = a.tensor("mat1"), other = a.tensor("mat2");
    if (one.dim() == 2 && other.dim() == 2)
        need_shape_of_product(a, {one.size(0), other.size(1)});
}

void addmv(const Arguments &a)
{
    at::Tensor matrix = a.tensor("mat");
    if (matrix.dim() == 2) need_shape_of_product(a, {matrix.size(0)});
}

void addr(const Arguments &a)
{
    at::Tensor one = a.tensor("vec1"), other = a.tensor("vec2");
    if (one.dim() == 1 && other.dim() == 1)
        need_shape_of_product(a, {one.size(0), other.size(0)});
}

void addbmm(const Arguments &a)
{
    at::Tensor one = a.tensor("batch1"), other = a.tensor("batch2");
    if (one.dim() == 3 && other.dim() == 3)
        need_shape_of_product(a, {one.size(1), other.size(2)});
}

void baddbmm(const Arguments &a)
{
    at::Tensor one = a.tensor("batch1"), other = a.tensor("batch2");
    if (one.dim() == 3 && other.dim() == 3)
        need_shape_of_product(a, {one.size(0), one.size(1), other.size(2)});
}

void stack(const Arguments &a)
{
    if (a.tensors("tensors").empty()) throw Failure{"expected at least one tensor", ""};
}

void divisors(const Arguments &a)
{
    for (const char *name : {"self", "other"}) ct::need_absolute_values(a.tensor(name));
}

void foreach_copy(const Arguments &a)
{
    need_count("src", a.tensors("src").size(), a.tensors("self").size());
}

void running_extremum(const Arguments &a)
{
    at::Tensor self = a.tensor("self");
    need_within("dim", a.integer("dim"), -self.dim(), self.dim() - 1);
    need_shape("values", a.tensor("values"), self.sizes().vec());
    need_dtype("values", a.tensor("values"), self.scalar_type());
    need_shape("indices", a.tensor("indices"), self.sizes().vec());
    need_dtype("indices", a.tensor("indices"), at::kLong);
}

void like_self(const Arguments &a)
{
    at::Tensor self = a.tensor("self"), out = a.tensor("out");
    need_shape("out", out, self.sizes().vec());
    need_dtype("out", out, self.scalar_type());
}

// A view by sizes and strides: all of it must be inside the tensor's storage.
void alias(const Arguments &a)
{
    at::Tensor self = a.tensor("self");
    std::vector<int64_t> sizes = a.integers("size"), strides = a.integers("stride");
    need_count("stride", strides.size(), sizes.size());
    int64_t held = self.has_storage()
                       ? static_cast<int64_t>(self.storage().nbytes() / self.element_size()) : 0;
    int64_t last = self.storage_offset();
    for (size_t k = 0; k < sizes.size(); k++) {
        need_within("size", sizes[k], 0, NO_LIMIT);
        need_within("stride", strides[k], 0, held);
        if (sizes[k] == 0) return;
        need_within("size", sizes[k], 1, strides[k] ? held : NO_LIMIT);
        last += (sizes[k] - 1) * strides[k];
        need_within("stride", last, 0, held - 1);
    }
}

// LibTorch would treat zeros without memory as a tensor whose memory has to grow.
void resized(const Arguments &a)
{
    if (a.tensor("self")._is_zerotensor())
        throw Failure{"zeros that have no memory cannot be resized",
                      "tensor-clone gives them memory"};
}

// The transforms that tensor-fft-fft and the like call after they have checked the dims.
void fourier(const Arguments &a)
{
    at::Tensor self = a.tensor("self");
    std::vector<int64_t> dims = a.integers("dim");
    for (int64_t dim : dims) need_within("dim", dim, 0, self.dim() - 1);
    std::sort(dims.begin(), dims.end());
    if (std::adjacent_find(dims.begin(), dims.end()) != dims.end())
        throw Failure{"a dim is given twice", ""};
}

void zeros_like_features(const Arguments &a)
{
    at::Tensor self = a.tensor("self");
    need_within("self_num_batch_dims", a.integer("self_num_batch_dims"), 0, self.dim());
}

void compressed_to_coordinates(const Arguments &a)
{
    at::Tensor rows = a.tensor("crow_indices"), columns = a.tensor("col_indices");
    need_rank("crow_indices", rows, 1, 1);
    need_rank("col_indices", columns, 1, 1);
    need_dtype("col_indices", columns, rows.scalar_type());
    if (rows.numel() == 0) throw Failure{"expected at least one element for crow-indices", ""};
    need_ascending("crow_indices", rows);
    need_within("crow_indices", rows, 0, columns.numel());
    need_within("crow_indices", rows.select(0, -1), columns.numel(), columns.numel());
}

void coordinates_to_compressed(const Arguments &a)
{
    int64_t size = a.integer("size");
    need_within("size", size, 0, NO_LIMIT - 1);
    need_rank("self", a.tensor("self"), 1, 1);
    need_ascending("self", a.tensor("self"));
    need_within("self", a.tensor("self"), 0, size - 1);
}

// Sums of input along dim 0, weighed by each row of coefficients.
void linear_combination(const Arguments &a)
{
    at::Tensor input = a.tensor("input"), weights = a.tensor("coefficients");
    need_rank("coefficients", weights, 2, 2);
    need_rank("input", input, 1, NO_LIMIT);
    need_shape("coefficients", weights, {weights.size(0), input.size(0)});
    need_dtype("coefficients", weights, input.scalar_type());
    Shape sums = input.sizes().vec();
    sums[0] = weights.size(0);
    need_shape("out", a.tensor("out"), sums);
    need_dtype("out", a.tensor("out"), input.scalar_type());
}

// Quasi-random numbers: the bits of the count are indices into states of fixed size.
void sobol(const Arguments &a)
{
    int64_t dimension = a.integer("dimension"), made = a.integer("num_generated"), n = a.integer("n");
    need_within("dimension", dimension, 1, NO_LIMIT);
    need_within("n", n, 0, int64_t{1} << SOBOL_BITS);
    need_within("num_generated", made, 0, (int64_t{1} << SOBOL_BITS) - n - 1);
    need_elements("quasi", a.tensor("quasi"), dimension);
    need_shape("sobolstate", a.tensor("sobolstate"), {dimension, SOBOL_BITS});
    need_shape("ltm", a.tensor("ltm"), {dimension, SOBOL_BITS, SOBOL_BITS});
}

// The operators that work in place: self is what the others call sobolstate or quasi.
void sobol_state(const Arguments &a)
{
    sobol(a);
    need_shape("self", a.tensor("self"), {a.integer("dimension"), SOBOL_BITS});
}

void sobol_forward(const Arguments &a)
{
    sobol(a);
    need_elements("self", a.tensor("self"), a.integer("dimension"));
}

// Whether two tensors of one shape have their elements in the same order, without gaps.
bool same_order(const at::Tensor &x, const at::Tensor &other)
{
    if (x.layout() != at::kStrided || other.layout() != at::kStrided) return false;
    if (x.numel() < 2) return true;
    if (!x.unsafeGetTensorImpl()->is_non_overlapping_and_dense()) return false;
    for (int64_t k = 0; k < x.dim(); k++)
        if (x.size(k) > 1 && x.stride(k) != other.stride(k)) return false;
    return true;
}

// A list of tensors like those of self, since the kernels walk over the memory of all lists
// together.  It is compared before the text of a message is made: a
// training step does this for every parameter.
void need_like(const Arguments &a, const char *name, const std::vector<at::Tensor> &self)
{
    std::vector<at::Tensor> others = a.tensors(name);
    need_count(name, others.size(), self.size());
    for (size_t k = 0; k < self.size(); k++) {
        if (others[k].defined() && others[k].sizes() != self[k].sizes())
            need_shape(name, others[k], self[k].sizes().vec());
        need_dtype(name, others[k], self[k].scalar_type());
        if (others[k].defined() && !same_order(self[k], others[k]))
            throw Failure{"expected tensors without gaps, whose elements lie in the same order",
                          "tensor-contiguous makes a contiguous copy"};
    }
}

// Optimizers over lists: a gradient, moments and a count of steps for each parameter.
void fused_optimizer(const Arguments &a)
{
    std::vector<at::Tensor> self = a.tensors("self");
    for (const char *name : {"grads", "exp_avgs", "exp_avg_sqs", "state_sums"})
        if (!a.value(name).isNone()) need_like(a, name, self);
    if (a.truth("amsgrad")) need_like(a, "max_exp_avg_sqs", self);
    if (!a.tensors("momentum_buffer_list").empty()) need_like(a, "momentum_buffer_list", self);
    if (a.value("state_steps").isNone()) return;
    std::vector<at::Tensor> steps = a.tensors("state_steps");
    need_count("state_steps", steps.size(), self.size());
    for (const at::Tensor &step : steps) need_elements("state_steps", step, 1);
}

void segment_reduce(const Arguments &a)
{
    at::Tensor data = a.tensor("data"), offsets = a.tensor("offsets");
    at::Tensor lengths = a.tensor("lengths");
    int64_t axis = a.integer("axis");
    need_within("axis", axis, -data.dim(), data.dim() - 1);
    if (lengths.defined() && lengths.dim() > 0) {
        need_within("lengths", lengths, 0, data.size(axis));
        need_within("lengths", lengths.sum(-1), 0, data.size(axis));
    }
    if (!offsets.defined()) return;
    need_rank("offsets", offsets, 1, data.dim());
    need_ascending("offsets", offsets);
    need_within("offsets", offsets, 0, data.size(axis));
}

constexpr ct::Guarded GUARDS[] = {
    {"resize_", resized},
    {"resize_as_", resized},
    {"range", range},
    {"gcd", divisors},
    {"gcd_", divisors},
    {"lcm", divisors},
    {"lcm_", divisors},
    {"matrix_power", matrix_power},
    {"linalg_matrix_power", matrix_power},
    {"tensor_split", tensor_split},
    {"unbind", unbind},
    {"unbind_copy", unbind},
    {"split", split},
    {"split_copy", split},
    {"unsafe_split", split},
    {"chunk", chunk},
    {"unsafe_chunk", chunk},
    {"special_chebyshev_polynomial_t", degree},
    {"special_chebyshev_polynomial_u", degree},
    {"special_chebyshev_polynomial_v", degree},
    {"special_chebyshev_polynomial_w", degree},
    {"special_shifted_chebyshev_polynomial_t", degree},
    {"special_shifted_chebyshev_polynomial_u", degree},
    {"special_shifted_chebyshev_polynomial_v", degree},
    {"special_shifted_chebyshev_polynomial_w", degree},
    {"special_hermite_polynomial_h", degree},
    {"special_hermite_polynomial_he", degree},
    {"special_laguerre_polynomial_l", degree},
    {"special_legendre_polynomial_p", degree},
    {"_stack", stack},
    {"_foreach_copy", foreach_copy},
    {"_cummax_helper", running_extremum},
    {"_cummin_helper", running_extremum},
    {"_logcumsumexp", like_self},
    {"_reshape_alias", alias},
    {"_reshape_alias_copy", alias},
    {"_fft_r2c", fourier},
    {"_fft_c2r", fourier},
    {"_fft_c2c", fourier},
    {"_new_zeros_with_same_feature_meta", zeros_like_features},
    {"_convert_indices_from_csr_to_coo", compressed_to_coordinates},
    {"_convert_indices_from_coo_to_csr", coordinates_to_compressed},
    {"_compute_linear_combination", linear_combination},
    {"_sobol_engine_draw", sobol},
    {"_sobol_engine_ff_", sobol_forward},
    {"_sobol_engine_ff", sobol_forward},
    {"_sobol_engine_scramble_", sobol_state},
    {"_sobol_engine_scramble", sobol_state},
    {"_sobol_engine_initialize_state_", sobol_state},
    {"_sobol_engine_initialize_state", sobol_state},
    {"_fused_sgd", fused_optimizer},
    {"_fused_sgd_", fused_optimizer},
    {"_fused_adam", fused_optimizer},
    {"_fused_adam_", fused_optimizer},
    {"_fused_adamw", fused_optimizer},
    {"_fused_adamw_", fused_optimizer},
    {"_fused_adagrad", fused_optimizer},
    {"_fused_adagrad_", fused_optimizer},
    {"segment_reduce", segment_reduce},
    {"_segment_reduce_backward", segment_reduce},
};

// Guards of calls with :out, which typed entry points do not take.
constexpr ct::Guarded OUT_GUARDS[] = {
    {"addmm", addmm},
    {"_addmm_activation", addmm},
    {"addmv", addmv},
    {"addr", addr},
    {"addbmm", addbmm},
    {"baddbmm", baddbmm},
};

struct Refused {
    const char *name;
    const char *why;
};

constexpr Refused REFUSED[] = {
    {"_dyn_quant_matmul_4bit", "it does not check the sizes of its packed weights"},
    {"_add_batch_dim", "it only works inside LibTorch's vmap"},
    {"_remove_batch_dim", "it only works inside LibTorch's vmap"},
};

}  // namespace

ct::Guard ct::guard_of(const std::string &name)
{
    static const auto &all = *new auto([] {
        std::unordered_map<std::string, Guard> guards;
        for (c10::ArrayRef<Guarded> table :
            {c10::ArrayRef<Guarded>(GUARDS), c10::ArrayRef<Guarded>(OUT_GUARDS), window_guards(),
                layer_guards(), function_guards()})
            for (const Guarded &entry : table) guards.emplace(entry.name, entry.guard);
        return guards;
    }());
    auto found = all.find(name);
    return found == all.end() ? nullptr : found->second;
}

const char *ct::refusal_of(const std::string &name)
{
    for (const Refused &entry : REFUSED)
        if (name == entry.name) return entry.why;
    return nullptr;
}
