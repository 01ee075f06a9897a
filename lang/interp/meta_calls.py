"""Tries calls with known arguments, for the checks before a run (`core/check/values.py`).

    evaluator.call(tensor-matmul, [a tensor (2 3), a tensor (4 5)])
    =>  Fault("tensor-matmul: inner sizes differ: (2 3) times (4 5)")

Only the dtype and shape of a tensor are known: it is on LibTorch's device `meta`, which has no
elements.  A call that fails there is tried again on zeros of the same shapes.  Only if that fails
too, it is reported, with the message of the second failure.  LibTorch is loaded only if a call
looks wrong by its kept usage, or if all its arguments are known; without LibTorch nothing is known
of tensors.  Calls with unknown arguments that fit are cached (`ctorch/cached_calls.py`).
"""

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

from lambent.ctorch.cached_calls import cache_fitting_call, fitting_calls
from lambent.lang.core.check.call_evaluator import ANYTHING, NO_KEYWORD, Fault, Unknown
from lambent.lang.core.ir import Special
from lambent.lang.core.names.operators import operators
from lambent.lang.core.names.pytorch_names import well_known_operators
from lambent.lang.errors import LispError
from lambent.lang.interp.builtins import builtin
from lambent.lang.interp.errors.faults import RaisedError
from lambent.lang.interp.errors.quoting import quote_arguments
from lambent.lang.interp.io.printing import condition_text, written
from lambent.lang.interp.values.datum_values import DatumConverter
from lambent.lang.interp.values.values import (
    ABSENT,
    FALSE,
    NIL,
    UNSPECIFIED,
    Boolean,
    Char,
    Foreign,
    Keyword,
    Lisp,
    Pair,
    String,
    Symbol,
    Tensor,
    Vector,
    keyword,
    list_of,
)
from lambent.lang.primitives.effects import NO_EFFECTS, Memory
from lambent.lang.primitives.operator_effects import operator_effects
from lambent.lang.primitives.signature import Type
from lambent.lang.primitives.table import Primitive, operator_name
from lambent.lang.syntax import datum as data
from lambent.lang.syntax.datum import Datum
from lambent.lang.syntax.source import Span

_LONGEST_DATA = 1000  # longer quoted data is not looked at
_ATOMS = (int, float, Boolean, Symbol, Keyword, String, Char)  # of which a text says all
_MOST_ELEMENTS = 4_000_000  # of the zeros that a failing call is tried on

# Primitives without effects that are quick.
_PURE = frozenset(
    """
    + - * / < > <= >= = abs quotient remainder modulo length vector-length string-length
    vector-ref string-ref list-ref list-tail substring tensor-shape tensor-rank tensor-ref
    tensor-slice tensor list vector cons append reverse char->integer symbol->string
    """.split()  # noqa: SIM905, a table that people read
)
# Those that are computed of atoms only: a tensor's elements are unknown, and equal data may be one.
_OF_ATOMS = frozenset(["eqv?", "string"])
# Those that raise an error.  The others that never return leave the program, or raise any object.
_RAISING = frozenset(["error", "wrong-type"])
_ACCESSOR = re.compile(r"c[ad]{1,4}r")
# Primitives that return a tensor of their argument's dtype and shape.
_SAME = frozenset(["requires-grad!", "detach", "tensor-copy", "retain-grad!"])
# Well-known operators whose results or failures depend on elements.
_NOT_TRIED = re.compile(r"seed|bernoulli|multinomial|item|nonzero|unique")


class _AnyValue(Foreign):
    """A value that ctorch accepts for every parameter (unknown.h)."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "#<unknown>"


_ANY = _AnyValue()


class MetaCallEvaluator:
    """A CallEvaluator.  Its values are the interpreter's, with tensors on the device `meta`."""

    def constant(self, value: Datum | Special) -> object:
        if isinstance(value, Special):
            return ABSENT if value is Special.ABSENT else UNSPECIFIED
        if isinstance(value, data.List | data.Vector) and len(value.items) > _LONGEST_DATA:
            return NO_KEYWORD
        try:
            return DatumConverter().value(value)
        except LispError:
            return NO_KEYWORD

    def literal(self, shape: tuple[int, ...], elements: Sequence[object]) -> object:
        if operators() is None or any(isinstance(e, Unknown | Tensor) for e in elements):
            return NO_KEYWORD
        module = _extension()
        try:
            return module.to(module.literal(shape, list(elements)), String("meta"))
        except Exception:  # errors of the literal itself are found elsewhere
            return NO_KEYWORD

    def in_variable(self, value: object) -> object:
        """Lists and vectors may change; an atom and a tensor's shape do not."""
        if isinstance(value, Pair | Vector) or (
            isinstance(value, Foreign) and not isinstance(value, Tensor)
        ):
            return NO_KEYWORD
        return value

    def is_false(self, value: object) -> bool:
        return value is FALSE

    def mention(self, operator: Primitive) -> Fault | None:
        names = operators()
        if names is None or operator.name in names:
            return None
        return _attempt(operator.name, lambda: _extension().operator(operator_name(operator.name)))

    def call(
        self, primitive: Primitive, arguments: Sequence[object], span: Span
    ) -> object | Fault:
        function = self._operator(primitive, arguments) if primitive.operator else _primitive(
            primitive, arguments
        )
        return _with_arguments(function, span) if isinstance(function, Fault) else function

    def failure(
        self, primitive: Primitive, arguments: Sequence[object], span: Span
    ) -> Fault | None:
        """The error of a call that never returns; None if it is unknown."""
        raises = primitive.name in _RAISING and not any(isinstance(a, Unknown) for a in arguments)
        if not primitive.refused and not raises:
            return None
        fault = _attempt(None, lambda: _raise(primitive, arguments))
        return fault and _with_arguments(fault, span)

    def _operator(self, primitive: Primitive, arguments: Sequence[object]) -> object | Fault:
        names = operators()
        if names is None:
            return NO_KEYWORD
        if fault := self.mention(primitive):
            return fault
        name = primitive.name
        is_known = not any(isinstance(a, Unknown) for a in arguments)
        if not is_known and not _looks_wrong(names.get(name, ""), arguments):
            return NO_KEYWORD
        text = None if is_known else _text(name, arguments)
        if text is not None and text in fitting_calls():
            return NO_KEYWORD
        operator = _extension().operator(operator_name(name))
        values = [_ANY if isinstance(a, Unknown) else a for a in arguments]
        if fault := _attempt(name, lambda: _extension().bind(operator, *values)):
            return fault
        if text is not None:
            cache_fitting_call(text)
        if not is_known or not _may_try(name):
            return NO_KEYWORD
        creates = ":device" in names.get(name, "") and not any(
            isinstance(a, Tensor) for a in arguments
        )
        return _tried(name, operator, list(arguments), creates)


def _raise(primitive: Primitive, arguments: Sequence[object]) -> None:
    """Call what raises an error; that of `error` is raised as an uncaught one is reported."""
    try:
        builtin(primitive.symbol)(*arguments)
    except RaisedError as error:
        raise LispError(condition_text(error.payload)) from None


def _with_arguments(fault: Fault, span: Span) -> Fault:
    """The fault, its hint with the arguments of the call."""
    if not fault.hint:
        return fault
    hint = quote_arguments(fault.hint, fault.message, span)
    return Fault(fault.message, hint, fault.of_keyword)


def _looks_wrong(usage: str, arguments: Sequence[object]) -> bool:
    """Whether a call with unknown arguments should be bound by LibTorch to find an error."""
    words = set(re.findall(r"[\w-]+", usage))
    positional = most = 0
    for argument in arguments:
        if isinstance(argument, Keyword):
            if argument.name not in words:
                return True
            positional -= 1
        elif isinstance(argument, String | Char | Pair | Symbol):
            return True
        positional += 1
    positional -= sum(isinstance(a, Keyword) for a in arguments)
    for line in usage.splitlines():
        head = re.sub(r"\[:[^\]]*\]| :[\w-]+ [\w-]+", "", line)
        most = max(most, len(re.findall(r"[\w-]+", head)) - 1)
    return positional > most or positional < 1


def _text(name: str, arguments: Sequence[object]) -> str | None:
    """A call as text, if its arguments are unknown or data."""
    if not all(isinstance(a, Unknown) or _is_data(a) for a in arguments):
        return None
    words = ["#<unknown>" if isinstance(a, Unknown) else written(a) for a in arguments]
    return f"({' '.join((name, *words))})"


def _is_data(value: Lisp) -> bool:
    """Whether a value is an atom or a list of atoms, whose text says all about it."""
    while isinstance(value, Pair):
        if not isinstance(value.car, _ATOMS):
            return False
        value = value.cdr
    return value is NIL or isinstance(value, _ATOMS)


def _may_try(name: str) -> bool:
    """Whether a call is tried: of the well-known operators, those without effects."""
    base = name.removeprefix("tensor-")
    writes = operator_effects(operator_name(name), with_out=False).writes & ~Memory.RANDOM
    return base in well_known_operators() and not writes and not _NOT_TRIED.search(base)


def _tried(name: str, operator: Any, arguments: list[Lisp], creates: bool) -> object | Fault:
    """The result on the device `meta`, or the fault of the call on zeros."""
    on_meta = [*arguments]
    if creates:
        on_meta = _without_device(on_meta)
        on_meta += [keyword("device"), String("meta")]
    try:
        result: object = operator(*on_meta)
        return result
    except Exception as failure:
        if not _is_fault(failure):
            return NO_KEYWORD
    zeros = _with_zeros(arguments)
    return NO_KEYWORD if zeros is None else _attempt(name, lambda: operator(*zeros)) or NO_KEYWORD


def _without_device(arguments: list[Lisp]) -> list[Lisp]:
    for k, argument in enumerate(arguments):
        if isinstance(argument, Keyword) and argument.name == "device":
            return arguments[:k] + arguments[k + 2 :]
    return arguments


def _primitive(primitive: Primitive, arguments: Sequence[object]) -> object | Fault:
    name = primitive.name
    if name in _SAME and len(arguments) >= 1 and isinstance(arguments[0], Tensor):
        return arguments[0]
    if not _is_computed(primitive, arguments) or any(isinstance(a, Unknown) for a in arguments):
        return ANYTHING
    function = builtin(primitive.symbol)
    try:
        result: object = _on_meta(function(*arguments))
        return result
    except Exception as failure:
        if not _is_fault(failure):
            return ANYTHING
    zeros = _with_zeros(list(arguments))
    return ANYTHING if zeros is None else _attempt(name, lambda: function(*zeros)) or ANYTHING


def _is_computed(primitive: Primitive, arguments: Sequence[object]) -> bool:
    """Whether a call is without effects and quick."""
    name = primitive.name
    if name in _OF_ATOMS:
        identities = name == "eqv?" and all(isinstance(a, String) for a in arguments)
        return not identities and all(isinstance(a, _ATOMS) for a in arguments)
    is_predicate = (
        primitive.signature.result is Type.BOOLEAN and primitive.effects == NO_EFFECTS
    )
    return is_predicate or name in _PURE or _ACCESSOR.fullmatch(name) is not None


def _on_meta(value: Lisp) -> Lisp:
    if isinstance(value, Tensor):
        return _extension().to(value, String("meta"))
    return value


def _with_zeros(arguments: list[Lisp]) -> list[Lisp] | None:
    """The arguments with zeros as elements; None if there would be too many elements."""
    left = [_MOST_ELEMENTS]

    def filled(value: Lisp) -> Lisp:
        if isinstance(value, Tensor):
            module = _extension()
            shape = module.shape(value)
            count = 1
            for size in shape:
                count *= size
            left[0] -= count
            if left[0] < 0:
                return value
            dtype = Symbol(module.dtype(value))
            return module.operator("zeros")(list_of(shape), keyword("dtype"), dtype)
        if isinstance(value, Pair):
            items = []
            while isinstance(value, Pair):
                items.append(filled(value.car))
                value = value.cdr
            return list_of(items, value)
        return value

    result = [filled(argument) for argument in arguments]
    return result if left[0] >= 0 else None


def _attempt(name: str | None, action: Any) -> Fault | None:
    """The failure of an action, if it is one that the program's user would see.

    name: what its message begins with; None if it is as the action says.
    """
    try:
        action()
    except Exception as failure:
        if not _is_fault(failure):
            return None
        error: Any = failure
        message = error.message
        if name is not None and not message.startswith((f"{name}:", "unknown operator")):
            message = f"{name}: {message}"
        return Fault(message, error.hint, message.startswith(f"{name}: unknown keyword"))
    return None


def _is_fault(failure: Exception) -> bool:
    """Whether it is an error of the program, not a failure because elements are missing."""
    is_tensor_error = type(failure).__name__ == "TensorError"
    if not (is_tensor_error or isinstance(failure, LispError)):
        return False
    message: str = getattr(failure, "message", "")
    return " meta" not in message and "not enough memory" not in message


@cache
def _extension() -> Any:
    from lambent.lang.interp.builtins.tensors import extension

    return extension()
