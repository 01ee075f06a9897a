// piece_normalizer.cpp - SentencePiece's normalization: from each byte on, a text that always is
// one piece stays, the longest text of the map is replaced, or one character stays.  Spaces become
// U+2581.

#include "pieces/piece_normalizer.h"

#include "errors/interrupts.h"
#include "text/failure.h"
#include "text/text.h"

namespace ct {

namespace {

// SentencePiece looks at so many texts that begin another one, and no further.
constexpr size_t MOST_RULES = 32, MOST_FIXED = 64;
constexpr size_t LONGEST = 0x7FFFFFFF;   // bytes of a result: places in it are int32_t

bool is_beyond_ascii(char byte) { return static_cast<unsigned char>(byte) >= 0x80; }

}  // namespace

// Fixed pieces.

FixedPieces::FixedPieces(const std::vector<std::string_view> &texts)
{
    std::vector<Trie::Entry> entries;
    for (std::string_view text : texts) {
        entries.emplace_back(text, 0);
        begins_[static_cast<unsigned char>(text[0])] = true;
    }
    trie_ = Trie(std::move(entries));
}

size_t FixedPieces::length_at(std::string_view text, size_t at) const
{
    if (!begins_[static_cast<unsigned char>(text[at])]) return 0;
    size_t longest = 0, count = 0;
    trie_.beginnings(text.substr(at), [&](size_t length, int32_t) {
        longest = length;
        return ++count < MOST_FIXED;
    });
    return longest;
}

// The normalizer.

// A result, and where its bytes came from.
struct PieceNormalizer::Growing {
    std::string text{};
    std::vector<uint32_t> *origins = nullptr;

    void add(std::string_view part, size_t origin)
    {
        text += part;
        if (origins) origins->insert(origins->end(), part.size(), static_cast<uint32_t>(origin));
    }

    // A part that stays as it is.
    void keep(std::string_view part, size_t origin)
    {
        text += part;
        if (!origins) return;
        for (size_t k = 0; k < part.size(); k++)
            origins->push_back(static_cast<uint32_t>(origin + k));
    }

    void shorten(size_t size)
    {
        text.resize(size);
        if (origins) origins->resize(size);
    }
};

PieceNormalizer::PieceNormalizer(const NormalizerSettings &settings, bool space_as_suffix,
                                 const FixedPieces &fixed)
    : settings_(settings), space_as_suffix_(space_as_suffix), fixed_(fixed)
{
    if (!settings.character_map.empty() &&
        !(map_.read(settings.character_map) && map_.is_complete()))
        fail_tokenizer("its map of characters is damaged");
    settings_.character_map = {};
    for (unsigned byte = 0; byte < 0x80; byte++) {
        auto letter = static_cast<unsigned char>(byte);
        stays_[byte] = !fixed.begin_with(letter) && map_.keeps_ascii(letter);
    }
}

bool PieceNormalizer::makes_utf8() const
{
    size_t bad;
    return is_utf8(map_.texts(), &bad);
}

// What the text at a place becomes, and how long that text is.
PieceNormalizer::Step PieceNormalizer::step(std::string_view text, size_t at) const
{
    if (size_t length = fixed_.length_at(text, at)) return {text.substr(at, length), length};
    size_t length = 0, place = 0, count = 0;
    map_.beginnings(text.substr(at), [&](size_t longer, uint32_t there) {
        length = longer;
        place = there;
        return ++count < MOST_RULES;
    });
    if (length && place < map_.texts().size()) return {map_.text_at(place), length};
    size_t whole = character_length(text[at]), bad;
    if (whole > text.size() - at || !is_utf8(text.substr(at, whole), &bad)) return {REPLACEMENT, 1};
    return {text.substr(at, whole), whole};
}

// Adds what becomes of the text from a place on, which does not begin with spaces to remove.
void PieceNormalizer::add_all(std::string_view text, size_t at, Growing &to) const
{
    std::string_view space = settings_.escape_spaces ? SPACE_PIECE : std::string_view(" ");
    bool after_space = settings_.remove_spaces;
    Polls polls;
    while (at < text.size()) {
        polls.step();
        size_t end = at;
        while (end < text.size() && text[end] != ' ' &&
               stays_[static_cast<unsigned char>(text[end])])
            end++;
        if (end > at && end < text.size() && is_beyond_ascii(text[end])) end--;
        if (end > at) {
            to.keep(text.substr(at, end - at), at);
            after_space = false;
            at = end;
            continue;
        }
        bool is_space = text[at] == ' ' && stays_[' '] &&
                        (at + 1 == text.size() || !is_beyond_ascii(text[at + 1]));
        auto [becomes, length] = is_space ? Step{" ", 1} : step(text, at);
        while (after_space && becomes.starts_with(' ')) becomes.remove_prefix(1);
        for (char byte : becomes) to.add(byte == ' ' ? space : std::string_view(&byte, 1), at);
        if (!becomes.empty()) after_space = settings_.remove_spaces && becomes.ends_with(' ');
        at += length;
        if (to.text.size() > LONGEST) fail_tokenizer("the text has more than 2 GB");
    }
}

std::string PieceNormalizer::apply(std::string_view text, std::vector<uint32_t> *origins) const
{
    Growing to{{}, origins};
    if (text.size() > LONGEST) fail_tokenizer("the text has more than 2 GB");
    std::string_view space = settings_.escape_spaces ? SPACE_PIECE : std::string_view(" ");
    size_t at = 0;
    while (settings_.remove_spaces && at < text.size()) {
        Step first = step(text, at);
        if (first.becomes != " ") break;
        at += first.length;
    }
    if (at == text.size()) return {};
    to.text.reserve(text.size() + text.size() / 2);
    if (origins) origins->reserve(text.size() + text.size() / 2);
    if (!space_as_suffix_ && settings_.dummy_prefix) to.add(space, at);
    add_all(text, at, to);
    size_t end = text.size();   // of what the last byte came from
    while (settings_.remove_spaces && to.text.ends_with(space)) {
        size_t size = to.text.size() - space.size();
        if (origins) end = (*origins)[size];
        to.shorten(size);
    }
    if (space_as_suffix_ && settings_.dummy_prefix) to.add(space, end);
    if (origins) origins->push_back(static_cast<uint32_t>(end));
    return std::move(to.text);
}

}  // namespace ct
