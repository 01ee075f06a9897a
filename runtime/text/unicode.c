/* unicode.c - properties and case mappings of characters.  The tables are of one edition of
 * Unicode; the interpreter reads the same file.
 */
#include "rt_internal.h"

typedef struct run { uint32_t first; uint16_t reach, step; } run;
typedef struct mapping { uint32_t first; uint16_t reach, step; int32_t difference; } mapping;
typedef struct expansion { uint32_t code, to[RT_LONGEST_EXPANSION]; } expansion;

#include "text/unicode_tables.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))
#define IN(table, code) in_runs(table, COUNT(table), code)
#define MAPPED(table, code) mapped(table, COUNT(table), code)
#define EXPANDED(table, code, to) expanded(table, COUNT(table), code, to)

static bool in_run(uint32_t first, uint16_t reach, uint16_t step, uint32_t code) {
    return code >= first && code - first <= reach && (code - first) % step == 0;
}

/* The last run that begins at or before the code; NULL if none does. */
static const run *run_before(const run *runs, size_t count, uint32_t code) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (runs[middle].first <= code) low = middle + 1;
        else high = middle;
    }
    return low == 0 ? NULL : &runs[low - 1];
}

static bool in_runs(const run *runs, size_t count, uint32_t code) {
    const run *found = run_before(runs, count, code);
    return found != NULL && in_run(found->first, found->reach, found->step, code);
}

static uint32_t mapped(const mapping *mappings, size_t count, uint32_t code) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (mappings[middle].first <= code) low = middle + 1;
        else high = middle;
    }
    if (low == 0) return code;
    const mapping *found = &mappings[low - 1];
    bool inside = in_run(found->first, found->reach, found->step, code);
    return inside ? (uint32_t)((int32_t)code + found->difference) : code;
}

/* Write the characters that the code expands to; returns their number, 0 if it does not expand. */
static int expanded(const expansion *expansions, size_t count, uint32_t code, uint32_t *to) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (expansions[middle].code < code) low = middle + 1;
        else high = middle;
    }
    if (low == count || expansions[low].code != code) return 0;
    int size = 0;
    while (size < RT_LONGEST_EXPANSION && expansions[low].to[size] != 0) {
        to[size] = expansions[low].to[size];
        size++;
    }
    return size;
}

/* ---- Properties ---------------------------------------------------------- */

static bool between(uint32_t code, char first, char last) {
    return code >= (unsigned char)first && code <= (unsigned char)last;
}

bool rt_is_alphabetic(uint32_t code) {
    if (code < 0x80) return between(code | 0x20, 'a', 'z');
    return IN(alphabetic, code);
}

bool rt_is_upper(uint32_t code) {
    return code < 0x80 ? between(code, 'A', 'Z') : IN(upper, code);
}

bool rt_is_lower(uint32_t code) {
    return code < 0x80 ? between(code, 'a', 'z') : IN(lower, code);
}

/* Unicode's White_Space. */
bool rt_is_white(uint32_t code) {
    if (code <= ' ') return code == ' ' || (code >= '\t' && code <= '\r');
    return code == 0x85 || code == 0xa0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200a) ||
           code == 0x2028 || code == 0x2029 || code == 0x202f || code == 0x205f || code == 0x3000;
}

int rt_decimal_value(uint32_t code) {
    if (code < 0x80) return between(code, '0', '9') ? (int)code - '0' : -1;
    const run *digits = run_before(decimal, COUNT(decimal), code);
    bool inside = digits != NULL && code - digits->first <= digits->reach;
    return inside ? (int)(code - digits->first) : -1;
}

bool rt_is_cased(uint32_t code) {
    return rt_is_lower(code) || rt_is_upper(code) || IN(title, code);
}

bool rt_is_case_ignorable(uint32_t code) { return IN(ignorable, code); }

/* ---- Cases --------------------------------------------------------------- */

uint32_t rt_upcase(uint32_t code) {
    if (code < 0x80) return between(code, 'a', 'z') ? code - 0x20 : code;
    return MAPPED(upcase, code);
}

uint32_t rt_downcase(uint32_t code) {
    if (code < 0x80) return between(code, 'A', 'Z') ? code + 0x20 : code;
    return MAPPED(downcase, code);
}

uint32_t rt_foldcase(uint32_t code) {
    if (code < 0x80) return rt_downcase(code);
    return MAPPED(foldcase, code);
}

static int one(uint32_t code, uint32_t *to) {
    to[0] = code;
    return 1;
}

int rt_upcase_fully(uint32_t code, uint32_t *to) {
    int size = code < 0x80 ? 0 : EXPANDED(upcase_expansions, code, to);
    return size > 0 ? size : one(rt_upcase(code), to);
}

/* Only the capital I with a dot expands: to an i, and the dot. */
int rt_downcase_fully(uint32_t code, uint32_t *to) {
    one(rt_downcase(code), to);
    if (code != 0x130) return 1;
    to[1] = 0x307;
    return 2;
}

int rt_foldcase_fully(uint32_t code, uint32_t *to) {
    int size = code < 0x80 ? 0 : EXPANDED(foldcase_expansions, code, to);
    return size > 0 ? size : one(rt_foldcase(code), to);
}

/* ---- All characters of a property ---------------------------------------- */

static void write_runs(rt_vector_object *vector, const run *runs) {
    for (size_t i = 0; i < vector->length / 3; i++) {
        vector->items[3 * i] = rt_of_fixnum(runs[i].first);
        vector->items[3 * i + 1] = rt_of_fixnum(runs[i].reach);
        vector->items[3 * i + 2] = rt_of_fixnum(runs[i].step);
    }
}

/* A vector of the numbers of a table of runs; %property-runs in lang/primitives has their order. */
rt_value rt_property_runs(rt_value property) {
    static const struct { const run *runs; size_t count; } tables[] = {
        {letter, COUNT(letter)}, {mark, COUNT(mark)}, {number, COUNT(number)},
        {punctuation, COUNT(punctuation)}, {symbol, COUNT(symbol)}, {upper, COUNT(upper)},
        {lower, COUNT(lower)}, {title, COUNT(title)}, {decimal, COUNT(decimal)},
    };
    bool exists = rt_is_fixnum(property) && rt_fixnum(property) >= 0 &&
                  (size_t)rt_fixnum(property) < COUNT(tables);
    RT_CHECK(exists, "%property-runs", "the number of a property", property);
    size_t which = (size_t)rt_fixnum(property);
    rt_value size = rt_of_fixnum((int64_t)(3 * tables[which].count));
    rt_value vector = rt_make_vector(size, rt_of_fixnum(0));
    if (vector != RT_ERROR) write_runs(rt_vector_of(vector), tables[which].runs);
    return vector;
}
