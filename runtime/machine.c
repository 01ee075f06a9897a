/* machine.c - whether this machine can run the program, and where the program is.
 *
 * A program that was compiled elsewhere may need a newer C library or processor.  The loader would
 * say so in its own words, line by line, or the program would be ended by SIGILL.  So the check runs
 * before anything else: the loader calls it before the start of the program (main.c), which itself
 * needs a C library that is new enough.  `lambent bundle` writes the version into the finished
 * executable, and makes what is newer weak (lang/system/elf.py).
 */
#define _GNU_SOURCE   /* gnu_get_libc_version */
#include "rt_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/auxv.h>
#endif
#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

/* ---- The program's folder ------------------------------------------------ */

/* What started the program: the file itself, unless nothing tells. */
static bool find_program(char *path, size_t size) {
#ifdef __APPLE__
    char name[FILENAME_MAX];
    uint32_t room = sizeof name;
    if (_NSGetExecutablePath(name, &room) != 0) return false;
    char *found = realpath(name, NULL);
#else
    ssize_t length = readlink("/proc/self/exe", path, size - 1);
    if (length > 0) {
        path[length] = '\0';
        return true;
    }
    char *found = NULL;   /* without /proc */
#ifdef __linux__
    const char *name = (const char *)(uintptr_t)getauxval(AT_EXECFN);
    if (name != NULL) found = realpath(name, NULL);
#endif
#endif
    bool fits = found != NULL && strlen(found) < size;
    if (fits) memcpy(path, found, strlen(found) + 1);
    free(found);
    return fits;
}

bool rt_find_program_folder(char *path, size_t size) {
    if (!find_program(path, size)) return getcwd(path, size) != NULL;
    char *end = strrchr(path, '/');
    if (end == NULL) return getcwd(path, size) != NULL;
    end[end == path] = '\0';   /* the root keeps its name */
    return true;
}

const char *rt_program_file;

/* The folder of the file, with its links resolved; the current one if it is none, as a pipe. */
static bool find_file_folder(const char *file, char *path, size_t size) {
    struct stat status;
    char *found = stat(file, &status) == 0 && S_ISREG(status.st_mode) ? realpath(file, NULL) : NULL;
    char *end = found != NULL ? strrchr(found, '/') : NULL;
    if (end != NULL) end[end == found] = '\0';
    bool fits = end != NULL && strlen(found) < size;
    if (fits) memcpy(path, found, strlen(found) + 1);
    free(found);
    return fits || getcwd(path, size) != NULL;
}

rt_value rt_program_folder(void) {
    char path[FILENAME_MAX];
    bool found = rt_program_file != NULL ? find_file_folder(rt_program_file, path, sizeof path)
                                         : rt_find_program_folder(path, sizeof path);
    return found ? rt_string_of_utf8(path, strlen(path)) : rt_string_of_utf8(".", 1);
}

/* ---- What the program needs ---------------------------------------------- */

#ifdef __GLIBC__
#include <gnu/libc-version.h>

/* After the mark, `lambent bundle` writes the version of glibc that the program and its libraries
 * need: "2.34". */
static volatile char needed_glibc[] = "lambent needs glibc \0\0\0\0\0\0\0\0\0\0\0";
#define MARK_SIZE (sizeof "lambent needs glibc " - 1)

static void write_text(const char *text) {
    size_t left = strlen(text);
    while (left > 0) {
        ssize_t done = write(STDERR_FILENO, text, left);
        if (done <= 0) return;
        text += done;
        left -= (size_t)done;
    }
}

/* 2034 for "2.34". */
static int version_number(const char *text) {
    int major = 0, minor = 0;
    while (*text >= '0' && *text <= '9') major = 10 * major + (*text++ - '0');
    if (*text == '.') text++;
    while (*text >= '0' && *text <= '9') minor = 10 * minor + (*text++ - '0');
    return 1000 * major + minor;
}

static void refuse(const char *needed, const char *version, const char *has, const char *found) {
    write_text("this program needs ");
    write_text(needed);
    write_text(version);
    write_text(has);
    write_text(found);
    write_text("\n");
    _exit(RT_EXIT_RUNTIME);
}

static void check_glibc(void) {
    char needed[sizeof needed_glibc - MARK_SIZE];
    for (size_t i = 0; i < sizeof needed; i++) needed[i] = needed_glibc[MARK_SIZE + i];
    const char *found = gnu_get_libc_version();
    if (version_number(found) < version_number(needed))
        refuse("glibc ", needed, " or newer, and this machine has glibc ", found);
}

#define CHECK_PROCESSOR(name) \
    do { \
        if (!__builtin_cpu_supports(name)) \
            refuse("a processor with ", name, ", which this one lacks", ""); \
    } while (0)

/* Only a compiler whose options ask for it uses what not every processor has. */
static void check_processor(void) {
#if defined __x86_64__ && defined __SSE3__
    __builtin_cpu_init();
    CHECK_PROCESSOR("sse3");
#ifdef __SSE4_1__
    CHECK_PROCESSOR("sse4.1");
#endif
#ifdef __SSE4_2__
    CHECK_PROCESSOR("sse4.2");
#endif
#ifdef __AVX__
    CHECK_PROCESSOR("avx");
#endif
#ifdef __AVX2__
    CHECK_PROCESSOR("avx2");
#endif
#ifdef __FMA__
    CHECK_PROCESSOR("fma");
#endif
#ifdef __BMI2__
    CHECK_PROCESSOR("bmi2");
#endif
#ifdef __AVX512F__
    CHECK_PROCESSOR("avx512f");
#endif
#endif
}

void rt_check_machine(void) {
    check_processor();
    check_glibc();
}
#endif
