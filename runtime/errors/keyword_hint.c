/* keyword_hint.c - the hint of an unknown keyword: the one that was meant, if one is near.
 *
 *     :max_tokens, :max-token   =>  did you mean :max-tokens?
 *     :bias=#f                  =>  write :bias #f
 *
 * `keyword_hint` in lang/core/keyword_hints.py is the counterpart of the interpreter.
 */
#include "rt_internal.h"

#include <stdlib.h>

#define LEAST_NAME 4   /* shorter names are near too many others */

/* Whether one added, missing or changed letter makes the one name the other. */
static bool is_near(const char *a, size_t a_size, const char *b, size_t b_size) {
    size_t less = a_size < b_size ? a_size : b_size, more = a_size + b_size - less;
    if (less < LEAST_NAME || more - less > 1) return false;
    size_t start = 0, end = 0;
    while (start < less && a[start] == b[start]) start++;
    while (end < less - start && a[a_size - 1 - end] == b[b_size - 1 - end]) end++;
    return more - start - end <= 1;
}

/* The keyword of that name, or the first near one in the alphabet. */
static const char *near_keyword(const rt_function *function, const char *name, size_t size) {
    const char *near = NULL;
    for (int i = 0; i < function->keyword_count; i++) {
        const char *other = function->keywords[i].name;
        size_t other_size = strlen(other);
        if (other_size == size && memcmp(other, name, size) == 0) return other;
        if (is_near(other, other_size, name, size) && (near == NULL || strcmp(other, near) < 0))
            near = other;
    }
    return near;
}

bool rt_say_near_keyword(rt_text *text, const rt_function *function, rt_value keyword) {
    const rt_symbol_object *symbol = rt_symbol_of(keyword);
    const char *equals = memchr(symbol->text, '=', symbol->size);
    size_t size = equals != NULL ? (size_t)(equals - symbol->text) : symbol->size;
    char *dashed = rt_realloc(NULL, size + 1);
    for (size_t i = 0; i < size; i++) dashed[i] = symbol->text[i] == '_' ? '-' : symbol->text[i];
    const char *meant = near_keyword(function, dashed, size);
    free(dashed);
    if (meant == NULL) return false;
    rt_text_format(text, equals != NULL ? "write :%s" : "did you mean :%s?", meant);
    if (equals != NULL && symbol->size > size + 1) {
        rt_text_string(text, " ");
        rt_text_add(text, equals + 1, symbol->size - size - 1);
    }
    return true;
}
