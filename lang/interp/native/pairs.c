/* pairs.c - pairs, which are created and freed more often than all other objects.

   Freed pairs wait in a list, so that a new one need not be allocated.

   A new pair is young: Python's collector does not know it.  It learns of all young pairs when a
   collection begins, or when there are many.  Most pairs are free by then, and linking each with
   the collector's objects, and unlinking it, would take half of its time.

   So a pair is young, or tracked, or free.  A young pair that is freed stays in the array, too, and
   may be there several times; its memory is ours until the array has been emptied. */

#include "native.h"

enum { MOST_KEPT = 4096 };

PyObject *kept_pairs; /* linked by their first fields */
int kept_count;
PyObject *young_pairs[MOST_YOUNG];
int young_count;

static void track_young_pairs(void) {
    int count = young_count;
    young_count = 0;
    for (int i = 0; i < count; i++) {
        PyObject *pair = young_pairs[i];
        if (Py_REFCNT(pair) > 0 && !PyObject_GC_IsTracked(pair)) PyObject_GC_Track(pair);
    }
    while (kept_count > MOST_KEPT) {
        PyObject *pair = kept_pairs;
        kept_pairs = field(pair, CAR);
        kept_count--;
        PyObject_GC_Del(pair);
        Py_DECREF(pair_class);
    }
}

PyObject *cons_slowly(PyObject *car, PyObject *cdr) {
    if (young_count == MOST_YOUNG) track_young_pairs();
    if (kept_pairs != NULL) return cons(car, cdr);
    structure *made = PyObject_GC_New(structure, pair_class); /* a collection may begin here */
    if (made == NULL) {
        Py_DECREF(car);
        Py_XDECREF(cdr);
        return NULL;
    }
    made->fields[CAR] = car;
    made->fields[CDR] = cdr;
    young_pairs[young_count++] = (PyObject *)made;
    return (PyObject *)made;
}

static void free_pair(PyObject *pair, int tracked) {
    if (tracked && kept_count >= MOST_KEPT) {
        PyObject_GC_Del(pair);
        Py_DECREF(pair_class);
        return;
    }
    ((structure *)pair)->fields[CAR] = kept_pairs; /* it keeps the reference to its class */
    kept_pairs = pair;
    kept_count++;
}

/* Whether the pair was tracked, if that matters. */
static int untrack(PyObject *pair) {
    int tracked = kept_count >= MOST_KEPT && PyObject_GC_IsTracked(pair);
    PyObject_GC_UnTrack(pair);
    return tracked;
}

/* A loop along the list: however long it is, it takes no stack. */
void drop_pair(PyObject *pair) {
    int tracked = untrack(pair);
    Py_TRASHCAN_BEGIN(pair, drop_pair)
    for (;;) {
        PyObject *rest = field(pair, CDR);
        Py_XDECREF(field(pair, CAR));
        free_pair(pair, tracked);
        if (rest == NULL || !is_pair(rest) || Py_REFCNT(rest) != 1) {
            Py_XDECREF(rest);
            break;
        }
        pair = rest;
        tracked = untrack(pair);
        Py_SET_REFCNT(pair, 0);
    }
    Py_TRASHCAN_END
}

PyObject *call_pair_class(PyObject *type, PyObject *const *arguments, size_t flags,
                          PyObject *names) {
    if (PyVectorcall_NARGS(flags) != 2 || names != NULL)
        return call_class(type, arguments, flags, names);
    return cons(Py_NewRef(arguments[0]), Py_NewRef(arguments[1]));
}

/* collection_begins(phase, details): Python calls it at the start and at the end of each. */
static PyObject *collection_begins(PyObject *module, arguments_of_call arguments,
                                   Py_ssize_t count) {
    (void)module;
    (void)arguments;
    (void)count;
    track_young_pairs();
    Py_RETURN_NONE;
}

PyMethodDef pair_methods[] = {
    FAST(collection_begins),
    {NULL, NULL, 0, NULL},
};
