// text.cpp - characters and their properties, from the tables in characters.h.

#include "text/text.h"
#include "text/characters.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>

namespace ct {

namespace {

constexpr char32_t HANGUL = 0xAC00, HANGUL_END = 0xD7A4, LEADS = 0x1100, VOWELS = 0x1161,
                   TAILS = 0x11A7;
constexpr char32_t VOWEL_COUNT = 21, TAIL_COUNT = 28, LEAD_COUNT = 19;

template <size_t Count>
bool is_in(const int32_t (&runs)[Count][2], char32_t code)
{
    auto *found = std::upper_bound(std::begin(runs), std::end(runs), code,
                                   [](char32_t c, const int32_t(&run)[2]) {
                                       return c <= static_cast<char32_t>(run[1]);
                                   });
    return found != std::end(runs) && code >= static_cast<char32_t>((*found)[0]);
}

using Table = std::unordered_map<char32_t, const int32_t *>;

template <size_t Count>
Table index_of(const int32_t (&entries)[Count])
{
    Table table;
    for (const int32_t *at = entries; at < entries + Count; at += 2 + at[1])
        table.emplace(static_cast<char32_t>(*at), at + 1);
    return table;
}

template <size_t Count>
std::unordered_map<char32_t, int32_t> spread(const int32_t (&runs)[Count][3], int count, int value)
{
    std::unordered_map<char32_t, int32_t> made;
    for (const auto &run : runs)
        for (int32_t k = 0; k < run[count]; k++)
            made.emplace(static_cast<char32_t>(run[0] + k), run[value]);
    return made;
}

bool add_decomposition(const Table &table, char32_t code, std::u32string &out)
{
    auto found = table.find(code);
    if (found == table.end()) return false;
    for (int32_t k = 1; k <= *found->second; k++) out += static_cast<char32_t>(found->second[k]);
    return true;
}

}  // namespace

void add_character(std::string &text, char32_t code)
{
    auto add = [&](char32_t byte) { text += static_cast<char>(byte); };
    if (code < 0x80) {
        add(code);
    } else if (code < 0x800) {
        add(0xC0 | code >> 6);
        add(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        add(0xE0 | code >> 12);
        add(0x80 | (code >> 6 & 0x3F));
        add(0x80 | (code & 0x3F));
    } else {
        add(0xF0 | code >> 18);
        add(0x80 | (code >> 12 & 0x3F));
        add(0x80 | (code >> 6 & 0x3F));
        add(0x80 | (code & 0x3F));
    }
}

std::u32string characters_of(std::string_view text)
{
    std::u32string made;
    for (size_t at = 0; at < text.size();) made += next_character(text, at);
    return made;
}

size_t count_characters(std::string_view text)
{
    return static_cast<size_t>(std::count_if(text.begin(), text.end(),
                                             [](char c) { return !is_inside_character(c); }));
}

bool is_ascii(std::string_view text)
{
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return static_cast<signed char>(c) >= 0; });
}

size_t utf8_length(std::string_view text)
{
    auto byte = [&](size_t k) { return static_cast<unsigned char>(k < text.size() ? text[k] : 0); };
    auto follows = [&](size_t k) { return (byte(k) & 0xC0) == 0x80; };
    unsigned char first = byte(0);
    if (first < 0x80) return 1;
    if (first >= 0xC2 && first < 0xE0) return follows(1) ? 2 : 0;
    if (first >= 0xE0 && first < 0xF0) {
        bool shortest = first != 0xE0 || byte(1) >= 0xA0;
        bool surrogate = first == 0xED && byte(1) >= 0xA0;
        return shortest && !surrogate && follows(1) && follows(2) ? 3 : 0;
    }
    if (first >= 0xF0 && first < 0xF5) {
        bool shortest = first != 0xF0 || byte(1) >= 0x90;
        bool too_large = first == 0xF4 && byte(1) >= 0x90;
        return shortest && !too_large && follows(1) && follows(2) && follows(3) ? 4 : 0;
    }
    return 0;
}

bool is_utf8(std::string_view text, size_t *bad)
{
    for (*bad = 0; *bad < text.size();) {
        size_t length = utf8_length(text.substr(*bad));
        if (!length) return false;
        *bad += length;
    }
    return true;
}

bool is_white(char32_t c)
{
    return (c >= 9 && c <= 13) || c == ' ' || c == 0x85 || c == 0xA0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F ||
           c == 0x205F || c == 0x3000;
}

bool is_numeric(char32_t code) { return is_in(NUMERIC, code); }
bool is_punctuation(char32_t code) { return is_in(PUNCTUATION, code); }
bool is_word_character(char32_t code) { return is_in(WORD, code); }
bool is_mark(char32_t code) { return is_in(MARK, code); }
bool is_nonspacing_mark(char32_t code) { return is_in(NONSPACING, code); }
bool is_other(char32_t code) { return is_in(OTHER, code); }

bool is_ideograph(char32_t c)
{
    return (c >= 0x3400 && c <= 0x4DBF) || (c >= 0x4E00 && c <= 0x9FFF) ||
           (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x20000 && c <= 0x2A6DF) ||
           (c >= 0x2A700 && c <= 0x2B81F) || (c >= 0x2B920 && c <= 0x2CEAF) ||
           (c >= 0x2F800 && c <= 0x2FA1F);
}

std::u32string lower_case(char32_t code)
{
    static const auto steps = spread(LOWER, 2, 1);
    if (code < 0x80) return std::u32string(1, code >= 'A' && code <= 'Z' ? code + 32 : code);
    if (code == 0x130) return U"i\u0307";
    auto found = steps.find(code);
    int32_t step = found == steps.end() ? 0 : found->second;
    return std::u32string(1, static_cast<char32_t>(static_cast<int32_t>(code) + step));
}

int combining_class(char32_t code)
{
    static const auto classes = spread(CLASSES, 1, 2);
    if (code < 0x300) return 0;
    auto found = classes.find(code);
    return found == classes.end() ? 0 : found->second;
}

void decompose(char32_t code, bool compatible, std::u32string &out)
{
    static const Table canonical = index_of(CANONICAL), others = index_of(COMPATIBLE);
    if (code < 0xA0) {
        out += code;
    } else if (code >= HANGUL && code < HANGUL_END) {
        char32_t index = code - HANGUL;
        out += LEADS + index / (VOWEL_COUNT * TAIL_COUNT);
        out += VOWELS + index / TAIL_COUNT % VOWEL_COUNT;
        if (index % TAIL_COUNT) out += TAILS + index % TAIL_COUNT;
    } else if (!(compatible && add_decomposition(others, code, out)) &&
               !add_decomposition(canonical, code, out)) {
        out += code;
    }
}

char32_t compose(char32_t first, char32_t second)
{
    static const auto composed = [] {
        std::unordered_map<uint64_t, char32_t> made;
        for (const auto &row : COMPOSED)
            made.emplace(static_cast<uint64_t>(row[0]) << 32 | static_cast<uint32_t>(row[1]),
                         static_cast<char32_t>(row[2]));
        return made;
    }();
    if (first >= LEADS && first < LEADS + LEAD_COUNT && second >= VOWELS &&
        second < VOWELS + VOWEL_COUNT)
        return HANGUL + ((first - LEADS) * VOWEL_COUNT + (second - VOWELS)) * TAIL_COUNT;
    if (first >= HANGUL && first < HANGUL_END && (first - HANGUL) % TAIL_COUNT == 0 &&
        second > TAILS && second < TAILS + TAIL_COUNT)
        return first + (second - TAILS);
    auto found = composed.find(static_cast<uint64_t>(first) << 32 | second);
    return found == composed.end() ? 0 : found->second;
}

}  // namespace ct
