/* rt_primitives.h - the primitives of lang/primitives/ in C, called as the docstring of its
 * table.py says.  What programs do most is inline here; the rest is only declared.
 *
 * Arguments are borrowed and results owned, except where "moved in" is written.
 *
 * Inline functions that fail return 1 themselves, not the status of what they call: so the C
 * compiler sees that a program never reads an uninitialized result.
 */
#ifndef RT_PRIMITIVES_H
#define RT_PRIMITIVES_H

#include <math.h>

#include "rt.h"

#ifdef __GNUC__
#pragma GCC visibility push(hidden)
#endif

/* ---- Inline: equality, pairs, vectors ------------------------------------ */

/* Whether another object may be the same value to eq? and eqv?. */
static inline bool rt_is_boxed_number(rt_value v) {
    return rt_is_object(v) && (uint8_t)(rt_object_of(v)->kind - RT_DOUBLE) <= RT_RATIO - RT_DOUBLE;
}
/* Numbers of one value and exactness are one object to eq?, boxed or not. */
bool rt_same_numbers(rt_value a, rt_value b);
static inline bool rt_eqv(rt_value a, rt_value b) {
    return a == b || (RT_UNLIKELY(rt_is_boxed_number(a)) && rt_same_numbers(a, b));
}
static inline bool rt_eq(rt_value a, rt_value b) { return rt_eqv(a, b); }
/* The same where one of the two is certainly not a boxed number. */
static inline bool rt_is_same(rt_value a, rt_value b) { return a == b; }

static inline int rt_not(rt_value x, bool *result) {
    bool truth;
    if (rt_truth(x, &truth) != 0) return 1;
    *result = !truth;
    return 0;
}

/* A value that an object holds: the C compiler need not test for RT_ERROR. */
static inline rt_value rt_certain(rt_value held) {
#ifdef __GNUC__
    if (held == RT_ERROR) __builtin_unreachable();
#endif
    return held;
}

/* Borrowed projections: elements of a pair or a vector, without a new reference. */
static inline rt_value rt_car_projection(rt_value pair) {
    if (RT_UNLIKELY(!rt_is_pair(pair))) return rt_fail_wrong_type("car", "a pair", pair);
    return rt_certain(rt_pair_of(pair)->car);
}
static inline rt_value rt_cdr_projection(rt_value pair) {
    if (RT_UNLIKELY(!rt_is_pair(pair))) return rt_fail_wrong_type("cdr", "a pair", pair);
    return rt_certain(rt_pair_of(pair)->cdr);
}
/* An element of a vector of any kind, borrowed. */
rt_value rt_vector_ref_slow(rt_value vector, rt_value k);
rt_value rt_vector_item(rt_value vector, size_t k);
/* The same of a vector that certainly has it. */
static inline rt_value rt_vector_element(rt_value vector, int64_t k) {
    if (RT_LIKELY(rt_object_of(vector)->kind == RT_VECTOR))
        return rt_plain_vector_of(vector)->items[k];
    return rt_vector_item(vector, (size_t)k);
}
static inline rt_value rt_vector_ref_inside(rt_value vector, int64_t k) {
    return rt_dup(rt_vector_element(vector, k));
}
static inline rt_value rt_vector_ref_projection(rt_value vector, rt_value k) {
    if (RT_LIKELY(rt_is_plain_vector(vector) && rt_is_fixnum(k))) {
        rt_vector_object *object = rt_plain_vector_of(vector);
        uint64_t index = (uint64_t)rt_fixnum(k);
        if (RT_LIKELY(index < object->length)) return rt_certain(object->items[index]);
    }
    return rt_vector_ref_slow(vector, k);
}

/* The same for an index that is known to be a fixnum; so below. */
static inline rt_value rt_vector_ref_at_projection(rt_value vector, int64_t k) {
    if (RT_LIKELY(rt_is_plain_vector(vector) && (uint64_t)k < rt_vector_size(vector)))
        return rt_certain(rt_plain_vector_of(vector)->items[k]);
    return rt_vector_ref_slow(vector, rt_of_fixnum(k));
}

/* Take a reference to a projection, unless it is RT_ERROR. */
static inline rt_value rt_own_projection(rt_value element) {
    return RT_UNLIKELY(element == RT_ERROR) ? RT_ERROR : rt_dup(element);
}

static inline rt_value rt_car(rt_value pair) { return rt_own_projection(rt_car_projection(pair)); }
static inline rt_value rt_cdr(rt_value pair) { return rt_own_projection(rt_cdr_projection(pair)); }
static inline rt_value rt_vector_ref(rt_value vector, rt_value k) {
    return rt_own_projection(rt_vector_ref_projection(vector, k));
}
static inline rt_value rt_vector_ref_at(rt_value vector, int64_t k) {
    return rt_own_projection(rt_vector_ref_at_projection(vector, k));
}

/* cadr, cddr, caddr ...: path "ad" is followed from its end. */
rt_value rt_follow_path(rt_value pair, const char *who, const char *path);
#define RT_PATH(path)                                                                            \
    static inline rt_value rt_c##path##r_projection(rt_value pair) {                             \
        return rt_follow_path(pair, "c" #path "r", #path);                                       \
    }                                                                                            \
    static inline rt_value rt_c##path##r(rt_value pair) {                                        \
        return rt_own_projection(rt_c##path##r_projection(pair));                                \
    }
#define RT_LONGER_PATH(path, outer, inner)                                                       \
    static inline rt_value rt_c##path##r_projection(rt_value pair) {                             \
        rt_value at = RT_LIKELY(rt_is_pair(pair)) ? rt_pair_of(pair)->inner : RT_NIL;            \
        if (RT_LIKELY(rt_is_pair(at) && rt_is_pair(rt_pair_of(at)->inner)))                      \
            return rt_pair_of(rt_pair_of(at)->inner)->outer;                                     \
        return rt_follow_path(pair, "c" #path "r", #path);                                       \
    }                                                                                            \
    static inline rt_value rt_c##path##r(rt_value pair) {                                        \
        return rt_own_projection(rt_c##path##r_projection(pair));                                \
    }
#define RT_SHORT_PATH(path, outer, inner)                                                        \
    static inline rt_value rt_c##path##r_projection(rt_value pair) {                             \
        if (RT_LIKELY(rt_is_pair(pair) && rt_is_pair(rt_pair_of(pair)->inner)))                  \
            return rt_pair_of(rt_pair_of(pair)->inner)->outer;                                   \
        return rt_follow_path(pair, "c" #path "r", #path);                                       \
    }                                                                                            \
    static inline rt_value rt_c##path##r(rt_value pair) {                                        \
        return rt_own_projection(rt_c##path##r_projection(pair));                                \
    }
RT_SHORT_PATH(aa, car, car)
RT_SHORT_PATH(ad, car, cdr)
RT_SHORT_PATH(da, cdr, car)
RT_SHORT_PATH(dd, cdr, cdr)
RT_PATH(aaa)
RT_PATH(aad)
RT_PATH(ada)
RT_LONGER_PATH(add, car, cdr)
RT_PATH(daa)
RT_PATH(dad)
RT_PATH(dda)
RT_LONGER_PATH(ddd, cdr, cdr)
RT_PATH(aaaa)
RT_PATH(aaad)
RT_PATH(aada)
RT_PATH(aadd)
RT_PATH(adaa)
RT_PATH(adad)
RT_PATH(adda)
RT_PATH(addd)
RT_PATH(daaa)
RT_PATH(daad)
RT_PATH(dada)
RT_PATH(dadd)
RT_PATH(ddaa)
RT_PATH(ddad)
RT_PATH(ddda)
RT_PATH(dddd)
#undef RT_PATH
#undef RT_LONGER_PATH
#undef RT_SHORT_PATH

/* ---- Inline: records ----------------------------------------------------- */

bool rt_extends(rt_value type, rt_value ancestor);
static inline bool rt_is_record(rt_value x, rt_value type) {
    if (!rt_is_kind(x, RT_RECORD)) return false;
    rt_value own = rt_record_of(x)->type;
    return own == type || (rt_record_type_of(own)->parent != RT_FALSE && rt_extends(own, type));
}

/* The fields are moved in. */
static inline rt_value rt_record(rt_value type, size_t count, const rt_value *fields) {
    rt_record_object *record =
        rt_allocate(RT_RECORD, sizeof *record + count * sizeof record->fields[0]);
    record->object.extra = (uint16_t)(count + 1);
    record->type = rt_dup(type);
    RT_UNROLL
    for (size_t i = 0; i < count; i++) record->fields[i] = fields[i];
    return rt_of_object(record);
}

/* k is an index of the type. */
rt_value rt_record_ref_slow(rt_value record, rt_value type, rt_value who);
static inline rt_value rt_record_ref_projection(
    rt_value record, rt_value type, rt_value k, rt_value who
) {
    if (RT_UNLIKELY(!rt_is_record(record, type))) return rt_record_ref_slow(record, type, who);
    return rt_certain(rt_record_of(record)->fields[rt_fixnum(k)]);
}

static inline rt_value rt_record_ref(rt_value record, rt_value type, rt_value k, rt_value who) {
    return rt_own_projection(rt_record_ref_projection(record, type, k, who));
}

/* value is moved in. */
int rt_record_set_slow(rt_value record, rt_value type, rt_value value, rt_value who);
static inline int rt_record_set(rt_value record, rt_value type, rt_value k, rt_value value,
                                rt_value who) {
    if (RT_UNLIKELY(!rt_is_record(record, type)))
        return rt_record_set_slow(record, type, value, who);
    rt_before_store(record, value);
    rt_value *field = &rt_record_of(record)->fields[rt_fixnum(k)], old = *field;
    *field = value;
    rt_free(old);
    return 0;
}

rt_value rt_record_type(rt_value name, rt_value fields);
rt_value rt_record_copy(rt_value record, rt_value type, rt_value who);
rt_value rt_record_subtype(rt_value name, rt_value fields, rt_value parent, rt_value call);
rt_value rt_applicable_type(rt_value name, rt_value fields, rt_value call, rt_value roles);
bool rt_is_any_record(rt_value x);
rt_value rt_type_of_record(rt_value x);
rt_value rt_name_of_record_type(rt_value x);
rt_value rt_fields_of_record_type(rt_value x);
rt_value rt_fields_of_record(rt_value x);
rt_value rt_roles_of_record(rt_value x);
rt_value rt_record_slot(rt_value record, rt_value k);
int rt_set_record_slot(rt_value record, rt_value k, rt_value value);

/* ---- Inline: characters, strings, bytevectors ----------------------------- */

int rt_char_to_integer_slow(rt_value c);
static inline int rt_char_to_integer(rt_value c, int64_t *result) {
    if (RT_UNLIKELY(!rt_is_char(c))) {
        rt_char_to_integer_slow(c);
        return 1;
    }
    *result = (int64_t)rt_char_code(c);
    return 0;
}

/* Characters are in the order of their words. */
int rt_char_comparison_slow(const char *who, rt_value a, rt_value b);
#define RT_COMPARISON(name, who, operator)                                       \
    static inline int name(rt_value a, rt_value b, bool *result) {               \
        if (RT_UNLIKELY(!rt_is_char(a) || !rt_is_char(b))) {                     \
            rt_char_comparison_slow(who, a, b);                                  \
            return 1;                                                            \
        }                                                                        \
        *result = a operator b;                                                  \
        return 0;                                                                \
    }
RT_COMPARISON(rt_char_equal, "char=?", ==)
RT_COMPARISON(rt_char_less, "char<?", <)
RT_COMPARISON(rt_char_greater, "char>?", >)
RT_COMPARISON(rt_char_less_or_equal, "char<=?", <=)
RT_COMPARISON(rt_char_greater_or_equal, "char>=?", >=)
#undef RT_COMPARISON

static inline uint32_t rt_string_at(const rt_string_object *string, size_t index) {
    if (string->object.extra == 1) return string->data[index];
    uint32_t code;
    memcpy(&code, string->data + 4 * index, sizeof code);
    return code;
}

static inline int rt_string_length(rt_value text, int64_t *result) {
    if (RT_UNLIKELY(!rt_is_string(text))) {
        rt_fail_wrong_type("string-length", "a string", text);
        return 1;
    }
    *result = (int64_t)rt_string_of(text)->length;
    return 0;
}
static inline int rt_is_string_null(rt_value text, bool *result) {
    if (RT_UNLIKELY(!rt_is_string(text))) {
        rt_fail_wrong_type("string-null?", "a string", text);
        return 1;
    }
    *result = rt_string_of(text)->length == 0;
    return 0;
}

rt_value rt_string_ref_slow(rt_value text, rt_value k);
static inline rt_value rt_string_ref(rt_value text, rt_value k) {
    if (RT_LIKELY(rt_is_string(text) && rt_is_fixnum(k))) {
        const rt_string_object *string = rt_string_of(text);
        uint64_t index = (uint64_t)rt_fixnum(k);
        if (RT_LIKELY(index < string->length)) return RT_CHAR(rt_string_at(string, index));
    }
    return rt_string_ref_slow(text, k);
}
/* Of a string that certainly has the character. */
static inline rt_value rt_string_ref_inside(rt_value text, int64_t k) {
    return RT_CHAR(rt_string_at(rt_string_of(text), (size_t)k));
}
static inline rt_value rt_string_ref_at(rt_value text, int64_t k) {
    if (RT_LIKELY(rt_is_string(text) && (uint64_t)k < rt_string_of(text)->length))
        return rt_string_ref_inside(text, k);
    return rt_string_ref_slow(text, rt_of_fixnum(k));
}

/* The slow ones report the error. */
int rt_bytevector_u8_ref_slow(rt_value bytes, rt_value k);
static inline int rt_bytevector_u8_ref(rt_value bytes, rt_value k, int64_t *result) {
    if (RT_UNLIKELY(!rt_is_bytes(bytes) || !rt_is_fixnum(k) ||
                    (uint64_t)rt_fixnum(k) >= rt_bytes_of(bytes)->length)) {
        rt_bytevector_u8_ref_slow(bytes, k);
        return 1;
    }
    *result = rt_bytes_of(bytes)->data[rt_fixnum(k)];
    return 0;
}
static inline int rt_bytevector_u8_ref_at(rt_value bytes, int64_t k, int64_t *result) {
    if (RT_UNLIKELY(!rt_is_bytes(bytes) || (uint64_t)k >= rt_bytes_of(bytes)->length)) {
        rt_bytevector_u8_ref_slow(bytes, rt_of_fixnum(k));
        return 1;
    }
    *result = rt_bytes_of(bytes)->data[k];
    return 0;
}

int rt_bytevector_u8_set_slow(rt_value bytes, rt_value k, rt_value byte);
static inline int rt_bytevector_u8_set(rt_value bytes, rt_value k, rt_value byte) {
    if (RT_UNLIKELY(!rt_is_bytes(bytes) || !rt_is_fixnum(k) || !rt_is_fixnum(byte) ||
                    (uint64_t)rt_fixnum(k) >= rt_bytes_of(bytes)->length ||
                    (uint64_t)rt_fixnum(byte) > UINT8_MAX))
        return rt_bytevector_u8_set_slow(bytes, k, byte);
    rt_bytes_of(bytes)->data[rt_fixnum(k)] = (unsigned char)rt_fixnum(byte);
    return 0;
}
static inline int rt_bytevector_u8_set_at(rt_value bytes, int64_t k, int64_t byte) {
    if (RT_UNLIKELY(!rt_is_bytes(bytes) || (uint64_t)k >= rt_bytes_of(bytes)->length ||
                    (uint64_t)byte > UINT8_MAX))
        return rt_bytevector_u8_set_slow(bytes, rt_of_fixnum(k), rt_of_fixnum(byte));
    rt_bytes_of(bytes)->data[k] = (unsigned char)byte;
    return 0;
}

static inline bool rt_is_absent(rt_value x) { return x == RT_ABSENT; }

/* ---- Inline: arithmetic on fixnums --------------------------------------- */

rt_value rt_add_slow(rt_value a, rt_value b);
rt_value rt_subtract_slow(rt_value a, rt_value b);
rt_value rt_multiply_slow(rt_value a, rt_value b);
rt_value rt_arithmetic_shift_slow(rt_value n, rt_value count);
int rt_equal_numbers_slow(rt_value a, rt_value b, bool *result);
int rt_less_slow(rt_value a, rt_value b, bool *result);
int rt_greater_slow(rt_value a, rt_value b, bool *result);
int rt_less_or_equal_slow(rt_value a, rt_value b, bool *result);
int rt_greater_or_equal_slow(rt_value a, rt_value b, bool *result);
int rt_is_zero_slow(rt_value x, bool *result);
int rt_is_positive_slow(rt_value x, bool *result);
int rt_is_negative_slow(rt_value x, bool *result);
int rt_is_odd_slow(rt_value x, bool *result);
int rt_is_even_slow(rt_value x, bool *result);

static inline bool rt_both_fixnums(rt_value a, rt_value b) { return (a & b & 1) != 0; }

/* The usual case of each operation: whether both are fixnums and the result is one, too.
 *
 * With the tag at the low end, 2a+1 + 2b = 2(a+b)+1: tagged words add without untagging. */
#ifdef __GNUC__
static inline bool rt_add_quickly(rt_value a, rt_value b, int64_t *word) {
    return RT_LIKELY(rt_both_fixnums(a, b)) &&
           RT_LIKELY(!__builtin_add_overflow((int64_t)a, (int64_t)(b - 1), word));
}
static inline bool rt_subtract_quickly(rt_value a, rt_value b, int64_t *word) {
    return RT_LIKELY(rt_both_fixnums(a, b)) &&
           RT_LIKELY(!__builtin_sub_overflow((int64_t)a, (int64_t)(b - 1), word));
}
static inline bool rt_multiply_quickly(rt_value a, rt_value b, int64_t *word) {
    int64_t product;
    if (RT_LIKELY(rt_both_fixnums(a, b)) &&
        RT_LIKELY(!__builtin_mul_overflow((int64_t)(a - 1), rt_fixnum(b), &product))) {
        *word = product | 1;
        return true;
    }
    return false;
}
#else
#define rt_add_quickly(a, b, word) (*(word) = 0, false)
#define rt_subtract_quickly(a, b, word) (*(word) = 0, false)
#define rt_multiply_quickly(a, b, word) (*(word) = 0, false)
#endif

/* The same operations as the last use of an argument: `which` says which ones are freed after them.
 * Two fixnums, the usual case, need no free. */
enum { RT_FIRST = 1, RT_SECOND = 2, RT_BOTH = RT_FIRST | RT_SECOND };

static inline void rt_free_those(rt_value a, rt_value b, int which) {
    if (which & RT_FIRST) rt_free(a);
    if (which & RT_SECOND) rt_free(b);
}
rt_value rt_compute_freeing(rt_value (*compute)(rt_value, rt_value), rt_value a, rt_value b,
                            int which);
int rt_compare_freeing(int (*compare)(rt_value, rt_value, bool *), rt_value a, rt_value b,
                       int which, bool *result);

/* The same in programs with tensors, where the slow cases may create one: they record the location
 * for reports. */
rt_value rt_compute_at(rt_value (*compute)(rt_value, rt_value), rt_value a, rt_value b,
                       const rt_location *location);
rt_value rt_compute_freeing_at(rt_value (*compute)(rt_value, rt_value), rt_value a, rt_value b,
                               int which, const rt_location *location);

#define RT_ARITHMETIC(name)                                                                 \
    static inline rt_value name(rt_value a, rt_value b) {                                   \
        int64_t word;                                                                       \
        return name##_quickly(a, b, &word) ? (rt_value)word : name##_slow(a, b);            \
    }                                                                                       \
    static inline rt_value name##_freeing(rt_value a, rt_value b, int which) {              \
        int64_t word;                                                                       \
        if (name##_quickly(a, b, &word)) return (rt_value)word;                             \
        return rt_compute_freeing(name##_slow, a, b, which);                                \
    }                                                                                       \
    static inline rt_value name##_at(                                                       \
        rt_value a, rt_value b, const rt_location *location                                 \
    ) {                                                                                     \
        int64_t word;                                                                       \
        if (name##_quickly(a, b, &word)) return (rt_value)word;                             \
        return rt_compute_at(name##_slow, a, b, location);                                  \
    }                                                                                       \
    static inline rt_value name##_freeing_at(                                               \
        rt_value a, rt_value b, int which, const rt_location *location                      \
    ) {                                                                                     \
        int64_t word;                                                                       \
        if (name##_quickly(a, b, &word)) return (rt_value)word;                             \
        return rt_compute_freeing_at(name##_slow, a, b, which, location);                   \
    }
RT_ARITHMETIC(rt_add)
RT_ARITHMETIC(rt_subtract)
RT_ARITHMETIC(rt_multiply)
#undef RT_ARITHMETIC

/* The same of unboxed integers in the range of a fixnum. */
static inline rt_value rt_add_fixnums(int64_t a, int64_t b) { return rt_of_int64(a + b); }
static inline rt_value rt_subtract_fixnums(int64_t a, int64_t b) { return rt_of_int64(a - b); }
rt_value rt_multiply_wide(int64_t a, int64_t b);   /* an integer object */
static inline rt_value rt_multiply_fixnums(int64_t a, int64_t b) {
    int64_t product;
    if (RT_LIKELY(!__builtin_mul_overflow(a, b, &product))) return rt_of_int64(product);
    return rt_multiply_wide(a, b);
}

/* d is not 0 and not -1, so that nothing can overflow. */
static inline bool rt_divides_simply(rt_value n, rt_value d) {
    return rt_both_fixnums(n, d) && d != rt_of_fixnum(0) && d != rt_of_fixnum(-1);
}

static inline int64_t rt_divided_down(int64_t n, int64_t d) {
    int64_t quotient = n / d;
    return quotient * d != n && (n < 0) != (d < 0) ? quotient - 1 : quotient;
}

static inline int64_t rt_left_below(int64_t n, int64_t d) {
    int64_t rest = n % d;
    return rest != 0 && (rest < 0) != (d < 0) ? rest + d : rest;
}

static inline int64_t rt_divided(int64_t n, int64_t d) { return n / d; }
static inline int64_t rt_left(int64_t n, int64_t d) { return n % d; }
int64_t rt_left_of_large(rt_value n, int64_t d);         /* n: an integer object, borrowed */
int64_t rt_left_below_of_large(rt_value n, int64_t d);

/* Each division has three functions: for values, for their slow cases, and for unboxed fixnums. */
#define RT_DIVISION(name, compute)                                                       \
    rt_value name##_slow(rt_value n, rt_value d);                                        \
    static inline rt_value name(rt_value n, rt_value d) {                                \
        if (RT_LIKELY(rt_divides_simply(n, d)))                                          \
            return rt_of_fixnum(compute(rt_fixnum(n), rt_fixnum(d)));                    \
        return name##_slow(n, d);                                                        \
    }
#define RT_QUOTIENT(name, lisp_name, compute)                                            \
    RT_DIVISION(name, compute)                                                           \
    static inline rt_value name##_fixnums(int64_t n, int64_t d) {                        \
        if (RT_UNLIKELY(d == 0)) return rt_fail_division(lisp_name);                     \
        return rt_of_int64(compute(n, d));                                               \
    }
#define RT_REMAINDER(name, lisp_name, compute)                                           \
    RT_DIVISION(name, compute)                                                           \
    static inline int name##_fixnums(int64_t n, int64_t d, int64_t *result) {            \
        if (RT_UNLIKELY(d == 0)) return rt_status(rt_fail_division(lisp_name));          \
        *result = compute(n, d);                                                         \
        return 0;                                                                        \
    }                                                                                    \
    /* Of an exact integer of any size. */                                               \
    static inline int name##_integer(rt_value n, int64_t d, int64_t *result) {           \
        if (RT_UNLIKELY(d == 0)) return rt_status(rt_fail_division(lisp_name));          \
        *result = RT_LIKELY(rt_is_fixnum(n)) ? compute(rt_fixnum(n), d)                  \
                                             : compute##_of_large(n, d);                 \
        return 0;                                                                        \
    }                                                                                    \
    static inline int name##_integer_freeing(                                            \
        rt_value n, int64_t d, int which, int64_t *result                                \
    ) {                                                                                  \
        (void)which;   /* n, which alone can be on the heap */                           \
        if (RT_LIKELY(rt_is_fixnum(n))) return name##_fixnums(rt_fixnum(n), d, result);  \
        int status = name##_integer(n, d, result);                                       \
        rt_free(n);                                                                      \
        return status;                                                                   \
    }
RT_QUOTIENT(rt_quotient, "quotient", rt_divided)
RT_QUOTIENT(rt_truncate_quotient, "truncate-quotient", rt_divided)
RT_QUOTIENT(rt_truncate_divide, "truncate/", rt_divided)
RT_QUOTIENT(rt_floor_quotient, "floor-quotient", rt_divided_down)
RT_QUOTIENT(rt_floor_divide, "floor/", rt_divided_down)
RT_REMAINDER(rt_remainder, "remainder", rt_left)
RT_REMAINDER(rt_truncate_remainder, "truncate-remainder", rt_left)
RT_REMAINDER(rt_modulo, "modulo", rt_left_below)
RT_REMAINDER(rt_floor_remainder, "floor-remainder", rt_left_below)
#undef RT_REMAINDER
#undef RT_QUOTIENT
#undef RT_DIVISION

/* Tagged words hold the same bits as their integers. */
#define RT_BITWISE(name, code)                                           \
    rt_value name##_slow(rt_value a, rt_value b);                        \
    static inline rt_value name(rt_value a, rt_value b) {                \
        return RT_LIKELY(rt_both_fixnums(a, b)) ? (code) : name##_slow(a, b);           \
    }
RT_BITWISE(rt_bitwise_and, a & b)
RT_BITWISE(rt_bitwise_ior, a | b)
RT_BITWISE(rt_bitwise_xor, (a ^ b) | 1)
#undef RT_BITWISE

/* A shift by 62 bits or more leaves only the sign. */
static inline rt_value rt_shift_fixnums(int64_t n, int64_t count) {
    if (count <= 0) return rt_of_fixnum(n >> (count < -62 ? 62 : -count));
    if (count < 62 && n <= RT_FIXNUM_MAX >> count && n >= -(RT_FIXNUM_MAX >> count))
        return rt_of_fixnum(n * ((int64_t)1 << count));
    return rt_arithmetic_shift_slow(rt_of_fixnum(n), rt_of_fixnum(count));
}

static inline rt_value rt_arithmetic_shift(rt_value n, rt_value count) {
    if (RT_LIKELY(rt_both_fixnums(n, count)))
        return rt_shift_fixnums(rt_fixnum(n), rt_fixnum(count));
    return rt_arithmetic_shift_slow(n, count);
}

/* What operations of the machine call; the results fit a fixnum. */
static inline int64_t rt_shifted_right(int64_t n, int64_t count) { return n >> -count; }
static inline int64_t rt_absolute(int64_t n) { return n < 0 ? -n : n; }

static inline rt_value rt_negate_fixnum(int64_t n) { return rt_of_int64(-n); }
static inline rt_value rt_abs_fixnum(int64_t n) { return rt_of_int64(n < 0 ? -n : n); }
static inline rt_value rt_square_fixnum(int64_t n) { return rt_multiply_fixnums(n, n); }
static inline int64_t rt_max_fixnums(int64_t a, int64_t b) { return b > a ? b : a; }
static inline int64_t rt_min_fixnums(int64_t a, int64_t b) { return b < a ? b : a; }

/* ---- Inline: doubles ----------------------------------------------------- */

/* A nan among the arguments is the result. */
static inline double rt_max_doubles(double a, double b) {
    return b != b || b > a ? b : a;
}
static inline double rt_min_doubles(double a, double b) {
    return b != b || b < a ? b : a;
}

#define RT_FREEING(name)                                                                    \
    static inline rt_value name##_freeing(rt_value a, rt_value b, int which) {              \
        if (RT_UNLIKELY(!rt_divides_simply(a, b)))                                          \
            return rt_compute_freeing(name##_slow, a, b, which);                            \
        return name(a, b);                                                                  \
    }
RT_FREEING(rt_quotient)
RT_FREEING(rt_remainder)
RT_FREEING(rt_modulo)
#undef RT_FREEING

/* Tagged words are in the order of the integers that they hold.  What a slow function writes is a
 * variable of its own, so that the result can stay in a register. */
#define RT_COMPARISON(name, operator)                                            \
    static inline int name(rt_value a, rt_value b, bool *result) {               \
        bool slow, is_slow = RT_UNLIKELY(!rt_both_fixnums(a, b));                \
        if (is_slow && name##_slow(a, b, &slow) != 0) return 1;                  \
        *result = is_slow ? slow : (int64_t)a operator (int64_t)b;               \
        return 0;                                                                \
    }                                                                            \
    static inline int name##_freeing(rt_value a, rt_value b, int which, bool *result) { \
        bool slow, is_slow = RT_UNLIKELY(!rt_both_fixnums(a, b));                \
        if (is_slow && rt_compare_freeing(name##_slow, a, b, which, &slow) != 0) return 1; \
        *result = is_slow ? slow : (int64_t)a operator (int64_t)b;               \
        return 0;                                                                \
    }
RT_COMPARISON(rt_equal_numbers, ==)
RT_COMPARISON(rt_less, <)
RT_COMPARISON(rt_greater, >)
RT_COMPARISON(rt_less_or_equal, <=)
RT_COMPARISON(rt_greater_or_equal, >=)
#undef RT_COMPARISON

#define RT_FIXNUM_TEST(name, test)                                             \
    static inline int name(rt_value x, bool *result) {                         \
        bool slow, is_slow = RT_UNLIKELY(!rt_is_fixnum(x));                    \
        if (is_slow && name##_slow(x, &slow) != 0) return 1;                   \
        *result = is_slow ? slow : (test);                                     \
        return 0;                                                              \
    }
RT_FIXNUM_TEST(rt_is_zero, x == rt_of_fixnum(0))
RT_FIXNUM_TEST(rt_is_positive, (int64_t)x > (int64_t)rt_of_fixnum(0))
RT_FIXNUM_TEST(rt_is_negative, (int64_t)x < 0)
RT_FIXNUM_TEST(rt_is_odd, (x & 2) != 0)
RT_FIXNUM_TEST(rt_is_even, (x & 2) == 0)
#undef RT_FIXNUM_TEST

/* ---- Equality ------------------------------------------------------------ */

int rt_equal(rt_value a, rt_value b, bool *result);
int rt_boolean_equal(rt_value a, rt_value b, bool *result);

/* ---- Pairs and lists ----------------------------------------------------- */

RT_COLD rt_value rt_fail_set(const char *who, const char *noun, rt_value object, rt_value value);
/* value is moved in, as it is in the setters below. */
static inline int rt_set_car(rt_value pair, rt_value value) {
    if (RT_UNLIKELY(!rt_is_pair(pair)))
        return rt_status(rt_fail_set("set-car!", "a pair", pair, value));
    rt_before_store(pair, value);
    rt_value old = rt_pair_of(pair)->car;
    rt_pair_of(pair)->car = value;
    rt_free(old);
    return 0;
}
static inline int rt_set_cdr(rt_value pair, rt_value value) {
    if (RT_UNLIKELY(!rt_is_pair(pair)))
        return rt_status(rt_fail_set("set-cdr!", "a pair", pair, value));
    rt_before_store(pair, value);
    rt_value old = rt_pair_of(pair)->cdr;
    rt_pair_of(pair)->cdr = value;
    rt_free(old);
    return 0;
}
/* The field that the pair had, without a count going up and down.  The compiler makes them of a car
 * or cdr and a store, so the error is that of the former. */
static inline rt_value rt_exchange_car(rt_value pair, rt_value value) {
    if (RT_UNLIKELY(!rt_is_pair(pair))) return rt_fail_set("car", "a pair", pair, value);
    rt_before_store(pair, value);
    rt_value old = rt_pair_of(pair)->car;
    rt_pair_of(pair)->car = value;
    return rt_certain(old);
}
static inline rt_value rt_exchange_cdr(rt_value pair, rt_value value) {
    if (RT_UNLIKELY(!rt_is_pair(pair))) return rt_fail_set("cdr", "a pair", pair, value);
    rt_before_store(pair, value);
    rt_value old = rt_pair_of(pair)->cdr;
    rt_pair_of(pair)->cdr = value;
    return rt_certain(old);
}
bool rt_is_list(rt_value x);
static inline rt_value rt_list(size_t count, const rt_value *items) {   /* moved in */
    switch (count) {
    case 1: return rt_cons(items[0], RT_NIL);
    case 2: return rt_list_of_two(items[0], items[1]);
    case 3: return rt_list_of_three(items[0], items[1], items[2]);
    default: return rt_new_list(count, items);
    }
}
int rt_length(rt_value list, int64_t *result);
rt_value rt_append(size_t count, const rt_value *lists);   /* moved in, and changed if they die */
rt_value rt_reverse(rt_value list);                        /* likewise */
/* The k-th tail and element, borrowed. */
rt_value rt_list_tail_at(rt_value list, rt_value k);
rt_value rt_list_ref_at(rt_value list, rt_value k);
#define RT_LONG_WAY (1 << 16)   /* steps that are made without looking for a cycle */
static inline rt_value rt_list_tail_projection(rt_value list, rt_value k) {
    rt_value at = list;
    if (RT_LIKELY(rt_is_fixnum(k) && rt_fixnum(k) < RT_LONG_WAY))
        for (int64_t left = rt_fixnum(k); rt_is_pair(at); left--, at = rt_pair_of(at)->cdr)
            if (left == 0) return at;
    return rt_list_tail_at(list, k);
}
static inline rt_value rt_list_ref_projection(rt_value list, rt_value k) {
    rt_value at = list;
    if (RT_LIKELY(rt_is_fixnum(k) && rt_fixnum(k) < RT_LONG_WAY))
        for (int64_t left = rt_fixnum(k); rt_is_pair(at); left--, at = rt_pair_of(at)->cdr)
            if (left == 0) return rt_pair_of(at)->car;
    return rt_list_ref_at(list, k);
}
static inline rt_value rt_list_tail(rt_value list, rt_value k) {
    return rt_own_projection(rt_list_tail_projection(list, k));
}
static inline rt_value rt_list_ref(rt_value list, rt_value k) {
    return rt_own_projection(rt_list_ref_projection(list, k));
}
int rt_list_set(rt_value list, rt_value k, rt_value value);   /* value is moved in */
rt_value rt_list_copy(rt_value list);
rt_value rt_memq(rt_value x, rt_value list);
rt_value rt_memv(rt_value x, rt_value list);
rt_value rt_member(rt_value x, rt_value list);
rt_value rt_assq(rt_value key, rt_value alist);
rt_value rt_assv(rt_value key, rt_value alist);
rt_value rt_assoc(rt_value key, rt_value alist);
rt_value rt_range(rt_value start, rt_value end, rt_value step);
rt_value rt_iota(rt_value count, rt_value start, rt_value step);

/* ---- Symbols ------------------------------------------------------------- */

rt_value rt_symbol_to_string(rt_value symbol);
rt_value rt_string_to_symbol(rt_value text);
rt_value rt_string_to_uninterned_symbol(rt_value text);
rt_value rt_symbol_append(size_t count, const rt_value *symbols);
int rt_symbol_equal(rt_value a, rt_value b, bool *result);
int rt_symbol_less(rt_value a, rt_value b, bool *result);
rt_value rt_keyword_to_symbol(rt_value keyword);
rt_value rt_symbol_to_keyword(rt_value symbol);
rt_value rt_keyword_to_string(rt_value keyword);
rt_value rt_string_to_keyword(rt_value text);

/* ---- Vectors ------------------------------------------------------------- */

static inline rt_value rt_vector(size_t count, const rt_value *items) {   /* moved in */
    return rt_new_vector(count, items);
}
rt_value rt_make_vector(rt_value length, rt_value fill);
int rt_vector_set_slow(rt_value vector, rt_value k, rt_value value);   /* value is moved in */
int rt_vector_set_noting(rt_value vector, rt_value k, rt_value value);
/* may_hold: whether the value may hold others. */
static inline int rt_vector_store_at(rt_value vector, int64_t k, rt_value value, bool may_hold) {
    if (RT_UNLIKELY(!rt_is_plain_vector(vector) || (uint64_t)k >= rt_vector_size(vector)))
        return rt_vector_set_slow(vector, rt_of_fixnum(k), value);
    if (may_hold && rt_closes_cycles(vector, value))
        return rt_vector_set_noting(vector, rt_of_fixnum(k), value);
    rt_value *item = &rt_plain_vector_of(vector)->items[k], old = *item;
    *item = value;
    rt_free(old);
    return 0;
}
static inline int rt_vector_store(rt_value vector, rt_value k, rt_value value, bool may_hold) {
    if (RT_UNLIKELY(!rt_is_fixnum(k))) return rt_vector_set_slow(vector, k, value);
    return rt_vector_store_at(vector, rt_fixnum(k), value, may_hold);
}
static inline int rt_vector_set_at(rt_value vector, int64_t k, rt_value value) {
    return rt_vector_store_at(vector, k, value, true);
}
static inline int rt_vector_set(rt_value vector, rt_value k, rt_value value) {
    return rt_vector_store(vector, k, value, true);
}
int rt_vector_fill(rt_value vector, rt_value value, rt_value start, rt_value end);
rt_value rt_vector_to_list(rt_value vector, rt_value start, rt_value end);
rt_value rt_vector_copy(rt_value vector, rt_value start, rt_value end);
/* Sorts a vector in place, stably, if all elements are fixnums, or doubles but nan, or strings, and
 * the order, a number that the library knows, is one of theirs; else the result is false. */
int rt_sort_plain(rt_value items, rt_value order, bool *result);
int rt_vector_copy_to(
    rt_value target, rt_value at, rt_value source, rt_value start, rt_value end
);
rt_value rt_vector_append(size_t count, const rt_value *vectors);
static inline int rt_vector_length(rt_value vector, int64_t *result) {
    if (RT_UNLIKELY(!rt_is_vector(vector))) {
        rt_fail_wrong_type("vector-length", "a vector", vector);
        return 1;
    }
    *result = (int64_t)rt_vector_size(vector);
    return 0;
}
rt_value rt_list_to_vector(rt_value list);

/* ---- Multiple values ----------------------------------------------------- */

rt_value rt_many_values(size_t count, const rt_value *items);   /* any number but two */
static inline rt_value rt_values(size_t count, const rt_value *items) {   /* moved in */
    return count == 2 ? rt_two_values(items[0], items[1]) : rt_many_values(count, items);
}
int rt_check_values_slowly(rt_value who, rt_value values, rt_value least, rt_value most);
static inline int rt_check_values(rt_value who, rt_value values, rt_value least, rt_value most) {
    if (least == rt_of_fixnum(2) && RT_LIKELY(rt_is_kind(values, RT_TWO_VALUES))) return 0;
    return rt_check_values_slowly(who, values, least, most);
}
int rt_check_list(rt_value who, rt_value items, rt_value least, rt_value most);
int rt_check_room(rt_value who, rt_value count);
int rt_check_repeats(rt_value who, rt_value data);
/* For the interface to tensors. */
int rt_check_repeats_of(const char *who, rt_value data);
rt_value rt_values_ref(rt_value values, rt_value k);    /* counted before; so below */
/* Of two values, borrowed and owned. */
static inline rt_value rt_first_of_two_projection(rt_value values) {
    return rt_pair_of(values)->cdr;
}
static inline rt_value rt_second_of_two_projection(rt_value values) {
    return rt_pair_of(values)->car;
}
static inline rt_value rt_first_of_two(rt_value values) {
    return rt_dup(rt_first_of_two_projection(values));
}
static inline rt_value rt_second_of_two(rt_value values) {
    return rt_dup(rt_second_of_two_projection(values));
}
rt_value rt_values_tail(rt_value values, rt_value k);

/* ---- Hash tables --------------------------------------------------------- */

rt_value rt_make_hash_table(void);
rt_value rt_make_identity_table(void);
int rt_note_equivalence(rt_value table, rt_value number);
rt_value rt_noted_equivalence(rt_value table);
int rt_is_identity_table(rt_value table, bool *result);
bool rt_is_hash_table(rt_value x);
/* otherwise: the result for a missing key; with RT_ABSENT that is an error. */
rt_value rt_hash_ref(rt_value table, rt_value key, rt_value otherwise);
int rt_hash_set(rt_value table, rt_value key, rt_value value);   /* both are moved in */
int rt_hash_delete(rt_value table, rt_value key);
int rt_hash_has_key(rt_value table, rt_value key, bool *result);
int rt_hash_size(rt_value table, int64_t *result);
rt_value rt_hash_keys(rt_value table);
rt_value rt_hash_values(rt_value table);
rt_value rt_hash_to_list(rt_value table);
int rt_hash_clear(rt_value table);
rt_value rt_hash_copy(rt_value table);

/* For sets: many keys at once, where the table needs no procedure of the library for them.
 * rt_add_keys adds the keys of a list with one value, and returns the rest of the list that begins
 * with the first key that it cannot add.  rt_unite_tables adds the entries of another table whose
 * keys are missing; rt_selected_keys is a new table of those entries whose keys the other table has
 * or, with #f, lacks.  Both return false if the tables are not alike. */
bool rt_is_searchable(rt_value table, rt_value key);
rt_value rt_add_keys(rt_value table, rt_value keys, rt_value value);
int rt_unite_tables(rt_value table, rt_value other, bool *result);
rt_value rt_selected_keys(rt_value table, rt_value other, rt_value kept);

/* Tables with their own equivalence: keying is the library's object for it.  The hash, an exact
 * integer, is passed with each key; keys are those that the table holds, or new ones. */
rt_value rt_make_keyed_table(rt_value keying);
int rt_set_keying(rt_value table, rt_value keying);   /* of a table without keys */
int rt_hash_text(rt_value text, int64_t *result);
rt_value rt_table_keying(rt_value table);   /* #f for other tables, and for other values */
rt_value rt_keys_of_hash(rt_value table, rt_value hash);   /* a list, in the order of insertion */
rt_value rt_keyed_ref(rt_value table, rt_value hash, rt_value key, rt_value otherwise);
int rt_keyed_set(rt_value table, rt_value hash, rt_value key, rt_value value);   /* these moved in */
int rt_keyed_delete(rt_value table, rt_value hash, rt_value key);

/* Whether a procedure may be called with that many positional arguments. */
int rt_accepts(rt_value procedure, rt_value arguments, bool *result);
/* Always fails: a procedure made by case-lambda has no clause for that many arguments. */
rt_value rt_no_clause(rt_value who, rt_value count, rt_value expected, rt_value usage);

/* ---- Arithmetic ---------------------------------------------------------- */

rt_value rt_negate(rt_value x);
rt_value rt_divide(rt_value a, rt_value b);
rt_value rt_gcd(rt_value a, rt_value b);
rt_value rt_lcm(rt_value a, rt_value b);
rt_value rt_bitwise_not(rt_value n);
rt_value rt_bit_count(rt_value n);
rt_value rt_random(rt_value limit);
int rt_random_seed(rt_value seed);
rt_value rt_random_words(void);
int rt_set_random_words(rt_value state);

/* ---- Order, rounding, powers --------------------------------------------- */

rt_value rt_max(rt_value a, rt_value b);
rt_value rt_min(rt_value a, rt_value b);
rt_value rt_abs(rt_value x);
rt_value rt_square(rt_value x);
rt_value rt_floor(rt_value x);
rt_value rt_ceiling(rt_value x);
rt_value rt_truncate(rt_value x);
rt_value rt_round(rt_value x);
rt_value rt_sqrt(rt_value x);
RT_COLD void rt_sqrt_fail(double x);
static inline int rt_sqrt_double(double x, double *result) {
    if (RT_UNLIKELY(x < 0)) {
        rt_sqrt_fail(x);
        return 1;
    }
    *result = sqrt(x);
    return 0;
}
rt_value rt_integer_sqrt(rt_value n);
rt_value rt_expt(rt_value base, rt_value exponent);
int rt_expt_doubles(double base, double exponent, double *result);
rt_value rt_exp(rt_value x);
rt_value rt_sin(rt_value x);
rt_value rt_cos(rt_value x);
rt_value rt_tan(rt_value x);
rt_value rt_tanh(rt_value x);
rt_value rt_log(rt_value x, rt_value base);
int rt_log_double(double x, bool base, double *result);      /* base is #t, which is an error */
int rt_atan_double(double y, bool x, double *result);        /* x: likewise */
rt_value rt_asin(rt_value x);
rt_value rt_acos(rt_value x);
rt_value rt_atan(rt_value y, rt_value x);

/* ---- Kinds and exactness ------------------------------------------------- */

static inline bool rt_is_number(rt_value x) {
    return rt_is_fixnum(x) || rt_is_double(x) || rt_is_boxed_number(x);
}
static inline bool rt_is_complex(rt_value x) { return rt_is_number(x); }
static inline bool rt_is_real(rt_value x) { return rt_is_number(x); }
static inline bool rt_is_exact_integer(rt_value x) {
    return rt_is_fixnum(x) || rt_is_kind(x, RT_INTEGER);
}
bool rt_is_whole_double(rt_value x);
static inline bool rt_is_integer(rt_value x) {
    return rt_is_exact_integer(x) || (rt_is_double(x) && rt_is_whole_double(x));
}
bool rt_is_rational(rt_value x);
bool rt_is_exact_rational(rt_value x);
int rt_is_nan(rt_value x, bool *result);
int rt_is_infinite(rt_value x, bool *result);
int rt_is_finite(rt_value x, bool *result);
int rt_is_exact(rt_value x, bool *result);
int rt_is_inexact(rt_value x, bool *result);
rt_value rt_exact(rt_value x);
int rt_inexact(rt_value x, double *result);
rt_value rt_exact_double(double x);
rt_value rt_numerator(rt_value x);
rt_value rt_denominator(rt_value x);
rt_value rt_number_to_string(rt_value x, rt_value radix);
rt_value rt_string_to_number(rt_value text, rt_value radix);

/* ---- Characters ---------------------------------------------------------- */

rt_value rt_integer_to_char_slow(rt_value code);
static inline rt_value rt_integer_to_char_at(int64_t code) {
    if (RT_LIKELY((uint64_t)code < 0xd800)) return RT_CHAR(code);   /* before the surrogates */
    return rt_integer_to_char_slow(rt_of_fixnum(code));
}
static inline rt_value rt_integer_to_char(rt_value code) {
    if (RT_LIKELY(rt_is_fixnum(code))) return rt_integer_to_char_at(rt_fixnum(code));
    return rt_integer_to_char_slow(code);
}
/* Inline for ASCII.  What is not a character has a code, too: the slow ones see that. */
static inline bool rt_is_ascii(rt_value v) { return (v & ~(rt_value)0x7f00) == RT_CHAR(0); }
static inline bool rt_is_between(uint32_t code, char first, char last) {
    return code - (unsigned char)first <= (uint32_t)(last - first);
}
#define RT_PROPERTY(name, test)                                          \
    int name##_slow(rt_value c, bool *result);                           \
    static inline int name(rt_value c, bool *result) {                   \
        if (RT_UNLIKELY(!rt_is_ascii(c))) {                              \
            if (name##_slow(c, result) != 0) return 1;                   \
            return 0;                                                    \
        }                                                                \
        uint32_t code = rt_char_code(c);                                 \
        *result = (test);                                                \
        return 0;                                                        \
    }
RT_PROPERTY(rt_is_char_alphabetic, rt_is_between(code | 0x20, 'a', 'z'))
RT_PROPERTY(rt_is_char_numeric, rt_is_between(code, '0', '9'))
RT_PROPERTY(rt_is_char_whitespace, code == ' ' || rt_is_between(code, '\t', '\r'))
RT_PROPERTY(rt_is_char_upper_case, rt_is_between(code, 'A', 'Z'))
RT_PROPERTY(rt_is_char_lower_case, rt_is_between(code, 'a', 'z'))
#undef RT_PROPERTY
rt_value rt_char_upcase_slow(rt_value c);
rt_value rt_char_downcase_slow(rt_value c);
static inline rt_value rt_char_upcase(rt_value c) {
    if (RT_UNLIKELY(!rt_is_ascii(c))) return rt_char_upcase_slow(c);
    uint32_t code = rt_char_code(c);
    return RT_CHAR(rt_is_between(code, 'a', 'z') ? code - 0x20 : code);
}
static inline rt_value rt_char_downcase(rt_value c) {
    if (RT_UNLIKELY(!rt_is_ascii(c))) return rt_char_downcase_slow(c);
    uint32_t code = rt_char_code(c);
    return RT_CHAR(rt_is_between(code, 'A', 'Z') ? code + 0x20 : code);
}
rt_value rt_char_foldcase(rt_value c);
rt_value rt_digit_value(rt_value c);
rt_value rt_property_runs(rt_value property);

/* ---- Strings ------------------------------------------------------------- */

rt_value rt_make_string(rt_value length, rt_value fill);
rt_value rt_substring(rt_value text, rt_value start, rt_value end);
rt_value rt_string_copy(rt_value text, rt_value start, rt_value end);
rt_value rt_string_append(size_t count, const rt_value *texts);
rt_value rt_string(size_t count, const rt_value *items);
int rt_string_equal(rt_value a, rt_value b, bool *result);
int rt_string_less(rt_value a, rt_value b, bool *result);
int rt_string_greater(rt_value a, rt_value b, bool *result);
int rt_string_less_or_equal(rt_value a, rt_value b, bool *result);
int rt_string_greater_or_equal(rt_value a, rt_value b, bool *result);
rt_value rt_string_contains(rt_value text, rt_value needle, rt_value start);
rt_value rt_string_split(rt_value text, rt_value separator);
rt_value rt_string_join(rt_value texts, rt_value separator);
int rt_is_string_prefix(rt_value prefix, rt_value text, bool *result);
int rt_is_string_suffix(rt_value suffix, rt_value text, bool *result);
rt_value rt_string_to_list(rt_value text, rt_value start, rt_value end);
rt_value rt_list_to_string(rt_value chars);
rt_value rt_string_to_vector(rt_value text, rt_value start, rt_value end);
rt_value rt_vector_to_string(rt_value vector, rt_value start, rt_value end);
rt_value rt_string_upcase(rt_value text);
rt_value rt_string_downcase(rt_value text);
rt_value rt_string_foldcase(rt_value text);
rt_value rt_fixed(rt_value x, rt_value decimals);
rt_value rt_written(rt_value x);
/* Strings are immutable: these fail. */
int rt_string_set(rt_value text, rt_value k, rt_value c);
int rt_string_fill(rt_value text, rt_value c, rt_value start, rt_value end);
int rt_string_copy_to(rt_value to, rt_value at, rt_value from, rt_value start, rt_value end);

/* ---- Bytevectors --------------------------------------------------------- */

bool rt_is_bytevector(rt_value x);
rt_value rt_bytevector(size_t count, const rt_value *items);
rt_value rt_make_bytevector(rt_value length, rt_value fill);
rt_value rt_bytevector_copy(rt_value bytes, rt_value start, rt_value end);
rt_value rt_bytevector_append(size_t count, const rt_value *items);
int rt_bytevector_length(rt_value bytes, int64_t *result);
int rt_bytevector_fill(rt_value bytes, rt_value fill, rt_value start, rt_value end);
int rt_bytevector_copy_to(
    rt_value target, rt_value at, rt_value source, rt_value start, rt_value end
);
rt_value rt_utf8_to_string(rt_value bytes, rt_value start, rt_value end);
rt_value rt_string_to_utf8_bytes(rt_value text, rt_value start, rt_value end);

/* ---- Regular expressions ------------------------------------------------- */

rt_value rt_regexp_compile(rt_value pattern);
rt_value rt_regexp_groups(rt_value compiled);
rt_value rt_regexp_subject(rt_value text, rt_value start, rt_value end);
rt_value rt_regexp_match(
    rt_value compiled, rt_value subject, rt_value byte, rt_value character, rt_value flags
);
rt_value rt_regexp_parts(
    rt_value compiled, rt_value text, rt_value start, rt_value end, rt_value flags);

/* ---- JSON ---------------------------------------------------------------- */

rt_value rt_json_value(rt_value text, rt_value begins, rt_value line, rt_value document);
rt_value rt_json_written(rt_value v);

/* ---- Output and input ---------------------------------------------------- */

/* An absent port is the current one. */
int rt_display(rt_value x, rt_value port);
int rt_write(rt_value x, rt_value port);
int rt_write_shared(rt_value x, rt_value port);
int rt_write_simple(rt_value x, rt_value port);
int rt_newline(rt_value port);
int rt_print(size_t count, const rt_value *items);
int rt_write_char(rt_value c, rt_value port);
int rt_write_string(rt_value text, rt_value port, rt_value start, rt_value end);
int rt_flush_output_port(rt_value port);
rt_value rt_read(rt_value port);
rt_value rt_read_line(rt_value port);
rt_value rt_read_char(rt_value port);
rt_value rt_peek_char(rt_value port);
int rt_is_char_ready(rt_value port, bool *result);
rt_value rt_read_string(rt_value k, rt_value port);
rt_value rt_port_to_string(rt_value port);
int rt_write_u8(rt_value byte, rt_value port);
int rt_write_bytevector(rt_value bytes, rt_value port, rt_value start, rt_value end);
rt_value rt_read_u8(rt_value port);
rt_value rt_peek_u8(rt_value port);
int rt_is_u8_ready(rt_value port, bool *result);
rt_value rt_read_bytevector(rt_value k, rt_value port);
rt_value rt_read_into_bytevector(rt_value bytes, rt_value port, rt_value start, rt_value end);
rt_value rt_open_input_bytevector(rt_value bytes);
rt_value rt_open_output_bytevector(void);
rt_value rt_get_output_bytevector(rt_value port);
rt_value rt_open_input_file(rt_value path, rt_value encoding, rt_value invalid);
int rt_set_port_encoding(rt_value port, rt_value encoding, rt_value invalid);
rt_value rt_open_output_file(rt_value path, rt_value append, rt_value encoding, rt_value invalid);
rt_value rt_open_binary_input_file(rt_value path);
rt_value rt_gzip_port(rt_value port, rt_value level);
rt_value rt_bytes_call(rt_value name, rt_value first, rt_value second, rt_value third);
rt_value rt_open_binary_output_file(rt_value path, rt_value append);
rt_value rt_open_input_string(rt_value text);
rt_value rt_open_output_string(void);
rt_value rt_get_output_string(rt_value port);
int rt_close_port(rt_value port);
int rt_close_input_port(rt_value port);
int rt_close_output_port(rt_value port);
bool rt_is_input_port(rt_value x);
bool rt_is_output_port(rt_value x);
bool rt_is_textual_port(rt_value x);
bool rt_is_binary_port(rt_value x);
int rt_is_input_port_open(rt_value port, bool *result);
int rt_is_output_port_open(rt_value port, bool *result);
rt_value rt_port_parameter(rt_value which, rt_value converter, rt_value set);
rt_value rt_eof_object(void);
bool rt_is_eof_object(rt_value x);
int rt_file_exists(rt_value path, bool *result);
int rt_delete_file(rt_value path);
int rt_rename_file(rt_value from, rt_value to);
rt_value rt_terminal_columns(rt_value port);
bool rt_is_terminal_port(rt_value port);
rt_value rt_edit_line(rt_value prompt);   /* #f after Ctrl-C */
int rt_remember_line(rt_value line);
int rt_show_status(rt_value text, rt_value final);

/* ---- Errors and control -------------------------------------------------- */

/* These always return RT_ERROR. */
rt_value rt_error(rt_value message, size_t count, const rt_value *irritants);
rt_value rt_raise(rt_value object);
/* `(wrong-type "map" "a list" 5)`, for the library's own checks. */
rt_value rt_wrong_type(rt_value who, rt_value noun, rt_value x);

/* Of error objects. */
rt_value rt_error_message(rt_value condition);
rt_value rt_error_irritants(rt_value condition);
rt_value rt_error_hint(rt_value condition);          /* a string or #f */
bool rt_is_file_error(rt_value x);
bool rt_is_read_error(rt_value x);

/* Call a procedure without arguments; if it fails, the result is the failure, of kind RT_CAUGHT.
 * The functions below take only such objects: programs never see them. */
rt_value rt_try(rt_value thunk);
/* The result of a call, or its failure as such an object.  result is moved in. */
rt_value rt_catch(void);
static inline rt_value rt_or_failure(rt_value result) {
    return RT_LIKELY(result != RT_ERROR) ? result : rt_catch();
}
/* The first Ctrl-C waits between calls of these two. */
void rt_defer_interrupts(void);
void rt_allow_interrupts(void);
bool rt_caught_is_error(rt_value caught);
bool rt_caught_is_signalled(rt_value caught);
void rt_caught_signal(rt_value caught, bool signalled);
rt_value rt_caught_payload(rt_value caught);         /* what was raised, or the error object */
void rt_caught_replace(rt_value caught, rt_value message, rt_value irritants, rt_value hint,
                       bool alike);
bool rt_forget_interrupt(rt_value caught);   /* false if it is not a Ctrl-C */
rt_value rt_rethrow(rt_value caught);                /* RT_ERROR; caught is empty afterwards */

/* A continuation is a procedure whose calls leave the call/cc that created it, with their arguments
 * as results.  rt_try_escape is that call's rt_try: those results are its result, too.  Unless it
 * returns another failure, the continuation cannot be called afterwards. */
rt_value rt_new_continuation(void);
void rt_end_continuation(rt_value continuation);
rt_value rt_try_escape(rt_value continuation, rt_value thunk);
rt_value rt_catch_escape(rt_value continuation);
static inline rt_value rt_or_escape(rt_value continuation, rt_value result) {
    rt_captures(continuation)[0] = RT_FALSE;
    return RT_LIKELY(result != RT_ERROR) ? result : rt_catch_escape(continuation);
}
bool rt_caught_is_escape(rt_value caught, rt_value continuation);

rt_value rt_new_parameter(rt_value value, rt_value converter, rt_value set);
bool rt_is_parameter(rt_value x);
rt_value rt_parameter_converter(rt_value parameter);
rt_value rt_parameter_swap(rt_value parameter, rt_value value);   /* the value before */

/* ---- The process --------------------------------------------------------- */

/* It unwinds like an error, so that everything is released. */
rt_value rt_exit(rt_value status);
rt_value rt_emergency_exit(rt_value status);         /* does not return, unless status is bad */
rt_value rt_command_line(void);
rt_value rt_program_folder(void);
rt_value rt_getenv(rt_value name);
rt_value rt_environment(void);
rt_value rt_draw_plot(rt_value path, rt_value figure);
double rt_current_second(void);
int64_t rt_current_seconds(void);
int rt_local_time_offset(rt_value seconds, int64_t *result);
rt_value rt_current_jiffy(void);
rt_value rt_jiffies_per_second(void);
/* What the library asks of the system, by name: system/files.c and system/processes.c have the
 * calls.  who, verb and path word the error: "who: cannot verb path: reason". */
rt_value rt_file_call(rt_value name, rt_value who, rt_value verb, rt_value path, rt_value first,
                      rt_value second);
rt_value rt_process_call(rt_value name, rt_value who, rt_value verb, rt_value subject,
                         rt_value first, rt_value second);
/* For trace: what messages show of a value. */
rt_value rt_brief(rt_value x);
/* For time-it: (peak allocations bytes), of tensors. */
rt_value rt_tensor_window(rt_value least);
/* Free all cycles that the program cannot reach; an alist of what the collector has done. */
void rt_collect_garbage(void);
rt_value rt_garbage_statistics(void);
/* As the code of a procedure value only: it may return RT_TAIL.  Generated calls use
 * rt_call_spread and rt_tail_call_spread. */
rt_value rt_apply(rt_value procedure, rt_value argument, size_t count, const rt_value *more);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#endif
