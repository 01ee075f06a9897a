/* typed.h - arguments of the typed entry points of operators: numbers and lists without boxes.
 *
 * The functions are generated from the schemas in lang/primitives/typed.py when the library is
 * built (typed_source.py).  From `mean.dim(Tensor self, int[1]? dim, bool keepdim=False, ...)`:
 *
 *     int ct_aten_mean_dim(ct_tensor *self, ct_ints dim, bool keepdim, ct_tensor **result);
 *
 * Generated programs declare those that they call.  Arguments are borrowed.  NULL, ct_none() or a
 * list whose items are NULL leave an optional argument out.
 */
#ifndef CTORCH_TYPED_H
#define CTORCH_TYPED_H

#include "ctorch.h"

/* CT_INT, CT_FLOAT, or CT_NONE where none is given. */
typedef struct ct_number {
    union {
        int64_t i;
        double f;
    } as;
    ct_kind kind;
} ct_number;

static inline ct_number ct_none(void)
{
    ct_number number;
    number.kind = CT_NONE;
    number.as.i = 0;
    return number;
}

static inline ct_number ct_int(int64_t i)
{
    ct_number number;
    number.kind = CT_INT;
    number.as.i = i;
    return number;
}

static inline ct_number ct_float(double f)
{
    ct_number number;
    number.kind = CT_FLOAT;
    number.as.f = f;
    return number;
}

typedef struct ct_ints {
    size_t count;
    const int64_t *items;
} ct_ints;

#ifdef __cplusplus
extern "C" {
#endif

/* a + b, a * b, a - b and a / b, as ct_arithmetic computes them. */
int ct_number_plus(ct_number a, ct_tensor *b, ct_tensor **result);
int ct_number_times(ct_number a, ct_tensor *b, ct_tensor **result);
int ct_number_minus(ct_number a, ct_tensor *b, ct_tensor **result);
int ct_number_over(ct_number a, ct_tensor *b, ct_tensor **result);

#ifdef __cplusplus
}
#endif

#endif
