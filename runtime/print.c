/* print.c - what display and write print.  The same text as the interpreter's, to the byte; its
 * rules are in lang/syntax/text.py.
 */
#include "rt_internal.h"

#define SHOWN_CHARACTERS 60   /* in messages */

/* With a limit, printing stops soon after the text has grown past it: messages show the beginning
 * of a value however large, also of a circular one. */
typedef struct printer {
    rt_text *text;
    bool write;
    size_t limit;
} printer;

static int show(const printer *to, rt_value v);

/* ---- Characters and what is made of them --------------------------------- */

static bool is_control(uint32_t code) { return code < ' ' || code == 0x7f; }

static void add_escaped(rt_text *text, uint32_t code, char delimiter) {
    static const char plain[] = "\a\b\t\n\r\\", letter[] = "abtnr\\";
    const char *found = code != 0 && code < 0x80 ? strchr(plain, (int)code) : NULL;
    if (code == (unsigned char)delimiter) rt_text_format(text, "\\%c", delimiter);
    else if (found != NULL) rt_text_format(text, "\\%c", letter[found - plain]);
    else if (is_control(code)) rt_text_format(text, "\\x%x;", (unsigned)code);
    else rt_text_char(text, code);
}

static void write_string(rt_text *text, const rt_string_object *string) {
    rt_text_string(text, "\"");
    for (size_t i = 0; i < string->length; i++) add_escaped(text, rt_string_at(string, i), '"');
    rt_text_string(text, "\"");
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

/* What the reader takes for a number, if only to refuse it, as 1/0. */
static bool reads_as_number(const char *name, size_t size) {
    rt_value number = rt_parse_number(name, size, 10);
    rt_free(number);
    if (number != RT_FALSE) return true;
    const char *slash = memchr(name, '/', size);
    if (slash == NULL || slash + 1 == name + size) return false;
    for (const char *at = slash + 1; at < name + size; at++)
        if (*at != '0') return false;
    rt_value numerator = rt_parse_number(name, (size_t)(slash - name), 10);
    bool whole = rt_is_exact_int(numerator);
    rt_free(numerator);
    return whole;
}

static bool is_plain_symbol(const char *name, size_t size) {
    if (size == 0 || (size == 1 && *name == '.')) return false;
    if (*name == '#' || *name == ':') return false;
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)name[i];
        if (c <= ' ' || c == 0x7f || strchr("()[]\"';`,|\\", c) != NULL) return false;
    }
    /* Only these can begin a number: no other symbol pays for the parser. */
    bool digit_first = strchr("+-.0123456789", *name) != NULL;
    return !digit_first || !reads_as_number(name, size);
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

/* ---- Lists and vectors --------------------------------------------------- */

static int show_row(const printer *to, size_t count, const rt_value *items) {
    for (size_t i = 0; i < count && to->text->size < to->limit; i++) {
        if (i > 0) rt_text_string(to->text, " ");
        if (show(to, items[i]) != 0) return 1;
    }
    return 0;
}

/* The mark that abbreviates (quote x) and its kin; NULL if the list is none of them. */
static const char *abbreviation(rt_value list) {
    static const char *const names[] = {"quote", "quasiquote", "unquote", "unquote-splicing"};
    static const char *const marks[] = {"'", "`", ",", ",@"};
    rt_value head = rt_pair_of(list)->car, rest = rt_pair_of(list)->cdr;
    if (!rt_is_symbol(head) || !rt_is_pair(rest) || rt_pair_of(rest)->cdr != RT_NIL) return NULL;
    for (int i = 0; i < 4; i++)
        if (strcmp(rt_symbol_of(head)->text, names[i]) == 0) return marks[i];
    return NULL;
}

/* `, @x` is not `,@x`. */
static int show_abbreviated(const printer *to, const char *mark, rt_value list) {
    rt_text_string(to->text, mark);
    size_t start = to->text->size;
    if (show(to, rt_pair_of(rt_pair_of(list)->cdr)->car) != 0) return 1;
    if (to->text->size > start && to->text->bytes[start] == '@') {
        rt_text_string(to->text, " ");
        memmove(to->text->bytes + start + 1, to->text->bytes + start, to->text->size - start - 1);
        to->text->bytes[start] = ' ';
    }
    return 0;
}

static int show_list(const printer *to, rt_value list) {
    const char *mark = abbreviation(list);
    if (mark != NULL) return show_abbreviated(to, mark, list);
    rt_text_string(to->text, "(");
    if (show(to, rt_pair_of(list)->car) != 0) return 1;
    rt_value rest = rt_pair_of(list)->cdr;
    for (; rt_is_pair(rest) && to->text->size < to->limit; rest = rt_pair_of(rest)->cdr) {
        rt_text_string(to->text, " ");
        if (show(to, rt_pair_of(rest)->car) != 0) return 1;
    }
    if (rest != RT_NIL && !rt_is_pair(rest)) {
        rt_text_string(to->text, " . ");
        if (show(to, rest) != 0) return 1;
    }
    rt_text_string(to->text, ")");
    return 0;
}

static int show_vector(const printer *to, const rt_vector_object *vector) {
    rt_text_string(to->text, "#(");
    if (show_row(to, vector->length, vector->items) != 0) return 1;
    rt_text_string(to->text, ")");
    return 0;
}

/* ---- Everything ---------------------------------------------------------- */

static void show_procedure(rt_text *text, const rt_closure_object *closure) {
    const char *name = closure->function->name;
    if (name == NULL) rt_text_string(text, "#<procedure>");
    else rt_text_format(text, "#<procedure %s>", name);
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

static int show_object(const printer *to, rt_value v) {
    switch ((rt_kind)rt_object_of(v)->kind) {
    case RT_PAIR: return show_list(to, v);
    case RT_VECTOR: return show_vector(to, rt_vector_of(v));
    case RT_DOUBLE: rt_text_double(to->text, rt_double(v)); break;
    case RT_INTEGER: case RT_RATIO: rt_text_exact(to->text, v, 10); break;
    case RT_STRING:
        if (to->write) write_string(to->text, rt_string_of(v));
        else rt_text_lisp_string(to->text, v);
        break;
    case RT_SYMBOL:
        if (to->write) write_symbol(to->text, rt_symbol_of(v));
        else rt_text_add(to->text, rt_symbol_of(v)->text, rt_symbol_of(v)->size);
        break;
    case RT_KEYWORD: rt_text_format(to->text, ":%s", rt_symbol_of(v)->text); break;
    case RT_CLOSURE: show_procedure(to->text, (rt_closure_object *)rt_object_of(v)); break;
    case RT_CELL: rt_text_string(to->text, "#<cell>"); break;
    case RT_PORT: rt_text_string(to->text, "#<port>"); break;
    }
    return 0;
}

/* Recursion follows nesting, never the length of a list. */
static int show(const printer *to, rt_value v) {
    if (rt_enter() != 0) return 1;
    if (rt_is_fixnum(v)) {
        rt_text_format(to->text, "%lld", (long long)rt_fixnum(v));
    } else if (rt_is_tensor(v)) {
        return rt_tensors->show(to->text, rt_tensor(v), to->write);
    } else if (rt_is_object(v)) {
        return show_object(to, v);
    } else if (rt_is_char(v)) {
        if (to->write) write_character(to->text, rt_char_code(v));
        else rt_text_char(to->text, rt_char_code(v));
    } else {
        rt_text_string(to->text, name_of_immediate(v));
    }
    return 0;
}

int rt_show(rt_text *text, rt_value v, bool write) {
    printer to = {text, write, SIZE_MAX};
    return show(&to, v);
}

/* Cut the text after so many characters past start. */
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
    } else {
        size_t start = text->size;
        printer to = {text, true, start + 4 * (SHOWN_CHARACTERS + 1)};
        if (show(&to, v) != 0) rt_text_string(text, "...");
        cut(text, start);
    }
}
