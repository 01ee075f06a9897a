/* One error in each run: the first argument names it.  The expected texts are in test_runtime.py. */
#include <unistd.h>

#include "check.h"

static const rt_location in_f = {"a.lisp", 2, 3, 7, true, false, "  (car x))", "f", NULL};
static const rt_location call_f = {"a.lisp", 5, 8, 5, true, false, "(print (f 1) (g 2))", NULL, NULL};
static const rt_location library = {"prelude.lisp", 9, 1, 5, true, true, "(map)", "map", NULL};
static const rt_location recursive = {"a.lisp", 3, 6, 5, true, false, "(+ 1 (f x))", "f", NULL};
static const rt_location tabbed = {"b.lisp", 10, 3, 4, true, false, "\t\xc3\xa9(\xc3\xa9 1)", NULL, NULL};
static const rt_location matmul = {"m.lisp", 1, 1, 31, true, false,
                                "(tensor-matmul \"a b)\" (f [x y]))", NULL, NULL};
static const rt_location other = {"m.lisp", 1, 1, 7, true, false, "(f a b)", NULL, NULL};

static rt_value fail_at(const rt_location *location, rt_value error) {
    if (location != NULL) rt_at(location);
    return error;
}

static rt_value wrong_type(void) {
    fail_at(&in_f, rt_car(number(5)));
    return fail_at(&call_f, RT_ERROR);
}

/* Frames of the library leave no trace, and equal ones fold. */
static rt_value folded(void) {
    fail_at(&in_f, rt_fail("deep"));
    for (int i = 0; i < 1000000; i++) rt_at(&recursive);
    rt_at(&library);
    return fail_at(&call_f, RT_ERROR);
}

static rt_value in_library(void) {
    fail_at(&library, rt_fail_wrong_type("map", "a list", number(5)));
    return fail_at(&call_f, RT_ERROR);
}

static rt_value excerpt(void) {
    return fail_at(&tabbed, rt_fail_unbound("\xc3\xa9", "did you mean e?"));
}

static rt_value with_arguments(void) {
    return fail_at(&matmul, rt_fail_hint("tensor-matmul: sizes", "{1} and {0}, {2 {}"));
}

static rt_value of_another(void) {
    return fail_at(&other, rt_fail_hint("tensor-matmul: sizes", "{1} and {0}"));
}

static rt_value without_location(void) { return rt_fail("no location"); }

static rt_value user_error(void) {
    rt_value items[] = {number(1), string("a\n"), rt_intern("two words")};
    rt_value message = string("bad:"), result = rt_error(message, 3, items);
    rt_free(message);
    rt_free_all(3, items);
    return result;
}

static rt_value no_string_message(void) { return rt_error(rt_intern("oops"), 0, NULL); }

static rt_value shown_cut_short(void) {
    rt_value items[100], result;
    for (int i = 0; i < 100; i++) items[i] = rt_intern("\xc3\xa9t\xc3\xa9");
    rt_value list = rt_new_list(100, items);
    result = rt_cdr(RT_NIL);
    result = rt_fail_wrong_type("f", "a number", list);
    rt_free(list);
    return result;
}

static rt_value shown_cycle(void) {
    rt_value pair = rt_cons(number(1), RT_NIL), result;
    rt_set_cdr(pair, rt_dup(pair));
    int64_t length;
    CHECK(rt_length(pair, &length) != 0);
    result = rt_append(2, (rt_value[]){rt_dup(pair), RT_NIL});
    rt_set_cdr(pair, RT_NIL);
    rt_free(pair);
    return result;
}

static rt_value leave(void) { return rt_exit(number(3)); }

static rt_value too_deep_at(int depth) {
    if (rt_failed_status(rt_enter())) return RT_ERROR;
    rt_value below = too_deep_at(depth + 1);
    if (rt_failed(&below)) rt_at(&recursive);
    return below == RT_ERROR ? RT_ERROR : number(depth);
}

static rt_value too_deep(void) { return too_deep_at(0); }

static rt_value interrupted(void) {
    rt_print(0, NULL);
    rt_flush_output_port(RT_ABSENT);
    while (rt_poll() == 0) {}
    return RT_ERROR;
}

static const struct { const char *name; rt_value (*run)(void); } cases[] = {
    {"wrong-type", wrong_type}, {"folded", folded}, {"in-library", in_library},
    {"excerpt", excerpt}, {"with-arguments", with_arguments}, {"of-another", of_another},
    {"without-location", without_location}, {"user-error", user_error},
    {"no-string-message", no_string_message}, {"shown-cut-short", shown_cut_short},
    {"shown-cycle", shown_cycle}, {"leave", leave}, {"too-deep", too_deep},
    {"interrupted", interrupted},
};

static const char *chosen;

static rt_value run(void) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (strcmp(chosen, cases[i].name) == 0) return cases[i].run();
    CHECK(!"such a case");
    return RT_ERROR;
}

static const rt_program program = {NULL, run, 0, NULL, NULL, false};

int main(int argc, char **argv) {
    chosen = argc > 1 ? argv[1] : "";
    return rt_main(argc, argv, &program);
}
