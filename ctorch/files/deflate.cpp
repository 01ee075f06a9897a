// deflate.cpp - packing bytes as deflate does (RFC 1951): repetitions found by hashing, then codes
// fitted to each block.
//
// A code's length goes to the reader in four bits, all sixteen lengths alike: a few bytes more than
// coding the lengths in turn, and much less to read.

#include "files/zip.h"

#include <algorithm>
#include <array>
#include <queue>

namespace {

constexpr size_t SHORTEST = 4, LONGEST = 258, FARTHEST = 32768;  // repetitions
constexpr size_t HASH_BITS = 15, MOST_TRIED = 24;
constexpr size_t SYMBOLS_A_BLOCK = 1 << 15;
constexpr size_t LITERALS = 286, DISTANCES = 30, END_OF_BLOCK = 256;
constexpr int LONGEST_CODE = 15, LENGTH_BITS = 4;

class Bits {
public:
    void add(uint32_t bits, int count)
    {
        hold_ |= static_cast<uint64_t>(bits) << count_;
        for (count_ += count; count_ >= 8; count_ -= 8, hold_ >>= 8)
            out += static_cast<char>(hold_);
    }
    void finish() { add(0, (8 - count_) % 8); }

    std::string out;

private:
    uint64_t hold_ = 0;
    int count_ = 0;
};

// A literal byte (distance 0), or a repetition.
struct Symbol {
    uint16_t value;  // the byte, or the length
    uint16_t distance;
};

// A number as the last base that is not above it, and what is left.
struct Split {
    size_t code;
    uint32_t rest;
    int bits;
};

Split length_code(size_t length)
{
    if (length == LONGEST) return {28, 0, 0};
    size_t above = length - 3;
    if (above < 8) return {above, 0, 0};
    int bits = 61 - __builtin_clzll(above);
    size_t code = 4 * static_cast<size_t>(bits) + (above >> bits);
    return {code, static_cast<uint32_t>(above & ((size_t{1} << bits) - 1)), bits};
}

Split distance_code(size_t distance)
{
    size_t above = distance - 1;
    if (above < 4) return {above, 0, 0};
    int bits = 62 - __builtin_clzll(above);
    size_t code = 2 * static_cast<size_t>(bits) + (above >> bits);
    return {code, static_cast<uint32_t>(above & ((size_t{1} << bits) - 1)), bits};
}

// The lengths of Huffman's codes; false if one is too long.
template <size_t N>
bool huffman(const std::array<uint64_t, N> &counts, std::array<uint8_t, N> &lengths)
{
    struct Node {
        uint64_t count;
        size_t index;
        bool operator>(const Node &other) const
        {
            return std::pair(count, index) > std::pair(other.count, other.index);
        }
    };
    std::priority_queue<Node, std::vector<Node>, std::greater<>> waiting;
    std::vector<size_t> parents(N);
    lengths.fill(0);
    for (size_t k = 0; k < N; k++)
        if (counts[k]) waiting.push({counts[k], k});
    if (waiting.empty()) waiting.push({1, 0});
    if (waiting.size() == 1) return lengths[waiting.top().index] = 1, true;
    while (waiting.size() > 1) {
        Node a = waiting.top();
        waiting.pop();
        Node b = waiting.top();
        waiting.pop();
        parents[a.index] = parents[b.index] = parents.size();
        waiting.push({a.count + b.count, parents.size()});
        parents.push_back(0);
    }
    for (size_t k = 0; k < N; k++) {
        if (!counts[k]) continue;
        for (size_t at = k; at != parents.size() - 1; at = parents[at]) lengths[k]++;
        if (lengths[k] > LONGEST_CODE) return false;
    }
    return true;
}

template <size_t N>
struct Code {
    explicit Code(std::array<uint64_t, N> counts)
    {
        // Counts that are nearer to each other have shorter codes.
        while (!huffman(counts, lengths))
            for (uint64_t &count : counts) count = count ? count / 2 + 1 : 0;
        uint32_t next = 0;
        for (int length = 1; length <= LONGEST_CODE; length++, next <<= 1)
            for (size_t k = 0; k < N; k++)
                if (lengths[k] == length) bits[k] = reversed(next++, length);
    }

    static uint32_t reversed(uint32_t code, int length)
    {
        uint32_t out = 0;
        for (int k = 0; k < length; k++) out |= (code >> k & 1) << (length - 1 - k);
        return out;
    }

    void write(Bits &to, size_t symbol) const { to.add(bits[symbol], lengths[symbol]); }

    std::array<uint8_t, N> lengths;
    std::array<uint32_t, N> bits{};
};

// The lengths of both sets of codes, each in four bits: the code of length k is k.
template <size_t N>
void write_lengths(Bits &to, const std::array<uint8_t, N> &lengths)
{
    for (uint8_t length : lengths) to.add(Code<1>::reversed(length, LENGTH_BITS), LENGTH_BITS);
}

void write_block(Bits &to, const std::vector<Symbol> &symbols, bool last)
{
    std::array<uint64_t, LITERALS> literal_counts{};
    std::array<uint64_t, DISTANCES> distance_counts{};
    literal_counts[END_OF_BLOCK] = 1;
    for (const Symbol &symbol : symbols) {
        if (!symbol.distance) {
            literal_counts[symbol.value]++;
            continue;
        }
        literal_counts[END_OF_BLOCK + 1 + length_code(symbol.value).code]++;
        distance_counts[distance_code(symbol.distance).code]++;
    }
    Code<LITERALS> literals(literal_counts);
    Code<DISTANCES> distances(distance_counts);
    to.add(last, 1);
    to.add(2, 2);
    to.add(LITERALS - 257, 5);
    to.add(DISTANCES - 1, 5);
    to.add(19 - 4, 4);
    for (int which : {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15})
        to.add(which < 16 ? LENGTH_BITS : 0, 3);
    write_lengths(to, literals.lengths);
    write_lengths(to, distances.lengths);
    for (const Symbol &symbol : symbols) {
        if (!symbol.distance) {
            literals.write(to, symbol.value);
            continue;
        }
        Split length = length_code(symbol.value), distance = distance_code(symbol.distance);
        literals.write(to, END_OF_BLOCK + 1 + length.code);
        to.add(length.rest, length.bits);
        distances.write(to, distance.code);
        to.add(distance.rest, distance.bits);
    }
    literals.write(to, END_OF_BLOCK);
}

// Finds what has been before, by a chain of earlier places with the same four bytes.
class Finder {
public:
    explicit Finder(std::string_view in) : in_(in), heads_(size_t{1} << HASH_BITS), chain_(FARTHEST)
    {
    }

    // The longest repetition that begins here, {0, 0} if there is none.
    std::pair<size_t, size_t> find(size_t at) const
    {
        size_t best = SHORTEST - 1, far = 0, room = std::min(LONGEST, in_.size() - at);
        if (room < SHORTEST) return {0, 0};
        size_t place = heads_[hash(at)];
        for (size_t tries = 0; place && tries < MOST_TRIED && best < room; tries++) {
            size_t start = place - 1;
            if (start >= at || at - start > FARTHEST - 1) break;
            size_t length = 0;
            while (length < room && in_[start + length] == in_[at + length]) length++;
            if (length > best) best = length, far = at - start;
            size_t next = chain_[start % FARTHEST];
            if (next >= place) break;
            place = next;
        }
        return far ? std::pair(best, far) : std::pair<size_t, size_t>(0, 0);
    }

    void note(size_t at)
    {
        if (in_.size() - at < SHORTEST) return;
        size_t &head = heads_[hash(at)];
        chain_[at % FARTHEST] = head;
        head = at + 1;
    }

private:
    size_t hash(size_t at) const
    {
        return ct::number_at<uint32_t>(in_.data() + at) * 2654435761U >> (32 - HASH_BITS);
    }

    std::string_view in_;
    std::vector<size_t> heads_, chain_;  // places plus 1, 0 for none
};

}  // namespace

std::string ct::deflate(std::string_view in)
{
    Bits to;
    Finder finder(in);
    std::vector<Symbol> symbols;
    for (size_t at = 0; at < in.size();) {
        auto [length, distance] = finder.find(at);
        uint16_t value = static_cast<uint16_t>(distance ? length : static_cast<unsigned char>(in[at]));
        symbols.push_back({value, static_cast<uint16_t>(distance)});
        for (size_t end = at + std::max<size_t>(length, 1); at < end; at++) finder.note(at);
        if (symbols.size() < SYMBOLS_A_BLOCK || at == in.size()) continue;
        write_block(to, symbols, false);
        symbols.clear();
    }
    write_block(to, symbols, true);
    to.finish();
    return std::move(to.out);
}
