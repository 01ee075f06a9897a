/* string.c - strings as objects: one byte a character while all are ASCII, else four.
 *
 * Strings are narrow whenever possible, so equal strings have equal bytes, and access by index
 * takes one step.  UTF-8 is used only in files, in C literals, and in messages.
 */
#define _GNU_SOURCE   /* memmem */
#include "rt_internal.h"

#include <stdlib.h>

rt_value rt_new_string(size_t length, int width) {
    size_t end = width == 1 ? 1 : 0;   /* the NUL */
    rt_string_object *string =
        rt_try_allocate(RT_STRING, sizeof *string + length * (size_t)width + end);
    if (string == NULL) return rt_fail_memory();
    string->object.extra = (uint16_t)width;
    string->length = length;
    if (width == 1) string->data[length] = '\0';
    return rt_of_object(string);
}

static void put(rt_string_object *string, size_t index, uint32_t code) {
    if (string->object.extra == 1) string->data[index] = (unsigned char)code;
    else memcpy(string->data + 4 * index, &code, sizeof code);
}

/* ---- To and from UTF-8 --------------------------------------------------- */

bool rt_are_ascii(const char *bytes, size_t size) {
    uint64_t all = 0, word;
    size_t at = 0;
    for (; at + sizeof word <= size; at += sizeof word) {
        memcpy(&word, bytes + at, sizeof word);
        all |= word;
    }
    for (; at < size; at++) all |= (unsigned char)bytes[at];
    return (all & UINT64_C(0x8080808080808080)) == 0;
}

rt_value rt_string_of_utf8(const char *bytes, size_t size) {
    const char *end = bytes + size;
    bool ascii = rt_are_ascii(bytes, size);
    size_t length = ascii ? size : 0;
    for (const char *at = bytes; at < end && !ascii; length++) rt_utf8_next(&at, end);
    rt_value result = rt_new_string(length, ascii ? 1 : 4);
    if (result == RT_ERROR) return RT_ERROR;
    if (ascii) {
        memcpy(rt_string_of(result)->data, bytes, size);
    } else {
        const char *at = bytes;
        for (size_t i = 0; i < length; i++) put(rt_string_of(result), i, rt_utf8_next(&at, end));
    }
    return result;
}

rt_value rt_string_of_text(rt_text *text) {
    bool lost = rt_text_is_lost(text);
    rt_value result = lost ? rt_fail_memory()
                           : rt_string_of_utf8(text->size ? text->bytes : "", text->size);
    rt_text_free(text);
    return result;
}

void rt_text_lisp_string(rt_text *text, rt_value v) {
    const rt_string_object *string = rt_string_of(v);
    if (string->object.extra == 1) {
        rt_text_add(text, (const char *)string->data, string->length);
    } else {
        for (size_t i = 0; i < string->length; i++) rt_text_char(text, rt_string_at(string, i));
    }
}

char *rt_string_to_c(rt_value string) {
    rt_text text = {NULL, 0, 0};
    rt_text_add(&text, "", 0);
    rt_text_lisp_string(&text, string);
    char *result = rt_c_string(text.bytes, text.size);
    rt_text_free(&text);
    return result;
}

bool rt_holds_nul(rt_value text) {
    if (!rt_is_string(text))
        return memchr(rt_symbol_of(text)->text, '\0', rt_symbol_of(text)->size) != NULL;
    const rt_string_object *string = rt_string_of(text);
    for (size_t i = 0; i < string->length; i++)
        if (rt_string_at(string, i) == 0) return true;
    return false;
}

/* ---- Parts and sums ------------------------------------------------------ */

/* The characters from start up to but without end. */
static rt_value slice(const rt_string_object *string, size_t start, size_t end) {
    bool ascii = true;
    if (string->object.extra != 1)
        for (size_t i = start; i < end; i++) ascii &= rt_string_at(string, i) < 0x80;
    rt_value result = rt_new_string(end - start, ascii ? 1 : 4);
    if (result == RT_ERROR) return RT_ERROR;
    size_t width = string->object.extra;
    if (width == rt_string_of(result)->object.extra) {
        memcpy(rt_string_of(result)->data, string->data + width * start, width * (end - start));
    } else {
        for (size_t i = start; i < end; i++)
            put(rt_string_of(result), i - start, rt_string_at(string, i));
    }
    return result;
}

/* As memcpy, whose call takes longer than to copy a word or two.  The first and the last part may
 * overlap. */
static inline void copy_bytes(unsigned char *to, const unsigned char *from, size_t size) {
    uint64_t first, last;
    uint32_t half, end;
    if (size > 2 * sizeof first) {
        memcpy(to, from, size);
    } else if (size >= sizeof first) {
        memcpy(&first, from, sizeof first);
        memcpy(&last, from + size - sizeof last, sizeof last);
        memcpy(to, &first, sizeof first);
        memcpy(to + size - sizeof last, &last, sizeof last);
    } else if (size >= sizeof half) {
        memcpy(&half, from, sizeof half);
        memcpy(&end, from + size - sizeof end, sizeof end);
        memcpy(to, &half, sizeof half);
        memcpy(to + size - sizeof end, &end, sizeof end);
    } else {
        for (size_t i = 0; i < size; i++) to[i] = from[i];
    }
}

static void copy_into(rt_string_object *target, size_t at, const rt_string_object *source) {
    if (target->object.extra == 1) {
        copy_bytes(target->data + at, source->data, source->length);
    } else if (target->object.extra == source->object.extra) {
        size_t width = target->object.extra;
        memcpy(target->data + width * at, source->data, width * source->length);
    } else {
        for (size_t i = 0; i < source->length; i++) put(target, at + i, rt_string_at(source, i));
    }
}

/* The string among who's arguments, and the range in it; NULL after an error. */
static const rt_string_object *range_in(
    const char *who, rt_value text, rt_value start, rt_value end, size_t *from, size_t *to
) {
    if (!rt_is_string(text)) {
        rt_fail_wrong_type(who, "a string", text);
        return NULL;
    }
    const rt_string_object *string = rt_string_of(text);
    return rt_range_of(who, start, end, string->length, from, to) ? string : NULL;
}

static rt_value copy_range(const char *who, rt_value text, rt_value start, rt_value end) {
    size_t from, to;
    const rt_string_object *string = range_in(who, text, start, end, &from, &to);
    return string == NULL ? RT_ERROR : slice(string, from, to);
}

rt_value rt_substring(rt_value text, rt_value start, rt_value end) {
    return copy_range("substring", text, start, end);
}

rt_value rt_string_copy(rt_value text, rt_value start, rt_value end) {
    return copy_range("string-copy", text, start, end);
}

rt_value rt_make_string(rt_value length, rt_value fill) {
    size_t count;
    if (!rt_size_of("make-string", length, &count)) return RT_ERROR;
    RT_CHECK(rt_is_char(fill), "make-string", "a character", fill);
    uint32_t code = rt_char_code(fill);
    rt_value result = rt_new_string(count, code < 0x80 || count == 0 ? 1 : 4);
    if (result == RT_ERROR) return rt_fail_room("make-string", count, "characters");
    for (size_t i = 0; i < count; i++) put(rt_string_of(result), i, code);
    return result;
}

/* Count the characters of characters and strings; false if there is anything else.  width: of the
 * string that they make together. */
static bool count_characters(size_t count, const rt_value *items, size_t *length, int *width) {
    *length = 0;
    *width = 1;
    for (size_t i = 0; i < count; i++) {
        if (rt_is_char(items[i])) {
            *length += 1;
            if (rt_char_code(items[i]) >= 0x80) *width = 4;
        } else if (rt_is_string(items[i])) {
            *length += rt_string_of(items[i])->length;
            if (rt_string_of(items[i])->object.extra != 1) *width = 4;
        } else {
            return false;
        }
    }
    return true;
}

static rt_value put_together(size_t count, const rt_value *items, size_t length, int width) {
    rt_value result = rt_new_string(length, width);
    if (result == RT_ERROR) return RT_ERROR;
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        if (rt_is_char(items[i])) {
            put(rt_string_of(result), at++, rt_char_code(items[i]));
        } else {
            copy_into(rt_string_of(result), at, rt_string_of(items[i]));
            at += rt_string_of(items[i])->length;
        }
    }
    return result;
}

rt_value rt_string_append(size_t count, const rt_value *texts) {
    size_t length;
    int width;
    for (size_t i = 0; i < count; i++)
        RT_CHECK(rt_is_string(texts[i]), "string-append", "a string", texts[i]);
    count_characters(count, texts, &length, &width);
    rt_value result = put_together(count, texts, length, width);
    return result == RT_ERROR ? rt_fail_room("string-append", length, "characters") : result;
}

/* Copies a string behind the first `at` characters of another; how many there are then. */
static inline size_t add_characters(rt_string_object *target, size_t at, rt_value text) {
    const rt_string_object *source = rt_string_of(text);
    size_t length = source->length;
    if (RT_LIKELY(target->object.extra == 1)) copy_bytes(target->data + at, source->data, length);
    else copy_into(target, at, source);
    return at + length;
}

/* Adds up the characters of the strings of a list and of the separators between them, in one walk.
   wide: whether one of them is. */
static int measure_parts(rt_value texts, rt_value separator, size_t *characters, bool *wide) {
    rt_value mark = texts, rest = texts;
    size_t parts = 0, turn = 1, length = 0;
    unsigned widths = 1;
    for (; rt_is_pair(rest) && rt_is_string(rt_pair_of(rest)->car); parts++) {
        const rt_string_object *part = rt_string_of(rt_pair_of(rest)->car);
        length += part->length;
        widths |= part->object.extra;
        rest = rt_pair_of(rest)->cdr;
        if (rest == mark) break;   /* a cycle, as in rt_list_length */
        if (parts == turn) {
            mark = rest;
            turn *= 2;
        }
    }
    if (rest != RT_NIL) {
        RT_CHECK_STATUS(rt_list_length(texts) >= 0, "string-join", "a list", texts);
        RT_CHECK_STATUS(false, "string-join", "a string", rt_pair_of(rest)->car);
    }
    if (parts > 1) {
        length += (parts - 1) * rt_string_of(separator)->length;
        widths |= rt_string_of(separator)->object.extra;
    }
    *characters = length;
    *wide = widths != 1;
    return 0;
}

rt_value rt_string_join(rt_value texts, rt_value separator) {
    size_t length = 0;
    bool wide = false;
    RT_CHECK(rt_is_string(separator) || rt_list_length(texts) < 0,
             "string-join", "a string", separator);
    if (measure_parts(texts, separator, &length, &wide) != 0) return RT_ERROR;
    rt_value result = rt_new_string(length, wide ? 4 : 1);
    if (result == RT_ERROR) return RT_ERROR;
    rt_string_object *target = rt_string_of(result);
    const rt_string_object *between = rt_string_of(separator);
    /* A short separator is put as one word: what follows it is written over by the next part. */
    uint64_t word = 0;
    bool is_short = !wide && between->length <= sizeof word;
    if (is_short) memcpy(&word, between->data, between->length);
    size_t at = 0;
    for (rt_value rest = texts; rt_is_pair(rest); rest = rt_pair_of(rest)->cdr) {
        if (rest != texts && is_short && at + sizeof word <= length) {
            memcpy(target->data + at, &word, sizeof word);
            at += between->length;
        } else if (rest != texts) {
            at = add_characters(target, at, separator);
        }
        at = add_characters(target, at, rt_pair_of(rest)->car);
    }
    return result;
}

rt_value rt_string(size_t count, const rt_value *items) {
    size_t length;
    int width;
    if (count_characters(count, items, &length, &width))
        return put_together(count, items, length, width);
    rt_text text = {NULL, 0, 0};
    for (size_t i = 0; i < count; i++) {
        if (rt_show(&text, items[i], false) != 0) {
            rt_text_free(&text);
            return RT_ERROR;
        }
    }
    return rt_string_of_text(&text);
}

/* ---- Search -------------------------------------------------------------- */

#define LONG_NEEDLE 16   /* characters: comparing shorter ones at each index is as fast */

static bool stands_at(const rt_string_object *text, size_t at, const rt_string_object *needle) {
    for (size_t i = 0; i < needle->length; i++)
        if (rt_string_at(text, at + i) != rt_string_at(needle, i)) return false;
    return true;
}

/* The same as find, for a needle that is not empty, in linear time (Knuth, Morris and Pratt).
   borders: for each beginning of the needle, the length of the longest shorter beginning that it
   ends with. */
static size_t find_with(const rt_string_object *text, size_t start, const rt_string_object *needle,
                        size_t *borders) {
    borders[0] = 0;
    for (size_t i = 1, same = 0; i < needle->length; i++) {
        uint32_t c = rt_string_at(needle, i);
        while (same > 0 && rt_string_at(needle, same) != c) same = borders[same - 1];
        same += rt_string_at(needle, same) == c;
        borders[i] = same;
    }
    for (size_t at = start, same = 0; at < text->length; at++) {
        uint32_t c = rt_string_at(text, at);
        while (same > 0 && rt_string_at(needle, same) != c) same = borders[same - 1];
        same += rt_string_at(needle, same) == c;
        if (same == needle->length) return at + 1 - same;
    }
    return text->length;
}

/* The first index from start on at which text contains needle; text's length if there is none. */
static size_t find(const rt_string_object *text, size_t start, const rt_string_object *needle) {
    if (text->object.extra == 1 && needle->object.extra == 1) {
        const unsigned char *found =
            memmem(text->data + start, text->length - start, needle->data, needle->length);
        return found ? (size_t)(found - text->data) : text->length;
    }
    if (needle->length >= LONG_NEEDLE && needle->length <= text->length - start) {
        size_t *borders = rt_try_realloc(NULL, needle->length * sizeof *borders);
        if (borders != NULL) {
            size_t found = find_with(text, start, needle, borders);
            free(borders);
            return found;
        }
    }
    for (size_t at = start; at + needle->length <= text->length; at++)
        if (stands_at(text, at, needle)) return at;
    return text->length;
}

rt_value rt_string_contains(rt_value text, rt_value needle, rt_value start) {
    RT_CHECK(rt_is_string(text), "string-contains", "a string", text);
    RT_CHECK(rt_is_string(needle), "string-contains", "a string", needle);
    size_t length = rt_string_of(text)->length, from;
    if (!rt_index_of("string-contains", start, length + 1, length, &from)) return RT_ERROR;
    size_t at = find(rt_string_of(text), from, rt_string_of(needle));
    bool found = at < length || rt_string_of(needle)->length == 0;
    return found ? rt_of_fixnum((int64_t)at) : RT_FALSE;
}

int rt_is_string_prefix(rt_value prefix, rt_value text, bool *result) {
    RT_CHECK_STATUS(rt_is_string(prefix), "string-prefix?", "a string", prefix);
    RT_CHECK_STATUS(rt_is_string(text), "string-prefix?", "a string", text);
    *result = rt_string_of(prefix)->length <= rt_string_of(text)->length &&
              stands_at(rt_string_of(text), 0, rt_string_of(prefix));
    return 0;
}

int rt_is_string_suffix(rt_value suffix, rt_value text, bool *result) {
    RT_CHECK_STATUS(rt_is_string(suffix), "string-suffix?", "a string", suffix);
    RT_CHECK_STATUS(rt_is_string(text), "string-suffix?", "a string", text);
    const rt_string_object *whole = rt_string_of(text), *end = rt_string_of(suffix);
    *result = end->length <= whole->length && stands_at(whole, whole->length - end->length, end);
    return 0;
}

bool rt_add_piece(rt_pieces *list, rt_value piece) {
    if (piece != RT_ERROR && list->count == list->room) {
        size_t room = list->room ? 2 * list->room : RT_FIRST_ROOM;
        rt_value *items = rt_try_realloc(list->items, room * sizeof *items);
        if (items == NULL) {
            rt_free(piece);
            piece = rt_fail_memory();
        } else {
            list->items = items;
            list->room = room;
        }
    }
    if (piece == RT_ERROR) return false;
    list->items[list->count++] = piece;
    return true;
}

rt_value rt_list_of_pieces(rt_pieces *list, bool ok) {
    ok = ok && (rt_has_pairs(list->count) || rt_fail_memory() != RT_ERROR);
    rt_value result = ok ? rt_new_list(list->count, list->items) : RT_ERROR;
    if (!ok) rt_free_all(list->count, list->items);
    free(list->items);
    return result;
}

static bool split_at(rt_pieces *list, const rt_string_object *string,
                     const rt_string_object *separator) {
    for (size_t start = 0;;) {
        size_t end = find(string, start, separator);
        if (!rt_add_piece(list, slice(string, start, end)) || rt_poll() != 0) return false;
        if (end == string->length) return true;
        start = end + separator->length;
    }
}

static bool split_words(rt_pieces *list, const rt_string_object *string) {
    for (size_t end, start = 0; start < string->length; start = end + 1) {
        end = start;
        while (end < string->length && !rt_is_white(rt_string_at(string, end))) end++;
        if (end > start && (!rt_add_piece(list, slice(string, start, end)) || rt_poll() != 0))
            return false;
    }
    return true;
}

rt_value rt_string_split(rt_value text, rt_value separator) {
    const char *who = "string-split";
    RT_CHECK(rt_is_string(text), who, "a string", text);
    rt_pieces list = {NULL, 0, 0};
    bool ok;
    if (separator == RT_FALSE) {
        ok = split_words(&list, rt_string_of(text));
    } else {
        bool is_char = rt_is_char(separator);
        RT_CHECK(is_char || rt_is_string(separator), who, "a string or a character", separator);
        if (!is_char && rt_string_of(separator)->length == 0)
            return rt_fail("string-split: the separator is empty");
        rt_value mark = is_char ? rt_string(1, &separator) : rt_dup(separator);
        ok = split_at(&list, rt_string_of(text), rt_string_of(mark));
        rt_free(mark);
    }
    return rt_list_of_pieces(&list, ok);
}

/* ---- Length, elements, order --------------------------------------------- */

rt_value rt_string_ref_slow(rt_value text, rt_value k) {
    RT_CHECK(rt_is_string(text), "string-ref", "a string", text);
    size_t index, length = rt_string_of(text)->length;
    if (!rt_index_of("string-ref", k, length, length, &index)) return RT_ERROR;
    return RT_CHAR(rt_string_at(rt_string_of(text), index));
}

/* -1, 0 or 1, by code points, in order; both are strings. */
int rt_string_order(rt_value a, rt_value b) {
    const rt_string_object *x = rt_string_of(a), *y = rt_string_of(b);
    size_t i = 0, shorter = x->length < y->length ? x->length : y->length;
    if (x->object.extra == 1 && y->object.extra == 1) {
        int order = memcmp(x->data, y->data, shorter);
        if (order != 0) return order < 0 ? -1 : 1;
        i = shorter;
    }
    while (i < shorter && rt_string_at(x, i) == rt_string_at(y, i)) i++;
    if (i < shorter) return rt_string_at(x, i) < rt_string_at(y, i) ? -1 : 1;
    return x->length == y->length ? 0 : x->length < y->length ? -1 : 1;
}

/* Bytes are compared by words: the last two overlap if the size is not a multiple of theirs. */
bool rt_same_bytes(const unsigned char *a, const unsigned char *b, size_t size) {
    uint64_t x, y;
    if (size < sizeof x) {
        for (size_t i = 0; i < size; i++)
            if (a[i] != b[i]) return false;
        return true;
    }
    for (size_t at = 0; at < size; at += sizeof x) {
        if (at > size - sizeof x) at = size - sizeof x;
        memcpy(&x, a + at, sizeof x);
        memcpy(&y, b + at, sizeof y);
        if (x != y) return false;
    }
    return true;
}

/* Equal strings have equal bytes. */
bool rt_same_string(const rt_string_object *a, const rt_string_object *b) {
    return a == b || (a->length == b->length && a->object.extra == b->object.extra &&
                      rt_same_bytes(a->data, b->data, a->length * a->object.extra));
}

#define COMPARISON(name, who, test)                                        \
    int name(rt_value a, rt_value b, bool *result) {                       \
        RT_CHECK_STATUS(rt_is_string(a), who, "a string", a);              \
        RT_CHECK_STATUS(rt_is_string(b), who, "a string", b);              \
        *result = test;                                                    \
        return 0;                                                          \
    }
COMPARISON(rt_string_equal, "string=?", rt_same_string(rt_string_of(a), rt_string_of(b)))
COMPARISON(rt_string_less, "string<?", rt_string_order(a, b) < 0)
COMPARISON(rt_string_greater, "string>?", rt_string_order(a, b) > 0)
COMPARISON(rt_string_less_or_equal, "string<=?", rt_string_order(a, b) <= 0)
COMPARISON(rt_string_greater_or_equal, "string>=?", rt_string_order(a, b) >= 0)

/* ---- Strings as lists and vectors of characters -------------------------- */

rt_value rt_string_to_list(rt_value text, rt_value start, rt_value end) {
    size_t from, to;
    const rt_string_object *string = range_in("string->list", text, start, end, &from, &to);
    if (string == NULL) return RT_ERROR;
    if (!rt_has_pairs(to - from)) return rt_fail_room("string->list", to - from, "elements");
    rt_value list = RT_NIL;
    while (to > from) list = rt_cons(RT_CHAR(rt_string_at(string, --to)), list);
    return list;
}

rt_value rt_string_to_vector(rt_value text, rt_value start, rt_value end) {
    size_t from, to;
    const rt_string_object *string = range_in("string->vector", text, start, end, &from, &to);
    if (string == NULL) return RT_ERROR;
    rt_value vector = rt_make_vector(rt_of_fixnum((int64_t)(to - from)), RT_FALSE);
    if (vector == RT_ERROR) return rt_fail_room("string->vector", to - from, "elements");
    for (size_t i = from; i < to; i++)
        rt_vector_of(vector)->items[i - from] = RT_CHAR(rt_string_at(string, i));
    return vector;
}

rt_value rt_list_to_string(rt_value chars) {
    const char *who = "list->string";
    int64_t count = rt_list_length(chars);
    RT_CHECK(count >= 0, who, "a list", chars);
    bool ascii = true;
    for (rt_value rest = chars; rt_is_pair(rest); rest = rt_pair_of(rest)->cdr) {
        rt_value item = rt_pair_of(rest)->car;
        RT_CHECK(rt_is_char(item), who, "a character", item);
        ascii &= rt_char_code(item) < 0x80;
    }
    rt_value result = rt_new_string((size_t)count, ascii ? 1 : 4);
    if (result == RT_ERROR) return rt_fail_room(who, (size_t)count, "characters");
    rt_string_object *string = rt_string_of(result);
    if (ascii) {
        for (unsigned char *at = string->data; rt_is_pair(chars); chars = rt_pair_of(chars)->cdr)
            *at++ = (unsigned char)rt_char_code(rt_pair_of(chars)->car);
        return result;
    }
    for (size_t i = 0; rt_is_pair(chars); i++, chars = rt_pair_of(chars)->cdr)
        put(string, i, rt_char_code(rt_pair_of(chars)->car));
    return result;
}

rt_value rt_vector_to_string(rt_value vector, rt_value start, rt_value end) {
    const char *who = "vector->string";
    RT_CHECK(rt_is_vector(vector), who, "a vector", vector);
    const rt_vector_object *chars = rt_vector_of(vector);
    size_t from, to;
    if (!rt_range_of(who, start, end, chars->length, &from, &to)) return RT_ERROR;
    bool ascii = true;
    for (size_t i = from; i < to; i++) {
        RT_CHECK(rt_is_char(chars->items[i]), who, "a character", chars->items[i]);
        ascii &= rt_char_code(chars->items[i]) < 0x80;
    }
    rt_value result = rt_new_string(to - from, ascii ? 1 : 4);
    if (result == RT_ERROR) return rt_fail_room(who, to - from, "characters");
    for (size_t i = from; i < to; i++)
        put(rt_string_of(result), i - from, rt_char_code(chars->items[i]));
    return result;
}

/* ---- Cases --------------------------------------------------------------- */

#define LETTERS 26
#define CASE_BIT 0x20   /* in which the two cases of an ASCII letter differ */

/* The text with `fully` applied to every character.  ASCII text stays ASCII: of its characters, the
 * letters from `first` on change. */
static rt_value with_case(const rt_string_object *string, unsigned char first,
                          int (*fully)(uint32_t, uint32_t *)) {
    uint32_t codes[RT_LONGEST_EXPANSION];
    if (string->object.extra == 1) {
        rt_value result = rt_new_string(string->length, 1);
        if (result == RT_ERROR) return RT_ERROR;
        unsigned char *to = rt_string_of(result)->data;
        for (size_t i = 0; i < string->length; i++) {
            bool changes = (unsigned char)(string->data[i] - first) < LETTERS;
            to[i] = changes ? string->data[i] ^ CASE_BIT : string->data[i];
        }
        return result;
    }
    rt_text text = {NULL, 0, 0};
    for (size_t i = 0; i < string->length; i++) {
        int count = fully(rt_string_at(string, i), codes);
        for (int k = 0; k < count; k++) rt_text_char(&text, codes[k]);
    }
    return rt_string_of_text(&text);
}

rt_value rt_string_upcase(rt_value text) {
    RT_CHECK(rt_is_string(text), "string-upcase", "a string", text);
    return with_case(rt_string_of(text), 'a', rt_upcase_fully);
}

rt_value rt_string_foldcase(rt_value text) {
    RT_CHECK(rt_is_string(text), "string-foldcase", "a string", text);
    return with_case(rt_string_of(text), 'A', rt_foldcase_fully);
}

/* Whether the nearest character before or after index `at` that is not case-ignorable is cased. */
static bool sees_cased(const rt_string_object *string, size_t at, int step) {
    do at += (size_t)step;
    while (at < string->length && rt_is_case_ignorable(rt_string_at(string, at)));
    return at < string->length && rt_is_cased(rt_string_at(string, at));   /* -1 wraps round */
}

#define CAPITAL_SIGMA 0x3a3
#define FINAL_SIGMA 0x3c2

/* A sigma at the end of a word has a different lower case. */
rt_value rt_string_downcase(rt_value text) {
    RT_CHECK(rt_is_string(text), "string-downcase", "a string", text);
    const rt_string_object *string = rt_string_of(text);
    if (string->object.extra == 1) return with_case(string, 'A', rt_downcase_fully);
    rt_text lower = {NULL, 0, 0};
    uint32_t codes[RT_LONGEST_EXPANSION];
    for (size_t i = 0; i < string->length; i++) {
        int count = rt_downcase_fully(rt_string_at(string, i), codes);
        bool final = rt_string_at(string, i) == CAPITAL_SIGMA && sees_cased(string, i, -1) &&
                     !sees_cased(string, i, 1);
        if (final) codes[0] = FINAL_SIGMA;
        for (int k = 0; k < count; k++) rt_text_char(&lower, codes[k]);
    }
    return rt_string_of_text(&lower);
}

/* ---- What strings refuse ------------------------------------------------- */

static int refuse_change(const char *who) {
    rt_fail("%s: strings are immutable", who);
    rt_text_string(&rt_waiting.hint, "string-append, substring and string-map return new ones");
    return 1;
}

int rt_string_set(rt_value text, rt_value k, rt_value c) {
    (void)text, (void)k, (void)c;
    return refuse_change("string-set!");
}

int rt_string_fill(rt_value text, rt_value c, rt_value start, rt_value end) {
    (void)text, (void)c, (void)start, (void)end;
    return refuse_change("string-fill!");
}

int rt_string_copy_to(rt_value to, rt_value at, rt_value from, rt_value start, rt_value end) {
    (void)to, (void)at, (void)from, (void)start, (void)end;
    return refuse_change("string-copy!");
}
