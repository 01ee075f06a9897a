/* unboxed.c - arithmetic on rt_numbers other than two doubles or two fixnums.  A double and a small
 * integer need no object; else doubles become values during the operation on values. */
#include "rt_internal.h"

/* The number as a double, if it is one or a fixnum that is just as well one. */
static bool as_double(rt_number n, double *result) {
    if (n.value == RT_UNBOXED) {
        *result = n.number;
    } else if (rt_is_fixnum(n.value)) {
        *result = (double)rt_fixnum(n.value);
        return rt_fixnum(n.value) == (int64_t)*result;
    } else if (rt_is_double(n.value)) {
        *result = rt_double(n.value);
    } else {
        return false;
    }
    return true;
}

/* The numbers as doubles, if one of them is one. */
static bool as_doubles(rt_number a, rt_number b, double *x, double *y) {
    return !rt_both_exact(a, b) && as_double(a, x) && as_double(b, y);
}

/* The result of a function, as a number. */
static rt_number unbox_result(rt_value result) {
    return result == RT_ERROR ? (rt_number){RT_ERROR, 0.0} : rt_unbox(result);
}

/* Free the values that rt_box made of numbers, and those that `which` says. */
static void free_boxed(rt_number a, rt_number b, rt_value x, rt_value y, int which) {
    if (a.value == RT_UNBOXED || (which & RT_FIRST)) rt_free(x);
    if (b.value == RT_UNBOXED || (which & RT_SECOND)) rt_free(y);
}

static rt_number apply_slowly(rt_value (*function)(rt_value, rt_value), rt_number a, rt_number b,
                              int which) {
    rt_value x = rt_box(a), y = rt_box(b);
    rt_value result = function(x, y);
    free_boxed(a, b, x, y, which);
    return unbox_result(result);
}

#define RT_ARITHMETIC(name, function, operator)                                          \
    rt_number name(rt_number a, rt_number b, int which) {                                \
        double x, y;                                                                     \
        if (!as_doubles(a, b, &x, &y)) return apply_slowly(function, a, b, which);       \
        rt_free_those(a.value, b.value, which);                                          \
        return rt_number_of_double(x operator y);                                        \
    }
RT_ARITHMETIC(rt_add_numbers_slow, rt_add_slow, +)
RT_ARITHMETIC(rt_subtract_numbers_slow, rt_subtract_slow, -)
RT_ARITHMETIC(rt_multiply_numbers_slow, rt_multiply_slow, *)
#undef RT_ARITHMETIC

rt_number rt_divide_numbers_slow(rt_number a, rt_number b, int which) {
    double x, y;
    if (b.value == rt_of_fixnum(0) || !as_doubles(a, b, &x, &y))
        return apply_slowly(rt_divide, a, b, which);
    rt_free_those(a.value, b.value, which);
    return rt_number_of_double(x / y);
}

/* A double if one of them is one. */
rt_number rt_max_numbers_slow(rt_number a, rt_number b) { return apply_slowly(rt_max, a, b, 0); }
rt_number rt_min_numbers_slow(rt_number a, rt_number b) { return apply_slowly(rt_min, a, b, 0); }
rt_number rt_expt_numbers_slow(rt_number base, rt_number exponent) {
    return apply_slowly(rt_expt, base, exponent, 0);
}

int rt_compare_numbers_slow(int (*compare)(rt_value, rt_value, bool *), rt_number a, rt_number b,
                            int which, bool *result) {
    rt_value x = rt_box(a), y = rt_box(b);
    int status = compare(x, y, result);
    free_boxed(a, b, x, y, which);
    return status;
}

rt_number rt_apply_to_number(rt_value (*function)(rt_value), rt_number x) {
    rt_value boxed = rt_box(x), result = function(boxed);
    if (x.value == RT_UNBOXED) rt_free(boxed);
    return unbox_result(result);
}

int rt_vector_set_number_slow(rt_value vector, rt_value k, rt_number n) {
    return rt_vector_set(vector, k, rt_box(n));
}
