// pairs.cpp - rows of two texts each, as encoders take them: a question and a passage.
//
//     [CLS] a question [SEP] a passage [SEP] [PAD]
//       0   0     0      0   1    1      1     0       types, for the model
//      -1   0     0     -1   1    1     -1    -1       texts: which of the two a token is of

#include <algorithm>
#include <array>
#include <cstdint>

#include "tokenizers/tokenizer.h"
#include "errors/interrupts.h"

#include <ATen/ops/empty.h>

namespace {

using namespace ct;

struct PairRow {
    std::vector<int64_t> ids{}, types{}, texts{};

    void add(int64_t id, int64_t type, int64_t text)
    {
        ids.push_back(id);
        types.push_back(type);
        texts.push_back(text);
    }
};

// Take tokens from the longer text until both have at most so many, as Hugging Face's
// "longest_first" does.
void cut_longest(size_t &first, size_t &second, size_t most)
{
    if (first + second <= most) return;
    size_t &shorter = first <= second ? first : second;
    size_t &longer = first <= second ? second : first;
    longer = shorter > most ? shorter : std::max(shorter, most - shorter);
    if (shorter + longer > most) {
        shorter = most / 2;
        longer = shorter + most % 2;
    }
}

// The tokens of a text after the first `skipped`.
Tokens tokens_after(const Tokenizer &tokenizer, const std::string &text, int64_t skipped)
{
    Tokens tokens = tokenizer.ids(text, true);
    size_t start = std::min(tokens.size(), static_cast<size_t>(std::max<int64_t>(skipped, 0)));
    tokens.erase(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(start));
    return tokens;
}

PairRow row_of_pair(const std::vector<PairPart> &frame, const Tokens &first, size_t first_size,
                    const Tokens &second, size_t second_size)
{
    PairRow row;
    for (const PairPart &part : frame) {
        if (part.id >= 0) {
            row.add(part.id, part.type, -1);
            continue;
        }
        bool one = part.id == FIRST_TEXT;
        const Tokens &tokens = one ? first : second;
        for (size_t k = 0; k < (one ? first_size : second_size); k++)
            row.add(tokens[k].id, part.type, one ? 0 : 1);
    }
    return row;
}

int64_t exact_at(const ct_value &value)
{
    if (value.kind != CT_INT) wrong_kind("an exact integer", value);
    return value.i;
}

// The rows as matrices: ids, mask, types, texts.
Owned matrices_of(const std::vector<PairRow> &rows, int64_t length, int64_t padding)
{
    std::array<int64_t, 2> sizes{static_cast<int64_t>(rows.size()), length};
    at::TensorOptions integers = at::TensorOptions().dtype(at::kLong);
    at::Tensor ids = at::empty(sizes, integers), types = at::empty(sizes, integers),
               texts = at::empty(sizes, integers),
               mask = at::empty(sizes, at::TensorOptions().dtype(at::kBool));
    int64_t *id = ids.mutable_data_ptr<int64_t>(), *type = types.mutable_data_ptr<int64_t>(),
            *text = texts.mutable_data_ptr<int64_t>();
    bool *real = mask.mutable_data_ptr<bool>();
    for (const PairRow &row : rows) {
        for (size_t k = 0; k < static_cast<size_t>(length); k++) {
            bool inside = k < row.ids.size();
            *real++ = inside;
            *id++ = inside ? row.ids[k] : padding;
            *type++ = inside ? row.types[k] : 0;
            *text++ = inside ? row.texts[k] : -1;
        }
    }
    std::vector<Owned> all;
    for (at::Tensor *tensor : {&ids, &mask, &types, &texts})
        all.push_back(Owned::tensor(std::move(*tensor)));
    return Owned::items(CT_LIST, std::move(all));
}

}  // namespace

namespace ct {

std::vector<PairPart> Tokenizer::pair_frame() const
{
    Tokens one{{FIRST_TEXT, 0, 0}};
    frame(one);
    auto text = std::find_if(one.begin(), one.end(),
                             [](const Token &token) { return token.id == FIRST_TEXT; });
    std::vector<PairPart> made;
    for (const Token &token : one) made.push_back({token.id, 0});
    made.push_back({SECOND_TEXT, 1});
    for (auto token = text + 1; token != one.end(); token++) made.push_back({token->id, 1});
    return made;
}

// Arguments: the tokenizer, the first texts, the second texts, how many tokens of each second text
// are left out at its start, the id of padding, the most tokens of a row or #f, whether only second
// texts are cut.
Owned tokenizer_encode_pairs(const ProcedureArguments &given)
{
    const Tokenizer &tokenizer = tokenizer_at(given, 0);
    const ct_value &firsts = given.values[1], &seconds = given.values[2], &skips = given.values[3];
    int64_t padding = exact_at(given.values[4]), length = 0;
    bool limited = given.values[5].kind == CT_INT, only_second = given.flag(6);
    std::vector<PairPart> frame = tokenizer.pair_frame();
    size_t specials = static_cast<size_t>(
        std::count_if(frame.begin(), frame.end(), [](PairPart part) { return part.id >= 0; }));
    size_t most = limited ? static_cast<size_t>(std::max<int64_t>(given.values[5].i, 0)) : SIZE_MAX;
    if (most < specials)
        throw Failure{"rows of " + std::to_string(most) + " tokens cannot hold the " +
                          std::to_string(specials) + " special tokens of a pair", ""};
    std::vector<PairRow> rows;
    Polls polls;
    for (size_t k = 0; k < firsts.count; k++, polls.step()) {
        Tokens first = tokenizer.ids(whole_text({firsts.count, firsts.items}, k), true);
        Tokens second = tokens_after(tokenizer, whole_text({seconds.count, seconds.items}, k),
                                     exact_at(skips.items[k]));
        size_t first_size = first.size(), second_size = second.size(), room = most - specials;
        if (only_second)
            second_size = std::min(second_size, room - std::min(room, first_size));
        cut_longest(first_size, second_size, room);
        rows.push_back(row_of_pair(frame, first, first_size, second, second_size));
        length = std::max(length, static_cast<int64_t>(rows.back().ids.size()));
    }
    return matrices_of(rows, length, padding);
}

}  // namespace ct
