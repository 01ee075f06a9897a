"""Whose turn it is to run Lisp, in a Python program with threads and signals of its own.

Lisp runs on threads of ours, whose stacks are large; the thread that asks waits.  There is one
world of Lisp values, so one job runs at a time:

    a job is asked for             it runs as soon as nothing runs, or what runs is outside
    it calls a Python function     it is outside until that returns: meanwhile other threads' jobs
                                   may run, on a further thread of ours, and it goes on after them
    that function asks for more    it runs at once, on the thread that the function is on

So the jobs under way are a stack, the last one runs, and what one changes for a while, such as a
parameter, the others see as they would in a procedure that it called.

Ctrl-C belongs to the host, whose handler is set aside while the main thread waits, and called by
ours.  `deep_thread.py` says how Lisp is interrupted.
"""

import _signal  # signal makes enumerations of all that goes through it, which takes long
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
from lambent.lang.interp.interrupts.undisturbed import steady, undisturbed
from lambent.lang.interp.values.values import TAIL, held_tail

_PATIENCE = 0.05  # seconds between two looks for Ctrl-C
_SIGNALS = sorted(_signal.valid_signals())


class _Turn:
    """A job under way.  outside: it is in a Python function that Lisp has called."""

    __slots__ = ("outside", "worker")

    def __init__(self, worker: Worker) -> None:
        self.worker = worker
        self.outside = False


class Turns:
    """The jobs of this process, and the threads that run them."""

    def __init__(self) -> None:
        self._under_way: list[_Turn] = []
        self._by_thread: dict[int, _Turn] = {}  # by the identity of our thread
        self._asking: set[int] = set()  # the host's threads that wait for a job
        self._idle: list[Worker] = []
        self._changed = threading.Condition()
        self._limit = self._usual_limit = 0  # of frames, while Lisp runs and before

    def run(self, function: Callable[[], Any]) -> Any:
        """What a function returns, or raises, on a thread of ours."""
        here = threading.get_ident()
        if (turn := self._by_thread.get(here)) is not None:
            return self._run_further(turn, function)
        if sys.is_finalizing():
            raise _refusal(
                "Python is shutting down, and Lisp has ended already",
                "finalizers that need Lisp belong into atexit.register",
            )
        if here in self._asking:
            raise _refusal(
                "this thread is waiting for an evaluation already",
                "a signal handler that interrupts an evaluation cannot ask for another",
            )
        job = Job(function)
        with _host_signals(job) as raised:
            self._asking.add(here)
            try:
                self._run(job)
            finally:
                self._asking.discard(here)
        if raised:
            raise raised[0]
        return job.outcome()

    def _run(self, job: Job) -> None:
        turn = self._begin(job)
        if turn is not None:
            turn.worker.finish(job)
            self._end(turn)

    def _begin(self, job: Job) -> _Turn | None:
        """The turn of a job, as soon as it is its turn; None if that was interrupted."""
        with self._changed:
            while self._under_way and not self._under_way[-1].outside:
                if job.interrupts:
                    return None
                self._changed.wait(_PATIENCE)
            usual = sys.getrecursionlimit()
            turn = _Turn(self._idle.pop() if self._idle else self._new_worker())
            if not self._under_way:
                self._usual_limit = usual
                sys.setrecursionlimit(self._limit)
            self._under_way.append(turn)
            self._by_thread[turn.worker.identity] = turn
        return turn

    def _new_worker(self) -> Worker:
        worker = Worker()
        self._limit = sys.getrecursionlimit()
        return worker

    def _end(self, turn: _Turn) -> None:
        with self._changed:
            self._under_way.remove(turn)
            del self._by_thread[turn.worker.identity]
            self._idle.append(turn.worker)
            if not self._under_way:
                sys.setrecursionlimit(self._usual_limit)
            self._changed.notify_all()

    @steady
    def _run_further(self, turn: _Turn, function: Callable[[], Any]) -> Any:
        """Run what a Python function asks for that Lisp has called, or a finalizer within Lisp."""
        was_outside, tail = turn.outside, held_tail()
        if was_outside:
            self.come_back(turn)
        try:
            return function()
        finally:
            turn.outside = was_outside
            TAIL.function, TAIL.arguments, TAIL.at = tail

    def go_outside(self) -> _Turn | None:
        """Let others run Lisp while this thread of ours runs a Python function for Lisp."""
        turn = self._by_thread.get(threading.get_ident())
        if turn is not None:
            turn.outside = True
        return turn

    @undisturbed
    def come_back(self, turn: _Turn) -> None:
        """Go on with Lisp, after the jobs that others have begun meanwhile."""
        with self._changed:
            while self._under_way[-1] is not turn:
                self._changed.wait()
            turn.outside = False


TURNS = Turns()
os.register_at_fork(after_in_child=TURNS.__init__)  # type: ignore[misc]  # threads stay behind


def _refusal(message: str, hint: str) -> EmbeddedError:
    return EmbeddedError(LispError(message, hint=hint))


@contextmanager
def _host_signals(job: Job) -> Iterator[list[BaseException]]:
    """Let the host's signal handlers interrupt a job, and not the thread that waits for it.

    Gives a list that takes what they raise, once the block is left; the handlers of signals belong
    to the main thread.
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
