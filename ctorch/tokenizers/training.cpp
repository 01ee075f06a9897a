// training.cpp - training tokenizers, which Python's sentencepiece package does.
//
// It works in a process of its own: the trainer cannot be interrupted, a process can be ended.

#include "tokenizers/tokenizer.h"

#include "files/files.h"

#include <ATen/Parallel.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

using namespace ct;

// Arguments: names of options and their values.  It writes why it failed to its standard output.
constexpr const char *PROGRAM = R"python(
import sys
sys.path = [folder for folder in sys.path if folder]
try:
    import sentencepiece
except ImportError as error:
    sys.exit(print(end=f"Python's package sentencepiece is missing ({error})") or 1)
options = dict(zip(sys.argv[1::2], sys.argv[2::2]))
try:
    sentencepiece.SentencePieceTrainer.train(minloglevel=3, **options)
except MemoryError:
    sys.exit(print(end="not enough memory") or 1)
except Exception as error:
    sys.exit(print(end=f"SentencePiece cannot train it: {error}") or 1)
)python";

// The Python to ask: LAMBENT_PYTHON, or that of the environment in which LibTorch lies, or
// whichever is found on the path.
std::string python()
{
    if (const char *named = std::getenv("LAMBENT_PYTHON"); named && *named) return named;
    Dl_info torch;
    if (dladdr(reinterpret_cast<void *>(&at::get_num_threads), &torch) && torch.dli_fname) {
        // ENVIRONMENT/lib/python3.11/site-packages/torch/lib/libtorch_cpu.so
        std::string folder = torch.dli_fname;
        for (int up = 0; up < 6; up++) folder.resize(std::min(folder.rfind('/'), folder.size()));
        std::string found = folder + "/bin/python3";
        if (!folder.empty() && access(found.c_str(), X_OK) == 0) return found;
    }
    return "python3";
}

// What SentencePiece says, without the location and the condition in its source:
// "INTERNAL: src/x.cc(12) [a == b] the reason".
std::string without_location(std::string text)
{
    if (size_t place = text.find(".cc("); place != std::string::npos) {
        size_t start = text.rfind(": ", place), end = text.find("] ", place);
        start = start == std::string::npos ? 0 : start + 2;
        // INTERNAL and other classes of errors stand before the location.
        if (start >= 2)
            if (size_t before = text.rfind(": ", start - 3); before != std::string::npos)
                start = before + 2;
        text.replace(start, end == std::string::npos ? std::string::npos : end + 2 - start, "");
    }
    while (!text.empty() && (text.back() == '.' || text.back() == ' ')) text.pop_back();
    return repaired(text);
}

class Training : public ct_object {
public:
    // arguments: names of options and their values.
    explicit Training(const std::vector<std::string> &arguments)
    {
        std::string program = python();
        std::vector<const char *> words{program.c_str(), "-c", PROGRAM};
        for (const std::string &argument : arguments) words.push_back(argument.c_str());
        words.push_back(nullptr);
        int ends[2];
        if (pipe2(ends, O_CLOEXEC)) fail_system("open", "a pipe", errno);
        reading_ = ends[0];
        std::fflush(nullptr);  // or both processes would write what waits
        process_ = fork();
        if (process_ == 0) train(words, ends[1]);
        int error = errno;
        close(ends[1]);
        if (process_ < 0) {
            close(reading_);
            throw Failure{std::string("cannot create a process: ") + std::strerror(error), ""};
        }
    }

    ~Training() override
    {
        if (process_ > 0) {
            kill(process_, SIGKILL);
            while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) continue;
        }
        close(reading_);
    }

    bool has_ended()
    {
        pollfd waiting{reading_, POLLIN, 0};
        if (process_ <= 0) return true;
        if (poll(&waiting, 1, MOMENT) <= 0) return false;
        char part[512];
        ssize_t size = read(reading_, part, sizeof part);
        if (size > 0) message_.append(part, static_cast<size_t>(size));
        if (size > 0 || (size < 0 && errno == EINTR)) return false;
        int status = 0;
        while (waitpid(process_, &status, 0) < 0 && errno == EINTR) continue;
        process_ = 0;
        if (WIFEXITED(status) && WEXITSTATUS(status) == NO_PYTHON)
            throw Failure{"training needs Python and its package sentencepiece, and " +
                              in_quotes(python()) + " cannot be run",
                          "LAMBENT_PYTHON may name a Python"};
        if (status && message_.empty())
            throw Failure{"SentencePiece's trainer has ended early; there may be too little "
                          "memory", ""};
        if (!status) return true;
        bool missing = message_.starts_with("Python's package");
        throw Failure{without_location(message_),
                      missing ? "pip install sentencepiece; LAMBENT_PYTHON may name another Python"
                              : ""};
    }

private:
    [[noreturn]] static void train(const std::vector<const char *> &words, int writing)
    {
        signal(SIGINT, SIG_IGN);  // the other process decides
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
        dup2(nothing, STDIN_FILENO);
        dup2(writing, STDOUT_FILENO);
        dup2(nothing, STDERR_FILENO);
        execvp(words[0], const_cast<char *const *>(words.data()));
        _exit(NO_PYTHON);
    }

    static constexpr int MOMENT = 50;      // milliseconds
    static constexpr int NO_PYTHON = 127;  // an exit status

    pid_t process_ = 0;
    int reading_ = -1;
    std::string message_;
};

}  // namespace

// Arguments: the options of SentencePiece's trainer; the result is a training.  Or a training:
// waits for a moment; the result is whether it has ended.
ct::Owned ct::train_sentencepiece(const ProcedureArguments &given)
{
    const ct_value &value = given.values[0];
    auto *training = value.kind == CT_OBJECT ? dynamic_cast<Training *>(value.object) : nullptr;
    if (training) return Owned::boolean(training->has_ended());
    std::vector<std::string> arguments;
    for (const auto &[name, each] : entries_of(value, "a list", "a string as a name")) {
        if (each->kind != CT_STRING) wrong_kind("a string", *each);
        arguments.push_back(name);
        arguments.emplace_back(each->text);
    }
    return Owned::object(new Training(arguments));
}
