// kernels.h - the operators of language models on NVIDIA's GPUs, one kernel each.  C++ only.
//
//     if (cuda::serves({&x, &weight})) return cuda::rms_norm(x, weight, eps, offset);
//
// Each takes arguments that the operator has checked (llm/llm.h), on one device.  LibTorch composes
// the same of many kernels, each of which takes some microseconds to start.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

namespace ct::cuda {

using at::Tensor;

// Whether the kernels serve these: tensors of one GPU and one dtype of theirs, of which nothing is
// to be recorded for gradients.  LAMBENT_KERNEL=portable turns the kernels off.
bool serves(std::initializer_list<const Tensor *> xs);

Tensor rms_norm(const Tensor &x, const Tensor &weight, double eps, double offset);

enum class Gate { Silu, GeluTanh, Gelu };
// up: undefined if gate holds both, up after gate in the last dimension.
Tensor gated(const Tensor &gate, const Tensor &up, Gate kind);

// Heads [n, heads, t, d] that are rotated, or only copied, and where they go.
struct Rotated {
    const Tensor *from, *to;
    bool is_rotated;
};
// Up to three parts; start: the position in `to` from which the parts after the first are written.
void rotate(std::initializer_list<Rotated> parts, const Tensor &cos, const Tensor &sin,
            int64_t start, bool is_interleaved);

// Which positions a query sees: those of each row, at most `length`, or without lengths that many.
struct Seen {
    int64_t length, window;
    std::optional<Tensor> lengths, padding;  // int64 [n] on the device
};
// Whether `attend` serves these queries [n, heads, 1, d].
bool attends(const Tensor &query, const Tensor &keys, const Tensor &values);
// table: int64 [n, columns] pages on the device, or undefined if row n of the keys is that of
// query n.
Tensor attend(const Tensor &query, const Tensor &keys, const Tensor &values, const Tensor &table,
              const Seen &seen, double scale, double softcap);

// table and starts: int64, on the device.
void paged_write(const Tensor &keys, const Tensor &values, const Tensor &key, const Tensor &value,
                 const Tensor &table, const Tensor &starts);

// x [..., columns] times a weight of integers (quantize/quantize.h); no minimum or bias: undefined.
Tensor quantized_linear(const Tensor &x, const Tensor &weight, const Tensor &scale,
                        const Tensor &minimum, const Tensor &bias, int64_t rows);
// Rows of the weight in a dtype of the kernels; ids: int64, or undefined for the first `rows`.
Tensor quantized_rows(const Tensor &ids, const Tensor &weight, const Tensor &scale,
                      const Tensor &minimum, int64_t rows, int64_t columns, at::ScalarType dtype);

}  // namespace ct::cuda
