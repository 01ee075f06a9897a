// inflate.cpp - unpacking what deflate has packed (RFC 1951), into memory whose size is known.
//
// Nothing is read beyond the input or written beyond the output, whatever the input says.  A code
// is found by its next bits in a table; the few longer ones by counting through their lengths.

#include "files/zip.h"

#include <algorithm>
#include <array>

namespace {

constexpr int LONGEST_CODE = 15, FAST_BITS = 10;
constexpr int LITERALS = 288, DISTANCES = 30, LENGTH_CODES = 19, END_OF_BLOCK = 256;

class Bits {
public:
    explicit Bits(std::string_view in) : in_(in) {}

    // At least so many bits in the low end, with zeros after the input's end.
    uint32_t peek(int count)
    {
        while (count_ < count) {
            uint64_t byte = at_ < in_.size() ? static_cast<unsigned char>(in_[at_]) : 0;
            hold_ |= byte << count_;
            count_ += 8;
            at_++;
        }
        return static_cast<uint32_t>(hold_ & ((uint64_t{1} << count) - 1));
    }
    void drop(int count)
    {
        hold_ >>= count;
        count_ -= count;
    }
    uint32_t take(int count)
    {
        if (!count) return 0;
        uint32_t bits = peek(count);
        drop(count);
        return bits;
    }
    // Forget the rest of the byte; the bytes from there on.
    std::string_view bytes(size_t length)
    {
        drop(count_ % 8);
        size_t from = at_ - static_cast<size_t>(count_ / 8);
        hold_ = 0;
        count_ = 0;
        if (from > in_.size() || length > in_.size() - from) {
            at_ = in_.size() + 1;
            return {};
        }
        at_ = from + length;
        return in_.substr(from, length);
    }
    // Whether bits have been used that were not there.
    bool overran() const { return at_ - static_cast<size_t>(count_ / 8) > in_.size(); }

private:
    std::string_view in_;
    size_t at_ = 0;
    uint64_t hold_ = 0;
    int count_ = 0;
};

class Codes {
public:
    // lengths: bits of each symbol's code, 0 if it has none.  False if that is no set of codes.
    bool build(const uint8_t *lengths, int symbols, bool may_be_incomplete)
    {
        counts_.fill(0);
        fast_.fill(0);
        for (int k = 0; k < symbols; k++) counts_[lengths[k]]++;
        counts_[0] = 0;
        int left = 1, used = 0;
        for (int bits = 1; bits <= LONGEST_CODE; bits++) {
            left = 2 * left - counts_[bits];
            used += counts_[bits];
            if (left < 0) return false;
        }
        if (left > 0 && !(may_be_incomplete && used <= 1)) return false;
        std::array<int, LONGEST_CODE + 2> first{}, code{};
        for (int bits = 1; bits <= LONGEST_CODE; bits++) {
            first[bits + 1] = first[bits] + counts_[bits];
            code[bits + 1] = (code[bits] + counts_[bits]) << 1;
        }
        for (int k = 0; k < symbols; k++) {
            int bits = lengths[k];
            if (!bits) continue;
            symbols_[first[bits]++] = static_cast<uint16_t>(k);
            note(code[bits]++, bits, k);
        }
        return true;
    }

    // The next symbol, or -1.
    int next(Bits &in) const
    {
        uint32_t coming = in.peek(LONGEST_CODE);
        if (uint16_t found = fast_[coming & ((1 << FAST_BITS) - 1)]) {
            in.drop(found & 15);
            return found >> 4;
        }
        int code = 0, first = 0, index = 0;
        for (int bits = 1; bits <= LONGEST_CODE; bits++) {
            code |= static_cast<int>(coming >> (bits - 1) & 1);
            if (code - counts_[bits] < first) {
                in.drop(bits);
                return symbols_[index + code - first];
            }
            index += counts_[bits];
            first = (first + counts_[bits]) << 1;
            code <<= 1;
        }
        return -1;
    }

private:
    // A short code is found by any bits that begin with it; codes come with their first bit lowest.
    void note(int code, int bits, int symbol)
    {
        if (bits > FAST_BITS) return;
        int reversed = 0;
        for (int k = 0; k < bits; k++) reversed |= (code >> k & 1) << (bits - 1 - k);
        for (int k = reversed; k < 1 << FAST_BITS; k += 1 << bits)
            fast_[k] = static_cast<uint16_t>(symbol << 4 | bits);
    }

    std::array<int, LONGEST_CODE + 1> counts_{};
    std::array<uint16_t, LITERALS> symbols_{};
    std::array<uint16_t, 1 << FAST_BITS> fast_{};
};

struct Out {
    char *to;
    uint64_t size;
    bool is_head;  // what comes after size bytes is left; otherwise, there must be no more
    uint64_t at = 0;

    // How many of so many bytes there is room for; false if there had to be room for all.
    bool make_room(uint64_t &length) const
    {
        bool fits = length <= size - at;
        if (!fits) length = size - at;
        return fits || is_head;
    }
    bool is_done() const { return is_head && at == size; }
};

// So many bytes again, from `distance` bytes back on, which may be fewer.
void repeat(char *to, uint64_t distance, uint64_t length)
{
    const char *from = to - distance;
    while (length) {
        uint64_t step = std::min(length, static_cast<uint64_t>(to - from));
        std::memcpy(to, from, step);
        to += step;
        length -= step;
    }
}

bool copy_plain(Bits &in, Out &out)
{
    std::string_view head = in.bytes(4);
    if (head.size() < 4) return false;
    uint64_t length = ct::number_at<uint16_t>(head.data());
    uint64_t inverse = ct::number_at<uint16_t>(head.data() + 2);
    if ((inverse ^ 0xFFFF) != length || !out.make_room(length)) return false;
    std::string_view bytes = in.bytes(length);
    if (bytes.size() != length) return false;
    if (out.to) std::memcpy(out.to + out.at, bytes.data(), length);
    out.at += length;
    return true;
}

// A repetition: so many bytes from so far back.
bool copy_back(Bits &in, int symbol, const Codes &distances, Out &out)
{
    static const uint16_t bases[] = {3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35,
                                     43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
    static const uint8_t extras[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                     2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
    static const uint16_t far_bases[] = {1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129,
                                         193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097,
                                         6145, 8193, 12289, 16385, 24577};
    static const uint8_t far_extras[] = {0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6,
                                         6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13};
    size_t which = static_cast<size_t>(symbol - END_OF_BLOCK - 1);
    if (which >= std::size(bases)) return false;
    uint64_t length = bases[which] + in.take(extras[which]);
    int place = distances.next(in);
    if (place < 0 || place >= DISTANCES) return false;
    uint64_t distance = far_bases[place] + in.take(far_extras[place]);
    if (distance > out.at || !out.make_room(length)) return false;
    if (out.to) repeat(out.to + out.at, distance, length);
    out.at += length;
    return true;
}

bool unpack_block(Bits &in, const Codes &literals, const Codes &distances, Out &out)
{
    while (!out.is_done()) {
        int symbol = literals.next(in);
        if (symbol < 0 || in.overran()) return false;
        if (symbol == END_OF_BLOCK) return true;
        if (symbol > END_OF_BLOCK) {
            if (!copy_back(in, symbol, distances, out)) return false;
        } else {
            if (out.at == out.size) return false;
            if (out.to) out.to[out.at] = static_cast<char>(symbol);
            out.at++;
        }
    }
    return true;
}

bool fixed_codes(Codes &literals, Codes &distances)
{
    std::array<uint8_t, LITERALS> lengths;
    for (int k = 0; k < LITERALS; k++)
        lengths[static_cast<size_t>(k)] = k < 144 ? 8 : k < 256 ? 9 : k < 280 ? 7 : 8;
    std::array<uint8_t, 32> far;
    far.fill(5);
    return literals.build(lengths.data(), LITERALS, false) && distances.build(far.data(), 32, false);
}

// The codes of a block that brings its own: their lengths are coded in turn.
bool read_codes(Bits &in, Codes &literals, Codes &distances)
{
    static const uint8_t order[] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    int literal_count = static_cast<int>(in.take(5)) + 257;
    int distance_count = static_cast<int>(in.take(5)) + 1;
    int code_count = static_cast<int>(in.take(4)) + 4;
    if (literal_count > 286 || distance_count > DISTANCES) return false;
    std::array<uint8_t, LITERALS + 32> lengths{};
    for (int k = 0; k < code_count; k++) lengths[order[k]] = static_cast<uint8_t>(in.take(3));
    Codes codes;
    if (!codes.build(lengths.data(), LENGTH_CODES, false)) return false;
    lengths.fill(0);
    for (int k = 0, total = literal_count + distance_count; k < total;) {
        int symbol = codes.next(in);
        if (symbol < 0 || in.overran()) return false;
        if (symbol < 16) {
            lengths[static_cast<size_t>(k++)] = static_cast<uint8_t>(symbol);
            continue;
        }
        if (symbol == 16 && k == 0) return false;
        uint8_t again = symbol == 16 ? lengths[static_cast<size_t>(k - 1)] : 0;
        int times = static_cast<int>(symbol == 16   ? 3 + in.take(2)
                                     : symbol == 17 ? 3 + in.take(3)
                                                    : 11 + in.take(7));
        if (times > total - k) return false;
        while (times-- > 0) lengths[static_cast<size_t>(k++)] = again;
    }
    if (!lengths[END_OF_BLOCK]) return false;
    return literals.build(lengths.data(), literal_count, true) &&
           distances.build(lengths.data() + literal_count, distance_count, true);
}

// False where the bytes are not deflated ones, or their end is missing.
bool unpack(std::string_view deflated, Out &out)
{
    Bits in(deflated);
    Codes literals, distances;
    for (bool last = false; !last && !out.is_done();) {
        last = in.take(1);
        uint32_t kind = in.take(2);
        bool right = kind == 0   ? copy_plain(in, out)
                     : kind == 1 ? fixed_codes(literals, distances) &&
                                       unpack_block(in, literals, distances, out)
                     : kind == 2 ? read_codes(in, literals, distances) &&
                                       unpack_block(in, literals, distances, out)
                                 : false;
        if (!right || in.overran()) return false;
    }
    return true;
}

}  // namespace

bool ct::inflate(std::string_view deflated, char *to, uint64_t size)
{
    Out out{to, size, false};
    return unpack(deflated, out) && out.at == size;
}

uint64_t ct::inflate_head(std::string_view deflated, char *to, uint64_t size)
{
    Out out{to, size, true};
    unpack(deflated, out);
    return out.at;
}
