// bpe.cpp - byte pair encoding: neighbouring symbols merge, those first that were merged first when
// the vocabulary was made.

#include "errors/interrupts.h"
#include "pieces/merging.h"
#include "text/failure.h"
#include "tokenizers/models.h"
#include "text/byte_letters.h"
#include "text/text.h"

#include <algorithm>
#include <array>
#include <unordered_set>

namespace ct {

namespace {

// Whether a vocabulary may have a token, by the value of its bytes as digits of a number.
class TokenFilter {
public:
    static constexpr uint64_t BASE = 0x9E3779B97F4A7C15;
    static uint64_t digit(char byte) { return static_cast<unsigned char>(byte) + uint64_t{1}; }

    explicit TokenFilter(const Vocabulary &vocabulary)
    {
        hashes_.reserve(vocabulary.size());
        for (size_t id = 0; id < vocabulary.size(); id++) {
            const std::string_view *token = vocabulary.token_of(static_cast<int64_t>(id));
            if (!token) continue;
            uint64_t hash = 0;
            for (char byte : *token) hash = hash * BASE + digit(byte);
            hashes_.insert(hash);
        }
    }

    // The hashes of the first 0, 1, 2 ... bytes of a token.
    static void hash_beginnings(std::string_view token, std::vector<uint64_t> &hashes)
    {
        hashes.assign(1, 0);
        for (char byte : token) hashes.push_back(hashes.back() * BASE + digit(byte));
    }

    bool may_have(uint64_t hash) const { return hashes_.count(hash); }

private:
    std::unordered_set<uint64_t> hashes_;
};

class Bpe : public TokenModel {
public:
    Bpe(ModelParts &&parts, const BpeSettings &settings) : settings_(settings)
    {
        vocabulary = std::move(parts.vocabulary);
        kind = "bpe";
        if (parts.ranked) add_splits();
        else add_merges(parts.merges);
        if (settings.has_unknown) unknown_ = vocabulary.id_of(settings.unknown);
        for (unsigned byte = 0; byte < 256; byte++) {
            letters_[byte] = vocabulary.id_of(byte_letter(static_cast<unsigned char>(byte)));
            fallbacks_[byte] = vocabulary.id_of(byte_token(static_cast<unsigned char>(byte)));
        }
    }

    void encode(std::string_view word, bool as_bytes, std::vector<WordToken> &out) override
    {
        (as_bytes ? kept_bytes_ : kept_).add(
            word, out, [&](std::string_view anew, std::vector<WordToken> &tokens) {
                encode_anew(anew, as_bytes, tokens);
            });
    }

private:
    void add_merges(const std::vector<Merge> &merges)
    {
        std::string joined;
        merges_.reserve(merges.size());
        Polls polls;
        for (size_t rank = 0; rank < merges.size(); rank++) {
            polls.step();
            auto [a, b] = merges[rank];
            auto id = [&](std::string_view token) {
                int64_t found = vocabulary.id_of(token);
                if (found < 0)
                    fail_tokenizer("merge " + std::to_string(rank) + " needs the token " +
                                   in_marks(token) + ", which the vocabulary does not have");
                return static_cast<uint32_t>(found);
            };
            uint32_t first = id(a), second = id(b);
            joined.assign(a);
            joined += b.substr(std::min(settings_.prefix.size(), b.size()));
            merges_.set(first, second, static_cast<uint32_t>(rank), id(joined));
        }
    }

    // All ways to make a token of two others; its id is their rank.  What begins or ends a token is
    // looked up only if a hash, which takes a step for each byte, is that of a token.
    void add_splits()
    {
        std::vector<std::array<uint32_t, 3>> splits;
        TokenFilter filter(vocabulary);
        std::vector<uint64_t> beginnings;
        Polls polls;
        for (size_t id = 0; id < vocabulary.size(); id++) {
            polls.step();
            const std::string_view *token = vocabulary.token_of(static_cast<int64_t>(id));
            if (!token || token->empty()) continue;
            filter.hash_beginnings(*token, beginnings);
            uint64_t ending = 0, power = 1;
            for (size_t at = token->size() - 1; at > 0; at--) {
                ending += TokenFilter::digit((*token)[at]) * power;
                power *= TokenFilter::BASE;
                if (is_inside_character((*token)[at])) continue;
                if (!filter.may_have(beginnings[at]) || !filter.may_have(ending)) continue;
                int64_t a = vocabulary.id_of(token->substr(0, at)),
                        b = vocabulary.id_of(token->substr(at));
                if (a >= 0 && b >= 0)
                    splits.push_back({static_cast<uint32_t>(a), static_cast<uint32_t>(b),
                                      static_cast<uint32_t>(id)});
            }
        }
        merges_.reserve(splits.size());
        for (auto [a, b, id] : splits) merges_.set(a, b, id, id);
    }

    void encode_anew(std::string_view word, bool as_bytes, std::vector<WordToken> &out)
    {
        if (settings_.ignore_merges) {
            int64_t id = vocabulary.id_of(as_bytes ? in_letters(word) : std::string(word));
            if (id >= 0) {
                out.push_back({id, 0, static_cast<uint32_t>(word.size())});
                return;
            }
        }
        merging_.clear();
        if (as_bytes) start_with_bytes(word);
        else start_with_characters(word);
        merging_.run([&](const Symbol &left, const Symbol &right) {
            const auto &entry = merges_.find(left.id, right.id);
            return RankedMerge{entry.rank, entry.made};
        });
        uint32_t at = 0;   // symbols without a token leave no gaps
        merging_.each([&](const Symbol &symbol) {
            out.push_back({symbol.id, at, at + symbol.length});
            at += symbol.length;
        });
    }

    void add_symbol(int64_t id, size_t length) { merging_.add(static_cast<uint32_t>(id), length); }

    // Unknown characters wait, because several may become one token.
    void add_unknown(size_t length)
    {
        if (!settings_.has_unknown) return;
        if (unknown_ < 0)
            fail_tokenizer("the unknown token " + in_marks(settings_.unknown) +
                           " is not in the vocabulary");
        if (waiting_ && !settings_.fuse_unknown) add_waiting();
        waiting_ += length;
    }

    void add_waiting()
    {
        if (waiting_) add_symbol(unknown_, waiting_);
        waiting_ = 0;
    }

    bool fall_back(std::string_view text)
    {
        for (char byte : text)
            if (fallbacks_[static_cast<unsigned char>(byte)] < 0) return false;
        for (char byte : text) add_symbol(fallbacks_[static_cast<unsigned char>(byte)], 1);
        return true;
    }

    void start_with_bytes(std::string_view word)
    {
        bool plain =
            settings_.prefix.empty() && settings_.suffix.empty() && !settings_.byte_fallback;
        for (size_t k = 0; k < word.size(); k++) {
            auto byte = static_cast<unsigned char>(word[k]);
            int64_t id =
                plain ? letters_[byte] : id_of(byte_letter(byte), k == 0, k + 1 == word.size());
            add_known(id, byte_letter(byte), 1);
        }
        add_waiting();
    }

    void start_with_characters(std::string_view word)
    {
        for (size_t at = 0; at < word.size();) {
            std::string_view letter = word.substr(at, character_length(word[at]));
            add_known(id_of(letter, at == 0, at + letter.size() == word.size()), letter,
                      letter.size());
            at += letter.size();
        }
        add_waiting();
    }

    void add_known(int64_t id, std::string_view letter, size_t length)
    {
        if (id >= 0) {
            add_waiting();
            add_symbol(id, length);
        } else if (!(settings_.byte_fallback && fall_back(letter))) {
            add_unknown(length);
        }
    }

    int64_t id_of(std::string_view letter, bool first, bool last) const
    {
        if ((first || settings_.prefix.empty()) && (!last || settings_.suffix.empty()))
            return vocabulary.id_of(letter);
        return vocabulary.id_of((first ? "" : settings_.prefix) + std::string(letter) +
                                (last ? settings_.suffix : ""));
    }

    BpeSettings settings_;
    MergeTable merges_;
    int64_t unknown_ = -1;
    std::array<int64_t, 256> letters_{}, fallbacks_{};
    Merging merging_;
    size_t waiting_ = 0;
    KeptWords<WordToken> kept_, kept_bytes_;
};

}  // namespace

std::unique_ptr<TokenModel> bpe_model(ModelParts &&parts, const BpeSettings &settings)
{
    return std::make_unique<Bpe>(std::move(parts), settings);
}

}  // namespace ct
