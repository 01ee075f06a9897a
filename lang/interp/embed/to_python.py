"""Lisp's values as Python programs see them, errors included.

    (1 "a" #t)  =>  [1, "a", True]      'name  =>  Symbol("name")      (a . b)  =>  an Object

`lang/package/__init__.py` has the table; `from_python.py` is the other direction.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NoReturn, Self

from lambent.lang.errors import LispError, render
from lambent.lang.interp.embed.array_tensor import ArrayTensor
from lambent.lang.interp.values.values import (
    NIL,
    TRUE,
    UNSPECIFIED,
    Bytes,
    HashTable,
    Lisp,
    String,
    Values,
    Vector,
    is_procedure,
    items_of,
)
from lambent.lang.interp.values.values import Boolean as LispBoolean
from lambent.lang.interp.values.values import Char as LispChar
from lambent.lang.interp.values.values import Keyword as LispKeyword
from lambent.lang.interp.values.values import Symbol as LispSymbol

if TYPE_CHECKING:
    from lambent.lang.interp.errors.caught import Caught


def lone_surrogate(text: str) -> int | None:
    """Where a text has a code point that is no character, which Lisp's texts have not."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        return error.start
    return None


class _Word(str):
    """A text that Lisp knows as something else than a string."""

    __slots__ = ()

    def __new__(cls, text: str) -> Self:
        if not isinstance(text, str):
            raise TypeError(f"lambent.{cls.__name__} takes a str, got {text!r}")
        return super().__new__(cls, text)

    def __repr__(self) -> str:
        return f"lambent.{type(self).__name__}({str(self)!r})"


class Symbol(_Word):
    """`'name`."""

    __slots__ = ()


class Keyword(_Word):
    """`:name`, without the colon."""

    __slots__ = ()


class Char(_Word):
    """A character, of which it is the text."""

    __slots__ = ()

    def __new__(cls, text: str) -> Self:
        char = super().__new__(cls, text)
        if len(char) != 1 or lone_surrogate(char) is not None:
            raise ValueError(f"lambent.Char takes one character, got {text!r}")
        return char


class Object:
    """A value of Lisp that Python has no counterpart of.  It can be handed back to Lisp.

    It stands for that very value, and its copies do, too.
    """

    __slots__ = ("lisp",)

    lisp: Lisp

    def __new__(cls, *_: object) -> "Object":
        raise TypeError(f"lambent.{cls.__name__} is for what lambent.eval gives")

    @classmethod
    def of(cls, lisp: Lisp) -> Self:
        made = object.__new__(cls)
        made.lisp = lisp
        return made

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, _: dict[int, Any]) -> Self:
        return self

    def __reduce_ex__(self, _: object) -> NoReturn:
        raise TypeError(f"a lambent.{type(self).__name__} cannot be pickled: it is in this process")

    def __repr__(self) -> str:
        from lambent.lang.interp.io.printing import written

        return written(self.lisp)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Object) and other.lisp is self.lisp

    def __hash__(self) -> int:
        return hash((Object, id(self.lisp)))


class EmbeddedError(Exception):
    """How a LispError comes to Python: `lambent.LispError`.

    Its text is what the command `lambent` would show.  message, hint: without the location.
    location: file, line and column, None if there is none.  payload: what was raised, if that is no
    error object.  A Python function that Lisp calls may raise one of its own, made of a message.
    """

    def __init__(self, error: LispError | str, payload: Any = None) -> None:
        error = LispError(error) if isinstance(error, str) else error
        super().__init__(render(error))
        self.error = error
        self.message = error.message
        self.hint = error.hint
        span = error.span
        self.location = (span.source.name, span.line, span.column) if span else None
        self.payload = payload
        self.caught: Caught | None = None  # where somebody raised a value

    def __reduce__(self) -> tuple[Any, ...]:
        """To another process goes all but what only this one has, such as its cause."""
        error = self.error
        plain = LispError(error.message, error.span, error.hint, error.trace)
        return EmbeddedError, (plain, self.payload)


EmbeddedError.__name__ = EmbeddedError.__qualname__ = "LispError"
EmbeddedError.__module__ = "lambent"


class _CircularError(Exception):
    """A value that holds itself."""


_UNFINISHED = object()  # what a value is while its parts are being converted


def from_lisp(value: Lisp) -> Any:
    """The Python value; an Object for what has no counterpart, and for all that is circular.

    What occurs twice in a value is one object in Python, too.
    """
    try:
        return _from_lisp(value, {})
    except _CircularError:
        return Object.of(value)


def _from_lisp(value: Lisp, known: dict[int, Any]) -> Any:
    """known: what values with parts have become, by identity."""
    kind = value.__class__
    if kind in _SIMPLE:
        return _SIMPLE[kind](value)
    if isinstance(value, Fraction):
        return Fraction(value.numerator, value.denominator)
    if isinstance(value, ArrayTensor):
        return value
    if value is UNSPECIFIED:
        return None
    if is_procedure(value):
        return _procedure_of(value)
    if value is NIL:
        return []  # each one a list of its own
    if id(value) in known:
        if known[id(value)] is _UNFINISHED:
            raise _CircularError
        return known[id(value)]
    parts = _parts(value)
    if parts is None:
        return Object.of(value)
    known[id(value)] = _UNFINISHED
    made = known[id(value)] = _joined(value, [_from_lisp(part, known) for part in parts])
    return made


def _parts(value: Lisp) -> list[Lisp] | None:
    """What a value is made of; None if it has no counterpart."""
    match value:
        case Vector(items=items) | Values(items=items):
            return list(items)
        case HashTable(entries=entries):
            return [part for entry in entries.values() for part in entry]
        case _:
            return items_of(value)


def _joined(value: Lisp, parts: list[Any]) -> Any:
    match value:
        case Vector() | Values():
            return tuple(parts)
        case HashTable():
            return _dict_of(value, parts)
        case _:
            return parts


def _dict_of(table: HashTable, parts: list[Any]) -> Any:
    """A dict, if Python tells the keys apart: 1 and #t, or a and "a", are one key there."""
    try:
        made = dict(zip(parts[::2], parts[1::2], strict=True))
    except TypeError:  # a key that Python does not hash, such as a list
        return Object.of(table)
    return made if len(made) == len(table.entries) else Object.of(table)


def _procedure_of(value: Lisp) -> Any:
    from lambent.lang.interp.embed.embedded import Procedure

    return Procedure.of(value)


_SIMPLE: dict[type, Callable[[Any], Any]] = {
    int: lambda value: value,
    float: lambda value: value,
    LispBoolean: lambda value: value is TRUE,
    String: lambda value: value.text,
    LispSymbol: lambda value: Symbol(value.name),
    LispKeyword: lambda value: Keyword(value.name),
    LispChar: lambda value: Char(value.char),
    Bytes: lambda value: bytes(value.data),
}
