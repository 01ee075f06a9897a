// profile.cpp - how often each operator was called and how long it took: a table, and a file in
// Chrome's trace format, for chrome://tracing and Perfetto.
//
//     {"name": "tensor-matmul", "ph": "X", "ts": 1503.2, "dur": 88.1, "pid": 1, "tid": 1,
//      "args": {"shapes": "(2 3) (3 4)", "location": "demo.lisp:7:10"}}
//
// LibTorch calls the observer before and after every operator, and where our entry points have
// RECORD_FUNCTION ("backward"); without --profile no observer is registered.  Operators that an
// operator calls are nested below it in the file, and their time counts as its time in the table.

#include "memory/reports.h"

#include <ATen/record_function.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>

#include "files/json.h"
#include "memory/memory.h"
#include "dispatch/schema.h"

namespace {

constexpr size_t MOST_EVENTS = 1000000;  // later ones are only in the table
constexpr double PER_CENT = 100, MICROSECONDS = 1e3, MILLISECONDS = 1e6;  // in nanoseconds
constexpr const char *BACKWARD = "autograd::";

using Clock = std::chrono::steady_clock;

struct Row {
    int64_t calls = 0;
    double nanoseconds = 0;
};

std::FILE *file;
std::mutex file_lock;
Clock::time_point beginning;
size_t events;
at::CallbackHandle observer = at::INVALID_CALLBACK_HANDLE;
std::map<std::string, Row> rows;

double now()
{
    return std::chrono::duration<double, std::nano>(Clock::now() - beginning).count();
}

// A running operation.
struct Context : at::ObserverContext {
    std::string name, shapes, location;
    double began = 0;
};

// How many operations are running in the program's main thread.
thread_local int depth;
thread_local bool is_program;

void write_event(const Context &context, double ended)
{
    std::lock_guard hold(file_lock);
    if (!file || events++ >= MOST_EVENTS) return;
    std::string arguments = "\"shapes\": " + ct::json_text(context.shapes);
    if (!context.location.empty())
        arguments += ", \"location\": " + ct::json_text(context.location);
    std::fprintf(file, "%s\n{\"name\": %s, \"ph\": \"X\", \"ts\": %.3f, \"dur\": %.3f, \"pid\": 1, "
                 "\"tid\": %d, \"args\": {%s}}",
                 events > 1 ? "," : "", ct::json_text(context.name).c_str(),
                 context.began / MICROSECONDS, (ended - context.began) / MICROSECONDS,
                 is_program ? 1 : 2, arguments.c_str());
}

void begin(Context &context)
{
    ct_location location;
    if (is_program && depth++ == 0 && ct::find_location(location))
        context.location = ct::location_text(location);
    context.began = now();
}

void end(const Context &context)
{
    double ended = now();
    if (is_program && --depth == 0) {
        Row &row = rows[context.name];
        row.calls++;
        row.nanoseconds += ended - context.began;
    }
    write_event(context, ended);
}

// The shapes of the tensors among the arguments, those in lists included.
void add_shapes(std::string &shapes, const c10::IValue &value)
{
    if (value.isTensor() && value.toTensor().defined())
        (shapes += shapes.empty() ? "" : " ") += ct::shape_text(value.toTensor());
    else if (value.isTensorList())
        for (const at::Tensor &tensor : value.toTensorVector()) add_shapes(shapes, tensor);
}

// The Lisp name of the observed function; empty for internal functions of the backward pass.
std::string name_of(const at::RecordFunction &function)
{
    std::string name = function.name();
    if (name.starts_with(BACKWARD)) return "";
    size_t colons = name.rfind("::");
    return colons == std::string::npos ? name : ct::lisp_operator(name.substr(colons + 2));
}

std::unique_ptr<at::ObserverContext> on_begin(const at::RecordFunction &function)
{
    auto context = std::make_unique<Context>();
    context->name = name_of(function);
    if (std::exchange(ct::is_reusing, false) && context->name.ends_with('!'))
        context->name.pop_back();
    if (context->name.empty()) return nullptr;
    for (const c10::IValue &value : function.inputs()) add_shapes(context->shapes, value);
    begin(*context);
    return context;
}

void on_end(const at::RecordFunction &, at::ObserverContext *context)
{
    if (context) end(*static_cast<Context *>(context));
}

std::string table()
{
    if (rows.empty()) return "tensor operators: none was called\n";
    double total = 0;
    int64_t calls = 0;
    size_t width = std::strlen("operator");
    std::vector<std::pair<std::string, Row>> sorted(rows.begin(), rows.end());
    for (const auto &[name, row] : sorted) {
        total += row.nanoseconds;
        calls += row.calls;
        width = std::max(width, name.size());
    }
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto &a, const auto &b) {
        return a.second.nanoseconds > b.second.nanoseconds;
    });
    auto line = [&](const std::string &name, const Row &row) {
        char numbers[80];
        std::snprintf(numbers, sizeof numbers, " %9lld %12.3f %6.1f%%\n",
                      static_cast<long long>(row.calls), row.nanoseconds / MILLISECONDS,
                      total > 0 ? PER_CENT * row.nanoseconds / total : 0.0);
        return name + std::string(width - std::min(width, name.size()), ' ') + numbers;
    };
    std::string text = "operator" + std::string(width - std::strlen("operator"), ' ') +
                       "     calls     total ms  share\n";
    for (const auto &[name, row] : sorted) text += line(name, row);
    return text + line("all", {calls, total});
}

}  // namespace

void ct::start_profile(const char *path)
{
    file = std::fopen(path, "w");
    if (!file) throw Failure{"cannot write " + std::string(path) + ": " + std::strerror(errno), ""};
    std::fputs("{\"traceEvents\": [", file);
    is_program = true;
    beginning = Clock::now();
    observer = at::addGlobalCallback(at::RecordFunctionCallback(on_begin, on_end)
                                         .needsInputs(true)
                                         .scopes({at::RecordScope::FUNCTION}));
}

std::string ct::finish_profile()
{
    at::removeCallback(observer);
    std::fputs("\n]}\n", file);
    bool is_written = std::fclose(std::exchange(file, nullptr)) == 0;
    std::string text = table();
    if (events > MOST_EVENTS)
        text += "the file holds the first " + std::to_string(MOST_EVENTS) + " of " +
                std::to_string(events) + " events\n";
    if (!is_written) text += std::string("the file is incomplete: ") + std::strerror(errno) + "\n";
    return text;
}
