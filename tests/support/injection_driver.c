/* The `main` of a binary that holds many compiled programs.  It makes each fallible operation of a
 * program fail, one after the other.
 *
 *     ./binary NAME              runs the program as an executable of its own would
 *     ./binary NAME inject       runs it again and again, in children: in the k-th its k-th fallible
 *                                operation fails; prints how many there were, or the first child
 *                                that leaks or that a sanitizer reports
 *     ./binary NAME inject K ... only these operations, in rising order; prints how many failed
 */
#define _POSIX_C_SOURCE 200809L
#include "rt.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct test_program {
    const char *name;
    const rt_program *program;
} test_program;

/* Generated beside this file; the last one has no name. */
extern const test_program test_programs[];
extern const char *const test_library;   /* the path of ctorch; NULL without tensors */

enum { MAX_REPORT = 1 << 16, MAX_OPERATIONS = 100000, SETUP_FAILED = 3 };

static const rt_program *find(const char *name) {
    for (const test_program *p = test_programs; p->name != NULL; p++)
        if (strcmp(p->name, name) == 0) return p->program;
    fprintf(stderr, "no program %s\n", name);
    exit(64);
}

/* Run the program in a child whose operation k fails; the child's stderr is put into report. */
static int run_child(const rt_program *program, char **argv, long k, char *report) {
    int ends[2];
    if (pipe(ends) != 0) exit(SETUP_FAILED);
    pid_t child = fork();
    if (child < 0) exit(SETUP_FAILED);
    if (child == 0) {
        char number[32];
        snprintf(number, sizeof number, "%ld", k);
        setenv("LAMBENT_FAIL_AT", number, 1);
        int nowhere = open("/dev/null", O_WRONLY);
        if (nowhere < 0 || dup2(nowhere, 1) < 0 || dup2(ends[1], 2) < 0) exit(SETUP_FAILED);
        close(ends[0]);
        close(ends[1]);
        exit(rt_main(1, argv, program));
    }
    close(ends[1]);
    size_t size = 0;
    ssize_t got;
    while (size < MAX_REPORT && (got = read(ends[0], report + size, MAX_REPORT - size)) > 0)
        size += (size_t)got;
    close(ends[0]);
    report[size] = '\0';
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool is_clean(const char *report) {
    return strstr(report, "live handles: 0, live objects: 0") != NULL
        && strstr(report, "Sanitizer") == NULL && strstr(report, "runtime error:") == NULL;
}

/* Whether the program frees all when its operation k fails.  injected: whether it has so many. */
static bool is_clean_after(const rt_program *program, char **argv, long k, bool *injected) {
    static char report[MAX_REPORT + 1];
    int status = run_child(program, argv, k, report);
    *injected = strstr(report, "injecting\n") != NULL;
    bool uncaught = strstr(report, "injected failure") != NULL;
    if (is_clean(report) && !(uncaught && status != 70)) return true;
    printf("operation %ld: status %d\n%s", k, status, report);
    return false;
}

static int inject_all(const rt_program *program, char **argv) {
    bool injected = true;
    for (long k = 1; k <= MAX_OPERATIONS; k++) {
        if (!is_clean_after(program, argv, k, &injected)) return 1;
        if (!injected) {
            printf("%ld\n", k - 1);
            return 0;
        }
    }
    printf("more than %d operations\n", MAX_OPERATIONS);
    return 1;
}

static int inject_some(const rt_program *program, char **argv, char **operations) {
    bool injected = true;
    int count = 0;
    for (; *operations != NULL && injected; operations++) {
        if (!is_clean_after(program, argv, atol(*operations), &injected)) return 1;
        count += injected;
    }
    printf("%d\n", count);
    return 0;
}

int main(int argc, char **argv) {
    if (argc < 2) return 64;
    const rt_program *program = find(argv[1]);
    if (argc > 2 && strcmp(argv[2], "inject") == 0) {
        /* Loading LibTorch takes most of a child's time.  Children find it loaded, as bridge_load
         * would; if this fails, each tries itself, and reports why. */
        if (program->tensors != NULL && test_library != NULL)
            dlopen(test_library, RTLD_LAZY | RTLD_GLOBAL);
        return argc > 3 ? inject_some(program, argv + 1, argv + 3) : inject_all(program, argv + 1);
    }
    return rt_main(argc - 1, argv + 1, program);
}
