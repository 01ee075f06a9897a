/* integer.c - integers: division with both roundings, divisors, bits; the slow cases of the inline
 * functions for fixnums.
 *
 * Division also takes doubles with integer values; then its result is a double.
 */
#include "rt_internal.h"

/* Results with more bits are an error; computing them would exhaust the memory. */
#define MOST_BITS ((uint64_t)1 << 32)

/* ---- Division ------------------------------------------------------------ */

/* An integer, or a double with an integer value, as an exact integer, owned; otherwise RT_ERROR. */
static rt_value integral(const char *who, rt_value v) {
    RT_CHECK(rt_is_integer(v), who, "an integer", v);
    return rt_is_double(v) ? rt_double_to_exact(rt_double(v)) : rt_dup(v);
}

static rt_value on_tensors(const char *who, rt_value a, rt_value b) {
    RT_CHECK(rt_is_tensor(a) || rt_is_number(a), who, "a number", a);
    RT_CHECK(rt_is_tensor(b) || rt_is_number(b), who, "a number", b);
    return rt_tensors->arithmetic(who, 2, (rt_value[]){a, b});
}

/* Whether the sign of an integer is negative; a double's may be that of -0.0. */
static bool is_below(rt_value n) {
    return rt_is_double(n) ? signbit(rt_double(n)) : rt_order(n, rt_of_fixnum(0)) < 0;
}

/* The exact operation; if an argument is a double, then so is the result.  On tensors it works
 * element by element. */
static rt_value on_integers(const char *who, rt_integer_operation *op, bool divides, rt_value a,
                            rt_value b) {
    if (rt_is_tensor(a) || rt_is_tensor(b)) return on_tensors(who, a, b);
    rt_value exact_a = integral(who, a);
    if (exact_a == RT_ERROR) return RT_ERROR;
    rt_value exact_b = integral(who, b), result = RT_ERROR;
    if (divides && exact_b == rt_of_fixnum(0)) rt_fail_division(who);
    else if (exact_b != RT_ERROR) result = rt_compute_integer(op, exact_a, exact_b);
    rt_free(exact_a);
    if (exact_b != RT_ERROR) rt_free(exact_b);
    if (result == RT_ERROR || !(rt_is_double(a) || rt_is_double(b))) return result;
    double inexact = 0;
    rt_to_double(result, &inexact);
    rt_free(result);
    bool is_quotient = op == __gmpz_tdiv_q || op == __gmpz_fdiv_q;
    if (inexact == 0 && is_quotient && is_below(a) != is_below(b)) inexact = -0.0;
    return rt_of_double(inexact);
}

#define RT_DIVISION(function, name, op)                                      \
    rt_value function(rt_value n, rt_value d) { return on_integers(name, op, true, n, d); }
RT_DIVISION(rt_quotient_slow, "quotient", __gmpz_tdiv_q)
RT_DIVISION(rt_remainder_slow, "remainder", __gmpz_tdiv_r)
RT_DIVISION(rt_modulo_slow, "modulo", __gmpz_fdiv_r)
RT_DIVISION(rt_truncate_quotient_slow, "truncate-quotient", __gmpz_tdiv_q)
RT_DIVISION(rt_truncate_remainder_slow, "truncate-remainder", __gmpz_tdiv_r)
RT_DIVISION(rt_floor_quotient_slow, "floor-quotient", __gmpz_fdiv_q)
RT_DIVISION(rt_floor_remainder_slow, "floor-remainder", __gmpz_fdiv_r)
RT_DIVISION(rt_truncate_divide_slow, "truncate/", __gmpz_tdiv_q)
RT_DIVISION(rt_floor_divide_slow, "floor/", __gmpz_fdiv_q)
#undef RT_DIVISION

int64_t rt_left_of_large(rt_value n, int64_t d) {
    return rt_fixnum(rt_compute_integer(__gmpz_tdiv_r, n, rt_of_fixnum(d)));
}
int64_t rt_left_below_of_large(rt_value n, int64_t d) {
    return rt_fixnum(rt_compute_integer(__gmpz_fdiv_r, n, rt_of_fixnum(d)));
}

rt_value rt_gcd(rt_value a, rt_value b) {
    if (rt_both_fixnums(a, b)) return rt_of_int64((int64_t)rt_divisor(rt_fixnum(a), rt_fixnum(b)));
    return on_integers("gcd", __gmpz_gcd, false, a, b);
}
rt_value rt_lcm(rt_value a, rt_value b) { return on_integers("lcm", __gmpz_lcm, false, a, b); }

static int parity(const char *who, rt_value x, bool odd, bool *result) {
    rt_value exact = integral(who, x);
    if (exact == RT_ERROR) return 1;
    *result = rt_is_odd_integer(exact) == odd;
    rt_free(exact);
    return 0;
}

int rt_is_odd_slow(rt_value x, bool *result) { return parity("odd?", x, true, result); }
int rt_is_even_slow(rt_value x, bool *result) { return parity("even?", x, false, result); }

/* ---- Bits ---------------------------------------------------------------- */

static rt_value on_bits(const char *who, rt_integer_operation *op, rt_value a, rt_value b) {
    RT_CHECK(rt_is_exact_int(a), who, "an exact integer", a);
    RT_CHECK(rt_is_exact_int(b), who, "an exact integer", b);
    return rt_compute_integer(op, a, b);
}

rt_value rt_bitwise_and_slow(rt_value a, rt_value b) {
    return on_bits("bitwise-and", __gmpz_and, a, b);
}
rt_value rt_bitwise_ior_slow(rt_value a, rt_value b) {
    return on_bits("bitwise-ior", __gmpz_ior, a, b);
}
rt_value rt_bitwise_xor_slow(rt_value a, rt_value b) {
    return on_bits("bitwise-xor", __gmpz_xor, a, b);
}

rt_value rt_bitwise_not(rt_value n) {
    RT_CHECK(rt_is_exact_int(n), "bitwise-not", "an exact integer", n);
    return rt_bitwise_xor(n, rt_of_fixnum(-1));
}

uint64_t rt_bit_length(const __mpz_struct *number) {
    return number->_mp_size == 0 ? 0 : __gmpz_sizeinbase(number, 2);
}

bool rt_power_fits(uint64_t bits, uint64_t exponent) {
    return bits <= 1 || exponent <= MOST_BITS / (bits - 1);
}

static rt_value shift_left(const __mpz_struct *number, rt_value count) {
    if (number->_mp_size == 0) return rt_of_fixnum(0);
    bool fits = rt_is_fixnum(count) && (uint64_t)rt_fixnum(count) <= MOST_BITS;
    if (!fits || rt_bit_length(number) + (uint64_t)rt_fixnum(count) > MOST_BITS)
        return rt_fail("arithmetic-shift: the result is too large");
    uint64_t bits = rt_bit_length(number) + (uint64_t)rt_fixnum(count);
    if (!rt_has_memory(bits / 8)) return rt_fail_room("arithmetic-shift", bits, "bits");
    mpz_t result;
    __gmpz_init(result);
    __gmpz_mul_2exp(result, number, (unsigned long)rt_fixnum(count));
    return rt_take_integer(result);
}

/* A shift beyond all bits leaves only the sign. */
static rt_value shift_right(const __mpz_struct *number, rt_value count) {
    bool beyond = !rt_is_fixnum(count) || (uint64_t)-rt_fixnum(count) > rt_bit_length(number);
    if (beyond) return rt_of_fixnum(number->_mp_size < 0 ? -1 : 0);
    mpz_t result;
    __gmpz_init(result);
    __gmpz_fdiv_q_2exp(result, number, (unsigned long)-rt_fixnum(count));
    return rt_take_integer(result);
}

rt_value rt_arithmetic_shift_slow(rt_value n, rt_value count) {
    RT_CHECK(rt_is_exact_int(n), "arithmetic-shift", "an exact integer", n);
    RT_CHECK(rt_is_exact_int(count), "arithmetic-shift", "an exact integer", count);
    rt_view room;
    const __mpz_struct *number = rt_view_integer(n, &room);
    return rt_order(count, rt_of_fixnum(0)) < 0 ? shift_right(number, count)
                                                : shift_left(number, count);
}

rt_value rt_bit_count(rt_value n) {
    RT_CHECK(rt_is_exact_int(n), "bit-count", "an exact integer", n);
    bool negative = rt_order(n, rt_of_fixnum(0)) < 0;
    rt_value counted = negative ? rt_bitwise_not(n) : rt_dup(n);
    rt_view room;
    unsigned long count = __gmpz_popcount(rt_view_integer(counted, &room));
    rt_free(counted);
    return rt_of_fixnum((int64_t)count);
}
