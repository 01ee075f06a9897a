"""Where Lisp runs: a thread whose stack is large, and which Ctrl-C reaches.

Calls of Lisp procedures take no C stack in CPython, but the driver's calls and some builtins do.
Ctrl-C comes to the main thread, which waits; it raises KeyboardInterrupt in this one.
"""

import sys
import threading
from collections.abc import Callable

from lambent.lang.deep import is_deep_already

# Python frames of all kinds; one level of Lisp takes one to three.
FRAMES = 2_500_000
_STACKS = (4 << 30, 1 << 30, 256 << 20)  # mapped lazily; the first that the system allows
_FRAMES_PER_BYTE = FRAMES / (2 << 30)
_PATIENCE = 0.1  # seconds between two looks at signals


_noticed = False  # whether the last Ctrl-C has come to where it was to come


def notice_interrupt() -> None:
    """Emitted code has caught KeyboardInterrupt, to clean up before it goes on."""
    global _noticed
    _noticed = True


class Worker:
    """A thread that runs one job after the other.

    It is one thread throughout, because LibTorch keeps some of its state in threads.
    """

    def __init__(self) -> None:
        self._job: Callable[[], object] | None = None
        self._result: object = None
        self._failure: BaseException | None = None
        self._was_interrupted = False
        self._wanted = threading.Lock()
        self._done = threading.Lock()
        self._wanted.acquire()
        self._done.acquire()
        self.identity = _start(self._work)

    def run(self, job: Callable[[], object]) -> object:
        """What the job gives, or raises; KeyboardInterrupt if Ctrl-C stopped it."""
        self._job = job
        self._wanted.release()
        # Not one long wait: a Ctrl-C between the last look at signals and the wait would be lost.
        while not self._is_done():
            if self._was_interrupted and not _noticed:
                # Again and again: code that must not fail, such as a finalizer, swallows it.
                _raise_in(self.identity, KeyboardInterrupt)
        if self._was_interrupted:
            self._was_interrupted = False
            _raise_in(self.identity, None)  # it may have come too late
        failure, self._failure = self._failure, None
        result, self._result = self._result, None
        if failure is not None:
            raise failure
        return result

    def _is_done(self) -> bool:
        """Wait a little for the end of the job."""
        try:
            return self._done.acquire(timeout=_PATIENCE)
        except KeyboardInterrupt:
            global _noticed
            self._was_interrupted, _noticed = True, False
            return False

    def _work(self) -> None:
        # Also because Ctrl-C may hit a thread that this one starts, instead of this one: until a
        # new thread runs, CPython knows it by its parent's identity.
        is_deep_already()
        while True:
            try:
                self._wanted.acquire()
                self._do_job()
            except KeyboardInterrupt:
                continue  # it came when the job was done

    def _do_job(self) -> None:
        job, self._job = self._job, None
        assert job is not None
        try:
            self._result = job()
        except BaseException as failure:  # the caller's to handle
            self._failure = failure
        finally:
            self._done.release()


def _start(function: Callable[[], None]) -> int:
    """Start the thread, with the largest stack that can be had and the frames that fit it."""
    usual = threading.stack_size()
    for size in _STACKS:
        try:
            threading.stack_size(size)
            sys.setrecursionlimit(min(FRAMES, int(size * _FRAMES_PER_BYTE)))
            thread = threading.Thread(target=function, daemon=True)
            thread.start()
        except (RuntimeError, ValueError, OverflowError):
            continue
        finally:
            threading.stack_size(usual)
        assert thread.ident is not None
        return thread.ident
    raise MemoryError


def _raise_in(identity: int, exception: type[BaseException] | None) -> None:
    """Raise an exception in a thread, at its next step; None takes a waiting one back."""
    import ctypes

    thing = ctypes.py_object(exception) if exception else None
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(identity), thing)
