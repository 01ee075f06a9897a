/* dlpack.c - tensors to and from other array libraries of the Python process.
 *
 * The protocol is Python's for DLPack: an object's method __dlpack__ returns a capsule, whose name
 * says what is in it; the receiver prefixes it with "used_" when it has taken that.
 */
#include "python/python.h"

#include <string.h>

static const char PLAIN[] = "dltensor", USED_PLAIN[] = "used_dltensor";
static const char VERSIONED[] = "dltensor_versioned", USED_VERSIONED[] = "used_dltensor_versioned";

enum { ON_CPU = 1, ON_CUDA = 2, OUR_STREAM = 1, ANY_STREAM = -1 };  /* DLPack's numbers */

/* Frees the contents if no receiver has taken them.  A pending exception is kept. */
static void free_unused(PyObject *capsule)
{
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    const char *name = PyCapsule_GetName(capsule);
    if (name && strcmp(name, PLAIN) == 0) ct_dlpack_free(PyCapsule_GetPointer(capsule, PLAIN));
    if (name && strcmp(name, VERSIONED) == 0)
        ct_dlpack_versioned_free(PyCapsule_GetPointer(capsule, VERSIONED));
    PyErr_Restore(type, value, traceback);
}

/* Failures of sharing are Python's BufferError, as the protocol requires. */
static PyObject *fail_to_share(void)
{
    const char *hint = ct_last_hint();
    return PyErr_Format(PyExc_BufferError, hint ? "%s: %s" : "%s", ct_last_error(), hint);
}

static PyObject *capsule_of(ct_tensor *x, bool versioned)
{
    struct DLManagedTensor *plain;
    struct DLManagedTensorVersioned *newer;
    PyObject *capsule;
    if (versioned) {
        if (ct_to_dlpack_versioned(x, &newer)) return fail_to_share();
        capsule = PyCapsule_New(newer, VERSIONED, free_unused);
        if (!capsule) ct_dlpack_versioned_free(newer);
    } else {
        if (ct_to_dlpack(x, &plain)) return fail_to_share();
        capsule = PyCapsule_New(plain, PLAIN, free_unused);
        if (!capsule) ct_dlpack_free(plain);
    }
    return capsule;
}

/* Two numbers of the protocol: 0, or -1 and a TypeError that names the argument. */
static int pair_of(PyObject *x, const char *name, long *first, long *second)
{
    if (PyTuple_Check(x) && PyArg_ParseTuple(x, "ll", first, second)) return 0;
    PyErr_Format(PyExc_TypeError, "__dlpack__: %s is a pair of integers, not %R", name, x);
    return -1;
}

static void device_numbers(ct_tensor *x, long *kind, long *index)
{
    const char *name = ct_device(x), *colon = strchr(name, ':');
    *kind = strncmp(name, "cuda", 4) == 0 ? ON_CUDA : ON_CPU;
    *index = colon ? strtol(colon + 1, NULL, 10) : 0;
}

PyObject *py_dlpack_device(PyObject *self, PyObject *nothing)
{
    long kind, index;
    (void)nothing;
    device_numbers(py_handle(self), &kind, &index);
    return Py_BuildValue("(ll)", kind, index);
}

/* Whether the tensor is already as the receiver asks for it: 0, or -1 and an exception. */
static int check_wishes(ct_tensor *x, PyObject *stream, PyObject *device)
{
    long kind, index, wanted_kind, wanted_index;
    device_numbers(x, &kind, &index);
    if (stream != Py_None) {
        long number = PyLong_AsLong(stream);
        if (PyErr_Occurred()) return -1;
        if (number != OUR_STREAM && number != ANY_STREAM) {
            PyErr_Format(PyExc_BufferError, "tensors are on the default stream, not on %ld",
                         number);
            return -1;
        }
    }
    if (device == Py_None) return 0;
    if (pair_of(device, "dl_device", &wanted_kind, &wanted_index)) return -1;
    if (wanted_kind == kind && wanted_index == index) return 0;
    PyErr_Format(PyExc_BufferError, "the tensor is on %s; copy it with (tensor-to x device)",
                 ct_device(x));
    return -1;
}

PyObject *py_dlpack(PyObject *self, PyObject *args, PyObject *named)
{
    static char *names[] = {"stream", "max_version", "dl_device", "copy", NULL};
    PyObject *stream = Py_None, *version = Py_None, *device = Py_None, *copy = Py_None;
    if (!PyArg_ParseTupleAndKeywords(args, named, "|$OOOO:__dlpack__", names, &stream, &version,
                                     &device, &copy))
        return NULL;
    ct_tensor *x = py_handle(self), *copied;
    if (check_wishes(x, stream, device)) return NULL;
    long major = 0, minor;
    if (version != Py_None && pair_of(version, "max_version", &major, &minor)) return NULL;
    int copies = PyObject_IsTrue(copy);  /* None lets the producer choose */
    if (copies < 0) return NULL;
    if (!copies) return capsule_of(x, major >= 1);
    if (ct_copy(x, &copied)) return fail_to_share();
    PyObject *capsule = capsule_of(copied, major >= 1);
    ct_free(copied);
    return capsule;
}

/* The object's capsule: the versioned one if it supports versions. */
static PyObject *asked_capsule(PyObject *object)
{
    PyObject *method = PyObject_GetAttrString(object, "__dlpack__");
    PyObject *nothing = PyTuple_New(0), *named = Py_BuildValue("{s(ii)}", "max_version", 1, 0);
    PyObject *capsule = method && nothing && named ? PyObject_Call(method, nothing, named) : NULL;
    if (!capsule && method && nothing && PyErr_ExceptionMatches(PyExc_TypeError)) {
        PyErr_Clear();
        capsule = PyObject_Call(method, nothing, NULL);
    }
    Py_XDECREF(named);
    Py_XDECREF(nothing);
    Py_XDECREF(method);
    return capsule;
}

/* A tensor on the memory that the capsule describes, which takes over its contents. */
static PyObject *tensor_in(PyObject *capsule)
{
    ct_tensor *result;
    if (PyCapsule_IsValid(capsule, VERSIONED)) {
        if (ct_from_dlpack_versioned(PyCapsule_GetPointer(capsule, VERSIONED), &result))
            return fail_to_share();
        PyCapsule_SetName(capsule, USED_VERSIONED);
    } else if (PyCapsule_IsValid(capsule, PLAIN)) {
        if (ct_from_dlpack(PyCapsule_GetPointer(capsule, PLAIN), &result)) return fail_to_share();
        PyCapsule_SetName(capsule, USED_PLAIN);
    } else {
        return PyErr_Format(PyExc_BufferError, "__dlpack__ did not return a DLPack capsule");
    }
    return py_of_handle(result);
}

/* from_dlpack(object) */
static PyObject *from_dlpack(PyObject *module, PyObject *object)
{
    (void)module;
    PyObject *capsule = asked_capsule(object);
    PyObject *tensor = capsule ? tensor_in(capsule) : NULL;
    Py_XDECREF(capsule);
    return tensor;
}

static PyMethodDef functions[] = {
    {"from_dlpack", from_dlpack, METH_O, "A tensor on the memory of another library's array."},
    {NULL, NULL, 0, NULL},
};

int py_add_dlpack(PyObject *module) { return PyModule_AddFunctions(module, functions); }
