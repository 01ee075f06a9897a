/* guest.h - the machine inside another program's process: what Python calls through cffi.
 *
 * lang/evaluator/embed/library.py reads the declarations from here.  Values are borrowed in and owned
 * out.  A function that returns a value returns 0 if it has failed; rt_guest_take_failure has the
 * failure.  One thread at a time runs Lisp, between rt_guest_enter and its end.
 */
#ifndef RT_EVALUATOR_GUEST_H
#define RT_EVALUATOR_GUEST_H

#include "world.h"

#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

/* BEGIN */
/* What a call of Lisp has come to, if it returns 0.  kind: as in runtime/rt_internal.h.  caught: the
 * failure itself, to go on with; owned, as are the other values, which may be 0.  payload: what was
 * raised, if that is not an error object.  cause: the number with which the host has failed, or 0.
 * Texts are NULL where there are none; rt_guest_free_failure frees them. */
struct rt_guest_failure {
    int kind, status, line, column;
    char *text, *message, *hint, *file;
    size_t text_size, message_size, hint_size;
    uint64_t cause;
    rt_value caught, payload;
};

/* The host's functions.  answer: says the answer to a question for code with rt_guest_answer.  call:
 * the value, owned, of a function of the host's; or 0, after one of the functions below that fail.
 * write: text for the standard output (1)
 * or error (2), while rt_guest_capture says so.  pause: a poll after rt_guest_ask_for_pause; whether
 * to stop what runs. */
struct rt_guest_host {
    void (*answer)(const char *question, size_t size);
    rt_value (*call)(uint64_t function, rt_value arguments);
    void (*write)(int file, const char *bytes, size_t size);
    int (*pause)(void);
};
void rt_guest_start(const struct rt_guest_host *host);
void rt_guest_answer(const char *bytes, size_t size);
void rt_guest_capture(int file, int on);
/* The lowest address that Lisp may use in this thread. */
uintptr_t rt_guest_stack(void);
/* Lisp runs on a thread with that stack, with the variables of a world. */
void rt_guest_enter(uintptr_t stack, struct rt_world *world);
/* The first of the jobs that run begins; the last one has ended. */
void rt_guest_begin(void);
void rt_guest_end(void);
/* In a child process: what ran in the parent does not go on here. */
void rt_guest_forked(void);
/* All output is written. */
void rt_guest_flush(void);
/* End what runs, as Ctrl-C does; any thread may call this.  insistent: clean-up, too. */
void rt_guest_interrupt(int insistent);
void rt_guest_ask_for_pause(void);
struct rt_world *rt_guest_new_world(void);
/* The host refers to a value, a tensor's handle, a world no more.  Any thread may call these. */
void rt_guest_drop(void *word);
void rt_guest_drop_handle(uintptr_t handle);
void rt_guest_drop_world(struct rt_world *dropped);
/* Free what has been dropped; called between two steps of Lisp. */
void rt_guest_free_dropped(void);
/* The next number of a function, or a cause, to which Lisp refers no more; 0 if there is none. */
uint64_t rt_guest_next_number(void);
size_t rt_guest_world_size(const struct rt_world *counted);   /* its variables */
/* The handlers that are in force, owned; and set them again. */
rt_value rt_guest_handlers(void);
void rt_guest_set_handlers(rt_value handlers);
/* Run code, which is copied.  has_positions: names change their meanings in it. */
rt_value rt_guest_run(
    const char *code, size_t size, int has_positions, struct rt_guest_failure *failure
);
/* The procedure is borrowed, the arguments are moved in. */
rt_value rt_guest_apply(
    rt_value procedure, size_t count, const rt_value *arguments, struct rt_guest_failure *failure
);
void rt_guest_free_failure(struct rt_guest_failure *failure);   /* its texts */
void rt_guest_define(const char *name, rt_value value);   /* the value is moved in */
rt_value rt_guest_dup(rt_value v);
void rt_guest_free(rt_value v);
size_t rt_guest_live_objects(void);

/* What a value is: see KINDS in library.py. */
int rt_guest_kind(rt_value v);
int64_t rt_guest_integer(rt_value v);
double rt_guest_double(rt_value v);
/* The text of a string, a symbol or a number, and else what write prints; free it. */
char *rt_guest_text(rt_value v, size_t *size);
char *rt_guest_digits(rt_value v, size_t *size);   /* of an exact number, in base 16 */
void rt_guest_free_text(char *text);
/* How many elements it has, those of a table are its keys and values in turn; -1 if it is an improper
 * or circular list. */
int64_t rt_guest_count(rt_value v);
/* These elements, borrowed. */
void rt_guest_elements(rt_value v, rt_value *elements);
const char *rt_guest_bytes(rt_value v);   /* of a bytevector */

rt_value rt_guest_of_integer(int64_t n);
rt_value rt_guest_of_double(double number);
rt_value rt_guest_of_char(uint32_t code);
rt_value rt_guest_of_bytes(const char *bytes, size_t size);
/* A string, symbol, keyword or number, as the kind says, of its text. */
rt_value rt_guest_of_text(int kind, const char *utf8, size_t size);
/* A list, a vector or a table, as the kind says; the elements are moved in.  0, without a failure, if
 * two keys of a table are equal: then rt_guest_repeated says which is the second one. */
rt_value rt_guest_of_elements(int kind, size_t count, const rt_value *elements);
size_t rt_guest_repeated(void);
rt_value rt_guest_constant(int which);   /* #f, #t, the unspecified value */
/* A procedure that calls a function of the host. */
rt_value rt_guest_procedure(uint64_t function, const char *name);

/* Tensors.  A handle is ctorch's. */
int rt_guest_load_tensors(void);         /* whether they are available */
uintptr_t rt_guest_handle(rt_value tensor);
rt_value rt_guest_of_handle(uintptr_t handle);

/* How a function of the host's fails; each returns 0. */
rt_value rt_guest_fail(
    const char *message, size_t size, const char *hint, size_t hint_size, uint64_t cause
);
rt_value rt_guest_rethrow(rt_value *caught);   /* replaced by an equal one, to go on with again */
rt_value rt_guest_leave(int status);
rt_value rt_guest_stop(void);                  /* as Ctrl-C does */
/* END */

#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#endif
