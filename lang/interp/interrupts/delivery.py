"""Raising Ctrl-C's exception in Lisp's thread, where it does no harm.

CPython raises an exception that another thread asks for wherever it happens to look for one: at the
entry of any function, after any call, at the end of any iteration.  That may be in the middle of an
import, in a finalizer, which swallows it, or where a `finally` is about to put something back.  So
the thread that asks looks first, and asks only if the other one stands

  1. at an instruction at which CPython looks for exceptions, so that it comes exactly there;
  2. in code that is interrupted without harm: emitted code, or Python code called by it, but for
     what `masking.py` names, for imports, and for finalizers;
  3. outside of after-thunks, unless this is the second Ctrl-C.

Otherwise it looks again a little later.  What it saw holds until the exception is there, because
the last look and the request are one step (`_raise_if_still`).  Nothing of this costs anything
while nobody presses Ctrl-C.
"""

import sys
from functools import cache
from itertools import starmap
from operator import attrgetter, eq, is_, itemgetter
from types import CodeType, FrameType
from typing import Any

from lambent.lang.interp.emit.unit import UNITS
from lambent.lang.interp.interrupts.masking import CATCHING, MASKED, MASKED_FRAMES, Deferral
from lambent.lang.interp.library import MASKED_KEY


def interrupt(identity: int, root: CodeType, insistent: bool) -> bool:
    """Raise KeyboardInterrupt in a thread, if it stands where that does no harm.

    root: the code that runs the thread's job.  insistent: after-thunks are interrupted, too.
    """
    frame = sys._current_frames().get(identity)
    if frame is None:
        return False
    at = frame.f_lasti
    if not _looks_for_exceptions(frame.f_code, at) or not _is_harmless(frame, root):
        return False
    if Deferral.depth and not insistent:
        return False
    return _raise_if_still(identity, frame, at)


def take_back(identity: int) -> None:
    """Let an exception that is on its way to a thread not come."""
    from ctypes import py_object

    _asynchronous_exception()(identity, py_object())


def _looks_for_exceptions(code: CodeType, at: int) -> bool:
    return at >= 0 and code.co_code[at] in _looking_instructions()


@cache
def _looking_instructions() -> frozenset[int]:
    """The instructions after or in which CPython looks for exceptions from elsewhere."""
    from opcode import opmap

    return frozenset(
        number
        for name, number in opmap.items()
        if name in ("PRECALL", "CALL", "CALL_KW", "CALL_FUNCTION_EX", "RESUME")
        or ("JUMP_BACKWARD" in name and "NO_INTERRUPT" not in name)
    )


def _is_harmless(top: FrameType, root: CodeType) -> bool:
    """Whether an exception may come out of the innermost frame of a thread.

    Python code belongs to the emitted code that called it, unless a `%try` is in between.
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
    """Whether nobody sees, or survives, an exception out of it: finalizers and imports."""
    return code.co_name == "__del__" or code.co_filename.startswith("<frozen importlib")


def _raise_if_still(identity: int, frame: FrameType, at: int) -> bool:
    """Raise KeyboardInterrupt in a thread that is still at an instruction of a frame.

    The look and the request are made by functions in C that call one another, and no bytecode runs
    between them.  So this thread keeps CPython's lock, and the other one cannot take a step.
    """
    import gc

    collects = gc.isenabled()
    gc.disable()  # a collection may run Python code
    try:
        frames = map(itemgetter(identity), starmap(sys._current_frames, [()]))
        positions = map(attrgetter("f_lasti"), filter(_is(frame), frames))
        still = filter(_equals(at), positions)
        asked = map(itemgetter(1, 2), zip(still, [identity], [KeyboardInterrupt], strict=False))
        return any(starmap(_asynchronous_exception(), asked))
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
    """CPython's function for it, which keeps CPython's lock: it takes the thread, the exception."""
    from ctypes import c_int, c_ulong, py_object, pythonapi

    function = pythonapi.PyThreadState_SetAsyncExc
    function.argtypes, function.restype = (c_ulong, py_object), c_int
    return function
