/* print.c - the text that display and write print.  It is the same as the interpreter's, byte for
 * byte; the rules are in lang/syntax/text.py.
 */
#include "rt_internal.h"

#include <stdlib.h>

#define SHOWN_CHARACTERS 60   /* in messages */
#define MOST_DIGITS 20        /* of a fixnum, with its sign */
#define SHOWN_ENTRIES 20      /* of a hash table, as in lang/interp/io/printing.py */

/* A value whose elements are being printed.  For a list, rest is its remaining tail; for any other
 * value, rest is the value, and next is the index of the next element. */
typedef struct frame { rt_value rest; size_t next; bool list; } frame;

/* With a limit, printing stops soon after the text has grown past it: messages show the beginning
 * of large and circular values.  Nesting takes frames, not C stack. */
typedef struct printer {
    rt_text *text;
    bool write;
    size_t limit;
    rt_labels *labels;   /* NULL if there are no labels */
    frame *frames;
    size_t count, room;
} printer;

/* ---- Characters, strings and symbols --------------------------------------- */

static bool is_control(uint32_t code) { return code < ' ' || code == 0x7f; }

static void add_escaped(rt_text *text, uint32_t code, char delimiter) {
    static const char plain[] = "\a\b\t\n\r\\", letter[] = "abtnr\\";
    const char *found = code != 0 && code < 0x80 ? strchr(plain, (int)code) : NULL;
    if (code == (unsigned char)delimiter) rt_text_format(text, "\\%c", delimiter);
    else if (found != NULL) rt_text_format(text, "\\%c", letter[found - plain]);
    else if (is_control(code)) rt_text_format(text, "\\x%x;", (unsigned)code);
    else rt_text_char(text, code);
}

/* Whether a byte stands for itself in the text of a string. */
static bool is_plain(unsigned char c) { return c >= ' ' && c < 0x7f && c != '"' && c != '\\'; }

static void write_string(rt_text *text, const rt_string_object *string) {
    rt_text_add(text, "\"", 1);
    for (size_t i = 0; i < string->length;) {
        size_t plain = i;
        while (string->object.extra == 1 && plain < string->length && is_plain(string->data[plain]))
            plain++;
        rt_text_add(text, (const char *)string->data + i, plain - i);
        if (plain < string->length) add_escaped(text, rt_string_at(string, plain++), '"');
        i = plain;
    }
    rt_text_add(text, "\"", 1);
}

static const char *character_name(uint32_t code) {
    switch (code) {
    case 0x07: return "alarm";
    case 0x08: return "backspace";
    case 0x7f: return "delete";
    case 0x1b: return "escape";
    case '\n': return "newline";
    case 0x00: return "null";
    case '\r': return "return";
    case ' ': return "space";
    case '\t': return "tab";
    case '\f': return "page";
    default: return NULL;
    }
}

static void write_character(rt_text *text, uint32_t code) {
    const char *name = character_name(code);
    rt_text_string(text, "#\\");
    if (name != NULL) rt_text_string(text, name);
    else if (is_control(code)) rt_text_format(text, "x%x", (unsigned)code);
    else rt_text_char(text, code);
}

/* ---- Symbols ------------------------------------------------------------- */

static bool is_plain_symbol(const char *name, size_t size) {
    if (size == 0 || (size == 1 && *name == '.')) return false;
    if (*name == '#' || *name == ':') return false;
    if (size >= 3 && memcmp(name, "\xef\xbb\xbf", 3) == 0) return false; /* a byte order mark */
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)name[i];
        if (rt_is_between(c | 0x20, 'a', 'z') || c == '-') continue;
        if (c <= ' ' || c == 0x7f || strchr("()[]\"';`,|\\", c) != NULL) return false;
    }
    /* Only these can begin a number: other symbols are not parsed. */
    bool digit_first = strchr("+-.0123456789", *name) != NULL;
    return !digit_first || !rt_reads_as_number(name, size);
}

static void write_symbol(rt_text *text, const rt_symbol_object *symbol) {
    if (is_plain_symbol(symbol->text, symbol->size)) {
        rt_text_add(text, symbol->text, symbol->size);
        return;
    }
    rt_text_string(text, "|");
    const char *at = symbol->text, *end = at + symbol->size;
    while (at < end) add_escaped(text, rt_utf8_next(&at, end), '|');
    rt_text_string(text, "|");
}

/* ---- Values with elements -------------------------------------------------- */

static size_t shown_entries(rt_value table) {
    return rt_table_size(table) < SHOWN_ENTRIES ? rt_table_size(table) : SHOWN_ENTRIES;
}

static size_t named_fields(const rt_record_object *record) {
    rt_value names = rt_record_type_of(record->type)->fields;
    size_t count = names == RT_FALSE ? 0 : rt_vector_of(names)->length;
    while (count > 0 && rt_vector_of(names)->items[count - 1] == RT_FALSE) count--;
    return count;
}

/* The elements of all values except pairs, in the order in which they are printed. */
size_t rt_printed_count(rt_value v) {
    size_t count;
    if (rt_is_vector(v)) return rt_vector_size(v);
    if (rt_is_values(v)) return rt_values_in(rt_object_of(v), &count), count;
    if (rt_is_kind(v, RT_HASH_TABLE)) return 2 * shown_entries(v);
    return rt_is_kind(v, RT_RECORD) ? named_fields(rt_record_of(v)) : 0;   /* not a module */
}

rt_value rt_printed_element(rt_value v, size_t index) {
    size_t count;
    if (rt_is_vector(v)) return rt_vector_item(v, index);
    if (rt_is_values(v)) return rt_values_in(rt_object_of(v), &count)[index];
    if (rt_is_kind(v, RT_RECORD)) return rt_record_of(v)->fields[index];
    return rt_table_entry(v, index / 2)[index % 2];
}

bool rt_has_printed_elements(rt_value v) {
    return rt_is_pair(v) || rt_is_vector(v) || rt_is_values(v) ||
           (rt_is_kind(v, RT_RECORD) && !rt_is_module(v)) || rt_is_kind(v, RT_HASH_TABLE);
}

/* The text before the elements, before the element at an index, and after the last one. */
static void show_opening(printer *to, rt_value v) {
    if (rt_is_kind(v, RT_RECORD)) {
        rt_text_string(to->text, "#<");
        rt_text_symbol(to->text, rt_record_type_name(rt_record_of(v)->type));
    } else if (rt_is_kind(v, RT_HASH_TABLE)) {
        rt_text_string(to->text, "#<hash-table");
    } else {
        rt_text_string(to->text, rt_is_values(v) ? "#<values" : "#(");
    }
}

static void show_before_element(printer *to, rt_value v, size_t index) {
    if (rt_is_kind(v, RT_HASH_TABLE)) {
        rt_text_string(to->text, index % 2 == 0 ? " " : ": ");
        return;
    }
    if (index > 0 || !rt_is_vector(v)) rt_text_string(to->text, " ");
    if (!rt_is_kind(v, RT_RECORD)) return;
    rt_value names = rt_record_type_of(rt_record_of(v)->type)->fields;
    rt_text_symbol(to->text, rt_vector_of(names)->items[index]);
    rt_text_string(to->text, ": ");
}

static void show_closing(printer *to, rt_value v) {
    if (rt_is_kind(v, RT_HASH_TABLE) && rt_table_size(v) > shown_entries(v))
        rt_text_format(to->text, " ... %zu more", rt_table_size(v) - shown_entries(v));
    rt_text_string(to->text, rt_is_vector(v) ? ")" : ">");
}

/* ---- Values without elements --------------------------------------------- */

static void show_bytes(const printer *to, const rt_bytes_object *bytes) {
    rt_text_string(to->text, "#u8(");
    for (size_t i = 0; i < bytes->length && to->text->size < to->limit; i++)
        rt_text_format(to->text, i > 0 ? " %d" : "%d", bytes->data[i]);
    rt_text_string(to->text, ")");
}

static void show_procedure(rt_text *text, const rt_closure_object *closure) {
    const char *name = closure->function->name;
    if (name == NULL) rt_text_string(text, "#<procedure>");
    else rt_text_format(text, "#<procedure %s>", name);
}

static void show_condition(rt_text *text, const rt_condition *condition) {
    rt_text_string(text, "#<error ");
    rt_text_condition(text, condition);
    rt_text_string(text, ">");
}

static const char *name_of_immediate(rt_value v) {
    switch (v) {
    case RT_FALSE: return "#f";
    case RT_TRUE: return "#t";
    case RT_NIL: return "()";
    case RT_ABSENT: return "#<absent>";
    case RT_EOF: return "#<eof>";
    default: return "#<unspecified>";
    }
}

static void show_object(const printer *to, rt_value v) {
    switch ((rt_kind)rt_object_of(v)->kind) {
    case RT_PAIR: case RT_VECTOR: case RT_DOUBLES: case RT_VALUES: case RT_TWO_VALUES:
    case RT_RECORD: case RT_HASH_TABLE:
        break;   /* they have elements */
    case RT_DOUBLE: break;   /* some have no object: show_atom */
    case RT_BYTES: show_bytes(to, rt_bytes_of(v)); break;
    case RT_INTEGER: case RT_RATIO: rt_text_exact(to->text, v, 10); break;
    case RT_STRING:
        if (to->write) write_string(to->text, rt_string_of(v));
        else rt_text_lisp_string(to->text, v);
        break;
    case RT_SYMBOL:
        if (to->write) write_symbol(to->text, rt_symbol_of(v));
        else rt_text_add(to->text, rt_symbol_of(v)->text, rt_symbol_of(v)->size);
        break;
    case RT_KEYWORD:
        rt_text_string(to->text, ":");
        rt_text_add(to->text, rt_symbol_of(v)->text, rt_symbol_of(v)->size);
        break;
    case RT_CLOSURE: show_procedure(to->text, (rt_closure_object *)rt_object_of(v)); break;
    case RT_CELL: rt_text_string(to->text, "#<cell>"); break;
    case RT_PORT: rt_text_string(to->text, "#<port>"); break;
    case RT_RECORD_TYPE:
        rt_text_string(to->text, "#<record-type ");
        rt_text_symbol(to->text, rt_record_type_name(v));
        rt_text_string(to->text, ">");
        break;
    case RT_CONDITION: show_condition(to->text, (const rt_condition *)rt_object_of(v)); break;
    case RT_CAUGHT: rt_text_string(to->text, "#<caught>"); break;
    case RT_FOREIGN: {
        const rt_foreign_object *foreign = rt_foreign_of(v);
        rt_text_string(to->text, foreign->kind->text(foreign->thing));
        break;
    }
    }
}

static void add_fixnum(rt_text *text, int64_t n) {
    char digits[MOST_DIGITS];
    size_t at = sizeof digits;
    uint64_t left = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
    do digits[--at] = (char)('0' + left % 10);
    while ((left /= 10) > 0);
    if (n < 0) digits[--at] = '-';
    rt_text_add(text, digits + at, sizeof digits - at);
}

static int show_atom(const printer *to, rt_value v) {
    if (rt_is_fixnum(v)) {
        add_fixnum(to->text, rt_fixnum(v));
    } else if (rt_is_tensor(v)) {
        return rt_tensors->show(to->text, rt_tensor(v), to->write);
    } else if (rt_is_module(v)) {
        return rt_show_module(to->text, v);
    } else if (rt_is_double(v)) {
        rt_text_double(to->text, rt_double(v));
    } else if (rt_is_object(v)) {
        show_object(to, v);
    } else if (rt_is_char(v)) {
        if (to->write) write_character(to->text, rt_char_code(v));
        else rt_text_char(to->text, rt_char_code(v));
    } else {
        rt_text_string(to->text, name_of_immediate(v));
    }
    return 0;
}

/* ---- Everything ---------------------------------------------------------- */

static void push(printer *to, rt_value rest, bool list) {
    RT_GROW(to->frames, to->count, to->room);
    to->frames[to->count++] = (frame){rest, 0, list};
}

/* The prefix that abbreviates (quote x), (quasiquote x) ...; NULL for other lists. */
static const char *abbreviation(const printer *to, rt_value list) {
    static const char *const names[] = {"quote", "quasiquote", "unquote", "unquote-splicing"};
    static const char *const marks[] = {"'", "`", ",", ",@"};
    rt_value head = rt_pair_of(list)->car, rest = rt_pair_of(list)->cdr;
    if (!rt_is_symbol(head) || !rt_is_pair(rest) || rt_pair_of(rest)->cdr != RT_NIL) return NULL;
    if (rt_has_label(to->labels, rest)) return NULL;
    for (int i = 0; i < 4; i++)
        if (rt_is_named(head, names[i])) return marks[i];
    return NULL;
}

/* Whether a value's text begins with @: `, @x` is not `,@x`. */
static bool begins_with_at(const printer *to, rt_value v) {
    if (rt_is_symbol(v)) return rt_symbol_of(v)->text[0] == '@' &&
                                (!to->write || is_plain_symbol(rt_symbol_of(v)->text,
                                                               rt_symbol_of(v)->size));
    if (to->write) return false;
    if (rt_is_string(v)) return rt_string_of(v)->length > 0 && rt_string_at(rt_string_of(v), 0) == '@';
    return v == RT_CHAR('@');
}

/* Print a value, or only its beginning: then a frame waits for the rest. */
static int begin(printer *to, rt_value v) {
    for (;;) {
        if (!rt_has_printed_elements(v)) return show_atom(to, v);
        if (!rt_print_label(to->labels, to->text, v)) return 0;
        const char *mark = rt_is_pair(v) ? abbreviation(to, v) : NULL;
        if (mark == NULL) break;
        rt_text_string(to->text, mark);
        v = rt_pair_of(rt_pair_of(v)->cdr)->car;
        if (begins_with_at(to, v)) rt_text_string(to->text, " ");
    }
    if (rt_is_pair(v)) rt_text_string(to->text, "(");
    else show_opening(to, v);
    push(to, v, rt_is_pair(v));
    return 0;
}

/* Continue a frame's list: its next element, or the value after the dot, or its end. */
static int go_on_with_list(printer *to, frame *at) {
    rt_value rest = at->rest;
    if (rest == RT_NIL) {
        rt_text_string(to->text, ")");
        to->count--;
        return 0;
    }
    bool element = rt_is_pair(rest) && (at->next == 0 || !rt_has_label(to->labels, rest));
    if (at->next++ > 0) rt_text_string(to->text, element ? " " : " . ");
    at->rest = element ? rt_pair_of(rest)->cdr : RT_NIL;
    return begin(to, element ? rt_pair_of(rest)->car : rest);
}

static int go_on_with_parts(printer *to, frame *at) {
    rt_value container = at->rest;
    size_t index = at->next++;
    if (index == rt_printed_count(container)) {
        show_closing(to, container);
        to->count--;
        return 0;
    }
    show_before_element(to, container, index);
    return begin(to, rt_printed_element(container, index));
}

static int show(printer *to, rt_value v) {
    int status = begin(to, v);
    while (status == 0 && to->count > 0 && to->text->size < to->limit) {
        frame *at = &to->frames[to->count - 1];
        status = at->list ? go_on_with_list(to, at) : go_on_with_parts(to, at);
        if (status == 0) status = rt_poll();
    }
    free(to->frames);
    return status;
}

int rt_show_as(rt_text *text, rt_value v, rt_style style) {
    rt_labels *labels = NULL;
    if (rt_has_printed_elements(v) && style != RT_SIMPLE)
        labels = rt_find_labels(v, style == RT_SHARED);
    printer to = {text, style != RT_DISPLAY, SIZE_MAX, labels, NULL, 0, 0};
    int status = show(&to, v);
    rt_free_labels(labels);
    return status;
}

int rt_show(rt_text *text, rt_value v, bool write) {
    return rt_show_as(text, v, write ? RT_WRITE : RT_DISPLAY);
}

/* Cut the text after SHOWN_CHARACTERS characters from start. */
static void cut(rt_text *text, size_t start) {
    const char *at = text->bytes + start, *end = text->bytes + text->size;
    for (int i = 0; i < SHOWN_CHARACTERS && at < end; i++) rt_utf8_next(&at, end);
    if (at == end) return;
    text->size = (size_t)(at - text->bytes);
    rt_text_string(text, "...");
}

void rt_describe(rt_text *text, rt_value v) {
    if (rt_is_tensor(v)) {
        rt_tensors->describe(text, rt_tensor(v));
    } else if (rt_is_procedure(v)) {
        rt_text_string(text, "a procedure");
    } else if (rt_is_module(v)) {
        rt_text_string(text, "a module, ");
        rt_text_symbol(text, rt_record_type_name(rt_record_of(v)->type));
    } else {
        size_t start = text->size;
        printer to = {text, true, start + 4 * (SHOWN_CHARACTERS + 1), NULL, NULL, 0, 0};
        if (show(&to, v) != 0) rt_text_string(text, "...");
        cut(text, start);
    }
}
