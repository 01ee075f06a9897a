/* native.h - what the sources of the module share.

   The module makes values and walks lists.  Everything unusual, errors above all, it leaves to the
   definitions in Python and Lisp: a function that meets it calls `other_definition`. */

#ifndef LAMBENT_NATIVE_H
#define LAMBENT_NATIVE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdbool.h>

#pragma GCC visibility push(hidden) /* what is shared here needs no table of addresses */

typedef PyObject *const *arguments_of_call;

/* An entry of a method table. */
#define FAST_AS(name, function) {name, (PyCFunction)(void (*)(void))function, METH_FASTCALL, NULL}
#define FAST(name) FAST_AS(#name, name)

/* An instance of a class that `structure` makes: its fields in order. */
typedef struct {
    PyObject_HEAD
    PyObject *fields[1];
} structure;

enum { CAR = 0, CDR = 1 };

/* What `configure` receives: borrowed by nobody, alive until the process ends. */
extern PyTypeObject *pair_class, *string_class, *vector_class, *char_class, *symbol_class, *table_class;
extern PyObject *foreign_class;
extern PyObject *nil, *false_value, *true_value, *unspecified, *absent, *eof, *tail;
extern PyObject *run_trampoline, *enter_python, *bad_call, *equal_values, *characters, *find_function;
extern PyObject *null_symbol;

/* module.c: let Ctrl-C in, as the entry of each Python function does: `(fold cons '() ring)` enters
   none.  0, or -1 with an exception. */
int poll_now(void);
int poll_sometimes(void); /* once in many calls, for short iterations */

/* structures.c */
PyObject *make_structure(PyObject *module, PyObject *const *arguments, Py_ssize_t count);
PyObject *call_class(PyObject *type, arguments_of_call arguments, size_t flags, PyObject *names);

/* pairs.c */
enum { MOST_OWN = 4096, AHEAD = 8 };
extern PyObject *free_pairs[MOST_OWN + AHEAD];
extern int free_count;
PyObject *cons_slowly(PyObject *car, PyObject *cdr);
void drop_pair(PyObject *pair);
PyObject *call_pair_class(PyObject *type, arguments_of_call arguments, size_t flags,
                          PyObject *names);
extern PyMethodDef pair_methods[];

/* lists.c */
PyObject *items_of(PyObject *module, PyObject *list); /* a Python list; None if it is improper */
PyObject *list_of(PyObject *const *items, Py_ssize_t count, PyObject *rest);

/* A list that is built from its first element on; NULL while it is empty.  Its last pair has no cdr
   yet: nobody else sees it. */
typedef struct {
    PyObject *first, *last;
} building;

/* Takes the reference to the element, which may be NULL; 0, or -1 with an exception. */
int add(building *list, PyObject *element);
PyObject *built(building list, PyObject *rest); /* the list; it takes the reference to its end */
extern PyMethodDef list_methods[];

/* procedures.c */
extern PyMethodDef procedure_methods[];

/* hashes.c */
extern PyMethodDef hash_methods[];
PyObject *with_definition(PyObject *module, PyObject *const *arguments, Py_ssize_t count);

/* trees.c: as those of hashes.c, with the order of the tree, and the default one at last */
PyObject *tree_found(PyObject *lisp, PyObject *const *arguments, Py_ssize_t count);
PyObject *tree_inserted(PyObject *lisp, PyObject *const *arguments, Py_ssize_t count);

/* text.c */
extern PyMethodDef text_methods[];
PyObject *new_string(PyObject *text); /* takes the reference, which may be NULL */
PyObject *character_at(PyObject *text, Py_ssize_t k); /* a Lisp character of a Python text */

/* The characters of a text that is being made; empty if all is zero.  PyMem_Free releases them. */
typedef struct {
    Py_UCS4 *characters;
    Py_ssize_t size, capacity;
} buffer;

int make_room(buffer *out, Py_ssize_t count); /* for more characters; 0, or -1 with an exception */
PyObject *text_of(const buffer *out);         /* a Python text */

/* regexps.c */
extern PyMethodDef regexp_methods[];
PyObject *on_regexps(PyObject *module, PyObject *const *arguments, Py_ssize_t count);

/* json_values.c */
PyObject *parse_json(PyObject *module, PyObject *const *arguments, Py_ssize_t count);

/* csv.c */
PyObject *parse_csv(PyObject *module, PyObject *const *arguments, Py_ssize_t count);

/* json_writing.c */
PyObject *json_written(PyObject *module, PyObject *arguments);

/* doubles.c */
PyObject *mix_in(PyObject *module, PyObject *units);

/* failures.c */
extern PyMethodDef failure_methods[];

/* After a MemoryError: the error of a procedure that needs so much.  NULL. */
PyObject *no_room(const char *who, Py_ssize_t count, const char *noun);

/* reserve.c */
void watch_allocations(void);
void reserve_way_again(void); /* after any failure */
void give_reserve_back(void); /* for the handler of a MemoryError */
extern PyMethodDef reserve_methods[];

/* sort.c */
PyObject *sort(PyObject *module, PyObject *const *arguments, Py_ssize_t count);

static inline PyObject *field(PyObject *value, int k) { return ((structure *)value)->fields[k]; }

/* Makes a pair of a free one; it takes both references. */
static inline PyObject *fill_pair(PyObject *pair, PyObject *car, PyObject *cdr) {
    Py_SET_REFCNT(pair, 1);
    ((structure *)pair)->fields[CAR] = car;
    ((structure *)pair)->fields[CDR] = cdr;
    return pair;
}

/* A new pair; it takes both references.  The cdr may be NULL until the list is complete. */
static inline PyObject *cons(PyObject *car, PyObject *cdr) {
    if (free_count == 0) return cons_slowly(car, cdr);
    return fill_pair(free_pairs[--free_count], car, cdr);
}

static inline int is_string(PyObject *value) { return Py_IS_TYPE(value, string_class); }

static inline int is_pair(PyObject *value) { return Py_IS_TYPE(value, pair_class); }

/* What a function of emitted code returned, or NULL: after a tail call, the result of that. */
PyObject *after_tail_call(PyObject *result);

/* The result of a procedure; NULL with an exception.  The arguments are borrowed. */
PyObject *call(PyObject *procedure, PyObject **arguments, size_t count);

static inline PyObject *call_one(PyObject *procedure, PyObject *argument) {
    PyObject *arguments[2] = {NULL, argument};
    return call(procedure, arguments + 1, 1);
}

static inline PyObject *call_two(PyObject *procedure, PyObject *first, PyObject *second) {
    PyObject *arguments[3] = {NULL, first, second};
    return call(procedure, arguments + 1, 2);
}

/* Takes an element out of a Python list that carries arguments, so that nobody else holds it. */
static inline PyObject *take(PyObject *box, Py_ssize_t k) {
    PyObject *value = PyList_GET_ITEM(box, k);
    PyList_SET_ITEM(box, k, Py_NewRef(Py_None));
    return value;
}

/* A function of a module below lambent.lang.interp.  Emitted code cannot import. */
PyObject *python_function(const char *module_name, const char *name);

/* The result of the definition in Python. */
PyObject *other_definition(const char *module_name, const char *name,
                           PyObject *const *arguments, Py_ssize_t count);

/* Whether a value is true in a test: 1, 0, or -1 with an exception. */
int is_true(PyObject *value);

#pragma GCC visibility pop

#endif
