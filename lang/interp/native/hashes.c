/* hashes.c - hash tables by equal? and eqv?, for the keys that Python hashes as they are.

   A table's `entries` is a Python dictionary; `builtins/hashes.py` says from which keys to what.
   Tables with their own equivalence, other keys and errors are left to the other definitions. */

#include "native.h"

enum { BY_IDENTITY = 0, ENTRIES = 1, KEYING = 2, EQUIVALENCE = 3 }; /* the fields of a table */

#define HASHES "builtins.hashes"

/* The Python key of a key, borrowed; NULL if the other definition must find it. */
static PyObject *simple_key(PyObject *table, PyObject *key) {
    if (!Py_IS_TYPE(table, table_class) || field(table, KEYING) != Py_None) return NULL;
    PyTypeObject *type = Py_TYPE(key);
    if (type == string_class) return field(table, BY_IDENTITY) == Py_True ? key : field(key, 0);
    if (type == symbol_class || type == char_class || type == &PyLong_Type) return key;
    return NULL;
}

/* The value of a key, borrowed; NULL without an exception if the table lacks it. */
static PyObject *value_of(PyObject *table, PyObject *python_key) {
    PyObject *entry = PyDict_GetItemWithError(field(table, ENTRIES), python_key);
    return entry == NULL ? NULL : PyTuple_GET_ITEM(entry, 1);
}

/* An existing key remains the same object; 0, or -1 with an exception. */
static int store(PyObject *table, PyObject *python_key, PyObject *key, PyObject *value) {
    PyObject *entries = field(table, ENTRIES), *entry = PyTuple_New(2);
    if (entry == NULL) return -1;
    PyTuple_SET_ITEM(entry, 0, Py_NewRef(key));
    PyTuple_SET_ITEM(entry, 1, Py_NewRef(value));
    PyObject *there = PyDict_SetDefault(entries, python_key, entry);
    int failed = there == NULL ? -1 : 0;
    if (there != NULL && there != entry) {
        PyTuple_SET_ITEM(entry, 0, Py_NewRef(PyTuple_GET_ITEM(there, 0)));
        Py_DECREF(key);
        failed = PyDict_SetItem(entries, python_key, entry);
    }
    Py_DECREF(entry);
    return failed;
}

/* Both return NULL, perhaps without an exception: then the other definition does it. */

/* (table key value) */
static PyObject *stored(PyObject *const *arguments, Py_ssize_t count) {
    PyObject *key = count == 3 ? simple_key(arguments[0], arguments[1]) : NULL;
    if (key != NULL && store(arguments[0], key, arguments[1], arguments[2]) == 0)
        return Py_NewRef(unspecified);
    if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_MemoryError)) return NULL;
    PyErr_Clear();
    return NULL;
}

/* (table key) */
static PyObject *contains(PyObject *const *arguments, Py_ssize_t count) {
    PyObject *key = count == 2 ? simple_key(arguments[0], arguments[1]) : NULL;
    if (key == NULL) return NULL;
    int found = PyDict_Contains(field(arguments[0], ENTRIES), key);
    return found < 0 ? NULL : Py_NewRef(found ? true_value : false_value);
}

/* The primitives. */

static PyObject *hash_ref(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    PyObject *key = count >= 2 ? simple_key(arguments[0], arguments[1]) : NULL;
    PyObject *found = key == NULL ? NULL : value_of(arguments[0], key);
    if (found != NULL) return Py_NewRef(found);
    if (PyErr_Occurred()) return NULL;
    if (key != NULL && count == 3 && arguments[2] != absent) return Py_NewRef(arguments[2]);
    return other_definition(HASHES, "hash_ref", arguments, count);
}

static PyObject *hash_set(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    PyObject *done = stored(arguments, count);
    if (done != NULL || PyErr_Occurred()) return done;
    return other_definition(HASHES, "hash_set", arguments, count);
}

static PyObject *hash_has_key(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    PyObject *found = contains(arguments, count);
    if (found != NULL || PyErr_Occurred()) return found;
    return other_definition(HASHES, "hash_has_key", arguments, count);
}

/* (table keys value) */
static PyObject *add_keys(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    PyObject *table = arguments[0], *rest = Py_NewRef(arguments[1]);
    while (count == 3 && is_pair(rest)) {
        PyObject *key = simple_key(table, field(rest, CAR));
        if (key == NULL) break;
        if (store(table, key, field(rest, CAR), arguments[2]) < 0 || poll_sometimes() < 0) {
            Py_DECREF(rest);
            return NULL;
        }
        PyObject *next = Py_NewRef(field(rest, CDR));
        Py_SETREF(rest, next);
    }
    PyObject *others[] = {table, rest, count == 3 ? arguments[2] : NULL};
    PyObject *result = Py_NewRef(rest);
    if (rest != nil) Py_SETREF(result, other_definition(HASHES, "add_keys", others, count));
    Py_DECREF(rest);
    return result;
}

/* Whether both tables are searched in the same way, and so that their Python keys are. */
static int are_alike(PyObject *table, PyObject *other) {
    return Py_IS_TYPE(table, table_class) && Py_IS_TYPE(other, table_class) &&
           field(table, KEYING) == Py_None && field(other, KEYING) == Py_None &&
           field(table, BY_IDENTITY) == field(other, BY_IDENTITY) &&
           field(table, EQUIVALENCE) == field(other, EQUIVALENCE);
}

/* (table other) */
static PyObject *unite_tables(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    if (count != 2 || !are_alike(arguments[0], arguments[1]))
        return other_definition(HASHES, "unite_tables", arguments, count);
    enum { KEEP_OWN = 0 };
    if (PyDict_Merge(field(arguments[0], ENTRIES), field(arguments[1], ENTRIES), KEEP_OWN) < 0)
        return NULL;
    return Py_NewRef(true_value);
}

/* A Python dictionary; NULL with an exception. */
static PyObject *selected(PyObject *entries, PyObject *others, int kept) {
    PyObject *result = PyDict_New(), *key, *entry;
    Py_ssize_t at = 0;
    while (result != NULL && PyDict_Next(entries, &at, &key, &entry)) {
        int there = PyDict_Contains(others, key);
        if (there < 0 || (there == kept && PyDict_SetItem(result, key, entry) < 0))
            Py_CLEAR(result);
    }
    return result;
}

/* (table other kept?) */
static PyObject *selected_keys(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    if (count != 3 || !are_alike(arguments[0], arguments[1]))
        return other_definition(HASHES, "selected_keys", arguments, count);
    PyObject *table = arguments[0];
    PyObject *entries = selected(field(table, ENTRIES), field(arguments[1], ENTRIES),
                                 arguments[2] != false_value);
    if (entries == NULL) return NULL;
    PyObject *fields[] = {field(table, BY_IDENTITY), entries, Py_None, field(table, EQUIVALENCE)};
    PyObject *made = PyObject_Vectorcall((PyObject *)table_class, fields, 4, NULL);
    Py_DECREF(entries);
    return made;
}

/* Procedures of the library.  `lisp` is the definition in Lisp. */

static PyObject *in_lisp(PyObject *lisp, PyObject *const *arguments, Py_ssize_t count) {
    return after_tail_call(PyObject_Vectorcall(lisp, arguments, (size_t)count, NULL));
}

/* (table key default) */
static PyObject *table_ref(PyObject *lisp, PyObject *const *arguments, Py_ssize_t count) {
    PyObject *key = count == 3 ? simple_key(arguments[0], arguments[1]) : NULL;
    if (key == NULL) return in_lisp(lisp, arguments, count);
    PyObject *found = value_of(arguments[0], key);
    if (found == NULL && PyErr_Occurred()) return NULL;
    return Py_NewRef(found == NULL ? arguments[2] : found);
}

/* (table key value) */
static PyObject *table_set(PyObject *lisp, PyObject *const *arguments, Py_ssize_t count) {
    PyObject *done = stored(arguments, count);
    return done != NULL || PyErr_Occurred() ? done : in_lisp(lisp, arguments, count);
}

/* (table key) */
static PyObject *table_has(PyObject *lisp, PyObject *const *arguments, Py_ssize_t count) {
    PyObject *found = contains(arguments, count);
    return found != NULL || PyErr_Occurred() ? found : in_lisp(lisp, arguments, count);
}

/* The same of the library's own procedures, whose first argument is a name for messages. */

static PyObject *named_ref(PyObject *lisp, PyObject *const *arguments, Py_ssize_t count) {
    PyObject *key = count == 4 ? simple_key(arguments[1], arguments[2]) : NULL;
    if (key == NULL) return in_lisp(lisp, arguments, count);
    PyObject *found = value_of(arguments[1], key);
    if (found == NULL && PyErr_Occurred()) return NULL;
    return Py_NewRef(found == NULL ? arguments[3] : found);
}

static PyObject *named_set(PyObject *lisp, PyObject *const *arguments, Py_ssize_t count) {
    PyObject *done = stored(arguments + 1, count - 1);
    return done != NULL || PyErr_Occurred() ? done : in_lisp(lisp, arguments, count);
}

static PyObject *named_has(PyObject *lisp, PyObject *const *arguments, Py_ssize_t count) {
    PyObject *found = contains(arguments + 1, count - 1);
    return found != NULL || PyErr_Occurred() ? found : in_lisp(lisp, arguments, count);
}

/* (table key f), and maybe the value if the table lacks the key */
static PyObject *table_update(PyObject *lisp, PyObject *const *arguments, Py_ssize_t count) {
    PyObject *key = count == 3 || count == 4 ? simple_key(arguments[0], arguments[1]) : NULL;
    PyObject *value = key == NULL ? NULL : value_of(arguments[0], key);
    if (value == NULL && PyErr_Occurred()) return NULL;
    if (value == NULL && key != NULL && count == 4) value = arguments[3];
    if (value == NULL) return in_lisp(lisp, arguments, count);
    Py_INCREF(value); /* the procedure may remove the key */
    PyObject *changed = call_one(arguments[2], value);
    Py_DECREF(value);
    if (changed == NULL) return NULL;
    int failed = store(arguments[0], key, arguments[1], changed);
    Py_DECREF(changed);
    return failed ? NULL : Py_NewRef(unspecified);
}

/* (table f): changes of the table do not affect on which keys f is called. */
static PyObject *table_for_each(PyObject *lisp, PyObject *const *arguments, Py_ssize_t count) {
    if (count != 2 || !Py_IS_TYPE(arguments[0], table_class))
        return in_lisp(lisp, arguments, count);
    PyObject *entries = PyDict_Values(field(arguments[0], ENTRIES));
    if (entries == NULL) return NULL;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(entries); i++) {
        PyObject *entry = take(entries, i);
        PyObject *result =
            call_two(arguments[1], PyTuple_GET_ITEM(entry, 0), PyTuple_GET_ITEM(entry, 1));
        Py_DECREF(entry);
        if (result == NULL) {
            Py_DECREF(entries);
            return NULL;
        }
        Py_DECREF(result);
    }
    Py_DECREF(entries);
    return Py_NewRef(unspecified);
}

PyMethodDef hash_methods[] = {
    FAST(hash_ref), FAST(hash_set), FAST(hash_has_key), FAST(add_keys), FAST(unite_tables),
    FAST(selected_keys), {NULL, NULL, 0, NULL}};

static PyMethodDef with_lisp[] = {
    FAST(table_ref), FAST(table_set), FAST(table_has), FAST(table_update), FAST(table_for_each),
    FAST(named_ref), FAST(named_set), FAST(named_has),
    FAST(tree_found), FAST(tree_inserted),
    {NULL, NULL, 0, NULL},
};

/* with_definition(name, lisp): a function of this file that knows its definition in Lisp. */
PyObject *with_definition(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    (void)count;
    for (PyMethodDef *method = with_lisp; method->ml_name != NULL; method++)
        if (PyUnicode_CompareWithASCIIString(arguments[0], method->ml_name) == 0)
            return PyCFunction_New(method, arguments[1]);
    return PyErr_Format(PyExc_LookupError, "no function %U", arguments[0]);
}
