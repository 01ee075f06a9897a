/* with_tensors.c - what code asks of ctorch's bridge; linked into the evaluator for programs that
 * use tensors, and into no other. */
#include "code.h"

#include <bridge/bridge.h>

#include <string.h>

struct rt_operator {
    rt_function function;
    rt_closure_object closure;
    bridge_operator found;
    rt_operator *next;
};

static rt_operator *operators;   /* all that code has named */

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

static const char *copied(const char *text) {
    size_t size = strlen(text) + 1;
    return memcpy(rt_malloc(size), text, size);
}

static rt_operator *operator(const char *lisp_name, const char *usage, const char *name) {
    for (rt_operator *known = operators; known != NULL; known = known->next)
        if (strcmp(known->found.lisp_name, lisp_name) == 0) return known;
    rt_operator *made = rt_malloc(sizeof *made);
    memset(made, 0, sizeof *made);
    made->found.lisp_name = copied(lisp_name);
    made->found.name = copied(name);
    made->function.name = made->found.lisp_name;
    made->function.usage = copied(usage);
    made->function.entry = entry;
    made->function.parameters = 1;
    made->function.has_rest = true;
    made->function.at_once = true;
    made->closure.object.count = RT_IMMORTAL;
    made->closure.object.kind = RT_CLOSURE;
    made->closure.function = &made->function;
    made->next = operators;
    operators = made;
    return made;
}

static rt_value value_of(rt_operator *called) { return rt_of_object(&called->closure); }

static int find(rt_operator *called) { return bridge_find(&called->found); }

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

static rt_value call(
    rt_operator *called, size_t count, const rt_value *arguments, bool reuses
) {
    const bridge_operator *found = &called->found;
    if (reuses && rt_is_tensor(arguments[0])) return call_reusing(found, count, arguments);
    return bridge_call(found, count, arguments);
}

static rt_value literal(
    size_t rank, const int64_t *sizes, size_t count, const rt_value *elements
) {
    ct_tensor *made;
    return bridge_literal(rank, sizes, count, elements, &made) ? RT_ERROR : rt_of_tensor(made);
}

static int show_result(rt_text *text, rt_value tensor) {
    char *shown;
    if (ct_to_text(rt_tensor(tensor), CT_REPL, &shown) != 0) return rt_status(bridge_fail("write"));
    rt_text_string(text, shown);
    ct_free_text(shown);
    return 0;
}

static void start_polls(void) { ct_set_poll(&rt_interrupted, rt_poll_interrupt); }

const rt_tensor_calls rt_calls_of_bridge = {
    &bridge_hooks, operator, value_of, find, call, literal, ct_set_grad_mode, show_result,
    start_polls,
};
