"""A REPL's session: evaluates entries one after the other; each sees the earlier definitions.

    session.evaluate(Source("repl", "(define x 1) (+ x 1)"))  =>  prints 2

In a session on a terminal, `*1`, `*2` and `*3` are the last values that were shown, and `_` is
`*1`, unless the session defines these names itself.  `commands.py` has the commands, such as
`(doc name)`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import replace

from lambent.lang.core.denotation import GlobalName, Macro
from lambent.lang.core.ir import Namespace
from lambent.lang.core.scope import SPECIAL_FORMS, Env, Scope, Unit
from lambent.lang.core.usage import module_of
from lambent.lang.errors import LispError
from lambent.lang.interp.emit.names import global_name
from lambent.lang.interp.repl.commands import find_command
from lambent.lang.interp.repl.result_text import LONGEST_RESULT, result_text
from lambent.lang.interp.run import leave, new_machine, program_modules, translated
from lambent.lang.interp.values.procedure_facts import facts_of
from lambent.lang.interp.values.values import Lisp, Procedure, Values
from lambent.lang.interp.world import World
from lambent.lang.primitives.library import TABLE
from lambent.lang.syntax.datum import Datum
from lambent.lang.syntax.reader import read
from lambent.lang.syntax.source import Source


class Entries(ABC):
    """A session, whatever runs its forms.

    show is called with the text of each result.
    interactive: the output is a terminal, so long results are cut, and the last ones have names.
    forms_left: how many forms of the last source followed the one that failed.
    """

    def __init__(self, show: Callable[[str], None], interactive: bool) -> None:
        self._show = show
        self._interactive = interactive
        self.forms_left = 0

    @property
    @abstractmethod
    def scope(self) -> Scope:
        """The top level of the entries."""

    @abstractmethod
    def _run(self, datum: Datum, shows: bool) -> None:
        """Run a form; shows: and show its value."""

    @abstractmethod
    def _library_names(self) -> Iterable[str]:
        """The names that the library defines."""

    @abstractmethod
    def _usage(self, name: str) -> tuple[str, str | None] | None:
        """The usage and the doc string of the session's own procedure of a name, if any."""

    @abstractmethod
    def leave(self, status: int) -> int:
        """End the session; the exit status."""

    def evaluate(self, source: Source) -> None:
        """Run the forms of a source in order, and show the value of each."""
        self._run_all(source, shows=True)

    @property
    def dialect(self) -> str:
        """The Lisp in which entries are read, if `use` has named another."""
        return "" if self.scope.dialect is None else "lispe"

    def load(self, source: Source) -> None:
        """Run the forms of a source in order, without showing their values."""
        self._run_all(source, shows=False)

    def _run_all(self, source: Source, shows: bool) -> None:
        data = read(replace(source, dialect=self.dialect) if self.dialect else source)
        self.forms_left = len(data)
        for datum in data:
            self.forms_left -= 1
            command = find_command(datum, self.is_defined, words=self._interactive)
            if command is not None:
                self._show(command(self))
                continue
            if (dialect := self.scope.dialect) is not None:
                datum = dialect.shown(datum, Env(Unit(self.scope)))
            self._run(datum, shows)

    def names(self, start: str) -> list[str]:
        """Completions: special forms, primitives, the library, operators, the session's names."""
        names = {name for name in self.known_names() if name.startswith(start)}
        if start.startswith("tensor-"):
            from lambent.lang.reference.pages import completions

            names.update(completions(start))
        return sorted(names)

    def known_names(self) -> set[str]:
        """All visible names but those of operators."""
        own = [name for name in self.scope.names if isinstance(name, str)]
        library = [name for name in self._library_names() if not module_of(name)]
        ambient = {*SPECIAL_FORMS, *self.scope.macros, *TABLE, *library}
        return {name for name in {*ambient, *own} if not name.startswith("%")}

    def is_defined(self, name: str) -> bool:
        """Whether the session has defined a name."""
        return name in self.scope.names

    def describe(self, name: str) -> str:
        """The text that `(doc name)` shows."""
        if (own := self._usage(name)) is not None:
            return _described(*own)
        meaning = self.scope.meaning(name)
        if isinstance(meaning, Macro) and meaning is not SPECIAL_FORMS.get(name):
            return _described(meaning.usage, meaning.doc)
        from lambent.lang.reference.pages import describe

        try:
            return describe(name)
        except LispError as error:
            raise LispError(error.message.removeprefix("lambent: "), hint=error.hint) from None


class Session(Entries):
    """A session on the interpreter."""

    def __init__(self, show: Callable[[str], None], interactive: bool = False) -> None:
        super().__init__(show, interactive)
        self._machine = new_machine()
        modules = program_modules(self._machine, interactive=True)
        self.world = World(self._machine, modules, modules.program_scope())
        self._machine.find_world = lambda: self.world

    @property
    def scope(self) -> Scope:
        return self.world.scope

    def leave(self, status: int) -> int:
        return leave(status)

    def _run(self, datum: Datum, shows: bool) -> None:
        # Ctrl-C may have interrupted code that restores the handlers.
        self._machine.globals.pop(global_name("%handlers", Namespace.LIBRARY), None)
        value = translated(lambda: self.world.run([datum], self.world.scope))
        if shows:
            self._show_value(value)

    def _show_value(self, value: Lisp) -> None:
        """Show a result, or each of several values on a separate line."""
        for result in value.items if value.__class__ is Values else [value]:
            text = result_text(result, LONGEST_RESULT if self._interactive else None)
            if text is not None:
                self._show(text)
                if self._interactive:
                    self._remember(result)

    def _remember(self, value: Lisp) -> None:
        """Set `*1` to the value, `*2` to the old `*1`, and `*3` to the old `*2`."""
        variables = self._machine.globals
        older = {"*3": "*2", "*2": "*1"}
        for name in [n for n in ("*3", "*2", "*1") if n not in self.scope.own]:
            newest = variables.get(f"p:{older[name]}") if name in older else value
            if newest is not None:
                variables[f"p:{name}"] = newest
                self.scope.names[name] = GlobalName(name, Namespace.PROGRAM)
        if "_" not in self.scope.own:
            self.scope.names["_"] = GlobalName("*1", Namespace.PROGRAM)

    def _library_names(self) -> Iterable[str]:
        return self._machine.library.names()

    def _usage(self, name: str) -> tuple[str, str | None] | None:
        value = self._machine.globals.get(f"p:{name}")
        if value.__class__ is not Procedure:
            return None
        return facts_of(value).usage, facts_of(value).doc


def _described(usage: str, doc: str | None) -> str:
    lines = [line.strip() for line in (doc or "").splitlines()]
    return "\n".join([usage, *(f"  {line}".rstrip() for line in lines)])
