// merging.h - byte pair encoding: neighbouring symbols merge, the pair of the lowest rank first, of
// equal ones the leftmost.  C++ only, without LibTorch.
//
//     Merging merging;
//     merging.add(id, length);                 for each symbol of the text
//     merging.run(pair);                       pair(left, right) is the RankedMerge of two symbols
//     merging.each(use);                       use(symbol) for those that are left
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "pieces/vocabulary.h"

namespace ct {

// A symbol, and the bytes of the text that it stands for.
struct Symbol {
    uint32_t id, start, length;
    int32_t previous, next;
};

struct RankedMerge {
    static constexpr uint32_t NEVER = 0xFFFFFFFF;
    uint32_t rank = NEVER, made = 0;   // made: the id of the symbol that both become
};

class Merging {
public:
    void clear() { symbols_.clear(); }

    void add(uint32_t id, size_t length)
    {
        auto index = static_cast<int32_t>(symbols_.size());
        uint32_t start = index ? symbols_.back().start + symbols_.back().length : 0;
        symbols_.push_back({id, start, static_cast<uint32_t>(length), index - 1, index + 1});
    }

    template <class Pair>
    void run(Pair pair)
    {
        if (symbols_.size() <= LONGEST_SCANNED) scan(pair);
        else merge_by_heap(pair);
    }

    template <class Use>
    void each(Use use) const
    {
        for (const Symbol &symbol : symbols_)
            if (symbol.length) use(symbol);
    }

private:
    static constexpr size_t LONGEST_SCANNED = 24;   // symbols; longer texts need a heap

    struct Candidate {
        uint32_t rank, at, made, length;
        bool operator<(const Candidate &other) const   // the largest of a heap comes first
        {
            return rank != other.rank ? rank > other.rank : at > other.at;
        }
    };

    // Finds the lowest rank of all pairs again and again, which is the fastest for short words.
    template <class Pair>
    void scan(Pair &pair)
    {
        merges_.clear();
        for (size_t k = 0; k + 1 < symbols_.size(); k++)
            merges_.push_back(pair(symbols_[k], symbols_[k + 1]));
        while (!merges_.empty()) {
            size_t best = 0;
            for (size_t k = 1; k < merges_.size(); k++)
                if (merges_[k].rank < merges_[best].rank) best = k;
            if (merges_[best].rank == RankedMerge::NEVER) return;
            symbols_[best].id = merges_[best].made;
            symbols_[best].length += symbols_[best + 1].length;
            symbols_.erase(symbols_.begin() + static_cast<std::ptrdiff_t>(best) + 1);
            merges_.erase(merges_.begin() + static_cast<std::ptrdiff_t>(best));
            if (best > 0) merges_[best - 1] = pair(symbols_[best - 1], symbols_[best]);
            if (best < merges_.size()) merges_[best] = pair(symbols_[best], symbols_[best + 1]);
        }
    }

    // A symbol that was merged into the one before it has no length.  A candidate is out of date if
    // the pair has another length now, because symbols only grow.
    template <class Pair>
    void merge_by_heap(Pair &pair)
    {
        heap_.clear();
        auto count = static_cast<int32_t>(symbols_.size());
        auto candidate = [&](int32_t left) {
            const Symbol &a = symbols_[static_cast<size_t>(left)];
            if (a.next >= count) return false;
            const Symbol &b = symbols_[static_cast<size_t>(a.next)];
            RankedMerge merge = pair(a, b);
            if (merge.rank != RankedMerge::NEVER)
                heap_.push_back({merge.rank, static_cast<uint32_t>(left), merge.made,
                                 a.length + b.length});
            return merge.rank != RankedMerge::NEVER;
        };
        for (int32_t k = 0; k + 1 < count; k++) candidate(k);
        std::make_heap(heap_.begin(), heap_.end());
        while (!heap_.empty()) {
            std::pop_heap(heap_.begin(), heap_.end());
            Candidate top = heap_.back();
            heap_.pop_back();
            Symbol &left = symbols_[top.at];
            if (!left.length || left.next >= count) continue;
            Symbol &right = symbols_[static_cast<size_t>(left.next)];
            if (left.length + right.length != top.length) continue;
            left.id = top.made;
            left.length = top.length;
            right.length = 0;
            left.next = right.next;
            auto at = static_cast<int32_t>(top.at);
            if (left.next < count) symbols_[static_cast<size_t>(left.next)].previous = at;
            if (left.previous >= 0 && candidate(left.previous))
                std::push_heap(heap_.begin(), heap_.end());
            if (candidate(at)) std::push_heap(heap_.begin(), heap_.end());
        }
    }

    std::vector<Symbol> symbols_;
    std::vector<RankedMerge> merges_;
    std::vector<Candidate> heap_;
};

// Words come again and again, so the tokens of short ones are kept.
template <class Token>
class KeptWords {
public:
    // Adds a word's tokens; make(word, tokens) adds them if they are not kept.
    template <class Make>
    void add(std::string_view word, std::vector<Token> &out, Make make)
    {
        if (word.size() > LONGEST) {
            make(word, out);
            return;
        }
        auto found = words_.find(word);
        if (found == words_.end()) {
            std::vector<Token> tokens;
            make(word, tokens);
            if (words_.size() >= MOST) words_.clear();
            found = words_.emplace(word, std::move(tokens)).first;
        }
        out.insert(out.end(), found->second.begin(), found->second.end());
    }

private:
    static constexpr size_t LONGEST = 64, MOST = 1 << 16;   // bytes of a word, words

    struct Hash {
        using is_transparent = void;
        size_t operator()(std::string_view text) const { return hash_of(text); }
    };

    std::unordered_map<std::string, std::vector<Token>, Hash, std::equal_to<>> words_;
};

}  // namespace ct
