// stages.h - the steps before and after a model, as a tokenizer.json lists them.  C++ only.
//
//     normalizers change the text, splitters (pre_tokenizer) cut it into words, decoders put the
//     texts of tokens together; framing (post_processor) adds special tokens at the ends
#pragma once

#include <memory>

#include "tokenizers/document.h"
#include "tokenizers/tokenizer.h"
#include "text/json_tree.h"

namespace ct {

struct Normalizer {
    virtual ~Normalizer() = default;
    virtual void apply(Aligned &text) const = 0;
    // Whether a text certainly stays as it is, which saves its origins.
    virtual bool keeps(std::string_view text) const = 0;
};

struct Splitter {
    virtual ~Splitter() = default;
    virtual void apply(Document &document) const = 0;
    virtual bool needs_origins() const { return false; }
};

struct Decoder {
    virtual ~Decoder() = default;
    // Fails if they become more than `most` bytes.
    virtual void apply(std::vector<std::string> &texts, size_t most) const = 0;
    // Whether it only joins the bytes that letters stand for, which has a short way.
    virtual bool joins_bytes() const { return false; }
};

struct Framing {
    struct Special {
        std::string token;
        int64_t id;
    };
    std::vector<Special> before{}, after{};
    std::vector<PairPart> pair{};               // around two texts; empty if a file does not say
    bool trims = false, prefix_space = false;   // of offsets, as ByteLevel and RobertaProcessing do
};

// NULL for null.
std::unique_ptr<Normalizer> read_normalizer(const JsonValue &json);
std::unique_ptr<Splitter> read_splitter(const JsonValue &json);
std::unique_ptr<Decoder> read_decoder(const JsonValue &json);
Framing read_framing(const JsonValue &json);

// Those of tokenizers whose files do not list them.
std::unique_ptr<Normalizer> lowercase_normalizer();
std::unique_ptr<Normalizer> bert_normalizer(bool lower, bool accents);
std::unique_ptr<Splitter> bert_splitter();
std::unique_ptr<Splitter> byte_splitter(const std::string &pattern, bool prefix_space);
std::unique_ptr<Splitter> word_splitter();
std::unique_ptr<Decoder> byte_decoder();
std::unique_ptr<Decoder> word_piece_decoder();

// What a pattern of a file is: {"String": " "} or {"Regex": "\\s+"}.
class Pattern {
public:
    explicit Pattern(const JsonValue &json);
    ~Pattern();
    Pattern(Pattern &&) noexcept;
    void parts(std::string_view text, std::vector<Part> &parts, bool inverted) const;
    // Calls found(start, end) for each match.
    void each(std::string_view text, const std::function<void(size_t, size_t)> &found) const;

private:
    std::string literal_;
    std::unique_ptr<class Regex> regex_;
};

// The text of bytes, with U+FFFD for those that are not UTF-8.
std::string lossy_text(std::string_view bytes);

// SentencePiece's map of characters.
std::unique_ptr<Normalizer> precompiled_normalizer(const JsonValue &json);

}  // namespace ct
