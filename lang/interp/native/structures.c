/* structures.c - classes of values with a fixed number of fields.

       structure("values.Pair", Value, ("car", "cdr"), True)  =>  a class; Pair(1, 2).car is 1

   They have the fields that a Python class with __slots__ has.  Python 3.11 calls `__init__` of a
   class for each new object, which takes four times as long as what is done here. */

#include "native.h"

#include <structmember.h>

static Py_ssize_t field_count(const PyTypeObject *type) {
    return (type->tp_basicsize - (Py_ssize_t)sizeof(PyObject)) / (Py_ssize_t)sizeof(PyObject *);
}

/* The arguments are borrowed; missing ones are None. */
static PyObject *new_structure(PyTypeObject *type, PyObject *const *arguments, Py_ssize_t given) {
    Py_ssize_t count = field_count(type);
    if (given > count) {
        PyErr_Format(PyExc_TypeError, "%s takes %zd fields, got %zd", type->tp_name, count, given);
        return NULL;
    }
    structure *made = (structure *)type->tp_alloc(type, 0);
    if (made == NULL) return NULL;
    for (Py_ssize_t i = 0; i < count; i++)
        made->fields[i] = Py_NewRef(i < given ? arguments[i] : Py_None);
    return (PyObject *)made;
}

PyObject *call_class(PyObject *type, arguments_of_call arguments, size_t flags, PyObject *names) {
    Py_ssize_t count = PyVectorcall_NARGS(flags);
    if (names != NULL && PyTuple_GET_SIZE(names) > 0) {
        PyErr_SetString(PyExc_TypeError, "fields have no names here");
        return NULL;
    }
    return new_structure((PyTypeObject *)type, arguments, count);
}

static PyObject *new_from_tuple(PyTypeObject *type, PyObject *arguments, PyObject *names) {
    (void)names;
    return new_structure(type, &PyTuple_GET_ITEM(arguments, 0), PyTuple_GET_SIZE(arguments));
}

static void drop_fields(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    for (Py_ssize_t i = 0; i < field_count(type); i++) Py_XDECREF(field(self, (int)i));
    type->tp_free(self);
    Py_DECREF(type);
}

static void drop_structure(PyObject *self) {
    PyObject_GC_UnTrack(self);
    Py_TRASHCAN_BEGIN(self, drop_structure)
    drop_fields(self);
    Py_TRASHCAN_END
}

static int traverse(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(self));
    for (Py_ssize_t i = 0; i < field_count(Py_TYPE(self)); i++) Py_VISIT(field(self, (int)i));
    return 0;
}

static int clear(PyObject *self) {
    for (Py_ssize_t i = 0; i < field_count(Py_TYPE(self)); i++)
        Py_CLEAR(((structure *)self)->fields[i]);
    return 0;
}

/* The members of a class.  Python refers to their names as long as the class lives. */
static PyMemberDef *new_members(PyObject *names) {
    Py_ssize_t count = PyTuple_GET_SIZE(names);
    PyMemberDef *members = PyMem_Calloc((size_t)count + 1, sizeof *members);
    if (members == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *name = Py_NewRef(PyTuple_GET_ITEM(names, i));
        PyUnicode_InternInPlace(&name); /* this reference keeps the text alive */
        members[i] = (PyMemberDef){
            .name = PyUnicode_AsUTF8(name),
            .type = T_OBJECT_EX,
            .offset = (Py_ssize_t)(sizeof(PyObject) + (size_t)i * sizeof(PyObject *)),
        };
    }
    return members;
}

/* structure(name, base, fields, tracked): the name is that of a module, a point and the class's.
   tracked is false for objects that cannot be on cycles. */
PyObject *make_structure(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    if (count != 4) return PyErr_Format(PyExc_TypeError, "structure takes 4 arguments");
    const char *name = PyUnicode_AsUTF8(arguments[0]);
    PyObject *names = arguments[2];
    int tracked = arguments[3] == Py_True;
    int is_of_pairs = strcmp(strrchr(name, '.'), ".Pair") == 0;
    PyMemberDef *members = new_members(names);
    if (members == NULL) return NULL;
    destructor drop = is_of_pairs ? drop_pair : tracked ? drop_structure : drop_fields;
    PyType_Slot slots[] = {
        {Py_tp_members, members},
        {Py_tp_new, (void *)new_from_tuple},
        {Py_tp_dealloc, (void *)drop},
        {Py_tp_clear, (void *)clear}, /* a class with neither would be tracked like its base */
        tracked ? (PyType_Slot){Py_tp_traverse, (void *)traverse}
                : (PyType_Slot){Py_tp_free, (void *)PyObject_Free},
        {0, NULL},
    };
    PyType_Spec spec = {
        .name = name,
        .basicsize = (int)(sizeof(PyObject) + (size_t)PyTuple_GET_SIZE(names) * sizeof(PyObject *)),
        .flags = Py_TPFLAGS_DEFAULT | (tracked ? Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE : 0),
        .slots = slots,
    };
    PyObject *type = PyType_FromSpecWithBases(&spec, arguments[1]);
    PyMem_Free(members); /* Python has copied them */
    if (type == NULL) return NULL;
    ((PyTypeObject *)type)->tp_vectorcall = is_of_pairs ? call_pair_class : call_class;
    if (is_of_pairs) pair_class = (PyTypeObject *)Py_NewRef(type);
    return type;
}
