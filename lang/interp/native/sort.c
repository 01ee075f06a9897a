/* sort.c - `sort` of a list or vector.

   Numbers and strings in the usual orders are sorted by Python; anything else by the steps of the definition in
   Lisp (stdlib/language/sort.lisp), so that the order's calls and their arguments are the same. */

#include "native.h"

enum { SHORT_RUN = 8 };

/* Whether the order holds between two elements: 1, 0, or -1 with an exception. */
static int is_before(PyObject *before, PyObject *a, PyObject *b) {
    Py_INCREF(a);
    Py_INCREF(b);
    PyObject *result = call_two(before, a, b);
    Py_DECREF(a);
    Py_DECREF(b);
    if (result == NULL) return -1;
    int yes = is_true(result);
    Py_DECREF(result);
    return yes;
}

/* The elements are borrowed from a Python list that nobody else can change. */
static int insert_all(PyObject **items, Py_ssize_t start, Py_ssize_t end, PyObject *before) {
    for (Py_ssize_t i = start + 1; i < end; i++) {
        PyObject *x = items[i];
        Py_ssize_t k = i;
        for (; k > start; k--) {
            int yes = is_before(before, x, items[k - 1]);
            if (yes < 0) return -1;
            if (!yes) break;
            items[k] = items[k - 1];
        }
        items[k] = x;
    }
    return 0;
}

static int merge_parts(PyObject **from, PyObject **to, Py_ssize_t start, Py_ssize_t middle,
                       Py_ssize_t end, PyObject *before) {
    Py_ssize_t left = start, right = middle, k = start;
    while (left < middle && right < end) {
        int yes = is_before(before, from[right], from[left]);
        if (yes < 0) return -1;
        to[k++] = yes ? from[right++] : from[left++];
    }
    while (left < middle) to[k++] = from[left++];
    while (right < end) to[k++] = from[right++];
    return 0;
}

static int sort_part(PyObject **from, PyObject **to, Py_ssize_t start, Py_ssize_t end,
                     PyObject *before) {
    if (end - start <= SHORT_RUN) return insert_all(to, start, end, before);
    Py_ssize_t middle = (start + end) / 2;
    if (sort_part(to, from, start, middle, before) < 0) return -1;
    if (sort_part(to, from, middle, end, before) < 0) return -1;
    return merge_parts(from, to, start, middle, end, before);
}

/* A sorted copy of a Python list, by a procedure. */
static PyObject *sorted_by_calls(PyObject *items, PyObject *before) {
    size_t count = (size_t)PyList_GET_SIZE(items);
    PyObject **from = PyMem_New(PyObject *, count + 1), **to = PyMem_New(PyObject *, count + 1);
    PyObject *result = NULL;
    if (from == NULL || to == NULL) {
        PyErr_NoMemory();
    } else {
        for (size_t i = 0; i < count; i++)
            from[i] = to[i] = PyList_GET_ITEM(items, (Py_ssize_t)i);
        if (sort_part(from, to, 0, (Py_ssize_t)count, before) == 0)
            result = PyList_New((Py_ssize_t)count);
        for (size_t i = 0; result != NULL && i < count; i++)
            PyList_SET_ITEM(result, (Py_ssize_t)i, Py_NewRef(to[i]));
    }
    PyMem_Free(from);
    PyMem_Free(to);
    return result;
}

static int are_plain_numbers(PyObject *items) {
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(items); i++) {
        PyObject *x = PyList_GET_ITEM(items, i);
        if (PyFloat_CheckExact(x)) {
            double value = PyFloat_AS_DOUBLE(x);
            if (value != value) return 0;
        } else if (!PyLong_CheckExact(x)) {
            return 0;
        }
    }
    return 1;
}

static int are_strings(PyObject *items) {
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(items); i++)
        if (!is_string(PyList_GET_ITEM(items, i))) return 0;
    return 1;
}

/* Sorts a Python list of strings by their code points; 0, or -1 with an exception. */
static int sort_strings(PyObject *items) {
    static PyObject *text_of_string;
    if (text_of_string == NULL) text_of_string = python_function("values.values", "TEXT_OF_STRING");
    PyObject *names = text_of_string == NULL ? NULL : Py_BuildValue("{sO}", "key", text_of_string);
    PyObject *none = PyTuple_New(0), *sort = PyObject_GetAttrString(items, "sort");
    PyObject *done = NULL;
    if (names != NULL && none != NULL && sort != NULL) done = PyObject_Call(sort, none, names);
    Py_XDECREF(names);
    Py_XDECREF(none);
    Py_XDECREF(sort);
    Py_XDECREF(done);
    return done == NULL ? -1 : 0;
}

/* sort(before, [items], lisp, less, greater, text_less): the last three are the procedures `<`, `>`
   and `string<?`. */
PyObject *sort(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    (void)count;
    PyObject *before = arguments[0], *box = arguments[1];
    PyObject *given = PyList_GET_ITEM(box, 0), *items = NULL;
    int is_vector = Py_IS_TYPE(given, vector_class);
    if (is_vector) {
        items = PyList_GetSlice(field(given, 0), 0, PY_SSIZE_T_MAX);
    } else {
        items = items_of(NULL, given);
    }
    if (items == NULL) return NULL;
    if (items == Py_None) {
        Py_DECREF(items);
        return PyObject_CallFunctionObjArgs(arguments[2], given, before, NULL);
    }
    Py_DECREF(take(box, 0));
    if ((before == arguments[3] || before == arguments[4]) && are_plain_numbers(items)) {
        /* Reversing twice keeps the order of equal elements. */
        int failed = before == arguments[4] && PyList_Reverse(items) < 0;
        failed = failed || PyList_Sort(items) < 0;
        failed = failed || (before == arguments[4] && PyList_Reverse(items) < 0);
        if (failed) Py_CLEAR(items);
    } else if (before == arguments[5] && are_strings(items)) {
        if (sort_strings(items) < 0) Py_CLEAR(items);
    } else {
        Py_SETREF(items, sorted_by_calls(items, before));
    }
    if (items == NULL) return NULL;
    PyObject *result = is_vector ? PyObject_CallOneArg((PyObject *)vector_class, items)
                                 : list_of(&PyList_GET_ITEM(items, 0), PyList_GET_SIZE(items), nil);
    Py_DECREF(items);
    return result;
}
