// message_cleaning.cpp - a message of LibTorch's that is in no table: the message without its C++.
//
//     grid_sampler(): Expected grid.dim() == 4 to be true, but got false.  (Could this error ...)
//  => expected the rank of grid = 4
//     torch.chunk: chunk expects `chunks` to be greater than 0, got: 0. See https://pytorch.org/...
//  => expected chunks to be greater than 0, got 0
//
// LibTorch has thousands of messages.  Sentences that still contain C++ in the end are left out.

#include "errors/errors.h"
#include "dispatch/schema.h"

#include <algorithm>
#include <cctype>
#include <regex>

namespace {

constexpr size_t LONGEST_MATCHED = 1500;  // characters: matching a regex is recursive
constexpr const char *NO_REASON = "LibTorch refuses these arguments";

bool is_upper(char c) { return std::isupper(static_cast<unsigned char>(c)); }
bool is_lower(char c) { return std::islower(static_cast<unsigned char>(c)); }

// "linalg.cond", "torch.chunk", "avg_pool2d()".
bool is_operator(std::string name)
{
    name = name.substr(0, name.find_first_of("( "));
    if (name.starts_with("torch.")) name.erase(0, 6);
    std::replace(name.begin(), name.end(), '.', '_');
    return !ct::overloads_of(name).empty();
}

// Without the C++ trace at the end.
std::string without_trace(std::string text)
{
    for (const char *head : {"Exception raised from", "C++ CapturedTraceback", "Debug info for"})
        text = text.substr(0, text.find(head));
    for (char &c : text)
        if (c == '\n' || c == '\t') c = ' ';
    return text.substr(0, LONGEST_MATCHED);
}

// C++'s checks: "x == y INTERNAL ASSERT FAILED at ..." and "Expected x == y to be true, but ...".
std::string without_checks(const std::string &text)
{
    static const std::regex assertion(R"(^[^\n]*INTERNAL ASSERT FAILED at "[^"]*":\d+,? please )"
                                      R"(report a bug to PyTorch\.? ?)");
    static const std::regex condition(R"(Expected ([^\n]*?) to be true, but got false\.?)");
    return std::regex_replace(std::regex_replace(text, assertion, ""), condition, "Expected $1.");
}

// "linalg.inv: ", "avg_pool2d(): ", "stft(torch.FloatTensor[4], n_fft=2) : ", "Error: ".
std::string without_label(const std::string &text)
{
    static const std::regex label(R"(^\s*(?:(?:[A-Z]\w+ )?[Ee]rror|)"
                                  R"(([A-Za-z_][\w.:]*)(\([^()]*\))?)\s*: +)");
    std::smatch m;
    if (!std::regex_search(text, m, label)) return text;
    std::string name = m[1];
    bool named = !m[1].matched || m[2].matched || is_operator(name) ||
                 name.find_first_of("._:") != std::string::npos;
    return named ? without_label(m.suffix()) : text;
}

// The end of the sentence that begins at `from`: after its full stop, before a capital.
size_t sentence_end(const std::string &text, size_t from)
{
    for (size_t k = from; k + 2 < text.size(); k++) {
        bool stop = text[k] == '.' || text[k] == '!' || text[k] == '?';
        size_t next = text.find_first_not_of(' ', k + 1);
        if (stop && next != std::string::npos && next > k + 1 &&
            (is_upper(text[next]) || text[next] == '('))
            return k + 1;
    }
    return text.size();
}

std::vector<std::string> sentences(const std::string &text)
{
    std::vector<std::string> all;
    for (size_t at = 0; at < text.size();) {
        size_t end = sentence_end(text, at), begin = text.find_first_not_of(' ', at);
        if (begin < end) all.push_back(text.substr(begin, end - begin));
        at = end;
    }
    return all;
}

// Whether it is of no use in Lisp: what to do in Python, where to report a bug, what to read.
bool is_advice(const std::string &sentence)
{
    static const std::regex signs(
        R"([Pp]y[Tt]orch|[Pp]ython|http|Facebook|[Gg]it[Hh]ub|\bbug\b|\bissue\b|\bC\+\+|)"
        R"(deprecated|environment variable|[A-Z]+_[A-Z_]+|torch\.compile|nn\.Module|)"
        R"(error message)");
    return std::regex_search(sentence, signs);
}

// "linalg.cond got ..." => "got ...", "quantile() q must ..." => "q must ...",
// "chunk expects ..." => "expected ...".
std::string without_subject(const std::string &text)
{
    static const std::regex subject(R"(^(torch\.[\w.]+(?:\(\))?|\w+\(\)|[a-z][\w.]* )"
                                    R"((?=expect|require|only|got|does|support|can|is|must)) *)");
    static const std::regex demand("^(?:[Ee]xpect|require)s? "), copula("^is (?=not|only)");
    std::smatch m;
    bool found = std::regex_search(text, m, subject) && is_operator(m[1]);
    std::string rest = std::regex_replace(found ? m.suffix().str() : text, demand, "expected ");
    return std::regex_replace(rest, copula, "");
}

// Whether some of it is still C++ or Python.
bool contains_code(const std::string &text)
{
    static const std::regex signs(
        R"(::|->|[{}\\]|\w\(\)|[a-z][A-Z]\w*\(|rrayRef|\[\w*:|<\w+>|%|\w/\w+\.|_|INTERNAL|)"
        R"(TensorOptions|TypeMeta|\bIValue|nullptr|\.?\bcpp\b|\btorch\b|[Pp]y[Tt]orch)");
    return std::regex_search(text, signs);
}

// Without the punctuation around it.  The "!" of an operator's name stays.
std::string trimmed(const std::string &text)
{
    size_t first = text.find_first_not_of(" ,;:.");
    if (first == std::string::npos) return "";
    size_t last = text.find_last_not_of(" ,;:.!"), name = text.rfind("tensor-", last);
    bool in_place = name != std::string::npos && text.find(' ', name) > last &&
                    last + 1 < text.size() && text[last + 1] == '!';
    return text.substr(first, last - first + 1 + in_place);
}

std::string decapitalised(std::string text)
{
    bool proper = text.starts_with("LibTorch");
    if (text.size() > 1 && is_lower(text[1]) && !proper)
        text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
    return text;
}

}  // namespace

std::string ct::cleaned_message(const std::string &text)
{
    std::string relevant = without_label(without_checks(without_trace(text))), out;
    for (const std::string &sentence : sentences(relevant)) {
        if (is_advice(sentence)) continue;
        std::string ours = decapitalised(trimmed(in_lisp_words(without_subject(sentence))));
        if (!ours.empty() && !contains_code(ours)) out += (out.empty() ? "" : "; ") + ours;
    }
    return out.empty() ? NO_REASON : out;
}
