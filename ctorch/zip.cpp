// zip.cpp - the directory of a ZIP archive, checked before anything is unpacked; and writing one.

#include "zip.h"

#include <algorithm>
#include <array>

namespace {

using namespace ct;

constexpr uint32_t LOCAL = 0x04034B50, CENTRAL = 0x02014B50, END = 0x06054B50;
constexpr uint32_t END_64 = 0x06064B50, LOCATOR_64 = 0x07064B50;
constexpr uint64_t LOCAL_SIZE = 30, CENTRAL_SIZE = 46, END_SIZE = 22, END_64_SIZE = 56,
                   LOCATOR_64_SIZE = 20, LONGEST_COMMENT = 0xFFFF;
constexpr uint32_t ELSEWHERE_32 = 0xFFFFFFFF;  // the number is in the ZIP64 field
constexpr uint16_t ELSEWHERE_16 = 0xFFFF, FIELD_64 = 0x0001, ENCRYPTED = 1, UTF8_NAME = 0x800;
constexpr uint16_t PLAIN = 0, DEFLATED = 8;
constexpr uint16_t PADDING_FIELD = 0x4C50, VERSION = 20, VERSION_64 = 45;
constexpr uint64_t MOST_PACKED = 1032;  // bytes that one deflated byte can stand for
constexpr uint64_t MODEST = uint64_t{1} << 24;  // bytes that are made room for unseen
constexpr uint64_t ALIGNMENT = 64;
constexpr uint16_t NO_TIME = 0, FIRST_DAY = 33;  // 1980-01-01

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

// The last record, which only its own comment follows.
uint64_t Reader::end_of_archive() const
{
    if (file_.size >= END_SIZE) {
        uint64_t last = file_.size - END_SIZE;
        uint64_t first = last > LONGEST_COMMENT ? last - LONGEST_COMMENT : 0;
        for (uint64_t byte = last + 1; byte-- > first;)
            if (at<uint32_t>(byte) == END && at<uint16_t>(byte + 20) == last - byte) return byte;
    }
    fail_at(file_.path, file_.size, "it is no ZIP archive, or its end is missing");
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
            fail_at(file_.path, end - LOCATOR_64_SIZE, "the end of the ZIP64 archive is not there");
        found = {at<uint64_t>(byte + 48), at<uint64_t>(byte + 40), at<uint64_t>(byte + 32)};
        limit = byte;
    } else if (large) {
        fail_at(file_.path, end, "the end of the ZIP64 archive is not there");
    }
    if (found.from > limit || found.size > limit - found.from ||
        found.count > found.size / CENTRAL_SIZE)
        fail_at(file_.path, end, "the ZIP directory does not fit into the file");
    return found;
}

// The numbers that do not fit 32 bits, in the order in which they are missing.
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

// Where the bytes begin only the header before them tells.
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
        fail_at(file_.path, header, "the ZIP entry has another name than the directory gives it");
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

template <class Number>
void add(std::string &out, Number number)
{
    out.append(reinterpret_cast<const char *>(&number), sizeof number);
}

void add_all_16(std::string &out, std::initializer_list<uint16_t> numbers)
{
    for (uint16_t number : numbers) add(out, number);
}

std::array<std::array<uint32_t, 256>, 8> make_crc_tables()
{
    std::array<std::array<uint32_t, 256>, 8> tables;
    for (uint32_t k = 0; k < 256; k++) {
        uint32_t crc = k;
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320 : 0);
        tables[0][k] = crc;
    }
    for (size_t t = 1; t < 8; t++)
        for (size_t k = 0; k < 256; k++)
            tables[t][k] = tables[t - 1][k] >> 8 ^ tables[0][tables[t - 1][k] & 0xFF];
    return tables;
}

}  // namespace

namespace ct {

uint32_t crc32(std::string_view bytes, uint32_t before)
{
    static const auto tables = make_crc_tables();
    uint32_t crc = ~before;
    const char *at = bytes.data(), *end = at + bytes.size();
    for (; end - at >= 8; at += 8) {
        uint64_t eight = number_at<uint64_t>(at) ^ crc;
        crc = 0;
        for (size_t k = 0; k < 8; k++) crc ^= tables[7 - k][eight >> (8 * k) & 0xFF];
    }
    for (; at < end; at++)
        crc = crc >> 8 ^ tables[0][(crc ^ static_cast<unsigned char>(*at)) & 0xFF];
    return ~crc;
}

Zip::Zip(FilePointer opened) : file(std::move(opened))
{
    Reader reader(*file);
    Directory directory = reader.directory();
    uint64_t byte = directory.from;
    for (uint64_t k = 0; k < directory.count; k++) {
        uint64_t start = byte;
        entries.push_back(reader.entry(byte, directory));
        if (!places_.emplace(entries.back().name, k).second)
            fail_at(file->path, start, "the ZIP entry " + in_quotes(entries.back().name) +
                                           " comes twice");
    }
    check_apart(entries, file->path);
}

const ZipEntry *Zip::find(std::string_view name) const
{
    auto found = places_.find(std::string(name));
    return found == places_.end() ? nullptr : &entries[found->second];
}

std::string_view Zip::bytes(const ZipEntry &entry, std::string &room) const
{
    if (!entry.deflated) return file->text(entry.from, entry.stored);
    check_unpacks(entry);
    room.resize(entry.size);
    unpack(entry, room.data());
    return room;
}

void Zip::check_unpacks(const ZipEntry &entry) const
{
    bool modest = entry.size <= MODEST;
    if (!modest && !inflate(file->text(entry.from, entry.stored), nullptr, entry.size))
        fail_unpacking(*this, entry);
}

void Zip::unpack(const ZipEntry &entry, char *to) const
{
    std::string_view stored = file->text(entry.from, entry.stored);
    if (!entry.deflated) std::memcpy(to, stored.data(), stored.size());
    else if (!inflate(stored, to, entry.size)) fail_unpacking(*this, entry);
}

void Zip::verify(const ZipEntry &entry, std::string_view unpacked) const
{
    if (crc32(unpacked) != entry.check)
        fail_at(file->path, entry.from, "the ZIP entry " + in_quotes(entry.name) +
                                            " is damaged: its checksum differs");
}

// The sizes stand in a ZIP64 field where they need one, and a field of zeros puts the bytes where
// tensors may lie.
void ZipOutput::add(const std::string &name, std::string_view head, std::string_view body)
{
    uint64_t header = out_.written(), size = head.size() + body.size();
    uint32_t check = crc32(body, crc32(head));
    std::string packed = packs_ ? deflate(std::string(head) + std::string(body)) : "";
    uint64_t stored = packs_ ? packed.size() : size;
    bool large = std::max({size, stored, header}) >= ELSEWHERE_32;
    uint32_t size_32 = large ? ELSEWHERE_32 : static_cast<uint32_t>(size);
    uint32_t stored_32 = large ? ELSEWHERE_32 : static_cast<uint32_t>(stored);
    std::string wide;
    if (large) {
        add_all_16(wide, {FIELD_64, 24});
        for (uint64_t number : {size, stored, header}) ::add(wide, number);
    }
    std::string local_wide = large ? wide.substr(0, 20) : "";
    if (large) local_wide[2] = 16;
    uint64_t start = header + LOCAL_SIZE + name.size() + local_wide.size() + 4;
    uint16_t padding = static_cast<uint16_t>((ALIGNMENT - start % ALIGNMENT) % ALIGNMENT);
    add_all_16(local_wide, {PADDING_FIELD, padding});
    local_wide.append(padding, '\0');

    std::string common;  // of both headers
    add_all_16(common, {large ? VERSION_64 : VERSION, UTF8_NAME,
                        packs_ ? DEFLATED : PLAIN, NO_TIME, FIRST_DAY});
    for (uint32_t number : {check, stored_32, size_32}) ::add(common, number);
    ::add(common, static_cast<uint16_t>(name.size()));

    std::string local;
    ::add(local, LOCAL);
    local += common;
    ::add(local, static_cast<uint16_t>(local_wide.size()));
    out_.write(local + name + local_wide);
    out_.write(packs_ ? packed : head);
    if (!packs_) out_.write(body);

    ::add(directory_, CENTRAL);
    ::add(directory_, VERSION_64);
    directory_ += common;
    add_all_16(directory_, {static_cast<uint16_t>(wide.size()), 0, 0, 0, 0, 0});
    ::add(directory_, large ? ELSEWHERE_32 : static_cast<uint32_t>(header));
    directory_ += name + wide;
    count_++;
}

void ZipOutput::finish()
{
    uint64_t from = out_.written(), size = directory_.size();
    bool large = from + size >= ELSEWHERE_32 || count_ >= ELSEWHERE_16;
    out_.write(directory_);
    std::string end;
    if (large) {
        ::add(end, END_64);
        ::add(end, uint64_t{END_64_SIZE - 12});
        add_all_16(end, {VERSION_64, VERSION_64, 0, 0, 0, 0});
        for (uint64_t number : {count_, count_, size, from}) ::add(end, number);
        ::add(end, LOCATOR_64);
        ::add(end, uint32_t{0});
        ::add(end, from + size);
        ::add(end, uint32_t{1});
    }
    uint16_t count = large ? ELSEWHERE_16 : static_cast<uint16_t>(count_);
    ::add(end, END);
    add_all_16(end, {0, 0, count, count});
    ::add(end, large ? ELSEWHERE_32 : static_cast<uint32_t>(size));
    ::add(end, large ? ELSEWHERE_32 : static_cast<uint32_t>(from));
    ::add(end, uint16_t{0});
    out_.write(end);
}

}  // namespace ct
