// group.cpp - joining the group of ranks, and leaving it.
//
// Rank 0 opens the store; the others wait until it listens.  Each rank then tells where its life
// sign is, and waits for those of all others; only then do they connect with each other, so that a
// rank that is late or missing can be named.
//
// A program may join several groups, one after the other, at the same port.  Each has a store of its
// own, and each store a name: a rank that is early finds the store of the group before, knows its
// name, and waits for the next.  A launcher's store serves all groups, under different keys.

#ifdef CT_GLOO

#include "distributed/group.h"

#include <c10/util/Logging.h>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include <sys/socket.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <thread>

C10_DECLARE_int(caffe2_log_level);

namespace {

using ct::Failure;
using ct::Owned;
using ct::ProcedureArguments;
using ct::distributed::Clock;
using ct::distributed::Connected;
using ct::distributed::Gloo;
using ct::distributed::Group;
using ct::distributed::Milliseconds;
using ct::distributed::Operation;
using ct::distributed::Place;
using ct::distributed::Settings;

constexpr Milliseconds TO_CONNECT{20000};  // at most, once all ranks have joined
constexpr int GLOO_PATIENCE = 5;           // Gloo waits that many time-outs for a connection
constexpr Milliseconds SLACK{10000};       // our time-out comes before Gloo's
constexpr Milliseconds TO_LEAVE{3000};     // for the others to read why rank 0 fails
constexpr Milliseconds TO_COME{10000};     // the same, for those that have not joined yet
constexpr Milliseconds TO_END{2000};       // for the threads of a broken group
constexpr int SILENT = 4;                  // above the level of fatal errors
constexpr int CONTROL_THREADS = 1, DATA_THREADS = 2;

// Never destroyed: its threads would outlive static objects.
Group *only = nullptr;

int groups = 0;            // that this process has begun to join
std::string *last_store;   // the name of the store that it used last; never destroyed

// c10d prints warnings, with C++ names, on stderr, where only errors belong.
void silence()
{
    if (!std::getenv("TORCH_CPP_LOG_LEVEL")) FLAGS_caffe2_log_level = SILENT;
}

std::string where(const Settings &s) { return s.address + ":" + std::to_string(s.port); }

// Joining.

bool serves(const Settings &s) { return s.rank == 0 && !s.has_store; }

// Connects in a thread: what listens there may be something else, which never answers.
c10::intrusive_ptr<c10d::Store> connected_store(const Settings &s, const std::string &prefix)
{
    c10d::TCPStoreOptions options;
    options.port = static_cast<uint16_t>(s.port);
    options.isServer = serves(s);
    options.waitWorkers = false;
    options.timeout = std::min(TO_CONNECT, s.timeout);
    if (options.isServer && s.listener >= 0) options.masterListenFd = s.listener;
    auto store = c10::make_intrusive<c10d::TCPStore>(s.address, options);
    if (!s.has_store) return store;
    return c10::make_intrusive<c10d::PrefixStore>(prefix, store);
}

std::future<Connected> connect_to_store(const Settings &s)
{
    std::promise<Connected> answer;
    std::future<Connected> connected = answer.get_future();
    std::string prefix = s.prefix + std::to_string(groups);
    std::thread([s, prefix, answer = std::move(answer)]() mutable {
        ct::distributed::block_broken_pipes();
        Connected found;
        try {
            found.store = connected_store(s, prefix);
        } catch (const std::exception &error) {
            found.error = error.what();
        }
        answer.set_value(std::move(found));
    }).detach();
    return connected;
}

// A text that no other process makes.
std::string unique_name()
{
    std::random_device source;
    std::string text;
    for (int k = 0; k < 4; k++) text += std::to_string(source()) + ".";
    return text;
}

// Whether the store is that of this group, not of the one before.
bool is_new_store(Group &g)
{
    if (g.settings.has_store) return true;
    if (serves(g.settings)) {
        tell(g, "store", unique_name());
        return true;
    }
    std::optional<std::string> name = ct::distributed::told(g, "store");
    if (!name || (last_store && *name == *last_store)) return false;
    delete std::exchange(last_store, new std::string(*name));
    return true;
}

[[noreturn]] void fail_to_serve(const Settings &s, const std::string &text)
{
    if (text.find("EADDRINUSE") == std::string::npos)
        throw Failure{"rank 0 cannot listen at " + where(s),
                      "MASTER_ADDR or :address is an address of the machine of rank 0, where the port "
                      "is free"};
    throw Failure{"rank 0 cannot listen at " + where(s) + ": another process does",
                  "MASTER_PORT or :port is a free port, the same for all ranks"};
}

// Whether the name of rank 0's machine is known, which a name server may say later.
bool find_address(Group &g)
{
    if (g.has_address) return true;
    if (!g.lookup.valid()) g.lookup = ct::distributed::look_up(g.settings.address);
    if (g.lookup.wait_for(ct::distributed::MOMENT) != std::future_status::ready) return false;
    int status = g.lookup.get();
    g.has_address = status == 0 || !ct::distributed::may_be_found_later(g.settings.address, status);
    g.lookup_status = status;
    return g.has_address;
}

// The store, if rank 0 has opened it.
bool find_store(Group &g)
{
    const Settings &s = g.settings;
    if (!find_address(g)) return false;
    if (!g.connecting.valid()) {
        g.is_answered = serves(s) ||
                        ct::distributed::listens({s.address, s.port}, ct::distributed::MOMENT);
        if (!g.is_answered) return false;
        g.connecting = connect_to_store(s);
    }
    if (g.connecting.wait_for(ct::distributed::MOMENT) != std::future_status::ready) return false;
    Connected found = g.connecting.get();
    if (!found.store && serves(s)) fail_to_serve(s, found.error);
    if (!found.store) return false;  // it was the store of the group before, perhaps
    if (serves(s) && s.listener >= 0) unsetenv("LAMBENT_LISTENER");
    g.store = std::move(found.store);
    g.store_answers = true;
    if (is_new_store(g)) return true;
    g.store.reset();
    return false;
}

std::vector<std::string> fields(const std::string &text)
{
    std::vector<std::string> found(1);
    for (char c : text)
        if (c == '\t') found.emplace_back();
        else found.back() += c;
    return found;
}

constexpr char SAME_WORLD[] = "WORLD_SIZE or :world-size is the same for all ranks";

// Fails on all ranks.
[[noreturn]] void fail_for_difference(Group &g, const std::string &text, const char *hint)
{
    ct::distributed::tell_difference(g, text);
    throw Failure{text, hint};
}

// The first rank that comes says how many there are; false if the store does not answer.
bool agree(Group &g)
{
    const Settings &s = g.settings;
    std::string own = std::to_string(s.rank) + "\t" + std::to_string(s.world) + "\t" + (s.check ? "1" : "0");
    auto first = std::make_shared<std::string>();
    auto claim = [first, own](c10d::Store &store) {
        std::vector<uint8_t> found =
            store.compareSet("settings", std::vector<uint8_t>(), std::vector<uint8_t>(own.begin(), own.end()));
        first->assign(found.begin(), found.end());
    };
    if (!ask(g, claim)) return false;
    std::vector<std::string> there = fields(*first);
    if (there.size() != 3) return false;
    g.most_ranks = std::max(s.world, std::atoi(there[1].c_str()));
    if (there[1] != std::to_string(s.world))
        fail_for_difference(g,
                            "rank " + there[0] + " expects " + there[1] + " ranks, and rank " +
                                std::to_string(s.rank) + " " + std::to_string(s.world),
                            SAME_WORLD);
    if (there[2] != (s.check ? "1" : "0"))
        fail_for_difference(
            g, "ranks " + there[0] + " and " + std::to_string(s.rank) + " differ in :check", "");
    return true;
}

// A process that the launcher started again has come to the group of the one before, which has ended:
// the others may not have noticed.
bool await_next_group(Group &g)
{
    std::string key = ct::distributed::key_of("failed/", g.settings.rank);
    if (!ct::distributed::told(g, key))
        ct::distributed::tell_failure(g, "its process has ended, or another one has its number: "
                                         "each machine has a --machine of its own");
    g.store.reset();
    return false;
}

// Tell the others that this rank has come.  False if the store does not answer, or another process
// was this rank.
bool enter(Group &g)
{
    const Settings &s = g.settings;
    static const std::string own = unique_name();
    auto owner = std::make_shared<std::string>();
    std::string key = ct::distributed::key_of("claim/", s.rank);
    auto claim = [owner, key, name = own](c10d::Store &store) {
        using Bytes = std::vector<uint8_t>;
        Bytes found = store.compareSet(key, Bytes(), Bytes(name.begin(), name.end()));
        owner->assign(found.begin(), found.end());
    };
    if (!ask(g, claim)) return false;
    if (*owner != own && s.may_restart) return await_next_group(g);
    if (*owner != own)
        throw Failure{"rank " + std::to_string(s.rank) + " has joined already: two processes have "
                          "this number", "each process has a RANK of its own, from 0"};
    if (!agree(g)) return false;
    Place here{ct::distributed::address_towards({s.address, s.port}), 0};
    g.life = ct::distributed::life_sign(here);
    tell(g, ct::distributed::key_of("join/", s.rank),
         here.address + "\t" + std::to_string(here.port));
    return true;
}

// Where the life signs of all ranks are, if all have joined.
bool meet(Group &g)
{
    auto keys = std::make_shared<std::vector<std::string>>();
    for (int rank = 0; rank < g.settings.world; rank++)
        keys->push_back(ct::distributed::key_of("join/", rank));
    auto found = std::make_shared<std::vector<std::vector<uint8_t>>>();
    bool answered = ask(g, [keys, found](c10d::Store &store) {
        if (store.check(*keys)) *found = store.multiGet(*keys);
    });
    if (!answered && !serves(g.settings)) g.store.reset();  // it was that of the group before
    if (!answered || found->empty()) return false;
    g.lives.resize(found->size());
    for (size_t rank = 0; rank < found->size(); rank++) {
        const std::vector<uint8_t> &bytes = (*found)[rank];
        std::vector<std::string> there = fields({bytes.begin(), bytes.end()});
        if (there.size() != 2) return false;
        g.lives[rank] = {there[0], std::atoi(there[1].c_str())};
    }
    return true;
}

Gloo connected(Group &g, const char *name, int threads, Milliseconds timeout)
{
    auto options = c10d::ProcessGroupGloo::Options::create(timeout);
    const char *interface = std::getenv("GLOO_SOCKET_IFNAME");
    const Place &here = g.lives[static_cast<size_t>(g.settings.rank)];
    options->devices.push_back(
        interface && *interface
            ? c10d::ProcessGroupGloo::createDeviceForInterface(interface)
            : c10d::ProcessGroupGloo::createDeviceForHostname(here.address));
    options->threads = threads;
    auto store = c10::make_intrusive<c10d::PrefixStore>(name, g.store);
    Gloo gloo = c10::make_intrusive<c10d::ProcessGroupGloo>(store, g.settings.rank,
                                                            g.settings.world, options);
    gloo->setTimeout(g.settings.timeout + SLACK);
    return gloo;
}

// Gloo's threads send to ranks that may have ended.
class QuietPipes {
public:
    QuietPipes() : were_blocked_(ct::distributed::block_broken_pipes()) {}
    ~QuietPipes()
    {
        if (!were_blocked_) ct::distributed::allow_broken_pipes();
    }
    QuietPipes(const QuietPipes &) = delete;
    QuietPipes &operator=(const QuietPipes &) = delete;

private:
    bool were_blocked_;
};

void connect_all(Group &g)
{
    std::vector<int> before = ct::distributed::connections_without(g.settings.port);
    Milliseconds time = std::min(TO_CONNECT, g.settings.timeout) / GLOO_PATIENCE;
    try {
        g.control = connected(g, "control", CONTROL_THREADS, time);
        g.data = connected(g, "data", DATA_THREADS, time);
    } catch (const std::exception &error) {
        ct::distributed::fail_for_lost(g, "the ranks cannot connect with each other");
    }
    for (int descriptor : ct::distributed::connections_without(g.settings.port))
        if (std::find(before.begin(), before.end(), descriptor) == before.end())
            g.connections.push_back(descriptor);
}

[[noreturn]] void fail_to_meet(Group &g)
{
    const Settings &s = g.settings;
    std::string time = " within " + ct::distributed::seconds_text(s.timeout);
    if (!g.has_address)
        throw Failure{"cannot find the address " + s.address + " of rank 0" + time +
                          (g.lookup_status ? ": " + ct::distributed::lookup_text(g.lookup_status) : ""),
                      "MASTER_ADDR or :address names the machine of rank 0"};
    if (!g.store && g.is_answered)
        throw Failure{"rank 0 has not joined" + time + ": what listens at " + where(s) +
                          " does not answer as rank 0 does",
                      "MASTER_PORT or :port is the same for all ranks, and no other program's"};
    if (!g.store)
        throw Failure{"rank 0 has not joined" + time + ": nothing listens at " + where(s),
                      "all ranks need rank 0's MASTER_ADDR, MASTER_PORT and WORLD_SIZE, or :address, :port "
                      "and :world-size"};
    std::vector<int> late = ct::distributed::missing(g, "join/");
    throw Failure{ct::distributed::ranks_text(late) + (late.size() == 1 ? " has" : " have") +
                      " not joined" + time,
                  "all " + std::to_string(s.world) + " ranks must start, with MASTER_ADDR and "
                  "MASTER_PORT for " + where(s)};
}

// Fails if a rank has told that it fails.
void heed_trouble(Group &g)
{
    if (!has_trouble(g)) return;
    if (std::optional<std::string> text = ct::distributed::told_difference(g)) {
        g.is_broken_by_others = true;
        throw Failure{*text, SAME_WORLD};
    }
    for (int rank = 0; rank < g.settings.world; rank++)
        if (std::optional<std::string> text = told(g, ct::distributed::key_of("failed/", rank))) {
            g.is_broken_by_others = true;
            throw Failure{"rank " + std::to_string(rank) + " has failed: " +
                              text->substr(text->find('\t') + 1), ""};
        }
}

bool join(Group &g)
{
    if (g.settings.world == 1) return true;
    bool has_entered = g.store || (find_store(g) && enter(g));
    if (has_entered && meet(g)) {
        QuietPipes quiet;
        connect_all(g);
        return true;
    }
    if (Clock::now() > g.deadline) fail_to_meet(g);
    if (g.store) heed_trouble(g);
    std::this_thread::sleep_for(ct::distributed::MOMENT);
    return false;
}

// Leaving.

// Ends the exchanges that wait, on both sides.
void disconnect(Group &g)
{
    for (int descriptor : g.connections) shutdown(descriptor, SHUT_RDWR);
    g.connections.clear();
}

bool needs_store(Group &g, int rank)
{
    if (rank == g.settings.rank || told(g, ct::distributed::key_of("left/", rank))) return false;
    if (static_cast<size_t>(rank) >= g.lives.size())
        return g.is_unequal || told(g, ct::distributed::key_of("join/", rank)).has_value();
    return ct::distributed::listens(g.lives[static_cast<size_t>(rank)], ct::distributed::MOMENT);
}

// Rank 0 keeps the store for a moment: the others read there why it fails.
void wait_for_others(Group &g)
{
    Clock::time_point until = Clock::now() + TO_LEAVE;
    if (g.is_unequal) until = std::min(std::max(until, g.deadline), Clock::now() + TO_COME);
    for (int rank = 0; rank < std::max(g.settings.world, g.is_unequal ? g.most_ranks : 0); rank++)
        while (Clock::now() < until && g.store_answers && needs_store(g, rank))
            std::this_thread::sleep_for(ct::distributed::MOMENT);
}

void leave_with(Group &g, const std::string &failure)
{
    if (!g.store) return;
    tell_failure(g, failure);
    if (g.broken.empty()) g.broken = "it has failed";  // others may still send what it waits for
    disconnect(g);
    tell(g, ct::distributed::key_of("left/", g.settings.rank), "");
    if (serves(g.settings)) wait_for_others(g);
}

Owned enter_group(const ProcedureArguments &given)
{
    if (only)
        throw Failure{"with-distributed cannot be used inside of with-distributed",
                      "one around the whole program is enough"};
    Settings settings = ct::distributed::settings_of(given);
    silence();
    only = new Group();
    only->settings = settings;
    only->deadline = Clock::now() + settings.timeout;
    groups++;
    return Owned::boolean(true);
}

Owned leave(const ProcedureArguments &given)
{
    if (given.flag(1)) leave_with(*only, given.text(1));
    delete std::exchange(only, nullptr);
    return Owned::boolean(true);
}

}  // namespace

namespace ct::distributed {

Group::Group() = default;

Group::~Group()
{
    if (current || !broken.empty()) disconnect(*this);
    release_parameters();
    current.reset();
    if (broken.empty()) return;
    // An exchange that has begun when its connection broke may wait for Gloo's time-out.  Its thread
    // stays behind then: this process may have to join the next group.
    std::promise<void> end;
    std::future<void> ended = end.get_future();
    std::thread([one = std::move(data), other = std::move(control), end = std::move(end)]() mutable {
        block_broken_pipes();
        one.reset();
        other.reset();
        end.set_value();
    }).detach();
    ended.wait_for(TO_END);
}

Group &working_group()
{
    if (!only)
        throw Failure{"this works only inside of with-distributed",
                      "(with-distributed form ...), which also runs without other processes"};
    if (!only->broken.empty())
        throw Failure{"the ranks are disconnected since this error: " + only->broken, ""};
    return *only;
}

}  // namespace ct::distributed

namespace ct {

// "start" and the arguments: enter.  "join": whether all have joined.  "end": wait for all at the
// end, like an operation.  "leave" and why, #f if all have ended.
Owned with_distributed(const ProcedureArguments &given)
{
    std::string verb = given.text(0);
    if (verb == "start") return enter_group(given);
    if (!only) return Owned::boolean(false);
    if (verb == "join") return Owned::boolean(join(*only));
    if (verb == "leave") return leave(given);
    return distributed::step(given, [](Group &) {
        Operation end;
        end.text = "the end of with-distributed";
        return end;
    });
}

Owned distributed_rank(const ProcedureArguments &)
{
    return Owned::integer(only ? only->settings.rank : 0);
}

Owned distributed_world(const ProcedureArguments &)
{
    return Owned::integer(only ? only->settings.world : 1);
}

Owned distributed_local_rank(const ProcedureArguments &)
{
    return Owned::integer(only ? only->settings.local_rank : 0);
}

}  // namespace ct

#endif  // CT_GLOO
