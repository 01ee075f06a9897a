"""Converts Lisp values to Python values, and Lisp errors to Python exceptions.

    (1 "a" #t)  =>  [1, "a", True]      'name  =>  Symbol("name")      (a . b)  =>  an Object

`lang/package/__init__.py` has the table; `from_python.py` is the other direction.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NoReturn, Self

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
    items_of,
)
from lambent.lang.interp.values.values import Boolean as LispBoolean
from lambent.lang.interp.values.values import Char as LispChar
from lambent.lang.interp.values.values import Keyword as LispKeyword
from lambent.lang.interp.values.values import Procedure as LispProcedure
from lambent.lang.interp.values.values import Symbol as LispSymbol


def lone_surrogate(text: str) -> int | None:
    """The index of a lone surrogate in a text, which Lisp strings cannot contain; None if none."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        return error.start
    return None


def checked(value: str, what: str = "a string") -> str:
    """The text itself; a LispError if it has code points that are not characters."""
    index = lone_surrogate(value)
    if index is not None:
        code = f"U+{ord(value[index]):X}"
        raise LispError(f"{what} cannot contain the lone surrogate {code} at index {index}")
    return str(value)


class _Word(str):
    """A text that is not a string in Lisp."""

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
    """A character."""

    __slots__ = ()

    def __new__(cls, text: str) -> Self:
        char = super().__new__(cls, text)
        if len(char) != 1 or lone_surrogate(char) is not None:
            raise ValueError(f"lambent.Char takes one character, got {text!r}")
        return char


class Object:
    """A Lisp value without a counterpart in Python.  It can be passed back to Lisp.

    It refers to that value itself, and so do its copies.
    """

    __slots__ = ("lisp",)

    lisp: Lisp

    def __new__(cls, *_: object) -> "Object":
        raise TypeError(f"lambent.{cls.__name__} cannot be created: lambent.eval returns it")

    @classmethod
    def of(cls, lisp: Lisp) -> Self:
        symbol = object.__new__(cls)
        symbol.lisp = lisp
        return symbol

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, _: dict[int, Any]) -> Self:
        return self

    def __reduce_ex__(self, _: object) -> NoReturn:
        name = type(self).__name__
        raise TypeError(f"a lambent.{name} cannot be pickled: it belongs to this process")

    def __repr__(self) -> str:
        from lambent.lang.interp.io.printing import written

        return written(self.lisp)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Object) and other.lisp is self.lisp

    def __hash__(self) -> int:
        return hash((Object, id(self.lisp)))


class EmbeddedError(Exception):
    """A LispError in Python: `lambent.LispError`.

    Its text is what the command `lambent` shows.  message, hint: without the location.  location:
    file, line and column, or None.  payload: what was raised, if that is not an error object.  A
    Python function that Lisp calls may raise one, created from a message.
    """

    def __init__(self, error: LispError | str, payload: Any = None) -> None:
        error = LispError(error) if isinstance(error, str) else error
        span = error.span
        location = (span.source.name, span.line, span.column) if span else None
        self._set(render(error), error.message, error.hint, location, payload)
        self.error = error

    def _set(
        self,
        text: str,
        message: str,
        hint: str | None,
        location: tuple[str, int, int] | None,
        payload: Any,
    ) -> None:
        super().__init__(text)
        self.message = message
        self.hint = hint
        self.location = location
        self.payload = payload
        self.error = LispError(message, hint=hint)
        self.caught: Any = None  # the failure in Lisp: of raised values, and of the evaluator

    @classmethod
    def of_parts(
        cls,
        text: str,
        message: str,
        hint: str | None,
        location: tuple[str, int, int] | None,
        payload: Any,
    ) -> Self:
        """An error whose text is known."""
        error = cls.__new__(cls)
        error._set(text, message, hint, location, payload)
        return error

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle everything but what belongs to this process, such as the cause."""
        error = self.error
        if error.span is None:
            parts = (str(self), self.message, self.hint, self.location, self.payload)
            return EmbeddedError.of_parts, parts
        plain = LispError(error.message, error.span, error.hint, error.trace)
        return EmbeddedError, (plain, self.payload)


EmbeddedError.__name__ = EmbeddedError.__qualname__ = "LispError"
EmbeddedError.__module__ = "lambent"


class _CircularError(Exception):
    """A value contains itself."""


_UNFINISHED = object()  # stands for a value while its elements are converted


def from_lisp(value: Lisp) -> Any:
    """The Python value; an Object for values without a counterpart and for circular values.

    A value that occurs twice in a value is one object in Python as well.
    """
    try:
        return _from_lisp(value, {})
    except _CircularError:
        return Object.of(value)


def _from_lisp(value: Lisp, converted: dict[int, Any]) -> Any:
    """known: the converted compound values, by identity."""
    kind = value.__class__
    if kind in _SIMPLE:
        return _SIMPLE[kind](value)
    if isinstance(value, Fraction):
        return Fraction(value.numerator, value.denominator)
    if isinstance(value, ArrayTensor):
        return value
    if value is UNSPECIFIED:
        return None
    if value.__class__ is LispProcedure:
        return _procedure_of(value)
    if value is NIL:
        return []  # each one a list of its own
    if id(value) in converted:
        if converted[id(value)] is _UNFINISHED:
            raise _CircularError
        return converted[id(value)]
    elements = _elements(value)
    if elements is None:
        return Object.of(value)
    converted[id(value)] = _UNFINISHED
    joined = _joined(value, [_from_lisp(item, converted) for item in elements])
    converted[id(value)] = joined
    return joined


def _elements(value: Lisp) -> list[Lisp] | None:
    """The elements of a value; None if it has no counterpart."""
    match value:
        case Vector(items=items) | Values(items=items):
            return list(items)
        case HashTable(entries=entries):
            return [item for entry in entries.values() for item in entry]
        case _:
            return items_of(value)


def _joined(value: Lisp, elements: list[Any]) -> Any:
    """The Python value with converted elements; those of a table are keys and values in turn."""
    match value:
        case Vector() | Values():
            return tuple(elements)
        case HashTable():
            return _dict_of(value, elements)
        case _:
            return elements


def _dict_of(table: HashTable, elements: list[Any]) -> Any:
    """A dict, unless keys are equal in Python: 1 and #t, or a and "a"; then an Object."""
    try:
        made = dict(zip(elements[::2], elements[1::2], strict=True))
    except TypeError:  # a key that Python cannot hash, such as a list
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
