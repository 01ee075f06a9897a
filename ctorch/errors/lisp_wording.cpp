// lisp_wording.cpp - C++'s, Python's and PyTorch's words in a message, replaced by Lisp's.
//
//     grid.dim() == 4            =>  the rank of grid = 4
//     torch.FloatTensor{[2, 3]}  =>  float32 (2 3)
//     use torch.linalg.lstsq     =>  use tensor-linalg-lstsq
//     output_size must be None   =>  output-size must be #f

#include "errors/errors.h"
#include "dispatch/schema.h"

#include <regex>

namespace {

using Match = std::smatch;

struct Change {
    std::regex pattern;
    std::string (*with)(const Match &match);
};

struct Word {
    const char *theirs;
    const char *ours;
};

constexpr Word WORDS[] = {
    {"None", "#f"}, {"NoneType", "#f"}, {"nullopt", "#f"}, {"True", "#t"}, {"False", "#f"},
    {"tuple", "list"}, {"tuples", "lists"}, {"int", "integer"}, {"ints", "integers"},
    {"Tensor", "tensor"}, {"Tensors", "tensors"}, {"TensorList", "list of tensors"},
    {"IntArrayRef", "list of integers"}, {"ScalarType", "dtype"}, {"Scalar", "number"},
    {"&&", "and"}, {"||", "or"}, {"==", "="}, {"!=", "other than"},
    {"a long tensor", "an int64 tensor"},
};

std::string word(const Match &m)
{
    for (const Word &entry : WORDS)
        if (m[0] == entry.theirs) return entry.ours;
    return m[0];
}

std::string removed(const Match &) { return ""; }
std::string first_group(const Match &m) { return m[1]; }
std::string two_words(const Match &m) { return m[1].str() + " " + m[2].str(); }
std::string one_blank(const Match &) { return " "; }
std::string dtype(const Match &m) { return ct::dtype_word(m[0]); }
std::string shape(const Match &m) { return ct::shape_word(m[0]); }

// "FloatTensor{[2, 3]}" => "float32 (2 3)".
std::string tensor(const Match &m)
{
    std::string shape = m[2].matched ? " " + ct::shape_word(m[2]) : "";
    return ct::dtype_word(m[1]) + shape;
}

std::string printed_tensor(const Match &m) { return " " + tensor(m); }

// "linalg.lu_factor" => "tensor-linalg-lu-factor", if there is such an operator.
std::string operator_word(const Match &m)
{
    std::string name = m[1];
    for (char &c : name)
        if (c == '.') c = '_';
    return ct::overloads_of(name).empty() ? ct::lisp_name(name) : ct::lisp_operator(name);
}

std::string name(const Match &m)
{
    std::string name = m[1];
    bool in_place = name.back() == '_' && !ct::overloads_of(name).empty();
    while (name.back() == '_') name.pop_back();
    return ct::lisp_name(name) + (in_place ? "!" : "");
}

// A property of a tensor: "x.size(0)" => "size 0 of x".
std::string property(const Match &m)
{
    std::string what = m[2], of = " of " + m[1].str(), index = m[3].str() + m[4].str();
    if (what == "dim" || what == "ndim" || what == "ndimension") return "the rank" + of;
    if (what == "numel") return "the number of elements" + of;
    if (what == "sizes" || what == "shape") return "the shape" + of;
    if (what == "size") return (index.empty() ? "the length" : "size " + index) + of;
    return (what == "device" ? "the device" : "the dtype") + of;
}

std::string between(const Match &m) { return "between " + m[1].str() + " and " + m[2].str(); }

std::string rank(const Match &m) { return m[1].str() + "-d"; }

// Applied in this order: names of dtypes before other words, namespaces before the names in them.
const std::vector<Change> &changes()
{
    static const std::vector<Change> all = {
        {std::regex(R"((?:\s+-?[\d.]+(?:e[-+]\d+)?)*\s*\[ ([\w.]+)\{([\d,]*)\} \])"),
         printed_tensor},
        {std::regex(R"(`|\bstatic_cast<\w+>| ?\(while checking arguments for [^)]*\))"), removed},
        {std::regex(R"(^'(\w+)')"), first_group},
        {std::regex(R"((?:for )?argument #\d+ '(\w+)')"), first_group},
        {std::regex(R"(\b([Gg]ot|dtype|type)((?:[A-Z]|-?\d)\w*))"), two_words},
        {std::regex(R"(\b(got|found): ?)"), [](const Match &m) { return m[1].str() + " "; }},
        {std::regex("\\b((?:torch\\.(?:cuda\\.|sparse\\.)?|CPU|CUDA|XPU|MPS|" +
                    c10::get_privateuse1_backend() +
                    R"()?(?:Float|Double|Long|Int|Half|)"
                    R"(BFloat16|Bool|Byte|Short|Char|Complex(?:Float|Double|Half)))"
                    R"((?:Tensor|Type)?)(\{?\[[-\d, ]*\]\}?)?(?!\w))"),
         tensor},
        {std::regex(R"(\bc10::(?:complex<(?:float|double|c10::Half)>|Half|BFloat16))"), dtype},
        {std::regex(R"(\btorch\.(u?int\d+|b?float\d+\w*|complex\d+|bool)\b)"), first_group},
        {std::regex(R"(\blong int\b|\bunsigned char\b|\bsigned char\b|\bc?float\b|\bc?double\b)"),
         dtype},
        {std::regex(R"(\bin (?:the range )?[\[(](-?[\d.]+), ?(-?[\d.]+)[\])])"), between},
        {std::regex(R"(torch\.Size\(\[[-\d, ]*\]\)|\{?\[(?:-?\d+(?:, )?)*\]\}?|)"
                    R"(\{-?\d+(?:, ?-?\d+)*\}|\(?\b\d+(?: ?x ?\d+)+\b\)?|\((?:-?\d+, ?)+-?\d*\))"),
         shape},
        {std::regex(R"(\b(?:at|c10|torch|aten|std|native|jit)::(?:\w+::)*)"), removed},
        {std::regex(R"(\b(\w+)\s?(?:\.|->)(dim|ndim|ndimension|numel|sizes|size|shape|dtype|)"
                    R"(device|scalar_type)\b(?:\(([-\w]*)\)|\[([-\d]+)\])?)"),
         property},
        {std::regex(R"(\b(?:torch|Tensor)\.((?:\w+\.)*\w+)(?:\(\))?)"), operator_word},
        {std::regex(R"(\b(\w+)\(\))"), operator_word},
        {std::regex(R"(\b(\d+)(?:[- ]?(?:[dD]|dimensional)|-dimension)\b)"), rank},
        {std::regex(R"(\b_*([A-Za-z]\w*_\w+|[A-Za-z]+_)\b)"), name},
        {std::regex(R"(\b(?:None(?:Type)?|nullopt|True|False|tuples?|ints?|Tensors?|TensorList|)"
                    R"(IntArrayRef|ScalarType|Scalar|a long tensor)\b|&&|\|\||==|!=)"),
         word},
        {std::regex(R"(0x[0-9a-fA-F]{4,})"), removed},
        {std::regex(R"(\s+)"), one_blank},
        {std::regex(R"( ([,.;:])(?= |$))"), first_group},
    };
    return all;
}

std::string changed(const std::string &text, const Change &change)
{
    std::string out;
    auto from = text.cbegin();
    for (std::sregex_iterator m(text.cbegin(), text.cend(), change.pattern), end; m != end; ++m) {
        out.append(from, (*m)[0].first);
        out += change.with(*m);
        from = (*m)[0].second;
    }
    return out.append(from, text.cend());
}

}  // namespace

std::string ct::in_lisp_words(std::string text)
{
    for (const Change &change : changes()) text = changed(text, change);
    return text;
}
