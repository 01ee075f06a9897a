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

#ifdef __GNUC__
#pragma GCC visibility push(hidden)
#endif

/* value is RT_UNBOXED for the double in `number`, RT_ERROR after a failure, else any value. */
typedef struct rt_number { rt_value value; double number; } rt_number;

/* Borrowed in, borrowed out: a view of the value for the operations below. */
static inline rt_number rt_number_of(rt_value v) { return (rt_number){v, 0.0}; }
static inline rt_number rt_number_of_double(double x) { return (rt_number){RT_UNBOXED, x}; }
static inline rt_number rt_number_of_fixnum(int64_t n) {
    return (rt_number){rt_of_fixnum(n), 0.0};
}

/* Both ways what it owns is moved. */
static inline rt_number rt_unbox(rt_value v) {
    return rt_is_double(v) ? rt_number_of_double(rt_take_double(v)) : rt_number_of(v);
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

/* The operations on two doubles and on two fixnums are inline.  All other numbers are left to the
 * slow functions, of which those with a `which` free what it says: see rt_free_those. */
rt_number rt_add_numbers_slow(rt_number a, rt_number b, int which);
rt_number rt_subtract_numbers_slow(rt_number a, rt_number b, int which);
rt_number rt_multiply_numbers_slow(rt_number a, rt_number b, int which);
rt_number rt_divide_numbers_slow(rt_number a, rt_number b, int which);
int rt_compare_numbers_slow(int (*compare)(rt_value, rt_value, bool *), rt_number a, rt_number b,
                            int which, bool *result);
RT_COLD rt_number rt_apply_to_number(rt_value (*function)(rt_value), rt_number x);

static inline bool rt_both_exact(rt_number a, rt_number b) {
    return rt_both_fixnums(a.value, b.value);
}
/* The number as a double, if it is one that needs no object. */
static inline bool rt_as_double(rt_number n, double *result) {
    if (RT_LIKELY(n.value == RT_UNBOXED)) *result = n.number;
    else if (RT_LIKELY(rt_is_tagged_double(n.value))) *result = rt_tagged_double(n.value);
    else return false;
    return true;
}

/* For programs with tensors: rt_compute_at in rt_primitives.h. */
rt_number rt_compute_numbers_at(rt_number (*compute)(rt_number, rt_number, int), rt_number a,
                                rt_number b, int which, const rt_location *location);

#define RT_ARITHMETIC(name, quickly, operator)                                                \
    static inline rt_number name##_freeing(rt_number a, rt_number b, int which) {             \
        int64_t word;                                                                         \
        double x, y;                                                                          \
        if (quickly(a.value, b.value, &word)) return (rt_number){(rt_value)word, 0.0};        \
        if (RT_LIKELY(rt_as_double(a, &x) && rt_as_double(b, &y)))                            \
            return rt_number_of_double(x operator y);                                         \
        return name##_slow(a, b, which);                                                      \
    }                                                                                         \
    static inline rt_number name(rt_number a, rt_number b) { return name##_freeing(a, b, 0); } \
    static inline rt_number name##_freeing_at(                                                \
        rt_number a, rt_number b, int which, const rt_location *location                      \
    ) {                                                                                       \
        int64_t word;                                                                         \
        double x, y;                                                                          \
        if (quickly(a.value, b.value, &word)) return (rt_number){(rt_value)word, 0.0};        \
        if (RT_LIKELY(rt_as_double(a, &x) && rt_as_double(b, &y)))                            \
            return rt_number_of_double(x operator y);                                         \
        return rt_compute_numbers_at(name##_slow, a, b, which, location);                     \
    }                                                                                         \
    static inline rt_number name##_at(                                                        \
        rt_number a, rt_number b, const rt_location *location                                 \
    ) {                                                                                       \
        return name##_freeing_at(a, b, 0, location);                                          \
    }
#define RT_NEVER(a, b, word) ((void)(word), false)   /* the quotient of fixnums is seldom one */
RT_ARITHMETIC(rt_add_numbers, rt_add_quickly, +)
RT_ARITHMETIC(rt_subtract_numbers, rt_subtract_quickly, -)
RT_ARITHMETIC(rt_multiply_numbers, rt_multiply_quickly, *)
RT_ARITHMETIC(rt_divide_numbers, RT_NEVER, /)
#undef RT_NEVER
#undef RT_ARITHMETIC

#define RT_COMPARISON(name, slow, operator)                                                   \
    static inline int name##_freeing(rt_number a, rt_number b, int which, bool *result) {     \
        double x, y;                                                                          \
        if (rt_both_exact(a, b)) {                                                            \
            *result = (int64_t)a.value operator (int64_t)b.value;                             \
            return 0;                                                                         \
        }                                                                                     \
        if (RT_LIKELY(rt_as_double(a, &x) && rt_as_double(b, &y))) {                          \
            *result = x operator y;                                                           \
            return 0;                                                                         \
        }                                                                                     \
        bool found;   /* so that the result can stay in a register */                         \
        if (rt_compare_numbers_slow(slow, a, b, which, &found) != 0) return 1;                \
        *result = found;                                                                      \
        return 0;                                                                             \
    }                                                                                         \
    static inline int name(rt_number a, rt_number b, bool *result) {                          \
        return name##_freeing(a, b, 0, result);                                               \
    }
RT_COMPARISON(rt_are_equal_numbers, rt_equal_numbers_slow, ==)
RT_COMPARISON(rt_less_numbers, rt_less_slow, <)
RT_COMPARISON(rt_greater_numbers, rt_greater_slow, >)
RT_COMPARISON(rt_less_or_equal_numbers, rt_less_or_equal_slow, <=)
RT_COMPARISON(rt_greater_or_equal_numbers, rt_greater_or_equal_slow, >=)
#undef RT_COMPARISON

/* Functions of one number whose values at a double x are doubles. */
#define RT_FUNCTION(name, function, code)                                                \
    static inline rt_number name(rt_number n) {                                          \
        double x;                                                                        \
        if (RT_LIKELY(rt_as_double(n, &x))) return rt_number_of_double(code);            \
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

static inline rt_number rt_sqrt_number(rt_number n) {
    double x;
    if (RT_LIKELY(rt_as_double(n, &x) && x >= 0)) return rt_number_of_double(sqrt(x));
    return rt_apply_to_number(rt_sqrt, n);
}

static inline int rt_inexact_number(rt_number x, double *result) {
    if (RT_UNLIKELY(x.value != RT_UNBOXED)) return rt_inexact(x.value, result);
    *result = x.number;
    return 0;
}

RT_COLD rt_number rt_max_numbers_slow(rt_number a, rt_number b);
RT_COLD rt_number rt_min_numbers_slow(rt_number a, rt_number b);
RT_COLD rt_number rt_expt_numbers_slow(rt_number base, rt_number exponent);

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
    if (RT_LIKELY(rt_as_double(base, &x) && rt_as_double(exponent, &y) && x >= 0))
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
    if (rt_is_fixnum(element)) return rt_number_of(element);
    if (rt_is_tagged_double(element)) return rt_number_of_double(rt_tagged_double(element));
    if (element != RT_ERROR && rt_is_kind(element, RT_DOUBLE))
        return rt_number_of_double(rt_double(element));
    return rt_number_of(element);
}
static inline rt_number rt_unboxed_copy(rt_value element) {
    if (rt_is_fixnum(element)) return rt_number_of(element);
    rt_number number = rt_unboxed_projection(element);
    if (element != RT_ERROR) rt_dup(number.value);
    return number;
}

static inline rt_number rt_car_number_projection(rt_value pair) {
    return rt_unboxed_projection(rt_car_projection(pair));
}
/* Whether a vector holds doubles, and has an element k. */
static inline bool rt_has_double_at(rt_value vector, int64_t k) {
    return rt_is_doubles(vector) && (uint64_t)k < rt_vector_size(vector);
}
static inline rt_number rt_vector_ref_number_at_projection(rt_value vector, int64_t k) {
    if (rt_has_double_at(vector, k)) return rt_number_of_double(rt_doubles_of(vector)->items[k]);
    return rt_unboxed_projection(rt_vector_ref_at_projection(vector, k));
}
/* The same of a vector that certainly has the element. */
static inline rt_number rt_vector_number_projection(rt_value vector, int64_t k) {
    if (rt_is_doubles(vector)) return rt_number_of_double(rt_doubles_of(vector)->items[k]);
    return rt_unboxed_projection(rt_plain_vector_of(vector)->items[k]);
}
static inline rt_number rt_vector_number(rt_value vector, int64_t k) {
    if (rt_is_doubles(vector)) return rt_number_of_double(rt_doubles_of(vector)->items[k]);
    return rt_unboxed_copy(rt_plain_vector_of(vector)->items[k]);
}
static inline rt_number rt_vector_ref_number_projection(rt_value vector, rt_value k) {
    if (RT_LIKELY(rt_is_fixnum(k)))
        return rt_vector_ref_number_at_projection(vector, rt_fixnum(k));
    return rt_unboxed_projection(rt_vector_ref_projection(vector, k));
}
static inline rt_number rt_car_number(rt_value pair) {
    return rt_unboxed_copy(rt_car_projection(pair));
}
static inline rt_number rt_vector_ref_number_at(rt_value vector, int64_t k) {
    if (rt_has_double_at(vector, k)) return rt_number_of_double(rt_doubles_of(vector)->items[k]);
    return rt_unboxed_copy(rt_vector_ref_at_projection(vector, k));
}
static inline rt_number rt_vector_ref_number(rt_value vector, rt_value k) {
    if (RT_LIKELY(rt_is_fixnum(k))) return rt_vector_ref_number_at(vector, rt_fixnum(k));
    return rt_unboxed_copy(rt_vector_ref_projection(vector, k));
}

static inline rt_number rt_record_ref_number_projection(
    rt_value record, rt_value type, rt_value k, rt_value who
) {
    return rt_unboxed_projection(rt_record_ref_projection(record, type, k, who));
}
static inline rt_number rt_record_ref_number(
    rt_value record, rt_value type, rt_value k, rt_value who
) {
    return rt_unboxed_copy(rt_record_ref_projection(record, type, k, who));
}
/* A field that holds doubles only, as the compiler knows; anything else would be an error. */
int rt_record_double_slow(rt_value field, double *result);
static inline int rt_record_ref_double(
    rt_value record, rt_value type, rt_value k, rt_value who, double *result
) {
    rt_value field = rt_record_ref_projection(record, type, k, who);
    if (RT_UNLIKELY(field == RT_ERROR)) return 1;
    if (RT_UNLIKELY(!rt_is_tagged_double(field))) return rt_record_double_slow(field, result);
    *result = rt_tagged_double(field);
    return 0;
}

int rt_vector_set_number_slow(rt_value vector, rt_value k, rt_number n);   /* n is moved in */
static inline int rt_vector_set_number(rt_value vector, rt_value k, rt_number n) {
    bool unboxed = n.value == RT_UNBOXED;
    if (unboxed && rt_is_fixnum(k) && rt_has_double_at(vector, rt_fixnum(k))) {
        rt_doubles_of(vector)->items[rt_fixnum(k)] = n.number;
        return 0;
    }
    rt_value word = unboxed ? rt_word_of_double(n.number) : n.value;
    bool needs_no_count = unboxed ? word != RT_ERROR : !rt_is_counted(word);
    if (RT_LIKELY(needs_no_count && rt_is_plain_vector(vector) && rt_is_fixnum(k))) {
        rt_vector_object *object = rt_plain_vector_of(vector);
        uint64_t index = (uint64_t)rt_fixnum(k);
        if (RT_LIKELY(index < object->length) && RT_LIKELY(!rt_is_counted(object->items[index]))) {
            object->items[index] = word;
            return 0;
        }
    }
    return rt_vector_set_number_slow(vector, k, n);
}
static inline int rt_vector_set_number_at(rt_value vector, int64_t k, rt_number n) {
    return rt_vector_set_number(vector, rt_of_fixnum(k), n);
}

/* ---- Vectors of doubles --------------------------------------------------- */

/* Whether it is a vector of doubles, with at least that many elements. */
static inline bool rt_are_doubles(rt_value v, size_t length) {
    return rt_is_doubles(v) && rt_vector_size(v) >= length;
}
/* For code that has found a vector to be one of doubles, and longer than k. */
static inline double rt_doubles_ref(rt_value vector, int64_t k) {
    return rt_doubles_of(vector)->items[k];
}
static inline void rt_doubles_set(rt_value vector, int64_t k, double x) {
    rt_doubles_of(vector)->items[k] = x;
}
/* For code that has found a vector to be one of doubles. */
static inline int rt_doubles_ref_checked(rt_value vector, int64_t k, double *result) {
    if (RT_UNLIKELY((uint64_t)k >= rt_vector_size(vector))) {
        rt_fail_element("vector-ref", k, rt_vector_size(vector));
        return 1;
    }
    *result = rt_doubles_of(vector)->items[k];
    return 0;
}
static inline int rt_doubles_set_checked(rt_value vector, int64_t k, double x) {
    if (RT_UNLIKELY((uint64_t)k >= rt_vector_size(vector))) {
        rt_fail_element("vector-set!", k, rt_vector_size(vector));
        return 1;
    }
    rt_doubles_of(vector)->items[k] = x;
    return 0;
}

#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#endif
