"""Reads a JSON value from a port's buffer, and writes one to a string, in C.

The definitions in Lisp do what C does not.

    #(port "string->json: " 1 1 0 #f)  =>  the value; line and column are those after it
"""

import re
import sys
from collections.abc import Callable

from lambent.lang.interp.builtins.number_functions import string_to_number
from lambent.lang.interp.io.input_streams import TextInput
from lambent.lang.interp.native import NATIVE
from lambent.lang.interp.values.repeats import refuse_repeats
from lambent.lang.interp.values.values import UNSPECIFIED, Lisp, Port, String

_UNCHECKED = 1 << 24  # a longer text is only written if there is room for it
_MOST_PARSED = 8  # times that the text of a port is parsed, as it comes, before Lisp reads it
_WHITE_SPACE = re.compile("[ \n\t\r]+")
_WHO = "peek-char"  # which reads the port in Lisp
_OF_PORT = "read-json: "  # how messages begin for a port, which is read only as far as necessary


def json_text(text: Lisp, lisp: Callable[[Lisp], Lisp]) -> Lisp:
    """The first value of a text; text is a vector, see stdlib/language/json.lisp."""
    stream = _stream_of(text)
    if stream is None:
        return lisp(text)
    is_document = text.items[1].text != _OF_PORT
    while is_document and stream.read_ahead(_WHO):
        pass
    parsed = 0
    while True:
        value, end, wanted, ended = NATIVE.parse_json(stream.text, stream.at, string_to_number)
        parsed += end - stream.at
        if not ended or is_document or not _read_as_much(stream):
            break
        if parsed > _MOST_PARSED * (len(stream.text) - stream.at):
            return lisp(text)
    if ended and stream.has_fault:
        wanted = wanted or "more of a number"
    _take(text, stream, end)
    if wanted is None:
        return value
    text.items[5] = String(wanted)
    return lisp(text)


def json_skip(text: Lisp, lisp: Callable[[Lisp], Lisp]) -> Lisp:
    """Take white space, which may be long."""
    stream = _stream_of(text)
    if stream is None:
        return lisp(text)
    while True:
        blanks = _WHITE_SPACE.match(stream.text, stream.at)
        _take(text, stream, blanks.end() if blanks else stream.at)
        if stream.at < len(stream.text) or not stream.fill(_WHO):
            return UNSPECIFIED


def _stream_of(text: Lisp) -> TextInput | None:
    """The stream of an open port of text."""
    port = text.items[0]
    is_open = port.__class__ is Port and port.input is not None and port.is_open
    return port.input if is_open and not port.binary else None


def _read_as_much(stream: TextInput) -> bool:
    """Read more text, as much again if that needs no waiting; False if there is no more."""
    size = len(stream.text) - stream.at
    if not stream.read_ahead(_WHO):
        return False
    while len(stream.text) - stream.at < 2 * size and stream.is_ready(_WHO):
        if not stream.read_ahead(_WHO):
            break
    return True


def _take(text: Lisp, stream: TextInput, end: int) -> None:
    """Take what comes before an index, and count its lines."""
    lines = stream.text.count("\n", stream.at, end)
    if lines:
        text.items[2] += lines
        text.items[3] = end - stream.text.rindex("\n", stream.at, end)
    else:
        text.items[3] += end - stream.at
    stream.at = end


def json_written(value: Lisp, lisp: Callable[[Lisp], Lisp]) -> Lisp:
    """The text of a value, without indentation."""
    try:
        text = NATIVE.json_written(value, _UNCHECKED)
    except OverflowError:
        refuse_repeats("json->string", value)
        text = NATIVE.json_written(value, sys.maxsize)
    return lisp(value) if text is None else text
