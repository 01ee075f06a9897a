/* available.c - how much memory the process may allocate: what the kernel reports as available, or
 * less where a container or the shell's ulimit allows less.
 */
#define _POSIX_C_SOURCE 200809L   /* getrlimit, sysconf */
#include "rt_internal.h"

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#define KIBIBYTE ((size_t)1 << 10)

static void lower(size_t *least, size_t bytes) {
    if (bytes < *least) *least = bytes;
}

/* The first number in a file of the kernel; SIZE_MAX if it has none, as in "max". */
static size_t number_in(const char *path) {
    size_t number;
    FILE *file = fopen(path, "r");
    if (file == NULL) return SIZE_MAX;
    if (fscanf(file, "%zu", &number) != 1) number = SIZE_MAX;
    fclose(file);
    return number;
}

static size_t machine_memory(void) {
    char line[128];
    size_t kibibytes, found = SIZE_MAX;
    FILE *file = fopen("/proc/meminfo", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "MemAvailable: %zu kB", &kibibytes) == 1) found = kibibytes * KIBIBYTE;
    if (file != NULL) fclose(file);
    if (found != SIZE_MAX) return found;
    return (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
}

size_t rt_process_limit(void) {
    static const int kinds[] = {RLIMIT_AS, RLIMIT_DATA};
    size_t least = SIZE_MAX;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct rlimit limit;
        if (getrlimit(kinds[i], &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
            lower(&least, (size_t)limit.rlim_cur);
    }
    return least;
}

/* What a control group may still allocate, from the files of its limit and its usage. */
static size_t left_in(const char *limit, const char *used) {
    size_t most = number_in(limit), taken = number_in(used);
    if (most == SIZE_MAX || taken == SIZE_MAX) return SIZE_MAX;
    return taken < most ? most - taken : 0;
}

/* A container sees its own control group at the root, in version 1 or 2. */
size_t rt_available_memory(void) {
    size_t least = machine_memory();
    lower(&least, left_in("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"));
    lower(&least, left_in("/sys/fs/cgroup/memory/memory.limit_in_bytes",
                          "/sys/fs/cgroup/memory/memory.usage_in_bytes"));
    lower(&least, rt_process_limit());
    return least;
}
