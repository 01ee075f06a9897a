// vocabulary.cpp - a hash table with open addressing, as most of a tokenizer's time goes here.

#include "pieces/vocabulary.h"

#include <algorithm>
#include <cstring>

namespace ct {

namespace {

constexpr size_t LEAST_SLOTS = 64, BLOCK = 1 << 18;

}  // namespace

uint64_t hash_of(std::string_view text)
{
    constexpr uint64_t PRIME = 0x9E3779B97F4A7C15;
    uint64_t hash = text.size() * PRIME;
    const char *at = text.data();
    size_t left = text.size();
    auto mix = [&](uint64_t word) {
        hash = (hash ^ word) * PRIME;
        hash ^= hash >> 29;
    };
    for (; left >= 8; at += 8, left -= 8) {
        uint64_t word;
        std::memcpy(&word, at, 8);
        mix(word);
    }
    uint64_t word = 0;
    if (left) std::memcpy(&word, at, left);
    mix(word);
    return hash ^ hash >> 32;
}

void Vocabulary::reserve(size_t count)
{
    tokens_.reserve(count);
    size_t slots = LEAST_SLOTS;
    while (slots < count * 2) slots *= 2;
    if (slots <= slots_.size()) return;
    slots_.assign(slots, 0);
    for (size_t id = 0; id < tokens_.size(); id++) {
        if (!tokens_[id].data()) continue;
        size_t slot = hash_of(tokens_[id]) & (slots - 1);
        while (slots_[slot]) slot = (slot + 1) & (slots - 1);
        slots_[slot] = static_cast<uint32_t>(id + 1);
    }
}

void Vocabulary::keep(std::string_view token, size_t index)
{
    if (blocks_.empty() || blocks_.back().capacity() - blocks_.back().size() < token.size() + 1) {
        blocks_.emplace_back();
        blocks_.back().reserve(std::max(BLOCK, token.size() + 1));
    }
    std::string &block = blocks_.back();
    size_t start = block.size();
    block += token;
    block += '\0';   // so that the empty token has data, too
    if (index >= tokens_.size()) tokens_.resize(index + 1);
    tokens_[index] = std::string_view(block).substr(start, token.size());
}

void Vocabulary::add_again(std::string_view token, int64_t id)
{
    keep(token, static_cast<size_t>(id));
}

bool Vocabulary::add(std::string_view token, int64_t id)
{
    auto index = static_cast<size_t>(id);
    if (index < tokens_.size() && tokens_[index].data()) return tokens_[index] == token;
    if ((used_ + 1) * 2 > slots_.size()) reserve(slots_.size() + 1);
    size_t slot = hash_of(token) & (slots_.size() - 1);
    for (; slots_[slot]; slot = (slot + 1) & (slots_.size() - 1))
        if (tokens_[slots_[slot] - 1] == token) return false;
    keep(token, index);
    slots_[slot] = static_cast<uint32_t>(index + 1);
    used_++;
    return true;
}

int64_t Vocabulary::id_of(std::string_view token) const
{
    if (slots_.empty()) return -1;
    size_t slot = hash_of(token) & (slots_.size() - 1);
    for (; slots_[slot]; slot = (slot + 1) & (slots_.size() - 1))
        if (tokens_[slots_[slot] - 1] == token) return slots_[slot] - 1;
    return -1;
}

const std::string_view *Vocabulary::token_of(int64_t id) const
{
    auto index = static_cast<size_t>(id);
    return id >= 0 && index < tokens_.size() && tokens_[index].data() ? &tokens_[index] : nullptr;
}

}  // namespace ct
