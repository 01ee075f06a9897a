"""Values of Python's for the evaluator, and back: the counterpart of interp/embed/to_python.py and
from_python.py.

    to_word([1, "a", None])  =>  the word of (1 "a" #f), owned
    from_word(word)          =>  [1, "a", False]
"""

import operator
from collections.abc import Callable, Mapping
from contextlib import suppress
from fractions import Fraction
from numbers import Integral, Rational, Real
from typing import Any, Self

from lambent.lang.errors import LispError
from lambent.lang.evaluator.embed.library import (
    RUNNING,
    Held,
    Kind,
    digits_of,
    elements_of,
    machine,
    number_of,
    text_of,
)
from lambent.lang.evaluator.embed.tensors import is_tensor, shared, tensor_of, word_of_tensor
from lambent.lang.interp.embed.python_functions import name_of, no_counterpart
from lambent.lang.interp.embed.to_python import Char, Keyword, Object, Symbol, checked
from lambent.lang.interp.interrupts.masking import interrupts_masked

_SMALL = range(-(2**63), 2**63)
# Integers that are words, as runtime/rt.h has them: a call of the library for each takes longer.
_FIXNUMS = range(-(2**62), 2**62)
_WORD = 2**64 - 1
_BASE = 16  # of large numbers between the two: their decimal digits take long


@interrupts_masked
def to_word(value: Any) -> int:
    """The word of a value, owned; a LispError if it has no counterpart in Lisp."""
    built: dict[int, tuple[Any, int]] = {}
    try:
        return _to_word(value, built)
    finally:
        for _, word in built.values():
            if word:
                machine().lib.rt_guest_free(word)


def _to_word(value: Any, built: dict[int, tuple[Any, int]]) -> int:
    simple = _BY_CLASS.get(value.__class__)
    if simple is not None:
        return simple(value)
    for base, kind in _CONTAINERS:
        if isinstance(value, base):
            return _container(value, kind, built)
    if is_tensor(value):
        return word_of_tensor(value)
    if isinstance(value, Object):
        return _word_of_object(value)
    if hasattr(type(value), "__dlpack__"):
        return shared(value)
    return _by_protocol(value, built)


def _word_of_object(value: Object) -> int:
    if not isinstance(value.lisp, Held):
        raise LispError("this object belongs to another machine")
    word: int = machine().lib.rt_guest_dup(value.lisp.word)
    return word


def _container(value: Any, kind: Kind, built: dict[int, tuple[Any, int]]) -> int:
    """One that occurs twice is one object in Lisp, too: `built` holds a reference of its own."""
    lib, ffi, *_ = machine()
    if id(value) in built:
        word = built[id(value)][1]
        if not word:
            raise LispError(f"this {type(value).__name__} contains itself")
        return int(lib.rt_guest_dup(word))
    built[id(value)] = value, 0
    items = value
    if kind is Kind.TABLE:
        items = [item for pair in value.items() for item in pair]
    words: list[int] = []
    try:
        words += (_to_word(item, built) for item in items)
    except BaseException:
        for word in words:
            lib.rt_guest_free(word)
        raise
    made = int(lib.rt_guest_of_elements(kind, len(words), ffi.new("rt_value[]", words or [0])))
    if not made:
        key = list(value)[lib.rt_guest_repeated()]
        raise LispError(f"the key {key!r} and an earlier key are equal in Lisp")
    built[id(value)] = value, made
    return int(lib.rt_guest_dup(made))


def _by_protocol(value: Any, built: dict[int, tuple[Any, int]]) -> int:
    for base, convert in _BY_BASE:
        if isinstance(value, base):
            with suppress(TypeError, ValueError, OverflowError):
                return convert(value)
    if callable(value):
        return _procedure(value)
    if hasattr(value, "item") and getattr(value, "shape", None) == ():
        item = value.item()
        if type(item) is not type(value):
            return _to_word(item, built)
    raise no_counterpart(value)


def _procedure(function: Callable[..., Any]) -> int:
    name = name_of(function).encode(errors="replace").replace(b"\0", b"?")
    return int(machine().lib.rt_guest_procedure(number_of(function), name))


def _texted(kind: Kind, text: str) -> int:
    data = text.encode()
    return int(machine().lib.rt_guest_of_text(kind, data, len(data)))


def _integer(value: int) -> int:
    if value in _FIXNUMS:
        return (value << 1 | 1) & _WORD
    if value in _SMALL:
        return int(machine().lib.rt_guest_of_integer(value))
    return _texted(Kind.NUMBER, f"#x{value:x}")


def _rational(numerator: Any, denominator: Any) -> int:
    numerator, denominator = operator.index(numerator), operator.index(denominator)
    return _texted(Kind.NUMBER, f"#x{numerator:x}/{denominator:x}")


def _bytes(value: Any) -> int:
    data = bytes(value)
    return int(machine().lib.rt_guest_of_bytes(data, len(data)))


_BY_CLASS: dict[type, Callable[[Any], int]] = {
    bool: lambda value: int(machine().lib.rt_guest_constant(int(value))),
    int: _integer,
    float: lambda value: int(machine().lib.rt_guest_of_double(value)),
    str: lambda value: _texted(Kind.STRING, checked(value)),
    type(None): lambda _: int(machine().lib.rt_guest_constant(0)),
    range: lambda value: to_word(list(value)),
    bytes: _bytes,
    bytearray: _bytes,
    memoryview: _bytes,
}
_BY_BASE: tuple[tuple[type, Callable[[Any], int]], ...] = (
    (Integral, lambda value: _integer(operator.index(value))),
    (Rational, lambda value: _rational(value.numerator, value.denominator)),
    (Real, lambda value: int(machine().lib.rt_guest_of_double(float(value)))),
    (Symbol, lambda value: _texted(Kind.SYMBOL, checked(value, "a symbol"))),
    (Keyword, lambda value: _texted(Kind.KEYWORD, checked(value, "a keyword"))),
    (Char, lambda value: int(machine().lib.rt_guest_of_char(ord(value)))),
    (str, lambda value: _texted(Kind.STRING, checked(value))),
    (bytes, _bytes),
    (bytearray, _bytes),
)
_CONTAINERS: tuple[tuple[type, Kind], ...] = (
    (list, Kind.LIST), (tuple, Kind.VECTOR), (Mapping, Kind.TABLE),
)


# To Python.


class _CircularError(Exception):
    """A value contains itself."""


class HeldObject(Object):
    """A value without a counterpart.  It holds a reference to it, and the session that it is of: it
    may contain procedures."""

    __slots__ = ("_session",)

    _session: Any

    @classmethod
    def of(cls, lisp: Held) -> Self:
        made = super().of(lisp)
        made._session = RUNNING[-1]
        return made

    def __repr__(self) -> str:
        from lambent.lang.evaluator.embed.session import in_some_session

        text: str = in_some_session(lambda: text_of(self.lisp.word))
        return text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HeldObject) and other.lisp.word == self.lisp.word

    def __hash__(self) -> int:
        return hash((Object, self.lisp.word))


class Procedure(HeldObject):
    """A Lisp procedure that Python can call; `keep_dim=True` passes `:keep-dim #t`."""

    __slots__ = ()

    def __call__(self, /, *arguments: Any, **named: Any) -> Any:
        return self._session.call(self.lisp, arguments, named)


_UNFINISHED = object()


@interrupts_masked
def from_word(word: int) -> Any:
    """The Python value of a word, which is borrowed; an Object for values without a counterpart."""
    try:
        return _from_word(word, {})
    except _CircularError:
        return object_of(word)


def object_of(word: int) -> HeldObject:
    return HeldObject.of(held(word))


def held(word: int) -> Held:
    """A reference of its own to a value that is borrowed."""
    return Held.of(machine().lib.rt_guest_dup(word))


@interrupts_masked
def elements(word: int) -> list[int]:
    """The elements of a proper list, borrowed."""
    found = elements_of(word)
    assert found is not None
    return found


@interrupts_masked
def keyword_name(word: int) -> str | None:
    """The name of a keyword; None for another value."""
    return text_of(word) if machine().lib.rt_guest_kind(word) == Kind.KEYWORD else None


def _from_word(word: int, converted: dict[int, Any]) -> Any:
    if word & 1:
        return word >> 1 if word >> 63 == 0 else (word >> 1) - 2**63
    kind = Kind(machine().lib.rt_guest_kind(word))
    if kind in _SIMPLE:
        return _SIMPLE[kind](word)
    if kind is Kind.PROCEDURE:
        return Procedure.of(held(word))
    if kind is Kind.TENSOR:
        return tensor_of(machine().lib.rt_guest_dup(word))
    if kind not in (Kind.LIST, Kind.VECTOR, Kind.VALUES, Kind.TABLE):
        return object_of(word)
    elements = elements_of(word)
    if elements is None:
        return object_of(word)
    if not elements and kind is Kind.LIST:
        return []
    if word in converted:
        if converted[word] is _UNFINISHED:
            raise _CircularError
        return converted[word]
    converted[word] = _UNFINISHED
    items = [_from_word(item, converted) for item in elements]
    converted[word] = _joined(word, kind, items)
    return converted[word]


def _joined(word: int, kind: Kind, items: list[Any]) -> Any:
    if kind is Kind.LIST:
        return items
    if kind is not Kind.TABLE:
        return tuple(items)
    try:
        made = dict(zip(items[::2], items[1::2], strict=True))
    except TypeError:  # a key that Python cannot hash
        return object_of(word)
    return made if 2 * len(made) == len(items) else object_of(word)


def _number(word: int) -> int | Fraction:
    numerator, _, denominator = digits_of(word).partition("/")
    if not denominator:
        return int(numerator, _BASE)
    return Fraction(int(numerator, _BASE), int(denominator, _BASE))


def _data(word: int) -> bytes:
    lib, ffi, *_ = machine()
    return bytes(ffi.buffer(lib.rt_guest_bytes(word), lib.rt_guest_count(word)))


_SIMPLE: dict[Kind, Callable[[int], Any]] = {
    Kind.INTEGER: lambda word: machine().lib.rt_guest_integer(word),
    Kind.NUMBER: _number,
    Kind.DOUBLE: lambda word: machine().lib.rt_guest_double(word),
    Kind.BOOLEAN: lambda word: machine().lib.rt_guest_integer(word) != 0,
    Kind.CHAR: lambda word: Char(chr(machine().lib.rt_guest_integer(word))),
    Kind.STRING: text_of,
    Kind.SYMBOL: lambda word: Symbol(text_of(word)),
    Kind.KEYWORD: lambda word: Keyword(text_of(word)),
    Kind.BYTES: _data,
    Kind.UNSPECIFIED: lambda _: None,
}
