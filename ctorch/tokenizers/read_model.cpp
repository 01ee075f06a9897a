// read_model.cpp - the "model" of a tokenizer.json: its type, its vocabulary and its settings.

#include "errors/interrupts.h"
#include "text/failure.h"
#include "tokenizers/models.h"
#include "text/text.h"

namespace ct {

namespace {

constexpr int64_t MOST_CHARACTERS = 1000000;   // of a word that is still looked up

// ["a b", ...] or [["a", "b"], ...]
std::vector<Merge> read_merges(const JsonValue &json)
{
    json.check(JsonNode::Array, "an array as the merges");
    std::vector<Merge> merges;
    merges.reserve(json.size());
    Polls polls;
    for (size_t k = 0; k < json.size(); k++) {
        polls.step();
        JsonValue merge = json.item(k);
        if (merge.is(JsonNode::Array)) {
            if (merge.size() != 2)
                merge.fail("expected a merge of two tokens, got " + std::to_string(merge.size()));
            merges.emplace_back(merge.item(0).text("a token"), merge.item(1).text("a token"));
            continue;
        }
        std::string_view text = merge.text("a merge, two tokens");
        size_t space = text.find(' ');
        if (space == std::string_view::npos || text.find(' ', space + 1) != std::string_view::npos)
            merge.fail("expected a merge of two tokens with a space between them, got " +
                       in_marks(text));
        merges.emplace_back(text.substr(0, space), text.substr(space + 1));
    }
    return merges;
}

std::unique_ptr<TokenModel> read_bpe(const JsonValue &json, ModelParts *given)
{
    BpeSettings settings;
    JsonValue dropout = json.get("dropout");
    if (dropout.exists() && dropout.real("a dropout") != 0)
        dropout.fail("this tokenizer drops merges at random, which is only for training",
                     "set \"dropout\" to null in the file");
    settings.has_unknown = json.get("unk_token").exists();
    settings.unknown = json.get("unk_token").text_or("a token as unk_token", "");
    settings.prefix =
        json.get("continuing_subword_prefix").text_or("a text as continuing_subword_prefix", "");
    settings.suffix = json.get("end_of_word_suffix").text_or("a text as end_of_word_suffix", "");
    settings.fuse_unknown = json.get("fuse_unk").flag("true or false as fuse_unk", false);
    settings.byte_fallback =
        json.get("byte_fallback").flag("true or false as byte_fallback", false);
    settings.ignore_merges =
        json.get("ignore_merges").flag("true or false as ignore_merges", false);
    if (given) return bpe_model(std::move(*given), settings);
    ModelParts parts;
    parts.vocabulary = read_vocabulary(json.at("vocab"));
    parts.merges = read_merges(json.at("merges"));
    return bpe_model(std::move(parts), settings);
}

// [["the", -2.5], ...]: ids are positions.
std::unique_ptr<TokenModel> read_unigram(const JsonValue &json)
{
    JsonValue pieces = json.at("vocab");
    pieces.check(JsonNode::Array, "an array as the vocabulary");
    if (pieces.size() == 0) pieces.fail("the vocabulary is empty");
    if (pieces.size() > LARGEST_ID) pieces.fail("the vocabulary has too many tokens");
    Vocabulary vocabulary;
    std::vector<double> scores;
    vocabulary.reserve(pieces.size());
    scores.resize(pieces.size());
    // The trainer writes special tokens that it has also found in texts: the last one counts.
    Polls polls;
    for (size_t k = pieces.size(); k-- > 0;) {
        polls.step();
        JsonValue piece = pieces.item(k);
        piece.check(JsonNode::Array, "an array of a token and its score");
        if (piece.size() != 2) piece.fail("expected a token and its score");
        std::string_view token = piece.item(0).text("a token");
        if (!vocabulary.add(token, static_cast<int64_t>(k)))
            vocabulary.add_again(token, static_cast<int64_t>(k));
        scores[k] = piece.item(1).real("the score of a token");
    }
    JsonValue unknown = json.get("unk_id");
    int64_t id = unknown.exists() ? unknown.natural("the id of a token as unk_id",
                                                    static_cast<int64_t>(scores.size()) - 1)
                                  : -1;
    return unigram_model(std::move(vocabulary), std::move(scores), id,
                         json.get("byte_fallback").flag("true or false as byte_fallback", false));
}

// Old files do not name the type.
std::string type_of(const JsonValue &json)
{
    JsonValue type = json.get("type");
    if (type.exists()) return std::string(type.text("the type of a model"));
    if (json.get("merges").exists()) return "BPE";
    if (json.at("vocab").is(JsonNode::Array)) return "Unigram";
    return json.get("continuing_subword_prefix").exists() ? "WordPiece" : "WordLevel";
}

}  // namespace

void ModelParts::add_tokens(const std::vector<std::string_view> &tokens)
{
    if (tokens.size() > LARGEST_ID) fail_tokenizer("the vocabulary has too many tokens");
    vocabulary.reserve(tokens.size());
    Polls polls;
    for (size_t id = tokens.size(); id-- > 0; polls.step())
        if (!vocabulary.add(tokens[id], static_cast<int64_t>(id)))
            vocabulary.add_again(tokens[id], static_cast<int64_t>(id));
}

Vocabulary read_vocabulary(const JsonValue &json)
{
    json.check(JsonNode::Object, "an object as the vocabulary");
    Vocabulary vocabulary;
    vocabulary.reserve(json.size());
    Polls polls;
    for (size_t k = 0; k < json.size(); k++) {
        polls.step();
        int64_t id = json.value(k).natural("the id of a token", LARGEST_ID);
        if (vocabulary.add(json.key(k), id)) continue;
        if (vocabulary.id_of(json.key(k)) >= 0)
            json.value(k).fail("the token " + in_marks(json.key(k)) +
                               " occurs twice in the vocabulary");
        json.value(k).fail("the tokens " + in_marks(*vocabulary.token_of(id)) + " and " +
                           in_marks(json.key(k)) + " have the same id, " + std::to_string(id));
    }
    return vocabulary;
}

std::unique_ptr<TokenModel> read_model(const JsonValue &json, ModelParts *parts)
{
    json.check(JsonNode::Object, "an object as the model");
    std::string type = type_of(json);
    if (type == "BPE") return read_bpe(json, parts);
    if (type == "Unigram") return read_unigram(json);
    std::string unknown = json.get("unk_token").text_or("a token as unk_token", "[UNK]");
    auto vocabulary = [&] {
        return parts ? std::move(parts->vocabulary) : read_vocabulary(json.at("vocab"));
    };
    if (type == "WordLevel") return word_level_model(vocabulary(), unknown);
    if (type == "WordPiece") {
        JsonValue most = json.get("max_input_chars_per_word");
        return word_piece_model(vocabulary(), unknown,
                                json.get("continuing_subword_prefix")
                                    .text_or("a text as continuing_subword_prefix", "##"),
                                most.exists() ? static_cast<size_t>(most.natural(
                                                    "a number of characters", MOST_CHARACTERS))
                                              : 100);
    }
    json.get("type").fail("unknown type of model " + in_marks(type),
                          "known types: BPE, WordPiece, WordLevel and Unigram");
}

}  // namespace ct
