"""The reader of JSON for machines without the C module: the same as `native/json_values.c`.

    parse_json("[1, 2]", None, string_to_number, True)  =>  ((1 2), 6, None, None)
    parse_json("[1 2]", None, string_to_number, True)   =>  (None, 3, "',' or ']'", "'2'")
"""

import re
from collections.abc import Callable
from typing import Any

from lambent.lang.interp.values.values import (
    EOF,
    FALSE,
    TRUE,
    HashTable,
    Lisp,
    String,
    list_of,
    symbol,
)

_DEEPEST = 1000  # as in runtime/text/json.h
SPACE, _DIGITS = re.compile("[ \n\t\r]*"), re.compile("[0-9]*")
_ORDINARY = re.compile('[^"\\\\\0-\x1f]*')
_ESCAPES = dict(zip('"\\/bfnrt', '"\\/\b\f\n\r\t', strict=True))
_WORDS = {"t": ("true", TRUE), "f": ("false", FALSE), "n": ("null", symbol("null"))}
_CLOSING = {"{": "}", "[": "]"}
_LEAST_SURROGATE, _LEAST_LOW, _LAST_SURROGATE = 0xD800, 0xDC00, 0xDFFF

More = Callable[[], str] | None
Numbers = Callable[[String], Lisp]


def parse_json(
    text: str, more: More, number_of: Numbers, is_document: bool
) -> tuple[Lisp | None, int, str | None, str | None]:
    """A value, or #<eof>, and how many characters it took; or None, where the text is wrong, what
    was expected there, and what is there.

    more(): the text that follows, or the empty one; None if there is none.
    """
    reader = _Reader(text, more, number_of)
    try:
        if not is_document and not reader.skip(SPACE):
            return EOF, reader.at, None, None
        value = reader.value()
        if is_document and reader.skip(SPACE):
            raise _WrongTextError("the end of the text")
    except _WrongTextError as wrong:
        return None, reader.at, str(wrong), reader.shown()
    return value, reader.at, None, None


class _WrongTextError(Exception):
    """What was expected instead of the next character."""


class _Reader:
    """A text that is read from index `at` on."""

    def __init__(self, text: str, more: More, number_of: Numbers) -> None:
        self.at = 0
        self._text = text
        self._more = more
        self._number_of = number_of

    def _peek(self) -> str:
        """The next character; the empty text at the end."""
        if self.at == len(self._text):
            self._text += self._more() if self._more else ""
        return self._text[self.at : self.at + 1]

    def skip(self, pattern: re.Pattern[str]) -> str:
        """The next character that does not fit the pattern, which fits any text in parts."""
        while True:
            found = pattern.match(self._text, self.at)
            assert found
            self.at = found.end()
            c = self._peek()
            if not c or not pattern.fullmatch(c):
                return c

    def shown(self) -> str:
        c = self._peek()
        if c and c < " ":
            return f"the control character {ord(c)}"
        return f"'{c}'" if c else "the end of the text"

    def _take(self, wanted: str, text: str) -> None:
        for c in text:
            if self._peek() != c:
                raise _WrongTextError(wanted)
            self.at += 1

    def value(self) -> Lisp:
        """The next value.  Brackets may nest more deeply than calls of Python."""
        opened: list[list[Lisp] | dict[str, tuple[String, Lisp]]] = []
        keys: list[str] = []
        while True:
            c = self.skip(SPACE)
            if c not in _CLOSING:
                value = self._plain(c)
            elif self._opens_full(c, opened, keys):
                continue
            else:
                value = _finished(opened.pop())
            while opened and not self._goes_on(value, opened[-1], keys):
                value = _finished(opened.pop())
            if not opened:
                return value

    def _opens_full(self, bracket: str, opened: list[Any], keys: list[str]) -> bool:
        """Take an opening bracket; if nothing is in it, the closing one, too."""
        if len(opened) == _DEEPEST:
            raise _WrongTextError(f"at most {_DEEPEST} nested brackets")
        self.at += 1
        opened.append({} if bracket == "{" else [])
        if self.skip(SPACE) == _CLOSING[bracket]:
            self.at += 1
            return False
        if bracket == "{":
            keys.append(self._key())
        return True

    def _goes_on(self, value: Lisp, container: Any, keys: list[str]) -> bool:
        """Add a value to what it stands in; whether a comma follows, and not the end."""
        is_object = container.__class__ is dict
        if is_object:
            key = keys.pop()
            old = container.get(key)
            container[key] = (old[0] if old else String(key), value)
        else:
            container.append(value)
        closing = "}" if is_object else "]"
        c = self.skip(SPACE)
        if c != "," and c != closing:
            raise _WrongTextError(f"',' or '{closing}'")
        self.at += 1
        if c == "," and is_object:
            self.skip(SPACE)
            keys.append(self._key())
        return c == ","

    def _key(self) -> str:
        """A key with its colon."""
        if self._peek() != '"':
            raise _WrongTextError("a key in double quotes")
        key = self._string()
        self.skip(SPACE)
        self._take("':'", ":")
        return key

    def _plain(self, c: str) -> Lisp:
        if c == '"':
            return String(self._string())
        if c in _WORDS:
            word, value = _WORDS[c]
            self._take(word, word)
            return value
        if c == "-" or (c and c in "0123456789"):
            return self._number()
        raise _WrongTextError("a value")

    def _number(self) -> Lisp:
        start = self.at
        if self._peek() == "-":
            self.at += 1
        if self._peek() == "0":
            self.at += 1
        else:
            self._digits()
        if self._peek() == ".":
            self.at += 1
            self._digits()
        c = self._peek()
        if c and c in "eE":
            self.at += 1
            c = self._peek()
            if c and c in "+-":
                self.at += 1
            self._digits()
        return self._number_of(String(self._text[start : self.at]))

    def _digits(self) -> None:
        start = self.at
        self.skip(_DIGITS)
        if self.at == start:
            raise _WrongTextError("a digit")

    def _string(self) -> str:
        """The string that begins with the next character."""
        self.at += 1
        parts = []
        while True:
            start = self.at
            c = self.skip(_ORDINARY)
            parts.append(self._text[start : self.at])
            if not c:
                raise _WrongTextError("a closing quote")
            if c < " ":
                raise _WrongTextError("no control character in a string")
            self.at += 1
            if c == '"':
                return "".join(parts)
            parts.append(self._escape())

    def _escape(self) -> str:
        c = self._peek()
        if c not in _ESCAPES and c != "u":
            raise _WrongTextError('one of "\\/bfnrtu')
        self.at += 1
        return _ESCAPES[c] if c in _ESCAPES else self._character()

    def _character(self) -> str:
        """The character of four hexadecimal digits, or of two surrogates."""
        code = self._hex()
        if not _LEAST_SURROGATE <= code <= _LAST_SURROGATE:
            return chr(code)
        if code >= _LEAST_LOW:
            raise _WrongTextError("a high surrogate before a low one")
        self._take("a low surrogate", "\\u")
        low = self._hex()
        if not _LEAST_LOW <= low <= _LAST_SURROGATE:
            raise _WrongTextError("a low surrogate after a high one")
        return chr(0x10000 + 0x400 * (code - _LEAST_SURROGATE) + low - _LEAST_LOW)

    def _hex(self) -> int:
        code = 0
        for _ in range(4):
            c = self._peek()
            if not c or c not in "0123456789abcdefABCDEF":
                raise _WrongTextError("a hexadecimal digit")
            code = 16 * code + int(c, 16)
            self.at += 1
        return code


def _finished(container: Any) -> Lisp:
    if container.__class__ is dict:
        return HashTable(False, container, None, 0)
    return list_of(container)
