"""What programs read from ports.  A read that fails takes nothing from its port."""

from lambent.lang.interp.arguments import index, part
from lambent.lang.interp.builtins.ports import byte_source, text_source
from lambent.lang.interp.errors.faults import no_room, wrong_type
from lambent.lang.interp.io.sources import ByteSource
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
    """Only a line feed ends a line."""
    source = text_source("read-line", port)
    searched = 0
    while True:
        start = source.at
        end = source.text.find("\n", start + searched)
        if end >= 0:
            source.at = end + 1
            return String(source.text[start:end])
        searched = len(source.text) - start
        if not source.fill("read-line"):
            rest = source.text[start:]
            source.at = len(source.text)
            return String(rest) if rest else EOF


def read(port: Lisp = ABSENT) -> Lisp:
    source = text_source("read", port)
    from lambent.lang.interp.io.data_reader import read_datum

    return read_datum(source)


def read_char(port: Lisp = ABSENT) -> Lisp:
    source = text_source("read-char", port)
    at = source.at
    if at == len(source.text):
        if not source.fill("read-char"):
            return EOF
        at = source.at
    source.at = at + 1
    return char(source.text[at])


def peek_char(port: Lisp = ABSENT) -> Lisp:
    source = text_source("peek-char", port)
    if source.at == len(source.text) and not source.fill("peek-char"):
        return EOF
    return char(source.text[source.at])


def is_char_ready(port: Lisp = ABSENT) -> Boolean:
    return boolean(text_source("char-ready?", port).is_ready("char-ready?"))


def read_string(k: Lisp, port: Lisp = ABSENT) -> Lisp:
    count = index("read-string", k)
    source = text_source("read-string", port)
    while len(source.text) - source.at < count and source.fill("read-string"):
        pass
    text = source.text[source.at : source.at + count]
    source.at += len(text)
    return String(text) if text or not count else EOF


def port_to_string(port: Lisp = ABSENT) -> String:
    source = text_source("port->string", port)
    while source.fill("port->string"):
        pass
    try:
        text = source.text[source.at :]
    except MemoryError:
        return no_room("port->string", len(source.text) - source.at, "characters")
    source.at = len(source.text)
    return String(text)


# Bytes.


def read_u8(port: Lisp = ABSENT) -> Lisp:
    source = byte_source("read-u8", port)
    if source.at == len(source.data) and not source.fill("read-u8"):
        return EOF
    source.at += 1
    return source.data[source.at - 1]


def peek_u8(port: Lisp = ABSENT) -> Lisp:
    source = byte_source("peek-u8", port)
    if source.at == len(source.data) and not source.fill("peek-u8"):
        return EOF
    return source.data[source.at]


def is_u8_ready(port: Lisp = ABSENT) -> Boolean:
    return boolean(byte_source("u8-ready?", port).is_ready())


def _take_bytes(who: str, source: ByteSource, count: int) -> bytes:
    while len(source.data) - source.at < count and source.fill(who):
        pass
    data = source.data[source.at : source.at + count]
    source.at += len(data)
    return data


def read_bytevector(k: Lisp, port: Lisp = ABSENT) -> Lisp:
    count = index("read-bytevector", k)
    data = _take_bytes("read-bytevector", byte_source("read-bytevector", port), count)
    return Bytes(bytearray(data)) if data or not count else EOF


def read_into_bytevector(
    target: Lisp, port: Lisp = ABSENT, start: Lisp = 0, end: Lisp = FALSE
) -> Lisp:
    who = "read-bytevector!"
    if target.__class__ is not Bytes:
        wrong_type(who, "a bytevector", target)
    source = byte_source(who, port)
    location = part(who, len(target.data), start, end)
    count = location.stop - location.start
    data = _take_bytes(who, source, count)
    target.data[location.start : location.start + len(data)] = data
    return len(data) if data or not count else EOF
