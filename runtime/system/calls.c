/* calls.c - calls of the system by name: their paths, and their errors. */
#define _POSIX_C_SOURCE 200809L   /* strerror */
#include "system/calls.h"

#include <errno.h>
#include <stdlib.h>

/* A path as a C string, which the caller frees; NULL if it is no string, or holds a NUL. */
static char *path_of(rt_value path) {
    return rt_is_string(path) && !rt_holds_nul(path) ? rt_string_to_c(path) : NULL;
}

static rt_value fail(const rt_value *words, rt_value path, int reason) {
    char *who = rt_string_to_c(words[0]), *verb = rt_string_to_c(words[1]);
    rt_text shown = {NULL, 0, 0};
    if (path != RT_FALSE) {
        rt_text_string(&shown, " ");
        rt_show(&shown, path, true);
    }
    rt_fail("%s: cannot %s%s: %s", who, verb, shown.bytes == NULL ? "" : shown.bytes,
            strerror(reason));
    rt_text_free(&shown);
    free(who);
    free(verb);
    return rt_categorize_error(RT_FILE_ERROR);
}

rt_value rt_system_call(const system_call *calls, rt_value name, const rt_value *words,
                        rt_value path, rt_value first, rt_value second) {
    while (!rt_is_named(name, calls->name)) calls++;
    char *from = path_of(path), *to = path_of(first);
    bool is_refused = (rt_is_string(path) && from == NULL) || (rt_is_string(first) && to == NULL);
    system_arguments arguments = {from, to, first, second};
    errno = is_refused ? EINVAL : 0;
    rt_value result = is_refused ? NO_RESULT : calls->call(&arguments);
    int reason = errno;
    free(from);
    free(to);
    return result == NO_RESULT ? fail(words, path, reason) : result;
}
