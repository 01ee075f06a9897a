/* character.c - the procedures of characters.  unicode.c has their properties. */
#include "rt_internal.h"

int rt_char_to_integer_slow(rt_value c) {
    return rt_status(rt_fail_wrong_type("char->integer", "a character", c));
}

rt_value rt_integer_to_char_slow(rt_value code) {
    const char *who = "integer->char";
    bool natural = rt_is_exact_int(code) && rt_order(code, rt_of_fixnum(0)) >= 0;
    RT_CHECK(natural, who, "a non-negative exact integer", code);
    int64_t n = rt_is_fixnum(code) ? rt_fixnum(code) : INT64_MAX;
    RT_CHECK(n < 0xd800 || (n > 0xdfff && n < 0x110000), who, "a code point", code);
    return RT_CHAR(n);
}

int rt_char_comparison_slow(const char *who, rt_value a, rt_value b) {
    return rt_status(rt_fail_wrong_type(who, "a character", rt_is_char(a) ? b : a));
}

#define PROPERTY(name, who, test)                                        \
    int name##_slow(rt_value c, bool *result) {                          \
        RT_CHECK_STATUS(rt_is_char(c), who, "a character", c);           \
        *result = test(rt_char_code(c));                                 \
        return 0;                                                        \
    }
PROPERTY(rt_is_char_alphabetic, "char-alphabetic?", rt_is_alphabetic)
PROPERTY(rt_is_char_numeric, "char-numeric?", 0 <= rt_decimal_value)
PROPERTY(rt_is_char_whitespace, "char-whitespace?", rt_is_white)
PROPERTY(rt_is_char_upper_case, "char-upper-case?", rt_is_upper)
PROPERTY(rt_is_char_lower_case, "char-lower-case?", rt_is_lower)

#define CASE(name, who, change)                                   \
    rt_value name(rt_value c) {                                   \
        RT_CHECK(rt_is_char(c), who, "a character", c);           \
        return RT_CHAR(change(rt_char_code(c)));                  \
    }
CASE(rt_char_upcase_slow, "char-upcase", rt_upcase)
CASE(rt_char_downcase_slow, "char-downcase", rt_downcase)
CASE(rt_char_foldcase, "char-foldcase", rt_foldcase)

rt_value rt_digit_value(rt_value c) {
    RT_CHECK(rt_is_char(c), "digit-value", "a character", c);
    int value = rt_decimal_value(rt_char_code(c));
    return value < 0 ? RT_FALSE : rt_of_fixnum(value);
}
