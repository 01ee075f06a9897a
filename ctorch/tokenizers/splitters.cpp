// splitters.cpp - cutting a text into words ("pre_tokenizer" in files).

#include "text/failure.h"
#include "tokenizers/models.h"
#include "text/regex.h"
#include "tokenizers/stages.h"
#include "text/text.h"

#include <algorithm>

namespace ct {

namespace {

constexpr const char *GPT2 =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

using Predicate = bool (*)(char32_t);

// Each character for which `matches` holds is a match.
void split_at(Document &document, Behavior behavior, const std::function<bool(char32_t)> &matches)
{
    split(document, behavior, [&](std::string_view text, std::vector<Part> &parts) {
        PartsBuilder builder(parts, false);
        Polls polls;
        for (size_t at = 0; at < text.size(); polls.step()) {
            size_t start = at;
            if (matches(next_character(text, at))) builder.match(start, at);
        }
        builder.finish(text.size());
    });
}

// Replaces bytes by letters that can be printed.  The text itself changes only if another splitter
// follows, which would see the letters; models know how to read bytes.
struct Bytes : Splitter {
    std::unique_ptr<Regex> pattern;
    bool prefix_space = false, is_last = true;

    void apply(Document &document) const override
    {
        if (prefix_space && needs_space(document))
            document.rebuild([](Aligned &text) {
                if (!text.text.empty() && text.text[0] != ' ') text.prepend(" ");
            });
        if (pattern)
            split(document, Behavior::ISOLATED,
                  [&](std::string_view text, std::vector<Part> &parts) {
                      PartsBuilder builder(parts, false);
                      pattern->each(text,
                                    [&](size_t start, size_t end) { builder.match(start, end); });
                      builder.finish(text.size());
                  });
        if (is_last) document.as_bytes = true;
        else document.rebuild([](Aligned &text) { text.to_letters(); });
    }

    static bool needs_space(const Document &document)
    {
        return std::any_of(document.pieces.begin(), document.pieces.end(), [&](const Piece &piece) {
            return piece.id < 0 && piece.start < piece.end && document.text[piece.start] != ' ';
        });
    }
};

struct Metaspace : Splitter {
    enum class Scheme { ALWAYS, FIRST, NEVER };
    std::string letter;
    Scheme scheme = Scheme::ALWAYS;
    bool cuts = true;

    bool needs_origins() const override { return scheme == Scheme::FIRST; }

    void apply(Document &document) const override
    {
        document.rebuild([&](Aligned &text) { change(text); });
        if (!cuts) return;
        split(document, Behavior::WITH_NEXT, [&](std::string_view text, std::vector<Part> &parts) {
            PartsBuilder builder(parts, false);
            for (size_t at = 0; (at = text.find(letter, at)) != std::string_view::npos;
                 at += letter.size())
                builder.match(at, at + letter.size());
            builder.finish(text.size());
        });
    }

    void change(Aligned &text) const
    {
        Aligned made;
        made.tracked = text.tracked;
        made.base = text.base;
        for (size_t k = 0; k < text.text.size(); k++)
            made.add(text.text[k] == ' ' ? std::string_view(letter)
                                         : std::string_view(text.text).substr(k, 1),
                     text.tracked ? text.from[k] : Span{});
        bool begins = scheme == Scheme::ALWAYS || (scheme == Scheme::FIRST && text.base == 0);
        if (begins && made.text.compare(0, letter.size(), letter) != 0) made.prepend(letter);
        text = std::move(made);
    }
};

struct Cut : Splitter {
    Cut(Pattern &&pattern, Behavior behavior, bool inverted)
        : pattern(std::move(pattern)), behavior(behavior), inverted(inverted)
    {
    }
    void apply(Document &document) const override
    {
        split(document, behavior, [&](std::string_view text, std::vector<Part> &parts) {
            pattern.parts(text, parts, inverted);
        });
    }
    Pattern pattern;
    Behavior behavior;
    bool inverted;
};

struct AtCharacters : Splitter {
    AtCharacters(Behavior behavior, std::function<bool(char32_t)> matches)
        : behavior(behavior), matches(std::move(matches))
    {
    }
    void apply(Document &document) const override { split_at(document, behavior, matches); }
    Behavior behavior;
    std::function<bool(char32_t)> matches;
};

// Words, and what is neither a word nor white.
struct Words : Splitter {
    void apply(Document &document) const override
    {
        split(document, Behavior::REMOVED, [](std::string_view text, std::vector<Part> &parts) {
            enum { WHITE, WORD, OTHER } kind = WHITE, before = WHITE;
            size_t start = 0;
            auto end = [&](size_t at) {
                if (at > start)
                    parts.push_back(
                        {static_cast<uint32_t>(start), static_cast<uint32_t>(at), before == WHITE});
                start = at;
            };
            for (size_t at = 0; at < text.size();) {
                size_t first = at;
                char32_t code = next_character(text, at);
                kind = is_word_character(code) ? WORD : is_white(code) ? WHITE : OTHER;
                if (kind != before) end(first);
                before = kind;
            }
            end(text.size());
        });
    }
};

struct Bert : Splitter {
    void apply(Document &document) const override
    {
        split_at(document, Behavior::REMOVED, is_white);
        split_at(document, Behavior::ISOLATED, is_punctuation);
    }
};

struct FixedLength : Splitter {
    explicit FixedLength(size_t length) : length(length) {}
    void apply(Document &document) const override
    {
        split(document, Behavior::ISOLATED, [&](std::string_view text, std::vector<Part> &parts) {
            for (size_t at = 0; at < text.size();) {
                size_t start = at;
                for (size_t k = 0; k < length && at < text.size(); k++)
                    at += character_length(text[at]);
                parts.push_back({static_cast<uint32_t>(start), static_cast<uint32_t>(at), false});
            }
        });
    }
    size_t length;
};

struct All : Splitter {
    std::vector<std::unique_ptr<Splitter>> each;
    void apply(Document &document) const override
    {
        for (const auto &one : each) one->apply(document);
    }
    bool needs_origins() const override
    {
        return std::any_of(each.begin(), each.end(),
                           [](auto &one) { return one->needs_origins(); });
    }
};

Behavior read_behavior(const JsonValue &json)
{
    if (!json.exists()) return Behavior::ISOLATED;
    std::string_view name = json.text("the behavior of a split");
    if (name == "Removed") return Behavior::REMOVED;
    if (name == "Isolated") return Behavior::ISOLATED;
    if (name == "MergedWithPrevious") return Behavior::WITH_PREVIOUS;
    if (name == "MergedWithNext") return Behavior::WITH_NEXT;
    if (name == "Contiguous") return Behavior::CONTIGUOUS;
    json.fail("unknown behavior " + in_marks(name),
              "known: Removed, Isolated, MergedWithPrevious, MergedWithNext and Contiguous");
}

std::unique_ptr<Splitter> read_bytes(const JsonValue &json)
{
    auto bytes = std::make_unique<Bytes>();
    bytes->prefix_space =
        json.get("add_prefix_space").flag("true or false as add_prefix_space", true);
    if (json.get("use_regex").flag("true or false as use_regex", true))
        bytes->pattern = std::make_unique<Regex>(GPT2);
    return bytes;
}

std::unique_ptr<Splitter> read_metaspace(const JsonValue &json)
{
    auto made = std::make_unique<Metaspace>();
    add_character(made->letter,
                  json.at("replacement").character("one character as the replacement"));
    made->cuts = json.get("split").flag("true or false as split", true);
    JsonValue scheme = json.get("prepend_scheme");
    if (!json.get("add_prefix_space").flag("true or false as add_prefix_space", true))
        made->scheme = Metaspace::Scheme::NEVER;
    if (!scheme.exists()) return made;
    std::string_view name = scheme.text("a prepend_scheme");
    if (name == "always") made->scheme = Metaspace::Scheme::ALWAYS;
    else if (name == "first") made->scheme = Metaspace::Scheme::FIRST;
    else if (name == "never") made->scheme = Metaspace::Scheme::NEVER;
    else scheme.fail("unknown prepend_scheme " + in_marks(name), "known: always, first and never");
    return made;
}

std::unique_ptr<Splitter> read_all(const JsonValue &list)
{
    list.check(JsonNode::Array, "an array of pre_tokenizers");
    auto all = std::make_unique<All>();
    for (size_t k = 0; k < list.size(); k++) {
        all->each.push_back(read_splitter(list.item(k)));
        if (!all->each.back()) list.item(k).fail_kind("an object as a pre_tokenizer");
        if (auto *bytes = dynamic_cast<Bytes *>(all->each.back().get()))
            bytes->is_last = k + 1 == list.size();
    }
    return all;
}

}  // namespace

std::unique_ptr<Splitter> bert_splitter() { return std::make_unique<Bert>(); }
std::unique_ptr<Splitter> word_splitter() { return std::make_unique<Words>(); }

std::unique_ptr<Splitter> byte_splitter(const std::string &pattern, bool prefix_space)
{
    auto bytes = std::make_unique<Bytes>();
    bytes->prefix_space = prefix_space;
    bytes->pattern = std::make_unique<Regex>(pattern.empty() ? GPT2 : pattern.c_str());
    return bytes;
}

std::unique_ptr<Splitter> read_splitter(const JsonValue &json)
{
    if (!json.exists()) return nullptr;
    std::string_view type = json.at("type").text("the type of a pre_tokenizer");
    if (type == "Sequence") return read_all(json.at("pretokenizers"));
    if (type == "ByteLevel") return read_bytes(json);
    if (type == "Metaspace") return read_metaspace(json);
    if (type == "BertPreTokenizer") return bert_splitter();
    if (type == "Whitespace") return word_splitter();
    if (type == "WhitespaceSplit")
        return std::make_unique<AtCharacters>(Behavior::REMOVED, is_white);
    if (type == "Split")
        return std::make_unique<Cut>(Pattern(json.at("pattern")),
                                     read_behavior(json.at("behavior")),
                                     json.get("invert").flag("true or false as invert", false));
    if (type == "Punctuation")
        return std::make_unique<AtCharacters>(read_behavior(json.get("behavior")), is_punctuation);
    if (type == "Digits") {
        bool each = json.get("individual_digits").flag("true or false as individual_digits", false);
        return std::make_unique<AtCharacters>(each ? Behavior::ISOLATED : Behavior::CONTIGUOUS,
                                              is_numeric);
    }
    if (type == "CharDelimiterSplit") {
        char32_t delimiter = json.at("delimiter").character("one character as the delimiter");
        return std::make_unique<AtCharacters>(Behavior::REMOVED,
                                              [delimiter](char32_t c) { return c == delimiter; });
    }
    if (type == "FixedLength")
        return std::make_unique<FixedLength>(static_cast<size_t>(
            std::max<int64_t>(1, json.at("length").natural("a length", LARGEST_ID))));
    json.at("type").fail(
        "unknown type of pre_tokenizer " + in_marks(type),
        "known types: ByteLevel, Split, Metaspace, Whitespace, WhitespaceSplit, Digits, "
        "Punctuation, BertPreTokenizer, CharDelimiterSplit, FixedLength and Sequence");
}

}  // namespace ct
