/* system.c - the process: exit, command line, environment, clocks. */
#define _POSIX_C_SOURCE 200809L   /* clock_gettime */
#include "rt_internal.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define NANOSECONDS 1000000000
#define LAST_TIME 100000000000 /* seconds: beyond, years have five digits */
#define LAST_STATUS 255   /* the system keeps eight bits: 256 would mean success */

int rt_argument_count;
char **rt_arguments;

/* The process's status for a Lisp value. */
static int status_of(const char *who, rt_value status, int *result) {
    if (rt_is_boolean(status)) {
        *result = status == RT_TRUE ? 0 : 1;
        return 0;
    }
    bool is_status =
        rt_is_fixnum(status) && rt_fixnum(status) >= 0 && rt_fixnum(status) <= LAST_STATUS;
    RT_CHECK_STATUS(is_status, who, "#t, #f or an integer from 0 to 255", status);
    *result = (int)rt_fixnum(status);
    return 0;
}

rt_value rt_exit(rt_value status) {
    int code = 0;
    return status_of("exit", status, &code) != 0 ? RT_ERROR : rt_fail_leaving(code);
}

rt_value rt_emergency_exit(rt_value status) {
    int code = 0;
    if (status_of("emergency-exit", status, &code) != 0) return RT_ERROR;
    rt_flush_ports();
    _exit(code);
}

rt_value rt_command_line(void) {
    rt_value list = RT_NIL;
    for (int i = rt_argument_count - 1; i >= 0; i--) {
        const char *text = rt_arguments[i];
        rt_value argument = rt_string_of_utf8(text, strlen(text));
        if (argument == RT_ERROR) {
            rt_free(list);
            return RT_ERROR;
        }
        list = rt_cons(argument, list);
    }
    return list;
}

rt_value rt_getenv(rt_value name) {
    RT_CHECK(rt_is_string(name), "getenv", "a string", name);
    if (rt_holds_nul(name)) return RT_FALSE;
    char *text = rt_string_to_c(name);
    const char *value = getenv(text);
    free(text);
    return value == NULL ? RT_FALSE : rt_string_of_utf8(value, strlen(value));
}

extern char **environ;

rt_value rt_environment(void) {
    rt_value list = RT_NIL;
    size_t count = 0;
    while (environ[count] != NULL) count++;
    while (count > 0) {
        const char *entry = environ[--count], *sign = strchr(entry, '=');
        if (sign == NULL) continue;
        rt_value name = rt_string_of_utf8(entry, (size_t)(sign - entry));
        rt_value value = rt_string_of_utf8(sign + 1, strlen(sign + 1));
        if (name == RT_ERROR || value == RT_ERROR) {
            if (name != RT_ERROR) rt_free(name);
            if (value != RT_ERROR) rt_free(value);
            rt_free(list);
            return RT_ERROR;
        }
        list = rt_cons(rt_cons(name, value), list);
    }
    return list;
}

/* Scripts draw with a package of Python's: the evaluator sets this (lang/evaluator/machine/ask.c). */
extern rt_value (*rt_plot_drawer)(rt_value path, rt_value figure);
rt_value (*rt_plot_drawer)(rt_value path, rt_value figure) = NULL;

rt_value rt_draw_plot(rt_value path, rt_value figure) {
    return rt_plot_drawer != NULL ? rt_plot_drawer(path, figure) : RT_FALSE;
}

double rt_current_second(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / NANOSECONDS;
}

int64_t rt_current_seconds(void) { return (int64_t)time(NULL); }

/* The C library says it only as two broken-down times, which are at most a day apart. */
int rt_local_time_offset(rt_value seconds, int64_t *result) {
    int64_t number = rt_is_fixnum(seconds) ? rt_fixnum(seconds) : LAST_TIME;
    RT_CHECK_STATUS(-LAST_TIME < number && number < LAST_TIME, "%local-time-offset",
                    "a time in seconds", seconds);
    time_t at = (time_t)number;
    struct tm local, universal;
    tzset();
    localtime_r(&at, &local);
    gmtime_r(&at, &universal);
    int days = local.tm_year != universal.tm_year ? local.tm_year - universal.tm_year
                                                  : local.tm_yday - universal.tm_yday;
    *result = (days * 24 + local.tm_hour - universal.tm_hour) * 3600 +
              (local.tm_min - universal.tm_min) * 60 + local.tm_sec - universal.tm_sec;
    return 0;
}

rt_value rt_current_jiffy(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return rt_of_int64((int64_t)now.tv_sec * NANOSECONDS + now.tv_nsec);
}

rt_value rt_jiffies_per_second(void) { return rt_of_fixnum(NANOSECONDS); }
