// gguf.cpp - reading a GGUF file, the format of llama.cpp: metadata, and what tensors there are.
//
//     "GGUF"  version  counts of tensors and of values
//     each value: key, type, value          "llama.block_count" uint32 2
//     each tensor: name, sizes, type, where its elements are
//     the elements, aligned
//
// Everything is checked against the file's size when it is opened, before anything is created:
// a hostile file costs no more memory than the part of it that was read.  Values are decoded when
// they are asked for.

#include "gguf/reader.h"

#include <algorithm>

namespace {

using namespace ct;
using namespace ct::gguf_types;

constexpr uint32_t MAGIC = 0x46554747;  // "GGUF"
constexpr uint32_t OLDEST = 2, NEWEST = 3;
constexpr size_t MOST_GGUF_DIMS = 8;    // llama.cpp's own limit is 4
constexpr uint64_t LARGEST_ALIGNMENT = 1 << 20;
constexpr char ALIGNMENT[] = "general.alignment";
constexpr uint64_t USUAL_ALIGNMENT = 32;

// Values.

Owned read_value(GgufReader &reader, const std::string &path, uint32_t type);

Owned read_array(GgufReader &reader, const std::string &path)
{
    uint32_t type = reader.type();
    uint64_t count = reader.number<uint64_t>("elements of an array");
    std::vector<Owned> items;
    for (uint64_t k = 0; k < count; k++) items.push_back(read_value(reader, path, type));
    return Owned::items(CT_LIST, std::move(items));
}

Owned read_value(GgufReader &reader, const std::string &path, uint32_t type)
{
    const char *what = "a value";
    switch (type) {
    case UINT8: return Owned::integer(reader.number<uint8_t>(what));
    case INT8: return Owned::integer(reader.number<int8_t>(what));
    case UINT16: return Owned::integer(reader.number<uint16_t>(what));
    case INT16: return Owned::integer(reader.number<int16_t>(what));
    case UINT32: return Owned::integer(reader.number<uint32_t>(what));
    case INT32: return Owned::integer(reader.number<int32_t>(what));
    case FLOAT32: return Owned::real(static_cast<double>(reader.number<float>(what)));
    case BOOL: return Owned::boolean(reader.number<uint8_t>(what) != 0);
    case STRING: return Owned::text(CT_STRING, reader.text("string"));
    case ARRAY: return read_array(reader, path);
    case INT64: return Owned::integer(reader.number<int64_t>(what));
    case FLOAT64: return Owned::real(reader.number<double>(what));
    case UINT64: {
        uint64_t start = reader.at(), found = reader.number<uint64_t>(what);
        if (found > INT64_MAX)
            fail_at(path, start, "the value " + std::to_string(found) + " is too large");
        return Owned::integer(static_cast<int64_t>(found));
    }
    default: fail_at(path, reader.at(), "a value has the unknown type " + std::to_string(type));
    }
}

Owned value_of(const Gguf &gguf, const GgufValue &value)
{
    GgufReader reader(*gguf.file, value.at);
    return read_value(reader, gguf.file->path, value.type);
}

// How many elements an array has; 0 for other values.
uint64_t length_of(const Gguf &gguf, const GgufValue &value)
{
    if (value.type != ARRAY) return 0;
    GgufReader reader(*gguf.file, value.at);
    reader.type();
    return reader.number<uint64_t>("elements of an array");
}

// Opening.

void read_metadata(Gguf &gguf, GgufReader &reader, uint64_t count)
{
    for (uint64_t k = 0; k < count; k++) {
        uint64_t start = reader.at();
        std::string key = reader.text("key");
        uint32_t type = reader.type();
        if (!gguf.keys.emplace(key, gguf.metadata.size()).second)
            fail_at(gguf.file->path, start, "the key " + in_quotes(key) + " is given twice");
        gguf.metadata.emplace_back(std::move(key), GgufValue{type, reader.at()});
        reader.skip(type);
    }
}

uint64_t alignment_of(const Gguf &gguf)
{
    auto found = gguf.keys.find(ALIGNMENT);
    if (found == gguf.keys.end()) return USUAL_ALIGNMENT;
    const GgufValue &value = gguf.metadata[found->second].second;
    uint64_t alignment = value.type == UINT32 ? number_at<uint32_t>(gguf.file->data + value.at) : 0;
    if (!alignment || alignment > LARGEST_ALIGNMENT || alignment & (alignment - 1))
        fail_at(gguf.file->path, value.at,
                in_quotes(ALIGNMENT) + " must be a uint32 and a power of two up to 1048576, got " +
                    std::to_string(alignment));
    return alignment;
}

std::vector<int64_t> read_sizes(const Gguf &gguf, GgufReader &reader, const std::string &which)
{
    uint64_t start = reader.at();
    uint32_t dims = reader.number<uint32_t>("the number of dimensions");
    if (dims > MOST_GGUF_DIMS)
        fail_at(gguf.file->path, start, which + " has " + std::to_string(dims) + " dimensions");
    std::vector<int64_t> sizes(dims);
    for (size_t k = dims; k-- > 0;) {  // the fastest comes first in the file
        start = reader.at();
        uint64_t size = reader.number<uint64_t>("a size");
        if (size > INT64_MAX)
            fail_at(gguf.file->path, start, which + " has the size " + std::to_string(size));
        sizes[k] = static_cast<int64_t>(size);
    }
    return sizes;
}

const GgufType *read_type(const Gguf &gguf, GgufReader &reader, const std::string &which)
{
    uint64_t start = reader.at();
    uint32_t code = reader.number<uint32_t>("the type of a tensor");
    const GgufType *type = gguf_type(code);
    if (type) return type;
    std::string name = other_gguf_type(code);
    fail_at(gguf.file->path, start,
            which + " has the " + (name.empty() ? "unknown type " + std::to_string(code)
                                                : "type " + name + ", which is not supported"),
            "convert the model to one of " + gguf_type_names());
}

uint64_t bytes_of(const Gguf &gguf, const GgufTensor &tensor, uint64_t start)
{
    uint64_t elements;
    std::string which = "tensor " + in_quotes(tensor.name);
    if (!byte_count(tensor.sizes, at::kByte, &elements) ||
        elements > static_cast<uint64_t>(INT64_MAX) / 8)
        fail_at(gguf.file->path, start,
                which + " has a shape that no tensor can have: " + shape_text(tensor.sizes));
    int64_t last = tensor.sizes.empty() ? 1 : tensor.sizes.back();
    if (last % tensor.type->elements)
        fail_at(gguf.file->path, start,
                which + " of " + tensor.type->name + " has rows of " + std::to_string(last) +
                    " elements, which is not a multiple of " +
                    std::to_string(tensor.type->elements));
    auto blocks = elements / static_cast<uint64_t>(tensor.type->elements);
    return blocks * static_cast<uint64_t>(tensor.type->bytes);
}

void read_tensors(Gguf &gguf, GgufReader &reader, uint64_t count)
{
    for (uint64_t k = 0; k < count; k++) {
        uint64_t start = reader.at();
        GgufTensor tensor;
        tensor.name = reader.text("tensor's name");
        std::string which = "tensor " + in_quotes(tensor.name);
        tensor.sizes = read_sizes(gguf, reader, which);
        tensor.type = read_type(gguf, reader, which);
        tensor.from = reader.number<uint64_t>("a tensor's offset");
        tensor.bytes = bytes_of(gguf, tensor, start);
        if (!gguf.names.emplace(tensor.name, gguf.tensors.size()).second)
            fail_at(gguf.file->path, start, which + " is described twice");
        gguf.tensors.push_back(std::move(tensor));
    }
}

// Elements in quantized blocks grow when they are read, so many tensors of the same bytes would be
// many times the file.
void check_overlaps(const Gguf &gguf)
{
    std::vector<const GgufTensor *> order;
    for (const GgufTensor &tensor : gguf.tensors)
        if (tensor.bytes) order.push_back(&tensor);
    std::stable_sort(order.begin(), order.end(), [](const GgufTensor *a, const GgufTensor *b) {
        return a->from < b->from;
    });
    for (size_t k = 1; k < order.size(); k++)
        if (order[k]->from - order[k - 1]->from < order[k - 1]->bytes)
            fail_about(gguf.file->path,
                       "tensor " + in_quotes(order[k]->name) + " begins at byte " +
                           std::to_string(order[k]->from) + " of the data, inside of tensor " +
                           in_quotes(order[k - 1]->name),
                       "the file is damaged: write it again with the program that made it");
}

// Offsets count from the end of the descriptions, aligned.
void place_tensors(Gguf &gguf, uint64_t end)
{
    uint64_t alignment = alignment_of(gguf), size = gguf.file->size;
    uint64_t data = (end + alignment - 1) / alignment * alignment;
    uint64_t room = data > size ? 0 : size - data;
    check_overlaps(gguf);
    for (GgufTensor &tensor : gguf.tensors) {
        std::string which = "tensor " + in_quotes(tensor.name);
        if (tensor.from % alignment)
            fail_about(gguf.file->path, which + " begins at byte " + std::to_string(tensor.from) +
                                            " of the data, which is not a multiple of " +
                                            std::to_string(alignment));
        if (tensor.from > room || tensor.bytes > room - tensor.from)
            fail_about(gguf.file->path,
                       which + " of " + tensor.type->name + " " + shape_text(tensor.sizes) +
                           " takes " + std::to_string(tensor.bytes) + " bytes from byte " +
                           std::to_string(tensor.from) + " of the data, which has " +
                           std::to_string(room),
                       "the file is damaged or was not copied completely");
        tensor.from += data;
    }
}

void read_all(Gguf &gguf)
{
    const std::string &path = gguf.file->path;
    GgufReader reader(*gguf.file);
    if (reader.left() < sizeof MAGIC || reader.number<uint32_t>("the magic") != MAGIC)
        fail_at(path, 0, "it is not a GGUF file: it does not begin with \"GGUF\"");
    uint32_t version = reader.number<uint32_t>("the version");
    if (version < OLDEST || version > NEWEST)
        fail_at(path, 4, "version " + std::to_string(version) + " of GGUF is not supported",
                "convert the model to version 3, with little-endian numbers");
    uint64_t tensors = reader.count(24, "tensors"), values = reader.count(13, "values");
    read_metadata(gguf, reader, values);
    read_tensors(gguf, reader, tensors);
    place_tensors(gguf, reader.at());
}

}  // namespace

const ct::Gguf &ct::gguf_of(const ct_value &value)
{
    auto *gguf = value.kind == CT_OBJECT ? dynamic_cast<const Gguf *>(value.object) : nullptr;
    if (!gguf) wrong_kind("an open GGUF file", value);
    return *gguf;
}

// (path)
ct::Owned ct::open_gguf(const ProcedureArguments &given)
{
    auto gguf = std::make_unique<Gguf>();
    gguf->text = "#<gguf>";
    gguf->file = open_file(given.text(0));
    read_all(*gguf);
    return Owned::object(gguf.release());
}

// (file longest)  The values by key, without arrays that are longer.
ct::Owned ct::gguf_metadata(const ProcedureArguments &given)
{
    const Gguf &gguf = gguf_of(given.values[0]);
    auto longest = static_cast<uint64_t>(given.values[1].kind == CT_INT ? given.values[1].i : 0);
    std::vector<Owned> items;
    for (const auto &[key, value] : gguf.metadata) {
        if (length_of(gguf, value) > longest) continue;
        items.push_back(Owned::text(CT_STRING, key));
        items.push_back(value_of(gguf, value));
    }
    return Owned::items(CT_TABLE, std::move(items));
}

// (file key)  #f if there is none.
ct::Owned ct::gguf_value(const ProcedureArguments &given)
{
    const Gguf &gguf = gguf_of(given.values[0]);
    auto found = gguf.keys.find(given.text(1));
    if (found == gguf.keys.end()) return Owned::boolean(false);
    return value_of(gguf, gguf.metadata[found->second].second);
}

// (file)  For each tensor its name, type and shape.
ct::Owned ct::gguf_tensors(const ProcedureArguments &given)
{
    std::vector<Owned> tensors;
    for (const GgufTensor &tensor : gguf_of(given.values[0]).tensors) {
        std::vector<Owned> sizes, fields;
        for (int64_t size : tensor.sizes) sizes.push_back(Owned::integer(size));
        fields.push_back(Owned::text(CT_STRING, tensor.name));
        fields.push_back(Owned::text(CT_SYMBOL, tensor.type->name));
        fields.push_back(Owned::items(CT_LIST, std::move(sizes)));
        tensors.push_back(Owned::items(CT_LIST, std::move(fields)));
    }
    return Owned::items(CT_LIST, std::move(tensors));
}
