/* python_values.c - the evaluator's values to LibTorch's and back.
 *
 * The classes are the evaluator's, which C learns from configure(); instances are told apart by
 * their exact class, and their fields read by name.
 */
#include "python.h"

#include <math.h>
#include <string.h>

/* Until configure() tells better ones, the values are Python's own. */
py_values py_lisp;

static PyObject *tensor_error;
static PyObject *name_field, *text_field, *car_field, *cdr_field, *items_field, *entries_field;

bool py_is_number(PyObject *x)
{
    if (PyFloat_CheckExact(x) || PyLong_CheckExact(x)) return true;
    PyNumberMethods *number = Py_TYPE(x)->tp_as_number;
    return number && number->nb_float && !PyBool_Check(x) && !py_is_tensor(x);
}

/* Text of a field; the object that has the field keeps it alive. */
static const char *text_of(PyObject *x, PyObject *field)
{
    PyObject *text = PyObject_GetAttr(x, field);
    if (!text) return NULL;
    const char *utf8 = PyUnicode_AsUTF8(text);
    Py_DECREF(text);
    return utf8;
}

static int set_text(ct_value *value, ct_kind kind, PyObject *x, PyObject *field)
{
    value->kind = kind;
    value->text = text_of(x, field);
    return value->text ? 0 : -1;
}

/* A value that no operator takes is known by its text only. */
static int set_other(ct_value *value, PyObject *x)
{
    PyObject *shown = py_lisp.shown ? PyObject_CallOneArg(py_lisp.shown, x) : PyObject_Repr(x);
    const char *utf8 = shown ? PyUnicode_AsUTF8(shown) : NULL;
    char *copy = utf8 ? strdup(utf8) : NULL;
    Py_XDECREF(shown);
    if (!copy) return PyErr_Occurred() ? -1 : (PyErr_NoMemory(), -1);
    value->kind = CT_OTHER;
    value->text = copy;
    return 0;
}

static int set_big(ct_value *value, PyObject *x, int sign)
{
    if (set_other(value, x)) return -1;
    value->kind = CT_BIG;
    value->f = PyLong_AsDouble(x);
    if (PyErr_Occurred()) {
        PyErr_Clear();  /* it lies beyond all doubles */
        value->f = sign * HUGE_VAL;
    }
    return 0;
}

static int set_integer(ct_value *value, PyObject *x)
{
    int overflow;
    long long i = PyLong_AsLongLongAndOverflow(x, &overflow);
    if (overflow) return set_big(value, x, overflow);
    value->kind = CT_INT;
    value->i = i;
    return 0;
}

static int set_float(ct_value *value, PyObject *x)
{
    value->kind = CT_FLOAT;
    value->f = PyFloat_AsDouble(x);
    return value->f == -1.0 && PyErr_Occurred() ? -1 : 0;
}

static int set_items(ct_value *value, PyObject *const *items, Py_ssize_t count)
{
    value->items = calloc(count ? (size_t)count : 1, sizeof(ct_value));
    if (!value->items) return PyErr_NoMemory(), -1;
    value->kind = CT_LIST;
    if (py_to_values(items, count, value->items)) {
        free(value->items);
        value->items = NULL;
        value->kind = CT_NONE;
        return -1;
    }
    value->count = (size_t)count;
    return 0;
}

static int set_sequence(ct_value *value, PyObject *x)
{
    PyObject *items = PySequence_Fast(x, "a list or tuple");
    if (!items) return -1;
    int status = set_items(value, PySequence_Fast_ITEMS(items), PySequence_Fast_GET_SIZE(items));
    Py_DECREF(items);
    return status;
}

/* The elements of a proper list of pairs as a Python list; None for an improper one, or one that
 * is longer than any list that ends. */
static PyObject *elements(PyObject *x)
{
    PyObject *list = PyList_New(0);
    Py_INCREF(x);
    PyObject *slow = Py_NewRef(x);
    for (Py_ssize_t k = 1; list && Py_TYPE(x) == py_lisp.pair; k++) {
        PyObject *car = PyObject_GetAttr(x, car_field), *cdr = PyObject_GetAttr(x, cdr_field);
        if (!car || !cdr || PyList_Append(list, car)) Py_CLEAR(list);
        Py_XDECREF(car);
        Py_SETREF(x, cdr ? cdr : Py_NewRef(Py_None));
        if (k % 2 == 0 && list) {
            Py_SETREF(slow, PyObject_GetAttr(slow, cdr_field));
            if (slow == x) break;
        }
    }
    bool proper = x == py_lisp.nil;
    Py_DECREF(x);
    Py_XDECREF(slow);
    if (!list || proper) return list;
    Py_DECREF(list);
    return Py_NewRef(Py_None);
}

static int set_pairs(ct_value *value, PyObject *x)
{
    PyObject *list = elements(x);
    if (!list) return -1;
    int status = list == Py_None ? set_other(value, x) : set_sequence(value, list);
    Py_DECREF(list);
    return status;
}

static int set_vector(ct_value *value, PyObject *x)
{
    PyObject *items = PyObject_GetAttr(x, items_field);
    if (!items) return -1;
    int status = set_sequence(value, items);
    Py_DECREF(items);
    return status;
}

/* A hash table as its keys and values in turn; entries maps to pairs of both. */
static int set_table(ct_value *value, PyObject *x)
{
    PyObject *entries = PyObject_GetAttr(x, entries_field);
    PyObject *pairs = entries ? PyMapping_Values(entries) : NULL;
    Py_XDECREF(entries);
    if (!pairs) return -1;
    Py_ssize_t count = PyList_GET_SIZE(pairs);
    PyObject *items = PyList_New(0);
    for (Py_ssize_t k = 0; k < count && items; k++) {
        PyObject *pair = PyList_GET_ITEM(pairs, k);
        if (PyList_Append(items, PyTuple_GET_ITEM(pair, 0)) ||
            PyList_Append(items, PyTuple_GET_ITEM(pair, 1)))
            Py_CLEAR(items);
    }
    Py_DECREF(pairs);
    if (!items) return -1;
    int status = set_sequence(value, items);
    Py_DECREF(items);
    if (!status) value->kind = CT_TABLE;
    return status;
}

static int set_object(ct_value *value, PyObject *x)
{
    value->kind = CT_OBJECT;
    value->object = ((py_foreign *)x)->object;
    return 0;
}

static int set_boolean(ct_value *value, bool on)
{
    value->kind = CT_BOOL;
    value->i = on;
    return 0;
}

static int set_value(ct_value *value, PyObject *x)
{
    PyTypeObject *type = Py_TYPE(x);
    if (type == py_lisp.tensor) {
        value->kind = CT_TENSOR;
        value->tensor = py_handle(x);
        return 0;
    }
    if (PyLong_CheckExact(x)) return set_integer(value, x);
    if (PyFloat_CheckExact(x)) return set_float(value, x);
    if (x == py_lisp.false_value || x == Py_False) return set_boolean(value, false);
    if (x == py_lisp.true_value || x == Py_True) return set_boolean(value, true);
    if (type == py_lisp.keyword) return set_text(value, CT_KEYWORD, x, name_field);
    if (type == py_lisp.symbol) return set_text(value, CT_SYMBOL, x, name_field);
    if (type == py_lisp.string) return set_text(value, CT_STRING, x, text_field);
    if (x == py_lisp.nil) return set_items(value, NULL, 0);
    if (type == py_lisp.pair) return set_pairs(value, x);
    if (type == py_lisp.vector) return set_vector(value, x);
    if (type == py_lisp.hash_table) return set_table(value, x);
    if (type == py_lisp.foreign) return set_object(value, x);
    if (PyList_CheckExact(x) || PyTuple_CheckExact(x)) return set_sequence(value, x);
    if (PyUnicode_CheckExact(x)) {
        value->kind = CT_STRING;
        value->text = PyUnicode_AsUTF8(x);
        return value->text ? 0 : -1;
    }
    if (x == Py_None) return 0;
    if (py_is_number(x)) return set_float(value, x);
    return set_other(value, x);
}

int py_to_value(PyObject *x, ct_value *value)
{
    *value = (ct_value){.kind = CT_NONE};
    if (Py_EnterRecursiveCall(" in a nested list")) return -1;
    int status = set_value(value, x);
    Py_LeaveRecursiveCall();
    return status;
}

void py_release(ct_value *value)
{
    if (value->kind == CT_OTHER || value->kind == CT_BIG) free((char *)value->text);
    if (value->kind != CT_LIST && value->kind != CT_TABLE) return;
    py_release_all(value->items, (Py_ssize_t)value->count);
    free(value->items);
}

void py_release_all(ct_value *values, Py_ssize_t count)
{
    for (Py_ssize_t k = 0; k < count; k++) py_release(&values[k]);
}

int py_to_values(PyObject *const *items, Py_ssize_t count, ct_value *values)
{
    for (Py_ssize_t k = 0; k < count; k++)
        if (py_to_value(items[k], &values[k])) {
            py_release_all(values, k);
            return -1;
        }
    return 0;
}

/* Results. */

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

/* The objects whose handles a result may hold. */
typedef struct {
    PyObject *const *items;
    Py_ssize_t count;
} known_objects;

static PyObject *of_value(ct_value *value, known_objects known);
static PyObject *object_among(PyObject *const *items, Py_ssize_t count, ct_tensor *handle);

/* The object of that handle in a list, a vector or a sequence of Python's; NULL without an exception
 * if it is not there. */
static PyObject *object_in(PyObject *x, ct_tensor *handle)
{
    PyObject *list = Py_TYPE(x) == py_lisp.pair     ? elements(x)
                     : Py_TYPE(x) == py_lisp.vector ? PyObject_GetAttr(x, items_field)
                     : PyList_CheckExact(x) || PyTuple_CheckExact(x) ? Py_NewRef(x)
                                                                     : NULL;
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

static PyObject *of_plain_list(ct_value *value, known_objects known)
{
    PyObject *list = PyList_New((Py_ssize_t)value->count);
    for (size_t k = 0; k < value->count && list; k++) {
        PyObject *item = of_value(&value->items[k], known);
        if (item) PyList_SET_ITEM(list, (Py_ssize_t)k, item);
        else Py_CLEAR(list);
    }
    return list;
}

static PyObject *of_list(ct_value *value, known_objects known)
{
    if (!py_lisp.pair) return of_plain_list(value, known);
    PyObject *list = Py_NewRef(py_lisp.nil);
    for (size_t k = value->count; k-- > 0 && list;) {
        PyObject *item = of_value(&value->items[k], known);
        PyObject *fields[] = {item, list};
        PyObject *pair =
            item ? PyObject_Vectorcall((PyObject *)py_lisp.pair, fields, 2, NULL) : NULL;
        Py_XDECREF(item);
        Py_SETREF(list, pair);
    }
    return list;
}

/* A dict where nobody has told how to make a table. */
static PyObject *of_table(ct_value *value, known_objects known)
{
    PyObject *table = PyDict_New();
    PyObject *pairs = PyList_New(0);
    for (size_t k = 0; k + 1 < value->count && table && pairs; k += 2) {
        PyObject *key = of_value(&value->items[k], known), *item = of_value(&value->items[k + 1], known);
        PyObject *pair = key && item ? PyTuple_Pack(2, key, item) : NULL;
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

/* What it takes over it takes out of the value; the rest is released with the whole. */
static PyObject *of_value(ct_value *value, known_objects known)
{
    switch (value->kind) {
    case CT_INT: return PyLong_FromLongLong(value->i);
    case CT_BIG: return PyLong_FromString(value->text, NULL, 10);
    case CT_FLOAT: return PyFloat_FromDouble(value->f);
    case CT_BOOL: return Py_NewRef(value->i ? py_lisp.true_value : py_lisp.false_value);
    case CT_LIST: return of_list(value, known);
    case CT_STRING:
        if (!py_lisp.string) return PyUnicode_FromString(value->text);
        return PyObject_CallFunction((PyObject *)py_lisp.string, "s", value->text);
    case CT_TABLE: return of_table(value, known);
    case CT_OBJECT: return of_object(value);
    case CT_SYMBOL:
        if (!py_lisp.intern) return PyUnicode_FromString(value->text);
        return PyObject_CallFunction(py_lisp.intern, "s", value->text);
    case CT_UNSPECIFIED: return Py_NewRef(py_lisp.unspecified ? py_lisp.unspecified : Py_None);
    case CT_TENSOR: {
        PyObject *object = NULL;
        if (ct_is_shared(value->tensor))
            object = object_among(known.items, known.count, value->tensor);
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
    PyObject *x = of_value(value, (known_objects){arguments, count});
    ct_value_clear(value);
    return x;
}

PyObject *py_of_value(ct_value *value) { return py_of_result(value, NULL, 0); }

/* Errors. */

PyObject *py_fail(void)
{
    const char *hint = ct_last_hint();
    PyObject *error = PyObject_CallFunction(tensor_error, "sz", ct_last_error(), hint);
    if (!error) return NULL;
    PyObject *arguments = PyObject_GetAttrString(error, "args");
    if (arguments && !PyObject_SetAttrString(error, "message", PyTuple_GET_ITEM(arguments, 0)) &&
        !PyObject_SetAttrString(error, "hint", PyTuple_GET_ITEM(arguments, 1)))
        PyErr_SetObject(tensor_error, error);
    Py_XDECREF(arguments);
    Py_DECREF(error);
    return NULL;
}

bool py_expect(PyObject *const *arguments, Py_ssize_t given, Py_ssize_t count, Py_ssize_t tensors)
{
    bool right = given == count;
    for (Py_ssize_t k = 0; right && k < tensors; k++) right = py_is_tensor(arguments[k]);
    if (!right)
        PyErr_Format(PyExc_TypeError, "expected %zd arguments, the first %zd tensors", count,
                     tensors);
    return right;
}

/* configure(tensor=..., ...) */
static PyObject *configure(PyObject *module, PyObject *positional, PyObject *named)
{
    static char *names[] = {"tensor", "pair", "vector", "string", "symbol", "keyword", "true",
                            "false", "nil", "unspecified", "shown", "intern", "foreign",
                            "hash_table", "make_table", NULL};
    py_values v = {.foreign = py_lisp.foreign};
    if (!PyArg_ParseTupleAndKeywords(positional, named, "O!O!O!O!O!O!OOOOOO|O!O!O", names,
                                     &PyType_Type, &v.tensor, &PyType_Type, &v.pair, &PyType_Type,
                                     &v.vector, &PyType_Type, &v.string, &PyType_Type, &v.symbol,
                                     &PyType_Type, &v.keyword, &v.true_value, &v.false_value,
                                     &v.nil, &v.unspecified, &v.shown, &v.intern, &PyType_Type,
                                     &v.foreign, &PyType_Type, &v.hash_table, &v.make_table))
        return NULL;
    /* They live as long as the process, and so do these references. */
    PyObject *kept[] = {(PyObject *)v.tensor, (PyObject *)v.pair, (PyObject *)v.vector,
                        (PyObject *)v.string, (PyObject *)v.symbol, (PyObject *)v.keyword,
                        v.true_value, v.false_value, v.nil, v.unspecified, v.shown, v.intern,
                        (PyObject *)v.foreign, (PyObject *)v.hash_table, v.make_table};
    for (size_t k = 0; k < sizeof kept / sizeof *kept; k++) Py_XINCREF(kept[k]);
    py_lisp = v;
    (void)module;
    return Py_NewRef(Py_None);
}

static PyMethodDef methods[] = {
    {"configure", (PyCFunction)(void (*)(void))configure, METH_VARARGS | METH_KEYWORDS,
     "Tell the classes of the evaluator's values."},
    {NULL, NULL, 0, NULL},
};

int py_add_values(PyObject *module)
{
    name_field = PyUnicode_InternFromString("name");
    text_field = PyUnicode_InternFromString("text");
    car_field = PyUnicode_InternFromString("car");
    cdr_field = PyUnicode_InternFromString("cdr");
    items_field = PyUnicode_InternFromString("items");
    entries_field = PyUnicode_InternFromString("entries");
    tensor_error = PyErr_NewException("lambent.ctorch.TensorError", NULL, NULL);
    if (!name_field || !text_field || !car_field || !cdr_field || !items_field || !entries_field || !tensor_error)
        return -1;
    py_lisp.true_value = Py_True;
    py_lisp.false_value = Py_False;
    if (PyModule_AddObjectRef(module, "TensorError", tensor_error)) return -1;
    return PyModule_AddFunctions(module, methods);
}
