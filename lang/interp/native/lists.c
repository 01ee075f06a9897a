/* lists.c - primitives on lists.

   Each function has the arguments of the Python definition in `builtins/`, which is called for
   everything that is not simple: `other_definition` finds it.  So errors are written once. */

#include "native.h"

/* The elements of a Python list or tuple, then the tail. */
PyObject *list_of(PyObject *const *items, Py_ssize_t count, PyObject *rest) {
    PyObject *result = Py_NewRef(rest);
    int free = free_count; /* a loop that uses free pairs only keeps their number in a register */
    while (free > 0 && count > 0)
        result = fill_pair(free_pairs[--free], Py_NewRef(items[--count]), result);
    free_count = free;
    while (count > 0 && result != NULL) result = cons(Py_NewRef(items[--count]), result);
    return result;
}

int add(building *list, PyObject *element) {
    if (element == NULL) return -1;
    PyObject *made = cons(element, NULL);
    if (made == NULL) return -1;
    if (list->first == NULL)
        list->first = made;
    else
        ((structure *)list->last)->fields[CDR] = made;
    list->last = made;
    return 0;
}

PyObject *built(building list, PyObject *rest) {
    if (list.first == NULL) return rest;
    ((structure *)list.last)->fields[CDR] = rest;
    return list.first;
}

static PyObject *lisp_list(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    if (count < 1 || count > 2 ||
        !(PyList_CheckExact(arguments[0]) || PyTuple_CheckExact(arguments[0])))
        return PyErr_Format(PyExc_TypeError, "list_of takes a list or a tuple, and a tail");
    return list_of(PySequence_Fast_ITEMS(arguments[0]), PySequence_Fast_GET_SIZE(arguments[0]),
                   count == 2 ? arguments[1] : nil);
}

/* A walk along a list that may be a cycle.

   One of the list's pairs is remembered, each time twice as far; meeting it again means a cycle. */
typedef struct {
    Py_ssize_t count, next;
    PyObject *remembered;
} walk;

#define NEW_WALK {0, 64, NULL}

/* Whether the next pair of the walk has been met. */
static inline int is_met(walk *walk, PyObject *pair) {
    if (pair == walk->remembered) return 1;
    if (++walk->count == walk->next) {
        walk->remembered = pair;
        walk->next *= 2;
    }
    return 0;
}

/* The number of elements of a proper list; -1 for other values. */
static Py_ssize_t count_elements(PyObject *list) {
    walk walk = NEW_WALK;
    for (; is_pair(list); list = field(list, CDR))
        if (is_met(&walk, list)) return -1;
    return list == nil ? walk.count : -1;
}

enum { MOST_FIRST = 1024 }; /* elements of a list that is walked once; what follows, twice */

PyObject *items_of(PyObject *module, PyObject *list) {
    (void)module;
    PyObject *first[MOST_FIRST], *rest = list;
    Py_ssize_t count = 0;
    for (; count < MOST_FIRST && is_pair(rest); rest = field(rest, CDR))
        first[count++] = Py_NewRef(field(rest, CAR));
    Py_ssize_t more = count_elements(rest);
    PyObject *items = more < 0 ? Py_NewRef(Py_None) : PyList_New(count + more);
    if (items == NULL || more < 0) {
        while (count > 0) Py_DECREF(first[--count]);
        return items;
    }
    memcpy(PySequence_Fast_ITEMS(items), first, (size_t)count * sizeof *first);
    for (Py_ssize_t i = count; i < count + more; i++) {
        PyList_SET_ITEM(items, i, Py_NewRef(field(rest, CAR)));
        rest = field(rest, CDR);
    }
    return items;
}

#define LISTS "builtins.lists"
#define VECTORS "builtins.vectors"

static PyObject *length(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    Py_ssize_t length = count == 1 ? count_elements(arguments[0]) : -1;
    if (length < 0) return other_definition(LISTS, "length", arguments, count);
    return PyLong_FromSsize_t(length);
}

static PyObject *reverse(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    if (count != 1) return other_definition(LISTS, "reverse", arguments, count);
    PyObject *rest = arguments[0], *result = Py_NewRef(nil);
    int free = free_count;
    for (; free > 0 && is_pair(rest); rest = field(rest, CDR))
        result = fill_pair(free_pairs[--free], Py_NewRef(field(rest, CAR)), result);
    free_count = free;
    walk walk = NEW_WALK;
    for (; is_pair(rest) && !is_met(&walk, rest); rest = field(rest, CDR)) {
        result = cons(Py_NewRef(field(rest, CAR)), result);
        if (result == NULL) return NULL;
    }
    if (rest == nil) return result;
    Py_DECREF(result);
    return other_definition(LISTS, "reverse", arguments, count);
}

/* A copy of a proper list in front of a tail, whose reference it takes; NULL without an exception
   if the list is not a proper one. */
static PyObject *copy_before(PyObject *list, PyObject *rest) {
    PyObject *copy = NULL, **end = &copy; /* where the next pair belongs */
    int free = free_count;
    for (; free > 0 && is_pair(list); list = field(list, CDR)) {
        *end = fill_pair(free_pairs[--free], Py_NewRef(field(list, CAR)), NULL);
        end = &((structure *)*end)->fields[CDR];
    }
    free_count = free;
    walk walk = NEW_WALK;
    for (; is_pair(list) && !is_met(&walk, list); list = field(list, CDR)) {
        *end = cons(Py_NewRef(field(list, CAR)), NULL);
        if (*end == NULL) break;
        end = &((structure *)*end)->fields[CDR];
    }
    if (list == nil) {
        *end = rest;
        return copy;
    }
    Py_XDECREF(copy);
    Py_DECREF(rest);
    return NULL;
}

static PyObject *append(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    if (count == 0) return Py_NewRef(nil);
    PyObject *result = Py_NewRef(arguments[count - 1]);
    for (Py_ssize_t i = count - 2; i >= 0 && result != NULL; i--)
        result = copy_before(arguments[i], result);
    if (result != NULL || PyErr_Occurred()) return result;
    return other_definition(LISTS, "append", arguments, count);
}

enum { MOST_STEPS = 1 << 16 };

/* The list after k elements; NULL without an exception if that is not simple. */
static PyObject *after(PyObject *list, PyObject *k) {
    if (!PyLong_CheckExact(k)) return NULL;
    int overflow;
    long steps = PyLong_AsLongAndOverflow(k, &overflow);
    if (overflow || steps < 0 || steps > MOST_STEPS) return NULL; /* perhaps round a cycle */
    for (; steps > 0; steps--) {
        if (!is_pair(list)) return NULL;
        list = field(list, CDR);
    }
    return list;
}

static PyObject *list_ref(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    PyObject *found = count == 2 ? after(arguments[0], arguments[1]) : NULL;
    if (found == NULL || !is_pair(found))
        return other_definition(LISTS, "list_ref", arguments, count);
    return Py_NewRef(field(found, CAR));
}

static PyObject *list_tail(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    PyObject *found = count == 2 ? after(arguments[0], arguments[1]) : NULL;
    if (found == NULL) return other_definition(LISTS, "list_tail", arguments, count);
    return Py_NewRef(found);
}

/* Comparing.  Each returns 1, 0, or -1 with an exception. */

enum equality { SAME, EQUAL };

static int are_equal(enum equality equality, PyObject *a, PyObject *b) {
    if (a == b) return 1;
    PyTypeObject *type = Py_TYPE(a);
    if (type != Py_TYPE(b)) return 0;
    if (type == &PyLong_Type) return PyObject_RichCompareBool(a, b, Py_EQ);
    if (type == string_class)
        return equality == SAME ? 0 : PyUnicode_Compare(field(a, 0), field(b, 0)) == 0;
    if (equality == SAME && (type == pair_class || type == vector_class)) return 0;
    if (type == symbol_class || type == char_class || type == Py_TYPE(nil)) return 0;
    static PyObject *same;
    if (same == NULL) same = python_function("builtins.equality", "same");
    if (same == NULL) return -1;
    PyObject *function = equality == SAME ? same : equal_values;
    PyObject *arguments[] = {a, b};
    PyObject *result = PyObject_Vectorcall(function, arguments, 2, NULL);
    if (result == NULL) return -1;
    int answer = result == Py_True;
    Py_DECREF(result);
    return answer;
}

/* The part of a list that begins with an element equal to x. */
static PyObject *part_with(const char *name, enum equality equality, PyObject *const *arguments,
                           Py_ssize_t count) {
    if (count != 2 || count_elements(arguments[1]) < 0)
        return other_definition(LISTS, name, arguments, count);
    for (PyObject *rest = arguments[1]; rest != nil; rest = field(rest, CDR)) {
        int found = are_equal(equality, arguments[0], field(rest, CAR));
        if (found < 0) return NULL;
        if (found) return Py_NewRef(rest);
    }
    return Py_NewRef(false_value);
}

/* The first pair of an association list whose car is equal to the key. */
static PyObject *entry_of(const char *name, enum equality equality, PyObject *const *arguments,
                          Py_ssize_t count) {
    if (count != 2 || count_elements(arguments[1]) < 0)
        return other_definition(LISTS, name, arguments, count);
    for (PyObject *rest = arguments[1]; rest != nil; rest = field(rest, CDR)) {
        PyObject *entry = field(rest, CAR);
        if (!is_pair(entry)) return other_definition(LISTS, name, arguments, count);
        int found = are_equal(equality, arguments[0], field(entry, CAR));
        if (found < 0) return NULL;
        if (found) return Py_NewRef(entry);
    }
    return Py_NewRef(false_value);
}

static PyObject *memq(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    return part_with("memq", SAME, arguments, count);
}

static PyObject *memv(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    return part_with("memv", SAME, arguments, count);
}

static PyObject *member(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    return part_with("member", EQUAL, arguments, count);
}

static PyObject *assq(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    return entry_of("assq", SAME, arguments, count);
}

static PyObject *assv(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    return entry_of("assv", SAME, arguments, count);
}

static PyObject *assoc(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    return entry_of("assoc", EQUAL, arguments, count);
}

/* Vectors and lists. */

static PyObject *list_to_vector(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    PyObject *items = count == 1 ? items_of(module, arguments[0]) : Py_NewRef(Py_None);
    if (items == NULL) return NULL;
    if (items == Py_None) {
        Py_DECREF(items);
        return other_definition(VECTORS, "list_to_vector", arguments, count);
    }
    PyObject *made = PyObject_CallOneArg((PyObject *)vector_class, items);
    Py_DECREF(items);
    return made;
}

static PyObject *vector_to_list(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    int is_whole = count == 1 || (count == 3 && PyLong_CheckExact(arguments[1]) &&
                                  PyObject_IsTrue(arguments[1]) == 0 && arguments[2] == false_value);
    if (!is_whole || !Py_IS_TYPE(arguments[0], vector_class))
        return other_definition(VECTORS, "vector_to_list", arguments, count);
    PyObject *items = field(arguments[0], 0);
    return list_of(PySequence_Fast_ITEMS(items), PyList_GET_SIZE(items), nil);
}

/* spread((x, ..., list)): the tuple of the arguments and the elements. */
static PyObject *spread(PyObject *module, PyObject *arguments) {
    (void)module;
    Py_ssize_t before = PyTuple_GET_SIZE(arguments) - 1;
    PyObject *rest = PyTuple_GET_ITEM(arguments, before);
    Py_ssize_t count = count_elements(rest);
    if (count < 0) return other_definition("binding", "spread", &arguments, 1);
    PyObject *made = PyTuple_New(before + count);
    if (made == NULL) return NULL;
    for (Py_ssize_t i = 0; i < before; i++)
        PyTuple_SET_ITEM(made, i, Py_NewRef(PyTuple_GET_ITEM(arguments, i)));
    for (Py_ssize_t i = before; i < before + count; i++) {
        PyTuple_SET_ITEM(made, i, Py_NewRef(field(rest, CAR)));
        rest = field(rest, CDR);
    }
    return made;
}

PyMethodDef list_methods[] = {
    FAST_AS("list_of", lisp_list),
    {"items_of", items_of, METH_O, NULL},
    {"spread", spread, METH_O, NULL},
    FAST(length),
    FAST(reverse),
    FAST(append),
    FAST(list_ref),
    FAST(list_tail),
    FAST(memq),
    FAST(memv),
    FAST(member),
    FAST(assq),
    FAST(assv),
    FAST(assoc),
    FAST(list_to_vector),
    FAST(vector_to_list),
    {NULL, NULL, 0, NULL},
};
