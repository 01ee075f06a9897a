"""Lisp inside a Python program: sessions, and procedures that Python calls.

Lisp runs on its own threads (`executor.py`); the calling thread waits.

    Session().eval("(+ x 1)", x=2)  =>  3
"""

import os
from collections.abc import Callable, Mapping
from typing import Any, Self

from lambent.lang.interp.embed.executor import EXECUTOR
from lambent.lang.interp.embed.from_python import PythonError, to_lisp
from lambent.lang.interp.embed.from_python import text as checked
from lambent.lang.interp.embed.to_python import (
    EmbeddedError,
    Keyword,
    Object,
    from_lisp,
    lone_surrogate,
)
from lambent.lang.interp.errors.caught import RethrownError, catch, error_of, rethrow
from lambent.lang.interp.errors.faults import Escape, LispExit, RaisedError
from lambent.lang.interp.errors.trace import translate
from lambent.lang.interp.interrupts.masking import frame_masked
from lambent.lang.interp.machine import Machine
from lambent.lang.interp.run import new_machine, program_modules, read_text
from lambent.lang.interp.values.values import (
    TAIL,
    UNSPECIFIED,
    Condition,
    Lisp,
    list_of,
    run_trampoline,
)
from lambent.lang.interp.world import World
from lambent.lang.syntax.datum import Datum, List, Symbol
from lambent.lang.syntax.reader import read
from lambent.lang.syntax.source import Source, Span

SOURCE = "python"  # the name of a text without a file in messages
_CALLER = "(lambda (procedure arguments) (apply procedure arguments))"
_PASSED = "#<passed>"  # the variable that passes a value to `define`


class Session:
    """A world of Lisp: each evaluation sees the definitions of the earlier ones."""

    def __init__(self) -> None:
        self._machine, self._world, self._caller = EXECUTOR.run(_new_world)

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
        self._answer(lambda: self._define(name, to_lisp(value)))

    def call(self, procedure: Lisp, arguments: tuple[Any, ...], named: Mapping[str, Any]) -> Any:
        """The result of a procedure; `keep_dim=True` passes `:keep-dim #t`."""

        def job() -> Lisp:
            values = [to_lisp(argument) for argument in arguments]
            for name, value in named.items():
                values += [to_lisp(Keyword(name.replace("_", "-"))), to_lisp(value)]
            return self._apply(procedure, values)

        return self._answer(job)

    def _evaluated(self, source: Source, variables: Mapping[str, Any]) -> Lisp:
        data = read(source)
        if variables and data:
            values = [to_lisp(value) for value in variables.values()]
            return self._apply(self._run(_closed_over(variables, data)), values)
        value: Lisp = UNSPECIFIED
        for datum in data:
            value = self._run(datum)
        return value

    @frame_masked
    def _define(self, name: str, value: Lisp) -> Lisp:
        nowhere = Span(Source(SOURCE, ""), 0, 0)
        symbols = [Symbol(word, nowhere) for word in ("define", name, _PASSED)]
        self._machine.globals[f"p:{_PASSED}"] = value
        try:
            self._run(List(tuple(symbols), None, nowhere))
        finally:
            del self._machine.globals[f"p:{_PASSED}"]
        return UNSPECIFIED

    def _run(self, datum: Datum) -> Lisp:
        return self._world.run([datum], self._world.scope)

    def _apply(self, procedure: Lisp, arguments: list[Lisp]) -> Lisp:
        def job() -> Lisp:
            result = self._caller(procedure, list_of(arguments))
            return run_trampoline() if result is TAIL else result

        return self._machine.during(job)

    def _answer(self, job: Callable[[], Lisp]) -> Any:
        """The result of a job that runs Lisp, as a Python value."""

        @frame_masked
        def inside() -> Any:
            _SESSIONS.append(self)
            try:
                return from_lisp(_result(job))
            finally:
                _SESSIONS.pop()

        return EXECUTOR.run(inside)


class Procedure(Object):
    """A Lisp procedure that Python can call; `keep_dim=True` passes `:keep-dim #t`."""

    __slots__ = ("_session",)

    _session: "Session"

    @classmethod
    def of(cls, lisp: Lisp) -> Self:
        wrapper = super().of(lisp)
        wrapper._session = _SESSIONS[-1]
        return wrapper

    def __call__(self, /, *arguments: Any, **named: Any) -> Any:
        return self._session.call(self.lisp, arguments, named)


_SESSIONS: list[Session] = []  # the sessions with a running evaluation, the innermost last


def _new_world() -> tuple[Machine, World, Callable[..., Lisp]]:
    machine = new_machine()
    modules = program_modules(machine, interactive=True)
    world = World(machine, modules, modules.program_scope())
    machine.find_world = lambda: world
    caller = world.run(read(Source("caller", _CALLER, library=True)), world.scope)
    return machine, world, caller


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


def _result(job: Callable[[], Lisp]) -> Lisp:
    """The result of a job; exceptions from emitted code become those that Python programs see."""
    try:
        return job()
    except LispExit as leaving:
        cause: BaseException = leaving.cause or SystemExit(leaving.status)
    except (KeyboardInterrupt, Escape):  # an escape passes through Python to its continuation
        raise
    except BaseException as failure:
        caught = catch(failure)
        cause = EmbeddedError(translate(rethrow(caught)), _payload(failure))
        cause.caught = caught if caught.error is None else None
        origin = _origin(failure)
        cause.__cause__ = origin
    raise cause


def _payload(failure: BaseException) -> Any:
    """What was raised, if that is not an error object."""
    match failure:
        case RaisedError(payload=payload) | RethrownError(caught=payload):
            payload = getattr(payload, "payload", payload)
            shown = payload is not None and payload.__class__ is not Condition
            return from_lisp(payload) if shown else None
    return None


def _origin(failure: BaseException) -> BaseException | None:
    """The Python exception that caused a failure, if there is one."""
    error = error_of(failure.caught) if isinstance(failure, RethrownError) else failure
    return error.cause if isinstance(error, PythonError) else None
