// available.cpp - how much memory is available to this process.
//
// Linux grants memory that it does not have, and kills a process that touches it.  So the allocator
// asks here first: what the kernel calls available, or less where a control group (a container, a
// service) has a lower limit.
//
//     /proc/meminfo                    MemAvailable and SwapFree
//     /proc/self/cgroup, /sys/fs/...   limit and usage of the enclosing groups, cgroup v1 or v2

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <limits>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "memory/memory.h"

namespace {

constexpr size_t NO_LIMIT = std::numeric_limits<size_t>::max();
constexpr size_t PLAUSIBLE = size_t{1} << 60;  // cgroup v1 writes "no limit" as a larger number
constexpr size_t MARGIN_FRACTION = 64;         // a 64th of the memory stays free
constexpr size_t MOST_MARGIN = size_t{256} << 20;
constexpr size_t KIBIBYTE = 1024;

// The text of a file in /proc or /sys; empty if it cannot be read.
std::string text_of(const std::string &path)
{
    std::string text;
    int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return text;
    char buffer[4096];
    for (ssize_t size; (size = read(file, buffer, sizeof buffer)) > 0;)
        text.append(buffer, static_cast<size_t>(size));
    close(file);
    return text;
}

// The number at the beginning; NO_LIMIT if there is none, as in "max".
size_t number_of(const std::string &text)
{
    size_t number;
    return std::sscanf(text.c_str(), "%zu", &number) == 1 ? number : NO_LIMIT;
}

// The number after a name at the beginning of a line; 0 if no line begins with the name.
size_t field_of(const std::string &text, const char *name)
{
    size_t at = text.starts_with(name) ? 0 : text.find("\n" + std::string(name));
    if (at == std::string::npos) return 0;
    size_t number = number_of(text.substr(at + std::strlen(name) + (at > 0)));
    return number == NO_LIMIT ? 0 : number;
}

// A control group with a limit.
struct Group {
    size_t limit;
    std::string usage, statistics;  // files
    bool has_totals;                // cgroup v1 lists sums over the subgroups separately
};

void add_group(std::vector<Group> &groups, const std::string &folder, bool version_1)
{
    const char *file = version_1 ? "/memory.limit_in_bytes" : "/memory.max";
    size_t limit = number_of(text_of(folder + file));
    if (limit >= PLAUSIBLE) return;
    groups.push_back({limit, folder + (version_1 ? "/memory.usage_in_bytes" : "/memory.current"),
                      folder + "/memory.stat", version_1});
}

// The groups from the process's own up to the root.  A container may see its own group as the root.
void add_groups(std::vector<Group> &groups, const std::string &root, std::string path,
                bool version_1)
{
    for (; path.size() > 1; path.resize(path.rfind('/'))) add_group(groups, root + path, version_1);
    add_group(groups, root, version_1);
}

const std::vector<Group> &groups()
{
    static const std::vector<Group> all = [] {
        std::vector<Group> found;
        std::string text = text_of("/proc/self/cgroup");
        for (size_t at = 0, end; at < text.size(); at = end + 1) {
            end = std::min(text.find('\n', at), text.size());
            std::string line = text.substr(at, end - at);  // 4:memory:/service, 0::/service
            size_t first = line.find(':'), second = line.find(':', first + 1);
            if (second == std::string::npos) continue;
            std::string controllers = line.substr(first + 1, second - first - 1);
            std::string path = line.substr(second + 1);
            if (controllers.empty()) add_groups(found, "/sys/fs/cgroup", path, false);
            else if (controllers == "memory") add_groups(found, "/sys/fs/cgroup/memory", path, true);
        }
        return found;
    }();
    return all;
}

size_t left_in(const Group &group)
{
    size_t used = number_of(text_of(group.usage));
    std::string statistics = text_of(group.statistics);
    const char *names[2][2] = {{"inactive_file ", "active_file "},
                               {"total_inactive_file ", "total_active_file "}};
    size_t reclaimable = 0;  // the kernel's file cache
    for (const char *name : names[group.has_totals]) reclaimable += field_of(statistics, name);
    used -= std::min(used, reclaimable);
    return group.limit - std::min(group.limit, used);
}

size_t resident_bytes()
{
    size_t resident;
    bool found = std::sscanf(text_of("/proc/self/statm").c_str(), "%*s %zu", &resident) == 1;
    return found ? resident * static_cast<size_t>(sysconf(_SC_PAGESIZE)) : 0;
}

size_t total_bytes()
{
    static const size_t total = static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) *
                                static_cast<size_t>(sysconf(_SC_PAGESIZE));
    return total;
}

}  // namespace

size_t ct::fraction_of_memory(size_t divisor, size_t most)
{
    return std::min(total_bytes() / divisor, most);
}

size_t ct::available_bytes(size_t held)
{
    std::string machine = text_of("/proc/meminfo");
    size_t left = (field_of(machine, "MemAvailable:") + field_of(machine, "SwapFree:")) * KIBIBYTE;
    if (left == 0) return NO_LIMIT;  // not Linux, or without these files
    for (const Group &group : groups()) left = std::min(left, left_in(group));
    size_t resident = resident_bytes();
    size_t margin = fraction_of_memory(MARGIN_FRACTION, MOST_MARGIN);
    size_t promised = held - std::min(held, resident) + margin;
    return left - std::min(left, promised);
}
