"""Deep recursion for passes over deeply nested programs.

The passes recurse with the nesting of the program, and 10,000 nested brackets are legal.  CPython
allows 1,000 frames, and a thread's stack 8 MiB.  `call_deep` calls a function in a thread with much
higher limits, and returns its result.
"""

import sys
import threading
from collections.abc import Callable
from types import CodeType, FrameType
from typing import ParamSpec, TypeVar

from lambent.lang.errors import LispError
from lambent.lang.system.thread_interrupts import interrupt_thread, is_python_own

P = ParamSpec("P")
T = TypeVar("T")

_STACK_BYTES = 1 << 29  # mapped lazily: a page costs memory only once it is touched
_FRAMES = 400_000
_MOMENT = 0.05  # seconds between two attempts to interrupt the thread
_state = threading.local()


def call_deep(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """The function's result or exception; a LispError if the nesting exceeds these limits, too."""
    if getattr(_state, "deep", False):
        return function(*args, **kwargs)
    results: list[T] = []
    failures: list[BaseException] = []

    def run() -> None:
        _state.deep = True
        try:
            results.append(function(*args, **kwargs))
        except RecursionError:
            failures.append(LispError("the program is nested too deeply"))
        except BaseException as error:  # raised again in the caller's thread
            failures.append(error)

    _run_in_thread(run)
    if failures:
        raise failures[0]
    return results[0]


def mark_thread_as_deep() -> None:
    """Declare that the current thread has a large stack: `call_deep` then calls directly."""
    _state.deep = True


def _run_in_thread(run: Callable[[], None]) -> None:
    usual_frames, usual_stack = sys.getrecursionlimit(), threading.stack_size(_STACK_BYTES)
    sys.setrecursionlimit(max(usual_frames, _FRAMES))
    # Not `join`: if an exception interrupts it, CPython 3.11 considers the thread dead.
    ended = threading.Lock()
    ended.acquire()

    def run_and_tell() -> None:
        try:
            run()
        finally:
            ended.release()

    try:
        thread = threading.Thread(target=run_and_tell, daemon=True)
        thread.start()
    finally:
        threading.stack_size(usual_stack)
    try:
        ended.acquire()
    except BaseException:  # Ctrl-C, or what another signal's handler raises
        _end(thread, ended, run.__code__)
        raise
    finally:
        sys.setrecursionlimit(usual_frames)


def _end(thread: threading.Thread, ended: threading.Lock, root: CodeType) -> None:
    """Stop a thread whose result is not needed.  After a second Ctrl-C it continues by itself."""
    identity = thread.ident or 0
    while thread.is_alive():
        interrupt_thread(identity, lambda frame: _is_harmless(frame, root))
        if ended.acquire(timeout=_MOMENT):
            return


def _is_harmless(top: FrameType, root: CodeType) -> bool:
    """Whether an exception may be raised in the innermost frame of a thread: in what the root
    calls, but not in finalizers and imports."""
    frame: FrameType | None = top
    while frame is not None and frame.f_code is not root:
        if is_python_own(frame.f_code):
            return False
        frame = frame.f_back
    return frame is not None and frame is not top
