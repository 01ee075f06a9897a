/* list.c - pairs and lists.  Results share no pairs with the arguments, except where the primitive
 * says so (append's last list, list-tail, member, memq, assoc ...). */
#include "rt_internal.h"

#include <stdlib.h>

/* Lists are built from the front, through a pointer to the end. */
typedef struct builder { rt_value first, *end; } builder;

static void append_item(builder *list, rt_value item) {   /* item is moved in */
    rt_value pair = rt_cons(item, RT_NIL);
    if (list->end == NULL) list->first = pair;
    else *list->end = pair;
    list->end = &rt_pair_of(pair)->cdr;
}

static rt_value finish_with(builder *list, rt_value tail) {   /* tail is moved in */
    if (list->end == NULL) return tail;
    *list->end = tail;
    return list->first;
}

#define EMPTY_BUILDER {RT_NIL, NULL}

/* After an error. */
static rt_value give_up(builder *list) {
    rt_free(finish_with(list, RT_NIL));
    return RT_ERROR;
}

/* A circular list is not a list: Brent's algorithm finds cycles for one comparison per pair. */
int64_t rt_list_length(rt_value list) {
    rt_value mark = list;
    int64_t length = 0, turn = 1;
    for (; rt_is_pair(list); length++) {
        list = rt_pair_of(list)->cdr;
        if (list == mark) return -1;
        if (length == turn) {
            mark = list;
            turn *= 2;
        }
    }
    return list == RT_NIL ? length : -1;
}

bool rt_is_list(rt_value x) { return rt_list_length(x) >= 0; }

int rt_length(rt_value list, int64_t *result) {
    int64_t length = rt_list_length(list);
    RT_CHECK_STATUS(length >= 0, "length", "a list", list);
    *result = length;
    return 0;
}

/* ---- Making lists -------------------------------------------------------- */

rt_value rt_new_list(size_t count, const rt_value *items) {
    rt_value list = RT_NIL;
    rt_object *blocks = rt_free_blocks[RT_PAIR_WORDS];   /* in a register, unlike that of rt_cons */
    while (count > 0 && blocks != NULL) {
        rt_pair *pair = rt_take_block(&blocks);
        pair->object.count = 1;
        pair->object.kind = RT_PAIR;
        pair->car = items[--count];
        pair->cdr = list;
        list = rt_of_object(pair);
    }
    rt_free_blocks[RT_PAIR_WORDS] = blocks;
    while (count > 0) list = rt_cons(items[--count], list);
    return list;
}

/* The same of so many items, which stay in registers. */
rt_value rt_list_of_two(rt_value first, rt_value second) {
    return rt_cons(first, rt_cons(second, RT_NIL));
}

rt_value rt_list_of_three(rt_value first, rt_value second, rt_value third) {
    return rt_cons(first, rt_cons(second, rt_cons(third, RT_NIL)));
}

rt_value rt_copy_to_list(size_t count, const rt_value *items) {
    for (size_t i = 0; i < count; i++) rt_dup(items[i]);
    return rt_new_list(count, items);
}

/* Lists that are moved in are changed in place as far as nobody else holds their pairs.  No cycle can
 * come of it: what such a pair refers to does not lead back to it. */
static inline bool is_ours(rt_value list) {
    return rt_is_pair(list) && rt_object_of(list)->count == 1;
}

/* Where the last cdr of a list is, whose pairs are ours from then on; NULL after an error.  `list` is
 * the place of the list itself. */
static rt_value *own_pairs(rt_value *list) {
    rt_value whole = *list;
    while (is_ours(*list)) list = &rt_pair_of(*list)->cdr;
    if (*list == RT_NIL) return list;
    if (!rt_is_list(*list)) {
        rt_fail_wrong_type("append", "a list", whole);
        return NULL;
    }
    rt_value others = *list, rest = others;
    for (; rt_is_pair(rest); rest = rt_pair_of(rest)->cdr) {
        *list = rt_cons(rt_dup(rt_pair_of(rest)->car), RT_NIL);
        list = &rt_pair_of(*list)->cdr;
        if (rt_poll() != 0) break;
    }
    rt_free(others);
    return rt_is_pair(rest) ? NULL : list;
}

rt_value rt_unshared_list(rt_value list) {
    rt_value result = list;
    if (own_pairs(&result) != NULL) return result;
    rt_free(result);
    return RT_ERROR;
}

rt_value rt_append(size_t count, const rt_value *lists) {
    rt_value result = RT_NIL, *end = &result;
    for (size_t i = 0; i < count; i++) {
        *end = lists[i];
        if (i + 1 == count) break;
        end = own_pairs(end);
        if (RT_LIKELY(end != NULL)) continue;
        rt_free(result);
        rt_free_all(count - i - 1, lists + i + 1);
        return RT_ERROR;
    }
    return result;
}

/* Put the first pairs of a list, which are ours, before another list, in reverse order; the rest. */
static rt_value move_pairs(rt_value list, rt_value *before) {
    while (is_ours(list)) {
        rt_value next = rt_pair_of(list)->cdr;
        rt_pair_of(list)->cdr = *before;
        *before = list;
        list = next;
    }
    return list;
}

rt_value rt_reverse(rt_value list) {
    rt_value result = RT_NIL, rest = move_pairs(list, &result);
    if (RT_UNLIKELY(rest != RT_NIL && !rt_is_list(rest))) {
        move_pairs(result, &rest);   /* the message shows the list as it was */
        rt_fail_wrong_type("reverse", "a list", list);
        rt_free(list);
        return RT_ERROR;
    }
    for (rt_value at = rest; rt_is_pair(at); at = rt_pair_of(at)->cdr) {
        result = rt_cons(rt_dup(rt_pair_of(at)->car), result);
        if (RT_LIKELY(rt_poll() == 0)) continue;
        rt_free(rest);
        rt_free(result);
        return RT_ERROR;
    }
    rt_free(rest);
    return result;
}

/* The new list ends as the old one does; a value that is not a pair is returned as it is. */
rt_value rt_list_copy(rt_value list) {
    builder result = EMPTY_BUILDER;
    rt_value at = list, mark = list;
    size_t length = 0, turn = 1;
    while (rt_is_pair(at)) {
        append_item(&result, rt_dup(rt_pair_of(at)->car));
        at = rt_pair_of(at)->cdr;
        if (at == mark) {   /* a cycle, as in rt_list_length */
            give_up(&result);
            return rt_fail_wrong_type("list-copy", "a list that ends", list);
        }
        if (++length == turn) {
            mark = at;
            turn *= 2;
        }
        if (rt_poll() != 0) return give_up(&result);
    }
    return finish_with(&result, rt_dup(at));
}

rt_value rt_range(rt_value start, rt_value end, rt_value step) {
    rt_value from = start;
    if (end == RT_FALSE) {
        from = rt_of_fixnum(0);
        end = start;
    }
    RT_CHECK(rt_is_exact_int(start), "range", "an exact integer", start);
    RT_CHECK(rt_is_exact_int(end), "range", "an exact integer", end);
    RT_CHECK(rt_is_exact_int(step), "range", "an exact integer", step);
    int direction = rt_order(step, rt_of_fixnum(0));
    if (direction == 0) return rt_fail("range: the step is zero");
    builder result = EMPTY_BUILDER;
    rt_value at = rt_dup(from);
    while (rt_order(at, end) == -direction) {
        append_item(&result, at);
        at = rt_add(at, step);
        if (at == RT_ERROR) return give_up(&result);
        if (rt_poll() == 0) continue;
        rt_free(at);
        return give_up(&result);
    }
    rt_free(at);
    return finish_with(&result, RT_NIL);
}

int rt_check_room(rt_value who, rt_value count) {
    size_t length;
    char *name = rt_string_to_c(who);
    bool ok = rt_size_of(name, count, &length);
    if (ok && !rt_has_pairs(length)) {
        rt_fail_room(name, length, "elements");
        ok = false;
    }
    free(name);
    return ok ? 0 : 1;
}

/* Each element is start plus a multiple of step, not the one before plus step: rounding errors do
 * not add up. */
rt_value rt_iota(rt_value count, rt_value start, rt_value step) {
    size_t length;
    if (!rt_size_of("iota", count, &length)) return RT_ERROR;
    RT_CHECK(rt_is_number(start), "iota", "a number", start);
    RT_CHECK(rt_is_number(step), "iota", "a number", step);
    if (!rt_has_pairs(length)) return rt_fail_room("iota", length, "elements");
    builder result = EMPTY_BUILDER;
    for (size_t i = 0; i < length; i++) {
        rt_value offset = rt_multiply(rt_of_fixnum((int64_t)i), step);
        rt_value item = offset == RT_ERROR ? RT_ERROR : rt_add(start, offset);
        if (offset != RT_ERROR) rt_free(offset);
        if (item != RT_ERROR) append_item(&result, item);
        if (item == RT_ERROR || rt_poll() != 0) return give_up(&result);
    }
    return finish_with(&result, RT_NIL);
}

/* ---- Taking lists apart -------------------------------------------------- */

rt_value rt_follow_path(rt_value pair, const char *who, const char *path) {
    rt_value at = pair;
    for (size_t i = strlen(path); i > 0; i--) {
        RT_CHECK(rt_is_pair(at), who, "a pair", at);
        at = path[i - 1] == 'a' ? rt_pair_of(at)->car : rt_pair_of(at)->cdr;
    }
    return at;
}

/* A large exact integer modulo a size below 2^32, as no list has more pairs. */
static size_t large_modulo(rt_value k, size_t size) {
    rt_view room;
    const __mpz_struct *number = rt_view_integer(k, &room);
    uint64_t rest = 0;
    for (int i = number->_mp_size - 1; i >= 0; i--) {
        uint64_t limb = number->_mp_d[i];
        rest = (rest << 32 | limb >> 32) % size;
        rest = (rest << 32 | (limb & UINT32_MAX)) % size;
    }
    return (size_t)rest;
}

/* How many of the k - length steps are left without whole rounds of a cycle of that size. */
static size_t rest_of_cycle(rt_value k, size_t length, size_t size) {
    if (rt_is_fixnum(k)) return ((size_t)rt_fixnum(k) - length) % size;
    return (large_modulo(k, size) + size - length % size) % size;
}

/* The k-th tail, borrowed, or RT_ERROR. */
static rt_value tail_at(const char *who, rt_value list, rt_value k, size_t extra) {
    bool natural = rt_is_exact_int(k) && rt_order(k, rt_of_fixnum(0)) >= 0;
    RT_CHECK(natural, who, "a non-negative exact integer", k);
    size_t steps = rt_is_fixnum(k) ? (size_t)rt_fixnum(k) : SIZE_MAX;
    rt_value at = list, mark = list;
    size_t length = 0, marked = 0, limit = RT_LONG_WAY;
    while (length < steps && rt_is_pair(at)) {
        at = rt_pair_of(at)->cdr;
        if (++length < RT_LONG_WAY) continue;
        if (at == mark && marked < length)
            steps = length + rest_of_cycle(k, length, length - marked);
        if (length == limit) {
            mark = at;
            marked = length;
            limit *= 2;
        }
    }
    if (length == steps && (extra == 0 || rt_is_pair(at))) return at;
    RT_CHECK(rt_is_pair(list) || rt_is_null(list), who, "a list", list);
    return rt_fail_index(who, k, length);
}

rt_value rt_list_tail_at(rt_value list, rt_value k) { return tail_at("list-tail", list, k, 0); }

rt_value rt_list_ref_at(rt_value list, rt_value k) {
    rt_value tail = tail_at("list-ref", list, k, 1);
    return tail == RT_ERROR ? RT_ERROR : rt_pair_of(tail)->car;
}

int rt_list_set(rt_value list, rt_value k, rt_value value) {
    rt_value tail = tail_at("list-set!", list, k, 1);
    if (tail == RT_ERROR) {
        rt_free(value);
        return 1;
    }
    return rt_set_car(tail, value);
}

rt_value rt_fail_set(const char *who, const char *noun, rt_value object, rt_value value) {
    rt_free(value);
    return rt_fail_wrong_type(who, noun, object);
}

/* ---- Search -------------------------------------------------------------- */

/* How x is found among values other than itself: eqv? or equal?, as a status function; NULL where
 * only x itself is equal to it. */
typedef int equality(rt_value a, rt_value b, bool *result);

static int equivalent(rt_value a, rt_value b, bool *result) {
    *result = rt_eqv(a, b);
    return 0;
}

/* A search walks its list once, as far as it must: what follows the element that it finds need not
 * be a list.  The walk stops at a pair that it has passed already (Brent's algorithm), which it looks
 * for once the list is long. */
#define SHORT_LIST 4096
typedef struct walk { rt_value at, mark; size_t steps, turn; } walk;

static inline walk walk_of(rt_value list) { return (walk){list, RT_ERROR, 0, 1}; }

static inline bool step(walk *walk) {   /* false at the second visit */
    walk->at = rt_pair_of(walk->at)->cdr;
    if (RT_UNLIKELY(walk->at == walk->mark)) return false;
    if (RT_UNLIKELY(++walk->steps == walk->turn)) {
        walk->mark = walk->at;
        walk->turn *= 2;
    }
    return true;
}

/* 1 if the two are equal, 0 if not, and -1 after an error. */
static inline int compare(equality *equal, rt_value x, rt_value item) {
    bool found = x == item;
    if (found || equal == NULL) return found;
    return equal(x, item, &found) == 0 ? found : -1;
}

/* The first pairs of a list, compared by their words only.  The result, owned, or RT_ERROR: then
 * *list is where the search continues. */
static inline rt_value find_soon(rt_value x, rt_value *list) {
    rt_value rest = *list;
    for (int left = SHORT_LIST; left > 0 && rt_is_pair(rest); left--) {
        if (rt_pair_of(rest)->car == x) return rt_dup(rest);
        rest = rt_pair_of(rest)->cdr;
    }
    *list = rest;
    return rest == RT_NIL ? RT_FALSE : RT_ERROR;
}

/* The same for the entries of an association list; one that is not a pair ends it. */
static inline rt_value find_entry_soon(rt_value key, rt_value *list) {
    rt_value rest = *list;
    for (int left = SHORT_LIST; left > 0 && rt_is_pair(rest); left--) {
        rt_value entry = rt_pair_of(rest)->car;
        if (RT_UNLIKELY(!rt_is_pair(entry))) break;
        if (rt_pair_of(entry)->car == key) return rt_dup(entry);
        rest = rt_pair_of(rest)->cdr;
    }
    *list = rest;
    return rest == RT_NIL ? RT_FALSE : RT_ERROR;
}

static RT_APART rt_value find_item(
    const char *who, equality *equal, rt_value x, rt_value list, rt_value rest
) {
    walk walk = walk_of(rest);
    while (rt_is_pair(walk.at)) {
        int found = compare(equal, x, rt_pair_of(walk.at)->car);
        if (found != 0) return found < 0 ? RT_ERROR : rt_dup(walk.at);
        if (!step(&walk)) break;
    }
    RT_CHECK(walk.at == RT_NIL, who, "a list", list);
    return RT_FALSE;
}

static RT_APART rt_value find_entry(
    const char *who, equality *equal, rt_value key, rt_value alist, rt_value rest
) {
    walk walk = walk_of(rest);
    while (rt_is_pair(walk.at)) {
        rt_value entry = rt_pair_of(walk.at)->car;
        RT_CHECK(rt_is_pair(entry), who, "a pair", entry);
        int found = compare(equal, key, rt_pair_of(entry)->car);
        if (found != 0) return found < 0 ? RT_ERROR : rt_dup(entry);
        if (!step(&walk)) break;
    }
    RT_CHECK(walk.at == RT_NIL, who, "a list", alist);
    return RT_FALSE;
}

/* Strings are the usual keys that need rt_equal. */
static int equal_string(rt_value x, rt_value item, bool *result) {
    *result = rt_is_string(item) && rt_same_string(rt_string_of(x), rt_string_of(item));
    return 0;
}

#define SEARCH(symbol, soon, find, who, has_equals, equal)                   \
    rt_value symbol(rt_value x, rt_value list) {                             \
        if (has_equals(x)) return find(who, equal, x, list, list);           \
        rt_value rest = list, found = soon(x, &rest);                        \
        return RT_LIKELY(found != RT_ERROR) ? found : find(who, NULL, x, list, rest); \
    }
SEARCH(rt_memq, find_soon, find_item, "memq", rt_is_boxed_number, equivalent)
SEARCH(rt_memv, find_soon, find_item, "memv", rt_is_boxed_number, equivalent)
SEARCH(rt_member, find_soon, find_item, "member", rt_equals_others,
       rt_is_string(x) ? equal_string : rt_equal)
SEARCH(rt_assq, find_entry_soon, find_entry, "assq", rt_is_boxed_number, equivalent)
SEARCH(rt_assv, find_entry_soon, find_entry, "assv", rt_is_boxed_number, equivalent)
SEARCH(rt_assoc, find_entry_soon, find_entry, "assoc", rt_equals_others,
       rt_is_string(x) ? equal_string : rt_equal)
