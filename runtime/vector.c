/* vector.c - vectors: a length and that many values. */
#include "rt_internal.h"

static rt_vector_object *allocate(size_t length) {
    rt_vector_object *vector =
        rt_allocate(RT_VECTOR, sizeof *vector + length * sizeof vector->items[0]);
    vector->length = length;
    return vector;
}

rt_value rt_new_vector(size_t count, const rt_value *items) {
    rt_vector_object *vector = allocate(count);
    for (size_t i = 0; i < count; i++) vector->items[i] = items[i];
    return rt_of_object(vector);
}

rt_value rt_vector(size_t count, const rt_value *items) {
    for (size_t i = 0; i < count; i++) rt_dup(items[i]);
    return rt_new_vector(count, items);
}

rt_value rt_make_vector(rt_value length, rt_value fill) {
    size_t count;
    if (!rt_index_of("make-vector", length, SIZE_MAX, 0, &count)) return RT_ERROR;
    rt_vector_object *vector = allocate(count);
    for (size_t i = 0; i < count; i++) vector->items[i] = rt_dup(fill);
    return rt_of_object(vector);
}

int rt_vector_length(rt_value vector, int64_t *result) {
    RT_CHECK_STATUS(rt_is_vector(vector), "vector-length", "a vector", vector);
    *result = (int64_t)rt_vector_of(vector)->length;
    return 0;
}

rt_value rt_vector_ref_slow(rt_value vector, rt_value k) {
    RT_CHECK(rt_is_vector(vector), "vector-ref", "a vector", vector);
    size_t index, length = rt_vector_of(vector)->length;
    if (!rt_index_of("vector-ref", k, length, length, &index)) return RT_ERROR;
    return rt_dup(rt_vector_of(vector)->items[index]);
}

/* The field at k, or NULL after an error. */
static rt_value *field(const char *who, rt_value vector, rt_value k) {
    if (!rt_is_vector(vector)) {
        rt_fail_wrong_type(who, "a vector", vector);
        return NULL;
    }
    size_t index, length = rt_vector_of(vector)->length;
    if (!rt_index_of(who, k, length, length, &index)) return NULL;
    return &rt_vector_of(vector)->items[index];
}

int rt_vector_set(rt_value vector, rt_value k, rt_value value) {
    rt_value *place = field("vector-set!", vector, k);
    rt_value unused = place == NULL ? value : *place;
    if (place != NULL) *place = value;
    rt_free(unused);
    return place == NULL;
}

int rt_vector_fill(rt_value vector, rt_value value) {
    RT_CHECK_STATUS(rt_is_vector(vector), "vector-fill!", "a vector", vector);
    rt_vector_object *object = rt_vector_of(vector);
    for (size_t i = 0; i < object->length; i++) {
        rt_value old = object->items[i];
        object->items[i] = rt_dup(value);
        rt_free(old);
    }
    return 0;
}

rt_value rt_vector_to_list(rt_value vector) {
    RT_CHECK(rt_is_vector(vector), "vector->list", "a vector", vector);
    return rt_list(rt_vector_of(vector)->length, rt_vector_of(vector)->items);
}

rt_value rt_list_to_vector(rt_value list) {
    int64_t length = rt_list_length(list);
    RT_CHECK(length >= 0, "list->vector", "a list", list);
    rt_vector_object *vector = allocate((size_t)length);
    for (size_t i = 0; i < vector->length; i++) {
        vector->items[i] = rt_dup(rt_pair_of(list)->car);
        list = rt_pair_of(list)->cdr;
    }
    return rt_of_object(vector);
}
