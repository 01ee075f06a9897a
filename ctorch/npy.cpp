// npy.cpp - numpy's arrays: one in a .npy file, several with names in a .npz archive.
//
//     \x93NUMPY 1 0, the header's length, {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
//     the elements
//
// Little-endian elements stay where they lie in the mapped file; Fortran's order is one of strides.

#include "files.h"
#include "zip.h"

#include <ATen/ops/empty.h>

#include <algorithm>

namespace {

using namespace ct;

constexpr std::string_view MAGIC("\x93NUMPY", 6);
constexpr size_t MOST_DIMS = 64;  // LibTorch's own limit
constexpr size_t ALIGNMENT = 64;  // of the elements, as numpy writes them
constexpr std::string_view SUFFIX = ".npy";

struct DtypeCode {
    const char *code;
    at::ScalarType dtype;
};
constexpr DtypeCode DTYPES[] = {
    {"b1", at::kBool}, {"i1", at::kChar}, {"i2", at::kShort}, {"i4", at::kInt}, {"i8", at::kLong},
    {"u1", at::kByte}, {"u2", at::kUInt16}, {"u4", at::kUInt32}, {"u8", at::kUInt64},
    {"f2", at::kHalf}, {"f4", at::kFloat}, {"f8", at::kDouble}, {"c8", at::kComplexFloat},
    {"c16", at::kComplexDouble},
};

struct ArrayHeader {
    at::ScalarType dtype = at::kFloat;
    bool big_endian = false, fortran = false;
    std::vector<int64_t> sizes{};
    uint64_t length = 0;  // of all before the elements
};

// Reads the header, a Python dictionary.  Bytes count from the beginning of the array's file; base
// is where in the archive that is.
class HeaderReader {
public:
    HeaderReader(std::string_view text, const std::string &path, uint64_t base)
        : text_(text), path_(path), base_(base) {}

    ArrayHeader read()
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
        if (text_.substr(0, MAGIC.size()) != MAGIC) fail("it is no npy file");
        at_ = MAGIC.size();
        int version = text_.size() > at_ ? text_[at_] : 0;
        if (version < 1 || version > 3) fail("npy version " + std::to_string(version) + " is not known");
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
        if (peek() == 'L') at_++;  // as Python 2 wrote them
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
        for (const DtypeCode &known : DTYPES)
            if (code == known.code) {
                found_.dtype = known.dtype;
                found_.big_endian = descr[0] == '>';
                at_ = end;
                return true;
            }
        fail("its elements are " + kind_of(code) + " (" + in_quotes(descr) +
             "), which no tensor can hold");
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
    ArrayHeader found_;
    size_t at_ = 0, end_ = 0;
};

std::vector<int64_t> strides_of(const ArrayHeader &header)
{
    std::vector<int64_t> strides(header.sizes.size());
    int64_t step = 1;
    for (size_t k = 0; k < strides.size(); k++) {
        size_t dim = header.fortran ? k : strides.size() - 1 - k;
        strides[dim] = step;
        step *= std::max<int64_t>(header.sizes[dim], 1);
    }
    return strides;
}

void swap_bytes(char *bytes, uint64_t count, at::ScalarType dtype)
{
    size_t width = c10::elementSize(dtype) / (c10::isComplexType(dtype) ? 2 : 1);
    for (char *end = bytes + count; bytes < end; bytes += width) std::reverse(bytes, bytes + width);
}

// The elements take that many bytes, which must be there.
uint64_t checked_bytes(const ArrayHeader &header, const std::string &path, uint64_t base,
                       uint64_t there)
{
    uint64_t bytes;
    if (!byte_count(header.sizes, header.dtype, &bytes))
        fail_at(path, base, "no tensor can have the shape " + shape_text(header.sizes));
    if (bytes > there)
        fail_at(path, base + header.length,
                "the elements of " + std::string(dtype_name(header.dtype)) + " " +
                    shape_text(header.sizes) + " take " + std::to_string(bytes) +
                    " bytes, the file has " + std::to_string(there));
    return bytes;
}

// The array whose file these bytes are; keeper keeps them alive, and nobody else uses them.
at::Tensor read_array(Keeper keeper, std::string_view text, const std::string &path, uint64_t base)
{
    ArrayHeader header = HeaderReader(text, path, base).read();
    uint64_t bytes = checked_bytes(header, path, base, text.size() - header.length);
    char *start = const_cast<char *>(text.data()) + header.length;
    if (header.big_endian) swap_bytes(start, bytes, header.dtype);
    return tensor_at(std::move(keeper), start, header.dtype, header.sizes, strides_of(header));
}

// An array in an archive: unpacked, or where it lies.
at::Tensor read_entry(const Zip &zip, const ZipEntry &entry)
{
    Unpacked found = zip.unpacked(entry);
    zip.verify(entry, found.text());
    return read_array(found.keeper, found.text(), zip.file->path, entry.from);
}

std::string header_of(const at::Tensor &x)
{
    const char *code = nullptr;
    for (const DtypeCode &known : DTYPES)
        if (x.scalar_type() == known.dtype) code = known.code;
    if (!code) throw Failure{"numpy has no dtype for " + describe(x), "tensor-to changes a dtype"};
    std::string text = std::string("{'descr': '") + (x.element_size() == 1 ? "|" : "<") + code +
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

std::string_view bytes_of(const at::Tensor &x)
{
    return {static_cast<const char *>(x.const_data_ptr()), x.nbytes()};
}

}  // namespace

namespace ct {

Owned load_npy(const Arguments &given)
{
    FilePointer file = open_file(given.text(0));
    return Owned::tensor(read_array(file, file->text(0, file->size), file->path, 0));
}

// (path tensor)
Owned save_npy(const Arguments &given)
{
    std::string path = given.text(0);
    std::string header = header_of(given.tensor(1));
    at::Tensor x = as_stored(given.tensor(1));
    Output out(path);
    out.write(header);
    out.write(bytes_of(x));
    out.commit();
    return Owned();
}

Owned load_npz(const Arguments &given)
{
    Zip zip(open_file(given.text(0)));
    Named<at::Tensor> arrays;
    for (const ZipEntry &entry : zip.entries) {
        std::string name = entry.name;
        if (name.size() < SUFFIX.size() || name.substr(name.size() - SUFFIX.size()) != SUFFIX)
            fail_at(zip.file->path, entry.from, "the ZIP entry " + in_quotes(name) + " is no array");
        name.resize(name.size() - SUFFIX.size());
        check_name(name, zip.file->path, entry.from);
        arrays.emplace_back(name, read_entry(zip, entry));
    }
    return table_of(std::move(arrays));
}

// (path names-and-tensors compress)
Owned save_npz(const Arguments &given)
{
    std::string path = given.text(0);
    Named<at::Tensor> entries = named_tensors(given.values[1]);
    std::vector<std::string> headers;
    for (const auto &[name, x] : entries) headers.push_back(header_of(x));
    Output out(path);
    ZipOutput zip(out, given.flag(2));
    for (size_t k = 0; k < entries.size(); k++) {
        at::Tensor x = as_stored(entries[k].second);
        if (entries[k].first.size() > UINT16_MAX - SUFFIX.size())
            throw Failure{"a name takes more than 65535 bytes", ""};
        zip.add(entries[k].first + std::string(SUFFIX), headers[k], bytes_of(x));
    }
    zip.finish();
    out.commit();
    return Owned();
}

}  // namespace ct
