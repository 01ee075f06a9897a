/* bytes_calls.c - what the library asks for on bytes, by name: %bytes-call.
 *
 * stdlib/text/ has the procedures that programs call, which check the arguments and word the errors.
 */
#define _GNU_SOURCE   /* getrandom */
#include "ports/ports.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

#include "text/conversions.h"
#include "text/digest.h"

#define MOST_RANDOM 256          /* bytes that the system returns at once */
#define REPLACEMENT 0xfffd
#define MARK "\xef\xbb\xbf"
#define MARK_SIZE 3

typedef rt_value bytes_call(rt_value first, rt_value second, rt_value third);

/* ---- Digests ------------------------------------------------------------- */

static const char *text_of_digest(void *thing) {
    (void)thing;
    return "#<digest>";
}

static const rt_foreign_kind digest_kind = {free, text_of_digest};

static rt_value digest_start(rt_value name, rt_value unused, rt_value unused_too) {
    (void)unused, (void)unused_too;
    rt_digest *digest = rt_malloc(sizeof *digest);
    char *text = rt_string_to_c(name);
    bool is_known = rt_digest_begin(digest, text);
    free(text);
    if (is_known) return rt_new_foreign(&digest_kind, digest);
    free(digest);
    return RT_FALSE;
}

static rt_value digest_add(rt_value state, rt_value bytes, rt_value count) {
    const rt_bytes_object *data = rt_bytes_of(bytes);
    size_t size = (size_t)rt_fixnum(count) < data->length ? (size_t)rt_fixnum(count) : data->length;
    rt_digest_add(rt_foreign_of(state)->thing, data->data, size);
    return RT_UNSPECIFIED;
}

/* The state stays as it is. */
static rt_value digest_end(rt_value state, rt_value unused, rt_value unused_too) {
    (void)unused, (void)unused_too;
    rt_digest digest = *(const rt_digest *)rt_foreign_of(state)->thing;
    unsigned char result[RT_DIGEST_MOST];
    return rt_new_bytes(rt_digest_end(&digest, result), result);
}

/* ---- Random bytes -------------------------------------------------------- */

/* count: at most MOST_RANDOM.  #f if the system has none. */
static rt_value random_bytes(rt_value count, rt_value unused, rt_value unused_too) {
    (void)unused, (void)unused_too;
    unsigned char bytes[MOST_RANDOM];
    size_t size = (size_t)rt_fixnum(count) < MOST_RANDOM ? (size_t)rt_fixnum(count) : MOST_RANDOM;
    ssize_t got;
    do got = getrandom(bytes, size, 0);
    while (got < 0 && errno == EINTR);
    return got == (ssize_t)size ? rt_new_bytes(size, bytes) : RT_FALSE;
}

/* ---- Encodings ----------------------------------------------------------- */

/* The index of a byte, or the text. */
static rt_value text_or_index(rt_text *text, bool is_whole, size_t at) {
    rt_value result = !is_whole ? rt_of_fixnum((int64_t)at)
                      : rt_text_is_lost(text) ? rt_fail_memory()
                                              : rt_string_of_utf8(text->bytes, text->size);
    rt_text_free(text);
    return result;
}

static rt_value decode_utf_8(const rt_bytes_object *bytes, bool is_marked, bool replaces) {
    rt_text text = {NULL, 0, 0};
    const unsigned char *data = bytes->data;
    size_t size = bytes->length, at = 0;
    rt_text_add(&text, "", 0);
    if (is_marked && size >= MARK_SIZE && memcmp(data, MARK, MARK_SIZE) == 0) at = MARK_SIZE;
    while (at < size) {
        int found = rt_utf8_size(data + at, size - at);
        if (found <= 0 && !replaces) break;
        if (found > 0) rt_text_add(&text, (const char *)data + at, (size_t)found);
        else rt_text_char(&text, REPLACEMENT);
        at += found > 0 ? (size_t)found : rt_utf8_bad_size(data + at, size - at);
    }
    return text_or_index(&text, at == size, at);
}

/* The name by which the C library knows an encoding. */
static rt_value name_in_library(rt_value name, bool is_found, rt_encoding encoding) {
    if (!is_found || encoding == RT_UTF_16) return name;
    return rt_intern(encoding == RT_UTF_16_BE ? "utf-16be" : "utf-16le");
}

static rt_value decode_by_library(rt_value name, const rt_bytes_object *bytes, bool replaces) {
    rt_converter *converter = rt_new_converter(name, true);
    if (converter == NULL) return RT_FALSE;
    rt_text text = {NULL, 0, 0};
    rt_text_add(&text, "", 0);
    size_t done = rt_convert(converter, (const char *)bytes->data, bytes->length, true, replaces,
                             &text);
    rt_free_converter(converter);
    return text_or_index(&text, done == bytes->length, done);
}

/* The string of a bytevector in an encoding; the index of the first byte that is not text, or #f if
 * there is no encoding of that name. */
static rt_value decode(rt_value bytes, rt_value name, rt_value replaces) {
    rt_encoding encoding;
    bool is_marked;
    const rt_bytes_object *data = rt_bytes_of(bytes);
    bool is_found = rt_find_encoding(name, &encoding, &is_marked);
    if (is_found && encoding == RT_UTF_8) return decode_utf_8(data, is_marked, replaces == RT_TRUE);
    if (!is_found || (encoding != RT_LATIN_1 && encoding != RT_WINDOWS_1252))
        return decode_by_library(name_in_library(name, is_found, encoding), data,
                                 replaces == RT_TRUE);
    rt_text text = {NULL, 0, 0};
    rt_text_add(&text, "", 0);
    for (size_t i = 0; i < data->length; i++)
        rt_text_char(&text, rt_code_of_byte(encoding, data->data[i]));
    return text_or_index(&text, true, 0);
}

/* How many characters there are before a byte; bytes that are not UTF-8 count as one each. */
static size_t characters_before(const rt_text *text, size_t end) {
    size_t count = 0;
    for (size_t at = 0; at < end; count++) {
        int found = rt_utf8_size((const unsigned char *)text->bytes + at, text->size - at);
        at += found > 0 ? (size_t)found : 1;
    }
    return count;
}

/* The bytes of a text in latin-1 or windows-1252: how much of the text was encoded. */
static size_t encode_bytes(const rt_text *text, rt_encoding encoding, bool replaces, rt_text *bytes) {
    const char *from = text->bytes, *end = text->bytes + text->size;
    while (from < end) {
        const char *next = from;
        int byte = rt_byte_of_code(encoding, rt_utf8_next(&next, end));
        if (byte < 0 && !replaces) break;
        rt_text_add(bytes, byte < 0 ? "?" : (const char[]){(char)byte}, 1);
        from = next;
    }
    return (size_t)(from - text->bytes);
}

/* The bytes of a string in an encoding; the index of the first character that it does not have, or
 * #f if there is no encoding of that name. */
static rt_value encode(rt_value string, rt_value name, rt_value replaces) {
    rt_encoding encoding = RT_CONVERTED;
    bool is_marked = false;
    rt_converter *converter = NULL;
    bool is_found = rt_find_encoding(name, &encoding, &is_marked);
    bool is_own = is_found && (encoding == RT_UTF_8 || encoding == RT_LATIN_1 ||
                               encoding == RT_WINDOWS_1252);
    if (!is_own) converter = rt_new_converter(name_in_library(name, is_found, encoding), false);
    if (!is_own && converter == NULL) return RT_FALSE;
    rt_text text = {NULL, 0, 0}, bytes = {NULL, 0, 0};
    rt_text_add(&text, "", 0);
    rt_text_add(&bytes, "", 0);
    rt_text_lisp_string(&text, string);
    size_t done = text.size;
    if (encoding == RT_UTF_8) {
        if (is_marked) rt_text_add(&bytes, MARK, MARK_SIZE);
        rt_text_add(&bytes, text.bytes, text.size);
    } else if (is_own) {
        done = encode_bytes(&text, encoding, replaces == RT_TRUE, &bytes);
    } else {
        done = rt_convert(converter, text.bytes, text.size, true, replaces == RT_TRUE, &bytes);
    }
    rt_free_converter(converter);
    bool is_lost = rt_text_is_lost(&text) || rt_text_is_lost(&bytes);
    rt_value result = is_lost            ? rt_fail_memory()
                      : done < text.size ? rt_of_fixnum((int64_t)characters_before(&text, done))
                                         : rt_new_bytes(bytes.size, bytes.bytes);
    rt_text_free(&text);
    rt_text_free(&bytes);
    return result;
}

/* The library passes arguments of the types that the call expects. */
rt_value rt_bytes_call(rt_value name, rt_value first, rt_value second, rt_value third) {
    static const struct { const char *name; bytes_call *call; } calls[] = {
        {"digest-start", digest_start}, {"digest-add", digest_add}, {"digest-end", digest_end},
        {"random", random_bytes}, {"decode", decode}, {"encode", encode},
    };
    size_t i = 0;
    while (!rt_is_named(name, calls[i].name)) i++;
    return calls[i].call(first, second, third);
}
