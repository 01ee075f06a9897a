/* world.c - what all code of a process shares: its variables by name, and locations.
 *
 * A variable of open code is a cell that all units name: one that is loaded later sees its value,
 * and may define it anew.
 */
#include "world.h"

#include <stdlib.h>

#define FIRST_BUCKETS 64

/* ---- Variables ----------------------------------------------------------- */

typedef struct variable {
    rt_value value;   /* first, because its address is that of the variable */
    struct variable *next;
    uint64_t hash;
    char name[];
} variable;

/* holders: its session, and its units. */
struct rt_world { variable **buckets; size_t bucket_count, named_count, holders; };

static rt_world first_world = {NULL, 0, 0, 1};
static rt_world *world = &first_world;

/* All that are freed at the end, and a set of the library's among them. */
static rt_value **all;
static size_t all_count, all_room;
static rt_value **noted;
static size_t noted_room, noted_count;

static uint64_t hash_of(const char *text) {
    uint64_t hash = 14695981039346656037u;   /* FNV-1a */
    for (; *text != '\0'; text++) hash = (hash ^ (unsigned char)*text) * 1099511628211u;
    return hash;
}

static void grow_buckets(void) {
    size_t count = world->bucket_count ? 2 * world->bucket_count : FIRST_BUCKETS;
    variable **grown = rt_malloc(count * sizeof *grown);
    for (size_t i = 0; i < count; i++) grown[i] = NULL;
    for (size_t i = 0; i < world->bucket_count; i++) {
        for (variable *each = world->buckets[i], *next; each != NULL; each = next) {
            next = each->next;
            each->next = grown[each->hash % count];
            grown[each->hash % count] = each;
        }
    }
    free(world->buckets);
    world->buckets = grown;
    world->bucket_count = count;
}

/* Where the pointer to the variable of a name is, or would be. */
static variable **place_of(const char *name, uint64_t hash) {
    variable **at = &world->buckets[hash % world->bucket_count];
    while (*at != NULL && !((*at)->hash == hash && strcmp((*at)->name, name) == 0))
        at = &(*at)->next;
    return at;
}

static variable *named(const char *name) {
    if (world->named_count >= world->bucket_count) grow_buckets();
    uint64_t hash = hash_of(name);
    variable **at = place_of(name, hash);
    if (*at != NULL) return *at;
    size_t size = strlen(name) + 1;
    variable *made = rt_malloc(sizeof *made + size);
    made->value = RT_UNBOUND;
    made->hash = hash;
    made->next = NULL;
    memcpy(made->name, name, size);
    *at = made;
    world->named_count++;
    return made;
}

rt_value *rt_world_variable(const char *name) { return &named(name)->value; }

rt_value *rt_world_object(const char *name, rt_value value) {
    rt_value *made = rt_world_variable(name);
    rt_global_define(made, value);
    return made;
}

void rt_world_forget(const char *name) {
    variable **at = place_of(name, hash_of(name)), *forgotten = *at;
    if (forgotten == NULL) return;
    *at = forgotten->next;
    world->named_count--;
    rt_free(forgotten->value);
    free(forgotten);
}

static rt_value *added(rt_value *variable) {
    RT_GROW(all, all_count, all_room);
    all[all_count++] = variable;
    return variable;
}

rt_value *rt_world_new_variable(void) {
    rt_value *made = rt_malloc(sizeof *made);
    *made = RT_UNBOUND;
    return added(made);
}

static size_t slot_of(rt_value *variable) {
    size_t slot = ((uintptr_t)variable >> 3) % noted_room;
    while (noted[slot] != NULL && noted[slot] != variable) slot = (slot + 1) % noted_room;
    return slot;
}

static void grow_noted(void) {
    rt_value **before = noted;
    size_t room = noted_room;
    noted_room = room ? 2 * room : FIRST_BUCKETS;
    noted = rt_malloc(noted_room * sizeof *noted);
    for (size_t i = 0; i < noted_room; i++) noted[i] = NULL;
    for (size_t i = 0; i < room; i++)
        if (before[i] != NULL) noted[slot_of(before[i])] = before[i];
    free(before);
}

rt_value *rt_world_note(rt_value *variable) {
    if (2 * noted_count >= noted_room) grow_noted();
    size_t slot = slot_of(variable);
    if (noted[slot] != NULL) return variable;
    noted[slot] = variable;
    noted_count++;
    return added(variable);
}

/* The named ones are added last, when no more come. */
size_t rt_world_variables(rt_value ***variables) {
    for (size_t i = 0; i < world->bucket_count; i++)
        for (variable *each = world->buckets[i]; each != NULL; each = each->next) added(&each->value);
    *variables = all;
    return all_count;
}

/* ---- Worlds -------------------------------------------------------------- */

rt_world *rt_new_world(void) {
    rt_world *made = rt_malloc(sizeof *made);
    *made = (rt_world){NULL, 0, 0, 1};
    return made;
}

rt_world *rt_use_world(rt_world *used) {
    rt_world *before = world;
    world = used;
    return before;
}

rt_world *rt_present_world(void) { return world; }

size_t rt_world_size(const rt_world *counted) { return counted->named_count; }

rt_world *rt_hold_world(void) {
    world->holders++;
    return world;
}

void rt_release_world(rt_world *released) {
    if (--released->holders > 0) return;
    for (size_t i = 0; i < released->bucket_count; i++) {
        for (variable *each = released->buckets[i], *next; each != NULL; each = next) {
            next = each->next;
            rt_free(each->value);
            free(each);
        }
    }
    free(released->buckets);
    free(released);
}

void rt_drop_world(rt_world *dropped) {
    for (size_t i = 0; i < dropped->bucket_count; i++)
        for (variable *each = dropped->buckets[i]; each != NULL; each = each->next)
            rt_global_define(&each->value, RT_UNBOUND);
    rt_release_world(dropped);
}

/* ---- Locations ----------------------------------------------------------- */

typedef struct known_location {
    rt_location location;   /* first, because its address is that of the location */
    struct known_location *next;
} known_location;

#define LOCATION_BUCKETS 4096
static known_location *locations[LOCATION_BUCKETS];

static bool same_text(const char *a, const char *b) {
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool same_location(const rt_location *a, const rt_location *b) {
    return a->line == b->line && a->column == b->column && a->width == b->width &&
           a->one_line == b->one_line && same_text(a->file, b->file) &&
           same_text(a->text, b->text) && same_text(a->in, b->in) &&
           same_text(a->expansion, b->expansion);
}

static const char *copied(const char *text) {
    if (text == NULL) return NULL;
    size_t size = strlen(text) + 1;
    return memcpy(rt_malloc(size), text, size);
}

const rt_location *rt_world_location(const rt_location *location) {
    uint64_t hash = hash_of(location->text) + 31 * (uint64_t)location->line +
                    (uint64_t)location->column;
    known_location **bucket = &locations[hash % LOCATION_BUCKETS];
    for (known_location *each = *bucket; each != NULL; each = each->next)
        if (same_location(&each->location, location)) return &each->location;
    known_location *made = rt_malloc(sizeof *made);
    made->location = *location;
    made->location.file = copied(location->file);
    made->location.text = copied(location->text);
    made->location.in = copied(location->in);
    made->location.expansion = copied(location->expansion);
    made->next = *bucket;
    *bucket = made;
    return &made->location;
}

/* ---- Tensors ------------------------------------------------------------- */

bool rt_world_needs_tensors(void) {
    if (rt_tensors != NULL) return true;
    if (rt_code_tensors == NULL || !rt_code_tensors->hooks->load()) {
        rt_fail("tensors are not available");
        return false;
    }
    rt_tensors = rt_code_tensors->hooks;
    rt_tensors->start();
    rt_await_tensors();
    return true;
}
