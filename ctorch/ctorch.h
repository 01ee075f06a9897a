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

/* cffi: begin */

typedef struct ct_tensor ct_tensor;

/* A Lisp value on its way to or from LibTorch.  As an argument everything in it is borrowed; as a
 * result it is owned, and ct_value_clear releases it. */
typedef enum {
    CT_NONE,     /* #f or '() where a schema has an optional argument; an undefined tensor */
    CT_INT,      /* i */
    CT_FLOAT,    /* f */
    CT_BOOL,     /* i, 0 or 1 */
    CT_TENSOR,   /* tensor */
    CT_STRING,   /* text, UTF-8 */
    CT_SYMBOL,   /* text: a dtype such as float32, a mode, a memory format */
    CT_KEYWORD,  /* text, without the colon: names the argument that follows */
    CT_LIST,     /* items, count of them: a list or a vector */
    CT_OTHER     /* text: how messages show a value that no operator takes */
} ct_kind;

typedef struct ct_value {
    ct_kind kind;
    size_t count;
    int64_t i;
    double f;
    ct_tensor *tensor;
    const char *text;
    struct ct_value *items;
} ct_value;

/* All the overloads of one operator.  Lives as long as the process. */
typedef struct ct_op ct_op;

/* The message of the last failure in this thread, and its hint, NULL if there is none.  A hint may
 * hold {0}, {1} ... where the source text of an argument belongs.  Borrowed; valid until the next
 * failure. */
const char *ct_last_error(void);
const char *ct_last_hint(void);

/* Another reference to the same handle, owned.  NULL gives NULL. */
ct_tensor *ct_clone(ct_tensor *x);
/* Give a reference back.  NULL is allowed. */
void ct_free(ct_tensor *x);
/* Release what a result holds. */
void ct_value_clear(ct_value *value);

/* Operators, through the library's schemas.  name is ATen's, without "aten::": "softmax", "add_". */
int ct_op_find(const char *name, ct_op **op);
int ct_op_call(ct_op *op, size_t count, const ct_value *arguments, ct_value *result);

/* cffi: end */

#ifdef __cplusplus
}
#endif
#endif
