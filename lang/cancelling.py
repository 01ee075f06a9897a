"""Ctrl-C for the commands that run no program: compile, check, show, doc, doctor.

It is Python's KeyboardInterrupt, which leads out through every `finally`, so that folders go and
compilers end.  Only the first one: a second must not disturb that, and a third ends the process.
"""

import _thread
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from lambent.lang.errors import EXIT_INTERRUPT

_MOST = 3
_MOMENT = 0.01  # seconds after which an interrupt that was swallowed comes again


@contextmanager
def cancelled_by_ctrl_c() -> Iterator[None]:
    """Let Ctrl-C cancel the block, unless it is ignored or somebody else's already."""
    if signal.getsignal(signal.SIGINT) is not signal.SIG_DFL:
        yield
        return
    presses, show = 0, sys.unraisablehook

    def cancel(number: int, frame: FrameType | None) -> None:
        nonlocal presses
        presses += 1
        if presses == 1:
            raise KeyboardInterrupt
        if presses == _MOST:
            os._exit(EXIT_INTERRUPT)

    def take_swallowed(what: Any) -> None:
        """Finalizers swallow exceptions."""
        nonlocal presses
        if what.exc_type is not KeyboardInterrupt:
            show(what)
            return
        presses = 0
        _thread.start_new_thread(_press_again, ())

    sys.unraisablehook = take_swallowed
    signal.signal(signal.SIGINT, cancel)
    try:
        yield
    except Exception:
        if presses:  # Python has made another exception of it, as in a descriptor's `__set_name__`
            raise KeyboardInterrupt from None
        raise
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        sys.unraisablehook = show


def _press_again() -> None:
    time.sleep(_MOMENT)
    _thread.interrupt_main()
