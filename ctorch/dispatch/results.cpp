// results.cpp - LibTorch's results as Lisp values.
//
//     (Tensor values, Tensor indices)  =>  a list of two tensors

#include "dispatch/call.h"

#include <ATen/core/stack.h>
#include <ATen/ops/scalar_tensor_ops.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace {

using c10::IValue;
using ct::ValueType;

ct_value list_value(size_t count)
{
    ct_value list{};
    list.kind = CT_LIST;
    list.items = static_cast<ct_value *>(std::calloc(count ? count : 1, sizeof(ct_value)));
    if (!list.items) throw std::bad_alloc();
    list.count = count;
    return list;
}

// Releases an incomplete result when something fails.
struct Unfinished {
    ct_value value;
    ~Unfinished() { ct_value_clear(&value); }
    ct_value finish() { return std::exchange(value, ct_value{}); }
};

class Results {
public:
    Results(size_t count, const ct_value *values) : count_(count), values_(values) {}

    ct_value all(const std::vector<ValueType> &types, torch::jit::Stack &stack) const
    {
        if (stack.size() == 1) return one(types[0], std::move(stack[0]));
        Unfinished out{list_value(stack.size())};
        for (size_t k = 0; k < stack.size(); k++)
            out.value.items[k] = one(types[k], std::move(stack[k]));
        return out.finish();
    }

    // The tensors of the first list among the arguments, for operators that change them in place.
    ct_value same_list() const
    {
        auto is_list = [](const ct_value &value) { return value.kind == CT_LIST; };
        const ct_value &list = *std::find_if(values_, values_ + count_, is_list);
        Unfinished out{list_value(list.count)};
        for (size_t k = 0; k < list.count; k++) {
            out.value.items[k].tensor = ct_clone(list.items[k].tensor);
            out.value.items[k].kind = CT_TENSOR;
        }
        return out.finish();
    }

private:
    // An operator that works in place returns its argument, which keeps its handle.
    ct_tensor *tensor(at::Tensor &&result) const
    {
        // A tensor with no other reference is new.
        ct_tensor *known = result.use_count() > 1 ? handle_of(result, count_, values_) : nullptr;
        if (known) return ct_clone(known);
        return ct::handle(std::move(result));
    }

    static ct_tensor *handle_of(const at::Tensor &x, size_t count, const ct_value *values)
    {
        for (size_t k = 0; k < count; k++) {
            const ct_value &value = values[k];
            if (value.kind == CT_TENSOR && value.tensor->value.is_same(x)) return value.tensor;
            if (value.kind != CT_LIST) continue;
            if (ct_tensor *found = handle_of(x, value.count, value.items)) return found;
        }
        return nullptr;
    }

    ct_value list(ValueType type, at::ArrayRef<IValue> items) const
    {
        Unfinished out{list_value(items.size())};
        for (size_t k = 0; k < items.size(); k++) out.value.items[k] = one(type, IValue(items[k]));
        return out.finish();
    }

    ct_value one(ValueType type, IValue &&result) const
    {
        ct_value value{};
        if (result.isTensor()) {
            value.tensor = tensor(std::move(result).toTensor());
            value.kind = value.tensor ? CT_TENSOR : CT_NONE;
        } else if (result.isBool()) {
            value.kind = CT_BOOL;
            value.i = result.toBool();
        } else if (type == ValueType::Dtype && result.isInt()) {
            return text(CT_SYMBOL, ct::dtype_name(static_cast<at::ScalarType>(result.toInt())));
        } else if (result.isInt()) {
            value.kind = CT_INT;
            value.i = result.toInt();
        } else if (result.isDouble()) {
            value.kind = CT_FLOAT;
            value.f = result.toDouble();
        } else if (result.isComplexDouble()) {  // Lisp has no such number
            value.tensor = ct::handle(at::_ops::scalar_tensor::call(
                result.toScalar(), at::kComplexDouble, std::nullopt, std::nullopt, std::nullopt));
            value.kind = CT_TENSOR;
        } else if (result.isString()) {
            return text(CT_STRING, result.toStringRef());
        } else if (result.isDevice()) {
            return text(CT_STRING, result.toDevice().str());
        } else if (result.isList()) {
            return list(type, result.toListRef());
        } else if (result.isTuple()) {
            return list(type, result.toTupleRef().elements());
        } else if (!result.isNone()) {
            return held(std::move(result));
        }
        return value;
    }

    static ct_value held(IValue &&result)
    {
        auto object = std::make_unique<ct::Held>();
        object->text = "#<" + ct::short_name(*result.type()) + ">";
        object->value = std::move(result);
        ct_value value{};
        value.kind = CT_OBJECT;
        value.object = object.release();
        return value;
    }

    static ct_value text(ct_kind kind, const std::string &text)
    {
        ct_value value{};
        value.i = static_cast<int64_t>(text.size());
        value.text = ct::text_for_c(text);
        value.kind = kind;
        return value;
    }

    size_t count_;
    const ct_value *values_;
};

// Whether it changes the tensors of its first argument, a list, and no other argument.
bool changes_list(const ct::Overload &overload)
{
    auto is_changed = [](const c10::Argument &argument) {
        return argument.alias_info() && argument.alias_info()->isWrite();
    };
    const std::vector<c10::Argument> &arguments = overload.schema->arguments();
    return !arguments.empty() && is_changed(arguments[0]) && overload.parameters[0].list &&
           std::count_if(arguments.begin(), arguments.end(), is_changed) == 1;
}

}  // namespace

ct_value ct::results(const Overload &overload, std::vector<IValue> &stack, size_t count,
                     const ct_value *values)
{
    if (stack.empty()) {
        if (changes_list(overload)) return Results(count, values).same_list();
        ct_value nothing{};
        nothing.kind = CT_UNSPECIFIED;
        return nothing;
    }
    return Results(count, values).all(overload.returns, stack);
}
