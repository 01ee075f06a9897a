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

// "data_offsets": where the elements begin and end.
std::pair<uint64_t, uint64_t> read_offsets(Json &json, const std::string &path)
{
    std::vector<uint64_t> ends;
    json.array([&] {
        if (ends.size() == 2) fail_at(path, json.byte(), "expected two offsets, got more");
        ends.push_back(static_cast<uint64_t>(json.natural()));
    });
    if (ends.size() != 2) fail_at(path, json.byte(), "expected two offsets, got fewer");
    return {ends[0], ends[1]};
}

// One tensor's description.  Unknown fields are skipped, as other readers do.
Described read_description(Json &json, const std::string &path, std::string name)
{
    Described found;
    found.name = std::move(name);
    found.byte = json.key_byte();
    auto fields = json.object([&](const std::string &field) {
        if (field == "dtype") {
            uint64_t byte = json.byte();
            found.dtype = dtype_of(json.string(), path, byte);
        } else if (field == "shape") {
            json.array([&] {
                if (found.sizes.size() == MOST_DIMS)
                    fail_at(path, json.byte(), "a tensor of more than 64 dimensions");
                found.sizes.push_back(json.natural());
            });
        } else if (field == "data_offsets") {
            std::tie(found.from, found.to) = read_offsets(json, path);
        } else {
            json.skip_value();
        }
    }, "field");
    for (const char *field : {"dtype", "shape", "data_offsets"})
        if (!fields.has(field))
            fail_at(path, found.byte, "tensor " + in_quotes(found.name) + " has no " + field);
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
    Json json(file->text(PREFIX, length), file->path, PREFIX);
    json.object([&](const std::string &name) {
        if (name != METADATA) {
            header.tensors.push_back(read_description(json, file->path, name));
            check_size(header.tensors.back(), file->path);
        } else if (!json.is_null()) {
            json.object([&](const std::string &key) {
                header.metadata.emplace_back(key, json.string());
            });
        }
    });
    json.end();
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
