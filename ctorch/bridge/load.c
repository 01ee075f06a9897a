/* load.c - load ctorch and LibTorch after checking that they are the ones that the program was
 * compiled for.
 *
 * LibTorch's C++ interface has neither versions nor checks: a program that runs with another
 * LibTorch than it was compiled for crashes, or computes nonsense.
 */
#define _POSIX_C_SOURCE 200809L   /* fileno */
#include "bridge/bridge.h"

#include "bridge/load.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define LONGEST_LINE 200   /* of torch/version.py, whose lines are short */

/* Print what is wrong, and return false. */
static bool refuse(const char *format, ...) {
    va_list details;
    va_start(details, format);
    fprintf(stderr, "this program was compiled for torch %s, but ", bridge_here.version);
    vfprintf(stderr, format, details);
    fputs("; compile it again with `lambent compile`\n", stderr);
    va_end(details);
    return false;
}

/* The version in a line such as `__version__ = '2.13.0+cpu'`, which is cut up; else NULL. */
static char *version_in(char *line) {
    static const char name[] = "__version__";
    if (strncmp(line, name, sizeof name - 1) != 0) return NULL;
    char *start = line + strcspn(line, "'\"");
    if (*start == '\0') return NULL;
    start[1 + strcspn(start + 1, "'\"")] = '\0';
    return start + 1;
}

static bool check_torch(void) {
    const char *folder = bridge_here.torch;
    char path[FILENAME_MAX], line[LONGEST_LINE], *version = NULL;
    snprintf(path, sizeof path, "%s/version.py", folder);
    FILE *file = fopen(path, "r");
    if (file == NULL) return refuse("torch is no longer in %s", folder);
    while (version == NULL && fgets(line, sizeof line, file) != NULL) version = version_in(line);
    fclose(file);
    if (version == NULL) return refuse("%s does not name a version", path);
    return strcmp(version, bridge_here.version) == 0 || refuse("%s is torch %s", folder, version);
}

/* The size is checked as well: loading a truncated library would kill the process. */
static bool check_library(void) {
    struct stat found;
    const char *path = bridge_here.library;
    if (stat(path, &found) != 0) return refuse("%s no longer exists", path);
    return (long long)found.st_size == bridge_here.size || refuse("%s is another file now", path);
}

/* dlopen replaces words such as $ORIGIN in paths, so a path with a $ is loaded as /dev/fd/N. */
static void *load(const char *path) {
    char number[sizeof "/dev/fd/" + 3 * sizeof(int)];
    if (strchr(path, '$') == NULL) return dlopen(path, RTLD_LAZY | RTLD_GLOBAL);
    FILE *file = fopen(path, "rb");
    if (file == NULL) return dlopen(path, RTLD_LAZY | RTLD_GLOBAL);
    snprintf(number, sizeof number, "/dev/fd/%d", fileno(file));
    void *library = dlopen(number, RTLD_LAZY | RTLD_GLOBAL);
    fclose(file);
    return library;
}

bool bridge_load(void) {
    const char *path = bridge_here.library;
    if (!check_library() || !check_torch()) return false;
    void *library = load(path);
    if (library == NULL) return refuse("it cannot be loaded: %s", dlerror());
    const bridge_exports *found = dlsym(library, "ct_exports");
    if (found == NULL || found->count != bridge_here.count
        || strcmp(found->interface, bridge_here.interface) != 0)
        return refuse("%s exports other functions", path);
    memcpy(bridge_here.slots, found->functions, found->count * sizeof *found->functions);
    return true;
}
