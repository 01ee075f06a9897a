// document.cpp - changing and splitting a text while the origin of its bytes stays known.
//
// The rules for origins are those of Hugging Face's library, whose offsets are the reference: what
// is added belongs to the character before it.

#include "tokenizers/document.h"
#include "text/failure.h"
#include "text/byte_letters.h"
#include "text/text.h"

#include <algorithm>

namespace ct {

namespace {

constexpr size_t LONGEST = 0x7FFFFFFF;  // bytes of a text, before or after a change
// Normalizers that people use make at most 18 bytes of one.  The rules of a file can double a text
// again and again.
constexpr size_t MOST_GROWTH = 64, MOST_ADDED = 1 << 16;

// Joins neighbouring parts, as a behavior says.
void add_joined(Behavior behavior, const std::vector<Part> &parts, std::vector<Part> &out)
{
    bool previous = false;
    for (const Part &part : parts) {
        bool joins = behavior == Behavior::CONTIGUOUS ? part.matches == previous
                                                      : part.matches && !previous;
        if (joins && !out.empty()) out.back().end = part.end;
        else out.push_back({part.start, part.end, false});
        previous = part.matches;
    }
}

void add_joined_to_next(const std::vector<Part> &parts, std::vector<Part> &out)
{
    bool following = false;
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
        if (part->matches && !following && !out.empty()) out.back().start = part->start;
        else out.push_back({part->start, part->end, false});
        following = part->matches;
    }
    std::reverse(out.begin(), out.end());
}

}  // namespace

size_t most_bytes(size_t size) { return std::min(LONGEST, MOST_GROWTH * size + MOST_ADDED); }

void Aligned::check_size(size_t size) const
{
    if (size > most)
        fail_tokenizer("the rules of the tokenizer make more than " + std::to_string(most) +
                       " bytes of the text",
                       "they may make " + std::to_string(MOST_GROWTH) +
                           " bytes of each, and " + std::to_string(MOST_ADDED) + " more");
}

void Aligned::add(char32_t code, Span origin)
{
    check_size(text.size() + 1);
    size_t before = text.size();
    add_character(text, code);
    if (tracked) from.insert(from.end(), text.size() - before, origin);
}

void Aligned::add(std::string_view same, Span origin)
{
    check_size(text.size() + same.size());
    text += same;
    if (tracked) from.insert(from.end(), same.size(), origin);
}

void Aligned::transform(const std::vector<Change> &changes, size_t removed)
{
    Aligned made = begun();
    made.text.reserve(text.size() + changes.size());
    size_t at = 0;
    auto skip = [&] {
        if (at < text.size()) at += character_length(text[at]);
    };
    for (size_t k = 0; k < removed; k++) skip();
    for (const Change &change : changes) {
        Span origin{base, base};
        size_t where = change.kind > 0 ? at - 1 : std::min(at, text.empty() ? 0 : text.size() - 1);
        if (tracked && where < from.size()) origin = from[where];
        made.add(change.code, origin);
        if (change.kind > 0) continue;
        for (int32_t k = change.kind; k <= 0; k++) skip();
    }
    *this = std::move(made);
}

void Aligned::to_letters()
{
    Aligned made = begun();
    for (size_t k = 0; k < text.size(); k++)
        made.add(std::string_view(byte_letter(static_cast<unsigned char>(text[k]))),
                 tracked ? from[k] : Span{});
    *this = std::move(made);
}

void Aligned::prepend(std::string_view prefix)
{
    if (text.empty()) return;
    check_size(text.size() + prefix.size());
    Span origin = tracked ? from[0] : Span{};
    text.insert(0, prefix);
    if (tracked) from.insert(from.begin(), prefix.size(), origin);
}

Document::Document(std::string_view given, bool tracked)
    : text(given), tracked(tracked), most(most_bytes(given.size()))
{
    if (given.size() > LONGEST) fail_tokenizer("the text has more than 2 GB");
    pieces.push_back({0, static_cast<uint32_t>(given.size())});
}

Span Document::origin(uint32_t start, uint32_t end) const
{
    if (changed)
        return start < end && end <= from.size() ? Span{from[start].start, from[end - 1].end}
                                                 : Span{0, 0};
    while (start > 0 && start < text.size() && is_inside_character(text[start])) start--;
    while (end < text.size() && is_inside_character(text[end])) end++;
    return {start, end};
}

void Document::rebuild(const std::function<void(Aligned &)> &change)
{
    Aligned whole;
    whole.tracked = tracked;
    whole.most = LONGEST;  // parts may keep their sizes, however much the others have grown
    whole.text.reserve(text.size());
    std::vector<Piece> made;
    for (const Piece &old : pieces) {
        Aligned part;
        part.tracked = tracked;
        part.text = piece(old);
        part.most = std::max(part.text.size(), most - std::min(most, whole.text.size()));
        for (uint32_t k = old.start; tracked && k < old.end; k++)
            part.from.push_back(changed ? from[k] : Span{k, k + 1});
        if (tracked && !changed)
            for (uint32_t k = old.start; k < old.end;) {
                uint32_t next = k + static_cast<uint32_t>(character_length(text[k]));
                for (uint32_t i = k; i < next; i++) part.from[i - old.start] = {k, next};
                k = next;
            }
        if (tracked && !part.from.empty()) part.base = part.from[0].start;
        if (old.id < 0) change(part);
        uint32_t start = static_cast<uint32_t>(whole.text.size());
        whole.check_size(whole.text.size() + part.text.size());
        whole.text += part.text;
        whole.from.insert(whole.from.end(), part.from.begin(), part.from.end());
        made.push_back({start, static_cast<uint32_t>(whole.text.size()), old.id});
    }
    text = std::move(whole.text);
    from = std::move(whole.from);
    pieces = std::move(made);
    changed = true;
}

void PartsBuilder::match(size_t start, size_t end)
{
    if (at_ != start) parts_.push_back({at_, static_cast<uint32_t>(start), inverted_});
    parts_.push_back({static_cast<uint32_t>(start), static_cast<uint32_t>(end), !inverted_});
    at_ = static_cast<uint32_t>(end);
}

void PartsBuilder::finish(size_t size)
{
    if (at_ != size) parts_.push_back({at_, static_cast<uint32_t>(size), inverted_});
}

void split(Document &document, Behavior behavior, const FindParts &find)
{
    std::vector<Piece> made;
    std::vector<Part> parts, joined;
    made.reserve(document.pieces.size());
    for (const Piece &piece : document.pieces) {
        if (piece.id >= 0) {
            made.push_back(piece);
            continue;
        }
        parts.clear();
        joined.clear();
        find(document.piece(piece), parts);
        const std::vector<Part> *all = &parts;
        if (behavior == Behavior::WITH_NEXT) add_joined_to_next(parts, joined), all = &joined;
        if (behavior == Behavior::WITH_PREVIOUS || behavior == Behavior::CONTIGUOUS)
            add_joined(behavior, parts, joined), all = &joined;
        for (const Part &part : *all) {
            if (part.start == part.end || (behavior == Behavior::REMOVED && part.matches)) continue;
            made.push_back({piece.start + part.start, piece.start + part.end});
        }
    }
    document.pieces = std::move(made);
}

}  // namespace ct
