/* guest.c - the machine inside another program's process: values and calls for a host that is not
 * Lisp.  It installs no signal handlers, and leaves the exit to the host.
 */
#define _GNU_SOURCE   /* pthread_getattr_np */
#include "guest.h"

#include <ports/ports.h>
#include <pthread.h>
#include <stdlib.h>

#define RESERVE ((size_t)1 << 20)   /* of a stack, for the host and the C library */

/* As Kind in library.py. */
enum {
    OTHER, INTEGER, NUMBER, DOUBLE, BOOLEAN, CHAR, STRING, SYMBOL, KEYWORD, LIST, VECTOR, VALUES,
    TABLE, BYTES, PROCEDURE, UNSPECIFIED, TENSOR
};


static struct rt_guest_host host;

/* ---- The host's functions ------------------------------------------------ */

/* Jobs of other threads may run meanwhile, and use other worlds. */
typedef struct place { uintptr_t stack; rt_world *world; const rt_location *here; } place;

static place leave_lisp(void) {
    place left = {rt_get_stack_limit(), rt_present_world(), rt_here};
    return left;
}

static void return_to_lisp(place left) {
    rt_set_stack_limit(left.stack);
    rt_use_world(left.world);
    rt_here = left.here;
}

static void answer(const char *question, size_t size) {
    place left = leave_lisp();
    host.answer(question, size);
    return_to_lisp(left);
}

static void pause_here(void) {
    place left = leave_lisp();
    bool stops = host.pause() != 0;
    return_to_lisp(left);
    if (stops) rt_interrupt();
}

/* ---- Output -------------------------------------------------------------- */

static int write_to_host(void *state, int file, const char *bytes, size_t size, bool is_last) {
    (void)state, (void)is_last;
    if (size == 0) return 0;
    place left = leave_lisp();
    host.write(file, bytes, size);
    return_to_lisp(left);
    return 0;
}

static bool has_no_input(const void *state) { return state != NULL; }
static void keep(void *state) { (void)state; }
static const char *no_reason(int reason) { return reason == 0 ? "" : strerror(reason); }

static const rt_filter to_host = {has_no_input, NULL, write_to_host, keep, no_reason};

void rt_guest_capture(int file, int on) {
    rt_port_object *port = rt_standard_port(file);
    if ((port->filter != NULL) == (on != 0)) return;
    rt_port_flush("", port);
    port->filter = on ? &to_host : NULL;
}

/* ---- Jobs ---------------------------------------------------------------- */

void rt_guest_answer(const char *bytes, size_t size) { rt_answer_as_host(bytes, size); }

/* Endless recursion must end before memory runs out, however large the stack is. */
uintptr_t rt_guest_stack(void) {
    pthread_attr_t attributes;
    void *lowest = NULL;
    size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
    pthread_attr_getstack(&attributes, &lowest, &size);
    pthread_attr_destroy(&attributes);
    uintptr_t limit = (uintptr_t)lowest + RESERVE, here = rt_stack_here();
    size_t used = rt_stack_size();
    return here - limit > used ? here - used : limit;
}

void rt_guest_enter(uintptr_t stack, rt_world *world) {
    rt_set_stack_limit(stack);
    rt_use_world(world);
}

/* What has been dropped.  The lock is recursive: freeing something may let the host drop more. */
static pthread_mutex_t lock;
static bool is_busy;   /* Lisp runs, and counts references without a lock */
static rt_value *words;
static size_t word_count, word_room;
static rt_world **worlds;
static size_t world_count, world_room;
static uint64_t *numbers;
static size_t number_count, number_room;

static void make_lock(void) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

/* The memory of a tensor does not wait for the next job; other values may free what asks the host. */
static void drop(rt_value word) {
    pthread_mutex_lock(&lock);
    if (!is_busy && rt_is_tensor(word)) {
        rt_free(word);
    } else {
        RT_GROW(words, word_count, word_room);
        words[word_count++] = word;
    }
    pthread_mutex_unlock(&lock);
}

void rt_guest_drop(void *word) { drop((rt_value)(uintptr_t)word); }
void rt_guest_drop_handle(uintptr_t handle) { drop(rt_guest_of_handle(handle)); }

void rt_guest_drop_world(rt_world *dropped) {
    pthread_mutex_lock(&lock);
    RT_GROW(worlds, world_count, world_room);
    worlds[world_count++] = dropped;
    pthread_mutex_unlock(&lock);
}

static void drop_number(uint64_t number) {
    pthread_mutex_lock(&lock);
    RT_GROW(numbers, number_count, number_room);
    numbers[number_count++] = number;
    pthread_mutex_unlock(&lock);
}

void rt_guest_free_dropped(void) {
    pthread_mutex_lock(&lock);
    while (word_count > 0 || world_count > 0) {
        if (word_count > 0) rt_free(words[--word_count]);
        else rt_drop_world(worlds[--world_count]);
    }
    pthread_mutex_unlock(&lock);
}

uint64_t rt_guest_next_number(void) {
    pthread_mutex_lock(&lock);
    uint64_t number = number_count > 0 ? numbers[--number_count] : 0;
    pthread_mutex_unlock(&lock);
    return number;
}

static void set_busy(bool busy) {
    pthread_mutex_lock(&lock);
    is_busy = busy;
    pthread_mutex_unlock(&lock);
    rt_forget_interrupts();
}

void rt_guest_begin(void) { set_busy(true); }
void rt_guest_end(void) { set_busy(false); }

void rt_guest_forked(void) {
    make_lock();
    is_busy = false;
    rt_forget_frames();
    rt_clear_failure(&rt_waiting);
    rt_forget_interrupts();
}

void rt_guest_start(const struct rt_guest_host *started) {
    rt_is_guest = true;
    make_lock();
    host = *started;
    rt_start_memory();
    rt_start_collector();
    rt_program_file = "";
    rt_at_pause = pause_here;
    rt_plot_drawer = rt_draw_elsewhere;
    rt_ask_host(answer);
}

rt_world *rt_guest_new_world(void) { return rt_new_world(); }
size_t rt_guest_world_size(const rt_world *counted) { return rt_world_size(counted); }

void rt_guest_flush(void) { rt_flush_standard_output(); }

void rt_guest_interrupt(int insistent) {
    if (insistent) rt_interrupt_cleanup();
    rt_interrupt();
}

void rt_guest_ask_for_pause(void) { rt_ask_for_pause(); }

static rt_value *handlers(void) { return rt_library_variable("%handlers"); }

rt_value rt_guest_handlers(void) { return *handlers() == RT_UNBOUND ? RT_NIL : rt_dup(*handlers()); }

void rt_guest_set_handlers(rt_value set) {
    if (*handlers() != RT_UNBOUND) rt_global_define(handlers(), set);
    else rt_free(set);
}

static void take_failure(struct rt_guest_failure *taken);

static rt_value result_of(rt_value result, struct rt_guest_failure *failure) {
    if (result == RT_ERROR) take_failure(failure);
    return result;
}

rt_value rt_guest_run(
    const char *code, size_t size, int has_positions, struct rt_guest_failure *failure
) {
    rt_free_dead_units();
    rt_unit *unit = rt_load_unit(memcpy(rt_malloc(size + 1), code, size), size);
    return result_of(unit == NULL ? RT_ERROR : rt_run_form(unit, has_positions != 0), failure);
}

rt_value rt_guest_apply(
    rt_value procedure, size_t count, const rt_value *arguments, struct rt_guest_failure *failure
) {
    rt_value list = rt_new_list(count, arguments);
    return result_of(rt_call_spread(procedure, 1, &list), failure);
}

void rt_guest_define(const char *name, rt_value value) {
    rt_global_define(rt_world_variable(name), value);
}

rt_value rt_guest_dup(rt_value v) { return rt_dup(v); }
void rt_guest_free(rt_value v) { rt_free(v); }
size_t rt_guest_live_objects(void) { return rt_live_objects(); }

/* ---- Values for the host ------------------------------------------------- */

int rt_guest_kind(rt_value v) {
    if (rt_is_fixnum(v)) return INTEGER;
    if (rt_is_double(v)) return DOUBLE;
    if (rt_is_boolean(v)) return BOOLEAN;
    if (rt_is_char(v)) return CHAR;
    if (v == RT_UNSPECIFIED) return UNSPECIFIED;
    if (rt_is_exact_number(v)) return NUMBER;
    if (rt_is_string(v)) return STRING;
    if (rt_is_symbol(v)) return SYMBOL;
    if (rt_is_keyword(v)) return KEYWORD;
    if (rt_is_pair(v) || v == RT_NIL) return LIST;
    if (rt_is_vector(v)) return VECTOR;
    if (rt_is_values(v)) return VALUES;
    if (rt_is_kind(v, RT_HASH_TABLE)) return TABLE;
    if (rt_is_bytes(v)) return BYTES;
    if (rt_is_procedure(v)) return PROCEDURE;
    return rt_is_tensor(v) ? TENSOR : OTHER;
}

int64_t rt_guest_integer(rt_value v) {
    if (rt_is_char(v)) return rt_char_code(v);
    return rt_is_boolean(v) ? v == RT_TRUE : rt_fixnum(v);
}

double rt_guest_double(rt_value v) { return rt_double(v); }

char *rt_guest_text(rt_value v, size_t *size) {
    rt_text text = {NULL, 0, 0};
    bool is_plain = rt_is_string(v) || rt_is_symbol(v);
    if (rt_is_keyword(v)) rt_text_add(&text, rt_symbol_of(v)->text, rt_symbol_of(v)->size);
    else if (rt_show_as(&text, v, is_plain ? RT_DISPLAY : RT_WRITE) != 0)
        rt_clear_failure(&rt_waiting);
    rt_text_reserve(&text, 0);
    *size = text.size;
    return text.bytes;
}

char *rt_guest_digits(rt_value v, size_t *size) {
    rt_value digits = rt_number_to_string(v, rt_of_fixnum(16));
    char *text = rt_guest_text(digits, size);
    rt_free(digits);
    return text;
}

void rt_guest_free_text(char *text) { free(text); }

/* Of a list; a second walk at half the speed meets the first one in a cycle. */
static int64_t length_of(rt_value list) {
    int64_t count = 0;
    rt_value slow = list;
    for (; rt_is_pair(list); list = rt_pair_of(list)->cdr, count++) {
        if (count % 2 == 0) continue;
        slow = rt_pair_of(slow)->cdr;
        if (slow == rt_pair_of(list)->cdr) return -1;
    }
    return list == RT_NIL ? count : -1;
}

int64_t rt_guest_count(rt_value v) {
    if (rt_is_pair(v) || v == RT_NIL) return length_of(v);
    if (rt_is_vector(v)) return (int64_t)rt_vector_size(v);
    if (rt_is_bytes(v)) return (int64_t)rt_bytes_of(v)->length;
    if (rt_is_kind(v, RT_HASH_TABLE)) return 2 * (int64_t)rt_table_size(v);
    size_t count;
    rt_values_in(rt_object_of(v), &count);
    return (int64_t)count;
}

void rt_guest_elements(rt_value v, rt_value *elements) {
    size_t count = (size_t)rt_guest_count(v);
    if (rt_is_kind(v, RT_HASH_TABLE)) {
        for (size_t i = 0; i < count / 2; i++)
            memcpy(elements + 2 * i, rt_table_entry(v, i), 2 * sizeof *elements);
    } else if (rt_is_pair(v)) {
        for (; rt_is_pair(v); v = rt_pair_of(v)->cdr) *elements++ = rt_pair_of(v)->car;
    } else if (rt_is_vector(v)) {
        memcpy(elements, rt_vector_of(v)->items, count * sizeof *elements);
    } else if (count > 0) {
        memcpy(elements, rt_values_in(rt_object_of(v), &count), count * sizeof *elements);
    }
}

const char *rt_guest_bytes(rt_value v) { return (const char *)rt_bytes_of(v)->data; }

/* ---- Values of the host -------------------------------------------------- */

rt_value rt_guest_of_integer(int64_t n) { return rt_of_int64(n); }
rt_value rt_guest_of_double(double number) { return rt_of_double(number); }
rt_value rt_guest_of_char(uint32_t code) { return RT_CHAR(code); }
rt_value rt_guest_of_bytes(const char *bytes, size_t size) { return rt_new_bytes(size, bytes); }

rt_value rt_guest_of_text(int kind, const char *utf8, size_t size) {
    switch (kind) {
    case SYMBOL: return rt_intern_sized(utf8, size);
    case KEYWORD: return rt_intern_keyword_sized(utf8, size);
    case NUMBER: return rt_parse_number(utf8, size, 10);
    default: return rt_string_of_utf8(utf8, size);
    }
}

static size_t repeated;

size_t rt_guest_repeated(void) { return repeated; }

static rt_value table_of(size_t count, const rt_value *elements) {
    rt_value table = rt_make_hash_table();
    for (size_t i = 0; i < count; i += 2) {
        bool ok = rt_hash_set(table, elements[i], elements[i + 1]) == 0;
        if (ok && rt_table_size(table) == i / 2 + 1) continue;
        repeated = i / 2;
        rt_free_all(count - i - 2, elements + i + 2);
        rt_free(table);
        rt_clear_failure(&rt_waiting);
        return RT_ERROR;
    }
    return table;
}

rt_value rt_guest_of_elements(int kind, size_t count, const rt_value *elements) {
    if (kind == TABLE) return table_of(count, elements);
    return kind == VECTOR ? rt_new_vector(count, elements) : rt_new_list(count, elements);
}

rt_value rt_guest_constant(int which) {
    static const rt_value constants[] = {RT_FALSE, RT_TRUE, RT_UNSPECIFIED};
    return constants[which];
}

/* A function of the host, which the closure that calls it captures. */
typedef struct host_function { rt_function function; uint64_t number; char name[]; } host_function;

static void free_function(void *thing) {
    host_function *freed = thing;
    drop_number(freed->number);
    free((void *)(uintptr_t)freed->function.usage);
    free(freed);
}

static const char *text_of_function(void *thing) { return ((host_function *)thing)->name; }

static const rt_foreign_kind function_kind = {free_function, text_of_function};

/* How the host's function has failed.  It notes that here, because what its language runs before it
 * returns may use Lisp. */
static struct {
    enum { NO_ERROR, MISTAKE, AGAIN, LEAVE, STOP } how;
    rt_text message, hint;
    bool has_hint;
    uint64_t cause;
    rt_failure failure;
    int status;
} failed;

static void drop_cause(void *thing) { drop_number((uint64_t)(uintptr_t)thing); }

static const char *text_of_cause(void *thing) {
    (void)thing;
    return "#<cause>";
}

static const rt_foreign_kind cause_kind = {drop_cause, text_of_cause};

/* An error of a host's function refers to its cause, in place of a category. */
static rt_value fail_with_cause(void) {
    rt_fail_text(&failed.message, failed.has_hint ? &failed.hint : NULL);
    rt_value caught = rt_catch(), payload = rt_caught_payload(caught);
    if (payload != RT_ERROR) {
        rt_condition *condition = (rt_condition *)rt_object_of(payload);
        condition->category = rt_new_foreign(&cause_kind, (void *)(uintptr_t)failed.cause);
        rt_free(payload);
    }
    rt_rethrow(caught);
    rt_free(caught);
    return RT_ERROR;
}

static rt_value fail_as_host(void) {
    int how = failed.how;
    failed.how = NO_ERROR;
    switch (how) {
    case AGAIN:
        rt_clear_failure(&rt_waiting);
        free(rt_waiting.trace);
        rt_waiting = failed.failure;
        memset(&failed.failure, 0, sizeof failed.failure);
        return RT_ERROR;
    case LEAVE: return rt_fail_leaving(failed.status);
    case STOP: return rt_fail_interrupted();
    case MISTAKE:
        if (failed.cause != 0) return fail_with_cause();
        return rt_fail_text(&failed.message, failed.has_hint ? &failed.hint : NULL);
    }
    return rt_fail("a function of the host has failed");
}

static rt_value entry(const rt_value *captures, const rt_value *arguments) {
    const host_function *called = rt_foreign_of(captures[0])->thing;
    rt_value list = arguments[0];   /* a tail call's memory is used again */
    place left = leave_lisp();
    rt_value result = host.call(called->number, list);
    return_to_lisp(left);
    rt_free(list);
    return result == RT_ERROR ? fail_as_host() : result;
}

rt_value rt_guest_procedure(uint64_t function, const char *name) {
    size_t size = strlen(name) + 1;
    host_function *made = rt_malloc(sizeof *made + size);
    memset(made, 0, sizeof *made);
    memcpy(made->name, name, size);
    made->number = function;
    rt_text usage = {NULL, 0, 0};
    rt_text_format(&usage, "(%s arguments ...)", name);
    made->function.name = made->name;
    made->function.usage = usage.bytes;
    made->function.entry = entry;
    made->function.parameters = 1;
    made->function.has_rest = true;
    return rt_new_closure(&made->function, 1, (rt_value[]){rt_new_foreign(&function_kind, made)});
}

/* ---- Tensors ------------------------------------------------------------- */

int rt_guest_load_tensors(void) {
    if (rt_code_tensors == NULL || !rt_world_needs_tensors()) {
        rt_clear_failure(&rt_waiting);
        return 0;
    }
    rt_code_tensors->start_polls();
    return 1;
}

uintptr_t rt_guest_handle(rt_value tensor) { return (uintptr_t)rt_tensor(tensor); }
rt_value rt_guest_of_handle(uintptr_t handle) { return rt_of_tensor((struct ct_tensor *)handle); }

/* ---- Failures ------------------------------------------------------------ */

static char *c_text(rt_text *text) { return rt_text_reserve(text, 0) ? text->bytes : NULL; }

/* Of a host's error: its number. */
static uint64_t cause_of(rt_value payload) {
    if (payload == 0 || !rt_is_condition(payload)) return 0;
    rt_value category = ((rt_condition *)rt_object_of(payload))->category;
    if (!rt_is_foreign(category) || rt_foreign_of(category)->kind != &cause_kind) return 0;
    return (uint64_t)(uintptr_t)rt_foreign_of(category)->thing;
}

static void describe(struct rt_guest_failure *taken, const rt_failure *failure) {
    rt_text text = {NULL, 0, 0}, message = {NULL, 0, 0}, hint = {NULL, 0, 0};
    rt_text_of_error(&text, failure);
    rt_text_of_failure(&message, failure);
    if (rt_text_of_hint(&hint, failure) && hint.size > 0) {
        taken->hint_size = hint.size;
        taken->hint = c_text(&hint);
    }
    taken->text_size = text.size;
    taken->message_size = message.size;
    taken->text = c_text(&text);
    taken->message = c_text(&message);
    if (failure->trace_count > 0) {
        const rt_location *location = failure->trace[0].location;
        rt_text file = {NULL, 0, 0};
        rt_text_string(&file, location->file);
        taken->file = c_text(&file);
        taken->line = location->line;
        taken->column = location->column;
    }
    bool is_raised = failure->payload != 0 && !rt_is_condition(failure->payload);
    if (is_raised) taken->payload = rt_dup(failure->payload);
    taken->cause = cause_of(failure->payload);
}

static void take_failure(struct rt_guest_failure *taken) {
    memset(taken, 0, sizeof *taken);
    rt_failure failure = rt_waiting;   /* showing it may fail */
    memset(&rt_waiting, 0, sizeof rt_waiting);
    taken->kind = (int)failure.kind;
    taken->status = failure.status;
    if (failure.kind == RT_MISTAKE) {
        describe(taken, &failure);
        rt_clear_failure(&rt_waiting);
    }
    free(rt_waiting.trace);
    rt_waiting = failure;
    if (failure.kind == RT_INTERRUPTED) rt_forget_interrupt_signal();
    taken->caught = rt_catch();
}

void rt_guest_free_failure(struct rt_guest_failure *freed) {
    free(freed->text);
    free(freed->message);
    free(freed->hint);
    free(freed->file);
}

/* ---- How the host fails -------------------------------------------------- */

rt_value rt_guest_fail(
    const char *message, size_t size, const char *hint, size_t hint_size, uint64_t cause
) {
    failed.how = MISTAKE;
    failed.cause = cause;
    failed.has_hint = hint != NULL;
    failed.message = failed.hint = (rt_text){NULL, 0, 0};
    rt_text_add(&failed.message, message, size);
    if (hint != NULL) rt_text_add(&failed.hint, hint, hint_size);
    return RT_ERROR;
}

static rt_text copied_text(const rt_text *text) {
    rt_text copy = {NULL, 0, 0};
    if (text->bytes != NULL) rt_text_add(&copy, text->bytes, text->size);
    return copy;
}

static rt_failure copied(const rt_failure *failure) {
    rt_failure copy = *failure;
    copy.message = copied_text(&failure->message);
    copy.hint = copied_text(&failure->hint);
    copy.module = copied_text(&failure->module);
    if (failure->payload != 0) rt_dup(failure->payload);
    copy.trace = NULL;
    copy.trace_room = failure->trace_count;
    if (failure->trace_count > 0) {
        size_t size = failure->trace_count * sizeof *copy.trace;
        copy.trace = memcpy(rt_malloc(size), failure->trace, size);
    }
    return copy;
}

rt_value rt_guest_rethrow(rt_value *caught) {
    rt_failure waiting = rt_waiting;
    memset(&rt_waiting, 0, sizeof rt_waiting);
    rt_rethrow(*caught);
    failed.how = AGAIN;
    failed.failure = copied(&rt_waiting);
    rt_free(*caught);
    *caught = rt_catch();
    free(rt_waiting.trace);
    rt_waiting = waiting;
    return RT_ERROR;
}

rt_value rt_guest_leave(int status) {
    failed.how = LEAVE;
    failed.status = status;
    return RT_ERROR;
}

rt_value rt_guest_stop(void) {
    failed.how = STOP;
    return RT_ERROR;
}
