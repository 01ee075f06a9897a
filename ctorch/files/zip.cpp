// zip.cpp - the directory of a ZIP archive, checked before anything is unpacked.
//
// Ambiguous archives are refused: LibTorch, which reads some of them afterwards, must find in it
// what was checked here.

#include "errors/interrupts.h"
#include "files/zip.h"
#include "files/zip_format.h"
#include "memory/memory.h"

#include <ATen/ops/empty.h>

#include <algorithm>

namespace {

using namespace ct;

constexpr uint64_t LONGEST_COMMENT = 0xFFFF;
constexpr uint16_t ENCRYPTED = 1;
constexpr uint64_t MOST_PACKED = 1032;  // bytes that one deflated byte can inflate to

struct Directory {
    uint64_t from, size, count;
};

class Reader {
public:
    explicit Reader(const File &file) : file_(file) {}

    template <class Number>
    Number at(uint64_t byte) const
    {
        if (byte > file_.size || sizeof(Number) > file_.size - byte)
            fail_at(file_.path, byte, "the ZIP archive ends too early");
        return number_at<Number>(file_.data + byte);
    }
    Directory directory() const;
    ZipEntry entry(uint64_t &byte, const Directory &directory) const;

private:
    uint64_t end_of_archive() const;
    void read_64(uint64_t byte, uint64_t end, ZipEntry &entry, uint64_t &header) const;
    void find_bytes(ZipEntry &entry, uint64_t header, const Directory &directory) const;

    const File &file_;
};

// The last record; only its comment follows it.
uint64_t Reader::end_of_archive() const
{
    if (file_.size >= END_SIZE) {
        uint64_t last = file_.size - END_SIZE;
        uint64_t first = last > LONGEST_COMMENT ? last - LONGEST_COMMENT : 0;
        for (uint64_t byte = last + 1; byte-- > first;) {
            if (at<uint32_t>(byte) != END) continue;
            if (at<uint16_t>(byte + 20) == last - byte) return byte;
            break;
        }
    }
    fail_at(file_.path, file_.size, "it is not a ZIP archive, or its end is missing");
}

Directory Reader::directory() const
{
    uint64_t end = end_of_archive();
    Directory found{at<uint32_t>(end + 16), at<uint32_t>(end + 12), at<uint16_t>(end + 10)};
    bool large = found.from == ELSEWHERE_32 || found.size == ELSEWHERE_32 ||
                 found.count == ELSEWHERE_16;
    uint64_t limit = end;
    if (end >= LOCATOR_64_SIZE && at<uint32_t>(end - LOCATOR_64_SIZE) == LOCATOR_64) {
        uint64_t byte = at<uint64_t>(end - LOCATOR_64_SIZE + 8);
        if (byte > end - LOCATOR_64_SIZE || at<uint32_t>(byte) != END_64 ||
            end - LOCATOR_64_SIZE - byte < END_64_SIZE)
            fail_at(file_.path, end - LOCATOR_64_SIZE, "the end of the ZIP64 archive is missing");
        found = {at<uint64_t>(byte + 48), at<uint64_t>(byte + 40), at<uint64_t>(byte + 32)};
        limit = byte;
    } else if (large) {
        fail_at(file_.path, end, "the end of the ZIP64 archive is missing");
    }
    if (found.from > limit || found.size > limit - found.from ||
        found.count > found.size / CENTRAL_SIZE)
        fail_at(file_.path, end, "the ZIP directory does not fit into the file");
    return found;
}

// The numbers that do not fit into 32 bits, in the order in which the header lacks them.
void Reader::read_64(uint64_t byte, uint64_t end, ZipEntry &entry, uint64_t &header) const
{
    while (end - byte >= 4) {
        uint16_t field = at<uint16_t>(byte), length = at<uint16_t>(byte + 2);
        byte += 4;
        if (length > end - byte) break;
        if (field == FIELD_64) {
            uint64_t stop = byte + length;
            for (uint64_t *number : {&entry.size, &entry.stored, &header}) {
                if (*number != ELSEWHERE_32) continue;
                if (stop - byte < 8) fail_at(file_.path, byte, "a ZIP64 number is missing");
                *number = at<uint64_t>(byte);
                byte += 8;
            }
            return;
        }
        byte += length;
    }
}

// Only the local header before the bytes says where they begin.
void Reader::find_bytes(ZipEntry &entry, uint64_t header, const Directory &directory) const
{
    if (header > directory.from || directory.from - header < LOCAL_SIZE ||
        at<uint32_t>(header) != LOCAL)
        fail_at(file_.path, header, "no ZIP entry begins here, where the directory says so");
    uint64_t name = at<uint16_t>(header + 26), extra = at<uint16_t>(header + 28);
    entry.from = header + LOCAL_SIZE + name + extra;
    if (entry.from > directory.from || entry.stored > directory.from - entry.from)
        fail_at(file_.path, header, "the ZIP entry " + in_quotes(entry.name) + " of " +
                                        std::to_string(entry.stored) +
                                        " bytes does not fit into the file");
    if (file_.text(header + LOCAL_SIZE, name) != entry.name)
        fail_at(file_.path, header, "the name of the ZIP entry differs from its name in the directory");
}

ZipEntry Reader::entry(uint64_t &byte, const Directory &directory) const
{
    uint64_t end = directory.from + directory.size;
    if (end - byte < CENTRAL_SIZE || at<uint32_t>(byte) != CENTRAL)
        fail_at(file_.path, byte, "no entry of the ZIP directory begins here");
    uint16_t flags = at<uint16_t>(byte + 8), method = at<uint16_t>(byte + 10);
    uint64_t name = at<uint16_t>(byte + 28), extra = at<uint16_t>(byte + 30);
    uint64_t comment = at<uint16_t>(byte + 32), header = at<uint32_t>(byte + 42);
    if (name + extra + comment > end - byte - CENTRAL_SIZE)
        fail_at(file_.path, byte, "an entry of the ZIP directory does not end");
    ZipEntry found{std::string(file_.text(byte + CENTRAL_SIZE, name)), 0, at<uint32_t>(byte + 20),
                   at<uint32_t>(byte + 24), at<uint32_t>(byte + 16), method == DEFLATED};
    uint64_t fields = byte + CENTRAL_SIZE + name;
    read_64(fields, fields + extra, found, header);
    std::string which = "the ZIP entry " + in_quotes(found.name);
    if (flags & ENCRYPTED) fail_at(file_.path, byte, which + " is encrypted");
    if (method != PLAIN && method != DEFLATED)
        fail_at(file_.path, byte, which + " is packed by method " + std::to_string(method) +
                                      ", which is neither stored nor deflated");
    find_bytes(found, header, directory);
    if (!found.deflated && found.size != found.stored)
        fail_at(file_.path, byte, which + " is stored in " + std::to_string(found.stored) +
                                      " bytes, but said to have " + std::to_string(found.size));
    if (found.size / MOST_PACKED > found.stored)
        fail_at(file_.path, byte, which + " cannot unpack to " + std::to_string(found.size) +
                                      " bytes: it has " + std::to_string(found.stored));
    byte = fields + extra + comment;
    return found;
}

void check_apart(const std::vector<ZipEntry> &entries, const std::string &path)
{
    std::vector<const ZipEntry *> order;
    for (const ZipEntry &entry : entries) order.push_back(&entry);
    std::sort(order.begin(), order.end(),
              [](const ZipEntry *a, const ZipEntry *b) { return a->from < b->from; });
    for (size_t k = 1; k < order.size(); k++) {
        const ZipEntry &before = *order[k - 1], &after = *order[k];
        uint64_t header = after.from - std::min(after.from, LOCAL_SIZE + after.name.size());
        if (before.from + before.stored > header)
            fail_at(path, header, "the ZIP entries " + in_quotes(before.name) + " and " +
                                      in_quotes(after.name) + " overlap");
    }
}

[[noreturn]] void fail_unpacking(const Zip &zip, const ZipEntry &entry)
{
    fail_at(zip.file->path, entry.from, "the ZIP entry " + in_quotes(entry.name) +
                                            " does not unpack to " + std::to_string(entry.size) +
                                            " bytes");
}

}  // namespace

namespace ct {

Zip::Zip(FilePointer opened) : file(std::move(opened))
{
    Reader reader(*file);
    Directory directory = reader.directory();
    uint64_t byte = directory.from;
    Polls polls;
    for (uint64_t k = 0; k < directory.count; k++) {
        uint64_t start = byte;
        polls.step();
        entries.push_back(reader.entry(byte, directory));
        if (!positions_.emplace(entries.back().name, k).second)
            fail_at(file->path, start, "the ZIP entry " + in_quotes(entries.back().name) +
                                           " occurs twice");
    }
    check_apart(entries, file->path);
    uint64_t size = 0;   // no sum overflows: each entry is at most a thousand times its bytes
    for (const ZipEntry &entry : entries) size += entry.deflated ? entry.size : 0;
    check_room(file->path, "what it unpacks to takes", size);
}

Zip::Zip(FilePointer opened, std::vector<ZipEntry> found)
    : file(std::move(opened)), entries(std::move(found))
{
    for (size_t k = 0; k < entries.size(); k++) positions_.emplace(entries[k].name, k);
}

const ZipEntry *Zip::find(std::string_view name) const
{
    auto found = positions_.find(std::string(name));
    return found == positions_.end() ? nullptr : &entries[found->second];
}

std::string Zip::head(const ZipEntry &entry, uint64_t count) const
{
    count = std::min(count, entry.size);
    if (!entry.deflated) return std::string(file->text(entry.from, count));
    std::string found(count, '\0');
    found.resize(inflate_head(file->text(entry.from, entry.stored), found.data(), count));
    return found;
}

Unpacked Zip::unpacked(const ZipEntry &entry) const
{
    if (!entry.deflated) return {file, file->data + entry.from, entry.size};
    std::string_view stored = file->text(entry.from, entry.stored);
    auto buffer = std::make_shared<at::Tensor>(
        at::empty({static_cast<int64_t>(entry.size)}, at::TensorOptions(at::kByte)));
    char *start = static_cast<char *>(buffer->data_ptr());
    if (!inflate(stored, start, entry.size)) fail_unpacking(*this, entry);
    return {buffer, start, entry.size};
}

void Zip::verify(const ZipEntry &entry, std::string_view unpacked) const
{
    if (crc32(unpacked) != entry.check)
        fail_at(file->path, entry.from, "the ZIP entry " + in_quotes(entry.name) +
                                            " is damaged: its checksum differs");
}

}  // namespace ct
