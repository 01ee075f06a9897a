"""Reads a JSON value from a port's buffer, and writes one to a string, in C.

The definitions in Lisp do what C does not.

    #(port "string->json: " 1 1)  =>  the value; line and column are those after it
"""

import sys
from collections.abc import Callable

from lambent.lang.errors import LispError
from lambent.lang.interp.io.input_streams import TextInput
from lambent.lang.interp.native import NATIVE
from lambent.lang.interp.values.repeats import refuse_repeats
from lambent.lang.interp.values.values import Lisp, Port

_UNCHECKED = 1 << 24  # a longer text is only written if there is room for it
_OF_PORT = "read-json: "  # how messages begin for a port, which is read only as far as necessary


def json_text(text: Lisp, lisp: Callable[[Lisp], Lisp]) -> Lisp:
    """The first value of a text; text is a vector, see stdlib/language/json.lisp."""
    port, begin, line, column = text.items[:4]
    if port.__class__ is not Port or port.input is None or port.binary or not port.is_open:
        return lisp(text)
    stream = port.input
    complete = stream.is_string or (begin.text != _OF_PORT and _fill(stream))
    found = NATIVE.parse_json(stream.text, stream.at)
    if found is None or (not complete and found[1] == len(stream.text)):  # a number may go on
        return lisp(text)
    value, end = found
    lines = stream.text.count("\n", stream.at, end)
    if lines:
        text.items[2] = line + lines
        text.items[3] = end - stream.text.rindex("\n", stream.at, end)
    else:
        text.items[3] = column + end - stream.at
    stream.at = end
    return value


def _fill(stream: TextInput) -> bool:
    """Read all of a file; False if that fails, which the definition in Lisp finds again."""
    try:
        while stream.fill("read-char"):
            pass
    except LispError:
        return False
    return True


def json_written(value: Lisp, lisp: Callable[[Lisp], Lisp]) -> Lisp:
    """The text of a value, without indentation."""
    try:
        text = NATIVE.json_written(value, _UNCHECKED)
    except OverflowError:
        refuse_repeats("json->string", value)
        text = NATIVE.json_written(value, sys.maxsize)
    return lisp(value) if text is None else text
