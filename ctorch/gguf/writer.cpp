// writer.cpp - writing a GGUF file: the values, the descriptions of tensors, their elements.
//
//     (path (("general.architecture" string "llama") ...) (("output.weight" Q6_K #<tensor>) ...))
//
// All is checked but the elements before the file is touched.  Elements are converted a few rows at
// a time, so the blocks of a matrix are never in memory as a whole.

#include "errors/interrupts.h"
#include "gguf/reader.h"
#include "gguf/writer.h"
#include "quantize/parallel.h"
#include "quantize/quantize.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

namespace {

using namespace ct;

constexpr uint32_t VERSION_WRITTEN = 3;
constexpr uint64_t ALIGNED_TO = 32;
constexpr int64_t MOST_WRITTEN_DIMS = 4;  // llama.cpp's limit
constexpr float LARGEST_HALF = 65504;

template <class Number>
void append(std::string &to, Number number)
{
    to.append(reinterpret_cast<const char *>(&number), sizeof number);
}

void append_text(std::string &to, std::string_view text)
{
    append(to, static_cast<uint64_t>(text.size()));
    to += text;
}

// Values.

struct ValueType {
    const char *name;  // of an array with "-list" after it
    uint32_t code;
};
constexpr ValueType VALUE_TYPES[] = {
    {"uint32", gguf_types::UINT32}, {"int32", gguf_types::INT32}, {"float32", gguf_types::FLOAT32},
    {"bool", gguf_types::BOOL},     {"string", gguf_types::STRING},
};

void append_value(std::string &to, uint32_t type, const ct_value &value)
{
    switch (type) {
    case gguf_types::UINT32:
        if (value.kind != CT_INT || value.i < 0 || value.i > UINT32_MAX)
            wrong_kind("an integer from 0 to 4294967295", value);
        return append(to, static_cast<uint32_t>(value.i));
    case gguf_types::INT32:
        if (value.kind != CT_INT || value.i < INT32_MIN || value.i > INT32_MAX)
            wrong_kind("an integer of 32 bits", value);
        return append(to, static_cast<int32_t>(value.i));
    case gguf_types::FLOAT32:
        if (value.kind == CT_INT) return append(to, static_cast<float>(value.i));
        if (value.kind != CT_FLOAT) wrong_kind("a number", value);
        return append(to, static_cast<float>(value.f));
    case gguf_types::BOOL:
        if (value.kind != CT_BOOL) wrong_kind("a boolean", value);
        return append(to, static_cast<uint8_t>(value.i != 0));
    default:
        if (value.kind != CT_STRING) wrong_kind("a string", value);
        return append_text(to, value.text);
    }
}

const ct_value *fields_of(const ct_value &entry, size_t count, const char *noun)
{
    if (entry.kind != CT_LIST || entry.count != count) wrong_kind(noun, entry);
    for (size_t k = 0; k < 2; k++)
        if (entry.items[k].kind != CT_STRING && entry.items[k].kind != CT_SYMBOL)
            wrong_kind("a name", entry.items[k]);
    return entry.items;
}

void append_entry(std::string &to, const ct_value &entry)
{
    const ct_value *fields = fields_of(entry, 3, "a list of key, type and value");
    std::string type = fields[1].text;
    bool array = type.ends_with("-list");
    if (array) type.resize(type.size() - 5);
    auto found = std::find_if(std::begin(VALUE_TYPES), std::end(VALUE_TYPES),
                              [&](const ValueType &each) { return type == each.name; });
    if (found == std::end(VALUE_TYPES)) wrong_kind("the type of a value", fields[1]);
    append_text(to, fields[0].text);
    if (!array) {
        append(to, found->code);
        return append_value(to, found->code, fields[2]);
    }
    if (fields[2].kind != CT_LIST) wrong_kind("a list", fields[2]);
    append(to, static_cast<uint32_t>(gguf_types::ARRAY));
    append(to, found->code);
    append(to, static_cast<uint64_t>(fields[2].count));
    Polls polls;
    for (size_t k = 0; k < fields[2].count; k++) {
        polls.step();
        append_value(to, found->code, fields[2].items[k]);
    }
}

// Tensors.

struct Written {
    std::string name;
    const GgufType *type;
    GgufQuantizer quantizer;  // NULL for a type that LibTorch has
    at::Tensor tensor;
    int64_t columns, rows;
    bool is_packed = false;  // whether the tensor has the blocks themselves, uint8 [rows, bytes]

    uint64_t row_bytes() const
    {
        return static_cast<uint64_t>(columns / type->elements * type->bytes);
    }
    uint64_t bytes() const { return row_bytes() * static_cast<uint64_t>(rows); }
};

const GgufType *type_named(const std::string &name)
{
    for (uint32_t code = 0; code < 64; code++) {
        const GgufType *type = gguf_type(code);
        if (type && name == type->name && (type->dtype || gguf_quantizer(name))) return type;
    }
    throw Failure{"expected F32, F16, BF16, " + gguf_quantizer_names() +
                      " as the type of a tensor, got " + name,
                  ""};
}

Written written_of(const ct_value &entry)
{
    const ct_value *fields = fields_of(entry, 3, "a list of name, type and a tensor");
    if (fields[2].kind != CT_TENSOR) wrong_kind("a tensor", fields[2]);
    Written made{fields[0].text, type_named(fields[1].text), gguf_quantizer(fields[1].text),
                 fields[2].tensor->value, 1, 1};
    const at::Tensor &x = made.tensor;
    check_is_dense(x);
    if (made.quantizer && x.scalar_type() == at::kByte && x.dim() == 2 && x.numel() &&
        x.size(1) % made.type->bytes == 0) {
        made.is_packed = true;
        made.rows = x.size(0);
        made.columns = x.size(1) / made.type->bytes * made.type->elements;
        return made;
    }
    if (!x.is_floating_point() || x.dim() < 1 || x.dim() > MOST_WRITTEN_DIMS || !x.numel())
        throw Failure{"GGUF holds floats of 1 to 4 dimensions, got " + describe(x) + " as " +
                          in_quotes(made.name),
                      ""};
    made.columns = x.size(-1);
    made.rows = x.numel() / made.columns;
    if (made.columns % made.type->elements)
        throw Failure{in_quotes(made.name) + " has rows of " + std::to_string(made.columns) +
                          " elements, which are not whole blocks of " + made.type->name,
                      "its blocks have " + std::to_string(made.type->elements) + " elements"};
    return made;
}

uint64_t aligned(uint64_t bytes) { return (bytes + ALIGNED_TO - 1) / ALIGNED_TO * ALIGNED_TO; }

std::string descriptions_of(const std::vector<Written> &tensors)
{
    std::string text;
    uint64_t offset = 0;
    for (const Written &each : tensors) {
        append_text(text, each.name);
        append(text, static_cast<uint32_t>(each.tensor.dim()));
        append(text, static_cast<uint64_t>(each.columns));  // the fastest comes first
        for (int64_t dim = each.tensor.dim() - 1; dim-- > 0;)
            append(text, static_cast<uint64_t>(each.tensor.size(dim)));
        append(text, each.type->code);
        append(text, offset);
        offset += aligned(each.bytes());
    }
    return text;
}

// Elements.

constexpr int64_t CHUNK = 1 << 20;  // elements that are converted at a time

bool can_be_in_blocks(const float *x, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        if (!(std::fabs(x[k]) <= LARGEST_HALF)) return false;  // nor NaN
    return true;
}

std::string blocks_of(const Written &each, const at::Tensor &rows)
{
    at::Tensor floats = rows.to(at::kFloat).contiguous();
    const float *x = floats.const_data_ptr<float>();
    if (!can_be_in_blocks(x, floats.numel()))
        throw Failure{in_quotes(each.name) +
                          " has elements that blocks cannot hold: NaN, or above 65504",
                      "write it as F32"};
    std::string bytes(static_cast<size_t>(floats.size(0)) * each.row_bytes(), '\0');
    auto *out = reinterpret_cast<uint8_t *>(bytes.data());
    parallel_ranges(floats.size(0), 1, [&](int64_t begin, int64_t end) {
        each.quantizer(x + begin * each.columns, (end - begin) * each.columns,
                       out + static_cast<uint64_t>(begin) * each.row_bytes());
    });
    return bytes;
}

void write_elements(Output &out, const Written &each)
{
    at::Tensor all = each.tensor.detach().reshape({each.rows, each.tensor.size(-1)});
    int64_t step = std::max<int64_t>(1, CHUNK / each.columns);
    for (int64_t from = 0; from < each.rows; from += step) {
        poll_interrupt();
        at::Tensor rows = all.narrow(0, from, std::min(step, each.rows - from)).to(at::kCPU);
        if (each.is_packed) {
            at::Tensor same = rows.contiguous();
            out.write(same.const_data_ptr(), same.nbytes());
        } else if (each.quantizer) {
            out.write(blocks_of(each, rows));
        } else {
            at::Tensor same = as_stored(rows.to(*each.type->dtype));
            out.write(same.const_data_ptr(), same.nbytes());
        }
    }
    out.write(std::string(aligned(each.bytes()) - each.bytes(), '\0'));
}

}  // namespace

ct::Owned ct::save_gguf(const ProcedureArguments &given)
{
    std::string path = given.text(0);
    for (size_t k : {size_t{1}, size_t{2}})
        if (given.values[k].kind != CT_LIST) wrong_kind("a list", given.values[k]);
    std::vector<Written> tensors;
    std::unordered_set<std::string> names;
    for (size_t k = 0; k < given.values[2].count; k++) {
        tensors.push_back(written_of(given.values[2].items[k]));
        if (!names.insert(tensors.back().name).second)
            throw Failure{"the name " + in_quotes(tensors.back().name) + " is given twice", ""};
    }
    std::string head = "GGUF";
    append(head, VERSION_WRITTEN);
    append(head, static_cast<uint64_t>(tensors.size()));
    append(head, static_cast<uint64_t>(given.values[1].count));
    for (size_t k = 0; k < given.values[1].count; k++) append_entry(head, given.values[1].items[k]);
    head += descriptions_of(tensors);
    head.append(aligned(head.size()) - head.size(), '\0');
    Output out(path);
    out.write(head);
    for (const Written &each : tensors) write_elements(out, each);
    out.commit();
    return Owned();
}
