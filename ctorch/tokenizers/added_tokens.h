// added_tokens.h - tokens that are found in a text by their names, before it is split.  C++ only.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "tokenizers/models.h"
#include "tokenizers/stages.h"

namespace ct {

struct AddedToken {
    std::string content{};
    std::string shown{};      // the content after the normalizer, if the token is normalized
    int64_t id = -1;          // -1: that of the vocabulary, or the next one
    bool single_word = false, left = false, right = false, normalized = false, special = false;
    bool keeps_id =
        false; // whether it may have another id than the vocabulary's token of that name
};

class AddedTokens {
public:
    // Adds one, and returns false if its id has another name.
    bool add(AddedToken token, const Vocabulary &vocabulary);
    // Call it once all have been added.
    void prepare(const Normalizer *normalizer);

    // Cut the tokens out of a text as it was given, or after it was normalized.
    void find(Document &document, bool normalized, bool parse_special) const;
    bool any(bool normalized) const { return !tries_[normalized].nodes.empty(); }

    const AddedToken *at(int64_t id) const;
    int64_t id_of(std::string_view content) const;
    bool is_special(std::string_view content) const
    {
        return specials_.contains(std::string(content));
    }
    size_t size() const { return size_; }   // above every id

private:
    // What begins with the same bytes shares nodes.
    struct Trie {
        struct Node {
            std::vector<std::pair<unsigned char, uint32_t>> next{};
            int64_t id = -1;
        };
        std::vector<Node> nodes{};
        bool first[256] = {};
        void add(std::string_view name, int64_t id);
        // The longest name that begins at a byte; its end, or 0.
        size_t match(std::string_view text, size_t start, int64_t *id) const;
    };

    void cut(std::string_view text, const Trie &trie, bool parse_special,
             std::vector<Piece> &out) const;

    std::vector<AddedToken> all_;
    std::unordered_map<int64_t, size_t> by_id_;
    std::unordered_map<std::string, int64_t> ids_;
    std::unordered_set<std::string> specials_;
    Trie tries_[2];
    size_t size_ = 0;
};

}  // namespace ct
