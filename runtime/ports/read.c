/* read.c - `read`: the next datum of a port.
 *
 * The syntax and the messages are those of the reader of sources, lang/syntax/reader.py;
 * lang/interp/io/data_reader.py is this file's counterpart.  tests/support/lexical_rules.py holds
 * the three to one table.  Nesting takes frames, not C stack.
 *
 *     (a . #;b 'c)  =>  frames LIST, then LIST SKIP, then LIST PREFIX;  (a quote c)
 */
#include "ports/ports.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define LONGEST_LABEL 18   /* digits */
#define LAST_CODE_POINT 0x10ffff
#define MOST_DIMENSIONS 64   /* of a tensor */
#define NO_LABEL SIZE_MAX

typedef struct location { size_t line, column; } location;
typedef enum { LIST, VECTOR, BYTES, TENSOR, PREFIX, SKIP, LABEL } frame_kind;

/* An unfinished datum.  The items of a list, a vector, bytes or a tensor are the values from start
 * on; dots counts the dots among them, the first of which comes before the value first_dot.  label
 * is an index of labels, or NO_LABEL inside a datum comment; name is the symbol that a prefix
 * stands for. */
typedef struct frame {
    frame_kind kind;
    location at;
    size_t start, dots, first_dot, label;
    uint64_t number;
    location last_dot;
    const char *opening, *name;
} frame;

/* A datum label.  While its datum is being read, value is a placeholder. */
typedef struct label { uint64_t number; rt_value value; } label;

/* The position of a placeholder: a slot of an object that the patch owns. */
typedef struct patch { rt_value owner, *slot; } patch;

typedef struct reader {
    rt_port_object *port;
    frame *frames;
    size_t frame_count, frame_room;
    rt_value *values;
    size_t value_count, value_room;
    label *labels;
    size_t label_count, label_room;
    patch *patches;
    size_t patch_count, patch_room;
    size_t skipping;   /* how many frames are of kind SKIP: labels in them are ignored */
    rt_value result;   /* RT_ERROR until it is complete */
} reader;

/* Programs never see one. */
static rt_value placeholder(size_t index) { return RT_IMMEDIATE(index + 0x100); }
static bool is_placeholder(rt_value v) { return (v & 0xff) == 6 && v >= RT_IMMEDIATE(0x100); }
static size_t index_of(rt_value v) { return (size_t)(v >> 8) - 0x100; }

/* ---- Mistakes ------------------------------------------------------------ */

static location here(reader *r) {
    location at;
    rt_port_location(r->port, &at.line, &at.column);
    return at;
}

/* The text is moved in. */
static int fail_text(location at, rt_text *words) {
    rt_text message = {NULL, 0, 0};
    rt_text_string(&message, "read: ");
    rt_text_add(&message, words->bytes, words->size);
    rt_text_format(&message, " at line %zu, column %zu", at.line, at.column);
    rt_text_free(words);
    rt_fail_text(&message, NULL);
    rt_categorize_error(RT_READ_ERROR);
    return -1;
}

RT_PRINTF(2, 3) static int fail(location at, const char *format, ...) {
    rt_text words = {NULL, 0, 0};
    va_list arguments;
    va_start(arguments, format);
    rt_text_vformat(&words, format, arguments);
    va_end(arguments);
    return fail_text(at, &words);
}

/* `words`, and a piece of the text. */
static int fail_at(location at, const char *words, const char *piece, size_t size) {
    rt_text message = {NULL, 0, 0};
    rt_text_string(&message, words);
    rt_text_add(&message, piece, size);
    return fail_text(at, &message);
}

/* ---- Bytes --------------------------------------------------------------- */

static const unsigned char *bytes(const reader *r) {
    return (const unsigned char *)r->port->buffer.bytes + r->port->at;
}
static size_t have(const reader *r) { return r->port->buffer.size - r->port->at; }

/* The byte at an index from the next one; -1 at the end, -2 after an error. */
static int byte_at(reader *r, size_t index) {
    while (have(r) <= index) {
        int64_t more = rt_port_fill("read", r->port);
        if (more <= 0) return more < 0 ? -2 : -1;
    }
    return bytes(r)[index];
}

static bool is_blank(int c) { return c <= ' ' || c == 0x7f; }
static bool is_delimiter(int c) {
    switch (c) {
    case '(': case ')': case '[': case ']': case '"':
    case '\'': case ';': case '`': case ',': case '|':
        return true;
    default:
        return is_blank(c);
    }
}

/* Give up the next size bytes, which must be text. */
static int take(reader *r, size_t size) {
    if (!rt_port_is_text("read", r->port, size)) return -1;
    r->port->at += size;
    return 0;
}

/* How many bytes from an index on are not delimiters; -1 after an error. */
static int64_t word_end(reader *r, size_t index) {
    for (;; index++) {
        int c = byte_at(r, index);
        if (c == -2) return -1;
        if (c < 0 || is_delimiter(c)) return (int64_t)index;
    }
}

/* ---- Blanks and comments --------------------------------------------------- */

static int skip_line(reader *r) {
    size_t size = 0;
    int c;
    while ((c = byte_at(r, size)) >= 0 && c != '\n' && c != '\r') size++;
    return c == -2 ? -1 : take(r, size);
}

static int skip_nested_comment(reader *r, location start) {
    int depth = 1;
    size_t size = 2;
    while (depth > 0) {
        int c = byte_at(r, size), next = c == '#' || c == '|' ? byte_at(r, size + 1) : 0;
        if (c == -2 || next == -2) return -1;
        if (c < 0) return take(r, have(r)) != 0 ? -1 : fail(start, "unclosed #|");
        bool opens = c == '#' && next == '|', closes = c == '|' && next == '#';
        depth += opens - closes;
        size += opens || closes ? 2 : 1;
    }
    return take(r, size);
}

/* The next byte that is neither blank nor in a comment to the end of the line; -1 at the end, -2
 * after an error. */
static int skip_blanks(reader *r) {
    for (;;) {
        int c = byte_at(r, 0);
        if (c < 0) return c;
        if (is_blank(c)) r->port->at++;
        else if (c != ';') return c;
        else if (skip_line(r) != 0) return -2;
    }
}

/* ---- Frames -------------------------------------------------------------- */

static frame *innermost(reader *r) {
    return r->frame_count > 0 ? &r->frames[r->frame_count - 1] : NULL;
}

static frame *push_frame(reader *r, frame_kind kind, location at, const char *opening) {
    RT_GROW(r->frames, r->frame_count, r->frame_room);
    frame *added = &r->frames[r->frame_count++];
    *added = (frame){kind, at, r->value_count, 0, 0, NO_LABEL, 0, {0, 0}, opening, NULL};
    r->skipping += kind == SKIP;
    return added;
}

/* The error of a token without the datum that must follow it. */
static int fail_nothing_follows(const frame *f) {
    if (f->kind != LABEL) return fail(f->at, "nothing follows %s", f->opening);
    return fail(f->at, "nothing follows #%llu=", (unsigned long long)f->number);
}

static bool wants_datum(const frame *f) {
    return f != NULL && (f->kind == PREFIX || f->kind == SKIP || f->kind == LABEL);
}

/* ---- Structure, and the placeholders in it ------------------------------- */

static void note_slot(reader *r, rt_value owner, rt_value *slot) {
    if (!is_placeholder(*slot) || r->skipping > 0) return;
    RT_GROW(r->patches, r->patch_count, r->patch_room);
    r->patches[r->patch_count++] = (patch){rt_dup(owner), slot};
}

/* Both are moved in. */
static rt_value new_pair(reader *r, rt_value car, rt_value cdr) {
    rt_value pair = rt_cons(car, cdr);
    note_slot(r, pair, &rt_pair_of(pair)->car);
    note_slot(r, pair, &rt_pair_of(pair)->cdr);
    return pair;
}

static rt_value new_vector(reader *r, size_t count, const rt_value *items) {
    rt_value vector = rt_new_vector(count, items);
    for (size_t i = 0; i < count; i++) note_slot(r, vector, &rt_vector_of(vector)->items[i]);
    return vector;
}

static rt_value new_bytes(size_t count, const rt_value *items) {
    unsigned char *data = rt_malloc(count + 1);
    for (size_t i = 0; i < count; i++) data[i] = (unsigned char)rt_fixnum(items[i]);
    rt_value made = rt_new_bytes(count, data);
    free(data);
    return made;
}

static void fill_placeholders(reader *r) {
    for (size_t i = 0; i < r->patch_count; i++) {
        rt_value *slot = r->patches[i].slot, value = *slot;
        /* A label's datum may be a reference to another label. */
        while (is_placeholder(value)) value = r->labels[index_of(value)].value;
        rt_before_store(r->patches[i].owner, value);
        *slot = rt_dup(value);
    }
}

/* ---- A datum is complete ------------------------------------------------- */

static int finish_label(reader *r, const frame *f, rt_value v) {
    if (f->label == NO_LABEL) return 0;
    if (v == placeholder(f->label))
        return fail(f->at, "datum label #%llu= labels itself", (unsigned long long)f->number);
    r->labels[f->label].value = rt_dup(v);
    return 0;
}

static int fail_item(location at, const char *words, rt_value v) {
    if (is_placeholder(v) || rt_has_printed_elements(v)) return fail(at, "%s", words);
    rt_text message = {NULL, 0, 0};
    rt_text_format(&message, "%s: ", words);
    rt_show(&message, v, true);
    return fail_text(at, &message);
}

/* Check that the datum around it can hold an item. */
static int check_item(const frame *around, location at, rt_value v) {
    bool byte = rt_is_fixnum(v) && rt_fixnum(v) >= 0 && rt_fixnum(v) <= UINT8_MAX;
    if (around->kind == BYTES && !byte) return fail_item(at, "not a byte", v);
    if (around->kind == TENSOR && !rt_is_number(v) && !rt_is_boolean(v))
        return fail_item(at, "not a number or boolean", v);
    return 0;
}

static void add_value(reader *r, rt_value v) {
    RT_GROW(r->values, r->value_count, r->value_room);
    r->values[r->value_count++] = v;
}

/* Store v, the datum read at a location, as the result or as an item of the datum around it.  v is
 * moved in. */
static int deliver(reader *r, location at, rt_value v) {
    int status = 0;
    for (frame *f = innermost(r); wants_datum(f); f = innermost(r)) {
        r->frame_count--;
        at = f->at;
        if (f->kind == SKIP) {
            r->skipping--;
            rt_free(v);
            return 0;
        }
        if (f->kind == PREFIX) v = new_pair(r, rt_intern(f->name), new_pair(r, v, RT_NIL));
        else if ((status = finish_label(r, f, v)) != 0) break;
    }
    frame *around = innermost(r);
    if (status == 0 && around != NULL) status = check_item(around, at, v);
    if (status != 0) rt_free(v);
    else if (around == NULL) r->result = v;
    else add_value(r, v);
    return status;
}

static int note_dot(reader *r, location at) {
    frame *f = innermost(r);
    if (f == NULL || f->kind != LIST) return fail(at, "unexpected .");
    if (f->dots++ == 0) f->first_dot = r->value_count;
    f->last_dot = at;
    return 0;
}

/* A row is complete, and moved in: a row of the tensor around it, or a complete tensor. */
static int deliver_row(reader *r, location start, rt_value row) {
    const frame *around = innermost(r);
    if (around != NULL && around->kind == TENSOR) {
        add_value(r, row);
        return 0;
    }
    if (r->skipping > 0) return deliver(r, start, row);
    struct ct_tensor *tensor;
    rt_text problem = {NULL, 0, 0};
    rt_text_add(&problem, "", 0);
    int status = rt_tensors->make(row, &tensor, &problem);
    rt_free(row);
    if (status != 0) return fail_text(start, &problem);
    rt_text_free(&problem);
    return deliver(r, start, rt_of_tensor(tensor));
}

static int close_bracket(reader *r, location at, char found) {
    frame *f = innermost(r);
    if (f == NULL) return fail(at, "unexpected %c", found);
    if (wants_datum(f)) return fail_nothing_follows(f);
    if (found != (f->kind == TENSOR ? ']' : ')'))
        return fail(at, "%s opened at %zu:%zu is closed by %c", f->opening, f->at.line,
                    f->at.column, found);
    bool misplaced = f->dots > 1 || (f->dots == 1 && (f->first_dot == f->start ||
                                                      f->first_dot + 1 != r->value_count));
    if (misplaced) return fail(f->last_dot, "unexpected .");
    rt_value *items = r->values + f->start, made;
    size_t count = r->value_count - f->start;
    frame_kind kind = f->kind;
    if (kind == VECTOR || kind == TENSOR) {
        made = new_vector(r, count, items);
    } else if (kind == BYTES) {
        made = new_bytes(count, items);
    } else {
        made = f->dots > 0 ? items[--count] : RT_NIL;
        while (count > 0) made = new_pair(r, items[--count], made);
    }
    r->value_count = f->start;
    location start = f->at;
    r->frame_count--;
    return kind == TENSOR ? deliver_row(r, start, made) : deliver(r, start, made);
}

static int fail_at_end(reader *r) {
    const frame *f = innermost(r);
    return wants_datum(f) ? fail_nothing_follows(f) : fail(f->at, "unclosed %s", f->opening);
}

/* ---- Strings, and symbols between bars ----------------------------------- */

static void advance(location *at, const char *from, const char *to) {
    while (from < to) {
        bool line_end = rt_utf8_next(&from, to) == '\n';
        at->line += line_end;
        at->column = line_end ? 1 : at->column + 1;
    }
}

static int hex_value(int c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The character with a hexadecimal code, which may have too many digits. */
static int code_of(location at, const char *digits, const char *end, uint32_t *code) {
    uint32_t value = 0;
    for (const char *c = digits; c < end && value <= LAST_CODE_POINT; c++)
        value = 16 * value + (uint32_t)hex_value(*c);
    if (value > LAST_CODE_POINT || (value >= 0xd800 && value < 0xe000))
        return fail(at, "not a character: x%.*s", (int)(end - digits), digits);
    *code = value;
    return 0;
}

/* The text after a line end: "\n", "\r\n" or "\r". */
static const char *after_line_end(const char *at, const char *end) {
    return at + (end - at > 1 && at[0] == '\r' && at[1] == '\n' ? 2 : 1);
}

/* A `\`, blanks, a line end and blanks stand for nothing; returns the end of them, or NULL. */
static const char *line_continuation(const char *at, const char *end) {
    while (at < end && (*at == ' ' || *at == '\t')) at++;
    if (at == end || (*at != '\n' && *at != '\r')) return NULL;
    for (at = after_line_end(at, end); at < end && (*at == ' ' || *at == '\t');) at++;
    return at;
}

/* Append the character of the escape after a backslash, and step over it.  *where is the location
   of *counted, before the backslash; they move on, so that a token is counted only once. */
static int add_escape(rt_text *text, location *where, const char **counted, const char **at,
                      const char *end) {
    static const char letters[] = "abtnr\"\\|", meanings[] = "\a\b\t\n\r\"\\|";
    const char *escape = *at, *continued = line_continuation(escape, end);
    if (continued != NULL) {
        *at = continued;
        return 0;
    }
    const char *found = *escape != '\0' ? strchr(letters, *escape) : NULL;
    if (found != NULL) {
        rt_text_add(text, &meanings[found - letters], 1);
        *at = escape + 1;
        return 0;
    }
    advance(where, *counted, escape - 1);
    *counted = escape - 1;
    const char *digits_end = escape + 1;
    while (digits_end < end && hex_value(*digits_end) >= 0) digits_end++;
    if (*escape == 'x' && digits_end > escape + 1 && digits_end < end && *digits_end == ';') {
        uint32_t code;
        if (code_of(*where, escape + 1, digits_end, &code) != 0) return -1;
        rt_text_char(text, code);
        *at = digits_end + 1;
        return 0;
    }
    const char *next = escape;
    rt_utf8_next(&next, end);
    return fail_at(*where, "unknown escape: \\", escape, (size_t)(next - escape));
}

/* The text from a delimiter to the next one, without the delimiters. */
static int read_delimited(reader *r, location start, char delimiter, rt_text *text) {
    size_t size = 1;
    for (;; size++) {
        int c = byte_at(r, size);
        if (c == -2) return -1;
        if (c < 0) return fail(start, "unclosed %c", delimiter);
        if (c == delimiter) break;
        if (c == '\\') size++;
    }
    if (!rt_port_is_text("read", r->port, size + 1)) return -1;
    const char *token = (const char *)bytes(r), *at = token + 1, *end = token + size;
    const char *counted = token;
    location where = start;
    rt_text_add(text, "", 0);
    while (at < end) {
        const char *plain = at;
        while (at < end && *at != '\\' && *at != '\r') at++;
        rt_text_add(text, plain, (size_t)(at - plain));
        if (at == end) break;
        if (*at == '\r') {
            rt_text_add(text, "\n", 1);
            at = after_line_end(at, end);
            continue;
        }
        at++;
        if (add_escape(text, &where, &counted, &at, end) != 0) return -1;
    }
    r->port->at += size + 1;
    return 0;
}

static int read_string(reader *r, location start, char delimiter) {
    rt_text text = {NULL, 0, 0};
    if (read_delimited(r, start, delimiter, &text) != 0) {
        rt_text_free(&text);
        return -1;
    }
    rt_value made = delimiter == '"' ? rt_string_of_utf8(text.bytes, text.size)
                                     : rt_intern_sized(text.bytes, text.size);
    rt_text_free(&text);
    return deliver(r, start, made);
}

/* ---- Characters ---------------------------------------------------------- */

typedef struct character_name { const char *name; uint32_t code; } character_name;

static bool code_of_name(const char *name, size_t size, uint32_t *code) {
    static const character_name names[] = {
        {"alarm", 7}, {"backspace", 8}, {"delete", 0x7f}, {"escape", 0x1b}, {"newline", '\n'},
        {"null", 0}, {"return", '\r'}, {"space", ' '}, {"tab", '\t'}, {"nul", 0},
        {"altmode", 0x1b}, {"rubout", 0x7f}, {"linefeed", '\n'}, {"page", '\f'},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strlen(names[i].name) != size || memcmp(names[i].name, name, size) != 0) continue;
        *code = names[i].code;
        return true;
    }
    return false;
}

/* Append a word, folded if the port folds case. */
static void add_word(const reader *r, rt_text *text, const char *word, size_t size) {
    const char *at = word, *end = word + size;
    rt_text_add(text, "", 0);
    if (!r->port->folds_case) rt_text_add(text, word, size);
    while (r->port->folds_case && at < end) {
        uint32_t folded[RT_LONGEST_EXPANSION];
        int count = rt_foldcase_fully(rt_utf8_next(&at, end), folded);
        for (int i = 0; i < count; i++) rt_text_char(text, folded[i]);
    }
}

static int find_character(reader *r, location start, const char *token, size_t size, uint32_t *code) {
    const char *name = token + 2, *end = token + size, *next = name;
    *code = rt_utf8_next(&next, end);
    if (next == end) return 0;
    rt_text folded = {NULL, 0, 0};
    add_word(r, &folded, name, size - 2);
    bool found = code_of_name(folded.bytes, folded.size, code);
    rt_text_free(&folded);
    if (found) return 0;
    const char *digit = name + 1;
    while (*name == 'x' && digit < end && hex_value(*digit) >= 0) digit++;
    if (*name == 'x' && digit == end) return code_of(start, name + 1, end, code);
    return fail_at(start, "unknown character name: ", token, size);
}

static int read_character(reader *r, location start) {
    static const unsigned char sizes[] = {2, 2, 3, 4};
    int first = byte_at(r, 2);
    if (first == -2) return -1;
    if (first < 0) return fail(start, "unknown syntax: #\\");
    size_t shortest = 2 + (first < 0xc0 ? 1u : (size_t)sizes[(first - 0xc0) >> 4]);
    int64_t size = word_end(r, shortest);
    if (size < 0) return -1;
    if ((size_t)size > have(r)) size = (int64_t)have(r);   /* the character is incomplete */
    if (!rt_port_is_text("read", r->port, (size_t)size)) return -1;
    uint32_t code;
    if (find_character(r, start, (const char *)bytes(r), (size_t)size, &code) != 0) return -1;
    r->port->at += (size_t)size;
    return deliver(r, start, RT_CHAR(code));
}

/* ---- Words --------------------------------------------------------------- */

/* Whether a word equals another one in lower case, without regard to the word's case. */
static bool is_word(const char *word, size_t size, const char *other) {
    if (strlen(other) != size) return false;
    for (size_t i = 0; i < size; i++) {
        bool capital = word[i] >= 'A' && word[i] <= 'Z';
        if ((capital ? word[i] - 'A' + 'a' : word[i]) != other[i]) return false;
    }
    return true;
}

static int refuse_hash(location at, const char *word, size_t size) {
    bool number = size > 1 && strchr("bodxeiBODXEI", word[1]) != NULL;
    return fail_at(at, number ? "bad number: " : "unknown syntax: ", word, size);
}

static rt_value symbol_of(const reader *r, const char *word, size_t size) {
    rt_text text = {NULL, 0, 0};
    add_word(r, &text, word, size);
    rt_value made = text.bytes[0] == ':' && text.size > 1
                        ? rt_intern_keyword_sized(text.bytes + 1, text.size - 1)
                        : rt_intern_sized(text.bytes, text.size);
    rt_text_free(&text);
    return made;
}

/* The value of a word, or RT_ERROR after an error. */
static rt_value value_of_word(const reader *r, location at, const char *word, size_t size) {
    rt_value made;
    if (is_word(word, size, "#t") || is_word(word, size, "#true")) return RT_TRUE;
    if (is_word(word, size, "#f") || is_word(word, size, "#false")) return RT_FALSE;
    if (strchr("+-.#0123456789", *word) != NULL) {   /* no other word is a number */
        made = rt_parse_number(word, size, 10);
        if (made != RT_FALSE) return made;
        if (rt_has_zero_denominator(word, size)) fail_at(at, "division by zero: ", word, size);
        else if (rt_is_complex_text(word, size))
            fail_at(at, "complex numbers are not supported: ", word, size);
        else if (*word == '#') refuse_hash(at, word, size);
        else return symbol_of(r, word, size);
        return RT_ERROR;
    }
    return symbol_of(r, word, size);
}

static int read_word(reader *r, location start) {
    int64_t size = word_end(r, 0);
    if (size < 0 || !rt_port_is_text("read", r->port, (size_t)size)) return -1;
    const char *word = (const char *)bytes(r);
    if (is_word(word, (size_t)size, ".")) {
        r->port->at++;
        return note_dot(r, start);
    }
    rt_value v = value_of_word(r, start, word, (size_t)size);
    if (v == RT_ERROR) return -1;
    r->port->at += (size_t)size;
    return deliver(r, start, v);
}

/* ---- What begins with # -------------------------------------------------- */

static size_t find_label(const reader *r, uint64_t number) {
    /* Labels are usually numbered in order. */
    if (number < r->label_count && r->labels[number].number == number) return (size_t)number;
    size_t index = 0;
    while (index < r->label_count && r->labels[index].number != number) index++;
    return index;
}

/* `#12=`: the label of what follows. */
static int define_label(reader *r, location start, uint64_t number) {
    size_t index = r->skipping > 0 ? NO_LABEL : find_label(r, number);
    if (index < r->label_count)
        return fail(start, "datum label #%llu= is given twice", (unsigned long long)number);
    frame *f = push_frame(r, LABEL, start, "");
    f->number = number;
    f->label = index;
    if (index == NO_LABEL) return 0;
    RT_GROW(r->labels, r->label_count, r->label_room);
    r->labels[r->label_count++] = (label){number, placeholder(index)};
    return 0;
}

/* `#12#`: the datum with that label. */
static int refer_to_label(reader *r, location start, uint64_t number) {
    if (r->skipping > 0) return deliver(r, start, placeholder(0));
    size_t index = find_label(r, number);
    if (index == r->label_count)
        return fail(start, "unknown datum label: #%llu#", (unsigned long long)number);
    return deliver(r, start, rt_dup(r->labels[index].value));
}

/* Whether there is a label here; if so, it is read, and *status says whether that failed. */
static bool try_label(reader *r, location start, int *status) {
    uint64_t number = 0;
    size_t size = 1;
    int c;
    for (; (c = byte_at(r, size)) >= '0' && c <= '9' && size <= LONGEST_LABEL; size++)
        number = 10 * number + (uint64_t)(c - '0');
    if (size == 1 || (c != '=' && c != '#')) return false;
    r->port->at += size + 1;
    if (r->frame_count > 0 && r->frames[r->frame_count - 1].kind == BYTES)
        *status = fail(start, "not a byte");
    else
        *status = c == '=' ? define_label(r, start, number) : refer_to_label(r, start, number);
    return true;
}

static bool stands_here(reader *r, const char *text) {
    for (size_t i = 0; text[i] != '\0'; i++)
        if (byte_at(r, i) != (unsigned char)text[i]) return false;
    return true;
}

/* `#!fold-case` and `#!no-fold-case`. */
static bool try_directive(reader *r) {
    int64_t size = word_end(r, 0);
    bool folds = size == 11 && stands_here(r, "#!fold-case");
    bool keeps = size == 14 && stands_here(r, "#!no-fold-case");
    if (!folds && !keeps) return false;
    r->port->folds_case = folds;
    r->port->at += (size_t)size;
    return true;
}

static int open_hash(reader *r, frame_kind kind, location start, const char *opening) {
    r->port->at += strlen(opening);
    push_frame(r, kind, start, opening);
    return 0;
}

static int open_tensor(reader *r, location start) {
    size_t depth = 0;
    while (depth < r->frame_count && r->frames[r->frame_count - 1 - depth].kind == TENSOR) depth++;
    if (depth == MOST_DIMENSIONS)
        return fail(start, "a tensor has at most %d dimensions", MOST_DIMENSIONS);
    if (rt_tensors == NULL && r->skipping == 0)
        return fail(start, "this program has no tensors, but here is one");
    return open_hash(r, TENSOR, start, "[");
}

/* of_syntax: whether # stands before the mark, whose character is c. */
static int read_prefix(reader *r, location start, int c, bool of_syntax) {
    int next = c == ',' ? byte_at(r, of_syntax ? 2 : 1) : 0;
    if (next == -2) return -1;
    static const char *const marks[] = {"'", "`", ",", ",@", "#'", "#`", "#,", "#,@"};
    static const char *const names[] = {"quote", "quasiquote", "unquote", "unquote-splicing",
                                        "syntax", "quasisyntax", "unsyntax", "unsyntax-splicing"};
    int which = (c == '\'' ? 0 : c == '`' ? 1 : next == '@' ? 3 : 2) + (of_syntax ? 4 : 0);
    r->port->at += strlen(marks[which]);
    push_frame(r, PREFIX, start, marks[which])->name = names[which];
    return 0;
}

static int read_hash(reader *r, location start) {
    int status, next = byte_at(r, 1);
    switch (next) {
    case -2: return -1;
    case '(': return open_hash(r, VECTOR, start, "#(");
    case ';': return open_hash(r, SKIP, start, "#;");
    case '|': return skip_nested_comment(r, start);
    case '\\': return read_character(r, start);
    case '\'': case '`': case ',': return read_prefix(r, start, next, true);
    case '!':
        if (try_directive(r)) return 0;
        break;
    case 'u':
    case 'U':
        if (stands_here(r, "#u8(") || stands_here(r, "#U8(")) return open_hash(r, BYTES, start, "#u8(");
        break;
    default:
        if (next >= '0' && next <= '9' && try_label(r, start, &status)) return status;
    }
    return read_word(r, start);
}

/* ---- The next token ------------------------------------------------------ */

static int read_token(reader *r, int c) {
    location start = here(r);
    switch (c) {
    case '(': return open_hash(r, LIST, start, "(");
    case '[': return open_tensor(r, start);
    case ')': case ']':
        r->port->at++;
        return close_bracket(r, start, (char)c);
    case '\'': case '`': case ',': return read_prefix(r, start, c, false);
    case '"': case '|': return read_string(r, start, (char)c);
    case '#': return read_hash(r, start);
    default: return read_word(r, start);
    }
}

/* ---- Reading ------------------------------------------------------------- */

static void clear(reader *r) {
    for (size_t i = 0; i < r->patch_count; i++) rt_free(r->patches[i].owner);
    for (size_t i = 0; i < r->label_count; i++)
        if (!is_placeholder(r->labels[i].value)) rt_free(r->labels[i].value);
    rt_free_all(r->value_count, r->values);
    free(r->patches);
    free(r->labels);
    free(r->values);
    free(r->frames);
}

rt_value rt_read(rt_value v) {
    reader r = {0};
    r.port = rt_input("read", v, false);
    if (r.port == NULL) return RT_ERROR;
    r.result = RT_ERROR;
    int status = 0;
    while (status == 0 && r.result == RT_ERROR) {
        int c = skip_blanks(&r);
        if (c >= 0) status = read_token(&r, c);
        else if (c == -1 && r.frame_count == 0) r.result = RT_EOF;
        else status = c == -1 ? fail_at_end(&r) : -1;
    }
    if (status == 0) fill_placeholders(&r);
    clear(&r);
    return r.result;
}

/* Make a value and all that it contains immortal; it may be circular. */
static void make_immortal(rt_value v) {
    rt_value *waiting = NULL;
    size_t count = 0, room = 0;
    for (;;) {
        if (rt_is_object(v) && rt_object_of(v)->count < RT_IMMORTAL) {
            size_t elements = rt_is_pair(v) ? 2 : rt_printed_count(v);
            for (size_t i = 0; i < elements; i++) {
                RT_GROW(waiting, count, room);
                waiting[count++] =
                    rt_is_pair(v) ? (&rt_pair_of(v)->cdr)[i] : rt_printed_element(v, i);
            }
            rt_make_immortal(v);
        }
        if (count == 0) break;
        v = waiting[--count];
    }
    free(waiting);
}

rt_value rt_literal_read(const char *utf8, size_t size) {
    rt_value text = rt_string_of_utf8(utf8, size), port = rt_open_input_string(text);
    rt_value made = rt_read(port);
    rt_free(port);
    rt_free(text);
    make_immortal(made);
    return made;
}
