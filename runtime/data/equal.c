/* equal.c - the three equalities.
 *
 * equal? walks both values side by side, and keeps pending comparisons on the heap: nesting takes
 * no stack.  Large data may be circular, so after SMALL objects each compared pair is recorded as
 * equal, and is not compared when it is reached again.  That is a union-find: it ends after as many
 * steps as there are objects.
 */
#include "rt_internal.h"

#include <stdlib.h>

#define SMALL 500000   /* pairs and vectors to compare before any are recorded */
#define FIRST_CLASSES 32768

/* Bits, not ==: 0.0 and -0.0 differ, and a nan is the same as itself. */
static bool same_double(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

/* Any two nans are the same value.  b may be anything. */
bool rt_same_numbers(rt_value a, rt_value b) {
    if (!rt_is_object(b)) return false;
    rt_kind kind = (rt_kind)rt_object_of(a)->kind;
    if (rt_object_of(b)->kind != kind) return false;
    if (kind != RT_DOUBLE) return rt_order(a, b) == 0;
    return same_double(rt_double(a), rt_double(b)) ||
           (rt_double(a) != rt_double(a) && rt_double(b) != rt_double(b));
}

static bool same_bytes(const rt_bytes_object *a, const rt_bytes_object *b) {
    return a->length == b->length && rt_same_bytes(a->data, b->data, a->length);
}

/* ---- What is taken for equal --------------------------------------------- */

/* Objects in classes: parents[i] is the index of another of objects[i]'s class, or i. */
typedef struct classes {
    rt_value *objects;
    size_t *parents;
    size_t count, room;   /* room is a power of 2 */
} classes;

static size_t slot_of(const classes *all, rt_value object) {
    size_t at = (size_t)(object * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (all->room - 1);
    while (all->objects[at] != RT_ERROR && all->objects[at] != object) at = (at + 1) & (all->room - 1);
    return at;
}

static void grow(classes *all) {
    classes old = *all;
    all->room = old.room ? 2 * old.room : FIRST_CLASSES;
    all->objects = rt_malloc(all->room * sizeof *all->objects);
    all->parents = rt_malloc(all->room * sizeof *all->parents);
    for (size_t i = 0; i < all->room; i++) all->objects[i] = RT_ERROR;
    for (size_t i = 0; i < old.room; i++) {
        if (old.objects[i] == RT_ERROR) continue;
        size_t at = slot_of(all, old.objects[i]);
        all->objects[at] = old.objects[i];
    }
    for (size_t i = 0; i < old.room; i++)
        if (old.objects[i] != RT_ERROR)
            all->parents[slot_of(all, old.objects[i])] = slot_of(all, old.objects[old.parents[i]]);
    free(old.objects);
    free(old.parents);
}

static size_t class_of(classes *all, rt_value object) {
    size_t at = slot_of(all, object);
    if (all->objects[at] == RT_ERROR) {
        all->objects[at] = object;
        all->parents[at] = at;
        all->count++;
    }
    while (all->parents[at] != at) {
        all->parents[at] = all->parents[all->parents[at]];
        at = all->parents[at];
    }
    return at;
}

/* Whether the two are in one class already; if not, join their classes. */
static bool join(classes *all, rt_value a, rt_value b) {
    if (4 * (all->count + 2) > 3 * all->room) grow(all);
    size_t first = class_of(all, a), second = class_of(all, b);
    if (first == second) return true;
    all->parents[first] = second;
    return false;
}

/* ---- The walk ------------------------------------------------------------ */

/* Two values, or the elements of two vectors of one length from next on. */
typedef struct pending { rt_value a, b; size_t next; bool elements; } pending;

typedef struct walk {
    pending *waiting;
    size_t count, room, seen;
    classes known;
} walk;

static void push(walk *walk, rt_value a, rt_value b, bool elements) {
    RT_GROW(walk->waiting, walk->count, walk->room);
    walk->waiting[walk->count++] = (pending){a, b, 0, elements};
}

static bool is_taken_for_equal(walk *walk, rt_value a, rt_value b) {
    return ++walk->seen > SMALL && join(&walk->known, a, b);
}

static int equal_atoms(rt_value a, rt_value b, bool *result) {
    if (rt_is_tensor(a) && rt_is_tensor(b))
        return rt_tensors->equal(rt_tensor(a), rt_tensor(b), result);
    *result = a == b;
    if (a == b || !rt_is_object(a) || !rt_is_object(b)) return 0;
    rt_kind kind = (rt_kind)rt_object_of(a)->kind;
    if (kind < RT_DOUBLE || rt_object_of(b)->kind != kind) return 0;
    if (kind == RT_STRING) *result = rt_same_string(rt_string_of(a), rt_string_of(b));
    else if (kind == RT_BYTES) *result = same_bytes(rt_bytes_of(a), rt_bytes_of(b));
    else *result = rt_eqv(a, b);
    return 0;
}

bool rt_equals_others(rt_value v) {
    if (!rt_is_object(v)) return rt_is_tensor(v);
    switch ((rt_kind)rt_object_of(v)->kind) {
    case RT_PAIR: case RT_VECTOR: case RT_DOUBLES: case RT_DOUBLE: case RT_INTEGER: case RT_RATIO:
    case RT_STRING: case RT_BYTES:
        return true;
    case RT_VALUES: case RT_TWO_VALUES: case RT_CLOSURE: case RT_CELL: case RT_RECORD_TYPE:
    case RT_RECORD: case RT_CONDITION: case RT_CAUGHT: case RT_HASH_TABLE: case RT_SYMBOL:
    case RT_KEYWORD: case RT_PORT: case RT_FOREIGN:
        break;
    }
    return false;
}

/* Compare two values, but leave elements of elements for later. */
static int compare(walk *walk, rt_value a, rt_value b, bool *result) {
    *result = true;
    while (a != b && rt_is_pair(a) && rt_is_pair(b)) {
        if (is_taken_for_equal(walk, a, b)) return 0;
        rt_value first = rt_pair_of(a)->car, second = rt_pair_of(b)->car;
        a = rt_pair_of(a)->cdr;
        b = rt_pair_of(b)->cdr;
        if (first == second) continue;
        if (rt_is_object(first) && (rt_is_pair(first) || rt_is_vector(first))) {
            push(walk, a, b, false);
            a = first;
            b = second;
        } else {
            if (equal_atoms(first, second, result) != 0) return 1;
            if (!*result) return 0;
        }
    }
    if (a == b) return 0;
    if (!rt_is_vector(a) || !rt_is_vector(b)) return equal_atoms(a, b, result);
    *result = rt_vector_size(a) == rt_vector_size(b);
    if (*result && !is_taken_for_equal(walk, a, b)) push(walk, a, b, true);
    return 0;
}

/* Take the next two values that are to be compared. */
static pending next_of(walk *walk) {
    pending *last = &walk->waiting[walk->count - 1];
    if (!last->elements) return walk->waiting[--walk->count];
    if (last->next == rt_vector_size(last->a)) {
        walk->count--;
        return (pending){RT_NIL, RT_NIL, 0, false};
    }
    size_t i = last->next++;
    return (pending){rt_vector_item(last->a, i), rt_vector_item(last->b, i), 0, false};
}

int rt_equal(rt_value a, rt_value b, bool *result) {
    bool deep = rt_is_object(a) && (rt_is_pair(a) || rt_is_vector(a));
    if (a == b || !deep) {
        *result = true;
        return a == b ? 0 : equal_atoms(a, b, result);
    }
    walk walk = {NULL, 0, 0, 0, {NULL, NULL, 0, 0}};
    int status = compare(&walk, a, b, result);
    while (status == 0 && *result && walk.count > 0) {
        pending next = next_of(&walk);
        status = rt_poll();
        if (status == 0) status = compare(&walk, next.a, next.b, result);
    }
    free(walk.waiting);
    free(walk.known.objects);
    free(walk.known.parents);
    return status;
}

int rt_boolean_equal(rt_value a, rt_value b, bool *result) {
    RT_CHECK_STATUS(rt_is_boolean(a), "boolean=?", "a boolean", a);
    RT_CHECK_STATUS(rt_is_boolean(b), "boolean=?", "a boolean", b);
    *result = a == b;
    return 0;
}
