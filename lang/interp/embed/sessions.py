"""What sessions in a Python program have in common, whatever runs their Lisp.

`embedded.py` has those of the interpreter, `lang/evaluator/embed/session.py` the evaluator's.
"""

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

from lambent.lang.interp.embed.to_python import Keyword, checked, lone_surrogate
from lambent.lang.interp.run import read_text
from lambent.lang.syntax.datum import Datum, List, Symbol
from lambent.lang.syntax.reader import read
from lambent.lang.syntax.source import Source, Span

SOURCE = "python"  # the name of a text without a file in messages
NOWHERE = Span(Source(SOURCE, ""), 0, 0)


class SessionBase(ABC):
    """A world of Lisp: each evaluation sees the definitions of the earlier ones."""

    def eval(self, text: str, names: Mapping[str, Any] | None = None, /, **more: Any) -> Any:
        """The value of the last form of a text.

        names, and keywords, are variables for this evaluation only; with such variables, what the
        text defines is local to it as well.  Raises LispError; `(exit)` raises SystemExit.
        """
        if not isinstance(text, str):
            raise TypeError(f"lambent.eval takes a str of Lisp, got {text!r}")
        variables = {**(names or {}), **more}
        for name in variables:
            _check_name(name)
        return self._answer(lambda: self._evaluated(Source(SOURCE, checked(text)), variables))

    def load(self, path: "str | os.PathLike[str]") -> Any:
        """Run the forms of a file; the value of the last one."""
        name = os.fsdecode(path)
        return self._answer(lambda: self._evaluated(Source(name, read_text(name)), {}))

    def define(self, name: str, value: Any) -> None:
        """Define a variable of the session."""
        _check_name(name)
        self._answer(lambda: self._define(name, self._to_lisp(value)))

    def call(self, procedure: Any, arguments: tuple[Any, ...], named: Mapping[str, Any]) -> Any:
        """The result of a procedure; `keep_dim=True` passes `:keep-dim #t`."""

        def job() -> Any:
            values = [self._to_lisp(argument) for argument in arguments]
            for name, value in named.items():
                values += [self._to_lisp(Keyword(name.replace("_", "-"))), self._to_lisp(value)]
            return self._apply(procedure, values)

        return self._answer(job)

    def _evaluated(self, source: Source, variables: Mapping[str, Any]) -> Any:
        data = read(source)
        if variables and data:
            values = [self._to_lisp(value) for value in variables.values()]
            return self._apply(self._run([_closed_over(variables, data)]), values)
        return self._run(data)

    # Values of Lisp are what `_to_lisp`, `_run` and `_apply` return.

    @abstractmethod
    def _to_lisp(self, value: Any) -> Any:
        """The Lisp value; a LispError if there is none."""

    @abstractmethod
    def _run(self, data: list[Datum]) -> Any:
        """Run forms; the value of the last one, unspecified if there is none."""

    @abstractmethod
    def _apply(self, procedure: Any, arguments: list[Any]) -> Any:
        """Call a procedure."""

    @abstractmethod
    def _define(self, name: str, value: Any) -> Any:
        """Define a variable; the unspecified value."""

    @abstractmethod
    def _answer(self, job: Callable[[], Any]) -> Any:
        """The result of a job that runs Lisp, as a Python value."""


def _check_name(name: object) -> None:
    if not isinstance(name, str):
        raise TypeError(f"the name of a variable is a str, not {name!r}")
    if lone_surrogate(name) is not None:
        raise ValueError(f"the name of a variable cannot hold a lone surrogate: {name!r}")


def _closed_over(variables: Mapping[str, Any], data: list[Datum]) -> Datum:
    """`(lambda (x y) form ...)`; its locations are never shown."""
    nowhere = Span(data[0].span.source, 0, 0)
    names = tuple(Symbol(name, nowhere) for name in variables)
    head = (Symbol("lambda", nowhere), List(names, None, nowhere))
    return List((*head, *data), None, nowhere)


def definition(name: str, passed: str) -> Datum:
    """`(define name passed)`, where the variable `passed` has the value."""
    symbols = [Symbol(word, NOWHERE) for word in ("define", name, passed)]
    return List(tuple(symbols), None, NOWHERE)
