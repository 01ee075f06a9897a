/* text.c - primitives on strings, and on ports of text.

   As in lists.c, everything unusual is left to the definitions in Python. */

#include "native.h"

#include <structmember.h>

#define STRINGS "builtins.strings"

static PyObject *text_in(PyObject *string) { return field(string, 0); }

PyObject *new_string(PyObject *text) {
    if (text == NULL) return NULL;
    structure *made = PyObject_New(structure, string_class);
    if (made == NULL) {
        Py_DECREF(text);
        return NULL;
    }
    made->fields[0] = text;
    return (PyObject *)made;
}

int make_room(buffer *out, Py_ssize_t count) {
    if (count <= out->capacity - out->size) return 0;
    Py_ssize_t capacity = 2 * out->capacity + count;
    Py_UCS4 *larger = PyMem_Realloc(out->characters, (size_t)capacity * sizeof *larger);
    if (larger == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    out->characters = larger;
    out->capacity = capacity;
    return 0;
}

PyObject *text_of(const buffer *out) {
    return PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, out->characters, out->size);
}

/* An index below a limit, or -1. */
static Py_ssize_t index_below(PyObject *k, Py_ssize_t limit) {
    if (!PyLong_CheckExact(k)) return -1;
    int overflow;
    long value = PyLong_AsLongAndOverflow(k, &overflow);
    return overflow || value < 0 || value >= limit ? -1 : value;
}

/* Whether optional arguments from an index on are a range's defaults, 0 and #f, or absent. */
static int is_whole(PyObject *const *arguments, Py_ssize_t from, Py_ssize_t count) {
    if (count > from && index_below(arguments[from], 1) != 0) return 0;
    return count <= from + 1 || (count == from + 2 && arguments[from + 1] == false_value);
}

static PyObject *string_length(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    if (count != 1 || !is_string(arguments[0]))
        return other_definition(STRINGS, "string_length", arguments, count);
    return PyLong_FromSsize_t(PyUnicode_GET_LENGTH(text_in(arguments[0])));
}

/* As rt_hash_text in runtime/data/hash.c. */
static PyObject *hash_text(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    if (count != 1 || !is_string(arguments[0]))
        return other_definition("builtins.hashes", "hash_text", arguments, count);
    PyObject *text = text_in(arguments[0]);
    const void *data = PyUnicode_DATA(text);
    unsigned long long hash = 0;
    for (Py_ssize_t i = 0; i < PyUnicode_GET_LENGTH(text); i++)
        hash = (31 * hash + PyUnicode_READ(PyUnicode_KIND(text), data, i) + 7) % 4294967291ULL;
    return PyLong_FromUnsignedLongLong(hash);
}

enum { MOST_REMEMBERED = 256 };

PyObject *character_at(PyObject *text, Py_ssize_t k) {
    static PyObject *found_before[MOST_REMEMBERED]; /* there is one value of each character */
    Py_UCS4 code = PyUnicode_READ_CHAR(text, k);
    if (code < MOST_REMEMBERED && found_before[code] != NULL) return Py_NewRef(found_before[code]);
    PyObject *one = PyUnicode_FromOrdinal((int)code);
    if (one == NULL) return NULL;
    PyObject *found = PyDict_GetItemWithError(characters, one);
    if (found != NULL) {
        Py_INCREF(found);
    } else if (!PyErr_Occurred()) {
        found = PyObject_GetItem(characters, one); /* which makes it */
    }
    Py_DECREF(one);
    if (code < MOST_REMEMBERED && found != NULL) found_before[code] = Py_NewRef(found);
    return found;
}

static PyObject *string_ref(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    if (count == 2 && is_string(arguments[0])) {
        PyObject *text = text_in(arguments[0]);
        Py_ssize_t k = index_below(arguments[1], PyUnicode_GET_LENGTH(text));
        if (k >= 0) return character_at(text, k);
    }
    return other_definition(STRINGS, "string_ref", arguments, count);
}

static PyObject *substring(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    if ((count == 2 || count == 3) && is_string(arguments[0])) {
        PyObject *text = text_in(arguments[0]);
        Py_ssize_t size = PyUnicode_GET_LENGTH(text);
        Py_ssize_t start = index_below(arguments[1], size + 1);
        Py_ssize_t end = count == 2 ? size : index_below(arguments[2], size + 1);
        if (start >= 0 && end >= start) return new_string(PyUnicode_Substring(text, start, end));
    }
    return other_definition(STRINGS, "substring", arguments, count);
}

static PyObject *string_append(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    Py_ssize_t size = 0;
    PyObject *texts = PyTuple_New(count);
    if (texts == NULL) return NULL;
    for (Py_ssize_t i = 0; i < count; i++) {
        if (!is_string(arguments[i])) {
            Py_DECREF(texts);
            return other_definition(STRINGS, "string_append", arguments, count);
        }
        PyTuple_SET_ITEM(texts, i, Py_NewRef(text_in(arguments[i])));
        size += PyUnicode_GET_LENGTH(text_in(arguments[i]));
    }
    PyObject *empty = PyUnicode_FromStringAndSize(NULL, 0);
    PyObject *joined = empty == NULL ? NULL : PyUnicode_Join(empty, texts);
    Py_XDECREF(empty);
    Py_DECREF(texts);
    if (joined == NULL && PyErr_ExceptionMatches(PyExc_MemoryError))
        return no_room("string-append", size, "characters");
    return new_string(joined);
}

static PyObject *string_join(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    PyObject *items = NULL;
    int simple = count == 2 && is_string(arguments[1]);
    if (simple && (items = items_of(module, arguments[0])) == NULL) return NULL;
    simple = simple && items != Py_None;
    for (Py_ssize_t i = 0; simple && i < PyList_GET_SIZE(items); i++) {
        PyObject *item = PyList_GET_ITEM(items, i);
        simple = is_string(item);
        if (!simple) break;
        PyList_SET_ITEM(items, i, Py_NewRef(text_in(item)));
        Py_DECREF(item);
    }
    PyObject *joined = simple ? PyUnicode_Join(text_in(arguments[1]), items) : NULL;
    Py_XDECREF(items);
    if (joined != NULL) return new_string(joined);
    if (PyErr_Occurred()) return NULL;
    return other_definition(STRINGS, "string_join", arguments, count);
}

static PyObject *string_split(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    PyObject *separator = NULL;
    if (count == 2 && is_string(arguments[0]) &&
        (is_string(arguments[1]) || Py_IS_TYPE(arguments[1], char_class)))
        separator = field(arguments[1], 0);
    if (separator == NULL || PyUnicode_GET_LENGTH(separator) == 0)
        return other_definition(STRINGS, "string_split", arguments, count);
    PyObject *parts = PyUnicode_Split(text_in(arguments[0]), separator, -1);
    if (parts == NULL) return NULL;
    PyObject *result = Py_NewRef(nil);
    for (Py_ssize_t i = PyList_GET_SIZE(parts); i-- > 0 && result != NULL;) {
        PyObject *part = new_string(take(parts, i));
        if (part == NULL)
            Py_CLEAR(result);
        else
            result = cons(part, result);
    }
    Py_DECREF(parts);
    return result;
}

static PyObject *string_to_list(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    if (count < 1 || !is_string(arguments[0]) || !is_whole(arguments, 1, count))
        return other_definition(STRINGS, "string_to_list", arguments, count);
    PyObject *text = text_in(arguments[0]), *result = Py_NewRef(nil);
    for (Py_ssize_t k = PyUnicode_GET_LENGTH(text); k-- > 0 && result != NULL;) {
        PyObject *one = character_at(text, k);
        if (one == NULL)
            Py_CLEAR(result);
        else
            result = cons(one, result);
    }
    return result;
}

static PyObject *string_equal(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    if (count != 2 || !is_string(arguments[0]) || !is_string(arguments[1]))
        return other_definition(STRINGS, "string_equal", arguments, count);
    int equal = PyUnicode_Compare(text_in(arguments[0]), text_in(arguments[1])) == 0;
    return Py_NewRef(equal ? true_value : false_value);
}

enum { MOST_EXACT = 1000000000 }; /* integers below it fit in a long, and are doubles */

static int is_small(PyObject *x) {
    int overflow;
    if (!PyLong_CheckExact(x)) return 0;
    long value = PyLong_AsLongAndOverflow(x, &overflow);
    return !overflow && -MOST_EXACT < value && value < MOST_EXACT;
}

static PyObject *number_to_string(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    int is_decimal = count == 1 || (count == 2 && index_below(arguments[1], 11) == 10);
    if (is_decimal && is_small(arguments[0]))
        return new_string(PyObject_Str(arguments[0]));
    return other_definition("builtins.number_functions", "number_to_string", arguments, count);
}

enum { MOST_DIGITS = 18 }; /* of numbers that certainly fit in a long long */

/* The number that a text of decimal digits says; -1 for other texts. */
static long long number_in(PyObject *text) {
    Py_ssize_t size = PyUnicode_GET_LENGTH(text);
    if (size == 0 || size > MOST_DIGITS || !PyUnicode_IS_ASCII(text)) return -1;
    const Py_UCS1 *digits = PyUnicode_1BYTE_DATA(text);
    long long number = 0;
    for (Py_ssize_t i = 0; i < size; i++) {
        if (digits[i] < '0' || digits[i] > '9') return -1;
        number = 10 * number + (digits[i] - '0');
    }
    return number;
}

static PyObject *string_to_number(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    int is_decimal = count == 1 || (count == 2 && index_below(arguments[1], 11) == 10);
    long long number = is_decimal && is_string(arguments[0]) ? number_in(text_in(arguments[0])) : -1;
    if (number >= 0) return PyLong_FromLongLong(number);
    return other_definition("builtins.number_functions", "string_to_number", arguments, count);
}

/* Formats: `format_text.py` has the templates. */

/* What Python's % operator formats for an argument of a directive; NULL without an exception if the
   definition in Lisp must do it. */
static PyObject *formattable(Py_UCS4 letter, PyObject *x) {
    static PyObject *displayed, *written;
    if (letter == 'a' && is_string(x)) return Py_NewRef(text_in(x));
    if (letter != 'f' && is_small(x)) return Py_NewRef(x);
    if (letter == 'f' && is_small(x)) return PyNumber_Float(x);
    if (letter == 'f' && PyFloat_CheckExact(x)) {
        double value = PyFloat_AS_DOUBLE(x);
        return value - value == 0 ? Py_NewRef(x) : NULL;
    }
    if (letter != 'a' && letter != 's') return NULL;
    PyObject **printed = letter == 'a' ? &displayed : &written;
    if (*printed == NULL)
        *printed = python_function("io.printing", letter == 'a' ? "displayed" : "written");
    return *printed == NULL ? NULL : PyObject_CallOneArg(*printed, x);
}

/* format_plan(text, letters, arguments): a Lisp string; None if Lisp must format.  text is that of
   Python's % operator, and each argument has a letter. */
static PyObject *format_plan(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    (void)count;
    PyObject *letters = arguments[1], *given = arguments[2];
    Py_ssize_t size = PyTuple_GET_SIZE(given);
    if (PyUnicode_GET_LENGTH(letters) != size) Py_RETURN_NONE;
    PyObject *values = PyTuple_New(size);
    if (values == NULL) return NULL;
    for (Py_ssize_t i = 0; i < size; i++) {
        PyObject *value = formattable(PyUnicode_READ_CHAR(letters, i), PyTuple_GET_ITEM(given, i));
        if (value == NULL) {
            Py_DECREF(values);
            if (PyErr_Occurred()) return NULL;
            Py_RETURN_NONE;
        }
        PyTuple_SET_ITEM(values, i, value);
    }
    PyObject *text = PyUnicode_Format(arguments[0], values);
    Py_DECREF(values);
    return new_string(text);
}

/* Ports.  Where the slots of Python's classes are: `configure_ports` finds out. */

static PyTypeObject *port_class, *text_input_class;
static Py_ssize_t port_put, port_input, port_binary, port_is_open, input_text, input_at, input_file;

static Py_ssize_t offset_of(PyObject *type, const char *name) {
    PyObject *member = PyObject_GetAttrString(type, name);
    if (member == NULL) return -1;
    Py_ssize_t offset = ((PyMemberDescrObject *)member)->d_member->offset;
    Py_DECREF(member);
    return offset;
}

/* configure_ports(Port, TextInput) */
static PyObject *configure_ports(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    (void)count;
    port_put = offset_of(arguments[0], "put");
    port_input = offset_of(arguments[0], "input");
    port_binary = offset_of(arguments[0], "binary");
    port_is_open = offset_of(arguments[0], "is_open");
    input_text = offset_of(arguments[1], "text");
    input_at = offset_of(arguments[1], "at");
    input_file = offset_of(arguments[1], "_file");
    if (PyErr_Occurred()) return NULL;
    port_class = (PyTypeObject *)Py_NewRef(arguments[0]);
    text_input_class = (PyTypeObject *)Py_NewRef(arguments[1]);
    Py_RETURN_NONE;
}

static PyObject **slot(PyObject *value, Py_ssize_t offset) {
    return (PyObject **)((char *)value + offset);
}

/* Writes a text; 0, 1 if the other definition must do it, or -1 with an exception. */
static int put(PyObject *port, PyObject *text) {
    if (port_class == NULL || !Py_IS_TYPE(port, port_class)) return 1;
    PyObject *function = *slot(port, port_put);
    if (function == NULL || function == Py_None) return 1;
    Py_INCREF(function);
    PyObject *result = PyObject_CallOneArg(function, text);
    Py_DECREF(function);
    if (result == NULL && PyErr_ExceptionMatches(PyExc_MemoryError)) {
        PyErr_Clear();
        return 1;
    }
    Py_XDECREF(result);
    return result == NULL ? -1 : 0;
}

/* The result of a primitive that has called `put`. */
static PyObject *after_put(int done, const char *name, PyObject *const *arguments,
                           Py_ssize_t count) {
    if (done == 0) return Py_NewRef(unspecified);
    return done < 0 ? NULL : other_definition("builtins.writing", name, arguments, count);
}

static PyObject *write_char(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    int done = 1;
    if (count == 2 && Py_IS_TYPE(arguments[0], char_class))
        done = put(arguments[1], field(arguments[0], 0));
    return after_put(done, "write_char", arguments, count);
}

static PyObject *write_string(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    int done = 1;
    if (count >= 2 && is_string(arguments[0]) && is_whole(arguments, 2, count))
        done = put(arguments[1], text_in(arguments[0]));
    return after_put(done, "write_string", arguments, count);
}

static PyObject *display(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    int done = 1;
    if (count == 2 && is_string(arguments[0])) done = put(arguments[1], text_in(arguments[0]));
    return after_put(done, "display", arguments, count);
}

/* The stream of an open textual input port, borrowed; NULL otherwise. */
static PyObject *text_stream(PyObject *port) {
    if (port_class == NULL || !Py_IS_TYPE(port, port_class)) return NULL;
    PyObject *stream = *slot(port, port_input);
    if (stream == NULL || !Py_IS_TYPE(stream, text_input_class)) return NULL;
    int usable = *slot(port, port_binary) == Py_False && *slot(port, port_is_open) == Py_True;
    return usable ? stream : NULL;
}

/* The index of the next character in a stream's text, if it has been read; -1 otherwise. */
static Py_ssize_t next_index(PyObject *stream) {
    return index_below(*slot(stream, input_at), PyUnicode_GET_LENGTH(*slot(stream, input_text)));
}

static int set_index(PyObject *stream, Py_ssize_t at) {
    PyObject *number = PyLong_FromSsize_t(at);
    if (number == NULL) return -1;
    Py_XSETREF(*slot(stream, input_at), number);
    return 0;
}

/* Whether nothing of a string is left. */
static int is_at_end(PyObject *stream) {
    if (*slot(stream, input_file) != Py_None) return 0;
    Py_ssize_t size = PyUnicode_GET_LENGTH(*slot(stream, input_text));
    return index_below(*slot(stream, input_at), size + 1) == size;
}

static PyObject *read_char(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    PyObject *stream = count == 1 ? text_stream(arguments[0]) : NULL;
    if (stream != NULL && is_at_end(stream)) return Py_NewRef(eof);
    Py_ssize_t at = stream == NULL ? -1 : next_index(stream);
    if (at < 0) return other_definition("builtins.reading", "read_char", arguments, count);
    PyObject *found = character_at(*slot(stream, input_text), at);
    if (found != NULL && set_index(stream, at + 1) < 0) Py_CLEAR(found);
    return found;
}

static PyObject *peek_char(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    PyObject *stream = count == 1 ? text_stream(arguments[0]) : NULL;
    Py_ssize_t at = stream == NULL ? -1 : next_index(stream);
    if (at < 0) return other_definition("builtins.reading", "peek_char", arguments, count);
    return character_at(*slot(stream, input_text), at);
}

static PyObject *read_line(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    PyObject *stream = count == 1 ? text_stream(arguments[0]) : NULL;
    if (stream != NULL && is_at_end(stream)) return Py_NewRef(eof);
    Py_ssize_t at = stream == NULL ? -1 : next_index(stream), end = -1;
    if (at >= 0) {
        PyObject *text = *slot(stream, input_text);
        end = PyUnicode_FindChar(text, '\n', at, PyUnicode_GET_LENGTH(text), 1);
        if (end == -2) return NULL;
        if (end >= 0) {
            Py_ssize_t carriage_return = PyUnicode_FindChar(text, '\r', at, end, 1);
            if (carriage_return == -2) return NULL;
            if (carriage_return >= 0) end = -1;
        }
    }
    if (end < 0) return other_definition("builtins.reading", "read_line", arguments, count);
    PyObject *line = new_string(PyUnicode_Substring(*slot(stream, input_text), at, end));
    if (line != NULL && set_index(stream, end + 1) < 0) Py_CLEAR(line);
    return line;
}

PyMethodDef text_methods[] = {
    FAST(hash_text),
    FAST(configure_ports), FAST(string_length), FAST(string_ref), FAST(substring),
    FAST(string_append), FAST(string_join), FAST(string_split), FAST(string_to_list),
    FAST(string_equal), FAST(number_to_string), FAST(string_to_number), FAST(format_plan),
    FAST(write_char), FAST(write_string), FAST(display), FAST(read_char), FAST(peek_char), FAST(read_line), {NULL, NULL, 0, NULL},
};
