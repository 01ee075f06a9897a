/* system.c - what programs ask of the process they run in. */
#define _POSIX_C_SOURCE 200809L   /* clock_gettime */
#include "rt_internal.h"

#include <stdlib.h>
#include <time.h>

#define NANOSECONDS 1000000000
#define STATUS_LIMIT 256

int rt_argument_count;
char **rt_arguments;

rt_value rt_exit(rt_value status) {
    if (rt_is_boolean(status)) return rt_fail_leaving(status == RT_TRUE ? 0 : 1);
    RT_CHECK(rt_is_exact_int(status), "exit", "an exact integer", status);
    rt_value rest = rt_modulo(status, rt_of_fixnum(STATUS_LIMIT));
    return rt_fail_leaving((int)rt_fixnum(rest));
}

rt_value rt_command_line(void) {
    rt_value list = RT_NIL;
    for (int i = rt_argument_count - 1; i >= 0; i--) {
        const char *text = rt_arguments[i];
        list = rt_cons(rt_string_of_utf8(text, strlen(text)), list);
    }
    return list;
}

rt_value rt_getenv(rt_value name) {
    RT_CHECK(rt_is_string(name), "getenv", "a string", name);
    char *utf8 = rt_string_to_utf8(name);
    const char *value = getenv(utf8);
    free(utf8);
    return value == NULL ? RT_FALSE : rt_string_of_utf8(value, strlen(value));
}

rt_value rt_current_jiffy(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return rt_of_int64((int64_t)now.tv_sec * NANOSECONDS + now.tv_nsec);
}

rt_value rt_jiffies_per_second(void) { return rt_of_fixnum(NANOSECONDS); }
