/* values.c - converting the runtime's values to LibTorch's and back.
 *
 *     '(1 (2.5 #t))  =>  CT_LIST of CT_INT and CT_LIST  =>  '(1 (2.5 #t))
 *
 * A value for LibTorch borrows from the runtime's and is released after the call; a result is
 * moved.
 */
#include "bridge/bridge.h"

#include <stdlib.h>

#define UNCHECKED ((size_t)1 << 20)   /* as in ctorch/python/values.c */

/* The data under conversion, and how many of its elements have been counted. */
static struct { rt_value root; size_t depth, elements; } converted;

/* Count the elements of one more list of the data; nonzero if it repeats lists too often. */
static int count_elements(size_t count) {
    bool checked = converted.elements > UNCHECKED;
    converted.elements += count;
    if (checked || converted.elements <= UNCHECKED) return 0;
    return rt_check_repeats_of("a nested list", converted.root);
}

/* Allocates the items of a list, which may be long; nonzero after an error. */
static int allocate_items(size_t count, ct_value *list) {
    if (count_elements(count) != 0) return 1;
    list->items = malloc((count + 1) * sizeof *list->items);
    return list->items == NULL ? rt_status(rt_fail_memory()) : 0;
}

/* A value that no operator takes is passed as its text. */
static void other_to_ct(rt_value v, ct_value *result) {
    rt_text shown = {NULL, 0, 0};
    rt_describe(&shown, v);
    result->kind = CT_OTHER;
    result->text = shown.bytes;
}

/* Convert one more item.  It is counted even if it fails, so that its memory is freed. */
static int add_item(rt_value v, ct_value *list) {
    return bridge_to_ct(v, &list->items[list->count++]);
}

/* A hash table as a list of each key before its value. */
static int table_to_ct(rt_value table, ct_value *result) {
    if (rt_enter() != 0) return 1;
    rt_value entries = rt_hash_to_list(table), at = entries;
    size_t count = 2 * (size_t)rt_list_length(entries);
    int status = 0;
    result->kind = CT_TABLE;
    status = allocate_items(count, result);
    for (; status == 0 && result->count < count; at = rt_pair_of(at)->cdr) {
        const rt_pair *entry = rt_pair_of(rt_pair_of(at)->car);
        status = add_item(entry->car, result) != 0 || add_item(entry->cdr, result) != 0;
    }
    rt_free(entries);   /* the table keeps what is in them alive */
    return status;
}

static int list_to_ct(rt_value list, size_t count, ct_value *result) {
    if (rt_enter() != 0) return 1;
    if (allocate_items(count, result) != 0) return 1;
    for (; result->count < count; list = rt_pair_of(list)->cdr)
        if (add_item(rt_pair_of(list)->car, result) != 0) return 1;
    return 0;
}

static int vector_to_ct(rt_value vector, ct_value *result) {
    if (rt_enter() != 0) return 1;
    const rt_vector_object *object = rt_vector_of(vector);
    if (allocate_items(object->length, result) != 0) return 1;
    while (result->count < object->length)
        if (add_item(object->items[result->count], result) != 0) return 1;
    return 0;
}

static void number_to_ct(rt_value v, ct_value *result) {
    if (rt_is_double(v) || rt_is_kind(v, RT_RATIO)) {
        result->kind = CT_FLOAT;
        rt_to_double(v, &result->f);
    } else if (rt_to_int64(v, &result->i)) {
        result->kind = CT_INT;
    } else {
        other_to_ct(v, result);
        result->kind = CT_BIG;
        rt_to_double(v, &result->f);
    }
}

static bool is_number(rt_value v) {
    return rt_is_fixnum(v) || rt_is_double(v) || rt_is_kind(v, RT_INTEGER) ||
           rt_is_kind(v, RT_RATIO);
}

static bool is_text(rt_value v) { return rt_is_string(v) || rt_is_symbol(v) || rt_is_keyword(v); }

static int value_to_ct(rt_value v, ct_value *result) {
    *result = (ct_value){.kind = CT_LIST};
    if (rt_is_vector(v)) return vector_to_ct(v, result);
    int64_t count = rt_is_null(v) || rt_is_pair(v) ? rt_list_length(v) : -1;
    if (count >= 0) return list_to_ct(v, (size_t)count, result);
    if (is_number(v)) {
        number_to_ct(v, result);
    } else if (rt_is_tensor(v)) {
        result->kind = CT_TENSOR;
        result->tensor = rt_tensor(v);
    } else if (rt_is_boolean(v)) {
        result->kind = CT_BOOL;
        result->i = rt_boolean(v);
    } else if (is_text(v) && rt_holds_nul(v)) {
        other_to_ct(v, result);   /* neither a name nor a path: a C string would end there */
    } else if (rt_is_string(v)) {
        result->kind = CT_STRING;
        result->text = rt_string_to_c(v);
    } else if (rt_is_symbol(v) || rt_is_keyword(v)) {
        result->kind = rt_is_symbol(v) ? CT_SYMBOL : CT_KEYWORD;
        result->text = rt_symbol_of(v)->text;
    } else if (rt_is_hash_table(v)) {
        return table_to_ct(v, result);
    } else if (rt_is_foreign(v)) {   /* all of them are ctorch's */
        result->kind = CT_OBJECT;
        result->object = rt_foreign_of(v)->thing;
    } else {
        other_to_ct(v, result);
    }
    return 0;
}

int bridge_to_ct(rt_value v, ct_value *result) {
    if (converted.depth == 0) {
        converted.root = v;
        converted.elements = 0;
    }
    converted.depth++;
    int status = value_to_ct(v, result);
    converted.depth--;
    return status;
}

void bridge_release(ct_value *value) {
    bool owns_text = value->kind == CT_STRING || value->kind == CT_OTHER || value->kind == CT_BIG;
    if (owns_text) free((char *)value->text);
    if (value->kind == CT_LIST || value->kind == CT_TABLE)
        bridge_release_all(value->count, value->items);
}

void bridge_release_all(size_t count, ct_value *values) {
    for (size_t i = 0; i < count; i++) bridge_release(&values[i]);
    free(values);
}

ct_value *bridge_all_to_ct(size_t count, const rt_value *values) {
    ct_value *result = rt_malloc((count + 1) * sizeof *result);
    for (size_t i = 0; i < count; i++) {
        if (bridge_to_ct(values[i], &result[i]) != 0) {
            bridge_release_all(i + 1, result);
            return NULL;
        }
    }
    return result;
}

static void free_object(void *thing) { ct_object_free(thing); }
static const char *text_of_object(void *thing) { return ct_object_text(thing); }
static const rt_foreign_kind object_kind = {free_object, text_of_object};

static rt_value take(ct_value *result);

/* Frees what was made so far after a Ctrl-C. */
static rt_value give_up(rt_value made) {
    rt_free(made);
    return RT_ERROR;
}

static rt_value take_table(ct_value *result) {
    rt_value table = rt_make_hash_table();
    for (size_t i = 0; i + 1 < result->count; i += 2) {
        if (rt_interrupted && rt_poll_interrupt() != 0) return give_up(table);
        rt_value key = take(&result->items[i]), value = take(&result->items[i + 1]);
        if (value == RT_ERROR) {
            rt_free(key);
            return give_up(table);
        }
        rt_hash_set(table, key, value);   /* keys are strings and numbers, which compare */
    }
    return table;
}

static rt_value take_list(ct_value *result) {
    rt_value list = RT_NIL;
    for (size_t i = result->count; i-- > 0;) {
        if (rt_interrupted && rt_poll_interrupt() != 0) return give_up(list);
        rt_value item = take(&result->items[i]);
        if (item == RT_ERROR) return give_up(list);
        list = rt_cons(item, list);
    }
    return list;
}

/* Moves tensors and objects out of the result; clearing it afterwards frees the rest.  RT_ERROR
 * after a Ctrl-C. */
static rt_value take(ct_value *result) {
    switch (result->kind) {
    case CT_INT: return rt_of_int64(result->i);
    case CT_BIG: return rt_parse_number(result->text, strlen(result->text), 10);
    case CT_FLOAT: return rt_of_double(result->f);
    case CT_BOOL: return rt_of_boolean(result->i != 0);
    case CT_STRING: return rt_string_of_utf8(result->text, (size_t)result->i);
    case CT_OTHER: return rt_string_of_utf8(result->text, strlen(result->text));
    case CT_SYMBOL: return rt_intern(result->text);
    case CT_KEYWORD: return rt_intern_keyword(result->text);
    case CT_LIST: return take_list(result);
    case CT_TENSOR: {
        ct_tensor *tensor = result->tensor;
        result->tensor = NULL;
        return tensor != NULL ? rt_of_tensor(tensor) : RT_FALSE;
    }
    case CT_TABLE: return take_table(result);
    case CT_OBJECT: {
        ct_object *object = result->object;
        result->object = NULL;
        return rt_new_foreign(&object_kind, object);
    }
    case CT_UNSPECIFIED: return RT_UNSPECIFIED;
    case CT_NONE: break;
    }
    return RT_FALSE;
}

rt_value bridge_of_ct(ct_value *result) {
    rt_value value = take(result);
    ct_value_clear(result);
    return value;
}
