// character_map.h - SentencePiece's map of characters: texts, and what each becomes.  C++ only,
// without LibTorch.
//
//     size of the trie, 4 bytes | its units, 4 bytes each | the new texts, with a NUL after each
//
// The trie is Darts-clone's: a unit has a label, a flag for a leaf, and the offset of the units of
// its children; the first of these is the leaf, which says where the new text is.  Every index
// is checked.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ct {

class CharacterMap {
public:
    // False if the sizes are impossible.
    bool read(std::string_view bytes);
    // Whether SentencePiece takes it, too: all offsets and places are inside, and so on.
    bool is_complete() const;
    bool empty() const { return units_.empty(); }

    std::string_view texts() const { return texts_; }
    // The new text at a place that is inside.
    std::string_view text_at(size_t at) const
    {
        return std::string_view(texts_).substr(at, texts_.find('\0', at) - at);
    }

    // Calls found(length, place of the new text) for each text of the map that begins this one, the
    // shortest first, until it returns false.
    template <class Found>
    void beginnings(std::string_view text, Found found) const
    {
        if (units_.empty()) return;
        size_t at = offset_of(units_[0]);
        for (size_t k = 0; k < text.size();) {
            auto byte = static_cast<unsigned char>(text[k++]);
            at ^= byte;
            if (at >= units_.size() || (units_[at] & LABEL) != byte) return;
            bool leaf = units_[at] & LEAF;
            at ^= offset_of(units_[at]);
            if (at >= units_.size()) return;
            if (leaf && !found(k, units_[at] & VALUE)) return;
        }
    }

    // Whether the map leaves a character of ASCII alone unless one beyond ASCII follows it.
    bool keeps_ascii(unsigned char byte) const;

private:
    static constexpr uint32_t LABEL = 0x800000FF, LEAF = 0x100, VALUE = 0x7FFFFFFF;

    static size_t offset_of(uint32_t unit) { return unit >> 10 << ((unit & 0x200) >> 6); }

    std::vector<uint32_t> units_;
    std::string texts_;
};

}  // namespace ct
