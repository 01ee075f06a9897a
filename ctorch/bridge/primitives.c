/* primitives.c - the primitives on tensors that lang/primitives/tensors.py declares. */
#include "bridge/bridge.h"

#include <stdlib.h>

/* ---- Arguments -------------------------------------------------------------- */

static int fail_in(const char *who) { return rt_status(bridge_fail(who)); }

static int wrong_type(const char *who, const char *noun, rt_value v) {
    return rt_status(rt_fail_wrong_type(who, noun, v));
}

static int integer_of(const char *who, rt_value v, int64_t *result) {
    return rt_to_int64(v, result) ? 0 : wrong_type(who, "an exact integer", v);
}

/* The text of a symbol or a string: a dtype, a device.  Only a string's is owned; text_free frees
 * it. */
static int text_of(const char *who, const char *noun, rt_value v, const char **result) {
    bool is_text = rt_is_symbol(v) || rt_is_string(v);
    if (!is_text || rt_holds_nul(v)) return wrong_type(who, noun, v);
    *result = rt_is_symbol(v) ? rt_symbol_of(v)->text : rt_string_to_c(v);
    return 0;
}

static void text_free(rt_value v, const char *text) {
    if (rt_is_string(v)) free((char *)text);
}

/* ---- Creating and reading ------------------------------------------------------ */

int bridge_tensor(rt_value data, rt_value dtype, rt_value requires_grad, rt_value device,
                  ct_tensor **result) {
    static const char who[] = "tensor";
    bool grad;
    const char *type = NULL, *target = NULL;
    ct_value value;
    if (rt_truth(requires_grad, &grad) != 0) return 1;
    if (dtype != RT_FALSE && text_of(who, "a dtype", dtype, &type) != 0) return 1;
    int status = device != RT_FALSE ? text_of(who, "a device", device, &target) : 0;
    if (status == 0) {
        status = bridge_to_ct(data, &value);
        if (status == 0 && ct_make(&value, type, target, grad, result) != 0) status = fail_in(who);
        bridge_release(&value);
    }
    text_free(device, target);
    text_free(dtype, type);
    return status;
}

rt_value bridge_tensor_to_list(ct_tensor *x) {
    ct_value found;
    return ct_to_list(x, &found) != 0 ? bridge_fail("tensor->list") : bridge_of_ct(&found);
}

rt_value bridge_item(ct_tensor *x) {
    ct_value found;
    return ct_item(x, &found) != 0 ? bridge_fail("tensor-item") : bridge_of_ct(&found);
}

rt_value bridge_shape(ct_tensor *x) {
    rt_value shape = RT_NIL;
    for (int64_t dim = ct_rank(x) - 1; dim >= 0; dim--)
        shape = rt_cons(rt_of_int64(ct_size(x, dim)), shape);
    return shape;
}

rt_value bridge_dtype(ct_tensor *x) { return rt_intern(ct_dtype(x)); }

rt_value bridge_device(ct_tensor *x) {
    const char *device = ct_device(x);
    return rt_string_of_utf8(device, strlen(device));
}

/* ---- Elements, slices and conversions --------------------------------------------------- */

int bridge_to(ct_tensor *x, size_t count, const rt_value *targets, ct_tensor **result) {
    ct_value *values = bridge_all_to_ct(count, targets);
    if (values == NULL) return 1;
    int status = ct_to(x, count, values, result) != 0 ? fail_in("tensor-to") : 0;
    bridge_release_all(count, values);
    return status;
}

int bridge_slice(ct_tensor *x, rt_value dim, rt_value start, rt_value end, rt_value step,
                 ct_tensor **result) {
    static const char who[] = "tensor-slice";
    int64_t along, from = 0, to, by;
    if (integer_of(who, dim, &along) != 0) return 1;
    if (start != RT_FALSE && integer_of(who, start, &from) != 0) return 1;
    if (end != RT_FALSE && integer_of(who, end, &to) != 0) return 1;
    if (integer_of(who, step, &by) != 0) return 1;
    const int64_t *last = end != RT_FALSE ? &to : NULL;
    return ct_slice(x, along, from, last, by, result) != 0 ? fail_in(who) : 0;
}

enum { FEW_INDICES = 4 };

/* Whether the values are a few fixnums, which then need no allocated array. */
static bool take_few(size_t count, const rt_value *indices, ct_value *values) {
    if (count > FEW_INDICES) return false;
    for (size_t i = 0; i < count; i++) {
        if (!rt_is_fixnum(indices[i])) return false;
        values[i] = (ct_value){.kind = CT_INT, .i = rt_fixnum(indices[i])};
    }
    return true;
}

int bridge_ref(ct_tensor *x, size_t count, const rt_value *indices, ct_tensor **result) {
    static const char who[] = "tensor-ref";
    ct_value few[FEW_INDICES];
    if (take_few(count, indices, few))
        return ct_ref(x, count, few, result) != 0 ? fail_in(who) : 0;
    ct_value *values = bridge_all_to_ct(count, indices);
    if (values == NULL) return 1;
    int status = ct_ref(x, count, values, result) != 0 ? fail_in(who) : 0;
    bridge_release_all(count, values);
    return status;
}

int bridge_set(ct_tensor *x, size_t count, const rt_value *indices_then_value,
               ct_tensor **result) {
    static const char who[] = "tensor-set!";
    if (count == 0)
        return rt_status(rt_fail_hint("tensor-set!: expected at least 2 arguments, got 1",
                                      "usage: (tensor-set! x indices-then-value ...)"));
    ct_value *values = bridge_all_to_ct(count, indices_then_value);
    if (values == NULL) return 1;
    int status = ct_set(x, count - 1, values, &values[count - 1]) != 0 ? fail_in(who) : 0;
    bridge_release_all(count, values);
    if (status == 0) *result = ct_clone(x);
    return status;
}

/* ---- The library's own procedures ---------------------------------------------- */

rt_value bridge_procedure(rt_value name, size_t count, const rt_value *arguments) {
    ct_value *values = bridge_all_to_ct(count, arguments), result;
    if (values == NULL) return RT_ERROR;
    char *who = rt_string_to_c(name);
    int status = ct_procedure(who, count, values, &result);
    if (status != 0 && status != CT_RAISED) {
        bridge_fail(who);
        if (ct_failed_at_file()) rt_categorize_error(RT_FILE_ERROR);
    }
    free(who);
    bridge_release_all(count, values);
    return status == 0 ? bridge_of_ct(&result) : RT_ERROR;
}

/* ---- The library's state ------------------------------------------------------ */

rt_value bridge_default_device(void) {
    const char *device = ct_default_device();
    return rt_string_of_utf8(device, strlen(device));
}

static int set_default_device(const char *who, rt_value device) {
    const char *name = NULL;
    if (text_of(who, "a device", device, &name) != 0) return 1;
    int status = ct_set_default_device(name) != 0 ? fail_in(who) : 0;
    text_free(device, name);
    return status;
}

int bridge_set_default_device(rt_value device) {
    return set_default_device("set-default-device!", device);
}

rt_value bridge_swap_default_device(rt_value device) {
    rt_value old = bridge_default_device();
    if (set_default_device("with-device", device) == 0) return old;
    rt_free(old);
    return RT_ERROR;
}

int bridge_manual_seed(rt_value seed) {
    int64_t number;
    if (integer_of("manual-seed", seed, &number) != 0) return 1;
    return ct_manual_seed(number) != 0 ? fail_in("manual-seed") : 0;
}

int bridge_set_num_threads(rt_value count) {
    static const char who[] = "set-num-threads";
    int64_t number;
    if (!rt_to_int64(count, &number) || number < 0)
        return wrong_type(who, "a non-negative exact integer", count);
    return ct_set_num_threads(number) != 0 ? fail_in(who) : 0;
}
