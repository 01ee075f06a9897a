/* record.c - record types and records: a type, and a value for each of its fields. */
#include "rt_internal.h"

#include <stdlib.h>

rt_value rt_record_type(rt_value name, rt_value fields) {
    rt_record_type_object *type = rt_allocate(RT_RECORD_TYPE, sizeof *type);
    type->object.extra = 2;
    type->name = rt_dup(name);
    type->fields = rt_dup(fields);
    return rt_of_object(type);
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

rt_value rt_record_ref_slow(rt_value record, rt_value type, rt_value who) {
    return refuse(record, type, who);
}

int rt_record_set_slow(rt_value record, rt_value type, rt_value value, rt_value who) {
    rt_free(value);
    return rt_status(refuse(record, type, who));
}
