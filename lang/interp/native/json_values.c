/* json_values.c - the value of a JSON text.

       parse_json("[1, 2]", None, string->number, True)  =>  ((1 2), 6, None, None)

   The runtime's reader, runtime/text/json.c, finds the tokens; runtime/ports/json_values.c is the
   counterpart in executables.  Long numbers are read by the procedure string->number. */

#include "native.h"

#include "../../../runtime/text/json.h"

enum { LONGEST_NUMBER = 40 };

/* The text is UTF-8, of `owner` or, after more has come, in `own`; there are `total` bytes of it.
   items: a Python list of the values in the brackets that are not closed yet, after None or their
   table's entries; a key is there while its value is read. */
typedef struct {
    rt_json in;
    PyObject *owner, *more, *number_of, *items;
    unsigned char *own;
    size_t total, room;
} source;

/* ---- The text ------------------------------------------------------------ */

/* The code points of a text as UTF-8, also those that stand for bytes that are not UTF-8: a new
   reference to what owns the bytes, or NULL. */
static PyObject *utf8_of(PyObject *text, const char **bytes, size_t *size) {
    if (PyUnicode_IS_ASCII(text)) {
        *bytes = PyUnicode_DATA(text);
        *size = (size_t)PyUnicode_GET_LENGTH(text);
        return Py_NewRef(text);
    }
    PyObject *encoded = PyUnicode_AsEncodedString(text, "utf-8", "surrogatepass");
    if (encoded == NULL) return NULL;
    *bytes = PyBytes_AS_STRING(encoded);
    *size = (size_t)PyBytes_GET_SIZE(encoded);
    return encoded;
}

static PyObject *text_of_utf8(const unsigned char *bytes, size_t size) {
    return PyUnicode_DecodeUTF8((const char *)bytes, (Py_ssize_t)size, "surrogatepass");
}

/* Adds bytes behind those that are there, which are copied at the first time. */
static bool append(source *s, const char *bytes, size_t size) {
    if (s->own == NULL || size > s->room - s->total) {
        s->room = 2 * s->total + size;
        unsigned char *larger = PyMem_Realloc(s->own, s->room);
        if (larger == NULL) {
            PyErr_NoMemory();
            return false;
        }
        if (s->own == NULL) memcpy(larger, s->in.bytes, s->total);
        s->own = larger;
        s->in.bytes = larger;
    }
    memcpy(s->own + s->total, bytes, size);
    s->total += size;
    return true;
}

/* Asks `more` for text: 1, or 0 if there is none, or -1 with an exception. */
static int ask_for_more(source *s) {
    if (s->more == Py_None) return 0;
    PyObject *text = PyObject_CallNoArgs(s->more);
    if (text == NULL) return -1;
    const char *bytes;
    size_t size = 0;
    PyObject *utf8 = utf8_of(text, &bytes, &size);
    bool ok = utf8 != NULL && (size == 0 || append(s, bytes, size));
    Py_XDECREF(utf8);
    Py_DECREF(text);
    return !ok ? -1 : size > 0;
}

static int more_of(rt_json *in) {
    source *s = in->source;
    if (in->size == s->total) {
        int found = ask_for_more(s);
        if (found <= 0) return found;
    }
    in->size = s->total - in->size > RT_JSON_STEP ? in->size + RT_JSON_STEP : s->total;
    return poll_now() < 0 ? -1 : 1;
}

/* ---- Values -------------------------------------------------------------- */

/* The value of a long number, or of one that is too large for a double. */
static PyObject *value_of_long_number(source *s) {
    PyObject *text =
        new_string(text_of_utf8(s->in.bytes + s->in.start, s->in.end - s->in.start));
    PyObject *made = text == NULL ? NULL : PyObject_CallOneArg(s->number_of, text);
    Py_XDECREF(text);
    return made;
}

static PyObject *value_of_number(source *s, rt_json_token token) {
    char number[LONGEST_NUMBER + 1];
    size_t size = s->in.end - s->in.start;
    if (size > LONGEST_NUMBER) return value_of_long_number(s);
    memcpy(number, s->in.bytes + s->in.start, size);
    number[size] = '\0';
    if (token == RT_JSON_INTEGER) return PyLong_FromString(number, NULL, 10);
    double value = PyOS_string_to_double(number, NULL, NULL);
    if (value == -1 && PyErr_Occurred()) return NULL;
    return value - value != 0 ? value_of_long_number(s) : PyFloat_FromDouble(value);
}

/* A Python text. */
static PyObject *text_of_token(const rt_json *in) {
    const unsigned char *bytes = in->bytes + in->start;
    size_t size = in->end - in->start;
    if (!in->has_escapes) return text_of_utf8(bytes, size);
    unsigned char *meant = PyMem_Malloc(size);
    if (meant == NULL) return PyErr_NoMemory();
    PyObject *made = text_of_utf8(meant, rt_json_unescape(bytes, size, meant));
    PyMem_Free(meant);
    return made;
}

/* The items from an index on leave the list. */
static bool drop(source *s, Py_ssize_t from) {
    return PyList_SetSlice(s->items, from, PyList_GET_SIZE(s->items), NULL) == 0;
}

/* The list of the values that follow the latest None. */
static PyObject *close_array(source *s) {
    Py_ssize_t end = PyList_GET_SIZE(s->items), from = end;
    while (PyList_GET_ITEM(s->items, from - 1) != Py_None) from--;
    PyObject *list = list_of(&PyList_GET_ITEM(s->items, from), end - from, nil);
    if (list != NULL && !drop(s, from - 1)) Py_CLEAR(list);
    return list;
}

static PyObject *close_object(source *s) {
    Py_ssize_t last = PyList_GET_SIZE(s->items) - 1;
    PyObject *no_equivalence = PyLong_FromLong(0); /* an immortal object: it cannot fail */
    PyObject *arguments[] = {
        Py_False, PyList_GET_ITEM(s->items, last), Py_None, no_equivalence};
    PyObject *made = PyObject_Vectorcall((PyObject *)table_class, arguments, 4, NULL);
    Py_XDECREF(no_equivalence);
    if (made != NULL && !drop(s, last)) Py_CLEAR(made);
    return made;
}

/* NULL without an exception for a text that is wrong. */
static PyObject *value_of(source *s, rt_json_token token) {
    switch (token) {
        case RT_JSON_NULL: return Py_NewRef(null_symbol);
        case RT_JSON_TRUE: return Py_NewRef(true_value);
        case RT_JSON_FALSE: return Py_NewRef(false_value);
        case RT_JSON_INTEGER:
        case RT_JSON_REAL: return value_of_number(s, token);
        case RT_JSON_STRING: return new_string(text_of_token(&s->in));
        case RT_JSON_CLOSE: break;
        default: return NULL;
    }
    return s->in.is_object[s->in.depth] ? close_object(s) : close_array(s);
}

/* Takes the reference, which may be NULL. */
static bool push(source *s, PyObject *item) {
    bool ok = item != NULL && PyList_Append(s->items, item) == 0;
    Py_XDECREF(item);
    return ok;
}

/* Adds a key with its value; of equal keys, the first key and the last value count. */
static bool add_entry(PyObject *entries, PyObject *text, PyObject *value) {
    PyObject *old = PyDict_GetItemWithError(entries, text);
    PyObject *key = old == NULL ? new_string(Py_NewRef(text))
                                : Py_NewRef(PyTuple_GET_ITEM(old, 0));
    PyObject *entry = key == NULL ? NULL : PyTuple_Pack(2, key, value);
    Py_XDECREF(key);
    bool ok = entry != NULL && PyDict_SetItem(entries, text, entry) == 0;
    Py_XDECREF(entry);
    return ok;
}

/* Takes the reference. */
static bool add_value(source *s, PyObject *value) {
    if (!s->in.is_object[s->in.depth - 1]) return push(s, value);
    Py_ssize_t last = PyList_GET_SIZE(s->items) - 1;
    bool ok = add_entry(PyList_GET_ITEM(s->items, last - 1), PyList_GET_ITEM(s->items, last),
                        value);
    Py_DECREF(value);
    return ok && drop(s, last);
}

static PyObject *read_value(source *s) {
    for (;;) {
        rt_json_token token = rt_json_next(&s->in);
        if (token == RT_JSON_ARRAY || token == RT_JSON_OBJECT || token == RT_JSON_KEY) {
            PyObject *begun = token == RT_JSON_ARRAY    ? Py_NewRef(Py_None)
                              : token == RT_JSON_OBJECT ? PyDict_New()
                                                        : text_of_token(&s->in);
            if (!push(s, begun)) return NULL;
            continue;
        }
        PyObject *value = value_of(s, token);
        if (value == NULL || s->in.depth == 0) return value;
        if (!add_value(s, value)) return NULL;
    }
}

/* NULL also for a text that is wrong, without an exception. */
static PyObject *read_text(source *s, bool is_document) {
    if (!is_document && !rt_json_skip_space(&s->in)) return s->in.stopped ? NULL : Py_NewRef(eof);
    PyObject *value = read_value(s);
    if (value != NULL && is_document && rt_json_next(&s->in) != RT_JSON_END) Py_CLEAR(value);
    return value;
}

/* ---- parse_json ---------------------------------------------------------- */

static PyObject *result_of(source *s, PyObject *value) {
    const unsigned char *bytes = s->in.bytes;
    Py_ssize_t taken = 0;
    for (size_t i = 0; i < s->in.at; i++) taken += (bytes[i] & 0xc0) != 0x80;
    if (value != NULL) return Py_BuildValue("(NnOO)", value, taken, Py_None, Py_None);
    char shown[RT_JSON_LONGEST_SHOWN];
    size_t size = rt_json_show_next(&s->in, shown);
    if (s->in.stopped) return NULL;
    PyObject *got = text_of_utf8((unsigned char *)shown, size);
    return got == NULL ? NULL : Py_BuildValue("(OnsN)", Py_None, taken, s->in.wanted, got);
}

/* parse_json(text, more, number_of, is_document): a tuple of the value, or #<eof>, and how many
   characters it took; or of None, where the text is wrong, what was expected there, and what is
   there.  more(): the text that follows, or the empty one; None if there is none. */
PyObject *parse_json(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    (void)count;
    source s = {.more = arguments[1], .number_of = arguments[2], .own = NULL, .total = 0};
    const char *bytes;
    s.owner = utf8_of(arguments[0], &bytes, &s.total);
    s.items = s.owner == NULL ? NULL : PyList_New(0);
    PyObject *result = NULL;
    if (s.items != NULL) {
        rt_json_begin(&s.in, more_of, &s);
        s.in.bytes = (const unsigned char *)bytes;
        PyObject *value = read_text(&s, arguments[3] == Py_True);
        if (value != NULL || !PyErr_Occurred()) result = result_of(&s, value);
    }
    Py_XDECREF(s.items);
    Py_XDECREF(s.owner);
    PyMem_Free(s.own);
    return result;
}
