/* format.c - what the library's `format` cannot say in Lisp. */
#include "rt_internal.h"

#define MOST_DECIMALS 1000

rt_value rt_fixed(rt_value x, rt_value decimals) {
    double number;
    size_t count;
    RT_CHECK(rt_to_double(x, &number), "format", "a number", x);
    if (!rt_index_of("format", decimals, MOST_DECIMALS + 1, MOST_DECIMALS, &count))
        return RT_ERROR;
    rt_text text = {NULL, 0, 0};
    if (isfinite(number)) rt_text_format(&text, "%.*f", (int)count, number);
    else rt_text_double(&text, number);
    return rt_string_of_text(&text);
}

rt_value rt_written(rt_value x) {
    rt_text text = {NULL, 0, 0};
    if (rt_show(&text, x, true) != 0) {
        rt_text_free(&text);
        return RT_ERROR;
    }
    return rt_string_of_text(&text);
}
