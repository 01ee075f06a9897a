// trie.cpp - building a double array: each node's children are put where there is room for them.
//
// Room is searched in the last blocks only, so that the time is that of reading the texts.

#include "pieces/trie.h"

#include "errors/interrupts.h"

#include <algorithm>

namespace ct {

namespace {

constexpr size_t WORD = 64;             // units for which a word of bits says whether they are used
constexpr size_t SEARCHED = 16 * 256 / WORD;   // words

}  // namespace

Trie::Trie(std::vector<Entry> entries)
{
    std::stable_sort(entries.begin(), entries.end(),
                     [](const Entry &a, const Entry &b) { return a.first < b.first; });
    add_block();
    used_[0] |= 1;   // the root
    struct Waiting {
        uint32_t node;
        size_t depth, first, last;
    };
    std::vector<Waiting> waiting{{0, 0, 0, entries.size()}};
    std::vector<Child> children;
    Polls polls;
    while (!waiting.empty()) {
        auto [node, depth, first, last] = waiting.back();
        waiting.pop_back();
        for (; first < last && entries[first].first.size() == depth; first++)
            units_[node].number = entries[first].second;
        children.clear();
        for (size_t k = first; k < last; k++) {
            polls.step();
            auto byte = static_cast<unsigned char>(entries[k].first[depth]);
            if (children.empty() || children.back().byte != byte) children.push_back({byte, k, k});
            children.back().last = k + 1;
        }
        if (children.empty()) continue;
        uint32_t base = place(children);
        units_[node].base = base;
        for (auto child = children.rbegin(); child != children.rend(); ++child) {
            uint32_t unit = base ^ child->byte;
            units_[unit].parent = node;
            used_[unit / WORD] |= uint64_t{1} << unit % WORD;
            waiting.push_back({unit, depth + 1, child->first, child->last});
        }
    }
    used_ = {};
}

// A base for a node: the units of its children are free.
uint32_t Trie::place(const std::vector<Child> &children)
{
    while (open_ < used_.size() && used_[open_] == ~uint64_t{0}) open_++;
    if (used_.size() - open_ > SEARCHED) open_ = used_.size() - SEARCHED;
    for (size_t word = open_; word < used_.size(); word++)
        for (uint64_t free = ~used_[word]; free; free &= free - 1) {
            auto unit = static_cast<uint32_t>(word * WORD) +
                        static_cast<uint32_t>(__builtin_ctzll(free));
            uint32_t base = unit ^ children.front().byte;
            if (fits(base, children)) return base;
        }
    auto base = static_cast<uint32_t>(units_.size());
    add_block();
    return base;
}

bool Trie::fits(uint32_t base, const std::vector<Child> &children) const
{
    for (const Child &child : children) {
        uint32_t unit = base ^ child.byte;
        if (used_[unit / WORD] >> unit % WORD & 1) return false;
    }
    return true;
}

void Trie::add_block()
{
    units_.resize(units_.size() + BLOCK);
    used_.resize(units_.size() / WORD);
}

}  // namespace ct
