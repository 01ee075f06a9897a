// zip.h - ZIP archives, with ZIP64: what numpy's npz and PyTorch's pt files are.  C++ only.
#pragma once

#include <unordered_map>

#include "files/files.h"

namespace ct {

// A file in an archive, which has been checked to lie in it.
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
    // Throws a Failure unless the directory is whole, its files are within the archive and apart
    // from each other, and none is larger than its bytes can unpack to.
    explicit Zip(FilePointer file);

    const ZipEntry *find(std::string_view name) const;  // nullptr if there is none
    // The first bytes of an entry, `count` or all that it has; fewer if they do not unpack.
    std::string head(const ZipEntry &entry, uint64_t count) const;
    // Of an entry that is not deflated, where they lie.  No room is made before a deflated one has
    // been seen to unpack to its size.
    Unpacked unpacked(const ZipEntry &entry) const;
    // Fails unless the unpacked bytes have the entry's check.
    void verify(const ZipEntry &entry, std::string_view unpacked) const;

    const FilePointer file;
    std::vector<ZipEntry> entries;

private:
    std::unordered_map<std::string, size_t> places_;  // in entries, by name
};

// Writes an archive.
class ZipOutput {
public:
    ZipOutput(Output &out, bool packs) : out_(out), packs_(packs) {}

    // The bytes are `head` and `body` in a row.  Those that are not packed begin at a multiple of 64.
    void add(const std::string &name, std::string_view head, std::string_view body);
    void finish();

private:
    Output &out_;
    bool packs_;
    std::string directory_;
    uint64_t count_ = 0;
};

// crc32 of more bytes, after those before, whose result is given.
uint32_t crc32(std::string_view bytes, uint32_t before = 0);

// Pack bytes.
std::string deflate(std::string_view bytes);

// Unpack deflated bytes to exactly size bytes; false if they are no such thing.  Only try it if to
// is nullptr.
bool inflate(std::string_view deflated, char *to, uint64_t size);
// Unpack as far as size bytes, and leave the rest; how many bytes that gave.
uint64_t inflate_head(std::string_view deflated, char *to, uint64_t size);

}  // namespace ct
