/* foreign.c - LibTorch's objects other than tensors, such as modules, as Python objects. */
#include "python/python.h"

static PyTypeObject *foreign_type;

static void foreign_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    ct_object_free(((py_foreign *)self)->object);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyObject *foreign_repr(PyObject *self)
{
    return PyUnicode_FromString(ct_object_text(((py_foreign *)self)->object));
}

static PyType_Slot slots[] = {
    {Py_tp_dealloc, foreign_dealloc},
    {Py_tp_repr, foreign_repr},
    {0, NULL},
};

static PyType_Spec spec = {
    .name = "lambent.ctorch.Foreign",
    .basicsize = sizeof(py_foreign),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = slots,
};

int py_add_foreign_type(PyObject *module)
{
    foreign_type = (PyTypeObject *)PyType_FromSpec(&spec);
    if (!foreign_type) return -1;
    py_lisp.foreign = foreign_type;
    return PyModule_AddObjectRef(module, "Foreign", (PyObject *)foreign_type);
}
