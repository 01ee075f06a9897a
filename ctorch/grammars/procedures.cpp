// procedures.cpp - grammars for Lisp.
//
//     (make-grammar nodes names)  =>  a grammar      (generate grammar table 0 9 logits)  =>  logits

#include "grammars/grammar.h"

#include "files/files.h"
#include "text/utf8.h"
#include "tensor/views.h"

#include <ATen/ops/contiguous_ops.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/isnan.h>
#include <ATen/ops/logical_or.h>
#include <ATen/ops/where.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace {

using namespace ct;

int64_t integer_in(const ct_value &value)
{
    if (value.kind != CT_INT) wrong_kind("an exact integer", value);
    return value.i;
}

template <class Thing>
Thing &object_at(const ProcedureArguments &given, size_t k, const char *noun)
{
    const ct_value &value = given.values[k];
    auto *found = value.kind == CT_OBJECT ? dynamic_cast<Thing *>(value.object) : nullptr;
    if (!found) wrong_kind(noun, value);
    return *found;
}

Grammar &grammar_at(const ProcedureArguments &given, size_t k)
{
    auto &grammar = object_at<Grammar>(given, k, "a grammar");
    grammar.begin();
    return grammar;
}

int32_t state_at(const Grammar &grammar, const ct_value &value)
{
    int64_t state = integer_in(value);
    if (!grammar.has_state(state)) wrong_kind("a state of the grammar", value);
    return static_cast<int32_t>(state);
}

// A list of the kind, and what GrammarNode has for it.
GrammarNode node_of(const ct_value &value, size_t count)
{
    if (value.kind != CT_LIST || value.count == 0) wrong_kind("a node", value);
    GrammarNode node{static_cast<GrammarNode::Kind>(integer_in(value.items[0]))};
    size_t parts = 1;
    if (node.kind == GrammarNode::Byte || node.kind == GrammarNode::Repeat) {
        if (value.count < 3) wrong_kind("a node", value);
        node.low = integer_in(value.items[1]);
        node.high = integer_in(value.items[2]);
        parts = 3;
    }
    for (size_t k = parts; k < value.count; k++) {
        int64_t part = integer_in(value.items[k]);
        if (part < 0 || part >= static_cast<int64_t>(count)) wrong_kind("a node", value);
        node.parts.push_back(static_cast<int32_t>(part));
    }
    return node;
}

constexpr float NOTHING = -INFINITY;

// The tokens after which so many bytes complete the text, as bits.
std::vector<uint64_t> tokens_in_time(const Grammar::Mask &mask, int32_t most)
{
    std::vector<uint64_t> bits(mask.allowed.size());
    for (size_t k = 0; k < mask.needs.size(); k++)
        bits[k / 64] |= static_cast<uint64_t>(mask.needs[k] <= most) << (k % 64);
    return bits;
}

// Bits of 64 tokens; none of those beyond the vocabulary of the tokenizer.
uint64_t word_at(const std::vector<uint64_t> &bits, int64_t word)
{
    auto at = static_cast<size_t>(word);
    return at < bits.size() ? bits[at] : 0;
}

// At most 64 logits: those that are allowed, and nan.  Most words allow all or nothing, which needs
// no look at each bit.
void keep_allowed(const float *x, float *y, int64_t count, uint64_t allowed)
{
    if (allowed == ~uint64_t{0}) {
        std::copy_n(x, count, y);
        return;
    }
    for (int64_t k = 0; k < count; k++) y[k] = x[k] != x[k] ? x[k] : NOTHING;
    for (; allowed != 0; allowed &= allowed - 1) {
        auto k = std::countr_zero(allowed);
        y[k] = x[k];
    }
}

}  // namespace

namespace ct {

// Arguments: a list of nodes, of which the first are the rules; the names of the rules.
Owned make_grammar(const ProcedureArguments &given)
{
    const ct_value &list = given.values[0], &names = given.values[1];
    std::vector<GrammarNode> nodes;
    for (size_t k = 0; k < list.count; k++) nodes.push_back(node_of(list.items[k], list.count));
    std::vector<std::string> rules;
    for (size_t k = 0; k < names.count; k++) {
        if (names.items[k].kind != CT_STRING) wrong_kind("a name", names.items[k]);
        rules.emplace_back(names.items[k].text);
    }
    if (nodes.size() < rules.size() || rules.empty()) wrong_kind("a list of nodes", list);
    return Owned::object(new Grammar(std::move(nodes), rules));
}

// Arguments: a tokenizer, the list of the tokens that end a text.
Owned make_token_table(const ProcedureArguments &given)
{
    std::vector<int64_t> ends;
    const ct_value &list = given.values[1];
    for (size_t k = 0; k < list.count; k++) ends.push_back(integer_in(list.items[k]));
    return Owned::object(new TokenTable(tokenizer_at(given, 0), ends));
}

// Arguments: a grammar, a text.  How many bytes complete the text; nothing if it does not begin one.
Owned match_grammar(const ProcedureArguments &given)
{
    Grammar &grammar = grammar_at(given, 0);
    int32_t state = grammar.after(grammar.first(), whole_text(given, 1));
    return state < 0 ? Owned() : Owned::integer(grammar.need(state));
}

// Arguments: a grammar, a token table, a state, a token.  A list of the state after the token and of
// whether the text must end there; nothing if the token does not continue the text.
Owned advance_grammar(const ProcedureArguments &given)
{
    Grammar &grammar = grammar_at(given, 0);
    const auto &table = object_at<TokenTable>(given, 1, "a token table");
    int32_t state = state_at(grammar, given.values[2]);
    int64_t id = integer_in(given.values[3]);
    if (id >= 0 && id < static_cast<int64_t>(table.places.size())) {
        auto [at, size] = table.places[static_cast<size_t>(id)];
        state = grammar.after(state, std::string_view(table.bytes).substr(at, size));
    }
    if (state < 0) return {};
    std::vector<Owned> both;
    both.push_back(Owned::integer(state));
    both.push_back(Owned::boolean(grammar.is_final(state)));
    return Owned::items(CT_LIST, std::move(both));
}

// Arguments: a grammar, a token table, a state, how many tokens may come after the next one, and
// logits [vocabulary].  The logits in float32 with -inf for tokens that the grammar does not allow,
// or after which it could not be completed in time, since a vocabulary has a token for each byte; if
// that is all of them, in time does not matter.  nan stays, so that the choice of a token refuses it.
// Nothing if no token is allowed.
Owned filter_by_grammar(const ProcedureArguments &given)
{
    Grammar &grammar = grammar_at(given, 0);
    const auto &table = object_at<TokenTable>(given, 1, "a token table");
    int32_t state = state_at(grammar, given.values[2]);
    int64_t remaining = integer_in(given.values[3]);
    const at::Tensor &logits = given.tensor(4);
    if (logits.dim() != 1) wrong_kind("logits [vocabulary]", given.values[4]);
    const Grammar::Mask &mask = grammar.mask(table, state);
    if (mask.least >= Grammar::ENDLESS) return {};
    int64_t count = logits.size(0);
    bool is_in_time = mask.most <= remaining || mask.least > remaining;
    std::vector<uint64_t> some;
    if (!is_in_time) some = tokens_in_time(mask, static_cast<int32_t>(remaining));
    const std::vector<uint64_t> &bits = is_in_time ? mask.allowed : some;
    if (!logits.is_cpu()) {
        at::Tensor allowed = at::empty({count}, at::TensorOptions().dtype(at::kBool));
        bool *is_allowed = allowed.mutable_data_ptr<bool>();
        for (int64_t k = 0; k < count; k++) is_allowed[k] = word_at(bits, k / 64) >> (k % 64) & 1;
        at::Tensor x = logits.detach().to(at::kFloat);
        at::Tensor kept = at::logical_or(allowed.to(x.device()), at::isnan(x));
        return Owned::tensor(at::where(kept, x, at::full_like(x, NOTHING)));
    }
    at::Tensor from = logits.detach().to(at::kFloat);
    from = at::_ops::contiguous::call(from, at::MemoryFormat::Contiguous);
    at::Tensor made = at::empty({count}, from.options());
    const float *x = from.const_data_ptr<float>();
    float *y = made.mutable_data_ptr<float>();
    for (int64_t k = 0; k < count; k += 64)
        keep_allowed(x + k, y + k, std::min<int64_t>(64, count - k), word_at(bits, k / 64));
    return Owned::tensor(std::move(made));
}

}  // namespace ct
