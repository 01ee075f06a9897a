/* number.c - arithmetic and order on all numbers: the slow cases of the inline functions for
 * fixnums.
 *
 * Exact arguments have exact results; with a double the result is a double; with a tensor LibTorch
 * does the operation.
 */
#include "rt_internal.h"

#include <stdlib.h>

#define SURE_BYTES 1000   /* so small numbers are computed without a look at the memory */

static bool is_numeric(rt_value v) { return rt_is_number(v) || rt_is_tensor(v); }

/* ---- Arithmetic ---------------------------------------------------------- */

/* One operation for each representation of numbers. */
typedef struct operation {
    const char *name;
    double (*doubles)(double, double);
    void (*integers)(__mpz_struct *, const __mpz_struct *, const __mpz_struct *);   /* or NULL */
    void (*ratios)(__mpq_struct *, const __mpq_struct *, const __mpq_struct *);
} operation;

static double add(double a, double b) { return a + b; }
static double subtract(double a, double b) { return a - b; }
static double multiply(double a, double b) { return a * b; }
static double divide(double a, double b) { return a / b; }

static const operation addition = {"+", add, __gmpz_add, __gmpq_add};
static const operation subtraction = {"-", subtract, __gmpz_sub, __gmpq_sub};
static const operation multiplication = {"*", multiply, __gmpz_mul, __gmpq_mul};
static const operation division = {"/", divide, NULL, __gmpq_div};

static size_t bytes_of(const __mpq_struct *number) {
    size_t upper = (size_t)abs(number->_mp_num._mp_size), lower = (size_t)number->_mp_den._mp_size;
    return (upper + lower) * sizeof(mp_limb_t);
}

/* Whether both parts of a ratio have less than 31 bits: then the parts of a sum or a product of two
 * fit an int64_t. */
static bool is_small_ratio(const __mpq_struct *number, int64_t *upper, int64_t *lower) {
    const __mpz_struct *above = &number->_mp_num, *below = &number->_mp_den;
    if (abs(above->_mp_size) > 1 || below->_mp_size > 1) return false;
    mp_limb_t numerator = above->_mp_size == 0 ? 0 : above->_mp_d[0];
    if ((numerator | below->_mp_d[0]) >> 31 != 0) return false;
    *upper = above->_mp_size < 0 ? -(int64_t)numerator : (int64_t)numerator;
    *lower = (int64_t)below->_mp_d[0];
    return true;
}

/* The result for a/b and c/d. */
static rt_value compute_small(const operation *op, int64_t a, int64_t b, int64_t c, int64_t d) {
    if (op == &addition) return rt_small_ratio(a * d + c * b, b * d);
    if (op == &subtraction) return rt_small_ratio(a * d - c * b, b * d);
    if (op == &multiplication) return rt_small_ratio(a * c, b * d);
    return c < 0 ? rt_small_ratio(-a * d, b * -c) : rt_small_ratio(a * d, b * c);
}

static bool has_room(size_t bytes) {
    return bytes < SURE_BYTES || rt_has_memory(ROOM_TO_MULTIPLY * bytes);
}

static size_t bytes_of_integer(rt_value v) {
    if (rt_is_fixnum(v)) return sizeof(mp_limb_t);
    int size = ((const rt_integer_object *)rt_object_of(v))->number._mp_size;
    return (size_t)abs(size) * sizeof(mp_limb_t);
}

static rt_value compute_exact(const operation *op, rt_value a, rt_value b) {
    if (op->integers != NULL && rt_is_exact_int(a) && rt_is_exact_int(b)) {
        if (!has_room(bytes_of_integer(a) + bytes_of_integer(b))) return rt_fail_memory();
        return rt_compute_integer(op->integers, a, b);
    }
    rt_view room_a, room_b;
    const __mpq_struct *x = rt_view_ratio(a, &room_a), *y = rt_view_ratio(b, &room_b);
    int64_t upper_x, lower_x, upper_y, lower_y;
    if (is_small_ratio(x, &upper_x, &lower_x) && is_small_ratio(y, &upper_y, &lower_y))
        return compute_small(op, upper_x, lower_x, upper_y, lower_y);
    if (!has_room(bytes_of(x) + bytes_of(y))) return rt_fail_memory();
    mpq_t result;
    __gmpq_init(result);
    op->ratios(result, x, y);
    return rt_take_ratio(result);
}

/* One is a double.  An exact number too large for a double counts as infinite. */
static rt_value compute_mixed(const operation *op, rt_value a, rt_value b) {
    return rt_of_double(op->doubles(rt_number_to_double(a), rt_number_to_double(b)));
}

static rt_value compute(const operation *op, rt_value a, rt_value b) {
    if (rt_is_double(a) && rt_is_double(b))
        return rt_of_double(op->doubles(rt_double(a), rt_double(b)));
    RT_CHECK(is_numeric(a), op->name, "a number", a);
    RT_CHECK(is_numeric(b), op->name, "a number", b);
    if (rt_is_tensor(a) || rt_is_tensor(b))
        return rt_tensors->arithmetic(op->name, 2, (rt_value[]){a, b});
    if (op == &division && b == rt_of_fixnum(0)) return rt_fail_division("/");
    if (rt_is_double(a) || rt_is_double(b)) return compute_mixed(op, a, b);
    return compute_exact(op, a, b);
}

rt_value rt_add_slow(rt_value a, rt_value b) { return compute(&addition, a, b); }
rt_value rt_subtract_slow(rt_value a, rt_value b) { return compute(&subtraction, a, b); }
rt_value rt_multiply_slow(rt_value a, rt_value b) { return compute(&multiplication, a, b); }

rt_value rt_compute_freeing(rt_value (*operation)(rt_value, rt_value), rt_value a, rt_value b,
                            int which) {
    rt_value result = operation(a, b);
    rt_free_those(a, b, which);
    return result;
}

int rt_compare_freeing(int (*compare)(rt_value, rt_value, bool *), rt_value a, rt_value b,
                       int which, bool *result) {
    int status = compare(a, b, result);
    rt_free_those(a, b, which);
    return status;
}

rt_value rt_divide(rt_value a, rt_value b) {
    if (rt_divides_simply(a, b) && rt_fixnum(a) % rt_fixnum(b) == 0)
        return rt_of_fixnum(rt_fixnum(a) / rt_fixnum(b));
    return compute(&division, a, b);
}

rt_value rt_negate(rt_value x) {
    if (rt_is_tensor(x)) return rt_tensors->arithmetic("-", 1, &x);
    RT_CHECK(rt_is_number(x), "-", "a number", x);
    return rt_is_double(x) ? rt_of_double(-rt_double(x)) : rt_subtract(rt_of_fixnum(0), x);
}

rt_value rt_square(rt_value x) {
    if (rt_is_tensor(x)) return rt_tensors->arithmetic("square", 1, &x);
    RT_CHECK(rt_is_number(x), "square", "a number", x);
    return rt_multiply(x, x);
}

/* ---- Comparison ---------------------------------------------------------- */

/* A number, owned: a tensor of one element counts as its element. */
static rt_value comparable(const char *who, rt_value v) {
    if (rt_is_tensor(v)) return rt_tensors->item(who, rt_tensor(v));
    RT_CHECK(rt_is_number(v), who, "a number", v);
    return rt_dup(v);
}

static int order_of(const char *who, rt_value a, rt_value b, int *order) {
    RT_CHECK_STATUS(is_numeric(a), who, "a number", a);
    RT_CHECK_STATUS(is_numeric(b), who, "a number", b);
    rt_value x = comparable(who, a);
    if (x == RT_ERROR) return 1;
    rt_value y = comparable(who, b);
    if (y != RT_ERROR) {
        *order = rt_order(x, y);
        rt_free(y);
    }
    rt_free(x);
    return y == RT_ERROR;
}

/* No comparison with a nan is true. */
#define RT_COMPARISON(function, name, test, operator)                    \
    int function(rt_value a, rt_value b, bool *result) {                 \
        if (RT_LIKELY(rt_is_tagged_double(a) && rt_is_tagged_double(b))) { \
            *result = rt_tagged_double(a) operator rt_tagged_double(b);  \
            return 0;                                                    \
        }                                                                \
        int order;                                                       \
        if (order_of(name, a, b, &order) != 0) return 1;                 \
        *result = order != RT_UNORDERED && (test);                       \
        return 0;                                                        \
    }
RT_COMPARISON(rt_equal_numbers_slow, "=", order == 0, ==)
RT_COMPARISON(rt_less_slow, "<", order < 0, <)
RT_COMPARISON(rt_greater_slow, ">", order > 0, >)
RT_COMPARISON(rt_less_or_equal_slow, "<=", order <= 0, <=)
RT_COMPARISON(rt_greater_or_equal_slow, ">=", order >= 0, >=)
#undef RT_COMPARISON

/* The larger or the smaller argument, by direction; a nan if one is a nan; a double if one is a
 * double. */
static rt_value extreme(const char *who, rt_value a, rt_value b, int direction) {
    RT_CHECK(is_numeric(a), who, "a number", a);
    RT_CHECK(is_numeric(b), who, "a number", b);
    if (rt_is_tensor(a) || rt_is_tensor(b))
        return rt_tensors->arithmetic(who, 2, (rt_value[]){a, b});
    int order = rt_order(a, b);
    if (order == RT_UNORDERED) return rt_of_double(NAN);
    rt_value chosen = order == -direction ? b : a;
    if (rt_is_double(a) || rt_is_double(b)) return rt_of_double(rt_number_to_double(chosen));
    return rt_dup(chosen);
}

rt_value rt_max(rt_value a, rt_value b) { return extreme("max", a, b, 1); }
rt_value rt_min(rt_value a, rt_value b) { return extreme("min", a, b, -1); }

/* ---- Kinds --------------------------------------------------------------- */

bool rt_is_exact_rational(rt_value x) { return rt_is_exact_number(x); }

bool rt_is_whole_double(rt_value x) {
    return isfinite(rt_double(x)) && floor(rt_double(x)) == rt_double(x);
}

bool rt_is_rational(rt_value x) {
    return rt_is_double(x) ? isfinite(rt_double(x)) : rt_is_exact_number(x);
}

#define RT_NUMBER_TEST(function, name, test)                    \
    int function(rt_value x, bool *result) {                    \
        RT_CHECK_STATUS(rt_is_number(x), name, "a number", x);  \
        *result = (test);                                       \
        return 0;                                               \
    }
RT_NUMBER_TEST(rt_is_nan, "nan?", rt_is_double(x) && isnan(rt_double(x)))
RT_NUMBER_TEST(rt_is_infinite, "infinite?", rt_is_double(x) && isinf(rt_double(x)))
RT_NUMBER_TEST(rt_is_finite, "finite?", !rt_is_double(x) || isfinite(rt_double(x)))
RT_NUMBER_TEST(rt_is_exact, "exact?", !rt_is_double(x))
RT_NUMBER_TEST(rt_is_inexact, "inexact?", rt_is_double(x))
#undef RT_NUMBER_TEST

/* Compared with zero; a tensor by its one element. */
#define RT_SIGN_TEST(function, name, test)                                  \
    int function(rt_value x, bool *result) {                                \
        int order;                                                          \
        if (order_of(name, x, rt_of_fixnum(0), &order) != 0) return 1;      \
        *result = order != RT_UNORDERED && (test);                          \
        return 0;                                                           \
    }
RT_SIGN_TEST(rt_is_zero_slow, "zero?", order == 0)
RT_SIGN_TEST(rt_is_positive_slow, "positive?", order > 0)
RT_SIGN_TEST(rt_is_negative_slow, "negative?", order < 0)
#undef RT_SIGN_TEST
