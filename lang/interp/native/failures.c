/* failures.c - raises, and catches the failures that are not unusual: `errors/caught.py` has the
   others. */

#include "native.h"

#include <frameobject.h>

/* What `configure_failures` receives, in order. */
enum {
    RAISED, MISTAKE, ESCAPE, CAUGHT, CONDITION, UNITS, HIDDEN, FORGOTTEN, MODULE_RUN, TRAMPOLINE,
    CATCH, COUNT
};

static PyObject *known[COUNT];
static PyObject *function_name, *arguments_name, *car_name, *cdr_name, *no_arguments, *no_category;

static PyObject *configure_failures(PyObject *module, PyObject *const *arguments,
                                    Py_ssize_t count) {
    (void)module;
    if (count != COUNT) return PyErr_Format(PyExc_TypeError, "expected %d settings", COUNT);
    for (int i = 0; i < COUNT; i++) Py_XSETREF(known[i], Py_NewRef(arguments[i]));
    function_name = PyUnicode_InternFromString("function");
    arguments_name = PyUnicode_InternFromString("arguments");
    car_name = PyUnicode_InternFromString("car");
    cdr_name = PyUnicode_InternFromString("cdr");
    no_category = PyUnicode_FromString("");
    no_arguments = PyTuple_New(0);
    if (!function_name || !arguments_name || !car_name || !cdr_name || !no_category || !no_arguments)
        return NULL;
    Py_RETURN_NONE;
}

/* Raise the payload, which is taken over; NULL. */
static PyObject *raise_payload(PyObject *payload) {
    if (payload == NULL) return NULL;
    PyTypeObject *type = (PyTypeObject *)known[RAISED];
    PyObject *arguments = PyTuple_Pack(1, payload);
    PyObject *made = arguments == NULL ? NULL : type->tp_new(type, arguments, NULL);
    Py_XDECREF(arguments);
    Py_DECREF(payload);
    if (made != NULL) PyErr_SetObject(known[RAISED], made);
    Py_XDECREF(made);
    return NULL;
}

/* raise_value(payload) */
static PyObject *raise_value(PyObject *module, PyObject *payload) {
    (void)module;
    return raise_payload(Py_NewRef(payload));
}

/* raise_error(message, *irritants) */
static PyObject *raise_error(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    if (count < 1) return PyErr_Format(PyExc_TypeError, "a message is missing");
    PyObject *irritants = list_of(arguments + 1, count - 1, nil);
    if (irritants == NULL) return NULL;
    PyObject *fields[] = {arguments[0], irritants, false_value, no_category};
    PyObject *made = PyObject_Vectorcall(known[CONDITION], fields, 4, NULL);
    Py_DECREF(irritants);
    return raise_payload(made);
}

/* The tables of code; NULL if it was not emitted.  *unusual: a module's call or the trampoline. */
static PyObject *tables_of(PyCodeObject *code, int *unusual) {
    if ((PyObject *)code != known[MODULE_RUN] && (PyObject *)code != known[TRAMPOLINE])
        return PyDict_GetItemWithError(known[UNITS], code->co_filename);
    *unusual = 1;
    return NULL;
}

/* The step of a frame of emitted code, and NULL for others; NULL with an exception. */
static PyObject *step_of(PyTracebackObject *traceback, int *unusual) {
    PyCodeObject *code = PyFrame_GetCode(traceback->tb_frame);
    PyObject *tables = tables_of(code, unusual);
    int location = traceback->tb_lineno; /* Python finds it when it is asked for */
    if (tables != NULL && location < 0) location = PyCode_Addr2Line(code, traceback->tb_lasti);
    Py_DECREF(code);
    PyObject *line = tables == NULL ? NULL : PyLong_FromLong(location);
    PyObject *step = line == NULL ? NULL : PyTuple_Pack(3, tables, line, known[HIDDEN]);
    Py_XDECREF(line);
    return step;
}

/* The frames of emitted code, innermost first; NULL without an exception if a module or the
   trampoline is among them. */
static PyObject *trail_of(PyObject *traceback) {
    PyObject *trail = PyList_New(0);
    int unusual = 0;
    PyTracebackObject *at = (PyTracebackObject *)traceback;
    for (; trail != NULL && at != NULL && !unusual; at = at->tb_next) {
        PyObject *step = step_of(at, &unusual);
        if ((step != NULL && PyList_Append(trail, step) < 0) || PyErr_Occurred()) Py_CLEAR(trail);
        Py_XDECREF(step);
    }
    if (trail != NULL && (unusual || PyList_Reverse(trail) < 0)) Py_CLEAR(trail);
    return trail;
}

/* What is known of an error whose message is worded when it is asked for, the innermost step and
   the value that is not a pair; NULL if that value may change, or the failure is another one. */
static PyObject *unworded(PyObject *exception, PyObject *traceback, PyObject *trail) {
    PyAttributeErrorObject *failure = (PyAttributeErrorObject *)exception;
    PyObject *value = failure->obj;
    if (value == NULL || failure->name == NULL || traceback == NULL || PyList_GET_SIZE(trail) == 0)
        return NULL;
    if (failure->name != car_name && failure->name != cdr_name) return NULL;
    if (!(PyLong_CheckExact(value) || PyFloat_CheckExact(value) || Py_IS_TYPE(value, symbol_class) ||
          value == nil || value == false_value || value == true_value))
        return NULL;
    PyTracebackObject *last = (PyTracebackObject *)traceback;
    while (last->tb_next != NULL) last = last->tb_next;
    PyCodeObject *code = PyFrame_GetCode(last->tb_frame);
    int emitted = PyDict_Contains(known[UNITS], code->co_filename);
    Py_DECREF(code);
    return emitted == 1 ? PyTuple_Pack(2, PyList_GET_ITEM(trail, 0), value) : NULL;
}

/* Drop the references of the tail call that failed, if the call was one. */
static int forget_tail_call(void) {
    return PyObject_SetAttr(tail, function_name, known[FORGOTTEN]) < 0 ||
                   PyObject_SetAttr(tail, arguments_name, no_arguments) < 0
               ? -1
               : 0;
}

/* caught(exception): the failure; None if that is not simple. */
static PyObject *caught(PyObject *module, PyObject *exception) {
    (void)module;
    PyObject *type = (PyObject *)Py_TYPE(exception);
    int no_pair = type == PyExc_AttributeError;
    if (known[CAUGHT] == NULL ||
        (type != known[RAISED] && type != known[MISTAKE] && type != known[ESCAPE] && !no_pair))
        Py_RETURN_NONE;
    PyObject *trail = NULL, *traceback = NULL, *error = NULL;
    if (type == known[ESCAPE]) {
        trail = PyList_New(0);
    } else {
        traceback = PyException_GetTraceback(exception);
        trail = trail_of(traceback);
        if (trail != NULL && no_pair && (error = unworded(exception, traceback, trail)) == NULL)
            Py_CLEAR(trail);
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
        no_pair ? error : type == known[MISTAKE] ? exception : Py_None,
        payload,
        Py_False,
        Py_None,
    };
    PyObject *made = PyObject_Vectorcall(known[CAUGHT], fields, sizeof fields / sizeof *fields, NULL);
    Py_DECREF(trail);
    Py_XDECREF(error);
    if (made != NULL && (forget_tail_call() < 0 || PyException_SetTraceback(exception, Py_None) < 0))
        Py_CLEAR(made);
    PyException_SetContext(exception, NULL); /* they hold frames, which hold tensors */
    reserve_way_again();
    return made;
}

/* catch_error(exception): the failure if it is an error; an escape, for example, continues. */
static PyObject *catch_error(PyObject *module, PyObject *exception) {
    /* First: in a handler that itself finds no memory, CPython 3.11 tries for ever. */
    if ((PyObject *)Py_TYPE(exception) == PyExc_MemoryError) give_reserve_back();
    if ((PyObject *)Py_TYPE(exception) == known[ESCAPE]) {
        PyErr_SetObject(known[ESCAPE], exception);
        return NULL;
    }
    PyObject *simple = caught(module, exception);
    if (simple == NULL && PyErr_ExceptionMatches(PyExc_MemoryError)) {
        PyErr_Clear(); /* there is the reserve */
        return PyObject_CallOneArg(known[CATCH], exception);
    }
    if (simple != Py_None) return simple;
    Py_DECREF(simple);
    return PyObject_CallOneArg(known[CATCH], exception);
}

PyObject *no_room(const char *who, Py_ssize_t count, const char *noun) {
    PyErr_Clear();
    PyObject *function = python_function("errors.faults", "no_room");
    if (function == NULL) return NULL;
    PyObject *none = PyObject_CallFunction(function, "sns", who, count, noun);
    Py_DECREF(function);
    Py_XDECREF(none);
    return NULL;
}

static PyObject *call_if_room(PyObject *function, PyObject *arguments) {
    PyObject *result = PyObject_Call(function, arguments, NULL);
    if (result != NULL || !(PyErr_ExceptionMatches(PyExc_RecursionError) ||
                            PyErr_ExceptionMatches(PyExc_MemoryError)))
        return result;
    PyErr_Clear();
    Py_RETURN_NONE;
}

static PyMethodDef if_room_method = {"if_room", call_if_room, METH_VARARGS, NULL};

/* if_room(function): a function that calls it, and does nothing where the recursion is too deep, or
   the memory too little, for the call. */
static PyObject *if_room(PyObject *module, PyObject *function) {
    (void)module;
    return PyCFunction_New(&if_room_method, function);
}

PyMethodDef failure_methods[] = {
    FAST(configure_failures),
    FAST(raise_error),
    {"if_room", if_room, METH_O, NULL},
    {"raise_value", raise_value, METH_O, NULL},
    {"caught", caught, METH_O, NULL},
    {"catch_error", catch_error, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};
