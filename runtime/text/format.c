/* format.c - the part of the library's `format` that cannot be written in Lisp. */
#include "rt_internal.h"

#define MOST_DECIMALS 1000

static rt_value fixed(rt_value x, size_t decimals) {
    double number;
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
