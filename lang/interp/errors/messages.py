"""The Lisp message for an exception that Python raised in emitted code.

The location of the failure says which operation failed: a primitive's name, or the variable that
holds a call's callee.
"""

from types import FrameType
from typing import Any

from lambent.lang.core.arity import arity_message
from lambent.lang.errors import LispError
from lambent.lang.interp.emit.unit import CALL, PRIM, TAIL_CALL, VARIABLE
from lambent.lang.interp.errors.faults import shown, wrong_type_error
from lambent.lang.interp.errors.location import Location
from lambent.lang.interp.errors.type_hints import CALLEE, hint_of_type, type_hint
from lambent.lang.interp.values.procedure_facts import facts_of, facts_of_calls
from lambent.lang.interp.values.values import (
    TAIL,
    TENSOR_ERRORS,
    BadOperandError,
    Lisp,
    Procedure,
    call_procedure,
    is_numeric,
)

# The method that Python calls when the left operand is not a number.
_METHODS = {
    "=": "<=", "zero?": "<=", "positive?": ">", "negative?": "<",
    "<": "<", ">": ">", "<=": "<=", ">=": ">=",
}

# The operator of tensors that a hint names.  Python compares `(< 1 t)` as t > 1, and = is <= twice.
_ELEMENTWISE = {
    "=": "tensor-eq", "zero?": "tensor-eq",
    "<": "tensor-lt", ">": "tensor-gt", "<=": "tensor-le", ">=": "tensor-ge",
}


class DepthError(LispError):
    """The recursion is too deep.  The limit depends on the back end, so there is no trace."""


def message_of(
    exception: BaseException,
    location: Location,
    frame: FrameType | None,
    innermost: bool,
    in_trampoline: bool,
) -> LispError:
    """The error without its location.

    innermost: the frame's own code raised the exception, not a function that it called.
    in_trampoline: the frame is the trampoline's, and the location that of the tail call it makes.
    """
    match exception:
        case LispError():
            return exception
        case RecursionError():
            return DepthError("recursion is too deep", hint="does it end?")
        case BadOperandError() if location.kind == PRIM:
            operand = _first_bad(exception, location.detail)
            return wrong_type_error(location.detail, "a number", operand)
        case Exception() if isinstance(exception, tuple(TENSOR_ERRORS)):
            return _tensor_error(exception, location)
        case AttributeError() if innermost and location.kind == PRIM:
            return wrong_type_error(location.detail, "a pair", exception.obj)
        case NameError() if innermost and location.kind == VARIABLE:
            name, hint = location.detail
            return LispError(f"unbound variable: {name}", hint=hint)
        case OverflowError() if location.kind == PRIM:
            return LispError(f"{location.detail}: the result is too large")
        case TypeError() if innermost and in_trampoline:
            return bad_call(TAIL.function, len(TAIL.arguments))
        case TypeError() if innermost and frame and location.kind in (CALL, TAIL_CALL):
            return bad_call(*_call_in(frame, location.detail))
        case TypeError() if innermost and location.kind == PRIM:
            # Of the values that are not numbers, only procedures are not a Value: `(+ 1 car)`.
            hint = hint_of_type(location.detail, "a number", "procedure")
            message = f"{location.detail}: expected a number, got a procedure"
            return LispError(message, hint=hint)
        case _:
            raise exception


def _first_bad(fault: BadOperandError, name: str) -> Lisp:
    """The first operand that is not a number."""
    direct = fault.method in ("left", _METHODS.get(name))
    left, right = (fault.own, fault.other) if direct else (fault.other, fault.own)
    return right if is_numeric(left) else left


def _tensor_error(exception: Any, location: Location) -> LispError:
    """A failure of LibTorch, with the name of the operation."""
    if location.kind == PRIM:
        return tensor_error_of(location.detail, exception)
    return LispError(exception.message, hint=exception.hint)


def tensor_error_of(who: str, exception: Any) -> LispError:
    """A failure of LibTorch in an operator of Python's."""
    hint = exception.hint
    first, _, rest = (hint or "").partition(" ")
    if who in _ELEMENTWISE and first in _ELEMENTWISE.values():
        hint = f"{_ELEMENTWISE[who]} {rest}"
    return LispError(f"{who}: {exception.message}", hint=hint)


def _call_in(frame: FrameType, detail: tuple[tuple[str, str], Any]) -> tuple[Lisp, int]:
    """The callee and the number of arguments of a call, from the frame that made it."""
    where, count = detail
    callee = _value_in(frame, where)
    return callee, count if isinstance(count, int) else len(_value_in(frame, count))


def _value_in(frame: FrameType, where: tuple[str, str]) -> Any:
    scope, name = where
    return (frame.f_globals if scope == "globals" else frame.f_locals)[name]


def bad_call(callee: Lisp, count: int) -> LispError:
    """The error for a call of what is not a procedure, or with too many or too few arguments."""
    call = call_procedure(callee)
    if call is not None:
        facts = facts_of_calls(callee.type_.name, call)
    elif callee.__class__ is Procedure:
        facts = facts_of(callee)
    else:
        hint = type_hint("", CALLEE, callee)
        return LispError(f"not a procedure: {shown(callee)}", hint=hint)
    message = arity_message(facts.name or "lambda", facts.least, facts.most, count)
    return LispError(message, hint=f"usage: {facts.usage}")
