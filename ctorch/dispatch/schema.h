// schema.h - what LibTorch's schemas say about an operator, as the binder reads it.  C++ only.
#pragma once

#include "tensor/handle.h"

#include <ATen/core/dispatch/Dispatcher.h>

#include <functional>
#include <map>
#include <optional>

namespace ct {

// The type of the values that a parameter takes, or of their elements: Int for int, int? and int[].
enum class ValueType {
    Tensor, Int, Float, Bool, Number, String, Dtype, Layout, MemoryFormat, Device,
    Generator, Any,
    Other  // a storage, packed weights ...: only operators return such values
};

struct Parameter {
    std::string name;  // ATen's, with underscores
    ValueType type;
    c10::TypePtr schema_type;  // the same as LibTorch has it
    bool optional;
    bool list;
    bool optional_elements;  // Tensor?[]
    int64_t length;          // N of int[N], which a single number fills; 0 for other types
    bool keyword_only;
    bool written;            // the operator changes it: it must be a tensor, not a number
    std::optional<c10::IValue> fallback;  // the schema's default
};

struct Overload {
    const c10::FunctionSchema *schema;
    std::function<void(std::vector<c10::IValue> &)> call;  // with the arguments on a stack
    std::string name;
    std::vector<Parameter> parameters;  // the positional ones first
    size_t positional;
    std::vector<ValueType> returns;
    bool takes_tensor_options;      // dtype, device ...: then :requires-grad as well
    std::vector<std::string> outs;  // the names of parameters that it writes its results to
    std::string refusal;            // why no Lisp program can call it; empty if one can
    bool writes_elements = false;   // of tensors that it gets, not only their shapes
    bool is_elementwise = false;    // an element of the result needs only those at the same place
    bool has_in_place = false;      // with :out, and there is an operator that changes self
    bool uses_default_device = false;  // unless :device is given, as no argument is a tensor
};

// The overloads of an operator, in the order in which they are tried; empty if it has none.
std::vector<Overload> overloads_of(const std::string &name);

// The overload of a schema; call may be empty.
Overload overload_of(const c10::FunctionSchema &schema,
                     std::function<void(std::vector<c10::IValue> &)> call);

// "aten::add" => "add", "quantized::add" stays.
std::string without_default(const std::string &name);

// Overload names by operator, whose namespace is left out where it is aten.
const std::map<std::string, std::vector<std::string>> &operator_table();

// torchscript_overloads.cpp

// The overloads that only TorchScript registers, of those that a program can call.
std::vector<Overload> script_overloads_of(const std::string &name);
// All that only TorchScript registers, also those that no program can call.
std::vector<Overload> script_overloads();

// overloads/replacements.cpp

// The function that is called instead of that overload of LibTorch's; NULL for nearly all.
void (*call_instead(const std::string &name, const std::string &overload))(
    const c10::OperatorHandle &op, std::vector<c10::IValue> &stack);

// overloads/lookup.cpp

// Lambent's own overloads of that operator, which are tried after LibTorch's; empty if it has none.
std::vector<Overload> own_overloads_of(const std::string &name);
// The operators that have some, in order.
const std::vector<std::string> &own_overload_names();

// lisp_names.cpp

// "index_select" => "tensor-index-select", "add_" => "tensor-add!",
// "_softmax" => "tensor-private--softmax".
std::string lisp_operator(const std::string &name);
// "is_causal" => "is-causal".
std::string lisp_name(std::string name);

// "(tensor-softmax self dim [:dtype #f])".
std::string usage_text(const std::string &name, const Overload &overload);
// The usages of all overloads, one a line.
std::string usages(const std::string &name, const std::vector<Overload> &overloads);

// "Storage", "Conv2dPackedParamsBase".
std::string short_name(const c10::Type &type);
// "an exact integer", "a list of tensors".
std::string noun(const Parameter &parameter);

// pytorch_names.cpp

// The names that stand for numbers there, such as "\"none\", \"mean\" or \"sum\""; "" if none do.
std::string choices_text(const Parameter &parameter);

// The failure for an operator that does not exist.
Failure unknown_operator(const std::string &name);

}  // namespace ct
