// pipeline.cpp - text to tokens and back, step by step.

#include "tokenizers/pipeline.h"
#include "errors/interrupts.h"
#include "text/failure.h"
#include "text/text.h"

#include <algorithm>

namespace ct {

namespace {

constexpr char32_t SPACE_LETTER = 0x120;   // of GPT-2's alphabet

AddedToken read_added(const JsonValue &json)
{
    AddedToken token;
    token.content = json.at("content").text("a text as the content of an added token");
    token.id = json.at("id").natural("the id of an added token", LARGEST_ID);
    token.special = json.get("special").flag("true or false as special", false);
    token.single_word = json.get("single_word").flag("true or false as single_word", false);
    token.left = json.get("lstrip").flag("true or false as lstrip", false);
    token.right = json.get("rstrip").flag("true or false as rstrip", false);
    token.normalized = json.get("normalized").flag("true or false as normalized", !token.special);
    return token;
}

}  // namespace

std::unique_ptr<Pipeline> Pipeline::read(std::string_view text, const std::string &name,
                                         ModelParts *parts)
{
    JsonTree tree(text, name);
    JsonValue json = tree.root();
    json.check(JsonNode::Object, "an object as the tokenizer");
    auto made = std::make_unique<Pipeline>();
    made->normalizer = read_normalizer(json.get("normalizer"));
    made->splitter = read_splitter(json.get("pre_tokenizer"));
    made->decoder = read_decoder(json.get("decoder"));
    made->framing = read_framing(json.get("post_processor"));
    made->model = read_model(json.at("model"), parts);
    if (parts) return made;
    JsonValue added = json.get("added_tokens");
    if (added.exists()) added.check(JsonNode::Array, "an array as added_tokens");
    for (size_t k = 0; added.exists() && k < added.size(); k++) {
        AddedToken token = read_added(added.item(k));
        if (!made->added.add(token, made->model->vocabulary))
            added.item(k).fail("the added token " + in_marks(token.content) +
                               " has the id of another token, " + std::to_string(token.id));
    }
    made->prepare();
    return made;
}

void Pipeline::prepare()
{
    added.prepare(normalizer.get());
    for (auto *specials : {&framing.before, &framing.after})
        for (const Framing::Special &special : *specials)
            if (static_cast<size_t>(special.id) >= size())
                fail_tokenizer("the special token " + in_marks(special.token) + " has the id " +
                               std::to_string(special.id) + ", beyond a vocabulary of " +
                               std::to_string(size()));
    for (const PairPart &part : framing.pair)
        if (part.id >= static_cast<int64_t>(size()))
            fail_tokenizer("the template of pairs has the id " + std::to_string(part.id) +
                           ", beyond a vocabulary of " + std::to_string(size()));
}

std::vector<Pipeline::Token> Pipeline::tokens(std::string_view text, bool parse_special,
                                              bool offsets) const
{
    std::lock_guard<std::mutex> guard(lock_);
    Document document(text, offsets || (splitter && splitter->needs_origins()));
    if (added.any(false)) added.find(document, false, parse_special);
    bool changes =
        normalizer && std::any_of(document.pieces.begin(), document.pieces.end(), [&](auto &piece) {
            return piece.id < 0 && !normalizer->keeps(document.piece(piece));
        });
    if (changes)
        document.rebuild([&](Aligned &part) {
            if (!normalizer->keeps(part.text)) normalizer->apply(part);
        });
    if (added.any(true)) added.find(document, true, parse_special);
    if (splitter) splitter->apply(document);
    std::vector<Token> made;
    std::vector<WordToken> word;
    Polls polls;
    for (const Piece &piece : document.pieces) {
        polls.step();
        word.clear();
        if (piece.id >= 0) word.push_back({piece.id, 0, piece.end - piece.start});
        else if (piece.start < piece.end)
            model->encode(document.piece(piece), document.as_bytes, word);
        for (const WordToken &token : word) {
            Span span = offsets
                            ? document.origin(piece.start + token.start, piece.start + token.end)
                            : Span{};
            made.push_back({token.id, span.start, span.end});
            if (offsets && framing.trims)
                trim(made.back(), made.size() == 1, piece.id >= 0 ? document.piece(piece) : "",
                     text);
        }
    }
    return made;
}

// Spaces at the ends of a token are not part of its word.  found: what an added token was in the
// text.
void Pipeline::trim(Token &token, bool first, std::string_view found, std::string_view text) const
{
    std::string name(found);
    auto is_space = [](char32_t c) { return c == SPACE_LETTER || is_white(c); };
    if (found.empty()) token_of(token.id, &name);
    size_t leading = 0, trailing = 0;
    for (size_t at = 0; at < name.size() && is_space(next_character(name, at));) leading++;
    for (size_t at = name.size(); at > 0 && is_space(previous_character(name, at));) trailing++;
    if ((first || token.start == 0) && framing.prefix_space && leading == 1) leading = 0;
    for (; leading > 0 && token.start < token.end; leading--)
        token.start += character_length(text[token.start]);
    if (trailing <= token.end)
        for (; trailing > 0 && token.end > token.start; trailing--)
            previous_character(text, token.end);
}

size_t Pipeline::size() const { return std::max(model->vocabulary.size(), added.size()); }

int64_t Pipeline::id_of(std::string_view token) const
{
    int64_t id = added.id_of(token);
    return id >= 0 ? id : model->vocabulary.id_of(token);
}

bool Pipeline::token_of(int64_t id, std::string *token) const
{
    if (const AddedToken *found = added.at(id)) return token->assign(found->shown), true;
    const std::string_view *found = model->vocabulary.token_of(id);
    return found ? (token->assign(*found), true) : (token->clear(), false);
}

bool Pipeline::is_special(int64_t id) const
{
    const AddedToken *found = added.at(id);
    return found && added.is_special(found->content);
}

std::string Pipeline::decode(const std::vector<int64_t> &ids, bool skip_special) const
{
    std::lock_guard<std::mutex> guard(lock_);
    std::vector<std::string> texts;
    std::string token;
    for (int64_t id : ids)
        if (token_of(id, &token) && !(skip_special && is_special(id))) texts.push_back(token);
    size_t size = 0;
    for (const std::string &text : texts) size += text.size();
    if (decoder) decoder->apply(texts, most_bytes(size));
    std::string text;
    for (size_t k = 0; k < texts.size(); k++) {
        if (k > 0 && !decoder) text += ' ';
        text += texts[k];
    }
    return text;
}

// What a token adds behind itself: decoders treat the first token of a text in their own ways.
std::string Pipeline::bytes_of(int64_t id) const
{
    std::string token;
    if (is_special(id) || !token_of(id, &token)) return "";
    int byte = byte_named(token);
    if (byte >= 0 && model->vocabulary.id_of(byte_token(0)) >= 0)
        return std::string(1, static_cast<char>(byte));
    if (decoder && decoder->joins_bytes()) {
        std::string bytes;
        for (char32_t letter : characters_of(token)) {
            if (byte_of_letter(letter) < 0) return token;
            bytes += static_cast<char>(byte_of_letter(letter));
        }
        return bytes;
    }
    std::string one = decode({id}, false), two = decode({id, id}, false);
    return two.size() >= one.size() ? two.substr(one.size()) : "";
}

}  // namespace ct
