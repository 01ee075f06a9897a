// huggingface.h - the procedures that make tokenizers of Hugging Face's kind.  C++ only.
#pragma once

#include "files/files.h"
#include "tokenizers/pipeline.h"
#include "tokenizers/tokenizer.h"

namespace ct {

// The names of the special tokens before and after a text.
struct Frame {
    std::vector<std::string> before{}, after{};
};

// A tokenizer of its steps, which are a tokenizer.json without vocabulary, merges and added tokens,
// and of what these are.
Owned tokenizer_of_parts(const std::string &steps, ModelParts &&parts,
                         const std::vector<AddedToken> &added, const Frame &frame);

Owned load_tokenizer(const ProcedureArguments &given);
Owned load_tekken(const ProcedureArguments &given);
Owned load_ranks(const ProcedureArguments &given);
Owned count_ranks(const ProcedureArguments &given);
Owned load_bpe(const ProcedureArguments &given);
Owned load_word_pieces(const ProcedureArguments &given);
Owned make_tokenizer(const ProcedureArguments &given);
Owned split_words(const ProcedureArguments &given);
Owned pattern_matches(const ProcedureArguments &given);

// gguf/tokenizers.cpp

Owned gguf_token(const ProcedureArguments &given);
Owned gguf_tokenizer(const ProcedureArguments &given);
Owned gguf_sentencepiece(const ProcedureArguments &given);

}  // namespace ct
