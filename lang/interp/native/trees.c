/* trees.c - searching and changing the trees of (import (srfi 146)) by the default order.

   A tree is #f or a record: stdlib/srfi/srfi_146/trees.lisp says what it must be, and has the
   definitions in Lisp.  They are left the trees in which a key of another kind is met: here all are
   integers or all are strings. */

#include "native.h"

enum { KEY, VALUE, LEFT, RIGHT, SIZE, FIELDS }; /* the fields of a record */
enum { MOST_WEIGHT = 3, MOST_INNER_WEIGHT = 2 };

/* Sets the sign of how a key stands to that of a node; 0, 1 if the definition in Lisp must compare
   them, or -1 with an exception. */
static int compare(PyObject *key, PyObject *other, int *sign) {
    if (PyLong_CheckExact(key) && PyLong_CheckExact(other)) {
        int overflow, other_overflow;
        long long a = PyLong_AsLongLongAndOverflow(key, &overflow);
        long long b = PyLong_AsLongLongAndOverflow(other, &other_overflow);
        *sign = (a > b) - (a < b);
        return overflow || other_overflow;
    }
    if (!is_string(key) || !is_string(other)) return 1;
    *sign = PyUnicode_Compare(field(key, 0), field(other, 0));
    return *sign == -1 && PyErr_Occurred() ? -1 : 0;
}

static long long size_of(PyObject *tree) {
    return tree == false_value ? 0 : PyLong_AsLongLong(field(tree, SIZE));
}

/* A record of the class of another.  It takes the references to the two subtrees; if one of them is
   NULL, it is NULL, too. */
static PyObject *node(PyObject *like, PyObject *key, PyObject *value, PyObject *left,
                      PyObject *right) {
    structure *made = NULL;
    PyObject *size = NULL;
    if (left != NULL && right != NULL)
        size = PyLong_FromLongLong(size_of(left) + size_of(right) + 1);
    if (size != NULL) made = (structure *)Py_TYPE(like)->tp_alloc(Py_TYPE(like), 0);
    if (made == NULL) {
        Py_XDECREF(size);
        Py_XDECREF(left);
        Py_XDECREF(right);
        return NULL;
    }
    PyObject *fields[FIELDS] = {Py_NewRef(key), Py_NewRef(value), left, right, size};
    for (int i = 0; i < FIELDS; i++) made->fields[i] = fields[i];
    return (PyObject *)made;
}

/* The same with another's key and value. */
static PyObject *with_subtrees(PyObject *entry, PyObject *left, PyObject *right) {
    return node(entry, field(entry, KEY), field(entry, VALUE), left, right);
}

static PyObject *subtree(PyObject *tree, int side) { return Py_NewRef(field(tree, side)); }

/* A node whose right subtree is too large.  It takes the references to both. */
static PyObject *rotated_left(PyObject *entry, PyObject *left, PyObject *right) {
    PyObject *inner = field(right, LEFT), *outer = subtree(right, RIGHT), *result;
    if (size_of(inner) < MOST_INNER_WEIGHT * size_of(outer)) {
        result = with_subtrees(right, with_subtrees(entry, left, Py_NewRef(inner)), outer);
    } else {
        PyObject *before = with_subtrees(entry, left, subtree(inner, LEFT));
        PyObject *after = with_subtrees(right, subtree(inner, RIGHT), outer);
        result = with_subtrees(inner, before, after);
    }
    Py_DECREF(right);
    return result;
}

/* A node whose left subtree is too large. */
static PyObject *rotated_right(PyObject *entry, PyObject *left, PyObject *right) {
    PyObject *inner = field(left, RIGHT), *outer = subtree(left, LEFT), *result;
    if (size_of(inner) < MOST_INNER_WEIGHT * size_of(outer)) {
        result = with_subtrees(left, outer, with_subtrees(entry, Py_NewRef(inner), right));
    } else {
        PyObject *before = with_subtrees(left, outer, subtree(inner, LEFT));
        PyObject *after = with_subtrees(entry, subtree(inner, RIGHT), right);
        result = with_subtrees(inner, before, after);
    }
    Py_DECREF(left);
    return result;
}

/* A node with the key and value of another, of subtrees of which one has one key too many at most.
   It takes the references to these; one that is NULL makes the result NULL. */
static PyObject *balanced(PyObject *entry, PyObject *left, PyObject *right) {
    if (left != NULL && right != NULL) {
        long long n = size_of(left), m = size_of(right);
        if (n + m >= 2 && m > MOST_WEIGHT * n) return rotated_left(entry, left, right);
        if (n + m >= 2 && n > MOST_WEIGHT * m) return rotated_right(entry, left, right);
    }
    return with_subtrees(entry, left, right);
}

/* The tree with a key; NULL, perhaps without an exception: then the definition in Lisp does it. */
static PyObject *inserted(PyObject *tree, PyObject *like, PyObject *key, PyObject *value) {
    if (tree == false_value) return node(like, key, value, Py_NewRef(tree), Py_NewRef(tree));
    int sign;
    if (compare(key, field(tree, KEY), &sign) != 0) return NULL;
    if (sign == 0) return node(tree, key, value, subtree(tree, LEFT), subtree(tree, RIGHT));
    PyObject *side = inserted(field(tree, sign < 0 ? LEFT : RIGHT), like, key, value);
    if (side == NULL) return NULL;
    return sign < 0 ? balanced(tree, side, subtree(tree, RIGHT))
                    : balanced(tree, subtree(tree, LEFT), side);
}

/* (tree key), and whether the order is the default one */
PyObject *tree_found(PyObject *lisp, PyObject *const *arguments, Py_ssize_t count) {
    PyObject *tree = arguments[0], *key = arguments[1];
    while (arguments[2] == arguments[3] && tree != false_value) {
        int sign, unknown = compare(key, field(tree, KEY), &sign);
        if (unknown < 0) return NULL;
        if (unknown) break;
        if (sign == 0) return Py_NewRef(tree);
        tree = field(tree, sign < 0 ? LEFT : RIGHT);
    }
    (void)count;
    if (tree == false_value) return Py_NewRef(tree);
    return after_tail_call(PyObject_Vectorcall(lisp, arguments, 3, NULL));
}

/* (tree key value before? default-before?) */
PyObject *tree_inserted(PyObject *lisp, PyObject *const *arguments, Py_ssize_t count) {
    PyObject *tree = arguments[0], *made = NULL;
    (void)count;
    if (arguments[3] == arguments[4] && tree != false_value)
        made = inserted(tree, tree, arguments[1], arguments[2]);
    if (made != NULL || PyErr_Occurred()) return made;
    return after_tail_call(PyObject_Vectorcall(lisp, arguments, 4, NULL));
}
