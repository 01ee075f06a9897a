// profile.cpp - how often each operator was called and how long it took: a table, and a file in
// Chrome's trace format, for chrome://tracing and Perfetto.
//
//     {"name": "tensor-matmul", "ph": "X", "ts": 1503.2, "dur": 88.1, "pid": 1, "tid": 1,
//      "args": {"shapes": "(2 3) (3 4)", "location": "demo.lisp:7:10"}}
//
// LibTorch calls the observer before and after every operator, and where our entry points have
// RECORD_FUNCTION ("backward"); without --profile no observer is registered.  Operators that an
// operator calls are nested below it in the file, and their time counts as its time in the table.
// Where the program uses a GPU, both also have what the GPU did for it (device_times.h).

#include "memory/reports.h"

#include <ATen/record_function.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>

#include "text/json_tree.h"
#include "memory/device_times.h"
#include "memory/memory.h"
#include "dispatch/schema.h"

namespace {

constexpr size_t MOST_EVENTS = 1000000;  // later ones are only in the table
constexpr double PER_CENT = 100, MICROSECONDS = 1e3, MILLISECONDS = 1e6;  // in nanoseconds
constexpr const char *BACKWARD = "autograd::";

using Clock = std::chrono::steady_clock;

struct Row {
    int64_t calls = 0;
    double nanoseconds = 0, on_device = 0;
};

std::FILE *file;
std::mutex file_lock;
Clock::time_point beginning;
size_t events;
at::CallbackHandle observer = at::INVALID_CALLBACK_HANDLE;
std::map<std::string, Row> rows;
ct::DeviceTimes device_times;
bool uses_device;

double now()
{
    return std::chrono::duration<double, std::nano>(Clock::now() - beginning).count();
}

// A running operation.
struct Context : at::ObserverContext {
    std::string name, shapes, location;
    double began = 0;
    std::optional<c10::Event> mark;  // of the program's own operators, on a device
};

// How many operations are running in the program's main thread.
thread_local int depth;
thread_local bool is_program;

// The rows of the file's picture.
constexpr int PROGRAM = 1, OTHER_THREADS = 2, DEVICE = 3;

template <class Operation>
void write_event(const Operation &operation, double took, int row)
{
    std::lock_guard hold(file_lock);
    if (!file || events++ >= MOST_EVENTS) return;
    std::string arguments = "\"shapes\": " + ct::json_text(operation.shapes);
    if (!operation.location.empty())
        arguments += ", \"location\": " + ct::json_text(operation.location);
    std::fprintf(file, "%s\n{\"name\": %s, \"ph\": \"X\", \"ts\": %.3f, \"dur\": %.3f, \"pid\": 1, "
                 "\"tid\": %d, \"args\": {%s}}",
                 events > 1 ? "," : "", ct::json_text(operation.name).c_str(),
                 operation.began / MICROSECONDS, took / MICROSECONDS, row, arguments.c_str());
}

void add_device_time(const ct::DeviceTime &time)
{
    rows[time.name].on_device += time.took;
    write_event(time, time.took, DEVICE);
}

void begin(Context &context)
{
    ct_location location;
    if (is_program && depth++ == 0 && ct::find_location(location))
        context.location = ct::location_text(location);
    if (is_program && depth == 1) context.mark = ct::DeviceTimes::mark();
    context.began = now();
}

void end(Context &context)
{
    double ended = now();
    if (is_program && --depth == 0) {
        Row &row = rows[context.name];
        row.calls++;
        row.nanoseconds += ended - context.began;
    }
    write_event(context, ended - context.began, is_program ? PROGRAM : OTHER_THREADS);
    if (!context.mark) return;
    uses_device = true;
    device_times.add({context.name, context.shapes, context.location, std::move(*context.mark),
                      ct::DeviceTimes::now(), context.began},
                     add_device_time);
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
    Row all;
    size_t width = std::strlen("operator");
    std::vector<std::pair<std::string, Row>> sorted(rows.begin(), rows.end());
    for (const auto &[name, row] : sorted) {
        all.nanoseconds += row.nanoseconds;
        all.on_device += row.on_device;
        all.calls += row.calls;
        width = std::max(width, name.size());
    }
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto &a, const auto &b) {
        return a.second.nanoseconds > b.second.nanoseconds;
    });
    auto line = [&](const std::string &name, const Row &row) {
        char numbers[80], on_device[40] = "";
        std::snprintf(numbers, sizeof numbers, " %9lld %12.3f %6.1f%%",
                      static_cast<long long>(row.calls), row.nanoseconds / MILLISECONDS,
                      all.nanoseconds > 0 ? PER_CENT * row.nanoseconds / all.nanoseconds : 0.0);
        if (uses_device)
            std::snprintf(on_device, sizeof on_device, " %12.3f", row.on_device / MILLISECONDS);
        return name + std::string(width - std::min(width, name.size()), ' ') + numbers + on_device +
               "\n";
    };
    std::string text = "operator" + std::string(width - std::strlen("operator"), ' ') +
                       "     calls     total ms  share" + (uses_device ? "    device ms\n" : "\n");
    for (const auto &[name, row] : sorted) text += line(name, row);
    return text + line("all", all);
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
    device_times.settle(add_device_time);
    std::fputs("\n]}\n", file);
    bool is_written = std::fclose(std::exchange(file, nullptr)) == 0;
    std::string text = table();
    if (events > MOST_EVENTS)
        text += "the file holds the first " + std::to_string(MOST_EVENTS) + " of " +
                std::to_string(events) + " events\n";
    if (!is_written) text += std::string("the file is incomplete: ") + std::strerror(errno) + "\n";
    return text;
}
