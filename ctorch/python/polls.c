/* polls.c - Ctrl-C in calls that take long.
 *
 * They hold Python's lock.  So now and then they call a Python function, at whose entry CPython
 * passes the lock on: signal handlers run in the main thread, and a KeyboardInterrupt may come back.
 * Calls through cffi hold no lock, and end by themselves.
 */
#include "python/python.h"

#include <time.h>

enum { INTERVAL = 10000000 };  /* nanoseconds between two calls of the function */

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

int py_poll(void)
{
    static int64_t last;
    if (!py_lisp.enter_python || now() - last < INTERVAL || !PyGILState_Check()) return 0;
    PyObject *done = PyObject_CallNoArgs(py_lisp.enter_python);
    last = now();
    Py_XDECREF(done);
    return done ? 0 : -1;
}

void py_start_polls(void)
{
    static const volatile int always = 1;
    ct_set_poll(&always, py_poll);
}
