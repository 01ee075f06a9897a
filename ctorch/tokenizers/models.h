// models.h - from a word to tokens: BPE, WordPiece, WordLevel, Unigram.  C++ only, without LibTorch.
#pragma once

#include <memory>

#include "text/json_tree.h"
#include "tokenizers/vocabulary.h"

namespace ct {

// A token, and the bytes of the word that it stands for.
struct WordToken {
    int64_t id;
    uint32_t start, end;
};

class Model {
public:
    virtual ~Model() = default;
    // Adds the tokens of a word.  as_bytes: the word's bytes stand for characters of GPT-2's
    // alphabet, as in byte_alphabet.
    virtual void encode(std::string_view word, bool as_bytes, std::vector<WordToken> &out) = 0;

    Vocabulary vocabulary;
    const char *kind = "";
};

// {"the": 0, "of": 1, ...}
Vocabulary read_vocabulary(const JsonValue &json);
// From the "model" of a tokenizer.json.
std::unique_ptr<Model> read_model(const JsonValue &json);

struct BpeSettings {
    std::string unknown{}, prefix{}, suffix{};
    bool has_unknown = false, fuse_unknown = false, byte_fallback = false, ignore_merges = false;
};
using Merge = std::pair<std::string_view, std::string_view>;

// Models of parts that were read elsewhere; all check what they are given.
std::unique_ptr<Model> bpe_model(Vocabulary &&vocabulary, const std::vector<Merge> &merges,
                                 const BpeSettings &settings);
std::unique_ptr<Model> word_piece_model(Vocabulary &&vocabulary, const std::string &unknown,
                                        const std::string &prefix, size_t longest);
std::unique_ptr<Model> word_level_model(Vocabulary &&vocabulary, const std::string &unknown);
std::unique_ptr<Model> unigram_model(Vocabulary &&vocabulary, std::vector<double> &&scores,
                                     int64_t unknown, bool byte_fallback);

// GPT-2's alphabet: a character that can be printed for each byte, and the byte of such a
// character, or -1.
const std::string &byte_letter(unsigned char byte);
int byte_of_letter(char32_t letter);
// A text in that alphabet.
std::string in_letters(std::string_view bytes);
// "<0x0A>".
std::string byte_token(unsigned char byte);

}  // namespace ct
