// operators.cpp - the schemas of the operators of language models.

#include "llm/llm.h"

#include <string>

namespace {

using ct::OverloadDefinition;
using ct::Stack;

// What a value on the stack is converted to.
template <class T>
struct FromStack {
    using type = std::decay_t<T>;
};
template <>
struct FromStack<std::string_view> {
    using type = std::string;
};

template <auto function, class Result, class... Parameters, size_t... K>
void call_on(Stack &stack, Result (*)(Parameters...), std::index_sequence<K...>)
{
    std::tuple<typename FromStack<Parameters>::type...> arguments{
        std::move(stack[K]).to<typename FromStack<Parameters>::type>()...};
    stack.clear();
    stack.emplace_back(function(std::get<K>(arguments)...));
}

template <auto function, class Result, class... Parameters>
void call(Stack &stack, Result (*same)(Parameters...))
{
    call_on<function>(stack, same, std::index_sequence_for<Parameters...>());
}

template <auto function>
void on_stack(Stack &stack)
{
    call<function>(stack, function);
}

}  // namespace

c10::ArrayRef<OverloadDefinition> ct::llm_overloads()
{
    static constexpr OverloadDefinition definitions[] = {
        {"fused_rms_norm(Tensor input, Tensor weight, float eps=1e-06, float offset=0.0) -> Tensor",
         on_stack<llm::fused_rms_norm>},
        {"silu_mul(Tensor gate, Tensor? up=None) -> Tensor", on_stack<llm::silu_mul>},
        {"gelu_mul(Tensor gate, Tensor? up=None, *, str approximate='none') -> Tensor",
         on_stack<llm::gelu_mul>},
        {"rotary(Tensor input, Tensor cos, Tensor sin, bool interleaved=False) -> Tensor",
         on_stack<llm::rotary>},
        {"rotary_write_(Tensor(a!) keys, Tensor(b!) values, Tensor query, Tensor key, "
         "Tensor value, Tensor cos, Tensor sin, int start, bool interleaved=False) -> Tensor",
         on_stack<llm::rotary_write_>},
        {"qkv_write_(Tensor(a!) keys, Tensor(b!) values, Tensor joined, Tensor cos, Tensor sin, "
         "int start, bool interleaved=False) -> Tensor",
         on_stack<llm::qkv_write_>},
        {"cached_attention(Tensor query, Tensor keys, Tensor values, int length, "
         "Tensor? padding=None, int? window=None, *, float? scale=None, float softcap=0.0) "
         "-> Tensor",
         on_stack<llm::cached_attention>},
        {"paged_write_(Tensor(a!) keys, Tensor(b!) values, Tensor key, Tensor value, Tensor table, "
         "Tensor starts) -> Tensor(a!)",
         on_stack<llm::paged_write_>},
        {"paged_attention(Tensor query, Tensor keys, Tensor values, Tensor table, Tensor lengths, "
         "int? window=None, *, float? scale=None, float softcap=0.0) -> Tensor",
         on_stack<llm::paged_attention>},
        {"argmax_last(Tensor input) -> Tensor", on_stack<llm::argmax_last>},
        {"sample(Tensor logits, float temperature=1.0, int? top_k=None, float top_p=1.0, "
         "float min_p=0.0, float typical_p=1.0, *, Generator? generator=None) -> Tensor",
         on_stack<llm::sample>},
    };
    return definitions;
}
