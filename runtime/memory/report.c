/* report.c - reports on stderr at the end of a run: the locations that held tensor memory at its
 * peak, and the time that each operator took.
 *
 *     LAMBENT_MEMORY_REPORT=1 ./program          ./program --memory-report
 *     LAMBENT_PROFILE=out.json ./program         ./program --profile out.json
 *
 * The command line belongs to the program.  These two options are read only if the program never
 * uses its command line, and only before other arguments.
 */
#include "rt_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define EXIT_USAGE 64
#define EXIT_NO_FILE 66
#define MILLISECONDS 1e3   /* in a second */

const rt_location *rt_here;

rt_value rt_compute_at(rt_value (*compute)(rt_value, rt_value), rt_value a, rt_value b,
                       const rt_location *location) {
    rt_here = location;
    return compute(a, b);
}

rt_value rt_compute_freeing_at(rt_value (*compute)(rt_value, rt_value), rt_value a, rt_value b,
                               int which, const rt_location *location) {
    rt_here = location;
    return rt_compute_freeing(compute, a, b, which);
}

rt_number rt_compute_numbers_at(rt_number (*compute)(rt_number, rt_number, int), rt_number a,
                                rt_number b, int which, const rt_location *location) {
    rt_here = location;
    return compute(a, b, which);
}

static bool wants_memory;
static const char *profile;   /* the name of a file, or NULL */

bool rt_is_set(const char *name) {
    const char *value = getenv(name);
    return value != NULL && *value != '\0' && strcmp(value, "0") != 0;
}

static void refuse_usage(void) {
    fputs("--profile takes the name of the file to write\n", stderr);
    _exit(EXIT_USAGE);
}

void rt_read_report_options(int argc, char **argv, bool are_ours) {
    wants_memory = rt_is_set("LAMBENT_MEMORY_REPORT");
    profile = getenv("LAMBENT_PROFILE");
    if (profile != NULL && *profile == '\0') profile = NULL;
    for (int i = 1; i < argc && are_ours; i++) {
        bool takes_file = strcmp(argv[i], "--profile") == 0;
        if (takes_file && i + 1 == argc) refuse_usage();
        if (takes_file) profile = argv[++i];
        else if (strcmp(argv[i], "--memory-report") == 0) wants_memory = true;
        else return;
    }
}

/* The profile of a program that has no tensors. */
static int write_empty_profile(void) {
    FILE *file = fopen(profile, "w");
    if (file == NULL) return rt_status(rt_fail("cannot write %s: %s", profile, strerror(errno)));
    fputs("{\"traceEvents\": [\n]}\n", file);
    fclose(file);
    return 0;
}

void rt_start_reports(void) {
    int status = 0;
    if (rt_tensors != NULL && (wants_memory || profile != NULL))
        status = rt_tensors->start_reports(wants_memory, profile);
    else if (profile != NULL)
        status = write_empty_profile();
    if (status == 0) return;
    rt_text text = {NULL, 0, 0};
    rt_render_error(&text);
    fprintf(stderr, "%s\n", text.bytes);
    _exit(EXIT_NO_FILE);
}

/* Of tensors that were on cycles; of other objects only garbage-statistics tells. */
static void report_collections(void) {
    if (!wants_memory || rt_collected.tensors == 0) return;
    fprintf(stderr, "tensors freed with cycles: %zu; longest pause: %.3f ms\n",
            rt_collected.tensors, MILLISECONDS * rt_collected.longest);
}

void rt_finish_reports(void) {
    if (!wants_memory && profile == NULL) return;
    if (rt_tensors != NULL) {
        char *text = rt_tensors->finish_reports();
        if (text != NULL) fputs(text, stderr);
        free(text);
        report_collections();
        return;
    }
    if (wants_memory) fputs("tensor memory: none was used\n", stderr);
    if (profile != NULL) fputs("tensor operators: none was called\n", stderr);
}

/* ---- Measuring a stretch of time ------------------------------------------ */

rt_value rt_tensor_window(rt_value least) {
    int64_t bytes = 0, allocations = 0, allocated = 0;
    RT_CHECK(rt_to_int64(least, &bytes), "time-it", "an exact integer", least);
    int64_t peak = 0;
    if (rt_tensors != NULL) peak = rt_tensors->exchange_window(bytes, &allocations, &allocated);
    rt_value items[] = {rt_of_int64(peak), rt_of_int64(allocations), rt_of_int64(allocated)};
    return rt_new_list(3, items);
}
