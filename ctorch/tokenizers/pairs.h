// pairs.h - what stands around two texts that an encoder reads together.  C++ only.
//
//     [CLS] first [SEP] second [SEP]
//     {2, 0} {FIRST_TEXT, 0} {3, 0} {SECOND_TEXT, 1} {3, 1}
#pragma once

#include <cstdint>
#include <vector>

namespace ct {

constexpr int64_t FIRST_TEXT = -1, SECOND_TEXT = -2;

// A special token or one of the texts, and the type that its tokens have.
struct PairPart {
    int64_t id, type;
};

}  // namespace ct
