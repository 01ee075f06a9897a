// models.h - from a word to tokens: BPE, WordPiece, WordLevel, Unigram.  C++ only, without
// LibTorch.
#pragma once

#include <memory>

#include "text/byte_letters.h"
#include "text/json_tree.h"
#include "pieces/vocabulary.h"

namespace ct {

// A token, and the bytes of the word that it stands for.
struct WordToken {
    int64_t id;
    uint32_t start, end;
};

class TokenModel {
public:
    virtual ~TokenModel() = default;
    // Adds the tokens of a word.  as_bytes: the word's bytes stand for characters of GPT-2's
    // alphabet, as in byte_alphabet.
    virtual void encode(std::string_view word, bool as_bytes, std::vector<WordToken> &out) = 0;

    Vocabulary vocabulary;
    const char *kind = "";
};

// {"the": 0, "of": 1, ...}
Vocabulary read_vocabulary(const JsonValue &json);

using Merge = std::pair<std::string_view, std::string_view>;

// What a model is made of.
struct ModelParts {
    // Adds the tokens of ids from 0 up.  The last of those that are equal keeps its id.
    void add_tokens(const std::vector<std::string_view> &tokens);

    Vocabulary vocabulary{};
    std::vector<Merge> merges{};
    // Whether any two tokens merge that make a third, the one of the lowest id first.
    bool ranked = false;
};

// From the "model" of a tokenizer.json.  parts: its vocabulary and merges, if they come from
// another file.
std::unique_ptr<TokenModel> read_model(const JsonValue &json, ModelParts *parts = nullptr);

struct BpeSettings {
    std::string unknown{}, prefix{}, suffix{};
    bool has_unknown = false, fuse_unknown = false, byte_fallback = false, ignore_merges = false;
};

// Models of parts that were read elsewhere; all check what they are given.
std::unique_ptr<TokenModel> bpe_model(ModelParts &&parts, const BpeSettings &settings);
std::unique_ptr<TokenModel> word_piece_model(Vocabulary &&vocabulary, const std::string &unknown,
                                        const std::string &prefix, size_t longest);
std::unique_ptr<TokenModel> word_level_model(Vocabulary &&vocabulary, const std::string &unknown);
std::unique_ptr<TokenModel> unigram_model(Vocabulary &&vocabulary, std::vector<double> &&scores,
                                     int64_t unknown, bool byte_fallback);

}  // namespace ct
