"""Bytevectors, and strings as UTF-8."""

from lambent.lang.errors import LispError
from lambent.lang.interp.builtins.arguments import byte_of, index, size_of, slice_of, text_of
from lambent.lang.interp.errors.faults import need_room, out_of_range, wrong_type
from lambent.lang.interp.values.values import (
    FALSE,
    UNSPECIFIED,
    Boolean,
    Bytes,
    Lisp,
    String,
    boolean,
)


def _data(name: str, x: Lisp) -> bytearray:
    if x.__class__ is not Bytes:
        wrong_type(name, "a bytevector", x)
    return x.data


# Repeating, slicing or joining a bytearray, CPython makes one whose fields are not set if there is
# no memory for its elements, and complains on the standard error.  A bytearray of a buffer is safe.


def part_of(data: bytearray, wanted: slice) -> bytes:
    """Some of the elements."""
    return bytes(memoryview(data)[wanted])


def is_bytevector(x: Lisp) -> Boolean:
    return boolean(x.__class__ is Bytes)


# Creating.


def bytevector(*items: Lisp) -> Bytes:
    return Bytes(bytearray([byte_of("bytevector", item) for item in items]))


def make_bytevector(length: Lisp, fill: Lisp = 0) -> Bytes:
    count = size_of("make-bytevector", length)
    byte = byte_of("make-bytevector", fill)
    if byte == 0:
        need_room("make-bytevector", count, "bytes", 1)
        return Bytes(bytearray(count))
    need_room("make-bytevector", count, "bytes", 2)
    return Bytes(bytearray(bytes([byte]) * count))


def bytevector_copy(x: Lisp, start: Lisp = 0, end: Lisp = FALSE) -> Bytes:
    data = _data("bytevector-copy", x)
    wanted = slice_of("bytevector-copy", len(data), start, end)
    return Bytes(bytearray(memoryview(data)[wanted]))


def bytevector_append(*parts: Lisp) -> Bytes:
    data = [_data("bytevector-append", x) for x in parts]
    need_room("bytevector-append", sum(map(len, data)), "bytes", 2)
    return Bytes(bytearray(b"".join(data)))


# Elements.


def bytevector_length(x: Lisp) -> int:
    return len(_data("bytevector-length", x))


def _element_index(name: str, data: bytearray, k: Lisp) -> int:
    at = index(name, k)
    if at >= len(data):
        out_of_range(name, at, len(data))
    return at


def bytevector_u8_ref(x: Lisp, k: Lisp) -> int:
    data = _data("bytevector-u8-ref", x)
    return data[_element_index("bytevector-u8-ref", data, k)]


def bytevector_u8_set(x: Lisp, k: Lisp, byte: Lisp) -> Lisp:
    data = _data("bytevector-u8-set!", x)
    at = _element_index("bytevector-u8-set!", data, k)
    data[at] = byte_of("bytevector-u8-set!", byte)
    return UNSPECIFIED


def bytevector_fill(x: Lisp, fill: Lisp, start: Lisp = 0, end: Lisp = FALSE) -> Lisp:
    data = _data("bytevector-fill!", x)
    filled = slice_of("bytevector-fill!", len(data), start, end)
    byte = byte_of("bytevector-fill!", fill)
    data[filled] = bytes([byte]) * (filled.stop - filled.start)
    return UNSPECIFIED


def bytevector_copy_to(
    to: Lisp, at: Lisp, source: Lisp, start: Lisp = 0, end: Lisp = FALSE
) -> Lisp:
    name = "bytevector-copy!"
    target = _data(name, to)
    first = index(name, at)
    if first > len(target):
        out_of_range(name, first, len(target))
    data = _data(name, source)
    copied = part_of(data, slice_of(name, len(data), start, end))
    if len(copied) > len(target) - first:
        out_of_range(name, first + len(copied), len(target))
    target[first : first + len(copied)] = copied
    return UNSPECIFIED


# UTF-8.


def utf8_to_string(x: Lisp, start: Lisp = 0, end: Lisp = FALSE) -> String:
    data = _data("utf8->string", x)
    decoded = slice_of("utf8->string", len(data), start, end)
    try:
        return String(part_of(data, decoded).decode())
    except UnicodeDecodeError as error:
        at = decoded.start + error.start
    raise LispError(f"utf8->string: invalid UTF-8 at index {at}")


def string_to_utf8_bytes(x: Lisp, start: Lisp = 0, end: Lisp = FALSE) -> Bytes:
    text = text_of("string->utf8", x)
    encoded = text[slice_of("string->utf8", len(text), start, end)]
    return Bytes(bytearray(encoded.encode("utf-8", "surrogateescape")))
