/* procedures.c - procedures of the library that call procedures.

   Each function receives the procedure to call, a Python list that carries the other arguments (so
   that no frame holds a list while its elements are freed on the way), and the definition in Lisp,
   which it calls for what is not simple.  It reads the fields of a pair in the order in which the
   Lisp definition does: the procedure may change the list. */

#include "native.h"

/* The result of the definition in Lisp.  before: the arguments in front of those in the box. */
static PyObject *in_lisp(PyObject *lisp, PyObject *procedure, PyObject *box) {
    Py_ssize_t count = PyList_GET_SIZE(box);
    PyObject *arguments = PyTuple_New(count + 1);
    if (arguments == NULL) return NULL;
    PyTuple_SET_ITEM(arguments, 0, Py_NewRef(procedure));
    for (Py_ssize_t i = 0; i < count; i++) PyTuple_SET_ITEM(arguments, i + 1, take(box, i));
    PyObject *result = PyObject_CallObject(lisp, arguments);
    Py_DECREF(arguments);
    return after_tail_call(result);
}

/* Raises the error for the end of a list that is improper; takes the reference to the end. */
static PyObject *improper(const char *who, PyObject *end) {
    static PyObject *wrong_type;
    if (wrong_type == NULL) wrong_type = python_function("errors.faults", "wrong_type");
    if (wrong_type != NULL)
        Py_XDECREF(PyObject_CallFunction(wrong_type, "ssO", who, "a list", end));
    Py_DECREF(end);
    return NULL;
}

/* The function of a method table that is a call of another. */
#define ENTRY(name, called)                                                                     \
    static PyObject *name(PyObject *module, arguments_of_call arguments, Py_ssize_t count) {    \
        (void)module;                                                                           \
        (void)count;                                                                            \
        return called;                                                                          \
    }

/* Replaces a variable that holds a reference to a pair by its cdr. */
static inline void advance(PyObject **rest) {
    PyObject *next = Py_NewRef(field(*rest, CDR));
    Py_SETREF(*rest, next);
}

/* map */

static PyObject *map_one(PyObject *f, PyObject *rest) {
    building done = {NULL, NULL};
    while (is_pair(rest)) {
        PyObject *element = Py_NewRef(field(rest, CAR));
        advance(&rest);
        int failed = add(&done, call_one(f, element));
        Py_DECREF(element);
        if (failed) {
            Py_DECREF(rest);
            Py_XDECREF(done.first);
            return NULL;
        }
    }
    if (rest != nil) {
        Py_XDECREF(done.first);
        return improper("map", rest);
    }
    return built(done, rest);
}

/* Raises the error for the first of two ends that is not one of a list; 0 if there is none.  At
   least one of the two is not a pair.  It takes the references. */
static int check_ends(const char *who, PyObject *end, PyObject *other) {
    PyObject *bad = NULL;
    if (!is_pair(end)) {
        bad = end == nil ? NULL : end;
    } else if (other != nil) {
        bad = other;
    }
    Py_XINCREF(bad);
    Py_DECREF(end);
    Py_DECREF(other);
    if (bad == NULL) return 0;
    improper(who, bad);
    return -1;
}

static PyObject *map_two(PyObject *f, PyObject *rest, PyObject *other) {
    building done = {NULL, NULL};
    while (is_pair(rest) && is_pair(other)) {
        PyObject *element = Py_NewRef(field(rest, CAR)), *second = Py_NewRef(field(other, CAR));
        advance(&rest);
        advance(&other);
        int failed = add(&done, call_two(f, element, second));
        Py_DECREF(element);
        Py_DECREF(second);
        if (failed) {
            Py_DECREF(rest);
            Py_DECREF(other);
            Py_XDECREF(done.first);
            return NULL;
        }
    }
    if (check_ends("map", rest, other) < 0) {
        Py_XDECREF(done.first);
        return NULL;
    }
    return built(done, Py_NewRef(nil));
}

static PyObject *map(PyObject *module, arguments_of_call arguments, Py_ssize_t count) {
    (void)module;
    (void)count;
    PyObject *f = arguments[0], *box = arguments[1];
    switch (PyList_GET_SIZE(box)) {
        case 1: return map_one(f, take(box, 0));
        case 2: return map_two(f, take(box, 0), take(box, 1));
        default: return in_lisp(arguments[2], f, box);
    }
}

/* for-each */

static PyObject *for_each_one(PyObject *f, PyObject *rest) {
    while (is_pair(rest)) {
        PyObject *element = Py_NewRef(field(rest, CAR));
        PyObject *result = call_one(f, element);
        Py_DECREF(element);
        if (result == NULL) {
            Py_DECREF(rest);
            return NULL;
        }
        Py_DECREF(result);
        advance(&rest);
    }
    if (rest != nil) return improper("for-each", rest);
    Py_DECREF(rest);
    return Py_NewRef(unspecified);
}

static PyObject *for_each_two(PyObject *f, PyObject *rest, PyObject *other) {
    while (is_pair(rest) && is_pair(other)) {
        PyObject *element = Py_NewRef(field(rest, CAR)), *second = Py_NewRef(field(other, CAR));
        PyObject *result = call_two(f, element, second);
        Py_DECREF(element);
        Py_DECREF(second);
        if (result == NULL) {
            Py_DECREF(rest);
            Py_DECREF(other);
            return NULL;
        }
        Py_DECREF(result);
        advance(&rest);
        advance(&other);
    }
    return check_ends("for-each", rest, other) < 0 ? NULL : Py_NewRef(unspecified);
}

static PyObject *for_each(PyObject *module, arguments_of_call arguments, Py_ssize_t count) {
    (void)module;
    (void)count;
    PyObject *f = arguments[0], *box = arguments[1];
    switch (PyList_GET_SIZE(box)) {
        case 1: return for_each_one(f, take(box, 0));
        case 2: return for_each_two(f, take(box, 0), take(box, 1));
        default: return in_lisp(arguments[2], f, box);
    }
}

/* Folds: f, and in the box the initial value and the lists. */

static PyObject *fold_with(const char *who, int element_first, arguments_of_call arguments) {
    PyObject *f = arguments[0], *box = arguments[1];
    if (PyList_GET_SIZE(box) != 2) return in_lisp(arguments[2], f, box);
    PyObject *result = take(box, 0), *rest = take(box, 1);
    while (is_pair(rest)) {
        PyObject *element = Py_NewRef(field(rest, CAR));
        advance(&rest);
        PyObject *next = element_first ? call_two(f, element, result)
                                       : call_two(f, result, element);
        Py_DECREF(element);
        Py_DECREF(result);
        result = next;
        if (result == NULL) {
            Py_DECREF(rest);
            return NULL;
        }
    }
    if (rest != nil) {
        Py_DECREF(result);
        return improper(who, rest);
    }
    Py_DECREF(rest);
    return result;
}

ENTRY(fold, fold_with("fold", 1, arguments))
ENTRY(fold_left, fold_with("fold-left", 0, arguments))

/* Searches and choices: of one list; the pair is alive during the call, and read again after it. */

enum choice { KEEP, DROP };

static PyObject *choose(const char *who, enum choice choice, arguments_of_call arguments) {
    PyObject *f = arguments[0], *rest = take(arguments[1], 0);
    building kept = {NULL, NULL};
    while (is_pair(rest)) {
        PyObject *element = Py_NewRef(field(rest, CAR)), *next = Py_NewRef(field(rest, CDR));
        PyObject *result = call_one(f, element);
        Py_DECREF(element);
        int yes = result == NULL ? -1 : is_true(result);
        Py_XDECREF(result);
        if (yes < 0 || (yes == (choice == KEEP) && add(&kept, Py_NewRef(field(rest, CAR))))) {
            Py_DECREF(rest);
            Py_DECREF(next);
            Py_XDECREF(kept.first);
            return NULL;
        }
        Py_SETREF(rest, next);
    }
    if (rest != nil) {
        Py_XDECREF(kept.first);
        return improper(who, rest);
    }
    return built(kept, rest);
}

ENTRY(filter, choose("filter", KEEP, arguments))
ENTRY(remove_, choose("remove", DROP, arguments))

enum search { ANY, EVERY, FIND };

static PyObject *search(const char *who, enum search search, arguments_of_call arguments) {
    PyObject *f = arguments[0], *box = arguments[1];
    if (PyList_GET_SIZE(box) != 1) return in_lisp(arguments[2], f, box);
    PyObject *rest = take(box, 0);
    PyObject *last = Py_NewRef(search == EVERY ? true_value : false_value);
    while (is_pair(rest)) {
        PyObject *element = Py_NewRef(field(rest, CAR));
        PyObject *result = call_one(f, element);
        Py_DECREF(element);
        int yes = result == NULL ? -1 : is_true(result);
        if (yes == (search == EVERY)) {
            if (search == EVERY)
                Py_SETREF(last, result);
            else
                Py_DECREF(result); /* which may be a tensor that counts as false */
            advance(&rest);
            continue;
        }
        if (yes < 0)
            Py_CLEAR(result);
        else if (search == FIND)
            Py_SETREF(result, Py_NewRef(field(rest, CAR)));
        else if (search == EVERY)
            Py_SETREF(result, Py_NewRef(false_value));
        Py_DECREF(last);
        Py_DECREF(rest);
        return result;
    }
    if (rest != nil) {
        Py_DECREF(last);
        return improper(who, rest);
    }
    Py_DECREF(rest);
    return last;
}

ENTRY(any, search("any", ANY, arguments))
ENTRY(every, search("every", EVERY, arguments))
ENTRY(find, search("find", FIND, arguments))

/* Vectors and strings: of one. */

static int holds_one(PyObject *box, PyTypeObject *type) {
    return PyList_GET_SIZE(box) == 1 && Py_IS_TYPE(PyList_GET_ITEM(box, 0), type);
}

static PyObject *vector_for_each(PyObject *module, arguments_of_call arguments, Py_ssize_t count) {
    (void)module;
    (void)count;
    PyObject *f = arguments[0], *box = arguments[1];
    if (!holds_one(box, vector_class)) return in_lisp(arguments[2], f, box);
    PyObject *items = field(PyList_GET_ITEM(box, 0), 0);
    Py_ssize_t size = PyList_GET_SIZE(items);
    for (Py_ssize_t k = 0; k < size && k < PyList_GET_SIZE(items); k++) {
        PyObject *element = Py_NewRef(PyList_GET_ITEM(items, k));
        PyObject *result = call_one(f, element);
        Py_DECREF(element);
        if (result == NULL) return NULL;
        Py_DECREF(result);
    }
    return Py_NewRef(unspecified);
}

static PyObject *vector_map(PyObject *module, arguments_of_call arguments, Py_ssize_t count) {
    (void)module;
    (void)count;
    PyObject *f = arguments[0], *box = arguments[1];
    if (!holds_one(box, vector_class)) return in_lisp(arguments[2], f, box);
    PyObject *items = field(PyList_GET_ITEM(box, 0), 0);
    PyObject *results = PyList_New(0);
    Py_ssize_t size = PyList_GET_SIZE(items);
    for (Py_ssize_t k = 0; results != NULL && k < size && k < PyList_GET_SIZE(items); k++) {
        PyObject *element = Py_NewRef(PyList_GET_ITEM(items, k));
        PyObject *result = call_one(f, element);
        Py_DECREF(element);
        if (result == NULL || PyList_Append(results, result) < 0) Py_CLEAR(results);
        Py_XDECREF(result);
    }
    if (results == NULL) return NULL;
    PyObject *made = PyObject_CallOneArg((PyObject *)vector_class, results);
    Py_DECREF(results);
    return made;
}

static PyObject *string_for_each(PyObject *module, arguments_of_call arguments, Py_ssize_t count) {
    (void)module;
    (void)count;
    PyObject *f = arguments[0], *box = arguments[1];
    if (!holds_one(box, string_class)) return in_lisp(arguments[2], f, box);
    PyObject *text = field(PyList_GET_ITEM(box, 0), 0); /* strings do not change */
    Py_ssize_t size = PyUnicode_GET_LENGTH(text);
    for (Py_ssize_t k = 0; k < size; k++) {
        PyObject *element = character_at(text, k);
        PyObject *result = element == NULL ? NULL : call_one(f, element);
        Py_XDECREF(element);
        if (result == NULL) return NULL;
        Py_DECREF(result);
    }
    return Py_NewRef(unspecified);
}

PyMethodDef procedure_methods[] = {
    FAST(map),
    FAST(for_each),
    FAST(fold),
    FAST(fold_left),
    FAST(filter),
    FAST_AS("remove", remove_),
    FAST(any),
    FAST(every),
    FAST(find),
    FAST(vector_map),
    FAST(vector_for_each),
    FAST(string_for_each),
    {NULL, NULL, 0, NULL},
};
