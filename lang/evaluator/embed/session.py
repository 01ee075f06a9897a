"""Sessions and procedures for Python programs, whose Lisp runs on the evaluator in the process.

    Session().eval("(+ x 1)", x=2)  =>  3

The analysis runs in the thread of the job; `calls.py` gives its code to the library.
"""

from collections.abc import Callable
from typing import Any
from weakref import WeakSet

from lambent.lang.errors import LispError
from lambent.lang.evaluator.code_server import CodeMaker
from lambent.lang.evaluator.embed.calls import (
    failed,
    in_lisp,
    run_in,
    started,
)
from lambent.lang.evaluator.embed.library import Held, machine
from lambent.lang.evaluator.embed.values import from_word, to_word
from lambent.lang.evaluator.run_code import program_modules
from lambent.lang.evaluator.world import FormCode, Run, World
from lambent.lang.interp.embed.executor import EXECUTOR
from lambent.lang.interp.embed.sessions import SessionBase, definition
from lambent.lang.interp.embed.to_python import EmbeddedError
from lambent.lang.interp.interrupts.masking import frame_masked, interrupts_masked
from lambent.lang.syntax.datum import Datum

_PASSED = "#<passed>"  # the variable that passes a value to `define`
_defined: set[str] = set()  # the library's variables that have a value, for all sessions


class WorldHandle:
    """The variables of a session, which are freed with this.  globals: one for each."""

    def __init__(self) -> None:
        lib, ffi = started()
        self.pointer = ffi.gc(lib.rt_guest_new_world(), lib.rt_guest_drop_world)

    @property
    def globals(self) -> range:
        return range(machine().lib.rt_guest_world_size(self.pointer))


class Session(SessionBase):
    """A world of Lisp on the evaluator."""

    def __init__(self) -> None:
        self._machine, self.maker = EXECUTOR.run(_new_world)
        SESSIONS.add(self)

    @property
    def pointer(self) -> Any:
        return self._machine.pointer

    @frame_masked
    def _to_lisp(self, value: Any) -> Held:
        return Held.of(to_word(value))

    @frame_masked
    def _define(self, name: str, value: Held) -> Held:
        lib = machine().lib
        lib.rt_guest_define(_PASSED.encode(), lib.rt_guest_dup(value.word))
        try:
            self._run([definition(name, _PASSED)])
        finally:
            lib.rt_guest_define(_PASSED.encode(), lib.rt_guest_constant(0))
        return Held.of(lib.rt_guest_constant(2))

    @frame_masked
    def _run(self, data: list[Datum]) -> Held:
        world = self.maker.world
        value = Held.of(machine().lib.rt_guest_constant(2))
        run = world.begin(data, world.scope, None)
        while (code := world.next(run)) is not None:
            value = self._run_form(run, code)
        return value

    @frame_masked
    def _run_form(self, run: Run, code: FormCode) -> Held:
        ok = False
        try:
            result = _result_of(
                machine().lib.rt_guest_run, code.data, len(code.data), code.has_positions
            )
            ok = True
            return result
        finally:
            self._end(run, ok)

    @interrupts_masked
    def _end(self, run: Run, ok: bool) -> None:
        self.maker.world.end(run, ok)

    @frame_masked
    def _apply(self, procedure: Held, arguments: list[Held]) -> Held:
        lib, ffi = machine()
        words = [lib.rt_guest_dup(argument.word) for argument in arguments]
        array = ffi.new("rt_value[]", words or [0])
        return _result_of(lib.rt_guest_apply, procedure.word, len(words), array)

    def _answer(self, job: Callable[[], Held]) -> Any:
        @frame_masked
        def inside() -> Any:
            try:
                result = job()
                return from_word(result.word)
            except LispError as error:
                cause = EmbeddedError(error)
            raise cause

        return run_in(self, inside)


SESSIONS: WeakSet[Session] = WeakSet()


@frame_masked
def _result_of(function: Any, *arguments: Any) -> Held:
    """The value of a call of the library's, or the exception for its failure."""
    lib, ffi = machine()
    failure = ffi.new("struct rt_guest_failure *")
    handlers = lib.rt_guest_handlers()
    word = in_lisp(function, *arguments, failure)
    if word == 0:  # what an interrupt leaves in force, such as a handler, ends here
        lib.rt_guest_set_handlers(handlers)
        raise failed(failure[0])
    lib.rt_guest_free(handlers)
    return Held.of(word)


def in_some_session(job: Callable[[], Any]) -> Any:
    """The result of a job that needs no variables, such as the text of a value."""
    session = next(iter(SESSIONS), None)
    return run_in(session or Session(), job)


def _new_world() -> tuple[WorldHandle, CodeMaker]:
    handle = WorldHandle()  # which makes the library, and so what has the names of operators
    modules = program_modules(interactive=True)
    return handle, CodeMaker(World(modules, modules.program_scope(), defined=_defined))
