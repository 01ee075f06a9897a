/* configure.c - the evaluator's classes for the extension, and the extension's errors for the
 * evaluator.
 *
 * The evaluator defines its classes in Python, and passes them to configure() when they exist.
 */
#include "python/python.h"

/* Until configure() is called, values are Python's built-in ones. */
py_values py_lisp;

static PyObject *tensor_error;

PyObject *py_fail(void)
{
    const char *hint = ct_last_hint();
    PyObject *error = PyObject_CallFunction(tensor_error, "Nz", py_str(ct_last_error(), -1), hint);
    if (!error) return NULL;
    PyObject *arguments = PyObject_GetAttrString(error, "args");
    if (arguments && !PyObject_SetAttrString(error, "message", PyTuple_GET_ITEM(arguments, 0)) &&
        !PyObject_SetAttrString(error, "hint", PyTuple_GET_ITEM(arguments, 1)))
        PyErr_SetObject(tensor_error, error);
    Py_XDECREF(arguments);
    Py_DECREF(error);
    return NULL;
}

bool py_expect(PyObject *const *arguments, Py_ssize_t given, Py_ssize_t count, Py_ssize_t tensors)
{
    bool right = given == count;
    for (Py_ssize_t k = 0; right && k < tensors; k++) right = py_is_tensor(arguments[k]);
    if (!right)
        PyErr_Format(PyExc_TypeError, "expected %zd arguments, the first %zd tensors", count,
                     tensors);
    return right;
}

/* configure(tensor=..., ...) */
static PyObject *configure(PyObject *module, PyObject *positional, PyObject *named)
{
    static char *names[] = {"tensor", "pair", "vector", "string", "symbol", "keyword", "true",
                            "false", "nil", "unspecified", "shown", "intern", "foreign",
                            "hash_table", "make_table", "refuse_repeats", "enter_python", NULL};
    py_values v = {.foreign = py_lisp.foreign, .drop = py_lisp.drop};
    if (!PyArg_ParseTupleAndKeywords(positional, named, "O!O!O!O!O!O!OOOOOO|O!O!OOO", names,
                                     &PyType_Type, &v.tensor, &PyType_Type, &v.pair, &PyType_Type,
                                     &v.vector, &PyType_Type, &v.string, &PyType_Type, &v.symbol,
                                     &PyType_Type, &v.keyword, &v.true_value, &v.false_value,
                                     &v.nil, &v.unspecified, &v.shown, &v.intern, &PyType_Type,
                                     &v.foreign, &PyType_Type, &v.hash_table, &v.make_table,
                                     &v.refuse_repeats, &v.enter_python))
        return NULL;
    /* They live as long as the process, and so do these references. */
    PyObject *kept[] = {(PyObject *)v.tensor, (PyObject *)v.pair, (PyObject *)v.vector,
                        (PyObject *)v.string, (PyObject *)v.symbol, (PyObject *)v.keyword,
                        v.true_value, v.false_value, v.nil, v.unspecified, v.shown, v.intern,
                        (PyObject *)v.foreign, (PyObject *)v.hash_table, v.make_table,
                        v.refuse_repeats, v.enter_python};
    for (size_t k = 0; k < sizeof kept / sizeof *kept; k++) Py_XINCREF(kept[k]);
    py_lisp = v;
    if (v.enter_python) py_start_polls();
    (void)module;
    return Py_NewRef(Py_None);
}

/* drop_with(function) */
static PyObject *drop_with(PyObject *module, PyObject *function)
{
    (void)module;
    Py_XSETREF(py_lisp.drop, Py_NewRef(function));
    return Py_NewRef(Py_None);
}

static PyMethodDef methods[] = {
    {"drop_with", drop_with, METH_O, "Let a function free handles, whose addresses it gets."},
    {"configure", (PyCFunction)(void (*)(void))configure, METH_VARARGS | METH_KEYWORDS,
     "Set the classes of the evaluator's values."},
    {NULL, NULL, 0, NULL},
};

int py_add_configuration(PyObject *module)
{
    tensor_error = PyErr_NewException("lambent.ctorch.TensorError", NULL, NULL);
    if (!tensor_error || py_prepare_values()) return -1;
    py_lisp.true_value = Py_True;
    py_lisp.false_value = Py_False;
    if (PyModule_AddObjectRef(module, "TensorError", tensor_error)) return -1;
    return PyModule_AddFunctions(module, methods);
}
