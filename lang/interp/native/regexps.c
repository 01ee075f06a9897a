/* regexps.c - regular expressions: the primitives, and the library's procedures over them.

   Patterns are those of the runtime, runtime/text/pattern.c.  As in lists.c, errors are left to the
   definitions in Python, and what is not simple to those in Lisp. */

#include "native.h"

#include <dlfcn.h>

#include "../../../runtime/text/pattern.h"

#define REGEXPS "builtins.regexps"

void *rt_open_library(const char *name) { return dlopen(name, RTLD_NOW | RTLD_LOCAL); }

int rt_poll_interrupt(void) { return poll_now(); }

/* ---- Compiled regular expressions, and texts to search -------------------- */

typedef struct {
    PyObject_HEAD
    rt_pattern *pattern;
} compiled_object;

/* bytes: what keeps the data alive. */
typedef struct {
    PyObject_HEAD
    PyObject *bytes;
    const unsigned char *data;
    size_t size;
    bool is_ascii;
} subject_object;

static PyTypeObject *compiled_class, *subject_class;

static void drop(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    if (type == compiled_class) rt_free_pattern(((compiled_object *)self)->pattern);
    else Py_XDECREF(((subject_object *)self)->bytes);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyObject *text_of_compiled(PyObject *self) {
    (void)self;
    return PyUnicode_FromString("#<compiled regexp>");
}

static PyObject *text_of_subject(PyObject *self) {
    (void)self;
    return PyUnicode_FromString("#<subject>");
}

/* Python's collector would track a class without it like its base. */
static int clear(PyObject *self) {
    (void)self;
    return 0;
}

static PyTypeObject *new_class(const char *name, size_t size, reprfunc text) {
    PyType_Slot slots[] = {
        {Py_tp_dealloc, (void *)drop}, {Py_tp_repr, (void *)text},
        {Py_tp_clear, (void *)clear}, {Py_tp_free, (void *)PyObject_Free}, {0, NULL},
    };
    PyType_Spec spec = {.name = name, .basicsize = (int)size, .flags = Py_TPFLAGS_DEFAULT,
                        .slots = slots};
    return (PyTypeObject *)PyType_FromSpecWithBases(&spec, foreign_class);
}

/* The class of such objects, made at the first one; NULL with an exception. */
static PyTypeObject *class_of_compiled(void) {
    if (compiled_class == NULL)
        compiled_class =
            new_class("lambent_native.Compiled", sizeof(compiled_object), text_of_compiled);
    return compiled_class;
}

static PyTypeObject *class_of_subjects(void) {
    if (subject_class == NULL)
        subject_class = new_class("lambent_native.Subject", sizeof(subject_object), text_of_subject);
    return subject_class;
}

/* The code points of a text as UTF-8, also those that stand for bytes that are not UTF-8.  What it
   sets `bytes` to is a new reference; 0, or -1 with an exception. */
static int fill_subject(subject_object *subject, PyObject *text) {
    Py_ssize_t size;
    const char *data;
    subject->is_ascii = PyUnicode_IS_ASCII(text);
    if (subject->is_ascii) {
        subject->bytes = Py_NewRef(text);
        data = PyUnicode_DATA(text);
        size = PyUnicode_GET_LENGTH(text);
    } else {
        subject->bytes = PyUnicode_AsEncodedString(text, "utf-8", "surrogatepass");
        if (subject->bytes == NULL) return -1;
        data = PyBytes_AS_STRING(subject->bytes);
        size = PyBytes_GET_SIZE(subject->bytes);
    }
    subject->data = (const unsigned char *)data;
    subject->size = (size_t)size;
    return 0;
}

static PyObject *text_in(PyObject *string) { return field(string, 0); }

/* NULL if it is not one. */
static rt_pattern *pattern_of(PyObject *value) {
    bool is_one = compiled_class != NULL && Py_IS_TYPE(value, compiled_class);
    return is_one ? ((compiled_object *)value)->pattern : NULL;
}

/* An index up to a limit, or -1. */
static Py_ssize_t index_up_to(PyObject *value, Py_ssize_t limit) {
    if (!PyLong_CheckExact(value)) return -1;
    int overflow;
    long index = PyLong_AsLongAndOverflow(value, &overflow);
    return overflow || index < 0 || index > limit ? -1 : index;
}

/* A range of a text, whose end may be #f; false for one that is wrong. */
static bool is_range(PyObject *text, PyObject *start, PyObject *end, Py_ssize_t *from,
                     Py_ssize_t *to) {
    Py_ssize_t size = PyUnicode_GET_LENGTH(text);
    *from = index_up_to(start, size);
    *to = end == false_value ? size : index_up_to(end, size);
    return *from >= 0 && *to >= *from;
}

/* ---- The primitives ------------------------------------------------------ */

/* (index . message) for a pattern that is wrong. */
static PyObject *pattern_error(const char *bytes, const rt_pattern_error *error) {
    if (error->message[0] == 0) return PyErr_NoMemory();
    size_t at = rt_count_characters((const unsigned char *)bytes, 0, error->at);
    PyObject *index = PyLong_FromSize_t(at);
    PyObject *message = new_string(PyUnicode_FromString(error->message));
    if (index != NULL && message != NULL) return cons(index, message);
    Py_XDECREF(index);
    Py_XDECREF(message);
    return NULL;
}

static PyObject *regexp_compile(PyObject *module, arguments_of_call arguments, Py_ssize_t count) {
    (void)module;
    if (count != 1 || !is_string(arguments[0]))
        return other_definition(REGEXPS, "regexp_compile", arguments, count);
    if (!rt_has_patterns()) return Py_NewRef(false_value);
    PyTypeObject *type = class_of_compiled();
    if (type == NULL) return NULL;
    PyObject *utf8 = PyUnicode_AsEncodedString(text_in(arguments[0]), "utf-8", "surrogatepass");
    if (utf8 == NULL) return NULL;
    const char *bytes = PyBytes_AS_STRING(utf8);
    rt_pattern_error error;
    rt_pattern *pattern = rt_compile_pattern(bytes, (size_t)PyBytes_GET_SIZE(utf8), &error);
    compiled_object *made = NULL;
    PyObject *result = NULL;
    if (pattern == NULL) {
        result = pattern_error(bytes, &error);
    } else if ((made = PyObject_New(compiled_object, type)) != NULL) {
        made->pattern = pattern;
        result = (PyObject *)made;
    } else {
        rt_free_pattern(pattern);
    }
    Py_DECREF(utf8);
    return result;
}

static PyObject *named_group(const unsigned char *entry) {
    PyObject *name = PyUnicode_FromString((const char *)entry + 2);
    static PyObject *symbol;
    if (symbol == NULL) symbol = python_function("values.values", "symbol");
    PyObject *made = name == NULL || symbol == NULL ? NULL : PyObject_CallOneArg(symbol, name);
    PyObject *number = PyLong_FromLong(entry[0] << 8 | entry[1]);
    Py_XDECREF(name);
    if (made != NULL && number != NULL) return cons(made, number);
    Py_XDECREF(made);
    Py_XDECREF(number);
    return NULL;
}

static PyObject *regexp_groups(PyObject *module, arguments_of_call arguments, Py_ssize_t count) {
    (void)module;
    rt_pattern *pattern = count == 1 ? pattern_of(arguments[0]) : NULL;
    if (pattern == NULL) return other_definition(REGEXPS, "regexp_groups", arguments, count);
    rt_group_names found = rt_names_of(pattern);
    PyObject *names = Py_NewRef(nil);
    for (uint32_t i = 0; i < found.count && names != NULL; i++) {
        PyObject *name = named_group(found.entries + (size_t)i * found.size);
        if (name == NULL) Py_CLEAR(names);
        else names = cons(name, names);
    }
    PyObject *number = names == NULL ? NULL : PyLong_FromLong((long)pattern->groups);
    if (number == NULL) {
        Py_XDECREF(names);
        return NULL;
    }
    return cons(number, names);
}

static PyObject *regexp_subject(PyObject *module, arguments_of_call arguments, Py_ssize_t count) {
    (void)module;
    Py_ssize_t from, to;
    if (count != 3 || !is_string(arguments[0]) ||
        !is_range(text_in(arguments[0]), arguments[1], arguments[2], &from, &to))
        return other_definition(REGEXPS, "regexp_subject", arguments, count);
    PyTypeObject *type = class_of_subjects();
    if (type == NULL) return NULL;
    PyObject *part = PyUnicode_Substring(text_in(arguments[0]), from, to);
    if (part == NULL) return NULL;
    subject_object *made = PyObject_New(subject_object, type);
    if (made != NULL) {
        made->bytes = NULL;
        if (fill_subject(made, part) < 0) Py_CLEAR(made);
    }
    Py_DECREF(part);
    return (PyObject *)made;
}

/* Where a byte stands, in characters: the walk goes there from another, wherever that is. */
static size_t character_of_byte(const subject_object *subject, size_t to, size_t byte,
                           size_t character) {
    if (subject->is_ascii) return to;
    if (to >= byte) return character + rt_count_characters(subject->data, byte, to);
    return character - rt_count_characters(subject->data, to, byte);
}

/* A vector of the start and the end of the match and of each group, and of its end in bytes. */
static PyObject *positions(const rt_pattern *pattern, const subject_object *subject, size_t byte,
                           size_t character) {
    const size_t *offsets = rt_offsets_of(pattern);
    size_t count = 2 * ((size_t)pattern->groups + 1);
    PyObject *items = PyList_New((Py_ssize_t)count + 1);
    for (size_t i = 0; items != NULL && i <= count; i++) {
        size_t to = i == count ? offsets[1] : offsets[i];
        PyObject *item;
        if (to == PCRE2_UNSET) {
            item = Py_NewRef(false_value);
        } else if (i == count) {
            item = PyLong_FromSize_t(to);
        } else {
            character = character_of_byte(subject, to, byte, character);
            byte = to;
            item = PyLong_FromSize_t(character);
        }
        if (item == NULL) Py_CLEAR(items);
        else PyList_SET_ITEM(items, (Py_ssize_t)i, item);
    }
    if (items == NULL) return NULL;
    PyObject *result = PyObject_CallOneArg((PyObject *)vector_class, items);
    Py_DECREF(items);
    return result;
}

/* The result of a search: positions, #f, a code, or NULL with an exception. */
static PyObject *result_of(int status, const rt_pattern *pattern, const subject_object *subject,
                           size_t byte, size_t character) {
    if (status == RT_MATCHED) return positions(pattern, subject, byte, character);
    if (status == RT_NO_MATCH) return Py_NewRef(false_value);
    return status == RT_STOPPED ? NULL : PyLong_FromLong(status);
}

static PyObject *regexp_match(PyObject *module, arguments_of_call arguments, Py_ssize_t count) {
    (void)module;
    rt_pattern *pattern = count == 5 ? pattern_of(arguments[0]) : NULL;
    if (pattern == NULL || subject_class == NULL || !Py_IS_TYPE(arguments[1], subject_class))
        return other_definition(REGEXPS, "regexp_match", arguments, count);
    const subject_object *subject = (subject_object *)arguments[1];
    Py_ssize_t byte = index_up_to(arguments[2], (Py_ssize_t)subject->size);
    Py_ssize_t character = index_up_to(arguments[3], PY_SSIZE_T_MAX);
    Py_ssize_t flags = index_up_to(arguments[4], INT_MAX);
    if (byte < 0 || character < 0 || flags < 0)
        return other_definition(REGEXPS, "regexp_match", arguments, count);
    int status =
        rt_search_pattern(pattern, subject->data, subject->size, (size_t)byte, (int)flags);
    return result_of(status, pattern, subject, (size_t)byte, (size_t)character);
}

/* ---- All matches --------------------------------------------------------- */

int rt_poll_between_matches(void) { return poll_sometimes(); }

/* A part of a text that is being divided.  at: the byte to which that is done, and its index among
   characters. */
typedef struct {
    PyObject *text;
    building parts;
    subject_object subject;
    rt_matches matches;
    size_t start, at, character;
} division;

static bool take_part(void *taker, size_t to, bool is_part) {
    division *d = taker;
    size_t before = d->start + d->character;
    d->character = character_of_byte(&d->subject, to, d->at, d->character);
    d->at = to;
    if (!is_part) return true;
    size_t after = d->start + d->character;
    PyObject *part = PyUnicode_Substring(d->text, (Py_ssize_t)before, (Py_ssize_t)after);
    return add(&d->parts, new_string(part)) == 0;
}

static PyObject *parts_of(division *d, int flags) {
    int status = rt_divide_text(&d->matches, flags, take_part, d);
    if (status == RT_NO_MATCH) return built(d->parts, Py_NewRef(nil));
    if (d->parts.first != NULL) Py_DECREF(built(d->parts, Py_NewRef(nil)));
    return status == RT_STOPPED ? NULL : PyLong_FromLong(status);
}

static PyObject *regexp_parts(PyObject *module, arguments_of_call arguments, Py_ssize_t count) {
    (void)module;
    rt_pattern *pattern = count == 5 ? pattern_of(arguments[0]) : NULL;
    Py_ssize_t from, to, flags = count == 5 ? index_up_to(arguments[4], INT_MAX) : -1;
    if (pattern == NULL || flags < 0 || !is_string(arguments[1]) ||
        !is_range(text_in(arguments[1]), arguments[2], arguments[3], &from, &to))
        return other_definition(REGEXPS, "regexp_parts", arguments, count);
    PyObject *text = text_in(arguments[1]);
    PyObject *part = PyUnicode_Substring(text, from, to);
    if (part == NULL) return NULL;
    division d = {.text = text, .start = (size_t)from};
    int failed = fill_subject(&d.subject, part);
    Py_DECREF(part);
    if (failed) return NULL;
    d.matches = (rt_matches){pattern, d.subject.data, d.subject.size, 0, 0};
    PyObject *result = parts_of(&d, (int)flags);
    Py_DECREF(d.subject.bytes);
    return result;
}

/* ---- Procedures of the library ------------------------------------------- */

/* The fields of regexps and of matches, which are records: stdlib/regexp/. */
enum { CODE = 1, GROUP_COUNT = 2, NAMES = 3 };
enum { REGEXP = 0, TEXT = 1, BASE = 2, POSITIONS = 3 };

/* What a procedure knows: its definition in Lisp, how it asks for the value of a global variable,
   and what it has asked for. */
enum { LISP, FIND, REGEXP_CLASS, MATCH_CLASS, TO_REGEXP, BY_ADDRESS, STATE_SIZE };

static PyObject *in_lisp(PyObject *state, arguments_of_call arguments, Py_ssize_t count) {
    PyObject *lisp = PyList_GET_ITEM(state, LISP);
    return after_tail_call(PyObject_Vectorcall(lisp, arguments, (size_t)count, NULL));
}

/* Borrowed; NULL with an exception.  `attribute` of the value is what counts, or the value itself if
   that is NULL. */
static PyObject *known(PyObject *state, int k, const char *variable, const char *attribute) {
    PyObject *found = PyList_GET_ITEM(state, k);
    if (found != Py_None) return found;
    PyObject *value = PyObject_CallFunction(PyList_GET_ITEM(state, FIND), "s", variable);
    if (value == NULL) return NULL;
    if (attribute != NULL) Py_SETREF(value, PyObject_GetAttrString(value, attribute));
    if (value != NULL) PyList_SetItem(state, k, value);
    return value;
}

static PyObject *regexp_class_of(PyObject *state) {
    return known(state, REGEXP_CLASS, "l:%regexp-type", "record_class");
}

static PyObject *match_class_of(PyObject *state) {
    return known(state, MATCH_CLASS, "l:%match-type", "record_class");
}

/* The regexps of SREs by their address: that of an SRE that stands in a program is found without
   the hash of a list.  An entry is a pair of the regexp and of what the SRE was, as the SRE may have
   changed: its atoms in order, and None where a pair begins. */

enum { MOST_ATOMS = 256, MOST_DEPTH = 32, MOST_REMEMBERED = 256 };

typedef struct {
    PyObject *items[MOST_ATOMS];
    int count;
} atoms;

/* False for an SRE with other atoms, or too many. */
static bool collect_atoms(PyObject *sre, atoms *found, int depth) {
    while (is_pair(sre)) {
        if (found->count == MOST_ATOMS || depth == MOST_DEPTH) return false;
        found->items[found->count++] = Py_None;
        if (!collect_atoms(field(sre, CAR), found, depth + 1)) return false;
        sre = field(sre, CDR);
    }
    bool is_constant = sre == nil || Py_IS_TYPE(sre, symbol_class) || is_string(sre) ||
                       Py_IS_TYPE(sre, char_class) || PyLong_CheckExact(sre);
    if (found->count == MOST_ATOMS || !is_constant) return false;
    found->items[found->count++] = sre;
    return true;
}

static bool are_atoms(const atoms *found, PyObject *tuple) {
    if (PyTuple_GET_SIZE(tuple) != found->count + 1) return false;
    for (int i = 0; i < found->count; i++)
        if (PyTuple_GET_ITEM(tuple, i) != found->items[i]) return false;
    return true;
}

/* The atoms of an SRE, and last the SRE, whose address nothing else has while it is there. */
static PyObject *tuple_of(const atoms *found, PyObject *sre) {
    PyObject *tuple = PyTuple_New(found->count + 1);
    if (tuple == NULL) return NULL;
    for (int i = 0; i < found->count; i++) PyTuple_SET_ITEM(tuple, i, Py_NewRef(found->items[i]));
    PyTuple_SET_ITEM(tuple, found->count, Py_NewRef(sre));
    return tuple;
}

/* Borrowed; NULL, perhaps with an exception, if it is not there. */
static PyObject *remembered(PyObject *by_address, PyObject *address, const atoms *found) {
    PyObject *entry = PyDict_GetItemWithError(by_address, address);
    if (entry == NULL || !are_atoms(found, PyTuple_GET_ITEM(entry, 1))) return NULL;
    return PyTuple_GET_ITEM(entry, 0);
}

/* 0, or -1 with an exception. */
static int remember(PyObject *by_address, PyObject *address, const atoms *found, PyObject *sre,
                    PyObject *regexp) {
    if (PyDict_GET_SIZE(by_address) >= MOST_REMEMBERED) PyDict_Clear(by_address);
    PyObject *tuple = tuple_of(found, sre);
    PyObject *entry = tuple == NULL ? NULL : PyTuple_Pack(2, regexp, tuple);
    Py_XDECREF(tuple);
    int failed = entry == NULL ? -1 : PyDict_SetItem(by_address, address, entry);
    Py_XDECREF(entry);
    return failed;
}

static PyObject *converted(PyObject *state, const char *who, PyObject *value) {
    PyObject *convert = known(state, TO_REGEXP, "l:%regexp", NULL);
    if (convert == NULL) return NULL;
    PyObject *name = new_string(PyUnicode_FromString(who));
    if (name == NULL) return NULL;
    PyObject *regexp = call_two(convert, name, value);
    Py_DECREF(name);
    return regexp;
}

/* The regexp that an argument is or describes, a new reference; NULL with an exception. */
static PyObject *regexp_of(PyObject *state, const char *who, PyObject *value) {
    PyObject *class = regexp_class_of(state);
    if (class == NULL) return NULL;
    if ((PyObject *)Py_TYPE(value) == class) return Py_NewRef(value);
    atoms found = {.count = 0};
    if (!is_pair(value) || !collect_atoms(value, &found, 0)) return converted(state, who, value);
    PyObject *by_address = PyList_GET_ITEM(state, BY_ADDRESS);
    PyObject *address = PyLong_FromVoidPtr(value);
    if (address == NULL) return NULL;
    PyObject *regexp = remembered(by_address, address, &found);
    if (regexp != NULL) {
        Py_INCREF(regexp);
    } else if (!PyErr_Occurred() && (regexp = converted(state, who, value)) != NULL &&
               remember(by_address, address, &found, value, regexp) < 0) {
        Py_CLEAR(regexp);
    }
    Py_DECREF(address);
    return regexp;
}

/* (re): the procedure `regexp`. */
static PyObject *to_regexp(PyObject *state, arguments_of_call arguments, Py_ssize_t count) {
    return count == 1 ? regexp_of(state, "regexp", arguments[0])
                      : in_lisp(state, arguments, count);
}

/* A match, of which it takes the reference to the positions. */
static PyObject *new_match(PyObject *state, PyObject *regexp, PyObject *text, PyObject *base,
                           PyObject *found) {
    PyObject *fields[] = {regexp, text, base, found};
    PyObject *made =
        PyObject_Vectorcall(PyList_GET_ITEM(state, MATCH_CLASS), fields, 4, NULL);
    Py_DECREF(found);
    return made;
}

/* Raise the error that Lisp makes of a code.  NULL. */
static PyObject *match_failed(PyObject *state, const char *who, PyObject *regexp, int status) {
    PyObject *failed = PyObject_CallFunction(PyList_GET_ITEM(state, FIND), "s", "l:%match-failed");
    PyObject *name = new_string(PyUnicode_FromString(who)), *code = PyLong_FromLong(status);
    if (failed != NULL && name != NULL && code != NULL) {
        PyObject *arguments[] = {NULL, name, regexp, code};
        Py_XDECREF(call(failed, arguments + 1, 3));
    }
    Py_XDECREF(failed);
    Py_XDECREF(name);
    Py_XDECREF(code);
    return NULL;
}

static PyObject *zero(void) {
    static PyObject *made;
    if (made == NULL) made = PyLong_FromLong(0);
    return made;
}

/* (re text): a match or #f; with `only_whether`, #t or #f. */
static PyObject *searched(PyObject *state, arguments_of_call arguments, Py_ssize_t count,
                          const char *who, int flags, bool only_whether) {
    if (count != 2 || !is_string(arguments[1])) return in_lisp(state, arguments, count);
    if (match_class_of(state) == NULL) return NULL;
    PyObject *regexp = regexp_of(state, who, arguments[0]), *result = NULL;
    subject_object subject;
    if (regexp == NULL || fill_subject(&subject, text_in(arguments[1])) < 0) {
        Py_XDECREF(regexp);
        return NULL;
    }
    rt_pattern *pattern = pattern_of(field(regexp, CODE));
    int status = rt_search_pattern(pattern, subject.data, subject.size, 0, flags);
    if (status == RT_MATCHED && !only_whether) {
        PyObject *found = positions(pattern, &subject, 0, 0);
        if (found != NULL) result = new_match(state, regexp, arguments[1], zero(), found);
    } else if (status == RT_MATCHED || status == RT_NO_MATCH) {
        result = Py_NewRef(status == RT_MATCHED ? true_value : false_value);
    } else if (status != RT_STOPPED) {
        result = match_failed(state, who, regexp, status);
    }
    Py_DECREF(subject.bytes);
    Py_DECREF(regexp);
    return result;
}

static PyObject *regexp_search(PyObject *state, arguments_of_call arguments, Py_ssize_t count) {
    return searched(state, arguments, count, "regexp-search", 0, false);
}

static PyObject *regexp_matches(PyObject *state, arguments_of_call arguments, Py_ssize_t count) {
    return searched(state, arguments, count, "regexp-matches", RT_WHOLE_MATCH, false);
}

static PyObject *regexp_is_match(PyObject *state, arguments_of_call arguments, Py_ssize_t count) {
    return searched(state, arguments, count, "regexp-matches?", RT_WHOLE_MATCH, true);
}

/* A position of a match as an index into its text, or -1 if the submatch has not taken part. */
static Py_ssize_t position(PyObject *match, Py_ssize_t k) {
    PyObject *item = PyList_GET_ITEM(field(field(match, POSITIONS), 0), k);
    if (item == false_value) return -1;
    return PyLong_AsSsize_t(item) + PyLong_AsSsize_t(field(match, BASE));
}

static PyObject *submatch(PyObject *match, Py_ssize_t number) {
    Py_ssize_t start = position(match, 2 * number);
    if (start < 0) return Py_NewRef(false_value);
    PyObject *text = text_in(field(match, TEXT));
    return new_string(PyUnicode_Substring(text, start, position(match, 2 * number + 1)));
}

/* How many groups the regexp of a match has. */
static Py_ssize_t groups_of(PyObject *match) {
    return PyLong_AsSsize_t(field(field(match, REGEXP), GROUP_COUNT));
}

/* Of the groups of a name the first that has matched, or else the first; -1 if there is none. */
static Py_ssize_t number_of(PyObject *match, PyObject *name) {
    Py_ssize_t first = -1;
    PyObject *names = field(field(match, REGEXP), NAMES);
    for (; is_pair(names); names = field(names, CDR)) {
        PyObject *entry = field(names, CAR);
        if (field(entry, CAR) != name) continue;
        Py_ssize_t number = PyLong_AsSsize_t(field(entry, CDR));
        if (position(match, 2 * number) >= 0) return number;
        if (first < 0) first = number;
    }
    return first;
}

/* The number that a call (match field) asks for; -1, perhaps with an exception, if Lisp must find
   out. */
static Py_ssize_t number_in(PyObject *state, arguments_of_call arguments, Py_ssize_t count) {
    PyObject *class = match_class_of(state);
    if (count != 2 || class == NULL || (PyObject *)Py_TYPE(arguments[0]) != class) return -1;
    if (Py_IS_TYPE(arguments[1], symbol_class)) return number_of(arguments[0], arguments[1]);
    return index_up_to(arguments[1], groups_of(arguments[0]));
}

static PyObject *match_submatch(PyObject *state, arguments_of_call arguments, Py_ssize_t count) {
    Py_ssize_t number = number_in(state, arguments, count);
    if (number >= 0) return submatch(arguments[0], number);
    return PyErr_Occurred() ? NULL : in_lisp(state, arguments, count);
}

/* Where a submatch begins, or with `end` ends. */
static PyObject *bound(PyObject *state, arguments_of_call arguments, Py_ssize_t count, int end) {
    Py_ssize_t number = number_in(state, arguments, count);
    if (number < 0) return PyErr_Occurred() ? NULL : in_lisp(state, arguments, count);
    Py_ssize_t at = position(arguments[0], 2 * number + end);
    return at < 0 ? Py_NewRef(false_value) : PyLong_FromSsize_t(at);
}

static PyObject *match_start(PyObject *state, arguments_of_call arguments, Py_ssize_t count) {
    return bound(state, arguments, count, 0);
}

static PyObject *match_end(PyObject *state, arguments_of_call arguments, Py_ssize_t count) {
    return bound(state, arguments, count, 1);
}

/* Of (match k), where the library has checked both: an index of a match by its number in the vector,
   and the text of a submatch. */
static PyObject *match_position(PyObject *state, arguments_of_call arguments, Py_ssize_t count) {
    (void)state;
    (void)count;
    Py_ssize_t at = position(arguments[0], PyLong_AsSsize_t(arguments[1]));
    return at < 0 ? Py_NewRef(false_value) : PyLong_FromSsize_t(at);
}

static PyObject *submatch_text(PyObject *state, arguments_of_call arguments, Py_ssize_t count) {
    (void)state;
    (void)count;
    return submatch(arguments[0], PyLong_AsSsize_t(arguments[1]));
}

static PyObject *match_list(PyObject *state, arguments_of_call arguments, Py_ssize_t count) {
    PyObject *class = match_class_of(state);
    if (class == NULL) return NULL;
    if (count != 1 || (PyObject *)Py_TYPE(arguments[0]) != class)
        return in_lisp(state, arguments, count);
    building texts = {NULL, NULL};
    Py_ssize_t groups = groups_of(arguments[0]);
    for (Py_ssize_t k = 0; k <= groups; k++) {
        if (add(&texts, submatch(arguments[0], k)) < 0) {
            if (texts.first != NULL) Py_DECREF(built(texts, Py_NewRef(nil)));
            return NULL;
        }
    }
    return built(texts, Py_NewRef(nil));
}

/* A fold over the matches of a whole text.  index: the end of the match before, or the start.
   with_text: whether the procedure is called with the text, too.  pieces: NULL, or a Python list of
   texts that are to be joined: those between the matches, and what the procedure, of a match alone,
   returns for them. */
typedef struct {
    PyObject *state, *regexp, *string, *kons, *index, *pieces;
    bool with_text;
    subject_object subject;
    rt_matches matches;
    size_t character;
} folding;

/* The text of a replacement, which must be a string; NULL with an exception. */
static PyObject *replacement_text(folding *f, PyObject *who, PyObject *replacement) {
    if (is_string(replacement)) return Py_NewRef(text_in(replacement));
    PyObject *check = PyObject_CallFunction(PyList_GET_ITEM(f->state, FIND), "s",
                                            "l:%check-replacement");
    if (check != NULL) Py_XDECREF(call_two(check, who, replacement)); /* which fails */
    Py_XDECREF(check);
    return NULL;
}

/* Adds the texts up to the end of a match, whose result is `who`; NULL with an exception. */
static PyObject *add_pieces(folding *f, PyObject *match, PyObject *who) {
    PyObject *replacement = call_one(f->kons, match);
    if (replacement == NULL) return NULL;
    PyObject *text = replacement_text(f, who, replacement), *before = NULL;
    Py_DECREF(replacement);
    if (text != NULL)
        before = PyUnicode_Substring(text_in(f->string), PyLong_AsSsize_t(f->index),
                                     position(match, 0));
    int failed = before == NULL || PyList_Append(f->pieces, before) < 0 ||
                 PyList_Append(f->pieces, text) < 0;
    Py_XDECREF(before);
    Py_XDECREF(text);
    return failed ? NULL : Py_NewRef(who);
}

static PyObject *call_kons(folding *f, PyObject *match, PyObject *result) {
    if (f->pieces != NULL) return add_pieces(f, match, result);
    PyObject *arguments[] = {NULL, f->index, match, f->with_text ? f->string : result, result};
    return call(f->kons, arguments + 1, f->with_text ? 4 : 3);
}

/* The next result, for which it takes the reference to the last one; NULL with an exception.  After
   RT_MATCHED. */
static PyObject *folded_once(folding *f, size_t byte, PyObject *result) {
    PyObject *found = positions(f->matches.pattern, &f->subject, byte, f->character);
    PyObject *end = found == NULL ? NULL : Py_NewRef(PyList_GET_ITEM(field(found, 0), 1));
    PyObject *match =
        found == NULL ? NULL : new_match(f->state, f->regexp, f->string, zero(), found);
    PyObject *next = match == NULL ? NULL : call_kons(f, match, result);
    Py_XDECREF(match);
    Py_DECREF(result);
    if (end != NULL) {
        f->character = PyLong_AsSize_t(end);
        Py_SETREF(f->index, end);
    }
    return next;
}

/* The last result; NULL with an exception. */
static PyObject *last_result(folding *f, const char *who, PyObject *result) {
    int status;
    for (;;) {
        size_t byte = f->matches.byte;
        status = rt_next_match(&f->matches);
        if (status != RT_MATCHED) break;
        result = folded_once(f, byte, result);
        if (result == NULL) return NULL;
    }
    if (status == RT_NO_MATCH) return result;
    Py_DECREF(result);
    return status == RT_STOPPED ? NULL : match_failed(f->state, who, f->regexp, status);
}

/* As last_result, and `index` is a reference; the text is a string. */
static PyObject *fold_all(folding *f, const char *who, PyObject *re, PyObject *knil) {
    if (match_class_of(f->state) == NULL) return NULL;
    f->regexp = regexp_of(f->state, who, re);
    if (f->regexp == NULL) return NULL;
    PyObject *result = NULL;
    if (fill_subject(&f->subject, text_in(f->string)) == 0) {
        rt_pattern *pattern = pattern_of(field(f->regexp, CODE));
        f->matches = (rt_matches){pattern, f->subject.data, f->subject.size, 0, 0};
        f->index = Py_NewRef(zero());
        result = last_result(f, who, Py_NewRef(knil));
        if (result == NULL) Py_DECREF(f->index);
        Py_DECREF(f->subject.bytes);
    }
    Py_DECREF(f->regexp);
    return result;
}

/* (who re text range kons knil), of which the first is a Lisp string: (index . result). */
static PyObject *fold_matches(PyObject *state, arguments_of_call arguments, Py_ssize_t count) {
    if (count != 6 || !is_string(arguments[2]) || arguments[3] != nil)
        return in_lisp(state, arguments, count);
    const char *who = PyUnicode_AsUTF8(text_in(arguments[0]));
    if (who == NULL) return NULL;
    folding f = {.state = state, .string = arguments[2], .kons = arguments[4]};
    PyObject *result = fold_all(&f, who, arguments[1], arguments[5]);
    return result == NULL ? NULL : cons(f.index, result);
}

/* (re kons knil text) */
static PyObject *regexp_fold(PyObject *state, arguments_of_call arguments, Py_ssize_t count) {
    if (count != 4 || !PyFunction_Check(arguments[1]) || !is_string(arguments[3]))
        return in_lisp(state, arguments, count);
    folding f = {
        .state = state, .string = arguments[3], .kons = arguments[1], .with_text = true};
    PyObject *result = fold_all(&f, "regexp-fold", arguments[0], arguments[2]);
    if (result != NULL) Py_DECREF(f.index);
    return result;
}

/* (who re text subst range), of which the first is a Lisp string */
static PyObject *matches_replaced(PyObject *state, arguments_of_call arguments, Py_ssize_t count) {
    if (count != 5 || !is_string(arguments[2]) || !PyFunction_Check(arguments[3]) ||
        arguments[4] != nil)
        return in_lisp(state, arguments, count);
    const char *who = PyUnicode_AsUTF8(text_in(arguments[0]));
    PyObject *pieces = who == NULL ? NULL : PyList_New(0), *rest = NULL, *joined = NULL;
    if (pieces == NULL) return NULL;
    folding f = {
        .state = state, .string = arguments[2], .kons = arguments[3], .pieces = pieces};
    PyObject *done = fold_all(&f, who, arguments[1], arguments[0]);
    if (done != NULL) {
        PyObject *text = text_in(arguments[2]);
        rest = PyUnicode_Substring(text, PyLong_AsSsize_t(f.index), PyUnicode_GET_LENGTH(text));
        Py_DECREF(f.index);
        Py_DECREF(done);
    }
    if (rest != NULL && PyList_Append(pieces, rest) == 0) {
        PyObject *empty = PyUnicode_FromStringAndSize(NULL, 0);
        joined = empty == NULL ? NULL : PyUnicode_Join(empty, pieces);
        Py_XDECREF(empty);
    }
    Py_XDECREF(rest);
    Py_DECREF(pieces);
    return new_string(joined);
}

PyMethodDef regexp_methods[] = {
    FAST(regexp_compile), FAST(regexp_groups), FAST(regexp_subject), FAST(regexp_match),
    FAST(regexp_parts), {NULL, NULL, 0, NULL},
};

static PyMethodDef with_state[] = {
    FAST(regexp_search), FAST(regexp_matches), FAST(regexp_is_match), FAST(match_submatch),
    FAST(match_start), FAST(match_end), FAST(match_list), FAST(fold_matches), FAST(regexp_fold),
    FAST(to_regexp), FAST(match_position), FAST(submatch_text), FAST(matches_replaced),
    {NULL, NULL, 0, NULL},
};

/* on_regexps(name, lisp, find): one of these, which knows its definition in Lisp. */
PyObject *on_regexps(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    if (count != 3) return PyErr_Format(PyExc_TypeError, "on_regexps takes 3 arguments");
    for (PyMethodDef *method = with_state; method->ml_name != NULL; method++) {
        if (PyUnicode_CompareWithASCIIString(arguments[0], method->ml_name) != 0) continue;
        PyObject *state = PyList_New(STATE_SIZE);
        if (state == NULL) return NULL;
        PyList_SET_ITEM(state, LISP, Py_NewRef(arguments[1]));
        PyList_SET_ITEM(state, FIND, Py_NewRef(arguments[2]));
        for (int k = REGEXP_CLASS; k < BY_ADDRESS; k++)
            PyList_SET_ITEM(state, k, Py_NewRef(Py_None));
        PyObject *by_address = PyDict_New();
        PyList_SET_ITEM(state, BY_ADDRESS, by_address);
        PyObject *function = by_address == NULL ? NULL : PyCFunction_New(method, state);
        Py_DECREF(state);
        return function;
    }
    return PyErr_Format(PyExc_LookupError, "no function %U", arguments[0]);
}
