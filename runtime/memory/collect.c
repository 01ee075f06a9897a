/* collect.c - frees cycles, which reference counts alone never free.
 *
 * Only a store into an object that exists already can close a cycle, so each cycle has an object
 * that rt_before_store was told of: a candidate.  The collector looks at what can be reached from
 * candidates, by trial deletion (Bacon and Rajan; CPython's gc module does the same):
 *
 *     visit    Walk from the candidates.  For each reference that is found, lower the count of its
 *              object.  A count then says how many references come from elsewhere: from variables,
 *              frames, constants, LibTorch, and objects that the candidates do not reach.
 *     revive   What has such references is alive, and so is what it reaches: raise these counts.
 *     free     All other visited objects are garbage.
 *
 * A stack is never searched: a frame's values have counts, and a value that a frame only borrows is
 * reached from one that has.  docs/decisions.md says why this holds wherever the collector runs.
 *
 * A candidate stays one until it dies.  Its block stays in the array of candidates until the
 * collector meets it there, so the array never needs to be searched.  It keeps its flag, too, so
 * the next object in it is a candidate from the beginning, at no cost.  Objects from malloc know
 * their position, and leave at once.
 *
 * The work comes in slices, to keep pauses short, and a round of slices looks at all candidates.
 * The next round waits until the number of new candidates is in proportion to the work of the
 * last: so the collector's work is linear in the program's.  When large objects have taken much
 * memory since then, a whole round comes at the next new candidate, and when tensors have, at the
 * next poll: few cycles may hold it.
 */
#define _POSIX_C_SOURCE 200809L   /* clock_gettime */
#include "rt_internal.h"

#include <stdlib.h>
#include <time.h>

#define FIRST_ROUND 10000    /* candidates */
#define SLICE 50000          /* objects that a slice visits: a few milliseconds */
#define SLICE_SPACING 16     /* new candidates before the next slice: its visits divided by this */
#define ROUND_SPACING 4      /* the same for the next round, and after a slice that became long */
#define MUCH ((size_t)1 << 26)   /* bytes */
#define FIRST_ROOM 1024
#define MOST_NEAR 6          /* pairs that a store looks at */
#define FORCED_SLICE 8
#define FORCED_SLICES 4          /* before the next round */
#define MOST_KEPT (4 * SLICE)    /* larger arrays do not outlive a collection */
#define BYTES_OF_VISIT 64    /* allocating them takes longer than a visit */
#define NANOSECONDS 1e9

typedef struct objects { rt_object **items; size_t count, room; } objects;

static objects candidates, visited, revived;
static size_t walked;                      /* so many of the visited objects lowered counts */
static size_t next;                        /* candidates before this were examined in this round */
static size_t visits, round_visits;        /* of the last slice, and of this round */
static size_t until_slice = FIRST_ROUND;   /* new candidates */
static size_t least;                       /* candidates that the next slice examines */
static size_t until_room;                  /* refused candidates before memory is asked for again */
static size_t large_bytes;                 /* of all objects from malloc so far */
static size_t most_large_bytes = MUCH;     /* a round begins when there are more */
static size_t sleep_length, until_forced;  /* LAMBENT_COLLECT=n: collect at each n-th chance */

rt_collections rt_collected;
bool rt_collects_always;

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

/* Whether there is memory for so many more. */
static bool has_room(objects *list, size_t more) {
    size_t room = larger(list->room, FIRST_ROOM);
    while (room < list->count + more) room *= 2;
    if (room == list->room) return true;
    rt_object **items = rt_try_realloc(list->items, room * sizeof *items);
    if (items == NULL) return false;
    list->items = items;
    list->room = room;
    return true;
}

static void push(objects *list, rt_object *object) { list->items[list->count++] = object; }

/* Empty it, and keep memory for slices of the usual size, even when there is no more. */
static void clear(objects *list) {
    list->count = 0;
    if (list->room <= MOST_KEPT) return;
    rt_object **items = realloc(list->items, MOST_KEPT * sizeof *items);
    if (items == NULL) return;
    list->items = items;
    list->room = MOST_KEPT;
}

static bool is_from_malloc(const rt_object *object) {
    return (object->block & RT_BLOCK_WORDS) == 0;
}

static bool is_visited(const rt_object *object) { return (object->block & RT_VISITED) != 0; }

/* ---- Candidates ------------------------------------------------------------ */

static void put_at(size_t index, rt_object *candidate) {
    candidates.items[index] = candidate;
    if (is_from_malloc(candidate)) *rt_candidate_number(candidate) = index + 1;
}

/* The last candidate takes its place; that of an examined one, the last examined one. */
static void forget_at(size_t index) {
    if (index < next) {
        put_at(index, candidates.items[--next]);
        index = next;
    }
    rt_object *last = candidates.items[--candidates.count];
    if (index < candidates.count) put_at(index, last);
}

void rt_forget_candidate(rt_object *object) {
    size_t number = *rt_candidate_number(object);
    if (number > 0) forget_at(number - 1);
}

/* Whether a candidate is a free block, or an object in one that cannot be on a cycle. */
static bool is_useless(const rt_object *object) {
    if (is_visited(object)) return false;
    if (object->count == 0 || object->count >= RT_IMMORTAL) return true;
    return object->kind > RT_LAST_HOLDER;
}

static bool forget_useless(size_t index) {
    rt_object *object = candidates.items[index];
    if (!is_useless(object)) return false;
    forget_at(index);
    object->block &= (uint8_t)~RT_CANDIDATE;
    if (is_from_malloc(object)) *rt_candidate_number(object) = 0;
    return true;
}

void rt_forget_free_candidates(void) {
    for (size_t i = 0; i < candidates.count;)
        if (!forget_useless(i)) i++;
}

/* Forget those that this slice has freed. */
static void forget_freed(size_t first) {
    for (size_t i = first; i < next;)
        if (!forget_useless(i)) i++;
}

/* ---- Visit, revive, free ------------------------------------------------------ */

/* The object of a value, if it is counted and may be on a cycle. */
static rt_object *counted_holder(rt_value v) {
    if (!rt_holds_values(v)) return NULL;
    return rt_object_of(v)->count < RT_IMMORTAL ? rt_object_of(v) : NULL;
}

static void visit(rt_object *object) {
    object->block |= RT_VISITED;
    push(&visited, object);
}

/* Returns whether there was memory for that. */
static bool visit_reachable(rt_object *candidate) {
    if (!has_room(&visited, 1)) return false;
    visit(candidate);
    for (; walked < visited.count; walked++) {
        size_t count;
        const rt_value *values = rt_values_in(visited.items[walked], &count);
        if (!has_room(&visited, count)) return false;
        for (size_t i = 0; i < count; i++) {
            rt_object *found = counted_holder(values[i]);
            if (found == NULL) continue;
            found->count--;
            if (!is_visited(found)) visit(found);
        }
    }
    return true;
}

/* There is no memory to visit so much: restore all counts.  A slice passes over its candidates. */
static void give_up(void) {
    for (size_t at = 0; at < walked; at++) {
        size_t count;
        const rt_value *values = rt_values_in(visited.items[at], &count);
        for (size_t i = 0; i < count; i++) {
            rt_object *found = counted_holder(values[i]);
            if (found != NULL) found->count++;
        }
    }
    for (size_t at = 0; at < visited.count; at++) visited.items[at]->block &= (uint8_t)~RT_VISITED;
}

static void revive(rt_object *object) {
    object->block &= (uint8_t)~RT_VISITED;
    push(&revived, object);
}

static void revive_reachable(rt_object *alive) {
    revive(alive);
    while (revived.count > 0) {
        size_t count;
        const rt_value *values = rt_values_in(revived.items[--revived.count], &count);
        for (size_t i = 0; i < count; i++) {
            rt_object *found = counted_holder(values[i]);
            if (found == NULL) continue;
            found->count++;
            if (is_visited(found)) revive(found);
        }
    }
}

/* A reference to another holder was given back when its count was lowered, so only others are
 * released. */
static void release_others(rt_object *object) {
    size_t count;
    const rt_value *values = rt_values_in(object, &count);
    for (size_t i = 0; i < count; i++)
        if (!rt_holds_values(values[i])) rt_free(values[i]);
}

/* What is still visited is garbage. */
static size_t free_visited(void) {
    size_t garbage = 0;
    for (size_t i = 0; i < visited.count; i++)
        if (is_visited(visited.items[i])) visited.items[garbage++] = visited.items[i];
    for (size_t i = 0; i < garbage; i++) release_others(visited.items[i]);
    for (size_t i = 0; i < garbage; i++) {
        visited.items[i]->block &= (uint8_t)~RT_VISITED;
        rt_finish_object(visited.items[i]);
    }
    return garbage;
}

/* Visit what the next candidates reach, about as many objects as the limit says.  Candidates may
 * share what they reach, and then each slice visits it again.  So what is large is visited together
 * with as much more; and so that a round ends in any case, a slice examines more candidates than
 * were added since the last.  Returns whether there was memory for that. */
static bool visit_slice(size_t limit) {
    size_t examined = 0;
    while (next < candidates.count && (visited.count < limit || examined < least)) {
        if (forget_useless(next)) continue;
        rt_object *candidate = candidates.items[next++];
        size_t before = visited.count;
        if (!is_visited(candidate) && !visit_reachable(candidate)) return false;
        limit = larger(limit, 2 * (visited.count - before));
        examined++;
    }
    return has_room(&revived, visited.count);
}

/* Returns how many objects were freed. */
static size_t collect(size_t limit) {
    size_t tensors = rt_tensors != NULL ? rt_tensors->live() : 0, freed = 0, first = next;
    walked = 0;
    if (visit_slice(limit)) {
        for (size_t i = 0; i < visited.count; i++)
            if (is_visited(visited.items[i]) && visited.items[i]->count > 0)
                revive_reachable(visited.items[i]);
        freed = free_visited();
        forget_freed(first);
    } else {
        give_up();
        if (limit == SIZE_MAX) next = first;   /* slices are smaller */
    }
    visits = visited.count;
    rt_collected.count++;
    rt_collected.visited += visits;
    rt_collected.objects += freed;
    if (rt_tensors != NULL) rt_collected.tensors += tensors - rt_tensors->live();
    clear(&visited);
    clear(&revived);
    return freed;
}

/* ---- When ----------------------------------------------------------------- */

void rt_await_tensors(void) {
    if (rt_tensors == NULL) return;
    int64_t live = rt_tensors->live_bytes();
    int64_t more = live / 2 > (int64_t)MUCH ? live / 2 : (int64_t)MUCH;
    rt_tensors->watch_live_bytes(live + more, rt_note_tensors);
}

static void await_more_memory(void) {
    rt_await_tensors();
    most_large_bytes = large_bytes + larger(MUCH, round_visits * BYTES_OF_VISIT);
}

static void end_round(void) {
    rt_forget_free_candidates();
    await_more_memory();
    until_slice = larger(FIRST_ROUND, larger(candidates.count, round_visits / ROUND_SPACING));
    next = round_visits = least = 0;
}

static void collect_some(size_t limit) {
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    if (limit == SIZE_MAX) next = round_visits = 0;
    collect(limit);
    clock_gettime(CLOCK_MONOTONIC, &end);
    double pause = (double)(end.tv_sec - start.tv_sec) +
                   (double)(end.tv_nsec - start.tv_nsec) / NANOSECONDS;
    if (pause > rt_collected.longest) rt_collected.longest = pause;
    round_visits += visits;
    if (next == candidates.count) {
        end_round();
        return;
    }
    if (limit == SIZE_MAX) await_more_memory();   /* the round goes on in slices */
    size_t spacing = visits > 2 * SLICE ? ROUND_SPACING : SLICE_SPACING;
    until_slice = larger(spacing, visits / spacing);
    least = 2 * until_slice;
}

/* A tensor's graph may have held the last reference to a procedure on a cycle: hence the outer
 * loop. */
void rt_collect_garbage(void) {
    size_t freed;
    least = 0;
    do {
        next = 0;
        freed = collect(SIZE_MAX);
        while (next < candidates.count) freed += collect(SLICE);
    } while (freed > 0);
    round_visits = visits;
    end_round();
}

/* Free blocks must lose their flag then, so that the next store finds that out. */
void rt_note_large(size_t size) {
    bool was_more = large_bytes > most_large_bytes;
    large_bytes += size;
    if (!was_more && large_bytes > most_large_bytes) rt_forget_free_candidates();
}

rt_value rt_garbage_statistics(void) {
    rt_value pause = rt_cons(rt_intern("longest-pause"), rt_of_double(rt_collected.longest));
    rt_value alist = rt_cons(pause, RT_NIL);
    const struct { const char *name; size_t count; } facts[] = {
        {"freed-handles", rt_collected.tensors},
        {"freed-objects", rt_collected.objects},
        {"collections", rt_collected.count},
    };
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        rt_value count = rt_of_int64((int64_t)facts[i].count);
        alist = rt_cons(rt_cons(rt_intern(facts[i].name), count), alist);
    }
    return alist;
}

/* Mostly in short slices, as these have more states. */
static void collect_if_due(void) {
    static unsigned forced;
    if (--until_forced > 0) return;
    until_forced = sleep_length;
    bool whole = forced++ % FORCED_SLICES == 0;
    if (whole || next == candidates.count) next = 0;
    collect(whole ? SIZE_MAX : FORCED_SLICE);
}

static bool has_room_for_candidate(void) {
    if (candidates.count < candidates.room) return true;
    if (until_room > 0) return until_room-- == 0;
    if (has_room(&candidates, 1)) return true;
    until_room = FIRST_ROUND;
    rt_forget_free_candidates();
    return candidates.count < candidates.room;
}

/* How many more pairs may be looked at after those that a value reaches; negative if it reaches the
 * holder, something else than pairs, or too many.  What is immortal keeps what it holds. */
static int look_through_pairs(rt_value v, const rt_object *holder, int left) {
    while (rt_holds_values(v) && rt_object_of(v)->count < RT_IMMORTAL) {
        if (left == 0 || !rt_is_pair(v) || rt_object_of(v) == holder) return -1;
        left = look_through_pairs(rt_pair_of(v)->car, holder, left - 1);
        if (left < 0) return left;
        v = rt_pair_of(v)->cdr;
    }
    return left;
}

static RT_COLD void note_holder(rt_object *holder, rt_object *value) {
    bool closes = holder->kind != RT_PAIR ||
                  look_through_pairs(rt_of_object(value), holder, MOST_NEAR) < 0;
    if (closes) rt_add_candidate(holder);
    else if (rt_collects_always) collect_if_due();
}

/* A store closes a cycle only if its value reaches the holder.  A queue's next pair, and the like,
 * does not.  Pairs are seldom stored into again, so only they are worth the look. */
void rt_note_store(rt_object *holder, rt_object *value) {
    const rt_pair *pair = (const rt_pair *)value;
    bool is_small = holder->kind == RT_PAIR && value->kind == RT_PAIR && value != holder &&
                    !rt_holds_values(pair->cdr) && !rt_holds_values(pair->car);
    if (!is_small || RT_UNLIKELY(rt_collects_always)) note_holder(holder, value);
}

void rt_add_candidate(rt_object *holder) {
    if (holder->count >= RT_IMMORTAL) return;   /* what it holds stays alive */
    if (!has_room_for_candidate()) return;      /* the next store may have more luck */
    if (!is_from_malloc(holder)) {
        holder->block |= RT_CANDIDATE;
        push(&candidates, holder);
    } else if (*rt_candidate_number(holder) == 0) {
        push(&candidates, holder);
        *rt_candidate_number(holder) = candidates.count;
        if (!rt_collects_always) holder->block |= RT_CANDIDATE;
    }
    if (rt_collects_always) collect_if_due();
    else if (--until_slice == 0) collect_some(SLICE);
    else if (large_bytes > most_large_bytes) collect_some(SIZE_MAX);
}

void rt_collect_at_poll(bool tensors_grew) {
    if (rt_collects_always) collect_if_due();
    else if (tensors_grew && candidates.count > 0) collect_some(SIZE_MAX);
    if (tensors_grew) rt_await_tensors();
}

/* For tests: LAMBENT_COLLECT=1 collects at each store and at each poll, and gives each object its
 * own malloc.  A larger number leaves out all but each n-th chance. */
void rt_start_collector(void) {
    const char *chosen = getenv("LAMBENT_COLLECT");
    sleep_length = until_forced = chosen != NULL ? (size_t)strtoul(chosen, NULL, 10) : 0;
    rt_collects_always = sleep_length > 0;
    if (rt_collects_always) rt_plain_malloc = true;
}
