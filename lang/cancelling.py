"""Ctrl-C for the commands that run no program: compile, check, show, doc, doctor.

It is Python's KeyboardInterrupt, which leads out through every `finally`, so that folders go and
compilers end.  Only the first one: a second must not disturb that, and a third ends the process.
"""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from lambent.lang.errors import EXIT_INTERRUPT

_MOST = 3
_MOMENT = 0.01  # seconds that a finalizer takes at most, or else it is asked again


@contextmanager
def cancelled_by_ctrl_c() -> Iterator[None]:
    """Let Ctrl-C cancel the block, unless it is ignored or somebody else's already."""
    if signal.getsignal(signal.SIGINT) is not signal.SIG_DFL:
        yield
        return
    presses = 0

    def cancel(number: int, frame: FrameType | None) -> None:
        nonlocal presses
        if _is_finalizing(frame):
            _press_again()
            return
        presses += 1
        if presses == 1:
            raise KeyboardInterrupt
        if presses == _MOST:
            os._exit(EXIT_INTERRUPT)

    signal.signal(signal.SIGINT, cancel)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def _is_finalizing(frame: FrameType | None) -> bool:
    """Whether an exception would be swallowed: Python shows it, and goes on."""
    while frame is not None:
        if frame.f_code.co_name == "__del__" or frame.f_code.co_filename.endswith("weakref.py"):
            return True
        frame = frame.f_back
    return False


def _press_again() -> None:
    import _thread
    import threading

    threading.Timer(_MOMENT, _thread.interrupt_main).start()
