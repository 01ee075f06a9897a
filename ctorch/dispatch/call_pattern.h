// call_pattern.h - the key under which the binding of a call is remembered.  C++ only.
//
//     (tensor-sum x 0 :keepdim #t)   =>   tensor, integer, keyword "keepdim", #t
#pragma once

#include "dispatch/call.h"

#include <cstring>
#include <optional>
#include <string>

namespace ct {

// All that decides how a call is bound, as a text: the tags of the values, names, and the tags in
// lists.  Calls with long arguments, or with values such as hash tables, have no pattern.
class CallPattern {
public:
    CallPattern(size_t count, const ct_value *arguments)
    {
        for (size_t k = 0; k < count && is_simple_; k++) add(arguments[k]);
    }
    bool is_simple() const { return is_simple_; }
    std::string text() const { return {text_, size_}; }
    bool operator==(const std::string &other) const
    {
        return other.size() == size_ && std::memcmp(other.data(), text_, size_) == 0;
    }

private:
    void put(char c)
    {
        if (size_ == sizeof text_) is_simple_ = false;
        else text_[size_++] = c;
    }

    void put(const char *text)
    {
        do put(*text);
        while (*text++ && is_simple_);
    }

    void add(const ct_value &value)
    {
        put(static_cast<char>('0' + value.kind));
        switch (value.kind) {
        case CT_BOOL: put(value.i ? 't' : 'f'); break;
        case CT_KEYWORD:
        case CT_SYMBOL:
        case CT_STRING: put(value.text); break;
        case CT_LIST: add_items(value.count, value.items); break;
        case CT_TENSOR:
            if (is_like_number(value.tensor->value)) add_number_type(value.tensor->value);
            break;
        case CT_TABLE:
        case CT_OBJECT:
        case CT_OTHER: is_simple_ = false; break;
        default: break;
        }
    }

    // A tensor that may stand for a number: its dtype decides what it is converted to.
    void add_number_type(const at::Tensor &x)
    {
        put('n');
        put(static_cast<char>(x.scalar_type()));
    }

    // Tensors that may stand for numbers may be beside others; equal neighbours are noted once,
    // since they are converted alike.
    void add_items(size_t count, const ct_value *items)
    {
        ct_kind first = count ? items[0].kind : CT_NONE;
        put(static_cast<char>('0' + first));
        is_simple_ = is_simple_ && (count == 0 || first == CT_INT || first == CT_FLOAT ||
                                    first == CT_TENSOR);
        std::optional<at::ScalarType> last;  // of a number; none for another tensor
        for (size_t k = 0; k < count && is_simple_; k++) {
            is_simple_ = items[k].kind == first;
            if (first != CT_TENSOR || !is_simple_) continue;
            const at::Tensor &x = items[k].tensor->value;
            std::optional<at::ScalarType> type;
            if (is_like_number(x)) type = x.scalar_type();
            if (k > 0 && type == last) continue;
            if (type) add_number_type(x);
            else put('t');
            last = type;
        }
    }

    char text_[120];
    size_t size_ = 0;
    bool is_simple_ = true;
};

}  // namespace ct
