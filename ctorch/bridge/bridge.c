/* bridge.c - calls of operators, failures, and what the runtime itself asks of tensors. */
#include "bridge/bridge.h"

#include "bridge/load.h"

#include <stdlib.h>

#if RT_TENSOR_TAG != CT_COUNT_AT || RT_IMMORTAL != CT_IMMORTAL
#error "the runtime counts handles otherwise than ctorch"
#endif

/* ---- Failure --------------------------------------------------------------- */

rt_value bridge_fail(const char *who) {
    rt_text message = {NULL, 0, 0};
    if (who != NULL) rt_text_format(&message, "%s: ", who);
    rt_text_string(&message, ct_last_error());
    rt_fail_hint(message.bytes, ct_last_hint());
    rt_text_free(&message);
    return RT_ERROR;
}

/* ---- Operators -------------------------------------------------------------- */

#define FEW 8   /* arguments that need no array from malloc */

int bridge_look_up(bridge_operator *op) {
    return ct_op_find(op->name, &op->op) != 0 ? rt_status(bridge_fail(NULL)) : 0;
}

rt_value bridge_call(const bridge_operator *op, size_t count, const rt_value *arguments) {
    ct_value few[FEW], *values = few;
    if (count > FEW) values = rt_malloc(count * sizeof *values);
    ct_value found;
    rt_value result = RT_ERROR;
    size_t made = 0;
    while (made < count && bridge_to_ct(arguments[made], &values[made]) == 0) made++;
    if (made < count) bridge_release(&values[made]);
    else if (ct_op_call(op->op, count, values, &found) != 0) bridge_fail(op->lisp_name);
    else result = bridge_of_ct(&found);
    while (made > 0) bridge_release(&values[--made]);
    if (values != few) free(values);
    return result;
}

int bridge_literal(size_t rank, const int64_t *sizes, size_t count, const rt_value *elements,
                   ct_tensor **result) {
    ct_value *values = bridge_all_to_ct(count, elements);
    if (values == NULL) return 1;
    int status = ct_literal(rank, sizes, count, values, result);
    if (status != 0) bridge_fail("tensor");
    bridge_release_all(count, values);
    return status;
}

/* ---- The runtime's hooks ---------------------------------------------------- */

static int show(rt_text *text, ct_tensor *tensor, bool write) {
    char *shown;
    if (ct_to_text(tensor, write ? CT_WRITE : CT_DISPLAY, &shown) != 0)
        return rt_status(bridge_fail(write ? "write" : "display"));
    rt_text_string(text, shown);
    ct_free_text(shown);
    return 0;
}

static int make(rt_value data, ct_tensor **result, rt_text *problem) {
    ct_value value;
    if (bridge_to_ct(data, &value) != 0) {
        bridge_release(&value);
        rt_text_string(problem, "recursion is too deep");
        return -1;
    }
    int status = ct_make(&value, NULL, NULL, false, result);
    bridge_release(&value);
    if (status != 0) rt_text_string(problem, ct_last_error());
    return status;
}

static void describe(rt_text *text, ct_tensor *tensor) {
    char *shown;
    if (ct_describe(tensor, &shown) != 0) {
        rt_text_string(text, "a tensor");
        return;
    }
    rt_text_string(text, shown);
    ct_free_text(shown);
}

static int truth(ct_tensor *tensor, bool *result) {
    return ct_truth(tensor, result) != 0 ? rt_status(bridge_fail(NULL)) : 0;
}

static int equal(ct_tensor *a, ct_tensor *b, bool *result) {
    return ct_equal(a, b, result) != 0 ? rt_status(bridge_fail("equal?")) : 0;
}

/* The comparison that a procedure performs; for a procedure of one operand, that with zero. */
static int comparison_of(const char *who) {
    static const struct { const char *who; ct_comparison made; } all[] = {
        {"=", CT_EQ}, {"<", CT_LT}, {">", CT_GT}, {"<=", CT_LE}, {">=", CT_GE},
        {"zero?", CT_EQ}, {"positive?", CT_GT}, {"negative?", CT_LT},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(who, all[i].who) == 0) return (int)all[i].made;
    return -1;
}

/* Refuse a tensor of several elements, with the hint that suits the comparison. */
static rt_value fail_comparison(const char *who, ct_tensor *tensor) {
    ct_value several = {.kind = CT_TENSOR, .tensor = tensor}, zero = {.kind = CT_INT};
    ct_value element;
    bool result;
    int made = comparison_of(who);
    if (made >= 0 && ct_compare((ct_comparison)made, &several, &zero, &result) != 0)
        return bridge_fail(who);
    return ct_item(tensor, &element) != 0 ? bridge_fail(who) : bridge_of_ct(&element);
}

static rt_value item(const char *who, ct_tensor *tensor) {
    ct_value element;
    if (ct_count(tensor) != 1) return fail_comparison(who, tensor);
    if (ct_item(tensor, &element) != 0) return bridge_fail(who);
    if (element.kind == CT_BOOL) element.kind = CT_INT;   /* it compares as 0 or 1 */
    return bridge_of_ct(&element);
}

static rt_value arithmetic(const char *who, size_t count, const rt_value *arguments) {
    ct_value operands[2] = {{.kind = CT_INT}, {.kind = CT_INT}};   /* no procedure takes more */
    ct_tensor *result = NULL;
    size_t made = 0;
    while (made < count && bridge_to_ct(arguments[made], &operands[made]) == 0) made++;
    int status = made < count;
    if (status != 0) {
        bridge_release(&operands[made]);
    } else {
        status = ct_arithmetic(who, count, operands, &result);
        if (status != 0) bridge_fail(who);
    }
    while (made > 0) bridge_release(&operands[--made]);
    return status != 0 ? RT_ERROR : rt_of_tensor(result);
}

static size_t live(void) { return (size_t)ct_live_handles(); }

const rt_tensor_hooks bridge_hooks = {
    .load = bridge_load,
    .start = ct_silence_warnings,
    .free = ct_free,
    .show = show,
    .make = make,
    .describe = describe,
    .count = ct_count,
    .dtype = ct_dtype,
    .truth = truth,
    .equal = equal,
    .item = item,
    .arithmetic = arithmetic,
    .live = live,
    .start_reports = bridge_start_reports,
    .finish_reports = bridge_finish_reports,
    .live_bytes = ct_live_bytes,
    .watch_live_bytes = ct_watch_live_bytes,
    .exchange_window = bridge_exchange_window,
};
