/* autograd.c - the primitives on gradients that lang/primitives/tensors.py declares.
 *
 * Taking gradients may call procedures of the program: those of custom-gradient.  An error in one
 * is noted in the runtime as usual, and passes through LibTorch as CT_RAISED.
 */
#include "bridge/bridge.h"

#include <stdlib.h>

static int fail_in(const char *who, int status) {
    return status == CT_RAISED ? 1 : rt_status(bridge_fail(who));
}

static int wrong_type(const char *who, const char *noun, rt_value v) {
    return rt_status(rt_fail_wrong_type(who, noun, v));
}

/* ---- Recording --------------------------------------------------------------- */

int bridge_requires_grad(ct_tensor *x, rt_value on, ct_tensor **result) {
    bool record;
    if (rt_truth(on, &record) != 0) return 1;
    int status = ct_requires_grad(x, record);
    if (status != 0) return fail_in("requires-grad!", status);
    *result = ct_clone(x);
    return 0;
}

int bridge_retain_grad(ct_tensor *x, ct_tensor **result) {
    int status = ct_retain_grad(x);
    if (status != 0) return fail_in("retain-grad!", status);
    *result = ct_clone(x);
    return 0;
}

/* ---- Lists of tensors --------------------------------------------------------- */

/* count handles, borrowed; the array is owned. */
typedef struct tensor_list { size_t count; ct_tensor **handles; } tensor_list;

static int no_memory(const char *who) { return rt_status(rt_fail("%s: out of memory", who)); }

static int list_of_one(const char *who, rt_value tensor, tensor_list *result) {
    result->count = 1;
    result->handles = malloc(sizeof *result->handles);
    if (result->handles == NULL) return no_memory(who);
    result->handles[0] = rt_tensor(tensor);
    return 0;
}

/* The tensors in a list.  Fails if it is not a list of tensors. */
static int tensors_of(const char *who, rt_value list, tensor_list *result) {
    int64_t length = rt_is_null(list) || rt_is_pair(list) ? rt_list_length(list) : -1;
    if (length < 0) return wrong_type(who, "a list", list);
    result->handles = malloc(((size_t)length + 1) * sizeof *result->handles);
    if (result->handles == NULL) return no_memory(who);
    for (; result->count < (size_t)length; list = rt_pair_of(list)->cdr) {
        rt_value v = rt_pair_of(list)->car;
        if (!rt_is_tensor(v)) return wrong_type(who, "a tensor", v);
        result->handles[result->count++] = rt_tensor(v);
    }
    return 0;
}

static int one_or_several(const char *who, rt_value v, tensor_list *result) {
    if (rt_is_tensor(v)) return list_of_one(who, v, result);
    if (rt_is_pair(v)) return tensors_of(who, v, result);
    return wrong_type(who, "a tensor", v);
}

/* The handles are moved in; NULL is #f. */
static rt_value take_handles(size_t count, ct_tensor *const *handles) {
    rt_value list = RT_NIL;
    while (count-- > 0)
        list = rt_cons(handles[count] != NULL ? rt_of_tensor(handles[count]) : RT_FALSE, list);
    return list;
}

static rt_value list_of(size_t count, ct_tensor *const *handles) {
    for (size_t i = 0; i < count; i++) ct_clone(handles[i]);
    return take_handles(count, handles);
}

/* ---- Computing gradients --------------------------------------------------------- */

/* Ctrl-C waits in after-thunks; then the exchange continues. */
static int exchange_gradients(const char *who) {
    bool ended;
    for (;;) {
        int status = ct_exchange_gradients(&ended);
        if (status != 0) return fail_in(who, status);
        if (ended) return 0;
        if (rt_poll() != 0) return 1;
    }
}

int bridge_backward(ct_tensor *loss, rt_value gradient, rt_value retain_graph,
                    rt_value create_graph) {
    static const char who[] = "backward";
    bool retain, create;
    if (gradient != RT_FALSE && !rt_is_tensor(gradient))
        return wrong_type(who, "a tensor", gradient);
    if (rt_truth(retain_graph, &retain) != 0 || rt_truth(create_graph, &create) != 0) return 1;
    ct_tensor *weights = gradient != RT_FALSE ? rt_tensor(gradient) : NULL;
    int status = ct_backward(loss, weights, retain, create);
    return status != 0 ? fail_in(who, status) : exchange_gradients(who);
}

int bridge_detect_anomaly(rt_value on) {
    bool detect;
    if (rt_truth(on, &detect) != 0) return 1;
    ct_detect_anomaly(detect);
    return 0;
}

rt_value bridge_grad(ct_tensor *x) {
    ct_tensor *gradient;
    if (ct_grad(x, &gradient) != 0) return bridge_fail("tensor-grad");
    return gradient != NULL ? rt_of_tensor(gradient) : RT_FALSE;
}

int bridge_zero_grad(size_t count, const rt_value *tensors) {
    for (size_t i = 0; i < count; i++)
        if (!rt_is_tensor(tensors[i])) return wrong_type("zero-grad!", "a tensor", tensors[i]);
    for (size_t i = 0; i < count; i++) ct_zero_grad(rt_tensor(tensors[i]));
    return 0;
}

static rt_value compute(const char *who, const ct_gradient_query *query) {
    ct_tensor **results = malloc((query->x_count + 1) * sizeof *results);
    rt_value list = RT_ERROR;
    int status = results != NULL ? ct_gradients(query, results) : no_memory(who);
    if (status == 0) list = take_handles(query->x_count, results);
    else if (results != NULL) fail_in(who, status);
    free(results);
    return list;
}

/* As many weights as ys. */
static int weights_of(const char *who, rt_value given, size_t count, tensor_list *result) {
    if (given == RT_FALSE) return 0;
    if (one_or_several(who, given, result) != 0) return 1;
    if (result->count == count) return 0;
    return rt_status(rt_fail("%s: expected %zu :grad-outputs, got %zu", who, count, result->count));
}

rt_value bridge_gradients(rt_value y, rt_value xs, rt_value grad_outputs, rt_value create_graph,
                          rt_value retain_graph, rt_value allow_unused) {
    static const char who[] = "gradients";
    ct_gradient_query query = {.y_count = 0};
    tensor_list ys = {0, NULL}, weights = {0, NULL}, inputs = {0, NULL};
    rt_value list = RT_ERROR;
    if (one_or_several(who, y, &ys) == 0 && tensors_of(who, xs, &inputs) == 0 &&
        weights_of(who, grad_outputs, ys.count, &weights) == 0 &&
        rt_truth(create_graph, &query.create_graph) == 0 &&
        rt_truth(retain_graph, &query.retain_graph) == 0 &&
        rt_truth(allow_unused, &query.allow_unused) == 0) {
        query.y_count = ys.count;
        query.ys = ys.handles;
        query.weights = weights.handles;
        query.x_count = inputs.count;
        query.xs = inputs.handles;
        list = compute(who, &query);
    }
    free(ys.handles);
    free(weights.handles);
    free(inputs.handles);
    return list;
}

int bridge_needs_others(rt_value ys, rt_value xs, bool *result) {
    static const char who[] = "gradients";
    tensor_list from = {0, NULL}, to = {0, NULL};
    int status = 1;
    if (tensors_of(who, ys, &from) == 0 && tensors_of(who, xs, &to) == 0) {
        ct_gradient_query query = {
            .y_count = from.count, .ys = from.handles, .x_count = to.count, .xs = to.handles};
        status = ct_needs_others(&query, result);
        if (status != 0) fail_in(who, status);
    }
    free(from.handles);
    free(to.handles);
    return status;
}

/* ---- Gradient procedures ------------------------------------------------------- */

static rt_value closure_of(void *data) { return (rt_value)(uintptr_t)data; }

static int call_procedure(void *data, const ct_pullback *pullback) {
    rt_value arguments[] = {
        list_of(pullback->result_count, pullback->gradients),
        list_of(pullback->input_count, pullback->inputs),
        list_of(pullback->result_count, pullback->results),
    };
    rt_value gradients = rt_call(closure_of(data), 3, arguments), left = gradients;
    if (gradients == RT_ERROR) return 1;
    for (size_t i = 0; i < pullback->input_count; i++, left = rt_pair_of(left)->cdr) {
        rt_value v = rt_pair_of(left)->car;
        pullback->input_gradients[i] = rt_is_tensor(v) ? ct_clone(rt_tensor(v)) : NULL;
    }
    rt_free(gradients);
    return 0;
}

static void release_procedure(void *data) { rt_free(closure_of(data)); }

rt_value bridge_custom_gradient(rt_value inputs, rt_value results, rt_value procedure) {
    static const char who[] = "custom-gradient";
    tensor_list given = {0, NULL}, made = {0, NULL};
    rt_value list = RT_ERROR;
    if (tensors_of(who, inputs, &given) == 0 && tensors_of(who, results, &made) == 0) {
        void *closure = (void *)(uintptr_t)rt_dup(procedure);
        ct_closure callback = {closure, call_procedure, release_procedure};
        int status = ct_custom_gradient(given.count, given.handles, made.count, made.handles,
                                        callback, made.handles);
        if (status == 0) list = take_handles(made.count, made.handles);
        else fail_in(who, status);
    }
    free(given.handles);
    free(made.handles);
    return list;
}
