// model_file.cpp - reading and writing the wire format of Protocol Buffers.
//
//     a field = its number and wire type in one varint, then its value: a varint, 4 or 8 bytes, or
//               a length and as many bytes, which may hold further fields

#include "pieces/model_file.h"

#include "errors/interrupts.h"
#include "text/failure.h"

#include <bit>
#include <cstdint>
#include <cstring>

namespace ct {

namespace {

constexpr size_t MOST_PIECES = size_t{1} << 23;   // far more than any model has

enum WireType : uint64_t { VARINT = 0, FIXED64 = 1, LENGTH = 2, FIXED32 = 5 };

// The numbers of fields.
namespace of_model { enum : uint64_t { PIECE = 1, TRAINER = 2, NORMALIZER = 3, DENORMALIZER = 5 }; }
namespace of_piece { enum : uint64_t { TEXT = 1, SCORE = 2, KIND = 3 }; }
namespace of_trainer {
enum : uint64_t {
    KIND = 3, SPACE_AS_SUFFIX = 24, BYTE_FALLBACK = 35, UNKNOWN_TEXT = 44, UNKNOWN = 45, BEGIN = 46,
    END = 47, PADDING = 48
};
}
namespace of_normalizer {
enum : uint64_t { CHARACTER_MAP = 2, DUMMY_PREFIX = 3, REMOVE_SPACES = 4, ESCAPE_SPACES = 5 };
}

// The fields of a message; every read is checked.
class Fields {
public:
    explicit Fields(std::string_view message) : Fields(message, 0) {}

    // Goes to the next field; false at the end.  What was not read of the last one is skipped.
    bool next()
    {
        skip();
        if (at_ == bytes_.size()) return false;
        uint64_t tag = varint();
        number_ = tag >> 3;
        type_ = static_cast<WireType>(tag & 7);
        waiting_ = true;
        if (!number_) fail();
        return true;
    }

    uint64_t number() const { return number_; }

    // The value of a field, if it has the wire type; others are skipped, as readers of Protocol
    // Buffers do.

    void read(std::string_view &text)
    {
        if (is(LENGTH)) text = take(varint());
    }
    void read(bool &flag)
    {
        if (is(VARINT)) flag = varint() != 0;
    }
    void read(float &number)
    {
        if (!is(FIXED32)) return;
        uint32_t bits;
        std::memcpy(&bits, take(sizeof bits).data(), sizeof bits);
        number = std::bit_cast<float>(bits);
    }
    template <class Choice>
    void read_choice(Choice &choice)
    {
        if (is(VARINT)) choice = static_cast<Choice>(static_cast<int>(varint()));
    }
    // Calls each(fields) for each field of the message that this one holds; false if it holds none.
    template <class Each>
    bool read_message(Each each)
    {
        if (!is(LENGTH)) return false;
        std::string_view message = take(varint());
        Fields inner(message, base_ + at_ - message.size());
        while (inner.next()) each(inner);
        return true;
    }

    [[noreturn]] void fail() const
    {
        fail_tokenizer("it is not a complete file of that format (byte " +
                       std::to_string(base_ + at_) + ")");
    }

private:
    // base: where the message begins in the file.
    Fields(std::string_view message, size_t base) : bytes_(message), base_(base) {}

    // Whether the value has that type; it is read now if so.
    bool is(WireType type)
    {
        if (!waiting_ || type != type_) return false;
        waiting_ = false;
        return true;
    }

    void skip()
    {
        if (!waiting_) return;
        waiting_ = false;
        switch (type_) {
        case VARINT: varint(); break;
        case FIXED64: take(8); break;
        case LENGTH: take(varint()); break;
        case FIXED32: take(4); break;
        default: fail();
        }
    }

    uint64_t varint()
    {
        uint64_t number = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            if (at_ == bytes_.size()) fail();
            auto byte = static_cast<unsigned char>(bytes_[at_++]);
            number |= static_cast<uint64_t>(byte & 0x7F) << shift;
            if (byte < 0x80) return number;
        }
        fail();
    }

    std::string_view take(uint64_t length)
    {
        if (length > bytes_.size() - at_) fail();
        std::string_view taken = bytes_.substr(at_, length);
        at_ += length;
        return taken;
    }

    std::string_view bytes_;
    size_t base_, at_ = 0;
    uint64_t number_ = 0;
    WireType type_ = VARINT;
    bool waiting_ = false;   // whether the value of the field is still to be read
};

ModelPiece read_piece(Fields &field)
{
    ModelPiece piece;
    field.read_message([&](Fields &inner) {
        switch (inner.number()) {
        case of_piece::TEXT: inner.read(piece.text); break;
        case of_piece::SCORE: inner.read(piece.score); break;
        case of_piece::KIND: inner.read_choice(piece.kind); break;
        }
    });
    return piece;
}

void read_trainer(Fields &field, ModelFile &model)
{
    field.read_message([&](Fields &inner) {
        switch (inner.number()) {
        case of_trainer::KIND: inner.read_choice(model.kind); break;
        case of_trainer::SPACE_AS_SUFFIX: inner.read(model.space_as_suffix); break;
        case of_trainer::BYTE_FALLBACK: inner.read(model.byte_fallback); break;
        case of_trainer::UNKNOWN_TEXT: inner.read(model.unknown_text); break;
        case of_trainer::UNKNOWN: inner.read(model.unknown); break;
        case of_trainer::BEGIN: inner.read(model.begin); break;
        case of_trainer::END: inner.read(model.end); break;
        case of_trainer::PADDING: inner.read(model.padding); break;
        }
    });
}

bool read_normalizer(Fields &field, NormalizerSettings &settings)
{
    return field.read_message([&](Fields &inner) {
        switch (inner.number()) {
        case of_normalizer::CHARACTER_MAP: inner.read(settings.character_map); break;
        case of_normalizer::DUMMY_PREFIX: inner.read(settings.dummy_prefix); break;
        case of_normalizer::REMOVE_SPACES: inner.read(settings.remove_spaces); break;
        case of_normalizer::ESCAPE_SPACES: inner.read(settings.escape_spaces); break;
        }
    });
}

// Writing.

void add_varint(std::string &to, uint64_t number)
{
    for (; number >= 0x80; number >>= 7) to += static_cast<char>(number | 0x80);
    to += static_cast<char>(number);
}

void add_number(std::string &to, uint64_t field, uint64_t number)
{
    add_varint(to, field << 3 | VARINT);
    add_varint(to, number);
}

void add_text(std::string &to, uint64_t field, std::string_view text)
{
    add_varint(to, field << 3 | LENGTH);
    add_varint(to, text.size());
    to += text;
}

void add_score(std::string &to, uint64_t field, float score)
{
    add_varint(to, field << 3 | FIXED32);
    char bytes[sizeof score];
    std::memcpy(bytes, &score, sizeof score);
    to.append(bytes, sizeof score);
}

}  // namespace

ModelFile read_model_file(std::string_view bytes)
{
    ModelFile model;
    Fields fields(bytes);
    Polls polls;
    while (fields.next()) {
        polls.step();
        switch (fields.number()) {
        case of_model::PIECE:
            if (model.pieces.size() == MOST_PIECES) fields.fail();
            model.pieces.push_back(read_piece(fields));
            break;
        case of_model::TRAINER: read_trainer(fields, model); break;
        case of_model::NORMALIZER: read_normalizer(fields, model.normalizer); break;
        case of_model::DENORMALIZER:
            model.has_denormalizer |= read_normalizer(fields, model.denormalizer);
            break;
        }
    }
    return model;
}

std::string model_file_bytes(const ModelFile &model)
{
    std::string file, trainer, normalizer;
    for (const ModelPiece &piece : model.pieces) {
        std::string message;
        add_text(message, of_piece::TEXT, piece.text);
        add_score(message, of_piece::SCORE, piece.score);
        add_number(message, of_piece::KIND, static_cast<uint64_t>(piece.kind));
        add_text(file, of_model::PIECE, message);
    }
    add_number(trainer, of_trainer::KIND, static_cast<uint64_t>(model.kind));
    add_number(trainer, of_trainer::BYTE_FALLBACK, model.byte_fallback);
    for (auto [number, text] : {std::pair{of_trainer::UNKNOWN, model.unknown},
                                {of_trainer::BEGIN, model.begin},
                                {of_trainer::END, model.end},
                                {of_trainer::PADDING, model.padding}})
        if (!text.empty()) add_text(trainer, number, text);
    add_text(file, of_model::TRAINER, trainer);
    if (!model.normalizer.character_map.empty())
        add_text(normalizer, of_normalizer::CHARACTER_MAP, model.normalizer.character_map);
    add_number(normalizer, of_normalizer::DUMMY_PREFIX, model.normalizer.dummy_prefix);
    add_number(normalizer, of_normalizer::REMOVE_SPACES, model.normalizer.remove_spaces);
    return add_text(file, of_model::NORMALIZER, normalizer), file;
}

}  // namespace ct
