// grammar.cpp - the states of a grammar, and the tokens that it allows in each.

#include "grammars/grammar.h"

#include "errors/interrupts.h"

#include <algorithm>
#include <atomic>
#include <queue>

namespace {

using ct::Failure;
using ct::Grammar;
using ct::GrammarNode;

constexpr size_t MOST_STEPS = 5000000;   // of one call: stacks that are expanded
constexpr size_t MOST_STACKS = 50000;    // of one state
constexpr size_t MOST_CELLS = 8000000;   // of a grammar
constexpr size_t MOST_STATES = 1000000;
constexpr size_t MOST_ROWS = 50000;      // more are forgotten, and found again
constexpr size_t MASK_ROOM = 32 << 20;   // bytes
constexpr int64_t FAR_END = 8;           // times; what few tokens reach
constexpr size_t MOST_NESTED = 256;      // cells of a stack, whose ends are looked at

std::atomic<int64_t> tables_made{0};

int32_t sum_of(int64_t a, int64_t b)
{
    return static_cast<int32_t>(std::min<int64_t>(a + b, Grammar::ENDLESS));
}

[[noreturn]] void too_ambiguous(const char *what)
{
    throw Failure{std::string("the grammar is too ambiguous: ") + what,
                  "alternatives that begin alike, in a rule that contains itself, double the work "
                  "with each level: join them"};
}

// The parts that a node may begin with, and whether more follows each.
std::vector<std::pair<int32_t, bool>> first_parts(const std::vector<GrammarNode> &nodes,
                                                  const GrammarNode &node)
{
    std::vector<std::pair<int32_t, bool>> found;
    switch (node.kind) {
    case GrammarNode::Byte: break;
    case GrammarNode::Sequence:
        for (size_t k = 0; k < node.parts.size(); k++) {
            found.emplace_back(node.parts[k], k + 1 < node.parts.size());
            if (nodes[static_cast<size_t>(node.parts[k])].least > 0) break;
        }
        break;
    case GrammarNode::Choice:
        for (int32_t part : node.parts) found.emplace_back(part, false);
        break;
    case GrammarNode::Repeat:
        if (node.high != 0) found.emplace_back(node.parts[0], node.high != 1);
        break;
    }
    return found;
}

// Tarjan's strongly connected components of the nodes, each of which may begin with all others of
// its own.  Without recursion: chains of nodes are long.
std::vector<int32_t> components(const std::vector<GrammarNode> &nodes)
{
    auto count = nodes.size();
    std::vector<int32_t> component(count, -1), low(count), index(count, -1), open;
    struct Visit {
        int32_t node;
        std::vector<std::pair<int32_t, bool>> edges;
        size_t next = 0;
    };
    std::vector<Visit> visits;
    int32_t order = 0, made = 0;
    auto enter = [&](int32_t node) {
        auto at = static_cast<size_t>(node);
        index[at] = low[at] = order++;
        open.push_back(node);
        visits.push_back({node, first_parts(nodes, nodes[at])});
    };
    for (int32_t root = 0; root < static_cast<int32_t>(count); root++) {
        if (index[static_cast<size_t>(root)] >= 0) continue;
        enter(root);
        while (!visits.empty()) {
            Visit &visit = visits.back();
            auto at = static_cast<size_t>(visit.node);
            if (visit.next < visit.edges.size()) {
                int32_t to = visit.edges[visit.next++].first;
                auto place = static_cast<size_t>(to);
                if (index[place] < 0) enter(to);
                else if (component[place] < 0) low[at] = std::min(low[at], index[place]);
                continue;
            }
            if (low[at] == index[at]) {
                int32_t last;
                do {
                    last = open.back();
                    open.pop_back();
                    component[static_cast<size_t>(last)] = made;
                } while (last != visit.node);
                made++;
            }
            int32_t reached = low[at];
            visits.pop_back();
            if (!visits.empty()) {
                auto above = static_cast<size_t>(visits.back().node);
                low[above] = std::min(low[above], reached);
            }
        }
    }
    return component;
}

}  // namespace

namespace ct {

size_t Grammar::HashOfStacks::operator()(const std::vector<Stack> &stacks) const
{
    uint64_t hash = 14695981039346656037ull;
    for (Stack stack : stacks) hash = (hash ^ static_cast<uint32_t>(stack)) * 1099511628211ull;
    return static_cast<size_t>(hash ^ (hash >> 29));
}

Grammar::Grammar(std::vector<GrammarNode> nodes, const std::vector<std::string> &rules)
    : nodes_(std::move(nodes))
{
    text = "#<grammar>";
    measure(rules);
    refuse_left_recursion(rules);
    divide_bytes();
    cells_.push_back({-1, 0, 0, 0});
    begin();
    std::vector<Stack> work{pushed(0, 0)};
    state_of(work);
}

// The fewest bytes of each node, in the order of their number (Knuth 1977): a node's is known when
// the parts that decide it are, so each node is visited once.
void Grammar::measure(const std::vector<std::string> &rules)
{
    auto count = nodes_.size();
    std::vector<std::vector<int32_t>> users(count);
    std::vector<size_t> unknown(count);
    std::vector<int64_t> sums(count, 0);
    std::vector<bool> is_known(count, false);
    std::priority_queue<std::pair<int64_t, int32_t>, std::vector<std::pair<int64_t, int32_t>>,
                        std::greater<>> queue;
    for (size_t k = 0; k < count; k++) {
        GrammarNode &node = nodes_[k];
        node.least = ENDLESS;
        unknown[k] = node.parts.size();
        for (int32_t part : node.parts) users[static_cast<size_t>(part)].push_back(
            static_cast<int32_t>(k));
        bool is_empty = (node.kind == GrammarNode::Sequence && node.parts.empty()) ||
                        (node.kind == GrammarNode::Repeat && node.low == 0);
        if (node.kind == GrammarNode::Byte) queue.emplace(1, static_cast<int32_t>(k));
        else if (is_empty) queue.emplace(0, static_cast<int32_t>(k));
    }
    Polls polls;
    while (!queue.empty()) {
        polls.step();
        auto [least, number] = queue.top();
        queue.pop();
        auto at = static_cast<size_t>(number);
        if (is_known[at]) continue;
        is_known[at] = true;
        nodes_[at].least = static_cast<int32_t>(std::min<int64_t>(least, ENDLESS - 1));
        for (int32_t user : users[at]) {
            auto above = static_cast<size_t>(user);
            GrammarNode &node = nodes_[above];
            if (is_known[above]) continue;
            if (node.kind == GrammarNode::Sequence) {
                sums[above] = sum_of(sums[above], nodes_[at].least);
                if (--unknown[above] == 0) queue.emplace(sums[above], user);
            } else if (node.kind == GrammarNode::Choice) {
                queue.emplace(nodes_[at].least, user);
            } else {
                queue.emplace(std::min<int64_t>(node.low * nodes_[at].least, ENDLESS), user);
            }
        }
    }
    for (size_t k = 0; k < rules.size(); k++)
        if (!is_known[k]) throw Failure{"rule " + rules[k] + " has no text that ends", ""};
}

// A rule that begins with itself and more would let its stacks grow without end.
void Grammar::refuse_left_recursion(const std::vector<std::string> &rules) const
{
    std::vector<int32_t> component = components(nodes_);
    std::vector<bool> grows(nodes_.size(), false);
    for (size_t k = 0; k < nodes_.size(); k++)
        for (auto [part, is_followed] : first_parts(nodes_, nodes_[k]))
            if (is_followed && component[k] == component[static_cast<size_t>(part)])
                grows[static_cast<size_t>(component[k])] = true;
    for (size_t k = 0; k < rules.size(); k++)
        if (grows[static_cast<size_t>(component[k])])
            throw Failure{"rule " + rules[k] + " begins with itself",
                          "(* ...) repeats: (sum item (* \"+\" item))"};
}

void Grammar::divide_bytes()
{
    std::array<bool, 257> begins{};
    for (const GrammarNode &node : nodes_)
        if (node.kind == GrammarNode::Byte) {
            begins[static_cast<size_t>(node.low)] = true;
            begins[static_cast<size_t>(node.high) + 1] = true;
        }
    size_t last = 0;
    for (size_t byte = 0; byte < 256; byte++) {
        if (byte > 0 && begins[byte]) last++;
        classes_[byte] = static_cast<uint8_t>(last);
    }
    class_count_ = last + 1;
}

Grammar::Stack Grammar::pushed(int32_t node, Stack rest)
{
    uint64_t key = static_cast<uint64_t>(node) << 32 | static_cast<uint32_t>(rest);
    auto [found, is_new] = cell_numbers_.try_emplace(key, static_cast<Stack>(cells_.size()));
    if (is_new) {
        if (cells_.size() >= MOST_CELLS) {
            cell_numbers_.erase(found);
            too_ambiguous("it has too many ways to continue");
        }
        cells_.push_back({node, rest,
                          sum_of(nodes_[static_cast<size_t>(node)].least,
                                 cells_[static_cast<size_t>(rest)].need), 0});
    }
    return found->second;
}

// The node of a part that comes from least to most times.
int32_t Grammar::repeated(int32_t part, int64_t least, int64_t most)
{
    std::string key = std::to_string(part) + " " + std::to_string(least) + " " +
                      std::to_string(most);
    auto [found, is_new] = repeats_.try_emplace(key, static_cast<int32_t>(nodes_.size()));
    if (is_new) {
        int64_t bytes = least * nodes_[static_cast<size_t>(part)].least;
        nodes_.push_back({GrammarNode::Repeat, least, most, {part},
                          static_cast<int32_t>(std::min<int64_t>(bytes, ENDLESS - 1))});
    }
    return found->second;
}

// Replace a stack, whose top is not a byte, by those that it amounts to.
void Grammar::expand(Stack stack, std::vector<Stack> &work)
{
    Cell cell = cells_[static_cast<size_t>(stack)];
    auto at = static_cast<size_t>(cell.node);
    switch (nodes_[at].kind) {
    case GrammarNode::Byte: break;
    case GrammarNode::Sequence: {
        const std::vector<int32_t> &parts = nodes_[at].parts;
        Stack made = cell.rest;
        for (size_t k = parts.size(); k-- > 0;) made = pushed(parts[k], made);
        work.push_back(made);
        break;
    }
    case GrammarNode::Choice:
        for (int32_t part : nodes_[at].parts) work.push_back(pushed(part, cell.rest));
        break;
    case GrammarNode::Repeat: {
        int64_t least = nodes_[at].low, most = nodes_[at].high;
        int32_t part = nodes_[at].parts[0];
        if (least == 0) work.push_back(cell.rest);
        if (most == 0) break;
        Stack made = cell.rest;
        if (most != 1)
            made = pushed(repeated(part, std::max<int64_t>(least - 1, 0),
                                   most == NO_END ? NO_END : most - 1), made);
        work.push_back(pushed(part, made));
        break;
    }
    }
}

// The state of the stacks in `work`, which is emptied; NO_STATE if none can be completed.
int32_t Grammar::state_of(std::vector<Stack> &work)
{
    std::vector<Stack> stacks;
    int32_t need = ENDLESS;
    round_++;
    Polls polls;
    while (!work.empty()) {
        polls.step();
        Stack stack = work.back();
        work.pop_back();
        Cell &cell = cells_[static_cast<size_t>(stack)];
        if (cell.seen == round_ || cell.need >= ENDLESS) continue;
        cell.seen = round_;
        if (++steps_ > MOST_STEPS) too_ambiguous("one token takes too many steps");
        if (stack == 0 || nodes_[static_cast<size_t>(cell.node)].kind == GrammarNode::Byte) {
            stacks.push_back(stack);
            need = std::min(need, cell.need);
            if (stacks.size() > MOST_STACKS) too_ambiguous("it has too many ways to continue");
        } else {
            expand(stack, work);
        }
    }
    if (stacks.empty()) return NO_STATE;
    std::sort(stacks.begin(), stacks.end());
    auto found = state_numbers_.find(stacks);
    if (found != state_numbers_.end()) return found->second;
    if (states_.size() >= MOST_STATES) too_ambiguous("it has too many states");
    auto number = static_cast<int32_t>(states_.size());
    state_numbers_.emplace(stacks, number);
    states_.push_back({std::move(stacks), need});
    rows_.emplace_back();
    return number;
}

// The same, remembered: most bytes that a state takes lead to the same stacks.
int32_t Grammar::known_state_of(std::vector<Stack> &work)
{
    std::sort(work.begin(), work.end());
    work.erase(std::unique(work.begin(), work.end()), work.end());
    auto known = reached_.find(work);
    if (known != reached_.end()) return known->second;
    if (reached_.size() >= MOST_ROWS) reached_.clear();
    std::vector<Stack> key = work;
    int32_t found = state_of(work);
    reached_.emplace(std::move(key), found);
    return found;
}

int32_t Grammar::found_next(int32_t state, unsigned char byte)
{
    auto at = static_cast<size_t>(state);
    std::vector<Stack> work;
    for (Stack stack : states_[at].stacks) {
        if (stack == 0) continue;
        const Cell &cell = cells_[static_cast<size_t>(stack)];
        const GrammarNode &node = nodes_[static_cast<size_t>(cell.node)];
        if (node.low <= byte && byte <= node.high) work.push_back(cell.rest);
    }
    steps_ += states_[at].stacks.size();
    int32_t found = work.empty() ? NO_STATE : known_state_of(work);
    if (!rows_[at]) {
        if (row_count_ >= MOST_ROWS) {
            for (auto &row : rows_) row.reset();
            row_count_ = 0;
        }
        rows_[at] = std::make_unique<int32_t[]>(class_count_);
        std::fill_n(rows_[at].get(), class_count_, UNKNOWN);
        row_count_++;
    }
    rows_[at][classes_[byte]] = found;
    return found;
}

int32_t Grammar::after(int32_t state, std::string_view bytes)
{
    for (char byte : bytes) {
        if (state < 0) break;
        state = next(state, static_cast<unsigned char>(byte));
    }
    return state;
}

bool Grammar::is_final(int32_t state) const
{
    const std::vector<Stack> &stacks = states_[static_cast<size_t>(state)].stacks;
    return stacks.size() == 1 && stacks[0] == 0;
}

// A stack without the ends of repetitions that are far; nearest: how often the least of those may
// come.  The same stack if it is nested deeply.
Grammar::Stack Grammar::without_far_ends(Stack stack, int64_t &nearest)
{
    std::vector<int32_t> nodes;
    for (Stack at = stack; at != 0; at = cells_[static_cast<size_t>(at)].rest) {
        nodes.push_back(cells_[static_cast<size_t>(at)].node);
        if (nodes.size() > MOST_NESTED) return stack;
    }
    Stack made = 0;
    for (size_t k = nodes.size(); k-- > 0;) {
        const GrammarNode &node = nodes_[static_cast<size_t>(nodes[k])];
        int32_t number = nodes[k];
        if (node.kind == GrammarNode::Repeat && node.high >= FAR_END &&
            nodes_[static_cast<size_t>(node.parts[0])].least > 0) {
            nearest = std::min(nearest, node.high);
            number = repeated(node.parts[0], node.low, NO_END);
        }
        made = pushed(number, made);
    }
    return made;
}

// The state without far ends of repetitions, and how many bytes a token may have that reaches none.
std::pair<int32_t, int64_t> Grammar::without_far_ends(int32_t state)
{
    int64_t nearest = ENDLESS;
    std::vector<Stack> work;
    for (Stack stack : states_[static_cast<size_t>(state)].stacks)
        work.push_back(without_far_ends(stack, nearest));
    if (nearest == ENDLESS) return {state, nearest};
    return {known_state_of(work), nearest};
}

// In a string of at most 300 characters each token leads to a state of its own.  They differ in
// long tokens only, so the others are found once.
const Grammar::Mask &Grammar::mask(const TokenTable &table, int32_t state)
{
    if (mask_table_ != table.number) masks_.clear();
    mask_table_ = table.number;
    auto known = masks_.find(state);
    if (known != masks_.end()) return known->second;
    auto [endless, nearest] = without_far_ends(state);
    if (endless == state || endless < 0) return kept_mask(state, walked_needs(table, state));
    auto others = masks_.find(endless);
    const Mask &all = others != masks_.end() ? others->second
                                             : kept_mask(endless, walked_needs(table, endless));
    auto size_of = [&](int32_t id) { return table.places[static_cast<size_t>(id)].second; };
    if (table.longest.empty() || size_of(table.longest[0]) <= nearest) return all;
    std::vector<int32_t> needed = all.needs;
    for (int32_t id : table.longest) {
        if (size_of(id) <= nearest) break;
        int32_t &own = needed[static_cast<size_t>(id)];
        if (own >= ENDLESS) continue;  // without ends, more is allowed
        auto at = static_cast<size_t>(table.places[static_cast<size_t>(id)].first);
        int32_t found = after(state, std::string_view(table.bytes).substr(at, size_of(id)));
        own = found < 0 ? ENDLESS : need(found);
    }
    return kept_mask(state, std::move(needed));
}

Grammar::Mask::Mask(std::vector<int32_t> needed)
    : needs(std::move(needed)), allowed((needs.size() + 63) / 64)
{
    for (size_t k = 0; k < needs.size(); k++) {
        if (needs[k] >= ENDLESS) continue;
        allowed[k / 64] |= uint64_t{1} << (k % 64);
        least = std::min(least, needs[k]);
        most = std::max(most, needs[k]);
    }
}

const Grammar::Mask &Grammar::kept_mask(int32_t state, std::vector<int32_t> needed)
{
    if ((masks_.size() + 1) * needed.size() * sizeof(int32_t) > MASK_ROOM) masks_.clear();
    return masks_.insert_or_assign(state, Mask(std::move(needed))).first->second;
}

// The states after the bytes that an entry shares with the one before it are known; where a byte
// leads nowhere, all entries that share it are skipped.
std::vector<int32_t> Grammar::walked_needs(const TokenTable &table, int32_t state)
{
    std::vector<int32_t> needed(table.places.size(), ENDLESS);
    std::vector<int32_t> path{state};
    size_t count = table.entries.size();
    for (size_t k = 0; k < count;) {
        const TokenTable::Entry &entry = table.entries[k++];
        size_t depth = entry.common;
        path.resize(depth + 1);
        int32_t at = path[depth];
        for (; depth < entry.size; depth++) {
            at = next(at, static_cast<unsigned char>(table.bytes[entry.at + depth]));
            if (at < 0) break;
            path.push_back(at);
        }
        if (at >= 0) needed[static_cast<size_t>(entry.id)] = need(at);
        else
            while (k < count && table.entries[k].common > depth) k++;
    }
    if (need(state) == 0)
        for (int64_t id : table.ends) needed[static_cast<size_t>(id)] = 0;
    return needed;
}

TokenTable::TokenTable(const Tokenizer &tokenizer, const std::vector<int64_t> &end_ids)
    : number(++tables_made)
{
    text = "#<token-table>";
    places.resize(tokenizer.size());
    std::vector<std::pair<std::string, int32_t>> tokens;
    for (size_t id = 0; id < tokenizer.size(); id++) {
        auto number = static_cast<int64_t>(id);
        std::string one = tokenizer.is_special(number) ? "" : tokenizer.bytes_of(number);
        if (!one.empty() && one.size() <= UINT16_MAX)
            tokens.emplace_back(std::move(one), static_cast<int32_t>(id));
    }
    std::sort(tokens.begin(), tokens.end());
    std::string_view before;
    for (const auto &[token, id] : tokens) {
        size_t most = std::min(before.size(), token.size());
        auto differ = std::mismatch(token.begin(), token.begin() + static_cast<ptrdiff_t>(most),
                                    before.begin());
        auto at = static_cast<uint32_t>(bytes.size());
        entries.push_back({at, id, static_cast<uint16_t>(token.size()),
                           static_cast<uint16_t>(differ.first - token.begin())});
        places[static_cast<size_t>(id)] = {at, static_cast<uint32_t>(token.size())};
        bytes += token;
        before = token;
    }
    for (const Entry &entry : entries) longest.push_back(entry.id);
    std::sort(longest.begin(), longest.end(), [this](int32_t a, int32_t b) {
        return places[static_cast<size_t>(a)].second > places[static_cast<size_t>(b)].second;
    });
    for (int64_t id : end_ids)
        if (id >= 0 && id < static_cast<int64_t>(places.size())) ends.push_back(id);
}

}  // namespace ct
