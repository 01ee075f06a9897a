/* json.c - reads a JSON value.

       parse_json("[1, 2]", 0, number_of)  =>  ((1 2), 6, None, 0)

   The grammar and the values are those of stdlib/language/json.lisp, which raises the error where
   this reader stops.  Long numbers are read by number_of, the procedure string->number. */

#include "native.h"

enum { MOST_NESTED = 1000, LONGEST_NUMBER = 40, CHARACTERS_BETWEEN_POLLS = 1 << 16 };
enum { LEAST_SURROGATE = 0xD800, LEAST_LOW = 0xDC00, LAST_SURROGATE = 0xDFFF };
enum { END = 0x110000, FAILED, NO_CHARACTER = -1 };

typedef struct {
    PyObject *text, *number_of;
    Py_ssize_t at, size;
    int depth;
    int ended;          /* whether it asked for a character after the last one */
    const char *wanted; /* what it expected at `at`, after a failure without an exception */
} input;

/* Each reader returns a value, or NULL: with an exception, or with what it wanted. */
static PyObject *read_value(input *in);

static PyObject *fail(input *in, const char *wanted) {
    in->wanted = wanted;
    return NULL;
}

/* The next character; END at the end. */
static Py_UCS4 peek(input *in) {
    if (in->at < in->size) return PyUnicode_READ_CHAR(in->text, in->at);
    in->ended = 1;
    return END;
}

static void skip_space(input *in) {
    for (;; in->at++) {
        Py_UCS4 c = peek(in);
        if (c != ' ' && c != '\n' && c != '\t' && c != '\r') return;
    }
}

static PyObject *read_word(input *in, const char *word, PyObject *value) {
    for (const char *letter = word; *letter != '\0'; letter++, in->at++)
        if (peek(in) != (Py_UCS4)*letter) return fail(in, word);
    return Py_NewRef(value);
}

static int is_digit(Py_UCS4 c) { return c >= '0' && c <= '9'; }

/* Whether there are digits; they are consumed. */
static int skip_digits(input *in) {
    if (!is_digit(peek(in))) {
        fail(in, "a digit");
        return 0;
    }
    while (is_digit(peek(in))) in->at++;
    return 1;
}

/* Finds the end of a number; whether it is one. */
static int skip_number(input *in, int *is_integer) {
    if (peek(in) == '-') in->at++;
    if (peek(in) == '0') in->at++;
    else if (!skip_digits(in)) return 0;
    if (peek(in) == '.') {
        *is_integer = 0;
        in->at++;
        if (!skip_digits(in)) return 0;
    }
    if (peek(in) == 'e' || peek(in) == 'E') {
        *is_integer = 0;
        in->at++;
        if (peek(in) == '+' || peek(in) == '-') in->at++;
        if (!skip_digits(in)) return 0;
    }
    return 1;
}

/* The value of a long number, or of one that is too large for a double. */
static PyObject *number_of(input *in, Py_ssize_t start) {
    PyObject *text = PyUnicode_Substring(in->text, start, in->at);
    PyObject *string = text == NULL ? NULL : PyObject_CallOneArg((PyObject *)string_class, text);
    PyObject *made = string == NULL ? NULL : PyObject_CallOneArg(in->number_of, string);
    Py_XDECREF(text);
    Py_XDECREF(string);
    return made;
}

static PyObject *read_number(input *in) {
    char number[LONGEST_NUMBER + 1];
    int is_integer = 1;
    Py_ssize_t start = in->at;
    if (!skip_number(in, &is_integer)) return NULL;
    Py_ssize_t length = in->at - start;
    if (length > LONGEST_NUMBER) return number_of(in, start);
    for (Py_ssize_t i = 0; i < length; i++)
        number[i] = (char)PyUnicode_READ_CHAR(in->text, start + i);
    number[length] = '\0';
    if (is_integer) return PyLong_FromString(number, NULL, 10);
    double value = PyOS_string_to_double(number, NULL, NULL);
    if (value == -1 && PyErr_Occurred()) return NULL;
    if (value - value != 0) return number_of(in, start);
    return PyFloat_FromDouble(value);
}

/* The four digits of \uXXXX. */
static int read_hex(input *in) {
    int code = 0;
    for (int i = 0; i < 4; i++, in->at++) {
        Py_UCS4 c = peek(in);
        int digit = is_digit(c)              ? (int)(c - '0')
                    : c >= 'a' && c <= 'f'   ? (int)(c - 'a') + 10
                    : c >= 'A' && c <= 'F'   ? (int)(c - 'A') + 10
                                             : -1;
        if (digit < 0) {
            fail(in, "a hexadecimal digit");
            return NO_CHARACTER;
        }
        code = 16 * code + digit;
    }
    return code;
}

static int fail_character(input *in, const char *wanted) {
    fail(in, wanted);
    return NO_CHARACTER;
}

/* The character of four hexadecimal digits, or of two surrogates. */
static int read_code(input *in) {
    int code = read_hex(in);
    if (code < LEAST_SURROGATE || code > LAST_SURROGATE) return code;
    if (code >= LEAST_LOW) return fail_character(in, "a high surrogate before a low one");
    for (const char *c = "\\u"; *c != '\0'; c++, in->at++)
        if (peek(in) != (Py_UCS4)*c) return fail_character(in, "a low surrogate");
    int low = read_hex(in);
    if (low < 0) return low;
    if (low < LEAST_LOW || low > LAST_SURROGATE)
        return fail_character(in, "a low surrogate after a high one");
    return 0x10000 + 1024 * (code - LEAST_SURROGATE) + (low - LEAST_LOW);
}

/* The character of an escape, whose backslash has been consumed. */
static int read_escape(input *in) {
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    Py_UCS4 c = peek(in);
    const char *found = c > 0 && c < 0x80 ? strchr(letters, (int)c) : NULL;
    if (found == NULL && c != 'u') return fail_character(in, "one of \"\\/bfnrtu");
    in->at++;
    return c == 'u' ? read_code(in) : meanings[found - letters];
}

/* Finds the next quote, backslash or control character; that character, END, or FAILED with an
   exception. */
static Py_UCS4 skip_ordinary(input *in) {
    for (;; in->at++) {
        if (in->at % CHARACTERS_BETWEEN_POLLS == 0 && poll_now() < 0) return FAILED;
        Py_UCS4 c = peek(in);
        if (c == '"' || c == '\\' || c < ' ' || c == END) return c;
    }
}

/* Appends the characters of the text from an index to the next one; 0, or -1 with an exception. */
static int append(buffer *out, const input *in, Py_ssize_t from) {
    Py_ssize_t count = in->at - from + 1; /* and one after them, of an escape */
    if (make_room(out, count) < 0) return -1;
    for (; from < in->at; from++)
        out->characters[out->size++] = PyUnicode_READ_CHAR(in->text, from);
    return 0;
}

/* The rest of a string, which begins at an index and may have escapes; NULL after a failure. */
static PyObject *read_escaped(input *in, Py_ssize_t from, buffer *out) {
    for (;;) {
        Py_UCS4 c = skip_ordinary(in);
        if (c == FAILED || append(out, in, from) < 0) return NULL;
        if (c == END) return fail(in, "a closing quote");
        if (c < ' ') return fail(in, "no control character in a string");
        in->at++;
        if (c == '"') return text_of(out);
        int meant = read_escape(in);
        if (meant < 0) return NULL;
        out->characters[out->size++] = (Py_UCS4)meant;
        from = in->at;
    }
}

/* A Python text; its opening quote has been consumed. */
static PyObject *read_text(input *in) {
    Py_ssize_t from = in->at;
    Py_UCS4 c = skip_ordinary(in);
    if (c == FAILED) return NULL;
    if (c == '"') return PyUnicode_Substring(in->text, from, in->at++);
    buffer out = {NULL, 0, 0};
    PyObject *made = read_escaped(in, from, &out);
    PyMem_Free(out.characters);
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
static int is_more(input *in, Py_UCS4 end, const char *wanted) {
    skip_space(in);
    Py_UCS4 c = peek(in);
    if (c != ',' && c != end) {
        fail(in, wanted);
        return -1;
    }
    in->at++;
    return c == ',';
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
        int more = failed ? -1 : is_more(in, ']', "',' or ']'");
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
    if (peek(in) != '"') {
        fail(in, "a key in double quotes");
        return -1;
    }
    in->at++;
    PyObject *text = read_text(in);
    if (text == NULL) return -1;
    skip_space(in);
    PyObject *value = NULL;
    if (peek(in) == ':') {
        in->at++;
        value = read_value(in);
    } else {
        fail(in, "':'");
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
    while (more > 0) more = read_entry(in, entries) < 0 ? -1 : is_more(in, '}', "',' or '}'");
    PyObject *no_equivalence = PyLong_FromLong(0); /* an immortal object: it cannot fail */
    PyObject *arguments[] = {Py_False, entries, Py_None, no_equivalence};
    PyObject *made =
        more < 0 ? NULL : PyObject_Vectorcall((PyObject *)table_class, arguments, 4, NULL);
    Py_XDECREF(no_equivalence);
    Py_DECREF(entries);
    return made;
}

static PyObject *read_nested(input *in, PyObject *(*read)(input *)) {
    if (in->depth == MOST_NESTED) return fail(in, "at most 1000 nested brackets");
    in->at++;
    in->depth++;
    PyObject *made = read(in);
    in->depth--;
    return made;
}

static PyObject *read_value(input *in) {
    if (poll_sometimes() < 0) return NULL;
    skip_space(in);
    Py_UCS4 c = peek(in);
    switch (c) {
        case '{': return read_nested(in, read_object);
        case '[': return read_nested(in, read_array);
        case '"': in->at++; return read_string(in);
        case 't': return read_word(in, "true", true_value);
        case 'f': return read_word(in, "false", false_value);
        case 'n': return read_word(in, "null", null_symbol);
        default: return c == '-' || is_digit(c) ? read_number(in) : fail(in, "a value");
    }
}

/* parse_json(text, start, number_of): a tuple of the value, its end, and None; or of None, where the
   reader stopped, and what it expected there; then whether it asked for more than the text has. */
PyObject *parse_json(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    (void)count;
    input in = {arguments[0], arguments[2], PyLong_AsSsize_t(arguments[1]), 0, 0, 0, NULL};
    in.size = PyUnicode_GET_LENGTH(in.text);
    PyObject *value = read_value(&in);
    if (value == NULL && PyErr_Occurred()) return NULL;
    if (value == NULL) value = Py_NewRef(Py_None);
    return Py_BuildValue("(Nnzi)", value, in.at, in.wanted, in.ended);
}
