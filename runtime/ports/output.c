/* output.c - what programs write to ports.  If printing a value fails, none of its text is
 * written. */
#include "ports/ports.h"

static int show(const char *who, rt_value x, rt_value v, rt_style style) {
    rt_port_object *port = rt_output(who, v, false);
    if (port == NULL) return 1;
    size_t before = port->buffer.size;
    if (rt_show_as(&port->buffer, x, style) != 0) {
        port->buffer.size = before;
        return 1;
    }
    return rt_port_written(who, port);
}

int rt_display(rt_value x, rt_value port) { return show("display", x, port, RT_DISPLAY); }
int rt_write(rt_value x, rt_value port) { return show("write", x, port, RT_WRITE); }
int rt_write_shared(rt_value x, rt_value port) { return show("write-shared", x, port, RT_SHARED); }
int rt_write_simple(rt_value x, rt_value port) { return show("write-simple", x, port, RT_SIMPLE); }

rt_value rt_brief(rt_value x) {
    rt_text text = {NULL, 0, 0};
    rt_describe(&text, x);
    return rt_string_of_text(&text);
}

int rt_newline(rt_value v) {
    rt_port_object *port = rt_output("newline", v, false);
    if (port == NULL) return 1;
    rt_text_add(&port->buffer, "\n", 1);
    return rt_port_written("newline", port);
}

int rt_print(size_t count, const rt_value *items) {
    rt_port_object *port = rt_output("print", RT_ABSENT, false);
    if (port == NULL) return 1;
    size_t before = port->buffer.size;
    for (size_t i = 0; i < count; i++) {
        if (i > 0) rt_text_add(&port->buffer, " ", 1);
        if (rt_show(&port->buffer, items[i], false) != 0) {
            port->buffer.size = before;
            return 1;
        }
    }
    rt_text_add(&port->buffer, "\n", 1);
    return rt_port_written("print", port);
}

int rt_write_char(rt_value c, rt_value v) {
    RT_CHECK_STATUS(rt_is_char(c), "write-char", "a character", c);
    rt_port_object *port = rt_output("write-char", v, false);
    if (port == NULL) return 1;
    rt_text_char(&port->buffer, rt_char_code(c));
    return rt_port_written("write-char", port);
}

int rt_write_string(rt_value text, rt_value v, rt_value start, rt_value end) {
    RT_CHECK_STATUS(rt_is_string(text), "write-string", "a string", text);
    rt_port_object *port = rt_output("write-string", v, false);
    size_t from, to, length = rt_string_of(text)->length;
    if (port == NULL || !rt_range_of("write-string", start, end, length, &from, &to)) return 1;
    if (from == 0 && to == length) {
        rt_text_lisp_string(&port->buffer, text);
    } else {
        for (size_t i = from; i < to; i++)
            rt_text_char(&port->buffer, rt_string_at(rt_string_of(text), i));
    }
    return rt_port_written("write-string", port);
}

/* ---- Bytes --------------------------------------------------------------- */

int rt_write_u8(rt_value byte, rt_value v) {
    bool fits = rt_is_fixnum(byte) && rt_fixnum(byte) >= 0 && rt_fixnum(byte) <= UINT8_MAX;
    RT_CHECK_STATUS(fits, "write-u8", "a byte", byte);
    rt_port_object *port = rt_output("write-u8", v, true);
    if (port == NULL) return 1;
    char written = (char)rt_fixnum(byte);
    rt_text_add(&port->buffer, &written, 1);
    return rt_port_written("write-u8", port);
}

int rt_write_bytevector(rt_value bytes, rt_value v, rt_value start, rt_value end) {
    const char *who = "write-bytevector";
    RT_CHECK_STATUS(rt_is_bytes(bytes), who, "a bytevector", bytes);
    rt_port_object *port = rt_output(who, v, true);
    size_t from, to, length = rt_bytes_of(bytes)->length;
    if (port == NULL || !rt_range_of(who, start, end, length, &from, &to)) return 1;
    rt_text_add(&port->buffer, (const char *)rt_bytes_of(bytes)->data + from, to - from);
    return rt_port_written(who, port);
}

/* ---- Flushing ------------------------------------------------------------ */

int rt_flush_output_port(rt_value v) {
    if (v == RT_ABSENT) v = rt_current_port(RT_STANDARD_OUTPUT);
    RT_CHECK_STATUS(rt_is_output_port(v), "flush-output-port", "an output port", v);
    rt_port_object *port = rt_output("flush-output-port", v, rt_port_of(v)->binary);
    return port == NULL ? 1 : rt_port_flush("flush-output-port", port);
}
