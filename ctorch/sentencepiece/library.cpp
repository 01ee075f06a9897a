// library.cpp - the face of SentencePiece that interface.h declares.
//
// This file is compiled with SentencePiece, not with ctorch: it needs neither LibTorch nor ctorch.

#include "sentencepiece/interface.h"

#include "sentencepiece.pb.h"
#include "sentencepiece_model.pb.h"
#include "sentencepiece_processor.h"
#include "sentencepiece_trainer.h"

#include <dlfcn.h>

#include <stdexcept>
#include <unordered_map>

namespace {

using namespace ct::sentencepiece;

void check(const absl::Status &status)
{
    if (!status.ok()) throw std::runtime_error(std::string(status.message()));
}

class Loaded final : public Model {
public:
    explicit Loaded(std::string_view bytes)
    {
        auto proto = std::make_unique<::sentencepiece::ModelProto>();
        if (!proto->ParseFromArray(bytes.data(), bytes.size()))
            throw std::runtime_error("it is not a complete file of that format");
        if (!proto->pieces_size()) throw std::runtime_error("it has no pieces");
        check(processor_.Load(std::move(proto)));
    }

    int size() const override { return processor_.GetPieceSize(); }

    std::vector<int> ids(std::string_view text) const override
    {
        std::vector<int> found;
        check(processor_.Encode(text, &found));
        return found;
    }

    std::vector<Piece> pieces(std::string_view text) const override
    {
        ::sentencepiece::SentencePieceText encoded;
        check(processor_.Encode(text, &encoded));
        std::vector<Piece> found;
        for (const auto &piece : encoded.pieces())
            found.push_back({static_cast<int>(piece.id()), piece.begin(), piece.end()});
        return found;
    }

    std::string decode(const std::vector<int> &ids, bool with_controls) const override
    {
        std::string text;
        if (!with_controls) {
            check(processor_.Decode(std::span<const int>(ids), &text));
            return text;
        }
        ::sentencepiece::SentencePieceText decoded;
        check(processor_.Decode(std::span<const int>(ids), &decoded));
        for (const auto &piece : decoded.pieces())
            text += kind(static_cast<int>(piece.id())) == Kind::CONTROL ? piece.piece()
                                                                        : piece.surface();
        return text;
    }

    std::string normalized(std::string_view text) const override
    {
        std::string made;
        check(processor_.Normalize(text, &made));
        return made;
    }

    const std::string &piece(int id) const override { return processor_.IdToPiece(id); }
    float score(int id) const override { return processor_.GetScore(id); }

    Kind kind(int id) const override
    {
        return static_cast<Kind>(processor_.model_proto().pieces(id).type());
    }

    int id_of(std::string_view piece) const override { return processor_.PieceToId(piece); }
    int unknown() const override { return processor_.unk_id(); }
    int begin() const override { return processor_.bos_id(); }
    int end() const override { return processor_.eos_id(); }
    int padding() const override { return processor_.pad_id(); }
    std::string file() const override { return processor_.serialized_model_proto(); }

private:
    ::sentencepiece::SentencePieceProcessor processor_;
};

std::unique_ptr<Model> load(std::string_view bytes) { return std::make_unique<Loaded>(bytes); }

std::string build(const Lists &lists, const Options &options)
{
    using ::sentencepiece::SentencePieceTrainer;
    ::sentencepiece::ModelProto model;
    for (const auto &[name, value] : options) {
        absl::Status status =
            SentencePieceTrainer::SetProtoField(name, value, model.mutable_trainer_spec());
        if (absl::IsNotFound(status))
            status = SentencePieceTrainer::SetProtoField(name, value,
                                                         model.mutable_normalizer_spec());
        check(status);
    }
    for (size_t k = 0; k < lists.pieces.size(); k++) {
        auto *piece = model.add_pieces();
        piece->set_piece(lists.pieces[k]);
        piece->set_score(lists.scores[k]);
        using Type = ::sentencepiece::ModelProto::SentencePiece::Type;
        piece->set_type(static_cast<Type>(lists.kinds[k]));
    }
    return model.SerializeAsString();
}

// The folder of this library, where the rules of normalisation are.
std::string folder()
{
    Dl_info here;
    if (!dladdr(reinterpret_cast<void *>(folder), &here) || !here.dli_fname) return ".";
    std::string path = here.dli_fname;
    return path.substr(0, path.rfind('/'));
}

void train(const Options &options)
{
    ::sentencepiece::SetDataDir(folder());
    std::unordered_map<std::string, std::string> each(options.begin(), options.end());
    check(::sentencepiece::SentencePieceTrainer::Train(each));
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const Library *ct_sentencepiece_library()
{
    static const Library library{load, build, train};
    return &library;
}
