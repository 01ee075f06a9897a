/* load.c - load ctorch and LibTorch after checking that they are the ones that the program was
 * compiled for.
 *
 * LibTorch's C++ interface has neither versions nor checks: a program that runs with another
 * LibTorch than it was compiled for crashes, or computes nonsense.
 */
#define _GNU_SOURCE   /* O_CLOEXEC, ElfW */
#include "bridge/bridge.h"

#include "bridge/load.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#ifdef __linux__
#include <link.h>
#endif

#define LONGEST_LINE 200   /* of torch/version.py, whose lines are short */
#define PATH_ROOM FILENAME_MAX
#define LIBTORCH "libtorch_cpu.so"

/* ---- Messages ------------------------------------------------------------ */

/* They are for the person who has the program, who may not know what compiled it.  Each of the
 * functions returns false. */

static void say(const char *format, ...) {
    va_list details;
    va_start(details, format);
    fprintf(stderr, "this program needs LibTorch %s, but ", bridge_here.version);
    vfprintf(stderr, format, details);
    va_end(details);
}

static bool is_bundle(void) { return bridge_here.torch == NULL; }

static bool advise_compiling(void) {
    if (is_bundle())
        fputs("; copy the whole bundle again\n", stderr);
    else
        fputs("; ask for a bundle of the program, or compile it again, "
              "with `lambent bundle` or `lambent compile`\n", stderr);
    return false;
}

static bool advise_libtorch(void) {
    fputs("; set LAMBENT_LIBTORCH to the folder of a torch package of that version, "
          "or ask for a bundle of the program, which `lambent bundle` makes\n", stderr);
    return false;
}

/* Why a library was not loaded, by the loader's message.  If glibc is too old it says
 * "/lib/libc.so.6: version `GLIBC_2.38' not found (required by /x/y.so)". */
static bool refuse_library(const char *why) {
    static const char mark[] = "version `GLIBC_";
    const char *version = strstr(why, mark);
    if (version == NULL) {
        say("it cannot be loaded: %s", why);
        return advise_compiling();
    }
    version += sizeof mark - 1;
    say("its libraries need glibc %.*s, which is newer than this machine's",
        (int)strcspn(version, "'"), version);
    fputs("; ask for a bundle that was made on an older system\n", stderr);
    return false;
}

/* ---- Files --------------------------------------------------------------- */

/* A path that does not fit names nothing. */
static void join(char *path, const char *folder, const char *name) {
    int size = snprintf(path, PATH_ROOM, "%s/%s", folder, name);
    if (size < 0 || size >= PATH_ROOM) *path = '\0';
}

static bool exists(const char *path) {
    struct stat found;
    return stat(path, &found) == 0;
}

/* The folder of the library that the program was linked for. */
static bool find_own_folder(char *folder) {
    char program[PATH_ROOM];
    if (!is_bundle()) {
        snprintf(folder, PATH_ROOM, "%s", bridge_here.folder);
        return true;
    }
    *folder = '\0';
    if (rt_find_program_folder(program, sizeof program)) join(folder, program, bridge_here.folder);
    if (*folder != '\0') return true;
    say("the name of its folder is too long\n");
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

/* Whether a folder's version.py names the version that the program needs. */
static bool check_version(const char *folder) {
    char path[PATH_ROOM], line[LONGEST_LINE], *version = NULL;
    join(path, folder, "version.py");
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        say("it is no longer in %s", folder);
        return advise_libtorch();
    }
    while (version == NULL && fgets(line, sizeof line, file) != NULL) version = version_in(line);
    fclose(file);
    if (version != NULL && strcmp(version, bridge_here.version) == 0) return true;
    if (version == NULL)
        say("%s does not name a version", path);
    else
        say("%s has LibTorch %s", folder, version);
    return advise_libtorch();
}

static bool check_torch(void) { return is_bundle() || check_version(bridge_here.torch); }

/* Whether the libraries in the folder have the sizes that they had when the program was linked:
 * loading a truncated library would kill the process. */
static bool check_parts(const char *folder) {
    for (size_t i = 0; i < bridge_here.part_count; i++) {
        const bridge_part *part = &bridge_here.parts[i];
        char path[PATH_ROOM];
        struct stat found;
        join(path, folder, part->name);
        if (stat(path, &found) != 0) {
            say("%s does not exist", path);
            return advise_compiling();
        }
        if ((long long)found.st_size != part->size) {
            say("%s is another file now: it has %lld bytes instead of %lld", path,
                (long long)found.st_size, part->size);
            return advise_compiling();
        }
    }
    return true;
}

/* Whether a library that the user names has all that the loader maps, for the same reason. */
static bool is_whole(const char *path) {
#ifdef __linux__
    FILE *file = fopen(path, "rb");
    struct stat found;
    ElfW(Ehdr) head;
    ElfW(Phdr) segment;
    bool whole = file != NULL && fstat(fileno(file), &found) == 0
        && fread(&head, sizeof head, 1, file) == 1
        && fseek(file, (long)head.e_phoff, SEEK_SET) == 0;
    for (int i = 0; whole && i < head.e_phnum; i++) {
        whole = fread(&segment, sizeof segment, 1, file) == 1;
        if (whole && segment.p_type == PT_LOAD)
            whole = segment.p_offset + segment.p_filesz <= (unsigned long long)found.st_size;
    }
    if (file != NULL) fclose(file);
    if (whole) return true;
    say("%s is damaged", path);
    return advise_libtorch();
#else
    (void)path;
    return true;
#endif
}

/* ---- Loading ------------------------------------------------------------- */

/* dlopen replaces words such as $ORIGIN in paths, so for a path with a $ its folder is called
 * /dev/fd/N.  The folder stays open: it is also where the libraries find each other. */
static void *load(const char *path) {
    char name[PATH_ROOM + sizeof "/dev/fd/" + 3 * sizeof(int)];
    const char *file = strrchr(path, '/');
    if (strchr(path, '$') == NULL || file == NULL) return dlopen(path, RTLD_LAZY | RTLD_GLOBAL);
    snprintf(name, sizeof name, "%.*s", (int)(file - path), path);
    int folder = open(name, O_RDONLY | O_CLOEXEC);
    if (folder < 0) return dlopen(path, RTLD_LAZY | RTLD_GLOBAL);
    snprintf(name, sizeof name, "/dev/fd/%d%s", folder, file);
    return dlopen(name, RTLD_LAZY | RTLD_GLOBAL);
}

/* Load LibTorch from the folder that the user names: that of a torch package, of a bundle, or the
 * one in which the libraries themselves are.  If ctorch is among them it is used, else the
 * program's own.  library: the path of the ctorch to load. */
static bool use_chosen(const char *chosen, const char *own, char *library) {
    static const char *const places[] = {"", "/lib", "/lambent-libraries/ctorch"};
    char folder[PATH_ROOM], path[PATH_ROOM];
    size_t i = 0, count = sizeof places / sizeof *places;
    for (; i < count; i++) {
        snprintf(folder, sizeof folder, "%s%s", chosen, places[i]);
        join(path, folder, LIBTORCH);
        if (exists(path)) break;
    }
    if (i == count) {
        say("LAMBENT_LIBTORCH names %s, which has no %s", chosen, LIBTORCH);
        return advise_libtorch();
    }
    join(library, folder, "version.py");
    if (!check_version(exists(library) ? folder : chosen)) return false;
    if (!is_whole(path)) return false;
    if (load(path) == NULL) return refuse_library(dlerror());
    join(library, folder, bridge_here.parts[0].name);
    if (exists(library)) return is_whole(library);
    join(library, own, bridge_here.parts[0].name);
    return check_parts(own);
}

bool bridge_load(void) {
    const char *chosen = getenv("LAMBENT_LIBTORCH");
    char own[PATH_ROOM], library[PATH_ROOM];
    if (!find_own_folder(own)) return false;
    if (chosen != NULL && *chosen != '\0') {
        if (!use_chosen(chosen, own, library)) return false;
    } else {
        if (!check_parts(own) || !check_torch()) return false;
        join(library, own, bridge_here.parts[0].name);
    }
    void *opened = load(library);
    if (opened == NULL) return refuse_library(dlerror());
    const bridge_exports *found = dlsym(opened, "ct_exports");
    if (found == NULL || found->count != bridge_here.count
        || strcmp(found->interface, bridge_here.interface) != 0) {
        say("%s is of another version of Lambent", library);
        return advise_compiling();
    }
    memcpy(bridge_here.slots, found->functions, found->count * sizeof *found->functions);
    ct_set_poll(&rt_interrupted, rt_poll_interrupt);
    return true;
}
