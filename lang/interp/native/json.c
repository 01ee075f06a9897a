/* json.c - reads a JSON value.

       parse_json("[1, 2]", 0)  =>  ((1 2), 6)

   The grammar and the values are those of stdlib/language/json.lisp, which has the rare cases, too:
   on surrogates, long numbers, deep nesting and mistakes the result is None, and the definition in
   Lisp begins again. */

#include "native.h"

enum { MOST_NESTED = 500, LONGEST_NUMBER = 40, LEAST_SURROGATE = 0xD800, LAST_SURROGATE = 0xDFFF };

typedef struct {
    PyObject *text;
    Py_ssize_t at, size;
    int depth;
} input;

/* Each reader returns a value, or NULL, maybe with an exception. */
static PyObject *read_value(input *in);

/* The next character; no character at the end. */
static Py_UCS4 peek(const input *in) {
    return in->at < in->size ? PyUnicode_READ_CHAR(in->text, in->at) : 0x110000;
}

static void skip_space(input *in) {
    for (;; in->at++) {
        Py_UCS4 c = peek(in);
        if (c != ' ' && c != '\n' && c != '\t' && c != '\r') return;
    }
}

static PyObject *read_word(input *in, const char *word, PyObject *value) {
    for (; *word != '\0'; word++, in->at++)
        if (peek(in) != (Py_UCS4)*word) return NULL;
    return Py_NewRef(value);
}

static int is_digit(Py_UCS4 c) { return c >= '0' && c <= '9'; }

/* Appends digits to the number's text; whether there were any and they fit.  A point, a letter and a
   sign may have come after the last digit that fits. */
static int take_digits(input *in, char *number, int *length) {
    int before = *length;
    for (; is_digit(peek(in)); in->at++) {
        if (*length >= LONGEST_NUMBER) return 0;
        number[(*length)++] = (char)peek(in);
    }
    return *length > before;
}

static PyObject *read_number(input *in) {
    char number[LONGEST_NUMBER + 8];
    int length = 0, is_integer = 1;
    if (peek(in) == '-') {
        number[length++] = '-';
        in->at++;
    }
    if (peek(in) == '0') {
        number[length++] = '0';
        in->at++;
    } else if (!take_digits(in, number, &length)) {
        return NULL;
    }
    if (peek(in) == '.') {
        is_integer = 0;
        number[length++] = '.';
        in->at++;
        if (!take_digits(in, number, &length)) return NULL;
    }
    if (peek(in) == 'e' || peek(in) == 'E') {
        is_integer = 0;
        number[length++] = 'e';
        in->at++;
        if (peek(in) == '+' || peek(in) == '-') {
            number[length++] = (char)peek(in);
            in->at++;
        }
        if (!take_digits(in, number, &length)) return NULL;
    }
    number[length] = '\0';
    if (is_integer) return PyLong_FromString(number, NULL, 10);
    double value = PyOS_string_to_double(number, NULL, NULL);
    if (value - value != 0) return NULL; /* too large */
    return PyFloat_FromDouble(value);
}

/* The character of \uXXXX, after the u; -1 for surrogates and mistakes. */
static int read_code(input *in) {
    int code = 0;
    for (int i = 0; i < 4; i++, in->at++) {
        Py_UCS4 c = peek(in);
        int digit = is_digit(c)              ? (int)(c - '0')
                    : c >= 'a' && c <= 'f'   ? (int)(c - 'a') + 10
                    : c >= 'A' && c <= 'F'   ? (int)(c - 'A') + 10
                                             : -1;
        if (digit < 0) return -1;
        code = 16 * code + digit;
    }
    return code >= LEAST_SURROGATE && code <= LAST_SURROGATE ? -1 : code;
}

static int read_escape(input *in) {
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    Py_UCS4 c = peek(in);
    in->at++;
    if (c == 'u') return read_code(in);
    const char *found = c > 0 && c < 0x80 ? strchr(letters, (int)c) : NULL;
    return found == NULL ? -1 : meanings[found - letters];
}

/* A string with escapes, from its first character to its quote. */
static PyObject *read_escaped(input *in, Py_ssize_t end) {
    Py_UCS4 *characters_read = PyMem_New(Py_UCS4, (size_t)(end - in->at));
    Py_ssize_t count = 0;
    if (characters_read == NULL) return PyErr_NoMemory();
    int failed = 0;
    while (in->at < end && !failed) {
        Py_UCS4 c = peek(in);
        in->at++;
        if (c == '\\') {
            int meant = read_escape(in);
            failed = meant < 0 || in->at > end;
            c = failed ? 0 : (Py_UCS4)meant;
        }
        characters_read[count++] = c;
    }
    PyObject *made = NULL;
    if (!failed)
        made = PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, characters_read, count);
    PyMem_Free(characters_read);
    return made;
}

/* A Python text; its opening quote has been consumed. */
static PyObject *read_text(input *in) {
    Py_ssize_t end = in->at;
    int escaped = 0;
    for (;; end++) {
        if (end >= in->size) return NULL;
        Py_UCS4 c = PyUnicode_READ_CHAR(in->text, end);
        if (c == '"') break;
        if (c < ' ') return NULL;
        if (c == '\\') {
            escaped = 1;
            end++;
        }
    }
    PyObject *made = escaped ? read_escaped(in, end) : PyUnicode_Substring(in->text, in->at, end);
    in->at = end + 1;
    return made;
}

static PyObject *read_string(input *in) {
    PyObject *text = read_text(in);
    if (text == NULL) return NULL;
    PyObject *made = PyObject_CallOneArg((PyObject *)string_class, text);
    Py_DECREF(text);
    return made;
}

/* 1 after a comma, 0 after the end, -1 for something else. */
static int is_more(input *in, Py_UCS4 end) {
    skip_space(in);
    Py_UCS4 c = peek(in);
    in->at++;
    return c == ',' ? 1 : c == end ? 0 : -1;
}

static PyObject *read_array(input *in) {
    skip_space(in);
    if (peek(in) == ']') {
        in->at++;
        return Py_NewRef(nil);
    }
    PyObject *items = PyList_New(0), *result = NULL;
    if (items == NULL) return NULL;
    for (;;) {
        PyObject *item = read_value(in);
        int failed = item == NULL || PyList_Append(items, item) < 0;
        Py_XDECREF(item);
        int more = failed ? -1 : is_more(in, ']');
        if (more < 0) break;
        if (more == 0) {
            result = list_of(PySequence_Fast_ITEMS(items), PyList_GET_SIZE(items), nil);
            break;
        }
    }
    Py_DECREF(items);
    return result;
}

/* Adds a key with its value; of equal keys, the first key and the last value count. */
static int add_entry(PyObject *entries, PyObject *text, PyObject *value) {
    PyObject *old = PyDict_GetItemWithError(entries, text);
    PyObject *key = old == NULL ? PyObject_CallOneArg((PyObject *)string_class, text)
                                : Py_NewRef(PyTuple_GET_ITEM(old, 0));
    PyObject *entry = key == NULL ? NULL : PyTuple_Pack(2, key, value);
    Py_XDECREF(key);
    int failed = entry == NULL || PyDict_SetItem(entries, text, entry) < 0;
    Py_XDECREF(entry);
    return failed ? -1 : 0;
}

static int read_entry(input *in, PyObject *entries) {
    skip_space(in);
    if (peek(in) != '"') return -1;
    in->at++;
    PyObject *text = read_text(in);
    if (text == NULL) return -1;
    skip_space(in);
    PyObject *value = NULL;
    if (peek(in) == ':') {
        in->at++;
        value = read_value(in);
    }
    int failed = value == NULL || add_entry(entries, text, value) < 0;
    Py_DECREF(text);
    Py_XDECREF(value);
    return failed ? -1 : 0;
}

static PyObject *read_object(input *in) {
    PyObject *entries = PyDict_New();
    if (entries == NULL) return NULL;
    skip_space(in);
    int more = 1;
    if (peek(in) == '}') {
        in->at++;
        more = 0;
    }
    while (more > 0) more = read_entry(in, entries) < 0 ? -1 : is_more(in, '}');
    PyObject *no_equivalence = PyLong_FromLong(0); /* an immortal object: it cannot fail */
    PyObject *arguments[] = {Py_False, entries, Py_None, no_equivalence};
    PyObject *made =
        more < 0 ? NULL : PyObject_Vectorcall((PyObject *)table_class, arguments, 4, NULL);
    Py_XDECREF(no_equivalence);
    Py_DECREF(entries);
    return made;
}

static PyObject *read_nested(input *in, PyObject *(*read)(input *)) {
    if (in->depth == MOST_NESTED) return NULL;
    in->at++;
    in->depth++;
    PyObject *made = read(in);
    in->depth--;
    return made;
}

static PyObject *read_value(input *in) {
    skip_space(in);
    switch (peek(in)) {
        case '{': return read_nested(in, read_object);
        case '[': return read_nested(in, read_array);
        case '"': in->at++; return read_string(in);
        case 't': return read_word(in, "true", true_value);
        case 'f': return read_word(in, "false", false_value);
        case 'n': return read_word(in, "null", null_symbol);
        default: return read_number(in);
    }
}

/* parse_json(text, start): a tuple of the value and its end; None if Lisp must read it. */
PyObject *parse_json(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    (void)count;
    input in = {arguments[0], PyLong_AsSsize_t(arguments[1]), 0, 0};
    in.size = PyUnicode_GET_LENGTH(in.text);
    PyObject *value = read_value(&in);
    if (value == NULL) {
        if (PyErr_ExceptionMatches(PyExc_MemoryError)) return NULL;
        PyErr_Clear();
        Py_RETURN_NONE;
    }
    return Py_BuildValue("(Nn)", value, in.at);
}
