// choose.cpp - choosing the overload of an operator that a call means.
//
//     (tensor-sum x 0 :keepdim #t)  =>  aten::sum.dim_IntList(x, [0], true, None)

#include "call.h"

#include <algorithm>

namespace {

using ct::Binding;
using ct::Call;
using ct::Failure;
using ct::lisp_name;
using ct::NO;
using ct::Overload;

constexpr size_t MANY_USAGES = 4;  // candidates that a hint lists

bool is_candidate(const Overload &overload, const Call &call)
{
    return !overload.out || std::count(call.names.begin(), call.names.end(), *overload.out);
}

std::string usage_hint(const std::string &name, const std::vector<Overload> &overloads,
                       const Call &call)
{
    std::vector<std::string> usages;
    for (const Overload &overload : overloads) {
        std::string usage = ct::usage_text(name, overload);
        bool listed = std::count(usages.begin(), usages.end(), usage);
        if (is_candidate(overload, call) && !listed && usages.size() < MANY_USAGES)
            usages.push_back(usage);
    }
    std::string hint = "usage: ";
    for (const std::string &usage : usages) hint += (&usage == &usages[0] ? "" : " or ") + usage;
    return hint;
}

}  // namespace

std::vector<ct_value> ct::in_order(size_t count, const ct_value *arguments)
{
    std::vector<ct_value> values;
    values.reserve(count);
    for (size_t k = 0; k < count; k++)
        if (arguments[k].kind == CT_KEYWORD) k++;
        else values.push_back(arguments[k]);
    for (size_t k = 0; k + 1 < count; k++)
        if (arguments[k].kind == CT_KEYWORD) values.push_back(arguments[++k]);
    return values;
}

Call ct::split(size_t count, const ct_value *arguments)
{
    Call call;
    for (size_t k = 0; k < count; k++) {
        if (arguments[k].kind == CT_TENSOR) call.has_tensor = true;
        if (arguments[k].kind != CT_KEYWORD) continue;
        std::string name = arguments[k].text;
        if (k + 1 == count || arguments[k + 1].kind == CT_KEYWORD)
            throw Failure{"keyword :" + name + " has no value", ""};
        std::replace(name.begin(), name.end(), '-', '_');
        if (std::count(call.names.begin(), call.names.end(), name))
            throw Failure{"keyword :" + lisp_name(name) + " is given twice", ""};
        call.names.push_back(name);
    }
    call.values = in_order(count, arguments);
    call.positional = call.values.size() - call.names.size();
    return call;
}

Binding ct::choose(const std::string &name, const std::vector<Overload> &overloads,
                   const Call &call)
{
    Binding best, nearest;
    nearest.fitting = -1;
    for (const Overload &overload : overloads) {
        if (!is_candidate(overload, call)) continue;
        Binding binding = bind(overload, call);
        if (binding.cost == NO) {
            if (binding.fitting > nearest.fitting) nearest = std::move(binding);
        } else if (best.cost == NO || binding.cost < best.cost) {
            best = std::move(binding);
        }
    }
    if (best.cost != NO) return best;
    if (!nearest.overload) throw Failure{"this operator only writes to :out", usages(name, overloads)};
    throw Failure{nearest.problem.message, usage_hint(name, overloads, call)};
}
