// procedures.cpp - encoding and decoding for Lisp, with a tokenizer of any kind.
//
//     (encode handle "Hello" #t #t)  =>  (1 15043)         (decode handle (1 15043) #t)  => "Hello"

#include "tokenizers/tokenizer.h"
#include "files/files.h"
#include "text/utf8.h"

#include <ATen/ops/contiguous_ops.h>
#include <ATen/ops/empty.h>

namespace {

using namespace ct;

// encode's arguments: the tokenizer, the text, whether to frame it, whether to parse special
// tokens.
Tokens tokens_of(const ProcedureArguments &given, bool offsets)
{
    const Tokenizer &tokenizer = tokenizer_at(given, 0);
    std::string text = whole_text(given, 1);
    Tokens tokens =
        offsets ? tokenizer.tokens(text, given.flag(3)) : tokenizer.ids(text, given.flag(3));
    if (given.flag(2)) tokenizer.frame(tokens);
    return tokens;
}

// The index of the character that begins at each byte, for the bytes where one begins.
std::vector<int64_t> character_indices(std::string_view text)
{
    std::vector<int64_t> indices(text.size() + 1);
    int64_t index = -1;
    for (size_t k = 0; k < text.size(); k++) {
        if ((static_cast<unsigned char>(text[k]) & 0xC0) != 0x80) index++;
        indices[k] = index;
    }
    indices[text.size()] = index + 1;
    return indices;
}

at::Tensor integers(at::IntArrayRef sizes)
{
    return at::empty(sizes, at::TensorOptions().dtype(at::kLong));
}

int64_t integer_at(const ct_value &value)
{
    if (value.kind != CT_INT) wrong_kind("an exact integer", value);
    return value.i;
}

void check_id(const Tokenizer &tokenizer, int64_t id)
{
    if (id < 0 || id >= static_cast<int64_t>(tokenizer.size()))
        throw Failure{"token " + std::to_string(id) + " is out of range for a vocabulary of " +
                          std::to_string(tokenizer.size()), ""};
}

// The ids in a tensor, a list or a single integer.
std::vector<int64_t> ids_at(const ProcedureArguments &given, size_t k)
{
    const ct_value &value = given.values[k];
    std::vector<int64_t> ids;
    if (value.kind == CT_LIST) {
        for (size_t i = 0; i < value.count; i++) ids.push_back(integer_at(value.items[i]));
    } else if (value.kind == CT_TENSOR) {
        at::ScalarType dtype = value.tensor->value.scalar_type();
        if (!at::isIntegralType(dtype, false))
            wrong_kind("a list or a tensor of integers", value);
        at::Tensor codes = readable(value.tensor->value).to(at::kLong);
        codes = at::_ops::contiguous::call(codes, at::MemoryFormat::Contiguous);
        const int64_t *from = codes.const_data_ptr<int64_t>();
        ids.assign(from, from + codes.numel());
    } else {
        wrong_kind("a list or a tensor of integers", value);
    }
    for (int64_t id : ids) check_id(tokenizer_at(given, 0), id);
    return ids;
}

}  // namespace

namespace ct {

std::string repaired(std::string_view text)
{
    std::string made;
    size_t kept = 0;  // the bytes before it are in `made`
    for (size_t k = 0; k < text.size();) {
        size_t length = static_cast<signed char>(text[k]) >= 0 ? 1 : utf8_length(text.substr(k));
        if (!length) {
            made.append(text.substr(kept, k - kept)).append("\xEF\xBF\xBD");
            kept = k + 1;
        }
        k += std::max<size_t>(length, 1);
    }
    return made.append(text.substr(kept));
}

const Tokenizer &tokenizer_at(const ProcedureArguments &given, size_t k)
{
    const ct_value &value = given.values[k];
    auto *tokenizer = value.kind == CT_OBJECT ? dynamic_cast<Tokenizer *>(value.object) : nullptr;
    if (!tokenizer) wrong_kind("a tokenizer", value);
    return *tokenizer;
}

std::string whole_text(const ProcedureArguments &given, size_t k)
{
    const ct_value &value = given.values[k];
    if (value.kind == CT_STRING) return repaired(value.text);
    if (value.kind != CT_LIST) wrong_kind("a string", value);
    std::string text;
    for (size_t i = 0; i < value.count; i++) {
        if (value.items[i].kind != CT_STRING) wrong_kind("a string", value.items[i]);
        if (i) text += '\0';
        text += repaired(value.items[i].text);
    }
    return text;
}

Owned tokenizer_encode(const ProcedureArguments &given)
{
    Tokens tokens = tokens_of(given, false);
    std::vector<Owned> ids;
    ids.reserve(tokens.size());
    for (const Token &token : tokens) ids.push_back(Owned::integer(token.id));
    return Owned::items(CT_LIST, std::move(ids));
}

Owned tokenizer_encode_tensor(const ProcedureArguments &given)
{
    Tokens tokens = tokens_of(given, false);
    at::Tensor ids = integers({static_cast<int64_t>(tokens.size())});
    int64_t *to = ids.mutable_data_ptr<int64_t>();
    for (const Token &token : tokens) *to++ = token.id;
    return Owned::tensor(std::move(ids));
}

Owned tokenizer_encode_offsets(const ProcedureArguments &given)
{
    std::vector<int64_t> index = character_indices(whole_text(given, 1));
    std::vector<Owned> all;
    for (const Token &token : tokens_of(given, true)) {
        std::vector<Owned> one;
        one.push_back(Owned::integer(token.id));
        one.push_back(Owned::integer(index.at(token.start)));
        one.push_back(Owned::integer(index.at(token.end)));
        all.push_back(Owned::items(CT_LIST, std::move(one)));
    }
    return Owned::items(CT_LIST, std::move(all));
}

// Arguments: the tokenizer, a list of texts, whether to frame them, the id of padding, whether it
// comes first, the length of the rows or #f.  Returns the ids and the mask.
Owned tokenizer_encode_batch(const ProcedureArguments &given)
{
    const Tokenizer &tokenizer = tokenizer_at(given, 0);
    const ct_value &texts = given.values[1];
    bool special = given.flag(2), left = given.flag(4);
    int64_t padding = integer_at(given.values[3]), length = 0;
    bool fixed = given.values[5].kind == CT_INT;
    std::vector<Tokens> rows;
    for (size_t k = 0; k < texts.count; k++) {
        rows.push_back(tokenizer.ids(whole_text({texts.count, texts.items}, k), true));
        size_t frame = special ? tokenizer.framing() : 0;
        if (fixed) {
            size_t most = static_cast<size_t>(std::max<int64_t>(given.values[5].i, 0));
            if (most < frame)
                throw Failure{"rows of " + std::to_string(most) + " tokens cannot hold the " +
                                  std::to_string(frame) + " special tokens", ""};
            if (rows.back().size() > most - frame) rows.back().resize(most - frame);
        }
        if (special) tokenizer.frame(rows.back());
        length = std::max(length, static_cast<int64_t>(rows.back().size()));
    }
    if (fixed) length = given.values[5].i;
    at::Tensor ids = integers({static_cast<int64_t>(rows.size()), length});
    at::Tensor mask = at::empty(ids.sizes(), at::TensorOptions().dtype(at::kBool));
    int64_t *id = ids.mutable_data_ptr<int64_t>();
    bool *real = mask.mutable_data_ptr<bool>();
    for (const Tokens &row : rows) {
        int64_t size = static_cast<int64_t>(row.size()), first = left ? length - size : 0;
        for (int64_t k = 0; k < length; k++) {
            *real = k >= first && k - first < size;
            *id++ = *real ? row[static_cast<size_t>(k - first)].id : padding;
            real++;
        }
    }
    std::vector<Owned> both;
    both.push_back(Owned::tensor(std::move(ids)));
    both.push_back(Owned::tensor(std::move(mask)));
    return Owned::items(CT_LIST, std::move(both));
}

Owned tokenizer_decode(const ProcedureArguments &given)
{
    return Owned::text(CT_STRING, tokenizer_at(given, 0).decode(ids_at(given, 1), given.flag(2)));
}

Owned tokenizer_size(const ProcedureArguments &given)
{
    return Owned::integer(static_cast<int64_t>(tokenizer_at(given, 0).size()));
}

Owned tokenizer_id(const ProcedureArguments &given)
{
    std::optional<int64_t> id = tokenizer_at(given, 0).id_of(whole_text(given, 1));
    return id ? Owned::integer(*id) : Owned();
}

Owned tokenizer_token(const ProcedureArguments &given)
{
    const Tokenizer &tokenizer = tokenizer_at(given, 0);
    int64_t id = integer_at(given.values[1]);
    check_id(tokenizer, id);
    std::optional<std::string> token = tokenizer.token_of(id);
    return token ? Owned::text(CT_STRING, *token) : Owned();
}

Owned tokenizer_specials(const ProcedureArguments &given)
{
    const Tokenizer &tokenizer = tokenizer_at(given, 0);
    std::vector<Owned> ids;
    for (int64_t id = 0; id < static_cast<int64_t>(tokenizer.size()); id++)
        if (tokenizer.is_special(id)) ids.push_back(Owned::integer(id));
    return Owned::items(CT_LIST, std::move(ids));
}

// For each id a string if its bytes are UTF-8 without a NUL, otherwise a list of the bytes.
Owned tokenizer_bytes(const ProcedureArguments &given)
{
    const Tokenizer &tokenizer = tokenizer_at(given, 0);
    std::vector<Owned> all;
    for (int64_t id = 0; id < static_cast<int64_t>(tokenizer.size()); id++) {
        std::string bytes = tokenizer.bytes_of(id);
        if (is_text(bytes)) {
            all.push_back(Owned::text(CT_STRING, bytes));
            continue;
        }
        std::vector<Owned> each;
        for (char byte : bytes) each.push_back(Owned::integer(static_cast<unsigned char>(byte)));
        all.push_back(Owned::items(CT_LIST, std::move(each)));
    }
    return Owned::items(CT_LIST, std::move(all));
}

}  // namespace ct
