/* memory.c - objects come from free lists, one for each size, and go back to them.
 *
 * A block keeps its size in its header, also while it is free, so that freeing it is a push.  With
 * LAMBENT_ALLOC=malloc every object has its own malloc, for valgrind and ASan.
 */
#include "rt_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SMALLEST_REGION ((size_t)1 << 15)
#define LARGEST_REGION ((size_t)1 << 20)
#define BLOCKS_AT_ONCE 32

rt_object *rt_free_blocks[RT_BLOCK_LIMIT];
bool rt_plain_malloc;

/* ---- When there is no memory ---------------------------------------------- */

/* A request for more than RT_LARGE bytes fails at once.  A smaller one cannot fail: it releases a
 * block of the reserve, and rt_note_shortage makes the program's next poll fail.  The rest of that
 * block serves what runs meanwhile: after-thunks, handlers, and the error's text.  When the error
 * has been caught, the reserve is filled again. */
#define RESERVE_BLOCKS 4
#define RESERVE_BLOCK_SIZE ((size_t)1 << 20)

static void *reserve[RESERVE_BLOCKS];

/* A block is added only if as much memory remains for the program. */
void rt_restock(void) {
    for (size_t i = 0; i < RESERVE_BLOCKS; i++) {
        if (reserve[i] != NULL) continue;
        void *room = malloc(RESERVE_BLOCK_SIZE);
        if (room != NULL) reserve[i] = malloc(RESERVE_BLOCK_SIZE);
        free(room);
        if (reserve[i] == NULL) return;
    }
}

static bool release_block(void) {
    for (size_t i = 0; i < RESERVE_BLOCKS; i++) {
        if (reserve[i] == NULL) continue;
        free(reserve[i]);
        reserve[i] = NULL;
        return true;
    }
    return false;
}

/* The last resort: flush the output, and end the process. */
static void leave(void) {
    rt_flush_ports();
    fputs("not enough memory\n", stderr);
    fflush(stderr);
    _exit(RT_EXIT_RUNTIME);
}

static RT_COLD void draw_on_reserve(void) {
    rt_note_shortage();
    if (!release_block()) leave();
}

void *rt_malloc(size_t size) {
    void *found;
    while (RT_UNLIKELY((found = malloc(size)) == NULL)) draw_on_reserve();
    return found;
}

/* A separate function, because compilers do not know that a failed realloc keeps the block. */
static RT_COLD void *resized(void *block, size_t size) { return realloc(block, size); }

void *rt_realloc(void *block, size_t size) {
    void *found;
    while (RT_UNLIKELY((found = resized(block, size)) == NULL)) draw_on_reserve();
    return found;
}

void *rt_try_realloc(void *block, size_t size) {
    return size > RT_LARGE ? realloc(block, size) : rt_realloc(block, size);
}

void *rt_try_malloc(size_t size) { return rt_try_realloc(NULL, size); }

bool rt_has_memory(size_t size) {
    if (RT_LIKELY(size <= RT_LARGE)) return true;
    void *probe = malloc(size);
    free(probe);
    return probe != NULL;
}

bool rt_has_pairs(size_t count) {
    if (rt_has_memory(count * sizeof(rt_pair))) return true;
    for (rt_object *at = rt_free_blocks[RT_PAIR_WORDS]; at != NULL && count > 0; at = *rt_next_block(at))
        count--;
    return count == 0;
}

/* GMP would abort where there is no memory, so it allocates here. */
static void *resize(void *block, size_t before, size_t size) {
    (void)before;
    return rt_realloc(block, size);
}

static void free_sized(void *block, size_t size) {
    (void)size;
    free(block);
}

void rt_start_memory(void) {
    __gmp_set_memory_functions(rt_malloc, resize, free_sized);
    rt_restock();
}

/* ---- New memory ---------------------------------------------------------- */

/* How many blocks there are, in use or on free lists, and how many hold constants.  Live objects
 * are computed from these, so that nothing is counted while the program runs. */
static size_t blocks, immortals;

size_t rt_live_objects(void) {
    size_t live = blocks - immortals;
    for (size_t words = 0; words < RT_BLOCK_LIMIT; words++)
        for (rt_object *at = rt_free_blocks[words]; at != NULL; at = *rt_next_block(at)) live--;
    return live;
}

/* Regions, which blocks are cut from; the current one comes first.  The chain keeps every region
 * reachable.  Blocks are between the struct and end; rt_give_back_regions computes free. */
typedef struct region { struct region *next; char *end; size_t free; } region;
static region *regions;
static char *region_at, *region_end;
static size_t region_size = SMALLEST_REGION;

static void new_region(size_t least) {
    size_t size = region_size > least ? region_size : least;
    region *added = malloc(sizeof *added + size);
    if (added == NULL) {   /* a small region is enough, and uses less of the reserve */
        size = region_size = SMALLEST_REGION;
        added = rt_malloc(sizeof *added + size);
    }
    if (regions != NULL) regions->end = region_at;
    added->next = regions;
    regions = added;
    region_at = (char *)(added + 1);
    region_end = region_at + size;
    if (region_size < LARGEST_REGION) region_size *= 2;
}

static rt_object *cut_block(size_t words) {
    rt_object *block = (rt_object *)(void *)region_at;
    region_at += 8 * words;
    block->block = (uint8_t)words;
    blocks++;
    return block;
}

/* An object in memory from malloc; NULL where there is none. */
static rt_object *place(size_t *memory, size_t size) {
    if (memory == NULL) return NULL;
    rt_note_large(size);
    rt_object *object = (rt_object *)(void *)(memory + 1);
    object->block = 0;
    *rt_candidate_number(object) = 0;
    blocks++;
    return object;
}

rt_object *rt_refill(size_t words) {
    if (rt_plain_malloc || words >= RT_BLOCK_LIMIT)
        return place(rt_malloc(sizeof(size_t) + 8 * words), 8 * words);
    if ((size_t)(region_end - region_at) < 8 * words) new_region(8 * words);
    rt_object *first = cut_block(words), *last = first;
    /* The first of the new blocks is for the caller; the others become the free list, in the order
     * of their addresses. */
    rt_object **list = &rt_free_blocks[words];
    for (int i = 1; i < BLOCKS_AT_ONCE && (size_t)(region_end - region_at) >= 8 * words; i++) {
        last = cut_block(words);
        *list = last;
        list = rt_next_block(last);
    }
    *list = NULL;
    return first;
}

/* ---- Regions that are free again ------------------------------------------ */

static int by_address(const void *a, const void *b) {
    const region *x = *(region *const *)a, *y = *(region *const *)b;
    return (x > y) - (x < y);
}

static region *region_of(const rt_object *block, region **sorted, size_t count) {
    size_t low = 0, high = count;   /* find the last one that begins before the block */
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if ((const char *)sorted[middle] < (const char *)block) low = middle;
        else high = middle;
    }
    return sorted[low];
}

static bool is_empty(const region *r) {
    return r != regions && r->free == (size_t)(r->end - (const char *)(r + 1));
}

/* Remove the blocks of empty regions from a free list. */
static void filter(size_t words, region **sorted, size_t count) {
    rt_object **list = &rt_free_blocks[words];
    for (rt_object *at = *list; at != NULL; at = *rt_next_block(at)) {
        if (is_empty(region_of(at, sorted, count))) {
            blocks--;
            continue;
        }
        *list = at;
        list = rt_next_block(at);
    }
    *list = NULL;
}

/* Give back the regions that hold nothing but free blocks.  This walks through all free lists: it
 * is for the time after memory has run out, when the objects that used it have been released. */
void rt_give_back_regions(void) {
    size_t count = 0;
    rt_forget_free_candidates();
    for (region *r = regions; r != NULL; r = r->next) count++;
    region **sorted = malloc((count + 1) * sizeof *sorted);
    if (sorted == NULL || count == 0) {
        free(sorted);
        return;
    }
    count = 0;
    for (region *r = regions; r != NULL; r = r->next) {
        r->free = 0;
        sorted[count++] = r;
    }
    qsort(sorted, count, sizeof *sorted, by_address);
    for (size_t words = 1; words < RT_BLOCK_LIMIT; words++)
        for (rt_object *at = rt_free_blocks[words]; at != NULL; at = *rt_next_block(at))
            region_of(at, sorted, count)->free += 8 * words;
    for (size_t words = 1; words < RT_BLOCK_LIMIT; words++) filter(words, sorted, count);
    for (region **link = &regions->next; *link != NULL;) {
        region *r = *link;
        if (is_empty(r)) {
            *link = r->next;
            free(r);
        } else {
            link = &r->next;
        }
    }
    free(sorted);
}

void *rt_try_allocate(rt_kind kind, size_t size) {
    if (size <= RT_LARGE) return rt_allocate(kind, size);
    rt_object *object = place(malloc(sizeof(size_t) + size), size);
    if (object != NULL) *object = (rt_object){1, (uint8_t)kind, 0, 0};
    return object;
}

static void push_free(rt_object *object, size_t words) {
    *rt_next_block(object) = rt_free_blocks[words];
    rt_free_blocks[words] = object;
}

/* The object comes from malloc, or is a candidate of the collector's. */
void rt_give_back_specially(rt_object *object) {
    if (object->block & RT_BLOCK_WORDS) {
        object->count = 0;   /* that tells the collector that the block is free */
        push_free(object, object->block & RT_BLOCK_WORDS);
        return;
    }
    rt_forget_candidate(object);
    free(rt_candidate_number(object));
    blocks--;
}

/* ---- Release ------------------------------------------------------------- */

/* Whether it has a length field that counts its values. */
static bool has_length(const rt_object *object) {
    return object->kind == RT_VECTOR || object->kind == RT_VALUES;
}

/* The values that an object owns. */
static rt_value *fields(rt_object *object) {
    if (has_length(object)) return ((rt_vector_object *)object)->items;
    if (object->kind == RT_CLOSURE) return (rt_value *)((rt_closure_object *)object + 1);
    size_t count;
    if (object->kind == RT_HASH_TABLE) return rt_table_items(object, &count);
    return (rt_value *)(object + 1);
}

/* The kinds whose values `extra` counts. */
#define COUNTED_BY_EXTRA (1u << RT_TWO_VALUES | 1u << RT_CELL | 1u << RT_CLOSURE | \
                          1u << RT_RECORD_TYPE | 1u << RT_RECORD | 1u << RT_CONDITION | \
                          1u << RT_CAUGHT)

static size_t other_field_count(rt_object *object) {
    if (object->kind == RT_PAIR) return 2;
    if (has_length(object)) return ((rt_vector_object *)object)->length;
    size_t count = 0;
    if (object->kind == RT_HASH_TABLE) rt_table_items(object, &count);
    return count;
}

static inline size_t field_count(rt_object *object) {
    return RT_LIKELY(COUNTED_BY_EXTRA >> object->kind & 1) ? object->extra
                                                           : other_field_count(object);
}

rt_value *rt_values_in(rt_object *object, size_t *count) {
    *count = field_count(object);
    return fields(object);
}

static void set_field_count(rt_object *object, size_t count) {
    if (has_length(object)) ((rt_vector_object *)object)->length = count;
    else if (object->kind == RT_HASH_TABLE) rt_set_table_items(object, count);
    else object->extra = (uint16_t)count;
}

static void free_thing(rt_foreign_object *object) { object->kind->free(object->thing); }

/* The kinds that have more than a block and values. */
#define HAVE_MORE (1u << RT_INTEGER | 1u << RT_RATIO | 1u << RT_PORT | 1u << RT_HASH_TABLE | \
                   1u << RT_CAUGHT | 1u << RT_FOREIGN)

static RT_COLD void release_more(rt_object *object) {
    if (object->kind == RT_INTEGER || object->kind == RT_RATIO) rt_clear_number(object);
    else if (object->kind == RT_PORT) rt_release_port(object);
    else if (object->kind == RT_HASH_TABLE) rt_clear_table(object);
    else if (object->kind == RT_CAUGHT) rt_clear_caught(object);
    else if (object->kind == RT_FOREIGN) free_thing((rt_foreign_object *)object);
}

static inline void finish(rt_object *object) {
    if (RT_UNLIKELY(HAVE_MORE >> object->kind & 1)) release_more(object);
    rt_give_back(object);
}

void rt_finish_object(rt_object *object) { finish(object); }

/* Release one reference of a field's value; returns the object if it was the last one, and the
 * object holds values of its own. */
static inline rt_object *drop(rt_value v) {
    if (!rt_is_counted(v)) return NULL;
    rt_object *object = rt_object_of(v);
    if (object->count != 1) {
        if (object->count < RT_IMMORTAL) object->count--;
        return NULL;
    }
    if (RT_UNLIKELY(rt_is_tensor(v))) {
        rt_tensors->free(rt_tensor(v));
        return NULL;
    }
    if (object->kind <= RT_LAST_HOLDER) return object;
    finish(object);
    return NULL;
}

/* Deep data must not recurse.  A dead object's fields are dropped from the last to the first.  When
 * one dies before the first is reached, the object waits: the field just cleared links it to the
 * other waiting objects, and the release continues with the field's object. */
static rt_object *release_fields(rt_object *object, rt_object **waiting) {
    rt_value *values = fields(object);
    size_t left = field_count(object);
    rt_object *next = NULL;
    while (left > 0 && next == NULL) next = drop(values[--left]);
    if (left > 0) {
        set_field_count(object, left);
        values[left] = rt_of_object(*waiting);
        *waiting = object;
    } else {
        finish(object);
    }
    return next;
}

/* Give back a pair, or two values, whose fields have been read. */
static inline void give_pair_back(rt_object *object) {
    if (RT_LIKELY(object->block == RT_PAIR_WORDS)) {
        *rt_next_block(object) = rt_free_blocks[RT_PAIR_WORDS];
        rt_free_blocks[RT_PAIR_WORDS] = object;
    } else {
        rt_give_back_specially(object);
    }
}

/* Whether this is the last reference to a pair whose block is from a free list and unknown to the
 * collector, as almost all are. */
static inline bool is_dying_pair(rt_value v) {
    if (!rt_is_object(v)) return false;
    rt_object *object = rt_object_of(v);
    return object->count == 1 && object->kind == RT_PAIR && object->block == RT_PAIR_WORDS;
}

/* Dead objects whose release has to continue.  objects: pairs whose car has been dropped, and others
 * of whose fields one or more have been dropped; a field links them.  lists: dying pairs, linked
 * where their headers were, because these are known. */
typedef struct pending { rt_object *objects, *lists; } pending;

static inline void add_list(rt_value list, pending *pending) {
    memcpy(rt_object_of(list), &pending->lists, sizeof(void *));
    pending->lists = rt_object_of(list);
}

static inline rt_object *take_list(pending *pending) {
    rt_object *list = pending->lists;
    memcpy(&pending->lists, list, sizeof(void *));
    *list = (rt_object){1, RT_PAIR, RT_PAIR_WORDS, 0};
    return list;
}

static inline void add_pair(rt_pair *pair, pending *pending) {
    pair->car = rt_of_object(pending->objects);
    pending->objects = &pair->object;
}

/* Release a dying pair and the pairs behind it that die with it.  Returns an object that died with
 * them, or NULL. */
static inline rt_object *release_list(rt_object *first, pending *pending) {
    rt_value list = rt_of_object(first);
    rt_object *free = NULL, *next = NULL;   /* the last of the free pairs, which begin with first */
    do {
        rt_pair *pair = rt_pair_of(list);
        if (is_dying_pair(pair->car)) {
            add_list(pair->car, pending);
        } else if (rt_is_counted(pair->car) && RT_UNLIKELY((next = drop(pair->car)) != NULL)) {
            add_pair(pair, pending);
            break;
        }
        list = pair->cdr;
        *rt_next_block(&pair->object) = free;
        free = &pair->object;
    } while (is_dying_pair(list));
    if (free != NULL) {
        *rt_next_block(first) = rt_free_blocks[RT_PAIR_WORDS];
        rt_free_blocks[RT_PAIR_WORDS] = free;
    }
    return next != NULL ? next : drop(list);
}

/* The same, and then for the lists that are pending. */
static inline rt_object *release_lists(rt_object *list, pending *pending) {
    for (;;) {
        rt_object *next = release_list(list, pending);
        if (next != NULL || pending->lists == NULL) return next;
        list = take_list(pending);
    }
}

/* Release another dead pair.  Returns an object that died with it, or NULL. */
static inline rt_object *release_pair(rt_pair *pair, pending *pending) {
    rt_object *next = drop(pair->car);
    if (next != NULL) {
        add_pair(pair, pending);
        return next;
    }
    rt_value rest = pair->cdr;
    give_pair_back(&pair->object);
    return drop(rest);
}

/* Continue with the first of pending->objects.  Returns an object that died with it, or NULL. */
static inline rt_object *take_object(pending *pending) {
    rt_object *object = pending->objects;
    if (object->kind != RT_PAIR) {
        pending->objects = rt_object_of(fields(object)[field_count(object)]);
        return object;
    }
    rt_pair *pair = (rt_pair *)object;
    rt_value rest = pair->cdr;
    pending->objects = rt_object_of(pair->car);
    give_pair_back(object);
    return drop(rest);
}

/* Drop values from the last to the first, as long as nothing dies with them; how many are left.
 * Most are numbers, or references to what stays alive. */
static inline size_t drop_shallow(const rt_value *values, size_t left) {
    for (; left > 0; left--) {
        rt_value value = values[left - 1];
        if (!rt_is_counted(value)) continue;
        rt_object *object = rt_object_of(value);
        if (object->count == 1) break;
        if (RT_LIKELY(object->count < RT_IMMORTAL)) object->count--;
    }
    return left;
}

/* Release an object and all that is pending, with all that dies with them. */
static RT_APART void release_pending(rt_object *object, pending pending) {
    for (;;) {
        if (object == NULL && pending.lists != NULL) object = take_list(&pending);
        if (object == NULL) {
            if (pending.objects == NULL) return;
            object = take_object(&pending);
        } else if (is_dying_pair(rt_of_object(object))) {
            object = release_lists(object, &pending);
        } else if (object->kind == RT_PAIR) {
            object = release_pair((rt_pair *)object, &pending);
        } else {
            object = release_fields(object, &pending.objects);
        }
    }
}

static void release_deeply(rt_object *object) { release_pending(object, (pending){NULL, NULL}); }

/* Most objects die alone, such as a node of a tree that stays alive, and most pairs with their list
 * alone: that needs few registers.  Other objects keep the values that are still to be dropped. */
void rt_release(rt_object *object) {
    if (is_dying_pair(rt_of_object(object))) {
        pending pending = {NULL, NULL};
        rt_object *next = release_lists(object, &pending);
        if (RT_UNLIKELY(next != NULL)) release_pending(next, pending);
        return;
    }
    if (RT_UNLIKELY(rt_is_tensor(rt_of_object(object)))) {
        rt_tensors->free(rt_tensor(rt_of_object(object)));
        return;
    }
    if (object->kind > RT_LAST_HOLDER) {   /* strings, large numbers */
        finish(object);
        return;
    }
    size_t left = 1;
    if (object->kind == RT_VECTOR) {
        rt_vector_object *vector = (rt_vector_object *)object;
        left = vector->length = drop_shallow(vector->items, vector->length);
    } else if (object->kind == RT_RECORD || object->kind == RT_CELL) {
        left = drop_shallow((rt_value *)(object + 1), object->extra);
        object->extra = (uint16_t)left;
    } else if (object->kind == RT_CLOSURE) {
        left = drop_shallow((rt_value *)((rt_closure_object *)object + 1), object->extra);
        object->extra = (uint16_t)left;
    }
    if (left == 0) rt_give_back(object);
    else release_deeply(object);
}

static RT_APART void release_rest(
    rt_object *object, size_t count, const rt_value *fields, uint64_t kept
) {
    for (size_t i = 0; i < count; i++, kept >>= 1)
        if (!(kept & 1)) rt_free(fields[i]);
    rt_give_back(object);
}

void rt_release_others(rt_object *object, size_t count, const rt_value *fields, uint64_t kept) {
    for (size_t i = 0; i < count; i++, kept >>= 1) {
        if (kept & 1 || !rt_is_counted(fields[i])) continue;
        rt_object *field = rt_object_of(fields[i]);
        if (field->count == 1) {
            release_rest(object, count - i, fields + i, kept);
            return;
        }
        if (RT_LIKELY(field->count < RT_IMMORTAL)) field->count--;
    }
    rt_give_back(object);
}

void rt_free_cold(rt_value v) { rt_free(v); }

void rt_free_all(size_t count, const rt_value *items) {
    for (size_t i = 0; i < count; i++) rt_free(items[i]);
}

/* ---- Constants ----------------------------------------------------------- */

/* The constants that programs can store into.  Their contents are released at exit, so that leak
 * reports show real leaks only. */
static rt_object **constants;
static size_t constant_count, constant_room;

rt_value rt_make_immortal(rt_value v) {
    if (!rt_is_object(v) || rt_object_of(v)->count >= RT_IMMORTAL) return v;
    rt_object *object = rt_object_of(v);
    object->count = RT_IMMORTAL;
    immortals++;
    if (object->kind == RT_PAIR || rt_is_vector(v)) {
        RT_GROW(constants, constant_count, constant_room);
        constants[constant_count++] = object;
    }
    return v;
}

void rt_release_constants(void) {
    for (size_t i = 0; i < constant_count; i++) {
        rt_object *object = constants[i];
        if (object->kind == RT_PAIR) {
            rt_free(((rt_pair *)object)->car);
            rt_free(((rt_pair *)object)->cdr);
        } else if (object->kind == RT_VECTOR) {
            rt_vector_object *vector = (rt_vector_object *)object;
            rt_free_all(vector->length, vector->items);
        }
    }
    constant_count = 0;
}

/* ---- Other libraries' things ------------------------------------------------ */

rt_value rt_new_foreign(const rt_foreign_kind *kind, void *thing) {
    rt_foreign_object *object = rt_allocate(RT_FOREIGN, sizeof *object);
    object->kind = kind;
    object->thing = thing;
    return rt_of_object(object);
}

/* ---- Cells of captured, assigned variables ------------------------------- */

rt_value rt_new_cell(rt_value value) {
    rt_cell *cell = rt_allocate(RT_CELL, sizeof *cell);
    cell->object.extra = 1;
    cell->value = value;
    return rt_of_object(cell);
}
