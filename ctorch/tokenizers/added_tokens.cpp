// added_tokens.cpp - "<|im_end|>" in a text is one token, whatever the model would make of it.

#include "tokenizers/added_tokens.h"
#include "text/text.h"

#include <algorithm>

namespace ct {

bool AddedTokens::add(AddedToken token, const Vocabulary &vocabulary)
{
    if (token.content.empty()) return true;
    auto known = ids_.find(token.content);
    int64_t id = known != ids_.end() ? known->second
                 : token.keeps_id    ? -1
                                     : vocabulary.id_of(token.content);
    if (id < 0)
        id = token.id >= 0 ? token.id : static_cast<int64_t>(std::max(size_, vocabulary.size()));
    const std::string_view *other = vocabulary.token_of(id);
    if (other && *other != token.content) return false;
    auto taken = by_id_.find(id);
    if (taken != by_id_.end() && all_[taken->second].content != token.content) return false;
    token.id = id;
    if (token.special) specials_.insert(token.content);
    ids_[token.content] = id;
    if (taken != by_id_.end()) {
        all_[taken->second] = std::move(token);
    } else {
        by_id_[id] = all_.size();
        all_.push_back(std::move(token));
    }
    size_ = std::max(size_, static_cast<size_t>(id) + 1);
    return true;
}

void AddedTokens::Trie::add(std::string_view name, int64_t id)
{
    if (name.empty()) return;
    if (nodes.empty()) nodes.emplace_back();
    first[static_cast<unsigned char>(name[0])] = true;
    uint32_t at = 0;
    for (char c : name) {
        auto byte = static_cast<unsigned char>(c);
        auto found = std::find_if(nodes[at].next.begin(), nodes[at].next.end(),
                                  [&](auto &entry) { return entry.first == byte; });
        if (found != nodes[at].next.end()) {
            at = found->second;
            continue;
        }
        auto next = static_cast<uint32_t>(nodes.size());
        nodes[at].next.emplace_back(byte, next);
        nodes.emplace_back();
        at = next;
    }
    if (nodes[at].id < 0) nodes[at].id = id;
}

size_t AddedTokens::Trie::match(std::string_view text, size_t start, int64_t *id) const
{
    size_t end = 0;
    uint32_t at = 0;
    for (size_t k = start; k < text.size(); k++) {
        auto byte = static_cast<unsigned char>(text[k]);
        const auto &next = nodes[at].next;
        auto found = std::find_if(next.begin(), next.end(),
                                  [&](auto &entry) { return entry.first == byte; });
        if (found == next.end()) break;
        at = found->second;
        if (nodes[at].id >= 0) *id = nodes[at].id, end = k + 1;
    }
    return end;
}

void AddedTokens::prepare(const Normalizer *normalizer)
{
    size_t size = 0, made = 0;
    for (const AddedToken &token : all_) size += token.content.size();
    for (bool special : {true, false})
        for (AddedToken &token : all_) {
            if (token.special != special) continue;
            Aligned name;
            name.most = std::max(token.content.size(), most_bytes(size) - made);
            name.text = token.content;
            name.tracked = false;
            if (token.normalized && normalizer && !normalizer->keeps(name.text))
                normalizer->apply(name);
            tries_[token.normalized].add(name.text, token.id);
            token.shown = name.text;
            made = std::min(most_bytes(size), made + name.text.size());
        }
}

void AddedTokens::find(Document &document, bool normalized, bool parse_special) const
{
    std::vector<Piece> made;
    for (const Piece &piece : document.pieces) {
        if (piece.id >= 0) {
            made.push_back(piece);
            continue;
        }
        size_t before = made.size();
        cut(document.piece(piece), tries_[normalized], parse_special, made);
        for (size_t k = before; k < made.size(); k++)
            made[k].start += piece.start, made[k].end += piece.start;
    }
    document.pieces = std::move(made);
}

void AddedTokens::cut(std::string_view text, const Trie &trie, bool parse_special,
                      std::vector<Piece> &out) const
{
    size_t done = 0;
    auto add = [&](size_t start, size_t end, int64_t id) {
        if (start < end)
            out.push_back({static_cast<uint32_t>(start), static_cast<uint32_t>(end), id});
    };
    for (size_t at = 0; at < text.size();) {
        int64_t id = -1;
        size_t end =
            trie.first[static_cast<unsigned char>(text[at])] ? trie.match(text, at, &id) : 0;
        if (!end) {
            at++;
            continue;
        }
        const AddedToken &token = all_[by_id_.at(id)];
        size_t start = at;
        at = end;
        if (!parse_special && is_special(token.content)) continue;
        size_t before = start, after = end;
        if (token.single_word &&
            ((start > 0 && is_word_character(previous_character(text, before))) ||
             (end < text.size() && is_word_character(next_character(text, after)))))
            continue;
        if (token.left) {
            for (size_t k = start; k > done && is_white(previous_character(text, k));) start = k;
            start = std::max(start, done);
        }
        if (token.right)
            for (size_t k = end; k < text.size() && is_white(next_character(text, k));) end = k;
        // A name in the spaces that the one before took is a token all the same, as in Hugging
        // Face's library.
        add(done, start, -1);
        add(start, end, id);
        done = end;
    }
    add(done, text.size(), -1);
}

const AddedToken *AddedTokens::at(int64_t id) const
{
    auto found = by_id_.find(id);
    return found == by_id_.end() ? nullptr : &all_[found->second];
}

int64_t AddedTokens::id_of(std::string_view content) const
{
    auto found = ids_.find(std::string(content));
    return found == ids_.end() ? -1 : found->second;
}

}  // namespace ct
