"""Strings, numbers and tables as C writes them."""

import math


def c_string(text: str) -> str:
    """A C string literal of the UTF-8 of the text, a NUL written as rt.h says.

    Names of files may have bytes that are not UTF-8.
    """
    return c_bytes(text.encode("utf-8", "surrogateescape").replace(b"\0", b"\xc0\x80"))


def c_bytes(data: bytes) -> str:
    """A C string literal of the bytes."""
    literal = '"' + data.decode("latin-1").translate(_ESCAPES).replace("??", "?\\?") + '"'
    # C99 promises 4095 characters; every compiler takes more, and gcc is told not to object.
    return literal if len(data) < 4096 else f"__extension__ {literal}"


# How C writes the bytes that do not stand for themselves.
_ESCAPES = {
    **{byte: f"\\{byte:03o}" for byte in (*range(32), *range(127, 256))},
    **str.maketrans({'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}),
}


def c_integer(number: int) -> str:
    """A C expression of this integer, in 64 bits whatever stands around it.

    C computes with the types of the operands: `86400000 * 365` is an int, and overflows.
    """
    if number == -(2**63):
        return "INT64_MIN"
    return f"({number}LL)" if number < 0 else f"{number}LL"


def c_double(number: float) -> str:
    """A C expression of exactly this double."""
    if math.isnan(number):
        return "(double)NAN"
    if math.isinf(number):
        return "(double)INFINITY" if number > 0 else "(-(double)INFINITY)"
    text = repr(number)
    return f"({text})" if text.startswith("-") else text


def c_struct(**fields: str) -> str:
    """An initializer of a struct: `{.line = 3, .in = "f"}`.  C makes the fields without value
    zero, so those are left out."""
    given = [f".{name} = {value}" for name, value in fields.items() if value not in _ZEROS]
    return f"{{{', '.join(given)}}}"


def c_boolean(value: bool) -> str:
    return "true" if value else "false"


_ZEROS = ("NULL", "0", "0LL", "false")
