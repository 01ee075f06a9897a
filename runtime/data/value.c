/* value.c - conversion of values, and top-level variables. */
#include "rt_internal.h"

const rt_tensor_hooks *rt_tensors;

/* ---- Doubles that no word holds ------------------------------------------ */

rt_value rt_box_double(double number) {
    rt_double_box *box = rt_allocate(RT_DOUBLE, sizeof *box);
    box->number = number;
    return rt_of_object(box);
}

/* ---- Conversion ---------------------------------------------------------- */

/* The error of a value that does not convert. */
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

static void fail_index(const char *who, rt_value k, bool is_natural, size_t length) {
    if (is_natural) rt_fail_index(who, k, length);
    else rt_fail_wrong_type(who, "a non-negative exact integer", k);
}

void rt_fail_element(const char *who, int64_t k, size_t length) {
    fail_index(who, rt_of_fixnum(k), k >= 0, length);
}

bool rt_index_of(const char *who, rt_value k, size_t limit, size_t length, size_t *index) {
    if (RT_UNLIKELY(!rt_is_fixnum(k) || rt_fixnum(k) < 0 || (size_t)rt_fixnum(k) >= limit)) {
        bool is_natural = rt_is_exact_int(k) && rt_order(k, rt_of_fixnum(0)) >= 0;
        fail_index(who, k, is_natural, length);
        return false;
    }
    *index = (size_t)rt_fixnum(k);
    return true;
}

/* More elements than fit in any machine. */
#define TOO_LARGE ((uint64_t)1 << 36)

bool rt_size_of(const char *who, rt_value k, size_t *size) {
    if (rt_is_exact_int(k) && rt_order(k, rt_of_fixnum((int64_t)TOO_LARGE)) >= 0) {
        rt_fail("%s: the result is too large", who);
        return false;
    }
    return rt_index_of(who, k, SIZE_MAX, 0, size);
}

bool rt_range_of(
    const char *who, rt_value start, rt_value end, size_t length, size_t *from, size_t *to
) {
    *to = length;
    if (!rt_index_of(who, start, length + 1, length, from)) return false;
    if (end != RT_FALSE && !rt_index_of(who, end, length + 1, length, to)) return false;
    if (*from <= *to) return true;
    rt_fail("%s: start %zu is after end %zu", who, *from, *to);
    return false;
}

/* ---- Top-level variables ------------------------------------------------- */

int rt_global_set(rt_value *variable, rt_value value, const char *name, const char *hint) {
    if (*variable == RT_UNBOUND) {
        rt_free(value);
        return rt_status(rt_fail_unbound(name, hint));
    }
    rt_global_define(variable, value);
    return 0;
}
