"""A world: runs forms one after the other; each sees the definitions of the earlier ones.

REPL sessions, embedded sessions, `eval` and `load` use it.

    world.run([datum], scope, "eval")  =>  the value of the form
"""

import errno
import itertools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from lambent.lang.core.analyze import analyze
from lambent.lang.core.changes import History
from lambent.lang.core.denotation import Macro
from lambent.lang.core.ir import Namespace, Program
from lambent.lang.core.modules.modules import Modules, Snapshot
from lambent.lang.core.scope import Scope
from lambent.lang.errors import LispError, of_run
from lambent.lang.interp.emit.evaluate import evaluate
from lambent.lang.interp.emit.names import global_name
from lambent.lang.interp.errors.faults import fail_file
from lambent.lang.interp.interrupts.masking import frame_masked, interrupts_masked
from lambent.lang.interp.io.printing import written
from lambent.lang.interp.machine import POSITION, Machine
from lambent.lang.interp.unit_lifetime import free_with_code, unit_key
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
    """scope: the top level of the program, or of the session's entries.  history: of the program,
    whose forms were analysed together."""

    def __init__(
        self, machine: Machine, modules: Modules, scope: Scope, history: History | None = None
    ) -> None:
        self._machine = machine
        self._modules = modules
        self.scope = scope
        self._history = history
        self._position = -1
        if history:
            scope.go_to(history, history.changes.position, -1)

    def reach(self, position: int) -> None:
        """Go on to a position in the program: macros hold from their definitions on."""
        if self._history and position != self._position:
            self.scope.go_to(self._history, self._position, position)
            self._position = position

    @frame_masked
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
            # Definitions stay, even if a later part of a form fails.
            program = analyze(data, scope)
            if objects and macros != _macros(scope):
                objects = ()  # a template may name them in other forms
            history = scope.history if scope is self.scope and program.forms else None
            if history is None:
                return self._run(program, within, objects)
            with self._following(history):
                return self._run(program, within, objects, history)
        except BaseException:
            self._go_back(before)
            raise

    @interrupts_masked
    def _go_back(self, before: Snapshot) -> None:
        self._modules.restore(before)

    @contextmanager
    def _following(self, history: History) -> Iterator[None]:
        """While the forms of an entry run, `eval` sees the names as they are at each form."""
        variables = self._machine.globals
        outer = self._history, self._position, variables.get(POSITION, -1)
        self._history, self._position, variables[POSITION] = history, -1, -1
        end = history.changes.position
        self.scope.go_to(history, end, -1)
        try:
            yield
        finally:
            self.reach(end)
            self._history, self._position, variables[POSITION] = outer

    def _run(
        self,
        program: Program,
        within: str | None,
        objects: Sequence[str],
        history: History | None = None,
    ) -> Lisp:
        unit = evaluate(
            program,
            unit_key(within or "entry"),
            closed=False,
            library=self._machine.library.trampolined,
            keep_result=True,
            within=within,
            history=history,
        )
        free_with_code(unit, self._machine, objects)
        return self._machine.run(unit)

    # The work of the procedures `eval`, `load` and `environment`.

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
        except ValueError:  # a NUL in the path
            fail_file("load", "open", written(String(path)), OSError(errno.EINVAL, ""))
        self._run_text(Source(path, text), scope, "load")

    def environment(self, sets: Sequence[Lisp]) -> Scope:
        """A new top level with the names of the import sets."""
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
            raise of_run(error) from None
        return value

    def _readable(self, value: Lisp, objects: list[str]) -> Lisp:
        """The value, with variables in place of what cannot be written, such as procedures.

        The names of these global variables are added to objects.
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
        objects.append(global_name(name, Namespace.PROGRAM))
        self._machine.globals[objects[-1]] = value
        return Symbol(name)  # not interned: no other code can name it


def _macros(scope: Scope) -> list[Macro]:
    return [meaning for meaning in scope.names.values() if isinstance(meaning, Macro)]
