// piece_normalizer.h - how SentencePiece changes a text before it is cut.  C++ only, without
// LibTorch.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pieces/character_map.h"
#include "pieces/model_file.h"
#include "pieces/trie.h"

namespace ct {

constexpr std::string_view SPACE_PIECE = "\u2581";   // stands for a space in pieces
constexpr std::string_view REPLACEMENT = "\uFFFD";   // of a byte that is not UTF-8

// The texts that always are one piece, wherever they occur.
class FixedPieces {
public:
    explicit FixedPieces(const std::vector<std::string_view> &texts = {});
    // The length of the longest one that begins the text after a byte; 0 if there is none.
    size_t length_at(std::string_view text, size_t at) const;
    bool begin_with(unsigned char byte) const { return begins_[byte]; }

private:
    Trie trie_;
    std::array<bool, 256> begins_{};
};

class PieceNormalizer {
public:
    // fixed: borrowed; they stay as they are.
    PieceNormalizer(const NormalizerSettings &settings, bool space_as_suffix,
                    const FixedPieces &fixed);
    // origins: the byte of the text that each byte of the result came from, and its end; or NULL.
    std::string apply(std::string_view text, std::vector<uint32_t> *origins) const;
    // Whether results are UTF-8.
    bool makes_utf8() const;

private:
    struct Step {
        std::string_view becomes;
        size_t length;
    };
    struct Growing;

    Step step(std::string_view text, size_t at) const;
    void add_all(std::string_view text, size_t at, Growing &to) const;

    NormalizerSettings settings_;
    bool space_as_suffix_;
    const FixedPieces &fixed_;
    CharacterMap map_;
    std::array<bool, 256> stays_{};   // bytes of ASCII that stay unless a character beyond follows
};

}  // namespace ct
