/* doubles.c - arithmetic of a double and an integer that is too large for one, in emitted code.

   Emitted code adds, subtracts and multiplies with Python's operators.  Python refuses a double
   beside such an integer; in Lisp it counts as infinite.  So these operations of Python's floats get
   a second chance: where one has failed and the innermost frame is Lisp's, the result is computed
   with an infinity.  Python's own code, of a program that embeds Lambent, still gets its error. */

#include "native.h"

static PyObject *lisp_units; /* a dictionary whose keys are the file names of emitted code */
static binaryfunc add_floats, subtract_floats, multiply_floats;

static int is_lisp_running(void) {
    PyThreadState *state = PyThreadState_Get();
    PyFrameObject *frame = PyThreadState_GetFrame(state);
    if (frame == NULL) return 0;
    PyCodeObject *code = PyFrame_GetCode(frame);
    int found = PyDict_Contains(lisp_units, code->co_filename);
    Py_DECREF(code);
    Py_DECREF(frame);
    return found;
}

/* A double, or the infinity that stands for an integer; NULL for anything else. */
static PyObject *as_double(PyObject *number) {
    if (PyFloat_CheckExact(number)) return Py_NewRef(number);
    if (!PyLong_CheckExact(number)) return NULL;
    double nearest = PyLong_AsDouble(number);
    if (PyErr_Occurred()) {
        PyErr_Clear();
        nearest = _PyLong_Sign(number) < 0 ? -Py_HUGE_VAL : Py_HUGE_VAL;
    }
    return PyFloat_FromDouble(nearest);
}

static PyObject *again(binaryfunc operation, PyObject *a, PyObject *b) {
    PyObject *type, *value, *traceback;
    if (!PyErr_ExceptionMatches(PyExc_OverflowError)) return NULL;
    PyErr_Fetch(&type, &value, &traceback);
    PyObject *x = NULL, *y = NULL, *result = NULL;
    if (is_lisp_running() == 1 && (x = as_double(a)) != NULL && (y = as_double(b)) != NULL)
        result = operation(x, y);
    Py_XDECREF(x);
    Py_XDECREF(y);
    if (result == NULL) {
        PyErr_Restore(type, value, traceback);
        return NULL;
    }
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(traceback);
    return result;
}

#define MIXED(name, operation)                                     \
    static PyObject *name(PyObject *a, PyObject *b) {              \
        PyObject *result = operation(a, b);                        \
        return result == NULL ? again(operation, a, b) : result;   \
    }
MIXED(add_mixed, add_floats)
MIXED(subtract_mixed, subtract_floats)
MIXED(multiply_mixed, multiply_floats)
#undef MIXED

/* mix_in(units): from now on, code of these units computes with all numbers. */
PyObject *mix_in(PyObject *module, PyObject *units) {
    (void)module;
    PyNumberMethods *methods = PyFloat_Type.tp_as_number;
    Py_XSETREF(lisp_units, Py_NewRef(units));
    if (methods->nb_add != add_mixed) {
        add_floats = methods->nb_add;
        subtract_floats = methods->nb_subtract;
        multiply_floats = methods->nb_multiply;
        methods->nb_add = add_mixed;
        methods->nb_subtract = subtract_mixed;
        methods->nb_multiply = multiply_mixed;
    }
    Py_RETURN_NONE;
}
