// lookup.cpp - looking up the forms of our own by the name of an operator.
//
//     "softmin"  =>  Overload{"functional", {input Tensor, dim Int, dtype Dtype optional}}

#include "overloads/overloads.h"
#include "tensor/plain.h"

#include <torch/csrc/jit/frontend/function_schema_parser.h>

#include <algorithm>
#include <string_view>

namespace {

using ct::Form;
using ct::Overload;

const std::string OVERLOAD = ".functional";  // unlike any of LibTorch's own

std::string_view name_of(const Form &form)
{
    std::string_view schema = form.schema;
    return schema.substr(0, schema.find('('));
}

std::vector<Form> all_forms()
{
    std::vector<Form> all;
    for (auto forms : {ct::loss_forms(), ct::layer_forms(), ct::pool_forms(), ct::image_forms(),
                       ct::function_forms()})
        all.insert(all.end(), forms.begin(), forms.end());
    return all;
}

// Forms change in place what they compute from their arguments; zeros without memory forbid that.
at::Tensor with_memory(const at::Tensor &x)
{
    return x.defined() && x._is_zerotensor() ? ct::plain(x) : x;
}

Overload overload_of_form(const Form &form)
{
    std::string text = form.schema;
    text.insert(name_of(form).size(), OVERLOAD);
    auto *schema = new c10::FunctionSchema(torch::jit::parseSchema(text));  // never given back
    return ct::overload_of(*schema, [call = form.call](ct::Stack &stack) {
        for (c10::IValue &value : stack)
            if (value.isTensor()) value = with_memory(value.toTensor());
        call(stack);
    });
}

}  // namespace

std::vector<Overload> ct::forms_of(const std::string &name)
{
    std::vector<Overload> found;
    for (const Form &form : all_forms())
        if (name_of(form) == name) found.push_back(overload_of_form(form));
    return found;
}

const std::vector<std::string> &ct::form_names()
{
    static const auto &names = *new auto([] {
        std::vector<std::string> all;
        for (const Form &form : all_forms()) all.emplace_back(name_of(form));
        std::sort(all.begin(), all.end());
        all.erase(std::unique(all.begin(), all.end()), all.end());
        return all;
    }());
    return names;
}

extern "C" const char *ct_form_usages(void)
{
    static const auto *text = [] {
        auto *all = new std::string;
        for (const std::string &name : ct::form_names()) *all += ct::usages(name, ct::forms_of(name));
        return all;
    }();
    return text->c_str();
}
