// sentencepiece.cpp - tokenizers of SentencePiece, through its own library.
//
// Few programs need the library, so it is opened at the first such tokenizer
// (sentencepiece/interface.h).  Its messages are for developers; here they become sentences about
// the file.

#include "tokenizers/tokenizer.h"

#include "files/files.h"
#include "sentencepiece/interface.h"
#include "sentencepiece_location.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

namespace {

using namespace ct;
using sentencepiece::Kind;
using sentencepiece::Library;
using sentencepiece::Model;
using sentencepiece::Options;

// The library.

// The path of the library: its folder is beside the one of ctorch.
std::string library_path()
{
    Dl_info here;
    if (!dladdr(reinterpret_cast<void *>(library_path), &here) || !here.dli_fname) return "";
    std::string path = here.dli_fname;
    size_t end = path.rfind('/');
    return (end == std::string::npos ? "." : path.substr(0, end)) + "/../" CT_SENTENCEPIECE;
}

const Library *open_library()
{
    void *opened = dlopen(library_path().c_str(), RTLD_NOW | RTLD_LOCAL);
    void *entry = opened ? dlsym(opened, sentencepiece::ENTRY) : nullptr;
    return entry ? reinterpret_cast<const Library *(*)()>(entry)() : nullptr;
}

const Library &library()
{
    static const Library *opened = nullptr;
    if (!opened) opened = open_library();
    if (!opened)
        throw Failure{"the SentencePiece library is not built",
                      "python -m lambent.ctorch.sentencepiece builds it, once; a bundle has it if it "
                      "was built before"};
    return *opened;
}

// What SentencePiece says, without the location and the condition in its source:
// "src/x.cc(12) [a == b] the reason".
std::string reason(const std::exception &error)
{
    std::string text = error.what();
    if (size_t place = text.find(".cc("); place != std::string::npos) {
        size_t end = text.find("] ", place);
        text = end == std::string::npos ? "" : text.substr(end + 2);
    }
    while (!text.empty() && (text.back() == '.' || text.back() == ' ')) text.pop_back();
    return repaired(text.empty() ? "its contents are damaged" : text);
}

// Calls the library; its failures become a Failure that begins with `what`.
template <class Body>
auto asking(const std::string &what, Body body)
{
    try {
        return body();
    } catch (const Failure &) {
        throw;
    } catch (const std::bad_alloc &) {
        throw;
    } catch (const std::exception &error) {
        throw Failure{what + ": " + reason(error), ""};
    }
}

// The tokenizer.

// What the files beside a model say about it.
struct Settings {
    bool begins, ends;                                   // whether bos, eos are added
    std::vector<std::pair<std::string, int64_t>> names;  // special tokens in texts, longest first
};

class SentencePiece final : public Tokenizer {
public:
    SentencePiece(std::unique_ptr<Model> model, Settings settings)
        : model_(std::move(model)), settings_(std::move(settings))
    {
        text = "#<sentencepiece model of " + std::to_string(model_->size()) + " pieces>";
        std::stable_sort(
            settings_.names.begin(), settings_.names.end(),
            [](const auto &a, const auto &b) { return a.first.size() > b.first.size(); });
        for (const auto &[name, id] : settings_.names) {
            size_ = std::max(size_, static_cast<size_t>(id) + 1);
            begins_name_[static_cast<unsigned char>(name[0])] = true;
        }
        size_ = std::max(size_, static_cast<size_t>(model_->size()));
    }

    const Model &model() const { return *model_; }

    size_t size() const override { return size_; }

    Tokens tokens(std::string_view text, bool parse_special) const override
    {
        return in_parts(text, parse_special, [&](std::string_view part, size_t from, Tokens &to) {
            for (const auto &piece : model_->pieces(part))
                to.push_back({piece.id, from + piece.start, from + piece.end});
        });
    }

    Tokens ids(std::string_view text, bool parse_special) const override
    {
        return in_parts(text, parse_special, [&](std::string_view part, size_t, Tokens &to) {
            std::vector<int> found = model_->ids(part);
            to.reserve(to.size() + found.size() + 2);
            for (int id : found) to.push_back({id, 0, 0});
        });
    }

    void frame(Tokens &tokens) const override
    {
        size_t end = tokens.empty() ? 0 : tokens.back().end;
        if (adds(settings_.begins, model_->begin()))
            tokens.insert(tokens.begin(), {model_->begin(), 0, 0});
        if (adds(settings_.ends, model_->end())) tokens.push_back({model_->end(), end, end});
    }

    size_t framing() const override
    {
        return size_t{adds(settings_.begins, model_->begin())} +
               adds(settings_.ends, model_->end());
    }

    std::string decode(const std::vector<int64_t> &ids, bool skip_special) const override
    {
        std::string made;
        std::vector<int> run;
        auto flush = [&] {
            if (!run.empty()) made += model_->decode(run, !skip_special);
            run.clear();
        };
        for (int64_t id : ids) {
            const std::string *name = added(id);
            if (!name) {
                if (id < model_->size()) run.push_back(static_cast<int>(id));
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
        int id = model_->id_of(token);
        if (id < 0 || model_->piece(id) != token) return std::nullopt;
        return id;
    }

    std::optional<std::string> token_of(int64_t id) const override
    {
        if (const std::string *name = added(id)) return *name;
        if (id >= model_->size()) return std::nullopt;
        return repaired(model_->piece(static_cast<int>(id)));
    }

    bool is_special(int64_t id) const override
    {
        return added(id) || (id < model_->size() && kind(id) == Kind::CONTROL);
    }

    std::string bytes_of(int64_t id) const override
    {
        if (id >= model_->size() || is_special(id)) return "";
        Kind is = kind(id);
        if (is == Kind::UNKNOWN || is == Kind::UNUSED) return "";
        const std::string &piece = model_->piece(static_cast<int>(id));
        if (is == Kind::BYTE)  // <0x41>
            return std::string(1, static_cast<char>(std::stoi(piece.substr(3, 2), nullptr, 16)));
        std::string bytes;
        for (size_t k = 0; k < piece.size();) {
            bool space = piece.compare(k, SPACE.size(), SPACE) == 0;
            bytes += space ? ' ' : piece[k];
            k += space ? SPACE.size() : 1;
        }
        return bytes;
    }

private:
    static constexpr std::string_view SPACE = "\u2581";  // stands for a space in pieces

    static bool adds(bool wanted, int id) { return wanted && id >= 0; }
    Kind kind(int64_t id) const { return model_->kind(static_cast<int>(id)); }

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
        return asking("SentencePiece cannot encode the text", [&] {
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
        });
    }

    std::unique_ptr<Model> model_;
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

Owned tokenizer_of(std::string_view bytes, const std::string &what, Settings &&settings)
{
    std::unique_ptr<Model> model =
        asking(what, [&] { return library().load(bytes); });
    return Owned::object(new SentencePiece(std::move(model), std::move(settings)));
}

// Names before values.
Options options_at(const ProcedureArguments &given, size_t k)
{
    Options options;
    for (const auto &[name, value] : entries_of(given.values[k], "a list", "a string as a name")) {
        if (value->kind != CT_STRING) wrong_kind("a string", *value);
        options.emplace_back(name, value->text);
    }
    return options;
}

// A training in a process of its own: the trainer cannot be interrupted, the process can be ended.
// It writes the message of its failure into a pipe.
class Training : public ct_object {
public:
    explicit Training(const Options &options)
    {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC)) fail_system("open", "a pipe", errno);
        reading_ = ends[0];
        std::fflush(nullptr);  // or both processes would write what waits
        process_ = fork();
        if (process_ == 0) train(options, ends[1]);
        int error = errno;
        close(ends[1]);
        if (process_ < 0) {
            close(reading_);
            throw Failure{std::string("cannot create a process: ") + std::strerror(error), ""};
        }
    }

    ~Training() override
    {
        if (process_ > 0) {
            kill(process_, SIGKILL);
            while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) continue;
        }
        close(reading_);
    }

    bool has_ended()
    {
        pollfd waiting{reading_, POLLIN, 0};
        if (process_ <= 0) return true;
        if (poll(&waiting, 1, MOMENT) <= 0) return false;
        char part[512];
        ssize_t size = read(reading_, part, sizeof part);
        if (size > 0) message_.append(part, static_cast<size_t>(size));
        if (size > 0 || (size < 0 && errno == EINTR)) return false;
        int status = 0;
        while (waitpid(process_, &status, 0) < 0 && errno == EINTR) continue;
        process_ = 0;
        if (!message_.empty()) throw Failure{message_, ""};
        if (status) throw Failure{"SentencePiece's trainer has ended early; there may be too little "
                                  "memory", ""};
        return true;
    }

private:
    [[noreturn]] static void train(const Options &options, int writing)
    {
        signal(SIGINT, SIG_IGN);  // the other process decides
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        int status = 0;
        try {
            asking("SentencePiece cannot train it", [&] { library().train(options); });
        } catch (const std::exception &failure) {
            bool no_memory = dynamic_cast<const std::bad_alloc *>(&failure) != nullptr;
            const char *text = no_memory ? "not enough memory" : failure.what();
            status = write(writing, text, std::strlen(text)) < 0 ? 2 : 1;
        }
        _exit(status);
    }

    static constexpr int MOMENT = 50;  // milliseconds

    pid_t process_ = 0;
    int reading_ = -1;
    std::string message_;
};

// A field of a message of protocol buffers that holds bytes.

constexpr int NORMALIZER = 3, CHARACTER_MAP = 2;   // of a model, of its normalizer

std::string field(int number, std::string_view bytes)
{
    constexpr int HOLDS_BYTES = 2;
    std::string made(1, static_cast<char>(number << 3 | HOLDS_BYTES));
    size_t size = bytes.size();
    for (; size >= 0x80; size >>= 7) made += static_cast<char>(size | 0x80);
    made += static_cast<char>(size);
    return made.append(bytes);
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
    library();
    FilePointer file = open_file(path);
    try {
        return tokenizer_of(file->text(0, file->size), "SentencePiece cannot read it",
                            settings_at(given, 1));
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
    sentencepiece::Lists lists;
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
    Options options = options_at(given, 3);
    std::string bytes = asking("the options do not fit",
                               [&] { return library().build(lists, options); });
    return tokenizer_of(bytes, "the pieces make no model", settings_at(given, 4));
}

Owned sentencepiece_of_lists(const PieceLists &given_lists, const ProcedureArguments &given,
                             size_t k)
{
    sentencepiece::Lists lists{given_lists.pieces, given_lists.scores, given_lists.kinds};
    Options options = options_at(given, k);
    std::string bytes = asking("the options do not fit",
                               [&] { return library().build(lists, options); });
    if (!given_lists.character_map.empty()) {
        std::string map = field(CHARACTER_MAP, given_lists.character_map);
        bytes += field(NORMALIZER, map);   // adds to the message before it
    }
    return tokenizer_of(bytes, "the pieces make no model",
                        {given.flag(k + 1), given.flag(k + 2), given_lists.names});
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

// Arguments: the options of SentencePiece's trainer; the result is a training.  Or a training: waits
// for a moment; the result is whether it has ended.
Owned train_sentencepiece(const ProcedureArguments &given)
{
    const ct_value &value = given.values[0];
    auto *training = value.kind == CT_OBJECT ? dynamic_cast<Training *>(value.object) : nullptr;
    if (training) return Owned::boolean(training->has_ended());
    Options options = options_at(given, 0);
    library();
    return Owned::object(new Training(options));
}

// The ids of bos, eos, unknown and padding, or -1.
Owned sentencepiece_ids(const ProcedureArguments &given)
{
    const sentencepiece::Model &model = sentencepiece_at(given, 0).model();
    std::vector<Owned> ids;
    for (int id : {model.begin(), model.end(), model.unknown(), model.padding()})
        ids.push_back(Owned::integer(id));
    return Owned::items(CT_LIST, std::move(ids));
}

}  // namespace ct
