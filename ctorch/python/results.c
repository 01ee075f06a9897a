/* results.c - converting LibTorch's results to the evaluator's values.
 *
 * A result that is one of the arguments is the same Python object, so that eq? and in-place
 * operators mean the same as in executables.
 */
#include "python/python.h"

#include <structmember.h>

PyObject *py_of_handle(ct_tensor *handle)
{
    if (!handle) return Py_NewRef(Py_None);
    PyObject *x = py_lisp.tensor->tp_alloc(py_lisp.tensor, 0);
    if (!x) return ct_free(handle), NULL;
    ((py_tensor *)x)->handle = handle;
    return x;
}

static PyObject *of_object(ct_value *value)
{
    PyObject *x = py_lisp.foreign->tp_alloc(py_lisp.foreign, 0);
    if (!x) return NULL;
    ((py_foreign *)x)->object = value->object;
    value->object = NULL;
    return x;
}

/* The call's arguments, whose handles a result may hold. */
typedef struct {
    PyObject *const *items;
    Py_ssize_t count;
} argument_objects;

static PyObject *of_value(ct_value *value, argument_objects arguments);
static PyObject *object_among(PyObject *const *items, Py_ssize_t count, ct_tensor *handle);

/* The object with that handle among the items of x; NULL without an exception if there is none. */
static PyObject *object_in(PyObject *x, ct_tensor *handle)
{
    PyObject *list = py_items_of(x);
    if (!list) return NULL;
    PyObject *found = NULL, *fast = list == Py_None ? NULL : PySequence_Fast(list, "a sequence");
    if (fast)
        found = object_among(PySequence_Fast_ITEMS(fast), PySequence_Fast_GET_SIZE(fast), handle);
    Py_XDECREF(fast);
    Py_DECREF(list);
    return found;
}

static PyObject *object_among(PyObject *const *items, Py_ssize_t count, ct_tensor *handle)
{
    for (Py_ssize_t k = 0; k < count; k++)
        if (py_is_tensor(items[k]) && py_handle(items[k]) == handle) return Py_NewRef(items[k]);
    PyObject *found = NULL;
    for (Py_ssize_t k = 0; k < count && !found && !PyErr_Occurred(); k++)
        if (!py_is_tensor(items[k])) found = object_in(items[k], handle);
    return found;
}

enum { ITEMS_BETWEEN_POLLS = 1024 };

/* Polls at some items of a long list, and never for a short one; k is even in a table. */
static int poll_at(size_t k) { return k % ITEMS_BETWEEN_POLLS == ITEMS_BETWEEN_POLLS / 2 ? py_poll() : 0; }

static PyObject *of_plain_list(ct_value *value, argument_objects arguments)
{
    PyObject *list = PyList_New((Py_ssize_t)value->i);
    for (size_t k = 0; k < value->count && list; k++) {
        PyObject *item = of_value(&value->items[k], arguments);
        if (item) PyList_SET_ITEM(list, (Py_ssize_t)k, item);
        else Py_CLEAR(list);
    }
    return list;
}

/* Where a slot of the class of pairs is in its objects; 0 if it is not one. */
static Py_ssize_t slot_offset(const char *name)
{
    PyObject *slot = PyObject_GetAttrString((PyObject *)py_lisp.pair, name);
    Py_ssize_t offset = 0;
    if (slot && Py_IS_TYPE(slot, &PyMemberDescr_Type))
        offset = ((PyMemberDescrObject *)slot)->d_member->offset;
    Py_XDECREF(slot);
    PyErr_Clear();
    return offset;
}

/* A new pair.  Its slots are set here, because a call of __init__ for each takes three times as
 * long, and lists of tokens are long. */
static PyObject *new_pair(PyObject *car, PyObject *cdr)
{
    static Py_ssize_t car_offset, cdr_offset;
    static PyTypeObject *known;
    if (known != py_lisp.pair) {
        known = py_lisp.pair;
        car_offset = slot_offset("car");
        cdr_offset = slot_offset("cdr");
    }
    if (!car_offset || !cdr_offset)
        return PyObject_CallFunctionObjArgs((PyObject *)known, car, cdr, NULL);
    PyObject *pair = known->tp_alloc(known, 0);
    if (!pair) return NULL;
    *(PyObject **)((char *)pair + car_offset) = Py_NewRef(car);
    *(PyObject **)((char *)pair + cdr_offset) = Py_NewRef(cdr);
    return pair;
}

static PyObject *of_list(ct_value *value, argument_objects arguments)
{
    if (!py_lisp.pair) return of_plain_list(value, arguments);
    PyObject *list = Py_NewRef(py_lisp.nil);
    for (size_t k = value->count; k-- > 0 && list;) {
        PyObject *item = poll_at(k) ? NULL : of_value(&value->items[k], arguments);
        PyObject *pair = item ? new_pair(item, list) : NULL;
        Py_XDECREF(item);
        Py_SETREF(list, pair);
    }
    return list;
}

/* A hash table, or a dict if configure() was not told how to create one. */
static PyObject *of_table(ct_value *value, argument_objects arguments)
{
    PyObject *table = PyDict_New();
    PyObject *pairs = PyList_New(0);
    for (size_t k = 0; k + 1 < value->count && table && pairs; k += 2) {
        PyObject *key = poll_at(k) ? NULL : of_value(&value->items[k], arguments);
        PyObject *item = key ? of_value(&value->items[k + 1], arguments) : NULL;
        PyObject *pair = item ? PyTuple_Pack(2, key, item) : NULL;
        if (!pair || (py_lisp.make_table ? PyList_Append(pairs, pair)
                                         : PyDict_SetItem(table, key, item)))
            Py_CLEAR(table);
        Py_XDECREF(pair);
        Py_XDECREF(key);
        Py_XDECREF(item);
    }
    if (table && pairs && py_lisp.make_table)
        Py_SETREF(table, PyObject_CallOneArg(py_lisp.make_table, pairs));
    Py_XDECREF(pairs);
    return table;
}

/* Moves tensors and objects out of the value; the caller releases the rest with the value. */
static PyObject *of_value(ct_value *value, argument_objects arguments)
{
    switch (value->kind) {
    case CT_INT: return PyLong_FromLongLong(value->i);
    case CT_BIG: return PyLong_FromString(value->text, NULL, 10);
    case CT_FLOAT: return PyFloat_FromDouble(value->f);
    case CT_BOOL: return Py_NewRef(value->i ? py_lisp.true_value : py_lisp.false_value);
    case CT_LIST: return of_list(value, arguments);
    case CT_STRING:
        if (!py_lisp.string) return py_str(value->text, (Py_ssize_t)value->i);
        return PyObject_CallFunction((PyObject *)py_lisp.string, "N",
                                     py_str(value->text, (Py_ssize_t)value->i));
    case CT_TABLE: return of_table(value, arguments);
    case CT_OBJECT: return of_object(value);
    case CT_SYMBOL:
        if (!py_lisp.intern) return py_str(value->text, -1);
        return PyObject_CallFunction(py_lisp.intern, "N", py_str(value->text, -1));
    case CT_UNSPECIFIED: return Py_NewRef(py_lisp.unspecified ? py_lisp.unspecified : Py_None);
    case CT_TENSOR: {
        PyObject *object = NULL;
        if (ct_is_shared(value->tensor))
            object = object_among(arguments.items, arguments.count, value->tensor);
        if (object || PyErr_Occurred()) return object;
        ct_tensor *handle = value->tensor;
        value->tensor = NULL;
        return py_of_handle(handle);
    }
    default: return Py_NewRef(py_lisp.false_value);
    }
}

PyObject *py_of_result(ct_value *value, PyObject *const *arguments, Py_ssize_t count)
{
    PyObject *x = of_value(value, (argument_objects){arguments, count});
    ct_value_clear(value);
    return x;
}

PyObject *py_of_value(ct_value *value) { return py_of_result(value, NULL, 0); }
