/* rt_unboxed.h - arithmetic whose doubles need no box.
 *
 * Where inference cannot prove that a result is a double but arithmetic is all that is done with it,
 * compiled code keeps it as an rt_number.  Doubles then pass from operation to operation in
 * registers; all other values pass as they are.  An rt_number owns what its value owns.
 *
 *     (+ (* dx dx) y)   =>   rt_number t1 = rt_multiply_numbers(dx, dx);
 *                            rt_number t2 = rt_add_numbers(t1, rt_number_of(y));
 */
#ifndef RT_UNBOXED_H
#define RT_UNBOXED_H

#include <math.h>

#include "rt_primitives.h"

/* value is RT_UNBOXED for the double in `number`, RT_ERROR after a failure, else any value. */
typedef struct rt_number { rt_value value; double number; } rt_number;

/* Borrowed in, borrowed out: a view of the value for the operations below. */
static inline rt_number rt_number_of(rt_value v) { return (rt_number){v, 0.0}; }
static inline rt_number rt_number_of_double(double x) { return (rt_number){RT_UNBOXED, x}; }
static inline rt_number rt_number_of_fixnum(int64_t n) {
    return (rt_number){rt_of_fixnum(n), 0.0};
}

/* Both ways the reference is moved. */
static inline rt_number rt_unbox(rt_value v) {
    if (!rt_is_double(v)) return rt_number_of(v);
    double x = rt_double(v);
    rt_free(v);
    return rt_number_of_double(x);
}
static inline rt_value rt_box(rt_number n) {
    return n.value == RT_UNBOXED ? rt_of_double(n.number) : n.value;
}

static inline rt_number rt_dup_number(rt_number n) {
    rt_dup(n.value);
    return n;
}

static inline bool rt_failed_number(rt_number *n) { return rt_failed(&n->value); }

/* ---- Arithmetic ---------------------------------------------------------- */

/* The number as a double, if it is one or a fixnum that is just as well one. */
static inline bool rt_as_double(rt_number n, double *result) {
    if (RT_LIKELY(n.value == RT_UNBOXED)) {
        *result = n.number;
    } else if (rt_is_fixnum(n.value)) {
        if (rt_fixnum(n.value) != (int64_t)(double)rt_fixnum(n.value)) return false;
        *result = (double)rt_fixnum(n.value);
    } else if (rt_is_double(n.value)) {
        *result = rt_double(n.value);
    } else {
        return false;
    }
    return true;
}

RT_COLD rt_number rt_add_numbers_slow(rt_number a, rt_number b);
RT_COLD rt_number rt_subtract_numbers_slow(rt_number a, rt_number b);
RT_COLD rt_number rt_multiply_numbers_slow(rt_number a, rt_number b);
RT_COLD rt_number rt_divide_numbers_slow(rt_number a, rt_number b);
RT_COLD int rt_compare_numbers_slow(int (*compare)(rt_value, rt_value, bool *), rt_number a,
                                    rt_number b, bool *result);
RT_COLD rt_number rt_apply_to_number(rt_value (*function)(rt_value), rt_number x);

static inline bool rt_both_exact(rt_number a, rt_number b) {
    return rt_both_fixnums(a.value, b.value);
}

static inline rt_number rt_add_numbers(rt_number a, rt_number b) {
    double x, y;
#ifdef __GNUC__
    int64_t sum;
    if (rt_both_exact(a, b) &&
        !__builtin_add_overflow((int64_t)a.value, (int64_t)(b.value - 1), &sum))
        return rt_number_of((rt_value)sum);
#endif
    if (!rt_both_exact(a, b) && rt_as_double(a, &x) && rt_as_double(b, &y))
        return rt_number_of_double(x + y);
    return rt_add_numbers_slow(a, b);
}

static inline rt_number rt_subtract_numbers(rt_number a, rt_number b) {
    double x, y;
#ifdef __GNUC__
    int64_t difference;
    if (rt_both_exact(a, b) &&
        !__builtin_sub_overflow((int64_t)a.value, (int64_t)(b.value - 1), &difference))
        return rt_number_of((rt_value)difference);
#endif
    if (!rt_both_exact(a, b) && rt_as_double(a, &x) && rt_as_double(b, &y))
        return rt_number_of_double(x - y);
    return rt_subtract_numbers_slow(a, b);
}

static inline rt_number rt_multiply_numbers(rt_number a, rt_number b) {
    double x, y;
#ifdef __GNUC__
    int64_t product;
    if (rt_both_exact(a, b) &&
        !__builtin_mul_overflow((int64_t)(a.value - 1), rt_fixnum(b.value), &product))
        return rt_number_of((rt_value)product | 1);
#endif
    if (!rt_both_exact(a, b) && rt_as_double(a, &x) && rt_as_double(b, &y))
        return rt_number_of_double(x * y);
    return rt_multiply_numbers_slow(a, b);
}

static inline rt_number rt_divide_numbers(rt_number a, rt_number b) {
    double x, y;
    bool divides = b.value != rt_of_fixnum(0) && !rt_both_exact(a, b);
    if (divides && rt_as_double(a, &x) && rt_as_double(b, &y)) return rt_number_of_double(x / y);
    return rt_divide_numbers_slow(a, b);
}

#define RT_COMPARISON(name, slow, operator)                                             \
    static inline int name(rt_number a, rt_number b, bool *result) {                    \
        double x, y;                                                                    \
        if (rt_both_exact(a, b)) {                                                      \
            *result = (int64_t)a.value operator (int64_t)b.value;                       \
            return 0;                                                                   \
        }                                                                               \
        if (RT_LIKELY(rt_as_double(a, &x) && rt_as_double(b, &y))) {                    \
            *result = x operator y;                                                     \
            return 0;                                                                   \
        }                                                                               \
        return rt_compare_numbers_slow(slow, a, b, result);                             \
    }
RT_COMPARISON(rt_are_equal_numbers, rt_equal_numbers_slow, ==)
RT_COMPARISON(rt_less_numbers, rt_less_slow, <)
RT_COMPARISON(rt_greater_numbers, rt_greater_slow, >)
RT_COMPARISON(rt_less_or_equal_numbers, rt_less_or_equal_slow, <=)
RT_COMPARISON(rt_greater_or_equal_numbers, rt_greater_or_equal_slow, >=)
#undef RT_COMPARISON

/* For the last use of an argument: see rt_add_freeing. */
static inline void rt_free_numbers(rt_number a, rt_number b, int which) {
    rt_free_those(a.value, b.value, which);
}
#define RT_FREEING(name)                                                                      \
    static inline rt_number name##_freeing(rt_number a, rt_number b, int which) {             \
        rt_number result = name(a, b);                                                        \
        if (RT_UNLIKELY(!rt_both_exact(a, b))) rt_free_numbers(a, b, which);                  \
        return result;                                                                        \
    }
RT_FREEING(rt_add_numbers)
RT_FREEING(rt_subtract_numbers)
RT_FREEING(rt_multiply_numbers)
RT_FREEING(rt_divide_numbers)
#undef RT_FREEING
#define RT_FREEING(name)                                                                      \
    static inline int name##_freeing(rt_number a, rt_number b, int which, bool *result) {     \
        int status = name(a, b, result);                                                      \
        if (RT_UNLIKELY(!rt_both_exact(a, b))) rt_free_numbers(a, b, which);                  \
        return status;                                                                        \
    }
RT_FREEING(rt_are_equal_numbers)
RT_FREEING(rt_less_numbers)
RT_FREEING(rt_greater_numbers)
RT_FREEING(rt_less_or_equal_numbers)
RT_FREEING(rt_greater_or_equal_numbers)
#undef RT_FREEING

/* Functions of one number whose values at a double x are doubles. */
#define RT_FUNCTION(name, function, code)                                                \
    static inline rt_number name(rt_number n) {                                          \
        double x = n.number;                                                             \
        if (RT_LIKELY(n.value == RT_UNBOXED)) return rt_number_of_double(code);          \
        return rt_apply_to_number(function, n);                                          \
    }
RT_FUNCTION(rt_negate_number, rt_negate, -x)
RT_FUNCTION(rt_abs_number, rt_abs, fabs(x))
RT_FUNCTION(rt_square_number, rt_square, x * x)
RT_FUNCTION(rt_floor_number, rt_floor, floor(x))
RT_FUNCTION(rt_ceiling_number, rt_ceiling, ceil(x))
RT_FUNCTION(rt_truncate_number, rt_truncate, trunc(x))
RT_FUNCTION(rt_round_number, rt_round, nearbyint(x))
RT_FUNCTION(rt_exp_number, rt_exp, exp(x))
RT_FUNCTION(rt_sin_number, rt_sin, sin(x))
RT_FUNCTION(rt_cos_number, rt_cos, cos(x))
RT_FUNCTION(rt_tan_number, rt_tan, tan(x))
RT_FUNCTION(rt_tanh_number, rt_tanh, tanh(x))
#undef RT_FUNCTION

static inline rt_number rt_sqrt_number(rt_number x) {
    if (RT_LIKELY(x.value == RT_UNBOXED && x.number >= 0))
        return rt_number_of_double(sqrt(x.number));
    return rt_apply_to_number(rt_sqrt, x);
}

static inline int rt_inexact_number(rt_number x, double *result) {
    if (RT_UNLIKELY(x.value != RT_UNBOXED)) return rt_inexact(x.value, result);
    *result = x.number;
    return 0;
}

RT_COLD rt_number rt_max_numbers_slow(rt_number a, rt_number b);
RT_COLD rt_number rt_min_numbers_slow(rt_number a, rt_number b);
RT_COLD rt_number rt_expt_numbers_slow(rt_number base, rt_number exponent);

/* A double if one of them is one. */
static inline rt_number rt_max_numbers(rt_number a, rt_number b) {
    double x, y;
    if (rt_both_exact(a, b)) return (int64_t)b.value > (int64_t)a.value ? b : a;
    if (RT_LIKELY(rt_as_double(a, &x) && rt_as_double(b, &y)))
        return rt_number_of_double(rt_max_doubles(x, y));
    return rt_max_numbers_slow(a, b);
}
static inline rt_number rt_min_numbers(rt_number a, rt_number b) {
    double x, y;
    if (rt_both_exact(a, b)) return (int64_t)b.value < (int64_t)a.value ? b : a;
    if (RT_LIKELY(rt_as_double(a, &x) && rt_as_double(b, &y)))
        return rt_number_of_double(rt_min_doubles(x, y));
    return rt_min_numbers_slow(a, b);
}

/* A negative base may have no real power: the slow function reports that. */
static inline rt_number rt_expt_numbers(rt_number base, rt_number exponent) {
    double x, y;
    bool inexact = base.value == RT_UNBOXED || exponent.value == RT_UNBOXED;
    if (RT_LIKELY(inexact && rt_as_double(base, &x) && rt_as_double(exponent, &y) && x >= 0))
        return rt_number_of_double(pow(x, y));
    return rt_expt_numbers_slow(base, exponent);
}

#define RT_TEST(name, function, operator)                                                \
    static inline int name(rt_number x, bool *result) {                                  \
        if (RT_UNLIKELY(x.value != RT_UNBOXED)) return function(x.value, result);        \
        *result = x.number operator 0;                                                   \
        return 0;                                                                        \
    }
RT_TEST(rt_is_zero_number, rt_is_zero, ==)
RT_TEST(rt_is_positive_number, rt_is_positive, >)
RT_TEST(rt_is_negative_number, rt_is_negative, <)
#undef RT_TEST

/* ---- Elements ------------------------------------------------------------ */

/* A borrowed projection as a number: still borrowed, and with its own reference. */
static inline rt_number rt_unboxed_projection(rt_value element) {
    bool boxed = element != RT_ERROR && rt_is_double(element);
    return boxed ? rt_number_of_double(rt_double(element)) : rt_number_of(element);
}
static inline rt_number rt_unboxed_copy(rt_value element) {
    bool boxed = element != RT_ERROR && rt_is_double(element);
    return boxed ? rt_number_of_double(rt_double(element)) : rt_number_of(rt_own_projection(element));
}

static inline rt_number rt_car_number_projection(rt_value pair) {
    return rt_unboxed_projection(rt_car_projection(pair));
}
static inline rt_number rt_vector_ref_number_projection(rt_value vector, rt_value k) {
    return rt_unboxed_projection(rt_vector_ref_projection(vector, k));
}
static inline rt_number rt_car_number(rt_value pair) {
    return rt_unboxed_copy(rt_car_projection(pair));
}
static inline rt_number rt_vector_ref_number(rt_value vector, rt_value k) {
    return rt_unboxed_copy(rt_vector_ref_projection(vector, k));
}

int rt_vector_set_boxed(rt_value vector, rt_value k, rt_value value);   /* moved in */
/* n is moved in.  A double is stored in the old element's box, if that box has no other
 * reference. */
static inline int rt_vector_set_number(rt_value vector, rt_value k, rt_number n) {
    if (RT_LIKELY(n.value == RT_UNBOXED && rt_is_vector(vector) && rt_is_fixnum(k))) {
        rt_vector_object *object = rt_vector_of(vector);
        uint64_t index = (uint64_t)rt_fixnum(k);
        if (RT_LIKELY(index < object->length)) {
            rt_value old = object->items[index];
            if (RT_LIKELY(rt_is_double(old) && rt_object_of(old)->count == 1)) {
                ((rt_double_box *)rt_object_of(old))->number = n.number;
                return 0;
            }
        }
    }
    return rt_vector_set_boxed(vector, k, rt_box(n));
}

#endif
