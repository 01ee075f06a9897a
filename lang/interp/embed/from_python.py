"""Converts Python values to Lisp values.

    [1, "a", None]  =>  (1 "a" #f)      numpy's array  =>  a tensor on the array's memory

`lang/package/__init__.py` has the table; `to_python.py` is the other direction.
"""

import operator
from collections.abc import Callable, Mapping
from contextlib import suppress
from numbers import Integral, Rational, Real
from typing import Any

from lambent.lang.errors import LispError
from lambent.lang.interp.embed.array_tensor import ArrayTensor
from lambent.lang.interp.embed.executor import EXECUTOR
from lambent.lang.interp.embed.python_functions import (
    described,
    name_of,
    no_counterpart,
    split_arguments,
)
from lambent.lang.interp.embed.to_python import (
    Char,
    EmbeddedError,
    Keyword,
    Object,
    Symbol,
    checked,
    from_lisp,
)
from lambent.lang.interp.errors.caught import Caught, RethrownError
from lambent.lang.interp.errors.faults import LispExit
from lambent.lang.interp.values.procedure_facts import ProcedureFacts
from lambent.lang.interp.values.rationals import rational
from lambent.lang.interp.values.values import (
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
from lambent.lang.interp.values.values import Keyword as LispKeyword


class PythonError(LispError):
    """A Python function that Lisp called has failed; cause is its exception."""

    cause: Exception


def to_lisp(value: Any) -> Lisp:
    """The Lisp value; a LispError if there is none.

    A container that occurs twice in a value is one object in Lisp as well.
    """
    return _to_lisp(value, {})


# The converted containers, by identity.  The containers stay alive, so identities stay unique.
_Converted = dict[int, tuple[Any, Lisp]]


def _to_lisp(value: Any, converted: _Converted) -> Lisp:
    convert = _BY_CLASS.get(value.__class__)
    if convert is not None:
        return convert(value)
    for base, build in _CONTAINERS:
        if isinstance(value, base):
            return _container(value, build, converted)
    if isinstance(value, ArrayTensor) and value.__class__ in NUMERIC:
        return value
    if isinstance(value, Object):
        return value.lisp
    if hasattr(type(value), "__dlpack__"):
        return _shared(value)
    return _by_protocol(value)


def _container(
    value: Any, build: Callable[[Any, Callable[[Any], Lisp]], Lisp], converted: _Converted
) -> Lisp:
    if id(value) in converted:
        _, built = converted[id(value)]
        if built is None:
            raise LispError(f"this {type(value).__name__} contains itself")
        return built
    converted[id(value)] = value, None
    built = build(value, lambda item: _to_lisp(item, converted))
    converted[id(value)] = value, built
    return built


def _by_protocol(value: Any) -> Lisp:
    """Convert values of subclasses and of other libraries, by their protocols."""
    for base, convert in _BY_BASE:
        if isinstance(value, base):
            with suppress(TypeError, ValueError, OverflowError):  # registered, but not convertible
                return convert(value)
    if callable(value):
        return procedure(value)
    if hasattr(value, "item") and getattr(value, "shape", None) == ():
        item = value.item()  # numpy's scalars
        if type(item) is not type(value):
            return to_lisp(item)
    raise no_counterpart(value)


def _shared(array: Any) -> Lisp:
    from lambent.lang.interp.builtins.tensors import extension

    try:
        return extension().from_dlpack(array)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise LispError(f"a {type(array).__name__} cannot be shared: {error}") from None


def _table(mapping: Mapping[Any, Any], convert: Callable[[Any], Lisp]) -> HashTable:
    from lambent.lang.interp.builtins.hashes import hash_set, make_hash_table

    table = make_hash_table()
    for count, (key, value) in enumerate(mapping.items(), 1):
        hash_set(table, convert(key), convert(value))
        if len(table.entries) != count:
            raise LispError(f"the key {key!r} and an earlier key are equal in Lisp")
    return table


def procedure(function: Callable[..., Any]) -> Lisp:
    """A procedure that calls a Python function.

    A keyword among the arguments names the argument that follows: `:keep-dim` is `keep_dim`.
    """
    name = name_of(function)

    def call(*arguments: Lisp) -> Lisp:
        try:
            positional, named = _split(name, arguments)
            suspended = EXECUTOR.suspend_current()
            try:
                value = function(*positional, **named)
            finally:
                if suspended is not None:
                    EXECUTOR.resume(suspended)
            return to_lisp(value)
        except LispError:
            raise
        except EmbeddedError as failure:  # of an evaluation that the function started
            raise _lisp_failure(failure) from None
        except SystemExit as leaving:
            raise LispExit.of_python(leaving) from None
        except Exception as error:
            fault = PythonError(described(name, error))
            fault.cause = error
            raise fault from None

    usage = f"({name} arguments ...)"
    call.__dict__["facts"] = ProcedureFacts(name, 0, None, usage, function.__doc__)
    return call


def _lisp_failure(failure: EmbeddedError) -> Exception:
    """The failure to continue with in Lisp: the error itself, or the raised value itself."""
    caught = failure.caught
    if caught is None:
        return failure.error
    return RethrownError(Caught([*caught.trail], None, None, caught.payload, False, None))


def _split(name: str, arguments: tuple[Lisp, ...]) -> tuple[list[Any], dict[str, Any]]:
    names = [value.name if value.__class__ is LispKeyword else None for value in arguments]
    return split_arguments(name, arguments, names, from_lisp)


_BY_CLASS: dict[type, Callable[[Any], Lisp]] = {
    bool: lambda value: TRUE if value else FALSE,
    int: lambda value: value,
    float: lambda value: value,
    str: lambda value: String(checked(value)),
    type(None): lambda _: FALSE,
    range: lambda value: list_of(list(value)),
    bytes: lambda value: Bytes(bytearray(value)),
    bytearray: lambda value: Bytes(bytearray(value)),
    memoryview: lambda value: Bytes(bytearray(value)),
}

_BY_BASE: tuple[tuple[type, Callable[[Any], Lisp]], ...] = (
    (Integral, operator.index),
    (Rational, lambda value: rational(value.numerator, value.denominator)),
    (Real, float),
    (Symbol, lambda value: symbol(checked(value, "a symbol"))),
    (Keyword, lambda value: keyword(checked(value, "a keyword"))),
    (Char, lambda value: CHARS[str(value)]),
    (str, lambda value: String(checked(value))),
    (bytes, lambda value: Bytes(bytearray(value))),
    (bytearray, lambda value: Bytes(bytearray(value))),
)

_CONTAINERS: tuple[tuple[type, Callable[[Any, Callable[[Any], Lisp]], Lisp]], ...] = (
    (list, lambda value, convert: list_of([convert(item) for item in value])),
    (tuple, lambda value, convert: Vector([convert(item) for item in value])),
    (Mapping, _table),
)
