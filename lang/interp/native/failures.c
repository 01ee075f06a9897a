/* failures.c - catches the failures that are not unusual: `errors/caught.py` has the others. */

#include "native.h"

#include <frameobject.h>

/* What `configure_failures` receives, in order. */
enum { RAISED, MISTAKE, ESCAPE, CAUGHT, UNITS, HIDDEN, FORGET, MODULE_RUN, TRAMPOLINE, COUNT };

static PyObject *known[COUNT];

static PyObject *configure_failures(PyObject *module, PyObject *const *arguments,
                                    Py_ssize_t count) {
    (void)module;
    if (count != COUNT) return PyErr_Format(PyExc_TypeError, "expected %d settings", COUNT);
    for (int i = 0; i < COUNT; i++) Py_XSETREF(known[i], Py_NewRef(arguments[i]));
    Py_RETURN_NONE;
}

static PyObject *line_of(PyTracebackObject *traceback) {
    if (traceback->tb_lineno >= 0) return PyLong_FromLong(traceback->tb_lineno);
    return PyObject_GetAttrString((PyObject *)traceback, "tb_lineno");
}

/* The frames of emitted code, innermost first; NULL without an exception if a module or the
   trampoline is among them. */
static PyObject *trail_of(PyObject *traceback) {
    PyObject *trail = PyList_New(0);
    for (; trail != NULL && traceback != NULL;
         traceback = (PyObject *)((PyTracebackObject *)traceback)->tb_next) {
        PyTracebackObject *here = (PyTracebackObject *)traceback;
        PyCodeObject *code = PyFrame_GetCode(here->tb_frame);
        int unusual = (PyObject *)code == known[MODULE_RUN] || (PyObject *)code == known[TRAMPOLINE];
        PyObject *tables =
            unusual ? NULL : PyDict_GetItemWithError(known[UNITS], code->co_filename);
        Py_DECREF(code);
        if (tables != NULL) {
            PyObject *line = line_of(here);
            PyObject *step = line ? PyTuple_Pack(3, tables, line, known[HIDDEN]) : NULL;
            Py_XDECREF(line);
            if (step == NULL || PyList_Append(trail, step) < 0) Py_CLEAR(trail);
            Py_XDECREF(step);
        } else if (unusual || PyErr_Occurred()) {
            Py_CLEAR(trail);
        }
    }
    if (trail != NULL) PyList_Reverse(trail);
    return trail;
}

/* caught(exception): the failure; None if that is not simple. */
static PyObject *caught(PyObject *module, PyObject *exception) {
    (void)module;
    PyObject *type = (PyObject *)Py_TYPE(exception);
    if (known[CAUGHT] == NULL || (type != known[RAISED] && type != known[MISTAKE] && type != known[ESCAPE]))
        Py_RETURN_NONE;
    PyObject *trail = NULL, *traceback = NULL;
    if (type == known[ESCAPE]) {
        trail = PyList_New(0);
    } else {
        traceback = PyException_GetTraceback(exception);
        trail = trail_of(traceback);
        Py_XDECREF(traceback);
    }
    if (trail == NULL) {
        if (PyErr_Occurred()) return NULL;
        Py_RETURN_NONE;
    }
    PyObject *payload = type == known[RAISED]
                            ? PyTuple_GET_ITEM(((PyBaseExceptionObject *)exception)->args, 0)
                            : Py_None;
    PyObject *fields[] = {
        trail,
        type == known[ESCAPE] ? exception : Py_None,
        type == known[MISTAKE] ? exception : Py_None,
        payload,
        Py_False,
        Py_None,
    };
    PyObject *made = PyObject_Vectorcall(known[CAUGHT], fields, sizeof fields / sizeof *fields, NULL);
    Py_DECREF(trail);
    PyObject *done = made == NULL ? NULL : PyObject_CallNoArgs(known[FORGET]);
    if (done == NULL || PyException_SetTraceback(exception, Py_None) < 0) Py_CLEAR(made);
    Py_XDECREF(done);
    PyException_SetContext(exception, NULL); /* they hold frames, which hold tensors */
    return made;
}

PyMethodDef failure_methods[] = {
    FAST(configure_failures),
    {"caught", caught, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};
