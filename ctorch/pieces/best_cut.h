// best_cut.h - the most likely way to cut a text into pieces, by Viterbi's algorithm.  C++ only,
// without LibTorch.
//
// Sums of scores are rounded, so which of two ways is the better one can depend on their type:
// SentencePiece adds floats, Hugging Face's Unigram doubles.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

#include "pieces/trie.h"
#include "text/text.h"

namespace ct {

// How many bytes the character at a byte takes, also in a text that is not UTF-8.
inline size_t length_at(std::string_view text, size_t at)
{
    size_t length = is_inside_character(text[at]) ? 1 : character_length(text[at]);
    return std::min(length, text.size() - at);
}

// A piece of the best way to cut what stands before its end.
template <class Score>
struct BestPiece {
    Score score = 0;
    int32_t id = -1, start = -1;
};

template <class Score>
class BestCut {
public:
    BestCut() = default;
    // scores: by id; that of a character that is not a piece, which becomes `unknown`.
    BestCut(std::vector<Trie::Entry> pieces, std::vector<Score> scores, int32_t unknown,
            Score unknown_score)
        : trie_(std::move(pieces)), scores_(std::move(scores)), unknown_(unknown),
          unknown_score_(unknown_score)
    {
    }

    // The last piece of the best way to each byte of the text; start is -1 where none ends.  Calls
    // missing(start, length) for a character that is not a piece.
    template <class Missing>
    void find(std::string_view text, std::vector<BestPiece<Score>> &best, Missing missing) const
    {
        best.assign(text.size() + 1, {});
        size_t last = 0;   // the last byte to which a way leads
        for (size_t start = 0; start < text.size();) {
            size_t length = length_at(text, start);
            if constexpr (std::is_same_v<Score, float>) keep_small(best, start, last);
            Score score = best[start].score;
            bool single = false;
            auto offer = [&](size_t end, Score sum, int32_t id) {
                BestPiece<Score> &piece = best[end];
                last = std::max(last, end);
                if (piece.start < 0 || sum > piece.score)
                    piece = {sum, id, static_cast<int32_t>(start)};
            };
            trie_.beginnings(text.substr(start), [&](size_t size, int32_t id) {
                offer(start + size, scores_[static_cast<size_t>(id)] + score, id);
                single = single || size == length;
                return true;
            });
            if (!single) {
                missing(start, length);
                offer(start + length, unknown_score_ + score, unknown_);
            }
            start += length;
        }
    }

private:
    // As SentencePiece does it: a long text's sums lose no digits of the scores.
    static void keep_small(std::vector<BestPiece<Score>> &best, size_t start, size_t last)
    {
        constexpr Score LARGE = 100000;
        Score offset = best[start].score;
        if (!(offset < -LARGE || offset > LARGE)) return;
        for (size_t k = start; k <= last; k++)
            if (k == start || best[k].start >= 0) best[k].score -= offset;
        best[start].score = 0;
    }

    Trie trie_;
    std::vector<Score> scores_;
    int32_t unknown_ = -1;
    Score unknown_score_ = 0;
};

}  // namespace ct
