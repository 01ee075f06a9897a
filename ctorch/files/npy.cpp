// npy.cpp - numpy's arrays: one in a .npy file, several with names in a .npz archive.
//
// Little-endian elements stay in the mapped file; Fortran order only changes the strides.

#include "errors/interrupts.h"
#include "files/npy.h"
#include "files/procedures.h"
#include "files/zip.h"

#include <algorithm>

namespace {

using namespace ct;

constexpr std::string_view SUFFIX = ".npy";

std::vector<int64_t> strides_of(const NpyHeader &header)
{
    if (!header.fortran) return strides_in_a_row(header.sizes);
    std::vector<int64_t> sizes(header.sizes.rbegin(), header.sizes.rend());
    std::vector<int64_t> strides = strides_in_a_row(sizes);
    return {strides.rbegin(), strides.rend()};
}

void swap_bytes(char *bytes, uint64_t count, at::ScalarType dtype)
{
    size_t width = c10::elementSize(dtype) / (c10::isComplexType(dtype) ? 2 : 1);
    Polls polls;
    for (char *end = bytes + count; bytes < end; bytes += width, polls.step())
        std::reverse(bytes, bytes + width);
}

// The elements take that many bytes, which the file must have.
uint64_t checked_bytes(const NpyHeader &header, const std::string &path, uint64_t base,
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

// The array in these bytes, which are the contents of an npy file; keeper keeps them alive, and
// they are not shared.
at::Tensor read_array(Keeper keeper, std::string_view text, const std::string &path, uint64_t base)
{
    NpyHeader header = read_npy_header(text, path, base);
    uint64_t bytes = checked_bytes(header, path, base, text.size() - header.length);
    char *start = const_cast<char *>(text.data()) + header.length;
    if (header.big_endian) swap_bytes(start, bytes, header.dtype);
    return tensor_at(std::move(keeper), start, header.dtype, header.sizes, strides_of(header));
}

constexpr uint64_t LONGEST_ARRAY_HEADER = uint64_t{1} << 20;  // of an array in an archive

// A deflated entry may claim a thousand times its bytes.  So its header is unpacked first, and the
// rest only if the array that it describes has exactly the claimed size.
void check_justified(const Zip &zip, const ZipEntry &entry)
{
    const std::string &path = zip.file->path;
    std::string head = zip.head(entry, LONGEST_ARRAY_HEADER);
    NpyHeader header = read_npy_header(head, path, entry.from);
    uint64_t bytes = checked_bytes(header, path, entry.from, entry.size - header.length);
    if (entry.size != header.length + bytes)
        fail_at(path, entry.from, "the ZIP entry " + in_quotes(entry.name) + " unpacks to " +
                                      std::to_string(entry.size) + " bytes, its array has " +
                                      std::to_string(header.length + bytes));
}

// An array in an archive: unpacked, or mapped if it is stored.
at::Tensor read_entry(const Zip &zip, const ZipEntry &entry)
{
    if (entry.deflated) check_justified(zip, entry);
    Unpacked found = zip.unpacked(entry);
    zip.verify(entry, found.text());
    return read_array(found.keeper, found.text(), zip.file->path, entry.from);
}

std::string_view bytes_of(const at::Tensor &x)
{
    return {static_cast<const char *>(x.const_data_ptr()), x.nbytes()};
}

}  // namespace

namespace ct {

Owned load_npy(const ProcedureArguments &given)
{
    FilePointer file = open_file(given.text(0));
    return Owned::tensor(read_array(file, file->text(0, file->size), file->path, 0));
}

// (path tensor)
Owned save_npy(const ProcedureArguments &given)
{
    std::string path = given.text(0);
    std::string header = npy_header_of(given.tensor(1));
    at::Tensor x = as_stored(given.tensor(1));
    Output out(path);
    out.write(header);
    out.write(bytes_of(x));
    out.commit();
    return Owned();
}

Owned load_npz(const ProcedureArguments &given)
{
    Zip zip(open_file(given.text(0)));
    Named<at::Tensor> arrays;
    for (const ZipEntry &entry : zip.entries) {
        std::string name = entry.name;
        if (!name.ends_with(SUFFIX))
            fail_at(zip.file->path, entry.from, "the ZIP entry " + in_quotes(name) + " is not an array");
        name.resize(name.size() - SUFFIX.size());
        check_text(name, "name", zip.file->path, entry.from);
        arrays.emplace_back(name, read_entry(zip, entry));
    }
    return table_of(std::move(arrays));
}

// (path names-and-tensors compress)
Owned save_npz(const ProcedureArguments &given)
{
    std::string path = given.text(0);
    Named<at::Tensor> entries = named_tensors(given.values[1]);
    std::vector<std::string> headers;
    for (const auto &[name, x] : entries) headers.push_back(npy_header_of(x));
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
