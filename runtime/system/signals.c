/* signals.c - signals that a program has handlers for.
 *
 * A signal is only noted when it comes; the library asks for those that have come where it can call
 * their handlers, which are Lisp.  So a handler never runs in the middle of an operation.
 */
#define _GNU_SOURCE   /* setitimer, kill */
#include "system/calls.h"

#include <signal.h>
#include <string.h>
#include <sys/time.h>

#define MICROSECONDS 1000000

/* The signals that programs name, in the order in which those that wait together are told. */
static const struct { const char *name; int number; } known[] = {
    {"hup", SIGHUP}, {"int", SIGINT}, {"quit", SIGQUIT}, {"kill", SIGKILL}, {"usr1", SIGUSR1},
    {"usr2", SIGUSR2}, {"pipe", SIGPIPE}, {"alrm", SIGALRM}, {"term", SIGTERM}, {"chld", SIGCHLD},
    {"cont", SIGCONT}, {"stop", SIGSTOP}, {"tstp", SIGTSTP}, {"winch", SIGWINCH},
};
#define KNOWN (sizeof known / sizeof *known)

static volatile sig_atomic_t has_come[KNOWN];
static struct sigaction before[KNOWN];   /* what a watched signal did, to be restored */

static void note(int number) {
    for (size_t i = 0; i < KNOWN; i++)
        if (known[i].number == number) has_come[i] = 1;
}

rt_value rt_signal_numbers(const system_arguments *given) {
    (void)given;
    rt_value list = RT_NIL;
    for (size_t i = KNOWN; i > 0; i--)
        list = rt_cons(rt_cons(rt_intern(known[i - 1].name), rt_of_fixnum(known[i - 1].number)),
                       list);
    return list;
}

rt_value rt_watch_signal(const system_arguments *given) {
    int number = (int)integer_of(given->first), status = -1;
    for (size_t i = 0; i < KNOWN; i++) {
        if (known[i].number != number) continue;
        struct sigaction noting;
        memset(&noting, 0, sizeof noting);
        noting.sa_handler = note;
        noting.sa_flags = SA_RESTART;
        has_come[i] = 0;
        status = given->second == RT_FALSE ? sigaction(number, &before[i], NULL)
                                           : sigaction(number, &noting, &before[i]);
    }
    return without_result(status);
}

rt_value rt_next_signal(const system_arguments *given) {
    (void)given;
    for (size_t i = 0; i < KNOWN; i++) {
        if (!has_come[i]) continue;
        has_come[i] = 0;
        return rt_intern(known[i].name);
    }
    return RT_FALSE;
}

rt_value rt_set_alarm(const system_arguments *given) {
    int64_t length = integer_of(given->first);
    struct itimerval timer;
    memset(&timer, 0, sizeof timer);
    timer.it_value.tv_sec = (time_t)(length / MICROSECONDS);
    timer.it_value.tv_usec = (suseconds_t)(length % MICROSECONDS);
    return without_result(setitimer(ITIMER_REAL, &timer, NULL));
}
