/* tensor.c - a tensor as a Python object, freed with its last reference, and arithmetic. */
#include "python/python.h"

static PyTypeObject *tensor_type;

/* A tensor that Python creates by itself, also in a copy or an unpickling, would have no handle. */
static PyObject *refuse_new(PyTypeObject *type, PyObject *args, PyObject *named)
{
    (void)type, (void)args, (void)named;
    PyErr_SetString(PyExc_TypeError,
                    "a tensor is created by Lisp: lambent.eval(\"x\", x=array) shares an array");
    return NULL;
}

/* Where Lisp runs without Python's lock, it frees handles.  A pending exception is kept. */
static void drop(ct_tensor *handle)
{
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyObject *done = PyObject_CallFunction(py_lisp.drop, "K", (unsigned long long)(uintptr_t)handle);
    if (!done) PyErr_WriteUnraisable(py_lisp.drop);
    Py_XDECREF(done);
    PyErr_Restore(type, value, traceback);
}

static void tensor_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    if (py_lisp.drop) drop(py_handle(self));
    else ct_free(py_handle(self));
    type->tp_free(self);
    Py_DECREF(type);
}

static Py_hash_t tensor_hash(PyObject *self) { return (Py_hash_t)((uintptr_t)self >> 4); }

static PyObject *tensor_repr(PyObject *self)
{
    char *text;
    if (ct_to_text(py_handle(self), CT_DISPLAY, &text)) return py_fail();
    PyObject *repr = PyUnicode_FromString(text);
    ct_free_text(text);
    return repr;
}

/* a + b and other operators; an operand that is neither a tensor nor a number is left to the other
 * operand's class. */
static PyObject *arithmetic(const char *name, PyObject *a, PyObject *b)
{
    if ((!py_is_tensor(a) && !py_is_number(a)) || (!py_is_tensor(b) && !py_is_number(b)))
        return Py_NewRef(Py_NotImplemented);
    PyObject *operands[] = {a, b};
    ct_value values[2];
    ct_tensor *result;
    if (py_to_values(operands, 2, values)) return NULL;
    int status = ct_arithmetic(name, 2, values, &result);
    py_release_all(values, 2);
    return status ? py_fail() : py_of_handle(result);
}

static PyObject *tensor_add(PyObject *a, PyObject *b) { return arithmetic("+", a, b); }
static PyObject *tensor_subtract(PyObject *a, PyObject *b) { return arithmetic("-", a, b); }
static PyObject *tensor_multiply(PyObject *a, PyObject *b) { return arithmetic("*", a, b); }
static PyObject *tensor_divide(PyObject *a, PyObject *b) { return arithmetic("/", a, b); }

static PyObject *tensor_negative(PyObject *x)
{
    ct_value value = {.kind = CT_TENSOR, .tensor = py_handle(x)};
    ct_tensor *result;
    return ct_arithmetic("-", 1, &value, &result) ? py_fail() : py_of_handle(result);
}

/* The operand of a comparison: a tensor of one element is replaced by the element, a boolean by
 * 0 or 1. */
static PyObject *comparable(PyObject *x, int operation)
{
    static const ct_comparison comparisons[] = {
        [Py_LT] = CT_LT, [Py_LE] = CT_LE, [Py_GT] = CT_GT, [Py_GE] = CT_GE};
    ct_value element, zero = {.kind = CT_INT};
    bool result;
    if (!py_is_tensor(x)) return Py_NewRef(x);
    if (ct_count(py_handle(x)) == 1) {
        if (ct_item(py_handle(x), &element)) return py_fail();
        if (element.kind == CT_BOOL) element.kind = CT_INT;
        return py_of_value(&element);
    }
    /* Fails, with the hint for the comparison. */
    ct_value several = {.kind = CT_TENSOR, .tensor = py_handle(x)};
    ct_compare(comparisons[operation], &several, &zero, &result);
    return py_fail();
}

/* Order only: tensors are equal, and hash, by identity. */
static PyObject *tensor_compare(PyObject *a, PyObject *b, int operation)
{
    bool ordered = operation != Py_EQ && operation != Py_NE;
    if (!ordered || (!py_is_tensor(b) && !py_is_number(b))) return Py_NewRef(Py_NotImplemented);
    PyObject *x = comparable(a, operation), *y = x ? comparable(b, operation) : NULL;
    PyObject *result = y ? PyObject_RichCompare(x, y, operation) : NULL;
    Py_XDECREF(x);
    Py_XDECREF(y);
    return result;
}

static PyMethodDef methods[] = {
    {"__dlpack__", (PyCFunction)(void (*)(void))py_dlpack, METH_VARARGS | METH_KEYWORDS,
     "Share the memory with another library."},
    {"__dlpack_device__", py_dlpack_device, METH_NOARGS, "DLPack's numbers for the device."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_new, refuse_new},
    {Py_tp_methods, methods},
    {Py_tp_dealloc, tensor_dealloc},
    {Py_tp_hash, tensor_hash},
    {Py_tp_repr, tensor_repr},
    {Py_tp_richcompare, tensor_compare},
    {Py_nb_add, tensor_add},
    {Py_nb_subtract, tensor_subtract},
    {Py_nb_multiply, tensor_multiply},
    {Py_nb_true_divide, tensor_divide},
    {Py_nb_negative, tensor_negative},
    {0, NULL},
};

static PyType_Spec spec = {
    .name = "lambent.ctorch.Tensor",
    .basicsize = sizeof(py_tensor),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .slots = slots,
};

int py_add_tensor_type(PyObject *module)
{
    tensor_type = (PyTypeObject *)PyType_FromSpec(&spec);
    if (!tensor_type) return -1;
    py_lisp.tensor = tensor_type;
    return PyModule_AddObjectRef(module, "Tensor", (PyObject *)tensor_type);
}
