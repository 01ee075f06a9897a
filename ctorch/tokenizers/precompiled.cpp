// precompiled.cpp - SentencePiece's map of characters as Hugging Face applies it: to graphemes, and
// the shortest text of the map that begins one decides.  A tokenizer.json holds it in base64.

#include "pieces/character_map.h"
#include "text/failure.h"
#include "text/regex.h"
#include "tokenizers/stages.h"
#include "text/byte_letters.h"
#include "text/text.h"

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
        size_t bad;
        if (!map_.read(bytes) || !is_utf8(map_.texts(), &bad))
            json.fail("the map of characters is damaged");
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
        std::optional<std::string_view> found;
        map_.beginnings(key.substr(0, key.find('\0')), [&](size_t, uint32_t at) {
            std::string_view texts = map_.texts();
            if (at < texts.size() && !is_inside_character(texts[at])) found = map_.text_at(at);
            return false;
        });
        return found;
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
    CharacterMap map_;
    mutable size_t removed_ = 0;   // characters before everything that became nothing
};

}  // namespace

std::unique_ptr<Normalizer> precompiled_normalizer(const JsonValue &json)
{
    return std::make_unique<Precompiled>(json.at("precompiled_charsmap"));
}

}  // namespace ct
