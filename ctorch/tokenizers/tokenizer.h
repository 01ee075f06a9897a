// tokenizer.h - what a tokenizer of any kind can do.  C++ only.
//
// Each kind (Hugging Face's, SentencePiece's) is a class below Tokenizer, and a procedure that
// returns an object of it; tokenizers/procedures.cpp calls it for Lisp, and knows no kinds.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "files/procedures.h"

namespace ct {

// A token, and the bytes of the text that it stands for: from start to before end.  Both lie
// between characters.
struct Token {
    int64_t id;
    size_t start, end;
};
using Tokens = std::vector<Token>;

// What stands around two texts that an encoder reads together: special tokens and the texts, and the
// type that their tokens have.  [CLS] first [SEP] second [SEP] is
//     {2, 0} {FIRST_TEXT, 0} {3, 0} {SECOND_TEXT, 1} {3, 1}
constexpr int64_t FIRST_TEXT = -1, SECOND_TEXT = -2;
struct PairPart {
    int64_t id, type;
};

struct Tokenizer : ct_object {
    // Every id is below it.
    virtual size_t size() const = 0;
    // The tokens of a text, which is UTF-8, without those that `frame` adds.  parse_special:
    // whether the names of special tokens in it become these tokens.
    virtual Tokens tokens(std::string_view text, bool parse_special) const = 0;
    // The same without their places, which may be faster.
    virtual Tokens ids(std::string_view text, bool parse_special) const
    {
        return tokens(text, parse_special);
    }
    // Add the special tokens at the ends, such as <s> and [SEP]; `framing` is how many these are.
    virtual void frame(Tokens &tokens) const = 0;
    virtual size_t framing() const = 0;
    // What stands around two texts; unless a file says so, what stands around each of two.
    virtual std::vector<PairPart> pair_frame() const;
    // The text of the ids, which are below size(); bytes that are not UTF-8 become U+FFFD.
    virtual std::string decode(const std::vector<int64_t> &ids, bool skip_special) const = 0;
    // The id of a token as the vocabulary writes it, and the reverse; some ids may have no token.
    virtual std::optional<int64_t> id_of(std::string_view token) const = 0;
    virtual std::optional<std::string> token_of(int64_t id) const = 0;
    virtual bool is_special(int64_t id) const = 0;
    // The bytes that an id adds in the middle of a text: those of " the" for "Ġthe".
    virtual std::string bytes_of(int64_t id) const = 0;
};

// The text with U+FFFD for every byte that is not UTF-8.
std::string repaired(std::string_view text);

// The tokenizer that is argument k.
const Tokenizer &tokenizer_at(const ProcedureArguments &given, size_t k);
// A text that is argument k: a string, or a list of the strings between its NULs, which no C string
// holds.
std::string whole_text(const ProcedureArguments &given, size_t k);

// The procedures, by file.

Owned tokenizer_encode(const ProcedureArguments &given);  // tokenizers/procedures.cpp
Owned tokenizer_encode_tensor(const ProcedureArguments &given);
Owned tokenizer_encode_offsets(const ProcedureArguments &given);
Owned tokenizer_encode_batch(const ProcedureArguments &given);
Owned tokenizer_decode(const ProcedureArguments &given);
Owned tokenizer_size(const ProcedureArguments &given);
Owned tokenizer_id(const ProcedureArguments &given);
Owned tokenizer_token(const ProcedureArguments &given);
Owned tokenizer_specials(const ProcedureArguments &given);
Owned tokenizer_bytes(const ProcedureArguments &given);
Owned tokenizer_encode_pairs(const ProcedureArguments &given);  // tokenizers/pairs.cpp

// What a SentencePiece model is made of: lists of one length, the map of characters of its
// normalizer, and the names that are found in texts.
struct PieceLists {
    std::vector<std::string> pieces{};
    std::vector<float> scores{};
    std::vector<int> kinds{};
    std::string character_map{};
    std::vector<std::pair<std::string, int64_t>> names{};
};
// Arguments from k on: SentencePiece's options, whether bos and eos are added.
Owned sentencepiece_of_lists(const PieceLists &lists, const ProcedureArguments &given, size_t k);

Owned load_sentencepiece(const ProcedureArguments &given);  // tokenizers/sentencepiece.cpp
Owned make_sentencepiece(const ProcedureArguments &given);
Owned save_sentencepiece(const ProcedureArguments &given);
Owned sentencepiece_ids(const ProcedureArguments &given);
Owned train_sentencepiece(const ProcedureArguments &given);  // tokenizers/training.cpp

}  // namespace ct
