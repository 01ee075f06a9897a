/* regexp.c - regular expressions: Lisp's texts and values over the patterns of pattern.c.
 *
 * PCRE2 counts bytes of UTF-8, Lisp counts characters.  A text of ASCII is searched as it is; any
 * other one is converted once, and then searched as often as the program likes.  The positions of a
 * match are counted from those of the search's start, so all matches of a text together take one
 * walk over it.
 *
 * The library's procedures in stdlib/regexp/ make the messages: PCRE2's own codes are results here.
 */
#include "rt_internal.h"

#include "text/pattern.h"

/* ---- Compiling ----------------------------------------------------------- */

static void free_regexp(void *thing) { rt_free_pattern(thing); }

static const char *text_of_regexp(void *thing) {
    (void)thing;
    return "#<compiled regexp>";
}

static const rt_foreign_kind regexp_kind = {free_regexp, text_of_regexp};

/* NULL if the value is not a compiled regular expression. */
static rt_pattern *pattern_of(rt_value v) {
    bool is_one = rt_is_foreign(v) && rt_foreign_of(v)->kind == &regexp_kind;
    return is_one ? rt_foreign_of(v)->thing : NULL;
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
static rt_value pattern_error(const rt_text *pattern, const rt_pattern_error *error) {
    if (error->message[0] == 0) return rt_fail_memory();
    const unsigned char *bytes = (const unsigned char *)pattern->bytes;
    rt_value text = rt_string_of_utf8(error->message, strlen(error->message));
    if (text == RT_ERROR) return RT_ERROR;
    return rt_cons(rt_of_fixnum((int64_t)rt_count_characters(bytes, 0, error->at)), text);
}

/* A compiled regular expression, (index . message) for a pattern that is wrong, or #f if PCRE2 is
 * not installed. */
rt_value rt_regexp_compile(rt_value pattern) {
    RT_CHECK(rt_is_string(pattern), "regexp", "a string", pattern);
    if (!rt_has_patterns()) return RT_FALSE;
    rt_text text = {NULL, 0, 0};
    rt_text_add(&text, "", 0);
    add_utf8(&text, rt_string_of(pattern), 0, rt_string_of(pattern)->length);
    if (rt_text_is_lost(&text)) return rt_fail_memory();
    rt_pattern_error error;
    rt_pattern *compiled = rt_compile_pattern(text.bytes, text.size, &error);
    rt_value result = compiled != NULL ? rt_new_foreign(&regexp_kind, compiled)
                                       : pattern_error(&text, &error);
    rt_text_free(&text);
    return result;
}

/* The number of groups, and (name . number) for each that has a name. */
rt_value rt_regexp_groups(rt_value compiled) {
    rt_pattern *pattern = pattern_of(compiled);
    RT_CHECK(pattern != NULL, "regexp", "a compiled regexp", compiled);
    rt_group_names found = rt_names_of(pattern);
    const unsigned char *entry = found.entries;
    rt_value names = RT_NIL;
    for (uint32_t i = 0; i < found.count; i++, entry += found.size) {
        rt_value name = rt_intern((const char *)entry + 2);   /* after the number, in two bytes */
        names = rt_cons(rt_cons(name, rt_of_fixnum(entry[0] << 8 | entry[1])), names);
    }
    return rt_cons(rt_of_fixnum(pattern->groups), names);
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

/* Where a byte stands, in characters: the walk goes there from another, wherever that is. */
static size_t character_at(
    const unsigned char *bytes, bool is_ascii, size_t to, size_t byte, size_t character
) {
    if (is_ascii) return to;
    if (to >= byte) return character + rt_count_characters(bytes, byte, to);
    return character - rt_count_characters(bytes, to, byte);
}

static rt_value positions(
    const rt_pattern *pattern, const unsigned char *bytes, bool is_ascii, size_t byte,
    size_t character
) {
    const size_t *offsets = rt_offsets_of(pattern);
    size_t count = 2 * ((size_t)pattern->groups + 1);
    rt_value result = rt_make_vector(rt_of_fixnum((int64_t)count + 1), RT_FALSE);
    if (result == RT_ERROR) return RT_ERROR;
    rt_value *items = rt_vector_of(result)->items;
    items[count] = rt_of_fixnum((int64_t)offsets[1]);
    for (size_t i = 0; i < count; i++) {
        size_t to = offsets[i];
        if (to == PCRE2_UNSET) continue;
        character = character_at(bytes, is_ascii, to, byte, character);
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
    rt_pattern *pattern = pattern_of(compiled);
    RT_CHECK(pattern != NULL, who, "a compiled regexp", compiled);
    bool is_ascii = rt_is_string(subject) && rt_string_of(subject)->object.extra == 1;
    RT_CHECK(is_ascii || rt_is_bytes(subject), who, "a subject", subject);
    size_t size = is_ascii ? rt_string_of(subject)->length : rt_bytes_of(subject)->length;
    const unsigned char *bytes =
        is_ascii ? rt_string_of(subject)->data : rt_bytes_of(subject)->data;
    RT_CHECK(rt_is_fixnum(byte) && (uint64_t)rt_fixnum(byte) <= size, who, "an index", byte);
    RT_CHECK(rt_is_fixnum(character), who, "an index", character);
    RT_CHECK(rt_is_fixnum(flags), who, "an index", flags);
    size_t from = (size_t)rt_fixnum(byte);
    int status = rt_search_pattern(pattern, bytes, size, from, (int)rt_fixnum(flags));
    if (status == RT_STOPPED || rt_poll_interrupt() != 0) return RT_ERROR;
    if (status == RT_NO_MATCH) return RT_FALSE;
    if (status != RT_MATCHED) return rt_of_fixnum(status);
    return positions(pattern, bytes, is_ascii, from, (size_t)rt_fixnum(character));
}

/* ---- All matches --------------------------------------------------------- */

int rt_poll_between_matches(void) { return rt_poll_interrupt(); }

/* A part of a text that is being divided.  at: the byte to which that is done, and that character's
 * index. */
typedef struct division {
    rt_value text;
    rt_pieces parts;
    bool is_ascii;
    rt_matches matches;
    size_t start, at, character;
} division;

static bool take_part(void *taker, size_t to, bool is_part) {
    division *d = taker;
    size_t from = d->start + d->character;
    d->character = character_at(d->matches.bytes, d->is_ascii, to, d->at, d->character);
    d->at = to;
    if (!is_part) return true;
    size_t end = d->start + d->character;
    return rt_add_piece(&d->parts, rt_string_copy(d->text, rt_of_fixnum((int64_t)from),
                                                  rt_of_fixnum((int64_t)end)));
}

static rt_value parts_of(division *d, int64_t flags) {
    int status = rt_divide_text(&d->matches, flags, take_part, d);
    if (status == RT_NO_MATCH || status == RT_STOPPED)
        return rt_list_of_pieces(&d->parts, status == RT_NO_MATCH);
    rt_list_of_pieces(&d->parts, false);
    return rt_of_fixnum(status);
}

/* The parts of a text, by all matches of a regular expression, in order; the code of an error as in
 * rt_regexp_match.  flags: as rt_divide_text. */
rt_value rt_regexp_parts(
    rt_value compiled, rt_value text, rt_value start, rt_value end, rt_value flags
) {
    const char *who = "regexp-search";
    rt_pattern *pattern = pattern_of(compiled);
    RT_CHECK(pattern != NULL, who, "a compiled regexp", compiled);
    RT_CHECK(rt_is_string(text), who, "a string", text);
    RT_CHECK(rt_is_fixnum(flags), who, "an index", flags);
    const rt_string_object *string = rt_string_of(text);
    size_t from, to;
    if (!rt_range_of(who, start, end, string->length, &from, &to)) return RT_ERROR;
    division d = {
        text, {NULL, 0, 0}, string->object.extra == 1, {pattern, NULL, 0, 0, 0}, from, 0, 0};
    rt_text utf8 = {NULL, 0, 0};
    if (d.is_ascii) {
        d.matches.bytes = string->data + from;
        d.matches.size = to - from;
    } else {
        rt_text_add(&utf8, "", 0);
        add_utf8(&utf8, string, from, to);
        if (rt_text_is_lost(&utf8)) return rt_fail_memory();
        d.matches.bytes = (const unsigned char *)utf8.bytes;
        d.matches.size = utf8.size;
    }
    rt_value result = parts_of(&d, rt_fixnum(flags));
    rt_text_free(&utf8);
    return result;
}
