// npy_header.cpp - the header before the elements of numpy's arrays: a dictionary, as Python writes
// it.
//
//     \x93NUMPY 1 0, the header's length, {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }

#include "files/npy.h"

#include <algorithm>

namespace {

using namespace ct;

constexpr std::string_view MAGIC("\x93NUMPY", 6);
constexpr size_t ALIGNMENT = 64;  // of the elements, as numpy writes them

constexpr DtypeCode DTYPES[] = {
    {"b1", at::kBool}, {"i1", at::kChar}, {"i2", at::kShort}, {"i4", at::kInt}, {"i8", at::kLong},
    {"u1", at::kByte}, {"u2", at::kUInt16}, {"u4", at::kUInt32}, {"u8", at::kUInt64},
    {"f2", at::kHalf}, {"f4", at::kFloat}, {"f8", at::kDouble}, {"c8", at::kComplexFloat},
    {"c16", at::kComplexDouble},
};

// Reads the header, a Python dictionary.  Bytes count from the beginning of the array's file; base
// is the position of that in the archive.
class HeaderReader {
public:
    HeaderReader(std::string_view text, const std::string &path, uint64_t base)
        : text_(text), path_(path), base_(base) {}

    NpyHeader read()
    {
        begin();
        bool descr = false, order = false, shape = false;
        consume('{');
        while (!accepts('}')) {
            std::string key = string();
            consume(':');
            if (key == "descr" && !descr) descr = read_dtype();
            else if (key == "fortran_order" && !order) order = read_order();
            else if (key == "shape" && !shape) shape = read_shape();
            else fail("the header has an unexpected key " + in_quotes(key));
            if (!accepts(',')) {
                consume('}');
                break;
            }
        }
        if (!descr || !order || !shape) fail("the header lacks descr, fortran_order or shape");
        skip_space();
        if (at_ != end_) fail("the header goes on after its dictionary");
        found_.length = end_;
        return found_;
    }

private:
    [[noreturn]] void fail(const std::string &what) { fail_at(path_, base_ + at_, what); }

    void begin()
    {
        if (text_.substr(0, MAGIC.size()) != MAGIC) fail("it is not an npy file");
        at_ = MAGIC.size();
        int version = text_.size() > at_ ? text_[at_] : 0;
        if (version < 1 || version > 3)
            fail("npy version " + std::to_string(version) + " is not supported");
        size_t width = version == 1 ? 2 : 4, start = MAGIC.size() + 2 + width;
        if (text_.size() < start) fail("the header ends too early");
        const char *length = text_.data() + MAGIC.size() + 2;
        end_ = start + (width == 2 ? number_at<uint16_t>(length) : number_at<uint32_t>(length));
        if (end_ > text_.size())
            fail("the header takes " + std::to_string(end_ - start) + " bytes, the file has " +
                 std::to_string(text_.size() - start));
        at_ = start;
    }

    char peek() { return at_ < end_ ? text_[at_] : 0; }

    void skip_space()
    {
        while (peek() == ' ' || peek() == '\n' || peek() == '\t') at_++;
    }

    bool accepts(char c)
    {
        skip_space();
        if (peek() != c) return false;
        at_++;
        return true;
    }

    void consume(char c)
    {
        if (!accepts(c)) fail(std::string("expected '") + c + "' in the header");
    }

    std::string string()
    {
        skip_space();
        char quote = peek();
        if (quote != '\'' && quote != '"') fail("expected a string in the header");
        size_t start = ++at_;
        while (at_ < end_ && text_[at_] != quote && text_[at_] != '\\') at_++;
        if (peek() != quote) fail("a string in the header does not end");
        return std::string(text_.substr(start, at_++ - start));
    }

    bool accepts_word(std::string_view word)
    {
        if (text_.substr(at_, std::min(word.size(), end_ - at_)) != word) return false;
        at_ += word.size();
        return true;
    }

    bool read_order()
    {
        skip_space();
        found_.fortran = accepts_word("True");
        if (!found_.fortran && !accepts_word("False")) fail("expected True or False");
        return true;
    }

    int64_t size()
    {
        skip_space();
        if (peek() < '0' || peek() > '9') fail("expected a size from 0 up");
        int64_t number = 0;
        for (; peek() >= '0' && peek() <= '9'; at_++)
            if (__builtin_mul_overflow(number, 10, &number) ||
                __builtin_add_overflow(number, peek() - '0', &number))
                fail("a size beyond 64 bits");
        if (peek() == 'L') at_++;  // as Python 2 wrote integers
        return number;
    }

    bool read_shape()
    {
        consume('(');
        while (!accepts(')')) {
            if (found_.sizes.size() == MOST_DIMS) fail("an array of more than 64 dimensions");
            found_.sizes.push_back(size());
            if (!accepts(',')) {
                consume(')');
                break;
            }
        }
        return true;
    }

    bool read_dtype()
    {
        skip_space();
        if (peek() == '[' || peek() == '(') fail("its elements are records, which no tensor can hold");
        size_t start = at_;
        std::string descr = string();
        size_t end = std::exchange(at_, start);
        size_t skipped = descr.find_first_not_of("<>|=");
        std::string code = skipped == std::string::npos ? "" : descr.substr(skipped);
        const DtypeCode *found = find_dtype(DTYPES, code);
        if (!found)
            fail("its elements are " + kind_of(code) + " (" + in_quotes(descr) +
                 "), which no tensor can hold");
        found_.dtype = found->dtype;
        found_.big_endian = descr[0] == '>';
        at_ = end;
        return true;
    }

    static std::string kind_of(const std::string &code)
    {
        switch (code.empty() ? 0 : code[0]) {
        case 'O': return "Python objects";
        case 'S': case 'a': return "byte strings";
        case 'U': return "strings";
        case 'M': return "dates";
        case 'm': return "durations";
        case 'V': return "raw bytes";
        default: return "of another type";
        }
    }

    std::string_view text_;
    const std::string &path_;
    uint64_t base_;
    NpyHeader found_;
    size_t at_ = 0, end_ = 0;
};

}  // namespace

ct::NpyHeader ct::read_npy_header(std::string_view text, const std::string &path, uint64_t base)
{
    return HeaderReader(text, path, base).read();
}

std::string ct::npy_header_of(const at::Tensor &x)
{
    const DtypeCode *found = find_code(DTYPES, x.scalar_type());
    if (!found) throw Failure{"numpy has no dtype for " + describe(x), "convert it with tensor-to"};
    std::string text = std::string("{'descr': '") + (x.element_size() == 1 ? "|" : "<") + found->code +
                       "', 'fortran_order': False, 'shape': (";
    for (int64_t dim = 0; dim < x.dim(); dim++)
        text += (dim ? ", " : "") + std::to_string(x.size(dim));
    text += x.dim() == 1 ? ",), }" : "), }";
    size_t prefix = MAGIC.size() + 4;
    size_t padding = ALIGNMENT - (prefix + text.size() + 1) % ALIGNMENT;
    text += std::string(padding % ALIGNMENT, ' ') + "\n";
    uint16_t length = static_cast<uint16_t>(text.size());
    std::string header = std::string(MAGIC) + std::string("\1\0", 2);
    header.append(reinterpret_cast<const char *>(&length), sizeof length);
    return header + text;
}
