/* conversions.c - text in the encodings of the C library, by iconv.
 *
 * `lang/interp/io/iconv.py` is the counterpart.
 */
#define _POSIX_C_SOURCE 200809L
#include "text/conversions.h"

#include <errno.h>
#include <iconv.h>
#include <stdlib.h>

#include "ports/ports.h"

#define MOST_NAME 40         /* characters of a name */
#define ROOM 4096            /* bytes converted at once */
#define REPLACEMENT "\xef\xbf\xbd"

/* unit: how many bytes are left out where they are not text. */
struct rt_converter {
    iconv_t state;
    size_t unit;
    bool decodes;
    char name[MOST_NAME];   /* in lower case */
};

/* A name that the C library may look up: nothing in it is a path or an option. */
static bool copy_name(rt_value v, char *name) {
    rt_text text = {NULL, 0, 0};
    if (!rt_is_symbol(v) && !rt_is_string(v)) return false;
    rt_show(&text, v, false);
    bool fits = text.size > 0 && text.size < MOST_NAME;
    for (size_t i = 0; fits && i < text.size; i++) {
        char c = text.bytes[i];
        bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        fits = is_letter || (c >= '0' && c <= '9') || memchr("-_.:+()", c, 7) != NULL;
        name[i] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    if (fits) name[text.size] = '\0';
    rt_text_free(&text);
    return fits;
}

static size_t unit_of(const char *name) {
    if (strncmp(name, "utf-16", 6) == 0 || strncmp(name, "ucs-2", 5) == 0) return 2;
    return strncmp(name, "utf-32", 6) == 0 || strncmp(name, "ucs-4", 5) == 0 ? 4 : 1;
}

rt_converter *rt_new_converter(rt_value encoding, bool decodes) {
    char name[MOST_NAME];
    if (!copy_name(encoding, name)) return NULL;
    iconv_t state = decodes ? iconv_open("UTF-8", name) : iconv_open(name, "UTF-8");
    if (state == (iconv_t)-1) return NULL;
    rt_converter *converter = rt_malloc(sizeof *converter);
    *converter = (rt_converter){state, decodes ? unit_of(name) : 1, decodes, ""};
    memcpy(converter->name, name, sizeof name);
    return converter;
}

void rt_free_converter(rt_converter *converter) {
    if (converter == NULL) return;
    iconv_close(converter->state);
    free(converter);
}

const char *rt_converter_name(const rt_converter *converter) { return converter->name; }

/* Convert up to the first bytes that are not text: then reason is EILSEQ, or EINVAL at a character
 * that is not complete. */
static size_t convert(iconv_t state, const char *bytes, size_t size, rt_text *to, int *reason) {
    char *from = (char *)bytes, result[ROOM];
    size_t left = size;
    do {
        char *end = result;
        size_t room = sizeof result;
        errno = 0;
        size_t status = iconv(state, &from, &left, &end, &room);
        *reason = status == (size_t)-1 ? errno : 0;
        rt_text_add(to, result, (size_t)(end - result));
    } while (*reason == E2BIG && !rt_text_is_lost(to));
    return size - left;
}

/* How many bytes a converter leaves out: those of a character if it encodes. */
static size_t bad_size(const rt_converter *converter, const char *bytes, size_t size) {
    if (converter->decodes) return converter->unit < size ? converter->unit : size;
    int found = rt_utf8_size((const unsigned char *)bytes, size);
    return found > 0 ? (size_t)found : 1;
}

size_t rt_convert(rt_converter *converter, const char *bytes, size_t size, bool at_end,
                  bool replaces, rt_text *to) {
    size_t at = 0;
    for (;;) {
        int reason;
        at += convert(converter->state, bytes + at, size - at, to, &reason);
        if (reason == 0) break;
        if (at == size || (reason == EINVAL && !at_end) || !replaces) return at;
        at += bad_size(converter, bytes + at, size - at);
        const char *instead = converter->decodes ? REPLACEMENT : "?";
        if (converter->decodes) rt_text_add(to, instead, strlen(instead));
        else convert(converter->state, instead, strlen(instead), to, &reason);
    }
    if (at_end) {
        char result[ROOM], *end = result;
        size_t room = sizeof result;
        iconv(converter->state, NULL, NULL, &end, &room);   /* back to the first state */
        rt_text_add(to, result, (size_t)(end - result));
    }
    return at;
}
