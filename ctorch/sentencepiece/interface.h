// interface.h - what ctorch asks of the SentencePiece library.  C++ only.
//
// The library is SentencePiece's own source, compiled into one shared object (building.py).  Few
// programs use it, so tokenizers/sentencepiece.cpp opens it at the first such tokenizer.  Failures
// are std::runtime_error, with SentencePiece's words.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ct::sentencepiece {

struct Piece {
    int id;
    size_t start, end;  // bytes of the text
};

// As in SentencePiece's files.
enum class Kind : int { NORMAL = 1, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE };

struct Model {
    virtual ~Model() = default;
    virtual int size() const = 0;
    virtual std::vector<int> ids(std::string_view text) const = 0;
    virtual std::vector<Piece> pieces(std::string_view text) const = 0;
    // Control symbols are left out, or written by their names.
    virtual std::string decode(const std::vector<int> &ids, bool with_controls) const = 0;
    virtual std::string normalized(std::string_view text) const = 0;
    virtual const std::string &piece(int id) const = 0;
    virtual float score(int id) const = 0;
    virtual Kind kind(int id) const = 0;
    virtual int id_of(std::string_view piece) const = 0;  // of the unknown symbol if there is none
    // Of the special symbols, or -1.
    virtual int unknown() const = 0;
    virtual int begin() const = 0;
    virtual int end() const = 0;
    virtual int padding() const = 0;
    virtual std::string file() const = 0;  // the bytes of its .model file
};

// A model that is made of lists of one length.
struct Lists {
    std::vector<std::string> pieces;
    std::vector<float> scores;
    std::vector<int> kinds;
};

using Options = std::vector<std::pair<std::string, std::string>>;

struct Library {
    // From the bytes of a .model file.
    std::unique_ptr<Model> (*load)(std::string_view bytes);
    // The bytes of such a file; options are fields of its trainer_spec and normalizer_spec.
    std::string (*build)(const Lists &lists, const Options &options);
    // Writes PREFIX.model and PREFIX.vocab; options are those of SentencePiece's trainer.
    void (*train)(const Options &options);
};

constexpr const char *ENTRY = "ct_sentencepiece_library";  // a function that returns it

}  // namespace ct::sentencepiece
