/* csv.c - reads the rows of a table of comma-separated values.

       parse_csv("1,a\n2,b\n", 0, ",", 1, (), -1, 1, value)  =>  (((2 "b") (1 "a")), 8, 2, 3, 0, 0)

   The rules are those of stdlib/language/data.lisp, which raises the errors: a row that is not as
   wide as those before it is left to it.  Fields that may be unusual numbers are given to `value`,
   its procedure %csv-value. */

#include "native.h"

enum { LONGEST_INTEGER = 18, LONGEST_DOUBLE = 40 };
enum { END = 0x110000 };

/* What reading a field or a row comes to. */
typedef enum { FAILED, INCOMPLETE, WRONG, DONE } outcome;

typedef struct {
    PyObject *text, *value;
    Py_ssize_t at, size;
    Py_UCS4 separator;
    int is_complete;   /* whether nothing follows the text */
    Py_ssize_t line;   /* of the next character */
    Py_ssize_t opened; /* the line of a quote that is never closed, or 0 */
    buffer quoted;     /* a field with quotes */
} table;

static Py_UCS4 peek(const table *in) {
    return in->at < in->size ? PyUnicode_READ_CHAR(in->text, in->at) : END;
}

static int is_line_end(Py_UCS4 c) { return c == '\n' || c == '\r'; }

/* Takes a line end; INCOMPLETE if the rest of it may follow the text. */
static outcome take_line_end(table *in) {
    if (peek(in) == '\r') {
        if (in->at + 1 == in->size && !in->is_complete) return INCOMPLETE;
        in->at++;
        if (peek(in) == '\n') in->at++;
    } else {
        in->at++;
    }
    in->line++;
    return DONE;
}

/* Collects the characters of a field with quotes, from its first one on. */
static outcome take_quoted(table *in) {
    int quoted = 0;
    Py_ssize_t opened = 0;
    in->quoted.size = 0;
    for (;;) {
        Py_UCS4 c = peek(in), kept = c;
        if (c == END) {
            if (quoted && in->is_complete) in->opened = opened;
            return quoted || !in->is_complete ? INCOMPLETE : DONE;
        }
        if (!quoted && (c == in->separator || is_line_end(c))) return DONE;
        if (is_line_end(c)) {
            if (take_line_end(in) == INCOMPLETE) return INCOMPLETE;
            kept = '\n';
        } else if (c == '"') {
            if (quoted && in->at + 1 == in->size && !in->is_complete) return INCOMPLETE;
            in->at++;
            if (!quoted || peek(in) != '"') {
                quoted = !quoted;
                opened = in->line;
                continue;
            }
            in->at++;
        } else {
            in->at++;
        }
        if (make_room(&in->quoted, 1) < 0) return FAILED;
        in->quoted.characters[in->quoted.size++] = kept;
    }
}

static int is_digit(Py_UCS4 c) { return c >= '0' && c <= '9'; }

/* The number that a text in ASCII is, if it is a usual one; NULL if not, maybe with an exception. */
static PyObject *usual_number(const char *text, Py_ssize_t length) {
    Py_ssize_t at = text[0] == '-' || text[0] == '+', digits = 0, points = 0;
    for (; at < length && (is_digit((Py_UCS4)text[at]) || text[at] == '.'); at++) {
        points += text[at] == '.';
        digits += text[at] != '.';
    }
    int is_integer = points == 0;
    if (digits > 0 && at < length && (text[at] == 'e' || text[at] == 'E')) {
        is_integer = 0;
        at++;
        if (at < length && (text[at] == '-' || text[at] == '+')) at++;
        if (at == length) return NULL;
        while (at < length && is_digit((Py_UCS4)text[at])) at++;
    }
    if (at < length || digits == 0 || points > 1) return NULL;
    if (is_integer) return length <= LONGEST_INTEGER ? PyLong_FromString(text, NULL, 10) : NULL;
    double number = PyOS_string_to_double(text, NULL, NULL);
    return PyErr_Occurred() ? NULL : PyFloat_FromDouble(number);
}

/* Whether a text that begins so may be a number: white space comes before some. */
static int may_be_number(Py_UCS4 c) {
    return is_digit(c) || c == '+' || c == '-' || c == '.' || c == '#' || c <= ' ' || c > 0x7E;
}

/* The value of a field; it takes the reference to its text. */
static PyObject *value_of(table *in, PyObject *field) {
    if (field == NULL) return NULL;
    Py_ssize_t length = PyUnicode_GET_LENGTH(field);
    PyObject *found = NULL;
    int asks = length > 0 && may_be_number(PyUnicode_READ_CHAR(field, 0));
    if (asks && length <= LONGEST_DOUBLE && PyUnicode_IS_ASCII(field)) {
        found = usual_number((const char *)PyUnicode_1BYTE_DATA(field), length);
        if (found == NULL && PyErr_Occurred()) asks = -1;
    }
    if (found == NULL && asks >= 0) {
        PyObject *string = PyObject_CallOneArg((PyObject *)string_class, field);
        found = string != NULL && asks ? call_one(in->value, string) : Py_XNewRef(string);
        Py_XDECREF(string);
    }
    Py_DECREF(field);
    return found;
}

/* Takes a field and sets *field to its text. */
static outcome take_field(table *in, PyObject **field) {
    Py_ssize_t from = in->at;
    Py_UCS4 c;
    while ((c = peek(in)) != in->separator && !is_line_end(c) && c != '"' && c != END) in->at++;
    if (c == '"') {
        in->at = from;
        outcome found = take_quoted(in);
        if (found == DONE) *field = text_of(&in->quoted);
        return found;
    }
    if (c == END && !in->is_complete) return INCOMPLETE;
    *field = PyUnicode_Substring(in->text, from, in->at);
    return DONE;
}

/* Adds the values of a row's fields to a list, and counts them. */
static outcome take_row(table *in, building *row, Py_ssize_t *count) {
    for (;;) {
        PyObject *field = NULL;
        outcome found = take_field(in, &field);
        if (found != DONE) return found;
        if (add(row, value_of(in, field)) < 0) return FAILED;
        ++*count;
        Py_UCS4 c = peek(in);
        if (c == END) return DONE;
        if (c != in->separator) return take_line_end(in);
        in->at++;
    }
}

/* Puts rows before those in *rows; WRONG where Lisp finds a mistake. */
static outcome take_rows(table *in, PyObject **rows, Py_ssize_t *width) {
    while (in->at < in->size) {
        Py_ssize_t start = in->at, line = in->line, count = 0;
        if (is_line_end(peek(in))) {
            if (take_line_end(in) == INCOMPLETE) return INCOMPLETE;
            continue;
        }
        building row = {NULL, NULL};
        outcome found = take_row(in, &row, &count);
        PyObject *made = built(row, Py_NewRef(nil));
        if (found == DONE && (*width < 0 || *width == count)) {
            *width = count;
            *rows = cons(made, *rows);
            if (*rows == NULL) return FAILED;
            continue;
        }
        Py_XDECREF(made);
        in->at = start;
        in->line = line;
        return found == DONE ? WRONG : found;
    }
    return DONE;
}

/* parse_csv(text, start, separator, is_complete, rows, width, line, value): a tuple of the rows, the
   last one first, of where reading stopped, of the rows' width, of the line there, of the line of a
   quote that is never closed, or 0, and of whether the row there is wrong.  A width of -1 is not
   known yet. */
PyObject *parse_csv(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    (void)count;
    table in = {arguments[0], arguments[7], PyLong_AsSsize_t(arguments[1]),
                PyUnicode_GET_LENGTH(arguments[0]), PyUnicode_READ_CHAR(arguments[2], 0),
                arguments[3] == Py_True, PyLong_AsSsize_t(arguments[6]), 0, {NULL, 0, 0}};
    PyObject *rows = Py_NewRef(arguments[4]);
    Py_ssize_t width = PyLong_AsSsize_t(arguments[5]);
    outcome found = take_rows(&in, &rows, &width);
    PyMem_Free(in.quoted.characters);
    if (found == FAILED) {
        Py_XDECREF(rows);
        return NULL;
    }
    return Py_BuildValue("(Nnnnni)", rows, in.at, width, in.line, in.opened, found == WRONG);
}
