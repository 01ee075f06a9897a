/* module.c - ctorch.h's functions for the evaluator, and the initialization of the extension.
 *
 * Each function converts its arguments, calls, and converts the result; __init__.py lists them.
 * The evaluator has checked which arguments are tensors.
 */
#include "python/python.h"

#include <string.h>

enum { MOST_DIMS = 64 };  /* LibTorch's own limit */

static PyObject *of_status(int status, ct_tensor *const *result)
{
    return status ? py_fail() : py_of_handle(*result);
}

static PyObject *of_text(int status, char *const *text)
{
    if (status) return py_fail();
    PyObject *string = py_str(*text, -1);
    ct_free_text(*text);
    return string;
}

static PyObject *of_void(int status) { return status ? py_fail() : Py_NewRef(Py_None); }

/* Text of an argument that is a str or None. */
static int text_argument(PyObject *x, const char **text)
{
    *text = x == Py_None ? NULL : py_utf8(x, NULL);
    return PyErr_Occurred() ? -1 : 0;
}

/* Creating. */

static PyObject *make(ARGUMENTS)
{
    EXPECT(4, 0);
    ct_value data;
    const char *dtype, *device;
    ct_tensor *result;
    if (text_argument(args[1], &dtype) || text_argument(args[2], &device)) return NULL;
    if (py_to_value(args[0], &data)) return NULL;
    int status = ct_make(&data, dtype, device, PyObject_IsTrue(args[3]), &result);
    py_release(&data);
    return of_status(status, &result);
}

static PyObject *literal(ARGUMENTS)
{
    EXPECT(2, 0);
    ct_value elements;
    if (py_to_value(args[1], &elements)) return NULL;
    int64_t sizes[MOST_DIMS];
    Py_ssize_t rank = PyTuple_Size(args[0]);
    if (rank > MOST_DIMS) PyErr_SetString(PyExc_ValueError, "too many dimensions");
    for (Py_ssize_t k = 0; k < rank && !PyErr_Occurred(); k++)
        sizes[k] = PyLong_AsLongLong(PyTuple_GET_ITEM(args[0], k));
    ct_tensor *result;
    PyObject *made = NULL;
    if (!PyErr_Occurred())
        made = of_status(ct_literal((size_t)rank, sizes, elements.count, elements.items, &result),
                         &result);
    py_release(&elements);
    return made;
}

/* Reading. */

static PyObject *rank(ARGUMENTS)
{
    EXPECT(1, 1);
    return PyLong_FromLongLong(ct_rank(py_handle(args[0])));
}

static PyObject *shape(ARGUMENTS)
{
    EXPECT(1, 1);
    ct_tensor *x = py_handle(args[0]);
    PyObject *sizes = PyTuple_New((Py_ssize_t)ct_rank(x));
    for (Py_ssize_t k = 0; sizes && k < PyTuple_GET_SIZE(sizes); k++) {
        PyObject *size = PyLong_FromLongLong(ct_size(x, k));
        if (!size) Py_CLEAR(sizes);
        else PyTuple_SET_ITEM(sizes, k, size);
    }
    return sizes;
}

static PyObject *dtype(ARGUMENTS)
{
    EXPECT(1, 1);
    return PyUnicode_FromString(ct_dtype(py_handle(args[0])));
}

static PyObject *device(ARGUMENTS)
{
    EXPECT(1, 1);
    return PyUnicode_FromString(ct_device(py_handle(args[0])));
}

static PyObject *describe(ARGUMENTS)
{
    EXPECT(1, 1);
    char *text;
    int status = ct_describe(py_handle(args[0]), &text);
    return of_text(status, &text);
}

static PyObject *text(ARGUMENTS)
{
    EXPECT(2, 1);
    char *text;
    int status = ct_to_text(py_handle(args[0]), (ct_text_mode)PyLong_AsLong(args[1]), &text);
    return of_text(status, &text);
}

static PyObject *item(ARGUMENTS)
{
    EXPECT(1, 1);
    ct_value result;
    return ct_item(py_handle(args[0]), &result) ? py_fail() : py_of_value(&result);
}

static PyObject *to_list(ARGUMENTS)
{
    EXPECT(1, 1);
    ct_value result;
    return ct_to_list(py_handle(args[0]), &result) ? py_fail() : py_of_value(&result);
}

static PyObject *truth(ARGUMENTS)
{
    EXPECT(1, 1);
    bool result;
    return ct_truth(py_handle(args[0]), &result) ? py_fail() : PyBool_FromLong(result);
}

static PyObject *equal(ARGUMENTS)
{
    EXPECT(2, 2);
    bool result;
    int status = ct_equal(py_handle(args[0]), py_handle(args[1]), &result);
    return status ? py_fail() : PyBool_FromLong(result);
}

/* Elements, slices and conversions. */

enum { FEW = 6 };  /* values that need no allocated array */

/* The arguments after the first as values: in `few` if they fit.  release_after_first releases
 * them. */
static ct_value *values_after_first(PyObject *const *args, Py_ssize_t count, ct_value *few)
{
    ct_value *values = count - 1 <= FEW ? few : PyMem_New(ct_value, count);
    if (!values) return (ct_value *)PyErr_NoMemory();
    if (!py_to_values(args + 1, count - 1, values)) return values;
    if (values != few) PyMem_Free(values);
    return NULL;
}

static void release_after_first(ct_value *values, Py_ssize_t count, ct_value *few)
{
    py_release_all(values, count - 1);
    if (values != few) PyMem_Free(values);
}

static PyObject *to(ARGUMENTS)
{
    EXPECT(count ? count : 1, 1);
    ct_value few[FEW], *targets = values_after_first(args, count, few);
    if (!targets) return NULL;
    ct_tensor *result;
    int status = ct_to(py_handle(args[0]), (size_t)count - 1, targets, &result);
    release_after_first(targets, count, few);
    if (status || result != py_handle(args[0])) return of_status(status, &result);
    ct_free(result);
    return Py_NewRef(args[0]);
}

static PyObject *slice(ARGUMENTS)
{
    EXPECT(5, 1);
    int64_t dim = PyLong_AsLongLong(args[1]), start = PyLong_AsLongLong(args[2]);
    int64_t end = args[3] == Py_None ? 0 : PyLong_AsLongLong(args[3]);
    int64_t step = PyLong_AsLongLong(args[4]);
    if (PyErr_Occurred()) return NULL;
    ct_tensor *result;
    int status =
        ct_slice(py_handle(args[0]), dim, start, args[3] == Py_None ? NULL : &end, step, &result);
    return of_status(status, &result);
}

static PyObject *ref(ARGUMENTS)
{
    EXPECT(count ? count : 1, 1);
    ct_value few[FEW], *indices = values_after_first(args, count, few);
    if (!indices) return NULL;
    ct_tensor *result;
    int status = ct_ref(py_handle(args[0]), (size_t)count - 1, indices, &result);
    release_after_first(indices, count, few);
    return of_status(status, &result);
}

static PyObject *set(ARGUMENTS)
{
    EXPECT(count < 2 ? 2 : count, 1);
    ct_value few[FEW], *indices = values_after_first(args, count, few);
    if (!indices) return NULL;
    int status =
        ct_set(py_handle(args[0]), (size_t)count - 2, indices, &indices[count - 2]);
    release_after_first(indices, count, few);
    return of_void(status);
}

/* Generic arithmetic. */

static PyObject *arithmetic(ARGUMENTS)
{
    EXPECT(count ? count : 1, 0);
    const char *name;
    if (text_argument(args[0], &name)) return NULL;
    ct_value few[FEW], *operands = values_after_first(args, count, few);
    if (!operands) return NULL;
    ct_tensor *result;
    int status = ct_arithmetic(name, (size_t)count - 1, operands, &result);
    release_after_first(operands, count, few);
    return of_status(status, &result);
}

static PyObject *compare(ARGUMENTS)
{
    static const char *const names[] = {
        [CT_EQ] = "=", [CT_LT] = "<", [CT_GT] = ">", [CT_LE] = "<=", [CT_GE] = ">="};
    EXPECT(3, 0);
    const char *name;
    ct_value operands[2];
    if (text_argument(args[0], &name)) return NULL;
    int comparison = CT_EQ;
    while (comparison < CT_GE && strcmp(names[comparison], name) != 0) comparison++;
    if (py_to_values(args + 1, 2, operands)) return NULL;
    bool result;
    int status = ct_compare((ct_comparison)comparison, &operands[0], &operands[1], &result);
    py_release_all(operands, 2);
    return status ? py_fail() : PyBool_FromLong(result);
}

/* The library's own procedures. */

static PyObject *procedure(ARGUMENTS)
{
    EXPECT(count ? count : 1, 0);
    const char *name;
    if (text_argument(args[0], &name)) return NULL;
    ct_value few[FEW], *values = values_after_first(args, count, few);
    if (!values) return NULL;
    ct_value result;
    int status = ct_procedure(name, (size_t)count - 1, values, &result);
    release_after_first(values, count, few);
    if (status == CT_RAISED) return NULL;  /* with the exception of the poll */
    return status ? py_fail() : py_of_value(&result);
}

static PyObject *failed_at_file(ARGUMENTS)
{
    EXPECT(0, 0);
    return PyBool_FromLong(ct_failed_at_file());
}

/* Handles, for Lisp that runs outside of Python. */

static PyObject *handle(ARGUMENTS)
{
    EXPECT(1, 1);
    return PyLong_FromVoidPtr(py_handle(args[0]));
}

static PyObject *adopt(ARGUMENTS)
{
    EXPECT(1, 0);
    ct_tensor *handle = PyLong_AsVoidPtr(args[0]);
    return PyErr_Occurred() ? NULL : py_of_handle(handle);
}

static PyMethodDef functions[] = {
    FUNCTION(handle), FUNCTION(adopt), FUNCTION(make), FUNCTION(literal), FUNCTION(rank), FUNCTION(shape), FUNCTION(dtype),
    FUNCTION(device), FUNCTION(describe), FUNCTION(text), FUNCTION(item), FUNCTION(to_list),
    FUNCTION(truth), FUNCTION(equal), FUNCTION(to), FUNCTION(slice), FUNCTION(ref), FUNCTION(set),
    FUNCTION(arithmetic), FUNCTION(compare), FUNCTION(procedure), FUNCTION(failed_at_file),
    {NULL, NULL, 0, NULL},
};

static int start(PyObject *module)
{
    if (py_add_configuration(module) || py_add_tensor_type(module) || py_add_foreign_type(module) ||
        py_add_operator_type(module) || py_add_dlpack(module) || py_add_autograd(module))
        return -1;
    return PyModule_AddIntConstant(module, "DISPLAY", CT_DISPLAY) ||
           PyModule_AddIntConstant(module, "WRITE", CT_WRITE) ||
           PyModule_AddIntConstant(module, "REPL", CT_REPL);
}

static PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "lambent_tensors",
    .m_doc = "LibTorch for the evaluator; lambent.ctorch says what is here.",
    .m_size = -1,
    .m_methods = functions,
};

PyMODINIT_FUNC PyInit_lambent_tensors(void)
{
    PyObject *module = PyModule_Create(&definition);
    if (module && start(module)) Py_CLEAR(module);
    return module;
}
