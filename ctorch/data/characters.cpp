// characters.cpp - texts as tensors of the numbers of their characters.
//
//     (encode-text "aab\n" "abc" -1)  =>  [0 0 1 -1]        (decode-text [2 0] "abc")  =>  "ca"
//
// The second argument has the characters in the order of their numbers; the third stands for
// others, which are an error if it is #f.

#include "data/data.h"
#include "errors/interrupts.h"
#include "files/files.h"
#include "text/utf8.h"

#include <ATen/ops/contiguous_ops.h>
#include <ATen/ops/empty.h>

#include <unordered_map>

namespace {

using namespace ct;

std::vector<std::string_view> characters_of(std::string_view text)
{
    std::vector<std::string_view> characters;
    Polls polls;
    for (size_t k = 0; k < text.size(); polls.step()) {
        size_t length = std::max<size_t>(utf8_length(text.substr(k)), 1);
        characters.push_back(text.substr(k, length));
        k += length;
    }
    return characters;
}

std::string text_at(const ct_value &value)
{
    if (value.kind != CT_STRING) wrong_kind("a string without a null character", value);
    return value.text;
}

}  // namespace

namespace ct {

Owned encode_text(const ProcedureArguments &given)
{
    std::string text = text_at(given.values[0]), alphabet = text_at(given.values[1]);
    const ct_value &other = given.values[2];
    std::unordered_map<std::string_view, int64_t> numbers;
    for (std::string_view character : characters_of(alphabet))
        numbers.emplace(character, static_cast<int64_t>(numbers.size()));
    std::vector<std::string_view> characters = characters_of(text);
    at::Tensor codes = at::empty({static_cast<int64_t>(characters.size())},
                                 at::TensorOptions().dtype(at::kLong));
    int64_t *to = codes.mutable_data_ptr<int64_t>();
    Polls polls;
    for (size_t k = 0; k < characters.size(); k++, polls.step()) {
        auto found = numbers.find(characters[k]);
        if (found == numbers.end() && other.kind != CT_INT)
            throw Failure{"the vocabulary does not have the character " +
                              in_quotes(characters[k]) + " at index " + std::to_string(k),
                          "pass :unknown, the token of all characters that it does not have"};
        to[k] = found == numbers.end() ? other.i : found->second;
    }
    return Owned::tensor(std::move(codes));
}

Owned decode_text(const ProcedureArguments &given)
{
    std::string alphabet = text_at(given.values[1]), text;
    std::vector<std::string_view> characters = characters_of(alphabet);
    at::Tensor codes = given.tensor(0).cpu().to(at::kLong);
    codes = at::_ops::contiguous::call(codes, at::MemoryFormat::Contiguous);
    const int64_t *from = codes.const_data_ptr<int64_t>();
    Polls polls;
    for (int64_t k = 0; k < codes.numel(); k++, polls.step()) {
        if (from[k] < 0 || from[k] >= static_cast<int64_t>(characters.size()))
            throw Failure{"token " + std::to_string(from[k]) + " is out of range for a vocabulary of " +
                              std::to_string(characters.size()), ""};
        text += characters[static_cast<size_t>(from[k])];
    }
    return Owned::text(CT_STRING, text);
}

}  // namespace ct
