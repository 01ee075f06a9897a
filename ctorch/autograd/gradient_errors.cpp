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
#include <regex>

namespace {

using ct::Failure;
using ct::Givens;
using Match = std::smatch;

bool is_upper(char c) { return std::isupper(static_cast<unsigned char>(c)); }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)); }

// "[2, 3]" => "(2 3)".
std::string as_shape(const std::string &sizes)
{
    static const std::regex comma(", ");
    return "(" + std::regex_replace(sizes.substr(1, sizes.size() - 2), comma, " ") + ")";
}

// LibTorch names the operation that returned the tensor.  It is the one that has changed the
// tensor, unless it is the one whose gradient needs the tensor.
Failure changed_since(const Match &m)
{
    std::string needs = ct::operation_of(ct::failed_node()), changed = ct::operation_of(m[2]);
    bool names_change = !changed.empty() && changed != needs;
    return {"the gradient of " + (needs.empty() ? "an operation" : needs) +
                " needs a tensor of shape " + as_shape(m[1]) + " that " +
                (names_change ? changed + "! has changed since" : "has been changed in place since"),
            "change a copy from tensor-copy, or use the operator without !"};
}

// ", got a tensor int64 (2)": the first one.
std::string got(const Givens &givens)
{
    std::vector<at::Tensor> tensors = ct::tensors_of(givens);
    return tensors.empty() ? "" : ", got " + ct::describe(tensors[0]);
}

Failure no_floats(const Match &, const Givens &givens)
{
    return {"only tensors of floating-point numbers have gradients" + got(givens),
            "convert it: (tensor-to {0|x} 'float32)"};
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

// The first argument that was made in inference-mode.
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

struct Rule {
    std::regex pattern;
    Failure (*explain)(const Match &match, const Givens &givens);
};

const std::vector<Rule> &rules()
{
    static const std::vector<Rule> all = {
        {std::regex("one of the variables needed for gradient computation has been modified by an "
                    "inplace operation: \\[\\S+ (\\[.*?\\])\\](?:, which is output \\d+ of (\\w+),)?"),
         [](const Match &m, const Givens &) { return changed_since(m); }},
        {std::regex("a leaf Variable that requires grad is being used in an in-place operation|"
                    "a leaf Variable that requires grad has been moved"),
         [](const Match &m, const Givens &) {
             bool is_view = m.prefix().str().ends_with("a view of ");
             return Failure{std::string(is_view ? "a view of a leaf" : "a leaf") +
                                " that requires grad cannot be changed in place",
                            "inside (no-grad ...), {0|it} may be changed"};
         }},
        {std::regex("is a view and is being modified inplace\\. This view is the output of a "
                    "function that returns multiple views"),
         [](const Match &, const Givens &) {
             return Failure{"one of several views that an operator returned cannot be changed in place",
                            "use the operator without !, or change a copy: (tensor-copy {0|x})"};
         }},
        {std::regex("(?:A view was created|is a view and its base or another view).*no_grad mode"),
         [](const Match &, const Givens &) {
             return Failure{"a view created inside no-grad cannot be changed in place outside of it",
                            "create and change it both inside or both outside"};
         }},
        {std::regex("(?:A view was created|is a view and its base or another view).*inference mode"),
         [](const Match &, const Givens &) {
             return Failure{"a view created in inference-mode cannot be changed in place outside of it",
                            "create and change it both inside or both outside"};
         }},
        {std::regex("Inference tensors cannot be saved for backward"),
         [](const Match &, const Givens &givens) {
             return Failure{"a tensor that was made in inference-mode takes no part in gradients",
                            hint_of_inference(givens)};
         }},
        {std::regex("Inplace update to inference tensor outside InferenceMode"),
         [](const Match &, const Givens &givens) {
             return Failure{"a tensor that was made in inference-mode cannot be changed in place "
                            "outside of it",
                            hint_of_inference(givens)};
         }},
        {std::regex("Setting requires_grad=True on inference tensor outside InferenceMode"),
         [](const Match &, const Givens &givens) {
             return Failure{"a tensor that was made in inference-mode has no gradient", hint_of_inference(givens)};
         }},
        {std::regex("Inference tensors do not track version counter|"
                    "Cannot set version_counter for inference tensor"),
         [](const Match &, const Givens &givens) {
             return Failure{"a tensor that was made in inference-mode counts no changes", hint_of_inference(givens)};
         }},
        {std::regex("you can only change requires_grad flags of leaf variables"),
         [](const Match &, const Givens &) {
             return Failure{"the result of a recorded operation cannot stop requiring grad",
                            "(detach {0|x}) has the same elements and does not require grad"};
         }},
        {std::regex("[Oo]nly Tensors of floating point"), no_floats},
        // Only LibTorch's tensor--backward raises these two.
        {std::regex("does not require grad and does not have a grad_fn"),
         [](const Match &, const Givens &) {
             return Failure{"nothing that this was computed from requires grad",
                            "(requires-grad! x) before {0|it} is computed from x"};
         }},
        {std::regex("grad can be implicitly created only for scalar outputs"),
         [](const Match &, const Givens &givens) {
             return Failure{"expected a tensor of one element" + got(givens),
                            "take the gradient of a sum, (tensor-sum {0|y})"};
         }},
        {std::regex("Trying to backward through the graph a second time"),
         [](const Match &, const Givens &) {
             return Failure{"the gradients of this computation have been computed before",
                            "pass :retain-graph #t the first time, to keep the graph of {0|it}"};
         }},
        {std::regex("functions with out=... arguments don't support automatic differentiation"),
         [](const Match &, const Givens &) {
             return Failure{"operators with :out record no gradients, but an argument requires grad",
                            "omit :out, or use (no-grad ...)"};
         }},
        {std::regex("derivative for '?(?:aten::)?(\\w+)'? is not implemented|"
                    "(\\w+) is not differentiable|"
                    "the derivative of '?(?:aten::)?(\\w+)'? is not implemented"),
         [](const Match &m, const Givens &) {
             std::string name = m[1].matched ? m[1] : m[2].matched ? m[2] : m[3];
             std::replace(name.begin(), name.end(), '_', '-');
             return Failure{"LibTorch has no gradient of tensor-" + name, ""};
         }},
        {std::regex("Function '(\\w+)' returned nan values"),
         [](const Match &m, const Givens &) {
             return Failure{"the gradient of " + ct::operation_of(m[1]) + " contains nan", ""};
         }},
    };
    return all;
}

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
    Match match;
    for (const Rule &rule : rules())
        if (std::regex_search(text, match, rule.pattern)) return rule.explain(match, givens);
    return std::nullopt;
}
