/* math.c - rounding, roots, powers and the transcendental functions; exact where they can be. */
#include "rt_internal.h"

#include <float.h>
#include <stdlib.h>

static bool is_zero(rt_value v) { return v == rt_of_fixnum(0); }
static bool is_negative(rt_value v) {
    return rt_order(v, rt_of_fixnum(0)) == -1;
}

/* The start of every function of one number: tensors go to LibTorch, and any other value that is
 * not a number is an error. */
#define RT_NUMBER_OR_TENSOR(who, x)                                         \
    do {                                                                    \
        if (rt_is_tensor(x)) return rt_tensors->arithmetic(who, 1, &(x));   \
        RT_CHECK(rt_is_number(x), who, "a number", x);                      \
    } while (0)

/* ---- Absolute value and rounding ----------------------------------------- */

rt_value rt_abs(rt_value x) {
    RT_NUMBER_OR_TENSOR("abs", x);
    if (rt_is_double(x)) return rt_of_double(fabs(rt_double(x)));
    return is_negative(x) ? rt_subtract(rt_of_fixnum(0), x) : rt_dup(x);
}

/* The largest integer not above a ratio plus an offset in halves. */
static rt_value floor_of(rt_value x, int halves) {
    rt_view room;
    const __mpq_struct *ratio = rt_view_ratio(x, &room);
    mpz_t upper, lower, half;
    __gmpz_init(upper);
    __gmpz_init(lower);
    __gmpz_init_set_si(half, halves);
    __gmpz_mul_2exp(upper, &ratio->_mp_num, 1);
    __gmpz_mul_2exp(lower, &ratio->_mp_den, 1);
    __gmpz_mul(half, half, &ratio->_mp_den);
    __gmpz_add(upper, upper, half);
    __gmpz_fdiv_q(upper, upper, lower);
    __gmpz_clear(half);
    __gmpz_clear(lower);
    return rt_take_integer(upper);
}

rt_value rt_floor(rt_value x) {
    RT_NUMBER_OR_TENSOR("floor", x);
    if (rt_is_double(x)) return rt_of_double(floor(rt_double(x)));
    return rt_is_exact_int(x) ? rt_dup(x) : floor_of(x, 0);
}

/* A ratio is never an integer, so the ceiling is one above the floor. */
rt_value rt_ceiling(rt_value x) {
    RT_NUMBER_OR_TENSOR("ceiling", x);
    if (rt_is_double(x)) return rt_of_double(ceil(rt_double(x)));
    return rt_is_exact_int(x) ? rt_dup(x) : floor_of(x, 2);
}

rt_value rt_truncate(rt_value x) {
    RT_NUMBER_OR_TENSOR("truncate", x);
    if (rt_is_double(x)) return rt_of_double(trunc(rt_double(x)));
    return rt_is_exact_int(x) ? rt_dup(x) : floor_of(x, is_negative(x) ? 2 : 0);
}

/* A tie has the denominator 2; then floor(x + 1/2) is the upper neighbour, which is right if it is
 * even. */
rt_value rt_round(rt_value x) {
    RT_NUMBER_OR_TENSOR("round", x);
    if (rt_is_double(x)) return rt_of_double(nearbyint(rt_double(x)));
    if (rt_is_exact_int(x)) return rt_dup(x);
    rt_view room;
    const __mpz_struct *lower = &rt_view_ratio(x, &room)->_mp_den;
    bool tie = lower->_mp_size == 1 && lower->_mp_d[0] == 2;
    rt_value up = floor_of(x, 1);
    if (!tie || !rt_is_odd_integer(up)) return up;
    rt_free(up);
    return floor_of(x, 0);
}

/* ---- Exactness ----------------------------------------------------------- */

rt_value rt_exact(rt_value x) {
    RT_CHECK(rt_is_number(x), "exact", "a number", x);
    if (!rt_is_double(x)) return rt_dup(x);
    return rt_exact_double(rt_double(x));
}

rt_value rt_exact_double(double x) {
    if (isfinite(x)) return rt_double_to_exact(x);
    rt_text name = {NULL, 0, 0};
    rt_text_double(&name, x);
    rt_fail("exact: %.*s has no exact value", (int)name.size, name.bytes);
    rt_text_free(&name);
    return RT_ERROR;
}

int rt_inexact(rt_value x, double *result) {
    RT_CHECK_STATUS(rt_is_number(x), "inexact", "a number", x);
    *result = rt_number_to_double(x);
    return 0;
}

/* The numerator or denominator of an exact number, or of a double converted to exact. */
static rt_value ratio_component(const char *who, rt_value x, bool upper) {
    RT_CHECK(rt_is_number(x), who, "a number", x);
    RT_CHECK(rt_is_rational(x), who, "a finite number", x);
    if (upper && rt_is_double(x) && rt_is_whole_double(x)) return rt_dup(x);   /* also -0.0 */
    rt_value exact = rt_exact(x);
    rt_view room;
    const __mpq_struct *ratio = rt_view_ratio(exact, &room);
    mpz_t component;
    __gmpz_init_set(component, upper ? &ratio->_mp_num : &ratio->_mp_den);
    rt_free(exact);
    rt_value result = rt_take_integer(component);
    if (!rt_is_double(x)) return result;
    double inexact = rt_number_to_double(result);
    rt_free(result);
    return rt_of_double(inexact);
}

rt_value rt_numerator(rt_value x) { return ratio_component("numerator", x, true); }
rt_value rt_denominator(rt_value x) { return ratio_component("denominator", x, false); }

/* ---- Roots --------------------------------------------------------------- */

static rt_value root_of(const __mpz_struct *number) {
    mpz_t root;
    __gmpz_init(root);
    __gmpz_sqrt(root, number);
    return rt_take_integer(root);
}

static rt_value root_of_fixnum(int64_t n) {
    int64_t root = (int64_t)sqrt((double)n);   /* n may be rounded */
    while (root * root > n) root--;
    while ((root + 1) * (root + 1) <= n) root++;
    return rt_of_fixnum(root);
}

/* The root of a ratio that is too small for a double with all its digits: of the ratio times an
 * even power of two. */
static double small_root(rt_value x) {
    rt_view room;
    const __mpq_struct *ratio = rt_view_ratio(x, &room);
    uint64_t power = rt_bit_length(&ratio->_mp_den) - rt_bit_length(&ratio->_mp_num) + 128;
    power += power & 1;
    mpq_t scaled;
    __gmpq_init(scaled);
    __gmpz_mul_2exp(&scaled->_mp_num, &ratio->_mp_num, power);
    __gmpz_set(&scaled->_mp_den, &ratio->_mp_den);
    double number = rt_ratio_to_double(scaled);
    __gmpq_clear(scaled);
    return power > 100000 ? 0.0 : ldexp(sqrt(number), -(int)(power / 2));
}

/* The double nearest to the root of an exact number, which may itself be too large for a double. */
static double inexact_root(rt_value x) {
    double number = rt_number_to_double(x);
    if (number < DBL_MIN) return small_root(x);
    if (!isinf(number)) return sqrt(number);
    rt_value whole = rt_truncate(x);
    rt_view room;
    rt_value root = root_of(rt_view_integer(whole, &room));
    rt_free(whole);
    double result = rt_number_to_double(root);
    rt_free(root);
    return result;
}

rt_value rt_sqrt(rt_value x) {
    RT_NUMBER_OR_TENSOR("sqrt", x);
    RT_CHECK(!is_negative(x), "sqrt", "a non-negative number", x);
    if (rt_is_double(x)) return rt_of_double(sqrt(rt_double(x)));
    rt_view room;
    const __mpq_struct *ratio = rt_view_ratio(x, &room);
    bool exact = __gmpz_perfect_square_p(&ratio->_mp_num) &&
                 __gmpz_perfect_square_p(&ratio->_mp_den);
    if (!exact) return rt_of_double(inexact_root(x));
    rt_value upper = root_of(&ratio->_mp_num), lower = root_of(&ratio->_mp_den);
    rt_value result = rt_divide(upper, lower);
    rt_free(upper);
    rt_free(lower);
    return result;
}

/* `who: expected noun, got x` for an unboxed x. */
static int refuse_double(const char *who, const char *noun, double x) {
    rt_value boxed = rt_of_double(x);
    rt_fail_wrong_type(who, noun, boxed);
    rt_free(boxed);
    return 1;
}

void rt_sqrt_fail(double x) { refuse_double("sqrt", "a non-negative number", x); }

rt_value rt_integer_sqrt(rt_value n) {
    const char *who = "exact-integer-sqrt";
    RT_CHECK(rt_is_exact_int(n) && !is_negative(n), who, "a non-negative exact integer", n);
    rt_view room;
    if (rt_is_fixnum(n)) return root_of_fixnum(rt_fixnum(n));
    return root_of(rt_view_integer(n, &room));
}

/* ---- Powers -------------------------------------------------------------- */

/* base to a non-negative power; powers of a numerator and denominator stay in lowest terms. */
static rt_value exact_power(rt_value base, unsigned long exponent) {
    rt_view room;
    const __mpq_struct *ratio = rt_view_ratio(base, &room);
    mpq_t result;
    __gmpq_init(result);
    __gmpz_pow_ui(&result->_mp_num, &ratio->_mp_num, exponent);
    __gmpz_pow_ui(&result->_mp_den, &ratio->_mp_den, exponent);
    return rt_take_ratio(result);
}

/* The bits of the numerator or the denominator of an exact number, whichever has more. */
static uint64_t bits_of(rt_value x) {
    rt_view room;
    const __mpq_struct *ratio = rt_view_ratio(x, &room);
    uint64_t upper = rt_bit_length(&ratio->_mp_num), lower = rt_bit_length(&ratio->_mp_den);
    return upper > lower ? upper : lower;
}

/* base to a non-negative power.  The powers of 0, 1 and -1 exist for any exponent. */
static rt_value magnitude_power(rt_value base, rt_value exponent) {
    if (base == rt_of_fixnum(-1)) return rt_of_fixnum(rt_is_odd_integer(exponent) ? -1 : 1);
    if (is_zero(base) && !is_zero(exponent)) return base;
    if (base == rt_of_fixnum(1)) return base;
    if (!rt_is_fixnum(exponent) ||
        (!is_zero(base) && !rt_power_fits(bits_of(base), (uint64_t)rt_fixnum(exponent))))
        return rt_fail("expt: the result is too large");
    uint64_t bits = is_zero(base) ? 0 : bits_of(base) * (uint64_t)rt_fixnum(exponent);
    if (!rt_has_memory(ROOM_TO_MULTIPLY * (bits / 8))) return rt_fail_room("expt", bits, "bits");
    return exact_power(base, (unsigned long)rt_fixnum(exponent));
}

rt_value rt_scale_exact(rt_value number, long power) {
    rt_value scale = magnitude_power(rt_of_fixnum(10), rt_of_fixnum(labs(power)));
    if (scale == RT_ERROR) return RT_ERROR;
    rt_view room, other;
    mpq_t result;
    __gmpq_init(result);
    const __mpq_struct *a = rt_view_ratio(number, &room), *b = rt_view_ratio(scale, &other);
    if (power < 0) __gmpq_div(result, a, b);
    else __gmpq_mul(result, a, b);
    rt_free(scale);
    return rt_take_ratio(result);
}

/* Whether the power of a fixnum, and the squares on the way to it, are fixnums. */
static bool is_small_power(rt_value base, rt_value exponent, rt_value *power) {
    int64_t word;
    *power = rt_of_fixnum(1);
    if (!rt_both_fixnums(base, exponent) || rt_fixnum(exponent) < 0) return false;
    for (uint64_t left = (uint64_t)rt_fixnum(exponent); left > 0;) {
        if (left & 1) {
            if (!rt_multiply_quickly(*power, base, &word)) return false;
            *power = (rt_value)word;
        }
        left >>= 1;
        if (left == 0) break;
        if (!rt_multiply_quickly(base, base, &word)) return false;
        base = (rt_value)word;
    }
    return true;
}

static rt_value exact_expt(rt_value base, rt_value exponent) {
    rt_value power;
    if (is_small_power(base, exponent, &power)) return power;
    bool negative = is_negative(exponent);
    if (negative && is_zero(base)) return rt_fail_division("expt");
    rt_value magnitude = negative ? rt_subtract(rt_of_fixnum(0), exponent) : rt_dup(exponent);
    power = magnitude_power(base, magnitude);
    rt_free(magnitude);
    if (!negative || power == RT_ERROR) return power;
    rt_value result = rt_divide(rt_of_fixnum(1), power);
    rt_free(power);
    return result;
}

/* The root of a non-negative integer; RT_FALSE if it is not an integer. */
static rt_value exact_integer_root(const __mpz_struct *number, rt_value order) {
    if (number->_mp_size < 0) return RT_FALSE;
    if (rt_bit_length(number) <= 1) return rt_of_fixnum(number->_mp_size);
    if (!rt_is_fixnum(order) || (uint64_t)rt_fixnum(order) > rt_bit_length(number))
        return RT_FALSE;
    mpz_t root;
    __gmpz_init(root);
    bool exact = __gmpz_root(root, number, (unsigned long)rt_fixnum(order)) != 0;
    rt_value result = rt_take_integer(root);
    if (exact) return result;
    rt_free(result);
    return RT_FALSE;
}

/* The root of an exact number; RT_FALSE if it is not exact. */
static rt_value exact_root(rt_value base, rt_value order) {
    rt_view room;
    const __mpq_struct *ratio = rt_view_ratio(base, &room);
    rt_value upper = exact_integer_root(&ratio->_mp_num, order), result = RT_FALSE;
    rt_value lower = exact_integer_root(&ratio->_mp_den, order);
    if (upper != RT_FALSE && lower != RT_FALSE) result = rt_divide(upper, lower);
    rt_free(upper);
    rt_free(lower);
    return result;
}

/* Whether a power would not be real: of a negative number, with a fractional exponent. */
static bool has_no_power(double base, double exponent) {
    return base < 0 && isfinite(exponent) && floor(exponent) != exponent;
}

/* An exact power with a fractional exponent; RT_FALSE if it is not exact. */
static rt_value exact_root_power(rt_value base, rt_value exponent) {
    rt_value order = rt_denominator(exponent), root = exact_root(base, order), power = RT_FALSE;
    rt_free(order);
    if (root == RT_FALSE) return RT_FALSE;
    rt_value times = rt_numerator(exponent);
    power = exact_expt(root, times);
    rt_free(times);
    rt_free(root);
    return power;
}

rt_value rt_expt(rt_value base, rt_value exponent) {
    bool numeric = rt_is_number(base) || rt_is_tensor(base);
    RT_CHECK(numeric, "expt", "a number", base);
    RT_CHECK(rt_is_number(exponent) || rt_is_tensor(exponent), "expt", "a number", exponent);
    if (rt_is_tensor(base) || rt_is_tensor(exponent))
        return rt_tensors->arithmetic("expt", 2, (rt_value[]){base, exponent});
    if (rt_is_exact_number(base) && rt_is_exact_int(exponent)) return exact_expt(base, exponent);
    if (rt_is_exact_number(base) && rt_is_exact_number(exponent)) {
        rt_value exact = exact_root_power(base, exponent);
        if (exact != RT_FALSE) return exact;
    }
    double x = rt_number_to_double(base);
    /* As a double, a large integer would be even. */
    if (signbit(x) && rt_is_exact_int(exponent) && rt_is_odd_integer(exponent))
        return rt_of_double(-pow(-x, rt_number_to_double(exponent)));
    double y = rt_number_to_double(exponent);
    RT_CHECK(!has_no_power(x, y), "expt", "a non-negative number", base);
    return rt_of_double(pow(x, y));
}

int rt_expt_doubles(double base, double exponent, double *result) {
    if (has_no_power(base, exponent))
        return refuse_double("expt", "a non-negative number", base);
    *result = pow(base, exponent);
    return 0;
}

/* ---- Transcendental functions -------------------------------------------- */

/* The result for an exact zero is exact. */
static rt_value transcendental(const char *who, double (*function)(double), rt_value x,
                               int64_t at_zero) {
    RT_NUMBER_OR_TENSOR(who, x);
    return is_zero(x) ? rt_of_fixnum(at_zero) : rt_of_double(function(rt_number_to_double(x)));
}

rt_value rt_exp(rt_value x) { return transcendental("exp", exp, x, 1); }
rt_value rt_sin(rt_value x) { return transcendental("sin", sin, x, 0); }
rt_value rt_cos(rt_value x) { return transcendental("cos", cos, x, 1); }
rt_value rt_tan(rt_value x) { return transcendental("tan", tan, x, 0); }
rt_value rt_tanh(rt_value x) { return transcendental("tanh", tanh, x, 0); }

static rt_value arc(const char *who, double (*function)(double), rt_value x, int64_t zero_at) {
    RT_NUMBER_OR_TENSOR(who, x);
    double number = rt_number_to_double(x);
    RT_CHECK(!(fabs(number) > 1), who, "a number from -1 to 1", x);
    return x == rt_of_fixnum(zero_at) ? rt_of_fixnum(0) : rt_of_double(function(number));
}

rt_value rt_asin(rt_value x) { return arc("asin", asin, x, 0); }
rt_value rt_acos(rt_value x) { return arc("acos", acos, x, 1); }

/* Integers too large for doubles have logarithms, too: from their leading bits and the power. */
static double log_of_integer(const __mpz_struct *integer) {
    double number = rt_integer_to_double(integer);
    if (!isinf(number)) return log(number);
    unsigned long shift = __gmpz_sizeinbase(integer, 2) - 1000;
    mpz_t top;
    __gmpz_init(top);
    __gmpz_tdiv_q_2exp(top, integer, shift);
    int exponent;
    double mantissa = frexp(rt_integer_to_double(top), &exponent);
    __gmpz_clear(top);
    return log(mantissa) + log(2.0) * ((double)exponent + (double)shift);
}

/* The same for ratios, also for those that are 0.0, or have few digits, as a double. */
static double log_of(rt_value x) {
    double number = rt_number_to_double(x);
    if (rt_is_double(x) || (number >= DBL_MIN && !isinf(number))) return log(number);
    rt_view room;
    const __mpq_struct *ratio = rt_view_ratio(x, &room);
    double upper = log_of_integer(&ratio->_mp_num);
    return rt_is_kind(x, RT_RATIO) ? upper - log_of_integer(&ratio->_mp_den) : upper;
}

static int check_log(rt_value x) {
    RT_CHECK_STATUS(rt_is_number(x), "log", "a number", x);
    RT_CHECK_STATUS(!is_zero(x) && !is_negative(x), "log", "a positive number", x);
    return 0;
}

rt_value rt_log(rt_value x, rt_value base) {
    if (rt_is_tensor(x) || rt_is_tensor(base)) {
        size_t count = base == RT_FALSE ? 1 : 2;
        RT_CHECK(rt_is_number(x) || rt_is_tensor(x), "log", "a number", x);
        return rt_tensors->arithmetic("log", count, (rt_value[]){x, base});
    }
    if (check_log(x) != 0) return RT_ERROR;
    if (base == RT_FALSE)
        return x == rt_of_fixnum(1) ? rt_of_fixnum(0) : rt_of_double(log_of(x));
    if (check_log(base) != 0) return RT_ERROR;
    return rt_of_double(log_of(x) / log_of(base));
}

int rt_log_double(double x, bool base, double *result) {
    if (x < 0) return refuse_double("log", "a positive number", x);
    RT_CHECK_STATUS(!base, "log", "a number", RT_TRUE);
    *result = log(x);
    return 0;
}

int rt_atan_double(double y, bool x, double *result) {
    RT_CHECK_STATUS(!x, "atan", "a number", RT_TRUE);
    *result = atan(y);
    return 0;
}

rt_value rt_atan(rt_value y, rt_value x) {
    if (rt_is_tensor(y) || rt_is_tensor(x)) {
        size_t count = x == RT_FALSE ? 1 : 2;
        RT_CHECK(rt_is_number(y) || rt_is_tensor(y), "atan", "a number", y);
        return rt_tensors->arithmetic("atan", count, (rt_value[]){y, x});
    }
    if (x == RT_FALSE) return transcendental("atan", atan, y, 0);
    RT_CHECK(rt_is_number(y), "atan", "a number", y);
    RT_CHECK(rt_is_number(x), "atan", "a number", x);
    if (is_zero(y) && rt_is_exact_number(x) && !is_zero(x) && !is_negative(x))
        return rt_of_fixnum(0);
    return rt_of_double(atan2(rt_number_to_double(y), rt_number_to_double(x)));
}
