/* memory.c - querying and limiting tensors' memory, and reports. */
#include "bridge/bridge.h"

#include <stdlib.h>

rt_value bridge_memory(void) {
    rt_collect_garbage();   /* the program cannot reach what that frees */
    const struct { const char *name; int64_t count; } facts[] = {
        {"live-handles", ct_live_handles()}, {"live-bytes", ct_live_bytes()},
        {"peak-bytes", ct_peak_bytes()},     {"cached-bytes", ct_cached_bytes()},
        {"allocations", ct_allocations()},   {"allocated-bytes", ct_allocated_bytes()},
        {"collected-handles", (int64_t)rt_collected.tensors},
    };
    rt_value alist = RT_NIL;
    for (size_t i = sizeof facts / sizeof *facts; i-- > 0;) {
        rt_value fact = rt_cons(rt_intern(facts[i].name), rt_of_int64(facts[i].count));
        alist = rt_cons(fact, alist);
    }
    return alist;
}

static int bytes_of(const char *who, rt_value v, int64_t *result) {
    if (rt_to_int64(v, result) && *result >= 0) return 0;
    return rt_status(rt_fail_wrong_type(who, "a non-negative exact integer", v));
}

rt_value bridge_cache_limit(rt_value bytes) {
    int64_t limit;
    if (bytes_of("tensor-cache-limit!", bytes, &limit) != 0) return RT_ERROR;
    return rt_of_int64(ct_set_cache_limit(limit));
}

rt_value bridge_cache_release(void) { return rt_of_int64(ct_release_cache()); }

rt_value bridge_memory_limit(rt_value bytes) {
    int64_t limit = -1;
    if (bytes != RT_FALSE && bytes_of("tensor-memory-limit!", bytes, &limit) != 0) return RT_ERROR;
    int64_t before = ct_set_memory_limit(limit);
    return before < 0 ? RT_FALSE : rt_of_int64(before);
}

/* ---- Reports ------------------------------------------------------------------ */

static bool find_here(ct_location *location) {
    if (rt_here == NULL) return false;
    *location = (ct_location){rt_here->file, rt_here->line, rt_here->column, rt_here->text};
    return true;
}

int bridge_start_reports(bool memory, const char *profile) {
    return ct_start_reports(find_here, memory, profile) != 0 ? rt_status(bridge_fail(NULL)) : 0;
}

char *bridge_finish_reports(void) {
    char *text;
    return ct_finish_reports(&text) != 0 ? NULL : text;
}

int64_t bridge_exchange_window(int64_t least, int64_t *allocations, int64_t *bytes) {
    *allocations = ct_allocations();
    *bytes = ct_allocated_bytes();
    return ct_exchange_window(least);
}
