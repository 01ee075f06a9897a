// vocabulary.h - the tokens of a model by id, and their ids by text.  C++ only, without LibTorch.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace ct {

constexpr int64_t LARGEST_ID = (1 << 24) - 1;

class Vocabulary {
public:
    // Room for so many tokens.
    void reserve(size_t count);
    // Adds a token; false if its text has another id already, or its id another token.
    bool add(std::string_view token, int64_t id);
    // -1 if there is none.
    int64_t id_of(std::string_view token) const;
    // NULL if the id has no token.
    const std::string_view *token_of(int64_t id) const;
    // Above every id.
    size_t size() const { return tokens_.size(); }

private:

    std::vector<std::string_view> tokens_;   // without data for ids that are not used
    std::vector<uint32_t> slots_;            // ids + 1, by hash
    size_t used_ = 0;
    std::deque<std::string> blocks_;         // the texts
};

uint64_t hash_of(std::string_view text);

}  // namespace ct
