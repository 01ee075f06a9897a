/* Reads lines of tab-separated words, an operation and numbers, and writes each result on a line:
 *
 *     +  1/2  1/3     =>  5/6
 *
 * The test compares the lines with Python's results.  `bits` prints a double from its bits.
 */
#define _POSIX_C_SOURCE 200809L
#include "rt.h"

#include <stdio.h>
#include <stdlib.h>

typedef rt_value unary(rt_value x);
typedef rt_value binary(rt_value a, rt_value b);
typedef int comparison(rt_value a, rt_value b, bool *result);

static rt_value inline_add(rt_value a, rt_value b) { return rt_add(a, b); }
static rt_value inline_subtract(rt_value a, rt_value b) { return rt_subtract(a, b); }
static rt_value inline_multiply(rt_value a, rt_value b) { return rt_multiply(a, b); }
static rt_value boxed_inexact(rt_value x) {
    double result;
    return rt_inexact(x, &result) != 0 ? RT_ERROR : rt_of_double(result);
}
static rt_value inline_quotient(rt_value a, rt_value b) { return rt_quotient(a, b); }
static rt_value inline_remainder(rt_value a, rt_value b) { return rt_remainder(a, b); }
static rt_value inline_modulo(rt_value a, rt_value b) { return rt_modulo(a, b); }
static int inline_equal(rt_value a, rt_value b, bool *r) { return rt_equal_numbers(a, b, r); }
static int inline_less(rt_value a, rt_value b, bool *r) { return rt_less(a, b, r); }
static int inline_greater(rt_value a, rt_value b, bool *r) { return rt_greater(a, b, r); }
static int inline_at_most(rt_value a, rt_value b, bool *r) { return rt_less_or_equal(a, b, r); }
static int inline_at_least(rt_value a, rt_value b, bool *r) {
    return rt_greater_or_equal(a, b, r);
}
static rt_value natural_log(rt_value x) { return rt_log(x, RT_FALSE); }

static const struct { const char *name; binary *function; } binaries[] = {
    {"+", inline_add}, {"-", inline_subtract}, {"*", inline_multiply}, {"/", rt_divide},
    {"quotient", inline_quotient}, {"remainder", inline_remainder}, {"modulo", inline_modulo},
    {"gcd", rt_gcd}, {"lcm", rt_lcm}, {"max", rt_max}, {"min", rt_min}, {"expt", rt_expt},
    {"log", rt_log}, {"atan", rt_atan}, {"number->string", rt_number_to_string},
};
static const struct { const char *name; unary *function; } unaries[] = {
    {"-", rt_negate}, {"abs", rt_abs}, {"square", rt_square}, {"floor", rt_floor},
    {"ceiling", rt_ceiling}, {"truncate", rt_truncate}, {"round", rt_round}, {"sqrt", rt_sqrt},
    {"integer-sqrt", rt_integer_sqrt}, {"exp", rt_exp}, {"sin", rt_sin}, {"cos", rt_cos},
    {"tan", rt_tan}, {"tanh", rt_tanh}, {"log", natural_log}, {"exact", rt_exact},
    {"inexact", boxed_inexact}, {"numerator", rt_numerator}, {"denominator", rt_denominator},
    {"identity", rt_dup},
};
static const struct { const char *name; comparison *function; } comparisons[] = {
    {"=", inline_equal}, {"<", inline_less}, {">", inline_greater}, {"<=", inline_at_most},
    {">=", inline_at_least},
};
#define COUNT(table) (sizeof(table) / sizeof *(table))

static rt_value compute(const char *name, size_t count, const rt_value *arguments) {
    for (size_t i = 0; count == 2 && i < COUNT(comparisons); i++) {
        bool result;
        if (strcmp(name, comparisons[i].name) != 0) continue;
        int status = comparisons[i].function(arguments[0], arguments[1], &result);
        return status != 0 ? RT_ERROR : rt_of_boolean(result);
    }
    for (size_t i = 0; count == 2 && i < COUNT(binaries); i++)
        if (strcmp(name, binaries[i].name) == 0)
            return binaries[i].function(arguments[0], arguments[1]);
    for (size_t i = 0; count == 1 && i < COUNT(unaries); i++)
        if (strcmp(name, unaries[i].name) == 0) return unaries[i].function(arguments[0]);
    return rt_fail("no such operation: %s", name);
}

static rt_value parse(const char *word) {
    rt_value text = rt_string_of_utf8(word, strlen(word));
    rt_value number = rt_string_to_number(text, rt_of_fixnum(10));
    rt_free(text);
    return number;
}

static rt_value parse_bits(const char *word) {
    uint64_t bits = strtoull(word, NULL, 16);
    double number;
    memcpy(&number, &bits, sizeof number);
    return rt_of_double(number);
}

static rt_value evaluate(char *line) {
    char *rest, *name = strtok_r(line, "\t\n", &rest), *word;
    rt_value arguments[2];
    size_t count = 0;
    bool bits = strcmp(name, "bits") == 0;
    while (count < 2 && (word = strtok_r(NULL, "\t\n", &rest)) != NULL)
        arguments[count++] = bits ? parse_bits(word) : parse(word);
    rt_value result = compute(bits ? "identity" : name, count, arguments);
    rt_free_all(count, arguments);
    return result;
}

/* Stops at the first error, which rt_main then prints. */
static rt_value run(void) {
    char *line = NULL;
    size_t room = 0;
    rt_value result = RT_UNSPECIFIED;
    while (result != RT_ERROR && getline(&line, &room, stdin) > 0) {
        result = evaluate(line);
        if (result == RT_ERROR) break;
        rt_print(1, &result);
        rt_free(result);
    }
    free(line);
    return result == RT_ERROR ? RT_ERROR : RT_UNSPECIFIED;
}

static const rt_program program = {NULL, run, 0, NULL, NULL, false};

int main(int argc, char **argv) { return rt_main(argc, argv, &program); }
