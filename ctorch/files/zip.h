// zip.h - ZIP archives, with ZIP64: the format of numpy's npz and PyTorch's pt files.  C++ only.
#pragma once

#include <unordered_map>

#include "files/files.h"

namespace ct {

// A file in an archive, whose bounds have been checked.
struct ZipEntry {
    std::string name;
    uint64_t from;              // where its bytes begin
    uint64_t stored, size;      // bytes in the archive, and unpacked
    uint32_t check;             // crc32 of the unpacked bytes
    bool deflated;
};

// The bytes of an entry, unpacked.
struct Unpacked {
    Keeper keeper;
    char *start;
    uint64_t size;

    std::string_view text() const { return {start, size}; }
};

class Zip {
public:
    // Throws a Failure unless the directory is complete, its files lie within the archive and do
    // not overlap, none is larger than its bytes can unpack to, and the machine has room for all.
    explicit Zip(FilePointer file);
    // A file of another format, in which the caller has found these entries.
    Zip(FilePointer file, std::vector<ZipEntry> entries);

    const ZipEntry *find(std::string_view name) const;  // nullptr if there is none
    // The first `count` bytes of an entry; fewer if it has fewer, or they do not unpack.
    std::string head(const ZipEntry &entry, uint64_t count) const;
    // The bytes of an entry, in the mapped file if they are not deflated.  Memory is touched only
    // as bytes are unpacked; more than the entry's size are a failure.
    Unpacked unpacked(const ZipEntry &entry) const;
    // Fails unless the unpacked bytes have the entry's check.
    void verify(const ZipEntry &entry, std::string_view unpacked) const;

    const FilePointer file;
    std::vector<ZipEntry> entries;

private:
    std::unordered_map<std::string, size_t> positions_;  // in entries, by name
};

// Writes an archive.
class ZipOutput {
public:
    ZipOutput(Output &out, bool packs) : out_(out), packs_(packs) {}

    // Adds the bytes of `head` followed by `body`.  If they are not packed, they begin at a
    // multiple of 64.
    void add(const std::string &name, std::string_view head, std::string_view body);
    void finish();

private:
    Output &out_;
    bool packs_;
    std::string directory_;
    uint64_t count_ = 0;
};

// The crc32 of bytes that follow those whose crc32 is `before`.
uint32_t crc32(std::string_view bytes, uint32_t before = 0);

// Pack bytes.
std::string deflate(std::string_view bytes);

// Unpack deflated bytes to exactly size bytes; false if they are damaged or have another size.
bool inflate(std::string_view deflated, char *to, uint64_t size);
// Unpack at most the first size bytes; returns how many.
uint64_t inflate_head(std::string_view deflated, char *to, uint64_t size);

}  // namespace ct
