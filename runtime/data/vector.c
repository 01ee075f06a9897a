/* vector.c - vectors: a length and that many values; multiple values have the same layout. */
#include "rt_internal.h"

#include <stdlib.h>

/* NULL after an error. */
static rt_vector_object *allocate(const char *who, size_t length) {
    rt_vector_object *vector =
        rt_try_allocate(RT_VECTOR, sizeof *vector + length * sizeof vector->items[0]);
    if (vector == NULL) rt_fail_room(who, length, "elements");
    else vector->length = length;
    return vector;
}

rt_value rt_copy_to_vector(size_t count, const rt_value *items) {
    for (size_t i = 0; i < count; i++) rt_dup(items[i]);
    return rt_new_vector(count, items);
}

rt_value rt_make_vector(rt_value length, rt_value fill) {
    size_t count;
    if (!rt_size_of("make-vector", length, &count)) return RT_ERROR;
    rt_vector_object *vector = allocate("make-vector", count);
    if (vector == NULL) return RT_ERROR;
    for (size_t i = 0; i < count; i++) vector->items[i] = rt_dup(fill);
    return rt_of_object(vector);
}

rt_value rt_vector_ref_fail(rt_value vector, rt_value k) {
    RT_CHECK(rt_is_vector(vector), "vector-ref", "a vector", vector);
    size_t index, length = rt_vector_of(vector)->length;
    rt_index_of("vector-ref", k, length, length, &index);
    return RT_ERROR;
}

int rt_vector_set_noting(rt_value vector, rt_value k, rt_value value) {
    rt_add_candidate(rt_object_of(vector));
    return rt_vector_store(vector, k, value, false);
}

int rt_vector_set_fail(rt_value vector, rt_value k, rt_value value) {
    rt_free(value);
    RT_CHECK_STATUS(rt_is_vector(vector), "vector-set!", "a vector", vector);
    size_t index, length = rt_vector_of(vector)->length;
    rt_index_of("vector-set!", k, length, length, &index);
    return 1;
}

/* The vector among who's arguments, and the range in it; NULL after an error. */
static rt_vector_object *range_in(
    const char *who, rt_value v, rt_value start, rt_value end, size_t *from, size_t *to
) {
    if (!rt_is_vector(v)) {
        rt_fail_wrong_type(who, "a vector", v);
        return NULL;
    }
    rt_vector_object *vector = rt_vector_of(v);
    return rt_range_of(who, start, end, vector->length, from, to) ? vector : NULL;
}

int rt_vector_fill(rt_value v, rt_value value, rt_value start, rt_value end) {
    size_t from, to;
    rt_vector_object *vector = range_in("vector-fill!", v, start, end, &from, &to);
    if (vector == NULL) return 1;
    rt_before_store(v, value);
    for (size_t i = from; i < to; i++) {
        rt_value old = vector->items[i];
        vector->items[i] = rt_dup(value);
        rt_free(old);
    }
    return 0;
}

rt_value rt_vector_to_list(rt_value v, rt_value start, rt_value end) {
    size_t from, to;
    rt_vector_object *vector = range_in("vector->list", v, start, end, &from, &to);
    if (vector == NULL) return RT_ERROR;
    if (!rt_has_pairs(to - from)) return rt_fail_room("vector->list", to - from, "elements");
    return rt_copy_to_list(to - from, vector->items + from);
}

rt_value rt_vector_copy(rt_value v, rt_value start, rt_value end) {
    size_t from, to;
    rt_vector_object *vector = range_in("vector-copy", v, start, end, &from, &to);
    rt_vector_object *copy = vector == NULL ? NULL : allocate("vector-copy", to - from);
    if (copy == NULL) return RT_ERROR;
    for (size_t i = from; i < to; i++) copy->items[i - from] = rt_dup(vector->items[i]);
    return rt_of_object(copy);
}

/* The two ranges may overlap: the copied values get new references before old ones are released. */
int rt_vector_copy_to(
    rt_value target, rt_value at, rt_value source, rt_value start, rt_value end
) {
    const char *who = "vector-copy!";
    RT_CHECK_STATUS(rt_is_vector(target), who, "a vector", target);
    size_t length = rt_vector_of(target)->length, first, from, to;
    if (!rt_index_of(who, at, length + 1, length, &first)) return 1;
    rt_vector_object *vector = range_in(who, source, start, end, &from, &to);
    if (vector == NULL) return 1;
    size_t count = to - from;
    if (count > length - first)
        return rt_status(rt_fail_index(who, rt_of_fixnum((int64_t)(first + count)), length));
    rt_value *items = rt_vector_of(target)->items + first;
    rt_value *old = rt_try_malloc((count + 1) * sizeof *old);
    if (old == NULL) return rt_status(rt_fail_room(who, count, "elements"));
    for (size_t i = from; i < to; i++) rt_before_store(target, rt_dup(vector->items[i]));
    memcpy(old, items, count * sizeof *old);
    memmove(items, vector->items + from, count * sizeof *items);
    rt_free_all(count, old);
    free(old);
    return 0;
}

rt_value rt_vector_append(size_t count, const rt_value *vectors) {
    size_t length = 0;
    for (size_t i = 0; i < count; i++) {
        RT_CHECK(rt_is_vector(vectors[i]), "vector-append", "a vector", vectors[i]);
        length += rt_vector_of(vectors[i])->length;
    }
    rt_vector_object *result = allocate("vector-append", length);
    if (result == NULL) return RT_ERROR;
    rt_value *at = result->items;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < rt_vector_of(vectors[i])->length; k++)
            *at++ = rt_dup(rt_vector_of(vectors[i])->items[k]);
    return rt_of_object(result);
}

rt_value rt_list_to_vector(rt_value list) {
    int64_t length = rt_list_length(list);
    RT_CHECK(length >= 0, "list->vector", "a list", list);
    rt_vector_object *vector = allocate("list->vector", (size_t)length);
    if (vector == NULL) return RT_ERROR;
    for (size_t i = 0; i < vector->length; i++) {
        vector->items[i] = rt_dup(rt_pair_of(list)->car);
        list = rt_pair_of(list)->cdr;
    }
    return rt_of_object(vector);
}

/* ---- Multiple values ----------------------------------------------------- */

rt_value rt_many_values(size_t count, const rt_value *items) {
    if (count == 1) return items[0];
    rt_value values = rt_new_vector(count, items);
    rt_object_of(values)->kind = RT_VALUES;
    return values;
}

/* The values, borrowed.  One value is itself. */
static const rt_value *list_values(const rt_value *v, size_t *count) {
    *count = 1;
    return rt_is_values(*v) ? rt_values_in(rt_object_of(*v), count) : v;
}

/* most is #f if there is no upper limit. */
int rt_check_values_slowly(rt_value who, rt_value values, rt_value least, rt_value most) {
    size_t count, fewest = (size_t)rt_fixnum(least);
    list_values(&values, &count);
    if (count >= fewest && (most == RT_FALSE || count <= (size_t)rt_fixnum(most))) return 0;
    char *name = rt_string_to_c(who);
    rt_fail("%s: expected %s%zu value%s, got %zu", name, most == RT_FALSE ? "at least " : "",
            fewest, fewest == 1 ? "" : "s", count);
    free(name);
    return 1;
}

int rt_check_list(rt_value who, rt_value items, rt_value least, rt_value most) {
    int64_t count = rt_list_length(items), fewest = rt_fixnum(least);
    if (count >= fewest && (most == RT_FALSE || count <= rt_fixnum(most))) return 0;
    char *name = rt_string_to_c(who);
    if (count < 0) rt_fail_wrong_type(name, "a list", items);
    else rt_fail("%s: expected a list of %s%lld element%s, got %lld", name,
                 most == RT_FALSE ? "at least " : "", (long long)fewest, fewest == 1 ? "" : "s",
                 (long long)count);
    free(name);
    return 1;
}

rt_value rt_values_ref(rt_value values, rt_value k) {
    size_t count;
    return rt_dup(list_values(&values, &count)[rt_fixnum(k)]);
}

rt_value rt_values_tail(rt_value values, rt_value k) {
    size_t count, start = (size_t)rt_fixnum(k);
    const rt_value *items = list_values(&values, &count);
    return rt_copy_to_list(count - start, items + start);
}
