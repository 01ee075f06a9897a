/* sort.c - sorting vectors of numbers or strings in the usual orders, stably.
 *
 * Each element gets a key, an integer that is never in the other order than the elements:
 *
 *     3 => its word        1.5 => its bits        "abc" => its first bytes
 *
 * Runs of a few keys are sorted by insertion, and merged from one array into another.  Strings with
 * the same key are compared whole.  The library (stdlib/language/sort.lisp) sorts other vectors, by
 * calls of the order.
 */
#include "rt_internal.h"

#include <stdlib.h>

/* The orders, as in the library. */
enum { LESS, GREATER, STRING_LESS, STRING_GREATER };

#define SHORT_RUN 8
#define LONG_RUN 4096   /* elements, after which Ctrl-C is let in */
#define SIGN ((uint64_t)1 << 63)

/* item: the element, of which the vector keeps the reference; of a vector of doubles, its bits. */
typedef struct { uint64_t key; rt_value item; } entry;

/* ---- Keys ---------------------------------------------------------------- */

static uint64_t key_of_double(double number) {
    uint64_t bits;
    number += 0.0;   /* -0.0 is equal to 0.0 */
    memcpy(&bits, &number, sizeof bits);
    return bits & SIGN ? ~bits : bits | SIGN;
}

/* The first bytes of a string if all strings are ASCII, else its first two characters. */
static uint64_t key_of_string(const rt_string_object *string, bool ascii) {
    size_t most = ascii ? sizeof(uint64_t) : 2, width = 64 / most;
    uint64_t key = 0;
    for (size_t i = 0; i < most; i++)
        key = key << width | (i < string->length ? rt_string_at(string, i) : 0);
    return key;
}

static bool are_strings(const rt_value *items, size_t count, bool *ascii) {
    *ascii = true;
    for (size_t i = 0; i < count; i++) {
        if (!rt_is_string(items[i])) return false;
        *ascii &= rt_string_of(items[i])->object.extra == 1;
    }
    return true;
}

/* Fills in the entries of a vector; false if it is not plain. */
static bool fill_in(entry *entries, const rt_vector_object *vector, bool strings) {
    size_t count = vector->length;
    const rt_value *items = vector->items;
    bool ascii;
    if (strings) {
        if (!are_strings(items, count, &ascii)) return false;
        for (size_t i = 0; i < count; i++)
            entries[i] = (entry){key_of_string(rt_string_of(items[i]), ascii), items[i]};
        return true;
    }
    bool doubles = count > 0 && rt_is_double(items[0]);
    for (size_t i = 0; i < count; i++) {
        if (doubles ? !rt_is_double(items[i]) : !rt_is_fixnum(items[i])) return false;
        if (doubles && rt_double(items[i]) != rt_double(items[i])) return false;
        entries[i].key = doubles ? key_of_double(rt_double(items[i])) : items[i] ^ SIGN;
        entries[i].item = items[i];
    }
    return true;
}

/* The same for a vector of doubles without tags. */
static bool fill_in_doubles(entry *entries, const rt_doubles_object *vector) {
    for (size_t i = 0; i < vector->length; i++) {
        double number = vector->items[i];
        if (number != number) return false;
        entries[i].key = key_of_double(number);
        memcpy(&entries[i].item, &number, sizeof number);
    }
    return true;
}

/* ---- Merging --------------------------------------------------------------- */

static inline bool is_before(const entry *a, const entry *b, bool strings, bool down) {
    if (a->key != b->key || !strings) return down ? a->key > b->key : a->key < b->key;
    int order = rt_string_order(a->item, b->item);
    return down ? order > 0 : order < 0;
}

static inline void insert_all(entry *to, size_t count, bool strings, bool down) {
    for (size_t i = 1; i < count; i++) {
        entry x = to[i];
        size_t k = i;
        for (; k > 0 && is_before(&x, &to[k - 1], strings, down); k--) to[k] = to[k - 1];
        to[k] = x;
    }
}

static inline void merge(const entry *from, entry *to, size_t middle, size_t count, bool strings,
                         bool down) {
    if (!is_before(&from[middle], &from[middle - 1], strings, down)) {   /* they are in order */
        memcpy(to, from, count * sizeof *to);
        return;
    }
    const entry *left = from, *right = from + middle, *end = from + count;
    while (left < from + middle && right < end) {
        bool from_right = is_before(right, left, strings, down);
        *to++ = from_right ? *right : *left;
        right += from_right;
        left += !from_right;
    }
    memcpy(to, left, (size_t)(from + middle - left) * sizeof *to);
    memcpy(to + (from + middle - left), right, (size_t)(end - right) * sizeof *to);
}

/* Sorts into `to`; `from` has the same entries, and is overwritten.  false after Ctrl-C. */
#define SORTER(name, strings, down)                                                          \
    static bool name(entry *from, entry *to, size_t count) {                                  \
        if (count <= SHORT_RUN) {                                                             \
            insert_all(to, count, strings, down);                                             \
            return true;                                                                      \
        }                                                                                     \
        size_t middle = count / 2;                                                            \
        if (!name(to, from, middle) || !name(to + middle, from + middle, count - middle))     \
            return false;                                                                     \
        merge(from, to, middle, count, strings, down);                                        \
        return count < LONG_RUN || rt_poll() == 0;                                            \
    }
SORTER(sort_up, false, false)
SORTER(sort_down, false, true)
SORTER(sort_strings_up, true, false)
SORTER(sort_strings_down, true, true)

static bool sort_entries(entry *from, entry *to, size_t count, int64_t order) {
    switch (order) {
    case LESS: return sort_up(from, to, count);
    case GREATER: return sort_down(from, to, count);
    case STRING_LESS: return sort_strings_up(from, to, count);
    default: return sort_strings_down(from, to, count);
    }
}

/* ---- The primitive ----------------------------------------------------------- */

/* The words of both kinds of vectors have one size. */
static void store(rt_vector_object *vector, const entry *entries) {
    for (size_t i = 0; i < vector->length; i++) vector->items[i] = entries[i].item;
}

int rt_sort_plain(rt_value items, rt_value order, bool *result) {
    RT_CHECK_STATUS(rt_is_vector(items), "sort!", "a vector", items);
    rt_vector_object *vector = (rt_vector_object *)rt_object_of(items);
    size_t count = vector->length;
    int64_t number = rt_fixnum(order);
    bool strings = number == STRING_LESS || number == STRING_GREATER;
    *result = false;
    if (strings && rt_is_doubles(items)) return 0;
    entry *entries = rt_try_realloc(NULL, (2 * count + 1) * sizeof *entries);
    if (entries == NULL) return 0;   /* the library needs less memory */
    bool plain = rt_is_doubles(items) ? fill_in_doubles(entries, rt_doubles_of(items))
                                      : fill_in(entries, vector, strings);
    bool failed = false;
    if (plain) {
        memcpy(entries + count, entries, count * sizeof *entries);
        failed = !sort_entries(entries + count, entries, count, number);
        if (!failed) store(vector, entries);
    }
    free(entries);
    *result = plain;
    return failed;
}
