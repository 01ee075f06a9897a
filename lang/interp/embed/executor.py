"""Runs Lisp for a Python program that has threads and signal handlers of its own.

Lisp runs on worker threads, whose stacks are large; the thread that asks waits.  All threads share
one set of Lisp values, so one job runs at a time:

    a job is submitted             it runs as soon as no job runs, or the running one is suspended
    it calls a Python function     it is suspended until that returns: meanwhile jobs of other
                                   threads may run, on another worker; it resumes after them
    that function submits a job    the job runs at once, on the thread of the function
    it runs in slices              it is suspended after each, while other jobs wait (`slices.py`):
                                   those that do not run in slices first, then the smallest; one
                                   in slices begins only after the suspended one has had its turn

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
from typing import TYPE_CHECKING, Any

from lambent.lang.errors import LispError
from lambent.lang.interp.embed.to_python import EmbeddedError
from lambent.lang.interp.interrupts.deep_thread import Job, Worker
from lambent.lang.interp.interrupts.masking import frame_masked, interrupts_masked
from lambent.lang.interp.values.values import TAIL, held_tail

if TYPE_CHECKING:
    from lambent.lang.interp.embed.slices import Slices

_POLL_INTERVAL = 0.05  # seconds between two polls for Ctrl-C
_SIGNALS = sorted(_signal.valid_signals())


class ActiveJob:
    """A job that has begun and not ended.  suspended: it runs a Python function for Lisp, or a
    slice has ended.  slices: if it runs in slices."""

    __slots__ = ("slices", "suspended", "worker")

    def __init__(self, worker: Worker, slices: "Slices | None") -> None:
        self.worker = worker
        self.slices = slices
        self.suspended = False


class QueuedJob:
    """A job that waits to begin."""

    __slots__ = ("order", "slices")

    def __init__(self, slices: "Slices | None", number: int) -> None:
        self.slices = slices
        self.order = (slices is not None, slices.size if slices else 0, number)


class LispExecutor:
    """The jobs of this process, and the threads that run them."""

    def __init__(self) -> None:
        self._active: list[ActiveJob] = []
        self._by_thread: dict[int, ActiveJob] = {}  # by the identity of the worker's thread
        self._waiting: set[int] = set()  # the host's threads that wait for a job
        self._idle: list[Worker] = []
        self._reserved: dict[int, Worker] = {}  # by the identity of the host's thread
        self._slices: dict[int, Slices] = {}  # likewise
        self._queue: list[QueuedJob] = []
        self._arrived = self._begun = 0  # jobs so far
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
        slices = self._slices.get(here)
        job = Job(function)
        if slices:
            job = Job(slices.wrapped(function, self._pause), slices.remind)
        with _host_signals(job) as raised:
            self._waiting.add(here)
            try:
                has_run = self._run(job, slices)
            finally:
                self._waiting.discard(here)
        if raised:
            raise raised[0]
        if not has_run:
            raise KeyboardInterrupt
        return job.outcome()

    @contextmanager
    def sliced(self, slices: "Slices") -> Iterator[None]:
        """Run the jobs of this thread in slices, between which the jobs of other threads run."""
        here = threading.get_ident()
        self._slices[here] = slices
        try:
            yield
        finally:
            del self._slices[here]

    def reserve(self) -> None:
        """Keep one worker for the jobs of this thread, until the process ends.

        LibTorch keeps some of its state, such as the number of threads, in threads.
        """
        with self._changed:
            self._reserved[threading.get_ident()] = self._free_worker()

    def _run(self, job: Job, slices: "Slices | None") -> bool:
        """Run a job; False if it was interrupted before it began."""
        active = self._begin(job, slices)
        if active is not None:
            active.worker.finish(job)
            self._end(active)
        return active is not None

    def _begin(self, job: Job, slices: "Slices | None") -> ActiveJob | None:
        """Wait until a job may run; None if it was interrupted while it waited."""
        with self._changed:
            self._arrived += 1
            queued = QueuedJob(slices, self._arrived)
            self._queue.append(queued)
            try:
                while self._next() is not queued:
                    if job.interrupts or (slices and slices.is_stopped):
                        return None
                    self._changed.wait(_POLL_INTERVAL)
            finally:
                self._queue.remove(queued)
                self._changed.notify_all()
            self._begun += 1
            usual = sys.getrecursionlimit()
            reserved = self._reserved.get(threading.get_ident())
            active = ActiveJob(reserved or self._free_worker(), slices)
            if not self._active:
                self._usual_limit = usual
                sys.setrecursionlimit(self._limit)
            self._active.append(active)
            self._by_thread[active.worker.identity] = active
        return active

    def _next(self) -> QueuedJob | None:
        """The job that may begin now, if there is one.

        It runs above the suspended ones, which go on only when it has ended.  So a job that takes
        long cannot come before a short one whose slice has just ended.
        """
        last = self._active[-1] if self._active else None
        if not self._queue or (last and not last.suspended):
            return None
        first = min(self._queue, key=lambda queued: queued.order)
        has_turn = last and last.slices and not last.slices.had_turn
        return None if has_turn and first.slices else first

    def _free_worker(self) -> Worker:
        if self._idle:
            return self._idle.pop()
        worker = Worker()
        self._limit = sys.getrecursionlimit()
        return worker

    def _end(self, active: ActiveJob) -> None:
        with self._changed:
            self._active.remove(active)
            del self._by_thread[active.worker.identity]
            if active.worker is not self._reserved.get(threading.get_ident()):
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

    def pause_in_c(self) -> bool:
        """At a poll of Lisp in C: pause if the slice is over.  Whether the job is to end."""
        active = self._by_thread.get(threading.get_ident())
        slices = active.slices if active is not None else None
        return slices is not None and slices.pause_in_c()

    @interrupts_masked
    def _pause(self) -> None:
        """Let at least one of the jobs that wait run to its end, if any may begin."""
        active = self._by_thread[threading.get_ident()]
        with self._changed:
            begun = self._begun
            active.suspended = True
            self._changed.notify_all()
            while self._active[-1] is not active or (self._begun == begun and self._next()):
                self._changed.wait()
            active.suspended = False

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
