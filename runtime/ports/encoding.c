/* encoding.c - text ports in other encodings than UTF-8, and the replacement of what is not text.
 *
 * The buffer of a port always holds UTF-8: what is read is converted when it arrives, what is
 * written when it has been added.  `lang/interp/io/encodings.py` is the counterpart.
 */
#include "ports/ports.h"
#include "text/conversions.h"

#include <string.h>
#include <sys/stat.h>

#define REPLACEMENT 0xfffd      /* for each sequence of bytes that is not UTF-8 */
#define FIRST_WINDOWS 0x80      /* of the bytes that differ from latin-1 */
#define WINDOWS_COUNT 32

/* The bytes that windows-1252 leaves undefined are control characters, as in web browsers. */
static const uint16_t windows_1252[WINDOWS_COUNT] = {
    0x20ac, 0x81, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160, 0x2039,
    0x0152, 0x8d, 0x017d, 0x8f, 0x90, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
    0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x9d, 0x017e, 0x0178,
};

uint32_t rt_code_of_byte(rt_encoding encoding, unsigned char byte) {
    bool differs = encoding == RT_WINDOWS_1252 && byte >= FIRST_WINDOWS &&
                   byte < FIRST_WINDOWS + WINDOWS_COUNT;
    return differs ? windows_1252[byte - FIRST_WINDOWS] : byte;
}

/* The byte of a character, or -1. */
int rt_byte_of_code(rt_encoding encoding, uint32_t code) {
    if (encoding == RT_WINDOWS_1252)
        for (int i = 0; i < WINDOWS_COUNT; i++)
            if (windows_1252[i] == code) return FIRST_WINDOWS + i;
    bool hidden = encoding == RT_WINDOWS_1252 && code >= FIRST_WINDOWS &&
                  code < FIRST_WINDOWS + WINDOWS_COUNT;
    return code <= UINT8_MAX && !hidden ? (int)code : -1;
}

bool rt_port_converts(const rt_port_object *port) {
    return port->encoding != RT_UTF_8 || port->replaces || port->mark_due;
}

/* ---- UTF-16 -------------------------------------------------------------- */

#define UNIT 2                  /* bytes */
#define PAIR 4
#define HIGH 0xd800             /* the first half of a pair, and the second */
#define LOW 0xdc00
#define HALVES 0x400            /* how many there are of each */
#define FIRST_PAIR 0x10000      /* the first character that is a pair */

static bool is_utf_16(rt_encoding encoding) {
    return encoding == RT_UTF_16 || encoding == RT_UTF_16_LE || encoding == RT_UTF_16_BE;
}

static uint32_t unit_at(rt_encoding encoding, const char *bytes) {
    const unsigned char *at = (const unsigned char *)bytes;
    return encoding == RT_UTF_16_BE ? (uint32_t)at[0] << 8 | at[1] : (uint32_t)at[1] << 8 | at[0];
}

static bool is_half(uint32_t unit, uint32_t first) { return unit >= first && unit < first + HALVES; }

/* The byte order is that of the mark at the start, which is not part of the text; without one it is
 * that of Windows.  Returns the size of the mark. */
static size_t begin_utf_16(rt_port_object *port, const char *bytes) {
    bool little = memcmp(bytes, "\xff\xfe", UNIT) == 0, big = memcmp(bytes, "\xfe\xff", UNIT) == 0;
    if (port->encoding == RT_UTF_16) port->encoding = big ? RT_UTF_16_BE : RT_UTF_16_LE;
    port->begun = true;
    return (port->encoding == RT_UTF_16_LE ? little : big) ? UNIT : 0;
}

/* Half a pair, and half a unit at the end, are replaced; the first half of a pair at the end of the
 * bytes waits for more. */
static void add_utf_16(rt_port_object *port, const char *bytes, size_t size, bool at_end) {
    size_t at = !port->begun && size >= UNIT ? begin_utf_16(port, bytes) : 0;
    while (size - at >= UNIT) {
        uint32_t unit = unit_at(port->encoding, bytes + at);
        bool high = is_half(unit, HIGH);
        if (high && size - at < PAIR) break;
        uint32_t next = high ? unit_at(port->encoding, bytes + at + UNIT) : 0;
        bool pair = high && is_half(next, LOW);
        bool half = !pair && (high || is_half(unit, LOW));
        rt_text_char(&port->buffer, pair ? FIRST_PAIR + (unit - HIGH) * HALVES + (next - LOW)
                                    : half ? REPLACEMENT
                                           : unit);
        at += pair ? PAIR : UNIT;
    }
    if (at_end && at < size) {
        rt_text_char(&port->buffer, REPLACEMENT);
        at = size;
    }
    port->tail_size = size - at;
    memcpy(port->tail, bytes + at, port->tail_size);
}

static void add_unit(rt_text *to, rt_encoding encoding, uint32_t unit) {
    char high = (char)(unit >> 8), low = (char)(unit & 0xff);
    const char bytes[UNIT] = {encoding == RT_UTF_16_BE ? high : low,
                              encoding == RT_UTF_16_BE ? low : high};
    rt_text_add(to, bytes, UNIT);
}

static void add_as_utf_16(rt_text *to, rt_encoding encoding, const char *from, const char *end) {
    while (from < end) {
        uint32_t code = rt_utf8_next(&from, end);
        if (code >= FIRST_PAIR) {
            add_unit(to, encoding, HIGH + (code - FIRST_PAIR) / HALVES);
            add_unit(to, encoding, LOW + (code - FIRST_PAIR) % HALVES);
        } else
            add_unit(to, encoding, code);
    }
}

/* The characters after `at` in the buffer become UTF-16, or get a byte order mark. */
static void convert_wide_output(rt_port_object *port) {
    const char *from = port->buffer.bytes + port->at, *end = port->buffer.bytes + port->buffer.size;
    rt_text bytes = {NULL, 0, 0};
    if (from == end) return;
    if (port->mark_due) {
        if (port->encoding == RT_UTF_8)
            rt_text_add(&bytes, "\xef\xbb\xbf", 3);
        else
            add_unit(&bytes, port->encoding, 0xfeff);
        port->mark_due = false;
    }
    if (port->encoding == RT_UTF_8)
        rt_text_add(&bytes, from, (size_t)(end - from));
    else
        add_as_utf_16(&bytes, port->encoding, from, end);
    port->buffer.size = port->at;
    rt_text_add(&port->buffer, bytes.bytes, bytes.size);
    port->at = port->buffer.size;
    rt_text_free(&bytes);
}

/* ---- Bytes that are characters ------------------------------------------- */

/* Text before the first byte that is not UTF-8, and so on; an incomplete character at the end of
 * the bytes waits for more, or is replaced if at_end. */
static void add_replaced(rt_port_object *port, const char *bytes, size_t size, bool at_end) {
    size_t at = 0;
    while (at < size) {
        const unsigned char *next = (const unsigned char *)bytes + at;
        int found = rt_utf8_size(next, size - at);
        if (found < 0 && !at_end) break;
        if (found > 0) {
            rt_text_add(&port->buffer, bytes + at, (size_t)found);
            at += (size_t)found;
        } else {
            rt_text_char(&port->buffer, REPLACEMENT);
            at += rt_utf8_bad_size(next, size - at);
        }
    }
    port->tail_size = size - at;
    memcpy(port->tail, bytes + at, port->tail_size);
}

/* Characters of the C library's encodings; a part of one waits for the rest of it. */
static void add_converted(rt_port_object *port, const char *bytes, size_t size, bool at_end) {
    size_t at = rt_convert(port->converter, bytes, size, at_end, true, &port->buffer);
    if (size - at > sizeof port->tail)   /* no character is that long */
        at += rt_convert(port->converter, bytes + at, size - at, true, true, &port->buffer);
    port->tail_size = size - at;
    memcpy(port->tail, bytes + at, port->tail_size);
}

void rt_port_convert_input(rt_port_object *port, const char *bytes, size_t size, bool at_end) {
    if (port->encoding == RT_UTF_8) {
        add_replaced(port, bytes, size, at_end);
        return;
    }
    if (is_utf_16(port->encoding)) {
        add_utf_16(port, bytes, size, at_end);
        return;
    }
    if (port->encoding == RT_CONVERTED) {
        add_converted(port, bytes, size, at_end);
        return;
    }
    for (size_t i = 0; i < size; i++)
        rt_text_char(&port->buffer, rt_code_of_byte(port->encoding, (unsigned char)bytes[i]));
}

/* The error of a port that cannot hold the character at `start`; what has been added is dropped. */
static int fail_character(rt_port_object *port, const char *start, const char *end) {
    char shown[RT_UTF_8_MOST + 1] = {0};
    int found = rt_utf8_size((const unsigned char *)start, (size_t)(end - start));
    memcpy(shown, start, found > 0 ? (size_t)found : 1);
    port->buffer.size = port->at;
    rt_fail("write: %s cannot hold %s: its encoding is %s", port->name, shown,
            port->encoding == RT_LATIN_1       ? "latin-1"
            : port->encoding == RT_WINDOWS_1252 ? "windows-1252"
                                                : rt_converter_name(port->converter));
    return 1;
}

/* The same as below by the C library. */
static int convert_by_library(rt_port_object *port) {
    const char *from = port->buffer.bytes + port->at, *end = port->buffer.bytes + port->buffer.size;
    rt_text bytes = {NULL, 0, 0};
    size_t size = (size_t)(end - from);
    size_t done = rt_convert(port->converter, from, size, false, port->replaces, &bytes);
    int status = done < size ? fail_character(port, from + done, end) : 0;
    if (status == 0) {
        port->buffer.size = port->at;
        rt_text_add(&port->buffer, bytes.bytes, bytes.size);
        port->at = port->buffer.size;
    }
    rt_text_free(&bytes);
    return status;
}

/* The characters after `at` in the buffer become bytes; all of them are dropped if one cannot. */
int rt_port_convert_output(rt_port_object *port) {
    if (rt_text_is_lost(&port->buffer)) return 0;
    if (is_utf_16(port->encoding) || port->mark_due) {
        convert_wide_output(port);
        return 0;
    }
    if (port->encoding == RT_UTF_8) return 0;
    if (port->encoding == RT_CONVERTED) return convert_by_library(port);
    const char *from = port->buffer.bytes + port->at, *end = port->buffer.bytes + port->buffer.size;
    char *to = port->buffer.bytes + port->at;
    while (from < end) {
        const char *start = from;
        int byte = rt_byte_of_code(port->encoding, rt_utf8_next(&from, end));
        if (byte < 0 && !port->replaces) return fail_character(port, start, end);
        *to++ = (char)(byte < 0 ? '?' : byte);
    }
    port->buffer.size = port->at = (size_t)(to - port->buffer.bytes);
    return 0;
}

/* ---- Which encoding ------------------------------------------------------ */

static bool is_named(rt_value v, const char *name) {
    rt_text text = {NULL, 0, 0};
    if (!rt_is_symbol(v) && !rt_is_string(v)) return false;
    rt_show(&text, v, false);
    bool same = text.size == strlen(name);
    for (size_t i = 0; same && i < text.size; i++) {
        char c = text.bytes[i];
        same = (c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) == name[i];
    }
    rt_text_free(&text);
    return same;
}

/* Those with a mark write one at the start of a file. */
static const struct { const char *name; rt_encoding encoding; bool mark; } encodings[] = {
    {"utf-8", RT_UTF_8, false}, {"utf8", RT_UTF_8, false}, {"utf-8-sig", RT_UTF_8, true},
    {"utf-16", RT_UTF_16, true}, {"utf16", RT_UTF_16, true},
    {"utf-16le", RT_UTF_16_LE, false}, {"utf-16-le", RT_UTF_16_LE, false},
    {"utf-16be", RT_UTF_16_BE, false}, {"utf-16-be", RT_UTF_16_BE, false},
    {"latin-1", RT_LATIN_1, false}, {"latin1", RT_LATIN_1, false},
    {"iso-8859-1", RT_LATIN_1, false}, {"windows-1252", RT_WINDOWS_1252, false},
    {"cp1252", RT_WINDOWS_1252, false},
};

static bool is_empty_file(const rt_port_object *port) {
    struct stat facts;
    return fstat(port->file, &facts) != 0 || facts.st_size == 0;
}

bool rt_find_encoding(rt_value name, rt_encoding *encoding, bool *is_marked) {
    for (size_t i = 0; i < sizeof encodings / sizeof *encodings; i++) {
        if (!is_named(name, encodings[i].name)) continue;
        *encoding = encodings[i].encoding;
        *is_marked = encodings[i].mark;
        return true;
    }
    return false;
}

int rt_port_set_encoding(const char *who, rt_port_object *port, rt_value name, rt_value invalid) {
    rt_encoding encoding = RT_UTF_8;
    bool is_marked = false;
    rt_converter *converter = NULL;
    if (name != RT_FALSE && !rt_find_encoding(name, &encoding, &is_marked)) {
        converter = rt_new_converter(name, port->input);
        encoding = RT_CONVERTED;
        RT_CHECK_STATUS(converter != NULL, who,
                        "an encoding such as utf-8, utf-16, latin-1 or windows-1252 for :encoding",
                        name);
    }
    bool replaces = is_named(invalid, "replace");
    if (!replaces && invalid != RT_FALSE && !is_named(invalid, "error")) {
        rt_free_converter(converter);
        rt_fail_wrong_type(who, "replace or error for :invalid", invalid);
        return 1;
    }
    rt_free_converter(port->converter);
    port->converter = converter;
    port->encoding = encoding;
    port->mark_due = !port->input && is_marked && is_empty_file(port);
    port->replaces = replaces;
    return 0;
}

int rt_set_port_encoding(rt_value v, rt_value encoding, rt_value invalid) {
    const char *who = "set-port-encoding!";
    RT_CHECK_STATUS(rt_is_port(v) && !rt_port_of(v)->binary, who, "a textual port", v);
    rt_port_object *port = rt_port_of(v);
    bool is_file = port->file != RT_MEMORY && (port->input || !port->lossy) && port->open;
    if (!is_file || port->offset > 0 || port->buffer.size > 0) {
        rt_fail("%s: only a file that has not been read or written yet can have an encoding", who);
        return 1;
    }
    return rt_port_set_encoding(who, port, encoding, invalid);
}
