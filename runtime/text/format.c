/* format.c - the part of the library's `format` that cannot be written in Lisp. */
#include "rt_internal.h"

#define MOST_DECIMALS 1000

/* An exact number: its digits are those of the nearest integer to it times ten to the decimals. */
static rt_value fixed_exact(rt_value x, size_t decimals) {
    rt_value scaled = rt_scale_exact(x, (long)decimals);
    if (scaled == RT_ERROR) return RT_ERROR;
    rt_value rounded = rt_round(scaled), magnitude = rt_abs(rounded);
    rt_text digits = {NULL, 0, 0}, text = {NULL, 0, 0};
    rt_text_exact(&digits, magnitude, 10);
    rt_free(scaled);
    rt_free(rounded);
    rt_free(magnitude);
    size_t zeros = digits.size <= decimals ? decimals + 1 - digits.size : 0;
    size_t whole = digits.size + zeros - decimals;   /* digits before the point */
    if (rt_order(x, rt_of_fixnum(0)) < 0) rt_text_format(&text, "-");
    for (size_t i = 0; i < digits.size + zeros; i++) {
        if (i == whole) rt_text_format(&text, ".");
        rt_text_format(&text, "%c", i < zeros ? '0' : digits.bytes[i - zeros]);
    }
    rt_text_free(&digits);
    return rt_string_of_text(&text);
}

static rt_value fixed(rt_value x, size_t decimals) {
    double number;
    if (rt_is_exact_number(x)) return fixed_exact(x, decimals);
    RT_CHECK(rt_to_double(x, &number), "format", "a number", x);
    rt_text text = {NULL, 0, 0};
    if (isfinite(number)) rt_text_format(&text, "%.*f", (int)decimals, number);
    else rt_text_double(&text, number);
    return rt_string_of_text(&text);
}

/* A tensor of one element counts as its element. */
rt_value rt_fixed(rt_value x, rt_value decimals) {
    size_t count = 0;
    if (decimals != RT_FALSE &&
        !rt_index_of("format", decimals, MOST_DECIMALS + 1, MOST_DECIMALS, &count))
        return RT_ERROR;
    rt_value number = rt_is_tensor(x) ? rt_tensors->item("format", rt_tensor(x)) : rt_dup(x);
    if (number == RT_ERROR) return RT_ERROR;
    rt_value result;
    if (decimals != RT_FALSE) result = fixed(number, count);
    else if (rt_is_number(number)) result = rt_number_to_string(number, rt_of_fixnum(10));
    else result = rt_fail_wrong_type("format", "a number", x);
    rt_free(number);
    return result;
}

rt_value rt_written(rt_value x) {
    rt_text text = {NULL, 0, 0};
    if (rt_show(&text, x, true) != 0) {
        rt_text_free(&text);
        return RT_ERROR;
    }
    return rt_string_of_text(&text);
}
