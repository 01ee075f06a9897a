// grammar.h - grammars that restrict what a model writes, and the tokens that they allow.  C++ only.
//
// A text is matched byte by byte.  What may follow is a set of stacks of nodes, each of which must
// be matched from its top; a state is the number of such a set.  States and the steps between them
// are computed when they are first needed, so that most steps are one look-up:
//
//     rows[state][class of the byte]  =>  the next state, or none
//
// Stacks share their ends: a stack is the number of a cell, a node upon another stack.
#pragma once

#include <array>
#include <memory>
#include <unordered_map>

#include "tokenizers/tokenizer.h"

namespace ct {

// What Lisp makes of rules (stdlib/generate/grammar-nodes.lisp).  The first nodes are the rules.
struct GrammarNode {
    enum Kind : int64_t { Byte, Sequence, Choice, Repeat } kind;
    int64_t low = 0, high = 0;  // Byte: the bytes; Repeat: the fewest and the most times, or NO_END
    std::vector<int32_t> parts{};
    int32_t least = 0;  // the fewest bytes that it matches
};

// The tokens of a tokenizer in the order of their bytes.
struct TokenTable : ct_object {
    TokenTable(const Tokenizer &tokenizer, const std::vector<int64_t> &ends);

    struct Entry {
        uint32_t at;            // of its bytes in `bytes`
        int32_t id;
        uint16_t size, common;  // its bytes, and how many it shares with the entry before it
    };
    std::string bytes;
    std::vector<Entry> entries;
    std::vector<std::pair<uint32_t, uint32_t>> places;  // by id: where its bytes are, how many
    std::vector<int64_t> ends;                          // the tokens that end a text
    std::vector<int32_t> longest;                       // tokens, those of most bytes first
    const int64_t number;                               // no other table has it
};

struct Grammar : ct_object {
    static constexpr int32_t NO_STATE = -1;
    static constexpr int32_t ENDLESS = 1000000000;  // more bytes than any text
    static constexpr int64_t NO_END = -1;

    // rules: the names of the first nodes, for messages.
    Grammar(std::vector<GrammarNode> nodes, const std::vector<std::string> &rules);

    // Begin a call, whose work is bounded.
    void begin() { steps_ = 0; }
    int32_t first() const { return 0; }
    // The state after a byte, or NO_STATE.
    int32_t next(int32_t state, unsigned char byte)
    {
        int32_t *row = rows_[static_cast<size_t>(state)].get();
        if (!row) return found_next(state, byte);
        int32_t found = row[classes_[byte]];
        return found == UNKNOWN ? found_next(state, byte) : found;
    }
    int32_t after(int32_t state, std::string_view bytes);
    // The fewest bytes that complete the text; 0 if it may end here.
    int32_t need(int32_t state) const { return states_[static_cast<size_t>(state)].need; }
    // Whether it must end here.
    bool is_final(int32_t state) const;
    bool has_state(int64_t state) const
    {
        return state >= 0 && state < static_cast<int64_t>(states_.size());
    }
    // What each token leads to.
    struct Mask {
        explicit Mask(std::vector<int32_t> needed);

        std::vector<int32_t> needs;     // bytes that complete the text after it, or ENDLESS
        std::vector<uint64_t> allowed;  // a bit for each token that may come at all
        int32_t least = ENDLESS, most = 0;  // needs of allowed tokens
    };
    const Mask &mask(const TokenTable &table, int32_t state);

private:
    static constexpr int32_t UNKNOWN = -2;
    using Stack = int32_t;  // the number of a cell; 0 is the empty stack
    struct Cell {
        int32_t node;
        Stack rest;
        int32_t need;
        uint32_t seen;
    };
    struct State {
        std::vector<Stack> stacks;
        int32_t need;
    };
    struct HashOfStacks {
        size_t operator()(const std::vector<Stack> &stacks) const;
    };

    void measure(const std::vector<std::string> &rules);
    void refuse_left_recursion(const std::vector<std::string> &rules) const;
    void divide_bytes();
    Stack pushed(int32_t node, Stack rest);
    int32_t repeated(int32_t part, int64_t least, int64_t most);
    int32_t found_next(int32_t state, unsigned char byte);
    const Mask &kept_mask(int32_t state, std::vector<int32_t> needed);
    std::vector<int32_t> walked_needs(const TokenTable &table, int32_t state);
    std::pair<int32_t, int64_t> without_far_ends(int32_t state);
    Stack without_far_ends(Stack stack, int64_t &nearest);
    int32_t known_state_of(std::vector<Stack> &work);
    int32_t state_of(std::vector<Stack> &work);
    void expand(Stack stack, std::vector<Stack> &work);

    std::vector<GrammarNode> nodes_;
    std::unordered_map<std::string, int32_t> repeats_;  // nodes of what is left of a repetition
    std::array<uint8_t, 256> classes_{};                // bytes of a class are in the same nodes
    size_t class_count_ = 0;
    std::vector<Cell> cells_;
    std::unordered_map<uint64_t, Stack> cell_numbers_;
    std::vector<State> states_;
    std::unordered_map<std::vector<Stack>, int32_t, HashOfStacks> state_numbers_;
    std::unordered_map<std::vector<Stack>, int32_t, HashOfStacks> reached_;  // before they expand
    std::vector<std::unique_ptr<int32_t[]>> rows_;  // by state; may be missing
    size_t row_count_ = 0;
    std::unordered_map<int32_t, Mask> masks_;  // by state, of one table
    int64_t mask_table_ = 0;                   // its number
    uint32_t round_ = 0;
    size_t steps_ = 0;
};

Owned make_grammar(const ProcedureArguments &given);  // procedures.cpp
Owned make_token_table(const ProcedureArguments &given);
Owned match_grammar(const ProcedureArguments &given);
Owned advance_grammar(const ProcedureArguments &given);
Owned filter_by_grammar(const ProcedureArguments &given);

}  // namespace ct
