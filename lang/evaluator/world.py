"""The analysis beside a program that evaluates data: it knows the names, and makes code of forms.

    world.begin(Source("eval", "(f 1)"), scope, "eval"), then world.next(run)  =>  the code of (f 1)

The counterpart of `interp/world.py`, for an evaluator that runs the code in another process.
"""

from collections.abc import Sequence, Set

from lambent.lang.core.analyze import analyze
from lambent.lang.core.changes import History
from lambent.lang.core.denotation import Macro
from lambent.lang.core.ir import Program
from lambent.lang.core.modules.modules import Modules, Snapshot
from lambent.lang.core.scope import Scope
from lambent.lang.errors import LispError
from lambent.lang.evaluator.code import UnsupportedError
from lambent.lang.evaluator.run_code import open_code
from lambent.lang.syntax.datum import Datum
from lambent.lang.system.dataclass import dataclass


@dataclass(slots=True, eq=False)
class Run:
    """Forms that run one after the other.  data: those that are left.  within: what traces call the
    forms themselves.  before: the modules before the form that runs.  outer: where the program was,
    if the form has a history of its own.  variables: those of the library that it defines."""

    data: list[Datum]
    scope: Scope
    within: str | None
    before: Snapshot | None = None
    outer: tuple[History | None, int] | None = None
    variables: Set[str] = frozenset()


@dataclass(frozen=True, slots=True)
class FormCode:
    """The code of a form.  is_last: no form follows.  keeps: a macro of it may name the objects
    that stand in the text, so these stay.  has_positions: names change their meanings in
    it."""

    data: bytes
    is_last: bool
    keeps: bool
    has_positions: bool
    program: Program


class World:
    """scope: the top level of the program, or of the session's entries.  history: of the program,
    whose forms were analysed together.  defined: the library's variables that certainly have a
    value, where several worlds use one library."""

    def __init__(
        self,
        modules: Modules,
        scope: Scope,
        history: History | None = None,
        defined: set[str] | None = None,
    ) -> None:
        self.modules = modules
        self.scope = scope
        self._history = history
        self._position = -1
        self._defined: set[str] = set() if defined is None else defined
        if history:
            scope.go_to(history, history.changes.position, -1)

    def reach(self, position: int) -> None:
        """Go on to a position in the program: macros hold from their definitions on."""
        if self._history and position != self._position:
            self.scope.go_to(self._history, self._position, position)
            self._position = position

    def begin(self, data: Sequence[Datum], scope: Scope, within: str | None) -> Run:
        return Run(list(data), scope, within)

    def next(self, run: Run, has_objects: bool = False) -> FormCode | None:
        """The code of the next form, after which the caller says `end`; None if there is none."""
        if not run.data:
            return None
        datum = run.data.pop(0)
        before = self.modules.snapshot()
        macros = _macros(run.scope) if has_objects else []
        try:
            # Definitions stay, even if a later part of a form fails.
            program = analyze([datum], run.scope)
            history = run.scope.history if run.scope is self.scope and program.forms else None
            code = open_code(
                program, history=history, within=run.within, defined=self._defined
            )
        except BaseException as failure:
            self.modules.restore(before)
            if isinstance(failure, UnsupportedError):
                raise LispError(f"the form is too large: {failure}") from None
            raise
        run.before, run.variables = before, code.variables
        if history is not None:
            end = history.changes.position
            run.outer = self._history, self._position
            self._history, self._position = history, -1
            self.scope.go_to(history, end, -1)
        keeps = has_objects and macros != _macros(run.scope)
        return FormCode(code.data, not run.data, keeps, history is not None, program)

    def end(self, run: Run, ok: bool) -> None:
        """The form whose code `next` has returned has ended."""
        if run.outer is not None:
            assert self._history is not None
            self.reach(self._history.changes.position)
            self._history, self._position = run.outer
            run.outer = None
        if not ok and run.before is not None:
            self.modules.restore(run.before)
        if ok:
            self._defined |= run.variables
        run.before = None


def _macros(scope: Scope) -> list[Macro]:
    return [meaning for meaning in scope.names.values() if isinstance(meaning, Macro)]
