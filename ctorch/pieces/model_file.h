// model_file.h - SentencePiece's .model files: a message of Protocol Buffers.  C++ only, without
// LibTorch.
//
// Only the fields that encoding and decoding need are read, the others are skipped.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ct {

// As in the files; other numbers may occur there.
enum class PieceKind : int { NORMAL = 1, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE };
enum class PieceModelKind : int { UNIGRAM = 1, BPE, WORD, CHARACTERS };

struct ModelPiece {
    std::string_view text{};
    float score = 0;
    PieceKind kind = PieceKind::NORMAL;
};

// How texts are changed before they are cut (normalizer_spec), or after decoding.
struct NormalizerSettings {
    std::string_view character_map{};
    bool dummy_prefix = true, remove_spaces = true, escape_spaces = true;
};

// Texts are parts of the bytes that it was read from.
struct ModelFile {
    std::vector<ModelPiece> pieces{};
    PieceModelKind kind = PieceModelKind::UNIGRAM;
    bool byte_fallback = false, space_as_suffix = false, has_denormalizer = false;
    // The pieces that have a meaning, and what decoding writes for the unknown one.
    std::string_view unknown{}, begin{}, end{}, padding{};
    std::string_view unknown_text = " \u2047 ";
    NormalizerSettings normalizer{}, denormalizer{};
};

// Fails with the byte where a file is damaged.
ModelFile read_model_file(std::string_view bytes);
// The bytes of a file with the same contents, but without a denormalizer and space_as_suffix.
std::string model_file_bytes(const ModelFile &model);

}  // namespace ct
