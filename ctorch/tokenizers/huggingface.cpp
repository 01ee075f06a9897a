// huggingface.cpp - tokenizers of Hugging Face's kind for Lisp: read from files, or made of lists.
//
//     (load-tokenizer "tokenizer.json")           (load-word-pieces "vocab.txt" #t #t)
//     (load-bpe "vocab.json" "merges.txt" ...)    (bpe-tokenizer tokens merges ...)

#include "tokenizers/failure.h"
#include "tokenizers/huggingface.h"
#include "tokenizers/pipeline.h"
#include "text/text.h"

namespace ct {

void fail_tokenizer(const std::string &message, const std::string &hint) { throw Failure{message, hint}; }

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

    size_t framing() const override { return pipeline_->framing.before.size() + pipeline_->framing.after.size(); }

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
    for (size_t at = 0; at < text.size();) {
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
void add_tokens(Pipeline &pipeline, const ct_value &list)
{
    for (size_t k = 0; k < list.count; k++) {
        const ct_value &entry = list.items[k];
        if (entry.kind != CT_LIST || entry.count != 7) wrong_kind("an added token", entry);
        AddedToken token;
        token.content = string_at(entry.items[0]);
        token.id = entry.items[1].kind == CT_INT ? entry.items[1].i : -1;
        if (token.id > LARGEST_ID)
            throw Failure{"the id of a token is from 0 to " + std::to_string(LARGEST_ID) + ", got " +
                              shown(entry.items[1]), ""};
        token.special = flag_at(entry.items[2]);
        token.single_word = flag_at(entry.items[3]);
        token.left = flag_at(entry.items[4]);
        token.right = flag_at(entry.items[5]);
        token.normalized = flag_at(entry.items[6]);
        if (!pipeline.added.add(token, pipeline.model->vocabulary))
            throw Failure{"the token " + in_quotes(token.content) + " has the id of another token, " +
                              std::to_string(token.id), ""};
    }
}

void frame_with(Pipeline &pipeline, const ct_value &names, std::vector<Framing::Special> &to)
{
    for (size_t k = 0; k < names.count; k++) {
        std::string name = string_at(names.items[k]);
        int64_t id = pipeline.id_of(name);
        if (id < 0) throw Failure{"the vocabulary does not have the token " + in_quotes(name), ""};
        to.push_back({name, id});
    }
}

Vocabulary vocabulary_of(const ct_value &tokens)
{
    Vocabulary vocabulary;
    vocabulary.reserve(tokens.count);
    if (tokens.count > LARGEST_ID) throw Failure{"the vocabulary has too many tokens", ""};
    for (size_t k = 0; k < tokens.count; k++) {
        std::string token = string_at(tokens.items[k]);
        if (!vocabulary.add(token, static_cast<int64_t>(k)))
            throw Failure{"the token " + in_quotes(token) + " occurs twice in the vocabulary", ""};
    }
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

void finish_bytes(Pipeline &pipeline, const std::string &pattern, bool prefix_space)
{
    pipeline.splitter = byte_splitter(pattern, prefix_space);
    pipeline.decoder = byte_decoder();
}

}  // namespace

Owned load_tokenizer(const ProcedureArguments &given)
{
    FilePointer file = open_file(given.text(0, "a path"));
    return about_file(file, [&] { return made_of(Pipeline::read(contents(file), file->path)); });
}

// Arguments: vocab.json, merges.txt, the added tokens, whether a space comes first.
Owned load_bpe(const ProcedureArguments &given)
{
    FilePointer words = open_file(given.text(0, "a path")), merges = open_file(given.text(1, "a path"));
    check_text(merges);
    std::vector<Merge> pairs;
    each_line(contents(merges), [&](std::string_view line, size_t byte) {
        if (line.empty() || line.substr(0, 8) == "#version") return;
        pairs.push_back(merge_of(line, in_marks(merges->path) + ", byte " + std::to_string(byte)));
    });
    JsonTree tree(contents(words), words->path);
    auto pipeline = std::make_unique<Pipeline>();
    pipeline->model = bpe_model(read_vocabulary(tree.root()), pairs, {});
    finish_bytes(*pipeline, "", given.flag(3));
    add_tokens(*pipeline, list_at(given, 2));
    pipeline->prepare();
    return made_of(std::move(pipeline));
}

// Arguments: vocab.txt, the added tokens, whether letters become small, the unknown token, the
// names of the tokens before and after a text.
Owned load_word_pieces(const ProcedureArguments &given)
{
    FilePointer file = open_file(given.text(0, "a path"));
    check_text(file);
    Vocabulary vocabulary;
    int64_t id = 0;
    each_line(contents(file), [&](std::string_view line, size_t byte) {
        if (id > LARGEST_ID) fail_at(file->path, byte, "the vocabulary has too many tokens");
        if (!vocabulary.add(line, id++))
            fail_at(file->path, byte, "the token " + in_marks(line) + " occurs twice in the vocabulary");
    });
    auto pipeline = std::make_unique<Pipeline>();
    pipeline->model = word_piece_model(std::move(vocabulary), given.text(3), "##", 100);
    pipeline->normalizer = bert_normalizer(given.flag(2), given.flag(2));
    pipeline->splitter = bert_splitter();
    pipeline->decoder = word_piece_decoder();
    add_tokens(*pipeline, list_at(given, 1));
    frame_with(*pipeline, list_at(given, 4), pipeline->framing.before);
    frame_with(*pipeline, list_at(given, 5), pipeline->framing.after);
    pipeline->prepare();
    return made_of(std::move(pipeline));
}

// Arguments: the tokens, the merges as "a b", a pattern or "" for GPT-2's, whether a space comes
// first, whether whole words are looked up first, the added tokens, the names of the tokens before
// and after a text.
Owned make_bpe(const ProcedureArguments &given)
{
    const ct_value &lines = list_at(given, 1);
    std::vector<Merge> pairs;
    std::vector<std::string> texts;
    texts.reserve(lines.count);
    for (size_t k = 0; k < lines.count; k++) {
        texts.push_back(string_at(lines.items[k]));
        pairs.push_back(merge_of(texts.back(), "merge " + std::to_string(k)));
    }
    BpeSettings settings;
    settings.ignore_merges = given.flag(4);
    auto pipeline = std::make_unique<Pipeline>();
    pipeline->model = bpe_model(vocabulary_of(list_at(given, 0)), pairs, settings);
    finish_bytes(*pipeline, string_at(given.values[2]), given.flag(3));
    add_tokens(*pipeline, list_at(given, 5));
    frame_with(*pipeline, list_at(given, 6), pipeline->framing.before);
    frame_with(*pipeline, list_at(given, 7), pipeline->framing.after);
    pipeline->prepare();
    return made_of(std::move(pipeline));
}

// Arguments: the words, the unknown one, whether letters become small.
Owned make_words(const ProcedureArguments &given)
{
    auto pipeline = std::make_unique<Pipeline>();
    pipeline->model = word_level_model(vocabulary_of(list_at(given, 0)), given.text(1));
    pipeline->splitter = word_splitter();
    if (given.flag(2)) pipeline->normalizer = lowercase_normalizer();
    pipeline->prepare();
    return made_of(std::move(pipeline));
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
