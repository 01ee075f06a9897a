// huggingface.h - the procedures that make tokenizers of Hugging Face's kind.  C++ only.
#pragma once

#include "files/files.h"
#include "tokenizers/tokenizer.h"

namespace ct {

Owned load_tokenizer(const ProcedureArguments &given);
Owned load_bpe(const ProcedureArguments &given);
Owned load_word_pieces(const ProcedureArguments &given);
Owned make_bpe(const ProcedureArguments &given);
Owned make_words(const ProcedureArguments &given);
Owned split_words(const ProcedureArguments &given);

}  // namespace ct
