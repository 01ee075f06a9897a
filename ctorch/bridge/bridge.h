/* bridge.h - between compiled programs and LibTorch: rt.h's values on one side, ctorch.h's on the
 * other.  C99; linked into programs that use tensors, and into no others.
 *
 * bridge_ functions that are primitives are called as lang/primitives/table.py says, and name
 * themselves in their errors.  ct_ functions that generated code calls directly do not: their
 * failures go through bridge_failed_in, which puts the procedure's name before the message.
 */
#ifndef BRIDGE_H
#define BRIDGE_H

#include "rt.h"
#include "typed.h"

/* For rt_program: how the runtime reaches tensors. */
extern const rt_tensor_hooks bridge_hooks;

/* ---- Failure --------------------------------------------------------------- */

/* Raise ctorch's last error, after `who: ` unless who is NULL.  Returns RT_ERROR. */
RT_COLD rt_value bridge_fail(const char *who);

/* Whether an operation that returns a tensor, or nothing, failed; result is NULL or points to the
 * tensor.  bridge_failed is for functions that have raised their error, bridge_failed_in for
 * ctorch's. */
static inline bool bridge_failed(int status, ct_tensor **result) {
    if (RT_UNLIKELY(status != 0)) return true;
    if (!rt_inject()) return false;
    if (result != NULL) ct_free(*result);
    return true;
}
static inline bool bridge_failed_in(const char *who, int status, ct_tensor **result) {
    if (RT_UNLIKELY(status != 0)) bridge_fail(who);
    return bridge_failed(status, result);
}

/* ---- Operators, through LibTorch's schemas ---------------------------------- */

/* A record in generated code for each operator that it names; op is found at the first call. */
typedef struct bridge_operator {
    const char *lisp_name, *name;   /* "tensor-index-add!", "index_add_" */
    ct_op *op;
} bridge_operator;

RT_COLD int bridge_look_up(bridge_operator *op);
/* Fails if LibTorch has no such operator. */
static inline int bridge_find(bridge_operator *op) {
    return RT_LIKELY(op->op != NULL) ? 0 : bridge_look_up(op);
}
/* op has been found.  Keywords may stand among the arguments, each before its value. */
rt_value bridge_call(const bridge_operator *op, size_t count, const rt_value *arguments);

/* ---- Literals and primitives ------------------------------------------------ */

/* [[a b] [c d]]: count elements in row-major order. */
int bridge_literal(size_t rank, const int64_t *sizes, size_t count, const rt_value *elements,
                   ct_tensor **result);

int bridge_tensor(rt_value data, rt_value dtype, rt_value requires_grad, rt_value device,
                  ct_tensor **result);
rt_value bridge_tensor_to_list(ct_tensor *x);
rt_value bridge_item(ct_tensor *x);
rt_value bridge_shape(ct_tensor *x);
rt_value bridge_dtype(ct_tensor *x);
rt_value bridge_device(ct_tensor *x);
int bridge_to(ct_tensor *x, size_t count, const rt_value *targets, ct_tensor **result);
int bridge_slice(ct_tensor *x, rt_value dim, rt_value start, rt_value end, rt_value step,
                 ct_tensor **result);
int bridge_ref(ct_tensor *x, size_t count, const rt_value *indices, ct_tensor **result);
int bridge_set(ct_tensor *x, size_t count, const rt_value *indices_then_value,
               ct_tensor **result);
int bridge_requires_grad(ct_tensor *x, rt_value on, ct_tensor **result);
int bridge_backward(ct_tensor *loss, rt_value gradient, rt_value retain_graph,
                    rt_value create_graph);
rt_value bridge_grad(ct_tensor *x);
int bridge_zero_grad(size_t count, const rt_value *tensors);
rt_value bridge_default_device(void);
int bridge_set_default_device(rt_value device);
rt_value bridge_swap_default_device(rt_value device);
int bridge_detect_anomaly(rt_value on);
int bridge_retain_grad(ct_tensor *x, ct_tensor **result);
rt_value bridge_gradients(rt_value y, rt_value xs, rt_value grad_outputs, rt_value create_graph,
                          rt_value retain_graph, rt_value allow_unused);
int bridge_needs_others(rt_value ys, rt_value xs, bool *result);
/* procedure is called with the lists that ct_pullback has, and returns a list as long as inputs. */
rt_value bridge_custom_gradient(rt_value inputs, rt_value results, rt_value procedure);
int bridge_manual_seed(rt_value seed);
int bridge_set_num_threads(rt_value count);
/* name is one that ct_procedure knows. */
rt_value bridge_procedure(rt_value name, size_t count, const rt_value *arguments);

/* bridge/memory.c */
rt_value bridge_memory(void);
rt_value bridge_cache_limit(rt_value bytes);
rt_value bridge_cache_release(void);
rt_value bridge_memory_limit(rt_value bytes);
/* For bridge_hooks. */
int bridge_start_reports(bool memory, const char *profile);
char *bridge_finish_reports(void);
int64_t bridge_exchange_window(int64_t least, int64_t *allocations, int64_t *bytes);

/* ---- Values ----------------------------------------------------------------- */

/* A value as ctorch takes it; what it points to is borrowed from v or allocated here, and
 * bridge_release frees the latter.  Fails on lists nested too deeply. */
int bridge_to_ct(rt_value v, ct_value *result);
/* count values in an array, which bridge_release_all frees. */
ct_value *bridge_all_to_ct(size_t count, const rt_value *values);
void bridge_release(ct_value *value);
void bridge_release_all(size_t count, ct_value *values);
/* A result of ctorch as a value; it is moved in. */
rt_value bridge_of_ct(ct_value *result);

#endif
