// piece_cutter.h - how SentencePiece's models cut a text into pieces.  C++ only, without LibTorch.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "pieces/model_file.h"
#include "pieces/piece_normalizer.h"
#include "pieces/vocabulary.h"

namespace ct {

// Part of a normalized text, and the id of its piece: that of the unknown one if it is none.
struct PieceToken {
    uint32_t start, end;
    int32_t id;
};

class PieceCutter {
public:
    virtual ~PieceCutter() = default;
    // Adds the tokens of a text, which cover it.
    virtual void cut(std::string_view text, std::vector<PieceToken> &tokens) const = 0;
};

// What a cutter needs of a model; borrowed, longer than the cutter lives.
struct PieceTables {
    const ModelFile &model;
    const Vocabulary &pieces;   // those that texts are cut into: no control symbols, no bytes ...
    const FixedPieces &fixed;
    int32_t unknown;            // an id, or -1
    bool is_utf8;               // whether all texts to cut are
};

std::unique_ptr<PieceCutter> piece_cutter(const PieceTables &tables);

}  // namespace ct
