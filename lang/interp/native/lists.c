/* lists.c - primitives on lists.

   Each function has the arguments of the Python definition in `builtins/`, which is called for
   everything that is not simple: `other_definition` finds it.  So errors are written once. */

#include "native.h"

/* The elements of a Python list or tuple, then the tail. */
PyObject *list_of(PyObject *const *items, Py_ssize_t count, PyObject *rest) {
    PyObject *result = Py_NewRef(rest);
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

PyObject *items_of(PyObject *module, PyObject *list) {
    (void)module;
    Py_ssize_t count = count_elements(list);
    if (count < 0) Py_RETURN_NONE;
    PyObject *items = PyList_New(count);
    for (Py_ssize_t i = 0; items != NULL && i < count; i++) {
        PyList_SET_ITEM(items, i, Py_NewRef(field(list, CAR)));
        list = field(list, CDR);
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
    walk walk = NEW_WALK;
    PyObject *rest = count == 1 ? arguments[0] : NULL, *result = Py_NewRef(nil);
    for (; rest != NULL && is_pair(rest) && !is_met(&walk, rest); rest = field(rest, CDR)) {
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
    building copy = {NULL, NULL};
    walk walk = NEW_WALK;
    int failed = 0;
    for (; is_pair(list) && !failed && !is_met(&walk, list); list = field(list, CDR))
        failed = add(&copy, Py_NewRef(field(list, CAR))) < 0;
    if (!failed && list == nil) return built(copy, rest);
    Py_XDECREF(copy.first);
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

/* The list after k elements; NULL without an exception if that is not simple. */
static PyObject *after(PyObject *list, PyObject *k) {
    if (!PyLong_CheckExact(k)) return NULL;
    int overflow;
    long steps = PyLong_AsLongAndOverflow(k, &overflow);
    if (overflow || steps < 0) return NULL;
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
    if (type == Py_TYPE(nil) || type == char_class) return 0;
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

PyMethodDef list_methods[] = {
    FAST_AS("list_of", lisp_list),
    {"items_of", items_of, METH_O, NULL},
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
