/* pairs.c - pairs, which are created and freed more often than all other objects.

   A new pair is young: Python's collector does not know it.  It learns of all young pairs when a
   collection begins, or when there are many.  Most pairs are free by then, and linking each with
   the collector's objects, and unlinking it, would take half of its time.

   Freed pairs are kept, so that a new one need not be allocated.  Our own pairs are those that are
   young or free.  They are listed, so a pair that is freed and made again, as most are, takes no
   more than a place among the free ones. */

#include "native.h"

static PyObject *own_pairs[MOST_OWN];
static int own_count;
PyObject *free_pairs[MOST_OWN + AHEAD]; /* the first free_count; all of them are our own */
int free_count;

static void track_young_pairs(void) {
    int young = own_count - free_count;
    for (int i = 0; young > 0; i++) {
        if (Py_REFCNT(own_pairs[i]) == 0) continue;
        PyObject_GC_Track(own_pairs[i]);
        young--;
    }
    memcpy(own_pairs, free_pairs, (size_t)free_count * sizeof *free_pairs);
    own_count = free_count;
}

PyObject *cons_slowly(PyObject *car, PyObject *cdr) {
    structure *made = PyObject_GC_New(structure, pair_class); /* a collection may begin here */
    if (made == NULL) {
        Py_DECREF(car);
        Py_XDECREF(cdr);
        return NULL;
    }
    made->fields[CAR] = car;
    made->fields[CDR] = cdr;
    if (own_count == MOST_OWN) track_young_pairs();
    if (own_count == MOST_OWN) /* the collection has freed so many */
        PyObject_GC_Track(made);
    else
        own_pairs[own_count++] = (PyObject *)made;
    return (PyObject *)made;
}

/* PyObject_GC_IsTracked, whose call would take as long as the rest of what a free does. */
static inline int is_tracked(PyObject *pair) {
#if PY_VERSION_HEX < 0x030E0000 && !defined Py_GIL_DISABLED
    const uintptr_t *links = (const uintptr_t *)pair - 2; /* to the next object and the previous */
    return links[0] != 0;
#else
    return PyObject_GC_IsTracked(pair);
#endif
}

/* Frees the memory of a pair that the collector knows.  It becomes ours if there is room. */
static void free_tracked_pair(PyObject *pair) {
    PyObject_GC_UnTrack(pair);
    if (own_count == MOST_OWN) {
        PyObject_GC_Del(pair);
        Py_DECREF(pair_class);
        return;
    }
    own_pairs[own_count++] = pair;
    free_pairs[free_count++] = pair; /* it keeps the reference to its class */
}

/* Whether a list has a pair, and nobody else refers to it. */
static inline int is_last_reference(PyObject *list) {
    return list != NULL && is_pair(list) && Py_REFCNT(list) == 1;
}

/* A loop along the list: however long it is, it takes no stack. */
static void drop_list(PyObject *pair) {
    int free = free_count; /* in a register, except while something else may run */
    for (;;) {
        PyObject *car = field(pair, CAR), *rest = field(pair, CDR);
        if (is_tracked(pair)) {
            free_count = free;
            free_tracked_pair(pair);
            free = free_count;
        } else {
            /* A list that was built from its end had its first pairs from there. */
            __builtin_prefetch(free_pairs[free + AHEAD], 1);
            free_pairs[free++] = pair;
        }
        if (car != NULL && Py_REFCNT(car) == 1) {
            free_count = free;
            Py_DECREF(car);
            free = free_count;
        } else {
            Py_XDECREF(car);
        }
        if (!is_last_reference(rest)) {
            free_count = free;
            Py_XDECREF(rest);
            return;
        }
        pair = rest;
        Py_SET_REFCNT(pair, 0);
    }
}

/* Frees inside of frees take stack.  Where they are too deep, the pairs of a list wait, each with
   its car: they live again, in a list of their own. */
enum { MOST_NESTED = 50 };
static int nested;
static PyObject *waiting;

static void let_list_wait(PyObject *pair) {
    for (;;) {
        PyObject *rest = field(pair, CDR);
        Py_SET_REFCNT(pair, 1);
        ((structure *)pair)->fields[CDR] = waiting;
        waiting = pair;
        if (!is_last_reference(rest)) {
            Py_XDECREF(rest);
            return;
        }
        pair = rest;
    }
}

void drop_pair(PyObject *pair) {
    if (nested == MOST_NESTED) {
        let_list_wait(pair);
        return;
    }
    nested++;
    drop_list(pair);
    while (nested == 1 && waiting != NULL) {
        PyObject *next = waiting;
        waiting = field(next, CDR);
        ((structure *)next)->fields[CDR] = NULL;
        Py_SET_REFCNT(next, 0);
        drop_list(next);
    }
    nested--;
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
