/* bytes.c - bytevectors, and conversion between strings and UTF-8. */
#include "rt_internal.h"

/* NULL after an error; who is NULL if the message names no procedure. */
static rt_bytes_object *allocate(const char *who, size_t length) {
    rt_bytes_object *bytes = rt_try_allocate(RT_BYTES, sizeof *bytes + length);
    if (bytes != NULL) bytes->length = length;
    else if (who != NULL) rt_fail_room(who, length, "bytes");
    else rt_fail_memory();
    return bytes;
}

rt_value rt_new_bytes(size_t length, const void *data) {
    rt_bytes_object *bytes = allocate(NULL, length);
    if (bytes == NULL) return RT_ERROR;
    if (length > 0) memcpy(bytes->data, data, length);
    return rt_of_object(bytes);
}

/* The byte in an argument; false after an error. */
static bool byte_of(const char *who, rt_value v, unsigned char *byte) {
    if (!rt_is_fixnum(v) || rt_fixnum(v) < 0 || rt_fixnum(v) > UINT8_MAX) {
        rt_fail_wrong_type(who, "a byte", v);
        return false;
    }
    *byte = (unsigned char)rt_fixnum(v);
    return true;
}

/* The bytevector among who's arguments, and the range in it; NULL after an error. */
static rt_bytes_object *range_in(
    const char *who, rt_value v, rt_value start, rt_value end, size_t *from, size_t *to
) {
    if (!rt_is_bytes(v)) {
        rt_fail_wrong_type(who, "a bytevector", v);
        return NULL;
    }
    rt_bytes_object *bytes = rt_bytes_of(v);
    return rt_range_of(who, start, end, bytes->length, from, to) ? bytes : NULL;
}

/* ---- Making -------------------------------------------------------------- */

bool rt_is_bytevector(rt_value x) { return rt_is_bytes(x); }

rt_value rt_bytevector(size_t count, const rt_value *items) {
    rt_bytes_object *bytes = allocate("bytevector", count);
    if (bytes == NULL) return RT_ERROR;
    for (size_t i = 0; i < count; i++) {
        if (!byte_of("bytevector", items[i], &bytes->data[i])) {
            rt_free(rt_of_object(bytes));
            return RT_ERROR;
        }
    }
    return rt_of_object(bytes);
}

rt_value rt_make_bytevector(rt_value length, rt_value fill) {
    size_t count;
    unsigned char byte;
    if (!rt_size_of("make-bytevector", length, &count)) return RT_ERROR;
    if (!byte_of("make-bytevector", fill, &byte)) return RT_ERROR;
    rt_bytes_object *bytes = allocate("make-bytevector", count);
    if (bytes == NULL) return RT_ERROR;
    memset(bytes->data, byte, count);
    return rt_of_object(bytes);
}

rt_value rt_bytevector_copy(rt_value v, rt_value start, rt_value end) {
    size_t from, to;
    rt_bytes_object *bytes = range_in("bytevector-copy", v, start, end, &from, &to);
    return bytes == NULL ? RT_ERROR : rt_new_bytes(to - from, bytes->data + from);
}

rt_value rt_bytevector_append(size_t count, const rt_value *items) {
    size_t length = 0;
    for (size_t i = 0; i < count; i++) {
        RT_CHECK(rt_is_bytes(items[i]), "bytevector-append", "a bytevector", items[i]);
        length += rt_bytes_of(items[i])->length;
    }
    rt_bytes_object *bytes = allocate("bytevector-append", length);
    if (bytes == NULL) return RT_ERROR;
    unsigned char *at = bytes->data;
    for (size_t i = 0; i < count; i++) {
        memcpy(at, rt_bytes_of(items[i])->data, rt_bytes_of(items[i])->length);
        at += rt_bytes_of(items[i])->length;
    }
    return rt_of_object(bytes);
}

/* ---- Elements ------------------------------------------------------------ */

int rt_bytevector_length(rt_value v, int64_t *result) {
    RT_CHECK_STATUS(rt_is_bytes(v), "bytevector-length", "a bytevector", v);
    *result = (int64_t)rt_bytes_of(v)->length;
    return 0;
}

int rt_bytevector_u8_ref_slow(rt_value v, rt_value k) {
    const char *who = "bytevector-u8-ref";
    RT_CHECK_STATUS(rt_is_bytes(v), who, "a bytevector", v);
    size_t index, length = rt_bytes_of(v)->length;
    rt_index_of(who, k, length, length, &index);
    return 1;
}

int rt_bytevector_u8_set_slow(rt_value v, rt_value k, rt_value byte) {
    const char *who = "bytevector-u8-set!";
    RT_CHECK_STATUS(rt_is_bytes(v), who, "a bytevector", v);
    size_t index, length = rt_bytes_of(v)->length;
    unsigned char unused;
    if (rt_index_of(who, k, length, length, &index)) byte_of(who, byte, &unused);
    return 1;
}

int rt_bytevector_fill(rt_value v, rt_value fill, rt_value start, rt_value end) {
    unsigned char byte;
    size_t from, to;
    rt_bytes_object *bytes = range_in("bytevector-fill!", v, start, end, &from, &to);
    if (bytes == NULL || !byte_of("bytevector-fill!", fill, &byte)) return 1;
    memset(bytes->data + from, byte, to - from);
    return 0;
}

/* The two ranges may overlap. */
int rt_bytevector_copy_to(
    rt_value target, rt_value at, rt_value source, rt_value start, rt_value end
) {
    const char *who = "bytevector-copy!";
    RT_CHECK_STATUS(rt_is_bytes(target), who, "a bytevector", target);
    size_t length = rt_bytes_of(target)->length, first, from, to;
    if (!rt_index_of(who, at, length + 1, length, &first)) return 1;
    rt_bytes_object *bytes = range_in(who, source, start, end, &from, &to);
    if (bytes == NULL) return 1;
    if (to - from > length - first)
        return rt_status(rt_fail_index(who, rt_of_fixnum((int64_t)(first + to - from)), length));
    memmove(rt_bytes_of(target)->data + first, bytes->data + from, to - from);
    return 0;
}

/* ---- UTF-8 --------------------------------------------------------------- */

rt_value rt_utf8_to_string(rt_value v, rt_value start, rt_value end) {
    size_t from, to;
    rt_bytes_object *bytes = range_in("utf8->string", v, start, end, &from, &to);
    if (bytes == NULL) return RT_ERROR;
    const char *first = (const char *)bytes->data;
    for (const char *at = first + from; at < first + to;) {
        const char *character = at;
        if (!rt_utf8_is_next(&at, first + to))
            return rt_fail("utf8->string: invalid UTF-8 at index %lld", (long long)(character - first));
    }
    return rt_string_of_utf8(first + from, to - from);
}

rt_value rt_string_to_utf8_bytes(rt_value text, rt_value start, rt_value end) {
    const char *who = "string->utf8";
    RT_CHECK(rt_is_string(text), who, "a string", text);
    const rt_string_object *string = rt_string_of(text);
    size_t from, to;
    if (!rt_range_of(who, start, end, string->length, &from, &to)) return RT_ERROR;
    rt_text utf8 = {NULL, 0, 0};
    for (size_t i = from; i < to; i++) rt_text_char(&utf8, rt_string_at(string, i));
    bool lost = rt_text_is_lost(&utf8);
    rt_value result = lost ? rt_fail_memory() : rt_new_bytes(utf8.size, utf8.bytes);
    rt_text_free(&utf8);
    return result;
}
