"""A world that is open: forms come one after the other, and each sees what those before defined.

It is what a REPL's session, `eval` and `load` stand on.

    world.run([datum], scope, "eval")  =>  the value of the form
"""

import itertools
from collections.abc import Sequence

from lambent.lang.core.analyze import analyze
from lambent.lang.core.denotation import Macro
from lambent.lang.core.ir import Home, Program
from lambent.lang.core.modules.modules import Modules, Snapshot
from lambent.lang.core.scope import Scope
from lambent.lang.errors import FileFault, LispError
from lambent.lang.interp.emit.evaluate import evaluate
from lambent.lang.interp.emit.names import global_name
from lambent.lang.interp.errors.faults import fail_file
from lambent.lang.interp.interrupts.undisturbed import steady, undisturbed
from lambent.lang.interp.io.printing import written
from lambent.lang.interp.machine import Machine
from lambent.lang.interp.open_units import keep_open, unit_key
from lambent.lang.interp.values.values import (
    NIL,
    UNSPECIFIED,
    Boolean,
    Char,
    Keyword,
    Lisp,
    Pair,
    Procedure,
    String,
    Symbol,
    Value,
    Vector,
    list_of,
    symbol,
)
from lambent.lang.syntax.datum import Datum
from lambent.lang.syntax.reader import read
from lambent.lang.syntax.source import Source

_READABLE = {Boolean, Char, Keyword, String, Symbol}

_objects = itertools.count(1)


class World:
    """scope: where a program, or a session's entries, are themselves."""

    def __init__(self, machine: Machine, modules: Modules, scope: Scope) -> None:
        self._machine = machine
        self._modules = modules
        self.scope = scope

    @steady
    def run(
        self,
        data: Sequence[Datum],
        scope: Scope,
        within: str | None = None,
        objects: Sequence[str] = (),
    ) -> Lisp:
        """The value of the last form.  within: what traces call the forms themselves.

        objects: global variables that only these forms name.
        """
        before, macros = self._modules.snapshot(), _macros(scope) if objects else []
        try:
            # What is defined stays defined, also when a later part of a form fails.
            program = analyze(data, scope)
            if objects and macros != _macros(scope):
                objects = ()  # a template may name them in other forms
            return self._run(program, within, objects)
        except BaseException:
            self._go_back(before)
            raise

    @undisturbed
    def _go_back(self, before: Snapshot) -> None:
        self._modules.go_back(before)

    def _run(self, program: Program, within: str | None, objects: Sequence[str]) -> Lisp:
        unit = evaluate(
            program,
            unit_key(within or "entry"),
            closed=False,
            library=self._machine.library.bounces,
            keep_result=True,
            within=within,
        )
        keep_open(unit, self._machine, objects)
        return self._machine.run(unit)

    # What the procedures of these names do.

    def evaluate(self, expression: Lisp, scope: Scope) -> Lisp:
        """The value of an expression that is data at run time."""
        objects: list[str] = []
        text = written(self._readable(expression, objects))
        return self._run_text(Source("eval", text), scope, "eval", objects)

    def load(self, path: str, scope: Scope) -> None:
        """Run the forms of a file."""
        try:
            with open(path, "rb") as file:  # noqa: PTH123 - the path is shown as it is given
                text = file.read().decode("utf-8")
        except OSError as error:
            fail_file("load", "open", written(String(path)), error)
        except UnicodeDecodeError as error:
            message = f"load: {path} is not UTF-8 text (byte {error.start})"
            raise LispError(message) from None
        self._run_text(Source(path, text), scope, "load")

    def environment(self, sets: Sequence[Lisp]) -> Scope:
        """A new top level that sees what the import sets bring."""
        scope = self._modules.new_scope("environment")
        if sets:
            form = list_of([symbol("import"), *[self._readable(item, []) for item in sets]])
            self._run_text(Source("environment", written(form)), scope, "environment")
        return scope

    def _run_text(
        self, source: Source, scope: Scope, within: str, objects: Sequence[str] = ()
    ) -> Lisp:
        value = UNSPECIFIED
        try:
            for datum in read(source):
                value = self.run([datum], scope, within, objects)
        except LispError as error:
            if error.status == LispError.status:
                raise
            # Faults of what is evaluated are errors of the program that evaluates it.
            fault = FileFault if error.mark == "file" else LispError
            raise fault(error.message, error.span, error.hint, error.trace) from None
        return value

    def _readable(self, value: Lisp, objects: list[str]) -> Lisp:
        """The value with names for what cannot be written, such as procedures.

        The names join objects, and are those of global variables.
        """
        kind = value.__class__
        if kind is Pair:
            items, tail = [], value
            while tail.__class__ is Pair:
                items.append(self._readable(tail.car, objects))
                tail = tail.cdr
            return list_of(items, tail if tail is NIL else self._readable(tail, objects))
        if kind is Vector:
            return Vector([self._readable(item, objects) for item in value.items])
        if kind in _READABLE or value is NIL or not isinstance(value, Value | Procedure):
            return value
        name = f"#<object {next(_objects)}>"
        objects.append(global_name(name, Home.PROGRAM))
        self._machine.globals[objects[-1]] = value
        return Symbol(name)  # not interned: nobody else is to find it


def _macros(scope: Scope) -> list[Macro]:
    return [meaning for meaning in scope.names.values() if isinstance(meaning, Macro)]
