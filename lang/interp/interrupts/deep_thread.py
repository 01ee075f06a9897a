"""The thread that runs Lisp: it has a large stack, and Ctrl-C interrupts it.

Calls of Lisp procedures take no C stack in CPython, but the trampoline's calls and some builtins
do.  All of a program runs in one thread, because LibTorch keeps some of its state in threads.

A job has three states, and one thread owns it in each:

    posted   the waiting thread has put it into the worker's mailbox
    running  the worker has taken it
    done     the worker has written the result or the failure, and does not touch the job again

Signals arrive in the main thread.  Their handler (`ctrl_c.py` installs it) never raises while the
thread waits for a job: it records the interrupt in the job.  The waiting thread finds the record
and raises KeyboardInterrupt in the worker while that runs Lisp (`delivery.py`): once for each
record, and only while the worker is inside the job.  When the job is done, an exception that has
not arrived yet is cancelled before the next job is posted.  An exception that another signal
handler of a host program raises in a waiting thread is kept; it counts as an interrupt, and is
raised when the job is done.
"""

import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from types import CodeType

from lambent.lang.deep import mark_thread_as_deep
from lambent.lang.interp.native import NATIVE
from lambent.lang.system.available import available_memory, process_limit

# Python frames of all kinds; one level of Lisp takes one to three.  Endless recursion must fail
# within seconds, and before the memory is full.
FRAMES = 1_100_000
_BYTES_PER_FRAME = 400  # with its entry in a traceback
_MEMORY_DIVISOR = 2  # frames may take half of the memory
_STACKS = (4 << 30, 1 << 30, 256 << 20, 64 << 20)  # mapped lazily; the first that is allowed
_LIMIT_DIVISOR = 4  # a stack may take a quarter of the process's limit; unused pages count
_FRAMES_PER_BYTE = 1 / 860  # of the stack, which few calls use
# Seconds between two polls: for interrupts that did not wake the thread, and to try a delivery.
_POLL_INTERVAL = 0.1
_SHORT_POLL_INTERVAL = 0.002
_SLICE_INTERVAL = 0.01
_SWITCH_INTERVAL = 1e-5  # seconds after which CPython passes its lock on to a waiting thread


class Errand:
    """A function that the waiting thread calls for the worker, which waits for the result.

    Reading from a terminal is one: only the main thread's input can be interrupted.
    """

    __slots__ = ("ended", "failure", "function", "result")

    def __init__(self, function: Callable[[], object]) -> None:
        self.function = function
        self.result: object = None
        self.failure: BaseException | None = None
        self.ended = threading.Lock()
        self.ended.acquire()

    def run(self) -> None:
        try:
            self.result = self.function()
        except BaseException as failure:  # the worker handles it
            self.failure = failure
        self.ended.release()


class Job:
    """A function that a worker calls, and its result.

    interrupts: how often Ctrl-C was pressed.  delivered: for how many an exception was raised.
    forgotten: how many the program has survived.  done: set by the worker alone.
    errand: what the worker lets the waiting thread do, or None.  remind: what that does now and
    then, if the job runs in slices.
    """

    __slots__ = (
        "delivered", "done", "ended", "errand", "failure", "forgotten", "function", "interrupts",
        "remind", "result",
    )

    def __init__(
        self, function: Callable[[], object], remind: Callable[[], None] | None = None
    ) -> None:
        self.function = function
        self.remind = remind
        self.result: object = None
        self.failure: BaseException | None = None
        self.done = False
        self.ended = threading.Lock()  # only wakes the waiting thread, which then looks at `done`
        self.ended.acquire()
        self.interrupts = 0
        self.delivered = 0
        self.forgotten = 0
        self.errand: Errand | None = None

    def interrupt(self) -> None:
        """Record a Ctrl-C, and wake the waiting thread."""
        self.interrupts += 1
        self.wake()

    def wake(self) -> None:
        with suppress(RuntimeError):  # it has been released already
            self.ended.release()

    def outcome(self) -> object:
        """What the function returned, or raised."""
        if self.failure is not None:
            try:
                raise self.failure
            finally:
                self.failure = None  # its traceback holds this frame
        return self.result


class Worker:
    """A thread that runs one job after the other.  ROOT: the code that calls a job's function."""

    ROOT: CodeType

    def __init__(self) -> None:
        self._mailbox: Job | None = None
        self._posted = threading.Lock()
        self._posted.acquire()
        self.identity = _start(self._work)

    def run(self, function: Callable[[], object]) -> object:
        """What the function returns, or raises."""
        return self.finish(Job(function)).outcome()

    def finish(self, job: Job) -> Job:
        """Run a job to its end; the caller must run one job at a time."""
        interruption: BaseException | None = None
        self._mailbox = job
        try:
            self._posted.release()
            self._wait(job)
        except BaseException as failure:  # raised by a signal handler of the host program
            interruption = failure
        while not job.done:
            try:
                job.interrupt()
                self._wait(job)
            except BaseException as failure:
                interruption = failure
        if job.delivered:
            # After a call that failed, CPython does not look for exceptions.  So the exception may
            # arrive later, while the worker waits for the mailbox and ignores it.
            self.cancel()
        if interruption is not None:
            job.failure = interruption
        return job

    def _wait(self, job: Job) -> None:
        while not job.done:
            if job.errand is not None:
                errand, job.errand = job.errand, None
                errand.run()
            elif job.interrupts == job.delivered:
                with suppress(MemoryError):  # the job may have used all the memory
                    job.ended.acquire(timeout=_SLICE_INTERVAL if job.remind else _POLL_INTERVAL)
                if job.remind and not job.done:
                    job.remind()
            else:
                _let_it_run(job)
                if not job.done:
                    self._deliver(job)

    def _deliver(self, job: Job) -> None:
        from lambent.lang.interp.interrupts.delivery import interrupt

        recorded = job.interrupts
        if interrupt(self.identity, Worker.ROOT, recorded - job.forgotten > 1):
            job.delivered = recorded

    def cancel(self) -> None:
        """Cancel an exception that was requested in the worker and has not arrived."""
        from lambent.lang.system.thread_interrupts import cancel

        cancel(self.identity)

    def _work(self) -> None:
        mark_thread_as_deep()
        if NATIVE is not None:
            NATIVE.run_lisp()
        while True:
            try:
                self._posted.acquire()
                job, self._mailbox = self._mailbox, None
                assert job is not None
                self._do(job)
                del job  # the caller decides how long the result lives
            except KeyboardInterrupt:
                continue  # see `finish`

    def _do(self, job: Job) -> None:
        try:
            job.result = job.function()
        except BaseException as failure:  # the caller handles it
            job.failure = failure
        job.done = True  # since the function returned, CPython has not looked for exceptions
        job.wake()


Worker.ROOT = Worker._do.__code__


def _let_it_run(job: Job) -> None:
    """Let the worker run for a moment, and stop it anywhere, not only in a system call.

    Otherwise a thread that prints all the time would only stop inside printing, where it may not be
    possible to interrupt it.
    """
    usual = sys.getswitchinterval()
    try:
        sys.setswitchinterval(_SWITCH_INTERVAL)
        job.ended.acquire(timeout=_SHORT_POLL_INTERVAL)
    finally:
        sys.setswitchinterval(usual)


def _start(function: Callable[[], None]) -> int:
    """Start the thread, with the largest stack that is allowed and a recursion limit to match."""
    usual = threading.stack_size()
    frames = min(FRAMES, available_memory() // _MEMORY_DIVISOR // _BYTES_PER_FRAME)
    for size in _STACKS:
        if size > max(process_limit() // _LIMIT_DIVISOR, _STACKS[-1]):
            continue
        try:
            threading.stack_size(size)
            sys.setrecursionlimit(min(frames, int(size * _FRAMES_PER_BYTE)))
            thread = threading.Thread(target=function, daemon=True)
            thread.start()
        except (RuntimeError, ValueError, OverflowError):
            continue
        finally:
            threading.stack_size(usual)
        assert thread.ident is not None
        return thread.ident
    raise MemoryError
