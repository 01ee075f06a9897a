"""Writing to ports."""

from collections.abc import Callable

from lambent.lang.errors import LispError
from lambent.lang.interp.builtins.arguments import byte_of, slice_of, text_of
from lambent.lang.interp.builtins.bytes import part_of
from lambent.lang.interp.builtins.ports import CURRENT, is_output
from lambent.lang.interp.errors.faults import no_room, shown, wrong_type
from lambent.lang.interp.io.output_streams import BytesOutput, StringOutput
from lambent.lang.interp.io.printing import displayed, written, written_shared, written_simple
from lambent.lang.interp.values.values import (
    ABSENT,
    FALSE,
    UNSPECIFIED,
    Bytes,
    Char,
    Lisp,
    Port,
    String,
)

_OUTPUT = 1


def _put(who: str, port: Lisp) -> Callable[[str], object]:
    """The function that writes text to a port."""
    if port is ABSENT:
        port = CURRENT[_OUTPUT][0]
    if port.__class__ is Port and port.put is not None:
        return port.put
    if not is_output(port) or port.binary:
        wrong_type(who, "a textual output port", port)
    raise LispError(f"{who}: the port is closed")


def _send(who: str, port: Lisp, text: str) -> None:
    try:
        _put(who, port)(text)
    except MemoryError:
        _no_room(who, port, len(text))


def _no_room(who: str, port: Lisp, size: int) -> None:
    """Called in the handler of a MemoryError; fails for a string port that cannot grow."""
    output = (CURRENT[_OUTPUT][0] if port is ABSENT else port).output
    if not isinstance(output, StringOutput):
        raise
    no_room(who, sum(map(len, output.parts)) + size, "characters")


def display(x: Lisp, port: Lisp = ABSENT) -> Lisp:
    _send("display", port, displayed(x))
    return UNSPECIFIED


def write(x: Lisp, port: Lisp = ABSENT) -> Lisp:
    _send("write", port, written(x))
    return UNSPECIFIED


def write_shared(x: Lisp, port: Lisp = ABSENT) -> Lisp:
    _send("write-shared", port, written_shared(x))
    return UNSPECIFIED


def write_simple(x: Lisp, port: Lisp = ABSENT) -> Lisp:
    _send("write-simple", port, written_simple(x))
    return UNSPECIFIED


def brief(x: Lisp) -> String:
    return String(shown(x))


def newline(port: Lisp = ABSENT) -> Lisp:
    _send("newline", port, "\n")
    return UNSPECIFIED


def print_(*items: Lisp) -> Lisp:
    _send("print", ABSENT, " ".join([displayed(item) for item in items]) + "\n")
    return UNSPECIFIED


def write_char(c: Lisp, port: Lisp = ABSENT) -> Lisp:
    if c.__class__ is not Char:
        wrong_type("write-char", "a character", c)
    _send("write-char", port, c.char)
    return UNSPECIFIED


def write_string(text: Lisp, port: Lisp = ABSENT, start: Lisp = 0, end: Lisp = FALSE) -> Lisp:
    written = text_of("write-string", text)
    put = _put("write-string", port)
    if not (start == 0 and end is FALSE):
        written = written[slice_of("write-string", len(written), start, end)]
    try:
        put(written)
    except MemoryError:
        _no_room("write-string", port, len(written))
    return UNSPECIFIED


def _put_bytes(who: str, port: Lisp, data: bytes | bytearray) -> None:
    if port is ABSENT:
        port = CURRENT[_OUTPUT][0]
    if not is_output(port) or not port.binary:
        wrong_type(who, "a binary output port", port)
    if not port.is_open:
        raise LispError(f"{who}: the port is closed")
    try:
        port.output.put_bytes(who, data)
    except MemoryError:
        if isinstance(port.output, BytesOutput):
            no_room(who, len(port.output.data) + len(data), "bytes")
        raise


def write_u8(byte: Lisp, port: Lisp = ABSENT) -> Lisp:
    _put_bytes("write-u8", port, bytes((byte_of("write-u8", byte),)))
    return UNSPECIFIED


def write_bytevector(
    source: Lisp, port: Lisp = ABSENT, start: Lisp = 0, end: Lisp = FALSE
) -> Lisp:
    if source.__class__ is not Bytes:
        wrong_type("write-bytevector", "a bytevector", source)
    _put_bytes("write-bytevector", port, b"")
    data = part_of(source.data, slice_of("write-bytevector", len(source.data), start, end))
    _put_bytes("write-bytevector", port, data)
    return UNSPECIFIED


def flush_output_port(port: Lisp = ABSENT) -> Lisp:
    if port is ABSENT:
        port = CURRENT[_OUTPUT][0]
    if not is_output(port):
        wrong_type("flush-output-port", "an output port", port)
    if not port.is_open:
        raise LispError("flush-output-port: the port is closed")
    port.output.flush("flush-output-port")
    return UNSPECIFIED
