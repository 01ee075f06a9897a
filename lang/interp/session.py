"""A REPL's world: entries evaluated one after the other, each seeing what those before defined.

    session.evaluate(Source("repl", "(define x 1) (+ x 1)"))  =>  prints 2
"""

from collections.abc import Callable

from lambent.lang.core.denotation import Macro
from lambent.lang.core.ir import Home
from lambent.lang.core.scope import SPECIAL_FORMS
from lambent.lang.errors import LispError, SyntaxFault
from lambent.lang.interp.facts import facts_of
from lambent.lang.interp.names import global_name
from lambent.lang.interp.repl_text import result_text
from lambent.lang.interp.run import new_machine, program_modules, translated
from lambent.lang.interp.values import Lisp, Values, is_procedure
from lambent.lang.interp.world import World
from lambent.lang.primitives.library import TABLE
from lambent.lang.syntax.datum import Datum, List, String, Symbol
from lambent.lang.syntax.reader import read
from lambent.lang.syntax.source import Source


class Session:
    """show is called with the text of each result that shows."""

    def __init__(self, show: Callable[[str], None]) -> None:
        self._show = show
        self._machine = new_machine()
        modules = program_modules(self._machine, interactive=True)
        self._world = World(self._machine, modules, modules.program_scope())
        self._machine.find_world = lambda: self._world

    def evaluate(self, source: Source) -> None:
        """Run the forms of a source in order, and show what each gives."""
        for datum in read(source):
            value = self._form(datum)
            if value is not None:
                self._show_value(value)

    def _show_value(self, value: Lisp) -> None:
        """Show a result, or each of several values on a line of its own."""
        for result in value.items if value.__class__ is Values else [value]:
            text = result_text(result)
            if text is not None:
                self._show(text)

    def names(self, start: str) -> list[str]:
        """What completes it: special forms, primitives, the library, operators, the session's."""
        scope = self._world.scope
        own = [name for name in scope.names if isinstance(name, str)]
        ambient = {*SPECIAL_FORMS, *scope.macros, *TABLE, *self._machine.library.names()}
        names = {*ambient, *own}
        found = {name for name in names if name.startswith(start) and not name.startswith("%")}
        if start.startswith("tensor-"):
            from lambent.lang.reference import completions

            found.update(completions(start))
        return sorted(found)

    def _form(self, datum: Datum) -> Lisp:
        """The value of one form; None where nothing is to be shown."""
        match datum:
            case List((Symbol("doc"), asked), None) if not self._is_defined("doc"):
                self._show(self._describe(_name_in(asked)))
                return None
        # Ctrl-C may have come just where handlers were to be put back.
        self._machine.globals.pop(global_name("%handlers", Home.LIBRARY), None)
        return translated(lambda: self._world.run([datum], self._world.scope))

    def _is_defined(self, name: str) -> bool:
        return f"p:{name}" in self._machine.globals

    def _describe(self, name: str) -> str:
        """What `(doc name)` shows."""
        value = self._machine.globals.get(f"p:{name}")
        if value is not None and is_procedure(value):
            return _described(facts_of(value).usage, facts_of(value).doc)
        meaning = self._world.scope.meaning(name)
        if isinstance(meaning, Macro) and meaning is not SPECIAL_FORMS.get(name):
            return _described(meaning.usage, meaning.doc)
        from lambent.lang.reference import describe

        try:
            return describe(name)
        except LispError as error:
            raise LispError(error.message.removeprefix("lambent: "), hint=error.hint) from None


def _name_in(asked: Datum) -> str:
    """The name that `(doc name)` asks for, as which `'name` and `"name"` count, too."""
    match asked:
        case List((Symbol("quote"), Symbol(name)), None) | Symbol(name) | String(name):
            return name
    raise SyntaxFault("doc: expected (doc name)", asked.span)


def _described(usage: str, doc: str | None) -> str:
    lines = [line.strip() for line in (doc or "").splitlines()]
    return "\n".join([usage, *(f"  {line}".rstrip() for line in lines)])
