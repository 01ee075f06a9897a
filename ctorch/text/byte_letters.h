// byte_letters.h - bytes as texts: GPT-2's alphabet, the tokens of single bytes, base64.  C++ only,
// without LibTorch.
#pragma once

#include <string>
#include <string_view>

namespace ct {

// GPT-2's alphabet: a character that can be printed for each byte, and the byte of such a
// character, or -1.
const std::string &byte_letter(unsigned char byte);
int byte_of_letter(char32_t letter);
// A text in that alphabet.
std::string in_letters(std::string_view bytes);

// "<0x0A>".
std::string byte_token(unsigned char byte);
// The byte that such a token stands for, or -1.
int byte_named(std::string_view token);

// Adds the bytes that a text in base64 stands for; false if it has other characters.
bool from_base64(std::string_view text, std::string &bytes);

}  // namespace ct
