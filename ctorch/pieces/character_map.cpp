// character_map.cpp - reading and checking a map of characters.

#include "pieces/character_map.h"

#include <cstring>

namespace ct {

bool CharacterMap::read(std::string_view bytes)
{
    uint32_t size = 0;
    if (bytes.size() < sizeof size) return false;
    std::memcpy(&size, bytes.data(), sizeof size);
    bytes.remove_prefix(sizeof size);
    if (size > bytes.size() || size % sizeof(uint32_t)) return false;
    units_.resize(size / sizeof(uint32_t));
    if (size) std::memcpy(units_.data(), bytes.data(), size);
    texts_ = bytes.substr(size);
    return true;
}

bool CharacterMap::is_complete() const
{
    constexpr size_t BLOCK = 256;
    size_t count = units_.size();
    if (!count || count % BLOCK || texts_.empty() || texts_.back() != '\0') return false;
    uint32_t root = units_[0];
    if (root & (LABEL | LEAF) || !offset_of(root) || (offset_of(root) | 0xFF) >= count)
        return false;
    for (size_t at = 1; at < count; at++) {
        uint32_t unit = units_[at];
        if (unit & ~VALUE) {   // the leaf below a node
            if ((unit & VALUE) >= texts_.size()) return false;
            continue;
        }
        size_t child = at ^ offset_of(unit);
        if ((child | 0xFF) >= count || (unit & LEAF && !(units_[child] & ~VALUE))) return false;
    }
    return true;
}

bool CharacterMap::keeps_ascii(unsigned char byte) const
{
    if (units_.empty()) return true;
    size_t at = offset_of(units_[0]) ^ byte;
    if (at >= units_.size() || (units_[at] & LABEL) != byte) return true;
    if (units_[at] & LEAF) return false;
    at ^= offset_of(units_[at]);
    for (size_t next = 0; next < 0x80; next++)
        if ((at ^ next) < units_.size() && (units_[at ^ next] & LABEL) == next) return false;
    return true;
}

}  // namespace ct
