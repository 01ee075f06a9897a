// pickle.cpp - the values in a pickle, and limits on how many there may be.
//
// One byte of a pickle can create a value, and one byte of an archive can unpack to a thousand
// bytes.  So limits are checked before anything is unpacked or created, and what is built is
// limited by the bytes in the file: state dicts build 12 times the size of their pickle, which
// deflates to about a fifth.

#include "files/pickle.h"

#include <algorithm>

namespace ct {

namespace {

constexpr size_t MOST_SHARED = 10;               // values for each byte, where they are shared
constexpr size_t SMALL = size_t{1} << 20;        // bytes of memory that every pickle may take
constexpr size_t MOST_BUILT = 512;               // and in addition for each byte in the file
constexpr size_t MOST_PACKED = 100;              // bytes of a pickle for each deflated byte

}  // namespace

Pickle::Pickle(const Zip &zip, const ZipEntry &entry, Holds holds)
    : path_(zip.file->path), first_byte_(entry.from), stored_(entry.stored)
{
    if (entry.size > LONGEST) fail(0, "a pickle of more than 32 MiB");
    if (entry.size > SMALL + MOST_PACKED * stored_)
        fail(0, "a pickle that unpacks from " + std::to_string(stored_) + " bytes to " +
                    std::to_string(entry.size));
    bytes_ = zip.unpacked(entry);
    text_ = bytes_.text();
    run(holds);
}

size_t Pickle::memory_limit() const { return SMALL + MOST_BUILT * stored_; }

size_t Pickle::limit() const
{
    size_t by_memory = memory_limit() / sizeof(ct_value);
    return std::min({MOST_SHARED * text_.size(), by_memory, MOST_VALUES});
}

size_t Pickle::text_limit() const { return SMALL + MOST_SHARED * text_.size(); }

std::string Pickle::digits(const Pickled &value) const
{
    if (value.kind == Pickled::Int) return std::to_string(value.number);
    std::string_view bytes = text(value);
    bool is_negative = bytes.back() < 0;
    // Long division of the magnitude, the last digits first.
    constexpr uint64_t CHUNK = 1000000000;
    std::vector<uint32_t> words((bytes.size() + 3) / 4, 0);
    uint64_t carry = is_negative;
    for (size_t k = 0; k < words.size(); k++) {
        for (size_t i = 4 * k; i < 4 * k + 4; i++) {
            uint32_t byte = i < bytes.size() ? static_cast<uint8_t>(bytes[i]) : is_negative ? 0xFF : 0;
            words[k] |= (is_negative ? byte ^ 0xFF : byte) << 8 * (i % 4);
        }
        carry += words[k];
        words[k] = static_cast<uint32_t>(carry);
        carry >>= 32;
    }
    if (carry) words.push_back(static_cast<uint32_t>(carry));
    std::string reversed;
    while (!words.empty()) {
        uint64_t rest = 0;
        for (size_t k = words.size(); k-- > 0;) {
            rest = rest << 32 | words[k];
            words[k] = static_cast<uint32_t>(rest / CHUNK);
            rest %= CHUNK;
        }
        while (!words.empty() && words.back() == 0) words.pop_back();
        for (int digit = 0; digit < 9; digit++, rest /= 10)
            reversed += static_cast<char>('0' + rest % 10);
    }
    size_t first = reversed.find_last_not_of('0');
    if (first == std::string::npos) return "0";
    reversed.resize(first + 1);
    if (is_negative) reversed += '-';
    return {reversed.rbegin(), reversed.rend()};
}

void Pickle::fail(uint64_t byte, const std::string &what, const char *hint) const
{
    fail_at(path_, first_byte_ + byte, what, hint);
}

void Pickle::refuse(uint64_t byte, const std::string &what) const
{
    constexpr size_t SHOWN = 200;
    std::string shown = what.size() > SHOWN ? what.substr(0, SHOWN) + "..." : what;
    fail(byte, "it holds " + shown + ", which only Python can create",
         "in Python, save model.state_dict(), or use safetensors");
}

const std::vector<uint32_t> &Pickle::items(const Pickled &value) const
{
    return items_[value.kind == Pickled::Call ? static_cast<size_t>(value.number) : value.a];
}

std::string_view Pickle::text(const Pickled &value) const { return text_.substr(value.a, value.b); }

std::string Pickle::global_name(const Pickled &value) const
{
    if (value.kind != Pickled::Global) return "";
    return std::string(text(values_[value.a])) + "." + std::string(text(values_[value.b]));
}

}  // namespace ct
