/* python.h - what the files of the Python extension share.  __init__.py describes its functions.
 *
 * Functions that create objects return a new reference, or NULL with a Python exception set.
 */
#ifndef CTORCH_PYTHON_H
#define CTORCH_PYTHON_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "ctorch.h"

/* The parameters of a function of the extension. */
#define ARGUMENTS PyObject *module, PyObject *const *args, Py_ssize_t count

/* Returns from the function unless it has `total` arguments, the first ones tensors. */
#define EXPECT(total, tensors) \
    do { \
        (void)module; \
        if (!py_expect(args, count, total, tensors)) return NULL; \
    } while (0)

#define FUNCTION(name) {#name, (PyCFunction)(void (*)(void))name, METH_FASTCALL, NULL}

/* The evaluator's classes and singletons, as passed to configure(). */
typedef struct {
    PyTypeObject *tensor, *pair, *vector, *string, *symbol, *keyword;
    PyTypeObject *foreign, *hash_table;  /* NULL if not passed to configure() */
    PyObject *true_value, *false_value, *nil, *unspecified, *shown, *refuse_repeats, *make_table, *intern,
        *enter_python;
    PyObject *drop;  /* NULL: a tensor's handle is freed with it; else this gets the handle's address */
} py_values;

extern py_values py_lisp;

typedef struct {
    PyObject_HEAD
    ct_tensor *handle;
} py_tensor;

typedef struct {
    PyObject_HEAD
    ct_object *object;
} py_foreign;

static inline bool py_is_tensor(PyObject *x) { return Py_TYPE(x) == py_lisp.tensor; }
static inline ct_tensor *py_handle(PyObject *x) { return ((py_tensor *)x)->handle; }

/* Whether it is one of the evaluator's numbers: an int, a float, or a rational. */
bool py_is_number(PyObject *x);

/* A Python object for an owned handle, which it takes over; None for NULL. */
PyObject *py_of_handle(ct_tensor *handle);

/* A Lisp value for LibTorch.  It borrows from x: release it while x lives.  0, or -1 and a Python
 * exception. */
int py_to_value(PyObject *x, ct_value *value);
void py_release(ct_value *value);
/* The same for an array. */
int py_to_values(PyObject *const *items, Py_ssize_t count, ct_value *values);
void py_release_all(ct_value *values, Py_ssize_t count);

/* The items of a list, a vector or a Python sequence, as a Python sequence; None if the list is
 * improper.  NULL without an exception for any other object. */
PyObject *py_items_of(PyObject *x);
int py_prepare_values(void);

/* The Lisp value of a result, which it releases. */
PyObject *py_of_value(ct_value *value);
/* The same for a call's result: where it holds the handle of an argument, or of an item of a
 * list among them, the value is the same object. */
PyObject *py_of_result(ct_value *value, PyObject *const *arguments, Py_ssize_t count);

/* Raise TensorError from ct_last_error.  Returns NULL. */
PyObject *py_fail(void);

/* The UTF-8 of a str, which keeps it alive, and a new str from such a text.  Bytes that are not
 * UTF-8, as in some file names, are surrogate escapes in Python's strings.  size may be NULL, or
 * -1 for a text up to its NUL. */
const char *py_utf8(PyObject *text, Py_ssize_t *size);
PyObject *py_str(const char *text, Py_ssize_t size);
/* Raise Python's TypeError unless there are count arguments and the first `tensors` of them are
 * tensors, which the evaluator should have checked. */
bool py_expect(PyObject *const *arguments, Py_ssize_t given, Py_ssize_t count, Py_ssize_t tensors);

/* The methods __dlpack__ and __dlpack_device__ of tensors. */
PyObject *py_dlpack(PyObject *self, PyObject *args, PyObject *named);
PyObject *py_dlpack_device(PyObject *self, PyObject *nothing);

int py_add_dlpack(PyObject *module);
int py_add_tensor_type(PyObject *module);
int py_add_operator_type(PyObject *module);
int py_add_foreign_type(PyObject *module);
int py_add_configuration(PyObject *module);
int py_add_autograd(PyObject *module);
/* Let Ctrl-C in, if it was not let in for a while.  0, or -1 and a Python exception. */
int py_poll(void);
/* Let long calls of the library poll. */
void py_start_polls(void);

#endif
