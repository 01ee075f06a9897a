/* Counts, sharing, release of deep and wide data, constants, cells. */
#include "check.h"

#define DEPTH 1000000
#define BOXED 1e300   /* no word holds this double */

static void shared_objects_die_with_their_last_owner(void) {
    rt_value pair = rt_cons(number(1), RT_NIL);
    rt_value twice = rt_cons(rt_dup(pair), rt_dup(pair));
    CHECK(rt_object_of(pair)->count == 3 && rt_live_objects() == 2);
    rt_free(pair);
    rt_free(twice);
    CHECK(rt_live_objects() == 0);
}

/* The last reference of a pair moves its fields; another one duplicates them. */
static void a_freed_pair_keeps_fields(void) {
    rt_value head = rt_of_double(BOXED), tail = rt_cons(number(2), RT_NIL);
    rt_value pair = rt_cons(head, tail), other = rt_dup(pair);
    rt_free_keeping(pair, true, true);
    CHECK(rt_object_of(other)->count == 1);
    CHECK(rt_object_of(head)->count == 2 && rt_object_of(tail)->count == 2);
    rt_free_keeping(other, true, false);
    CHECK(rt_object_of(head)->count == 2 && rt_object_of(tail)->count == 1);
    rt_free(head);
    rt_free_keeping(rt_cons(head, tail), false, true);
    CHECK(rt_live_objects() == 1 && rt_object_of(tail)->count == 1);
    rt_free(tail);
    CHECK(rt_live_objects() == 0);
}

/* Also where other fields are counted, or the object is longer than its last field that is kept. */
static void freed_vectors_and_records_keep_fields(void) {
    rt_value tail = rt_cons(number(2), RT_NIL), boxed = rt_of_double(BOXED);
    rt_value items[] = {number(1), RT_NIL, rt_dup(tail)};
    rt_free_vector_keeping(rt_new_vector(3, items), 0x4, 1, (rt_value[]){tail});
    CHECK(rt_live_objects() == 2 && rt_object_of(tail)->count == 2);
    items[0] = boxed;
    rt_free_vector_keeping(rt_new_vector(3, items), 0x4, 1, (rt_value[]){tail});
    CHECK(rt_live_objects() == 1 && rt_object_of(tail)->count == 2);
    items[0] = tail, items[2] = rt_of_double(BOXED);
    rt_value vector = rt_new_vector(3, items), other = rt_dup(vector);
    rt_free_vector_keeping(vector, 0x1, 1, (rt_value[]){tail});
    CHECK(rt_live_objects() == 3 && rt_object_of(tail)->count == 3);
    rt_free(tail);
    rt_free_vector_keeping(other, 0x1, 1, (rt_value[]){tail});
    CHECK(rt_live_objects() == 1 && rt_object_of(tail)->count == 2);

    rt_value type = rt_record_type(RT_FALSE, RT_FALSE), fields[] = {number(1), tail};
    rt_free_record_keeping(rt_record(type, 2, fields), 0x2, 1, (rt_value[]){tail});
    fields[0] = rt_of_double(BOXED);
    rt_free_record_keeping(rt_record(type, 2, fields), 0x2, 1, (rt_value[]){tail});
    CHECK(rt_live_objects() == 2 && rt_object_of(type)->count == 1);
    rt_free(type);
    rt_free(tail);
    rt_free(tail);
    CHECK(rt_live_objects() == 0);
}

static void long_lists_do_not_recurse(void) {
    rt_value list = RT_NIL;
    for (int i = 0; i < DEPTH; i++) list = rt_cons(rt_of_double(BOXED), list);
    CHECK(rt_live_objects() == 2 * (size_t)DEPTH);
    rt_free(list);
    CHECK(rt_live_objects() == 0);
}

static void deep_cars_vectors_and_cells_do_not_recurse(void) {
    rt_value deep = RT_NIL;
    for (int i = 0; i < DEPTH; i++) {
        rt_value leaf = rt_of_double(BOXED);
        if (i % 3 == 0) deep = rt_cons(deep, leaf);
        else if (i % 3 == 1) deep = rt_new_vector(3, (rt_value[]){leaf, deep, RT_NIL});
        else deep = rt_new_cell(rt_new_vector(2, (rt_value[]){deep, leaf}));
    }
    rt_free(deep);
    CHECK(rt_live_objects() == 0);
}

static rt_value no_entry(const rt_value *captures, const rt_value *arguments) {
    (void)captures;
    (void)arguments;
    return RT_NIL;
}

static void closures_own_their_captures(void) {
    static const rt_function f = {"f", "(f)", no_entry, 0, 0, 0, 0, NULL, false, false, NULL,
                                  NULL, 1};
    rt_value chain = string("end");
    for (int i = 0; i < DEPTH; i++) {
        rt_value captures[] = {number(i), chain, rt_cons(number(i), RT_NIL)};
        chain = rt_new_closure(&f, 3, captures);
    }
    rt_free(chain);
    CHECK(rt_live_objects() == 0);
}

static void large_objects_come_from_malloc(void) {
    rt_value vector = rt_make_vector(number(100000), RT_NIL);
    CHECK(rt_object_of(vector)->block == 0);
    rt_free(vector);
    CHECK(rt_live_objects() == 0);
}

static void counts_stick_at_the_limit(void) {
    rt_value pair = rt_cons(number(1), RT_NIL);
    rt_object_of(pair)->count = RT_IMMORTAL - 1;
    rt_dup(pair);
    CHECK(rt_object_of(pair)->count == RT_IMMORTAL);
    rt_dup(pair);
    rt_free(pair);
    CHECK(rt_object_of(pair)->count == RT_IMMORTAL);
    rt_object_of(pair)->count = 1;
    rt_free(pair);
}

static void constants_are_immortal_and_do_not_count(void) {
    static rt_value list, vector, text;
    static const double half = 0.5, large = BOXED;
    static const rt_literal rows[] = {
        {RT_LITERAL_SYMBOL, 1, "a", NULL},
        {RT_LITERAL_STRING, 1, "b", NULL},
        {RT_LITERAL_NAMED, 0, NULL, &text},
        {RT_LITERAL_DOUBLE, 0, &half, NULL},
        {RT_LITERAL_DOUBLE, 0, &large, NULL},
        {RT_LITERAL_NUMBER, 30, "123456789012345678901234567890", NULL},
        {RT_LITERAL_NUMBER, 4, "-2/3", NULL},
        {RT_LITERAL_KEYWORD, 1, "k", NULL},
        {RT_LITERAL_FIXNUM, 7, NULL, NULL},
        {RT_LITERAL_LIST_ON, 7, NULL, &list},
        {RT_LITERAL_MADE, 0, &list, NULL},
        {RT_LITERAL_VECTOR, 1, NULL, &vector},
    };
    rt_make_literals(sizeof rows / sizeof *rows, rows);
    CHECK_SHOWS(text, "\"b\"");
    CHECK(rt_live_objects() == 0);
    rt_free(rt_dup(vector));
    rt_free(vector);
    CHECK_SHOWS(vector, "#((a \"b\" 0.5 1e300 123456789012345678901234567890 -2/3 :k . 7))");
    /* A value stored in a constant is released when the program ends. */
    CHECK(rt_set_car(list, rt_cons(number(1), RT_NIL)) == 0);
    CHECK(rt_live_objects() == 1);
}

static void cells_hold_one_value(void) {
    rt_value cell = rt_new_cell(string("old"));
    rt_value old = rt_cell_get(cell);
    rt_cell_set(cell, string("new"));
    CHECK_SHOWS(old, "\"old\"");
    CHECK_SHOWS(rt_cell_get(cell), "\"new\"");
    rt_free(cell);
    CHECK(rt_live_objects() == 0);
}

static rt_value run(void) {
    a_freed_pair_keeps_fields();
    freed_vectors_and_records_keep_fields();
    shared_objects_die_with_their_last_owner();
    long_lists_do_not_recurse();
    deep_cars_vectors_and_cells_do_not_recurse();
    closures_own_their_captures();
    large_objects_come_from_malloc();
    counts_stick_at_the_limit();
    cells_hold_one_value();
    constants_are_immortal_and_do_not_count();
    return RT_UNSPECIFIED;
}

static const rt_program program = {NULL, run, 0, NULL, NULL, false};

int main(int argc, char **argv) { return rt_main(argc, argv, &program); }
