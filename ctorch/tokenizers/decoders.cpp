// decoders.cpp - putting the texts of tokens together.

#include "text/failure.h"
#include "tokenizers/models.h"
#include "tokenizers/stages.h"
#include "text/byte_letters.h"
#include "text/text.h"

#include <algorithm>

namespace ct {

namespace {

using Texts = std::vector<std::string>;

std::string replaced(std::string text, std::string_view from, std::string_view to)
{
    size_t at = from.empty() ? std::string::npos : text.find(from);
    if (at == std::string::npos) return text;
    std::string made;
    size_t copied = 0;
    for (; at != std::string::npos; at = text.find(from, copied)) {
        made.append(text, copied, at - copied);
        made += to;
        copied = at + from.size();
    }
    return made.append(text, copied, std::string::npos);
}

// The spaces before marks and English endings.
std::string tidy(std::string text)
{
    static constexpr std::pair<const char *, const char *> RULES[] = {
        {" .", "."}, {" ?", "?"}, {" !", "!"}, {" ,", ","}, {" ' ", "'"}, {" n't", "n't"},
        {" 'm", "'m"}, {" do not", " don't"}, {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"},
    };
    for (auto [from, to] : RULES) text = replaced(std::move(text), from, to);
    return text;
}

struct Bytes : Decoder {
    bool joins_bytes() const override { return true; }
    void apply(Texts &texts, size_t) const override
    {
        std::string bytes;
        for (const std::string &text : texts) add(text, bytes);
        texts.assign(1, lossy_text(bytes));
    }
    static void add(const std::string &text, std::string &bytes)
    {
        std::string made;
        for (char32_t letter : characters_of(text)) {
            int byte = byte_of_letter(letter);
            if (byte < 0) {
                bytes += text;
                return;
            }
            made += static_cast<char>(byte);
        }
        bytes += made;
    }
};

struct WordPiece : Decoder {
    std::string prefix = "##";
    bool tidies = true;
    void apply(Texts &texts, size_t) const override
    {
        for (size_t k = 0; k < texts.size(); k++) {
            bool continues = texts[k].compare(0, prefix.size(), prefix) == 0;
            if (k > 0 && continues) texts[k].erase(0, prefix.size());
            else if (k > 0) texts[k].insert(0, " ");
            if (tidies) texts[k] = tidy(std::move(texts[k]));
        }
    }
};

struct Metaspace : Decoder {
    std::string letter;
    bool drops_first = true;
    void apply(Texts &texts, size_t) const override
    {
        for (size_t k = 0; k < texts.size(); k++)
            texts[k] = replaced(std::move(texts[k]), letter, k == 0 && drops_first ? "" : " ");
    }
};

struct ByteFallback : Decoder {
    void apply(Texts &texts, size_t) const override
    {
        Texts made;
        std::string bytes;
        auto flush = [&] {
            size_t bad;
            if (is_utf8(bytes, &bad)) {
                if (!bytes.empty()) made.push_back(bytes);
            } else {
                for (size_t k = 0; k < bytes.size(); k++) made.emplace_back("\xEF\xBF\xBD");
            }
            bytes.clear();
        };
        for (std::string &text : texts) {
            int byte = byte_named(text);
            if (byte >= 0) {
                bytes += static_cast<char>(byte);
                continue;
            }
            flush();
            made.push_back(std::move(text));
        }
        flush();
        texts = std::move(made);
    }
};

struct Fuse : Decoder {
    void apply(Texts &texts, size_t) const override
    {
        std::string all;
        for (const std::string &text : texts) all += text;
        texts.assign(1, all);
    }
};

struct Strip : Decoder {
    std::string content;
    size_t start = 0, stop = 0;
    void apply(Texts &texts, size_t) const override
    {
        for (std::string &text : texts) {
            size_t removed = 0;
            for (size_t k = 0;
                 k < start && text.compare(removed, content.size(), content) == 0; k++)
                removed += content.size();
            text.erase(0, removed);
            for (size_t k = 0;
                 k < stop && text.size() >= content.size() &&
                 text.compare(text.size() - content.size(), content.size(), content) == 0;
                 k++)
                text.resize(text.size() - content.size());
        }
    }
};

struct Replace : Decoder {
    Replace(Pattern &&searched, std::string content)
        : searched(std::move(searched)), content(std::move(content))
    {
    }
    void apply(Texts &texts, size_t most) const override
    {
        size_t size = 0;   // of all that has been made
        for (std::string &text : texts) {
            std::string made;
            size_t at = 0;
            searched.each(text, [&](size_t start, size_t end) {
                made.append(text, at, start - at);
                if (size + made.size() + content.size() > most)
                    fail_tokenizer("the rules of the decoder make more than " +
                                   std::to_string(most) + " bytes of the tokens");
                made += content;
                at = end;
            });
            size += made.size();
            made.append(text, at, std::string::npos);
            text = std::move(made);
        }
    }
    Pattern searched;
    std::string content;
};

// A suffix marks the ends of words.
struct Bpe : Decoder {
    std::string suffix = "</w>";
    void apply(Texts &texts, size_t) const override
    {
        for (size_t k = 0; k < texts.size(); k++)
            texts[k] = replaced(std::move(texts[k]), suffix, k + 1 == texts.size() ? "" : " ");
    }
};

// Repetitions are one token; pauses separate them.
struct Ctc : Decoder {
    std::string pause = "<pad>", delimiter = "|";
    bool tidies = true;
    void apply(Texts &texts, size_t) const override
    {
        texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
        Texts made;
        for (std::string &text : texts) {
            std::string word = replaced(std::move(text), pause, "");
            if (tidies) word = replaced(tidy(std::move(word)), delimiter, " ");
            if (!word.empty()) made.push_back(std::move(word));
        }
        texts = std::move(made);
    }
};

struct All : Decoder {
    std::vector<std::unique_ptr<Decoder>> each;
    bool joins_bytes() const override { return each.size() == 1 && each[0]->joins_bytes(); }
    void apply(Texts &texts, size_t most) const override
    {
        for (const auto &one : each) one->apply(texts, most);
    }
};

std::unique_ptr<Decoder> read_all(const JsonValue &list)
{
    list.check(JsonNode::Array, "an array of decoders");
    auto all = std::make_unique<All>();
    for (size_t k = 0; k < list.size(); k++) {
        all->each.push_back(read_decoder(list.item(k)));
        if (!all->each.back()) list.item(k).fail_kind("an object as a decoder");
    }
    return all;
}

std::unique_ptr<Decoder> read_metaspace(const JsonValue &json)
{
    auto made = std::make_unique<Metaspace>();
    add_character(made->letter,
                  json.at("replacement").character("one character as the replacement"));
    made->drops_first =
        json.get("add_prefix_space").flag("true or false as add_prefix_space", true);
    JsonValue scheme = json.get("prepend_scheme");
    if (scheme.exists()) made->drops_first = scheme.text("a prepend_scheme") != "never";
    return made;
}

std::unique_ptr<Decoder> read_strip(const JsonValue &json)
{
    auto made = std::make_unique<Strip>();
    add_character(made->content, json.at("content").character("one character as content"));
    made->start =
        static_cast<size_t>(json.at("start").natural("a number of characters", LARGEST_ID));
    made->stop = static_cast<size_t>(json.at("stop").natural("a number of characters", LARGEST_ID));
    return made;
}

std::unique_ptr<Decoder> read_ctc(const JsonValue &json)
{
    auto made = std::make_unique<Ctc>();
    made->pause = json.get("pad_token").text_or("a token as pad_token", made->pause);
    made->delimiter = json.get("word_delimiter_token")
                          .text_or("a token as word_delimiter_token", made->delimiter);
    made->tidies = json.get("cleanup").flag("true or false as cleanup", true);
    return made;
}

}  // namespace

// One U+FFFD for each longest part of a character that has no end.
std::string lossy_text(std::string_view bytes)
{
    std::string made;
    size_t bad;
    while (!is_utf8(bytes, &bad)) {
        made += bytes.substr(0, bad);
        made += "\xEF\xBF\xBD";
        bytes.remove_prefix(bad);
        size_t length = 1;
        // A beginning of a character goes with what continues it, if that could still be valid.
        auto first = static_cast<unsigned char>(bytes[0]);
        size_t wanted = first >= 0xC2 && first < 0xF5 ? character_length(bytes[0]) : 1;
        while (length < wanted && length < bytes.size() && is_inside_character(bytes[length])) {
            auto second = static_cast<unsigned char>(bytes[1]);
            if (length == 1 &&
                ((first == 0xE0 && second < 0xA0) || (first == 0xED && second >= 0xA0) ||
                 (first == 0xF0 && second < 0x90) || (first == 0xF4 && second >= 0x90)))
                break;
            length++;
        }
        bytes.remove_prefix(length);
    }
    return made += bytes;
}

std::unique_ptr<Decoder> byte_decoder() { return std::make_unique<Bytes>(); }
std::unique_ptr<Decoder> word_piece_decoder() { return std::make_unique<WordPiece>(); }

std::unique_ptr<Decoder> read_decoder(const JsonValue &json)
{
    if (!json.exists()) return nullptr;
    std::string_view type = json.at("type").text("the type of a decoder");
    if (type == "Sequence") return read_all(json.at("decoders"));
    if (type == "ByteLevel") return byte_decoder();
    if (type == "ByteFallback") return std::make_unique<ByteFallback>();
    if (type == "Fuse") return std::make_unique<Fuse>();
    if (type == "Metaspace") return read_metaspace(json);
    if (type == "Strip") return read_strip(json);
    if (type == "CTC") return read_ctc(json);
    if (type == "WordPiece") {
        auto made = std::make_unique<WordPiece>();
        made->prefix = json.get("prefix").text_or("a text as prefix", made->prefix);
        made->tidies = json.get("cleanup").flag("true or false as cleanup", true);
        return made;
    }
    if (type == "BPEDecoder") {
        auto made = std::make_unique<Bpe>();
        made->suffix = json.get("suffix").text_or("a text as suffix", made->suffix);
        return made;
    }
    if (type == "Replace")
        return std::make_unique<Replace>(Pattern(json.at("pattern")),
                                         std::string(json.at("content").text("a text as content")));
    json.at("type").fail(
        "unknown type of decoder " + in_marks(type),
        "known types: ByteLevel, ByteFallback, Fuse, Metaspace, WordPiece, BPEDecoder, "
        "Replace, Strip, CTC and Sequence");
}

}  // namespace ct
