/* main.c - runs a program on a large stack, and reports how it ended.
 *
 * Lisp recursion is C recursion, so the program gets a separate stack, as large as the machine's
 * memory allows, whose pages are mapped when they are used.  It runs on a second thread, which ends
 * the process; the first one only waits.
 */
#define _GNU_SOURCE   /* mmap's MAP_NORESERVE and MAP_STACK */
#include "rt_internal.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

#ifndef MAP_STACK   /* on macOS */
#define MAP_STACK 0
#endif

#define MEBIBYTE ((size_t)1 << 20)
#define SMALLEST_TRIED (16 * MEBIBYTE)    /* of the large stacks */
#define MOMENT 5000000                    /* nanoseconds between two tests whether it has ended */
#define MOMENTS_TO_END 60
#define RESERVE MEBIBYTE                  /* for LibTorch and the C library below the deepest frame */
#define PLAIN_STACK_DIVISOR 4             /* without a large stack, keep this part of it free */

/* ---- Interrupts ---------------------------------------------------------- */

static bool has_own_thread;   /* the program; signals come to the first thread, which only waits */

/* The second Ctrl-C ends the program at its next poll, with its output, but does not wait long for
 * that: it may be in the middle of a long operation.  Nothing is flushed here, because the
 * program's thread may be writing. */
static void end_soon(void) {
    const struct timespec moment = {0, MOMENT};
    rt_is_ending = 1;
    for (int i = 0; has_own_thread && i < MOMENTS_TO_END; i++) {
        rt_stack_limit = UINTPTR_MAX;
        nanosleep(&moment, NULL);
    }
    _exit(RT_EXIT_INTERRUPT);
}

static void on_interrupt(int number) {
    (void)number;
    if (rt_interrupted) end_soon();
    rt_interrupt();
}

/* Not if the parent process has set it to be ignored, as a shell does for background jobs. */
static void watch_interrupts(void) {
    struct sigaction action, before;
    if (sigaction(SIGINT, NULL, &before) == 0 && before.sa_handler == SIG_IGN) return;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_interrupt;
    action.sa_flags = SA_RESTART;
    sigaction(SIGINT, &action, NULL);
}

/* ---- The program's end --------------------------------------------------- */

/* Whether everything has been released. */
static bool report_leaks(void) {
    size_t handles = rt_tensors != NULL ? rt_tensors->live() : 0;
    size_t objects = rt_live_objects();
    fprintf(stderr, "live handles: %zu, live objects: %zu\n", handles, objects);
    return handles == 0 && objects == 0;
}

static void print_error(void) {
    rt_text text = {NULL, 0, 0};
    rt_render_error(&text);
    rt_text_string(&text, "\n");
    fwrite(text.bytes, 1, text.size, stderr);
    rt_text_free(&text);
}

static int status_of(rt_value result) {
    /* The last operation may have been one that does not look for Ctrl-C. */
    if (result != RT_ERROR) return rt_is_interrupted() ? RT_EXIT_INTERRUPT : 0;
    switch (rt_waiting.kind) {
    case RT_LEAVING: return rt_waiting.status;
    case RT_INTERRUPTED: return RT_EXIT_INTERRUPT;
    case RT_MISTAKE: case RT_ESCAPE: case RT_NOTHING: break;
    }
    print_error();
    return RT_EXIT_RUNTIME;
}

/* Exit without the cleanup of the C library and LibTorch, which takes time and has no effect; so
 * the leak checker of ASan must be called here. */
static void leave(int status) {
    fflush(stderr);
#ifdef __SANITIZE_ADDRESS__
    __lsan_do_leak_check();
#endif
    _exit(status);
}

/* The threads that LibTorch starts inherit this. */
static void leave_signals_to_first_thread(void) {
    sigset_t interrupts;
    sigemptyset(&interrupts);
    sigaddset(&interrupts, SIGINT);
    if (has_own_thread) pthread_sigmask(SIG_BLOCK, &interrupts, NULL);
}

static void *run_program(void *argument) {
    const rt_program *program = argument;
    leave_signals_to_first_thread();
    if (rt_tensors != NULL) {
        rt_tensors->start();
        rt_await_tensors();
    }
    rt_start_reports();
    if (program->make_literals != NULL) program->make_literals();
    rt_value result = program->run();
    rt_flush_standard_output();
    rt_end_status();
    int status = status_of(result);
    if (rt_output_is_lost()) {
        fprintf(stderr, "cannot write: %s\n", strerror(ENOSPC));
        status = RT_EXIT_RUNTIME;
    }
    rt_finish_reports();
    rt_free(result == RT_ERROR ? RT_NIL : result);
    for (size_t i = 0; i < program->global_count; i++)
        rt_global_define(program->globals[i], RT_UNBOUND);
    if (rt_is_set("LAMBENT_CHECK_LEAKS")) {
        rt_release_constants();
        rt_release_current_ports();
        rt_collect_garbage();
        if (!report_leaks()) status = RT_EXIT_RUNTIME;
    }
    leave(status);
    return NULL;
}

/* ---- The stack ----------------------------------------------------------- */

/* Map a stack, a smaller one if necessary, and run the program on it.  Returns only if that
 * failed. */
static void run_on_large_stack(const rt_program *program) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK;
    for (size_t size = rt_stack_size(); size >= SMALLEST_TRIED; size /= 2) {
        void *stack = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, -1, 0);
        if (stack == MAP_FAILED) continue;
        pthread_attr_t attributes;
        pthread_t thread;
        pthread_attr_init(&attributes);
        pthread_attr_setstack(&attributes, stack, size);
        rt_set_stack_limit((uintptr_t)stack + RESERVE);
        has_own_thread = true;
        if (pthread_create(&thread, &attributes, run_program, (void *)(uintptr_t)program) == 0)
            pthread_join(thread, NULL);
        pthread_attr_destroy(&attributes);
        munmap(stack, size);
    }
}

static void run_on_plain_stack(const rt_program *program) {
    has_own_thread = false;
    struct rlimit plain;
    getrlimit(RLIMIT_STACK, &plain);
    size_t size = plain.rlim_cur < rt_stack_size() ? (size_t)plain.rlim_cur : rt_stack_size();
    rt_set_stack_limit(rt_stack_here() - size + size / PLAIN_STACK_DIVISOR);
    run_program((void *)(uintptr_t)program);
}

#if defined __GLIBC__ && !defined __SANITIZE_ADDRESS__
/* Called by the loader before the program's start, and before the sanitizers are ready. */
__attribute__((section(".preinit_array"), used)) static void (*const first_of_all)(void) =
    rt_check_machine;
#endif

int rt_main(int argc, char **argv, const rt_program *program) {
    const char *allocation = getenv("LAMBENT_ALLOC");
    rt_plain_malloc = allocation != NULL && strcmp(allocation, "malloc") == 0;
    rt_start_memory();
    rt_start_collector();
    rt_argument_count = argc;
    rt_arguments = argv;
    rt_tensors = program->tensors;
    rt_read_report_options(argc, argv, !program->reads_arguments);
    watch_interrupts();
    /* In this thread, because the C library's malloc is slower in others. */
    if (rt_tensors != NULL && !rt_tensors->load()) leave(RT_EXIT_RUNTIME);
    run_on_large_stack(program);
    run_on_plain_stack(program);
    return RT_EXIT_RUNTIME;
}
