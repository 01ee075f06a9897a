/* json_writing.c - the JSON text of a value.

       json_written({"a": (1 2.5)})  =>  {"a":[1,2.5]}

   The texts are those of stdlib/language/json.lisp, which has the rare cases, too: for ratios, large
   numbers, tensors, the deepest nesting and mistakes the result is None, and the definition in Lisp
   begins again. */

#include "native.h"

#include "../../../runtime/text/json.h"

/* Doubles between these bounds are written without an exponent, as in Lisp. */
static const double least_plain = 1e-3, most_plain = 1e15;

typedef struct {
    buffer text;
    Py_ssize_t most;
} output;

/* Each writer returns 0, or -1, maybe with an exception. */
static int write_value(output *out, PyObject *value);

static int make_checked_room(output *out, Py_ssize_t count) {
    if (count > out->text.capacity - out->text.size && out->text.size > out->most) {
        PyErr_SetNone(PyExc_OverflowError);
        return -1;
    }
    return make_room(&out->text, count);
}

static int write_character(output *out, Py_UCS4 c) {
    if (make_checked_room(out, 1) < 0) return -1;
    out->text.characters[out->text.size++] = c;
    return 0;
}

static int write_ascii(output *out, const char *text) {
    size_t count = strlen(text);
    if (make_checked_room(out, (Py_ssize_t)count) < 0) return -1;
    for (size_t i = 0; i < count; i++) out->text.characters[out->text.size++] = (unsigned char)text[i];
    return 0;
}

static int write_escaped(output *out, Py_UCS4 c) {
    char text[RT_JSON_LONGEST_ESCAPE + 1];
    text[rt_json_escape((unsigned char)c, text)] = '\0';
    return write_ascii(out, text);
}

static int write_text(output *out, PyObject *text) {
    Py_ssize_t count = PyUnicode_GET_LENGTH(text);
    if (make_checked_room(out, count + 2) < 0) return -1;
    int kind = PyUnicode_KIND(text);
    const void *data = PyUnicode_DATA(text);
    if (write_character(out, '"') < 0) return -1;
    for (Py_ssize_t i = 0; i < count; i++) {
        Py_UCS4 c = PyUnicode_READ(kind, data, i);
        int is_plain = c >= ' ' && c != '"' && c != '\\';
        if ((is_plain ? write_character(out, c) : write_escaped(out, c)) < 0) return -1;
    }
    return write_character(out, '"');
}

static int write_symbol(output *out, PyObject *symbol) {
    PyObject *name = PyObject_GetAttrString(symbol, "name");
    if (name == NULL) return -1;
    int failed = PyUnicode_Check(name) ? write_text(out, name) : -1;
    Py_DECREF(name);
    return failed;
}

static int write_integer(output *out, PyObject *number) {
    int overflow;
    long value = PyLong_AsLongAndOverflow(number, &overflow);
    if (overflow) return -1;
    char text[24];
    snprintf(text, sizeof text, "%ld", value);
    return write_ascii(out, text);
}

static int write_double(output *out, double value) {
    double size = value < 0 ? -value : value;
    if (size != 0 && !(size >= least_plain && size < most_plain)) return -1;
    char *text = PyOS_double_to_string(value, 'r', 0, Py_DTSF_ADD_DOT_0, NULL);
    if (text == NULL) return -1;
    int failed = write_ascii(out, text);
    PyMem_Free(text);
    return failed;
}

static int write_items(output *out, PyObject *const *items, Py_ssize_t count) {
    if (write_character(out, '[') < 0) return -1;
    for (Py_ssize_t i = 0; i < count; i++)
        if ((i > 0 && write_character(out, ',') < 0) || write_value(out, items[i]) < 0) return -1;
    return write_character(out, ']');
}

static int write_list(output *out, PyObject *list) {
    PyObject *items = items_of(NULL, list);
    if (items == NULL) return -1;
    int failed = items == Py_None
                     ? -1
                     : write_items(out, &PyList_GET_ITEM(items, 0), PyList_GET_SIZE(items));
    Py_DECREF(items);
    return failed;
}

static int write_key(output *out, PyObject *key) {
    if (Py_IS_TYPE(key, string_class)) return write_text(out, field(key, 0));
    return Py_IS_TYPE(key, symbol_class) ? write_symbol(out, key) : -1;
}

/* A table's entries are a Python dictionary, from a Python key to the key and the value. */
static int write_table(output *out, PyObject *table) {
    PyObject *entry;
    Py_ssize_t at = 0;
    int is_first = 1;
    if (write_character(out, '{') < 0) return -1;
    while (PyDict_Next(field(table, 1), &at, NULL, &entry)) {
        if (!is_first && write_character(out, ',') < 0) return -1;
        is_first = 0;
        if (write_key(out, PyTuple_GET_ITEM(entry, 0)) < 0 || write_character(out, ':') < 0 ||
            write_value(out, PyTuple_GET_ITEM(entry, 1)) < 0)
            return -1;
    }
    return write_character(out, '}');
}

static int write_nested(output *out, PyObject *value) {
    if (Py_EnterRecursiveCall(" in nested data")) return -1;
    PyTypeObject *type = Py_TYPE(value);
    int failed = -1;
    if (type == table_class) {
        failed = write_table(out, value);
    } else if (type == pair_class) {
        failed = write_list(out, value);
    } else if (type == vector_class) {
        PyObject *items = field(value, 0);
        failed = write_items(out, &PyList_GET_ITEM(items, 0), PyList_GET_SIZE(items));
    }
    Py_LeaveRecursiveCall();
    return failed;
}

static int write_value(output *out, PyObject *value) {
    PyTypeObject *type = Py_TYPE(value);
    if (type == string_class) return write_text(out, field(value, 0));
    if (type == &PyLong_Type) return write_integer(out, value);
    if (type == &PyFloat_Type) return write_double(out, PyFloat_AS_DOUBLE(value));
    if (value == true_value) return write_ascii(out, "true");
    if (value == false_value) return write_ascii(out, "false");
    if (value == nil) return write_ascii(out, "[]");
    if (value == null_symbol) return write_ascii(out, "null");
    if (type == symbol_class) return write_symbol(out, value);
    return write_nested(out, value);
}

/* json_written(value, most): a Lisp string; None if Lisp must write it.  OverflowError if it is
 * longer than about that many characters. */
PyObject *json_written(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *value;
    output out = {{NULL, 0, 0}, 0};
    if (!PyArg_ParseTuple(arguments, "On", &value, &out.most)) return NULL;
    PyObject *text = NULL, *made = NULL;
    if (write_value(&out, value) == 0) text = text_of(&out.text);
    PyMem_Free(out.text.characters);
    if (text != NULL) made = PyObject_CallOneArg((PyObject *)string_class, text);
    Py_XDECREF(text);
    if (made != NULL || (PyErr_Occurred() && (PyErr_ExceptionMatches(PyExc_MemoryError) ||
                                              PyErr_ExceptionMatches(PyExc_OverflowError))))
        return made;
    PyErr_Clear();
    Py_RETURN_NONE;
}
