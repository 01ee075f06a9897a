/* ctorch.h - the C face of LibTorch.  Plain C99; the text between the two markers is also what
 * cffi reads.
 *
 * A ct_tensor is one counted reference to a tensor.  "Owned" results belong to the receiver, who
 * frees them with ct_free; arguments are borrowed.  A function that can fail returns an int
 * status, 0 for success, and writes its result through its last parameter, which it leaves alone
 * when it fails; ct_last_error then says why, in one line without a C++ trace, and without the
 * name of the operation, which the caller puts before it.  No C++ exception leaves this library.
 * Handles are counted without locks: one thread at a time.
 */
#ifndef CTORCH_H
#define CTORCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The count of a handle, a uint32_t, is so many bytes after its beginning.  Compiled programs count
 * there without a call, except the last reference, which they give to ct_free.  A count that has come
 * to CT_IMMORTAL never changes again. */
#define CT_COUNT_AT 4
#define CT_IMMORTAL 0x80000000u

/* cffi: begin */

typedef struct ct_tensor ct_tensor;
/* One counted reference to an object of LibTorch's that is not a tensor, such as a module. */
typedef struct ct_object ct_object;

/* A Lisp value on its way to or from LibTorch.  As an argument everything in it is borrowed; as a
 * result it is owned, and ct_value_clear releases it.
 *
 * Arguments: #f is CT_BOOL 0 and '() an empty CT_LIST.  Both leave an optional argument out, except
 * that '() is a value where a list is expected, and #f where a boolean is.  Results: CT_NONE is an
 * absent value or an undefined tensor, #f in Lisp. */
typedef enum {
    CT_NONE,     /* nothing */
    CT_INT,      /* i */
    CT_FLOAT,    /* f; rationals come as this, too */
    CT_BOOL,     /* i, 0 or 1 */
    CT_TENSOR,   /* tensor */
    CT_STRING,   /* text, UTF-8 */
    CT_SYMBOL,   /* text: a dtype such as float32, a mode, a memory format */
    CT_KEYWORD,  /* text, without the colon: names the argument that follows */
    CT_LIST,     /* items, count of them: a list or a vector */
    CT_OTHER,    /* text: how messages show a value that no operator takes */
    CT_TABLE,    /* items, count of them: each key of a hash table before its value */
    CT_OBJECT,   /* object */
    CT_UNSPECIFIED, /* the result of an operator that returns none */
    CT_BIG       /* an integer beyond int64: text, its digits, and f, the nearest double */
} ct_kind;

typedef struct ct_value {
    ct_kind kind;
    size_t count;
    int64_t i;
    double f;
    ct_tensor *tensor;
    const char *text;
    struct ct_value *items;
    ct_object *object;
} ct_value;

/* The message of the last failure in this thread, and its hint, NULL if there is none.  A hint may
 * hold {0}, {1} ... where the source text of an argument belongs.  Borrowed; valid until the next
 * failure. */
const char *ct_last_error(void);
const char *ct_last_hint(void);

/* Handles. */

/* Another reference to the same handle, owned.  NULL for NULL. */
ct_tensor *ct_clone(ct_tensor *x);
/* Release a reference.  NULL is allowed. */
void ct_free(ct_tensor *x);
/* Whether there are other references to the handle. */
bool ct_is_shared(ct_tensor *x);
/* The same for objects. */
ct_object *ct_object_clone(ct_object *x);
void ct_object_free(ct_object *x);
/* How it prints: "#<module Net>".  Borrowed; valid as long as the object. */
const char *ct_object_text(ct_object *x);
/* Release what a result holds. */
void ct_value_clear(ct_value *value);
/* Free a text that a function returned as an owned result.  NULL is allowed. */
void ct_free_text(char *text);

/* Creating tensors. */

/* A tensor of a number, a boolean, a tensor (which is copied), or nested lists of them.  Floats
 * become float32, integers int64, booleans bool, mixed ones the larger; if there are tensors, their
 * dtypes decide.  dtype may be NULL; so may device, for that of the tensors or the default one. */
int ct_make(const ct_value *data, const char *dtype, const char *device, bool requires_grad,
            ct_tensor **result);
/* A bracket literal of that shape, count elements in row-major order: numbers and booleans, or
 * tensors of one shape, which are stacked, and record gradients. */
int ct_literal(size_t rank, const int64_t *sizes, size_t count, const ct_value *elements,
               ct_tensor **result);

/* Reading tensors. */

int64_t ct_rank(ct_tensor *x);
/* The size of a dimension from 0 up to the rank, which is not checked. */
int64_t ct_size(ct_tensor *x, int64_t dim);
int64_t ct_count(ct_tensor *x);
/* "float32", "cpu": borrowed, never freed. */
const char *ct_dtype(ct_tensor *x);
const char *ct_device(ct_tensor *x);
/* The element of a tensor that has just one: CT_INT, CT_BIG, CT_FLOAT or CT_BOOL. */
int ct_item(ct_tensor *x, ct_value *result);
/* Nested CT_LISTs of numbers or booleans; of a 0-d tensor its element. */
int ct_to_list(ct_tensor *x, ct_value *result);
/* Its truth value in a test: of a bool tensor of one element its value, of all others true. */
int ct_truth(ct_tensor *x, bool *result);
/* Same dtype, shape and elements. */
int ct_equal(ct_tensor *a, ct_tensor *b, bool *result);

typedef enum {
    CT_DISPLAY,  /* floats with 4 decimals, large tensors cut */
    CT_WRITE,    /* every element, with all the digits that its dtype needs */
    CT_REPL      /* as CT_DISPLAY, a matrix by rows, then a line with dtype and shape */
} ct_text_mode;

/* The tensor as text, owned. */
int ct_to_text(ct_tensor *x, ct_text_mode mode, char **result);
/* "a tensor float32 (2 3)", owned: how messages name it. */
int ct_describe(ct_tensor *x, char **result);

/* Elements, slices and conversions. */

/* Each target is a dtype such as "float64" or "f64", a device such as "cpu", or a tensor that has
 * both; keywords: dtype, device, copy, non-blocking.  The same handle if x is like that already. */
int ct_to(ct_tensor *x, size_t count, const ct_value *targets, ct_tensor **result);
/* The same elements in new storage; gradients flow through. */
int ct_copy(ct_tensor *x, ct_tensor **result);
/* Every step-th element along the dimension, from start to before end; NULL is the size.  Negative
 * indices count from the end. */
int ct_slice(ct_tensor *x, int64_t dim, int64_t start, const int64_t *end, int64_t step,
             ct_tensor **result);
/* The elements at the indices, one for each of the first dimensions: an integer, :all (a
 * CT_KEYWORD or CT_SYMBOL), a list of integers, or a tensor of integers or booleans.  :ellipsis
 * stands for as many :all as are missing, :new-axis adds a dimension of size 1. */
int ct_ref(ct_tensor *x, size_t count, const ct_value *indices, ct_tensor **result);
/* Replace those elements by a number, a tensor, or nested lists. */
int ct_set(ct_tensor *x, size_t count, const ct_value *indices, const ct_value *value);

/* Generic arithmetic: at least one of the operands is a tensor, the other a number or a tensor. */

/* name is the Lisp procedure's: + - * / max min expt quotient remainder modulo abs square exp log
 * sqrt sin cos tan tanh atan floor ceiling truncate round.  A single operand of - or / is negated
 * or inverted; log may have a base, atan two operands. */
int ct_arithmetic(const char *name, size_t count, const ct_value *operands, ct_tensor **result);

typedef enum { CT_EQ, CT_LT, CT_GT, CT_LE, CT_GE } ct_comparison;

/* Compare as numbers; tensors of several elements are an error. */
int ct_compare(ct_comparison comparison, const ct_value *a, const ct_value *b, bool *result);

/* Operators, through the library's schemas. */

/* All overloads of one operator.  It lives as long as the process. */
typedef struct ct_op ct_op;

/* name is ATen's, without "aten::": "softmax", "add_".  The error names the Lisp operator. */
int ct_op_find(const char *name, ct_op **op);
/* Keywords may stand among the arguments, each before its value.  Several results are a CT_LIST.
 * An operator that returns one of its arguments returns the same handle. */
int ct_op_call(ct_op *op, size_t count, const ct_value *arguments, ct_value *result);
/* The same for a caller that frees the first argument, a tensor, right afterwards, whether the call
 * fails or not.  The result may be stored in its memory, and then has its handle. */
int ct_op_call_reusing(ct_op *op, size_t count, const ct_value *arguments, ct_value *result);
/* What ct_op_call does before the call: choose the overload, convert the arguments.  The overload's
 * name, which may be empty, is borrowed and valid for ever. */
int ct_op_bind(ct_op *op, size_t count, const ct_value *arguments, const char **overload);
/* The usages of its overloads, one a line: "(tensor-relu self)".  Borrowed, valid for ever. */
const char *ct_op_usage(ct_op *op);
/* The Lisp names of all operators, sorted, one a line.  Borrowed, valid for ever. */
const char *ct_op_names(void);
/* All schemas, one a line, each followed by a tab, and by the reason why no program can call it;
 * nothing if one can.  Borrowed, valid for ever. */
const char *ct_op_schemas(void);
/* The same for the schemas that only TorchScript registers. */
const char *ct_script_schemas(void);
/* The usages of Lambent's own overloads (overloads.h), one a line, in the order of their names. */
const char *ct_overload_usages(void);
/* typed.h has the typed entry points of operators, without boxes, for compiled programs. */

/* The library's own procedures, by their Lisp names: files/procedures.cpp lists them.  Most
 * arguments are values of any kind, which the procedure checks.  CT_RAISED: see ct_set_poll. */
int ct_procedure(const char *name, size_t count, const ct_value *arguments, ct_value *result);
/* Let procedures that take long poll: while *waits is not 0 they call poll, in the thread that has
 * called them, as often as every few microseconds.  If it returns a status that is not 0, the
 * procedure ends with CT_RAISED, and the caller keeps the error. */
typedef int (*ct_poll)(void);
void ct_set_poll(const volatile int *waits, ct_poll poll);
/* Whether its last failure in this thread was that a file cannot be opened, read or written. */
bool ct_failed_at_file(void);

/* Memory shared with other libraries, through DLPack's structs.  The receiver of a struct calls its
 * deleter once.  A tensor that requires grad is not shared. */

struct DLManagedTensor;
struct DLManagedTensorVersioned;

/* Owned: ct_dlpack_free, or a receiver in another library, ends it. */
int ct_to_dlpack(ct_tensor *x, struct DLManagedTensor **result);
int ct_to_dlpack_versioned(ct_tensor *x, struct DLManagedTensorVersioned **result);
/* A tensor on the memory of the struct, which it owns then, unless it fails.  Read-only memory is
 * copied. */
int ct_from_dlpack(struct DLManagedTensor *given, ct_tensor **result);
int ct_from_dlpack_versioned(struct DLManagedTensorVersioned *given, ct_tensor **result);
void ct_dlpack_free(struct DLManagedTensor *given);
void ct_dlpack_versioned_free(struct DLManagedTensorVersioned *given);

/* Autograd. */

/* Record what is computed from x, or stop recording. */
int ct_requires_grad(ct_tensor *x, bool on);
/* Whether what is computed from x is recorded; whether x is not the result of such a computation. */
bool ct_is_recorded(ct_tensor *x);
bool ct_is_leaf(ct_tensor *x);
/* Let backward leave a gradient also in x, which is not a leaf. */
int ct_retain_grad(ct_tensor *x);
/* What the functions that compute gradients return when a ct_closure has failed, and ct_procedure
 * when a ct_poll has: the caller keeps the error, and ct_last_error does not have it. */
#define CT_RAISED 2
/* Add the gradients of loss to the leaves that it was computed from.  gradient weighs its elements;
 * NULL only if it has just one. */
int ct_backward(ct_tensor *loss, ct_tensor *gradient, bool retain_graph, bool create_graph);
/* Exchange for a moment the gradients that ct_backward has left with other processes.  Call it after
 * ct_backward until it has ended, and poll for Ctrl-C in between. */
int ct_exchange_gradients(bool *ended);
/* The gradient that backward has left, or NULL. */
int ct_grad(ct_tensor *x, ct_tensor **result);
void ct_zero_grad(ct_tensor *x);
/* The same elements as a view that is not connected to the graph. */
int ct_detach(ct_tensor *x, ct_tensor **result);
/* A request for the gradients of several ys in several xs.  weights is NULL, or weighs the
 * elements of each y as ct_backward's gradient does. */
typedef struct ct_gradient_query {
    size_t y_count;
    ct_tensor *const *ys;
    ct_tensor *const *weights;
    size_t x_count;
    ct_tensor *const *xs;
    bool retain_graph, create_graph;
    bool allow_unused;         /* NULL for an x that no y was computed from, instead of an error */
} ct_gradient_query;
/* The sum of the gradients of the ys in each of the xs; results is an array of x_count. */
int ct_gradients(const ct_gradient_query *query, ct_tensor **results);
/* Whether the ys were computed from leaves that require grad, other than the xs. */
int ct_needs_others(const ct_gradient_query *query, bool *result);

/* The arguments and results of the gradient procedure of a computation.  Everything is borrowed,
 * but the library takes over the gradients that the procedure writes into input_gradients, one
 * for each input, NULL for none. */
typedef struct ct_pullback {
    size_t result_count;
    ct_tensor *const *gradients; /* of the loss in each result */
    ct_tensor *const *results;   /* of the computation */
    size_t input_count;
    ct_tensor *const *inputs;
    ct_tensor **input_gradients;
} ct_pullback;
/* A procedure of the caller's.  It is called in the thread that computes the gradients; a status
 * that is not 0 ends that with CT_RAISED.  release is called once, when nothing needs it any
 * more. */
typedef struct ct_closure {
    void *data;
    int (*call)(void *data, const ct_pullback *pullback);
    void (*release)(void *data);
} ct_closure;
/* The results of a computation that was not recorded, as tensors whose gradients the procedure
 * computes; recorded is an array of result_count.  The closure is moved in even if this fails. */
int ct_custom_gradient(size_t input_count, ct_tensor *const *inputs, size_t result_count,
                       ct_tensor *const *results, ct_closure closure, ct_tensor **recorded);
/* Make a gradient with nan an error, which names the operation. */
void ct_detect_anomaly(bool on);
/* Whether computations are recorded now. */
bool ct_grad_mode(void);
/* Switch recording on or off; returns the mode before. */
bool ct_set_grad_mode(bool on);

/* The library's state. */

/* The device of new tensors, "cpu" at first.  Borrowed, never freed. */
const char *ct_default_device(void);
int ct_set_default_device(const char *name);
bool ct_cuda_available(void);
int ct_manual_seed(int64_t seed);
int ct_set_num_threads(int64_t count);
/* LibTorch prints warnings with dates and C++ names on stderr, where only errors belong.  Silence
 * those of the calling thread; those of the thread that loads this library are silenced already. */
void ct_silence_warnings(void);

/* Memory. */

/* Handles that are alive; bytes of tensor storage in use on the CPU, now and at most so far. */
int64_t ct_live_handles(void);
int64_t ct_live_bytes(void);
int64_t ct_peak_bytes(void);
/* Call `reached` when more bytes than the limit are in use: once, in the thread that allocates, and
 * under a lock, so it must not use tensors.  A later call replaces both. */
typedef void (*ct_notice)(void);
void ct_watch_live_bytes(int64_t limit, ct_notice reached);
/* Bytes of cached free blocks; how many blocks were allocated so far, and how many bytes. */
int64_t ct_cached_bytes(void);
int64_t ct_allocations(void);
int64_t ct_allocated_bytes(void);
/* Reset the peak to what is in use. */
void ct_reset_peak(void);
/* The peak since the last call.  It is reset to what is in use if `least` is negative, and
 * raised to `least` otherwise. */
int64_t ct_exchange_window(int64_t least);
/* Set the most bytes of free blocks that are cached; returns the old limit.  If more are cached,
 * all are released. */
int64_t ct_set_cache_limit(int64_t bytes);
/* Release all cached blocks to the system; returns how many bytes they had. */
int64_t ct_release_cache(void);
/* Set the most bytes that tensors may hold, no limit if negative; returns the old limit. */
int64_t ct_set_memory_limit(int64_t bytes);

/* Reports on a run. */

/* A source location: text is the whole line.  Borrowed, never freed. */
typedef struct ct_location {
    const char *file;
    int line, column;
    const char *text;
} ct_location;
/* Finds the program's current location; false if there is none.  Called in the thread that asks for
 * reports, during operations; it must not run any. */
typedef bool (*ct_where)(ct_location *location);

/* Start to record where memory is at its peak, to write operators to the file `profile` in Chrome's
 * trace format, or both; NULL for no file. */
int ct_start_reports(ct_where where, bool memory, const char *profile);
/* Finish that file, and write the text of the reports to `text`, owned. */
int ct_finish_reports(char **text);

/* cffi: end */

#ifdef __cplusplus
}
#endif
#endif
