/* labels.c - finds which values are printed with a label, `#0=(a . #0#)`: without labels, a value
 * that contains itself would print forever.
 *
 * The value is walked in the order of printing.  A value that is reached again while its elements
 * are walked closes a cycle; a value that is reached twice is shared.  Both need more than one
 * reference, so only values with several references are recorded, and a usual list costs one quick
 * walk.
 */
#include "rt_internal.h"

#include <stdlib.h>

#define FIRST_TABLE_SIZE 64   /* a power of two */
#define UNNUMBERED (-1)

/* open: its elements are being walked.  number counts labels in the order in which they are
 * printed. */
typedef struct entry { rt_object *object; bool open, labelled; int64_t number; } entry;

/* Open addressing; at most half full. */
struct rt_labels { entry *entries; size_t size, used, labelled; int64_t next; };

static entry *slot_for(entry *entries, size_t size, const rt_object *object) {
    size_t i = (size_t)((uintptr_t)object * 0x9e3779b97f4a7c15u >> 20) & (size - 1);
    while (entries[i].object != NULL && entries[i].object != object) i = (i + 1) & (size - 1);
    return &entries[i];
}

static void grow(rt_labels *labels) {
    size_t size = labels->size ? 2 * labels->size : FIRST_TABLE_SIZE;
    entry *entries = rt_malloc(size * sizeof *entries);
    for (size_t i = 0; i < size; i++) entries[i].object = NULL;
    for (size_t i = 0; i < labels->size; i++) {
        const entry *old = &labels->entries[i];
        if (old->object != NULL) *slot_for(entries, size, old->object) = *old;
    }
    free(labels->entries);
    labels->entries = entries;
    labels->size = size;
}

/* ---- The walk ------------------------------------------------------------ */

/* A pending part of the walk: the elements of container from next on.  leave: after them, container
 * is no longer open. */
typedef struct step { rt_value container; size_t next; bool leave; } step;
typedef struct walk { step *steps; size_t count, room; } walk;

static void push(walk *waiting, rt_value container, bool leave) {
    RT_GROW(waiting->steps, waiting->count, waiting->room);
    waiting->steps[waiting->count++] = (step){container, 0, leave};
}

/* Begin to walk the elements of v if this is its first occurrence; otherwise label it if needed. */
static void enter(rt_labels *labels, walk *waiting, rt_value v, bool shared) {
    if (rt_object_of(v)->count == 1) {
        push(waiting, v, false);
        return;
    }
    if (2 * (labels->used + 1) > labels->size) grow(labels);
    entry *found = slot_for(labels->entries, labels->size, rt_object_of(v));
    if (found->object == NULL) {
        *found = (entry){rt_object_of(v), true, false, UNNUMBERED};
        labels->used++;
        push(waiting, v, true);
    } else if (!found->labelled && (shared || found->open)) {
        found->labelled = true;
        labels->labelled++;
    }
}

/* The next element of a step that itself has elements, or RT_ERROR if there is none. */
static rt_value next_element(step *at) {
    for (;;) {
        rt_value element;
        if (rt_is_pair(at->container)) {
            if (at->next > 1) return RT_ERROR;
            const rt_pair *pair = rt_pair_of(at->container);
            element = at->next == 0 ? pair->car : pair->cdr;
        } else {
            if (at->next >= rt_printed_count(at->container)) return RT_ERROR;
            element = rt_printed_element(at->container, at->next);
        }
        at->next++;
        if (rt_has_printed_elements(element)) return element;
    }
}

rt_labels *rt_find_labels(rt_value root, bool shared) {
    rt_labels labels = {NULL, 0, 0, 0, 0};
    walk waiting = {NULL, 0, 0};
    enter(&labels, &waiting, root, shared);
    while (waiting.count > 0) {
        step *top = &waiting.steps[waiting.count - 1];
        rt_value container = top->container, element = next_element(top);
        bool leave = top->leave;
        /* The last element replaces a container that need not be left: lists need no stack. */
        bool last = rt_is_pair(container) && top->next > 1;
        if (element == RT_ERROR || (last && !leave)) {
            if (leave) slot_for(labels.entries, labels.size, rt_object_of(container))->open = false;
            waiting.count--;
        }
        if (element != RT_ERROR) enter(&labels, &waiting, element, shared);
    }
    free(waiting.steps);
    if (labels.labelled == 0) {
        free(labels.entries);
        return NULL;
    }
    rt_labels *result = rt_malloc(sizeof *result);
    *result = labels;
    return result;
}

void rt_free_labels(rt_labels *labels) {
    if (labels == NULL) return;
    free(labels->entries);
    free(labels);
}

/* ---- Use ----------------------------------------------------------------- */

bool rt_has_label(const rt_labels *labels, rt_value v) {
    if (labels == NULL) return false;
    const entry *found = slot_for(labels->entries, labels->size, rt_object_of(v));
    return found->object != NULL && found->labelled;
}

bool rt_print_label(rt_labels *labels, rt_text *text, rt_value v) {
    if (!rt_has_label(labels, v)) return true;
    entry *found = slot_for(labels->entries, labels->size, rt_object_of(v));
    bool first = found->number == UNNUMBERED;
    if (first) found->number = labels->next++;
    rt_text_format(text, "#%lld%s", (long long)found->number, first ? "=" : "#");
    return first;
}
