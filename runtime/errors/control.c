/* control.c - failures as values: what %try catches, error objects, and parameters.
 *
 * Catching a failure moves the waiting error into an object; rethrowing it moves it back, so that
 * it keeps its location and its trace.  Handlers, guard, dynamic-wind and call/cc are written in
 * Lisp on top of this: stdlib/language/control.lisp.
 */
#include "rt_internal.h"

#include <stdlib.h>

#define NESTED_CONDITIONS 2   /* are printed, as in lang/interp/io/printing.py */

/* payload is the failure's payload, here so that release finds it; in failure it is 0. */
typedef struct rt_caught { rt_object object; rt_value payload; rt_failure failure; } rt_caught;

static rt_caught *caught_of(rt_value v) { return (rt_caught *)rt_object_of(v); }
static rt_condition *condition_of(rt_value v) { return (rt_condition *)rt_object_of(v); }

/* ---- Catching and going on ----------------------------------------------- */

rt_value rt_catch(void) {
    rt_caught *caught = rt_allocate(RT_CAUGHT, sizeof *caught);
    caught->object.extra = 1;
    caught->failure = rt_waiting;
    caught->payload = rt_waiting.payload != 0 ? rt_waiting.payload : RT_ABSENT;
    caught->failure.payload = 0;
    memset(&rt_waiting, 0, sizeof rt_waiting);
    if (caught->failure.without_location) rt_give_back_regions();
    rt_forget_shortage();
    return rt_of_object(caught);
}

void rt_clear_caught(rt_object *caught) { rt_clear_failure(&((rt_caught *)caught)->failure); }

rt_value rt_try(rt_value thunk) { return rt_or_failure(rt_call(thunk, 0, NULL)); }

/* The object is empty afterwards. */
rt_value rt_rethrow(rt_value v) {
    rt_caught *caught = caught_of(v);
    rt_clear_failure(&rt_waiting);
    free(rt_waiting.trace);
    rt_waiting = caught->failure;
    rt_waiting.payload = caught->payload == RT_ABSENT ? 0 : caught->payload;
    memset(&caught->failure, 0, sizeof caught->failure);
    caught->payload = RT_ABSENT;
    return RT_ERROR;
}

bool rt_forget_interrupt(rt_value v) {
    return caught_of(v)->failure.kind == RT_INTERRUPTED && rt_forget_interrupt_signal();
}

bool rt_caught_is_error(rt_value v) { return caught_of(v)->failure.kind == RT_MISTAKE; }
bool rt_caught_is_signalled(rt_value v) { return caught_of(v)->failure.signalled; }
void rt_caught_signal(rt_value v, bool signalled) { caught_of(v)->failure.signalled = signalled; }

/* ---- Error objects ------------------------------------------------------- */

static rt_value new_condition(rt_value message, rt_value irritants, rt_value hint,
                              rt_error_category category) {
    rt_condition *condition = rt_allocate(RT_CONDITION, sizeof *condition);
    condition->object.extra = 4;
    condition->message = message;
    condition->irritants = irritants;
    condition->hint = hint;
    condition->category = rt_of_fixnum(category);
    return rt_of_object(condition);
}

/* The error object of a built-in error; RT_ERROR if there is no memory for a long message. */
static rt_value condition_of_failure(const rt_failure *failure) {
    rt_text hint = {NULL, 0, 0};
    bool has_hint = rt_text_of_hint(&hint, failure);
    rt_value message = rt_string_of_utf8(failure->message.bytes, failure->message.size);
    rt_value hint_string = has_hint ? rt_string_of_utf8(hint.bytes, hint.size) : RT_FALSE;
    rt_text_free(&hint);
    if (message != RT_ERROR && hint_string != RT_ERROR)
        return new_condition(message, RT_NIL, hint_string, failure->category);
    if (message != RT_ERROR) rt_free(message);
    if (hint_string != RT_ERROR) rt_free(hint_string);
    return RT_ERROR;
}

rt_value rt_caught_payload(rt_value v) {
    rt_caught *caught = caught_of(v);
    if (caught->payload == RT_ABSENT) {
        rt_value condition = condition_of_failure(&caught->failure);
        if (condition == RT_ERROR) return RT_ERROR;
        caught->payload = condition;
    }
    return rt_dup(caught->payload);
}

void rt_text_condition(rt_text *text, const rt_condition *condition) {
    static int depth;   /* of nested conditions: one may be its own irritant */
    bool is_text = rt_is_string(condition->message);
    if (depth == NESTED_CONDITIONS) {
        if (is_text) rt_text_lisp_string(text, condition->message);
        if (!is_text || rt_is_pair(condition->irritants))
            rt_text_string(text, is_text ? " ..." : "...");
        return;
    }
    depth++;
    bool failed = rt_show(text, condition->message, !is_text) != 0;
    rt_value rest = condition->irritants;
    for (; !failed && rt_is_pair(rest); rest = rt_pair_of(rest)->cdr) {
        rt_text_string(text, " ");
        failed = rt_show(text, rt_pair_of(rest)->car, true) != 0;
    }
    if (failed) rt_text_string(text, "...");
    depth--;
}

/* payload is moved in. */
static rt_value raise(rt_value payload) {
    rt_note(RT_MISTAKE);
    rt_waiting.payload = payload;
    if (rt_is_condition(payload) && rt_is_string(condition_of(payload)->hint))
        rt_text_lisp_string(&rt_waiting.hint, condition_of(payload)->hint);
    return RT_ERROR;
}

rt_value rt_raise(rt_value object) { return raise(rt_dup(object)); }

rt_value rt_error(rt_value message, size_t count, const rt_value *irritants) {
    for (size_t i = 0; i < count; i++) rt_dup(irritants[i]);
    rt_value list = rt_new_list(count, irritants);
    return raise(new_condition(rt_dup(message), list, RT_FALSE, RT_OTHER_ERROR));
}

/* Replace the caught error by another one, but keep its location and trace; alike: and its
 * category. */
void rt_caught_replace(rt_value v, rt_value message, rt_value irritants, rt_value hint,
                       bool alike) {
    rt_caught *caught = caught_of(v);
    rt_before_store(v, irritants);
    rt_value old = caught->payload;
    rt_text_free(&caught->failure.message);
    rt_text_free(&caught->failure.hint);
    rt_text_lisp_string(&caught->failure.hint, hint);
    caught->failure.signalled = false;
    rt_error_category category = RT_OTHER_ERROR;
    bool is_known = old != RT_ABSENT && rt_is_condition(old) &&
                    rt_is_fixnum(condition_of(old)->category);   /* a host's error has its cause there */
    if (alike && is_known) category = (rt_error_category)rt_fixnum(condition_of(old)->category);
    caught->payload = new_condition(rt_dup(message), rt_dup(irritants), rt_dup(hint), category);
    rt_free(old);
}

rt_value rt_error_message(rt_value v) {
    RT_CHECK(rt_is_condition(v), "error-object-message", "an error object", v);
    return rt_dup(condition_of(v)->message);
}

rt_value rt_error_irritants(rt_value v) {
    RT_CHECK(rt_is_condition(v), "error-object-irritants", "an error object", v);
    return rt_dup(condition_of(v)->irritants);
}

rt_value rt_error_hint(rt_value v) {
    RT_CHECK(rt_is_condition(v), "error-object-hint", "an error object", v);
    return rt_dup(condition_of(v)->hint);
}

static bool is_of_category(rt_value v, rt_error_category category) {
    return rt_is_condition(v) && condition_of(v)->category == rt_of_fixnum(category);
}

bool rt_is_file_error(rt_value v) { return is_of_category(v, RT_FILE_ERROR); }
bool rt_is_read_error(rt_value v) { return is_of_category(v, RT_READ_ERROR); }

/* ---- Escapes ------------------------------------------------------------- */

/* A continuation captures whether its call/cc still waits. */
static rt_value continuation_entry(const rt_value *captures, const rt_value *arguments) {
    if (captures[0] == RT_FALSE) {
        rt_free(arguments[0]);
        return rt_fail("continuation: its call/cc has returned already, and it can only escape "
                       "from there");
    }
    rt_note(RT_ESCAPE);
    rt_waiting.payload = arguments[0];
    rt_waiting.target = rt_of_object((const rt_closure_object *)(const void *)captures - 1);
    return RT_ERROR;
}

const rt_function rt_continuation_function = {
    "continuation", "(continuation results ...)", continuation_entry, 1, 0, 1, 0, NULL, false, true,
    NULL, NULL, 2,
};

rt_value rt_new_continuation(void) {
    return rt_new_closure(&rt_continuation_function, 1, (rt_value[]){RT_TRUE});
}

void rt_end_continuation(rt_value continuation) { rt_captures(continuation)[0] = RT_FALSE; }

rt_value rt_try_escape(rt_value continuation, rt_value thunk) {
    return rt_or_escape(continuation, rt_call(thunk, 0, NULL));
}

/* An escape to it leaves nothing to clear: frames have only noted that they were left. */
rt_value rt_catch_escape(rt_value continuation) {
    if (rt_waiting.kind != RT_ESCAPE || rt_waiting.target != continuation) {
        rt_captures(continuation)[0] = RT_TRUE;
        return rt_catch();
    }
    rt_value results = rt_waiting.payload;
    rt_waiting.kind = RT_NOTHING;
    rt_waiting.payload = rt_waiting.target = 0;
    rt_waiting.has_location = rt_waiting.at_module = false;
    return results;
}

bool rt_caught_is_escape(rt_value v, rt_value continuation) {
    const rt_failure *failure = &caught_of(v)->failure;
    return failure->kind == RT_ESCAPE && failure->target == continuation;
}

/* ---- Parameters ---------------------------------------------------------- */

/* A parameter is a closure whose captures are its value, its converter, and the procedure of the
 * library that sets it. */
static rt_value parameter_entry(const rt_value *captures, const rt_value *arguments) {
    (void)arguments;
    return rt_dup(captures[0]);
}

/* The same with an argument, which may be absent: the new value, as in SRFI 39. */
static rt_value parameter_general_entry(const rt_value *captures, const rt_value *arguments) {
    if (arguments[0] == RT_ABSENT) return rt_dup(captures[0]);
    rt_value self = rt_of_object((const rt_closure_object *)(const void *)captures - 1);
    rt_value set[] = {rt_dup(self), arguments[0]};
    return rt_tail_call(rt_dup(captures[2]), 2, set);
}

const rt_function rt_parameter_function = {
    "parameter", "(parameter [value])", parameter_entry, 0, 1, 1, 0, NULL, false, true, NULL,
    parameter_general_entry, 1,
};

rt_value rt_new_parameter(rt_value value, rt_value converter, rt_value set) {
    rt_value captures[] = {rt_dup(value), rt_dup(converter), rt_dup(set)};
    return rt_new_closure(&rt_parameter_function, 3, captures);
}

bool rt_is_parameter(rt_value v) {
    return rt_is_procedure(v) &&
           ((rt_closure_object *)rt_object_of(v))->function == &rt_parameter_function;
}

rt_value rt_parameter_converter(rt_value parameter) {
    RT_CHECK(rt_is_parameter(parameter), "parameterize", "a parameter", parameter);
    return rt_dup(rt_captures(parameter)[1]);
}

/* The value before. */
rt_value rt_parameter_swap(rt_value parameter, rt_value value) {
    rt_before_store(parameter, value);
    rt_value old = rt_captures(parameter)[0];
    rt_captures(parameter)[0] = rt_dup(value);
    return old;
}
