"""Deep recursion for passes over deeply nested programs.

The passes recurse as the program nests, and a program of 10,000 nested brackets is legal.  CPython
stops at 1,000 frames, and a thread's stack at 8 MiB; `call_deep` calls a function where neither
limit is near, and gives what it gives.
"""

import sys
import threading
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from lambent.lang.errors import LispError

P = ParamSpec("P")
T = TypeVar("T")

_STACK_BYTES = 1 << 29  # mapped lazily: a page costs memory only once it is touched
_FRAMES = 400_000
_MOMENT = 0.05  # seconds in which code that catches everything may go on
_state = threading.local()


def call_deep(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """The function's result or exception; a LispError if it nests too deeply even so."""
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
        except BaseException as error:  # handed on to the caller's thread
            failures.append(error)

    _run_in_thread(run)
    if failures:
        raise failures[0]
    return results[0]


def mark_thread_as_deep() -> None:
    """Said by a thread that has a large stack of its own: `call_deep` just calls there."""
    _state.deep = True


def _run_in_thread(run: Callable[[], None]) -> None:
    usual_frames, usual_stack = sys.getrecursionlimit(), threading.stack_size(_STACK_BYTES)
    sys.setrecursionlimit(max(usual_frames, _FRAMES))
    # Not `join`: where an exception comes out of it, CPython 3.11 takes the thread for dead.
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
        _end(thread, ended)
        raise
    finally:
        sys.setrecursionlimit(usual_frames)


def _end(thread: threading.Thread, ended: threading.Lock) -> None:
    """Stop a thread whose result nobody waits for.  A second Ctrl-C leaves it to itself."""
    from ctypes import c_ulong, py_object, pythonapi

    identity, interrupt = c_ulong(thread.ident or 0), py_object(KeyboardInterrupt)
    while thread.is_alive():
        pythonapi.PyThreadState_SetAsyncExc(identity, interrupt)
        if ended.acquire(timeout=_MOMENT):
            return
