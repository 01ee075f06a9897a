"""Calls of library procedures that fail whatever their unknown arguments are.

    (make-rectangular x 2)  =>  make-rectangular: complex numbers are not supported

The definition in the library is followed with what is known of the arguments.  Only what certainly
happens counts: at a test whose value is unknown, or an operation that may fail or call a procedure
of the program, nothing is known any more.
"""

from collections.abc import Sequence

from lambent.lang.core.check.call_evaluator import CallEvaluator, Fault, Unknown
from lambent.lang.core.ir import (
    Begin,
    Call,
    Const,
    Core,
    Global,
    If,
    Lambda,
    Let,
    Local,
    Namespace,
    PrimCall,
)
from lambent.lang.core.modules.library import library_definition
from lambent.lang.core.usage import plain_name

_MOST_STEPS = 200  # expressions that one call is followed through


def library_fault(
    name: str, arguments: Sequence[object], evaluator: CallEvaluator
) -> Fault | None:
    """The error, if a call of a library procedure certainly fails with an error of its own."""
    try:
        _Follower(evaluator).call(name, arguments)
    except _FailsError as failure:
        fault = failure.fault
        return fault if fault.message.startswith(f"{plain_name(name)}: ") else None
    except _UncertainError:
        pass
    return None


class _FailsError(Exception):
    """The call certainly fails."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


class _UncertainError(Exception):
    """What happens depends on what is unknown."""


class _Follower:
    def __init__(self, evaluator: CallEvaluator) -> None:
        self._evaluator = evaluator
        self._left = _MOST_STEPS

    def call(self, name: str, arguments: Sequence[object]) -> object:
        procedure = library_definition(name).value
        if (
            not isinstance(procedure, Lambda)
            or procedure.keywords
            or procedure.rest
            or len(arguments) != len(procedure.parameters)
        ):
            raise _UncertainError
        return self._value(
            procedure.body, dict(zip(procedure.parameters, arguments, strict=True))
        )

    def _value(self, core: Core, variables: dict[str, object]) -> object:
        self._left -= 1
        if self._left < 0:
            raise _UncertainError
        match core:
            case Const(value):
                return self._evaluator.constant(value)
            case Local(name) if name in variables:
                return variables[name]
            case Let(name, value, body):
                return self._value(body, {**variables, name: self._value(value, variables)})
            case Begin(forms):
                return [self._value(form, variables) for form in forms][-1]
            case If(test, then, orelse):
                tested = self._value(test, variables)
                if isinstance(tested, Unknown):
                    raise _UncertainError
                return self._value(orelse if self._evaluator.is_false(tested) else then, variables)
            case Call(Global(name, Namespace.LIBRARY), arguments):
                return self.call(name, [self._value(a, variables) for a in arguments])
            case PrimCall():
                return self._primitive(core, [self._value(a, variables) for a in core.arguments])
        raise _UncertainError

    def _primitive(self, call: PrimCall, arguments: list[object]) -> object:
        primitive = call.primitive
        if primitive.is_operator:
            raise _UncertainError
        if primitive.returns:
            result = self._evaluator.call(primitive, arguments, call.span)
            effects = primitive.effects
            if isinstance(result, Unknown) and (effects.may_fail or effects.may_call):
                raise _UncertainError
        else:
            result = self._evaluator.failure(primitive, arguments, call.span)
        if result is None:
            raise _UncertainError
        if isinstance(result, Fault):
            raise _FailsError(result)
        return result
