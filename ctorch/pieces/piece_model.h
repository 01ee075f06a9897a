// piece_model.h - a model of SentencePiece: texts to ids and back.  C++ only, without LibTorch.
//
// Ids and texts are those of the sentencepiece package, whose version 0.2.3 is the reference.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pieces/model_file.h"
#include "pieces/piece_cutter.h"

namespace ct {

// A token, and the bytes of the text that it stands for.
struct TextPiece {
    int32_t id;
    size_t start, end;
};

class PieceModel {
public:
    // Of the bytes of a .model file.
    explicit PieceModel(std::string bytes);
    PieceModel(const PieceModel &) = delete;
    PieceModel &operator=(const PieceModel &) = delete;

    int64_t size() const { return static_cast<int64_t>(model_.pieces.size()); }
    std::vector<int32_t> ids(std::string_view text) const;
    std::vector<TextPiece> pieces(std::string_view text) const;
    // Control symbols are left out, or written by their names.
    std::string decode(const std::vector<int64_t> &ids, bool with_controls) const;

    std::string_view piece(int64_t id) const { return at(id).text; }
    PieceKind kind(int64_t id) const { return at(id).kind; }
    // That of the unknown symbol if there is none; -1 if that is missing, too.
    int32_t id_of(std::string_view piece) const;
    // Of the special symbols, or -1.
    int32_t unknown() const { return unknown_; }
    int32_t begin() const { return begin_; }
    int32_t end() const { return end_; }
    int32_t padding() const { return padding_; }
    const std::string &file() const { return bytes_; }   // the bytes of its .model file

private:
    struct Decoded;

    const ModelPiece &at(int64_t id) const { return model_.pieces[static_cast<size_t>(id)]; }
    void add_pieces();
    bool add_piece(int64_t id);
    void add_byte(int64_t id);
    int32_t control(std::string_view name, std::string_view otherwise) const;
    bool is_unknown(int32_t id) const { return id == unknown_; }

    std::string bytes_;
    ModelFile model_;
    Vocabulary cut_into_, reserved_;   // reserved: control symbols, the unknown one, bytes
    std::vector<int32_t> byte_ids_;    // by byte, if there are any
    int32_t unknown_ = -1, begin_ = -1, end_ = -1, padding_ = -1;
    FixedPieces fixed_;
    std::unique_ptr<PieceNormalizer> normalizer_, denormalizer_;
    std::unique_ptr<PieceCutter> cutter_;
};

}  // namespace ct
