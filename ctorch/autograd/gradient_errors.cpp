// gradient_errors.cpp - LibTorch's messages about gradients in Lambent's words.
//
//     one of the variables needed for gradient computation has been modified by an inplace operation:
//     [torch.FloatTensor [2]], which is output 0 of Add, is at version 1; expected version 0 ...
//  => the gradient of tensor-mul needs a tensor of shape (2) that tensor-add! has changed since
//
// errors/report.cpp asks here first.  backward.cpp words the mistakes that it finds before it calls
// LibTorch.

#include "autograd/backward.h"

#include <algorithm>
#include <cctype>

namespace {

using ct::Failure;
using ct::Givens;
using ct::Holes;
using ct::MessageRow;

bool is_upper(char c) { return std::isupper(static_cast<unsigned char>(c)); }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)); }

constexpr const char *CHANGED_SINCE[] = {
    "modified by an inplace operation: [<t> <s>], which is output <n> of <g>,",
    "modified by an inplace operation: [<t> <s>]",
};

// LibTorch names the operation that returned the tensor.  It is the one that has changed the
// tensor, unless it is the one whose gradient needs the tensor.
Failure changed_since(const Holes &holes)
{
    std::string needs = ct::operation_of(ct::failed_node());
    std::string changed = holes.size() > 3 ? holes[3] : "";
    bool names_change = !changed.empty() && changed != needs;
    return {"the gradient of " + (needs.empty() ? "an operation" : needs) +
                " needs a tensor of shape " + holes[1] + " that " +
                (names_change ? changed + "! has changed since" : "has been changed in place since"),
            "change a copy from tensor-copy, or use the operator without !"};
}

// "LogSoftmax" => "log_softmax"; "UpsampleNearest2D" => "upsample_nearest2d".
std::string underscored(const std::string &camel)
{
    std::string name;
    for (size_t k = 0; k < camel.size(); k++) {
        if (k > 0 && is_upper(camel[k]) && !is_digit(camel[k - 1])) name += '_';
        name += static_cast<char>(std::tolower(static_cast<unsigned char>(camel[k])));
    }
    return name;
}

// Their hint names the first argument that was made in inference-mode.
constexpr MessageRow OF_INFERENCE[] = {
    {"Inference tensors cannot be saved for backward",
     "a tensor that was made in inference-mode takes no part in gradients"},
    {"Inplace update to inference tensor outside InferenceMode",
     "a tensor that was made in inference-mode cannot be changed in place outside of it"},
    {"Setting requires_grad=True on inference tensor outside InferenceMode",
     "a tensor that was made in inference-mode has no gradient"},
    {"Inference tensors do not track version counter",
     "a tensor that was made in inference-mode counts no changes"},
    {"Cannot set version_counter for inference tensor",
     "a tensor that was made in inference-mode counts no changes"},
};

std::string hint_of_inference(const Givens &givens)
{
    auto is_one = [](const ct::Given &given) {
        return given.value.kind == CT_TENSOR && given.value.tensor->value.is_inference();
    };
    auto found = std::find_if(givens.begin(), givens.end(), is_one);
    size_t index = found == givens.end() ? 0 : found->position;
    return "outside of inference-mode, (tensor-copy {" + std::to_string(index) +
           "|x}) is an ordinary tensor; no-grad makes such, too";
}

// Their message ends with the first tensor among the arguments.
constexpr MessageRow OF_TENSOR[] = {
    {"only Tensors of floating point", "only tensors of floating-point numbers have gradients",
     "convert it: (tensor-to {0|x} 'float32)"},
    {"grad can be implicitly created only for scalar outputs",  // of tensor-private--backward
     "expected a tensor of one element", "take the gradient of a sum, (tensor-sum {0|y})"},
};

// ", got a tensor int64 (2)".
std::string got(const Givens &givens)
{
    std::vector<at::Tensor> tensors = ct::tensors_of(givens);
    return tensors.empty() ? "" : ", got " + ct::describe(tensors[0]);
}

constexpr const char *UNTIL_NO_GRAD = "inside (no-grad ...), {0|it} may be changed";
constexpr const char *ONE_SIDE = "create and change it both inside or both outside";

constexpr MessageRow GRADIENT_ROWS[] = {
    {"a view of a leaf Variable that requires grad is being used in an in-place operation",
     "a view of a leaf that requires grad cannot be changed in place", UNTIL_NO_GRAD},
    {"a leaf Variable that requires grad is being used in an in-place operation",
     "a leaf that requires grad cannot be changed in place", UNTIL_NO_GRAD},
    {"a leaf Variable that requires grad has been moved",
     "a leaf that requires grad cannot be changed in place", UNTIL_NO_GRAD},
    {"is a view and is being modified inplace. This view is the output of a function that returns "
     "multiple views",
     "one of several views that an operator returned cannot be changed in place",
     "use the operator without !, or change a copy: (tensor-copy {0|x})"},
    {"A view was created<*>no_grad mode",
     "a view created inside no-grad cannot be changed in place outside of it", ONE_SIDE},
    {"is a view and its base or another view<*>no_grad mode",
     "a view created inside no-grad cannot be changed in place outside of it", ONE_SIDE},
    {"A view was created<*>inference mode",
     "a view created in inference-mode cannot be changed in place outside of it", ONE_SIDE},
    {"is a view and its base or another view<*>inference mode",
     "a view created in inference-mode cannot be changed in place outside of it", ONE_SIDE},
    {"you can only change requires_grad flags of leaf variables",
     "the result of a recorded operation cannot stop requiring grad",
     "(detach {0|x}) has the same elements and does not require grad"},
    {"does not require grad and does not have a grad_fn",  // of tensor-private--backward
     "nothing that this was computed from requires grad",
     "(requires-grad! x) before {0|it} is computed from x"},
    {"Trying to backward through the graph a second time",
     "the gradients of this computation have been computed before",
     "pass :retain-graph #t the first time, to keep the graph of {0|it}"},
    {"functions with out=... arguments don't support automatic differentiation",
     "operators with :out record no gradients, but an argument requires grad",
     "omit :out, or use (no-grad ...)"},
    {"derivative for <o> is not implemented", "LibTorch has no gradient of $1"},
    {"the derivative of <o> is not implemented", "LibTorch has no gradient of $1"},
    {"<o> is not differentiable", "LibTorch has no gradient of $1"},
    {"Function <g> returned nan values", "the gradient of $1 contains nan"},
};

}  // namespace

std::string ct::operation_of(const std::string &node)
{
    if (node.empty() || !is_upper(node[0])) return node.find(':') == std::string::npos ? node : "";
    if (node.starts_with("CopySlices") || node.starts_with("AccumulateGrad")) return "";
    std::string name = underscored(node.substr(0, node.rfind("Backward")));
    ct_op *op;
    while (is_digit(name.back()) && ct_op_find(name.c_str(), &op)) name.pop_back();
    std::replace(name.begin(), name.end(), '_', '-');
    return "tensor-" + name;
}

std::optional<Failure> ct::explain_autograd(const std::string &text, const Givens &givens)
{
    Holes holes;
    for (const char *pattern : CHANGED_SINCE)
        if (occurs(pattern, text, holes)) return changed_since(holes);
    for (const MessageRow &row : OF_INFERENCE)
        if (occurs(row.theirs, text, holes)) return Failure{row.ours, hint_of_inference(givens)};
    for (const MessageRow &row : OF_TENSOR)
        if (occurs(row.theirs, text, holes)) return Failure{row.ours + got(givens), row.hint};
    for (const MessageRow &row : GRADIENT_ROWS)
        if (occurs(row.theirs, text, holes)) return Failure{filled(row.ours, holes), row.hint};
    return std::nullopt;
}
