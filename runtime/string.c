/* string.c - strings as objects: one byte a character while all are ASCII, else four.
 *
 * The narrow form is used whenever it can be, so equal strings have equal bytes, and an index is
 * found in one step.  UTF-8 exists only outside: in files, in C literals, and in messages.
 */
#define _GNU_SOURCE   /* memmem */
#include "rt_internal.h"

#include <stdlib.h>

rt_value rt_new_string(size_t length, int width) {
    size_t end = width == 1 ? 1 : 0;   /* the NUL */
    rt_string_object *string =
        rt_allocate(RT_STRING, sizeof *string + length * (size_t)width + end);
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

rt_value rt_string_of_utf8(const char *bytes, size_t size) {
    const char *end = bytes + size;
    size_t length = 0;
    bool ascii = true;
    for (const char *at = bytes; at < end; length++) ascii &= rt_utf8_next(&at, end) < 0x80;
    rt_value result = rt_new_string(length, ascii ? 1 : 4);
    if (ascii) {
        memcpy(rt_string_of(result)->data, bytes, size);
    } else {
        const char *at = bytes;
        for (size_t i = 0; i < length; i++) put(rt_string_of(result), i, rt_utf8_next(&at, end));
    }
    return result;
}

rt_value rt_string_of_text(rt_text *text) {
    rt_value result = rt_string_of_utf8(text->size ? text->bytes : "", text->size);
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

char *rt_string_to_utf8(rt_value string) {
    rt_text text = {NULL, 0, 0};
    rt_text_add(&text, "", 0);
    rt_text_lisp_string(&text, string);
    return text.bytes;
}

/* ---- Parts and sums ------------------------------------------------------ */

/* The characters from start up to but without end. */
static rt_value slice(const rt_string_object *string, size_t start, size_t end) {
    bool ascii = true;
    if (string->object.extra != 1)
        for (size_t i = start; i < end; i++) ascii &= rt_string_at(string, i) < 0x80;
    rt_value result = rt_new_string(end - start, ascii ? 1 : 4);
    size_t width = string->object.extra;
    if (width == rt_string_of(result)->object.extra) {
        memcpy(rt_string_of(result)->data, string->data + width * start, width * (end - start));
    } else {
        for (size_t i = start; i < end; i++)
            put(rt_string_of(result), i - start, rt_string_at(string, i));
    }
    return result;
}

static void copy_into(rt_string_object *target, size_t at, const rt_string_object *source) {
    if (target->object.extra == source->object.extra) {
        size_t width = target->object.extra;
        memcpy(target->data + width * at, source->data, width * source->length);
    } else {
        for (size_t i = 0; i < source->length; i++) put(target, at + i, rt_string_at(source, i));
    }
}

rt_value rt_substring(rt_value text, rt_value start, rt_value end) {
    RT_CHECK(rt_is_string(text), "substring", "a string", text);
    const rt_string_object *string = rt_string_of(text);
    size_t length = string->length, from, to = length;
    if (!rt_index_of("substring", start, length + 1, length, &from)) return RT_ERROR;
    if (end != RT_FALSE && !rt_index_of("substring", end, length + 1, length, &to))
        return RT_ERROR;
    if (from > to) return rt_fail_index("substring", start, to);
    return slice(string, from, to);
}

rt_value rt_string_append(size_t count, const rt_value *texts) {
    size_t length = 0;
    int width = 1;
    for (size_t i = 0; i < count; i++) {
        RT_CHECK(rt_is_string(texts[i]), "string-append", "a string", texts[i]);
        length += rt_string_of(texts[i])->length;
        if (rt_string_of(texts[i])->object.extra != 1) width = 4;
    }
    rt_value result = rt_new_string(length, width);
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        copy_into(rt_string_of(result), at, rt_string_of(texts[i]));
        at += rt_string_of(texts[i])->length;
    }
    return result;
}

rt_value rt_string_join(rt_value texts, rt_value separator) {
    RT_CHECK(rt_list_length(texts) >= 0, "string-join", "a list", texts);
    RT_CHECK(rt_is_string(separator), "string-join", "a string", separator);
    rt_text text = {NULL, 0, 0};
    for (rt_value rest = texts; rt_is_pair(rest); rest = rt_pair_of(rest)->cdr) {
        rt_value item = rt_pair_of(rest)->car;
        if (!rt_is_string(item)) {
            rt_text_free(&text);
            return rt_fail_wrong_type("string-join", "a string", item);
        }
        if (rest != texts) rt_text_lisp_string(&text, separator);
        rt_text_lisp_string(&text, item);
    }
    return rt_string_of_text(&text);
}

rt_value rt_string(size_t count, const rt_value *items) {
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

static bool stands_at(const rt_string_object *text, size_t at, const rt_string_object *part) {
    for (size_t i = 0; i < part->length; i++)
        if (rt_string_at(text, at + i) != rt_string_at(part, i)) return false;
    return true;
}

/* The first index from start on at which part stands in text; text's length if there is none. */
static size_t find(const rt_string_object *text, size_t start, const rt_string_object *part) {
    if (text->object.extra == 1 && part->object.extra == 1) {
        const unsigned char *found =
            memmem(text->data + start, text->length - start, part->data, part->length);
        return found ? (size_t)(found - text->data) : text->length;
    }
    for (size_t at = start; at + part->length <= text->length; at++)
        if (stands_at(text, at, part)) return at;
    return text->length;
}

rt_value rt_string_contains(rt_value text, rt_value part) {
    RT_CHECK(rt_is_string(text), "string-contains", "a string", text);
    RT_CHECK(rt_is_string(part), "string-contains", "a string", part);
    size_t at = find(rt_string_of(text), 0, rt_string_of(part));
    bool found = at < rt_string_of(text)->length || rt_string_of(part)->length == 0;
    return found ? rt_of_fixnum((int64_t)at) : RT_FALSE;
}

int rt_is_string_prefix(rt_value prefix, rt_value text, bool *result) {
    RT_CHECK_STATUS(rt_is_string(prefix), "string-prefix?", "a string", prefix);
    RT_CHECK_STATUS(rt_is_string(text), "string-prefix?", "a string", text);
    *result = rt_string_of(prefix)->length <= rt_string_of(text)->length &&
              stands_at(rt_string_of(text), 0, rt_string_of(prefix));
    return 0;
}

/* From the last part to the first, so that the list grows at its front. */
rt_value rt_string_split(rt_value text, rt_value separator) {
    RT_CHECK(rt_is_string(text), "string-split", "a string", text);
    RT_CHECK(rt_is_string(separator), "string-split", "a string", separator);
    const rt_string_object *string = rt_string_of(text), *mark = rt_string_of(separator);
    if (mark->length == 0) return rt_fail("string-split: the separator is empty");
    size_t start = 0, count = 0, room = 0;
    rt_value *parts = NULL;
    for (;;) {
        size_t end = find(string, start, mark);
        if (count == room) {
            room = room ? 2 * room : 8;
            parts = rt_realloc(parts, room * sizeof *parts);
        }
        parts[count++] = slice(string, start, end);
        if (end == string->length) break;
        start = end + mark->length;
    }
    rt_value list = rt_new_list(count, parts);
    free(parts);
    return list;
}

/* As Unicode's White_Space, with the four separators 28 to 31. */
bool rt_is_white(uint32_t code) {
    if (code <= 32) return code == 32 || (code >= 9 && code <= 13) || (code >= 28 && code <= 31);
    return code == 0x85 || code == 0xa0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200a) ||
           code == 0x2028 || code == 0x2029 || code == 0x202f || code == 0x205f || code == 0x3000;
}

rt_value rt_string_trim(rt_value text) {
    RT_CHECK(rt_is_string(text), "string-trim", "a string", text);
    const rt_string_object *string = rt_string_of(text);
    size_t start = 0, end = string->length;
    while (start < end && rt_is_white(rt_string_at(string, start))) start++;
    while (start < end && rt_is_white(rt_string_at(string, end - 1))) end--;
    return slice(string, start, end);
}

/* ---- Length, elements, order --------------------------------------------- */

int rt_string_length(rt_value text, int64_t *result) {
    RT_CHECK_STATUS(rt_is_string(text), "string-length", "a string", text);
    *result = (int64_t)rt_string_of(text)->length;
    return 0;
}

rt_value rt_string_ref(rt_value text, rt_value k) {
    RT_CHECK(rt_is_string(text), "string-ref", "a string", text);
    size_t index;
    size_t length = rt_string_of(text)->length;
    if (!rt_index_of("string-ref", k, length, length, &index)) return RT_ERROR;
    return RT_CHAR(rt_string_at(rt_string_of(text), index));
}

int rt_string_equal(rt_value a, rt_value b, bool *result) {
    RT_CHECK_STATUS(rt_is_string(a), "string=?", "a string", a);
    RT_CHECK_STATUS(rt_is_string(b), "string=?", "a string", b);
    *result = rt_string_of(a)->length == rt_string_of(b)->length &&
              stands_at(rt_string_of(a), 0, rt_string_of(b));
    return 0;
}

int rt_string_less(rt_value a, rt_value b, bool *result) {
    RT_CHECK_STATUS(rt_is_string(a), "string<?", "a string", a);
    RT_CHECK_STATUS(rt_is_string(b), "string<?", "a string", b);
    const rt_string_object *x = rt_string_of(a), *y = rt_string_of(b);
    size_t i = 0;
    while (i < x->length && i < y->length && rt_string_at(x, i) == rt_string_at(y, i)) i++;
    *result = i < y->length && (i == x->length || rt_string_at(x, i) < rt_string_at(y, i));
    return 0;
}

rt_value rt_string_to_list(rt_value text) {
    RT_CHECK(rt_is_string(text), "string->list", "a string", text);
    rt_value list = RT_NIL;
    for (size_t i = rt_string_of(text)->length; i > 0; i--)
        list = rt_cons(RT_CHAR(rt_string_at(rt_string_of(text), i - 1)), list);
    return list;
}

rt_value rt_list_to_string(rt_value chars) {
    RT_CHECK(rt_list_length(chars) >= 0, "list->string", "a list", chars);
    rt_text text = {NULL, 0, 0};
    for (rt_value rest = chars; rt_is_pair(rest); rest = rt_pair_of(rest)->cdr) {
        rt_value item = rt_pair_of(rest)->car;
        if (!rt_is_char(item)) {
            rt_text_free(&text);
            return rt_fail_wrong_type("list->string", "a character", item);
        }
        rt_text_char(&text, rt_char_code(item));
    }
    return rt_string_of_text(&text);
}

/* ---- Characters ---------------------------------------------------------- */

int rt_char_to_integer(rt_value c, int64_t *result) {
    RT_CHECK_STATUS(rt_is_char(c), "char->integer", "a character", c);
    *result = (int64_t)rt_char_code(c);
    return 0;
}

rt_value rt_integer_to_char(rt_value code) {
    const char *who = "integer->char";
    bool natural = rt_is_exact_int(code) && rt_order(code, rt_of_fixnum(0)) >= 0;
    RT_CHECK(natural, who, "a non-negative exact integer", code);
    int64_t n = rt_is_fixnum(code) ? rt_fixnum(code) : INT64_MAX;
    RT_CHECK(n < 0xd800 || (n > 0xdfff && n < 0x110000), who, "a code point", code);
    return RT_CHAR(n);
}

int rt_char_equal(rt_value a, rt_value b, bool *result) {
    RT_CHECK_STATUS(rt_is_char(a), "char=?", "a character", a);
    RT_CHECK_STATUS(rt_is_char(b), "char=?", "a character", b);
    *result = a == b;
    return 0;
}

int rt_char_less(rt_value a, rt_value b, bool *result) {
    RT_CHECK_STATUS(rt_is_char(a), "char<?", "a character", a);
    RT_CHECK_STATUS(rt_is_char(b), "char<?", "a character", b);
    *result = a < b;
    return 0;
}
