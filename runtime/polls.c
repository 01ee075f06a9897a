/* polls.c - what a poll looks for: the end of the stack, Ctrl-C, and a lack of memory.
 *
 * A poll compares the stack with one limit.  Whatever else it must notice sets that limit to the
 * largest address, and the slow part finds out what it was.
 */
#include "rt_internal.h"

#include <signal.h>
#include <unistd.h>

#define MEBIBYTE ((size_t)1 << 20)
#define LARGEST_STACK (768 * MEBIBYTE)    /* a million frames of 800 bytes; most take a tenth */
#define SMALLEST_STACK (16 * MEBIBYTE)
#define MEMORY_DIVISOR 8                  /* endless recursion ends before memory runs out */
#define LIMIT_DIVISOR 4                   /* a mapped stack counts in full, used or not */

volatile uintptr_t rt_stack_limit;

volatile int rt_interrupted;   /* an int can be written by a handler, as a sig_atomic_t can */
volatile int rt_is_ending;
bool rt_is_guest;
static volatile sig_atomic_t noticed;
static uintptr_t true_stack_limit;
static size_t deferrals;   /* running after-thunks: the first Ctrl-C waits for them */
static volatile sig_atomic_t ends_cleanup;   /* this one does not */
static bool is_short;      /* of memory */
static volatile sig_atomic_t tensors_grew, pause_is_due;
void (*rt_at_pause)(void);

static void leave_if_ending(void) {
    if (!rt_is_ending) return;
    rt_flush_ports();
    _exit(RT_EXIT_INTERRUPT);
}

void rt_interrupt(void) {
    rt_interrupted = 1;
    rt_stack_limit = UINTPTR_MAX;
}

/* For a host, whose second Ctrl-C does not end the process (lang/evaluator/machine/world.h). */
void rt_interrupt_cleanup(void);
void rt_interrupt_cleanup(void) {
    noticed = 0;
    ends_cleanup = 1;
}

static bool is_due(void) {
    return rt_interrupted && !noticed && (deferrals == 0 || ends_cleanup);
}

static int fail_if_too_deep(void) {
    leave_if_ending();
    return rt_stack_here() < true_stack_limit ? rt_status(rt_fail_depth()) : 0;
}

/* The handler may run in between, so the test for it comes last. */
static void reset_stack_limit(void) {
    rt_stack_limit = is_short || rt_collects_always ? UINTPTR_MAX : true_stack_limit;
    if (tensors_grew || pause_is_due || is_due()) rt_stack_limit = UINTPTR_MAX;
}

void rt_note_tensors(void) {
    tensors_grew = 1;
    rt_stack_limit = UINTPTR_MAX;
}

void rt_ask_for_pause(void) {
    pause_is_due = 1;
    rt_stack_limit = UINTPTR_MAX;
}

static void collect_at_poll(void) {
    bool grew = tensors_grew;
    if (grew) tensors_grew = 0;
    rt_collect_at_poll(grew);
}

int rt_enter_slow(void) {
    collect_at_poll();
    if (is_short) {
        is_short = false;
        reset_stack_limit();
        return rt_status(rt_fail_memory());
    }
    if (pause_is_due) {
        pause_is_due = 0;
        rt_at_pause();
    }
    if (rt_poll_interrupt() != 0) return 1;
    reset_stack_limit();
    return fail_if_too_deep();
}

int rt_poll_interrupt(void) {
    leave_if_ending();
    if (!is_due()) return 0;
    noticed = 1;
    ends_cleanup = 0;
    reset_stack_limit();
    return rt_status(rt_fail_interrupted());
}

int rt_enter_steady_slow(void) {
    collect_at_poll();
    return fail_if_too_deep();
}

void rt_defer_interrupts(void) { deferrals++; }

void rt_allow_interrupts(void) {
    deferrals--;
    if (is_due()) rt_stack_limit = UINTPTR_MAX;
}

void rt_note_shortage(void) {
    is_short = true;
    rt_stack_limit = UINTPTR_MAX;
}

/* The failed operation has released its memory, so its handler must not fail for the same
 * reason. */
void rt_forget_shortage(void) {
    rt_restock();
    if (!is_short) return;
    is_short = false;
    reset_stack_limit();
}

void rt_leave_if_interrupted(void) {
    if (!rt_interrupted || rt_is_guest) return;
    rt_is_ending = 1;
    leave_if_ending();
}

bool rt_is_interrupted(void) { return rt_interrupted && !noticed; }

bool rt_forget_interrupt_signal(void) {
    rt_interrupted = noticed = ends_cleanup = 0;
    reset_stack_limit();
    return true;
}

/* Likewise for a host. */
void rt_forget_interrupts(void);
void rt_forget_interrupts(void) {
    deferrals = 0;
    pause_is_due = 0;
    rt_forget_interrupt_signal();
}

/* A Ctrl-C that came before this still counts. */
void rt_set_stack_limit(uintptr_t limit) {
    true_stack_limit = limit;
    reset_stack_limit();
}

uintptr_t rt_get_stack_limit(void) { return true_stack_limit; }

size_t rt_stack_size(void) {
    size_t wanted = rt_available_memory() / MEMORY_DIVISOR;
    size_t allowed = rt_process_limit() / LIMIT_DIVISOR;
    if (wanted > allowed) wanted = allowed;
    if (wanted > LARGEST_STACK) return LARGEST_STACK;
    return wanted < SMALLEST_STACK ? SMALLEST_STACK : wanted;
}
