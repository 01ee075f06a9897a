// reports.cpp - the reports at the end of a run: memory use, and where it was at its peak.
//
//     tensor memory:
//       live         1 tensor, 4.0 MiB (4194304 bytes)
//       peak         12.0 MiB (12582912 bytes), at demo.lisp:7:10
//                    7 | (define z (@ x y))
//       allocations  3, 12.0 MiB (12582912 bytes)
//       cached       8.0 MiB (8388608 bytes)
//
// The back end knows the program's location; the allocator knows when it matters.

#include "memory/reports.h"

#include <cstdio>
#include <thread>

#include "memory/memory.h"

bool ct::watches_peak;

namespace {

constexpr double KIBIBYTE = 1024;

ct_where where;
std::thread::id watcher;
ct_location peak_location;
bool has_peak_location, tells_memory, tells_profile;

std::string sized(int64_t bytes)
{
    std::string exact = std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
    if (static_cast<double>(bytes) < KIBIBYTE) return exact;
    return ct::human(static_cast<double>(bytes)) + " (" + exact + ")";
}

std::string allocations_text(const ct::DeviceMemory &memory)
{
    return "\n  allocations  " + std::to_string(memory.allocations) + ", " +
           sized(memory.allocated) + "\n  cached       " + sized(memory.cached) + "\n";
}

std::string cpu_text()
{
    ct::DeviceMemory memory = ct::memory_of(at::kCPU);
    if (memory.allocations == 0) return "tensor memory: none was used\n";
    int64_t handles = ct_live_handles();
    std::string live = std::to_string(handles) + (handles == 1 ? " tensor, " : " tensors, ");
    std::string text = "tensor memory:\n  live         " + live + sized(memory.live) +
                       "\n  peak         " + sized(memory.peak);
    if (has_peak_location)
        text += ", at " + ct::location_text(peak_location) + "\n               " +
                std::to_string(peak_location.line) + " | " + peak_location.text;
    return text + allocations_text(memory);
}

std::string memory_text()
{
    std::string text = cpu_text();
    for (const at::Device &device : ct::devices_in_use()) {
        if (device.is_cpu()) continue;
        ct::DeviceMemory memory = ct::memory_of(device);
        if (memory.allocations == 0) continue;
        text += "tensor memory of " + device.str() + ":\n  live         " + sized(memory.live) +
                "\n  peak         " + sized(memory.peak) + allocations_text(memory);
    }
    return text;
}

}  // namespace

std::string ct::human(double bytes)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    size_t unit = 0;
    while (bytes >= KIBIBYTE && unit + 1 < std::size(units)) {
        bytes /= KIBIBYTE;
        unit++;
    }
    char text[40];
    std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.1f %s", bytes, units[unit]);
    return text;
}

bool ct::find_location(ct_location &location)
{
    return where && std::this_thread::get_id() == watcher && where(&location);
}

std::string ct::location_text(const ct_location &location)
{
    return std::string(location.file) + ":" + std::to_string(location.line) + ":" +
           std::to_string(location.column);
}

void ct::note_peak() { has_peak_location = ct::find_location(peak_location); }

extern "C" {

int ct_start_reports(ct_where finder, bool memory, const char *profile)
{
    return ct::guarded({}, [&] {
        where = finder;
        watcher = std::this_thread::get_id();
        tells_memory = ct::watches_peak = memory;
        tells_profile = profile != nullptr;
        if (profile) ct::start_profile(profile);
    });
}

int ct_finish_reports(char **text)
{
    return ct::guarded({}, [&] {
        std::string profile = tells_profile ? ct::finish_profile() : "";
        *text = ct::text_for_c((tells_memory ? memory_text() : "") + profile);
        tells_memory = tells_profile = ct::watches_peak = false;
    });
}

}  // extern "C"
