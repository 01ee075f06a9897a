// zip_output.cpp - writing a ZIP archive whose files are aligned for tensors, at multiples of 64.
//
//     a header for each file, and its bytes      the directory, which has all headers again      its end

#include "files/zip.h"
#include "files/zip_format.h"

#include <algorithm>

namespace {

using namespace ct;

constexpr uint16_t UTF8_NAME = 0x800, PADDING_FIELD = 0x4C50, VERSION = 20, VERSION_64 = 45;
constexpr uint16_t NO_TIME = 0, FIRST_DAY = 33;  // 1980-01-01
constexpr uint64_t ALIGNMENT = 64;

template <class Number>
void add(std::string &out, Number number)
{
    out.append(reinterpret_cast<const char *>(&number), sizeof number);
}

void add_all_16(std::string &out, std::initializer_list<uint16_t> numbers)
{
    for (uint16_t number : numbers) add(out, number);
}

// What the headers of a file say.  header: the position of the first header.
struct Described {
    uint64_t header, stored, size;
    uint32_t check;
    uint16_t method;

    bool is_large() const { return std::max({header, stored, size}) >= ELSEWHERE_32; }
    uint32_t in_32(uint64_t number) const
    {
        return is_large() ? ELSEWHERE_32 : static_cast<uint32_t>(number);
    }
};

// The fields that both headers have.
std::string fields_of(const Described &file, const std::string &name)
{
    std::string out;
    add_all_16(out, {file.is_large() ? VERSION_64 : VERSION, UTF8_NAME, file.method, NO_TIME,
                     FIRST_DAY});
    for (uint32_t number : {file.check, file.in_32(file.stored), file.in_32(file.size)})
        add(out, number);
    add(out, static_cast<uint16_t>(name.size()));
    return out;
}

// The ZIP64 field, if one is needed.
std::string field_64(const Described &file, std::initializer_list<uint64_t> numbers)
{
    std::string out;
    if (!file.is_large()) return out;
    add_all_16(out, {FIELD_64, static_cast<uint16_t>(numbers.size() * sizeof(uint64_t))});
    for (uint64_t number : numbers) add(out, number);
    return out;
}

// A field of zeros, after which the bytes begin.
std::string padding_from(uint64_t byte)
{
    uint64_t start = byte + 2 * sizeof(uint16_t);
    uint16_t size = static_cast<uint16_t>((ALIGNMENT - start % ALIGNMENT) % ALIGNMENT);
    std::string out;
    add_all_16(out, {PADDING_FIELD, size});
    return out.append(size, '\0');
}

}  // namespace

void ct::ZipOutput::add(const std::string &name, std::string_view head, std::string_view body)
{
    std::string packed = packs_ ? deflate(std::string(head) + std::string(body)) : "";
    uint64_t size = head.size() + body.size();
    Described file{out_.written(), packs_ ? packed.size() : size, size,
                   crc32(body, crc32(head)), packs_ ? DEFLATED : PLAIN};
    std::string common = fields_of(file, name), extra = field_64(file, {file.size, file.stored});
    extra += padding_from(file.header + LOCAL_SIZE + name.size() + extra.size());
    std::string local;
    ::add(local, LOCAL);
    local += common;
    ::add(local, static_cast<uint16_t>(extra.size()));
    out_.write(local + name + extra);
    out_.write(packs_ ? packed : head);
    if (!packs_) out_.write(body);

    std::string wide = field_64(file, {file.size, file.stored, file.header});
    ::add(directory_, CENTRAL);
    ::add(directory_, VERSION_64);
    directory_ += common;
    add_all_16(directory_, {static_cast<uint16_t>(wide.size()), 0, 0, 0, 0, 0});
    ::add(directory_, file.in_32(file.header));
    directory_ += name + wide;
    count_++;
}

void ct::ZipOutput::finish()
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
