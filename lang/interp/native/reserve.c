/* reserve.c - memory for what a failure needs where memory is used up.

   While an exception passes frames, CPython makes small objects: tracebacks, frames.  Where these
   find no memory either, it gives up before a guard sees the failure.  So a block of addresses is
   kept for the way to the guard, and given back when an allocation fails for the second time:

       the program's allocation fails           =>  MemoryError, and memory counts as short
       one on the way of that exception fails   =>  the block is given back, and it succeeds

   Another block is for the guard's handler, which gives it back itself, and fills both when the
   program's objects are gone.  A program that tries again after a MemoryError, and succeeds, has
   used up the first block, and never the second.

   The hooks are called without CPython's lock, from any thread.  The reserve is for threads that run
   Lisp: a MemoryError of another one would make memory count as short too early. */

#include "native.h"

#include <stdatomic.h>
#include <sys/mman.h>

enum {
    LARGEST_SMALL = 1 << 20, /* bytes; a larger allocation that fails says nothing of smaller ones */
    ARENA = 1 << 20          /* where CPython finds no new arena, it asks malloc */
};

typedef struct {
    _Atomic(void *) start; /* NULL if the system has it */
    size_t size;
} block;

static block of_handlers, of_way = {NULL, 2 << 20};
static atomic_bool is_short;
static _Thread_local bool runs_lisp;
static PyMemAllocatorEx usual;
static PyObjectArenaAllocator usual_arenas;

/* Whether it was reserved. */
static bool give_back(block *given) {
    void *start = atomic_exchange(&given->start, NULL);
    return start != NULL && munmap(start, given->size) == 0;
}

/* Whether it is reserved now.  `spare` more bytes must be left. */
static bool reserve(block *wanted, size_t spare) {
    if (atomic_load(&wanted->start) != NULL) return true;
    size_t size = wanted->size;
    char *start = mmap(NULL, size + spare, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
    if (start == MAP_FAILED) return false;
    if (spare > 0) munmap(start + size, spare);
    atomic_store(&wanted->start, start);
    return true;
}

void give_reserve_back(void) {
    give_back(&of_handlers);
    give_back(&of_way);
}

void reserve_way_again(void) {
    if (atomic_load(&of_way.start) == NULL && reserve(&of_way, 0)) is_short = false;
}

/* Whether an allocation that has failed may be tried again. */
static bool is_worth_another(size_t size) {
    return runs_lisp && size <= LARGEST_SMALL && atomic_exchange(&is_short, true) && give_back(&of_way);
}

static void *allocate(void *context, size_t size) {
    void *made = usual.malloc(context, size);
    return made == NULL && is_worth_another(size) ? usual.malloc(context, size) : made;
}

static void *allocate_zeros(void *context, size_t count, size_t size) {
    void *made = usual.calloc(context, count, size);
    if (made != NULL || (size > 0 && count > LARGEST_SMALL / size)) return made;
    return is_worth_another(count * size) ? usual.calloc(context, count, size) : NULL;
}

static void *reallocate(void *context, void *block, size_t size) {
    void *made = usual.realloc(context, block, size);
    return made == NULL && is_worth_another(size) ? usual.realloc(context, block, size) : made;
}

/* Also for the frames of Python functions, which malloc is not asked for. */
static void *allocate_arena(void *context, size_t size) {
    void *made = usual_arenas.alloc(context, size);
    if (made != NULL) {
        is_short = false; /* a MemoryError came to nothing, and there is memory again */
        return made;
    }
    bool again = size == ARENA ? runs_lisp && is_short && give_back(&of_way) : is_worth_another(size);
    return again ? usual_arenas.alloc(context, size) : NULL;
}

void watch_allocations(void) {
    PyMem_GetAllocator(PYMEM_DOMAIN_RAW, &usual);
    PyMemAllocatorEx watched = {usual.ctx, allocate, allocate_zeros, reallocate, usual.free};
    PyMem_SetAllocator(PYMEM_DOMAIN_RAW, &watched);
    PyObject_GetArenaAllocator(&usual_arenas);
    PyObjectArenaAllocator arenas = {usual_arenas.ctx, allocate_arena, usual_arenas.free};
    PyObject_SetArenaAllocator(&arenas);
}

/* run_lisp(): let this thread use the reserve. */
static PyObject *run_lisp(PyObject *module, PyObject *nothing) {
    (void)module;
    (void)nothing;
    runs_lisp = true;
    Py_RETURN_NONE;
}

/* open_reserve(): give the reserve back, for the handler of a MemoryError. */
static PyObject *open_reserve(PyObject *module, PyObject *nothing) {
    (void)module;
    (void)nothing;
    give_reserve_back();
    Py_RETURN_NONE;
}

/* fill_reserve(size): reserve so many bytes for handlers, if nothing is reserved for them, and as
   many are left; then memory does not count as short any more.  Whether they are reserved. */
static PyObject *fill_reserve(PyObject *module, PyObject *size) {
    (void)module;
    size_t bytes = PyLong_AsSize_t(size);
    if (bytes == (size_t)-1 && PyErr_Occurred()) return NULL;
    if (atomic_load(&of_handlers.start) == NULL) of_handlers.size = bytes;
    if (!reserve(&of_handlers, bytes)) Py_RETURN_FALSE;
    reserve(&of_way, 0);
    is_short = false;
    Py_RETURN_TRUE;
}

PyMethodDef reserve_methods[] = {
    {"run_lisp", run_lisp, METH_NOARGS, NULL},
    {"open_reserve", open_reserve, METH_NOARGS, NULL},
    {"fill_reserve", fill_reserve, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};
