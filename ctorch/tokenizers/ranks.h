// ranks.h - files of tiktoken and Mistral's tekken.json.  C++ only, without LibTorch.
#pragma once

#include "tokenizers/pipeline.h"

namespace ct {

// Whether a text begins as a file of tiktoken does, with a token in base64 and its rank.
bool begins_with_rank(std::string_view text);
// The tokens of such a file.  name is the file's, for messages.
ModelParts read_ranks(std::string_view text, const std::string &name);
// The tokenizer of a tekken.json.
std::unique_ptr<Pipeline> read_tekken(std::string_view text, const std::string &name);

}  // namespace ct
