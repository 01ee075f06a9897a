/* record.c - record types, and records: a type and a value for each of its fields. */
#include "rt_internal.h"

#include <stdlib.h>

rt_value rt_record_type(rt_value name, rt_value fields) {
    rt_record_type_object *type = rt_allocate(RT_RECORD_TYPE, sizeof *type);
    type->object.extra = 2;
    type->name = rt_dup(name);
    type->fields = rt_dup(fields);
    return rt_of_object(type);
}

const char *rt_record_type_name(rt_value type) {
    return rt_symbol_of(rt_record_type_of(type)->name)->text;
}

/* `point-x: expected a point, got 5` */
static rt_value refuse(rt_value record, rt_value type, rt_value who) {
    const char *name = rt_record_type_name(type);
    bool vowel = *name != '\0' && strchr("aeiouAEIOU", *name) != NULL;
    char *caller = rt_string_to_utf8(who);
    rt_text noun = {NULL, 0, 0};
    rt_text_format(&noun, "%s %s", vowel ? "an" : "a", name);
    rt_fail_wrong_type(caller, noun.bytes, record);
    rt_text_free(&noun);
    free(caller);
    return RT_ERROR;
}

rt_value rt_record_ref_slow(rt_value record, rt_value type, rt_value who) {
    return refuse(record, type, who);
}

int rt_record_set_slow(rt_value record, rt_value type, rt_value value, rt_value who) {
    rt_free(value);
    return rt_status(refuse(record, type, who));
}
