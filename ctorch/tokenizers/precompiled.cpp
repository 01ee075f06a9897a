// precompiled.cpp - SentencePiece's map of characters, as a tokenizer.json holds it: base64 of a
// double-array trie and the texts that it points to.
//
// The trie is Darts-clone's: each unit has a label, a flag for a leaf, and the offset of the units
// of its children.  Every index is checked.

#include "text/failure.h"
#include "text/regex.h"
#include "tokenizers/stages.h"
#include "text/byte_letters.h"
#include "text/text.h"

#include <cstring>
#include <optional>

namespace ct {

namespace {

constexpr size_t LONGEST_GRAPHEME = 6;   // bytes; longer ones are looked up by character

class Precompiled : public Normalizer {
public:
    explicit Precompiled(const JsonValue &json) : graphemes_("\\X")
    {
        std::string bytes;
        if (!from_base64(json.text("a text in base64"), bytes)) json.fail("expected base64");
        uint32_t size = 0;
        if (bytes.size() >= 4) std::memcpy(&size, bytes.data(), 4);
        if (bytes.size() < 4 || size > bytes.size() - 4 || size % 4)
            json.fail("the map of characters is damaged");
        units_.resize(size / 4);
        std::memcpy(units_.data(), bytes.data() + 4, size);
        texts_ = bytes.substr(4 + size);
        size_t bad;
        if (!is_utf8(texts_, &bad)) json.fail("the map of characters is damaged");
    }

    bool keeps(std::string_view) const override { return false; }

    void apply(Aligned &text) const override
    {
        std::vector<Change> changes;
        std::string_view whole = text.text;
        size_t at = 0;
        auto change = [&](std::string_view from, std::string_view to) {
            text.check_size(changes.size() + to.size());
            replace(from, to, changes);
        };
        auto add = [&](std::string_view part) {
            if (part.size() < LONGEST_GRAPHEME)
                if (auto to = find(part)) return change(part, *to);
            for (size_t k = 0; k < part.size();) {
                std::string_view letter = part.substr(k, character_length(part[k]));
                k += letter.size();
                if (auto to = find(letter)) change(letter, *to);
                else changes.push_back({characters_of(letter)[0], 0});
            }
        };
        graphemes_.each(whole, [&](size_t start, size_t end) {
            add(whole.substr(start, end - start));
            at = end;
        });
        if (at < whole.size()) add(whole.substr(at));
        text.transform(changes, removed_);
        removed_ = 0;
    }

private:
    // What the shortest beginning of a text that the map has becomes.
    std::optional<std::string_view> find(std::string_view key) const
    {
        if (units_.empty()) return {};
        size_t at = offset_of(units_[0]);
        for (char c : key) {
            auto byte = static_cast<unsigned char>(c);
            if (!byte) return {};
            at ^= byte;
            if (at >= units_.size() || (units_[at] & 0x800000FF) != byte) return {};
            bool leaf = units_[at] >> 8 & 1;
            at ^= offset_of(units_[at]);
            if (at >= units_.size()) return {};
            if (leaf) return text_at(units_[at] & 0x7FFFFFFF);
        }
        return {};
    }

    static size_t offset_of(uint32_t unit) { return unit >> 10 << ((unit & 0x200) >> 6); }

    std::optional<std::string_view> text_at(size_t start) const
    {
        if (start >= texts_.size() || is_inside_character(texts_[start])) return {};
        return std::string_view(texts_).substr(start, texts_.find('\0', start) - start);
    }

    void replace(std::string_view from, std::string_view to, std::vector<Change> &changes) const
    {
        size_t before = count_characters(from), after = count_characters(to);
        std::u32string made = characters_of(to);
        auto difference = static_cast<int32_t>(after) - static_cast<int32_t>(before);
        for (char32_t code : made) changes.push_back({code, 0});
        if (difference > 0)   // the last ones are added
            for (size_t k = 0; k < static_cast<size_t>(difference); k++)
                changes[changes.size() - 1 - k].kind = 1;
        if (difference < 0 && !changes.empty()) changes.back().kind += difference;
        if (difference < 0 && changes.empty()) removed_ += static_cast<size_t>(-difference);
    }

    Regex graphemes_;
    std::vector<uint32_t> units_;
    std::string texts_;
    mutable size_t removed_ = 0;   // characters before everything that became nothing
};

}  // namespace

std::unique_ptr<Normalizer> precompiled_normalizer(const JsonValue &json)
{
    return std::make_unique<Precompiled>(json.at("precompiled_charsmap"));
}

}  // namespace ct
