// piece_model.cpp - checks a model's pieces as SentencePiece does, encodes and decodes.

#include "pieces/piece_model.h"

#include "errors/interrupts.h"
#include "files/files.h"
#include "text/byte_letters.h"
#include "text/failure.h"
#include "text/text.h"

namespace ct {

namespace {

constexpr size_t LONGEST_PIECE = 8000;   // bytes
constexpr size_t BYTES = 256;
constexpr std::string_view NUL("\0", 1);

bool is_cut_into(PieceKind kind)
{
    return kind == PieceKind::NORMAL || kind == PieceKind::USER_DEFINED ||
           kind == PieceKind::UNUSED;
}

// Adds bytes, with U+FFFD for each that is not UTF-8.
void add_repaired(std::string &to, std::string_view bytes)
{
    while (!bytes.empty()) {
        size_t good = bytes.size();
        if (is_utf8(bytes, &good)) good = bytes.size();
        to += bytes.substr(0, good);
        bytes.remove_prefix(good);
        if (bytes.empty()) return;
        to += REPLACEMENT;
        bytes.remove_prefix(1);
    }
}

}  // namespace

PieceModel::PieceModel(std::string bytes)
    : bytes_(std::move(bytes)), model_(read_model_file(bytes_))
{
    if (model_.pieces.empty()) fail_tokenizer("it has no pieces");
    add_pieces();
    normalizer_ = std::make_unique<PieceNormalizer>(model_.normalizer, model_.space_as_suffix,
                                                    fixed_);
    if (model_.has_denormalizer && !model_.denormalizer.character_map.empty()) {
        static const FixedPieces none;
        denormalizer_ = std::make_unique<PieceNormalizer>(model_.denormalizer, false, none);
    }
    bool is_utf8 = normalizer_->makes_utf8();
    for (const ModelPiece &piece : model_.pieces) {
        size_t bad;
        if (piece.kind == PieceKind::USER_DEFINED) is_utf8 &= ct::is_utf8(piece.text, &bad);
    }
    cutter_ = piece_cutter({model_, cut_into_, fixed_, unknown_, is_utf8});
    begin_ = control(model_.begin, "<s>");
    end_ = control(model_.end, "</s>");
    padding_ = control(model_.padding, "<pad>");
}

void PieceModel::add_pieces()
{
    cut_into_.reserve(model_.pieces.size());
    std::vector<std::string_view> fixed;
    Polls polls;
    for (const ModelPiece &piece : model_.pieces)
        if (piece.text.size() >= LONGEST_PIECE) fail_tokenizer("piece is too long");
    for (int64_t id = 0; id < size(); id++) {
        polls.step();
        if (add_piece(id) && kind(id) == PieceKind::USER_DEFINED) fixed.push_back(piece(id));
    }
    if (unknown_ < 0 && !model_.byte_fallback) fail_tokenizer("unk is not defined");
    for (size_t byte = 0; model_.byte_fallback && byte < BYTES; byte++)
        if (byte_ids_.empty() || byte_ids_[byte] < 0)
            fail_tokenizer("there are not 256 byte pieces although `byte_fallback` is true");
    fixed_ = FixedPieces(fixed);
}

// Whether it is a piece that counts.
bool PieceModel::add_piece(int64_t id)
{
    ModelPiece &piece = model_.pieces[static_cast<size_t>(id)];
    // Some converters add it to models that have a piece for each byte.
    if (piece.text == NUL && model_.byte_fallback) piece.kind = PieceKind::UNUSED;
    if (piece.text.empty()) fail_tokenizer("piece must not be empty");
    if (piece.text == NUL && piece.kind == PieceKind::UNUSED) return false;
    if (piece.text.find('\0') != std::string_view::npos)
        fail_tokenizer("piece must not include null character");
    bool cut_into = is_cut_into(piece.kind), is_bpe = model_.kind == PieceModelKind::BPE;
    Vocabulary &others = cut_into ? reserved_ : cut_into_;
    if ((is_bpe && others.id_of(piece.text) >= 0) ||
        !(cut_into ? cut_into_ : reserved_).add(piece.text, id))
        fail_tokenizer(std::string(piece.text) + " is already defined");
    if (piece.kind == PieceKind::UNKNOWN) {
        if (unknown_ >= 0) fail_tokenizer("unk is already defined");
        unknown_ = static_cast<int32_t>(id);
    }
    if (piece.kind == PieceKind::BYTE) add_byte(id);
    return true;
}

void PieceModel::add_byte(int64_t id)
{
    std::string text(piece(id));
    if (!model_.byte_fallback)
        fail_tokenizer("byte piece " + in_quotes(text) + " is found although `byte_fallback` is false");
    int byte = byte_named(text);
    if (byte < 0 || byte_token(static_cast<unsigned char>(byte)) != text)
        fail_tokenizer("byte piece " + in_quotes(text) + " is invalid");
    byte_ids_.resize(BYTES, -1);
    byte_ids_[static_cast<size_t>(byte)] = static_cast<int32_t>(id);
}

int32_t PieceModel::id_of(std::string_view piece) const
{
    int64_t id = reserved_.id_of(piece);
    if (id < 0) id = cut_into_.id_of(piece);
    return id < 0 ? unknown_ : static_cast<int32_t>(id);
}

// The control symbol of a name, or -1.
int32_t PieceModel::control(std::string_view name, std::string_view otherwise) const
{
    int32_t id = id_of(name.empty() ? otherwise : name);
    return id >= 0 && kind(id) == PieceKind::CONTROL ? id : -1;
}

// Encoding.

// Unknown neighbours are one token; with byte_fallback, unknown ones are their bytes.

std::vector<int32_t> PieceModel::ids(std::string_view text) const
{
    std::string changed = normalizer_->apply(text, nullptr);
    std::vector<PieceToken> tokens;
    cutter_->cut(changed, tokens);
    std::vector<int32_t> ids;
    ids.reserve(tokens.size());
    bool after_unknown = false;
    for (const PieceToken &token : tokens) {
        bool unknown = is_unknown(token.id);
        if (unknown && model_.byte_fallback)
            for (uint32_t k = token.start; k < token.end; k++)
                ids.push_back(byte_ids_[static_cast<unsigned char>(changed[k])]);
        else if (!(unknown && after_unknown)) ids.push_back(token.id);
        after_unknown = unknown;
    }
    return ids;
}

std::vector<TextPiece> PieceModel::pieces(std::string_view text) const
{
    std::vector<uint32_t> origins;
    std::string changed = normalizer_->apply(text, &origins);
    std::vector<PieceToken> tokens;
    cutter_->cut(changed, tokens);
    std::vector<TextPiece> pieces;
    pieces.reserve(tokens.size());
    bool after_unknown = false;
    for (const PieceToken &token : tokens) {
        size_t start = origins[token.start], end = origins[token.end];
        bool unknown = is_unknown(token.id);
        if (unknown && model_.byte_fallback) {   // the last byte stands for the character
            for (uint32_t k = token.start; k < token.end; k++)
                pieces.push_back({byte_ids_[static_cast<unsigned char>(changed[k])], start, start});
            pieces.back().end = end;
        } else if (unknown && after_unknown) {
            pieces.back().end = end;
        } else {
            pieces.push_back({token.id, start, end});
        }
        after_unknown = unknown;
    }
    return pieces;
}

// Decoding.

// A text in the making, and the bytes that may become characters of it.
struct PieceModel::Decoded {
    std::string text{}, bytes{};
    bool begun = false;   // whether a space at the beginning was removed, or there is text

    void flush()
    {
        add_repaired(text, bytes);
        begun = begun || !bytes.empty();
        bytes.clear();
    }
};

std::string PieceModel::decode(const std::vector<int64_t> &ids, bool with_controls) const
{
    const NormalizerSettings &settings = model_.normalizer;
    Decoded to;
    for (int64_t id : ids) {
        auto [piece, score, kind] = at(id);
        if (kind == PieceKind::BYTE) {
            to.bytes += static_cast<char>(byte_named(piece));
            continue;
        }
        to.flush();
        if (kind == PieceKind::CONTROL) {
            if (with_controls) to.text += piece;
            continue;
        }
        bool had_space = !to.begun && (settings.dummy_prefix || settings.remove_spaces) &&
                         piece.starts_with(SPACE_PIECE);
        if (had_space) piece.remove_prefix(SPACE_PIECE.size());
        size_t before = to.text.size();
        if (kind == PieceKind::UNKNOWN) {
            to.text += model_.unknown_text;
        } else {
            for (size_t found; (found = piece.find(SPACE_PIECE)) != std::string_view::npos;) {
                to.text.append(piece.substr(0, found)) += ' ';
                piece.remove_prefix(found + SPACE_PIECE.size());
            }
            to.text += piece;
        }
        // All spaces at the beginning are removed if extra ones are.
        to.begun = to.begun || (had_space && !settings.remove_spaces) || to.text.size() > before;
    }
    to.flush();
    return denormalizer_ && !with_controls ? denormalizer_->apply(to.text, nullptr)
                                           : std::move(to.text);
}

}  // namespace ct
