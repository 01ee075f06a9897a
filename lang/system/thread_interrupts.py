"""Raises Ctrl-C's exception in another thread, where it does no harm.

    interrupt_thread(identity, lambda frame: is_harmless(frame))
    =>  True: KeyboardInterrupt is raised in that thread's innermost frame

CPython raises an exception that another thread requests wherever it looks for one: at the entry of
a function, after a call, at the end of an iteration.  That may be in an import, in a finalizer,
which swallows it, or before a `finally` has restored something.  So the requesting thread first
looks at the other one, and requests the exception only if that is at an instruction at which
CPython looks for exceptions, so that it is raised exactly there, and in code that its caller takes
for harmless.  If not, the caller tries again a little later.

The other thread cannot move between the last look and the request, because they are one step
(`_raise_if_still`).
"""

import os
import sys
from collections.abc import Callable
from functools import cache
from itertools import starmap
from operator import attrgetter, eq, is_, itemgetter
from types import CodeType, FrameType
from typing import Any

_LANG = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep  # noqa: PTH100, PTH120
# As in `inspect`, which takes long to load.
_GENERATORS = 0x20 | 0x80 | 0x200  # generators, coroutines, and asynchronous generators
_DYING = ("/weakref.py", "/_weakrefset.py")


def interrupt_thread(identity: int, is_harmless: Callable[[FrameType], bool]) -> bool:
    """Raise KeyboardInterrupt in a thread if its innermost frame is harmless; whether it did."""
    frame = sys._current_frames().get(identity)
    if frame is None:
        return False
    at = frame.f_lasti
    if not _looks_for_exceptions(frame.f_code, at) or not is_harmless(frame):
        return False
    return _raise_if_still(identity, frame, at)


def cancel(identity: int) -> None:
    """Cancel an exception that was requested in a thread and not raised yet."""
    from ctypes import py_object

    _asynchronous_exception()(identity, py_object())


def is_python_own(code: CodeType) -> bool:
    """Whether code is a finalizer, which swallows exceptions, or an import, which breaks.

    Those of weakref are called where an object dies, as finalizers are, and the callbacks of the
    collector where it begins and ends.  Generators of others may be what the collector closes.
    """
    import gc

    return (
        (is_generator(code) and not code.co_filename.startswith(_LANG))
        or code in [getattr(callback, "__code__", None) for callback in gc.callbacks]
        or code.co_name == "__del__"
        or code.co_filename.startswith("<frozen importlib")
        or code.co_filename.endswith(_DYING)
    )


def is_generator(code: CodeType) -> bool:
    """Whether code may go on where it has stopped: for its next value, or to be closed."""
    return bool(code.co_flags & _GENERATORS)


def _looks_for_exceptions(code: CodeType, at: int) -> bool:
    return at >= 0 and code.co_code[at] in _looking_instructions()


@cache
def _looking_instructions() -> frozenset[int]:
    """The instructions after or in which CPython looks for exceptions of other threads."""
    from opcode import opmap

    return frozenset(
        number
        for name, number in opmap.items()
        if name in ("PRECALL", "CALL", "CALL_KW", "CALL_FUNCTION_EX", "RESUME")
        or ("JUMP_BACKWARD" in name and "NO_INTERRUPT" not in name)
    )


def _raise_if_still(identity: int, frame: FrameType, at: int) -> bool:
    """Raise KeyboardInterrupt in a thread that is still at an instruction of a frame.

    C functions that call each other look and request; no bytecode runs between them.  So this
    thread keeps CPython's lock, and the other thread cannot move.
    """
    import gc

    collects = gc.isenabled()
    gc.disable()  # a collection may run Python code
    try:
        frames = map(itemgetter(identity), starmap(sys._current_frames, [()]))
        positions = map(attrgetter("f_lasti"), filter(_is(frame), frames))
        still = filter(_equals(at), positions)
        requests = map(itemgetter(1, 2), zip(still, [identity], [KeyboardInterrupt], strict=False))
        return any(starmap(_asynchronous_exception(), requests))
    except KeyError:  # the thread has ended meanwhile
        return False
    finally:
        if collects:
            gc.enable()


def _is(thing: object) -> Any:
    from functools import partial

    return partial(is_, thing)


def _equals(number: int) -> Any:
    from functools import partial

    return partial(eq, number)


@cache
def _asynchronous_exception() -> Any:
    """CPython's function that requests an exception in a thread; it keeps CPython's lock."""
    from ctypes import c_int, c_ulong, py_object, pythonapi

    function = pythonapi.PyThreadState_SetAsyncExc
    function.argtypes, function.restype = (c_ulong, py_object), c_int
    return function
