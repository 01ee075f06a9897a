/* calls.h - calls of the system by name, which the library makes (%file-call, %process-call). */
#ifndef SYSTEM_CALLS_H
#define SYSTEM_CALLS_H

#include "rt_internal.h"

#define NO_RESULT RT_ABSENT   /* the system refused the call; errno says why */

/* The arguments of a call.  path, and to if the call takes a second path, are C strings that live
 * as long as the call. */
typedef struct {
    const char *path, *to;
    rt_value first, second;   /* borrowed */
} system_arguments;

typedef struct {
    const char *name;
    rt_value (*call)(const system_arguments *arguments);
} system_call;

/* Make the call of that name.  who, verb and path word its error: "who: cannot verb path: reason".
 * path may be #f where the call needs none. */
rt_value rt_system_call(const system_call *calls, rt_value name, const rt_value *words,
                        rt_value path, rt_value first, rt_value second);

/* The calls of signals.c.  An alist of names and numbers; note a signal (first: its number) from now
 * on, or, if second is #f, let it do again what it did before; the name of one that has come since
 * the last call, or #f; let alrm come after so many microseconds (first), never if that is 0. */
rt_value rt_signal_numbers(const system_arguments *arguments);
rt_value rt_watch_signal(const system_arguments *arguments);
rt_value rt_next_signal(const system_arguments *arguments);
rt_value rt_set_alarm(const system_arguments *arguments);

/* An argument that the library has checked; -1, which the system refuses, for other values. */
static inline int64_t integer_of(rt_value v) { return rt_is_fixnum(v) ? rt_fixnum(v) : -1; }

/* The result of a call that returns nothing, from the status of its C function. */
static inline rt_value without_result(int status) {
    return status == 0 ? RT_UNSPECIFIED : NO_RESULT;
}

#endif
