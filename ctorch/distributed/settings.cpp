// settings.cpp - which rank this process is, of how many, and where rank 0 is.
//
//     RANK=1 WORLD_SIZE=2 MASTER_ADDR=10.0.0.5 MASTER_PORT=29500   torchrun, lambent launch
//     OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2                mpirun of Open MPI
//     PMI_RANK=1 PMI_SIZE=2                                        mpirun of MPICH
//     SLURM_PROCID=1 SLURM_NTASKS=2                                srun
//
// Without any of them, the process is the only rank.  Slurm also says where rank 0 is: on the first
// of its machines, SLURM_JOB_NODELIST="node[3-5,7]", at a port by the number of the job.

#ifdef CT_GLOO

#include "distributed/group.h"

#include <cerrno>
#include <cmath>
#include <cstdlib>

namespace {

using ct::Failure;
using ct::ProcedureArguments;

constexpr int PORT = 29500;  // PyTorch's
constexpr int LAST_PORT = 65535;
constexpr double LONGEST_TIMEOUT = 1e8;  // seconds: three years

const char *const RANKS[] = {"RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"};
const char *const WORLDS[] = {"WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"};
const char *const LOCAL_RANKS[] = {"LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
                                   "SLURM_LOCALID"};

// How many ranks the launcher has started on this machine; Slurm tells the machines instead.
const char *const LOCAL_WORLDS[] = {"LOCAL_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE",
                                    "MPI_LOCALNRANKS"};
constexpr size_t TORCHRUN = 0, SLURM = 3;  // of the names above

// Those of the step, which a program of srun is, may be fewer than those of the job.
const char *const MACHINES[] = {"SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST", "SLURM_NODELIST"};
constexpr int FIRST_JOB_PORT = 20000, JOB_PORTS = 9500;  // below those that Linux gives out

const char *variable(const char *name)
{
    const char *text = std::getenv(name);
    return text && *text ? text : nullptr;
}

[[noreturn]] void fail_at_variable(const char *name, const char *text, const char *noun)
{
    throw Failure{std::string("the variable ") + name + " is \"" + text + "\", which is not " + noun,
                  ""};
}

int64_t long_number_in(const char *name, int64_t least, int64_t most, const char *noun)
{
    const char *text = variable(name);
    char *end = nullptr;
    errno = 0;
    int64_t value = std::strtoll(text, &end, 10);
    if (*end || errno || value < least || value > most) fail_at_variable(name, text, noun);
    return value;
}

int number_in(const char *name, int least, int most, const char *noun)
{
    return static_cast<int>(long_number_in(name, least, most, noun));
}

// The k of the first of the names that is set.
std::optional<size_t> first_set(const char *const (&names)[4])
{
    for (size_t k = 0; k < 4; k++)
        if (variable(names[k])) return k;
    return {};
}

bool is_given(const ProcedureArguments &given, size_t k)
{
    return given.values[k].kind != CT_BOOL || given.values[k].i;
}

int integer(const ProcedureArguments &given, size_t k, int least, int most, const char *noun)
{
    const ct_value &value = given.values[k];
    if (value.kind != CT_INT || value.i < least || value.i > most) ct::wrong_kind(noun, value);
    return static_cast<int>(value.i);
}

ct::distributed::Milliseconds timeout_of(const ct_value &value)
{
    double seconds = value.kind == CT_INT ? static_cast<double>(value.i) : value.f;
    bool is_number = value.kind == CT_INT || value.kind == CT_FLOAT;
    if (!is_number || !(seconds > 0) || seconds > LONGEST_TIMEOUT)
        ct::wrong_kind("a positive number of seconds for :timeout", value);
    return ct::distributed::Milliseconds(static_cast<int64_t>(std::ceil(seconds * 1000)));
}

void check_backend(const ProcedureArguments &given, size_t k)
{
    const ct_value &value = given.values[k];
    if (value.kind != CT_SYMBOL && value.kind != CT_STRING)
        ct::wrong_kind("a symbol for :backend", value);
    std::string name = value.text;
    if (name == "nccl")
        throw Failure{"the backend nccl is not available",
                      "gloo is; it also takes tensors of a GPU, by way of main memory"};
    if (name != "gloo") throw Failure{"unknown backend " + name, "gloo is available"};
}

void set_rank(ct::distributed::Settings &s, const ProcedureArguments &given, size_t rank, size_t world)
{
    std::optional<size_t> found = first_set(RANKS);
    if (is_given(given, rank)) s.rank = integer(given, rank, 0, INT_MAX, "an index for :rank");
    else if (found) s.rank = number_in(RANKS[*found], 0, INT_MAX, "a rank");
    if (is_given(given, world))
        s.world = integer(given, world, 1, INT_MAX, "a positive integer for :world-size");
    else if (found && !variable(WORLDS[*found]))
        throw Failure{std::string("the variable ") + RANKS[*found] + " is set, and " +
                          WORLDS[*found] + " is not",
                      "the launcher sets both; :world-size is another way"};
    else if (found) s.world = number_in(WORLDS[*found], 1, INT_MAX, "a number of ranks");
    if (s.rank >= s.world)
        throw Failure{"rank " + std::to_string(s.rank) + " does not exist among " +
                          std::to_string(s.world) + (s.world == 1 ? " rank" : " ranks"),
                      "ranks count from 0"};
    std::optional<size_t> local = first_set(LOCAL_RANKS);
    s.local_rank = local ? number_in(LOCAL_RANKS[*local], 0, INT_MAX, "a rank") : s.rank;
}

// Slurm's list of machines; NULL outside of its jobs.
const char *machines()
{
    for (const char *name : MACHINES)
        if (const char *text = variable(name)) return text;
    return nullptr;
}

// Of "a[03-05,7]b[1-2],c": "a03b1".
std::string first_machine(const std::string &list)
{
    std::string name;
    bool is_inside = false, is_skipped = false;
    for (char c : list) {
        if (c == '[') is_inside = true;
        else if (c == ']') is_inside = is_skipped = false;
        else if (is_inside && (c == ',' || c == '-')) is_skipped = true;
        else if (c == ',') break;
        else if (!is_skipped) name += c;
    }
    return name;
}

// Where rank 0 is if nobody says so: on this machine, if the launcher has no other.
std::string default_address(const ct::distributed::Settings &s)
{
    std::optional<size_t> launcher = first_set(RANKS);
    if (!launcher || *launcher == TORCHRUN) return "127.0.0.1";
    if (const char *list = machines()) return first_machine(list);
    if (*launcher == SLURM) return "127.0.0.1";
    const char *name = LOCAL_WORLDS[*launcher];
    if (variable(name) && number_in(name, 0, INT_MAX, "a number of ranks") < s.world)
        throw Failure{"the ranks are on several machines, and the variable MASTER_ADDR, which "
                      "says where rank 0 is, is not set",
                      "mpirun -x MASTER_ADDR=HOST ..., or :address"};
    return "127.0.0.1";
}

// Slurm's jobs may share machines.
int default_port()
{
    std::optional<size_t> launcher = first_set(RANKS);
    if (!launcher || *launcher == TORCHRUN || !machines() || !variable("SLURM_JOB_ID")) return PORT;
    int64_t job = long_number_in("SLURM_JOB_ID", 0, INT64_MAX, "the number of a job");
    return FIRST_JOB_PORT + static_cast<int>(job % JOB_PORTS);
}

void set_address(ct::distributed::Settings &s, const ProcedureArguments &given, size_t address,
                 size_t port)
{
    if (is_given(given, address)) s.address = given.text(address, "a string for :address");
    else if (const char *text = variable("MASTER_ADDR")) s.address = text;
    else s.address = default_address(s);
    if (is_given(given, port)) s.port = integer(given, port, 1, LAST_PORT, "a port for :port");
    else if (variable("MASTER_PORT")) s.port = number_in("MASTER_PORT", 1, LAST_PORT, "a port");
    else s.port = default_port();
}

// torchrun's own process may run the store; its restarts share it.
void set_store(ct::distributed::Settings &s)
{
    const char *agent = variable("TORCHELASTIC_USE_AGENT_STORE");
    s.has_store = agent && std::string(agent) == "True";
    const char *restarts = variable("TORCHELASTIC_RESTART_COUNT");
    if (s.has_store) s.prefix = std::string("lambent/") + (restarts ? restarts : "0") + "/";
    s.may_restart = variable("LAMBENT_RESTARTS");
    if (s.rank == 0 && variable("LAMBENT_LISTENER"))
        s.listener = number_in("LAMBENT_LISTENER", 0, INT_MAX, "a socket");
}

}  // namespace

ct::distributed::Settings ct::distributed::settings_of(const ProcedureArguments &given)
{
    enum { START, BACKEND, TIMEOUT, RANK, WORLD, ADDRESS, ADDRESS_PORT, CHECK };
    Settings s;
    check_backend(given, BACKEND);
    s.timeout = timeout_of(given.values[TIMEOUT]);
    set_rank(s, given, RANK, WORLD);
    set_address(s, given, ADDRESS, ADDRESS_PORT);
    set_store(s);
    s.check = given.flag(CHECK);
    return s;
}

std::string ct::distributed::seconds_text(Milliseconds time)
{
    double seconds = static_cast<double>(time.count()) / 1000;
    std::string number = seconds == std::floor(seconds) && seconds < 1e9
                             ? std::to_string(static_cast<int64_t>(seconds))
                             : double_text(seconds);
    return number + (number == "1" ? " second" : " seconds");
}

std::string ct::distributed::ranks_text(const std::vector<int> &ranks)
{
    std::string text = ranks.size() == 1 ? "rank " : "ranks ";
    for (size_t k = 0; k < ranks.size(); k++) {
        if (k) text += k + 1 == ranks.size() ? " and " : ", ";
        text += std::to_string(ranks[k]);
    }
    return text;
}

#endif  // CT_GLOO
