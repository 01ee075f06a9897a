/* type_hint.c - the hint for a value of the wrong type: what makes the right one of it, or the
 * right order of arguments.
 *
 *     (length [1 2])    =>  [...] is a tensor, not a list: ...
 *     (map '(1 2) abs)  =>  the order is (map procedure list)
 *
 * lang/type_hint_header.py writes the rows, from those of the interpreter.
 */
#include "rt_internal.h"

/* A hint for the procedures (any, if empty), the expected nouns (any, if *) and the types of values.
 * In it, {} is the procedure's name.  An empty hint says that the later rows do not help. */
typedef struct row {
    const char *names, *nouns, *types, *hint;
} row;

#include "errors/type_hint_rows.h"

static const char *type_of(rt_value value) {
    if (rt_is_tensor(value)) return "tensor";
    if (rt_is_pair(value) || rt_is_null(value)) return "list";
    if (value == RT_UNSPECIFIED) return "unspecified";
    if (rt_is_exact_int(value)) return "integer";
    if (rt_is_number(value)) return "fraction";
    if (rt_is_vector(value)) return "vector";
    if (rt_is_string(value)) return "string";
    if (rt_is_symbol(value)) return "symbol";
    if (rt_is_char(value)) return "character";
    if (rt_is_boolean(value)) return "boolean";
    if (rt_is_bytes(value)) return "bytevector";
    if (rt_is_hash_table(value)) return "table";
    return rt_is_procedure(value) ? "procedure" : "other";
}

/* Whether a word is one of those between the separators. */
static bool contains(const char *words, const char *word, char separator) {
    size_t size = strlen(word);
    if (size == 0 || strchr(word, separator) != NULL) return false;
    for (const char *at = words; (at = strstr(at, word)) != NULL; at++) {
        bool begins = at == words || at[-1] == separator;
        if (begins && (at[size] == separator || at[size] == '\0')) return true;
    }
    return false;
}

bool rt_say_type_hint(rt_text *text, const char *who, const char *noun, rt_value value) {
    const char *type = type_of(value);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const row *at = &rows[i];
        bool any = *at->nouns == '*';
        if (!any && !contains(at->nouns, noun, '|')) continue;
        if (!contains(at->types, type, ' ')) continue;
        if (*at->names != '\0' && !contains(at->names, who, ' ')) continue;
        for (const char *c = at->hint; *c != '\0'; c++) {
            bool is_name = c[0] == '{' && c[1] == '}';
            rt_text_add(text, is_name ? who : c, is_name ? strlen(who) : 1);
            c += is_name;
        }
        return text->size > 0;
    }
    return false;
}
