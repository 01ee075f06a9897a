// piece_cutter.cpp - the four kinds of models: the most likely pieces, byte pair encoding, words,
// and characters.

#include "pieces/piece_cutter.h"

#include "errors/interrupts.h"
#include "pieces/best_cut.h"
#include "pieces/merging.h"
#include "text/failure.h"

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>
#include <mutex>

namespace ct {

namespace {

bool is_unused(const PieceTables &tables, int64_t id)
{
    return tables.model.pieces[static_cast<size_t>(id)].kind == PieceKind::UNUSED;
}

// The id of a whole part, where nothing else than the vocabulary decides.
int32_t id_of(const PieceTables &tables, std::string_view part)
{
    int64_t id = tables.pieces.id_of(part);
    return id < 0 || is_unused(tables, id) ? tables.unknown : static_cast<int32_t>(id);
}

// Unigram.

class LikelyPieces final : public PieceCutter {
public:
    explicit LikelyPieces(const PieceTables &tables)
    {
        constexpr float PENALTY = 10;   // of an unknown character, below the least likely piece
        if (!tables.pieces.size()) fail_tokenizer("no pieces are loaded");
        std::vector<Trie::Entry> pieces;
        std::vector<float> scores;
        float least = FLT_MAX;
        for (const ModelPiece &piece : tables.model.pieces) {
            auto id = static_cast<int32_t>(scores.size());
            scores.push_back(piece.score);
            if (!std::isfinite(piece.score)) fail_tokenizer("score is NaN or Inf");
            if (piece.kind == PieceKind::NORMAL) least = std::min(least, piece.score);
            // Pieces that the user has defined are better than all others.
            if (piece.kind == PieceKind::USER_DEFINED)
                scores.back() = static_cast<float>(
                    0.1 * (static_cast<int>(piece.text.size()) - 1));
            if (piece.kind == PieceKind::NORMAL || piece.kind == PieceKind::USER_DEFINED)
                pieces.emplace_back(piece.text, id);
        }
        cut_ = {std::move(pieces), std::move(scores), tables.unknown, least - PENALTY};
    }

    void cut(std::string_view text, std::vector<PieceToken> &tokens) const override
    {
        std::vector<BestPiece<float>> best;
        cut_.find(text, best, [](size_t, size_t) {});
        size_t before = tokens.size();
        for (size_t end = text.size(); end > 0;) {
            auto start = static_cast<uint32_t>(best[end].start);
            tokens.push_back({start, static_cast<uint32_t>(end), best[end].id});
            end = start;
        }
        std::reverse(tokens.begin() + static_cast<std::ptrdiff_t>(before), tokens.end());
    }

private:
    BestCut<float> cut_;
};

// Byte pair encoding.

class MergedPieces final : public PieceCutter {
public:
    explicit MergedPieces(const PieceTables &tables) : tables_(tables)
    {
        for (const ModelPiece &piece : tables.model.pieces) {
            ranks_.push_back(rank_of(piece.score));
            if (piece.kind == PieceKind::UNUSED) has_unused_ = true;
            if (piece.kind == PieceKind::NORMAL || piece.kind == PieceKind::USER_DEFINED)
                look_at_spaces(piece.text);
        }
        // A merge that leads to an unused piece anywhere decides how that is cut elsewhere.
        if (has_unused_ || !tables.is_utf8) begins_words_ = ends_words_ = false;
    }

    void cut(std::string_view text, std::vector<PieceToken> &tokens) const override
    {
        std::lock_guard<std::mutex> guard(lock_);
        if (!begins_words_ && !ends_words_) {
            merge(text, tokens);
            return;
        }
        for (size_t start = 0, end; start < text.size(); start = end) {
            end = word_end(text, start);
            size_t before = tokens.size();
            kept_.add(text.substr(start, end - start), tokens,
                      [&](std::string_view word, std::vector<PieceToken> &out) {
                          merge(word, out);
                      });
            for (size_t k = before; k < tokens.size(); k++) {
                tokens[k].start += static_cast<uint32_t>(start);
                tokens[k].end += static_cast<uint32_t>(start);
            }
        }
    }

private:
    static constexpr uint32_t FREE = 0xFFFFFFFF, FIXED = FREE - 1;   // ids of single symbols
    static constexpr int DEEPEST = 100;   // unused pieces within one, as in SentencePiece

    // What an unused piece was merged from.
    using Halves = std::unordered_map<std::string_view,
                                      std::pair<std::string_view, std::string_view>>;

    // The higher a score, the lower the rank; all floats are in order, as SentencePiece has it.
    static uint32_t rank_of(float score)
    {
        auto bits = std::bit_cast<uint32_t>(score);
        uint32_t descending = bits >> 31 ? bits : 0x7FFFFFFF - bits;
        return std::min(descending, RankedMerge::NEVER - 1);
    }

    // Whether texts can be cut into words first, because no piece lies across their ends.
    void look_at_spaces(std::string_view piece)
    {
        for (size_t at = piece.find(SPACE_PIECE); at != std::string_view::npos;
             at = piece.find(SPACE_PIECE, at + 1)) {
            size_t end = at + SPACE_PIECE.size();
            if (at > 0 && !piece.substr(0, at).ends_with(SPACE_PIECE)) begins_words_ = false;
            if (end < piece.size() && !piece.substr(end).starts_with(SPACE_PIECE))
                ends_words_ = false;
        }
    }

    // Where the word ends that begins at a byte: before spaces, or after them.
    size_t word_end(std::string_view text, size_t start) const
    {
        size_t at = start;
        auto skip_spaces = [&] {
            while (text.substr(at).starts_with(SPACE_PIECE)) at += SPACE_PIECE.size();
        };
        if (begins_words_) skip_spaces();
        at = std::min(text.find(SPACE_PIECE, at), text.size());
        if (!begins_words_) skip_spaces();
        return at;
    }

    void merge(std::string_view text, std::vector<PieceToken> &tokens) const
    {
        merging_.clear();
        for (size_t at = 0; at < text.size();) {
            size_t fixed = tables_.fixed.length_at(text, at);
            size_t length = fixed ? fixed : length_at(text, at);
            merging_.add(fixed ? FIXED : FREE, length);
            at += length;
        }
        Halves halves;
        Polls polls;
        merging_.run([&](const Symbol &left, const Symbol &right) -> RankedMerge {
            polls.step();
            if (left.id == FIXED || right.id == FIXED) return {};
            std::string_view both = text.substr(left.start, left.length + right.length);
            int64_t id = tables_.pieces.id_of(both);
            if (id < 0) return {};
            if (has_unused_ && is_unused(tables_, id))
                halves[both] = {both.substr(0, left.length), both.substr(left.length)};
            return {ranks_[static_cast<size_t>(id)], static_cast<uint32_t>(id)};
        });
        merging_.each([&](const Symbol &symbol) {
            uint32_t end = symbol.start + symbol.length;
            if (symbol.id < FIXED && !has_unused_)
                tokens.push_back({symbol.start, end, static_cast<int32_t>(symbol.id)});
            else
                add(text, symbol.start, end, halves, 0, tokens);
        });
    }

    // Adds a symbol, or if it is an unused piece what that was merged from.
    void add(std::string_view text, uint32_t start, uint32_t end, const Halves &halves, int depth,
             std::vector<PieceToken> &tokens) const
    {
        std::string_view part = text.substr(start, end - start);
        int64_t id = tables_.pieces.id_of(part);
        if (id < 0) id = tables_.unknown;
        else if (depth <= DEEPEST && is_unused(tables_, id)) {
            auto found = halves.find(part);
            if (found != halves.end()) {
                auto middle = static_cast<uint32_t>(start + found->second.first.size());
                add(text, start, middle, halves, depth + 1, tokens);
                add(text, middle, end, halves, depth + 1, tokens);
                return;
            }
            id = tables_.unknown;
        }
        tokens.push_back({start, end, static_cast<int32_t>(id)});
    }

    PieceTables tables_;
    std::vector<uint32_t> ranks_;
    bool has_unused_ = false, begins_words_ = true, ends_words_ = true;
    mutable std::mutex lock_;   // of what follows
    mutable Merging merging_;
    mutable KeptWords<PieceToken> kept_;
};

// Words and characters.

class WholeWords final : public PieceCutter {
public:
    explicit WholeWords(const PieceTables &tables) : tables_(tables) {}

    void cut(std::string_view text, std::vector<PieceToken> &tokens) const override
    {
        for (size_t start = 0; start < text.size();) {
            size_t end = start;
            do end += length_at(text, end);
            while (end < text.size() && text.substr(end, length_at(text, end)) != SPACE_PIECE);
            tokens.push_back({static_cast<uint32_t>(start), static_cast<uint32_t>(end),
                              id_of(tables_, text.substr(start, end - start))});
            start = end;
        }
    }

private:
    PieceTables tables_;
};

class SingleCharacters final : public PieceCutter {
public:
    explicit SingleCharacters(const PieceTables &tables) : tables_(tables) {}

    void cut(std::string_view text, std::vector<PieceToken> &tokens) const override
    {
        for (size_t at = 0; at < text.size();) {
            size_t fixed = tables_.fixed.length_at(text, at);
            size_t length = fixed ? fixed : length_at(text, at);
            tokens.push_back({static_cast<uint32_t>(at), static_cast<uint32_t>(at + length),
                              id_of(tables_, text.substr(at, length))});
            at += length;
        }
    }

private:
    PieceTables tables_;
};

}  // namespace

std::unique_ptr<PieceCutter> piece_cutter(const PieceTables &tables)
{
    switch (tables.model.kind) {
    case PieceModelKind::UNIGRAM: return std::make_unique<LikelyPieces>(tables);
    case PieceModelKind::BPE: return std::make_unique<MergedPieces>(tables);
    case PieceModelKind::WORD: return std::make_unique<WholeWords>(tables);
    case PieceModelKind::CHARACTERS: return std::make_unique<SingleCharacters>(tables);
    }
    fail_tokenizer("its kind of model is " + std::to_string(static_cast<int>(tables.model.kind)) +
                   ", which is none of SentencePiece's");
}

}  // namespace ct
