/* pattern.h - searching bytes with PCRE2, which is loaded at the first pattern.
 *
 * It knows no Lisp values: the runtime uses it, and the interpreter's C module (lang/interp/native/).
 * Either defines the two functions at the end. */
#ifndef PATTERN_H
#define PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pcre2_abi.h"

/* A compiled pattern.  stack: NULL until a search needs it.  in_steps: whether a search may be
 * continued from another start with the same result. */
typedef struct rt_pattern {
    pcre2_code *code;
    pcre2_match_data *data;
    pcre2_match_context *context;
    pcre2_jit_stack *stack;
    uint32_t groups;
    bool in_steps;
} rt_pattern;

/* What is wrong with a pattern, and at which byte; `message` is empty if memory is short. */
typedef struct rt_pattern_error {
    size_t at;
    char message[256];
} rt_pattern_error;

bool rt_has_patterns(void);   /* whether PCRE2 is installed */
rt_pattern *rt_compile_pattern(const char *bytes, size_t size, rt_pattern_error *error);
void rt_free_pattern(rt_pattern *pattern);

/* The names of groups: `count` entries of `size` bytes, a number in two and then the name. */
typedef struct rt_group_names {
    const unsigned char *entries;
    uint32_t count, size;
} rt_group_names;

rt_group_names rt_names_of(const rt_pattern *pattern);

/* Options of a search, as the library passes them. */
enum {
    RT_WHOLE_MATCH = 1,       /* the match must be the whole text */
    RT_NOT_EMPTY_MATCH = 2    /* no empty match at the start */
};

/* The first match from a byte on.  One of these, or one of PCRE2's codes for errors, which are
 * less.  After RT_STOPPED, rt_poll_interrupt has noted the error. */
enum { RT_MATCHED = 0, RT_STOPPED = 1, RT_BACKWARD = 2, RT_NO_MATCH = PCRE2_ERROR_NOMATCH };

int rt_search_pattern(
    rt_pattern *pattern, const unsigned char *bytes, size_t size, size_t from, int flags);

/* After RT_MATCHED, the start and the end of the match and of each group, in bytes, or PCRE2_UNSET.
 * They are valid until the next search. */
const size_t *rt_offsets_of(const rt_pattern *pattern);

/* The characters of a part of UTF-8. */
size_t rt_count_characters(const unsigned char *bytes, size_t from, size_t to);

/* All matches of a text, one after another: after a match, the search goes on at its end; after an
 * empty one with the first that is not empty there. */
typedef struct rt_matches {
    rt_pattern *pattern;
    const unsigned char *bytes;
    size_t size, byte;
    int flags;
} rt_matches;

int rt_next_match(rt_matches *matches);   /* as rt_search_pattern */

/* What a divided text consists of, as the library passes it. */
enum {
    RT_MATCHED_PARTS = 1,
    RT_OTHER_PARTS = 2,       /* between matches and at the ends; none that is empty at the end if
                               * it has matched ones, too */
    RT_EMPTY_MATCHES = 4      /* count as matches */
};

/* Takes the text from where it ended the last time up to a byte, as a part if it is one.  False
 * after an error. */
typedef bool rt_take_part(void *taker, size_t to, bool is_part);

/* Divide a text, whose matches have not been looked for: as rt_search_pattern, RT_NO_MATCH once all
 * parts are taken, RT_STOPPED also after an error of `take`. */
int rt_divide_text(rt_matches *matches, int64_t parts, rt_take_part *take, void *taker);

/* What the user of this file defines. */
void *rt_open_library(const char *name);
int rt_poll_interrupt(void);              /* nonzero, with an error, after Ctrl-C */
int rt_poll_between_matches(void);        /* the same, called often */

#endif
