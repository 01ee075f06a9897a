/* Closures, arguments and parameters, tail calls. */
#include "check.h"

/* The message and the hint of the pending error. */
void rt_render_error(rt_text *text);

static void check_error(int line, rt_value result, const char *wanted) {
    rt_text text = {NULL, 0, 0};
    if (result == RT_ERROR) rt_render_error(&text);
    if (result != RT_ERROR || strcmp(text.bytes, wanted) != 0) {
        fprintf(stderr, "line %d: %s, not %s\n", line, text.size ? text.bytes : "", wanted);
        exit(1);
    }
    rt_text_free(&text);
}
#define CHECK_FAILS(value, text) check_error(__LINE__, value, text)

/* Every parameter, as a list. */
static rt_value list_of_two(const rt_value *captures, const rt_value *arguments) {
    (void)captures;
    return rt_new_list(2, arguments);
}
static rt_value list_of_four(const rt_value *captures, const rt_value *arguments) {
    (void)captures;
    return rt_new_list(4, arguments);
}

static const rt_function two_function = {"two", "(two a b)", list_of_two, 2, 0, 2, 0, NULL,
                                         false, false, NULL, NULL, 3};
static const rt_keyword keywords[] = {{"dim", 1}, {"keep", 2}};
static const rt_function all_function = {NULL, "(lambda (a [:dim] [:keep] rest ...))",
                                         list_of_four, 1, 0, 4, 2, keywords, true, false, NULL, NULL, 0};
static const rt_function one_or_two_function = {"range", "(range a [b])", list_of_two, 1, 1, 2, 0,
                                                NULL, false, true, NULL, NULL, 0};
static rt_closure_object two = RT_STATIC_CLOSURE(&two_function);
static rt_closure_object all = RT_STATIC_CLOSURE(&all_function);
static rt_closure_object one_or_two = RT_STATIC_CLOSURE(&one_or_two_function);

#define CALL(callee, ...)                                                          \
    rt_call(rt_of_object(&callee), sizeof((rt_value[]){__VA_ARGS__}) / sizeof(rt_value), \
            (rt_value[]){__VA_ARGS__})

static void arguments_meet_parameters(void) {
    rt_value dim = rt_intern_keyword("dim"), keep = rt_intern_keyword("keep");
    CHECK_SHOWS(CALL(two, string("a"), number(2)), "(\"a\" 2)");
    CHECK_SHOWS(CALL(two, dim, keep), "(:dim :keep)");
    CHECK_SHOWS(CALL(all, number(1)), "(1 #<absent> #<absent> ())");
    CHECK_SHOWS(CALL(all, number(1), keep, dim, number(2), number(3)), "(1 #<absent> :dim (2 3))");
    CHECK_SHOWS(CALL(all, number(1), dim, number(0), keep, string("k")), "(1 0 \"k\" ())");
    CHECK_SHOWS(CALL(one_or_two, number(1)), "(1 #<absent>)");
    CHECK(rt_live_objects() == 0);
}

static void mistakes_are_named(void) {
    rt_value dim = rt_intern_keyword("dim");
    CHECK_FAILS(CALL(two, string("a")),
                "two: expected 2 arguments, got 1\nhint: usage: (two a b)");
    CHECK_FAILS(CALL(one_or_two, number(1), number(2), string("3")),
                "range: expected 1 to 2 arguments, got 3\nhint: usage: (range a [b])");
    const char *usage = "\nhint: usage: (lambda (a [:dim] [:keep] rest ...))";
    rt_text text = {NULL, 0, 0};
    rt_text_format(&text, "lambda: expected at least 1 argument, got 0%s", usage);
    CHECK_FAILS(rt_call(rt_of_object(&all), 0, NULL), text.bytes);
    text.size = 0;
    rt_text_format(&text, "lambda: unknown keyword :foo%s", usage);
    CHECK_FAILS(CALL(all, string("a"), string("b"), rt_intern_keyword("foo")), text.bytes);
    text.size = 0;
    rt_text_format(&text, "lambda: keyword :dim has no value%s", usage);
    CHECK_FAILS(CALL(all, string("a"), dim), text.bytes);
    text.size = 0;
    rt_text_format(&text, "lambda: keyword :dim is given twice%s", usage);
    CHECK_FAILS(CALL(all, string("a"), dim, string("b"), dim, string("c")), text.bytes);
    rt_text_free(&text);
    rt_value items[] = {string("x")};
    CHECK_FAILS(rt_call(RT_NIL, 1, items),
                "not a procedure: ()\nhint: (...) calls its first part; "
                "(list-ref list index) is an element of a list");
    CHECK(rt_live_objects() == 0);
}

/* (define (count n f) (if (= n 0) 'done (f (- n 1) f))): each iteration is a tail call of a value. */
static rt_value count_down(const rt_value *captures, const rt_value *arguments) {
    (void)captures;
    rt_value n = arguments[0], self = arguments[1];
    if (n == number(0)) {
        rt_free(self);
        return rt_intern("done");
    }
    rt_value step[] = {rt_subtract(n, number(1)), self};
    return rt_tail_call(rt_dup(self), 2, step);
}
static const rt_function count_function = {"count", "(count n f)", count_down, 2, 0, 2, 0, NULL,
                                           false, false, NULL, NULL, 3};

static void tail_calls_need_no_stack(void) {
    rt_value counter = rt_new_closure(&count_function, 1, (rt_value[]){string("captured")});
    CHECK_SHOWS(rt_call(counter, 2, (rt_value[]){number(1000000), rt_dup(counter)}), "done");
    rt_free(counter);
    CHECK(rt_live_objects() == 0);
}

static void mistakes_of_tail_calls_show_at_once(void) {
    CHECK_FAILS(rt_tail_call(number(5), 1, (rt_value[]){string("x")}),
                "not a procedure: 5\nhint: the procedure comes first, as in (+ 1 2); "
                "write (list 1 2) for a list, x, not (x), for a variable's value");
    CHECK_FAILS(rt_tail_call(rt_of_object(&two), 1, (rt_value[]){string("x")}),
                "two: expected 2 arguments, got 1\nhint: usage: (two a b)");
    CHECK(rt_tail_call(rt_of_object(&two), 2, (rt_value[]){string("x"), RT_NIL}) == RT_TAIL);
    CHECK_SHOWS(rt_finish(RT_TAIL), "(\"x\" ())");
    /* A primitive is called at once. */
    CHECK_SHOWS(rt_tail_call(rt_of_object(&one_or_two), 1, (rt_value[]){number(1)}),
                "(1 #<absent>)");
}

static void spread_calls_take_a_list(void) {
    rt_value list = rt_cons(string("b"), RT_NIL), callee = rt_of_object(&two);
    rt_value arguments[] = {string("a"), list};
    CHECK_SHOWS(rt_finish(rt_apply(callee, arguments[0], 1, arguments + 1)), "(\"a\" \"b\")");
    CHECK_SHOWS(rt_call_spread(callee, 2, arguments), "(\"a\" \"b\")");
    CHECK_FAILS(rt_call_spread(callee, 2, (rt_value[]){string("a"), string("b")}),
                "apply: expected a list, got \"b\"\n"
                "hint: the last argument is a list: write (apply f (list x y)), or (f x y)");
    CHECK_FAILS(rt_tail_call_spread(callee, 1, (rt_value[]){RT_NIL}),
                "two: expected 2 arguments, got 0\nhint: usage: (two a b)");
    CHECK(rt_live_objects() == 0);
}

/* `apply` as a value, as the compiler wraps it. */
static rt_value apply_entry(const rt_value *captures, const rt_value *arguments) {
    (void)captures;
    rt_value more = rt_list_to_vector(arguments[2]);
    rt_value result = rt_apply(arguments[0], arguments[1], rt_vector_of(more)->length,
                               rt_vector_of(more)->items);
    rt_free(more);
    rt_free_all(3, arguments);
    return result;
}
static const rt_function apply_function = {"apply", "(apply procedure argument more ...)",
                                           apply_entry, 2, 0, 3, 0, NULL, true, true, NULL, NULL, 0};
static rt_closure_object apply = RT_STATIC_CLOSURE(&apply_function);

static void apply_applies_itself(void) {
    rt_value self = rt_of_object(&apply);
    rt_value list = rt_new_list(2, (rt_value[]){string("a"), string("b")});
    rt_value inner = rt_new_list(2, (rt_value[]){rt_of_object(&two), list});
    rt_value outer = rt_new_list(2, (rt_value[]){self, inner});
    CHECK_SHOWS(rt_call_spread(self, 1, (rt_value[]){outer}), "(\"a\" \"b\")");
    CHECK(rt_live_objects() == 0);
}

static rt_value run(void) {
    apply_applies_itself();
    arguments_meet_parameters();
    mistakes_are_named();
    tail_calls_need_no_stack();
    mistakes_of_tail_calls_show_at_once();
    spread_calls_take_a_list();
    return RT_UNSPECIFIED;
}

static const rt_program program = {NULL, run, 0, NULL, NULL, false};

int main(int argc, char **argv) { return rt_main(argc, argv, &program); }
