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

/* Doubles from 0 that are not integers because of their size, with few decimals: their fraction, of
 * 52 bits and one, fits in a word even if it is multiplied by ten for each decimal. */
#define MOST_FEW_DECIMALS 3
#define INTEGERS_ONLY 4503599627370496.0   /* 2^52 */
#define FRACTION_BITS 52
#define EXPONENT_OFFSET 1075               /* of the fraction as an integer */
#define MOST_DIGITS 20

/* The nearest integer to such a number times a power of ten; of two the even one, as in printf. */
static uint64_t scaled_integer(double number, size_t decimals) {
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    unsigned shift = EXPONENT_OFFSET - (unsigned)(bits >> FRACTION_BITS);
    if (shift >= 64) return 0;   /* it is below a half */
    uint64_t one = 1, product = (bits & ((one << FRACTION_BITS) - 1)) | one << FRACTION_BITS;
    for (size_t i = 0; i < decimals; i++) product *= 10;
    uint64_t whole = product >> shift, rest = product & ((one << shift) - 1);
    uint64_t half = one << (shift - 1);
    return whole + (rest > half || (rest == half && whole % 2 == 1));
}

static rt_value fixed_quickly(double number, size_t decimals) {
    char text[MOST_DIGITS + 2], *at = text + sizeof text;
    uint64_t rest = scaled_integer(number, decimals);
    for (size_t i = 0; rest > 0 || i <= decimals; i++, rest /= 10) {
        if (i == decimals && i > 0) *--at = '.';
        *--at = (char)('0' + rest % 10);
    }
    return rt_string_of_utf8(at, (size_t)(text + sizeof text - at));
}

static rt_value fixed(rt_value x, size_t decimals) {
    double number;
    if (rt_is_exact_number(x)) return fixed_exact(x, decimals);
    RT_CHECK(rt_to_double(x, &number), "format", "a number", x);
    if (number > 0 && number < INTEGERS_ONLY && decimals <= MOST_FEW_DECIMALS)
        return fixed_quickly(number, decimals);
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
