"""Ctrl-C in scripts and in the REPL.  (`embed/executor.py` handles it in Python programs.)

The handler runs in the main thread.  It raises an exception only while the REPL reads what the user
types.  Otherwise it records the interrupt in the current or next job, and `deep_thread.py` delivers
it to Lisp.  So Ctrl-C never interrupts Lambent's own code between two steps.

    a script    the first one unwinds it, and its after-thunks run; the second ends the process
    the REPL    the first one ends the evaluation; the second ends its after-thunks as well
"""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TypeVar

from lambent.lang.errors import EXIT_INTERRUPT
from lambent.lang.interp.interrupts.deep_thread import Errand, Job, Worker

T = TypeVar("T")

_SECONDS_TO_FLUSH = 0.5  # for the output of a process that ends at once; its reader may be blocked


class CtrlC:
    """The handler of SIGINT, and Lisp's thread.  ends: whether a second one ends the process."""

    def __init__(self, *, ends: bool) -> None:
        self._ends = ends
        self._worker: Worker | None = None
        self._job: Job | None = None
        self._early = 0  # interrupts between the last reading and the next job
        self._presses = 0
        self._is_reading = False

    def forget(self) -> None:
        """The program survives the interrupts so far: the next one is like a first one."""
        self._presses = 0
        if self._job is not None:
            self._job.forgotten = self._job.interrupts

    def read_for_lisp(self, function: Callable[[], T]) -> T:
        """As `read`, called by Lisp, whose thread waits while the main thread reads."""
        job, worker = self._job, self._worker
        assert job is not None
        assert worker is not None

        def read() -> T:
            worker.cancel()
            job.interrupts = job.delivered  # they came too late for what the program did before
            return self.read(function)

        return self.do_for_lisp(read)

    def do_for_lisp(self, function: Callable[[], T]) -> T:
        """What a function returns, or raises, in the main thread, while Lisp's thread waits."""
        job = self._job
        assert job is not None
        errand = Errand(function)
        job.errand = errand
        job.wake()
        errand.ended.acquire()
        if errand.failure is not None:
            raise errand.failure
        return errand.result  # type: ignore[return-value]

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Handle SIGINT, unless the parent process made it ignored."""
        before = signal.getsignal(signal.SIGINT)
        if before is not signal.SIG_IGN:
            signal.signal(signal.SIGINT, self._handle)
        WATCHING.append(self)
        try:
            yield
        finally:
            WATCHING.pop()
            if before is not None:
                signal.signal(signal.SIGINT, before)

    def run(self, function: Callable[[], T]) -> T:
        """What a function returns, or raises, in Lisp's thread; KeyboardInterrupt if stopped."""
        self._job = job = Job(function)
        job.interrupts += self._early
        self._early = 0
        if self._worker is None:
            self._worker = Worker()
        self._worker.finish(job)
        self._job = None
        if self._ends and job.failure is None and job.interrupts > job.forgotten:
            raise KeyboardInterrupt  # its last operation was one that cannot be interrupted
        return job.outcome()  # type: ignore[return-value]

    def read(self, function: Callable[[], T]) -> T:
        """The result of a function that reads what the user types; KeyboardInterrupt ends it."""
        self._early = 0  # they came too late for the job before
        try:
            self._is_reading = True
            return function()
        finally:
            self._is_reading = False

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self._is_reading:
            raise KeyboardInterrupt
        self._presses += 1
        if self._ends and self._presses > 1:
            leave_at_once()
        if self._job is not None:
            self._job.interrupt()
        else:
            self._early += 1


WATCHING: list[CtrlC] = []  # the handlers of this process, the innermost last


def leave_at_once() -> None:
    """End the process at once; flush what it has printed, unless its reader blocks."""
    import threading

    flushing = threading.Thread(target=_flush, daemon=True)
    flushing.start()
    flushing.join(_SECONDS_TO_FLUSH)
    os._exit(EXIT_INTERRUPT)


def _flush() -> None:
    from contextlib import suppress

    with suppress(OSError, ValueError):
        sys.stdout.flush()
        if output_streams := sys.modules.get("lambent.lang.interp.io.output_streams"):
            output_streams.flush_files()
