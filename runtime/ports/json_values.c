/* json_values.c - the values of JSON texts, and the texts of values: %json-value, %json-written.
 *
 * runtime/text/json.c finds the tokens.  stdlib/language/json.lisp says what stands for what.
 */
#include "ports/ports.h"
#include "text/json.h"

#include <stdlib.h>

static const char who[] = "read-json";

/* ---- The text ------------------------------------------------------------ */

/* A text in a port, or port is NULL and it is all there.  line, column: where it begins.  in_space:
 * its value has not begun.  values: those in the brackets that are not closed yet, after BEGIN or
 * their table; a key is there while its value is read. */
typedef struct source {
    rt_json in;
    rt_port_object *port;
    size_t total;
    long long line;
    size_t column;
    bool in_space;
    rt_value *values;
    size_t count, room;
} source;

#define BEGIN RT_EOF

static int more_of_string(rt_json *in) {
    source *s = in->source;
    if (in->size == s->total) return 0;
    if (rt_poll() != 0) return -1;
    in->size = s->total - in->size > RT_JSON_STEP ? in->size + RT_JSON_STEP : s->total;
    return 1;
}

/* Where the complete characters end, from `at` on. */
static size_t end_of_text(const char *bytes, size_t at, size_t have) {
    if (rt_are_ascii(bytes + at, have - at)) return have;
    int size = 1;
    for (; at < have && size > 0; at += size > 0 ? (size_t)size : 0)
        size = rt_utf8_size((const unsigned char *)bytes + at, have - at);
    return at;
}

/* The error of a port whose text goes on with bytes that are not text: it takes them. */
static int fail_bytes(rt_port_object *port) {
    rt_port_is_text(who, port, port->buffer.size - port->at);
    rt_text_free(&rt_waiting.hint);
    rt_text_string(&rt_waiting.hint, "JSON texts are in UTF-8");
    return -1;
}

/* Moves the place where the text begins to another one in it. */
static void move_start(source *s, const char *start, const char *end) {
    while (start < end) {
        bool ends = rt_utf8_next(&start, end) == '\n';
        s->column = ends ? 1 : s->column + 1;
        s->line += ends;
    }
}

/* Takes the white space before a value from the port, so that it needs no memory. */
static void take_space(source *s) {
    const char *start = (const char *)s->in.bytes;
    move_start(s, start, start + s->in.at);
    s->port->at += s->in.at;
    s->in.size = s->in.at = 0;
}

static int more_of_port(rt_json *in) {
    source *s = in->source;
    rt_port_object *port = s->port;
    if (s->in_space) take_space(s);
    for (bool at_end = false;;) {
        const char *bytes = port->buffer.bytes + port->at;
        size_t have = port->buffer.size - port->at, step = have - in->size;
        if (step > RT_JSON_STEP) step = RT_JSON_STEP;
        size_t end = port->file == RT_MEMORY ? in->size + step
                                             : end_of_text(bytes, in->size, in->size + step);
        in->bytes = (const unsigned char *)bytes;
        if (end > in->size) {
            in->size = end;
            return rt_poll() != 0 ? -1 : 1;
        }
        if (have == in->size && at_end) return 0;
        bool is_text = have == in->size || rt_utf8_size(in->bytes + end, have - end) < 0;
        if (!is_text || at_end) return fail_bytes(port);
        int64_t more = rt_port_fill(who, port);
        if (more < 0) return -1;
        at_end = more == 0;
    }
}

/* ---- Values -------------------------------------------------------------- */

static void push(source *s, rt_value v) {
    RT_GROW(s->values, s->count, s->room);
    s->values[s->count++] = v;
}

static rt_value string_of(const rt_json *in) {
    const unsigned char *bytes = in->bytes + in->start;
    size_t size = in->end - in->start;
    if (!in->has_escapes) return rt_string_of_utf8((const char *)bytes, size);
    rt_text text = {NULL, 0, 0};
    if (!rt_text_reserve(&text, size)) return rt_string_of_text(&text);
    text.size = rt_json_unescape(bytes, size, (unsigned char *)text.bytes);
    return rt_string_of_text(&text);
}

/* The list of the values that follow the latest BEGIN. */
static rt_value close_array(source *s) {
    rt_value list = RT_NIL;
    while (s->values[--s->count] != BEGIN) list = rt_cons(s->values[s->count], list);
    return list;
}

static rt_value value_of(source *s, rt_json_token token) {
    rt_json *in = &s->in;
    switch (token) {
        case RT_JSON_NULL: return rt_intern("null");
        case RT_JSON_TRUE: return RT_TRUE;
        case RT_JSON_FALSE: return RT_FALSE;
        case RT_JSON_STRING: return string_of(in);
        case RT_JSON_INTEGER:
        case RT_JSON_REAL:
            return rt_parse_number((const char *)in->bytes + in->start, in->end - in->start, 10);
        case RT_JSON_CLOSE: break;
        default: return RT_ERROR;
    }
    return in->is_object[in->depth] ? s->values[--s->count] : close_array(s);
}

/* Whether a token begins something; then it is noted. */
static bool begin(source *s, rt_json_token token) {
    switch (token) {
        case RT_JSON_ARRAY: push(s, BEGIN); return true;
        case RT_JSON_OBJECT: push(s, rt_make_hash_table()); return true;
        case RT_JSON_KEY: push(s, string_of(&s->in)); return s->values[s->count - 1] != RT_ERROR;
        default: return false;
    }
}

static bool add_value(source *s, rt_value v) {
    if (!s->in.is_object[s->in.depth - 1]) {
        push(s, v);
        return true;
    }
    rt_value key = s->values[--s->count];
    return rt_hash_set(s->values[s->count - 1], key, v) == 0;
}

/* RT_ERROR where the text is wrong, too: then an error has not been noted. */
static rt_value read_value(source *s, bool *is_wrong) {
    for (;;) {
        rt_json_token token = rt_json_next(&s->in);
        *is_wrong = token == RT_JSON_WRONG;
        if (begin(s, token)) continue;
        rt_value v = value_of(s, token);
        if (v == RT_ERROR || s->in.depth == 0) return v;
        if (!add_value(s, v)) return RT_ERROR;
    }
}

static void release(source *s) {
    for (size_t i = 0; i < s->count; i++)
        if (s->values[i] != RT_ERROR) rt_free(s->values[i]);
    free(s->values);
}

/* ---- %json-value --------------------------------------------------------- */

/* The error of a text that is wrong at `at`. */
static rt_value fail_text(source *s, rt_value begins) {
    char shown[RT_JSON_LONGEST_SHOWN];
    size_t size = rt_json_show_next(&s->in, shown);
    if (s->in.stopped) return RT_ERROR;
    const char *start = (const char *)s->in.bytes;
    move_start(s, start, start + s->in.at);
    rt_text message = {NULL, 0, 0};
    rt_text_lisp_string(&message, begins);
    rt_text_format(&message, "line %lld, column %zu: expected %s, got ", s->line, s->column,
                   s->in.wanted);
    rt_text_add(&message, shown, size);
    return rt_fail_text(&message, NULL);
}

static rt_value read_text(source *s, rt_value begins, bool is_document) {
    s->in_space = s->port != NULL;
    bool is_end = !rt_json_skip_space(&s->in);
    s->in_space = false;
    if (s->in.stopped) return RT_ERROR;
    if (is_end && !is_document) return RT_EOF;
    bool is_wrong;
    rt_value v = read_value(s, &is_wrong);
    if (v != RT_ERROR && is_document) {
        rt_json_token token = rt_json_next(&s->in);
        is_wrong = token == RT_JSON_WRONG;
        if (token == RT_JSON_END) return v;
        rt_free(v);
        v = RT_ERROR;
    }
    return is_wrong ? fail_text(s, begins) : v;
}

static rt_value value_in_port(source *s, rt_value begins, bool is_document) {
    rt_json_begin(&s->in, more_of_port, s);
    rt_value v = read_text(s, begins, is_document);
    if (!s->in.stopped) s->port->at += s->in.at;
    return v;
}

static rt_value value_in_string(source *s, rt_value text, rt_value begins) {
    const rt_string_object *string = rt_string_of(text);
    rt_text utf8 = {NULL, 0, 0};
    rt_json_begin(&s->in, more_of_string, s);
    if (string->object.extra == 1) {
        s->in.bytes = string->data;
        s->total = string->length;
    } else {
        rt_text_lisp_string(&utf8, text);
        if (rt_text_is_lost(&utf8)) return rt_fail_memory();
        s->in.bytes = (const unsigned char *)utf8.bytes;
        s->total = utf8.size;
    }
    rt_value v = read_text(s, begins, true);
    rt_text_free(&utf8);
    return v;
}

/* The value of a string, or the next one of a port; #<eof> if it has none.  Of a document it is the
 * only one.  A message begins with `begins`, then comes the line, the first of which has the given
 * number. */
rt_value rt_json_value(rt_value text, rt_value begins, rt_value line, rt_value document) {
    RT_CHECK(rt_is_string(begins), who, "a string", begins);
    RT_CHECK(rt_is_fixnum(line), who, "an index", line);
    source s = {.port = NULL, .line = rt_fixnum(line), .column = 1};
    rt_value v;
    if (rt_is_string(text)) {
        v = value_in_string(&s, text, begins);
    } else {
        s.port = rt_input(who, text, false);
        if (s.port == NULL) return RT_ERROR;
        v = value_in_port(&s, begins, document != RT_FALSE);
    }
    release(&s);
    return v;
}

/* ---- %json-written ------------------------------------------------------- */

#define UNCHECKED ((size_t)1 << 24)   /* a longer text is only written if there is room for it */

typedef struct output {
    rt_text text;
    size_t most;
} output;

/* Each is false for what the library writes: tensors, mistakes, what is nested deeply; and beyond
 * `most` bytes. */
static bool add_json(output *out, rt_value v, int depth);

static void add_character(rt_text *text, uint32_t code) {
    char escape[RT_JSON_LONGEST_ESCAPE];
    int size = code < 0x80 ? rt_json_escape((unsigned char)code, escape) : 0;
    if (size > 0) rt_text_add(text, escape, (size_t)size);
    else rt_text_char(text, code);
}

/* Bytes of ASCII; runs that stand for themselves are added at once. */
static void add_ascii(rt_text *text, const char *bytes, size_t size) {
    size_t start = 0;
    char escape[RT_JSON_LONGEST_ESCAPE];
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)bytes[i];
        if (c >= ' ' && c != '"' && c != '\\') continue;   /* without a call for each */
        rt_text_add(text, bytes + start, i - start);
        rt_text_add(text, escape, (size_t)rt_json_escape(c, escape));
        start = i + 1;
    }
    rt_text_add(text, bytes + start, size - start);
}

static bool add_string(rt_text *text, rt_value v) {
    const rt_string_object *string = rt_string_of(v);
    rt_text_add(text, "\"", 1);
    if (string->object.extra == 1) {
        add_ascii(text, (const char *)string->data, string->length);
    } else {
        for (size_t i = 0; i < string->length; i++) add_character(text, rt_string_at(string, i));
    }
    rt_text_add(text, "\"", 1);
    return true;
}

static bool add_symbol(rt_text *text, rt_value v) {
    rt_text name = {NULL, 0, 0};
    rt_text_symbol(&name, v);
    const char *at = name.bytes, *end = name.bytes + name.size;
    rt_text_add(text, "\"", 1);
    while (at < end) add_character(text, rt_utf8_next(&at, end));
    rt_text_add(text, "\"", 1);
    rt_text_free(&name);
    return true;
}

static bool add_double(rt_text *text, double number) {
    if (!isfinite(number)) return false;
    rt_text_double(text, number);
    return true;
}

static bool add_number(rt_text *text, rt_value v) {
    if (rt_is_exact_int(v)) {
        rt_text_exact(text, v, 10);
        return true;
    }
    return add_double(text, rt_number_to_double(v));
}

static bool add_list(output *out, rt_value list, int depth) {
    if (!rt_is_list(list)) return false;
    rt_text_add(&out->text, "[", 1);
    for (rt_value at = list; rt_is_pair(at); at = rt_pair_of(at)->cdr) {
        if (at != list) rt_text_add(&out->text, ",", 1);
        if (!add_json(out, rt_pair_of(at)->car, depth)) return false;
    }
    rt_text_add(&out->text, "]", 1);
    return true;
}

static bool add_vector(output *out, rt_value v, int depth) {
    rt_text_add(&out->text, "[", 1);
    for (size_t i = 0; i < rt_vector_of(v)->length; i++) {
        if (i > 0) rt_text_add(&out->text, ",", 1);
        bool ok = rt_is_doubles(v) ? add_double(&out->text, rt_doubles_of(v)->items[i])
                                   : add_json(out, rt_vector_of(v)->items[i], depth);
        if (!ok) return false;
    }
    rt_text_add(&out->text, "]", 1);
    return true;
}

static bool add_key(rt_text *text, rt_value key) {
    if (rt_is_string(key)) return add_string(text, key);
    if (rt_is_symbol(key)) return add_symbol(text, key);
    if (!rt_is_exact_int(key)) return false;
    rt_text_add(text, "\"", 1);
    rt_text_exact(text, key, 10);
    rt_text_add(text, "\"", 1);
    return true;
}

static bool add_table(output *out, rt_value table, int depth) {
    rt_value entries = rt_hash_to_list(table);
    bool ok = entries != RT_ERROR;
    rt_text_add(&out->text, "{", 1);
    for (rt_value at = entries; ok && rt_is_pair(at); at = rt_pair_of(at)->cdr) {
        const rt_pair *entry = rt_pair_of(rt_pair_of(at)->car);
        if (at != entries) rt_text_add(&out->text, ",", 1);
        ok = add_key(&out->text, entry->car);
        rt_text_add(&out->text, ":", 1);
        ok = ok && add_json(out, entry->cdr, depth);
    }
    rt_text_add(&out->text, "}", 1);
    if (entries != RT_ERROR) rt_free(entries);
    return ok;
}

static bool add_json(output *out, rt_value v, int depth) {
    rt_text *text = &out->text;
    if (depth == RT_JSON_DEEPEST || text->size > out->most || rt_poll() != 0) return false;
    if (rt_is_string(v)) return add_string(text, v);
    if (rt_is_number(v)) return add_number(text, v);
    if (rt_is_pair(v) || v == RT_NIL) return add_list(out, v, depth + 1);
    if (rt_is_kind(v, RT_HASH_TABLE)) return add_table(out, v, depth + 1);
    if (rt_is_vector(v)) return add_vector(out, v, depth + 1);
    if (v == RT_TRUE || v == RT_FALSE) {
        rt_text_string(text, v == RT_TRUE ? "true" : "false");
        return true;
    }
    if (!rt_is_symbol(v)) return false;
    if (!rt_is_named(v, "null")) return add_symbol(text, v);
    rt_text_string(text, "null");
    return true;
}

/* RT_FALSE where add_json is false without an error. */
static rt_value written_up_to(rt_value v, size_t most, bool *is_longer) {
    output out = {{NULL, 0, 0}, most};
    if (add_json(&out, v, 0)) return rt_string_of_text(&out.text);
    bool is_lost = rt_text_is_lost(&out.text);
    *is_longer = out.text.size > most && !is_lost;
    rt_text_free(&out.text);
    if (rt_waiting.kind != RT_NOTHING) return RT_ERROR;
    return is_lost ? rt_fail_memory() : RT_FALSE;
}

/* The text of a value; #f if the library must write it. */
rt_value rt_json_written(rt_value v) {
    bool is_longer;
    rt_value text = written_up_to(v, UNCHECKED, &is_longer);
    if (text != RT_FALSE || !is_longer) return text;
    static const char writer[] = "json->string";
    rt_value name = rt_string_of_utf8(writer, sizeof writer - 1);
    int failed = rt_check_repeats(name, v);
    rt_free(name);
    return failed ? RT_ERROR : written_up_to(v, SIZE_MAX, &is_longer);
}
