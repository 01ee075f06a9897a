/* unboxed.c - the slow cases of arithmetic on rt_numbers, other than two doubles or two fixnums:
 * doubles are boxed during the operation on values. */
#include "rt_internal.h"

static rt_number apply_slowly(rt_value (*function)(rt_value, rt_value), rt_number a, rt_number b) {
    rt_value x = rt_box(rt_dup_number(a)), y = rt_box(rt_dup_number(b));
    rt_value result = function(x, y);
    rt_free(x);
    rt_free(y);
    return result == RT_ERROR ? rt_number_of(RT_ERROR) : rt_unbox(result);
}

rt_number rt_add_numbers_slow(rt_number a, rt_number b) {
    return apply_slowly(rt_add_slow, a, b);
}
rt_number rt_subtract_numbers_slow(rt_number a, rt_number b) {
    return apply_slowly(rt_subtract_slow, a, b);
}
rt_number rt_multiply_numbers_slow(rt_number a, rt_number b) {
    return apply_slowly(rt_multiply_slow, a, b);
}
rt_number rt_divide_numbers_slow(rt_number a, rt_number b) {
    return apply_slowly(rt_divide, a, b);
}

rt_number rt_max_numbers_slow(rt_number a, rt_number b) { return apply_slowly(rt_max, a, b); }
rt_number rt_min_numbers_slow(rt_number a, rt_number b) { return apply_slowly(rt_min, a, b); }
rt_number rt_expt_numbers_slow(rt_number base, rt_number exponent) {
    return apply_slowly(rt_expt, base, exponent);
}

int rt_compare_numbers_slow(int (*compare)(rt_value, rt_value, bool *), rt_number a, rt_number b,
                            bool *result) {
    rt_value x = rt_box(rt_dup_number(a)), y = rt_box(rt_dup_number(b));
    int status = compare(x, y, result);
    rt_free(x);
    rt_free(y);
    return status;
}

rt_number rt_apply_to_number(rt_value (*function)(rt_value), rt_number x) {
    rt_value boxed = rt_box(rt_dup_number(x)), result = function(boxed);
    rt_free(boxed);
    return result == RT_ERROR ? rt_number_of(RT_ERROR) : rt_unbox(result);
}
