/* Code as the compiler emits it, for raise injection: each fallible operation fails in one run, and
 * nothing may leak.
 *
 *     (define (f a b) (list (+ a b) (string a b) (length (reverse '()))))
 */
#include "check.h"

static const rt_location location = {"i.lisp", 1, 1, 3, true, false, "(f)", "f", NULL};

/* a and b are moved in. */
static rt_value f(rt_value a, rt_value b) {
    rt_value result = RT_ERROR, sum, text, reversed;
    int64_t length;
    if (rt_failed_status(rt_enter())) { rt_at(&location); goto free_parameters; }
    sum = rt_add(a, b);
    if (rt_failed(&sum)) { rt_at(&location); goto free_parameters; }
    text = rt_string(2, (rt_value[]){a, b});
    if (rt_failed(&text)) { rt_at(&location); goto free_sum; }
    reversed = rt_reverse(RT_NIL);
    if (rt_failed(&reversed)) { rt_at(&location); goto free_text; }
    if (rt_failed_status(rt_length(reversed, &length))) { rt_at(&location); goto free_reversed; }
    result = rt_new_list(3, (rt_value[]){rt_dup(sum), rt_dup(text), rt_of_int64(length)});
free_reversed:
    rt_free(reversed);
free_text:
    rt_free(text);
free_sum:
    rt_free(sum);
free_parameters:
    rt_free(a);
    rt_free(b);
    return result;
}

static rt_value large;

static const rt_literal literals[] = {
    {RT_LITERAL_NUMBER, 21, "100000000000000000000", &large},
};

static void make_literals(void) { rt_make_literals(1, literals); }

static rt_value run(void) {
    rt_value result = f(rt_of_double(1.5), large);
    if (rt_failed(&result)) return RT_ERROR;
    if (rt_failed_status(rt_print(1, &result))) {
        rt_free(result);
        return RT_ERROR;
    }
    rt_free(result);
    return RT_UNSPECIFIED;
}

static const rt_program program = {make_literals, run, 0, NULL, NULL, false};

int main(int argc, char **argv) { return rt_main(argc, argv, &program); }
