"""Where Lisp runs: a thread whose stack is large, and which Ctrl-C reaches.

Calls of Lisp procedures take no C stack in CPython, but the driver's calls and some builtins do.
It is one thread throughout, because LibTorch keeps some of its state in threads.

A job goes through three states, and each step has one owner:

    posted   the thread that asks has put it into the worker's mailbox and waits
    running  the worker has taken it
    done     the worker has written the result or the failure; it does not touch the job any more

Signals come to the main thread, whose handler never raises while it waits for a job (`ctrl_c.py`
installs it): it notes the interrupt in the job.  The thread that waits finds the note, and raises
KeyboardInterrupt in the worker, in the midst of Lisp (`interrupts.py`): once for each note, and
only while the worker is inside the job.  When the job is done, what may still be on its way is
taken back before the next one is posted.  What a host's other handlers raise in a waiting thread is
kept, counts as an interrupt, and goes on when the job is done.
"""

import sys
import threading
from collections.abc import Callable
from contextlib import suppress

from lambent.lang.deep import is_deep_already
from lambent.lang.system.available import available_memory, process_limit

# Python frames of all kinds; one level of Lisp takes one to three.  Endless recursion is to end
# within seconds, and before the memory does.
FRAMES = 1_100_000
_BYTES_PER_FRAME = 400  # with its part of a traceback
_PART_OF_MEMORY = 2
_STACKS = (4 << 30, 1 << 30, 256 << 20, 64 << 20)  # mapped lazily; the first that is allowed
_PART_OF_LIMIT = 4  # a mapped stack counts as a whole, used or not
_FRAMES_PER_BYTE = 1 / 860  # of the stack, which few calls take
# Seconds between two looks: for notes of which no wait was told, and for a moment to interrupt.
_PATIENCE = 0.1
_SHORT_PATIENCE = 0.002
_INTERVAL = 1e-5  # seconds for which a thread may keep CPython's lock while another one wants it


class Job:
    """A function to be called by a worker, and what became of it.

    interrupts: how often Ctrl-C has been pressed.  done: set by the worker alone.
    """

    __slots__ = ("delivered", "done", "ended", "failure", "function", "interrupts", "result")

    def __init__(self, function: Callable[[], object]) -> None:
        self.function = function
        self.result: object = None
        self.failure: BaseException | None = None
        self.done = False
        self.ended = threading.Lock()  # only to be woken by: `done` is what counts
        self.ended.acquire()
        self.interrupts = 0
        self.delivered = 0

    def interrupt(self) -> None:
        """Note a Ctrl-C, and wake the thread that waits."""
        self.interrupts += 1
        self.wake()

    def wake(self) -> None:
        with suppress(RuntimeError):  # somebody else has
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
    """A thread that runs one job after the other."""

    def __init__(self) -> None:
        self._mailbox: Job | None = None
        self._posted = threading.Lock()
        self._posted.acquire()
        self.identity = _start(self._work)

    def run(self, function: Callable[[], object]) -> object:
        """What the function returns, or raises."""
        return self.finish(Job(function)).outcome()

    def finish(self, job: Job) -> Job:
        """Run a job to its end; the caller sees to it that there is one at a time."""
        interruption: BaseException | None = None
        self._mailbox = job
        try:
            self._posted.release()
            self._wait(job)
        except BaseException as failure:  # out of a signal handler of the host's
            interruption = failure
        while not job.done:
            try:
                job.interrupt()
                self._wait(job)
            except BaseException as failure:
                interruption = failure
        if job.delivered:
            # A call that failed leaves no place at which CPython looks for exceptions.  So one may
            # be on its way yet; the worker waits for the mailbox, and does not mind it.
            self._take_back()
        if interruption is not None:
            job.failure = interruption
        return job

    def _wait(self, job: Job) -> None:
        while not job.done:
            if job.interrupts == job.delivered:
                with suppress(MemoryError):  # it is the worker that takes the memory
                    job.ended.acquire(timeout=_PATIENCE)
            else:
                _let_it_run(job)
                if not job.done:
                    self._deliver(job)

    def _deliver(self, job: Job) -> None:
        from lambent.lang.interp.interrupts.delivery import interrupt

        noted = job.interrupts
        if interrupt(self.identity, Worker._do.__code__, insistent=noted > 1):
            job.delivered = noted

    def _take_back(self) -> None:
        from lambent.lang.interp.interrupts.delivery import take_back

        take_back(self.identity)

    def _work(self) -> None:
        is_deep_already()
        while True:
            try:
                self._posted.acquire()
                job, self._mailbox = self._mailbox, None
                assert job is not None
                self._do(job)
                del job  # what it gave is the caller's to keep
            except KeyboardInterrupt:
                continue  # see `finish`

    def _do(self, job: Job) -> None:
        try:
            job.result = job.function()
        except BaseException as failure:  # the caller's to handle
            job.failure = failure
        job.done = True  # CPython has not looked for exceptions since the function was left
        job.wake()


def _let_it_run(job: Job) -> None:
    """Give the worker a moment, and stop it anywhere: not only where it waits for the system.

    A thread that prints all the time would otherwise be met in the middle of printing only, and
    that may be where it cannot be interrupted.
    """
    usual = sys.getswitchinterval()
    try:
        sys.setswitchinterval(_INTERVAL)
        job.ended.acquire(timeout=_SHORT_PATIENCE)
    finally:
        sys.setswitchinterval(usual)


def _start(function: Callable[[], None]) -> int:
    """Start the thread, with the largest stack that can be had and the frames that fit it."""
    usual = threading.stack_size()
    frames = min(FRAMES, available_memory() // _PART_OF_MEMORY // _BYTES_PER_FRAME)
    for size in _STACKS:
        if size > max(process_limit() // _PART_OF_LIMIT, _STACKS[-1]):
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
