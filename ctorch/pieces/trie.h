// trie.h - which of many texts begin another one.  C++ only, without LibTorch.
//
//     Trie trie({{"a", 0}, {"ab", 1}});
//     trie.beginnings("abc", found)      found(1, 0), found(2, 1)
//
// The tree of the texts' bytes is a double array: the child of a node for a byte stands at the
// node's base with the byte added (by xor), if that unit names the node as its parent.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace ct {

class Trie {
public:
    using Entry = std::pair<std::string_view, int32_t>;   // a text and its number, at least 0

    // No text is empty.  One that occurs again has the last number.
    explicit Trie(std::vector<Entry> entries = {});

    // Calls found(length, number) for each text that begins this one, the shortest first, until it
    // returns false.
    template <class Found>
    void beginnings(std::string_view text, Found found) const
    {
        const Unit *units = units_.data();
        uint32_t at = 0;
        for (size_t k = 0; k < text.size();) {
            uint32_t next = units[at].base ^ static_cast<unsigned char>(text[k++]);
            if (units[next].parent != at) return;
            at = next;
            if (units[at].number >= 0 && !found(k, units[at].number)) return;
        }
    }

private:
    static constexpr uint32_t NONE = 0xFFFFFFFF;
    static constexpr size_t BLOCK = 256;   // the children of a node lie in one block

    struct Unit {
        uint32_t base = 0, parent = NONE;
        int32_t number = -1;
    };
    struct Child {
        unsigned char byte;
        size_t first, last;   // the entries below it
    };

    uint32_t place(const std::vector<Child> &children);
    bool fits(uint32_t base, const std::vector<Child> &children) const;
    void add_block();

    std::vector<Unit> units_;       // whole blocks
    std::vector<uint64_t> used_;    // a bit for each unit, while the tree is built
    size_t open_ = 0;               // no unit is free in the words before it
};

}  // namespace ct
