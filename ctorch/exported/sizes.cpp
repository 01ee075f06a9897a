// sizes.cpp - sizes as symbols: what a program computes from them, and what its inputs must have.
//
//     "Mul(Integer(3), Symbol('s77', positive=True, integer=True))"   =>   3 * s77

#include "exported/program.h"

#include <charconv>
#include <cmath>

namespace ct::exported {

namespace {

using Arguments = std::vector<IValue>;

bool are_whole(const Arguments &arguments)
{
    for (const IValue &x : arguments)
        if (!x.isInt() && !x.isBool()) return false;
    return true;
}

const IValue &argument(const Arguments &arguments, size_t k)
{
    if (k >= arguments.size()) throw Failure{"a function of sizes has too few arguments", ""};
    return arguments[k];
}

int64_t whole(const Arguments &arguments, size_t k)
{
    const IValue &x = argument(arguments, k);
    if (x.isBool()) return x.toBool();
    if (!x.isInt()) throw Failure{"a function of sizes got something else than an integer", ""};
    return x.toInt();
}

double real(const Arguments &arguments, size_t k)
{
    const IValue &x = argument(arguments, k);
    if (x.isDouble()) return x.toDouble();
    return static_cast<double>(whole(arguments, k));
}

[[noreturn]] void too_large() { throw Failure{"a size is larger than 63 bits hold", ""}; }

IValue sum(const Arguments &x)
{
    if (!are_whole(x)) return real(x, 0) + real(x, 1);
    int64_t result;
    if (__builtin_add_overflow(whole(x, 0), whole(x, 1), &result)) too_large();
    return result;
}

IValue difference(const Arguments &x)
{
    if (!are_whole(x)) return real(x, 0) - real(x, 1);
    int64_t result;
    if (__builtin_sub_overflow(whole(x, 0), whole(x, 1), &result)) too_large();
    return result;
}

IValue product(const Arguments &x)
{
    if (!are_whole(x)) return real(x, 0) * real(x, 1);
    int64_t result;
    if (__builtin_mul_overflow(whole(x, 0), whole(x, 1), &result)) too_large();
    return result;
}

int64_t divisor(const Arguments &x)
{
    int64_t by = whole(x, 1);
    if (by == 0) throw Failure{"a size is divided by zero", ""};
    if (by == -1 && whole(x, 0) == INT64_MIN) too_large();
    return by;
}

// Rounded down, as in Python.
IValue floor_quotient(const Arguments &x)
{
    if (!are_whole(x)) return std::floor(real(x, 0) / real(x, 1));
    int64_t by = divisor(x), number = whole(x, 0), quotient = number / by;
    return quotient - (number % by != 0 && (number < 0) != (by < 0));
}

IValue modulo(const Arguments &x)
{
    if (!are_whole(x)) {
        double by = real(x, 1);
        return real(x, 0) - by * std::floor(real(x, 0) / by);
    }
    int64_t by = divisor(x), rest = whole(x, 0) % by;
    return rest != 0 && (rest < 0) != (by < 0) ? rest + by : rest;
}

IValue quotient(const Arguments &x)
{
    if (real(x, 1) == 0) throw Failure{"a size is divided by zero", ""};
    return real(x, 0) / real(x, 1);
}

IValue power(const Arguments &x)
{
    if (!are_whole(x) || whole(x, 1) < 0) return std::pow(real(x, 0), real(x, 1));
    int64_t result = 1, base = whole(x, 0), left = whole(x, 1);
    if (base >= -1 && base <= 1) left = left > 2 ? 2 - left % 2 : left;  // no power overflows
    for (; left > 0; left--)
        if (__builtin_mul_overflow(result, base, &result)) too_large();
    return result;
}

IValue truncated(const Arguments &x)
{
    double value = std::trunc(real(x, 0));
    if (!(std::abs(value) < 9.2e18)) too_large();
    return static_cast<int64_t>(value);
}

IValue rounded_down(const Arguments &x) { return truncated({IValue(std::floor(real(x, 0)))}); }
IValue rounded_up(const Arguments &x) { return truncated({IValue(std::ceil(real(x, 0)))}); }

IValue shifted_left(const Arguments &x)
{
    int64_t by = whole(x, 1), result;
    if (by < 0 || by > 62 || __builtin_mul_overflow(whole(x, 0), int64_t{1} << by, &result))
        too_large();
    return result;
}

IValue shifted_right(const Arguments &x)
{
    int64_t by = whole(x, 1);
    if (by < 0) throw Failure{"a size is shifted by a negative number", ""};
    return whole(x, 0) >> std::min<int64_t>(by, 63);
}

template <class Compare>
IValue compared(const Arguments &x, Compare compare)
{
    if (are_whole(x)) return IValue(compare(whole(x, 0), whole(x, 1)));
    return IValue(compare(real(x, 0), real(x, 1)));
}

bool is_true(const Arguments &x, size_t k) { return real(x, k) != 0; }

bool is_logical(const Arguments &x) { return argument(x, 0).isBool() && argument(x, 1).isBool(); }

struct Function {
    const char *name;
    SizeFunction function;
};

// Python's names, as in torch/_export/serde/serialize.py.
const Function FUNCTIONS[] = {
    {"_operator.add", sum},
    {"_operator.sub", difference},
    {"_operator.mul", product},
    {"_operator.floordiv", floor_quotient},
    {"_operator.mod", modulo},
    {"_operator.truediv", quotient},
    {"_operator.pow", power},
    {"_operator.lshift", shifted_left},
    {"_operator.rshift", shifted_right},
    {"_operator.neg", [](const Arguments &x) { return difference({IValue(int64_t{0}), argument(x, 0)}); }},
    {"_operator.pos", [](const Arguments &x) { return argument(x, 0); }},
    {"_operator.eq", [](const Arguments &x) { return compared(x, std::equal_to<>()); }},
    {"_operator.ne", [](const Arguments &x) { return compared(x, std::not_equal_to<>()); }},
    {"_operator.lt", [](const Arguments &x) { return compared(x, std::less<>()); }},
    {"_operator.le", [](const Arguments &x) { return compared(x, std::less_equal<>()); }},
    {"_operator.gt", [](const Arguments &x) { return compared(x, std::greater<>()); }},
    {"_operator.ge", [](const Arguments &x) { return compared(x, std::greater_equal<>()); }},
    {"_operator.and_", [](const Arguments &x) {
         return is_logical(x) ? IValue(is_true(x, 0) && is_true(x, 1))
                              : IValue(whole(x, 0) & whole(x, 1));
     }},
    {"_operator.or_", [](const Arguments &x) {
         return is_logical(x) ? IValue(is_true(x, 0) || is_true(x, 1))
                              : IValue(whole(x, 0) | whole(x, 1));
     }},
    {"math.trunc", truncated},
    {"math.floor", rounded_down},
    {"math.ceil", rounded_up},
    {"torch.sym_int", truncated},
    {"torch.sym_float", [](const Arguments &x) { return IValue(real(x, 0)); }},
    {"torch.sym_not", [](const Arguments &x) { return IValue(!is_true(x, 0)); }},
    {"torch.sym_max", [](const Arguments &x) { return real(x, 0) >= real(x, 1) ? x[0] : x[1]; }},
    {"torch.sym_min", [](const Arguments &x) { return real(x, 0) <= real(x, 1) ? x[0] : x[1]; }},
    {"torch.sym_ite", [](const Arguments &x) { return argument(x, is_true(x, 0) ? 1 : 2); }},
    {"torch._sym_sqrt", [](const Arguments &x) { return IValue(std::sqrt(real(x, 0))); }},
    {"torch.sym_sqrt", [](const Arguments &x) { return IValue(std::sqrt(real(x, 0))); }},
};

// Sympy's text of an expression.
class ExpressionReader {
public:
    explicit ExpressionReader(std::string_view text) : text_(text) {}

    Size read()
    {
        Size size = expression(0);
        return at_ == text_.size() ? size : Size{};
    }

private:
    static constexpr int DEEPEST = 100;

    std::string_view word()
    {
        size_t end = text_.find_first_of("(,)", at_);
        std::string_view found = text_.substr(at_, end - at_);
        at_ = std::min(end, text_.size());
        return found;
    }

    void skip_to_close()
    {
        int depth = 0;
        for (; at_ < text_.size(); at_++) {
            if (text_[at_] == '(') depth++;
            else if (text_[at_] == ')' && depth-- == 0) break;
        }
        at_ += at_ < text_.size();
    }

    Size expression(int depth)
    {
        Size size;
        std::string_view name = word();
        if (depth > DEEPEST || at_ == text_.size() || text_[at_] != '(') return size;
        at_++;
        if (name == "Symbol") size = symbol();
        else if (name == "Integer") size = integer();
        else if (name == "Add" || name == "Mul") return terms(name == "Add", depth);
        skip_to_close();
        return size;
    }

    Size symbol()
    {
        Size size;
        size_t begin = text_.find('\'', at_), end = text_.find('\'', begin + 1);
        if (begin == std::string_view::npos || end == std::string_view::npos) return size;
        size.kind = Size::SYMBOL;
        size.symbol = text_.substr(begin + 1, end - begin - 1);
        return size;
    }

    Size integer()
    {
        Size size;
        std::string_view digits = word();
        auto [end, error] = std::from_chars(digits.begin(), digits.end(), size.number);
        if (error == std::errc() && end == digits.end()) size.kind = Size::NUMBER;
        return size;
    }

    Size terms(bool sums, int depth)
    {
        Size size;
        size.kind = sums ? Size::SUM : Size::PRODUCT;
        while (at_ < text_.size() && text_[at_] != ')') {
            size.terms.push_back(expression(depth + 1));
            while (at_ < text_.size() && (text_[at_] == ',' || text_[at_] == ' ')) at_++;
        }
        skip_to_close();
        return size;
    }

    std::string_view text_;
    size_t at_ = 0;
};

}  // namespace

SizeFunction size_function(std::string_view target)
{
    for (const Function &each : FUNCTIONS)
        if (target == each.name) return each.function;
    return nullptr;
}

Size read_size(const JsonValue &json)
{
    JsonValue expression = json.get("as_expr");
    if (expression.exists())
        return ExpressionReader(expression.at("expr_str").text("an expression")).read();
    Size size;
    size.kind = Size::NUMBER;
    size.number = json.at("as_int").natural("a size", INT64_MAX);
    return size;
}

void Symbols::bind(const std::string &symbol, int64_t number, const std::string &what)
{
    auto range = ranges_.find(symbol);
    if (range != ranges_.end()) {
        auto [least, most] = range->second;
        if ((least && number < *least) || (most && number > *most))
            throw Failure{what + " is " + std::to_string(number) +
                              ", but the program was exported for " +
                              (least ? "at least " + std::to_string(*least) : "") +
                              (least && most ? " and " : "") +
                              (most ? "at most " + std::to_string(*most) : ""), ""};
    }
    auto [entry, is_new] = bound_.try_emplace(symbol, number, what);
    if (!is_new && entry->second.first != number)
        throw Failure{what + " is " + std::to_string(number) + ", but " + entry->second.second +
                          " is " + std::to_string(entry->second.first) +
                          ", and the program was exported for equal ones", ""};
}

std::optional<int64_t> Symbols::value(const Size &size) const
{
    switch (size.kind) {
    case Size::NUMBER: return size.number;
    case Size::SYMBOL: {
        auto found = bound_.find(size.symbol);
        return found == bound_.end() ? std::nullopt : std::optional(found->second.first);
    }
    case Size::SUM: case Size::PRODUCT: {
        int64_t result = size.kind == Size::PRODUCT;
        for (const Size &term : size.terms) {
            std::optional<int64_t> x = value(term);
            bool fails = !x || (size.kind == Size::SUM
                                    ? __builtin_add_overflow(result, *x, &result)
                                    : __builtin_mul_overflow(result, *x, &result));
            if (fails) return std::nullopt;
        }
        return result;
    }
    case Size::OTHER: break;
    }
    return std::nullopt;
}

}  // namespace ct::exported
