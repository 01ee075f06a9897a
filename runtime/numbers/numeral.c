/* numeral.c - numbers as text, both ways.  The rules are those of lang/syntax/numerals.py.
 *
 * Doubles print with the fewest digits that read back.  Conversion to a double and back keeps
 * fifteen digits, so if any text of up to fifteen reads back, then the shortest one is that of
 * `%.15g`, which is found without the C library for numbers of usual size; otherwise sixteen are
 * tried, then seventeen, which always read back.
 */
#include "rt_internal.h"

#include <stdio.h>
#include <stdlib.h>

#define SURE_DIGITS 15
#define MOST_DIGITS 17
#define SMALLEST_NORMAL 2.2250738585072014e-308
#define EXPONENT_FROM 21         /* 1e21 and up */
#define EXPONENT_UP_TO -7        /* 1e-7 and below */
#define MOST_EXACT_EXPONENT 100000
#define SURE_FIXNUM_DIGITS 18

/* ---- Doubles to text ----------------------------------------------------- */

/* x in scientific notation with that many digits; whether it reads back as x. */
static bool reads_back(char *text, size_t room, int digits, double x) {
    snprintf(text, room, "%.*e", digits - 1, x);
    return strtod(text, NULL) == x;
}

/* Doubles are closer together below a power of two than above it.  At one, the nearest text of
 * sixteen digits may be too low, while the next text up still reads back. */
static bool next_reads_back(char *text, double x) {
    int exponent;
    if (frexp(x, &exponent) != 0.5) return false;
    char *last = strchr(text, 'e') - 1;
    if (*last == '9') return false;   /* no power of two needs a carry: tests try all of them */
    ++*last;
    return strtod(text, NULL) == x;
}

/* Powers of ten that are doubles. */
#define SURE_POWER 22
static const double powers[SURE_POWER + 1] = {
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22
};

/* The largest k for which x times the k-th power of ten is below 10^15; -1 for numbers of which the
 * powers above have none. */
static int scale_of(double x) {
    if (x < 1e-6 || x >= 1e15) return -1;
    int exponent;
    frexp(x, &exponent);
    /* The logarithm of the power of two below x, rounded down: 1233 / 4096 is that of two. */
    int logarithm = ((exponent - 1) * 1233 + 20 * 4096) / 4096 - 20;
    int scale = SURE_DIGITS - 1 - logarithm;
    return scale > 0 && x * powers[scale] >= 1e15 ? scale - 1 : scale;
}

/* The digits of a positive double of which fifteen digits read back, and the exponent of the first;
 * false if there may be none.
 *
 * x is tried as an integer below 10^15 divided by a power of ten.  Both are doubles, so the quotient
 * is rounded as reading a text is, and no other integer comes as near to x. */
static bool few_digits(char *digits, double x, int *exponent) {
    int scale = scale_of(x);
    if (scale < 0) return false;
    int64_t integer = (int64_t)(x * powers[scale] + 0.5);
    if ((double)integer / powers[scale] != x) return false;
    char reversed[SURE_DIGITS + 1];
    int count = 0, zeros = 0;
    for (; integer % 10 == 0; integer /= 10) zeros++;
    for (; integer > 0; integer /= 10) reversed[count++] = (char)('0' + integer % 10);
    *exponent = count + zeros - 1 - scale;
    for (int i = 0; i < count; i++) digits[i] = reversed[count - 1 - i];
    digits[count] = '\0';
    return true;
}

/* The digits of a positive double, without zeros at the end, and the exponent of the first. */
static int shortest(char *digits, double x) {
    char text[40];
    int exponent, precision = SURE_DIGITS;
    if (few_digits(digits, x, &exponent)) return exponent;
    if (x < SMALLEST_NORMAL) precision = 1;
    else if (scale_of(x) >= 0) precision = SURE_DIGITS + 1;   /* fewer have been tried */
    while (!reads_back(text, sizeof text, precision, x)) {
        if (precision == MOST_DIGITS - 1 && next_reads_back(text, x)) break;
        precision++;
    }
    const char *at = text;
    char *end = digits;
    for (; *at != 'e'; at++)
        if (*at != '.') *end++ = *at;
    while (end > digits + 1 && end[-1] == '0') end--;
    *end = '\0';
    return atoi(at + 1);
}

static void add_zeros(rt_text *text, int count) {
    for (int i = 0; i < count; i++) rt_text_add(text, "0", 1);
}

/* Digits with the point after the first `whole` of them. */
static void add_plain(rt_text *text, const char *digits, int whole) {
    int count = (int)strlen(digits);
    if (whole <= 0) {
        rt_text_string(text, "0.");
        add_zeros(text, -whole);
        rt_text_string(text, digits);
    } else if (whole >= count) {
        rt_text_string(text, digits);
        add_zeros(text, whole - count);
        rt_text_string(text, ".0");
    } else {
        rt_text_add(text, digits, (size_t)whole);
        rt_text_add(text, ".", 1);
        rt_text_string(text, digits + whole);
    }
}

void rt_text_double(rt_text *text, double number) {
    if (number != number) {
        rt_text_string(text, "+nan.0");
        return;
    }
    if (signbit(number)) rt_text_string(text, "-");
    if (isinf(number)) {
        rt_text_string(text, number > 0 ? "+inf.0" : "inf.0");
    } else if (number == 0) {
        rt_text_string(text, "0.0");
    } else {
        char digits[40];
        int exponent = shortest(digits, fabs(number));
        if (exponent > EXPONENT_UP_TO && exponent < EXPONENT_FROM)
            add_plain(text, digits, exponent + 1);
        else
            rt_text_format(text, "%c%s%se%d", digits[0], digits[1] ? "." : "", digits + 1,
                           exponent);
    }
}

/* ---- Exact numbers to text ----------------------------------------------- */

static void add_integer(rt_text *text, const __mpz_struct *number, int radix) {
    size_t size = __gmpz_sizeinbase(number, radix) + 2;
    if (!rt_has_memory(ROOM_TO_MULTIPLY * size)) {
        rt_text_lose(text);
        return;
    }
    char *digits = rt_malloc(size);
    __gmpz_get_str(digits, radix, number);
    rt_text_string(text, digits);
    free(digits);
}

#define FIXNUM_DIGITS 64   /* of a fixnum in radix 2, and its sign */

/* Write the digits of an integer so that they stop before end; where they begin. */
static inline char *write_digits(int64_t n, unsigned radix, char *end) {
    uint64_t rest = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
    char *first = end;
    do *--first = "0123456789abcdefghijklmnopqrstuvwxyz"[rest % radix];
    while ((rest /= radix) != 0);
    if (n < 0) *--first = '-';
    return first;
}
static char *fixnum_digits(rt_value v, int radix, char *end) {
    if (radix == 10) return write_digits(rt_fixnum(v), 10, end);   /* no slow division */
    return write_digits(rt_fixnum(v), (unsigned)radix, end);
}

void rt_text_exact(rt_text *text, rt_value v, int radix) {
    rt_view room;
    if (rt_is_fixnum(v)) {
        char digits[FIXNUM_DIGITS], *end = digits + sizeof digits;
        char *first = fixnum_digits(v, radix, end);
        rt_text_add(text, first, (size_t)(end - first));
        return;
    }
    if (rt_is_exact_int(v)) {
        add_integer(text, rt_view_integer(v, &room), radix);
        return;
    }
    const __mpq_struct *ratio = rt_view_ratio(v, &room);
    add_integer(text, &ratio->_mp_num, radix);
    rt_text_string(text, "/");
    add_integer(text, &ratio->_mp_den, radix);
}

rt_value rt_number_to_string(rt_value x, rt_value radix) {
    RT_CHECK(rt_is_number(x), "number->string", "a number", x);
    bool in_range = rt_is_fixnum(radix) && rt_fixnum(radix) >= 2 && rt_fixnum(radix) <= 36;
    RT_CHECK(in_range, "number->string", "a radix from 2 to 36", radix);
    if (rt_is_double(x) && radix != rt_of_fixnum(10))
        return rt_fail("number->string: doubles are written in radix 10, not %d",
                       (int)rt_fixnum(radix));
    if (rt_is_fixnum(x)) {
        char digits[FIXNUM_DIGITS], *end = digits + sizeof digits;
        char *first = fixnum_digits(x, (int)rt_fixnum(radix), end);
        return rt_string_of_utf8(first, (size_t)(end - first));
    }
    rt_text text = {NULL, 0, 0};
    if (rt_is_double(x)) rt_text_double(&text, rt_double(x));
    else rt_text_exact(&text, x, (int)rt_fixnum(radix));
    return rt_string_of_text(&text);
}

/* ---- Text to numbers ----------------------------------------------------- */

static int digit_value(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'z' ? c - 'a' + 10 : 99;
}

/* Digits with an optional sign; false if the text is anything else. */
static bool parse_integer(const char *text, int radix, __mpz_struct *number) {
    const char *digits = *text == '+' || *text == '-' ? text + 1 : text;
    if (*digits == '\0') return false;
    for (const char *at = digits; *at != '\0'; at++)
        if (digit_value(*at) >= radix) return false;
    __gmpz_init_set_str(number, digits, radix);
    if (*text == '-') __gmpz_neg(number, number);
    return true;
}

static rt_value parse_ratio(char *text, char *slash, int radix) {
    mpq_t ratio;
    *slash = '\0';
    if (slash[1] == '+' || slash[1] == '-') return RT_FALSE;
    if (!parse_integer(text, radix, &ratio->_mp_num)) return RT_FALSE;
    if (!parse_integer(slash + 1, radix, &ratio->_mp_den)) {
        __gmpz_clear(&ratio->_mp_num);
        return RT_FALSE;
    }
    if (ratio->_mp_den._mp_size == 0) {
        __gmpq_clear(ratio);
        return RT_FALSE;
    }
    __gmpq_canonicalize(ratio);
    return rt_take_ratio(ratio);
}

static size_t count_digits(const char *text) { return strspn(text, "0123456789"); }

/* [+-] digits [. digits] [e [+-] digits], with a digit before or after the point. */
static bool is_decimal(const char *text) {
    if (*text == '+' || *text == '-') text++;
    size_t whole = count_digits(text), fraction = 0;
    text += whole;
    if (*text == '.') {
        fraction = count_digits(text + 1);
        text += 1 + fraction;
    }
    if (whole + fraction == 0) return false;
    if (*text == 'e') {
        text++;
        if (*text == '+' || *text == '-') text++;
        if (count_digits(text) == 0) return false;
        text += count_digits(text);
    }
    return *text == '\0';
}

static rt_value parse_special(const char *text) {
    if (strcmp(text, "+inf.0") == 0) return rt_of_double(INFINITY);
    if (strcmp(text, "-inf.0") == 0) return rt_of_double(-INFINITY);
    bool nan = strcmp(text, "+nan.0") == 0 || strcmp(text, "-nan.0") == 0;
    return nan ? rt_of_double(NAN) : RT_FALSE;
}

static rt_value parse_real(char *text, int radix) {
    rt_value special = parse_special(text);
    if (special != RT_FALSE) return special;
    char *slash = strchr(text, '/');
    if (slash != NULL) return parse_ratio(text, slash, radix);
    mpz_t integer;
    if (parse_integer(text, radix, integer)) return rt_take_integer(integer);
    return radix == 10 && is_decimal(text) ? rt_of_double(strtod(text, NULL)) : RT_FALSE;
}

/* A decimal read as an exact number: `#e0.1` is 1/10.  Its digits without the point, times a power
 * of ten. */
static rt_value parse_exact_decimal(const char *text) {
    char *digits = rt_malloc(strlen(text) + 1), *end = digits;
    long power = 0;
    bool behind = false;
    const char *at = text;
    for (; *at != '\0' && *at != 'e'; at++) {
        if (*at == '.') {
            behind = true;
        } else {
            *end++ = *at;
            power -= behind;
        }
    }
    *end = '\0';
    long exponent = *at == 'e' ? strtol(at + 1, NULL, 10) : 0;
    rt_value result = RT_FALSE;
    mpz_t mantissa;
    if (labs(exponent) <= MOST_EXACT_EXPONENT && parse_integer(digits, 10, mantissa)) {
        rt_value whole = rt_take_integer(mantissa);
        result = rt_scale_exact(whole, power + exponent);
        rt_free(whole);
    }
    free(digits);
    return result;
}

/* exactness is 'e', 'i' or 0. */
static rt_value parse_with(char *text, int radix, char exactness) {
    bool decimal = radix == 10 && is_decimal(text);
    if (exactness == 'e' && decimal) return parse_exact_decimal(text);
    rt_value number = parse_real(text, radix);
    if (number == RT_FALSE || exactness == 0) return number;
    rt_value result = RT_FALSE;
    double inexact;
    if (exactness == 'i' && rt_to_double(number, &inexact)) result = rt_of_double(inexact);
    else if (!rt_is_double(number)) return number;
    rt_free(number);
    return result;
}

static int radix_of_prefix(char letter) {
    return letter == 'b' ? 2 : letter == 'o' ? 8 : letter == 'x' ? 16 : letter == 'd' ? 10 : 0;
}

/* Prefixes such as #x and #e, then the number; text is in lower case. */
static rt_value parse_prefixed(char *text, int radix) {
    char exactness = 0;
    bool radix_given = false;
    for (; *text == '#' && text[1] != '\0'; text += 2) {
        int given = radix_of_prefix(text[1]);
        if (given != 0 && !radix_given) {
            radix = given;
            radix_given = true;
        } else if ((text[1] == 'e' || text[1] == 'i') && exactness == 0) {
            exactness = text[1];
        } else {
            return RT_FALSE;
        }
    }
    return parse_with(text, radix, exactness);
}

/* The value of [+-] digits [. digits] with few digits, the most common numbers; RT_FALSE for other
 * text.  A quotient of an integer and a power of ten, which are doubles, is rounded as reading is. */
static rt_value parse_short(const char *text, size_t size) {
    bool negative = size > 1 && *text == '-', has_point = false;
    size_t first = size > 1 && (*text == '+' || *text == '-');
    int64_t number = 0;
    int fraction = 0;
    if (size == first || size - first > SURE_FIXNUM_DIGITS) return RT_FALSE;
    for (size_t i = first; i < size; i++) {
        unsigned digit = (unsigned)(unsigned char)text[i] - '0';
        if (digit <= 9) {
            number = 10 * number + (int64_t)digit;
            fraction += has_point;
        } else if (text[i] == '.' && !has_point && size - first > 1) {
            has_point = true;
        } else {
            return RT_FALSE;
        }
    }
    if (!has_point) return rt_of_fixnum(negative ? -number : number);
    if (size - first > SURE_DIGITS + 1) return RT_FALSE;
    double real = (double)number / powers[fraction];
    return rt_of_double(negative ? -real : real);
}

/* Whether text of radix 10 may be a number, by its first character: most symbols are not. */
static bool begins_number(const char *text, size_t size) {
    return size > 0 && ((*text >= '0' && *text <= '9') || memchr("+-.#", *text, 4) != NULL);
}

#define SHORT 64   /* texts below need no memory from malloc */

rt_value rt_parse_number(const char *text, size_t size, int radix) {
    if (radix == 10) {
        if (!begins_number(text, size)) return RT_FALSE;
        rt_value number = parse_short(text, size);
        if (number != RT_FALSE) return number;
    }
    if (memchr(text, '\0', size) != NULL) return RT_FALSE;
    char few[SHORT], *lower = size < SHORT ? few : rt_malloc(size + 1);
    for (size_t i = 0; i < size; i++)
        lower[i] = (char)(text[i] >= 'A' && text[i] <= 'Z' ? text[i] - 'A' + 'a' : text[i]);
    lower[size] = '\0';
    rt_value result = parse_prefixed(lower, radix);
    if (lower != few) free(lower);
    return result;
}

static bool is_number(const char *text, size_t size) {
    rt_value number = rt_parse_number(text, size, 10);
    rt_free(number);
    return number != RT_FALSE;
}

/* A fraction with a zero denominator, such as 1/0. */
bool rt_has_zero_denominator(const char *text, size_t size) {
    const char *slash = memchr(text, '/', size);
    if (slash == NULL || slash + 1 == text + size) return false;
    for (const char *at = slash + 1; at < text + size; at++)
        if (*at != '0') return false;
    rt_value numerator = rt_parse_number(text, (size_t)(slash - text), 10);
    bool whole = rt_is_exact_int(numerator);
    rt_free(numerator);
    return whole;
}

/* A complex number, such as 1+2i, -i or 1@2.  They do not exist, and symbols cannot have such
 * names. */
bool rt_is_complex_text(const char *text, size_t size) {
    const char *at = memchr(text, '@', size), *end = text + size - 1;
    if (at != NULL)
        return is_number(text, (size_t)(at - text)) && is_number(at + 1, (size_t)(end - at));
    if (size == 0 || (*end != 'i' && *end != 'I')) return false;
    for (const char *sign = text; sign < end; sign++) {
        if (*sign != '+' && *sign != '-') continue;
        bool real = sign == text || is_number(text, (size_t)(sign - text));
        if (real && (sign + 1 == end || is_number(sign, (size_t)(end - sign)))) return true;
    }
    return false;
}

bool rt_reads_as_number(const char *text, size_t size) {
    return is_number(text, size) || rt_has_zero_denominator(text, size) || rt_is_complex_text(text, size);
}

rt_value rt_string_to_number(rt_value text, rt_value radix) {
    RT_CHECK(rt_is_string(text), "string->number", "a string", text);
    bool in_range = rt_is_fixnum(radix) && rt_fixnum(radix) >= 2 && rt_fixnum(radix) <= 36;
    RT_CHECK(in_range, "string->number", "a radix from 2 to 36", radix);
    const rt_string_object *string = rt_string_of(text);
    if (string->object.extra == 1)   /* that is UTF-8 already */
        return rt_parse_number((const char *)string->data, string->length, (int)rt_fixnum(radix));
    rt_text utf8 = {NULL, 0, 0};
    rt_text_lisp_string(&utf8, text);
    rt_value result = rt_parse_number(utf8.size ? utf8.bytes : "", utf8.size, (int)rt_fixnum(radix));
    rt_text_free(&utf8);
    return result;
}
