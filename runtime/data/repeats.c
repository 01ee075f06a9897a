/* repeats.c - how many elements nested data have, if a list counts at each place where it occurs.
 *
 *     (let ((x '(1 2))) (list x x))  =>  6 elements: those of the list, and twice those of x
 *
 * A text or a tensor of data repeats a list that occurs several times, so forty lists may be a text
 * of 2^40 numbers.  The count takes time for the lists, not for their repetitions: only values with
 * several references are recorded.  A cycle counts once here; the operation itself refuses it.
 */
#include "rt_internal.h"

#include <stdlib.h>

#define FIRST_TABLE_SIZE 64   /* a power of two */
#define MOST_ELEMENTS ((uint64_t)1 << 62)
#define BYTES_PER_ELEMENT 256   /* in scripts, so that both back ends refuse the same data */

/* The elements of an object with several references: 0 until they have been counted. */
typedef struct entry { rt_object *object; uint64_t total; } entry;
/* Open addressing; at most half full. */
typedef struct totals { entry *entries; size_t size, used; } totals;
/* A pending part of the walk: the elements of at from next on.  first: the value in which it
 * began; at is that, or a later pair of the same list. */
typedef struct step { rt_value first, at; size_t next; uint64_t total; } step;
typedef struct walk { step *steps; size_t count, room; uint64_t walked; totals totals; } walk;

static entry *slot_for(entry *entries, size_t size, const rt_object *object) {
    size_t i = (size_t)((uintptr_t)object * 0x9e3779b97f4a7c15u >> 20) & (size - 1);
    while (entries[i].object != NULL && entries[i].object != object) i = (i + 1) & (size - 1);
    return &entries[i];
}

static void grow(totals *all) {
    size_t size = all->size ? 2 * all->size : FIRST_TABLE_SIZE;
    entry *entries = rt_malloc(size * sizeof *entries);
    for (size_t i = 0; i < size; i++) entries[i].object = NULL;
    for (size_t i = 0; i < all->size; i++)
        if (all->entries[i].object != NULL)
            *slot_for(entries, size, all->entries[i].object) = all->entries[i];
    free(all->entries);
    all->entries = entries;
    all->size = size;
}

static bool has_elements(rt_value v) {
    return rt_is_pair(v) || rt_is_vector(v) || rt_is_hash_table(v);
}

static bool is_shared(rt_value v) { return rt_object_of(v)->count != 1; }

static const rt_value *items_of(rt_value v, size_t *count) {
    if (rt_is_hash_table(v)) return rt_table_items(rt_object_of(v), count);
    *count = rt_vector_of(v)->length;
    return rt_vector_of(v)->items;
}

/* How many elements it adds itself: a pair stands for one. */
static uint64_t own_elements(rt_value v) {
    if (rt_is_pair(v)) return 1;
    return rt_is_hash_table(v) ? 2 * rt_table_size(v) : rt_vector_of(v)->length;
}

static uint64_t sum(uint64_t a, uint64_t b) {
    return a + b < MOST_ELEMENTS ? a + b : MOST_ELEMENTS;
}

/* The next element of a step that itself has elements, or RT_ERROR if there is none. */
static rt_value next_container(step *top) {
    for (;;) {
        rt_value element;
        if (rt_is_pair(top->at)) {
            if (top->next > 1) return RT_ERROR;
            element = top->next == 0 ? rt_pair_of(top->at)->car : rt_pair_of(top->at)->cdr;
        } else {
            size_t count;
            const rt_value *items = items_of(top->at, &count);
            if (top->next >= count) return RT_ERROR;
            element = items[top->next];
        }
        top->next++;
        if (has_elements(element)) return element;
    }
}

/* Begin to walk the elements of v, or add them if they have been counted. */
static void enter(walk *data, rt_value v) {
    if (is_shared(v)) {
        if (2 * (data->totals.used + 1) > data->totals.size) grow(&data->totals);
        entry *found = slot_for(data->totals.entries, data->totals.size, rt_object_of(v));
        if (found->object != NULL) {
            step *top = &data->steps[data->count - 1];
            top->total = sum(top->total, found->total);
            return;
        }
        *found = (entry){rt_object_of(v), 0};
        data->totals.used++;
    }
    RT_GROW(data->steps, data->count, data->room);
    data->steps[data->count++] = (step){v, v, 0, own_elements(v)};
    data->walked += own_elements(v);
}

/* The rest of a list needs no step of its own, so long lists need no stack. */
static bool goes_on_with(walk *data, step *top, rt_value rest) {
    if (!rt_is_pair(top->at) || top->next != 2 || !rt_is_pair(rest) || is_shared(rest))
        return false;
    top->at = rest;
    top->next = 0;
    top->total = sum(top->total, 1);
    data->walked++;
    return true;
}

static uint64_t leave(walk *data) {
    step done = data->steps[--data->count];
    if (is_shared(done.first))
        slot_for(data->totals.entries, data->totals.size, rt_object_of(done.first))->total =
            done.total;
    if (data->count > 0) {
        step *top = &data->steps[data->count - 1];
        top->total = sum(top->total, done.total);
    }
    return done.total;
}

/* The elements; *repeated: how many of them only repeat others. */
static uint64_t count_elements(rt_value root, uint64_t *repeated) {
    walk data = {NULL, 0, 0, 0, {NULL, 0, 0}};
    uint64_t total = 0;
    if (has_elements(root)) enter(&data, root);
    while (data.count > 0) {
        step *top = &data.steps[data.count - 1];
        rt_value element = next_container(top);
        if (element == RT_ERROR) total = leave(&data);
        else if (!goes_on_with(&data, top, element)) enter(&data, element);
    }
    free(data.steps);
    free(data.totals.entries);
    *repeated = total > data.walked ? total - data.walked : 0;
    return total;
}

int rt_check_repeats_of(const char *who, rt_value data) {
    uint64_t repeated, total = count_elements(data, &repeated);
    if (repeated < MOST_ELEMENTS / BYTES_PER_ELEMENT &&
        rt_has_memory(repeated * BYTES_PER_ELEMENT))
        return 0;
    return rt_status(rt_fail("%s: not enough memory for %llu elements, because a list counts at "
                             "each place where it occurs", who, (unsigned long long)total));
}

int rt_check_repeats(rt_value who, rt_value data) {
    char *name = rt_string_to_c(who);
    int status = rt_check_repeats_of(name, data);
    free(name);
    return status;
}
