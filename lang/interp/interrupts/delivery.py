"""Raises Ctrl-C's exception in Lisp's thread, where it does no harm.

CPython raises an exception that another thread requests wherever it looks for one: at the entry of
a function, after a call, at the end of an iteration.  That may be in an import, in a finalizer,
which swallows it, or before a `finally` has restored something.  So the requesting thread first
looks at Lisp's thread, and requests the exception only if that is

  1. at an instruction at which CPython looks for exceptions, so that it is raised exactly there;
  2. in code that can be interrupted: emitted code, or Python code called by it, except functions
     that `masking.py` masks, imports, and finalizers;
  3. outside of after-thunks, unless this is the second Ctrl-C.

Otherwise it looks again a little later.  Lisp's thread cannot move between the last look and the
request, because they are one step (`_raise_if_still`).  Without Ctrl-C, all this costs nothing.
"""

import sys
from functools import cache
from itertools import starmap
from operator import attrgetter, eq, is_, itemgetter
from types import CodeType, FrameType
from typing import Any

from lambent.lang.interp.emit.unit import UNITS
from lambent.lang.interp.interrupts.masking import CATCHING, DEFERRAL, MASKED, MASKED_FRAMES
from lambent.lang.interp.library import MASKED_KEY

_DYING = ("/weakref.py", "/_weakrefset.py")


def interrupt(identity: int, root: CodeType, insistent: bool) -> bool:
    """Raise KeyboardInterrupt in a thread, if that does no harm now; whether it did.

    root: the code that runs the thread's job.  insistent: interrupt after-thunks as well.
    """
    frame = sys._current_frames().get(identity)
    if frame is None:
        return False
    at = frame.f_lasti
    if not _looks_for_exceptions(frame.f_code, at) or not is_harmless(frame, root):
        return False
    if DEFERRAL.depth and not insistent:
        return False
    return _raise_if_still(identity, frame, at)


def cancel(identity: int) -> None:
    """Cancel an exception that was requested in a thread and not raised yet."""
    from ctypes import py_object

    _asynchronous_exception()(identity, py_object())


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


def is_harmless(top: FrameType, root: CodeType) -> bool:
    """Whether an exception may be raised in the innermost frame of a thread.

    Python code counts as the emitted code that called it, unless a `%try` is in between.
    """
    if top.f_code in MASKED_FRAMES or top.f_code is root:
        return False
    frame: FrameType | None = top
    while frame is not None and frame.f_code is not root:
        code = frame.f_code
        if code.co_filename in UNITS:
            return code.co_filename != MASKED_KEY
        if code in CATCHING:
            return True
        if code in MASKED or _is_python_own(code):
            return False
        frame = frame.f_back
    return frame is not None


def _is_python_own(code: CodeType) -> bool:
    """Whether code is a finalizer, which swallows exceptions, or an import, which breaks.

    Those of weakref are called where an object dies, as finalizers are, and the callbacks of the
    collector where it begins and ends.
    """
    import gc

    return (
        code in [getattr(callback, "__code__", None) for callback in gc.callbacks]
        or code.co_name == "__del__"
        or code.co_filename.startswith("<frozen importlib")
        or code.co_filename.endswith(_DYING)
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
