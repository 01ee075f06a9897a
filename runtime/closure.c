/* closure.c - procedures as values: making them, matching arguments to parameters, calling.
 *
 * A call first stores one argument for each parameter, so that mistakes are reported at the call,
 * also at a tail call; then the code runs.  A tail call leaves callee and arguments in rt_next and
 * returns RT_TAIL; the innermost caller that needs a value runs them from there (rt_trampoline).
 *
 * Calls whose arguments match the parameters one to one are made by inline functions of rt.h.
 */
#include "rt_internal.h"

#include <stdlib.h>

#define MOST_ON_STACK 8         /* arguments of a call of a record that need no array of their own */
#define MOST_OF_PRIMITIVES 16   /* parameters; the table's longest signature has far fewer */

/* The next call: arguments for every parameter, in memory that is reused. */
static rt_value few_arguments[RT_SURE_ROOM];
rt_next_call rt_next = {RT_FALSE, few_arguments, RT_SURE_ROOM};

/* ---- Matching arguments to parameters ------------------------------------ */

static const char *name_of(const rt_function *function) {
    return function->name ? function->name : "lambda";
}

static void reserve(size_t count) {
    if (count <= rt_next.room) return;
    rt_value *many = rt_next.arguments == few_arguments ? NULL : rt_next.arguments;
    rt_next.room = 2 * count;
    rt_next.arguments = rt_realloc(many, rt_next.room * sizeof *many);
}

/* What messages say of the call that is being prepared.  A call of an applicable record passes the
 * record before the arguments: messages name the record's type, and do not count the record. */
static rt_value record_called = RT_FALSE;   /* borrowed; RT_FALSE for calls of procedures */

static void say_name(rt_text *text, const rt_function *function) {
    if (record_called == RT_FALSE) rt_text_string(text, name_of(function));
    else rt_text_symbol(text, rt_record_type_name(rt_record_of(record_called)->type));
}

/* The usage; for a record `(name x [:dim])` of `(forward self x [:dim])`. */
static void say_usage(rt_text *text, const rt_function *function) {
    rt_text_string(text, "usage: ");
    if (record_called == RT_FALSE) {
        rt_text_string(text, function->usage);
        return;
    }
    rt_text_string(text, "(");
    say_name(text, function);
    const char *self = strchr(function->usage, ' ');
    const char *others = self != NULL ? strchr(self + 1, ' ') : NULL;
    rt_text_string(text, others != NULL ? others : ")");
}

/* Fail because the arguments do not match the parameters; the message is freed. */
static bool fail_call(const rt_function *function, rt_text *message) {
    rt_text hint = {NULL, 0, 0};
    say_usage(&hint, function);
    rt_fail_text(message, &hint);
    return false;
}

static bool is_keyword_name(const char *name, const rt_symbol_object *keyword) {
    if (rt_holds_nul(rt_of_object(keyword)))
        return rt_is_c_string_of(name, keyword->text, keyword->size);
    return strcmp(name, keyword->text) == 0;
}

static const rt_keyword *find_keyword(const rt_function *function, rt_value keyword) {
    for (int i = 0; i < function->keyword_count; i++)
        if (is_keyword_name(function->keywords[i].name, rt_symbol_of(keyword)))
            return &function->keywords[i];
    return NULL;
}

/* before and after the keyword. */
static bool fail_keyword(const rt_function *function, const char *before, rt_value keyword,
                         const char *after) {
    rt_text message = {NULL, 0, 0};
    say_name(&message, function);
    rt_text_format(&message, ": %s :", before);
    rt_text_symbol(&message, keyword);
    rt_text_string(&message, after);
    rt_text hint = {NULL, 0, 0};
    if (find_keyword(function, keyword) != NULL || !rt_say_near_keyword(&hint, function, keyword))
        say_usage(&hint, function);
    rt_fail_text(&message, &hint);
    return false;
}

static bool fail_arity(const rt_function *function, size_t given) {
    rt_text message = {NULL, 0, 0};
    int self = record_called != RT_FALSE;
    int least = function->required - self, most = least + function->optional;
    say_name(&message, function);
    rt_text_string(&message, ": expected ");
    if (function->has_rest) rt_text_format(&message, "at least %d", least);
    else if (least == most) rt_text_format(&message, "%d", least);
    else if (least == 0) rt_text_format(&message, "at most %d", most);
    else rt_text_format(&message, "%d to %d", least, most);
    int last = function->has_rest ? least : most;
    rt_text_format(&message, " argument%s, got %zu", last == 1 ? "" : "s", given - (size_t)self);
    return fail_call(function, &message);
}

rt_value rt_no_clause(rt_value who, rt_value count, rt_value expected, rt_value usage) {
    rt_text message = {NULL, 0, 0}, hint = {NULL, 0, 0};
    rt_text_lisp_string(&message, who);
    rt_text_string(&message, ": expected ");
    rt_text_lisp_string(&message, expected);
    rt_text_format(&message, ", got %lld", (long long)rt_fixnum(count));
    rt_text_string(&hint, "usage: ");
    rt_text_lisp_string(&hint, usage);
    return rt_fail_text(&message, &hint);
}

/* Put the value of arguments[at], a keyword, at its parameter. */
static bool take_keyword(const rt_function *function, size_t count, const rt_value *arguments,
                         size_t at, rt_value *slots) {
    rt_value keyword = arguments[at];
    const rt_keyword *found = find_keyword(function, keyword);
    if (found == NULL) return fail_keyword(function, "unknown keyword", keyword, "");
    if (at + 1 == count) return fail_keyword(function, "keyword", keyword, " has no value");
    if (slots[found->index] != RT_ABSENT)
        return fail_keyword(function, "keyword", keyword, " is given twice");
    slots[found->index] = rt_dup(arguments[at + 1]);
    return true;
}

/* Fill the slots with new references.  The caller owns what is in them afterwards, also when this
 * fails.  The required arguments come first and may be any values; a keyword after them names the
 * argument that follows it. */
static bool fill(const rt_function *function, size_t count, const rt_value *arguments,
                 rt_value *slots) {
    size_t most = (size_t)(function->required + function->optional), given = 0;
    rt_value rest = RT_NIL, *rest_end = &rest;
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        bool may_name = function->keyword_count > 0 && i >= (size_t)function->required;
        if (may_name && rt_is_keyword(arguments[i])) {
            ok = take_keyword(function, count, arguments, i++, slots);
        } else if (given++ < most) {
            slots[given - 1] = rt_dup(arguments[i]);
        } else if (function->has_rest) {
            *rest_end = rt_cons(rt_dup(arguments[i]), RT_NIL);
            rest_end = &rt_pair_of(*rest_end)->cdr;
        }
    }
    if (function->has_rest) slots[function->parameters - 1] = rest;
    if (!ok) return false;
    bool too_many = given > most && !function->has_rest;
    return given < (size_t)function->required || too_many ? fail_arity(function, given) : true;
}

int rt_accepts(rt_value procedure, rt_value arguments, bool *result) {
    RT_CHECK_STATUS(rt_is_applicable(procedure), "%accepts?", "a procedure", procedure);
    bool is_record = !rt_is_procedure(procedure);
    const rt_function *function =
        rt_function_of(is_record ? rt_call_procedure(procedure) : procedure);
    int64_t count = rt_fixnum(arguments) + is_record;
    *result = function == &rt_continuation_function ||
              (count >= function->required &&
               (function->has_rest || count <= function->required + function->optional));
    return 0;
}

/* Whether its parameters are required ones and a rest list. */
static bool takes_simple_rest(const rt_function *function) {
    return function->has_rest && function->parameters == function->required + 1;
}

/* Store the call in rt_next.  The arguments are moved in. */
static bool prepare(rt_value callee, size_t count, const rt_value *arguments) {
    if (RT_UNLIKELY(!rt_is_procedure(callee))) {
        rt_text message = {NULL, 0, 0}, hint = {NULL, 0, 0};
        rt_text_string(&message, "not a procedure: ");
        rt_describe(&message, callee);
        bool has_hint = rt_say_type_hint(&hint, "", RT_CALLEE, callee);
        rt_fail_text(&message, has_hint ? &hint : NULL);
        rt_free_all(count, arguments);
        return false;
    }
    const rt_function *function = rt_function_of(callee);
    reserve((size_t)function->parameters);
    if (function->general == NULL && rt_takes_exactly(callee, count)) {
        for (size_t i = 0; i < count; i++) rt_next.arguments[i] = arguments[i];
        return true;
    }
    if (function == &rt_continuation_function) {
        rt_next.arguments[0] = rt_values(count, arguments);
        return true;
    }
    if (takes_simple_rest(function) && count >= (size_t)function->required) {
        size_t required = (size_t)function->required;
        rt_value rest = rt_new_list(count - required, arguments + required);
        for (size_t i = 0; i < required; i++) rt_next.arguments[i] = arguments[i];
        rt_next.arguments[required] = rest;
        return true;
    }
    rt_value *slots = rt_next.arguments;
    for (int i = 0; i < function->parameters; i++) slots[i] = RT_ABSENT;
    bool ok = fill(function, count, arguments, slots);
    if (!ok) rt_free_all((size_t)function->parameters, slots);
    rt_free_all(count, arguments);
    return ok;
}

/* ---- Calls --------------------------------------------------------------- */

/* Compiled code reads its arguments before it calls anything, so rt_next is free for the calls that
 * it makes.  A primitive frees its arguments at its end, and `apply` makes a call before that: so
 * primitives get a copy. */
static rt_value run(rt_value callee) {
    const rt_function *function = rt_function_of(callee);
    if (!function->at_once) return function->entry(rt_captures(callee), rt_next.arguments);
    rt_value arguments[MOST_OF_PRIMITIVES];
    size_t count = (size_t)function->parameters;
    if (count > 0) memcpy(arguments, rt_next.arguments, count * sizeof arguments[0]);
    if (function->general != NULL) return function->general(rt_captures(callee), arguments);
    return function->entry(rt_captures(callee), arguments);
}

/* What a tail call leaves for the trampoline when it has failed already: the error has its location
 * from there, as if the call had been made there. */
static rt_value failed_entry(const rt_value *captures, const rt_value *arguments) {
    (void)captures;
    (void)arguments;
    return RT_ERROR;
}
static const rt_function failed_function = {
    NULL, "", failed_entry, 0, 0, 0, 0, NULL, false, false, NULL, NULL, 1
};
static rt_closure_object failed = RT_STATIC_CLOSURE(&failed_function);

/* A tail call has been made at once.  One of the library's leaves an error to the trampoline.
 * callee is moved in. */
static rt_value end_at_once(rt_value callee, rt_value result) {
    bool leaves = result == RT_ERROR && rt_function_of(callee)->general != NULL;
    rt_free(callee);
    if (!leaves) return result;
    rt_next.callee = rt_of_object(&failed);
    return RT_TAIL;
}

/* callee is moved in; ok: whether the call is in rt_next. */
static rt_value tail_call_prepared(rt_value callee, bool ok) {
    if (!ok) {
        rt_free(callee);
        return RT_ERROR;
    }
    if (rt_function_of(callee)->at_once) return end_at_once(callee, run(callee));
    rt_next.callee = callee;
    return RT_TAIL;
}

/* Store the call of an applicable record in rt_next: that of its type's procedure.  record is
 * borrowed, the arguments are moved in. */
static bool prepare_record(rt_value record, size_t count, const rt_value *arguments) {
    rt_value few[MOST_ON_STACK];
    rt_value *all = count < MOST_ON_STACK ? few : rt_malloc((count + 1) * sizeof *all);
    all[0] = rt_dup(record);
    if (count > 0) memcpy(all + 1, arguments, count * sizeof *all);
    record_called = record;
    bool ok = prepare(rt_call_procedure(record), count + 1, all);
    record_called = RT_FALSE;
    if (all != few) free(all);
    return ok;
}

/* A module's name is its record's last field. */
static void leave_module(rt_value v) {
    const rt_record_object *record = rt_record_of(v);
    rt_failed_in_module(rt_record_type_name(record->type),
                        record->fields[record->object.extra - 2]);
}

/* record is borrowed, the arguments are moved in. */
static rt_value call_record(rt_value record, size_t count, const rt_value *arguments) {
    rt_value result = RT_ERROR;
    if (prepare_record(record, count, arguments)) result = rt_finish(run(rt_call_procedure(record)));
    if (RT_UNLIKELY(result == RT_ERROR) && rt_is_module(record)) leave_module(record);
    return result;
}

/* Whether such a call only needs the rest list, as calls of objects that take messages do. */
static bool needs_rest_only(rt_value callee, size_t count) {
    if (!rt_is_procedure(callee)) return false;
    const rt_function *function = rt_function_of(callee);
    return takes_simple_rest(function) && count >= (size_t)function->required &&
           function->required < RT_SURE_ROOM && !function->at_once;
}

rt_value rt_call_slowly(rt_value callee, size_t count, const rt_value *arguments) {
    if (needs_rest_only(callee, count)) {
        const rt_function *function = rt_function_of(callee);
        size_t required = (size_t)function->required;
        rt_value slots[RT_SURE_ROOM];
        for (size_t i = 0; i < required; i++) slots[i] = arguments[i];
        slots[required] = rt_new_list(count - required, arguments + required);
        return rt_finish(function->entry(rt_captures(callee), slots));
    }
    if (rt_call_procedure(callee) != RT_FALSE) return call_record(callee, count, arguments);
    if (!prepare(callee, count, arguments)) return RT_ERROR;
    return rt_finish(run(callee));
}

/* A call of a module is never a tail call: its frame says, in an error, which module failed. */
static rt_value tail_call_record(rt_value record, size_t count, const rt_value *arguments) {
    if (rt_is_module(record)) {
        rt_value result = call_record(record, count, arguments);
        rt_free(record);
        return result;
    }
    rt_value procedure = rt_dup(rt_call_procedure(record));
    bool ok = prepare_record(record, count, arguments);
    rt_free(record);
    return tail_call_prepared(procedure, ok);
}

rt_value rt_tail_call_slowly(rt_value callee, size_t count, const rt_value *arguments) {
    if (rt_takes_exactly(callee, count) && rt_function_of(callee)->at_once)
        return end_at_once(callee, rt_function_of(callee)->entry(rt_captures(callee), arguments));
    if (RT_UNLIKELY(rt_call_procedure(callee) != RT_FALSE))
        return tail_call_record(callee, count, arguments);
    return tail_call_prepared(callee, prepare(callee, count, arguments));
}

rt_value rt_trampoline(void) {
    rt_value result;
    do {
        rt_value callee = rt_next.callee;
        const rt_function *function = rt_function_of(callee);
        if (RT_UNLIKELY(rt_poll() != 0)) {
            rt_free_all((size_t)function->parameters, rt_next.arguments);
            result = RT_ERROR;
            rt_free(callee);
        } else if (function->last_entry != NULL) {
            result = function->last_entry(callee, rt_next.arguments);
        } else {
            result = function->entry(rt_captures(callee), rt_next.arguments);
            rt_free(callee);
        }
    } while (result == RT_TAIL);
    return result;
}

/* ---- Calls with a list of arguments -------------------------------------- */

#define FEW 16   /* arguments that need no array from malloc */

/* An array of the arguments and the elements of the list at their end: `few`, or one from malloc;
 * NULL after an error.  The arguments are moved in; so are the elements, if the list dies. */
static rt_value *spread(size_t count, const rt_value *arguments, rt_value *few, size_t *total) {
    rt_value list = arguments[count - 1];
    int64_t length = rt_list_length(list);
    if (length < 0) {
        rt_fail_wrong_type("apply", "a list", list);
        rt_free_all(count, arguments);
        return NULL;
    }
    *total = count - 1 + (size_t)length;
    rt_value *all = *total <= FEW ? few : rt_try_malloc(*total * sizeof *all);
    if (all == NULL) {
        rt_fail_room("apply", *total, "arguments");
        rt_free_all(count, arguments);
        return NULL;
    }
    for (size_t i = 0; i + 1 < count; i++) all[i] = arguments[i];
    for (size_t i = count - 1; i < *total; i++) {
        rt_value rest = rt_pair_of(list)->cdr;
        all[i] = rt_pair_of(list)->car;
        rt_free_keeping(list, true, true);
        list = rest;
    }
    return all;
}

/* Whether the list of arguments can become the rest list: the callee takes one, and needs no more
 * arguments than there are. */
static bool takes_list(rt_value callee, size_t count, const rt_value *arguments) {
    if (!rt_is_procedure(callee) || rt_function_of(callee) == &rt_continuation_function) return false;
    const rt_function *function = rt_function_of(callee);
    if (!takes_simple_rest(function) || count - 1 > (size_t)function->required) return false;
    int64_t length = rt_list_length(arguments[count - 1]), total = (int64_t)count - 1 + length;
    return length >= 0 && total >= function->required && total + 1 != function->exact;
}

/* Store such a call in rt_next.  The arguments are moved in. */
static bool prepare_list(rt_value callee, size_t count, const rt_value *arguments) {
    size_t required = (size_t)rt_function_of(callee)->required;
    rt_value list = arguments[count - 1];
    reserve(required + 1);
    for (size_t i = 0; i + 1 < count; i++) rt_next.arguments[i] = arguments[i];
    for (size_t i = count - 1; i < required; i++) {
        rt_value rest = rt_pair_of(list)->cdr;
        rt_next.arguments[i] = rt_pair_of(list)->car;
        rt_free_keeping(list, true, true);
        list = rest;
    }
    rt_value own = rt_unshared_list(list);
    rt_next.arguments[required] = own;
    if (own == RT_ERROR) rt_free_all(required, rt_next.arguments);
    return own != RT_ERROR;
}

rt_value rt_call_spread(rt_value callee, size_t count, const rt_value *arguments) {
    if (takes_list(callee, count, arguments))
        return prepare_list(callee, count, arguments) ? rt_finish(run(callee)) : RT_ERROR;
    size_t total;
    rt_value few[FEW], *all = spread(count, arguments, few, &total);
    if (all == NULL) return RT_ERROR;
    rt_value result = rt_call(callee, total, all);
    if (all != few) free(all);
    return result;
}

rt_value rt_tail_call_spread(rt_value callee, size_t count, const rt_value *arguments) {
    if (takes_list(callee, count, arguments))
        return tail_call_prepared(callee, prepare_list(callee, count, arguments));
    size_t total;
    rt_value few[FEW], *all = spread(count, arguments, few, &total);
    if (all == NULL) {
        rt_free(callee);
        return RT_ERROR;
    }
    rt_value result = rt_tail_call(callee, total, all);
    if (all != few) free(all);
    return result;
}

/* `apply` as a value; compiled code calls rt_call_spread directly. */
rt_value rt_apply(rt_value procedure, rt_value argument, size_t count, const rt_value *more) {
    rt_value *all = rt_malloc((count + 1) * sizeof *all);
    all[0] = rt_dup(argument);
    for (size_t i = 0; i < count; i++) all[i + 1] = rt_dup(more[i]);
    rt_value result = rt_tail_call_spread(rt_dup(procedure), count + 1, all);
    free(all);
    return result;
}
