// operators.cpp - the pretend device's operators: those of the CPU, behind checks like a GPU's.
//
// One boxed function stands for all: it refuses tensors on two devices, makes CPU tensors of the
// same memory, calls the CPU's operator, and gives its results the same memory on the device.

#include "memory.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/convolution.h>
#include <ATen/ops/convolution_backward.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/library.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace {

using pretend::is_on_device;
using pretend::KEY;
using torch::jit::Stack;

// A tensor of the device, and the CPU tensor that stands for it.
struct Pair {
    at::Tensor device, cpu;
};

// Gives a new tensor the sizes, strides and marks of another.
void shape_like(const at::Tensor &made, const at::Tensor &like)
{
    c10::TensorImpl *impl = made.unsafeGetTensorImpl();
    impl->set_sizes_and_strides(like.sizes(), like.strides(), like.storage_offset());
    if (like.is_conj()) made._set_conj(true);
    if (like.is_neg()) made._set_neg(true);
    if (like.unsafeGetTensorImpl()->is_wrapped_number()) impl->set_wrapped_number(true);
}

// A view is recorded if what it shows is, also where the mode is another one.
at::Tensor view_of(const at::Tensor &base, const c10::Storage &storage, const at::Tensor &like)
{
    at::Tensor made = at::detail::make_tensor<c10::TensorImpl>(
        c10::TensorImpl::VIEW, c10::Storage(storage), base.key_set(), like.dtype());
    made._set_conj(false);
    made._set_neg(false);
    shape_like(made, like);
    return made;
}

at::Tensor tensor_of(const c10::Storage &storage, c10::DispatchKey key, const at::Tensor &like)
{
    c10::DispatchKeySet keys(key);
    if (like._is_zerotensor()) keys = keys.add(c10::DispatchKey::ZeroTensor);
    at::Tensor made = at::detail::make_tensor<c10::TensorImpl>(
        c10::Storage(storage), keys, like.dtype());
    shape_like(made, like);
    return made;
}

// One call: which CPU tensors and storages stand for which of the device.
class Call {
public:
    void take(c10::IValue &value)
    {
        if (value.isTensor()) value = cpu_of(value.toTensor());
        else if (value.isTensorList()) take_list(value);
        else if (value.isOptionalTensorList()) take_optional_list(value);
        else if (value.isList()) take_optional_list(value);
        else if (value.isDevice() && value.toDevice().type() == pretend::TYPE)
            value = at::Device(at::kCPU);
        else if (value.isGenerator()) take_generator(value);
        else if (value.isStorage()) take_storage(value);
    }

    at::Tensor cpu_of(const at::Tensor &x)
    {
        if (!is_on_device(x)) return x;
        for (const Pair &pair : pairs_)
            if (pair.device.is_same(x)) return pair.cpu;
        TORCH_CHECK(x.layout() == at::kStrided, "the pretend device has no ", x.layout(),
                    " tensors");
        const c10::Storage &storage = pretend::to_cpu(x.storage());
        storages_.emplace(storage.unsafeGetStorageImpl(), x.storage());
        pairs_.push_back({x, tensor_of(storage, c10::DispatchKey::CPU, x)});
        return pairs_.back().cpu;
    }

    // What the operator has resized or given another memory.
    void finish()
    {
        for (const Pair &pair : pairs_) {
            c10::TensorImpl *impl = pair.device.unsafeGetTensorImpl();
            c10::Storage storage = device_storage(pair.cpu.storage());
            pretend::follow_cpu(storage);
            if (storage.unsafeGetStorageImpl() != pair.device.storage().unsafeGetStorageImpl())
                impl->set_storage_keep_dtype(storage);
            if (pair.cpu.sizes() != pair.device.sizes() ||
                pair.cpu.strides() != pair.device.strides() ||
                pair.cpu.storage_offset() != pair.device.storage_offset())
                impl->set_sizes_and_strides(pair.cpu.sizes(), pair.cpu.strides(),
                                            pair.cpu.storage_offset());
        }
    }

    void give(c10::IValue &value)
    {
        if (value.isTensor()) value = device_of(value.toTensor());
        else if (value.isTensorList()) {
            c10::List<at::Tensor> made;
            for (const at::Tensor &x : value.toTensorVector()) made.push_back(device_of(x));
            value = std::move(made);
        }
    }

private:
    void take_list(c10::IValue &value)
    {
        c10::List<at::Tensor> made;
        for (const at::Tensor &x : value.toTensorVector()) made.push_back(cpu_of(x));
        value = std::move(made);
    }

    void take_optional_list(c10::IValue &value)
    {
        if (!value.isOptionalTensorList()) return;
        c10::List<std::optional<at::Tensor>> made;
        for (const std::optional<at::Tensor> &x : value.toOptionalTensorVector())
            made.push_back(x ? std::optional(cpu_of(*x)) : std::nullopt);
        value = std::move(made);
    }

    void take_generator(c10::IValue &value)
    {
        at::Generator generator = value.toGenerator();
        TORCH_CHECK(!generator.defined() || generator.device().type() == pretend::TYPE,
                    "Expected a 'pretend' device type for generator but found '",
                    generator.device().type(), "'");
        value = pretend::cpu_generator(generator);
    }

    void take_storage(c10::IValue &value)
    {
        c10::Storage storage = value.toStorage();
        if (storage.device_type() != pretend::TYPE) return;
        storages_.emplace(pretend::to_cpu(storage).unsafeGetStorageImpl(), storage);
        value = pretend::to_cpu(storage);
    }

    c10::Storage device_storage(const c10::Storage &cpu)
    {
        auto found = storages_.find(cpu.unsafeGetStorageImpl());
        if (found == storages_.end())
            found = storages_.emplace(cpu.unsafeGetStorageImpl(), pretend::to_device(cpu)).first;
        return found->second;
    }

    at::Tensor device_of(const at::Tensor &x)
    {
        if (!x.defined() || !x.is_cpu()) return x;
        for (const Pair &pair : pairs_)
            if (pair.cpu.is_same(x)) return pair.device;
        TORCH_CHECK(x.layout() == at::kStrided, "the pretend device has no ", x.layout(),
                    " tensors");
        c10::Storage storage = device_storage(x.storage());
        for (const Pair &pair : pairs_)
            if (pair.device.storage().is_alias_of(storage))
                return view_of(pair.device, storage, x);
        return tensor_of(storage, KEY, x);
    }

    std::vector<Pair> pairs_;
    std::map<c10::StorageImpl *, c10::Storage> storages_;
};

void refuse(const at::Tensor &one, const at::Tensor &other)
{
    TORCH_CHECK(false, "Expected all tensors to be on the same device, but found at least two "
                "devices, ", one.device(), " and ", other.device(), "!");
}

// A GPU's operators take numbers from the CPU: TensorIterator's, that is.  These have other loops.
bool takes_numbers(const std::string &name)
{
    static const std::set<std::string> others{
        "aten::index_select", "aten::embedding", "aten::gather", "aten::scatter", "aten::take",
        "aten::scatter_add", "aten::index_add", "aten::index_copy", "aten::mm", "aten::addmm",
        "aten::bmm", "aten::nll_loss_forward", "aten::nll_loss2d_forward", "aten::index_fill",
        "aten::cat", "aten::scatter_", "aten::scatter_add_", "aten::index_add_",
    };
    return !others.contains(name);
}

class Check {
public:
    explicit Check(bool numbers) : numbers_(numbers) {}

    void add(const at::Tensor &x)
    {
        if (!x.defined() || (numbers_ && x.dim() == 0 && x.is_cpu())) return;
        if (!first_.defined()) first_ = x;
        else if (first_.device() != x.device()) refuse(first_, x);
    }

private:
    at::Tensor first_;
    bool numbers_;
};

// Where each element of a list has an operation of its own.
void check_each(const torch::jit::Stack &stack, size_t start)
{
    std::vector<Check> checks;
    for (size_t k = start; k < stack.size(); k++) {
        if (!stack[k].isTensorList()) continue;
        std::vector<at::Tensor> list = stack[k].toTensorVector();
        checks.resize(std::max(checks.size(), list.size()), Check(true));
        for (size_t i = 0; i < list.size(); i++) checks[i].add(list[i]);
    }
}

void check_devices(const c10::OperatorHandle &op, const Stack &stack, size_t start)
{
    const std::string &name = op.schema().name();
    if (name.starts_with("aten::_foreach_")) return check_each(stack, start);
    // These take what is on the CPU: indices, and the lengths of sequences.
    bool indexes = name == "aten::index" || name == "aten::_index_put_impl_" ||
                   name == "aten::index_put" || name == "aten::index_put_";
    bool packs = name == "aten::_pack_padded_sequence";
    Check check(takes_numbers(name));
    for (size_t k = start; k < stack.size(); k++) {
        if (stack[k].isTensor() && !(packs && k == start + 1)) check.add(stack[k].toTensor());
        else if (stack[k].isTensorList())
            for (const at::Tensor &x : stack[k].toTensorVector()) check.add(x);
        else if (stack[k].isOptionalTensorList() &&
                 !(indexes && is_on_device(stack[start].toTensor())))
            for (const std::optional<at::Tensor> &x : stack[k].toOptionalTensorVector())
                if (x) check.add(*x);
    }
}

void call_on_cpu(const c10::OperatorHandle &op, Stack *stack)
{
    size_t start = stack->size() - op.schema().arguments().size();
    check_devices(op, *stack, start);
    Call call;
    for (size_t k = start; k < stack->size(); k++) call.take((*stack)[k]);
    op.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CPU), stack);
    call.finish();
    size_t results = op.schema().returns().size();
    // The sizes of the batches of packed sequences stay on the CPU.
    if (op.schema().name() == "aten::_pack_padded_sequence") results = 2;
    for (size_t k = 0; k < results; k++) {
        c10::IValue &value = (*stack)[stack->size() - op.schema().returns().size() + k];
        if (op.schema().name() == "aten::_pack_padded_sequence" && k == 1) continue;
        call.give(value);
    }
}

// Results that are made from nothing.

at::Tensor empty(c10::SymIntArrayRef sizes, std::optional<at::ScalarType> dtype,
                 std::optional<at::Layout>, std::optional<at::Device>, std::optional<bool>,
                 std::optional<at::MemoryFormat> format)
{
    at::Tensor cpu = at::empty_symint(sizes, at::TensorOptions().dtype(dtype).device(at::kCPU),
                                      format);
    return tensor_of(pretend::to_device(cpu.storage()), KEY, cpu);
}

at::Tensor empty_strided(c10::SymIntArrayRef sizes, c10::SymIntArrayRef strides,
                         std::optional<at::ScalarType> dtype, std::optional<at::Layout>,
                         std::optional<at::Device>, std::optional<bool>)
{
    at::Tensor cpu = at::empty_strided_symint(
        sizes, strides, at::TensorOptions().dtype(dtype).device(at::kCPU));
    return tensor_of(pretend::to_device(cpu.storage()), KEY, cpu);
}

// Copies between devices.

at::Tensor copy_from(const at::Tensor &from, const at::Tensor &to, bool non_blocking)
{
    Call call;
    at::Tensor target = call.cpu_of(to);
    target.copy_(call.cpu_of(from), non_blocking);
    return to;
}

at::Tensor copy_from_and_resize(const at::Tensor &from, const at::Tensor &to)
{
    Call call;
    at::Tensor target = call.cpu_of(to);
    target.resize_(from.sizes());
    target.copy_(call.cpu_of(from));
    call.finish();
    return to;
}

// Operators that LibTorch leaves to the device.

at::Tensor convolution(const at::Tensor &input, const at::Tensor &weight,
                       const std::optional<at::Tensor> &bias, at::IntArrayRef stride,
                       at::IntArrayRef padding, at::IntArrayRef dilation, bool transposed,
                       at::IntArrayRef output_padding, int64_t groups)
{
    Check check(false);
    check.add(input);
    check.add(weight);
    if (bias) check.add(*bias);
    Call call;
    std::optional<at::Tensor> b = bias ? std::optional(call.cpu_of(*bias)) : std::nullopt;
    c10::IValue result = at::convolution(call.cpu_of(input), call.cpu_of(weight), b, stride,
                                         padding, dilation, transposed, output_padding, groups);
    call.give(result);
    return result.toTensor();
}

std::tuple<at::Tensor, at::Tensor, at::Tensor>
convolution_backward(const at::Tensor &gradient, const at::Tensor &input, const at::Tensor &weight,
                     at::IntArrayRef stride, at::IntArrayRef padding, at::IntArrayRef dilation,
                     bool transposed, at::IntArrayRef output_padding, int64_t groups,
                     std::array<bool, 3> mask)
{
    Call call;
    std::vector<int64_t> bias_sizes{transposed ? weight.size(1) * groups : weight.size(0)};
    auto [a, b, c] = at::convolution_backward(
        call.cpu_of(gradient), call.cpu_of(input), call.cpu_of(weight), bias_sizes, stride, padding,
        dilation, transposed, output_padding, groups, mask);
    c10::IValue x(a), y(b), z(c);
    call.give(x);
    call.give(y);
    call.give(z);
    return {x.toTensor(), y.toTensor(), z.toTensor()};
}

// LibTorch lets a tensor take the place of another one on a GPU, but not on a device that it does not
// know; where it refuses is all that differs here.
void set_data(at::Tensor &x, const at::Tensor &data)
{
    if (auto *meta = torch::autograd::impl::get_autograd_meta(x);
        meta && x.device() != data.device())
        meta->grad_accumulator_.reset();
    x.unsafeGetTensorImpl()->shallow_copy_from(data.getIntrusivePtr());
}

// The cells of recurrent layers, whose fused operators only GPUs have.

at::Tensor with_bias(const at::Tensor &gates, const std::optional<at::Tensor> &bias)
{
    return bias && bias->defined() ? gates + *bias : gates;
}

std::tuple<at::Tensor, at::Tensor, at::Tensor>
lstm_cell(const at::Tensor &input, const at::Tensor &hidden, const at::Tensor &cell,
          const std::optional<at::Tensor> &input_bias, const std::optional<at::Tensor> &hidden_bias)
{
    at::Tensor gates = with_bias(input, input_bias) + with_bias(hidden, hidden_bias);
    std::vector<at::Tensor> g = gates.chunk(4, 1);
    at::Tensor next = g[1].sigmoid() * cell + g[0].sigmoid() * g[2].tanh();
    return {g[3].sigmoid() * next.tanh(), next, at::Tensor()};
}

std::tuple<at::Tensor, at::Tensor>
gru_cell(const at::Tensor &input, const at::Tensor &hidden, const at::Tensor &state,
         const std::optional<at::Tensor> &input_bias, const std::optional<at::Tensor> &hidden_bias)
{
    std::vector<at::Tensor> i = with_bias(input, input_bias).chunk(3, 1);
    std::vector<at::Tensor> h = with_bias(hidden, hidden_bias).chunk(3, 1);
    at::Tensor reset = (h[0] + i[0]).sigmoid(), update = (h[1] + i[1]).sigmoid();
    at::Tensor fresh = (i[2] + h[2] * reset).tanh();
    return {(state - fresh) * update + fresh, at::Tensor()};
}

}  // namespace

TORCH_LIBRARY_IMPL(_, PrivateUse1, m)
{
    m.fallback(torch::CppFunction::makeFromBoxedFunction<&call_on_cpu>());
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
    m.impl("empty.memory_format", empty);
    m.impl("empty_strided", empty_strided);
    m.impl("_copy_from", copy_from);
    m.impl("_copy_from_and_resize", copy_from_and_resize);
    m.impl("convolution_overrideable", convolution);
    m.impl("convolution_backward_overrideable", convolution_backward);
}

// A copy resolves the marks itself; else LibTorch would copy the tensor to resolve them, and so on.
TORCH_LIBRARY_IMPL(aten, Negative, m)
{
    m.impl("_copy_from", torch::CppFunction::makeFallthrough());
}

TORCH_LIBRARY_IMPL(aten, Conjugate, m)
{
    m.impl("_copy_from", torch::CppFunction::makeFallthrough());
}

TORCH_LIBRARY_IMPL(aten, AutogradPrivateUse1, m)
{
    m.impl("set_data", set_data);
    m.impl("_thnn_fused_lstm_cell", lstm_cell);
    m.impl("_thnn_fused_gru_cell", gru_cell);
}
