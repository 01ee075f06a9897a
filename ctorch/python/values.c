/* values.c - converting the evaluator's values to LibTorch's.
 *
 * The classes are the evaluator's (configure.c); instances are recognized by their exact class, and
 * their fields read by name.
 */
#include "python/python.h"

#include <math.h>
#include <string.h>

static PyObject *name_field, *text_field, *car_field, *cdr_field, *items_field, *entries_field;

bool py_is_number(PyObject *x)
{
    if (PyFloat_CheckExact(x) || PyLong_CheckExact(x)) return true;
    PyNumberMethods *number = Py_TYPE(x)->tp_as_number;
    return number && number->nb_float && !PyBool_Check(x) && !py_is_tensor(x);
}

/* Names that are not UTF-8 are few; their bytes are cached and never freed. */
static const char *escaped_utf8(PyObject *text, Py_ssize_t *size)
{
    static PyObject *cache;
    char *utf8;
    Py_ssize_t length;
    PyErr_Clear();
    if (!cache && !(cache = PyDict_New())) return NULL;
    PyObject *bytes = PyDict_GetItemWithError(cache, text);
    if (!bytes && !PyErr_Occurred()) {
        bytes = PyUnicode_AsEncodedString(text, "utf-8", "surrogateescape");
        if (bytes && PyDict_SetItem(cache, text, bytes)) Py_CLEAR(bytes);
        Py_XDECREF(bytes);
    }
    if (!bytes || PyBytes_AsStringAndSize(bytes, &utf8, &length)) return NULL;
    if (size) *size = length;
    return utf8;
}

const char *py_utf8(PyObject *text, Py_ssize_t *size)
{
    const char *utf8 = PyUnicode_AsUTF8AndSize(text, size);
    if (utf8 || !PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) return utf8;
    return escaped_utf8(text, size);
}

PyObject *py_str(const char *text, Py_ssize_t size)
{
    if (size < 0) size = (Py_ssize_t)strlen(text);
    return PyUnicode_DecodeUTF8(text, size, "surrogateescape");
}

/* Text of a field; the object that has the field keeps it alive. */
static const char *text_of(PyObject *x, PyObject *field, Py_ssize_t *size)
{
    PyObject *text = PyObject_GetAttr(x, field);
    if (!text) return NULL;
    const char *utf8 = py_utf8(text, size);
    Py_DECREF(text);
    return utf8;
}

/* A value that no operator takes is passed as its text. */
static int set_other(ct_value *value, PyObject *x)
{
    PyObject *shown = py_lisp.shown ? PyObject_CallOneArg(py_lisp.shown, x) : PyObject_Repr(x);
    const char *utf8 = shown ? py_utf8(shown, NULL) : NULL;
    char *copy = utf8 ? strdup(utf8) : NULL;
    Py_XDECREF(shown);
    if (!copy) return PyErr_Occurred() ? -1 : (PyErr_NoMemory(), -1);
    value->kind = CT_OTHER;
    value->text = copy;
    return 0;
}

/* A text with a NUL is neither a name nor a path: a C string would end there. */
static int set_text(ct_value *value, ct_kind kind, PyObject *x, PyObject *field)
{
    Py_ssize_t size;
    const char *text = text_of(x, field, &size);
    if (!text) return -1;
    if (memchr(text, '\0', (size_t)size)) return set_other(value, x);
    value->kind = kind;
    value->text = text;
    return 0;
}

static int set_big(ct_value *value, PyObject *x, int sign)
{
    if (set_other(value, x)) return -1;
    value->kind = CT_BIG;
    value->f = PyLong_AsDouble(x);
    if (PyErr_Occurred()) {
        PyErr_Clear();  /* its magnitude exceeds all doubles */
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

/* Data with more elements than this are only converted if there is memory for them. */
enum { UNCHECKED = 1 << 20 };

/* The data under conversion, and how many of its elements have been counted. */
static struct { PyObject *root; int depth; Py_ssize_t elements; } converted;

/* Count the elements of one more list of the data; -1 if it repeats lists too often. */
static int count_elements(Py_ssize_t count)
{
    bool checked = converted.elements > UNCHECKED;
    converted.elements += count;
    if (checked || converted.elements <= UNCHECKED || !py_lisp.refuse_repeats) return 0;
    PyObject *done = PyObject_CallFunction(py_lisp.refuse_repeats, "sO", "a nested list",
                                           converted.root);
    Py_XDECREF(done);
    return done ? 0 : -1;
}

static int set_items(ct_value *value, PyObject *const *items, Py_ssize_t count)
{
    if (count_elements(count)) return -1;
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

PyObject *py_items_of(PyObject *x)
{
    if (Py_TYPE(x) == py_lisp.pair) return elements(x);
    if (Py_TYPE(x) == py_lisp.vector) return PyObject_GetAttr(x, items_field);
    return PyList_CheckExact(x) || PyTuple_CheckExact(x) ? Py_NewRef(x) : NULL;
}

/* A hash table as a list of each key before its value; entries maps to pairs of both. */
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
        value->text = py_utf8(x, NULL);
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
    if (converted.depth == 0) {
        converted.root = x;
        converted.elements = 0;
    }
    converted.depth++;
    int status = set_value(value, x);
    converted.depth--;
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

int py_prepare_values(void)
{
    static const struct { PyObject **field; const char *name; } all[] = {
        {&name_field, "name"}, {&text_field, "text"}, {&car_field, "car"}, {&cdr_field, "cdr"},
        {&items_field, "items"}, {&entries_field, "entries"},
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (!(*all[k].field = PyUnicode_InternFromString(all[k].name))) return -1;
    return 0;
}
