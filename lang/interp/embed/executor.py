"""Runs Lisp for a Python program that has threads and signal handlers of its own.

Lisp runs on worker threads, whose stacks are large; the thread that asks waits.  All threads share
one set of Lisp values, so one job runs at a time:

    a job is submitted             it runs as soon as no job runs, or the running one is suspended
    it calls a Python function     it is suspended until that returns: meanwhile jobs of other
                                   threads may run, on another worker; it resumes after them
    that function submits a job    the job runs at once, on the thread of the function

So the active jobs form a stack, and the last one runs.  What one job changes for a while, such as a
parameter, the jobs above it see, as a procedure that it called would.

Ctrl-C belongs to the host program.  Its signal handlers are replaced while the main thread waits,
and our handler calls them.  `deep_thread.py` says how Lisp is interrupted.
"""

import _signal  # importing signal takes long, because it creates enumerations
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from lambent.lang.errors import LispError
from lambent.lang.interp.embed.to_python import EmbeddedError
from lambent.lang.interp.interrupts.deep_thread import Job, Worker
from lambent.lang.interp.interrupts.masking import frame_masked, interrupts_masked
from lambent.lang.interp.values.values import TAIL, held_tail

_POLL_INTERVAL = 0.05  # seconds between two polls for Ctrl-C
_SIGNALS = sorted(_signal.valid_signals())


class ActiveJob:
    """A job that has begun and not ended.  suspended: it runs a Python function for Lisp."""

    __slots__ = ("suspended", "worker")

    def __init__(self, worker: Worker) -> None:
        self.worker = worker
        self.suspended = False


class LispExecutor:
    """The jobs of this process, and the threads that run them."""

    def __init__(self) -> None:
        self._active: list[ActiveJob] = []
        self._by_thread: dict[int, ActiveJob] = {}  # by the identity of the worker's thread
        self._waiting: set[int] = set()  # the host's threads that wait for a job
        self._idle: list[Worker] = []
        self._changed = threading.Condition()
        self._limit = self._usual_limit = 0  # of recursion, while Lisp runs and before

    def run(self, function: Callable[[], Any]) -> Any:
        """What a function returns, or raises, on a worker thread."""
        here = threading.get_ident()
        if (active := self._by_thread.get(here)) is not None:
            return self._run_nested(active, function)
        if sys.is_finalizing():
            raise _refusal(
                "Python is shutting down, and Lisp has already ended",
                "register finalizers that need Lisp with atexit.register",
            )
        if here in self._waiting:
            raise _refusal(
                "this thread is already waiting for an evaluation",
                "a signal handler that interrupts an evaluation cannot start another one",
            )
        job = Job(function)
        with _host_signals(job) as raised:
            self._waiting.add(here)
            try:
                self._run(job)
            finally:
                self._waiting.discard(here)
        if raised:
            raise raised[0]
        return job.outcome()

    def _run(self, job: Job) -> None:
        active = self._begin(job)
        if active is not None:
            active.worker.finish(job)
            self._end(active)

    def _begin(self, job: Job) -> ActiveJob | None:
        """Wait until a job may run; None if it was interrupted while it waited."""
        with self._changed:
            while self._active and not self._active[-1].suspended:
                if job.interrupts:
                    return None
                self._changed.wait(_POLL_INTERVAL)
            usual = sys.getrecursionlimit()
            active = ActiveJob(self._idle.pop() if self._idle else self._new_worker())
            if not self._active:
                self._usual_limit = usual
                sys.setrecursionlimit(self._limit)
            self._active.append(active)
            self._by_thread[active.worker.identity] = active
        return active

    def _new_worker(self) -> Worker:
        worker = Worker()
        self._limit = sys.getrecursionlimit()
        return worker

    def _end(self, active: ActiveJob) -> None:
        with self._changed:
            self._active.remove(active)
            del self._by_thread[active.worker.identity]
            self._idle.append(active.worker)
            if not self._active:
                sys.setrecursionlimit(self._usual_limit)
            self._changed.notify_all()

    @frame_masked
    def _run_nested(self, active: ActiveJob, function: Callable[[], Any]) -> Any:
        """Run a function on its worker thread: a Python function that Lisp called asks for it, or a
        finalizer that ran within Lisp."""
        was_suspended, tail = active.suspended, held_tail()
        if was_suspended:
            self.resume(active)
        try:
            return function()
        finally:
            active.suspended = was_suspended
            TAIL.function, TAIL.arguments, TAIL.at = tail

    def suspend_current(self) -> ActiveJob | None:
        """Let other jobs run while this worker thread runs a Python function for Lisp."""
        active = self._by_thread.get(threading.get_ident())
        if active is not None:
            active.suspended = True
        return active

    @interrupts_masked
    def resume(self, active: ActiveJob) -> None:
        """Continue a job, after the jobs that began while it was suspended."""
        with self._changed:
            while self._active[-1] is not active:
                self._changed.wait()
            active.suspended = False


EXECUTOR = LispExecutor()
# A forked child has none of the threads.
os.register_at_fork(after_in_child=EXECUTOR.__init__)  # type: ignore[misc]


def _refusal(message: str, hint: str) -> EmbeddedError:
    return EmbeddedError(LispError(message, hint=hint))


@contextmanager
def _host_signals(job: Job) -> Iterator[list[BaseException]]:
    """Let the host's signal handlers interrupt a job, and not the thread that waits for it.

    Yields a list.  After the block, it holds what the handlers raised.  Handlers run only in the
    main thread.
    """
    raised: list[BaseException] = []
    if threading.current_thread() is not threading.main_thread():
        yield raised
        return
    hosts: dict[int, Any] = {}

    def handle(number: int, frame: FrameType | None) -> None:
        try:
            hosts[number](number, frame)
        except BaseException as failure:
            raised.append(failure)
            job.interrupt()

    try:
        for number in _SIGNALS:
            if callable(host := _signal.getsignal(number)):
                hosts[number] = host
                _signal.signal(number, handle)
        yield raised
    finally:
        for number, host in hosts.items():
            if _signal.getsignal(number) is handle:
                _signal.signal(number, host)
