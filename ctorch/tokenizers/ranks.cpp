// ranks.cpp - vocabularies of bytes, whose order says what merges first.
//
//     SGVsbG8= 15339                                        a line of tiktoken's files
//     {"rank": 15339, "token_bytes": "SGVsbG8=", ...}       an entry of tekken.json

#include "tokenizers/ranks.h"
#include "errors/interrupts.h"
#include "text/failure.h"

#include <algorithm>
#include <charconv>
#include <iterator>

namespace ct {

namespace {

// A token in base64, a space and a rank.
bool read_rank(std::string_view line, std::string &token, int64_t &rank)
{
    size_t space = line.find(' ');
    if (space == std::string_view::npos || space == 0) return false;
    const char *end = line.data() + line.size();
    auto number = std::from_chars(line.data() + space + 1, end, rank);
    return number.ec == std::errc() && number.ptr == end && rank >= 0 &&
           from_base64(line.substr(0, space), token);
}

[[noreturn]] void fail_line(const std::string &name, size_t byte, const std::string &what)
{
    fail_tokenizer(in_marks(name) + ", byte " + std::to_string(byte) + ": " + what);
}

std::string_view line_at(std::string_view text, size_t at)
{
    std::string_view line = text.substr(at, text.find('\n', at) - at);
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
}

// The special tokens of a tekken.json: those that it names, and fillers up to the first other one.
void add_specials(Pipeline &made, const JsonValue &list, int64_t count)
{
    std::vector<std::string> names(static_cast<size_t>(count));
    auto filler = [](size_t k) { return "<SPECIAL_" + std::to_string(k) + ">"; };
    for (size_t k = 0; k < names.size(); k++) names[k] = filler(k);
    if (list.exists()) {
        list.check(JsonNode::Array, "an array as special_tokens");
        for (size_t k = 0; k < list.size(); k++) {
            int64_t rank = list.item(k).at("rank").natural("a rank", count - 1);
            names[static_cast<size_t>(rank)] = list.item(k).at("token_str").text("a token");
        }
    } else {
        const char *known[] = {"<unk>", "<s>", "</s>", "[INST]", "[/INST]", "[AVAILABLE_TOOLS]",
                               "[/AVAILABLE_TOOLS]", "[TOOL_RESULTS]", "[/TOOL_RESULTS]",
                               "[TOOL_CALLS]", "[IMG]", "<pad>", "[IMG_BREAK]", "[IMG_END]",
                               "[PREFIX]", "[MIDDLE]", "[SUFFIX]", "[SYSTEM_PROMPT]",
                               "[/SYSTEM_PROMPT]", "[TOOL_CONTENT]"};
        for (size_t k = 0; k < std::min(names.size(), std::size(known)); k++) names[k] = known[k];
    }
    for (size_t k = 0; k < names.size(); k++) {
        AddedToken token;
        token.content = names[k];
        token.id = static_cast<int64_t>(k);
        token.special = token.keeps_id = true;
        if (!made.added.add(token, made.model->vocabulary))
            fail_tokenizer("the special token " + in_marks(names[k]) +
                           " has the id of another token, " + std::to_string(k));
    }
}

}  // namespace

bool begins_with_rank(std::string_view text)
{
    std::string token;
    int64_t rank;
    return read_rank(line_at(text, 0), token, rank);
}

ModelParts read_ranks(std::string_view text, const std::string &name)
{
    ModelParts parts;
    parts.ranked = true;
    std::string token;
    Polls polls;
    for (size_t at = 0; at < text.size(); polls.step()) {
        std::string_view line = line_at(text, at);
        int64_t rank = 0;
        token.clear();
        if (!line.empty()) {
            if (!read_rank(line, token, rank))
                fail_line(name, at,
                          "expected a token in base64 and its rank, got " + in_marks(line));
            if (rank > LARGEST_ID)
                fail_line(name, at, "a rank is from 0 to " + std::to_string(LARGEST_ID) + ", got " +
                                        std::to_string(rank));
            // Whisper's file ends with a token of no bytes, which no text has.
            if (!token.empty() && !parts.vocabulary.add(in_letters(token), rank))
                fail_line(name, at, "the token " + in_marks(line) + " or its rank occurs twice");
        }
        at = text.find('\n', at);
        if (at == std::string_view::npos) break;
        at++;
    }
    return parts;
}

std::unique_ptr<Pipeline> read_tekken(std::string_view text, const std::string &name)
{
    JsonTree tree(text, name);
    JsonValue json = tree.root(), config = json.at("config"), list = json.at("vocab");
    int64_t specials =
        config.at("default_num_special_tokens").natural("a number of tokens", LARGEST_ID);
    int64_t size = config.at("default_vocab_size").natural("a number of tokens", LARGEST_ID);
    list.check(JsonNode::Array, "an array as the vocabulary");
    ModelParts parts;
    parts.ranked = true;
    parts.vocabulary.reserve(static_cast<size_t>(size));
    std::string token;
    Polls polls;
    for (size_t k = 0; k < list.size(); k++) {
        polls.step();
        JsonValue entry = list.item(k);
        int64_t rank = entry.at("rank").natural("a rank", LARGEST_ID);
        if (rank >= size - specials) continue;   // the file has more than the tokenizer
        token.clear();
        if (!from_base64(entry.at("token_bytes").text("a token in base64"), token) || token.empty())
            entry.fail("expected a token in base64 as token_bytes");
        if (!parts.vocabulary.add(in_letters(token), rank + specials))
            entry.fail("a token or its rank occurs twice, " + std::to_string(rank));
    }
    auto made = std::make_unique<Pipeline>();
    BpeSettings settings;
    settings.ignore_merges = true;
    made->model = bpe_model(std::move(parts), settings);
    made->splitter = byte_splitter(std::string(config.at("pattern").text("a pattern")), false);
    made->decoder = byte_decoder();
    add_specials(*made, json.get("special_tokens"), specials);
    if (made->id_of("<s>") >= 0) made->framing.before.push_back({"<s>", made->id_of("<s>")});
    made->prepare();
    return made;
}

}  // namespace ct
