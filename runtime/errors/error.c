/* error.c - the waiting error: its message, hint and trace; and its text as users see it, which is
 * the same as in lang/errors.py.
 */
#include "rt_internal.h"

#include <stdio.h>
#include <stdlib.h>

/* How traces are shortened, as in lang/errors.py. */
enum {
    LONGEST_GROUP = 32,               /* lines that repeat together */
    FIRST_LINES = 20, LAST_LINES = 5  /* of a trace that is too long */
};

rt_failure rt_waiting;

/* ---- Noting an error ----------------------------------------------------- */

#define REUSED_RUNS 64   /* in a trace whose memory the next error uses */

/* A failure of the kind RT_NOTHING is empty, but rt_waiting may have memory for a trace. */
rt_value rt_note(rt_error_kind kind) {
    if (RT_UNLIKELY(rt_waiting.kind != RT_NOTHING)) {
        rt_run *trace = rt_waiting.trace;
        size_t room = rt_waiting.trace_room;
        rt_waiting.trace = NULL;
        rt_clear_failure(&rt_waiting);
        rt_waiting.trace = trace;
        rt_waiting.trace_room = room;
    }
    rt_waiting.kind = kind;
    return RT_ERROR;
}

void rt_clear_failure(rt_failure *failure) {
    if (failure->kind == RT_NOTHING) return;
    rt_failure old = *failure;
    memset(failure, 0, sizeof *failure);
    rt_text_free(&old.message);
    rt_text_free(&old.hint);
    rt_text_free(&old.module);
    bool is_reused = old.trace != NULL && old.trace_room <= REUSED_RUNS;
    if (is_reused && rt_waiting.kind == RT_NOTHING && rt_waiting.trace == NULL) {
        rt_waiting.trace = old.trace;
        rt_waiting.trace_room = old.trace_room;
    } else {
        free(old.trace);
    }
    if (old.payload != 0) rt_free(old.payload);
}

rt_value rt_fail_text(rt_text *message, rt_text *hint) {
    rt_note(RT_MISTAKE);
    rt_waiting.message = *message;
    *message = (rt_text){NULL, 0, 0};
    if (hint == NULL) return RT_ERROR;
    rt_waiting.hint = *hint;
    *hint = (rt_text){NULL, 0, 0};
    return RT_ERROR;
}

rt_value rt_fail(const char *format, ...) {
    rt_text message = {NULL, 0, 0};
    va_list arguments;
    va_start(arguments, format);
    rt_text_vformat(&message, format, arguments);
    va_end(arguments);
    return rt_fail_text(&message, NULL);
}

rt_value rt_fail_hint(const char *message, const char *hint) {
    rt_fail("%s", message);
    if (hint != NULL) rt_text_string(&rt_waiting.hint, hint);
    return RT_ERROR;
}

rt_value rt_fail_wrong_type(const char *who, const char *noun, rt_value value) {
    rt_text message = {NULL, 0, 0};
    rt_text_format(&message, "%s: expected %s, got ", who, noun);
    rt_describe(&message, value);
    rt_text hint = {NULL, 0, 0};
    return rt_fail_text(&message, rt_say_type_hint(&hint, who, noun, value) ? &hint : NULL);
}

rt_value rt_fail_index(const char *who, rt_value index, size_t length) {
    rt_text message = {NULL, 0, 0};
    rt_text_format(&message, "%s: index ", who);
    rt_describe(&message, index);
    rt_text_format(&message, " is out of range for length %zu", length);
    return rt_fail_text(&message, NULL);
}

rt_value rt_fail_division(const char *who) { return rt_fail("%s: division by zero", who); }

rt_value rt_fail_unbound(const char *name, const char *hint) {
    rt_fail("unbound variable: %s", name);
    if (hint != NULL) rt_text_string(&rt_waiting.hint, hint);
    return RT_ERROR;
}

rt_value rt_categorize_error(rt_error_category category) {
    rt_waiting.category = category;
    return RT_ERROR;
}

rt_value rt_fail_depth(void) {
    rt_fail_hint("recursion is too deep", "does it end?");
    rt_waiting.without_trace = true;
    return RT_ERROR;
}

rt_value rt_fail_memory(void) {
    rt_fail("not enough memory");
    rt_waiting.without_location = true;
    return RT_ERROR;
}

rt_value rt_fail_room(const char *who, size_t count, const char *noun) {
    return rt_fail("%s: not enough memory for %zu %s", who, count, noun);
}

rt_value rt_fail_leaving(int status) {
    rt_note(RT_LEAVING);
    rt_waiting.status = status;
    return RT_ERROR;
}

rt_value rt_fail_interrupted(void) { return rt_note(RT_INTERRUPTED); }

void rt_failed_in_module(rt_value type_name, rt_value name) {
    rt_failure *failure = &rt_waiting;
    failure->at_module = true;
    if (failure->kind != RT_MISTAKE || failure->without_trace || failure->module_complete) return;
    if (failure->module_type == 0) failure->module_type = type_name;
    failure->module_complete = !rt_is_string(name);
    if (failure->module_complete) return;
    rt_text path = {NULL, 0, 0};
    rt_text_lisp_string(&path, name);
    if (failure->module.size > 0) {
        rt_text_string(&path, ".");
        rt_text_add(&path, failure->module.bytes, failure->module.size);
    }
    rt_text_free(&failure->module);
    failure->module = path;
}

rt_value rt_fail_at_caller(void) {
    rt_waiting.at_caller = true;
    return RT_ERROR;
}

void rt_at_tail(const rt_location *location) {
    if (rt_waiting.at_caller) return;
    if (!rt_waiting.has_location || rt_waiting.at_module) rt_at(location);
}

void rt_at(const rt_location *location) {
    rt_waiting.has_location = true;
    rt_waiting.at_module = rt_waiting.at_caller = false;
    if (location->library || rt_waiting.kind != RT_MISTAKE || rt_waiting.without_location) return;
    if (rt_waiting.without_trace && rt_waiting.trace_count > 0) return;
    rt_run *last = rt_waiting.trace_count > 0 ? &rt_waiting.trace[rt_waiting.trace_count - 1] : NULL;
    if (last != NULL && last->location == location) {
        last->count++;
        return;
    }
    RT_GROW(rt_waiting.trace, rt_waiting.trace_count, rt_waiting.trace_room);
    rt_waiting.trace[rt_waiting.trace_count++] = (rt_run){location, 1};
}

#ifdef RT_INJECT
bool rt_inject(void) {
    static long left = -1;   /* -1: not read yet */
    if (left < 0) {
        const char *wanted = getenv("LAMBENT_FAIL_AT");
        left = wanted != NULL ? atol(wanted) : 0;
    }
    if (left == 0 || --left > 0) return false;
    fputs("injecting\n", stderr);   /* a sign on stderr, because the program may catch it */
    rt_fail("injected failure");
    return true;
}
#endif

/* ---- The text ------------------------------------------------------------ */

static void render_hint(rt_text *text, const rt_failure *failure) {
    rt_text hint = {NULL, 0, 0};
    if (rt_text_of_hint(&hint, failure) && hint.size > 0) {
        rt_text_string(text, "\nhint: ");
        rt_text_add(text, hint.bytes, hint.size);
    }
    rt_text_free(&hint);
}

/* `name` was called at `location`.  In a folded trace, location is NULL where the group of lines
 * before it is repeated. */
typedef struct trace_line {
    const char *name;
    const rt_location *location;
    size_t period, repeated;
} trace_line;

static bool same_line(const trace_line *a, const trace_line *b) {
    if (a->location == b->location && a->name == b->name) return true;
    return a->location->line == b->location->line && a->location->column == b->location->column &&
           strcmp(a->name, b->name) == 0 && strcmp(a->location->file, b->location->file) == 0;
}

/* A new array with a line for each frame. */
static trace_line *lines_of(const rt_failure *failure, size_t *count) {
    size_t room = 0;
    for (size_t i = 0; i < failure->trace_count; i++) room += failure->trace[i].count;
    trace_line *lines = rt_malloc((room + 1) * sizeof *lines);
    *count = 0;
    for (size_t i = 0; i < failure->trace_count; i++) {
        const rt_run *at = &failure->trace[i];
        const char *name = at->location->in ? at->location->in : "lambda";
        for (size_t k = 1; k < at->count; k++)
            lines[(*count)++] = (trace_line){name, at->location, 0, 0};
        if (i + 1 < failure->trace_count)
            lines[(*count)++] = (trace_line){name, failure->trace[i + 1].location, 0, 0};
    }
    return lines;
}

/* How many times in a row the first `period` lines occur. */
static size_t times_of(const trace_line *lines, size_t count, size_t period) {
    size_t end = period;
    while (end < count && same_line(&lines[end], &lines[end - period])) end++;
    return end / period;
}

/* The length of the shortest group of lines that repeats here; 1 if none does. */
static size_t period_of(const trace_line *lines, size_t count) {
    size_t longest = count / 2 < LONGEST_GROUP ? count / 2 : LONGEST_GROUP;
    for (size_t period = 1; period <= longest; period++)
        if (same_line(&lines[0], &lines[period]) && times_of(lines, count, period) > 1)
            return period;
    return 1;
}

/* Fold repeated lines; returns the number of remaining lines. */
static size_t fold(trace_line *lines, size_t count) {
    size_t folded = 0;
    for (size_t at = 0; at < count;) {
        size_t period = period_of(lines + at, count - at);
        size_t times = times_of(lines + at, count - at, period);
        memmove(lines + folded, lines + at, period * sizeof *lines);
        folded += period;
        if (times > 1) lines[folded++] = (trace_line){NULL, NULL, period, times - 1};
        at += period * times;
    }
    return folded;
}

static void render_line(rt_text *text, const trace_line *line) {
    const rt_location *location = line->location;
    if (location != NULL) {
        rt_text_format(text, "\n  in %s, called at %s:%d:%d", line->name, location->file, location->line,
                       location->column);
        return;
    }
    rt_text_string(text, "\n  ... ");
    if (line->period > 1) rt_text_format(text, "these %zu lines ", line->period);
    rt_text_format(text, "repeated %zu more time%s", line->repeated,
                   line->repeated > 1 ? "s" : "");
}

static void render_trace(rt_text *text, const rt_failure *failure) {
    size_t count;
    trace_line *lines = lines_of(failure, &count);
    count = fold(lines, count);
    bool is_long = count > FIRST_LINES + LAST_LINES + 1;
    for (size_t i = 0; i < count; i++) {
        if (is_long && i == FIRST_LINES) {
            i = count - LAST_LINES;
            while (lines[i].location == NULL) i++;   /* the lines that it repeats are left out */
            rt_text_format(text, "\n  ... %zu lines are left out", i - FIRST_LINES);
        }
        render_line(text, &lines[i]);
    }
    free(lines);
}

static void render_module(rt_text *text, const rt_failure *failure) {
    if (failure->module.size == 0) return;
    rt_text_string(text, "\n  in module ");
    rt_text_add(text, failure->module.bytes, failure->module.size);
    rt_text_string(text, " (");
    rt_text_symbol(text, failure->module_type);
    rt_text_string(text, ")");
}

void rt_text_of_failure(rt_text *text, const rt_failure *failure) {
    if (failure->message.bytes != NULL) {
        rt_text_add(text, failure->message.bytes, failure->message.size);
    } else if (rt_is_condition(failure->payload)) {
        rt_text_condition(text, (const rt_condition *)rt_object_of(failure->payload));
    } else {
        rt_text_string(text, "uncaught raise: ");
        if (rt_show(text, failure->payload, true) != 0) rt_text_string(text, "...");
    }
}

void rt_text_of_error(rt_text *text, const rt_failure *failure) {
    const rt_location *location = failure->trace_count > 0 ? failure->trace[0].location : NULL;
    if (location != NULL)
        rt_text_format(text, "%s:%d:%d: ", location->file, location->line, location->column);
    rt_text_of_failure(text, failure);
    if (location != NULL) rt_text_excerpt(text, location);
    render_hint(text, failure);
    if (location != NULL && location->expansion != NULL) rt_text_string(text, location->expansion);
    render_module(text, failure);
    render_trace(text, failure);
}

void rt_render_error(rt_text *text) {
    /* Showing a value may fail, and would replace the waiting error. */
    rt_failure failure = rt_waiting;
    memset(&rt_waiting, 0, sizeof rt_waiting);
    rt_text_of_error(text, &failure);
    rt_clear_failure(&failure);
    rt_clear_failure(&rt_waiting);
}

/* ---- Primitives ---------------------------------------------------------- */

rt_value rt_wrong_type(rt_value who, rt_value noun, rt_value x) {
    RT_CHECK(rt_is_string(who), "wrong-type", "a string", who);
    RT_CHECK(rt_is_string(noun), "wrong-type", "a string", noun);
    char *who_text = rt_string_to_c(who), *noun_text = rt_string_to_c(noun);
    rt_fail_wrong_type(who_text, noun_text, x);
    free(who_text);
    free(noun_text);
    return RT_ERROR;
}
