"""Python's values as Lisp's: what a Python program passes to Lisp.

    [1, "a", None]  =>  (1 "a" #f)      numpy's array  =>  a tensor on the array's memory

`lang/package/__init__.py` has the table; `to_python.py` is the other direction.
"""

import operator
from collections.abc import Callable, Mapping
from numbers import Integral, Rational, Real
from typing import Any

from lambent.lang.errors import LispError
from lambent.lang.interp.array_tensor import ArrayTensor
from lambent.lang.interp.facts import ProcedureFacts
from lambent.lang.interp.faults import LispExit
from lambent.lang.interp.rationals import rational
from lambent.lang.interp.to_python import (
    Char,
    EmbeddedError,
    Keyword,
    Object,
    Symbol,
    from_lisp,
)
from lambent.lang.interp.values import (
    CHARS,
    FALSE,
    NUMERIC,
    TRUE,
    Bytes,
    HashTable,
    Lisp,
    String,
    Vector,
    keyword,
    list_of,
    symbol,
)
from lambent.lang.interp.values import Keyword as LispKeyword


class PythonError(LispError):
    """A procedure that is Python's has failed; cause is its exception."""

    cause: Exception


def to_lisp(value: Any) -> Lisp:
    """The Lisp value; a LispError for what has none."""
    return _to_lisp(value, set())


def _to_lisp(value: Any, outer: set[int]) -> Lisp:
    """outer: what the value is in."""
    convert = _BY_CLASS.get(value.__class__)
    if convert is not None:
        return convert(value)
    for base, build in _CONTAINERS:
        if isinstance(value, base):
            return _container(value, build, outer)
    if isinstance(value, ArrayTensor) and value.__class__ in NUMERIC:
        return value
    if isinstance(value, Object):
        return value.lisp
    if hasattr(value, "__dlpack__"):
        return _shared(value)
    return _by_protocol(value)


def _container(
    value: Any, build: Callable[[Any, Callable[[Any], Lisp]], Lisp], outer: set[int]
) -> Lisp:
    if id(value) in outer:
        raise LispError(f"this {type(value).__name__} holds itself")
    outer.add(id(value))
    built = build(value, lambda item: _to_lisp(item, outer))
    outer.discard(id(value))
    return built


def _by_protocol(value: Any) -> Lisp:
    """Values of other libraries, and of subclasses, by what they can do."""
    for base, convert in _BY_BASE:
        if isinstance(value, base):
            return convert(value)
    if callable(value):
        return procedure(value)
    if hasattr(value, "item") and getattr(value, "shape", None) == ():
        return to_lisp(value.item())  # numpy's scalars
    name = type(value).__name__
    raise LispError(
        f"a Python value of type {name} has no counterpart in Lisp",
        hint="numbers, strings, lists, tuples, dicts, bytes, callables and arrays do",
    )


def _shared(array: Any) -> Lisp:
    from lambent.lang.interp.builtins.tensors import extension

    try:
        return extension().from_dlpack(array)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise LispError(f"a {type(array).__name__} cannot be shared: {error}") from None


def _table(mapping: Mapping[Any, Any], convert: Callable[[Any], Lisp]) -> HashTable:
    from lambent.lang.interp.builtins.hashes import hash_set

    table = HashTable()
    for key, value in mapping.items():
        hash_set(table, convert(key), convert(value))
    return table


def procedure(function: Callable[..., Any]) -> Lisp:
    """A procedure that calls a function of Python's.

    Keywords among the arguments name the one that follows, as in Lisp: `:keep-dim` is `keep_dim`.
    """
    name = getattr(function, "__name__", type(function).__name__)

    def call(*arguments: Lisp) -> Lisp:
        try:
            positional, named = _split(arguments)
            return to_lisp(function(*positional, **named))
        except LispError:
            raise
        except EmbeddedError as failure:  # of an evaluation that the function asked for
            raise failure.error from None
        except SystemExit as leaving:
            raise LispExit(leaving.code if isinstance(leaving.code, int) else 0) from None
        except Exception as error:
            fault = PythonError(f"{name}: {type(error).__name__}: {error}")
            fault.cause = error
            raise fault from None

    usage = f"({name} arguments ...)"
    call.__dict__["facts"] = ProcedureFacts(name, 0, None, usage, function.__doc__)
    return call


def _split(arguments: tuple[Lisp, ...]) -> tuple[list[Any], dict[str, Any]]:
    positional: list[Any] = []
    named: dict[str, Any] = {}
    waiting = list(reversed(arguments))
    while waiting:
        value = waiting.pop()
        if value.__class__ is LispKeyword and waiting:
            named[value.name.replace("-", "_")] = from_lisp(waiting.pop())
        else:
            positional.append(from_lisp(value))
    return positional, named


_BY_CLASS: dict[type, Callable[[Any], Lisp]] = {
    bool: lambda value: TRUE if value else FALSE,
    int: lambda value: value,
    float: lambda value: value,
    str: String,
    type(None): lambda _: FALSE,
    range: lambda value: list_of(list(value)),
    bytes: lambda value: Bytes(bytearray(value)),
    bytearray: lambda value: Bytes(bytearray(value)),
    Symbol: lambda value: symbol(str(value)),
    Keyword: lambda value: keyword(str(value)),
    Char: lambda value: CHARS[str(value)],
}

_BY_BASE: tuple[tuple[type, Callable[[Any], Lisp]], ...] = (
    (Integral, operator.index),
    (Rational, lambda value: rational(value.numerator, value.denominator)),
    (Real, float),
    (str, lambda value: String(str(value))),
)

_CONTAINERS: tuple[tuple[type, Callable[[Any, Callable[[Any], Lisp]], Lisp]], ...] = (
    (list, lambda value, convert: list_of([convert(item) for item in value])),
    (tuple, lambda value, convert: Vector([convert(item) for item in value])),
    (Mapping, _table),
)
