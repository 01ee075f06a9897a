// peers.cpp - what has become of the other ranks, in words.
//
//     "Connection closed by peer [127.0.0.1]:33160"  =>  "rank 1 is lost: its process has ended"
//
// Keys of the store, for each rank: join/ its life sign and settings, at/ the operation that it
// waits in, failed/ why it has left, and whether that was its own fault, left/ that it needs the
// store no more.  trouble counts the ranks that have failed; unequal says how their settings differ.

#ifdef CT_GLOO

#include "distributed/group.h"

#include <algorithm>
#include <future>
#include <sstream>
#include <thread>

namespace {

using ct::Failure;
using ct::distributed::Answer;
using ct::distributed::Clock;
using ct::distributed::Group;
using ct::distributed::Milliseconds;
using ct::distributed::Operation;

constexpr Milliseconds PATIENCE{5000};  // for an answer of the store
constexpr Milliseconds PAUSE{50};       // between two looks at the others
constexpr Milliseconds GLIMPSE{500};    // for a life sign
constexpr int LOOKS = 40;
constexpr size_t LONGEST_MESSAGE_OF_OTHERS = 600;         // characters of another rank's message

constexpr Milliseconds AFTER_ANSWER{10000};   // until the next visit to the next rank
constexpr Milliseconds AFTER_NONE{3000};
constexpr int MOST_SILENCES = 5;
constexpr int MOST_REFUSALS = 2;              // a rank may be about to end well
constexpr Milliseconds VISIT{3000};           // for its answer

const char *const OWN = "own", *const PEER = "peer";

std::vector<uint8_t> bytes_of(const std::string &text) { return {text.begin(), text.end()}; }

Milliseconds patience(const Group &g) { return std::min(PATIENCE, g.settings.timeout); }

// The parts of a text between tabs.
std::vector<std::string> fields_of(const std::string &text)
{
    std::vector<std::string> fields;
    std::istringstream left(text);
    for (std::string field; std::getline(left, field, '\t');) fields.push_back(field);
    return fields;
}

// What is known of the ranks that may have caused a failure.
struct Evidence {
    std::vector<std::pair<int, std::string>> failed;  // with their messages
    std::vector<int> lost;
    std::string hearsay;                              // what ranks say that failed because of others
};

bool lives(Group &g, int rank)
{
    const ct::distributed::Place &place = g.lives[static_cast<size_t>(rank)];
    return place.port == 0 || listens(place, GLIMPSE);
}

void look_at(Group &g, int rank, Evidence &evidence)
{
    std::optional<std::string> text = told(g, ct::distributed::key_of("failed/", rank));
    size_t tab = text ? text->find('\t') : std::string::npos;
    if (!text) {
        if (!lives(g, rank)) evidence.lost.push_back(rank);
    } else if (text->substr(0, tab) == OWN) {
        evidence.failed.emplace_back(rank, text->substr(tab + 1));
    } else {
        evidence.hearsay = text->substr(tab + 1);
    }
}

// Rank 0 keeps what the ranks have told; it is lost with rank 0.
bool has_no_store(Group &g)
{
    return !ask(g, [](c10d::Store &store) { store.check({"trouble"}); });
}

Evidence look_around(Group &g)
{
    Evidence evidence;
    if (has_no_store(g) && !g.settings.has_store) {
        if (!lives(g, 0)) evidence.lost.push_back(0);
        return evidence;
    }
    for (int rank = 0; rank < g.settings.world; rank++)
        if (rank != g.settings.rank) look_at(g, rank, evidence);
    return evidence;
}

// "ranks 0 and 2 have failed: ...", each message once.
std::string words_for_failed(const Evidence &evidence)
{
    std::string text;
    std::vector<std::string> seen;
    for (const auto &[first, message] : evidence.failed) {
        if (std::find(seen.begin(), seen.end(), message) != seen.end()) continue;
        seen.push_back(message);
        std::vector<int> ranks;
        for (const auto &[rank, other] : evidence.failed)
            if (other == message) ranks.push_back(rank);
        text += (text.empty() ? "" : "; ") + ct::distributed::ranks_text(ranks) +
                (ranks.size() == 1 ? " has" : " have") + " failed: " + message;
    }
    return text;
}

std::string words_for(const Evidence &evidence)
{
    if (!evidence.failed.empty() || evidence.lost.empty()) return words_for_failed(evidence);
    bool is_one = evidence.lost.size() == 1;
    return ct::distributed::ranks_text(evidence.lost) +
           (is_one ? " is lost: its process has ended" : " are lost: their processes have ended");
}

[[noreturn]] void fail(Group &g, bool by_others, const std::string &message, const std::string &hint)
{
    g.broken = message;
    g.is_broken_by_others = by_others;
    throw Failure{message, hint};
}

// What another rank has told of its place: number, text, detail.
struct There {
    int rank;
    int64_t number = 0;
    std::string text, detail;
};

There place_of(Group &g, int rank)
{
    There there{rank, 0, "", ""};
    std::optional<std::string> text = told(g, ct::distributed::key_of("at/", rank));
    std::vector<std::string> fields = text ? fields_of(*text) : std::vector<std::string>();
    if (fields.size() > 1) {
        there.number = std::stoll(fields[0]);
        there.text = fields[1];
    }
    if (fields.size() > 2) there.detail = fields[2];
    return there;
}

// The places of all ranks, once they have told them.
std::vector<There> places(Group &g, const Operation &operation)
{
    std::vector<There> found;
    for (int rank = 0; rank < g.settings.world; rank++) {
        There there = place_of(g, rank);
        for (int look = 0; look < LOOKS && there.number < operation.number; look++) {
            std::this_thread::sleep_for(PAUSE);
            there = place_of(g, rank);
        }
        found.push_back(there);
    }
    return found;
}

// "rank 0 calls all-reduce sum float32 (3), rank 1 calls barrier".
std::string calls_text(const std::vector<There> &all)
{
    std::string text;
    std::vector<std::string> seen;
    for (const There &there : all) {
        if (std::find(seen.begin(), seen.end(), there.text) != seen.end()) continue;
        seen.push_back(there.text);
        text += (text.empty() ? "rank " : ", rank ") + std::to_string(there.rank) + " is in " +
                (there.text.empty() ? "another operation" : there.text);
    }
    return text;
}

// The first line that differs: "layers.0.weight is float32 (3) on rank 0 and float32 (4) on rank 1".
std::string difference(const There &a, const There &b)
{
    std::istringstream left(a.detail), right(b.detail);
    std::string x, y;
    while (std::getline(left, x) && std::getline(right, y))
        if (x != y)
            return x + " on rank " + std::to_string(a.rank) + ", and " + y + " on rank " +
                   std::to_string(b.rank);
    return a.text + " on rank " + std::to_string(a.rank) + ", and " + b.text + " on rank " +
           std::to_string(b.rank);
}

std::string differences_text(const std::vector<There> &all)
{
    for (const There &there : all)
        if (there.text != all[0].text) return "the ranks do different things: " + calls_text(all);
    for (const There &there : all)
        if (there.detail != all[0].detail)
            return "the ranks differ: " + difference(all[0], there);
    return "the ranks differ";
}

}  // namespace

namespace ct::distributed {

bool ask(Group &g, std::function<void(c10d::Store &)> question)
{
    if (!g.store || !g.store_answers) return false;
    auto answer = std::make_shared<std::promise<bool>>();
    std::future<bool> answered = answer->get_future();
    // The thread keeps what it uses, because it may stay behind.  It lets go of the store before it
    // answers: the next group's store needs the port.
    std::thread([answer, question, store = g.store]() mutable {
        block_broken_pipes();
        bool has_asked = true;
        try {
            question(*store);
        } catch (...) {
            has_asked = false;
        }
        store.reset();
        answer->set_value(has_asked);
    }).detach();
    g.store_answers = answered.wait_for(patience(g)) == std::future_status::ready;
    return g.store_answers && answered.get();
}

void tell(Group &g, const std::string &key, const std::string &text)
{
    ask(g, [key, text](c10d::Store &store) { store.set(key, bytes_of(text)); });
}

std::optional<std::string> told(Group &g, const std::string &key)
{
    auto found = std::make_shared<std::optional<std::string>>();
    bool answered = ask(g, [key, found](c10d::Store &store) {
        if (!store.check({key})) return;
        std::vector<uint8_t> bytes = store.get(key);
        *found = std::string(bytes.begin(), bytes.end());
    });
    return answered ? *found : std::nullopt;
}

std::string key_of(const char *name, int rank) { return name + std::to_string(rank); }

std::vector<int> missing(Group &g, const char *name)
{
    std::vector<int> found;
    for (int rank = 0; rank < g.settings.world; rank++)
        if (!told(g, key_of(name, rank))) found.push_back(rank);
    return found;
}

std::optional<std::string> told_difference(Group &g)
{
    std::optional<std::string> text = told(g, "unequal");
    if (!text) return {};
    g.is_unequal = true;
    g.most_ranks = std::max(g.most_ranks, std::atoi(text->c_str()));
    return text->substr(text->find('\t') + 1);
}

void tell_difference(Group &g, const std::string &text)
{
    g.is_unequal = true;
    tell(g, "unequal", std::to_string(g.most_ranks) + "\t" + text);
}

void tell_failure(Group &g, const std::string &text)
{
    std::string kind = g.is_broken_by_others ? PEER : OWN;
    tell(g, key_of("failed/", g.settings.rank), kind + "\t" + text.substr(0, LONGEST_MESSAGE_OF_OTHERS));
    ask(g, [](c10d::Store &store) { store.add("trouble", 1); });
}

bool has_trouble(Group &g)
{
    auto found = std::make_shared<bool>(false);
    bool answered = ask(g, [found](c10d::Store &store) { *found = store.check({"trouble"}); });
    return !answered || *found;  // a store without an answer is lost with rank 0
}

void visit_next(Group &g)
{
    using namespace std::chrono_literals;
    int next = (g.settings.rank + 1) % g.settings.world;
    if (g.visit.valid()) {
        if (g.visit.wait_for(0ms) != std::future_status::ready) return;
        Answer answer = g.visit.get();
        g.silences = answer == Answer::SILENCE ? g.silences + 1 : 0;
        g.refusals = answer == Answer::REFUSAL ? g.refusals + 1 : 0;
        g.visited = Clock::now();
        if (g.refusals == MOST_REFUSALS) fail_for_lost(g, "nobody listens at its port");
        if (g.silences < MOST_SILENCES) return;
        fail(g, true, ranks_text({next}) + " is lost: its machine does not answer", "");
    }
    if (Clock::now() - g.visited < (g.silences + g.refusals ? AFTER_NONE : AFTER_ANSWER)) return;
    std::promise<Answer> answer;
    g.visit = answer.get_future();
    Place place = g.lives[static_cast<size_t>(next)];
    std::thread([place, answer = std::move(answer)]() mutable {
        Answer found = Answer::SILENCE;
        try {
            found = place.port == 0 ? Answer::LISTENS : answer_of(place, VISIT);
        } catch (...) {
        }
        answer.set_value(found);
    }).detach();
}

void tell_place(Group &g, const Operation &operation)
{
    tell(g, key_of("at/", g.settings.rank),
         std::to_string(operation.number) + "\t" + operation.text + "\t" + operation.detail);
}

void fail_for_lost(Group &g, const std::string &reason)
{
    if (std::optional<std::string> text = told_difference(g)) fail(g, true, *text, "");
    Evidence evidence;
    for (int look = 0; look < LOOKS; look++) {
        evidence = look_around(g);
        std::string words = words_for(evidence);
        if (!words.empty()) fail(g, true, words, "");
        std::this_thread::sleep_for(PAUSE);
    }
    if (!evidence.hearsay.empty()) fail(g, true, evidence.hearsay, "");
    if (!g.store_answers)
        fail(g, true, "rank 0 has not answered within " + seconds_text(patience(g)), "");
    fail(g, true, "the connection to another rank is broken: " + reason, "");
}

void fail_for_late(Group &g, const Operation &operation)
{
    tell_place(g, operation);
    std::this_thread::sleep_for(GLIMPSE);  // others may have come just before
    if (has_trouble(g)) fail_for_lost(g, "");
    std::vector<int> late;
    for (int rank = 0; rank < g.settings.world; rank++)
        if (place_of(g, rank).number < operation.number) late.push_back(rank);
    std::string time = " within " + seconds_text(g.settings.timeout);
    std::string hint = "with-distributed's :timeout is the number of seconds to wait";
    if (late.empty()) fail(g, true, "the ranks do not answer" + time, hint);
    fail(g, false,
         ranks_text(late) + (late.size() == 1 ? " has" : " have") + " not come to " + operation.text +
             time,
         hint);
}

void fail_for_different(Group &g, const Operation &operation)
{
    tell_place(g, operation);
    std::vector<There> all = places(g, operation);
    tell(g, key_of("seen/", g.settings.rank), "");
    fail(g, false, differences_text(all), "all ranks must call the same procedures in the same order");
}

}  // namespace ct::distributed

#endif  // CT_GLOO
