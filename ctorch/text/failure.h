// failure.h - how the parts of tokenizers report a mistake.  C++ only, without LibTorch.
//
// They include nothing of LibTorch, so that they can be fuzzed without it (tests/stress).
#pragma once

#include <string>

namespace ct {

[[noreturn]] void fail_tokenizer(const std::string &message, const std::string &hint = "");

}  // namespace ct
