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
    while (count > 0) list = rt_cons(items[--count], list);
    return list;
}

rt_value rt_copy_to_list(size_t count, const rt_value *items) {
    for (size_t i = 0; i < count; i++) rt_dup(items[i]);
    return rt_new_list(count, items);
}

rt_value rt_append(size_t count, const rt_value *lists) {
    if (count == 0) return RT_NIL;
    for (size_t i = 0; i + 1 < count; i++)
        RT_CHECK(rt_is_list(lists[i]), "append", "a list", lists[i]);
    builder result = EMPTY_BUILDER;
    for (size_t i = 0; i + 1 < count; i++)
        for (rt_value rest = lists[i]; rt_is_pair(rest); rest = rt_pair_of(rest)->cdr) {
            append_item(&result, rt_dup(rt_pair_of(rest)->car));
            if (rt_poll() != 0) return give_up(&result);
        }
    return finish_with(&result, rt_dup(lists[count - 1]));
}

rt_value rt_reverse(rt_value list) {
    RT_CHECK(rt_is_list(list), "reverse", "a list", list);
    rt_value result = RT_NIL;
    for (; rt_is_pair(list); list = rt_pair_of(list)->cdr) {
        result = rt_cons(rt_dup(rt_pair_of(list)->car), result);
        if (rt_poll() == 0) continue;
        rt_free(result);
        return RT_ERROR;
    }
    return result;
}

/* The new list ends as the old one does; a value that is not a pair is returned as it is. */
rt_value rt_list_copy(rt_value list) {
    builder result = EMPTY_BUILDER;
    for (; rt_is_pair(list); list = rt_pair_of(list)->cdr) {
        append_item(&result, rt_dup(rt_pair_of(list)->car));
        if (rt_poll() != 0) return give_up(&result);
    }
    return finish_with(&result, rt_dup(list));
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

/* The k-th tail, borrowed, or RT_ERROR. */
static rt_value tail_at(const char *who, rt_value list, rt_value k, size_t extra) {
    bool natural = rt_is_exact_int(k) && rt_order(k, rt_of_fixnum(0)) >= 0;
    RT_CHECK(natural, who, "a non-negative exact integer", k);
    size_t steps = rt_is_fixnum(k) ? (size_t)rt_fixnum(k) : SIZE_MAX;
    rt_value at = list;
    size_t length = 0;
    for (; length < steps && rt_is_pair(at); length++) at = rt_pair_of(at)->cdr;
    if (length < steps || (extra > 0 && !rt_is_pair(at))) return rt_fail_index(who, k, length);
    return at;
}

rt_value rt_list_tail(rt_value list, rt_value k) {
    rt_value tail = tail_at("list-tail", list, k, 0);
    return tail == RT_ERROR ? RT_ERROR : rt_dup(tail);
}

rt_value rt_list_ref(rt_value list, rt_value k) {
    rt_value tail = tail_at("list-ref", list, k, 1);
    return tail == RT_ERROR ? RT_ERROR : rt_dup(rt_pair_of(tail)->car);
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

/* One of the three equalities as a status function. */
typedef int equality(rt_value a, rt_value b, bool *result);

static int same(rt_value a, rt_value b, bool *result) {
    *result = rt_eq(a, b);
    return 0;
}

static int equivalent(rt_value a, rt_value b, bool *result) {
    *result = rt_eqv(a, b);
    return 0;
}

static rt_value find_item(const char *who, equality *equal, rt_value x, rt_value list) {
    RT_CHECK(rt_is_list(list), who, "a list", list);
    for (; rt_is_pair(list); list = rt_pair_of(list)->cdr) {
        bool found;
        if (equal(x, rt_pair_of(list)->car, &found) != 0) return RT_ERROR;
        if (found) return rt_dup(list);
    }
    return RT_FALSE;
}

static rt_value find_entry(const char *who, equality *equal, rt_value key, rt_value alist) {
    RT_CHECK(rt_is_list(alist), who, "a list", alist);
    for (; rt_is_pair(alist); alist = rt_pair_of(alist)->cdr) {
        rt_value entry = rt_pair_of(alist)->car;
        RT_CHECK(rt_is_pair(entry), who, "a pair", entry);
        bool found;
        if (equal(key, rt_pair_of(entry)->car, &found) != 0) return RT_ERROR;
        if (found) return rt_dup(entry);
    }
    return RT_FALSE;
}

rt_value rt_memq(rt_value x, rt_value list) { return find_item("memq", same, x, list); }
rt_value rt_memv(rt_value x, rt_value list) { return find_item("memv", equivalent, x, list); }
rt_value rt_member(rt_value x, rt_value list) { return find_item("member", rt_equal, x, list); }
rt_value rt_assq(rt_value key, rt_value list) { return find_entry("assq", same, key, list); }
rt_value rt_assv(rt_value key, rt_value list) { return find_entry("assv", equivalent, key, list); }
rt_value rt_assoc(rt_value key, rt_value list) { return find_entry("assoc", rt_equal, key, list); }
