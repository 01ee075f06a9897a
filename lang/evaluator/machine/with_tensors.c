/* with_tensors.c - what code asks of ctorch's bridge; linked into the evaluator for programs that
 * use tensors, and into no other. */
#include "code.h"

#include <bridge/bridge.h>

#include <string.h>

typedef struct rt_operator {
    rt_function function;
    rt_closure_object closure;
    bridge_operator found;
} rt_operator;

static rt_operator *operators;

/* An operator as a procedure: captures leads to its closure, and that to the operator. */
static rt_value entry(const rt_value *captures, const rt_value *arguments) {
    const rt_closure_object *closure = (const rt_closure_object *)(const void *)captures - 1;
    rt_operator *called = (rt_operator *)(uintptr_t)closure->function;
    rt_value items = rt_list_to_vector(arguments[0]), result = RT_ERROR;
    if (bridge_find(&called->found) == 0)
        result = bridge_call(&called->found, rt_vector_of(items)->length,
                             rt_vector_of(items)->items);
    rt_free(items);
    rt_free(arguments[0]);
    return result;
}

static void prepare(size_t count) { operators = rt_malloc((count + 1) * sizeof *operators); }

static void define(size_t number, const char *lisp_name, const char *usage, const char *name) {
    rt_operator *made = &operators[number];
    memset(made, 0, sizeof *made);
    made->found.lisp_name = lisp_name;
    made->found.name = name;
    made->function.name = lisp_name;
    made->function.usage = usage;
    made->function.entry = entry;
    made->function.parameters = 1;
    made->function.has_rest = true;
    made->function.at_once = true;
    made->closure.object.count = RT_IMMORTAL;
    made->closure.object.kind = RT_CLOSURE;
    made->closure.function = &made->function;
}

static rt_value value_of(size_t number) { return rt_of_object(&operators[number].closure); }

static int find(size_t number) { return bridge_find(&operators[number].found); }

static rt_value call_reusing(
    const bridge_operator *found, size_t count, const rt_value *arguments
) {
    ct_value *values = bridge_all_to_ct(count, arguments), made;
    if (values == NULL) return RT_ERROR;
    int status = ct_op_call_reusing(found->op, count, values, &made);
    rt_value result = status != 0 ? bridge_fail(found->lisp_name) : bridge_of_ct(&made);
    bridge_release_all(count, values);
    return result;
}

static rt_value call(size_t number, size_t count, const rt_value *arguments, bool reuses) {
    const bridge_operator *found = &operators[number].found;
    if (reuses && rt_is_tensor(arguments[0])) return call_reusing(found, count, arguments);
    return bridge_call(found, count, arguments);
}

static rt_value literal(
    size_t rank, const int64_t *sizes, size_t count, const rt_value *elements
) {
    ct_tensor *made;
    return bridge_literal(rank, sizes, count, elements, &made) ? RT_ERROR : rt_of_tensor(made);
}

const rt_tensor_calls rt_calls_of_bridge = {
    &bridge_hooks, prepare, define, value_of, find, call, literal, ct_set_grad_mode,
};
