/* record.c - record types and records: a type, and a value for each of its fields. */
#include "rt_internal.h"

#include <stdlib.h>

rt_value rt_record_type(rt_value name, rt_value fields) {
    rt_record_type_object *type = rt_allocate(RT_RECORD_TYPE, sizeof *type);
    type->object.extra = 5;
    type->name = rt_dup(name);
    type->fields = rt_dup(fields);
    type->call = RT_FALSE;
    type->roles = RT_FALSE;
    type->parent = RT_FALSE;
    return rt_of_object(type);
}

rt_value rt_applicable_type(rt_value name, rt_value fields, rt_value call, rt_value roles) {
    if (!rt_is_procedure(call)) {
        const rt_symbol_object *symbol = rt_symbol_of(name);
        char *who = rt_c_string(symbol->text, symbol->size);
        rt_fail_wrong_type(who, "a procedure after :call", call);
        free(who);
        return RT_ERROR;
    }
    rt_value type = rt_record_type(name, fields);
    rt_record_type_of(type)->call = rt_dup(call);
    rt_record_type_of(type)->roles = rt_dup(roles);
    return type;
}

/* ---- Types that extend others -------------------------------------------- */

bool rt_extends(rt_value type, rt_value ancestor) {
    while (type != ancestor && type != RT_FALSE) type = rt_record_type_of(type)->parent;
    return type == ancestor;
}

/* Whether the first of the names are those of the parent's fields. */
static bool has_fields_of(rt_value fields, rt_value parent) {
    if (!rt_is_kind(parent, RT_RECORD_TYPE)) return false;
    rt_value inherited = rt_record_type_of(parent)->fields;
    if (!rt_is_plain_vector(inherited)) return false;
    const rt_vector_object *all = rt_plain_vector_of(fields);
    const rt_vector_object *first = rt_plain_vector_of(inherited);
    if (first->length > all->length) return false;
    for (size_t i = 0; i < first->length; i++)
        if (all->items[i] != first->items[i]) return false;
    return true;
}

rt_value rt_record_subtype(rt_value name, rt_value fields, rt_value parent, rt_value call) {
    if (!has_fields_of(fields, parent))
        return rt_fail("define-record-type: the parent is not the record type that the program "
                       "defines under its name");
    rt_value type = call == RT_FALSE ? rt_record_type(name, fields)
                                     : rt_applicable_type(name, fields, call, RT_FALSE);
    if (type == RT_ERROR) return RT_ERROR;
    rt_record_type_object *made = rt_record_type_of(type);
    if (call == RT_FALSE) made->call = rt_dup(rt_record_type_of(parent)->call);
    made->parent = rt_dup(parent);
    return type;
}

rt_value rt_record_type_name(rt_value type) { return rt_record_type_of(type)->name; }

/* `point-x: expected a point, got 5` */
static rt_value refuse(rt_value record, rt_value type, rt_value who) {
    const rt_symbol_object *symbol = rt_symbol_of(rt_record_type_name(type));
    bool vowel = symbol->text[0] != '\0' && strchr("aeiouAEIOU", symbol->text[0]) != NULL;
    char *caller = rt_string_to_c(who), *name = rt_c_string(symbol->text, symbol->size);
    rt_text noun = {NULL, 0, 0};
    rt_text_format(&noun, "%s %s", vowel ? "an" : "a", name);
    char *noun_text = rt_c_string(noun.bytes, noun.size);
    rt_fail_wrong_type(caller, noun_text, record);
    rt_text_free(&noun);
    free(noun_text);
    free(name);
    free(caller);
    return RT_ERROR;
}

static size_t slots_of(rt_value record) { return (size_t)rt_object_of(record)->extra - 1; }

rt_value rt_record_ref_slow(rt_value record, rt_value type, rt_value who) {
    return refuse(record, type, who);
}

int rt_record_set_slow(rt_value record, rt_value type, rt_value value, rt_value who) {
    rt_free(value);
    return rt_status(refuse(record, type, who));
}

rt_value rt_record_copy(rt_value record, rt_value type, rt_value who) {
    if (!rt_is_record(record, type)) return refuse(record, type, who);
    const rt_record_object *old = rt_record_of(record);
    size_t count = slots_of(record);
    for (size_t i = 0; i < count; i++) rt_dup(old->fields[i]);
    return rt_record(old->type, count, old->fields);
}

/* ---- What programs may ask of any record --------------------------------- */

bool rt_is_any_record(rt_value x) { return rt_is_kind(x, RT_RECORD); }

rt_value rt_type_of_record(rt_value x) {
    RT_CHECK(rt_is_any_record(x), "record-type", "a record", x);
    return rt_dup(rt_record_of(x)->type);
}

rt_value rt_name_of_record_type(rt_value x) {
    RT_CHECK(rt_is_kind(x, RT_RECORD_TYPE), "record-type-name", "a record type", x);
    return rt_dup(rt_record_type_name(x));
}

/* How many fields of a type have names. */
static size_t named_count(rt_value type) {
    rt_value names = rt_record_type_of(type)->fields;
    if (!rt_is_plain_vector(names)) return 0;
    size_t count = 0;
    const rt_vector_object *all = rt_plain_vector_of(names);
    while (count < all->length && all->items[count] != RT_FALSE) count++;
    return count;
}

static rt_value list_of(size_t count, const rt_value *items) {
    for (size_t i = 0; i < count; i++) rt_dup(items[i]);
    return rt_new_list(count, items);
}

rt_value rt_fields_of_record_type(rt_value x) {
    RT_CHECK(rt_is_kind(x, RT_RECORD_TYPE), "record-type-fields", "a record type", x);
    size_t count = named_count(x);
    if (count == 0) return RT_NIL;
    return list_of(count, rt_plain_vector_of(rt_record_type_of(x)->fields)->items);
}

rt_value rt_fields_of_record(rt_value x) {
    RT_CHECK(rt_is_any_record(x), "record-fields", "a record", x);
    return list_of(named_count(rt_record_of(x)->type), rt_record_of(x)->fields);
}

rt_value rt_roles_of_record(rt_value x) {
    return rt_is_any_record(x) ? rt_dup(rt_record_type_of(rt_record_of(x)->type)->roles) : RT_FALSE;
}

/* NULL after an error. */
static rt_value *slot_of(const char *who, rt_value record, rt_value k) {
    size_t index;
    if (!rt_is_any_record(record)) {
        rt_fail_wrong_type(who, "a record", record);
        return NULL;
    }
    if (!rt_index_of(who, k, slots_of(record), slots_of(record), &index)) return NULL;
    return &rt_record_of(record)->fields[index];
}

rt_value rt_record_slot(rt_value record, rt_value k) {
    const rt_value *slot = slot_of("record-ref", record, k);
    return slot != NULL ? rt_dup(*slot) : RT_ERROR;
}

int rt_record_double_slow(rt_value field, double *result) {
    RT_CHECK_STATUS(rt_is_double(field), "a field", "a double", field);
    *result = rt_double(field);
    return 0;
}

/* value is moved in. */
int rt_set_record_slot(rt_value record, rt_value k, rt_value value) {
    rt_value *slot = slot_of("record-set!", record, k);
    if (slot == NULL) {
        rt_free(value);
        return 1;
    }
    rt_before_store(record, value);
    rt_value old = *slot;
    *slot = value;
    rt_free(old);
    return 0;
}
