// utf8.h - whether bytes are UTF-8.  C++ only, without LibTorch.
#pragma once

#include <cstddef>
#include <string_view>

namespace ct {

// How many bytes the first character takes; 0 if it is not UTF-8.  text is not empty.
size_t utf8_length(std::string_view text);

// Whether a text is UTF-8; where the first byte is that is not.
bool is_utf8(std::string_view text, size_t *at);

}  // namespace ct
