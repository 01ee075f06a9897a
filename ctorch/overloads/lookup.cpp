// lookup.cpp - looking up Lambent's own overloads by the name of an operator.
//
//     "softmin"  =>  Overload{"functional", {input Tensor, dim Int, dtype Dtype optional}}

#include "overloads/overloads.h"
#include "tensor/plain.h"

#include <torch/csrc/jit/frontend/function_schema_parser.h>

#include <algorithm>
#include <string_view>

namespace {

using ct::OverloadDefinition;
using ct::Overload;

const std::string OVERLOAD = ".functional";  // no overload of LibTorch's has this name

std::string_view name_of(const OverloadDefinition &definition)
{
    std::string_view schema = definition.schema;
    return schema.substr(0, schema.find('('));
}

std::vector<OverloadDefinition> all_definitions()
{
    std::vector<OverloadDefinition> all;
    for (auto definitions : {ct::loss_overloads(), ct::layer_overloads(), ct::pool_overloads(),
                             ct::image_overloads(), ct::function_overloads(),
                             ct::llm_overloads()})
        all.insert(all.end(), definitions.begin(), definitions.end());
    return all;
}

// The overloads change intermediate tensors in place, which zeros without memory do not allow.
at::Tensor with_memory(const at::Tensor &x)
{
    return x.defined() && x._is_zerotensor() ? ct::plain(x) : x;
}

Overload overload_of_definition(const OverloadDefinition &definition)
{
    std::string text = definition.schema;
    text.insert(name_of(definition).size(), OVERLOAD);
    auto *schema = new c10::FunctionSchema(torch::jit::parseSchema(text));  // never freed
    return ct::overload_of(*schema, [call = definition.call](ct::Stack &stack) {
        for (c10::IValue &value : stack)
            if (value.isTensor()) value = with_memory(value.toTensor());
        call(stack);
    });
}

}  // namespace

std::vector<Overload> ct::own_overloads_of(const std::string &name)
{
    std::vector<Overload> found;
    for (const OverloadDefinition &definition : all_definitions())
        if (name_of(definition) == name) found.push_back(overload_of_definition(definition));
    return found;
}

const std::vector<std::string> &ct::own_overload_names()
{
    static const auto &names = *new auto([] {
        std::vector<std::string> all;
        for (const OverloadDefinition &definition : all_definitions())
            all.emplace_back(name_of(definition));
        std::sort(all.begin(), all.end());
        all.erase(std::unique(all.begin(), all.end()), all.end());
        return all;
    }());
    return names;
}

extern "C" const char *ct_overload_usages(void)
{
    static const auto *text = [] {
        auto *all = new std::string;
        for (const std::string &name : ct::own_overload_names())
            *all += ct::usages(name, ct::own_overloads_of(name));
        return all;
    }();
    return text->c_str();
}
