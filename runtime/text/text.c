/* text.c - UTF-8 text under construction, for printing and for messages. */
#include "rt_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define SMALLEST_ROOM 64
/* A byte that is not UTF-8, in a file's name or an argument, becomes the character BARE_BYTE plus
 * the byte.  Text that is read has no such characters; writing one writes the byte. */
#define BARE_BYTE 0xdc00

/* A text that is lost keeps what it has, which always ends with a NUL. */
bool rt_text_lose(rt_text *text) {
    if (text->bytes == NULL) text->bytes = rt_malloc(1);
    text->bytes[text->size] = '\0';
    text->room = SIZE_MAX;
    rt_note_shortage();
    return false;
}

bool rt_text_reserve(rt_text *text, size_t size) {
    if (rt_text_is_lost(text)) return false;
    if (text->size + size < text->room) return true;
    size_t room = text->room ? text->room : SMALLEST_ROOM;
    while (room <= text->size + size) room *= 2;
    char *bytes = rt_try_realloc(text->bytes, room);
    if (bytes == NULL) bytes = rt_try_realloc(text->bytes, room = text->size + size + 1);
    if (bytes == NULL) return rt_text_lose(text);
    text->bytes = bytes;
    text->room = room;
    return true;
}

void rt_text_add(rt_text *text, const char *bytes, size_t size) {
    if (!rt_text_reserve(text, size)) return;
    if (size > 0) memcpy(text->bytes + text->size, bytes, size);
    text->size += size;
    text->bytes[text->size] = '\0';
}

/* ---- C strings ------------------------------------------------------------- */

/* A NUL of the text in a C string: two bytes that are not valid UTF-8. */
static const char zero[] = "\xc0\x80";
enum { ZERO_SIZE = sizeof zero - 1 };

/* Decode the NULs in the text from `from` on, which comes from a C string. */
static void decode_zeros(rt_text *text, size_t from) {
    char *to = text->bytes + from, *end = text->bytes + text->size;
    char *at = memchr(to, zero[0], text->size - from);
    if (at == NULL) return;
    for (to = at; at < end; to++) {
        bool is_zero = *at == zero[0] && at + 1 < end && at[1] == zero[1];
        *to = is_zero ? '\0' : *at;
        at += is_zero ? ZERO_SIZE : 1;
    }
    text->size = (size_t)(to - text->bytes);
    *to = '\0';
}

void rt_text_string(rt_text *text, const char *string) {
    size_t from = text->size;
    rt_text_add(text, string, strlen(string));
    decode_zeros(text, from);
}

void rt_text_vformat(rt_text *text, const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    int size = vsnprintf(NULL, 0, format, arguments);
    size_t from = text->size;
    if (rt_text_reserve(text, (size_t)size)) {
        vsnprintf(text->bytes + from, (size_t)size + 1, format, again);
        text->size += (size_t)size;
        decode_zeros(text, from);
    }
    va_end(again);
}

void rt_text_format(rt_text *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    rt_text_vformat(text, format, arguments);
    va_end(arguments);
}

char *rt_c_string(const char *bytes, size_t size) {
    rt_text made = {NULL, 0, 0};
    rt_text_add(&made, "", 0);
    for (const char *at = bytes, *end = bytes + size; at < end;) {
        const char *found = memchr(at, '\0', (size_t)(end - at)), *stop = found ? found : end;
        rt_text_add(&made, at, (size_t)(stop - at));
        if (found != NULL) rt_text_add(&made, zero, ZERO_SIZE);
        at = stop + 1;
    }
    return made.bytes;
}

bool rt_is_c_string_of(const char *string, const char *bytes, size_t size) {
    rt_text text = {NULL, 0, 0};
    rt_text_string(&text, string);
    bool same = text.size == size && memcmp(text.bytes, bytes, size) == 0;
    rt_text_free(&text);
    return same;
}

/* ---- Characters ------------------------------------------------------------ */

static bool is_bare_byte(uint32_t code) {
    return code >= BARE_BYTE + 0x80 && code <= BARE_BYTE + 0xff;
}

static void add_character(rt_text *text, uint32_t code) {
    char bytes[4];
    size_t size = 0;
    if (code < 0x80 || is_bare_byte(code)) {
        bytes[size++] = (char)code;
    } else if (code < 0x800) {
        bytes[size++] = (char)(0xc0 | code >> 6);
        bytes[size++] = (char)(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        bytes[size++] = (char)(0xe0 | code >> 12);
        bytes[size++] = (char)(0x80 | (code >> 6 & 0x3f));
        bytes[size++] = (char)(0x80 | (code & 0x3f));
    } else {
        bytes[size++] = (char)(0xf0 | code >> 18);
        bytes[size++] = (char)(0x80 | (code >> 12 & 0x3f));
        bytes[size++] = (char)(0x80 | (code >> 6 & 0x3f));
        bytes[size++] = (char)(0x80 | (code & 0x3f));
    }
    rt_text_add(text, bytes, size);
}

void rt_text_char(rt_text *text, uint32_t code) {
    bool is_simple = code < 0x80 && text->size + 1 < text->room && !rt_text_is_lost(text);
    if (RT_UNLIKELY(!is_simple)) {
        add_character(text, code);
        return;
    }
    text->bytes[text->size++] = (char)code;
    text->bytes[text->size] = '\0';
}

void rt_text_free(rt_text *text) {
    free(text->bytes);
    *text = (rt_text){NULL, 0, 0};
}

/* ---- Reading UTF-8 ------------------------------------------------------- */

static bool continues(const char *at, const char *end) {
    return at < end && ((unsigned char)*at & 0xc0) == 0x80;
}

/* The character of more than one byte that begins here; BARE_BYTE if there is none. */
static uint32_t several_bytes(const char **at, const char *end) {
    unsigned char first = (unsigned char)*(*at)++;
    int more = first >= 0xf0 && first < 0xf5 ? 3 : first >= 0xe0 ? 2 : first >= 0xc2 ? 1 : 0;
    if (more == 0 || first >= 0xf5) return BARE_BYTE;
    uint32_t code = first & (0x3fu >> more);
    for (int i = 0; i < more; i++) {
        if (!continues(*at, end)) return BARE_BYTE;
        code = code << 6 | ((unsigned char)*(*at)++ & 0x3f);
    }
    /* Overlong forms, surrogates, and code points beyond Unicode. */
    bool overlong = (more == 2 && code < 0x800) || (more == 3 && code < 0x10000);
    bool surrogate = code >= 0xd800 && code < 0xe000;
    return overlong || surrogate || code > 0x10ffff ? BARE_BYTE : code;
}

uint32_t rt_utf8_next(const char **at, const char *end) {
    const char *first = *at;
    if ((unsigned char)*first < 0x80) return (unsigned char)*(*at)++;
    uint32_t code = several_bytes(at, end);
    if (code != BARE_BYTE) return code;
    *at = first + 1;
    return BARE_BYTE + (unsigned char)*first;
}

bool rt_utf8_is_next(const char **at, const char *end) {
    return !is_bare_byte(rt_utf8_next(at, end));
}
