/* operator.c - LibTorch's operators as Python callables. */
#include "python/python.h"

#include <structmember.h>
#include <stddef.h>

enum { FEW = 8 };  /* arguments that need no allocated array */

typedef struct {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    ct_op *op;
    bool reuses;   /* the first argument is the result of a call, and is used only here */
} operator_object;

static PyTypeObject *operator_type;

/* Whether this call holds the only reference to its first argument, a tensor. */
static bool is_last_use(const operator_object *self, PyObject *const *arguments, Py_ssize_t count)
{
    return self->reuses && count > 0 && py_is_tensor(arguments[0]) && Py_REFCNT(arguments[0]) == 1;
}

/* Lisp's keywords are values among the arguments, so there are no Python keyword arguments. */
static PyObject *operator_call(PyObject *callable, PyObject *const *arguments, size_t flags,
                               PyObject *names)
{
    operator_object *self = (operator_object *)callable;
    Py_ssize_t count = PyVectorcall_NARGS(flags);
    ct_value few[FEW];
    ct_value *values = count <= FEW ? few : PyMem_New(ct_value, count);
    (void)names;
    if (!values) return PyErr_NoMemory();
    PyObject *found = NULL;
    if (!py_to_values(arguments, count, values)) {
        ct_value result;
        bool reusing = is_last_use(self, arguments, count);
        int status = (reusing ? ct_op_call_reusing : ct_op_call)(self->op, (size_t)count, values,
                                                                 &result);
        found = status ? py_fail() : py_of_result(&result, arguments, count);
        py_release_all(values, count);
    }
    if (values != few) PyMem_Free(values);
    return found;
}

/* bind(operator, argument ...): None if a call with these arguments fits one of the overloads.
 * A value that prints as #<unknown> fits every parameter. */
static PyObject *bind(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    (void)module;
    if (count < 1 || Py_TYPE(args[0]) != operator_type) {
        PyErr_SetString(PyExc_TypeError, "bind: expected an operator");
        return NULL;
    }
    ct_value *values = PyMem_New(ct_value, count);
    if (!values) return PyErr_NoMemory();
    PyObject *found = NULL;
    if (!py_to_values(args + 1, count - 1, values)) {
        const char *overload;
        int status = ct_op_bind(((operator_object *)args[0])->op, (size_t)count - 1, values,
                                &overload);
        found = status ? py_fail() : Py_NewRef(Py_None);
        py_release_all(values, count - 1);
    }
    PyMem_Free(values);
    return found;
}

static void operator_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    type->tp_free(self);
    Py_DECREF(type);
}

/* operator(name, reuses=False): an unknown one fails here. */
static PyObject *make_operator(PyObject *module, PyObject *args)
{
    (void)module;
    const char *text;
    int reuses = 0;
    ct_op *op;
    if (!PyArg_ParseTuple(args, "s|p", &text, &reuses)) return NULL;
    if (ct_op_find(text, &op)) return py_fail();
    operator_object *self = PyObject_New(operator_object, operator_type);
    if (!self) return NULL;
    self->vectorcall = operator_call;
    self->op = op;
    self->reuses = reuses != 0;
    return (PyObject *)self;
}

static PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(operator_object, vectorcall), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_dealloc, operator_dealloc},
    {Py_tp_call, PyVectorcall_Call},
    {Py_tp_members, members},
    {0, NULL},
};

static PyType_Spec spec = {
    .name = "lambent.ctorch.Operator",
    .basicsize = sizeof(operator_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = slots,
};

static PyMethodDef methods[] = {
    FUNCTION(bind),
    {"operator", make_operator, METH_VARARGS, "The operator with ATen's name."},
    {NULL, NULL, 0, NULL},
};

int py_add_operator_type(PyObject *module)
{
    operator_type = (PyTypeObject *)PyType_FromSpec(&spec);
    if (!operator_type) return -1;
    if (PyModule_AddObjectRef(module, "Operator", (PyObject *)operator_type)) return -1;
    return PyModule_AddFunctions(module, methods);
}
