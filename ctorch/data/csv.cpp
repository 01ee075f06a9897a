// csv.cpp - the columns of a table of comma-separated values, after RFC 4180.
//
//     width,kind              (read-table "a.csv" "," #t)
//     1.5,iris           =>   (("width" "kind")
//     2,"rose, red"            ([1.5 2.0] ("iris" "rose, red")))
//
// A column whose fields are all integers is int64, one of numbers float64, where a field that is
// empty, NA or nan is nan; others are lists of strings.  The file is read twice: first the columns'
// kinds are found, then they are filled.  For 100,000 rows, read-csv takes three times as long in
// executables, and twice as long in scripts.

#include "data/data.h"
#include "errors/interrupts.h"
#include "files/files.h"
#include "text/utf8.h"

#include <ATen/ops/empty.h>

#include <charconv>
#include <cmath>
#include <limits>

namespace {

using namespace ct;

constexpr std::string_view BYTE_ORDER_MARK = "\xEF\xBB\xBF";

constexpr size_t MOST_COLUMNS = 1000000;  // each is a tensor or a list, which takes a kilobyte

enum class Kind { Integers, Reals, Texts };

// A field without its quotes, and where it begins.
struct Field {
    std::string_view text() const { return quoted ? std::string_view(unquoted) : plain; }

    size_t byte = 0;
    bool quoted = false;
    std::string_view plain;
    std::string unquoted;
};

class Records {
public:
    Records(const FilePointer &file, char separator)
        : file_(file), text_(file->text(0, file->size)), separator_(separator)
    {
        if (text_.starts_with(BYTE_ORDER_MARK)) at_ = BYTE_ORDER_MARK.size();
        start_ = at_;
    }

    void rewind()
    {
        at_ = start_;
        line_ = 0;
        lines_ = 1;
    }

    // The fields of the next record, of which the first `count` are filled; false at the end.
    // Empty lines are skipped.
    bool next(std::vector<Field> &fields, size_t &count)
    {
        while (at_ < text_.size() && skip_line_end()) polls_.step();
        if (at_ >= text_.size()) return false;
        line_ = lines_;
        line_start_ = at_;
        count = 0;
        do {
            if (count == MOST_COLUMNS)
                fail(at_, "a table has at most " + std::to_string(MOST_COLUMNS) + " columns",
                     "read-csv reads rows of any length");
            if (count == fields.size()) fields.emplace_back();
            read(fields[count++]);
        } while (goes_on());
        return true;
    }

    // At a byte of the current record.
    [[noreturn]] void fail(size_t byte, const std::string &what, const std::string &hint = "") const
    {
        size_t line = line_, column = 1, from = line_start_;
        for (size_t k = line_start_; k < byte; k++)
            if (text_[k] == '\n') line++, from = k + 1;
        for (size_t k = from; k < byte; k++)
            column += (static_cast<unsigned char>(text_[k]) & 0xC0) != 0x80;
        throw Failure{in_quotes(path()) + ", line " + std::to_string(line) + ", column " +
                          std::to_string(column) + ": " + what, hint};
    }

    size_t end_of_record() const { return record_end_; }
    const std::string &path() const { return file_->path; }

private:
    bool skip_line_end()
    {
        size_t length = text_[at_] == '\n' ? 1 : text_.substr(at_, 2) == "\r\n" ? 2 : 0;
        at_ += length;
        lines_ += length > 0;
        return length > 0;
    }

    bool at_field_end() const
    {
        return at_ >= text_.size() || text_[at_] == separator_ || text_[at_] == '\n' ||
               (text_[at_] == '\r' && text_.substr(at_, 2) == "\r\n");
    }

    void read(Field &field)
    {
        field.byte = at_;
        field.quoted = at_ < text_.size() && text_[at_] == '"';
        if (field.quoted) return read_quoted(field);
        for (; !at_field_end(); at_++) polls_.step();
        field.plain = text_.substr(field.byte, at_ - field.byte);
    }

    // What follows the closing quote belongs to the field, too.
    void read_quoted(Field &field)
    {
        field.unquoted.clear();
        bool quoted = false;
        for (; quoted || !at_field_end(); at_++) {
            polls_.step();
            if (at_ >= text_.size()) fail(field.byte, "a quote is never closed");
            if (text_[at_] != '"') field.unquoted += text_[at_];
            else if (quoted && text_.substr(at_, 2) == "\"\"") field.unquoted += text_[at_++];
            else quoted = !quoted;
            lines_ += text_[at_] == '\n';
        }
    }

    // Whether another field follows; if not, the line end is consumed.
    bool goes_on()
    {
        record_end_ = at_;
        if (at_ >= text_.size()) return false;
        if (text_[at_] != separator_) return !skip_line_end();
        at_++;
        return true;
    }

    const FilePointer file_;
    const std::string_view text_;
    const char separator_;
    size_t at_ = 0, start_ = 0, line_ = 0, lines_ = 1, line_start_ = 0, record_end_ = 0;
    Polls polls_;
};

std::string_view trimmed(std::string_view text)
{
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
}

bool is_missing(std::string_view text) { return text.empty() || text == "NA" || text == "nan"; }

template <class Number>
bool parses(std::string_view text, Number &number)
{
    if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size();
}

// The number in a field; false if it does not hold one.  A number beyond all doubles is infinite.
bool real_in(std::string_view text, double &number)
{
    text = trimmed(text);
    if (is_missing(text)) {
        number = std::numeric_limits<double>::quiet_NaN();
        return true;
    }
    if (parses(text, number)) return true;
    if (text.empty() || text.find_first_not_of("+-.0123456789eE") != text.npos) return false;
    char *end;
    std::string copy(text);
    number = std::strtod(copy.c_str(), &end);
    return end == copy.c_str() + copy.size();
}

Kind kind_of(std::string_view text)
{
    int64_t integer;
    double real;
    if (parses(trimmed(text), integer)) return Kind::Integers;
    return real_in(text, real) ? Kind::Reals : Kind::Texts;
}

// What the first reading finds.
struct Shape {
    std::vector<std::string> names;  // none without a header
    std::vector<Kind> kinds;
    int64_t rows = 0;
};

std::string fields_text(size_t n) { return std::to_string(n) + (n == 1 ? " field" : " fields"); }

void check_width(const Records &records, const std::vector<Field> &fields, size_t count,
                 size_t width)
{
    if (count == width) return;
    size_t byte = count > width ? fields[width].byte : records.end_of_record();
    records.fail(byte, "expected " + fields_text(width) + ", got " + std::to_string(count),
                 "the first row has " + fields_text(width));
}

void check_text(const Records &records, const Field &field)
{
    for (std::string_view left = field.text(); !left.empty();) {
        size_t length = utf8_length(left);
        if (!length || !left[0]) records.fail(field.byte, "the field is not text");
        left.remove_prefix(length);
    }
}

// Whether the first record has the columns' names: given as #t or #f, or if no field is a number
// and not all are empty.
bool is_header(const ct_value &choice, const std::vector<Field> &fields, size_t count)
{
    if (choice.kind == CT_BOOL) return choice.i != 0;
    bool any = false;
    for (size_t k = 0; k < count; k++) {
        if (trimmed(fields[k].text()).empty()) continue;
        if (kind_of(fields[k].text()) != Kind::Texts) return false;
        any = true;
    }
    return any;
}

Shape shape_of(Records &records, const ct_value &header)
{
    Shape shape;
    std::vector<Field> fields;
    size_t count;
    if (!records.next(fields, count)) throw Failure{in_quotes(records.path()) + ": it is empty", ""};
    size_t width = count;
    shape.kinds.assign(width, Kind::Integers);
    bool more = true;
    if (is_header(header, fields, count)) {
        for (size_t k = 0; k < count; k++) {
            check_text(records, fields[k]);
            shape.names.emplace_back(trimmed(fields[k].text()));
        }
        more = records.next(fields, count);
    }
    for (; more; more = records.next(fields, count)) {
        check_width(records, fields, count, width);
        for (size_t k = 0; k < width; k++)
            if (shape.kinds[k] != Kind::Texts)
                shape.kinds[k] = std::max(shape.kinds[k], kind_of(fields[k].text()));
        shape.rows++;
    }
    if (!shape.rows) throw Failure{in_quotes(records.path()) + ": it has no rows after its header", ""};
    return shape;
}

struct Column {
    Column(Kind kind, int64_t rows) : kind(kind)
    {
        if (kind == Kind::Texts) return;
        tensor = at::empty({rows}, at::TensorOptions().dtype(
                                       kind == Kind::Integers ? at::kLong : at::kDouble));
        elements = tensor.mutable_data_ptr();
    }

    void set(int64_t row, const Field &field)
    {
        switch (kind) {
        case Kind::Integers: parses(trimmed(field.text()), static_cast<int64_t *>(elements)[row]); break;
        case Kind::Reals: real_in(field.text(), static_cast<double *>(elements)[row]); break;
        case Kind::Texts: texts.push_back(Owned::text(CT_STRING, std::string(field.text()))); break;
        }
    }

    Owned value() &&
    {
        return kind == Kind::Texts ? Owned::items(CT_LIST, std::move(texts))
                                   : Owned::tensor(std::move(tensor));
    }

    Kind kind;
    at::Tensor tensor;
    void *elements = nullptr;
    std::vector<Owned> texts;
};

std::vector<Owned> columns_in(Records &records, const Shape &shape)
{
    std::vector<Column> columns;
    for (Kind kind : shape.kinds) columns.emplace_back(kind, shape.rows);
    std::vector<Field> fields;
    size_t count;
    records.rewind();
    if (!shape.names.empty()) records.next(fields, count);
    for (int64_t row = 0; records.next(fields, count); row++)
        for (size_t k = 0; k < columns.size(); k++) {
            if (columns[k].kind == Kind::Texts) check_text(records, fields[k]);
            columns[k].set(row, fields[k]);
        }
    std::vector<Owned> values;
    for (Column &column : columns) values.push_back(std::move(column).value());
    return values;
}

}  // namespace

namespace ct {

// (path separator header): two lists, of names and of columns.
Owned csv_columns(const ProcedureArguments &given)
{
    std::string separator = given.text(1);
    if (separator.size() != 1 || separator == "\"" || separator == "\n")
        throw Failure{"expected a separator of one ASCII character, got " + in_quotes(separator), ""};
    Records records(open_file(given.text(0)), separator[0]);
    Shape shape = shape_of(records, given.values[2]);
    std::vector<Owned> names, both;
    for (const std::string &name : shape.names) names.push_back(Owned::text(CT_STRING, name));
    both.push_back(Owned::items(CT_LIST, std::move(names)));
    both.push_back(Owned::items(CT_LIST, columns_in(records, shape)));
    return Owned::items(CT_LIST, std::move(both));
}

}  // namespace ct
