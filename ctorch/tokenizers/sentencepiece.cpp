// sentencepiece.cpp - tokenizers of SentencePiece's models: .model files, and lists of pieces.

#include "tokenizers/tokenizer.h"

#include "files/files.h"
#include "pieces/piece_model.h"
#include "text/byte_letters.h"

#include <algorithm>
#include <array>

namespace {

using namespace ct;

// What the files beside a model say about it.
struct Settings {
    bool begins, ends;                                   // whether bos, eos are added
    std::vector<std::pair<std::string, int64_t>> names;  // special tokens in texts, longest first
};

class SentencePiece final : public Tokenizer {
public:
    SentencePiece(std::string bytes, Settings settings)
        : model_(std::move(bytes)), settings_(std::move(settings))
    {
        text = "#<sentencepiece model of " + std::to_string(model_.size()) + " pieces>";
        std::stable_sort(
            settings_.names.begin(), settings_.names.end(),
            [](const auto &a, const auto &b) { return a.first.size() > b.first.size(); });
        for (const auto &[name, id] : settings_.names) {
            size_ = std::max(size_, static_cast<size_t>(id) + 1);
            begins_name_[static_cast<unsigned char>(name[0])] = true;
        }
        size_ = std::max(size_, static_cast<size_t>(model_.size()));
    }

    const PieceModel &model() const { return model_; }

    size_t size() const override { return size_; }

    Tokens tokens(std::string_view text, bool parse_special) const override
    {
        return in_parts(text, parse_special, [&](std::string_view part, size_t from, Tokens &to) {
            for (const TextPiece &piece : model_.pieces(part))
                to.push_back({piece.id, from + piece.start, from + piece.end});
        });
    }

    Tokens ids(std::string_view text, bool parse_special) const override
    {
        return in_parts(text, parse_special, [&](std::string_view part, size_t, Tokens &to) {
            std::vector<int32_t> found = model_.ids(part);
            to.reserve(to.size() + found.size() + 2);
            for (int32_t id : found) to.push_back({id, 0, 0});
        });
    }

    void frame(Tokens &tokens) const override
    {
        size_t end = tokens.empty() ? 0 : tokens.back().end;
        if (adds(settings_.begins, model_.begin()))
            tokens.insert(tokens.begin(), {model_.begin(), 0, 0});
        if (adds(settings_.ends, model_.end())) tokens.push_back({model_.end(), end, end});
    }

    size_t framing() const override
    {
        return size_t{adds(settings_.begins, model_.begin())} +
               adds(settings_.ends, model_.end());
    }

    std::string decode(const std::vector<int64_t> &ids, bool skip_special) const override
    {
        std::string made;
        std::vector<int64_t> run;
        auto flush = [&] {
            if (!run.empty()) made += model_.decode(run, !skip_special);
            run.clear();
        };
        for (int64_t id : ids) {
            const std::string *name = added(id);
            if (!name) {
                if (id < model_.size()) run.push_back(id);
            } else if (!skip_special) {
                flush();
                made += *name;
            }
        }
        flush();
        return repaired(made);
    }

    std::optional<int64_t> id_of(std::string_view token) const override
    {
        for (const auto &[name, id] : settings_.names)
            if (name == token) return id;
        int32_t id = model_.id_of(token);
        if (id < 0 || model_.piece(id) != token) return std::nullopt;
        return id;
    }

    std::optional<std::string> token_of(int64_t id) const override
    {
        if (const std::string *name = added(id)) return *name;
        if (id >= model_.size()) return std::nullopt;
        return repaired(model_.piece(id));
    }

    bool is_special(int64_t id) const override
    {
        return added(id) || (id < model_.size() && model_.kind(id) == PieceKind::CONTROL);
    }

    std::string bytes_of(int64_t id) const override
    {
        if (id >= model_.size() || is_special(id)) return "";
        PieceKind kind = model_.kind(id);
        if (kind == PieceKind::UNKNOWN || kind == PieceKind::UNUSED) return "";
        std::string_view piece = model_.piece(id);
        if (kind == PieceKind::BYTE) return std::string(1, static_cast<char>(byte_named(piece)));
        std::string bytes;
        for (size_t k = 0; k < piece.size();) {
            bool space = piece.substr(k).starts_with(SPACE_PIECE);
            bytes += space ? ' ' : piece[k];
            k += space ? SPACE_PIECE.size() : 1;
        }
        return bytes;
    }

private:
    static bool adds(bool wanted, int32_t id) { return wanted && id >= 0; }

    // The name of a special token that the model itself does not treat as one.
    const std::string *added(int64_t id) const
    {
        for (const auto &[name, of] : settings_.names)
            if (of == id) return &name;
        return nullptr;
    }

    // The name of a special token at a byte of the text.
    const std::pair<std::string, int64_t> *name_at(std::string_view text, size_t at) const
    {
        if (!begins_name_[static_cast<unsigned char>(text[at])]) return nullptr;
        for (const auto &each : settings_.names)
            if (text.substr(at).starts_with(each.first)) return &each;
        return nullptr;
    }

    // The tokens of the parts between the names of special tokens, and of these.
    template <class Encode>
    Tokens in_parts(std::string_view text, bool parse_special, Encode encode) const
    {
        Tokens tokens;
        size_t from = 0;
        for (size_t k = 0; parse_special && !settings_.names.empty() && k < text.size();) {
            auto *found = name_at(text, k);
            if (!found) {
                k++;
                continue;
            }
            if (k > from) encode(text.substr(from, k - from), from, tokens);
            from = k + found->first.size();
            tokens.push_back({found->second, k, from});
            k = from;
        }
        if (from < text.size()) encode(text.substr(from), from, tokens);
        return tokens;
    }

    PieceModel model_;
    Settings settings_;
    size_t size_ = 0;
    std::array<bool, 256> begins_name_{};  // whether a name begins with that byte
};

const SentencePiece &sentencepiece_at(const ProcedureArguments &given, size_t k)
{
    const ct_value &value = given.values[k];
    auto *found = value.kind == CT_OBJECT ? dynamic_cast<SentencePiece *>(value.object) : nullptr;
    if (!found) wrong_kind("a tokenizer of SentencePiece", value);
    return *found;
}

// Arguments from k on: whether bos and eos are added, and the names with their ids.
Settings settings_at(const ProcedureArguments &given, size_t k)
{
    constexpr int64_t MOST = 1 << 24;  // ids
    Settings settings{given.flag(k), given.flag(k + 1), {}};
    for (const auto &[name, id] : entries_of(given.values[k + 2], "a list", "a string as a name")) {
        if (id->kind != CT_INT) wrong_kind("an exact integer", *id);
        if (id->i < 0 || id->i >= MOST || name.empty())
            throw Failure{"the special token " + in_quotes(name) + " cannot have the id " +
                              std::to_string(id->i), ""};
        settings.names.emplace_back(name, id->i);
    }
    return settings;
}

// what: where the bytes are from, for a message.
Owned tokenizer_of(std::string bytes, const std::string &what, Settings &&settings)
{
    try {
        return Owned::object(new SentencePiece(std::move(bytes), std::move(settings)));
    } catch (const Failure &failure) {
        throw Failure{what + ": " + repaired(failure.message), failure.hint};
    }
}

// A model of lists.

bool truth_of(const std::string &name, const std::string &value)
{
    if (value != "true" && value != "false")
        throw Failure{"the option " + name + " cannot be " + in_quotes(value), ""};
    return value == "true";
}

PieceModelKind model_kind_of(const std::string &name)
{
    constexpr std::string_view NAMES[] = {"unigram", "bpe", "word", "char"};
    auto found = std::find(std::begin(NAMES), std::end(NAMES), name);
    if (found == std::end(NAMES)) throw Failure{"no such kind of model: " + in_quotes(name), ""};
    return static_cast<PieceModelKind>(found - std::begin(NAMES) + 1);
}

// Sets what argument k says: names of options of SentencePiece's trainer before their values.
void set_options(ModelFile &model, const ProcedureArguments &given, size_t k)
{
    const std::pair<std::string_view, bool *> flags[] = {
        {"byte_fallback", &model.byte_fallback},
        {"add_dummy_prefix", &model.normalizer.dummy_prefix},
        {"remove_extra_whitespaces", &model.normalizer.remove_spaces},
    };
    const std::pair<std::string_view, std::string_view *> texts[] = {
        {"unk_piece", &model.unknown},
        {"bos_piece", &model.begin},
        {"eos_piece", &model.end},
        {"pad_piece", &model.padding},
    };
    for (const auto &[name, value] : entries_of(given.values[k], "a list", "a string as a name")) {
        if (value->kind != CT_STRING) wrong_kind("a string", *value);
        bool known = name == "model_type";
        if (known) model.kind = model_kind_of(value->text);
        for (auto [flag, to] : flags)
            if (name == flag) *to = truth_of(name, value->text), known = true;
        for (auto [text, to] : texts)
            if (name == text) *to = value->text, known = true;
        if (!known) throw Failure{"no such option: " + in_quotes(name), ""};
    }
}

// Argument k: the options.
Owned tokenizer_of_lists(const PieceLists &lists, const ProcedureArguments &given, size_t k,
                         Settings &&settings)
{
    ModelFile model;
    model.pieces.reserve(lists.pieces.size());
    for (size_t id = 0; id < lists.pieces.size(); id++)
        model.pieces.push_back({lists.pieces[id], lists.scores[id],
                                static_cast<PieceKind>(lists.kinds[id])});
    model.normalizer.character_map = lists.character_map;
    set_options(model, given, k);
    return tokenizer_of(model_file_bytes(model), "the pieces make no model", std::move(settings));
}

const ct_value &given_list(const ProcedureArguments &given, size_t k, const char *noun)
{
    if (given.values[k].kind != CT_LIST) wrong_kind(noun, given.values[k]);
    return given.values[k];
}

}  // namespace

namespace ct {

// Arguments: a path; then those of settings_at.
Owned load_sentencepiece(const ProcedureArguments &given)
{
    std::string path = given.text(0, "a path");
    FilePointer file = open_file(path);
    try {
        return tokenizer_of(std::string(file->text(0, file->size)),
                            "SentencePiece cannot read it", settings_at(given, 1));
    } catch (const Failure &failure) {
        fail_about(path, failure.message, failure.hint);
    }
}

// Arguments: lists of pieces, scores and kinds; options; then those of settings_at.
Owned make_sentencepiece(const ProcedureArguments &given)
{
    const ct_value &pieces = given_list(given, 0, "a list of pieces");
    const ct_value &scores = given_list(given, 1, "a list of scores");
    const ct_value &kinds = given_list(given, 2, "a list of types");
    if (scores.count != pieces.count || kinds.count != pieces.count)
        throw Failure{"the lists have different lengths: " + std::to_string(pieces.count) +
                          " pieces, " + std::to_string(scores.count) + " scores, " +
                          std::to_string(kinds.count) + " types", ""};
    PieceLists lists;
    for (size_t k = 0; k < pieces.count; k++) {
        const ct_value &score = scores.items[k], &kind = kinds.items[k];
        if (score.kind != CT_FLOAT && score.kind != CT_INT)
            wrong_kind("a number as a score", score);
        if (kind.kind != CT_INT || kind.i < 1 || kind.i > 6)
            wrong_kind("an exact integer from 1 to 6 as a type", kind);
        lists.pieces.push_back(whole_text({pieces.count, pieces.items}, k));
        lists.scores.push_back(
            static_cast<float>(score.kind == CT_INT ? static_cast<double>(score.i) : score.f));
        lists.kinds.push_back(static_cast<int>(kind.i));
    }
    return tokenizer_of_lists(lists, given, 3, settings_at(given, 4));
}

Owned sentencepiece_of_lists(const PieceLists &lists, const ProcedureArguments &given, size_t k)
{
    return tokenizer_of_lists(lists, given, k,
                              {given.flag(k + 1), given.flag(k + 2), lists.names});
}

// Arguments: a path, a tokenizer.
Owned save_sentencepiece(const ProcedureArguments &given)
{
    std::string path = given.text(0, "a path");
    Output output(path);
    output.write(sentencepiece_at(given, 1).model().file());
    output.commit();
    return {};
}

// The ids of bos, eos, unknown and padding, or -1.
Owned sentencepiece_ids(const ProcedureArguments &given)
{
    const PieceModel &model = sentencepiece_at(given, 0).model();
    std::vector<Owned> ids;
    for (int32_t id : {model.begin(), model.end(), model.unknown(), model.padding()})
        ids.push_back(Owned::integer(id));
    return Owned::items(CT_LIST, std::move(ids));
}

}  // namespace ct
