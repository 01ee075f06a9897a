/* type_hint.c - the hint for a value of the wrong type: what makes the right one of it, or the
 * right order of arguments.
 *
 *     (length [1 2])    =>  [...] is a tensor, not a list: ...
 *     (map '(1 2) abs)  =>  the order is (map procedure list)
 *
 * lang/type_hint_header.py writes the rows, from those of the interpreter.
 */
#include "rt_internal.h"

/* What the table tells apart, as bits. */
enum {
    TENSOR = 1 << 0,
    LIST = 1 << 1,
    UNSPECIFIED = 1 << 2,
    INTEGER = 1 << 3,
    FRACTION = 1 << 4,
    VECTOR = 1 << 5,
    STRING = 1 << 6,
    SYMBOL = 1 << 7,
    CHARACTER = 1 << 8,
    BOOLEAN = 1 << 9,
    BYTEVECTOR = 1 << 10,
    TABLE = 1 << 11,
    PROCEDURE = 1 << 12,
    OTHER = 1 << 13
};

/* A hint for the procedures (any, if empty), the expected nouns (any, if *) and the types of values.
 * In it, {} is the procedure's name.  An empty hint says that the later rows do not help. */
typedef struct row {
    unsigned types;
    const char *names, *nouns, *hint;
} row;

#include "errors/type_hint_rows.h"

static unsigned type_of(rt_value value) {
    if (rt_is_tensor(value)) return TENSOR;
    if (rt_is_pair(value) || rt_is_null(value)) return LIST;
    if (value == RT_UNSPECIFIED) return UNSPECIFIED;
    if (rt_is_exact_int(value)) return INTEGER;
    if (rt_is_number(value)) return FRACTION;
    if (rt_is_vector(value)) return VECTOR;
    if (rt_is_string(value)) return STRING;
    if (rt_is_symbol(value)) return SYMBOL;
    if (rt_is_char(value)) return CHARACTER;
    if (rt_is_boolean(value)) return BOOLEAN;
    if (rt_is_bytes(value)) return BYTEVECTOR;
    if (rt_is_hash_table(value)) return TABLE;
    return rt_is_procedure(value) ? PROCEDURE : OTHER;
}

/* A word that rows may have between separators; of size 0 if none can. */
typedef struct word {
    const char *text;
    size_t size;
    char separator;
} word;

static word word_of(const char *text, char separator) {
    size_t size = strlen(text);
    return (word){text, memchr(text, separator, size) == NULL ? size : 0, separator};
}

static bool contains(const char *words, word wanted) {
    if (wanted.size == 0) return false;
    for (const char *at = words; (at = strstr(at, wanted.text)) != NULL; at++) {
        bool begins = at == words || at[-1] == wanted.separator;
        char after = at[wanted.size];
        if (begins && (after == wanted.separator || after == '\0')) return true;
    }
    return false;
}

bool rt_say_type_hint(rt_text *text, const char *who, const char *noun, rt_value value) {
    unsigned type = type_of(value);
    word name = word_of(who, ' '), expected = word_of(noun, '|');
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const row *at = &rows[i];
        if ((at->types & type) == 0) continue;
        if (*at->names != '\0' && !contains(at->names, name)) continue;
        if (*at->nouns != '*' && !contains(at->nouns, expected)) continue;
        for (const char *c = at->hint; *c != '\0'; c++) {
            bool is_name = c[0] == '{' && c[1] == '}';
            rt_text_add(text, is_name ? who : c, is_name ? strlen(who) : 1);
            c += is_name;
        }
        return text->size > 0;
    }
    return false;
}
