"""A job that does not keep others waiting: it pauses after each slice, and can be ended.

    slices = Slices()
    with EXECUTOR.sliced(slices):        jobs of this thread run in slices
        procedure(argument)              a KeyboardInterrupt as soon as another thread
    slices.stop()                        says so

Others in slices wait until this one has had its turn of so many seconds: then they begin above it,
the smallest first, and it goes on after them.  So what is short ends soon, whatever else runs.

The server prepares requests so.  CPython calls a profile function at each call in the worker's
thread.  When a slice is over, that function lets the jobs that wait run, each on a worker of its
own, and then returns.  It pauses only where Ctrl-C could be delivered (`delivery.py`): not in
imports and finalizers, which hold locks, nor in masked functions.  The end is an exception that it
raises there, so a loop that calls nothing at all would not end.

Lisp that runs in C polls instead, when the waiting thread has reminded it that the slice is over.
"""

import sys
import time
from collections.abc import Callable
from types import FrameType
from typing import Any

from lambent.lang.interp.interrupts.deep_thread import Worker
from lambent.lang.interp.interrupts.delivery import LISP_IN_C, is_harmless
from lambent.lang.interp.interrupts.masking import DEFERRAL, frame_masked, interrupts_masked
from lambent.lang.interp.values.values import TAIL, held_tail
from lambent.lang.system.thread_interrupts import is_generator

_SLICE = 0.01  # seconds
_TURN = 0.1  # seconds of the processor


class Slices:
    """Whether jobs are to end, and when the slice of the running one is over.

    size: of the jobs; smaller ones come before.
    """

    __slots__ = ("_begun", "_end", "_pause", "_used", "is_stopped", "size")

    def __init__(self, size: int = 0) -> None:
        self.size = size
        self._used = 0.0  # seconds of the processor, in the slices that have ended
        self._begun = self._end = 0.0  # the slice, by the clocks of the thread and of the system
        self._pause: Callable[[], None] = lambda: None
        self.is_stopped = False

    def stop(self) -> None:
        """End the jobs soon; called by any thread."""
        self.is_stopped = True

    @property
    def had_turn(self) -> bool:
        """Whether the jobs have run for long enough to let others begin."""
        return self._used > _TURN

    def wrapped(self, function: Callable[[], Any], pause: Callable[[], None]) -> Callable[[], Any]:
        """A function that does the same in slices.  pause: lets the jobs that wait run."""
        self._pause = pause

        @frame_masked
        def sliced() -> Any:
            self._begin()
            try:
                sys.setprofile(self._look)
                return function()
            finally:
                sys.setprofile(None)
                self._used += time.thread_time() - self._begun

        return sliced

    @interrupts_masked
    def _look(self, frame: FrameType, event: str, _: Any) -> None:
        if time.monotonic() < self._end or event not in ("call", "c_call"):
            return
        if event == "call" and is_generator(frame.f_code):
            return  # it may be closed, and CPython breaks its caller if that fails here
        if not is_harmless(frame, Worker.ROOT):
            return
        if self.is_stopped and not DEFERRAL.depth:
            raise KeyboardInterrupt
        self._end_slice()

    def remind(self) -> None:
        """Called by the waiting thread, now and then."""
        if time.monotonic() >= self._end:
            for lisp in LISP_IN_C:
                lisp.ask_for_pause()

    @interrupts_masked
    def pause_in_c(self) -> bool:
        """At a poll of Lisp in C: pause if the slice is over.  Whether the job is to end."""
        if time.monotonic() >= self._end and not self.is_stopped:
            self._end_slice()
        return self.is_stopped

    @interrupts_masked
    def _end_slice(self) -> None:
        self._used += time.thread_time() - self._begun
        tail = held_tail()
        self._pause()
        TAIL.function, TAIL.arguments, TAIL.at = tail
        self._begin()

    @interrupts_masked
    def _begin(self) -> None:
        """Begin a slice, in the thread of the job."""
        self._begun = time.thread_time()
        self._end = time.monotonic() + _SLICE
