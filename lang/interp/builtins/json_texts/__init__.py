"""JSON: the values of texts, and the texts of values.

The counterpart in executables is `runtime/ports/json_values.c`.  `native/json_values.c` has the
reader in C, over the runtime's; `reading.py` is used where that module is not.
"""

import sys
from typing import NoReturn

from lambent.lang.errors import LispError, ReadFault
from lambent.lang.interp.builtins.arguments import text_of
from lambent.lang.interp.builtins.json_texts.reading import SPACE, parse_json
from lambent.lang.interp.builtins.number_functions import string_to_number
from lambent.lang.interp.builtins.ports import text_input
from lambent.lang.interp.errors.faults import wrong_type
from lambent.lang.interp.io.input_streams import TextInput
from lambent.lang.interp.native import NATIVE, in_native
from lambent.lang.interp.values.repeats import refuse_repeats
from lambent.lang.interp.values.values import FALSE, Lisp, String

_WHO = "read-json"
_FIRST_PART = 4096  # characters of a port's text that are looked at first
_UNCHECKED = 1 << 24  # a longer text is only written if there is room for it

_parse_json = in_native(parse_json)


def json_value(text: Lisp, begins: Lisp, line: Lisp, document: Lisp) -> Lisp:
    begin = text_of(_WHO, begins)
    if line.__class__ is not int:
        wrong_type(_WHO, "an index", line)
    if text.__class__ is String:
        value, taken, wanted, got = _parse_json(text.text, None, string_to_number, True)
        if wanted is not None and got is not None:
            _fail(begin, line, text.text[:taken], wanted, got)
        return value
    stream = text_input(_WHO, text)
    parts = _Parts(stream)
    lines, columns = parts.skip_space()
    value, taken, wanted, got = _parse_json("", parts.next, string_to_number, document is not FALSE)
    before, stream.at = stream.at, stream.at + taken
    if wanted is not None and got is not None:
        _fail(begin, line + lines, stream.text[before : stream.at], wanted, got, columns)
    return value


class _Parts:
    """The text of a port, part by part, each about as long as all before; nothing is taken."""

    def __init__(self, stream: TextInput) -> None:
        self._stream = stream
        self._size = 0  # of the parts so far

    def skip_space(self) -> tuple[int, int]:
        """Take the white space before a value, so that it needs no memory: how many lines end in
        it, and how many columns follow."""
        stream = self._stream
        lines = columns = 0
        while True:
            space = SPACE.match(stream.text, stream.at)
            assert space
            stream.at = space.end()
            if ends := space[0].count("\n"):
                lines, columns = lines + ends, 0
            columns += len(space[0]) - (space[0].rfind("\n") + 1)
            if stream.at < len(stream.text) or not self._read():
                return lines, columns

    def next(self) -> str:
        stream = self._stream
        if self._size == len(stream.text) - stream.at:
            self._read()
        start = stream.at + self._size
        part = stream.text[start : start + max(_FIRST_PART, self._size)]
        self._size += len(part)
        return part

    def _read(self) -> bool:
        try:
            return self._stream.fill(_WHO)
        except ReadFault as fault:
            raise ReadFault(fault.message, hint="JSON texts are in UTF-8") from None


def _fail(
    begin: str, line: int, before: str, wanted: str, got: str, columns: int = 0
) -> NoReturn:
    """Raise the error of a text that is wrong after that part, which begins after some columns."""
    if ends := before.count("\n"):
        line, columns = line + ends, 0
    column = columns + len(before) - (before.rfind("\n") + 1) + 1
    raise LispError(f"{begin}line {line}, column {column}: expected {wanted}, got {got}")


def json_written(value: Lisp) -> Lisp:
    if NATIVE is None:
        return FALSE
    try:
        text = NATIVE.json_written(value, _UNCHECKED)
    except OverflowError:
        refuse_repeats("json->string", value)
        text = NATIVE.json_written(value, sys.maxsize)
    return FALSE if text is None else text
