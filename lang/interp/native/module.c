/* module.c - the module `lambent_native`: what Python's and Lisp's definitions are too slow for. */

#include "native.h"

enum { MOST_KNOWN = 100, CALLS_BETWEEN_POLLS = 256 };

PyTypeObject *pair_class, *string_class, *vector_class, *char_class, *symbol_class, *table_class;
PyObject *foreign_class;
PyObject *nil, *false_value, *true_value, *unspecified, *absent, *eof, *tail;
PyObject *run_trampoline, *enter_python, *bad_call, *equal_values, *characters, *find_function, *null_symbol;

static const struct {
    const char *name;
    PyObject **place;
} settings[] = {
    {"String", (PyObject **)&string_class},
    {"Vector", (PyObject **)&vector_class},
    {"Char", (PyObject **)&char_class},
    {"Symbol", (PyObject **)&symbol_class},
    {"HashTable", (PyObject **)&table_class},
    {"Foreign", &foreign_class},
    {"ABSENT", &absent},
    {"null", &null_symbol},
    {"EOF", &eof},
    {"NIL", &nil},
    {"FALSE", &false_value},
    {"TRUE", &true_value},
    {"UNSPECIFIED", &unspecified},
    {"TAIL", &tail},
    {"CHARS", &characters},
    {"run_trampoline", &run_trampoline},
    {"enter_python", &enter_python},
    {"bad_call", &bad_call},
    {"equal_values", &equal_values},
    {"find_function", &find_function},
};

/* configure(dictionary): the values of the interpreter that are used here. */
static PyObject *configure(PyObject *module, PyObject *values) {
    (void)module;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        PyObject *found = PyDict_GetItemString(values, settings[i].name);
        if (found != NULL) Py_XSETREF(*settings[i].place, Py_NewRef(found));
    }
    Py_RETURN_NONE;
}

/* After a call that failed before any code of the procedure ran, Python's TypeError says that the
   arguments do not fit, or that it is not a procedure.  `bad_call` raises the Lisp error. */
static PyObject *explain_failure(PyObject *procedure, size_t count) {
    PyObject *type, *value, *traceback;
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) return NULL;
    PyErr_Fetch(&type, &value, &traceback);
    PyObject *found = PyObject_CallFunction(bad_call, "OnO", procedure, (Py_ssize_t)count,
                                            traceback ? traceback : Py_None);
    if (found == NULL) {
        Py_XDECREF(type);
        Py_XDECREF(value);
        Py_XDECREF(traceback);
        return NULL;
    }
    Py_DECREF(found);
    PyErr_Restore(type, value, traceback);
    return NULL;
}

PyObject *python_function(const char *module_name, const char *name) {
    return PyObject_CallFunction(find_function, "ss", module_name, name);
}

PyObject *other_definition(const char *module_name, const char *name,
                           PyObject *const *arguments, Py_ssize_t count) {
    /* The functions found so far, by the address of their name: each call has its own literal. */
    static struct {
        const char *name;
        PyObject *function;
    } known[MOST_KNOWN];
    static int count_known;
    int i = 0;
    while (i < count_known && known[i].name != name) i++;
    if (i == count_known) {
        if (count_known == MOST_KNOWN) return PyErr_Format(PyExc_AssertionError, "MOST_KNOWN");
        PyObject *function = python_function(module_name, name);
        if (function == NULL) return NULL;
        known[i].name = name;
        known[i].function = function;
        count_known = i + 1;
    }
    return PyObject_Vectorcall(known[i].function, arguments, (size_t)count, NULL);
}

int poll_now(void) {
    PyObject *done = PyObject_CallNoArgs(enter_python);
    Py_XDECREF(done);
    return done == NULL ? -1 : 0;
}

int poll_sometimes(void) {
    static unsigned calls;
    return ++calls % CALLS_BETWEEN_POLLS == 0 ? poll_now() : 0;
}

PyObject *after_tail_call(PyObject *result) {
    if (result != tail) return result;
    Py_DECREF(result);
    return PyObject_CallNoArgs(run_trampoline);
}

PyObject *call(PyObject *procedure, PyObject **arguments, size_t count) {
    if (!PyFunction_Check(procedure) && poll_sometimes() < 0) return NULL;
    if (Py_EnterRecursiveCall("")) return NULL; /* a frame here takes stack, too */
    PyObject *result = PyObject_Vectorcall(procedure, arguments,
                                           count | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL);
    if (result == NULL) explain_failure(procedure, count);
    result = after_tail_call(result);
    Py_LeaveRecursiveCall();
    return result;
}

int is_true(PyObject *value) {
    if (value == true_value || Py_IS_TYPE(value, pair_class) || PyLong_CheckExact(value)) return 1;
    if (value == false_value) return 0;
    static PyObject *truth;
    if (truth == NULL) truth = python_function("builtins.lists", "truth");
    if (truth == NULL) return -1;
    PyObject *result = PyObject_CallOneArg(truth, value);
    if (result == NULL) return -1;
    int answer = result == Py_True;
    Py_DECREF(result);
    return answer;
}

static PyMethodDef own_methods[] = {
    FAST_AS("structure", make_structure),
    {"configure", configure, METH_O, NULL},
    FAST_AS("with_definition", with_definition),
    FAST_AS("on_regexps", on_regexps),
    FAST_AS("parse_csv", parse_csv),
    FAST_AS("parse_json", parse_json),
    {"json_written", json_written, METH_VARARGS, NULL},
    {"mix_in", mix_in, METH_O, NULL},
    FAST_AS("sort", sort),
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, .m_name = "lambent_native", .m_size = -1, .m_methods = own_methods,
};

PyMODINIT_FUNC PyInit_lambent_native(void) {
    PyObject *module = PyModule_Create(&definition);
    if (module == NULL || PyModule_AddFunctions(module, list_methods) < 0 ||
        PyModule_AddFunctions(module, pair_methods) < 0 ||
        PyModule_AddFunctions(module, procedure_methods) < 0 ||
        PyModule_AddFunctions(module, hash_methods) < 0 ||
        PyModule_AddFunctions(module, failure_methods) < 0 ||
        PyModule_AddFunctions(module, reserve_methods) < 0 ||
        PyModule_AddFunctions(module, text_methods) < 0 ||
        PyModule_AddFunctions(module, regexp_methods) < 0) {
        Py_XDECREF(module);
        return NULL;
    }
    watch_allocations();
    return module;
}
