// document.h - a text on its way to tokens: its pieces, and where each byte came from.  C++ only.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ct {

// Bytes of the text that the user gave.
struct Span {
    uint32_t start, end;
};

// A part of the changed text: a token that was found by name, or text that is still to be encoded.
struct Piece {
    uint32_t start, end;
    int64_t id = -1;
};

// A new character, and how it came about: 1 if it is added, 0 if it replaces one, -n if it replaces
// one and n more that follow it.
struct Change {
    char32_t code;
    int32_t kind;
};

// A text with the origin of each byte, if origins are tracked.
struct Aligned {
    std::string text{};
    std::vector<Span> from{};
    bool tracked = true;
    uint32_t base = 0;      // where the text began, for what stands before everything
    size_t most = SIZE_MAX;  // bytes that the text may have

    // Another text in the place of this one, empty.
    Aligned begun() const { return {{}, {}, tracked, base, most}; }
    // Fails if a change would make the text that long.
    void check_size(size_t size) const;
    void add(char32_t code, Span origin);
    void add(std::string_view same, Span origin);
    // Replace everything: the first characters are removed, then the changes apply in order.
    void transform(const std::vector<Change> &changes, size_t removed = 0);
    // Replace each byte by its letter in GPT-2's alphabet.
    void to_letters();
    // Put a prefix before a text that is not empty; its origin is that of the first byte.
    void prepend(std::string_view prefix);
};

// The bytes that the rules of a file may make of a text.
size_t most_bytes(size_t size);

struct Document {
    explicit Document(std::string_view text, bool tracked);

    std::string_view piece(const Piece &piece) const
    {
        return std::string_view(text).substr(piece.start, piece.end - piece.start);
    }
    // The bytes of the given text that part of the changed text came from.
    Span origin(uint32_t start, uint32_t end) const;
    // Change the text of the pieces that are not tokens yet.
    void rebuild(const std::function<void(Aligned &)> &change);

    std::string text;
    std::vector<Span> from{};    // empty while the text is as it was given
    bool tracked;
    size_t most;                 // bytes that the text may become
    bool changed = false;
    std::vector<Piece> pieces;
    // Whether models see each byte as a character of GPT-2's alphabet.
    bool as_bytes = false;
};

// How a match becomes pieces.
enum class Behavior { REMOVED, ISOLATED, WITH_PREVIOUS, WITH_NEXT, CONTIGUOUS };

// Parts of a piece, which cover it, and whether each is a match.
struct Part {
    uint32_t start, end;
    bool matches;
};
using FindParts = std::function<void(std::string_view text, std::vector<Part> &parts)>;

void split(Document &document, Behavior behavior, const FindParts &find);

// Adds matches to parts, and what lies between them.
class PartsBuilder {
public:
    PartsBuilder(std::vector<Part> &parts, bool inverted) : parts_(parts), inverted_(inverted) {}
    void match(size_t start, size_t end);
    void finish(size_t size);

private:
    std::vector<Part> &parts_;
    bool inverted_;
    uint32_t at_ = 0;
};

}  // namespace ct
