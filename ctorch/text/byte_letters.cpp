// byte_letters.cpp - bytes as texts: GPT-2's alphabet, the tokens of single bytes, base64.

#include "text/byte_letters.h"
#include "text/text.h"

#include <array>

namespace ct {

namespace {

struct Alphabet {
    std::array<std::string, 256> letters;
    std::array<int, 0x144> bytes;

    Alphabet()
    {
        bytes.fill(-1);
        char32_t other = 0x100;
        for (unsigned byte = 0; byte < 256; byte++) {
            bool prints =
                (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
            char32_t letter = prints ? byte : other++;
            add_character(letters[byte], letter);
            bytes[letter] = static_cast<int>(byte);
        }
    }
};

const Alphabet &alphabet()
{
    static const Alphabet made;
    return made;
}

}  // namespace

const std::string &byte_letter(unsigned char byte) { return alphabet().letters[byte]; }

int byte_of_letter(char32_t letter)
{
    return letter < alphabet().bytes.size() ? alphabet().bytes[letter] : -1;
}

std::string in_letters(std::string_view bytes)
{
    std::string made;
    for (char byte : bytes) made += byte_letter(static_cast<unsigned char>(byte));
    return made;
}

std::string byte_token(unsigned char byte)
{
    const char *digits = "0123456789ABCDEF";
    return std::string("<0x") + digits[byte >> 4] + digits[byte & 15] + ">";
}

int byte_named(std::string_view token)
{
    if (token.size() != 6 || token.substr(0, 3) != "<0x" || token[5] != '>') return -1;
    int value = 0;
    for (char c : token.substr(3, 2)) {
        int letter = c | 0x20;
        if (c >= '0' && c <= '9') value = value * 16 + (c - '0');
        else if (letter >= 'a' && letter <= 'f') value = value * 16 + (letter - 'a' + 10);
        else return -1;
    }
    return value;
}

bool from_base64(std::string_view text, std::string &bytes)
{
    static const std::string letters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t bits = 0;
    int count = 0;
    while (!text.empty() && text.back() == '=') text.remove_suffix(1);
    for (char c : text) {
        size_t digit = letters.find(c);
        if (digit == std::string::npos) return false;
        bits = bits << 6 | static_cast<uint32_t>(digit);
        if ((count += 6) >= 8) bytes += static_cast<char>(bits >> (count -= 8) & 0xFF);
    }
    return true;
}

}  // namespace ct
