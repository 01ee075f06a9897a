// word_models.cpp - models that look words up: whole, by their longest beginnings, or by the most
// likely way to cut them.

#include "errors/interrupts.h"
#include "pieces/best_cut.h"
#include "text/failure.h"
#include "tokenizers/models.h"
#include "text/text.h"

#include <algorithm>
#include <cmath>

namespace ct {

namespace {

constexpr double UNKNOWN_PENALTY = 10;   // below the least likely token, as SentencePiece has it

int64_t unknown_id(const Vocabulary &vocabulary, const std::string &unknown)
{
    int64_t id = vocabulary.id_of(unknown);
    if (id < 0)
        fail_tokenizer("the unknown token " + in_marks(unknown) + " is not in the vocabulary");
    return id;
}

class WordLevel : public TokenModel {
public:
    WordLevel(Vocabulary &&given, const std::string &unknown) : unknown_(unknown)
    {
        vocabulary = std::move(given);
        kind = "words";
    }

    void encode(std::string_view word, bool as_bytes, std::vector<WordToken> &out) override
    {
        int64_t id = vocabulary.id_of(as_bytes ? in_letters(word) : std::string(word));
        out.push_back({id >= 0 ? id : unknown_id(vocabulary, unknown_), 0,
                       static_cast<uint32_t>(word.size())});
    }

private:
    std::string unknown_;
};

class WordPiece : public TokenModel {
public:
    WordPiece(Vocabulary &&given, const std::string &unknown, const std::string &prefix,
              size_t longest)
        : unknown_(unknown), prefix_(prefix), longest_(longest)
    {
        vocabulary = std::move(given);
        kind = "wordpiece";
        for (size_t id = 0; id < vocabulary.size(); id++)
            if (const std::string_view *token = vocabulary.token_of(static_cast<int64_t>(id)))
                longest_token_ = std::max(longest_token_, token->size());
    }

    void encode(std::string_view given, bool as_bytes, std::vector<WordToken> &out) override
    {
        std::string letters = as_bytes ? in_letters(given) : "";
        std::string_view word = as_bytes ? letters : given;
        auto whole = static_cast<uint32_t>(given.size());
        size_t before = out.size();
        if (count_characters(word) <= longest_ && cut(word, out)) {
            if (as_bytes)
                for (size_t k = before; k < out.size(); k++) out[k].start = 0, out[k].end = whole;
            return;
        }
        out.resize(before);
        out.push_back({unknown_id(vocabulary, unknown_), 0, whole});
    }

private:
    // The longest token that begins the rest, again and again; false if there is none.
    bool cut(std::string_view word, std::vector<WordToken> &out) const
    {
        std::string candidate;
        for (size_t start = 0; start < word.size();) {
            std::string_view prefix = start ? std::string_view(prefix_) : std::string_view();
            size_t end = std::min(word.size(), start + longest_token_);
            int64_t id = -1;
            for (; end > start; end--) {
                if (end < word.size() && is_inside_character(word[end])) continue;
                candidate.assign(prefix);
                candidate += word.substr(start, end - start);
                if ((id = vocabulary.id_of(candidate)) >= 0) break;
            }
            if (id < 0) return false;
            out.push_back({id, static_cast<uint32_t>(start), static_cast<uint32_t>(end)});
            start = end;
        }
        return true;
    }

    std::string unknown_, prefix_;
    size_t longest_, longest_token_ = 0;
};

class Unigram : public TokenModel {
public:
    Unigram(Vocabulary &&given, std::vector<double> &&scores, int64_t unknown, bool byte_fallback)
        : unknown_(unknown), byte_fallback_(byte_fallback)
    {
        vocabulary = std::move(given);
        kind = "unigram";
        double least = INFINITY;
        for (double score : scores) least = std::min(least, score);
        std::vector<Trie::Entry> pieces;
        pieces.reserve(vocabulary.size());
        for (size_t id = 0; id < vocabulary.size(); id++) {
            const std::string_view *token = vocabulary.token_of(static_cast<int64_t>(id));
            if (token && !token->empty()) pieces.emplace_back(*token, static_cast<int32_t>(id));
        }
        cut_ = {std::move(pieces), std::move(scores), static_cast<int32_t>(unknown),
                least - UNKNOWN_PENALTY};
    }

    void encode(std::string_view given, bool as_bytes, std::vector<WordToken> &out) override
    {
        std::string letters = as_bytes ? in_letters(given) : "";
        std::string_view word = as_bytes ? letters : given;
        size_t before = out.size();
        cut_.find(word, best_, [&](size_t start, size_t length) {
            if (unknown_ < 0)
                fail_tokenizer("the vocabulary does not have the character " +
                               in_marks(word.substr(start, length)) + ", and no unknown token");
        });
        collect(word, out);
        if (as_bytes)
            for (size_t k = before; k < out.size(); k++)
                out[k].start = 0, out[k].end = static_cast<uint32_t>(given.size());
    }

private:
    // Follows the best way from its end; unknown neighbours are one token.
    void collect(std::string_view word, std::vector<WordToken> &out)
    {
        std::vector<WordToken> reversed;
        bool fuse = false;
        for (size_t end = word.size(); end > 0;) {
            const BestPiece<double> &best = best_[end];
            auto start = static_cast<uint32_t>(best.start);
            bool unknown = unknown_ >= 0 && best.id == unknown_;
            if (fuse && unknown) reversed.back().start = start;
            else reversed.push_back({best.id, start, static_cast<uint32_t>(end)});
            fuse = unknown;
            end = start;
        }
        for (auto token = reversed.rbegin(); token != reversed.rend(); ++token)
            add_token(*token, word.substr(token->start, token->end - token->start), out);
    }

    void add_token(WordToken token, std::string_view text, std::vector<WordToken> &out) const
    {
        if (token.id == unknown_) {
            int64_t whole = vocabulary.id_of(text);
            if (whole >= 0) {
                token.id = whole;
            } else if (byte_fallback_) {
                size_t before = out.size();
                for (char byte : text) {
                    int64_t id = vocabulary.id_of(byte_token(static_cast<unsigned char>(byte)));
                    if (id < 0) break;
                    out.push_back({id, token.start, token.end});
                }
                if (out.size() - before == text.size()) return;
                out.resize(before);
            }
        }
        out.push_back(token);
    }

    BestCut<double> cut_;
    int64_t unknown_;
    bool byte_fallback_;
    std::vector<BestPiece<double>> best_;
};

}  // namespace

std::unique_ptr<TokenModel> word_piece_model(Vocabulary &&vocabulary, const std::string &unknown,
                                        const std::string &prefix, size_t longest)
{
    return std::make_unique<WordPiece>(std::move(vocabulary), unknown, prefix, longest);
}

std::unique_ptr<TokenModel> word_level_model(Vocabulary &&vocabulary, const std::string &unknown)
{
    return std::make_unique<WordLevel>(std::move(vocabulary), unknown);
}

std::unique_ptr<TokenModel> unigram_model(Vocabulary &&vocabulary, std::vector<double> &&scores,
                                     int64_t unknown, bool byte_fallback)
{
    return std::make_unique<Unigram>(std::move(vocabulary), std::move(scores), unknown,
                                     byte_fallback);
}

}  // namespace ct
