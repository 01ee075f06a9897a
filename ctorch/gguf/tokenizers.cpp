// tokenizers.cpp - the vocabulary of a GGUF file as a tokenizer.
//
// A vocabulary has up to hundreds of thousands of tokens, so it goes from the file to the tokenizer
// without becoming a list of Lisp.

#include "gguf/reader.h"
#include "tokenizers/huggingface.h"
#include "text/text.h"

#include <unordered_set>

namespace {

using namespace ct;
using namespace ct::gguf_types;

constexpr std::string_view SPACE = "\u2581";  // begins words
enum Kind : int64_t { NORMAL = 1, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE };

// Calls body(reader, type of elements, their count) for an array; false if there is none.
template <class Body>
bool with_array(const Gguf &gguf, const std::string &name, Body body)
{
    std::string key = "tokenizer.ggml." + name;
    auto found = gguf.keys.find(key);
    if (found == gguf.keys.end()) return false;
    const GgufValue &value = gguf.metadata[found->second].second;
    if (value.type != ARRAY)
        fail_at(gguf.file->path, value.at, in_quotes(key) + " is not an array");
    GgufReader reader(*gguf.file, value.at);
    uint32_t type = reader.type();
    body(reader, type, reader.number<uint64_t>("elements of an array"));
    return true;
}

std::vector<std::string_view> strings_of(const Gguf &gguf, const std::string &name)
{
    std::vector<std::string_view> strings;
    bool has = with_array(gguf, name, [&](GgufReader &reader, uint32_t type, uint64_t count) {
        if (type != STRING)
            fail_at(gguf.file->path, reader.at(),
                    in_quotes("tokenizer.ggml." + name) + " must hold strings");
        strings.reserve(count);
        for (uint64_t k = 0; k < count; k++) {
            uint64_t start = reader.at();
            strings.push_back(reader.bytes("a string"));
            size_t bad;
            if (!is_utf8(strings.back(), &bad))
                fail_at(gguf.file->path, start + 8 + bad, "expected UTF-8");
        }
    });
    if (!has) fail_about(gguf.file->path, "it has no list " + in_quotes("tokenizer.ggml." + name));
    return strings;
}

// A number for each of `count` tokens, `otherwise` if the file has none.
template <class Number>
std::vector<Number> numbers_of(const Gguf &gguf, const std::string &name, size_t count,
                               Number otherwise)
{
    std::vector<Number> numbers;
    bool has = with_array(gguf, name, [&](GgufReader &reader, uint32_t type, uint64_t size) {
        if (size != count || (type != INT32 && type != UINT32 && type != FLOAT32))
            fail_at(gguf.file->path, reader.at(),
                    in_quotes("tokenizer.ggml." + name) + " must have a number for each of " +
                        std::to_string(count) + " tokens");
        numbers.reserve(count);
        for (uint64_t k = 0; k < size; k++)
            numbers.push_back(type == FLOAT32
                                  ? static_cast<Number>(reader.number<float>("a number"))
                                  : static_cast<Number>(reader.number<int32_t>("a number")));
    });
    if (!has) numbers.assign(count, otherwise);
    return numbers;
}

// "_the" and "s" as BERT has them: "the" and "##s"; names such as "[CLS]" stay.
std::string word_piece(std::string_view token)
{
    if (token.starts_with(SPACE)) return std::string(token.substr(SPACE.size()));
    if (token.starts_with('[') && token.ends_with(']')) return std::string(token);
    return "##" + std::string(token);
}

// Tokens that are found in a text by their names.
std::vector<AddedToken> added_of(const Gguf &gguf, const std::vector<std::string_view> &tokens)
{
    std::vector<int64_t> kinds = numbers_of<int64_t>(gguf, "token_type", tokens.size(), NORMAL);
    std::vector<AddedToken> added;
    for (size_t k = 0; k < tokens.size(); k++) {
        if (kinds[k] != CONTROL && kinds[k] != UNKNOWN && kinds[k] != USER_DEFINED) continue;
        AddedToken token;
        token.content = tokens[k];
        token.id = static_cast<int64_t>(k);
        token.special = kinds[k] != USER_DEFINED;
        added.push_back(token);
    }
    return added;
}

Frame frame_of(const ProcedureArguments &given, size_t k,
               const std::vector<std::string_view> &tokens)
{
    auto names = [&](const ct_value &list) {
        std::vector<std::string> made;
        for (size_t i = 0; i < list.count; i++) {
            auto id = static_cast<size_t>(list.items[i].i);
            if (id >= tokens.size())
                throw Failure{"the special token " + std::to_string(list.items[i].i) +
                                  " is not one of " + std::to_string(tokens.size()) + " tokens",
                              ""};
            made.emplace_back(tokens[id]);
        }
        return made;
    };
    return {names(given.values[k]), names(given.values[k + 1])};
}

}  // namespace

// (file id)  The token of an id as the file writes it; #f if there is none.
ct::Owned ct::gguf_token(const ProcedureArguments &given)
{
    const Gguf &gguf = gguf_of(given.values[0]);
    std::vector<std::string_view> tokens = strings_of(gguf, "tokens");
    auto id =
        given.values[1].kind == CT_INT ? static_cast<size_t>(given.values[1].i) : tokens.size();
    if (id >= tokens.size()) return Owned::boolean(false);
    return Owned::text(CT_STRING, std::string(tokens[id]));
}

// (steps file before after)  before and after are lists of ids.  The model of the steps is BPE, or
// WordPiece.
ct::Owned ct::gguf_tokenizer(const ProcedureArguments &given)
{
    const Gguf &gguf = gguf_of(given.values[1]);
    std::string steps = given.text(0);
    bool cuts_words = steps.find("WordPiece") != std::string::npos;
    std::vector<std::string_view> tokens = strings_of(gguf, "tokens");
    ModelParts parts;
    if (cuts_words) {
        std::vector<std::string> pieces;
        pieces.reserve(tokens.size());
        for (std::string_view token : tokens) pieces.push_back(word_piece(token));
        parts.add_tokens({pieces.begin(), pieces.end()});
        return tokenizer_of_parts(steps, std::move(parts), added_of(gguf, tokens),
                                  frame_of(given, 2, tokens));
    }
    parts.add_tokens(tokens);
    for (std::string_view merge : strings_of(gguf, "merges")) {
        size_t space = merge.find(' ', 1);
        if (space == std::string_view::npos || space + 1 == merge.size())
            fail_about(gguf.file->path,
                       "expected a merge of two tokens with a space between them, got " +
                           in_quotes(merge));
        parts.merges.emplace_back(merge.substr(0, space), merge.substr(space + 1));
    }
    return tokenizer_of_parts(steps, std::move(parts), added_of(gguf, tokens),
                              frame_of(given, 2, tokens));
}

// (file options bos eos unknown)  unknown: the id of the unknown token.
ct::Owned ct::gguf_sentencepiece(const ProcedureArguments &given)
{
    const Gguf &gguf = gguf_of(given.values[0]);
    PieceLists lists;
    std::vector<std::string_view> tokens = strings_of(gguf, "tokens");
    lists.scores = numbers_of<float>(gguf, "scores", tokens.size(), 0);
    std::vector<int64_t> kinds = numbers_of<int64_t>(gguf, "token_type", tokens.size(), NORMAL);
    int64_t unknown = given.values[4].kind == CT_INT ? given.values[4].i : -1;
    std::unordered_set<std::string_view> seen;
    for (size_t k = 0; k < tokens.size(); k++) {
        bool usable = !tokens[k].empty() && seen.insert(tokens[k]).second;
        bool other = kinds[k] == UNKNOWN && unknown >= 0 && static_cast<int64_t>(k) != unknown;
        if (static_cast<int64_t>(k) == unknown) kinds[k] = UNKNOWN;
        if (kinds[k] < NORMAL || kinds[k] > BYTE || !usable || other) kinds[k] = UNUSED;
        // A piece needs a text of its own.
        lists.pieces.push_back(usable ? std::string(tokens[k])
                                      : "[UNUSED " + std::to_string(k) + "]");
        lists.kinds.push_back(static_cast<int>(kinds[k]));
        if (kinds[k] == CONTROL || kinds[k] == UNKNOWN) lists.names.emplace_back(tokens[k], k);
    }
    with_array(
        gguf, "precompiled_charsmap", [&](GgufReader &reader, uint32_t type, uint64_t count) {
            if (type != UINT8 && type != INT8)
                fail_at(gguf.file->path, reader.at(),
                        "\"tokenizer.ggml.precompiled_charsmap\" must hold bytes");
            lists.character_map = std::string(reader.take(count, "a map of characters"), count);
        });
    return sentencepiece_of_lists(lists, given, 1);
}
