"""Lisp inside a Python program: sessions, and procedures that Python calls.

Lisp runs on its own threads (`executor.py`); the calling thread waits.

    Session().eval("(+ x 1)", x=2)  =>  3
"""

from collections.abc import Callable
from typing import Any, Self

from lambent.lang.interp.embed.executor import EXECUTOR
from lambent.lang.interp.embed.from_python import PythonError, to_lisp
from lambent.lang.interp.embed.sessions import SessionBase, definition
from lambent.lang.interp.embed.to_python import EmbeddedError, Object, from_lisp
from lambent.lang.interp.errors.caught import RethrownError, catch, error_of, rethrow
from lambent.lang.interp.errors.faults import Escape, LispExit, RaisedError
from lambent.lang.interp.errors.trace import translate
from lambent.lang.interp.interrupts.masking import frame_masked
from lambent.lang.interp.machine import Machine
from lambent.lang.interp.run import new_machine, program_modules
from lambent.lang.interp.values.values import (
    TAIL,
    UNSPECIFIED,
    Condition,
    Lisp,
    list_of,
    run_trampoline,
)
from lambent.lang.interp.world import World
from lambent.lang.syntax.datum import Datum
from lambent.lang.syntax.reader import read
from lambent.lang.syntax.source import Source

_CALLER = "(lambda (procedure arguments) (apply procedure arguments))"
_PASSED = "#<passed>"  # the variable that passes a value to `define`


class Session(SessionBase):
    """A world of Lisp on the interpreter."""

    def __init__(self) -> None:
        self._machine, self._world, self._caller = EXECUTOR.run(_new_world)

    def _to_lisp(self, value: Any) -> Lisp:
        return to_lisp(value)

    @frame_masked
    def _define(self, name: str, value: Lisp) -> Lisp:
        self._machine.globals[f"p:{_PASSED}"] = value
        try:
            self._run([definition(name, _PASSED)])
        finally:
            del self._machine.globals[f"p:{_PASSED}"]
        return UNSPECIFIED

    def _run(self, data: list[Datum]) -> Lisp:
        value: Lisp = UNSPECIFIED
        for datum in data:
            value = self._world.run([datum], self._world.scope)
        return value

    def _apply(self, procedure: Lisp, arguments: list[Lisp]) -> Lisp:
        def job() -> Lisp:
            result = self._caller(procedure, list_of(arguments))
            return run_trampoline() if result is TAIL else result

        return self._machine.during(job)

    def _answer(self, job: Callable[[], Lisp]) -> Any:
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
