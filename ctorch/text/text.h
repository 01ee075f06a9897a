// text.h - characters of UTF-8 texts, and their properties.  C++ only, without LibTorch.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "text/utf8.h"

namespace ct {

// How many bytes the character takes that begins with this byte; texts here are UTF-8.
inline size_t character_length(char first)
{
    auto byte = static_cast<unsigned char>(first);
    return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

inline bool is_inside_character(char byte)
{
    return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

// The character at a byte, which is moved behind it.
inline char32_t next_character(std::string_view text, size_t &at)
{
    auto byte = [&](size_t k) { return static_cast<unsigned char>(text[at + k]); };
    size_t length = character_length(text[at]);
    char32_t code = byte(0);
    if (length == 2) code = (code & 0x1F) << 6 | (byte(1) & 0x3Fu);
    if (length == 3) code = (code & 0x0F) << 12 | (byte(1) & 0x3Fu) << 6 | (byte(2) & 0x3Fu);
    if (length == 4)
        code = (code & 0x07) << 18 | (byte(1) & 0x3Fu) << 12 | (byte(2) & 0x3Fu) << 6 |
               (byte(3) & 0x3Fu);
    at += length;
    return code;
}

// The character that ends before a byte, which is moved to its beginning.
inline char32_t previous_character(std::string_view text, size_t &at)
{
    do at--;
    while (is_inside_character(text[at]));
    size_t start = at;
    return next_character(text, start);
}

void add_character(std::string &text, char32_t code);
std::u32string characters_of(std::string_view text);
size_t count_characters(std::string_view text);
bool is_ascii(std::string_view text);

// Properties.

bool is_white(char32_t code);
bool is_numeric(char32_t code);
bool is_punctuation(char32_t code);      // of any kind, and all of ASCII's
bool is_word_character(char32_t code);
bool is_mark(char32_t code);
bool is_nonspacing_mark(char32_t code);
bool is_other(char32_t code);            // controls, formats, and what is not assigned
bool is_ideograph(char32_t code);        // those that BERT sets apart

// The lower case of a character, one or more.
std::u32string lower_case(char32_t code);

// Normal forms.

int combining_class(char32_t code);
// The full decomposition of a character, by compatibility or not; itself if it has none.
void decompose(char32_t code, bool compatible, std::u32string &out);
// The character that two make; 0 if there is none.
char32_t compose(char32_t first, char32_t second);

}  // namespace ct
