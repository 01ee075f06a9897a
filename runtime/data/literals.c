/* literals.c - creates the constants of a program from its table when it starts.
 *
 * A row creates one constant, or a run of numbers.  Elements come before what contains them, and
 * are kept on a stack: a list of three takes the last three.  A row with a variable stores its
 * constant there; a row without one pushes it onto the stack. */
#include "rt_internal.h"
#include <stdlib.h>

typedef struct making {
    rt_value *stack;
    size_t count, room;
} making;

static void push(making *m, rt_value v) {
    RT_GROW(m->stack, m->count, m->room);
    m->stack[m->count++] = v;
}

/* Pop the last values: they become elements. */
static const rt_value *take(making *m, size_t count) {
    m->count -= count;
    return m->stack + m->count;
}

static rt_value immortal_list(making *m, size_t count, rt_value tail) {
    const rt_value *items = take(m, count);
    while (count > 0) tail = rt_make_immortal(rt_cons(items[--count], tail));
    return tail;
}

static rt_value immortal_vector(making *m, size_t count) {
    return rt_make_immortal(rt_new_vector(count, take(m, count)));
}

static rt_value immortal_double(double number) { return rt_make_immortal(rt_of_double(number)); }

static rt_value cycle(const rt_cycle *written, size_t size) {
    return written->read(written->text, size);
}

/* A run of numbers: each is an element. */
static void push_run(making *m, const rt_literal *row) {
    for (int64_t i = 0; i < row->count; i++)
        push(m, row->kind == RT_LITERAL_FIXNUMS
                    ? rt_of_fixnum(((const int64_t *)row->data)[i])
                    : immortal_double(((const double *)row->data)[i]));
}

/* The constant of a row. */
static rt_value make(making *m, const rt_literal *row) {
    size_t count = (size_t)row->count;
    switch (row->kind) {
    case RT_LITERAL_WORD: return (rt_value)row->count;
    case RT_LITERAL_FIXNUM: return rt_of_fixnum(row->count);
    case RT_LITERAL_DOUBLE: return immortal_double(*(const double *)row->data);
    case RT_LITERAL_NUMBER: return rt_make_immortal(rt_parse_number(row->data, count, 10));
    case RT_LITERAL_STRING: return rt_make_immortal(rt_string_of_utf8(row->data, count));
    case RT_LITERAL_SYMBOL: return rt_intern_sized(row->data, count);
    case RT_LITERAL_KEYWORD: return rt_intern_keyword_sized(row->data, count);
    case RT_LITERAL_BYTES: return rt_make_immortal(rt_new_bytes(count, row->data));
    case RT_LITERAL_LIST: return immortal_list(m, count, RT_NIL);
    case RT_LITERAL_LIST_ON: return immortal_list(m, count, *take(m, 1));
    case RT_LITERAL_VECTOR: return immortal_vector(m, count);
    case RT_LITERAL_CYCLE: return cycle(row->data, count);
    case RT_LITERAL_MADE: return *(const rt_value *)row->data;
    case RT_LITERAL_NAMED: return *take(m, 1);
    case RT_LITERAL_FIXNUMS: case RT_LITERAL_DOUBLES: break; /* push_run */
    }
    return RT_UNSPECIFIED;
}

void rt_make_literals(size_t count, const rt_literal *rows) {
    making m = {NULL, 0, 0};
    for (const rt_literal *row = rows; row < rows + count; row++) {
        if (row->kind == RT_LITERAL_FIXNUMS || row->kind == RT_LITERAL_DOUBLES) {
            push_run(&m, row);
            continue;
        }
        rt_value made = make(&m, row);
        if (row->name != NULL) *row->name = made;
        if (row->name == NULL || row->kind == RT_LITERAL_NAMED) push(&m, made);
    }
    free(m.stack);
}
