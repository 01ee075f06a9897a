"""The evaluator for `defmacro`: Lisp that runs while a program is analysed.

Both back ends expand with it.  It is a world of its own: the library, and each macro's procedure;
nothing of the program that is being analysed.

    evaluator(`(define (inc! x) (list 'set! x (list '+ x 1)))`, scope)
    =>  a function: (n)  =>  (set! n (+ n 1))
"""

from collections.abc import Sequence
from typing import Any, NoReturn

from lambent.lang.core.analyze import analyze
from lambent.lang.core.arity import arity_message
from lambent.lang.core.ir import Define, Lambda, Program
from lambent.lang.core.scope import Evaluator, Scope, Transformer
from lambent.lang.core.usage import usage
from lambent.lang.errors import LispError
from lambent.lang.interp.emit.evaluate import evaluate
from lambent.lang.interp.emit.names import global_name
from lambent.lang.interp.errors.faults import LispExit
from lambent.lang.interp.machine import Machine
from lambent.lang.interp.open_units import keep_open, unit_key
from lambent.lang.interp.run import new_machine, translated
from lambent.lang.interp.values.datum_values import Carrier
from lambent.lang.interp.values.values import TAIL, UNSPECIFIED, Lisp, drive
from lambent.lang.syntax.datum import Datum
from lambent.lang.syntax.source import Span


class _World:
    """Where the procedures of a program's macros live; it is there when the first one runs."""

    def __init__(self) -> None:
        self._machine: Machine | None = None

    def transformer(self, definition: Datum, scope: Scope) -> Transformer:
        """The function from data to a datum that a `define` form of a procedure means."""
        program = analyze([definition], scope)
        code = _code(program)
        procedure: list[Any] = []

        def transform(arguments: Sequence[Datum], span: Span) -> Datum | None:
            _check_count(code, len(arguments))
            if not procedure:
                procedure.append(self._procedure(program))
            carrier = Carrier()
            values = [carrier.value(argument) for argument in arguments]
            value = self._called(procedure[0], values)
            return None if value is UNSPECIFIED else carrier.datum(value, span)

        return transform

    def _called(self, procedure: Any, arguments: Sequence[Lisp]) -> Lisp:
        def call() -> Lisp:
            result = procedure(*arguments)
            return drive() if result is TAIL else result

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
            program, unit_key("macro"), closed=False, library=machine.library.bounces
        )
        keep_open(unit, machine)
        translated(lambda: machine.run(unit))
        definition = program.forms[-1]
        assert isinstance(definition, Define), definition
        return machine.globals[global_name(definition.name, definition.home)]


def _code(program: Program) -> Lambda:
    definition = program.forms[-1]
    assert isinstance(definition, Define), definition
    assert isinstance(definition.value, Lambda), definition
    return definition.value


def _check_count(code: Lambda, count: int) -> None:
    """Complain as a call would: this one stands in no Lisp."""
    if code.keywords:
        return  # such procedures check it themselves
    least = len(code.parameters)
    if count < least or (count > least and code.rest is None):
        message = arity_message(code.name or "", least, None if code.rest else least, count)
        raise LispError(message, hint=f"usage: {usage(code)}")


def _no_world() -> NoReturn:
    raise LispError("there is no environment while a macro is expanded")


def new_evaluator() -> Evaluator:
    """What `Scope.evaluator` is to be; one for each program or session."""
    return _World().transformer
