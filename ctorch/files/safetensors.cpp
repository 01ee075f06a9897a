// safetensors.cpp - reading a safetensors file.
//
//     8 bytes: the header's length   {"w": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}
//     the elements of all tensors, without gaps
//
// The whole header is read, and checked against the file's size, before any tensor is created: so a
// hostile one costs no more memory than its own text.

#include "files/safetensors.h"

#include <algorithm>

namespace {

using namespace ct;

constexpr std::string_view GGUF_MAGIC = "GGUF";

// A tensor as the header describes it.
struct Described {
    std::string name;
    uint64_t byte = 0;  // the position of its description in the file
    at::ScalarType dtype = at::kFloat;
    std::vector<int64_t> sizes{};
    uint64_t from = 0, to = 0;  // in the data
};

struct Header {
    std::vector<Described> tensors;
    Named<std::string> metadata;
    uint64_t data;  // the position of the first tensor in the file
};

at::ScalarType dtype_of(const std::string &code, const std::string &path, uint64_t byte)
{
    const DtypeCode *found = find_dtype(SAFETENSORS_DTYPES, code);
    if (!found) fail_at(path, byte, "LibTorch has no dtype for " + in_quotes(code));
    return found->dtype;
}

constexpr char OBJECT[] = "an object", STRING[] = "a string";

// What JSON has as a text, for a name: without a NUL.
std::string text_in(const JsonValue &value)
{
    std::string_view text = value.text(STRING);
    if (text.find('\0') != text.npos) value.fail("expected no NUL in a string");
    return std::string(text);
}

int64_t natural_in(const JsonValue &value)
{
    return value.natural("an integer", INT64_MAX);
}

// "data_offsets": where the elements begin and end.
std::pair<uint64_t, uint64_t> read_offsets(const JsonValue &ends)
{
    ends.check(JsonNode::Array, "an array");
    if (ends.size() != 2)
        ends.fail(std::string("expected two offsets, got ") + (ends.size() > 2 ? "more" : "fewer"));
    return {natural_in(ends.item(0)), natural_in(ends.item(1))};
}

std::vector<int64_t> read_sizes(const JsonValue &shape)
{
    shape.check(JsonNode::Array, "an array");
    if (shape.size() > MOST_DIMS) shape.fail("a tensor of more than 64 dimensions");
    std::vector<int64_t> sizes;
    for (size_t k = 0; k < shape.size(); k++) sizes.push_back(natural_in(shape.item(k)));
    return sizes;
}

// One tensor's description.  Unknown fields are skipped, as other readers do.
Described read_description(const JsonValue &name, const JsonValue &value, const std::string &path)
{
    Described found;
    found.name = text_in(name);
    found.byte = name.byte();
    value.check(JsonNode::Object, OBJECT);
    value.check_unique("field");
    for (const char *field : {"dtype", "shape", "data_offsets"})
        if (!value.has(field))
            fail_at(path, found.byte, "tensor " + in_quotes(found.name) + " has no " + field);
    JsonValue dtype = value.get("dtype");
    found.dtype = dtype_of(text_in(dtype), path, dtype.byte());
    found.sizes = read_sizes(value.get("shape"));
    std::tie(found.from, found.to) = read_offsets(value.get("data_offsets"));
    return found;
}

void check_size(const Described &tensor, const std::string &path)
{
    uint64_t bytes;
    auto fail = [&](const std::string &what) {
        fail_at(path, tensor.byte, "tensor " + in_quotes(tensor.name) + what);
    };
    if (!byte_count(tensor.sizes, tensor.dtype, &bytes))
        fail(" has a shape that no tensor can have: " + shape_text(tensor.sizes));
    if (tensor.to < tensor.from) fail(" ends before it begins");
    if (tensor.to - tensor.from != bytes)
        fail(std::string(" of ") + dtype_name(tensor.dtype) + " " + shape_text(tensor.sizes) +
             " takes " + std::to_string(bytes) + " bytes, its offsets span " +
             std::to_string(tensor.to - tensor.from));
}

// Checks that the tensors fill the data without gaps or overlaps.
void check_layout(const Header &header, const File &file)
{
    std::vector<const Described *> order;
    for (const Described &tensor : header.tensors) order.push_back(&tensor);
    std::stable_sort(order.begin(), order.end(), [](const Described *a, const Described *b) {
        return std::pair(a->from, a->to) < std::pair(b->from, b->to);
    });
    uint64_t end = 0, size = file.size - header.data;
    for (const Described *tensor : order) {
        if (tensor->from != end)
            fail_at(file.path, tensor->byte,
                    "tensor " + in_quotes(tensor->name) + " begins at byte " +
                        std::to_string(tensor->from) + " of the data, " +
                        (tensor->from < end ? "inside another one" : "after a gap"));
        end = tensor->to;
        if (end > size)
            fail_at(file.path, tensor->byte,
                    "tensor " + in_quotes(tensor->name) + " ends at byte " + std::to_string(end) +
                        " of the data, which has " + std::to_string(size));
    }
    if (end < size)
        fail_at(file.path, header.data + end, std::to_string(size - end) +
                                                  " bytes at the end belong to no tensor");
}

void read_metadata(const JsonValue &value, Named<std::string> &into)
{
    if (!value.exists()) return;
    value.check(JsonNode::Object, OBJECT);
    value.check_unique("name");
    for (size_t k = 0; k < value.size(); k++)
        into.emplace_back(text_in(value.name(k)), text_in(value.value(k)));
}

Header read_header(const FilePointer &file)
{
    if (file->size < PREFIX)
        fail_at(file->path, file->size, "it is too short for a safetensors file");
    if (file->text(0, GGUF_MAGIC.size()) == GGUF_MAGIC)
        fail_at(file->path, 0, "it is a GGUF file, not a safetensors file", "(load-gguf path)");
    uint64_t length = number_at<uint64_t>(file->data);
    if (length > LONGEST_HEADER)
        fail_at(file->path, 0, "a header of " + std::to_string(length) +
                                   " bytes is not a safetensors header");
    if (length > file->size - PREFIX)
        fail_at(file->path, 0, "the header takes " + std::to_string(length) +
                                   " bytes, the file has " + std::to_string(file->size - PREFIX));
    Header header{{}, {}, PREFIX + length};
    JsonTree tree(file->text(PREFIX, length), file->path, PREFIX);
    JsonValue root = tree.root();
    root.check(JsonNode::Object, OBJECT);
    root.check_unique("name");
    Polls polls;
    for (size_t k = 0; k < root.size(); k++) {
        polls.step();
        if (root.key(k) == METADATA) {
            read_metadata(root.value(k), header.metadata);
        } else {
            header.tensors.push_back(read_description(root.name(k), root.value(k), file->path));
            check_size(header.tensors.back(), file->path);
        }
    }
    check_layout(header, *file);
    return header;
}

}  // namespace

namespace ct {

Named<at::Tensor> load_safetensors(const std::string &path)
{
    FilePointer file = open_file(path);
    Header header = read_header(file);
    Named<at::Tensor> tensors;
    Polls polls;
    for (Described &tensor : header.tensors) {
        polls.step();
        tensors.emplace_back(std::move(tensor.name),
                             tensor_in(file, header.data + tensor.from, tensor.dtype,
                                       tensor.sizes));
    }
    return tensors;
}

Owned tensors_metadata(const ProcedureArguments &given)
{
    std::vector<Owned> items;
    for (auto &[key, text] : read_header(open_file(given.text(0))).metadata) {
        items.push_back(Owned::text(CT_STRING, key));
        items.push_back(Owned::text(CT_STRING, text));
    }
    return Owned::items(CT_TABLE, std::move(items));
}

}  // namespace ct
