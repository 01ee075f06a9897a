/* python_operator.c - LibTorch's operators as Python callables.
 *
 * Tensors alone take the typed way in where ctorch.h has one; any other call goes through the
 * schema.
 */
#include "python.h"

#include <structmember.h>
#include <stddef.h>
#include <string.h>

typedef int (*unary_entry)(ct_tensor *, ct_tensor **);
typedef int (*binary_entry)(ct_tensor *, ct_tensor *, ct_tensor **);

typedef struct {
    const char *name;
    unary_entry unary;
    binary_entry binary;
} typed_entry;

static const typed_entry typed[] = {
    {"add", NULL, ct_add},         {"sub", NULL, ct_subtract},    {"mul", NULL, ct_multiply},
    {"div", NULL, ct_divide},      {"maximum", NULL, ct_maximum}, {"minimum", NULL, ct_minimum},
    {"pow", NULL, ct_pow},         {"eq", NULL, ct_eq},           {"ne", NULL, ct_ne},
    {"lt", NULL, ct_lt},           {"gt", NULL, ct_gt},           {"le", NULL, ct_le},
    {"ge", NULL, ct_ge},           {"matmul", NULL, ct_matmul},   {"mm", NULL, ct_mm},
    {"relu", ct_relu, NULL},       {"sigmoid", ct_sigmoid, NULL}, {"tanh", ct_tanh, NULL},
    {"exp", ct_exp, NULL},         {"log", ct_log, NULL},         {"sqrt", ct_sqrt, NULL},
    {"sin", ct_sin, NULL},         {"cos", ct_cos, NULL},         {"neg", ct_neg, NULL},
    {"abs", ct_abs, NULL},         {"square", ct_square, NULL},   {"floor", ct_floor, NULL},
    {"ceil", ct_ceil, NULL},       {"round", ct_round, NULL},     {"trunc", ct_trunc, NULL},
    {"sum", ct_sum, NULL},         {"mean", ct_mean, NULL},       {"t", ct_t, NULL},
    {"clone", ct_copy, NULL},      {"reciprocal", ct_reciprocal, NULL},
};

enum { FEW = 8 };  /* arguments that need no memory of their own */

typedef struct {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    ct_op *op;  /* NULL until the first call that needs it */
    char *name;
    unary_entry unary;
    binary_entry binary;
} operator_object;

static PyTypeObject *operator_type;

static PyObject *call_schema(operator_object *self, PyObject *const *arguments, Py_ssize_t count)
{
    if (!self->op && ct_op_find(self->name, &self->op)) return py_fail();
    ct_value few[FEW];
    ct_value *values = count <= FEW ? few : PyMem_New(ct_value, count);
    if (!values) return PyErr_NoMemory();
    PyObject *found = NULL;
    if (!py_to_values(arguments, count, values)) {
        ct_value result;
        int status = ct_op_call(self->op, (size_t)count, values, &result);
        found = status ? py_fail() : py_of_result(&result, arguments, count);
        py_release_all(values, count);
    }
    if (values != few) PyMem_Free(values);
    return found;
}

static PyObject *operator_call(PyObject *callable, PyObject *const *arguments, size_t flags,
                               PyObject *names)
{
    operator_object *self = (operator_object *)callable;
    Py_ssize_t count = PyVectorcall_NARGS(flags);
    ct_tensor *result;
    (void)names;  /* Lisp's keywords are values among the arguments */
    if (count == 2 && self->binary && py_is_tensor(arguments[0]) && py_is_tensor(arguments[1])) {
        int status = self->binary(py_handle(arguments[0]), py_handle(arguments[1]), &result);
        return status ? py_fail() : py_of_handle(result);
    }
    if (count == 1 && self->unary && py_is_tensor(arguments[0])) {
        int status = self->unary(py_handle(arguments[0]), &result);
        return status ? py_fail() : py_of_handle(result);
    }
    return call_schema(self, arguments, count);
}

static void operator_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    free(((operator_object *)self)->name);
    type->tp_free(self);
    Py_DECREF(type);
}

/* operator(name): an unknown one fails here. */
static PyObject *make_operator(PyObject *module, PyObject *name)
{
    (void)module;
    const char *text = PyUnicode_AsUTF8(name);
    if (!text) return NULL;
    operator_object *self = PyObject_New(operator_object, operator_type);
    if (!self) return NULL;
    self->vectorcall = operator_call;
    self->op = NULL;
    self->unary = NULL;
    self->binary = NULL;
    self->name = strdup(text);
    for (size_t k = 0; k < sizeof typed / sizeof *typed; k++)
        if (strcmp(typed[k].name, text) == 0) {
            self->unary = typed[k].unary;
            self->binary = typed[k].binary;
            return (PyObject *)self;
        }
    if (ct_op_find(text, &self->op)) {
        Py_DECREF(self);
        return py_fail();
    }
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
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL,
    .slots = slots,
};

static PyMethodDef methods[] = {
    {"operator", make_operator, METH_O, "The operator with ATen's name."},
    {NULL, NULL, 0, NULL},
};

int py_add_operator_type(PyObject *module)
{
    operator_type = (PyTypeObject *)PyType_FromSpec(&spec);
    if (!operator_type) return -1;
    if (PyModule_AddObjectRef(module, "Operator", (PyObject *)operator_type)) return -1;
    return PyModule_AddFunctions(module, methods);
}
