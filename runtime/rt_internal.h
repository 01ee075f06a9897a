/* rt_internal.h - what the runtime's files share with each other only. */
#ifndef RT_INTERNAL_H
#define RT_INTERNAL_H

#include <math.h>
#include <stdarg.h>

#include "numbers/gmp_abi.h"
#include "rt.h"

#ifdef __GNUC__
#pragma GCC visibility push(hidden)
#endif

/* The function does not become a part of its caller, which would then save more registers. */
#ifdef __GNUC__
#define RT_APART __attribute__((noinline))
#else
#define RT_APART
#endif

/* Memory. */
/* These do not fail.  Where memory runs out, the program fails at its next poll. */
void *rt_realloc(void *block, size_t size);
/* For more than RT_LARGE bytes, these return NULL where there is no memory; they record no
 * error. */
#define RT_LARGE ((size_t)1 << 16)
void *rt_try_malloc(size_t size);
void *rt_try_realloc(void *block, size_t size);
void *rt_try_allocate(rt_kind kind, size_t size);
/* GMP cannot fail in the middle.  This is its temporary memory, in sizes of the result. */
#define ROOM_TO_MULTIPLY 8
/* Whether that many bytes, or pairs, could be allocated now: tested before an operation that cannot
 * fail in the middle. */
bool rt_has_memory(size_t size);
bool rt_has_pairs(size_t count);
void rt_give_back_regions(void);                 /* those that hold only free blocks */
void rt_restock(void);                           /* fill the reserve */
void rt_note_shortage(void);                     /* the next poll fails */
void rt_forget_shortage(void);
/* Room for one more element at the end of a growing array. */
#define RT_FIRST_ROOM 16
#define RT_GROW(array, count, room)                                       \
    do {                                                                  \
        if ((count) == (room)) {                                          \
            (room) = (room) ? 2 * (room) : RT_FIRST_ROOM;                 \
            (array) = rt_realloc((array), (room) * sizeof *(array));      \
        }                                                                 \
    } while (0)
/* How many bytes the process may still allocate, and how many its own limits allow. */
size_t rt_available_memory(void);
/* End the process with one line if the C library or the processor is too old for the program. */
void rt_check_machine(void);
size_t rt_process_limit(void);

/* How many bytes a stack for recursion should have: a share of what the machine, its control group
 * and the limits of the process leave. */
size_t rt_stack_size(void);
void rt_start_memory(void);                      /* called once, before anything is allocated */
rt_value rt_make_immortal(rt_value v);           /* of count 1; it no longer counts as live */
extern bool rt_plain_malloc;                     /* LAMBENT_ALLOC=malloc: no free lists */
void rt_release_constants(void);                 /* what programs have stored in constants */
rt_value *rt_values_in(rt_object *object, size_t *count);   /* those that it owns */
void rt_finish_object(rt_object *object);        /* release all but these values, and the memory */

/* Cycles: memory/collect.c.  `block` has the size in words, and two flags. */
#define RT_BLOCK_WORDS 0x3fu
#define RT_VISITED 0x40u                         /* only while the collector works */
/* Before an object from malloc: its number among the candidates, counted from 1, or 0. */
static inline size_t *rt_candidate_number(rt_object *object) {
    return (size_t *)(void *)object - 1;
}
void rt_note_large(size_t size);                  /* of an object from malloc */
void rt_start_collector(void);                   /* called once, after rt_start_memory */
void rt_await_tensors(void);                     /* be told when they have grown from here on */
void rt_forget_candidate(rt_object *object);     /* from malloc, and dying */
void rt_forget_free_candidates(void);
extern bool rt_collects_always;                  /* at each poll, too: LAMBENT_COLLECT=1 */
void rt_note_tensors(void);                      /* they grew: the next poll collects; any thread */
void rt_collect_at_poll(bool tensors_grew);

/* A list of borrowed items. */
rt_value rt_copy_to_list(size_t count, const rt_value *items);

/* A list whose pairs nobody else holds, with the same elements; the list is moved in. */
rt_value rt_unshared_list(rt_value list);

/* Whether equal? may find another value equal to it. */
bool rt_equals_others(rt_value v);

/* Numbers.  Small ones have their limbs in the object, and their _mp_alloc is 0. */
typedef struct rt_integer_object { rt_object object; __mpz_struct number; mp_limb_t limbs[]; }
    rt_integer_object;
typedef struct rt_ratio_object { rt_object object; __mpq_struct number; mp_limb_t limbs[]; }
    rt_ratio_object;
#define RT_SMALL_LIMBS 8

static inline bool rt_is_exact_number(rt_value v) {
    return rt_is_fixnum(v) || rt_is_kind(v, RT_INTEGER) || rt_is_kind(v, RT_RATIO);
}
static inline bool rt_is_exact_int(rt_value v) {
    return rt_is_fixnum(v) || rt_is_kind(v, RT_INTEGER);
}
/* The number as an mpz or mpq to read, for as long as v lives; room holds what a fixnum needs. */
typedef struct rt_view { __mpq_struct ratio; mp_limb_t limbs[2]; } rt_view;
const __mpz_struct *rt_view_integer(rt_value v, rt_view *room);
const __mpq_struct *rt_view_ratio(rt_value v, rt_view *room);
/* A number with its own limbs becomes a value: the limbs are moved in.  A ratio is in lowest
 * terms. */
rt_value rt_take_integer(__mpz_struct *number);
rt_value rt_take_ratio(__mpq_struct *number);
/* What an operation of GMP computes from two integers, one of those whose result has at most as many
 * limbs as both together, and one more. */
typedef void rt_integer_operation(__mpz_struct *, const __mpz_struct *, const __mpz_struct *);
rt_value rt_compute_integer(rt_integer_operation *op, rt_value a, rt_value b);
uint64_t rt_divisor(int64_t a, int64_t b);   /* the greatest common one */
/* upper divided by lower, which is positive, in lowest terms. */
rt_value rt_small_ratio(int64_t upper, int64_t lower);
/* An exact number times a power of ten. */
rt_value rt_scale_exact(rt_value number, long power);
void rt_clear_number(rt_object *object);
double rt_integer_to_double(const __mpz_struct *number);
double rt_ratio_to_double(const __mpq_struct *number);
rt_value rt_double_to_exact(double number);      /* must be finite */
static inline double rt_number_to_double(rt_value v) {  /* of a number */
    double result = 0;
    rt_to_double(v, &result);
    return result;
}
/* -1, 0, 1, or RT_UNORDERED if one is a nan.  Both are numbers. */
#define RT_UNORDERED 2
int rt_order(rt_value a, rt_value b);
bool rt_is_odd_integer(rt_value v);
uint64_t rt_bit_length(const __mpz_struct *number);   /* 0 of 0 */
/* Whether a number of that many bits, raised to the power, fits in memory. */
bool rt_power_fits(uint64_t bits, uint64_t exponent);
/* Whether the reader treats the text as a number, also if it then rejects it, as 1/0 and 1+2i. */
bool rt_reads_as_number(const char *text, size_t size);
bool rt_has_zero_denominator(const char *text, size_t size);
bool rt_is_complex_text(const char *text, size_t size);
void rt_text_exact(rt_text *text, rt_value v, int radix);
void rt_text_double(rt_text *text, double number);

/* Strings and symbols. */
rt_value rt_new_string(size_t length, int width);    /* its characters not set */
bool rt_are_ascii(const char *bytes, size_t size);
bool rt_same_bytes(const unsigned char *a, const unsigned char *b, size_t size);
bool rt_same_string(const rt_string_object *a, const rt_string_object *b);
int rt_string_order(rt_value a, rt_value b);   /* -1, 0 or 1, by code points; both are strings */
rt_value rt_string_of_text(rt_text *text);           /* the text is freed */
void rt_text_lisp_string(rt_text *text, rt_value string);
/* A list under construction: its items are moved in.  Adding is false after an error, also RT_ERROR
 * for an item; the list is freed then, or RT_ERROR for want of memory. */
typedef struct rt_pieces { rt_value *items; size_t count, room; } rt_pieces;
bool rt_add_piece(rt_pieces *list, rt_value piece);
rt_value rt_list_of_pieces(rt_pieces *list, bool ok);
/* Decode one character of UTF-8 and step over it.  A byte that is not UTF-8 becomes one of U+DC80
 * to U+DCFF, as in Python, and rt_text_char writes that byte again. */
uint32_t rt_utf8_next(const char **at, const char *end);
/* Step over one character; false if the bytes are not UTF-8. */
bool rt_utf8_is_next(const char **at, const char *end);

RT_COLD bool rt_text_lose(rt_text *text);   /* for lack of memory; always false */
/* A new C string for a text, malloc'ed, and whether a C string represents a text. */
char *rt_c_string(const char *bytes, size_t size);
bool rt_is_c_string_of(const char *string, const char *bytes, size_t size);
void rt_text_vformat(rt_text *text, const char *format, va_list arguments);
/* Whether a symbol has a name, which is a C string without a NUL. */
bool rt_is_named(rt_value symbol, const char *name);
/* A library, from the bundle beside the program or installed; NULL if it is not available. */
void *rt_open_library(const char *name);
void rt_text_symbol(rt_text *text, rt_value symbol);   /* its name, as display prints it */

/* Characters: their properties and their other cases. */
bool rt_is_alphabetic(uint32_t code);
bool rt_is_upper(uint32_t code);
bool rt_is_lower(uint32_t code);
bool rt_is_white(uint32_t code);
int rt_decimal_value(uint32_t code);                 /* of a digit in any script, or -1 */
bool rt_is_cased(uint32_t code);
bool rt_is_case_ignorable(uint32_t code);
uint32_t rt_upcase(uint32_t code);
uint32_t rt_downcase(uint32_t code);
uint32_t rt_foldcase(uint32_t code);
/* The same where one character may become several; returns their number. */
#define RT_LONGEST_EXPANSION 3
int rt_upcase_fully(uint32_t code, uint32_t *to);
int rt_downcase_fully(uint32_t code, uint32_t *to);
int rt_foldcase_fully(uint32_t code, uint32_t *to);

/* Printing.  rt_show_as appends what `display`, `write`, `write-shared` and `write-simple`
 * print. */
typedef enum { RT_DISPLAY, RT_WRITE, RT_SHARED, RT_SIMPLE } rt_style;
int rt_show_as(rt_text *text, rt_value v, rt_style style);
/* Whether a value is printed with other values in it, and those values; 0 of them for pairs. */
bool rt_has_printed_elements(rt_value v);
size_t rt_printed_count(rt_value v);
rt_value rt_printed_element(rt_value v, size_t index);
/* The labels for printing a value that has elements; NULL if it needs none. */
typedef struct rt_labels rt_labels;
rt_labels *rt_find_labels(rt_value root, bool shared);
void rt_free_labels(rt_labels *labels);
bool rt_has_label(const rt_labels *labels, rt_value v);
/* Print the label of a value that has elements, if it has a label; false if nothing else is to be
 * printed. */
bool rt_print_label(rt_labels *labels, rt_text *text, rt_value v);

/* Hash tables: the values that one owns, and how many of them are still to be released. */
rt_value *rt_table_items(rt_object *table, size_t *count);
void rt_set_table_items(rt_object *table, size_t count);
void rt_clear_table(rt_object *table);
size_t rt_table_size(rt_value table);
/* The key and the value of an entry, borrowed; index does not count deleted entries. */
const rt_value *rt_table_entry(rt_value table, size_t index);

/* Records. */
int rt_show_module(rt_text *text, rt_value module);  /* a summary: ports/module_text.c */
rt_value rt_record_type_name(rt_value type);         /* a symbol, borrowed */

/* Ports. */
void rt_release_port(rt_object *port);
int rt_flush_standard_output(void);
void rt_flush_ports(void);        /* that, and every file that is open for writing */
void rt_release_current_ports(void);             /* at the program's end */
bool rt_output_is_lost(void);
void rt_end_status(void);         /* the status line, if one is shown, becomes an ordinary line */

/* Errors. */
/* The index in k, which must be below limit; length is what the message says. */
bool rt_index_of(const char *who, rt_value k, size_t limit, size_t length, size_t *index);
/* The number of elements for a new object; false after an error. */
bool rt_size_of(const char *who, rt_value k, size_t *size);
/* The range of two optional arguments; an end of #f means the length; false after an error. */
bool rt_range_of(
    const char *who, rt_value start, rt_value end, size_t length, size_t *from, size_t *to
);
typedef enum { RT_NOTHING, RT_MISTAKE, RT_ESCAPE, RT_LEAVING, RT_INTERRUPTED } rt_error_kind;

/* count successive frames with the same location: traces of deep recursion take no memory. */
typedef struct rt_run { const rt_location *location; size_t count; } rt_run;

/* Why frames are being left.  A mistake has a message, or a payload if a program raised it; it has
 * both after a handler has asked for its error object. */
typedef struct rt_failure {
    rt_error_kind kind;
    rt_text message, hint;    /* bytes is NULL where there is none */
    rt_text module;           /* `layers.0.up`: the path of the module that failed, as far as known */
    rt_value module_type;     /* the name of its type, an immortal symbol; 0 if there is none */
    bool module_complete;     /* the outermost module has been left */
    bool at_module;           /* a module's call has just been left: it is never a tail call */
    rt_error_category category;
    rt_value payload;         /* the raised object, or the results of an escape; or 0 */
    rt_value target;          /* of an escape: the continuation, borrowed from its call/cc */
    rt_run *trace;            /* innermost first */
    size_t trace_count, trace_room;
    bool without_trace;       /* only the innermost location counts */
    bool without_location;    /* that does not count, either */
    bool signalled;           /* its handlers have been called */
    bool has_location;        /* a frame has recorded one, perhaps in the library */
    bool at_caller;           /* a procedure of the library has failed: its tail call has no location */
    int status;               /* of RT_LEAVING */
} rt_failure;

extern rt_failure rt_waiting;                        /* its kind is RT_NOTHING if there is none */
rt_value rt_note(rt_error_kind kind);                /* discards the previous one */
void rt_clear_failure(rt_failure *failure);
rt_value rt_fail_leaving(int status);
/* The message and the hint, or NULL, are moved in: their texts may hold a NUL. */
rt_value rt_fail_text(rt_text *message, rt_text *hint);
/* The next Ctrl-C is the first one.  Returns true. */
bool rt_forget_interrupt_signal(void);
bool rt_is_interrupted(void);   /* a Ctrl-C that no poll has noticed */
void rt_interrupt(void);        /* the next poll finds a Ctrl-C; any thread may call this */
extern volatile int rt_is_ending;   /* the next poll ends the process */
extern bool rt_is_guest;        /* the process is another program's, which polls do not end */
/* The next poll calls rt_at_pause, once; any thread may ask for it. */
void rt_ask_for_pause(void);
extern void (*rt_at_pause)(void);
/* The lowest address that the stack may use. */
void rt_set_stack_limit(uintptr_t limit);
uintptr_t rt_get_stack_limit(void);
rt_value rt_fail_interrupted(void);
/* The waiting error leaves a module: the name of its type, and its own, a string or #f. */
void rt_failed_in_module(rt_value type_name, rt_value name);
/* The recursion is too deep.  There is no trace, because the depth depends on the back end. */
rt_value rt_fail_depth(void);
/* `who: not enough memory for count noun` */
rt_value rt_fail_room(const char *who, size_t count, const char *noun);
void rt_text_of_failure(rt_text *text, const rt_failure *failure);   /* the message */
/* The source line of an error with carets under the location, each line after a line end. */
void rt_text_excerpt(rt_text *text, const rt_location *location);
/* The hint with the arguments in it; false if there is no hint, or no text of the arguments. */
bool rt_text_of_hint(rt_text *text, const rt_failure *failure);
/* The hint of a keyword that a function does not have; false, and nothing, if none is near. */
bool rt_say_near_keyword(rt_text *text, const rt_function *function, rt_value keyword);
/* The hint of `who: expected noun, got value`, or, with RT_CALLEE as the noun, of a call of what is
 * not a procedure; false, and nothing, if there is none. */
#define RT_CALLEE "not a procedure"
bool rt_say_type_hint(rt_text *text, const char *who, const char *noun, rt_value value);
void rt_render_error(rt_text *text);                 /* as lang/errors.py does */

/* Error objects, and failures as values. */
typedef struct rt_condition { rt_object object; rt_value message, irritants, hint, category; }
    rt_condition;
void rt_text_condition(rt_text *text, const rt_condition *condition);
void rt_clear_caught(rt_object *caught);

/* Parameters are closures of this function; their captures are the value and the converter. */
extern const rt_function rt_parameter_function;
/* Continuations are closures of this one.  It takes the results as one value; a call may have any
 * number of arguments. */
extern const rt_function rt_continuation_function;

/* The command line. */
extern int rt_argument_count;
extern char **rt_arguments;

/* Reports on a run.  are_ours: the program does not read its command line. */
bool rt_is_set(const char *name);                    /* an environment variable: yes */
void rt_read_report_options(int argc, char **argv, bool are_ours);
void rt_start_reports(void);
void rt_finish_reports(void);

#define RT_EXIT_RUNTIME 70
#define RT_EXIT_INTERRUPT 130

/* Type checks: fail unless the argument is what the primitive expects. */
#define RT_CHECK(test, who, noun, value)                                  \
    do {                                                                  \
        if (RT_UNLIKELY(!(test))) return rt_fail_wrong_type(who, noun, value); \
    } while (0)
#define RT_CHECK_STATUS(test, who, noun, value)                                      \
    do {                                                                             \
        if (RT_UNLIKELY(!(test))) return rt_status(rt_fail_wrong_type(who, noun, value)); \
    } while (0)

#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#endif
