"""Failures as values: what `%try` returns if its thunk fails.

Emitted code fails with any Python exception.  `catch` finds out what it means (`trace.py` does that
for errors) and which locations it passed, and drops the frames with everything that they hold.  The
locations are kept, so that the trace is complete when the failure is rethrown:

    %try catches AttributeError at (car 5) in f  =>  Caught(error, trail = [location in f])
    %rethrow, which leaves g's frame             =>  the trail is [location in f, location in g]
"""

from collections.abc import Callable
from contextlib import suppress
from enum import Enum
from functools import cache
from types import TracebackType

from lambent.lang.errors import LispError
from lambent.lang.interp.emit.unit import UNITS, Tables
from lambent.lang.interp.errors.faults import (
    RESERVE,
    Escape,
    LispExit,
    NoMemoryError,
    RaisedError,
    means_no_memory,
    refill_reserve,
    wrong_type_error,
)
from lambent.lang.interp.interrupts.masking import interrupts_masked
from lambent.lang.interp.native import NATIVE, structure
from lambent.lang.interp.values.module_calls import (
    RUN_CODE,
    ModulePath,
    is_module_frame,
    modules_left,
)
from lambent.lang.interp.values.values import TAIL, Condition, Lisp, Value, run_trampoline

_INNERMOST_FRAMES = 1000  # kept of a recursion too deep; the library alone never nests deeper

# A frame of emitted code or of the trampoline: the unit's tables, the location's number in them,
# whether a tail call that it made left no frame, as those of the trampoline and others do except
# calls of modules.  The code may be freed before the error is shown.
Step = tuple[Tables, int, "TailCalls"]


# An error whose message is worded when it is asked for: the innermost step, and the operand of
# `car` or the like that is not a pair.  It is a value that never changes, such as a number.
Unworded = tuple[Step, Lisp]


class TailCalls(Enum):
    SHOWN = "shown"
    HIDDEN = "hidden"
    ONLY = "only"  # the trampoline makes no other calls


@structure
class Caught(Value):
    """A failure.

    trail: the frames that it has left, innermost first.  exception: what is rethrown if it is not
    an error.  error: a built-in error, for `error_of`.  payload: what was raised; None for a
    built-in error until the program asks for it.  signalled: its handlers have been called.
    path: of the module that failed; None if it has left no module yet.
    """

    __slots__ = ("error", "exception", "path", "payload", "signalled", "trail")

    def __init__(
        self,
        trail: list[Step],
        exception: BaseException | None = None,
        error: LispError | Unworded | None = None,
        payload: Lisp = None,
        signalled: bool = False,
        path: ModulePath | None = None,
    ) -> None:
        self.trail = trail
        self.exception = exception
        self.error = error
        self.payload = payload
        self.signalled = signalled
        self.path = path


class RethrownError(Exception):
    """An error that has been caught and rethrown."""

    def __init__(self, caught: Caught) -> None:
        super().__init__()
        self.caught = caught


@interrupts_masked
def catch(exception: BaseException) -> Caught:
    """The failure that an exception from emitted code means; bugs of Lambent are raised again."""
    for _ in range(2):
        try:
            return _caught(exception)
        except BaseException as failure:  # memory is used up, also where the exception says nothing
            if failure is exception or not means_no_memory(failure):
                raise
        RESERVE.clear()
    return _without_memory()


def _caught(exception: BaseException) -> Caught:
    if NATIVE is not None:
        simple: Caught | None = NATIVE.caught(exception)
        if simple is not None:
            return simple
    traceback = exception.__traceback__
    match exception:
        case RethrownError(caught=caught):
            caught.trail += trail_of(traceback)
        case RaisedError(payload=payload):
            caught = Caught(trail_of(traceback), None, None, payload, False, None)
        case LispError():
            caught = _of_error(traceback, exception)
        case MemoryError():
            caught = _without_memory()
        case Escape() | LispExit() | KeyboardInterrupt():
            caught = Caught([], exception, None, None, False, None)
        case RecursionError():
            exception.__traceback__ = traceback = _innermost(traceback)
            caught = _of_error(traceback, _meaning()(exception))
            caught.path = ModulePath()
            caught.path.complete = True  # as for the trace: the depth differs between the back ends
        case _ if means_no_memory(exception):
            caught = _without_memory()
        case _:
            caught = _of_error(traceback, _meaning()(exception))
    if caught.exception is None:  # escapes have no use for it
        modules = list(modules_left(traceback))
        if modules:
            caught.path = caught.path or ModulePath()
            caught.path.leave(modules)
    exception.__traceback__ = exception.__context__ = None  # they hold frames, which hold tensors
    del traceback
    refill_reserve()
    TAIL.forget()  # the call that failed may have been a tail call
    return caught


@interrupts_masked
def catch_error(exception: BaseException) -> Caught:
    """The same for a guard, which catches errors only: what else left its body is raised again."""
    if exception.__class__ is MemoryError:
        RESERVE.clear()
    caught = catch(exception)
    if caught.exception is not None:
        raise caught.exception
    return caught


@cache
def _meaning() -> Callable[[BaseException], LispError]:
    """The function that explains Python's exceptions, which no start needs."""
    from lambent.lang.interp.errors.trace import meaning

    return meaning


def _without_memory() -> Caught:
    """The failure where memory is used up.  What its handlers may need is loaded with the reserve.

    A later failure may find a smaller reserve, in which no module can be loaded.
    """
    RESERVE.clear()
    with suppress(Exception):  # where even these find no memory, no handler needs them to begin
        _meaning()
        import lambent.lang.interp.io.printing  # noqa: F401
    return Caught([], None, NoMemoryError(), None, False, None)


def _of_error(traceback: TracebackType | None, error: LispError) -> Caught:
    return Caught(trail_of(traceback), None, error, None, False, None)


def _innermost(traceback: TracebackType | None) -> TracebackType | None:
    """The last frames of a traceback: enough to find the location of a recursion too deep."""
    ahead = traceback
    for _ in range(_INNERMOST_FRAMES):
        ahead = ahead and ahead.tb_next
    while ahead is not None:
        assert traceback is not None
        traceback, ahead = traceback.tb_next, ahead.tb_next
    return traceback


def error_of(caught: Caught) -> LispError | None:
    """The message of a built-in error; None if the program raised the failure."""
    error = caught.error
    if not isinstance(error, tuple):
        return error
    (tables, location, _), operand = error
    name = tables.location(location).detail
    caught.error = worded = wrong_type_error(name, "a pair", operand)
    return worded


def rethrow(caught: Caught) -> BaseException:
    """The exception that rethrows a failure."""
    return caught.exception or RethrownError(caught)


def trail_of(traceback: TracebackType | None) -> list[Step]:
    """The frames of emitted code in a traceback, innermost first."""
    trail: list[Step] = []
    while traceback is not None:
        frame = traceback.tb_frame
        is_trampoline = frame.f_code is run_trampoline.__code__
        unit, location = frame.f_locals["at"] if is_trampoline else (
            frame.f_code.co_filename, traceback.tb_lineno
        )
        traceback = traceback.tb_next
        if tables := UNITS.get(unit):
            tails = TailCalls.ONLY if is_trampoline else TailCalls.HIDDEN
            if traceback is not None and is_module_frame(traceback.tb_frame):
                tails = TailCalls.SHOWN
            trail.append((tables, location, tails))
    trail.reverse()
    return trail


if NATIVE is not None:
    NATIVE.configure_failures(
        RaisedError, LispError, Escape, Caught, Condition, UNITS, TailCalls.HIDDEN, TAIL.nothing,
        RUN_CODE, run_trampoline.__code__, catch_error,
    )
