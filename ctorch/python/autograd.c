/* autograd.c - gradients for the evaluator, and the evaluator for gradients.
 *
 * A gradient procedure is any Python callable; custom_gradient says how it is called.  An
 * exception from it passes through LibTorch as CT_RAISED, and is raised again here.
 */
#include "python/python.h"

/* The exception of a gradient procedure, kept while CT_RAISED passes through LibTorch. */
static _Thread_local struct {
    PyObject *type, *value, *traceback;
} raised;

/* Raises the exception for a status; returns NULL. */
static PyObject *fail(int status)
{
    if (status != CT_RAISED) return py_fail();
    PyErr_Restore(raised.type, raised.value, raised.traceback);
    raised.type = raised.value = raised.traceback = NULL;
    return NULL;
}

static PyObject *of_void(int status) { return status ? fail(status) : Py_NewRef(Py_None); }

static PyObject *of_tensor(int status, ct_tensor *const *result)
{
    return status ? fail(status) : py_of_handle(*result);
}

/* Recording. */

static PyObject *requires_grad(ARGUMENTS)
{
    EXPECT(2, 1);
    return of_void(ct_requires_grad(py_handle(args[0]), PyObject_IsTrue(args[1])));
}

static PyObject *is_recorded(ARGUMENTS)
{
    EXPECT(1, 1);
    return PyBool_FromLong(ct_is_recorded(py_handle(args[0])));
}

static PyObject *is_leaf(ARGUMENTS)
{
    EXPECT(1, 1);
    return PyBool_FromLong(ct_is_leaf(py_handle(args[0])));
}

static PyObject *retain_grad(ARGUMENTS)
{
    EXPECT(1, 1);
    return of_void(ct_retain_grad(py_handle(args[0])));
}

static PyObject *detach(ARGUMENTS)
{
    EXPECT(1, 1);
    ct_tensor *result;
    return of_tensor(ct_detach(py_handle(args[0]), &result), &result);
}

static PyObject *grad_mode(ARGUMENTS)
{
    EXPECT(0, 0);
    return PyBool_FromLong(ct_grad_mode());
}

static PyObject *set_grad_mode(ARGUMENTS)
{
    EXPECT(1, 0);
    return PyBool_FromLong(ct_set_grad_mode(PyObject_IsTrue(args[0])));
}

/* Computing gradients. */

static PyObject *backward(ARGUMENTS)
{
    EXPECT(4, 1);
    ct_tensor *gradient = py_is_tensor(args[1]) ? py_handle(args[1]) : NULL;
    return of_void(ct_backward(py_handle(args[0]), gradient, PyObject_IsTrue(args[2]),
                               PyObject_IsTrue(args[3])));
}

static PyObject *exchange_gradients(ARGUMENTS)
{
    EXPECT(0, 0);
    bool ended;
    return ct_exchange_gradients(&ended) ? py_fail() : PyBool_FromLong(ended);
}

static PyObject *detect_anomaly(ARGUMENTS)
{
    EXPECT(1, 0);
    ct_detect_anomaly(PyObject_IsTrue(args[0]));
    return Py_NewRef(Py_None);
}

static PyObject *grad(ARGUMENTS)
{
    EXPECT(1, 1);
    ct_tensor *result;
    return of_tensor(ct_grad(py_handle(args[0]), &result), &result);
}

static PyObject *zero_grad(ARGUMENTS)
{
    EXPECT(1, 1);
    ct_zero_grad(py_handle(args[0]));
    return Py_NewRef(Py_None);
}

/* The handles in a list of tensors or Nones, borrowed; NULL after an exception. */
static ct_tensor **handles_of(PyObject *list, size_t *count)
{
    *count = (size_t)PyList_GET_SIZE(list);
    ct_tensor **handles = PyMem_New(ct_tensor *, *count + 1);
    if (!handles) return (ct_tensor **)PyErr_NoMemory();
    for (size_t k = 0; k < *count; k++) {
        PyObject *x = PyList_GET_ITEM(list, (Py_ssize_t)k);
        handles[k] = py_is_tensor(x) ? py_handle(x) : NULL;
    }
    return handles;
}

/* A list of tensors, None where there is none.  The handles are taken over. */
static PyObject *take_handles(size_t count, ct_tensor **handles)
{
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t k = 0; k < count; k++) {
        PyObject *x = list ? py_of_handle(handles[k]) : (ct_free(handles[k]), NULL);
        if (x) PyList_SET_ITEM(list, (Py_ssize_t)k, x);
        else Py_CLEAR(list);
    }
    return list;
}

static PyObject *list_of(size_t count, ct_tensor *const *handles)
{
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t k = 0; k < count && list; k++) {
        PyObject *x = py_of_handle(ct_clone(handles[k]));
        if (x) PyList_SET_ITEM(list, (Py_ssize_t)k, x);
        else Py_CLEAR(list);
    }
    return list;
}

/* gradients(ys, weights, xs, retain_graph, create_graph, allow_unused): lists. */
static PyObject *gradients(ARGUMENTS)
{
    EXPECT(6, 0);
    ct_gradient_query query = {
        .retain_graph = PyObject_IsTrue(args[3]),
        .create_graph = PyObject_IsTrue(args[4]),
        .allow_unused = PyObject_IsTrue(args[5]),
    };
    size_t weights_count;
    ct_tensor **ys = handles_of(args[0], &query.y_count);
    ct_tensor **weights = handles_of(args[1], &weights_count);
    ct_tensor **xs = handles_of(args[2], &query.x_count);
    ct_tensor **results = PyMem_New(ct_tensor *, query.x_count + 1);
    PyObject *list = NULL;
    if (ys && weights && xs && results) {
        query.ys = ys;
        query.weights = weights_count ? weights : NULL;
        query.xs = xs;
        int status = ct_gradients(&query, results);
        list = status ? fail(status) : take_handles(query.x_count, results);
    } else if (!PyErr_Occurred()) {
        PyErr_NoMemory();
    }
    PyMem_Free(results);
    PyMem_Free(xs);
    PyMem_Free(weights);
    PyMem_Free(ys);
    return list;
}

/* needs_others(ys, xs): lists. */
static PyObject *needs_others(ARGUMENTS)
{
    EXPECT(2, 0);
    ct_gradient_query query = {.y_count = 0};
    ct_tensor **ys = handles_of(args[0], &query.y_count);
    ct_tensor **xs = handles_of(args[1], &query.x_count);
    PyObject *answer = NULL;
    if (ys && xs) {
        bool result;
        query.ys = ys;
        query.xs = xs;
        answer = ct_needs_others(&query, &result) ? py_fail() : PyBool_FromLong(result);
    }
    PyMem_Free(xs);
    PyMem_Free(ys);
    return answer;
}

/* Gradient procedures. */

/* Write the gradients, a list of tensors or Nones, where LibTorch expects them. */
static void write_gradients(PyObject *gradients, const ct_pullback *pullback)
{
    for (size_t k = 0; k < pullback->input_count; k++) {
        PyObject *x = PyList_GET_ITEM(gradients, (Py_ssize_t)k);
        pullback->input_gradients[k] = py_is_tensor(x) ? ct_clone(py_handle(x)) : NULL;
    }
}

static int call_procedure(void *data, const ct_pullback *pullback)
{
    PyObject *arguments[] = {
        list_of(pullback->result_count, pullback->gradients),
        list_of(pullback->input_count, pullback->inputs),
        list_of(pullback->result_count, pullback->results),
    };
    PyObject *gradients = NULL;
    if (arguments[0] && arguments[1] && arguments[2])
        gradients = PyObject_Vectorcall(data, arguments, 3, NULL);
    for (int k = 0; k < 3; k++) Py_XDECREF(arguments[k]);
    if (gradients) write_gradients(gradients, pullback);
    else PyErr_Fetch(&raised.type, &raised.value, &raised.traceback);
    Py_XDECREF(gradients);
    return gradients ? 0 : 1;
}

/* Python's torch, where it is loaded too, frees graphs without holding the GIL. */
static void release_procedure(void *data)
{
    PyGILState_STATE state = PyGILState_Ensure();
    Py_DECREF((PyObject *)data);
    PyGILState_Release(state);
}

/* custom_gradient(inputs, results, procedure): lists of tensors; a list of results with gradients.
 * procedure(gradients, inputs, results) returns a list of tensors or Nones, one for each input. */
static PyObject *custom_gradient(ARGUMENTS)
{
    EXPECT(3, 0);
    size_t input_count, result_count;
    ct_tensor **inputs = handles_of(args[0], &input_count);
    ct_tensor **results = handles_of(args[1], &result_count);
    PyObject *list = NULL;
    if (inputs && results) {
        ct_closure procedure = {Py_NewRef(args[2]), call_procedure, release_procedure};
        int status = ct_custom_gradient(input_count, inputs, result_count, results, procedure,
                                        results);
        list = status ? fail(status) : take_handles(result_count, results);
    }
    PyMem_Free(results);
    PyMem_Free(inputs);
    return list;
}

static PyMethodDef methods[] = {
    FUNCTION(requires_grad), FUNCTION(is_recorded), FUNCTION(is_leaf), FUNCTION(retain_grad),
    FUNCTION(detach), FUNCTION(grad_mode), FUNCTION(set_grad_mode), FUNCTION(backward),
    FUNCTION(exchange_gradients), FUNCTION(grad), FUNCTION(zero_grad), FUNCTION(gradients),
    FUNCTION(needs_others), FUNCTION(detect_anomaly), FUNCTION(custom_gradient),
    {NULL, NULL, 0, NULL},
};

int py_add_autograd(PyObject *module) { return PyModule_AddFunctions(module, methods); }
