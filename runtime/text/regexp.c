/* regexp.c - regular expressions, through PCRE2, which is loaded at the first one.
 *
 * PCRE2 counts bytes of UTF-8, Lisp counts characters.  A text of ASCII is searched as it is; any
 * other one is converted once, and then searched as often as the program likes.  The positions of a
 * match are counted from those of the search's start, so all matches of a text together take one
 * walk over it.
 *
 * The library's procedures in stdlib/regexp/ make the messages: PCRE2's own codes are results here.
 */
#define _GNU_SOURCE   /* clock_gettime, memmem */
#include "rt_internal.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "text/pcre2_abi.h"

#define MESSAGE_ROOM 256
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
#define INTERRUPTED 1                     /* among PCRE2's codes, which are negative */

/* Options of a search, as the library passes them. */
#define WHOLE 1                           /* the match must be the whole text */
#define NOT_EMPTY 2                       /* no empty match at the start */

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

/* stack: NULL until a search needs it.  in_steps: whether a search may be continued from another
 * start with the same result. */
typedef struct regexp {
    pcre2_code *code;
    pcre2_match_data *data;
    pcre2_match_context *context;
    pcre2_jit_stack *stack;
    uint32_t groups;
    bool in_steps;
} regexp;

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

static bool is_loaded(void) {
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

static void free_regexp(void *thing) {
    regexp *r = thing;
    if (r->stack != NULL) pcre2.jit_stack_free(r->stack);
    if (r->context != NULL) pcre2.match_context_free(r->context);
    if (r->data != NULL) pcre2.match_data_free(r->data);
    if (r->code != NULL) pcre2.code_free(r->code);
    free(r);
}

static const char *text_of_regexp(void *thing) {
    (void)thing;
    return "#<compiled regexp>";
}

static const rt_foreign_kind regexp_kind = {free_regexp, text_of_regexp};

/* NULL if the value is not a compiled regular expression. */
static regexp *regexp_of(rt_value v) {
    bool is_one = rt_is_foreign(v) && rt_foreign_of(v)->kind == &regexp_kind;
    return is_one ? rt_foreign_of(v)->thing : NULL;
}

/* Where a byte stands, in characters. */
static size_t count_characters(const unsigned char *bytes, size_t from, size_t to) {
    size_t count = 0;
    for (size_t i = from; i < to; i++) count += (bytes[i] & 0xc0) != 0x80;
    return count;
}

/* The code points of a string as UTF-8, also those that stand for bytes that are not UTF-8. */
static void add_utf8(rt_text *text, const rt_string_object *string, size_t from, size_t to) {
    for (size_t i = from; i < to; i++) {
        uint32_t code = rt_string_at(string, i);
        if (code >= 0xd800 && code < 0xe000) {
            char bytes[] = {(char)0xed, (char)(0x80 | (code >> 6 & 0x3f)),
                            (char)(0x80 | (code & 0x3f))};
            rt_text_add(text, bytes, sizeof bytes);
        } else {
            rt_text_char(text, code);
        }
    }
}

/* (index . message) for a pattern that is wrong at a byte. */
static rt_value pattern_error(const rt_text *pattern, size_t at, int code) {
    uint8_t message[MESSAGE_ROOM] = "";
    pcre2.get_error_message(code, message, sizeof message);
    if (at > pattern->size) at = pattern->size;
    const unsigned char *bytes = (const unsigned char *)pattern->bytes;
    rt_value text = rt_string_of_utf8((const char *)message, strlen((const char *)message));
    if (text == RT_ERROR) return RT_ERROR;
    return rt_cons(rt_of_fixnum((int64_t)count_characters(bytes, 0, at)), text);
}

/* Only \G and verbs such as (*COMMIT) notice where a search has started. */
static bool may_be_continued(const rt_text *pattern) {
    return memmem(pattern->bytes, pattern->size, "\\G", 2) == NULL &&
           memmem(pattern->bytes, pattern->size, "(*", 2) == NULL;
}

static rt_value new_regexp(pcre2_code *code, bool in_steps) {
    regexp *r = rt_malloc(sizeof *r);
    *r = (regexp){code, NULL, NULL, NULL, 0, in_steps};
    r->data = pcre2.match_data_create(code, NULL);
    r->context = pcre2.match_context_create(NULL);
    if (r->data == NULL || r->context == NULL) {
        free_regexp(r);
        return rt_fail_memory();
    }
    pcre2.pattern_info(code, PCRE2_INFO_CAPTURECOUNT, &r->groups);
    pcre2.set_heap_limit(r->context, MOST_KIBIBYTES);
    pcre2.jit_compile(code, PCRE2_JIT_COMPLETE);   /* where it cannot, matching is slower */
    return rt_new_foreign(&regexp_kind, r);
}

/* A compiled regular expression, (index . message) for a pattern that is wrong, or #f if PCRE2 is
 * not installed. */
rt_value rt_regexp_compile(rt_value pattern) {
    RT_CHECK(rt_is_string(pattern), "regexp", "a string", pattern);
    if (!is_loaded()) return RT_FALSE;
    rt_text text = {NULL, 0, 0};
    rt_text_add(&text, "", 0);
    add_utf8(&text, rt_string_of(pattern), 0, rt_string_of(pattern)->length);
    if (rt_text_is_lost(&text)) return rt_fail_memory();
    bool in_steps = may_be_continued(&text);
    uint32_t options = PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C;
    if (in_steps) options |= PCRE2_USE_OFFSET_LIMIT;
    int error = 0;
    size_t at = 0;
    pcre2_code *code =
        pcre2.compile((const uint8_t *)text.bytes, text.size, options, &error, &at, NULL);
    rt_value result = code != NULL ? new_regexp(code, in_steps) : pattern_error(&text, at, error);
    rt_text_free(&text);
    return result;
}

/* The number of groups, and (name . number) for each that has a name. */
rt_value rt_regexp_groups(rt_value compiled) {
    regexp *r = regexp_of(compiled);
    RT_CHECK(r != NULL, "regexp", "a compiled regexp", compiled);
    uint32_t count = 0, size = 0;
    const unsigned char *entry = NULL;
    pcre2.pattern_info(r->code, PCRE2_INFO_NAMECOUNT, &count);
    pcre2.pattern_info(r->code, PCRE2_INFO_NAMEENTRYSIZE, &size);
    pcre2.pattern_info(r->code, PCRE2_INFO_NAMETABLE, &entry);
    rt_value names = RT_NIL;
    for (uint32_t i = 0; i < count; i++, entry += size) {
        rt_value name = rt_intern((const char *)entry + 2);   /* after the number, in two bytes */
        names = rt_cons(rt_cons(name, rt_of_fixnum(entry[0] << 8 | entry[1])), names);
    }
    return rt_cons(rt_of_fixnum(r->groups), names);
}

/* ---- Searching ----------------------------------------------------------- */

/* A part of a text as a search takes it: a string of ASCII, or UTF-8. */
rt_value rt_regexp_subject(rt_value text, rt_value start, rt_value end) {
    RT_CHECK(rt_is_string(text), "regexp-search", "a string", text);
    const rt_string_object *string = rt_string_of(text);
    size_t from, to;
    if (!rt_range_of("regexp-search", start, end, string->length, &from, &to)) return RT_ERROR;
    if (string->object.extra == 1) {
        if (from == 0 && to == string->length) return rt_dup(text);
        return rt_string_copy(text, start, end);
    }
    rt_text utf8 = {NULL, 0, 0};
    add_utf8(&utf8, string, from, to);
    bool is_lost = rt_text_is_lost(&utf8);
    rt_value result = is_lost ? rt_fail_memory() : rt_new_bytes(utf8.size, utf8.bytes);
    rt_text_free(&utf8);
    return result;
}

static int64_t nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * SECOND + now.tv_nsec;
}

/* One search, with a larger stack or none where the usual one is too small. */
static int match(
    regexp *r, const unsigned char *bytes, size_t size, size_t from, uint32_t options
) {
    int status = pcre2.match(r->code, bytes, size, from, options, r->data, r->context);
    if (status == PCRE2_ERROR_JIT_STACKLIMIT && r->stack == NULL) {
        r->stack = pcre2.jit_stack_create(FIRST_STACK, LARGEST_STACK, NULL);
        if (r->stack != NULL) {
            pcre2.jit_stack_assign(r->context, NULL, r->stack);
            status = pcre2.match(r->code, bytes, size, from, options, r->data, r->context);
        }
    }
    if (status != PCRE2_ERROR_JIT_STACKLIMIT) return status;
    return pcre2.match(
        r->code, bytes, size, from, options | PCRE2_NO_JIT, r->data, r->context);
}

/* The same from further starts, as long as there is no match, with a poll between them.  The result
 * is negative for an error, of which PCRE2_ERROR_NOMATCH is one; INTERRUPTED; or 0. */
static int search(
    regexp *r, const unsigned char *bytes, size_t size, size_t from, uint32_t options
) {
    size_t reach = FIRST_REACH;
    while (r->in_steps && (options & PCRE2_ANCHORED) == 0 && size - from > reach) {
        int64_t began = nanoseconds();
        size_t last = from + reach;
        while ((bytes[last] & 0xc0) == 0x80) last--;
        pcre2.set_offset_limit(r->context, last);
        int status = match(r, bytes, size, from, options);
        if (rt_poll_interrupt() != 0) return INTERRUPTED;
        if (status != PCRE2_ERROR_NOMATCH) return status < 0 ? status : 0;
        if (nanoseconds() - began < IN_TIME + (int64_t)(size - from)) reach *= REACH_GROWS;
        else if (reach > 1) reach /= 2;
        from = last + 1;
        while (from < size && (bytes[from] & 0xc0) == 0x80) from++;
        options &= ~PCRE2_NOTEMPTY_ATSTART;
    }
    if (r->in_steps) pcre2.set_offset_limit(r->context, PCRE2_UNSET);
    int status = match(r, bytes, size, from, options);
    if (rt_poll_interrupt() != 0) return INTERRUPTED;
    return status < 0 ? status : 0;
}

/* The positions in characters: the walk goes from each to the next, wherever that is. */
static rt_value positions(
    const regexp *r, const unsigned char *bytes, bool is_ascii, size_t byte, size_t character
) {
    const size_t *offsets = pcre2.get_ovector_pointer(r->data);
    size_t count = 2 * ((size_t)r->groups + 1);
    rt_value result = rt_make_vector(rt_of_fixnum((int64_t)count + 1), RT_FALSE);
    if (result == RT_ERROR) return RT_ERROR;
    rt_value *items = rt_vector_of(result)->items;
    items[count] = rt_of_fixnum((int64_t)offsets[1]);
    for (size_t i = 0; i < count; i++) {
        size_t to = offsets[i];
        if (to == PCRE2_UNSET) continue;
        if (is_ascii) character = to;
        else if (to >= byte) character += count_characters(bytes, byte, to);
        else character -= count_characters(bytes, to, byte);
        byte = to;
        items[i] = rt_of_fixnum((int64_t)character);
    }
    return result;
}

/* The first match from a byte on, which is a character of that number: #f, the code of an error, or
 * a vector.  It has the start and the end of the match and of each group, in characters or #f, and
 * last the end of the match in bytes. */
rt_value rt_regexp_match(
    rt_value compiled, rt_value subject, rt_value byte, rt_value character, rt_value flags
) {
    const char *who = "regexp-search";
    regexp *r = regexp_of(compiled);
    RT_CHECK(r != NULL, who, "a compiled regexp", compiled);
    bool is_ascii = rt_is_string(subject) && rt_string_of(subject)->object.extra == 1;
    RT_CHECK(is_ascii || rt_is_bytes(subject), who, "a subject", subject);
    size_t size = is_ascii ? rt_string_of(subject)->length : rt_bytes_of(subject)->length;
    const unsigned char *bytes =
        is_ascii ? rt_string_of(subject)->data : rt_bytes_of(subject)->data;
    RT_CHECK(rt_is_fixnum(byte) && (uint64_t)rt_fixnum(byte) <= size, who, "an index", byte);
    RT_CHECK(rt_is_fixnum(character), who, "an index", character);
    RT_CHECK(rt_is_fixnum(flags), who, "an index", flags);
    uint32_t options = PCRE2_NO_UTF_CHECK;
    if ((rt_fixnum(flags) & WHOLE) != 0) options |= PCRE2_ANCHORED | PCRE2_ENDANCHORED;
    if ((rt_fixnum(flags) & NOT_EMPTY) != 0) options |= PCRE2_NOTEMPTY_ATSTART;
    size_t steps = size < MOST_STEPS / STEPS_EACH ? size * STEPS_EACH : MOST_STEPS;
    pcre2.set_match_limit(r->context, steps < LEAST_STEPS ? LEAST_STEPS : (uint32_t)steps);
    size_t from = (size_t)rt_fixnum(byte);
    int status = search(r, bytes, size, from, options);
    if (status == INTERRUPTED) return RT_ERROR;
    if (status == PCRE2_ERROR_NOMATCH) return RT_FALSE;
    if (status < 0) return rt_of_fixnum(status);
    return positions(r, bytes, is_ascii, from, (size_t)rt_fixnum(character));
}
