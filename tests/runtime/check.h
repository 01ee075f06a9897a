/* check.h - for the tests of the runtime: a failed check names its line and ends the program. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>

#include "rt.h"

#define CHECK(test)                                                        \
    do {                                                                   \
        if (!(test)) {                                                     \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #test);     \
            exit(1);                                                       \
        }                                                                  \
    } while (0)

/* value is consumed; its `write` must be text. */
#define CHECK_SHOWS(value, text) check_shows(__LINE__, value, text)

static inline void check_shows(int line, rt_value value, const char *wanted) {
    rt_text text = {NULL, 0, 0};
    if (value == RT_ERROR) {
        fprintf(stderr, "line %d: an error, not %s\n", line, wanted);
        exit(1);
    }
    rt_show(&text, value, true);
    if (strcmp(text.bytes, wanted) != 0) {
        fprintf(stderr, "line %d: %s, not %s\n", line, text.bytes, wanted);
        exit(1);
    }
    rt_text_free(&text);
    rt_free(value);
}

static inline rt_value string(const char *utf8) { return rt_string_of_utf8(utf8, strlen(utf8)); }
static inline rt_value number(int64_t n) { return rt_of_fixnum(n); }

#endif
