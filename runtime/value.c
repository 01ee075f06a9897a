/* value.c - what is true of all values: equality, conversion, constants, top-level variables. */
#include "rt_internal.h"

const rt_tensor_hooks *rt_tensors;

/* ---- Equality ------------------------------------------------------------ */

/* Bits, not ==: 0.0 and -0.0 differ, and a nan is itself. */
static bool same_double(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

/* Two nans are one value, whatever their bits. */
bool rt_eqv(rt_value a, rt_value b) {
    if (a == b) return true;
    if (!rt_is_object(a) || !rt_is_object(b)) return false;
    rt_kind kind = (rt_kind)rt_object_of(a)->kind;
    if (rt_object_of(b)->kind != kind) return false;
    if (kind == RT_DOUBLE)
        return same_double(rt_double(a), rt_double(b)) ||
               (rt_double(a) != rt_double(a) && rt_double(b) != rt_double(b));
    if (kind == RT_INTEGER || kind == RT_RATIO) return rt_order(a, b) == 0;
    return false;
}

static bool same_string(const rt_string_object *a, const rt_string_object *b) {
    return a->length == b->length && a->object.extra == b->object.extra &&
           memcmp(a->data, b->data, a->length * a->object.extra) == 0;
}

static bool same_bytes(const rt_bytes_object *a, const rt_bytes_object *b) {
    return a->length == b->length && memcmp(a->data, b->data, a->length) == 0;
}

static int equal_vectors(const rt_vector_object *a, const rt_vector_object *b, bool *result) {
    *result = a->length == b->length;
    for (size_t i = 0; *result && i < a->length; i++)
        if (rt_equal(a->items[i], b->items[i], result) != 0) return 1;
    return 0;
}

/* Recursion follows the cars, a loop the cdrs. */
int rt_equal(rt_value a, rt_value b, bool *result) {
    if (rt_enter() != 0) return 1;
    while (rt_is_pair(a) && rt_is_pair(b) && a != b) {
        if (rt_equal(rt_pair_of(a)->car, rt_pair_of(b)->car, result) != 0) return 1;
        if (!*result) return 0;
        a = rt_pair_of(a)->cdr;
        b = rt_pair_of(b)->cdr;
    }
    if (a != b && rt_is_tensor(a) && rt_is_tensor(b))
        return rt_tensors->equal(rt_tensor(a), rt_tensor(b), result);
    if (a != b && rt_is_vector(a) && rt_is_vector(b))
        return equal_vectors(rt_vector_of(a), rt_vector_of(b), result);
    if (a != b && rt_is_bytes(a) && rt_is_bytes(b)) {
        *result = same_bytes(rt_bytes_of(a), rt_bytes_of(b));
        return 0;
    }
    *result = rt_is_string(a) && rt_is_string(b) ? same_string(rt_string_of(a), rt_string_of(b))
                                                 : rt_eqv(a, b);
    return 0;
}

int rt_boolean_equal(rt_value a, rt_value b, bool *result) {
    RT_CHECK_STATUS(rt_is_boolean(a), "boolean=?", "a boolean", a);
    RT_CHECK_STATUS(rt_is_boolean(b), "boolean=?", "a boolean", b);
    *result = a == b;
    return 0;
}

/* ---- Conversion ---------------------------------------------------------- */

/* v does not convert. */
static int refuse(rt_value v, const char *who, const char *noun) {
    rt_fail_wrong_type(who, noun, v);
    rt_free(v);
    return 1;
}

int rt_convert_fixnum(rt_value v, const char *who, const char *noun, int64_t *result) {
    if (!rt_is_fixnum(v)) return refuse(v, who, noun);
    *result = rt_fixnum(v);
    return 0;
}

int rt_convert_double(rt_value v, const char *who, const char *noun, double *result) {
    if (!rt_is_double(v)) return refuse(v, who, noun);
    *result = rt_double(v);
    rt_free(v);
    return 0;
}

int rt_convert_boolean(rt_value v, const char *who, const char *noun, bool *result) {
    if (!rt_is_boolean(v)) return refuse(v, who, noun);
    *result = rt_boolean(v);
    return 0;
}

int rt_convert_tensor(rt_value v, const char *who, const char *noun, struct ct_tensor **result) {
    if (!rt_is_tensor(v)) return refuse(v, who, noun);
    *result = rt_tensor(v);
    return 0;
}

bool rt_index_of(const char *who, rt_value k, size_t limit, size_t length, size_t *index) {
    bool negative = rt_is_exact_int(k) && rt_order(k, rt_of_fixnum(0)) < 0;
    if (!rt_is_exact_int(k) || negative) {
        rt_fail_wrong_type(who, "a non-negative exact integer", k);
        return false;
    }
    if (!rt_is_fixnum(k) || (uint64_t)rt_fixnum(k) >= limit) {
        rt_fail_index(who, k, length);
        return false;
    }
    *index = (size_t)rt_fixnum(k);
    return true;
}

bool rt_range_of(
    const char *who, rt_value start, rt_value end, size_t length, size_t *from, size_t *to
) {
    *to = length;
    if (!rt_index_of(who, start, length + 1, length, from)) return false;
    if (end != RT_FALSE && !rt_index_of(who, end, length + 1, length, to)) return false;
    if (*from <= *to) return true;
    rt_fail_index(who, start, *to);
    return false;
}

/* ---- Constants ----------------------------------------------------------- */

rt_value rt_literal_string(const char *utf8, size_t size) {
    return rt_make_immortal(rt_string_of_utf8(utf8, size));
}

rt_value rt_literal_integer(const char *digits) {
    return rt_make_immortal(rt_parse_number(digits, strlen(digits), 10));
}

rt_value rt_literal_ratio(const char *numerator, const char *denominator) {
    rt_text text = {NULL, 0, 0};
    rt_text_format(&text, "%s/%s", numerator, denominator);
    rt_value ratio = rt_parse_number(text.bytes, text.size, 10);
    rt_text_free(&text);
    return rt_make_immortal(ratio);
}

rt_value rt_literal_double(double number) { return rt_make_immortal(rt_of_double(number)); }

rt_value rt_literal_list(size_t count, const rt_value *items, rt_value tail) {
    while (count > 0) tail = rt_make_immortal(rt_cons(items[--count], tail));
    return tail;
}

rt_value rt_literal_vector(size_t count, const rt_value *items) {
    return rt_make_immortal(rt_new_vector(count, items));
}

rt_value rt_literal_bytes(size_t count, const char *data) {
    return rt_make_immortal(rt_new_bytes(count, data));
}

/* ---- Top-level variables ------------------------------------------------- */

void rt_global_define(rt_value *variable, rt_value value) {
    rt_value old = *variable;
    *variable = value;
    rt_free(old);
}

int rt_global_set(rt_value *variable, rt_value value, const char *name, const char *hint) {
    if (*variable == RT_UNBOUND) {
        rt_free(value);
        return rt_status(rt_fail_unbound(name, hint));
    }
    rt_global_define(variable, value);
    return 0;
}
