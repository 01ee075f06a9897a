// pipeline.h - a tokenizer as Hugging Face's library describes it: a model, and the steps around
// it. C++ only, without LibTorch.
#pragma once

#include <mutex>

#include "tokenizers/added_tokens.h"

namespace ct {

class Pipeline {
public:
    // A token of a text, and the bytes of the text that it stands for.
    struct Token {
        int64_t id;
        size_t start, end;
    };

    // From the text of a tokenizer.json; name is the file's, for messages.  parts: what its model
    // is made of, if that comes from another file; then it is not prepared.
    static std::unique_ptr<Pipeline> read(std::string_view json, const std::string &name,
                                          ModelParts *parts = nullptr);

    // Call it when all parts have been set.
    void prepare();

    std::vector<Token> tokens(std::string_view text, bool parse_special, bool offsets) const;
    std::string decode(const std::vector<int64_t> &ids, bool skip_special) const;
    std::string bytes_of(int64_t id) const;
    size_t size() const;
    int64_t id_of(std::string_view token) const;
    bool token_of(int64_t id, std::string *token) const;
    bool is_special(int64_t id) const;

    std::unique_ptr<TokenModel> model{};
    std::unique_ptr<Normalizer> normalizer{};
    std::unique_ptr<Splitter> splitter{};
    std::unique_ptr<Decoder> decoder{};
    Framing framing{};
    AddedTokens added{};

private:
    void trim(Token &token, bool first, std::string_view found, std::string_view text) const;

    mutable std::mutex lock_;   // of the words that models keep, and of patterns
};

}  // namespace ct
