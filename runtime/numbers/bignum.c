/* bignum.c - exact numbers beyond fixnums: integers and ratios of GMP, and their conversion to and
 * comparison with doubles.
 *
 * An integer object never holds a number that fits a fixnum, and a ratio object never holds an
 * integer, so that equal exact numbers have the same kind.
 */
#include "rt_internal.h"

#include <stdlib.h>

#define DOUBLE_DIGITS 53      /* bits of a double's mantissa */
#define LEAST_EXPONENT -1074  /* of a subnormal double's last bit */
#define EXACT_IN_DOUBLE ((int64_t)1 << DOUBLE_DIGITS)

/* ---- Values as numbers of GMP -------------------------------------------- */

static mp_limb_t magnitude(int64_t n) { return n < 0 ? 0 - (mp_limb_t)n : (mp_limb_t)n; }

const __mpz_struct *rt_view_integer(rt_value v, rt_view *room) {
    if (!rt_is_fixnum(v)) return &((rt_integer_object *)rt_object_of(v))->number;
    int64_t n = rt_fixnum(v);
    room->limbs[0] = magnitude(n);
    room->ratio._mp_num = (__mpz_struct){0, (n > 0) - (n < 0), &room->limbs[0]};
    return &room->ratio._mp_num;
}

const __mpq_struct *rt_view_ratio(rt_value v, rt_view *room) {
    if (rt_is_kind(v, RT_RATIO)) return &((rt_ratio_object *)rt_object_of(v))->number;
    room->ratio._mp_num = *rt_view_integer(v, room);
    room->limbs[1] = 1;
    room->ratio._mp_den = (__mpz_struct){0, 1, &room->limbs[1]};
    return &room->ratio;
}

static bool fits_fixnum(const __mpz_struct *number, int64_t *n) {
    int size = number->_mp_size;
    if (size == 0) {
        *n = 0;
        return true;
    }
    mp_limb_t limb = number->_mp_d[0];
    if (size == 1 && limb <= (mp_limb_t)RT_FIXNUM_MAX) *n = (int64_t)limb;
    else if (size == -1 && limb <= magnitude(RT_FIXNUM_MIN)) *n = -(int64_t)limb;
    else return false;
    return true;
}

static size_t limbs_of(const __mpz_struct *number) { return (size_t)abs(number->_mp_size); }

/* The number with a copy of its limbs, which are in an object. */
static __mpz_struct copy_into(mp_limb_t *limbs, const __mpz_struct *number) {
    memcpy(limbs, number->_mp_d, limbs_of(number) * sizeof *limbs);
    return (__mpz_struct){0, number->_mp_size, limbs};
}

/* A small number as a value; it keeps its own limbs. */
static rt_value copy_integer(const __mpz_struct *number) {
    int64_t n;
    if (fits_fixnum(number, &n)) return rt_of_fixnum(n);
    rt_integer_object *object =
        rt_allocate(RT_INTEGER, sizeof *object + limbs_of(number) * sizeof object->limbs[0]);
    object->number = copy_into(object->limbs, number);
    return rt_of_object(object);
}

rt_value rt_take_integer(__mpz_struct *number) {
    if (limbs_of(number) <= RT_SMALL_LIMBS) {
        rt_value copy = copy_integer(number);
        __gmpz_clear(number);
        return copy;
    }
    rt_integer_object *object = rt_allocate(RT_INTEGER, sizeof *object);
    object->number = *number;
    return rt_of_object(object);
}

/* A small one that is not an integer. */
static rt_value copy_ratio(const __mpq_struct *number) {
    size_t upper = limbs_of(&number->_mp_num), count = upper + limbs_of(&number->_mp_den);
    rt_ratio_object *object =
        rt_allocate(RT_RATIO, sizeof *object + count * sizeof object->limbs[0]);
    object->number._mp_num = copy_into(object->limbs, &number->_mp_num);
    object->number._mp_den = copy_into(object->limbs + upper, &number->_mp_den);
    return rt_of_object(object);
}

rt_value rt_take_ratio(__mpq_struct *number) {
    if (number->_mp_den._mp_size == 1 && number->_mp_den._mp_d[0] == 1) {
        __gmpz_clear(&number->_mp_den);
        return rt_take_integer(&number->_mp_num);
    }
    if (limbs_of(&number->_mp_num) + limbs_of(&number->_mp_den) <= RT_SMALL_LIMBS) {
        rt_value copy = copy_ratio(number);
        __gmpq_clear(number);
        return copy;
    }
    rt_ratio_object *object = rt_allocate(RT_RATIO, sizeof *object);
    object->number = *number;
    return rt_of_object(object);
}

uint64_t rt_divisor(int64_t a, int64_t b) {
    uint64_t divisor = magnitude(a), left = magnitude(b);
    while (left != 0) {
        uint64_t rest = divisor % left;
        divisor = left;
        left = rest;
    }
    return divisor;
}

rt_value rt_small_ratio(int64_t upper, int64_t lower) {
    mp_limb_t divisor = rt_divisor(upper, lower);
    mp_limb_t limbs[2] = {magnitude(upper) / divisor, magnitude(lower) / divisor};
    __mpz_struct numerator = {0, (upper > 0) - (upper < 0), &limbs[0]};
    if (limbs[1] == 1) return copy_integer(&numerator);
    return copy_ratio(&(__mpq_struct){numerator, {0, 1, &limbs[1]}});
}

/* The small result of small integers needs no memory but its object's. */
rt_value rt_compute_integer(rt_integer_operation *op, rt_value a, rt_value b) {
    rt_view room_a, room_b;
    const __mpz_struct *x = rt_view_integer(a, &room_a), *y = rt_view_integer(b, &room_b);
    mpz_t result;
    if (limbs_of(x) + limbs_of(y) < RT_SMALL_LIMBS) {
        mp_limb_t limbs[RT_SMALL_LIMBS];
        *result = (__mpz_struct){RT_SMALL_LIMBS, 0, limbs};
        op(result, x, y);
        return copy_integer(result);
    }
    __gmpz_init(result);
    op(result, x, y);
    return rt_take_integer(result);
}

static void clear(__mpz_struct *number) {
    if (number->_mp_alloc > 0) __gmpz_clear(number);
}

void rt_clear_number(rt_object *object) {
    if (object->kind == RT_INTEGER) {
        clear(&((rt_integer_object *)object)->number);
    } else {
        clear(&((rt_ratio_object *)object)->number._mp_num);
        clear(&((rt_ratio_object *)object)->number._mp_den);
    }
}

rt_value rt_of_wide_int64(int64_t n) {
    mp_limb_t limb = magnitude(n);
    return copy_integer(&(__mpz_struct){0, (n > 0) - (n < 0), &limb});
}

rt_value rt_multiply_wide(int64_t a, int64_t b) {
    return rt_compute_integer(__gmpz_mul, rt_of_fixnum(a), rt_of_fixnum(b));
}

bool rt_to_int64(rt_value v, int64_t *result) {
    if (rt_is_fixnum(v)) {
        *result = rt_fixnum(v);
        return true;
    }
    if (!rt_is_kind(v, RT_INTEGER)) return false;
    const __mpz_struct *number = &((rt_integer_object *)rt_object_of(v))->number;
    int size = number->_mp_size;
    mp_limb_t limb = number->_mp_d[0];
    if (size == 1 && limb <= (mp_limb_t)INT64_MAX) *result = (int64_t)limb;
    else if (size == -1 && limb <= magnitude(INT64_MIN)) *result = (int64_t)(0 - limb);
    else return false;
    return true;
}

/* ---- To doubles, rounded once -------------------------------------------- */

/* The double nearest to mantissa times 2 to the power, ties to even.  The top bit of mantissa is
 * set; its lowest bit is also set if any set bit follows. */
static double nearest(uint64_t mantissa, long power) {
    long dropped = 64 - DOUBLE_DIGITS;
    if (power + dropped < LEAST_EXPONENT) dropped = LEAST_EXPONENT - power;
    if (dropped > 64) return 0.0;
    uint64_t kept = dropped == 64 ? 0 : mantissa >> dropped;
    uint64_t rest = dropped == 64 ? mantissa : mantissa & (((uint64_t)1 << dropped) - 1);
    uint64_t half = (uint64_t)1 << (dropped - 1);
    if (rest > half || (rest == half && (kept & 1))) kept++;
    return power > 2000 ? INFINITY : ldexp((double)kept, (int)(power + dropped));
}

/* The top 64 bits of a positive number, scaled by a power of two; sticky says that the number is a
 * little larger than its digits. */
static double leading_bits(const __mpz_struct *number, bool sticky, long power) {
    long bits = (long)__gmpz_sizeinbase(number, 2), shift = bits - 64;
    mpz_t top;
    __gmpz_init(top);
    if (shift > 0) {
        __gmpz_tdiv_q_2exp(top, number, (unsigned long)shift);
        sticky |= __gmpz_scan1(number, 0) < (unsigned long)shift;
    } else {
        __gmpz_mul_2exp(top, number, (unsigned long)-shift);
    }
    uint64_t mantissa = top->_mp_d[0] | (uint64_t)sticky;
    __gmpz_clear(top);
    return nearest(mantissa, shift + power);
}

double rt_integer_to_double(const __mpz_struct *number) {
    if (number->_mp_size == 0) return 0.0;
    __mpz_struct absolute = *number;
    absolute._mp_size = abs(number->_mp_size);
    double result = leading_bits(&absolute, false, 0);
    return number->_mp_size < 0 ? -result : result;
}

/* The quotient has at least 65 bits; the remainder only shows whether more bits follow. */
double rt_ratio_to_double(const __mpq_struct *number) {
    const __mpz_struct *lower = &number->_mp_den;
    mpz_t upper, quotient, rest;
    __gmpz_init(upper);
    __gmpz_init(quotient);
    __gmpz_init(rest);
    __gmpz_abs(upper, &number->_mp_num);
    long shift = 66 - (long)__gmpz_sizeinbase(upper, 2) + (long)__gmpz_sizeinbase(lower, 2);
    if (shift < 0) shift = 0;
    __gmpz_mul_2exp(upper, upper, (unsigned long)shift);
    __gmpz_tdiv_qr(quotient, rest, upper, lower);
    double result = leading_bits(quotient, rest->_mp_size != 0, -shift);
    __gmpz_clear(rest);
    __gmpz_clear(quotient);
    __gmpz_clear(upper);
    return number->_mp_num._mp_size < 0 ? -result : result;
}

bool rt_to_double(rt_value v, double *result) {
    rt_view room;
    if (rt_is_fixnum(v)) *result = (double)rt_fixnum(v);
    else if (rt_is_double(v)) *result = rt_double(v);
    else if (rt_is_kind(v, RT_INTEGER)) *result = rt_integer_to_double(rt_view_integer(v, &room));
    else if (rt_is_kind(v, RT_RATIO)) *result = rt_ratio_to_double(rt_view_ratio(v, &room));
    else return false;
    return true;
}

rt_value rt_double_to_exact(double number) {
    if (fabs(number) < (double)EXACT_IN_DOUBLE && number == (double)(int64_t)number)
        return rt_of_fixnum((int64_t)number);
    mpq_t exact;
    __gmpq_init(exact);
    __gmpq_set_d(exact, number);
    return rt_take_ratio(exact);
}

/* ---- Order --------------------------------------------------------------- */

static int sign(double difference) { return (difference > 0) - (difference < 0); }

static int order_of_doubles(double a, double b) {
    return a != a || b != b ? RT_UNORDERED : (a > b) - (a < b);
}

static int order_of_exact(rt_value a, rt_value b) {
    rt_view room_a, room_b;
    if (rt_is_exact_int(a) && rt_is_exact_int(b))
        return sign(__gmpz_cmp(rt_view_integer(a, &room_a), rt_view_integer(b, &room_b)));
    return sign(__gmpq_cmp(rt_view_ratio(a, &room_a), rt_view_ratio(b, &room_b)));
}

/* A double is compared with an exact number by its own exact value. */
static int order_with_double(double a, rt_value b) {
    if (!isfinite(a)) return a != a ? RT_UNORDERED : sign(a);
    if (rt_is_fixnum(b) && rt_fixnum(b) <= EXACT_IN_DOUBLE && rt_fixnum(b) >= -EXACT_IN_DOUBLE)
        return order_of_doubles(a, (double)rt_fixnum(b));
    rt_value exact = rt_double_to_exact(a);
    int order = order_of_exact(exact, b);
    rt_free(exact);
    return order;
}

int rt_order(rt_value a, rt_value b) {
    if (rt_both_fixnums(a, b)) return ((int64_t)a > (int64_t)b) - ((int64_t)a < (int64_t)b);
    if (rt_is_double(a) && rt_is_double(b)) return order_of_doubles(rt_double(a), rt_double(b));
    if (rt_is_double(a)) return order_with_double(rt_double(a), b);
    if (rt_is_double(b)) {
        int order = order_with_double(rt_double(b), a);
        return order == RT_UNORDERED ? order : -order;
    }
    return order_of_exact(a, b);
}

bool rt_is_odd_integer(rt_value v) {
    rt_view room;
    const __mpz_struct *number = rt_view_integer(v, &room);
    return number->_mp_size != 0 && (number->_mp_d[0] & 1);
}
