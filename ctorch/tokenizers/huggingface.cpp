// huggingface.cpp - tokenizers of Hugging Face's kind for Lisp: read from files, or made of lists.
//
//     (load-tokenizer "tokenizer.json")     (load-bpe steps "vocab.json" "merges.txt" ...)
//
// Where the vocabulary comes from elsewhere, Lisp writes the steps around the model as a
// tokenizer.json has them.

#include "errors/interrupts.h"
#include "text/failure.h"
#include "tokenizers/huggingface.h"
#include "tokenizers/ranks.h"
#include "text/text.h"
#include "text/regex.h"

namespace ct {

void fail_tokenizer(const std::string &message, const std::string &hint)
{
    throw Failure{message, hint};
}

namespace {

// A pipeline as programs see it.
class HuggingFace : public Tokenizer {
public:
    explicit HuggingFace(std::unique_ptr<Pipeline> pipeline) : pipeline_(std::move(pipeline))
    {
        text = std::string("#<tokenizer ") + pipeline_->model->kind + ">";
    }

    size_t size() const override { return pipeline_->size(); }

    Tokens tokens(std::string_view given, bool parse_special) const override
    {
        Tokens made;
        for (const Pipeline::Token &token : pipeline_->tokens(given, parse_special, true))
            made.push_back({token.id, token.start, token.end});
        return made;
    }

    Tokens ids(std::string_view given, bool parse_special) const override
    {
        Tokens made;
        for (const Pipeline::Token &token : pipeline_->tokens(given, parse_special, false))
            made.push_back({token.id, 0, 0});
        return made;
    }

    void frame(Tokens &tokens) const override
    {
        const Framing &framing = pipeline_->framing;
        Tokens all;
        for (const auto &special : framing.before) all.push_back({special.id, 0, 0});
        all.insert(all.end(), tokens.begin(), tokens.end());
        for (const auto &special : framing.after) all.push_back({special.id, 0, 0});
        tokens = std::move(all);
    }

    size_t framing() const override
    {
        return pipeline_->framing.before.size() + pipeline_->framing.after.size();
    }

    std::vector<PairPart> pair_frame() const override
    {
        return pipeline_->framing.pair.empty() ? Tokenizer::pair_frame()
                                               : pipeline_->framing.pair;
    }

    std::string decode(const std::vector<int64_t> &ids, bool skip_special) const override
    {
        return pipeline_->decode(ids, skip_special);
    }

    std::optional<int64_t> id_of(std::string_view token) const override
    {
        int64_t id = pipeline_->id_of(token);
        return id < 0 ? std::nullopt : std::optional(id);
    }

    std::optional<std::string> token_of(int64_t id) const override
    {
        std::string token;
        return pipeline_->token_of(id, &token) ? std::optional(token) : std::nullopt;
    }

    bool is_special(int64_t id) const override { return pipeline_->is_special(id); }
    std::string bytes_of(int64_t id) const override { return pipeline_->bytes_of(id); }

private:
    std::unique_ptr<Pipeline> pipeline_;
};

Owned made_of(std::unique_ptr<Pipeline> pipeline)
{
    return Owned::object(new HuggingFace(std::move(pipeline)));
}

// What reads a file; its failures name the file.
template <class Read> Owned about_file(const FilePointer &file, Read read)
{
    try {
        return read();
    } catch (Failure &failure) {
        std::string name = in_quotes(file->path);
        if (failure.message.find(name) == std::string::npos)
            failure.message = name + ": " + failure.message;
        throw;
    }
}

std::string_view contents(const FilePointer &file) { return file->text(0, file->size); }

void check_text(const FilePointer &file)
{
    size_t bad;
    if (!is_utf8(contents(file), &bad)) fail_at(file->path, bad, "expected UTF-8");
}

// Calls each(line, its byte) for the lines of a text.
template <class Each>
void each_line(std::string_view text, Each each)
{
    Polls polls;
    for (size_t at = 0; at < text.size(); polls.step()) {
        size_t end = std::min(text.find('\n', at), text.size());
        std::string_view line = text.substr(at, end - at);
        if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
        each(line, at);
        at = end + 1;
    }
}

bool flag_at(const ct_value &value) { return value.kind != CT_BOOL || value.i; }

std::string string_at(const ct_value &value)
{
    if (value.kind != CT_STRING) wrong_kind("a string", value);
    size_t bad;
    if (!is_utf8(value.text, &bad)) throw Failure{"expected UTF-8, got " + shown(value), ""};
    return value.text;
}

const ct_value &list_at(const ProcedureArguments &given, size_t k)
{
    if (given.values[k].kind != CT_LIST) wrong_kind("a list", given.values[k]);
    return given.values[k];
}

// Each is a list: content, id or #f, and flags: special, single word, left, right, normalized.
std::vector<AddedToken> added_at(const ProcedureArguments &given, size_t place)
{
    const ct_value &list = list_at(given, place);
    std::vector<AddedToken> added;
    for (size_t k = 0; k < list.count; k++) {
        const ct_value &entry = list.items[k];
        if (entry.kind != CT_LIST || entry.count != 7) wrong_kind("an added token", entry);
        AddedToken token;
        token.content = string_at(entry.items[0]);
        token.id = entry.items[1].kind == CT_INT ? entry.items[1].i : -1;
        if (token.id > LARGEST_ID)
            throw Failure{"the id of a token is from 0 to " + std::to_string(LARGEST_ID) +
                              ", got " + shown(entry.items[1]),
                          ""};
        token.special = flag_at(entry.items[2]);
        token.single_word = flag_at(entry.items[3]);
        token.left = flag_at(entry.items[4]);
        token.right = flag_at(entry.items[5]);
        token.normalized = flag_at(entry.items[6]);
        added.push_back(token);
    }
    return added;
}

std::vector<std::string> strings_at(const ProcedureArguments &given, size_t k)
{
    const ct_value &list = list_at(given, k);
    std::vector<std::string> strings;
    strings.reserve(list.count);
    Polls polls;
    for (size_t i = 0; i < list.count; i++, polls.step())
        strings.push_back(string_at(list.items[i]));
    return strings;
}

Frame frame_at(const ProcedureArguments &given, size_t k)
{
    return {strings_at(given, k), strings_at(given, k + 1)};
}

void frame_with(Pipeline &pipeline, const std::vector<std::string> &names,
                std::vector<Framing::Special> &to)
{
    for (const std::string &name : names) {
        int64_t id = pipeline.id_of(name);
        if (id < 0) throw Failure{"the vocabulary does not have the token " + in_quotes(name), ""};
        to.push_back({name, id});
    }
}

Vocabulary vocabulary_of(const std::vector<std::string> &tokens)
{
    Vocabulary vocabulary;
    vocabulary.reserve(tokens.size());
    if (tokens.size() > LARGEST_ID) throw Failure{"the vocabulary has too many tokens", ""};
    for (size_t k = 0; k < tokens.size(); k++)
        if (!vocabulary.add(tokens[k], static_cast<int64_t>(k)))
            throw Failure{"the token " + in_quotes(tokens[k]) + " occurs twice in the vocabulary",
                          ""};
    return vocabulary;
}

Merge merge_of(std::string_view line, const std::string &what)
{
    size_t space = line.find(' ');
    if (space == std::string_view::npos || line.find(' ', space + 1) != std::string_view::npos)
        throw Failure{what + ": expected a merge of two tokens with a space between them, got " +
                          in_marks(line), ""};
    return {line.substr(0, space), line.substr(space + 1)};
}

}  // namespace

Owned tokenizer_of_parts(const std::string &steps, ModelParts &&parts,
                         const std::vector<AddedToken> &added, const Frame &frame)
{
    std::unique_ptr<Pipeline> pipeline = Pipeline::read(steps, "the steps", &parts);
    for (const AddedToken &token : added)
        if (!pipeline->added.add(token, pipeline->model->vocabulary))
            throw Failure{"the token " + in_quotes(token.content) +
                              " has the id of another token, " + std::to_string(token.id),
                          ""};
    frame_with(*pipeline, frame.before, pipeline->framing.before);
    frame_with(*pipeline, frame.after, pipeline->framing.after);
    pipeline->prepare();
    return made_of(std::move(pipeline));
}

Owned load_tokenizer(const ProcedureArguments &given)
{
    FilePointer file = open_file(given.text(0, "a path"));
    return about_file(file, [&] { return made_of(Pipeline::read(contents(file), file->path)); });
}

Owned load_tekken(const ProcedureArguments &given)
{
    FilePointer file = open_file(given.text(0, "a path"));
    return about_file(file, [&] { return made_of(read_tekken(contents(file), file->path)); });
}

// Arguments: the steps, a file of tiktoken, the added tokens, the names before and after a text.
Owned load_ranks(const ProcedureArguments &given)
{
    FilePointer file = open_file(given.text(1, "a path"));
    return about_file(file, [&] {
        return tokenizer_of_parts(given.text(0), read_ranks(contents(file), file->path),
                                  added_at(given, 2), frame_at(given, 3));
    });
}

// How many tokens a file of tiktoken has; #f if it is not one.
Owned count_ranks(const ProcedureArguments &given)
{
    FilePointer file = open_file(given.text(0, "a path"));
    std::string_view text = contents(file);
    if (!begins_with_rank(text)) return Owned::boolean(false);
    int64_t count = 0;
    each_line(text, [&](std::string_view line, size_t) { count += !line.empty(); });
    return Owned::integer(count);
}

// Arguments: the steps, vocab.json, merges.txt, the added tokens, the names before and after a
// text.
Owned load_bpe(const ProcedureArguments &given)
{
    FilePointer words = open_file(given.text(1, "a path")),
                merges = open_file(given.text(2, "a path"));
    check_text(merges);
    ModelParts parts;
    each_line(contents(merges), [&](std::string_view line, size_t byte) {
        if (line.empty() || line.substr(0, 8) == "#version") return;
        parts.merges.push_back(
            merge_of(line, in_marks(merges->path) + ", byte " + std::to_string(byte)));
    });
    JsonTree tree(contents(words), words->path);
    parts.vocabulary = read_vocabulary(tree.root());
    return about_file(words, [&] {
        return tokenizer_of_parts(given.text(0), std::move(parts), added_at(given, 3),
                                  frame_at(given, 4));
    });
}

// Arguments: the steps, vocab.txt, the added tokens, the names before and after a text.
Owned load_word_pieces(const ProcedureArguments &given)
{
    FilePointer file = open_file(given.text(1, "a path"));
    check_text(file);
    std::vector<std::string_view> tokens;
    each_line(contents(file), [&](std::string_view line, size_t) { tokens.push_back(line); });
    if (tokens.empty()) fail_about(file->path, "the vocabulary is empty");
    ModelParts parts;
    parts.add_tokens(tokens);
    return about_file(file, [&] {
        return tokenizer_of_parts(given.text(0), std::move(parts), added_at(given, 2),
                                  frame_at(given, 3));
    });
}

// Arguments: the steps, the tokens, the merges as "a b", the added tokens, the names of the tokens
// before and after a text.
Owned make_tokenizer(const ProcedureArguments &given)
{
    std::vector<std::string> lines = strings_at(given, 2);
    ModelParts parts;
    for (size_t k = 0; k < lines.size(); k++)
        parts.merges.push_back(merge_of(lines[k], "merge " + std::to_string(k)));
    parts.vocabulary = vocabulary_of(strings_at(given, 1));
    return tokenizer_of_parts(given.text(0), std::move(parts), added_at(given, 3),
                              frame_at(given, 4));
}

// Whether a regular expression matches somewhere in a text.
Owned pattern_matches(const ProcedureArguments &given)
{
    Regex pattern(given.text(0));
    bool found = false;
    pattern.each(given.text(1), [&found](size_t, size_t) { found = true; });
    return Owned::boolean(found);
}

// The words of a text, as word tokenizers see it.
Owned split_words(const ProcedureArguments &given)
{
    std::string text = whole_text(given, 0);
    Document document(text, false);
    if (given.flag(1)) document.rebuild([](Aligned &part) { lowercase_normalizer()->apply(part); });
    word_splitter()->apply(document);
    std::vector<Owned> words;
    for (const Piece &piece : document.pieces)
        words.push_back(Owned::text(CT_STRING, std::string(document.piece(piece))));
    return Owned::items(CT_LIST, std::move(words));
}

}  // namespace ct
