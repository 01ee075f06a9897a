// safetensors_output.cpp - writing a safetensors file.
//
// The header is complete, and what such a file cannot hold has been refused, before the file is
// touched.

#include "files/safetensors.h"
#include "files/zip.h"

#include <algorithm>

namespace {

using namespace ct;

std::string metadata_text(const ct_value &metadata)
{
    std::string text;
    for (const auto &[key, value] :
         entries_of(metadata, "an alist or a hash table as metadata", "strings as metadata")) {
        if (value->kind != CT_STRING && value->kind != CT_SYMBOL)
            wrong_kind("strings as metadata", *value);
        text += (text.empty() ? "" : ",") + json_text(key) + ":" + json_text(value->text);
    }
    return text;
}

const char *code_of(const std::string &name, const at::Tensor &x)
{
    if (const DtypeCode *found = find_code(SAFETENSORS_DTYPES, x.scalar_type())) return found->code;
    throw Failure{"safetensors cannot hold " + describe(x) + ", which " + in_quotes(name) + " is",
                  "convert it with tensor-to"};
}

// The position of a tensor in the data.
struct Range {
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

std::vector<Range> ranges_of(const Named<at::Tensor> &entries, const std::vector<size_t> &order)
{
    std::vector<Range> ranges(entries.size());
    uint64_t end = 0;
    for (size_t k : order) {
        ranges[k].from = end;
        ranges[k].to = end += entries[k].second.nbytes();
    }
    return ranges;
}

std::string header_text(const Named<at::Tensor> &entries, const std::vector<Range> &ranges,
                        const std::string &metadata)
{
    std::string text = "{";
    if (!metadata.empty()) text += json_text(METADATA) + ":{" + metadata + "}";
    for (size_t k = 0; k < entries.size(); k++) {
        const auto &[name, x] = entries[k];
        text += std::string(text.size() > 1 ? "," : "") + json_text(name) + ":{\"dtype\":\"" +
                code_of(name, x) + "\",\"shape\":[";
        for (int64_t dim = 0; dim < x.dim(); dim++)
            text += (dim ? "," : "") + std::to_string(x.size(dim));
        text += "],\"data_offsets\":[" + std::to_string(ranges[k].from) + "," +
                std::to_string(ranges[k].to) + "]}";
    }
    text += "}";
    text.append((PREFIX - text.size() % PREFIX) % PREFIX, ' ');
    return text;
}

}  // namespace

// (path names-and-tensors metadata)
ct::Owned ct::save_tensors(const ProcedureArguments &given)
{
    std::string path = given.text(0);
    Named<at::Tensor> entries = named_tensors(given.values[1]);
    std::string metadata = metadata_text(given.values[2]);
    for (const auto &[name, x] : entries) {
        check_is_dense(x);
        if (name == METADATA)
            throw Failure{"no tensor can be called " + in_quotes(METADATA), "pass it by :metadata"};
    }
    std::vector<size_t> order = writing_order(entries);
    std::string header = header_text(entries, ranges_of(entries, order), metadata);
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

// (text names-and-tensors)  The crc32 of the text, and of the names, dtypes, shapes and elements of
// the tensors.
ct::Owned ct::tensors_checksum(const ProcedureArguments &given)
{
    uint32_t check = crc32(given.text(0));
    for (const auto &[name, tensor] : named_tensors(given.values[1])) {
        at::Tensor x = as_stored(tensor);
        check = crc32(name + dtype_name(x.scalar_type()) + shape_text(x.sizes()), check);
        check = crc32({static_cast<const char *>(x.const_data_ptr()), x.nbytes()}, check);
    }
    return Owned::integer(check);
}
