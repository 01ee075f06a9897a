// vocabulary.h - the tables of models: tokens by id, ids by text, and what two tokens merge to.
// C++ only, without LibTorch.
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
    // Adds a token whose text has another id, and keeps that.
    void add_again(std::string_view token, int64_t id);
    // -1 if there is none.
    int64_t id_of(std::string_view token) const;
    // NULL if the id has no token.
    const std::string_view *token_of(int64_t id) const;
    // Above every id.
    size_t size() const { return tokens_.size(); }

private:
    void keep(std::string_view token, size_t index);

    std::vector<std::string_view> tokens_;   // without data for ids that are not used
    std::vector<uint32_t> slots_;            // ids + 1, by hash
    size_t used_ = 0;
    std::deque<std::string> blocks_;         // the texts
};

uint64_t hash_of(std::string_view text);

// The merges by pair, with open addressing.
class MergeTable {
public:
    static constexpr uint32_t NEVER = 0xFFFFFFFF;
    static constexpr uint64_t NO_PAIR = ~0ULL;

    struct Entry {
        uint64_t pair = NO_PAIR;
        uint32_t rank = NEVER, made = 0;
    };

    // Room for so many merges; call it once, before the first.
    void reserve(size_t count)
    {
        size_t size = 16;
        while (size < count * 2) size *= 2;
        entries_.resize(size);
    }

    static uint64_t pair_of(uint32_t a, uint32_t b) { return static_cast<uint64_t>(a) << 32 | b; }

    // A pair that occurs twice has the last rank.
    void set(uint32_t a, uint32_t b, uint32_t rank, uint32_t made)
    {
        entries_[slot_of(pair_of(a, b))] = {pair_of(a, b), rank, made};
    }

    const Entry &find(uint32_t a, uint32_t b) const { return entries_[slot_of(pair_of(a, b))]; }

private:
    size_t slot_of(uint64_t pair) const
    {
        uint64_t hash = pair * 0x9E3779B97F4A7C15;
        size_t slot = (hash ^ hash >> 32) & (entries_.size() - 1);
        while (entries_[slot].pair != pair && entries_[slot].pair != NO_PAIR)
            slot = (slot + 1) & (entries_.size() - 1);
        return slot;
    }

    std::vector<Entry> entries_;
};

}  // namespace ct
