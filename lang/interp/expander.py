"""The evaluator for `defmacro`: Lisp that runs while a program is analysed.

Both back ends expand macros with it.  It has its own machine, with the library and the procedures
of macros; macros cannot use definitions of the program that is being analysed.

    evaluator(`(define (inc! x) (list 'set! x (list '+ x 1)))`, scope)
    =>  a function: (n)  =>  (set! n (+ n 1))
"""

from collections.abc import Sequence
from typing import Any, NoReturn

from lambent.lang.core.analyze import analyze
from lambent.lang.core.arity import arity_message
from lambent.lang.core.ir import Define, Lambda, Program
from lambent.lang.core.scope import Evaluator, Helper, Scope, Transformer
from lambent.lang.core.usage import usage
from lambent.lang.errors import LispError
from lambent.lang.interp.emit.evaluate import evaluate
from lambent.lang.interp.emit.names import global_name
from lambent.lang.interp.errors.faults import LispExit
from lambent.lang.interp.machine import Machine
from lambent.lang.interp.run import new_machine, translated
from lambent.lang.interp.unit_lifetime import free_with_code, unit_key
from lambent.lang.interp.values.datum_values import DatumConverter, IdentifierConverter
from lambent.lang.interp.values.values import TAIL, UNSPECIFIED, Lisp, run_trampoline
from lambent.lang.syntax.datum import Datum
from lambent.lang.syntax.source import Span


class _MacroMachine:
    """The machine for the procedures of a program's macros; created when the first one runs."""

    def __init__(self) -> None:
        self._machine: Machine | None = None

    def transformer(self, definition: Datum, scope: Scope) -> Transformer:
        """The function on data that the `define` form of a macro's procedure defines."""
        program = analyze([definition], scope)
        code = _code(program)
        procedure: list[Any] = []

        def transform(
            arguments: Sequence[Datum], span: Span, helpers: Sequence[Helper] | None
        ) -> Datum | None:
            if helpers is None:
                _check_count(code, len(arguments))
            if not procedure:
                procedure.append(self._procedure(program))
            converter = DatumConverter() if helpers is None else IdentifierConverter(span)
            values = [converter.value(argument) for argument in arguments]
            if isinstance(converter, IdentifierConverter) and helpers is not None:
                values += [converter.procedure(helper) for helper in helpers]
            value = self._called(procedure[0], values)
            return None if value is UNSPECIFIED else converter.datum(value, span)

        return transform

    def _called(self, procedure: Any, arguments: Sequence[Lisp]) -> Lisp:
        def call() -> Lisp:
            result = procedure(*arguments)
            return run_trampoline() if result is TAIL else result

        assert self._machine is not None
        machine = self._machine
        try:
            return translated(lambda: machine.during(call))
        except LispExit:
            raise LispError("exit: called while a macro was expanded") from None

    def _procedure(self, program: Program) -> Any:
        if self._machine is None:
            self._machine = new_machine()
            self._machine.find_world = _no_world
        machine = self._machine
        unit = evaluate(
            program, unit_key("macro"), closed=False, library=machine.library.trampolined
        )
        free_with_code(unit, machine)
        translated(lambda: machine.run(unit))
        definition = program.forms[-1]
        assert isinstance(definition, Define), definition
        return machine.globals[global_name(definition.name, definition.namespace)]


def _code(program: Program) -> Lambda:
    definition = program.forms[-1]
    assert isinstance(definition, Define), definition
    assert isinstance(definition.value, Lambda), definition
    return definition.value


def _check_count(code: Lambda, count: int) -> None:
    """Fail as a Lisp call with a wrong number of arguments does."""
    if code.keywords:
        return  # procedures with keywords check the count themselves
    least = len(code.parameters)
    if count < least or (count > least and code.rest is None):
        message = arity_message(code.name or "", least, None if code.rest else least, count)
        raise LispError(message, hint=f"usage: {usage(code)}")


def _no_world() -> NoReturn:
    raise LispError("no environment is available while a macro is expanded")


def new_evaluator() -> Evaluator:
    """The value of `Scope.evaluator`; one for each program or session."""
    return _MacroMachine().transformer
