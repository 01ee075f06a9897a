/* input.c - what programs read from ports.  A read that fails takes nothing from its port; but one
 * that meets bytes that are not text takes them, so that the next one gets on. */
#include "ports/ports.h"

/* ---- UTF-8, to the letter ------------------------------------------------ */

int rt_utf8_size(const unsigned char *at, size_t have) {
    if (at[0] < 0x80) return 1;
    if (at[0] < 0xc2 || at[0] > 0xf4) return 0;
    int size = at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
    /* The second byte also rules out overlong forms, surrogates, and code points beyond Unicode. */
    unsigned least = at[0] == 0xe0 ? 0xa0 : at[0] == 0xf0 ? 0x90 : 0x80;
    unsigned most = at[0] == 0xed ? 0x9f : at[0] == 0xf4 ? 0x8f : 0xbf;
    if (have > 1 && (at[1] < least || at[1] > most)) return 0;
    for (int i = 2; i < size && (size_t)i < have; i++)
        if ((at[i] & 0xc0) != 0x80) return 0;
    return have < (size_t)size ? -1 : size;
}

/* As many bytes as could begin a character, at least one. */
size_t rt_utf8_bad_size(const unsigned char *at, size_t have) {
    size_t size = 1;
    while (size < have && rt_utf8_size(at, size + 1) < 0) size++;
    return size;
}

/* The same for a port.  In a string port every byte counts as a character if it is not part of one:
 * names of files may not be UTF-8. */
static int size_in(const rt_port_object *port, size_t index, size_t have) {
    int found = rt_utf8_size((const unsigned char *)port->buffer.bytes + index, have);
    return found <= 0 && port->file == RT_MEMORY ? 1 : found;
}

/* The error of a port if no character begins at an index of its buffer. */
static int fail_encoding(const char *who, rt_port_object *port, size_t index) {
    const unsigned char *at = (const unsigned char *)port->buffer.bytes + index;
    unsigned long long byte = port->offset + index;
    rt_text message = {NULL, 0, 0}, hint = {NULL, 0, 0};
    rt_text_format(&message, "%s: %s is not UTF-8 text (byte %llu)", who,
                   port->name != NULL ? port->name : "the input", byte);
    rt_text_string(&hint, "open the file with :invalid 'replace, or with :encoding 'latin-1, "
                          "'windows-1252 or 'utf-16");
    rt_fail_text(&message, &hint);
    rt_categorize_error(RT_READ_ERROR);
    port->at = index + rt_utf8_bad_size(at, port->buffer.size - index);
    return -1;
}

int rt_port_peek(const char *who, rt_port_object *port, uint32_t *code, size_t *size) {
    for (;;) {
        size_t have = port->buffer.size - port->at;
        const char *at = port->buffer.bytes + port->at;
        int found = have > 0 ? size_in(port, port->at, have) : -1;
        if (found == 0) return fail_encoding(who, port, port->at);
        if (found > 0) {
            *size = (size_t)found;
            *code = rt_utf8_next(&at, at + found);
            return 1;
        }
        int64_t more = rt_port_fill(who, port);
        if (more < 0) return -1;
        if (more == 0) return have > 0 ? fail_encoding(who, port, port->at) : 0;
    }
}

bool rt_port_is_text(const char *who, rt_port_object *port, size_t size) {
    if (rt_are_ascii(port->buffer.bytes + port->at, size)) return true;
    for (size_t i = 0; i < size;) {
        int found = size_in(port, port->at + i, size - i);
        if (found <= 0) {
            fail_encoding(who, port, port->at + i);
            return false;
        }
        i += (size_t)found;
    }
    return true;
}

/* Consume the next size bytes as a string, and then `skipped` more. */
static rt_value take(const char *who, rt_port_object *port, size_t size, size_t skipped) {
    if (!rt_port_is_text(who, port, size)) return RT_ERROR;
    rt_value text = rt_string_of_utf8(port->buffer.bytes + port->at, size);
    port->at += size + skipped;
    if (text == RT_ERROR) rt_fail_room(who, size, "characters");
    return text;
}

/* ---- Lines and characters ------------------------------------------------ */

/* A line ends with a line feed, a carriage return, or a return and a line feed. */
static const char *line_end(const char *from, const char *to) {
    const char *feed = from < to ? memchr(from, '\n', (size_t)(to - from)) : NULL;
    const char *end = feed != NULL ? feed : to;
    const char *carriage_return = from < end ? memchr(from, '\r', (size_t)(end - from)) : NULL;
    return carriage_return != NULL ? carriage_return : feed;
}

/* Take a line of that size, whose end is in the buffer. */
static rt_value take_line(rt_port_object *port, size_t size) {
    size_t end = port->at + size, next = end + 1;
    bool returns = port->buffer.bytes[end] == '\r';
    if (returns && next < port->buffer.size) next += port->buffer.bytes[next] == '\n';
    else port->skips_line_feed = returns;
    rt_value line = take("read-line", port, size, next - end);
    port->at = next;   /* also if it is not text */
    return line;
}

rt_value rt_read_line(rt_value v) {
    rt_port_object *port = rt_input("read-line", v, false);
    if (port == NULL) return RT_ERROR;
    size_t searched = 0;
    for (;;) {
        size_t have = port->buffer.size - port->at;
        const char *start = port->buffer.bytes + port->at;
        const char *end = line_end(start + searched, start + have);
        if (end != NULL) return take_line(port, (size_t)(end - start));
        searched = have;
        int64_t more = rt_port_fill("read-line", port);
        if (more < 0) return RT_ERROR;
        if (more > 0) continue;
        if (have == 0) return RT_EOF;
        rt_value line = take("read-line", port, have, 0);
        port->at = port->buffer.size;
        return line;
    }
}

/* Whether the next character is in the buffer and is ASCII: the usual case, without its size. */
static inline bool has_ascii(const rt_port_object *port) {
    return port->at < port->buffer.size && (signed char)port->buffer.bytes[port->at] >= 0;
}

rt_value rt_read_char(rt_value v) {
    rt_port_object *port = rt_input("read-char", v, false);
    if (port == NULL) return RT_ERROR;
    if (RT_LIKELY(has_ascii(port))) return RT_CHAR((unsigned char)port->buffer.bytes[port->at++]);
    uint32_t code;
    size_t size;
    int found = rt_port_peek("read-char", port, &code, &size);
    if (found <= 0) return found < 0 ? RT_ERROR : RT_EOF;
    port->at += size;
    return RT_CHAR(code);
}

rt_value rt_peek_char(rt_value v) {
    rt_port_object *port = rt_input("peek-char", v, false);
    if (port == NULL) return RT_ERROR;
    if (RT_LIKELY(has_ascii(port))) return RT_CHAR((unsigned char)port->buffer.bytes[port->at]);
    uint32_t code;
    size_t size;
    int found = rt_port_peek("peek-char", port, &code, &size);
    return found > 0 ? RT_CHAR(code) : found < 0 ? RT_ERROR : RT_EOF;
}

int rt_is_char_ready(rt_value v, bool *result) {
    rt_port_object *port = rt_input("char-ready?", v, false);
    if (port == NULL) return 1;
    for (;;) {
        size_t have = port->buffer.size - port->at;
        bool complete = have > 0 && size_in(port, port->at, have) >= 0;
        *result = complete || rt_port_is_ready(port);
        if (complete || !*result) return 0;
        int64_t more = rt_port_fill("char-ready?", port);   /* does not wait */
        if (more <= 0) return more < 0;
    }
}

/* The size in bytes of the next count characters, or of fewer if the file ends before; -1 after an
 * error. */
static int64_t size_of_characters(const char *who, rt_port_object *port, size_t count) {
    size_t size = 0;
    while (count > 0) {
        size_t have = port->buffer.size - port->at;
        int found = have > size ? size_in(port, port->at + size, have - size) : -1;
        if (found == 0) return fail_encoding(who, port, port->at + size);
        if (found > 0) {
            size += (size_t)found;
            count--;
            continue;
        }
        int64_t more = rt_port_fill(who, port);
        if (more < 0) return -1;
        if (more == 0) return have > size ? fail_encoding(who, port, port->at + size) : (int64_t)size;
    }
    return (int64_t)size;
}

rt_value rt_read_string(rt_value k, rt_value v) {
    size_t count;
    if (!rt_index_of("read-string", k, SIZE_MAX, SIZE_MAX, &count)) return RT_ERROR;
    rt_port_object *port = rt_input("read-string", v, false);
    if (port == NULL) return RT_ERROR;
    int64_t size = size_of_characters("read-string", port, count);
    if (size < 0) return RT_ERROR;
    return size == 0 && count > 0 ? RT_EOF : take("read-string", port, (size_t)size, 0);
}

rt_value rt_port_to_string(rt_value v) {
    rt_port_object *port = rt_input("port->string", v, false);
    if (port == NULL) return RT_ERROR;
    int64_t more;
    while ((more = rt_port_fill("port->string", port)) > 0) continue;
    return more < 0 ? RT_ERROR : take("port->string", port, port->buffer.size - port->at, 0);
}

/* ---- Bytes --------------------------------------------------------------- */

/* Whether a byte can be read: 1 if so, 0 at the end of the file, -1 after an error. */
static int has_byte(const char *who, rt_port_object *port) {
    if (port->at < port->buffer.size) return 1;
    int64_t more = rt_port_fill(who, port);
    return more < 0 ? -1 : more > 0;
}

static rt_value next_byte(const char *who, rt_value v, size_t taken) {
    rt_port_object *port = rt_input(who, v, true);
    if (port == NULL) return RT_ERROR;
    int found = has_byte(who, port);
    if (found <= 0) return found < 0 ? RT_ERROR : RT_EOF;
    rt_value byte = rt_of_fixnum((unsigned char)port->buffer.bytes[port->at]);
    port->at += taken;
    return byte;
}

rt_value rt_read_u8(rt_value port) { return next_byte("read-u8", port, 1); }
rt_value rt_peek_u8(rt_value port) { return next_byte("peek-u8", port, 0); }

int rt_is_u8_ready(rt_value v, bool *result) {
    rt_port_object *port = rt_input("u8-ready?", v, true);
    if (port == NULL) return 1;
    *result = port->at < port->buffer.size || rt_port_is_ready(port);
    return 0;
}

/* Read until the buffer has count bytes or the file ends.  Returns how many, or -1 after an
 * error. */
static int64_t gather(const char *who, rt_port_object *port, size_t count) {
    while (port->buffer.size - port->at < count) {
        int64_t more = rt_port_fill(who, port);
        if (more < 0) return -1;
        if (more == 0) break;
    }
    size_t have = port->buffer.size - port->at;
    return (int64_t)(have < count ? have : count);
}

rt_value rt_read_bytevector(rt_value k, rt_value v) {
    size_t count;
    if (!rt_index_of("read-bytevector", k, SIZE_MAX, SIZE_MAX, &count)) return RT_ERROR;
    rt_port_object *port = rt_input("read-bytevector", v, true);
    int64_t size = port == NULL ? -1 : gather("read-bytevector", port, count);
    if (size < 0) return RT_ERROR;
    if (size == 0 && count > 0) return RT_EOF;
    rt_value bytes = rt_new_bytes((size_t)size, port->buffer.bytes + port->at);
    port->at += (size_t)size;
    return bytes;
}

rt_value rt_read_into_bytevector(rt_value bytes, rt_value v, rt_value start, rt_value end) {
    const char *who = "read-bytevector!";
    RT_CHECK(rt_is_bytes(bytes), who, "a bytevector", bytes);
    rt_port_object *port = rt_input(who, v, true);
    size_t from, to, length = rt_bytes_of(bytes)->length;
    if (port == NULL || !rt_range_of(who, start, end, length, &from, &to)) return RT_ERROR;
    int64_t size = gather(who, port, to - from);
    if (size < 0) return RT_ERROR;
    if (size == 0) return to > from ? RT_EOF : rt_of_fixnum(0);
    memcpy(rt_bytes_of(bytes)->data + from, port->buffer.bytes + port->at, (size_t)size);
    port->at += (size_t)size;
    return rt_of_fixnum(size);
}
