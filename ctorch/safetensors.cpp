// safetensors.cpp - reading and writing safetensors, in one file or in several with an index.
//
//     8 bytes: the header's length   {"w": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}
//     the elements of all tensors, without gaps
//
// The header comes whole before any tensor is made: what it says is checked against the file's size,
// so a hostile one costs no more memory than its own text.

#include "files.h"
#include "json.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

namespace {

using namespace ct;

constexpr uint64_t PREFIX = 8;                  // bytes that hold the header's length
constexpr uint64_t LONGEST_HEADER = 100000000;  // what every reader of the format takes
constexpr size_t MOST_DIMS = 64;                // LibTorch's own limit
constexpr char INDEX[] = "model.safetensors.index.json", SINGLE[] = "model.safetensors";
constexpr char METADATA[] = "__metadata__";

struct DtypeCode {
    const char *code;
    at::ScalarType dtype;
};
constexpr DtypeCode DTYPES[] = {
    {"F64", at::kDouble}, {"F32", at::kFloat}, {"F16", at::kHalf}, {"BF16", at::kBFloat16},
    {"I64", at::kLong}, {"I32", at::kInt}, {"I16", at::kShort}, {"I8", at::kChar},
    {"U64", at::kUInt64}, {"U32", at::kUInt32}, {"U16", at::kUInt16}, {"U8", at::kByte},
    {"BOOL", at::kBool}, {"C64", at::kComplexFloat}, {"F8_E4M3", at::kFloat8_e4m3fn},
    {"F8_E5M2", at::kFloat8_e5m2}, {"F8_E8M0", at::kFloat8_e8m0fnu},
    {"F8_E4M3FNUZ", at::kFloat8_e4m3fnuz}, {"F8_E5M2FNUZ", at::kFloat8_e5m2fnuz},
};

// A tensor as the header describes it.
struct Described {
    std::string name;
    uint64_t byte = 0;  // where in the file its description stands
    at::ScalarType dtype = at::kFloat;
    std::vector<int64_t> sizes{};
    uint64_t from = 0, to = 0;  // in the data
};

struct Header {
    std::vector<Described> tensors;
    Named<std::string> metadata;
    uint64_t data;  // where in the file the tensors begin
};

at::ScalarType dtype_of(const std::string &code, const std::string &path, uint64_t byte)
{
    for (const DtypeCode &known : DTYPES)
        if (code == known.code) return known.dtype;
    fail_at(path, byte, "LibTorch has no dtype for " + in_quotes(code));
}

const char *code_of(const std::string &name, const at::Tensor &x)
{
    for (const DtypeCode &known : DTYPES)
        if (x.scalar_type() == known.dtype) return known.code;
    throw Failure{"safetensors cannot hold " + describe(x) + ", which " + in_quotes(name) + " is",
                  "tensor-to changes a dtype"};
}

// One tensor's description.  Fields that no version of the format has are skipped, as elsewhere.
Described read_description(Json &json, const std::string &path, std::string name)
{
    Described found;
    found.name = std::move(name);
    found.byte = json.key_byte();
    std::unordered_set<std::string> seen;
    json.object([&](const std::string &field) {
        if (!seen.insert(field).second)
            fail_at(path, json.key_byte(), "the field " + in_quotes(field) + " comes twice");
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
            std::vector<int64_t> ends;
            json.array([&] {
                if (ends.size() == 2) fail_at(path, json.byte(), "expected two offsets, got more");
                ends.push_back(json.natural());
            });
            if (ends.size() != 2) fail_at(path, json.byte(), "expected two offsets, got fewer");
            found.from = static_cast<uint64_t>(ends[0]);
            found.to = static_cast<uint64_t>(ends[1]);
        } else {
            json.skip_value();
        }
    });
    for (const char *field : {"dtype", "shape", "data_offsets"})
        if (!seen.count(field))
            fail_at(path, found.byte, "tensor " + in_quotes(found.name) + " has no " + field);
    return found;
}

void check_size(const Described &tensor, const std::string &path)
{
    uint64_t bytes;
    std::string which = "tensor " + in_quotes(tensor.name);
    if (!byte_count(tensor.sizes, tensor.dtype, &bytes))
        fail_at(path, tensor.byte, which + " has a shape that no tensor can have: " +
                                       shape_text(tensor.sizes));
    if (tensor.to < tensor.from)
        fail_at(path, tensor.byte, which + " ends before it begins");
    if (tensor.to - tensor.from != bytes)
        fail_at(path, tensor.byte, which + " of " + dtype_name(tensor.dtype) + " " +
                                       shape_text(tensor.sizes) + " takes " +
                                       std::to_string(bytes) + " bytes, its offsets give " +
                                       std::to_string(tensor.to - tensor.from));
}

// The tensors lie one behind the other and fill the data.
void check_layout(const Header &header, const File &file)
{
    std::vector<const Described *> order;
    for (const Described &tensor : header.tensors) order.push_back(&tensor);
    std::stable_sort(order.begin(), order.end(), [](const Described *a, const Described *b) {
        return std::pair(a->from, a->to) < std::pair(b->from, b->to);
    });
    uint64_t end = 0, room = file.size - header.data;
    for (const Described *tensor : order) {
        if (tensor->from != end)
            fail_at(file.path, tensor->byte,
                    "tensor " + in_quotes(tensor->name) + " begins at byte " +
                        std::to_string(tensor->from) + " of the data, where " +
                        (tensor->from < end ? "another one is" : "a gap is before it"));
        end = tensor->to;
        if (end > room)
            fail_at(file.path, tensor->byte,
                    "tensor " + in_quotes(tensor->name) + " ends at byte " + std::to_string(end) +
                        " of the data, which has " + std::to_string(room));
    }
    if (end < room)
        fail_at(file.path, header.data + end, std::to_string(room - end) +
                                                  " bytes at the end belong to no tensor");
}

Header read_header(const FilePointer &file)
{
    if (file->size < PREFIX)
        fail_at(file->path, file->size, "it is too short for a safetensors file");
    uint64_t length = number_at<uint64_t>(file->data);
    if (length > LONGEST_HEADER)
        fail_at(file->path, 0, "a header of " + std::to_string(length) +
                                   " bytes is no safetensors header");
    if (length > file->size - PREFIX)
        fail_at(file->path, 0, "the header takes " + std::to_string(length) +
                                   " bytes, the file has " + std::to_string(file->size - PREFIX));
    Header header{{}, {}, PREFIX + length};
    Json json(file->text(PREFIX, length), file->path, PREFIX);
    std::unordered_set<std::string> seen;
    json.object([&](const std::string &name) {
        uint64_t byte = json.key_byte();
        if (!seen.insert(name).second)
            fail_at(file->path, byte, "the name " + in_quotes(name) + " comes twice");
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

Named<at::Tensor> load_file(const std::string &path)
{
    FilePointer file = open_file(path);
    Header header = read_header(file);
    Named<at::Tensor> tensors;
    for (Described &tensor : header.tensors)
        tensors.emplace_back(std::move(tensor.name),
                             tensor_in(file, header.data + tensor.from, tensor.dtype,
                                       tensor.sizes));
    return tensors;
}

// Several files with an index.

std::string folder_of(const std::string &path)
{
    size_t slash = path.rfind('/');
    return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

bool ends_with(const std::string &text, std::string_view end)
{
    return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// Which file each tensor is in.  A file elsewhere than beside the index is none of its own.
Named<std::string> read_index(const std::string &path)
{
    FilePointer file = open_file(path);
    if (file->size > LONGEST_HEADER) fail_about(path, "it is too large for an index");
    Json json(file->text(0, file->size), path, 0);
    Named<std::string> places;
    std::unordered_set<std::string> seen;
    bool found = false;
    json.object([&](const std::string &key) {
        if (key != "weight_map") return json.skip_value();
        if (found) fail_at(path, json.key_byte(), "the name \"weight_map\" comes twice");
        found = true;
        json.object([&](const std::string &name) {
            if (!seen.insert(name).second)
                fail_at(path, json.key_byte(), "the name " + in_quotes(name) + " comes twice");
            uint64_t byte = json.byte();
            std::string place = json.string();
            if (place.empty() || place.find('/') != std::string::npos || place[0] == '.')
                fail_at(path, byte, in_quotes(place) + " is no name of a file beside the index");
            places.emplace_back(name, place);
        });
    });
    json.end();
    if (!found) fail_about(path, "it is no index of safetensors files: it has no \"weight_map\"");
    return places;
}

Named<at::Tensor> load_index(const std::string &path)
{
    Named<std::string> places = read_index(path);
    std::map<std::string, std::unordered_map<std::string, at::Tensor>> files;
    Named<at::Tensor> tensors;
    for (const auto &[name, place] : places) {
        auto [file, fresh] = files.try_emplace(place);
        if (fresh)
            for (auto &[key, tensor] : load_file(folder_of(path) + place))
                file->second.emplace(key, tensor);
        auto found = file->second.find(name);
        if (found == file->second.end())
            fail_about(folder_of(path) + place, "tensor " + in_quotes(name) +
                                                    " is not here, where the index says it is");
        tensors.emplace_back(name, found->second);
    }
    return tensors;
}

// A folder stands for the model in it.
std::string file_of_model(const std::string &path)
{
    if (!is_folder(path)) return path;
    std::string folder = ends_with(path, "/") ? path : path + "/";
    for (const char *name : {INDEX, SINGLE})
        if (exists(folder + name)) return folder + name;
    fail_about(path, std::string("the folder has neither ") + INDEX + " nor " + SINGLE);
}

// Writing.

std::string json_string(const std::string &text)
{
    std::string out = "\"";
    for (char c : text) {
        char escaped[8];
        if (c == '"' || c == '\\') out += '\\';
        if (static_cast<unsigned char>(c) < ' ') {
            std::snprintf(escaped, sizeof escaped, "\\u%04x", c);
            out += escaped;
        } else {
            out += c;
        }
    }
    return out + "\"";
}

std::string metadata_text(const ct_value &metadata)
{
    if (metadata.kind != CT_TABLE && metadata.kind != CT_LIST)
        wrong_kind("an alist or a hash table as metadata", metadata);
    std::string text;
    std::unordered_set<std::string> seen;
    for (size_t k = 0; k + 1 < metadata.count; k += 2) {
        for (const ct_value *part : {&metadata.items[k], &metadata.items[k + 1]})
            if (part->kind != CT_STRING && part->kind != CT_SYMBOL)
                wrong_kind("strings as metadata", *part);
        if (!seen.insert(metadata.items[k].text).second)
            throw Failure{"the name " + in_quotes(metadata.items[k].text) + " is given twice", ""};
        text += (k ? "," : "") + json_string(metadata.items[k].text) + ":" +
                json_string(metadata.items[k + 1].text);
    }
    return text;
}

struct Placed {
    uint64_t from = 0, to = 0;
};

// The widest elements first, so that all are aligned without gaps.
std::vector<size_t> writing_order(const Named<at::Tensor> &entries)
{
    std::vector<size_t> order(entries.size());
    for (size_t k = 0; k < order.size(); k++) order[k] = k;
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
        return entries[a].second.element_size() > entries[b].second.element_size();
    });
    return order;
}

std::string header_text(const Named<at::Tensor> &entries, const std::vector<Placed> &places,
                        const std::string &metadata)
{
    std::string text = "{";
    if (!metadata.empty()) text += json_string(METADATA) + ":{" + metadata + "}";
    for (size_t k = 0; k < entries.size(); k++) {
        const auto &[name, x] = entries[k];
        text += std::string(text.size() > 1 ? "," : "") + json_string(name) + ":{\"dtype\":\"" +
                code_of(name, x) + "\",\"shape\":[";
        for (int64_t dim = 0; dim < x.dim(); dim++)
            text += (dim ? "," : "") + std::to_string(x.size(dim));
        text += "],\"data_offsets\":[" + std::to_string(places[k].from) + "," +
                std::to_string(places[k].to) + "]}";
    }
    text += "}";
    text.append((PREFIX - text.size() % PREFIX) % PREFIX, ' ');
    return text;
}

}  // namespace

namespace ct {

Owned load_tensors(const Arguments &given)
{
    std::string path = file_of_model(given.text(0));
    return table_of(ends_with(path, ".json") ? load_index(path) : load_file(path));
}

Owned tensors_metadata(const Arguments &given)
{
    std::vector<Owned> items;
    for (auto &[key, text] : read_header(open_file(given.text(0))).metadata) {
        items.push_back(Owned::text(CT_STRING, key));
        items.push_back(Owned::text(CT_STRING, text));
    }
    return Owned::items(CT_TABLE, std::move(items));
}

// (path names-and-tensors metadata)
Owned save_tensors(const Arguments &given)
{
    std::string path = given.text(0);
    Named<at::Tensor> entries = named_tensors(given.values[1]);
    std::string metadata = metadata_text(given.values[2]);
    std::vector<Placed> places(entries.size());
    std::vector<size_t> order = writing_order(entries);
    uint64_t end = 0;
    for (size_t k : order) {
        places[k].from = end;
        places[k].to = end += entries[k].second.nbytes();
        if (entries[k].first == METADATA)
            throw Failure{"no tensor can be called " + in_quotes(METADATA), "pass it by :metadata"};
    }
    std::string header = header_text(entries, places, metadata);
    if (header.size() > LONGEST_HEADER) throw Failure{"the names take more than 100 MB", ""};
    uint64_t length = header.size();
    Output out(path);
    out.write(&length, sizeof length);
    out.write(header);
    for (size_t k : order) {
        at::Tensor x = as_stored(entries[k].second);
        out.write(x.const_data_ptr(), x.nbytes());
    }
    out.commit();
    return Owned();
}

}  // namespace ct
