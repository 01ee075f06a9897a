// bind.cpp - the values of a call as one overload would take them.
//
//     (tensor-zeros 2 3 :dtype 'int64) to zeros(int[] size, *, dtype=None, ...)
//  => size from values 0 to 1, loose; dtype from value 2; defaults for the rest

#include "call.h"

#include <algorithm>

namespace {

using ct::Binding;
using ct::Call;
using ct::CONVERTED;
using ct::Failure;
using ct::Kind;
using ct::lisp_name;
using ct::NO;
using ct::Overload;
using ct::Parameter;
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

Failure wrong_count(const Overload &overload, size_t got)
{
    size_t least = required_from(overload, 0), most = overload.positional;
    std::string expected = least == most ? arguments_text(most)
                           : got < least ? "at least " + arguments_text(least)
                                         : std::to_string(least) + " to " + arguments_text(most);
    return {"expected " + expected + ", got " + std::to_string(got), ""};
}

// The list parameter that loose arguments may fill: the last positional one, or a creator's size.
std::optional<size_t> loose_parameter(const Overload &overload)
{
    auto collects = [&](size_t k) {
        const Parameter &p = overload.parameters[k];
        return p.list && (p.kind == Kind::Int || p.kind == Kind::Tensor) && !p.optional_elements;
    };
    if (overload.makes_tensors)
        for (size_t k = 0; k < overload.positional; k++)
            if (collects(k) && overload.parameters[k].name == "size") return k;
    if (overload.positional && collects(overload.positional - 1)) return overload.positional - 1;
    return std::nullopt;
}

// How many loose arguments parameter k takes in this call; 0 if it takes a list as usual.
size_t loose_count(const Overload &overload, size_t k, const Call &call)
{
    size_t given = call.positional, after = required_from(overload, k + 1);
    if (given <= k + after) return 0;
    size_t count = given - k - after;
    const Parameter &p = overload.parameters[k];
    if (count == 1 && ct::cost_of(p, call.values[k]) != NO) return 0;
    ct_kind wanted = p.kind == Kind::Int ? CT_INT : CT_TENSOR;
    for (size_t j = k; j < k + count; j++)
        if (call.values[j].kind != wanted) return 0;
    return count;
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
        bool fits = place_positional() && place_named() && check_required() && check_types();
        binding_.cost = fits ? cost_ : NO;
        return std::move(binding_);
    }

private:
    bool fail(Failure problem)
    {
        binding_.problem = std::move(problem);
        return false;
    }

    bool place_positional()
    {
        std::optional<size_t> loose = loose_parameter(overload_);
        size_t given = call_.positional, parameter = 0;
        for (size_t k = 0; k < given; parameter++) {
            if (parameter >= overload_.positional) {
                check_types();  // to see how near it comes
                return fail(wrong_count(overload_, given));
            }
            size_t count = loose == parameter ? loose_count(overload_, parameter, call_) : 0;
            binding_.sources[parameter] = {k, count ? count : 1, count > 0};
            cost_ += static_cast<int>(count) * CONVERTED;
            k += count ? count : 1;
        }
        return true;
    }

    bool place_named()
    {
        for (size_t k = call_.positional; k < call_.values.size(); k++) {
            const std::string &name = call_.names[k - call_.positional];
            const ct_value &value = call_.values[k];
            if (overload_.makes_tensors && name == "requires_grad") {
                if (value.kind != CT_BOOL)
                    return fail({"expected a boolean for requires-grad, got " + ct::shown(value),
                                 ""});
                binding_.requires_grad = value.i;
                continue;
            }
            auto found = std::find_if(overload_.parameters.begin(), overload_.parameters.end(),
                                      [&](const Parameter &p) { return p.name == name; });
            if (found == overload_.parameters.end())
                return fail({"unknown keyword :" + lisp_name(name), ""});
            Source &source = binding_.sources[found - overload_.parameters.begin()];
            if (source.count)
                return fail({"keyword :" + lisp_name(name) + " is given twice", ""});
            source = {k, 1, false};
            binding_.fitting++;
        }
        return true;
    }

    bool check_required()
    {
        for (size_t k = 0; k < overload_.parameters.size(); k++) {
            const Parameter &p = overload_.parameters[k];
            if (binding_.sources[k].count || p.fallback) continue;
            if (p.keyword_only)
                return fail({"expected the keyword :" + lisp_name(p.name), ""});
            if (call_.names.empty()) return fail(wrong_count(overload_, call_.positional));
            return fail({"expected a value for " + lisp_name(p.name), ""});
        }
        return true;
    }

    bool check_types()
    {
        for (size_t k = 0; k < overload_.parameters.size(); k++) {
            const Source &source = binding_.sources[k];
            if (!source.count || source.loose) continue;
            const Parameter &p = overload_.parameters[k];
            const ct_value &value = call_.values[source.first];
            int cost = ct::cost_of(p, value);
            if (cost == NO || (cost >= WRAPPED && !call_.has_tensor)) {
                std::string place = overload_.positional == 1 && !p.keyword_only
                                        ? "" : " for " + lisp_name(p.name);
                return fail({"expected " + ct::noun(p) + place + ", got " + ct::shown(value), ""});
            }
            cost_ += cost;
            binding_.fitting++;
        }
        return true;
    }

    const Overload &overload_;
    const Call &call_;
    Binding binding_;
    int cost_ = 0;
};

}  // namespace

Binding ct::bind(const Overload &overload, const Call &call)
{
    return Binder(overload, call).bind();
}
