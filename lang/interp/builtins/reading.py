"""Reading from ports.  A read that fails takes nothing from its port."""

from lambent.lang.errors import ReadFault
from lambent.lang.interp.builtins.arguments import index, slice_of
from lambent.lang.interp.builtins.ports import bytes_input, text_input
from lambent.lang.interp.errors.faults import no_room, wrong_type
from lambent.lang.interp.io.input_streams import BytesInput
from lambent.lang.interp.values.values import (
    ABSENT,
    EOF,
    FALSE,
    Boolean,
    Bytes,
    Lisp,
    String,
    boolean,
    char,
)


def read_line(port: Lisp = ABSENT) -> Lisp:
    """A line ends with a line feed, a carriage return, or a return and a line feed."""
    stream = text_input("read-line", port)
    searched = 0
    while True:
        start, text = stream.at, stream.text
        end = text.find("\n", start + searched)
        carriage_return = text.find("\r", start + searched, end if end >= 0 else len(text))
        if carriage_return >= 0:
            end = carriage_return
        if end >= 0:
            stream.end_line(end)
            return String(text[start:end])
        searched = len(text) - start
        try:
            has_more = stream.fill("read-line")
        except ReadFault:
            stream.skip_line("read-line")
            raise
        if not has_more:
            rest = stream.text[start:]
            stream.at = len(stream.text)
            return String(rest) if rest else EOF


def read(port: Lisp = ABSENT) -> Lisp:
    stream = text_input("read", port)
    from lambent.lang.interp.io.data_reader import read_datum

    return read_datum(stream)


def read_char(port: Lisp = ABSENT) -> Lisp:
    stream = text_input("read-char", port)
    at = stream.at
    if at == len(stream.text):
        if not stream.fill("read-char"):
            return EOF
        at = stream.at
    stream.at = at + 1
    return char(stream.text[at])


def peek_char(port: Lisp = ABSENT) -> Lisp:
    stream = text_input("peek-char", port)
    if stream.at == len(stream.text) and not stream.fill("peek-char"):
        return EOF
    return char(stream.text[stream.at])


def is_char_ready(port: Lisp = ABSENT) -> Boolean:
    return boolean(text_input("char-ready?", port).is_ready("char-ready?"))


def read_string(k: Lisp, port: Lisp = ABSENT) -> Lisp:
    count = index("read-string", k)
    stream = text_input("read-string", port)
    while len(stream.text) - stream.at < count and stream.fill("read-string"):
        pass
    text = stream.text[stream.at : stream.at + count]
    stream.at += len(text)
    return String(text) if text or not count else EOF


def port_to_string(port: Lisp = ABSENT) -> String:
    stream = text_input("port->string", port)
    while stream.fill("port->string"):
        pass
    try:
        text = stream.text[stream.at :]
    except MemoryError:
        return no_room("port->string", len(stream.text) - stream.at, "characters")
    stream.at = len(stream.text)
    return String(text)


# Bytes.


def read_u8(port: Lisp = ABSENT) -> Lisp:
    stream = bytes_input("read-u8", port)
    if stream.at == len(stream.data) and not stream.fill("read-u8"):
        return EOF
    stream.at += 1
    return stream.data[stream.at - 1]


def peek_u8(port: Lisp = ABSENT) -> Lisp:
    stream = bytes_input("peek-u8", port)
    if stream.at == len(stream.data) and not stream.fill("peek-u8"):
        return EOF
    return stream.data[stream.at]


def is_u8_ready(port: Lisp = ABSENT) -> Boolean:
    return boolean(bytes_input("u8-ready?", port).is_ready())


def _take_bytes(who: str, stream: BytesInput, count: int) -> bytes:
    while len(stream.data) - stream.at < count and stream.fill(who):
        pass
    data = stream.data[stream.at : stream.at + count]
    stream.at += len(data)
    return data


def read_bytevector(k: Lisp, port: Lisp = ABSENT) -> Lisp:
    count = index("read-bytevector", k)
    data = _take_bytes("read-bytevector", bytes_input("read-bytevector", port), count)
    return Bytes(bytearray(data)) if data or not count else EOF


def read_into_bytevector(
    target: Lisp, port: Lisp = ABSENT, start: Lisp = 0, end: Lisp = FALSE
) -> Lisp:
    who = "read-bytevector!"
    if target.__class__ is not Bytes:
        wrong_type(who, "a bytevector", target)
    stream = bytes_input(who, port)
    replaced = slice_of(who, len(target.data), start, end)
    count = replaced.stop - replaced.start
    data = _take_bytes(who, stream, count)
    target.data[replaced.start : replaced.start + len(data)] = data
    return len(data) if data or not count else EOF
