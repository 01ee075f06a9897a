// group.h - the ranks that work together, and the operation that they are in.  C++ only.
//
//     settings.cpp     which rank this is: arguments and the launcher's variables
//     sockets.cpp      whether other processes live
//     peers.cpp        what has become of the other ranks, in words
//     group.cpp        joining and leaving
//     operation.cpp    one operation of all ranks: a check, then what they exchange
//     collectives.cpp  the operations of the language
//     gradients.cpp    the gradients of parameters, exchanged during backward
//
// c10d does the work: its TCPStore, at rank 0, is where the ranks meet and leave messages, its
// ProcessGroupGloo exchanges tensors.  Two things are added.  Gloo ends the process if ranks come
// with different sizes, so that every operation begins with the exchange of a digest of what each
// rank is about to do.  And Gloo's errors name a connection; the store and the life signs say which
// rank has failed, and why.
#pragma once

#include "distributed/distributed.h"
#include "distributed/gloo_abi.h"

#define USE_C10D_GLOO  // the header is empty without
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ct::distributed {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::milliseconds;
using Work = c10::intrusive_ptr<c10d::Work>;
using Gloo = c10::intrusive_ptr<c10d::ProcessGroupGloo>;

// How long one call of a procedure waits: Lisp polls for Ctrl-C in between.
constexpr Milliseconds MOMENT{20};

// settings.cpp

struct Settings {
    int rank = 0, world = 1, local_rank = 0;
    std::string address;
    int port = 0;
    int listener = -1;         // a socket of the launcher's, which listens there already
    bool has_store = false;    // the launcher runs the store there
    bool may_restart = false;  // the launcher starts ranks again that have ended
    std::string prefix;        // of keys in it
    Milliseconds timeout{};
    bool check = true;
};

// From the arguments of with-distributed, #f where the launcher's variables decide.
Settings settings_of(const ProcedureArguments &given);
// "10 seconds".
std::string seconds_text(Milliseconds time);
// "rank 1", "ranks 1, 2 and 5".
std::string ranks_text(const std::vector<int> &ranks);

// sockets.cpp

// A socket that is closed with its owner.
class Socket {
public:
    Socket() = default;
    explicit Socket(int descriptor) : descriptor_(descriptor) {}
    Socket(Socket &&other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    Socket &operator=(Socket &&other) noexcept;
    ~Socket();
    int descriptor() const { return descriptor_; }

private:
    int descriptor_ = -1;
};

struct Place {
    std::string address;
    int port = 0;
};

// Forget those who have looked whether this process lives: their number is limited.
void forget_visitors(const Socket &life);
// Look an address up in a thread: a name server may be slow.  The status of getaddrinfo.
std::future<int> look_up(const std::string &address);
// Whether that may succeed later; any other failure is thrown.
bool may_be_found_later(const std::string &address, int status);
// What getaddrinfo says of a status.
std::string lookup_text(int status);
// What a machine says of a place: nothing in time, that nobody listens there, or that someone does.
enum class Answer { SILENCE, REFUSAL, LISTENS };
Answer answer_of(const Place &place, Milliseconds moment);
// Whether something listens there; waits only a moment.
bool listens(const Place &place, Milliseconds moment);
// The address of this machine on the way to a place.
std::string address_towards(const Place &place);
// Listens at a free port of this machine's address, which it writes to the place.  Nobody accepts:
// others only look whether the process lives.
Socket life_sign(Place &place);
// A thread that sends to a process that has ended gets a signal, which ends this process.  Block it
// in the calling thread, and in those that it starts; returns whether it was blocked.
bool block_broken_pipes();
// Undo that, and forget a signal that waits.
void allow_broken_pipes();
// The connections of this process, except those with that port at either end.
std::vector<int> connections_without(int port);

// group.cpp

struct Operation;

// The store, or why there is none.
struct Connected {
    c10::intrusive_ptr<c10d::Store> store;
    std::string error;
};

struct Group {
    Settings settings;
    Clock::time_point deadline;         // of joining
    bool has_address = false;           // rank 0's name was found
    std::future<int> lookup;
    int lookup_status = 0;              // of the last one that failed
    std::future<Connected> connecting;
    bool is_answered = false;           // something listens at rank 0's place
    bool is_unequal = false;            // the ranks differ in their settings
    int most_ranks = 0;                 // that one of them expects
    c10::intrusive_ptr<c10d::Store> store;
    bool store_answers = true;
    Socket life;
    std::future<Answer> visit;          // a look whether the next rank lives
    Clock::time_point visited{};
    int silences = 0, refusals = 0;     // looks in a row without an answer, and with a refusal
    std::vector<Place> lives;           // where the life signs of all ranks are
    Gloo control, data;                 // for digests, and for tensors
    std::vector<int> connections;       // the sockets of both
    int64_t operations = 0;             // so far
    std::unique_ptr<Operation> current;
    std::string broken;                 // why nothing can be exchanged any more
    bool is_broken_by_others = false;

    Group();
    ~Group();
};

// The group of this process; a Failure outside of with-distributed, or if it is broken.
Group &working_group();

// peers.cpp

// Call a function of the store, which would not answer if rank 0 is stopped.  Whether it has
// returned soon, without an error.
bool ask(Group &g, std::function<void(c10d::Store &)> question);
void tell(Group &g, const std::string &key, const std::string &text);
std::optional<std::string> told(Group &g, const std::string &key);
// The same for one key of each rank: "join/" and the number.
std::string key_of(const char *name, int rank);
// The ranks without such a key.
std::vector<int> missing(Group &g, const char *name);

// What a rank has told of settings that differ between the ranks.
std::optional<std::string> told_difference(Group &g);
void tell_difference(Group &g, const std::string &text);
// Tell the others why this rank fails, and whether one has told that.
void tell_failure(Group &g, const std::string &text);
bool has_trouble(Group &g);
// While this rank waits: whether the machine of the next one answers.  That of a machine that was
// switched off, or has lost its network, stays open.
void visit_next(Group &g);
// Tell the others what this rank waits in.
void tell_place(Group &g, const Operation &operation);

// These throw the Failure, after which the group can only be left: for ranks that have failed or are
// lost, that have not come within the time-out, or that are in another operation.
[[noreturn]] void fail_for_lost(Group &g, const std::string &reason);
[[noreturn]] void fail_for_late(Group &g, const Operation &operation);
[[noreturn]] void fail_for_different(Group &g, const Operation &operation);

// operation.cpp

// What all ranks do together.  text says what, and detail more of it, a line for each part; they
// must be the same everywhere.
struct Operation {
    std::string text, detail;
    std::function<Work()> next;      // starts the next exchange; NULL when there is none
    std::function<Owned()> finish;   // the result
    bool checks = true;

    int64_t number = 0;
    Clock::time_point began{}, looked{};
    at::Tensor digest;
    Work check, work;
    bool is_told = false;
};

// Begin an operation.  The group's other operations must have ended.
void begin(Group &g, Operation &operation);
// Wait for a moment for the check; whether it has passed.
bool passes_check(Group &g, Operation &operation, Milliseconds moment = MOMENT);
// Wait for a moment for an exchange of the operation; whether it has ended.
bool wait_for(Group &g, Operation &operation, const Work &work, Milliseconds moment = MOMENT);
// Work on it for a moment; whether it has ended.
bool advance(Group &g, Operation &operation);

// Reduce, or copy from the root, the elements of a dense tensor on the CPU.
Work reduce_in_place(Group &g, const at::Tensor &flat,
                     c10d::ReduceOp::RedOpType operation = c10d::ReduceOp::SUM);
Work broadcast_in_place(Group &g, const at::Tensor &flat, int root);

// A procedure that all ranks call: "wait" continues with the operation in progress, any other text
// begins what `make` returns.
// #f until it has ended, then a list of the result.
Owned step(const ProcedureArguments &given, const std::function<Operation(Group &)> &make);

// gradients.cpp

// Forget all parameters.
void release_parameters();

}  // namespace ct::distributed
