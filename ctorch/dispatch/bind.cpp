// bind.cpp - binding the values of a call to the parameters of one overload.
//
//     (tensor-zeros 2 3 :dtype 'int64) to zeros(int[] size, *, dtype=None, ...)
//  => size from values 0 to 1, one by one; dtype from value 2; defaults for the rest
//
// lang/compile/types/typed_calls.py binds calls by the same rules before the program runs, where it
// knows the arguments' types.  Both take the costs of conversions from
// lang/primitives/conversions.py, and tests/suites/compile/test_overload_choice.py checks that both
// choose the same overloads.

#include "dispatch/call.h"
#include "dispatch/unknown_value.h"

#include <algorithm>

namespace {

using ct::Binding;
using ct::Call;
using ct::CONVERTED;
using ct::ValueType;
using ct::lisp_name;
using ct::NO;
using ct::Overload;
using ct::Parameter;
using ct::Problem;
using ct::Source;
using ct::WRAPPED;

std::string arguments_text(size_t count)
{
    return std::to_string(count) + (count == 1 ? " argument" : " arguments");
}

size_t required_from(const Overload &overload, size_t first)
{
    size_t count = 0;
    for (size_t k = first; k < overload.positional; k++)
        if (!overload.parameters[k].fallback) count++;
    return count;
}

std::string wrong_count(const Overload &overload, size_t got)
{
    size_t least = required_from(overload, 0), most = overload.positional;
    std::string expected = least == most ? arguments_text(most)
                           : got < least ? "at least " + arguments_text(least)
                                         : std::to_string(least) + " to " + arguments_text(most);
    return "expected " + expected + ", got " + std::to_string(got);
}

// The list parameter whose elements a call may give one by one: the last positional one, or a
// creator's size.
std::optional<size_t> loose_parameter(const Overload &overload)
{
    auto collects = [&](size_t k) {
        const Parameter &p = overload.parameters[k];
        bool is_collected = p.type == ValueType::Int || p.type == ValueType::Tensor;
        return p.list && is_collected && !p.optional_elements;
    };
    if (overload.takes_tensor_options)
        for (size_t k = 0; k < overload.positional; k++)
            if (collects(k) && overload.parameters[k].name == "size") return k;
    if (overload.positional && collects(overload.positional - 1)) return overload.positional - 1;
    return std::nullopt;
}

// How many arguments are the elements of parameter k; 0 if the call gives a list, as usual.
size_t loose_count(const Overload &overload, size_t k, const Call &call)
{
    size_t given = call.positional, after = required_from(overload, k + 1);
    if (given <= k + after) return 0;
    size_t count = given - k - after;
    const Parameter &p = overload.parameters[k];
    if (count == 1 && ct::cost_of(p, call.values[k]) != NO) return 0;
    Parameter element = p;
    element.list = element.optional = false;
    for (size_t j = k; j < k + count; j++) {
        int cost = ct::cost_of(element, call.values[j]);
        if (cost == NO || cost >= WRAPPED) return 0;
    }
    return count;
}

// Whether it is a creator that writes to :out, such as zeros.out.  Calls may give a dtype and a
// device, too, though its schema has neither.
bool is_creator_with_out(const Overload &overload)
{
    if (overload.outs.size() != 1) return false;
    return std::none_of(overload.parameters.begin(), overload.parameters.end(), [&](const auto &p) {
        bool is_other = p.type == ValueType::Tensor || p.type == ValueType::Dtype;
        return is_other && p.name != overload.outs[0];
    });
}

bool is_option(const std::string &name)
{
    return name == "dtype" || name == "device" || name == "layout";
}

class Binder {
public:
    Binder(const Overload &overload, const Call &call) : overload_(overload), call_(call)
    {
        binding_.overload = &overload;
        binding_.positional = call.positional;
        binding_.sources.assign(overload.parameters.size(), Source{0, 0, false});
    }

    Binding bind()
    {
        if (!overload_.refusal.empty())
            note(Problem::COUNT, "cannot be called from Lisp: " + overload_.refusal);
        bind_positional();
        bind_keywords();
        check_required();
        check_types();
        for (size_t k : options_) check_option(call_.names[k - call_.positional], call_.values[k]);
        binding_.cost = binding_.problem == Problem::NONE ? cost_ : NO;
        return std::move(binding_);
    }

private:
    // Keep the first problem.  The rest is still bound, to see how many values fit.
    void note(Problem problem, std::string message)
    {
        if (binding_.problem != Problem::NONE) return;
        binding_.problem = problem;
        binding_.message = std::move(message);
    }

    void bind_positional()
    {
        std::optional<size_t> loose = loose_parameter(overload_);
        size_t given = call_.positional, parameter = 0;
        for (size_t k = 0; k < given; parameter++) {
            if (parameter >= overload_.positional)
                return note(Problem::COUNT, wrong_count(overload_, given));
            size_t count = loose == parameter ? loose_count(overload_, parameter, call_) : 0;
            binding_.sources[parameter] = {k, count ? count : 1, count > 0};
            cost_ += static_cast<int>(count) * CONVERTED;
            k += count ? count : 1;
        }
    }

    void bind_keywords()
    {
        for (size_t k = call_.positional; k < call_.values.size(); k++)
            bind_keyword(call_.names[k - call_.positional], k);
    }

    void bind_keyword(const std::string &name, size_t k)
    {
        bool is_creator = overload_.takes_tensor_options || is_creator_with_out(overload_);
        if (is_creator && name == "requires_grad") {
            binding_.requires_grad = call_.values[k].i;
            if (call_.values[k].kind != CT_BOOL && !ct::is_unknown(call_.values[k]))
                note(Problem::TYPE,
                     "expected a boolean for requires-grad, got " + ct::shown(call_.values[k]));
            return;
        }
        auto find = [&](auto is_meant) {
            const std::vector<Parameter> &all = overload_.parameters;
            return std::find_if(all.begin(), all.end(), is_meant) - all.begin();
        };
        if (name == "out" && overload_.outs.size() > 1 && call_.values[k].kind == CT_LIST)
            return bind_outs(k);
        if (is_creator_with_out(overload_) && is_option(name)) {
            options_.push_back(k);
            return;
        }
        size_t found = find([&](const Parameter &p) { return p.name == name; });
        if (found == overload_.parameters.size() && name == "out" && overload_.outs.size() > 1)
            return bind_outs(k);
        if (found == overload_.parameters.size())
            found = find([&](const Parameter &p) { return ct::is_other_name(p, name); });
        if (found == overload_.parameters.size())
            return note(Problem::KEYWORD, "unknown keyword :" + lisp_name(name));
        Source &source = binding_.sources[found];
        if (source.count)
            return note(Problem::KEYWORD, "keyword :" + lisp_name(name) + " is given twice");
        source = {k, 1, false};
        binding_.fitting++;
    }

    // :out (list values indices), for operators that write several results.
    void bind_outs(size_t k)
    {
        const ct_value &list = call_.values[k];
        size_t count = overload_.outs.size();
        bool known = !ct::is_unknown(list);
        if (known && (list.kind != CT_LIST || list.count != count))
            return note(Problem::TYPE, "expected a list of " + std::to_string(count) +
                                           " tensors for out, got " + ct::shown(list));
        binding_.only_this_call = true;
        int64_t element = 0;
        for (size_t j = 0; j < overload_.parameters.size(); j++) {
            const std::string &name = overload_.parameters[j].name;
            if (!std::count(overload_.outs.begin(), overload_.outs.end(), name)) continue;
            Source &source = binding_.sources[j];
            if (source.count)
                return note(Problem::KEYWORD, "keyword :" + lisp_name(name) + " is given twice");
            source = {k, 1, false, known ? element++ : -1};
        }
    }

    void check_required()
    {
        for (size_t k = 0; k < overload_.parameters.size(); k++) {
            const Parameter &p = overload_.parameters[k];
            if (binding_.sources[k].count || p.fallback) continue;
            if (p.keyword_only)
                note(Problem::MISSING, "expected the keyword :" + lisp_name(p.name));
            else if (call_.names.empty())
                note(Problem::COUNT, wrong_count(overload_, call_.positional));
            else
                note(Problem::MISSING, "expected a value for " + lisp_name(p.name));
        }
    }

    void check_types()
    {
        for (size_t k = 0; k < overload_.parameters.size(); k++) {
            const Source &source = binding_.sources[k];
            const Parameter &p = overload_.parameters[k];
            if (!source.count || source.loose) continue;
            check_type(p, ct::value_at(source, call_.values.data()));
        }
    }

    void check_type(const Parameter &p, const ct_value &value)
    {
        int cost = ct::cost_of(p, value);
        if (cost == NO || (cost >= WRAPPED && !call_.has_tensor)) {
            bool is_only = overload_.positional == 1 && !p.keyword_only;
            bool is_clear = ct::noun(p) == "a " + p.name;  // "a dtype for dtype"
            std::string target = is_only || is_clear ? "" : " for " + lisp_name(p.name);
            bool is_first = binding_.problem == Problem::NONE;
            note(Problem::TYPE,
                 "expected " + ct::noun(p) + target + ", got " + ct::shown(value));
            if (is_first) binding_.advice = ct::name_advice(p, value);
        } else {
            cost_ += cost;
            binding_.fitting++;
        }
    }

    // :dtype, :device and :layout must be those of :out where a call gives both, as in PyTorch.
    void check_option(const std::string &name, const ct_value &value)
    {
        binding_.only_this_call = true;
        if (binding_.problem != Problem::NONE || ct::is_absent(value)) return;
        size_t out = overload_.parameters.size();
        while (overload_.parameters[--out].name != overload_.outs[0]) continue;
        const ct_value &target = ct::value_at(binding_.sources[out], call_.values.data());
        if (ct::is_unknown(value) || ct::is_unknown(target)) return;
        const at::Tensor &into = target.tensor->value;
        if (std::string actual = ct::differing_option(name, value, into); !actual.empty())
            note(Problem::TYPE, "out has " + actual + ", not " + lisp_name(name) + " " +
                                    ct::shown(value));
    }

    const Overload &overload_;
    const Call &call_;
    std::vector<size_t> options_;  // values of :dtype, :device and :layout beside :out
    Binding binding_;
    int cost_ = 0;
};

}  // namespace

Binding ct::bind(const Overload &overload, const Call &call)
{
    return Binder(overload, call).bind();
}
