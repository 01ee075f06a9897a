// llm.h - the operators of language models that LibTorch computes in many pieces.  C++ only.
//
//     (tensor-fused-rms-norm x weight 1e-6)    one pass over x, instead of a dozen operators
//
// Each has a loop of its own (kernels.h) for float32, bfloat16 and float16 on the CPU where nothing
// is recorded for gradients.  Everywhere else it is composed of LibTorch's operators, and so has
// their gradients; those that write into a cache refuse arguments that require gradients.
#pragma once

#include "llm/kernels.h"
#include "overloads/overloads.h"
#include "tensor/views.h"

namespace ct::llm {

using at::Tensor;

// common.cpp

// Whether a loop of our own may read x: plain memory on the CPU, in a dtype of the kernels.
bool is_plain(const Tensor &x);
// Whether something is to be recorded for x.
bool is_recorded_now(const Tensor &x);
// Whether all of them are plain, have one dtype, and nothing is to be recorded.
bool are_plain(std::initializer_list<const Tensor *> xs);
Element element_of(const Tensor &x);
// Raise an error unless x is a tensor of floating-point numbers of at least that rank.
void need_floats(const char *name, const Tensor &x, int64_t rank);
// Raise an error if something would have to be recorded, for an operator that writes into a cache.
void refuse_gradients(std::initializer_list<const Tensor *> xs);
[[noreturn]] void wrong_shape(const std::string &what, const Tensor &x,
                              const std::string &hint = "");

// The operators.

Tensor fused_rms_norm(const Tensor &input, const Tensor &weight, double eps, double offset);
Tensor silu_mul(const Tensor &gate, const std::optional<Tensor> &up);
Tensor gelu_mul(const Tensor &gate, const std::optional<Tensor> &up, std::string_view approximate);
Tensor rotary(const Tensor &input, const Tensor &cos, const Tensor &sin, bool interleaved);
Tensor rotary_write_(const Tensor &keys, const Tensor &values, const Tensor &query,
                     const Tensor &key, const Tensor &value, const Tensor &cos, const Tensor &sin,
                     int64_t start, bool interleaved);
Tensor qkv_write_(const Tensor &keys, const Tensor &values, const Tensor &joined,
                  const Tensor &cos, const Tensor &sin, int64_t start, bool interleaved);
Tensor cached_attention(const Tensor &query, const Tensor &keys, const Tensor &values,
                        int64_t length, const std::optional<Tensor> &padding,
                        std::optional<int64_t> window, std::optional<double> scale, double softcap);
Tensor paged_write_(const Tensor &keys, const Tensor &values, const Tensor &key,
                    const Tensor &value, const Tensor &table, const Tensor &starts);
Tensor paged_attention(const Tensor &query, const Tensor &keys, const Tensor &values,
                       const Tensor &table, const Tensor &lengths, std::optional<int64_t> window,
                       std::optional<double> scale, double softcap);
Tensor argmax_last(const Tensor &input);
Tensor sample(const Tensor &logits, double temperature, std::optional<int64_t> top_k, double top_p,
              double min_p, double typical_p, const std::optional<at::Generator> &generator);

// A few rows times a weight, as linear: undefined where LibTorch's is as fast.
Tensor linear_rows(const Tensor &x, const Tensor &w, const std::optional<Tensor> &b);

// As LibTorch has its operators in at::_ops: for calls without boxed values.
template <auto function>
struct Operator;
template <class Result, class... Parameters, Result (*function)(Parameters...)>
struct Operator<function> {
    using schema = Result(Parameters...);
    static Result call(Parameters... arguments)
    {
        return function(std::forward<Parameters>(arguments)...);
    }
};

}  // namespace ct::llm
