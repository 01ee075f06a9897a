// results.cpp - what LibTorch gives back, as Lisp values.
//
//     (Tensor values, Tensor indices)  =>  a list of two tensors

#include "call.h"

#include <utility>

namespace {

using c10::IValue;
using ct::Failure;

ct_value list_value(size_t count)
{
    ct_value list{};
    list.kind = CT_LIST;
    list.items = static_cast<ct_value *>(std::calloc(count ? count : 1, sizeof(ct_value)));
    if (!list.items) throw std::bad_alloc();
    list.count = count;
    return list;
}

// Releases a result that is not complete when something fails.
struct Unfinished {
    ct_value value;
    ~Unfinished() { ct_value_clear(&value); }
    ct_value finish() { return std::exchange(value, ct_value{}); }
};

class Results {
public:
    Results(size_t count, const ct_value *values) : count_(count), values_(values) {}

    ct_value all(torch::jit::Stack &stack) const
    {
        if (stack.size() == 1) return one(std::move(stack[0]));
        if (stack.empty()) return ct_value{};
        return list(stack);
    }

private:
    // An operator that works in place returns its argument: that is the same handle.
    ct_tensor *tensor(at::Tensor &&result) const
    {
        for (size_t k = 0; k < count_; k++)
            if (values_[k].kind == CT_TENSOR && values_[k].tensor->value.is_same(result))
                return ct_clone(values_[k].tensor);
        return ct::handle(std::move(result));
    }

    template <class Items>
    ct_value list(Items &&items) const
    {
        Unfinished out{list_value(items.size())};
        size_t k = 0;
        for (auto &&item : items) out.value.items[k++] = one(IValue(item));
        return out.finish();
    }

    ct_value one(IValue &&result) const
    {
        ct_value value{};
        if (result.isTensor()) {
            value.tensor = tensor(std::move(result).toTensor());
            value.kind = value.tensor ? CT_TENSOR : CT_NONE;
        } else if (result.isBool()) {
            value.kind = CT_BOOL;
            value.i = result.toBool();
        } else if (result.isInt()) {
            value.kind = CT_INT;
            value.i = result.toInt();
        } else if (result.isDouble()) {
            value.kind = CT_FLOAT;
            value.f = result.toDouble();
        } else if (result.isString()) {
            value.text = ct::text_for_c(result.toStringRef());
            value.kind = CT_STRING;
        } else if (result.isList()) {
            return list(result.toListRef());
        } else if (result.isTuple()) {
            return list(result.toTupleRef().elements());
        } else if (!result.isNone()) {
            throw Failure{"the result has no counterpart in Lisp: " + result.tagKind(), ""};
        }
        return value;
    }

    size_t count_;
    const ct_value *values_;
};

}  // namespace

ct_value ct::results(std::vector<IValue> &stack, size_t count, const ct_value *values)
{
    return Results(count, values).all(stack);
}
