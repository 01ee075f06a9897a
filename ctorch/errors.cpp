// errors.cpp - LibTorch's messages in Lambent's words: one line, shapes as lists, no C++.
//
//     mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)
//  => inner sizes differ: (2 3) times (2 3)
//
// What people meet daily has a rule of its own; everything else is cleaned of what only a C++
// programmer can use.

#include "memory.h"

#include <c10/util/Exception.h>

#include <cctype>
#include <exception>
#include <optional>
#include <regex>

namespace {

using Match = std::smatch;
using ct::Failure;
using ct::Operands;

thread_local std::string last_message, last_hint;

std::vector<at::Tensor> tensors_of(Operands operands)
{
    std::vector<at::Tensor> tensors;
    for (ct_tensor *x : operands)
        if (x) tensors.push_back(x->value);
    return tensors;
}

// "[2, 3]" => "(2 3)", and "2x3" => "(2 3)".
std::string as_shape(std::string text)
{
    static const std::regex separators("[\\[\\](), x]+");
    text = std::regex_replace(text, separators, " ");
    size_t first = text.find_first_not_of(' '), last = text.find_last_not_of(' ');
    if (first == std::string::npos) return "()";
    return "(" + text.substr(first, last - first + 1) + ")";
}

// Which of two matrices to transpose so that they fit, and what becomes of it.
std::string transpose_hint(const at::Tensor &a, const at::Tensor &b)
{
    auto hint = [](int which, const at::Tensor &x) {
        std::vector<int64_t> sizes = x.sizes().vec();
        std::swap(sizes[sizes.size() - 1], sizes[sizes.size() - 2]);
        return "(tensor-transpose {" + std::to_string(which) + "} " +
               (sizes.size() == 2 ? "0 1" : "-2 -1") + ") has shape " + ct::shape_text(sizes);
    };
    if (a.dim() < 1 || b.dim() < 1) return "";
    if (b.dim() >= 2 && a.size(-1) == b.size(-1)) return hint(1, b);
    if (a.dim() >= 2 && b.dim() >= 2 && a.size(-2) == b.size(-2)) return hint(0, a);
    return "";
}

// Two operands that a matrix product cannot take.
Failure inner_sizes(Operands operands, const std::string &left, const std::string &right)
{
    if (operands.size() == 2 && operands[0] && operands[1]) {
        const at::Tensor &a = operands[0]->value, &b = operands[1]->value;
        return {"inner sizes differ: " + ct::shape_text(a) + " times " + ct::shape_text(b),
                transpose_hint(a, b)};
    }
    return {"inner sizes differ: " + left + " times " + right, ""};
}

Failure broadcast(Operands operands)
{
    std::string shapes;
    for (const at::Tensor &x : tensors_of(operands))
        shapes += (shapes.empty() ? "" : " and ") + ct::shape_text(x);
    return {"shapes " + shapes + " do not broadcast", ""};
}

Failure dim_range(Operands operands, int64_t highest, const std::string &dim)
{
    std::vector<at::Tensor> tensors = tensors_of(operands);
    int64_t rank = tensors.size() == 1 ? tensors[0].dim() : highest + 1;
    return {"dim " + dim + " is out of range for a tensor of rank " + std::to_string(rank), ""};
}

struct DtypeWord {
    const char *cpp;
    const char *ours;
};

// C++'s names of element types, as messages spell them.
constexpr DtypeWord DTYPE_WORDS[] = {
    {"float", "float32"}, {"double", "float64"}, {"long int", "int64"}, {"long", "int64"},
    {"int", "int32"}, {"short", "int16"}, {"signed char", "int8"}, {"char", "int8"},
    {"unsigned char", "uint8"}, {"byte", "uint8"}, {"half", "float16"}, {"c10::half", "float16"},
    {"bfloat16", "bfloat16"}, {"c10::bfloat16", "bfloat16"}, {"bool", "bool"},
    {"complexfloat", "complex64"}, {"complexdouble", "complex128"},
};

std::string dtype_word(const std::string &name)
{
    std::string low;
    for (char c : name) low += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    for (const DtypeWord &word : DTYPE_WORDS)
        if (low == word.cpp) return word.ours;
    return name;
}

// A message that has a rule.
struct Rule {
    std::regex pattern;
    Failure (*explain)(const Match &match, Operands operands);
};

const std::vector<Rule> &rules()
{
    static const std::vector<Rule> all = {
        {std::regex("shapes cannot be multiplied \\(([0-9x]+) and ([0-9x]+)\\)"),
         [](const Match &m, Operands o) { return inner_sizes(o, as_shape(m[1]), as_shape(m[2])); }},
        {std::regex("size mismatch, got input \\(\\d+\\), mat \\(([0-9x]+)\\), vec \\((\\d+)\\)"),
         [](const Match &m, Operands o) { return inner_sizes(o, as_shape(m[1]), as_shape(m[2])); }},
        {std::regex("inconsistent tensor size, expected tensor (\\[.*?\\]) and src (\\[.*?\\])"),
         [](const Match &m, Operands o) { return inner_sizes(o, as_shape(m[1]), as_shape(m[2])); }},
        {std::regex("Expected size for first two dimensions of batch2 tensor to be: (\\[.*?\\]) "
                    "but got: (\\[.*?\\])"),
         [](const Match &m, Operands o) { return inner_sizes(o, as_shape(m[1]), as_shape(m[2])); }},
        {std::regex("The size of tensor a \\(\\d+\\) must match the size of tensor b"),
         [](const Match &, Operands o) { return broadcast(o); }},
        {std::regex("shape mismatch: objects cannot be broadcast|are not broadcastable"),
         [](const Match &, Operands o) { return broadcast(o); }},
        {std::regex("output with shape (\\[.*?\\]) doesn't match the broadcast shape (\\[.*?\\])"),
         [](const Match &m, Operands) {
             return Failure{"a tensor of shape " + as_shape(m[1]) +
                                " cannot hold a result of shape " + as_shape(m[2]), ""};
         }},
        {std::regex("Target sizes: (\\[.*?\\])\\.  Tensor sizes: (\\[.*?\\])"),
         [](const Match &m, Operands) {
             return Failure{"shape " + as_shape(m[2]) + " does not expand to " + as_shape(m[1]),
                            ""};
         }},
        {std::regex("shape '(\\[.*?\\])' is invalid for input of size (\\d+)"),
         [](const Match &m, Operands) {
             return Failure{m[2].str() + " elements do not fit shape " + as_shape(m[1]), ""};
         }},
        {std::regex("Dimension out of range \\(expected to be in range of \\[-?\\d+, (-?\\d+)\\], "
                    "but got (-?\\d+)\\)"),
         [](const Match &m, Operands o) { return dim_range(o, std::stoll(m[1]), m[2]); }},
        {std::regex("Dimension specified as (-?\\d+) but tensor has no dimensions"),
         [](const Match &m, Operands o) { return dim_range(o, -1, m[1]); }},
        {std::regex("index (-?\\d+) is out of bounds for dimension (\\d+) with size (\\d+)"),
         [](const Match &m, Operands) {
             return Failure{"index " + m[1].str() + " is out of range for dim " + m[2].str() +
                                " of size " + m[3].str(), ""};
         }},
        {std::regex("Sizes of tensors must match except in dimension (-?\\d+)\\. Expected size "
                    "(\\d+) but got size (\\d+) for tensor number (\\d+)"),
         [](const Match &m, Operands) {
             return Failure{"sizes differ outside dim " + m[1].str() + ": tensor 0 has " +
                                m[2].str() + ", tensor " + m[4].str() + " has " + m[3].str(), ""};
         }},
        {std::regex("stack expects each tensor to be equal size, but got (\\[.*?\\]) at entry "
                    "(\\d+) and (\\[.*?\\]) at entry (\\d+)"),
         [](const Match &m, Operands) {
             return Failure{"shapes differ: tensor " + m[2].str() + " has " + as_shape(m[1]) +
                                ", tensor " + m[4].str() + " has " + as_shape(m[3]), ""};
         }},
        {std::regex("same dtype, but got: ([\\w: ]+) != ([\\w: ]+)"),
         [](const Match &m, Operands) {
             return Failure{"dtypes differ: " + dtype_word(m[1]) + " and " + dtype_word(m[2]),
                            "tensor-to changes a dtype"};
         }},
        {std::regex("expected scalar type (\\w+) but found (\\w+)", std::regex::icase),
         [](const Match &m, Operands) {
             return Failure{"expected a tensor of " + dtype_word(m[1]) + ", got one of " +
                                dtype_word(m[2]), "tensor-to changes a dtype"};
         }},
        {std::regex("not implemented for '(\\w+)'"),
         [](const Match &m, Operands) {
             return Failure{"not implemented for tensors of " + dtype_word(m[1]),
                            "tensor-to changes a dtype"};
         }},
        {std::regex("result type (\\w+) can't be cast to the desired output type ([\\w ]+)"),
         [](const Match &m, Operands) {
             return Failure{"a tensor of " + dtype_word(m[2]) + " cannot hold a result of " +
                                dtype_word(m[1]), ""};
         }},
        {std::regex("grad can be implicitly created only for scalar outputs"),
         [](const Match &, Operands o) {
             std::vector<at::Tensor> tensors = tensors_of(o);
             return Failure{"expected a tensor of one element, got " + ct::describe(tensors.at(0)),
                            "take its sum or mean first"};
         }},
        {std::regex("does not require grad and does not have a grad_fn"),
         [](const Match &, Operands) {
             return Failure{"nothing that this was computed from requires a gradient",
                            "(requires-grad! x) before the computation"};
         }},
        {std::regex("Trying to backward through the graph a second time"),
         [](const Match &, Operands) {
             return Failure{"the gradients of this computation have been taken before",
                            "the first time, pass :retain-graph #t"};
         }},
        {std::regex("appears to not have been used in the graph"),
         [](const Match &, Operands) {
             return Failure{"a tensor was not used in computing this one", ""};
         }},
        {std::regex("one of the variables needed for gradient computation has been modified"),
         [](const Match &, Operands) {
             return Failure{"a tensor that the gradient needs has been changed in place since", ""};
         }},
        {std::regex("a leaf Variable that requires grad is being used in an in-place operation"),
         [](const Match &, Operands) {
             return Failure{"a tensor that requires a gradient cannot be changed in place",
                            "(no-grad ...) around the change"};
         }},
        {std::regex("only Tensors of floating point"),
         [](const Match &, Operands o) {
             std::vector<at::Tensor> tensors = tensors_of(o);
             std::string got = tensors.empty() ? "" : ", got " + ct::describe(tensors[0]);
             return Failure{"only tensors of floating-point numbers have gradients" + got, ""};
         }},
        {std::regex("Could not run 'aten::[\\w.]+' with arguments from the '(\\w+)' backend"),
         [](const Match &m, Operands) {
             return Failure{"LibTorch has this operator, but not for " + m[1].str() + " tensors",
                            ""};
         }},
        {std::regex("ZeroDivisionError"),
         [](const Match &, Operands) { return Failure{"division by zero", ""}; }},
        {std::regex("index out of range in self"),
         [](const Match &, Operands) { return Failure{"an index is out of range", ""}; }},
        {std::regex("view size is not compatible with input tensor's size and stride"),
         [](const Match &, Operands) {
             return Failure{"no view of this tensor has that shape",
                            "tensor-reshape copies where a view is not possible"};
         }},
        {std::regex("dtype must be either a floating point or complex dtype\\. Got: (\\w+)"),
         [](const Match &m, Operands) {
             return Failure{"expected a tensor of floating-point numbers, got one of " +
                                dtype_word(m[1]), "tensor-to changes a dtype"};
         }},
    };
    return all;
}

// The text with every match of the pattern replaced by what `with` makes of it.
template <class With>
std::string replaced(const std::string &text, const char *pattern, With with)
{
    std::regex compiled(pattern);
    std::string out;
    auto from = text.cbegin();
    for (std::sregex_iterator m(text.cbegin(), text.cend(), compiled), end; m != end; ++m) {
        out.append(from, (*m)[0].first);
        out += with(*m);
        from = (*m)[0].second;
    }
    return out.append(from, text.cend());
}

std::string without(const std::string &text, const char *pattern)
{
    return replaced(text, pattern, [](const Match &) { return ""; });
}

bool is_lower(char c) { return std::islower(static_cast<unsigned char>(c)); }

// A message without a rule: what is left when the C++ is taken away.
std::string cleaned(std::string text)
{
    text = without(text, "Exception raised from[\\s\\S]*");
    text = without(text, "[^.\\n]*INTERNAL ASSERT FAILED at \"[^\"]*\":\\d+");
    text = without(text, "[,.]?\\s*\\(?[Pp]lease report a bug to PyTorch\\.?\\)?");
    text = without(text, "\\s*\\(Could this error message be improved[^)]*\\)");
    text = without(text, "\\n[\\s\\S]*");
    text = without(text, "\\b(?:at|c10|torch|aten)::(?:\\w+::)*|\\btorch\\.");
    text = without(text, "0x[0-9a-fA-F]{6,}");
    text = without(text, "^[A-Za-z_][\\w.]*(?:\\(\\w*\\))?: ");  // the operator, which Lisp names
    text = replaced(text, "\\[(?:-?\\d+(?:, )?)*\\]|\\(?\\b\\d+(?: ?x ?\\d+)+\\b\\)?",
                    [](const Match &m) { return as_shape(m[0]); });
    text = replaced(text, "\\b(?:CPU)?(Float|Double|Long|Int|Half|BFloat16|Bool|Byte|Short|Char)"
                          "(?:Tensor|Type)?\\b",
                    [](const Match &m) { return dtype_word(m[1]); });
    while (!text.empty() && (text.back() == ' ' || text.back() == '.')) text.pop_back();
    bool capitalised = text.size() > 1 && is_lower(text[1]);
    if (capitalised) text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
    return text.empty() ? "LibTorch failed without a message" : text;
}

Failure explained(const std::string &text, Operands operands)
{
    if (std::optional<Failure> memory = ct::memory_failure(text)) return *memory;
    Match match;
    for (const Rule &rule : rules())
        if (std::regex_search(text, match, rule.pattern)) return rule.explain(match, operands);
    return {cleaned(text), ""};
}

void remember(const Failure &failure)
{
    last_message = failure.message;
    last_hint = failure.hint;
}

class Silence final : public c10::WarningHandler {
    void process(const c10::Warning &) override {}
};

Silence silence;
const bool silenced = (ct_silence_warnings(), true);  // of the thread that loads this library

}  // namespace

void ct_silence_warnings(void) { c10::WarningUtils::set_warning_handler(&silence); }

int ct::report(Operands operands) noexcept
{
    try {
        try {
            throw;
        } catch (const Failure &failure) {
            remember(failure);
        } catch (const c10::Error &error) {
            remember(explained(error.what_without_backtrace(), operands));
        } catch (const std::bad_alloc &) {
            remember({"not enough memory", ""});
        } catch (const std::exception &error) {
            remember(explained(error.what(), operands));
        } catch (...) {
            remember({"LibTorch failed without a message", ""});
        }
    } catch (...) {
        last_message.clear();  // explaining has failed, for want of memory
        last_hint.clear();
    }
    return 1;
}

extern "C" {

const char *ct_last_error(void)
{
    return last_message.empty() ? "not enough memory" : last_message.c_str();
}

const char *ct_last_hint(void) { return last_hint.empty() ? nullptr : last_hint.c_str(); }

}  // extern "C"
