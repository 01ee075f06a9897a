// normalizers.cpp - changes of a text before it is split.

#include "text/failure.h"
#include "tokenizers/models.h"
#include "tokenizers/stages.h"
#include "text/text.h"

#include <algorithm>
#include <utility>

namespace ct {

namespace {

using Changes = std::vector<Change>;
using Predicate = bool (*)(char32_t);

// Removes the characters for which `removes` holds.
void filter(Aligned &text, Predicate removes)
{
    Changes changes;
    size_t first = 0;
    for (char32_t code : characters_of(text.text)) {
        if (!removes(code)) changes.push_back({code, 0});
        else if (changes.empty()) first++;
        else changes.back().kind--;
    }
    text.transform(changes, first);
}

void map_characters(Aligned &text, std::u32string (*map)(char32_t))
{
    Changes changes;
    for (char32_t code : characters_of(text.text)) {
        int32_t kind = 0;
        for (char32_t to : map(code)) changes.push_back({to, std::exchange(kind, 1)});
    }
    text.transform(changes);
}

// The normal forms.

void decompose_all(const std::u32string &text, bool compatible, Changes &changes)
{
    std::u32string parts;
    size_t marks = 0;   // where the characters begin that may still change their order
    auto sort = [&] {
        std::stable_sort(changes.begin() + static_cast<std::ptrdiff_t>(marks), changes.end(),
                         [](const Change &a, const Change &b) {
                             return combining_class(a.code) < combining_class(b.code);
                         });
    };
    for (char32_t code : text) {
        parts.clear();
        decompose(code, compatible, parts);
        for (size_t k = 0; k < parts.size(); k++) {
            if (combining_class(parts[k]) == 0) {
                sort();
                changes.push_back({parts[k], k > 0});
                marks = changes.size();
            } else {
                changes.push_back({parts[k], k > 0});
            }
        }
    }
    sort();
}

void compose_all(Changes &changes)
{
    Changes made;
    size_t starter = 0;
    bool has_starter = false;
    int last = -1;   // the class of the mark before; -1 right behind the starter
    for (const Change &change : changes) {
        int number = combining_class(change.code);
        if (has_starter && (last < number || (last < 0 && number == 0))) {
            if (char32_t both =
                    last > 0 && number == 0 ? 0 : compose(made[starter].code, change.code)) {
                made[starter].code = both;
                made[starter].kind += change.kind - 1;
                continue;
            }
        }
        if (number == 0) {
            starter = made.size();
            has_starter = true;
            last = -1;
        } else {
            last = number;
        }
        made.push_back(change);
    }
    changes = std::move(made);
}

struct NormalForm : Normalizer {
    NormalForm(bool compatible, bool composed) : compatible(compatible), composed(composed) {}
    bool keeps(std::string_view text) const override { return is_ascii(text); }
    void apply(Aligned &text) const override
    {
        Changes changes;
        decompose_all(characters_of(text.text), compatible, changes);
        if (composed) compose_all(changes);
        text.transform(changes);
    }
    bool compatible, composed;
};

struct Lowercase : Normalizer {
    bool keeps(std::string_view) const override { return false; }
    void apply(Aligned &text) const override { map_characters(text, lower_case); }
};

struct StripAccents : Normalizer {
    bool keeps(std::string_view text) const override { return is_ascii(text); }
    void apply(Aligned &text) const override { filter(text, is_mark); }
};

struct Strip : Normalizer {
    Strip(bool left, bool right) : left(left), right(right) {}
    bool keeps(std::string_view) const override { return false; }
    void apply(Aligned &text) const override
    {
        std::u32string all = characters_of(text.text);
        size_t first = 0, end = all.size();
        while (left && first < end && is_white(all[first])) first++;
        while (right && end > first && is_white(all[end - 1])) end--;
        if (first == 0 && end == all.size()) return;
        Changes changes;
        for (size_t k = first; k < end; k++) changes.push_back({all[k], 0});
        text.transform(changes, first);
    }
    bool left, right;
};

struct Prepend : Normalizer {
    explicit Prepend(std::string given) : prefix(std::move(given)) {}
    bool keeps(std::string_view text) const override { return text.empty(); }
    void apply(Aligned &text) const override { text.prepend(prefix); }
    std::string prefix;
};

struct Replace : Normalizer {
    Replace(Pattern &&searched, std::string content)
        : searched(std::move(searched)), content(std::move(content))
    {
    }
    bool keeps(std::string_view text) const override
    {
        bool found = false;
        searched.each(text, [&](size_t, size_t) { found = true; });
        return !found;
    }
    void apply(Aligned &text) const override
    {
        Aligned made = text.begun();
        size_t at = 0;
        auto copy = [&](size_t end) {
            made.text.append(text.text, at, end - at);
            if (text.tracked)
                made.from.insert(made.from.end(),
                                 text.from.begin() + static_cast<std::ptrdiff_t>(at),
                                 text.from.begin() + static_cast<std::ptrdiff_t>(end));
        };
        searched.each(text.text, [&](size_t start, size_t end) {
            copy(start);
            Span origin{text.base, text.base};
            if (text.tracked && end > 0) origin = text.from[end - 1];
            made.add(std::string_view(content), origin);
            at = end;
        });
        copy(text.text.size());
        text = std::move(made);
    }
    Pattern searched;
    std::string content;
};

// What BERT does: controls removed, spaces around ideographs, accents removed, small letters.
struct Bert : Normalizer {
    bool clean = true, chinese = true, accents = true, lower = true;   // accents: whether removed
    bool keeps(std::string_view) const override { return false; }

    static bool is_removed(char32_t c)
    {
        return c == 0 || c == 0xFFFD || (c != '\t' && c != '\n' && c != '\r' && is_other(c));
    }

    void apply(Aligned &text) const override
    {
        if (clean) {
            filter(text, is_removed);
            map_characters(text,
                           [](char32_t c) { return std::u32string(1, is_white(c) ? U' ' : c); });
        }
        if (chinese && !is_ascii(text.text)) set_apart(text);
        if (accents && !is_ascii(text.text)) {
            NormalForm(false, false).apply(text);
            filter(text, is_nonspacing_mark);
        }
        if (lower) map_characters(text, lower_case);
    }

    static void set_apart(Aligned &text)
    {
        Changes changes;
        for (char32_t code : characters_of(text.text)) {
            if (!is_ideograph(code)) {
                changes.push_back({code, 0});
                continue;
            }
            changes.push_back({' ', 0});
            changes.push_back({code, 1});
            changes.push_back({' ', 1});
        }
        text.transform(changes);
    }
};

// What SentencePiece calls nmt: controls removed, and spaces for what else shows nothing.
struct Nmt : Normalizer {
    bool keeps(std::string_view) const override { return false; }
    static bool is_removed(char32_t c)
    {
        return (c >= 1 && c <= 8) || c == 0xB || (c >= 0xE && c <= 0x1F) || c == 0x7F || c == 0x8F ||
               c == 0x9F;
    }
    static bool is_space(char32_t c)
    {
        return c == 9 || c == 0xA || c == 0xC || c == 0xD || c == 0x1680 ||
               (c >= 0x200B && c <= 0x200F) || c == 0x2028 || c == 0x2029 || c == 0x2581 ||
               c == 0xFEFF || c == 0xFFFD;
    }
    void apply(Aligned &text) const override
    {
        filter(text, is_removed);
        map_characters(text,
                       [](char32_t c) { return std::u32string(1, is_space(c) ? U' ' : c); });
    }
};

struct Bytes : Normalizer {
    bool keeps(std::string_view text) const override { return text.empty(); }
    void apply(Aligned &text) const override { text.to_letters(); }
};

struct All : Normalizer {
    std::vector<std::unique_ptr<Normalizer>> each;
    // A later one sees what an earlier one has made of the text.
    bool keeps(std::string_view text) const override
    {
        return std::all_of(each.begin(), each.end(), [&](auto &one) { return one->keeps(text); });
    }
    void apply(Aligned &text) const override
    {
        for (const auto &one : each)
            if (!one->keeps(text.text)) one->apply(text);
    }
};

std::unique_ptr<Normalizer> read_all(const JsonValue &list)
{
    list.check(JsonNode::Array, "an array of normalizers");
    auto all = std::make_unique<All>();
    for (size_t k = 0; k < list.size(); k++) {
        all->each.push_back(read_normalizer(list.item(k)));
        if (!all->each.back()) list.item(k).fail_kind("an object as a normalizer");
    }
    return all;
}

std::unique_ptr<Normalizer> read_bert(const JsonValue &json)
{
    auto bert = std::make_unique<Bert>();
    bert->clean = json.get("clean_text").flag("true or false as clean_text", true);
    bert->chinese =
        json.get("handle_chinese_chars").flag("true or false as handle_chinese_chars", true);
    bert->lower = json.get("lowercase").flag("true or false as lowercase", true);
    bert->accents =
        json.get("strip_accents").flag("true, false or null as strip_accents", bert->lower);
    return bert;
}

}  // namespace

std::unique_ptr<Normalizer> lowercase_normalizer() { return std::make_unique<Lowercase>(); }

std::unique_ptr<Normalizer> bert_normalizer(bool lower, bool accents)
{
    auto bert = std::make_unique<Bert>();
    bert->lower = lower;
    bert->accents = accents;
    return bert;
}

std::unique_ptr<Normalizer> read_normalizer(const JsonValue &json)
{
    if (!json.exists()) return nullptr;
    std::string_view type = json.at("type").text("the type of a normalizer");
    if (type == "Sequence") return read_all(json.at("normalizers"));
    if (type == "NFC") return std::make_unique<NormalForm>(false, true);
    if (type == "NFD") return std::make_unique<NormalForm>(false, false);
    if (type == "NFKC") return std::make_unique<NormalForm>(true, true);
    if (type == "NFKD") return std::make_unique<NormalForm>(true, false);
    if (type == "Lowercase") return std::make_unique<Lowercase>();
    if (type == "StripAccents") return std::make_unique<StripAccents>();
    if (type == "BertNormalizer") return read_bert(json);
    if (type == "Nmt") return std::make_unique<Nmt>();
    if (type == "ByteLevel") return std::make_unique<Bytes>();
    if (type == "Precompiled") return precompiled_normalizer(json);
    if (type == "Strip")
        return std::make_unique<Strip>(
            json.get("strip_left").flag("true or false as strip_left", true),
            json.get("strip_right").flag("true or false as strip_right", true));
    if (type == "Prepend")
        return std::make_unique<Prepend>(std::string(json.at("prepend").text("a text as prepend")));
    if (type == "Replace")
        return std::make_unique<Replace>(Pattern(json.at("pattern")),
                                         std::string(json.at("content").text("a text as content")));
    json.at("type").fail(
        "unknown type of normalizer " + in_marks(type),
        "known types: NFC, NFD, NFKC, NFKD, Nmt, Lowercase, StripAccents, Strip, Prepend, "
        "Replace, BertNormalizer, ByteLevel, Precompiled and Sequence");
}

}  // namespace ct
