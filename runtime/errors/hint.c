/* hint.c - hints that quote the program: {0} stands for the text of a call's first argument, as in
 * lang/interp/errors/quoting.py, which has the same rules.
 *
 *     "(tensor-transpose {1} 0 1)" at (tensor-matmul a (f b)) is "(tensor-transpose (f b) 0 1)"
 */
#include "rt_internal.h"

#include <ctype.h>

/* The text of a location, in its line; *size is its length in bytes. */
static const char *text_of(const rt_location *location, const rt_text *line, size_t *size) {
    const char *at = line->bytes, *end = at + line->size;
    for (int i = 1; i < location->column && at < end; i++) rt_utf8_next(&at, end);
    const char *start = at;
    for (int i = 0; i < location->width && at < end; i++) rt_utf8_next(&at, end);
    *size = (size_t)(at - start);
    return start;
}

/* The end of the datum at `at`: the next blank or closing bracket outside of brackets and
 * strings. */
static const char *datum_end(const char *at, const char *end) {
    int depth = 0;
    for (; at < end; at++) {
        if (*at == '"') {
            for (at++; at < end && *at != '"'; at++)
                if (*at == '\\') at++;
        } else if (*at == '(' || *at == '[') {
            depth++;
        } else if (*at == ')' || *at == ']') {
            if (depth-- == 0) break;
        } else if (depth == 0 && isspace((unsigned char)*at)) {
            break;
        }
    }
    return at < end ? at : end;
}

/* The index-th datum of a call's text, 0 being its head; NULL if it has none. */
static const char *nth_datum(const char *call, size_t call_size, size_t index, size_t *size) {
    const char *at = call, *end = call + call_size;
    if (call_size < 2 || *at != '(') return NULL;
    at++;
    for (;;) {
        while (at < end && isspace((unsigned char)*at)) at++;
        const char *stop = datum_end(at, end);
        if (stop == at) return NULL;
        *size = (size_t)(stop - at);
        if (index-- == 0) return at;
        at = stop;
    }
}

/* Whether the call's head is the operator that the message names. */
static bool is_call_of_operator(const rt_failure *failure, const char *call, size_t call_size) {
    const rt_text *message = &failure->message;
    size_t size;
    const char *head = nth_datum(call, call_size, 0, &size);
    if (head == NULL) return false;
    if (size == 1 && *head == '@') return true;
    return message->size > size + 1 && memcmp(message->bytes, head, size) == 0 &&
           message->bytes[size] == ':';
}

/* {1.0|it}: the index of an argument, the index of an element of it or -1, and the text to use
 * where the program's text is not available, or NULL. */
typedef struct placeholder {
    size_t argument;
    int64_t element;
    const char *otherwise;
    size_t otherwise_size;
} placeholder;

/* The end of the placeholder at `at`, or NULL. */
static const char *read_placeholder(const char *at, placeholder *found) {
    if (at[0] != '{' || !isdigit((unsigned char)at[1])) return NULL;
    *found = (placeholder){(size_t)(at[1] - '0'), -1, NULL, 0};
    at += 2;
    if (at[0] == '.' && isdigit((unsigned char)at[1]))
        for (found->element = 0, at++; isdigit((unsigned char)*at) && found->element < 1000; at++)
            found->element = 10 * found->element + (*at - '0');
    if (*at == '|') {
        found->otherwise = ++at;
        found->otherwise_size = strcspn(at, "}");
        at += found->otherwise_size;
    }
    return *at == '}' ? at + 1 : NULL;
}

/* The text that a placeholder stands for in a call, or NULL. */
static const char *quoted(const placeholder *found, const char *call, size_t call_size,
                          size_t *size) {
    if (call == NULL) return NULL;
    const char *argument = nth_datum(call, call_size, found->argument + 1, size);
    if (argument == NULL || found->element < 0) return argument;
    size_t head_size, argument_size = *size;
    const char *head = nth_datum(argument, argument_size, 0, &head_size);
    if (head == NULL || head_size != 4 || memcmp(head, "list", 4) != 0) return NULL;
    return nth_datum(argument, argument_size, (size_t)found->element + 1, size);
}

/* Append the hint with its placeholders replaced; call is NULL if its text is not available. */
static bool fill(rt_text *text, const rt_text *hint, const char *call, size_t call_size) {
    for (const char *at = hint->bytes, *end_of_hint = at + hint->size; at < end_of_hint;) {
        placeholder found;
        const char *end = read_placeholder(at, &found);
        if (end == NULL) {
            rt_text_add(text, at++, 1);
            continue;
        }
        size_t size;
        const char *argument = quoted(&found, call, call_size, &size);
        if (argument != NULL) rt_text_add(text, argument, size);
        else if (found.otherwise != NULL)
            rt_text_add(text, found.otherwise, found.otherwise_size);
        else return false;
        at = end;
    }
    return true;
}

bool rt_text_of_hint(rt_text *text, const rt_failure *failure) {
    size_t call_size = 0;
    const char *call = NULL;
    rt_text line = {NULL, 0, 0};
    if (failure->hint.bytes == NULL) return false;
    if (failure->trace_count > 0 && failure->trace[0].location->one_line) {
        rt_text_string(&line, failure->trace[0].location->text);
        call = text_of(failure->trace[0].location, &line, &call_size);
    }
    if (call != NULL && !is_call_of_operator(failure, call, call_size)) call = NULL;
    bool filled = fill(text, &failure->hint, call, call_size);
    rt_text_free(&line);
    return filled;
}
