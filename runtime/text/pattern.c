/* pattern.c - searching bytes with PCRE2.
 *
 * A search over a long text goes in steps, with a poll for Ctrl-C between them, and a match may take
 * as many steps of PCRE2's as the size of the text allows: no pattern runs for ever.
 */
#define _GNU_SOURCE   /* clock_gettime, memmem */
#include "pattern.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FIRST_STACK ((size_t)32 << 10)    /* bytes, for compiled patterns */
#define LARGEST_STACK ((size_t)8 << 20)
#define MOST_KIBIBYTES 262144u            /* of memory, for patterns that go back a lot */
/* How many steps may be taken from one start, for each byte of the text, and at least. */
#define STEPS_EACH 20u
#define LEAST_STEPS 10000000u
#define MOST_STEPS INT32_MAX
/* How many starts are tried before the first poll for Ctrl-C, and how the number grows while that
 * is done in time: some microseconds, and as many nanoseconds as there are bytes left, which
 * PCRE2 may look through for the first byte of a match. */
#define FIRST_REACH ((size_t)256)
#define REACH_GROWS 4
#define IN_TIME 10000000                  /* nanoseconds */
#define SECOND 1000000000

/* The functions of the library; `compile` is NULL if it is not installed. */
static struct {
    pcre2_compile_type *compile;
    pcre2_code_free_type *code_free;
    pcre2_pattern_info_type *pattern_info;
    pcre2_jit_compile_type *jit_compile;
    pcre2_match_type *match;
    pcre2_match_data_create_from_pattern_type *match_data_create;
    pcre2_match_data_free_type *match_data_free;
    pcre2_get_ovector_pointer_type *get_ovector_pointer;
    pcre2_match_context_create_type *match_context_create;
    pcre2_match_context_free_type *match_context_free;
    pcre2_set_match_limit_type *set_match_limit;
    pcre2_set_heap_limit_type *set_heap_limit;
    pcre2_set_offset_limit_type *set_offset_limit;
    pcre2_jit_stack_create_type *jit_stack_create;
    pcre2_jit_stack_free_type *jit_stack_free;
    pcre2_jit_stack_assign_type *jit_stack_assign;
    pcre2_get_error_message_type *get_error_message;
} pcre2;

/* ---- The library --------------------------------------------------------- */

/* C99 has no cast from an object pointer to a function pointer. */
#define TAKE(field, name) \
    do { \
        void *found = dlsym(library, "pcre2_" name "_8"); \
        memcpy(&pcre2.field, &found, sizeof found); \
        is_complete &= found != NULL; \
    } while (0)

static bool take_functions(void *library) {
    bool is_complete = true;
    TAKE(compile, "compile");
    TAKE(code_free, "code_free");
    TAKE(pattern_info, "pattern_info");
    TAKE(jit_compile, "jit_compile");
    TAKE(match, "match");
    TAKE(match_data_create, "match_data_create_from_pattern");
    TAKE(match_data_free, "match_data_free");
    TAKE(get_ovector_pointer, "get_ovector_pointer");
    TAKE(match_context_create, "match_context_create");
    TAKE(match_context_free, "match_context_free");
    TAKE(set_match_limit, "set_match_limit");
    TAKE(set_heap_limit, "set_heap_limit");
    TAKE(set_offset_limit, "set_offset_limit");
    TAKE(jit_stack_create, "jit_stack_create");
    TAKE(jit_stack_free, "jit_stack_free");
    TAKE(jit_stack_assign, "jit_stack_assign");
    TAKE(get_error_message, "get_error_message");
    return is_complete;
}

bool rt_has_patterns(void) {
    static bool is_tried;
    static const char *const names[] = {PCRE2_LIBRARIES};
    if (is_tried) return pcre2.compile != NULL;
    is_tried = true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *library = rt_open_library(names[i]);
        if (library != NULL && take_functions(library)) return true;
    }
    pcre2.compile = NULL;
    return false;
}

/* ---- Compiling ----------------------------------------------------------- */

void rt_free_pattern(rt_pattern *p) {
    if (p->stack != NULL) pcre2.jit_stack_free(p->stack);
    if (p->context != NULL) pcre2.match_context_free(p->context);
    if (p->data != NULL) pcre2.match_data_free(p->data);
    if (p->code != NULL) pcre2.code_free(p->code);
    free(p);
}

/* Only \G and verbs such as (*COMMIT) notice where a search has started. */
static bool may_be_continued(const char *bytes, size_t size) {
    return memmem(bytes, size, "\\G", 2) == NULL && memmem(bytes, size, "(*", 2) == NULL;
}

/* NULL if memory is short.  It takes the code. */
static rt_pattern *new_pattern(pcre2_code *code, bool in_steps) {
    rt_pattern *p = malloc(sizeof *p);
    if (p == NULL) {
        pcre2.code_free(code);
        return NULL;
    }
    *p = (rt_pattern){code, NULL, NULL, NULL, 0, in_steps};
    p->data = pcre2.match_data_create(code, NULL);
    p->context = pcre2.match_context_create(NULL);
    if (p->data == NULL || p->context == NULL) {
        rt_free_pattern(p);
        return NULL;
    }
    pcre2.pattern_info(code, PCRE2_INFO_CAPTURECOUNT, &p->groups);
    pcre2.set_heap_limit(p->context, MOST_KIBIBYTES);
    pcre2.jit_compile(code, PCRE2_JIT_COMPLETE);   /* where it cannot, matching is slower */
    return p;
}

rt_pattern *rt_compile_pattern(const char *bytes, size_t size, rt_pattern_error *error) {
    bool in_steps = may_be_continued(bytes, size);
    uint32_t options = PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C;
    if (in_steps) options |= PCRE2_USE_OFFSET_LIMIT;
    int number = 0;
    error->at = 0;
    error->message[0] = 0;
    pcre2_code *code =
        pcre2.compile((const uint8_t *)bytes, size, options, &number, &error->at, NULL);
    if (code != NULL) return new_pattern(code, in_steps);
    if (error->at > size) error->at = size;
    pcre2.get_error_message(number, (uint8_t *)error->message, sizeof error->message);
    return NULL;
}

rt_group_names rt_names_of(const rt_pattern *p) {
    rt_group_names names = {NULL, 0, 0};
    pcre2.pattern_info(p->code, PCRE2_INFO_NAMECOUNT, &names.count);
    pcre2.pattern_info(p->code, PCRE2_INFO_NAMEENTRYSIZE, &names.size);
    pcre2.pattern_info(p->code, PCRE2_INFO_NAMETABLE, &names.entries);
    return names;
}

/* ---- Searching ----------------------------------------------------------- */

static int64_t nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * SECOND + now.tv_nsec;
}

/* One search, with a larger stack or none where the usual one is too small. */
static int match(
    rt_pattern *p, const unsigned char *bytes, size_t size, size_t from, uint32_t options
) {
    int status = pcre2.match(p->code, bytes, size, from, options, p->data, p->context);
    if (status == PCRE2_ERROR_JIT_STACKLIMIT && p->stack == NULL) {
        p->stack = pcre2.jit_stack_create(FIRST_STACK, LARGEST_STACK, NULL);
        if (p->stack != NULL) {
            pcre2.jit_stack_assign(p->context, NULL, p->stack);
            status = pcre2.match(p->code, bytes, size, from, options, p->data, p->context);
        }
    }
    if (status == PCRE2_ERROR_JIT_STACKLIMIT)
        status = pcre2.match(
            p->code, bytes, size, from, options | PCRE2_NO_JIT, p->data, p->context);
    return status < 0 ? status : RT_MATCHED;   /* not the number of groups */
}

/* The same from further starts, as long as there is no match, with a poll between them.  A short
 * text takes no poll: the caller's loop has its own. */
static int match_in_steps(
    rt_pattern *p, const unsigned char *bytes, size_t size, size_t from, uint32_t options
) {
    size_t reach = FIRST_REACH;
    while (p->in_steps && (options & PCRE2_ANCHORED) == 0 && size - from > reach) {
        int64_t began = nanoseconds();
        size_t last = from + reach;
        while ((bytes[last] & 0xc0) == 0x80) last--;
        pcre2.set_offset_limit(p->context, last);
        int status = match(p, bytes, size, from, options);
        if (status != PCRE2_ERROR_NOMATCH) return status;
        if (rt_poll_interrupt() != 0) return RT_STOPPED;
        if (nanoseconds() - began < IN_TIME + (int64_t)(size - from)) reach *= REACH_GROWS;
        else if (reach > 1) reach /= 2;
        from = last + 1;
        while (from < size && (bytes[from] & 0xc0) == 0x80) from++;
        options &= ~PCRE2_NOTEMPTY_ATSTART;
    }
    if (p->in_steps) pcre2.set_offset_limit(p->context, PCRE2_UNSET);
    return match(p, bytes, size, from, options);
}

int rt_search_pattern(
    rt_pattern *p, const unsigned char *bytes, size_t size, size_t from, int flags
) {
    uint32_t options = PCRE2_NO_UTF_CHECK;
    if ((flags & RT_WHOLE_MATCH) != 0) options |= PCRE2_ANCHORED | PCRE2_ENDANCHORED;
    if ((flags & RT_NOT_EMPTY_MATCH) != 0) options |= PCRE2_NOTEMPTY_ATSTART;
    size_t steps = size < MOST_STEPS / STEPS_EACH ? size * STEPS_EACH : MOST_STEPS;
    pcre2.set_match_limit(p->context, steps < LEAST_STEPS ? LEAST_STEPS : (uint32_t)steps);
    int status = match_in_steps(p, bytes, size, from, options);
    if (status < 0 || status == RT_STOPPED) return status;
    const size_t *offsets = rt_offsets_of(p);
    return offsets[0] > offsets[1] ? RT_BACKWARD : RT_MATCHED;
}

const size_t *rt_offsets_of(const rt_pattern *p) { return pcre2.get_ovector_pointer(p->data); }

size_t rt_count_characters(const unsigned char *bytes, size_t from, size_t to) {
    size_t count = 0;
    for (size_t i = from; i < to; i++) count += (bytes[i] & 0xc0) != 0x80;
    return count;
}

int rt_next_match(rt_matches *m) {
    int status = rt_search_pattern(m->pattern, m->bytes, m->size, m->byte, m->flags);
    if (status != RT_MATCHED) return status;
    const size_t *offsets = rt_offsets_of(m->pattern);
    m->flags = offsets[0] == offsets[1] ? RT_NOT_EMPTY_MATCH : 0;
    m->byte = offsets[1];
    return RT_MATCHED;
}

int rt_divide_text(rt_matches *m, int64_t parts, rt_take_part *take, void *taker) {
    bool matched = (parts & RT_MATCHED_PARTS) != 0, others = (parts & RT_OTHER_PARTS) != 0;
    bool counts_empty = (parts & RT_EMPTY_MATCHES) != 0, has_any = false;
    size_t at = 0;
    for (;;) {
        int status = rt_next_match(m);
        if (status == RT_NO_MATCH) break;
        if (status != RT_MATCHED) return status;
        const size_t *offsets = rt_offsets_of(m->pattern);
        size_t from = offsets[0], to = offsets[1];
        if (rt_poll_between_matches() != 0) return RT_STOPPED;   /* it may let others search */
        if (from == to && !counts_empty) continue;
        if (from < at) return RT_BACKWARD;
        if (!take(taker, from, others) || !take(taker, to, matched)) return RT_STOPPED;
        at = to;
        has_any |= matched || others;
    }
    bool is_part = others && (at < m->size || !has_any || !matched);
    return take(taker, m->size, is_part) ? RT_NO_MATCH : RT_STOPPED;
}
