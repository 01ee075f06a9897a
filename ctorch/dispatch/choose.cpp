// choose.cpp - choosing the overload of an operator that fits a call best.
//
//     (tensor-sum x 0 :keepdim #t)  =>  aten::sum.dim_IntList(x, [0], true, None)

#include "dispatch/call.h"

#include <algorithm>

namespace {

using ct::Binding;
using ct::Call;
using ct::Failure;
using ct::lisp_name;
using ct::NO;
using ct::Overload;

constexpr size_t MANY_USAGES = 5;  // candidates that a hint lists

// Overloads that write to :out are only for calls that give it.
bool is_candidate(const Overload &overload, const Call &call)
{
    auto is_given = [&](const std::string &out) {
        return std::count(call.names.begin(), call.names.end(), out) > 0;
    };
    return overload.outs.empty() || is_given("out") ||
           std::any_of(overload.outs.begin(), overload.outs.end(), is_given);
}

// Nearest first.
bool is_nearer(const Binding &a, const Binding &b)
{
    return a.fitting != b.fitting ? a.fitting > b.fitting : a.problem > b.problem;
}

// The usages that come nearest, each with its problem where that differs from the message.
//
//     usage: (tensor-sum self dim [keepdim] [:dtype #f])
//       or (tensor-sum self [:dtype #f]): expected 1 argument, got 2
std::string usage_hint(const std::string &name, const std::vector<Binding> &failed)
{
    std::vector<std::string> usages;
    std::string hint;
    for (const Binding &binding : failed) {
        std::string usage = ct::usage_text(name, *binding.overload);
        if (std::count(usages.begin(), usages.end(), usage)) continue;
        usages.push_back(usage);
        if (usages.size() > MANY_USAGES) continue;
        hint += (hint.empty() ? "usage: " : "\n  or ") + usage;
        if (binding.message != failed[0].message) hint += ": " + binding.message;
    }
    if (usages.size() > MANY_USAGES)
        hint += "\n  or " + std::to_string(usages.size() - MANY_USAGES) + " more: lambent doc " +
                ct::lisp_operator(name);
    return hint;
}

// Whether the call asks for the in-place operator as in Python, by inplace=True.
bool asks_in_place(const std::string &name, const Call &call)
{
    bool is_asked = std::count(call.names.begin(), call.names.end(), "inplace") > 0;
    const std::vector<std::string> &ours = ct::own_overload_names();
    bool exists = ct::operator_table().count(name + "_") > 0 ||
                  std::binary_search(ours.begin(), ours.end(), name + "_");
    return is_asked && exists;
}

Failure no_overload(const std::string &name, const std::vector<Overload> &overloads,
                    std::vector<Binding> failed, const Call &call)
{
    if (asks_in_place(name, call))
        return {"unknown keyword :inplace", ct::lisp_operator(name + "_") + " works in place"};
    if (failed.empty()) {
        const std::vector<std::string> &outs = overloads[0].outs;
        return {"expected the keyword :" + lisp_name(outs[0]),
                "usage: " + ct::usage_text(name, overloads[0])};
    }
    std::stable_sort(failed.begin(), failed.end(), is_nearer);
    const std::string &advice = failed[0].advice;
    return {failed[0].message, advice.empty() ? usage_hint(name, failed) : advice};
}

}  // namespace

ct::Values ct::in_order(size_t count, const ct_value *arguments)
{
    Values values;
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
    Binding best;
    std::vector<Binding> failed;
    for (const Overload &overload : overloads) {
        if (!is_candidate(overload, call)) continue;
        Binding binding = bind(overload, call);
        if (binding.cost == NO) failed.push_back(std::move(binding));
        else if (best.cost == NO || binding.cost < best.cost) best = std::move(binding);
    }
    if (best.cost == NO) throw no_overload(name, overloads, std::move(failed), call);
    return best;
}
