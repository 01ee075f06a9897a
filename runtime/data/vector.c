/* vector.c - vectors: a length and that many values; multiple values have the same layout. */
#include "rt_internal.h"

#include <stdlib.h>

/* NULL after an error.  kind: RT_VECTOR or RT_DOUBLES, whose elements have one size. */
static void *allocate(const char *who, rt_kind kind, size_t length) {
    rt_vector_object *vector =
        rt_try_allocate(kind, sizeof *vector + length * sizeof vector->items[0]);
    if (vector == NULL) rt_fail_room(who, length, "elements");
    else vector->length = length;
    return vector;
}

/* ---- Vectors of doubles --------------------------------------------------- */

void rt_tag_doubles(rt_doubles_object *vector) {
    rt_value *items = ((rt_vector_object *)vector)->items;
    for (size_t i = 0; i < vector->length; i++) items[i] = rt_of_double(vector->items[i]);
    vector->object.kind = RT_VECTOR;
}

void rt_untag_doubles(rt_vector_object *vector) {
    for (size_t i = 0; i < vector->length; i++)
        if (!rt_is_double(vector->items[i])) return;
    double *items = ((rt_doubles_object *)vector)->items;
    for (size_t i = 0; i < vector->length; i++) {
        rt_value old = vector->items[i];
        items[i] = rt_double(old);
        rt_free(old);
    }
    vector->object.kind = RT_DOUBLES;
}

/* An element, borrowed. */
rt_value rt_vector_item(rt_value v, size_t index) {
    if (rt_is_doubles(v)) {
        rt_value word = rt_word_of_double(rt_doubles_of(v)->items[index]);
        if (RT_LIKELY(word != RT_ERROR)) return word;
    }
    return rt_vector_of(v)->items[index];
}

static void fill_doubles(rt_doubles_object *vector, size_t from, size_t to, double x) {
    for (size_t i = from; i < to; i++) vector->items[i] = x;
}

/* ---- Primitives ----------------------------------------------------------- */

rt_value rt_make_vector(rt_value length, rt_value fill) {
    size_t count;
    if (!rt_size_of("make-vector", length, &count)) return RT_ERROR;
    if (rt_is_double(fill)) {
        rt_doubles_object *doubles = allocate("make-vector", RT_DOUBLES, count);
        if (doubles == NULL) return RT_ERROR;
        fill_doubles(doubles, 0, count, rt_double(fill));
        return rt_of_object(doubles);
    }
    rt_vector_object *vector = allocate("make-vector", RT_VECTOR, count);
    if (vector == NULL) return RT_ERROR;
    for (size_t i = 0; i < count; i++) vector->items[i] = rt_dup(fill);
    return rt_of_object(vector);
}

static rt_value fail_to_read(rt_value vector, rt_value k) {
    RT_CHECK(rt_is_vector(vector), "vector-ref", "a vector", vector);
    size_t index, length = rt_vector_size(vector);
    rt_index_of("vector-ref", k, length, length, &index);
    return RT_ERROR;
}

/* Whether k is the index of an element. */
static bool has_element(rt_value vector, rt_value k) {
    return rt_is_vector(vector) && rt_is_fixnum(k) &&
           (uint64_t)rt_fixnum(k) < rt_vector_size(vector);
}

rt_value rt_vector_ref_slow(rt_value vector, rt_value k) {
    if (!has_element(vector, k)) return fail_to_read(vector, k);
    return rt_vector_item(vector, (size_t)rt_fixnum(k));
}

int rt_vector_set_noting(rt_value vector, rt_value k, rt_value value) {
    rt_add_candidate(rt_object_of(vector));
    return rt_vector_store(vector, k, value, false);
}

static int fail_to_store(rt_value vector, rt_value k) {
    RT_CHECK_STATUS(rt_is_vector(vector), "vector-set!", "a vector", vector);
    size_t index, length = rt_vector_size(vector);
    rt_index_of("vector-set!", k, length, length, &index);
    return 1;
}

int rt_vector_set_slow(rt_value vector, rt_value k, rt_value value) {
    if (has_element(vector, k) && !rt_is_double(value)) {
        rt_tag_doubles(rt_doubles_of(vector));
        return rt_vector_set(vector, k, value);
    }
    int status = 0;
    if (!has_element(vector, k)) status = fail_to_store(vector, k);
    else rt_doubles_of(vector)->items[rt_fixnum(k)] = rt_double(value);
    rt_free(value);
    return status;
}

/* The vector of any kind among who's arguments, and the range in it; NULL after an error. */
static rt_vector_object *range_in(
    const char *who, rt_value v, rt_value start, rt_value end, size_t *from, size_t *to
) {
    if (!rt_is_vector(v)) {
        rt_fail_wrong_type(who, "a vector", v);
        return NULL;
    }
    return rt_range_of(who, start, end, rt_vector_size(v), from, to) ? rt_plain_vector_of(v) : NULL;
}

int rt_vector_fill(rt_value v, rt_value value, rt_value start, rt_value end) {
    size_t from, to;
    rt_vector_object *vector = range_in("vector-fill!", v, start, end, &from, &to);
    if (vector == NULL) return 1;
    if (rt_is_doubles(v) && rt_is_double(value)) {
        fill_doubles(rt_doubles_of(v), from, to, rt_double(value));
        return 0;
    }
    vector = rt_vector_of(v);
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
    if (!rt_is_doubles(v)) return rt_copy_to_list(to - from, vector->items + from);
    rt_value list = RT_NIL;
    while (to > from) list = rt_cons(rt_of_double(rt_doubles_of(v)->items[--to]), list);
    return list;
}

rt_value rt_vector_copy(rt_value v, rt_value start, rt_value end) {
    size_t from, to;
    rt_vector_object *vector = range_in("vector-copy", v, start, end, &from, &to);
    if (vector == NULL) return RT_ERROR;
    rt_vector_object *copy = allocate("vector-copy", vector->object.kind, to - from);
    if (copy == NULL) return RT_ERROR;
    if (rt_is_doubles(v)) {
        memcpy(((rt_doubles_object *)copy)->items, rt_doubles_of(v)->items + from,
               (to - from) * sizeof(double));
        return rt_of_object(copy);
    }
    for (size_t i = from; i < to; i++) copy->items[i - from] = rt_dup(vector->items[i]);
    return rt_of_object(copy);
}

/* The two ranges may overlap: the copied values get new references before old ones are released. */
int rt_vector_copy_to(
    rt_value target, rt_value at, rt_value source, rt_value start, rt_value end
) {
    const char *who = "vector-copy!";
    RT_CHECK_STATUS(rt_is_vector(target), who, "a vector", target);
    size_t length = rt_vector_size(target), first, from, to;
    if (!rt_index_of(who, at, length + 1, length, &first)) return 1;
    rt_vector_object *vector = range_in(who, source, start, end, &from, &to);
    if (vector == NULL) return 1;
    size_t count = to - from;
    if (count > length - first)
        return rt_status(rt_fail_index(who, rt_of_fixnum((int64_t)(first + count)), length));
    if (rt_is_doubles(target) && rt_is_doubles(source)) {
        memmove(rt_doubles_of(target)->items + first, rt_doubles_of(source)->items + from,
                count * sizeof(double));
        return 0;
    }
    vector = rt_vector_of(source);
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
        length += rt_vector_size(vectors[i]);
    }
    rt_vector_object *result = allocate("vector-append", RT_VECTOR, length);
    if (result == NULL) return RT_ERROR;
    rt_value *at = result->items;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < rt_vector_size(vectors[i]); k++)
            *at++ = rt_dup(rt_vector_item(vectors[i], k));
    if (length > 0) rt_untag_doubles(result);
    return rt_of_object(result);
}

rt_value rt_list_to_vector(rt_value list) {
    int64_t length = rt_list_length(list);
    RT_CHECK(length >= 0, "list->vector", "a list", list);
    rt_vector_object *vector = allocate("list->vector", RT_VECTOR, (size_t)length);
    if (vector == NULL) return RT_ERROR;
    for (size_t i = 0; i < vector->length; i++) {
        vector->items[i] = rt_dup(rt_pair_of(list)->car);
        list = rt_pair_of(list)->cdr;
    }
    if (length > 0) rt_untag_doubles(vector);
    return rt_of_object(vector);
}

/* ---- Multiple values ----------------------------------------------------- */

rt_value rt_many_values(size_t count, const rt_value *items) {
    if (count == 1) return items[0];
    rt_vector_object *values = rt_allocate(RT_VALUES, sizeof *values + count * sizeof items[0]);
    values->length = count;
    for (size_t i = 0; i < count; i++) values->items[i] = items[i];
    return rt_of_object(values);
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
