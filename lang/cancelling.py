"""Ctrl-C for the commands that run no program: compile, check, show, doc, doctor.

The first Ctrl-C raises KeyboardInterrupt, so every `finally` runs: folders are removed and
compilers are killed.  A second one does not disturb that, and a third ends the process.
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

_PRESSES_TO_EXIT = 3
_DELAY = 0.01  # seconds after which a swallowed interrupt is raised again


@contextmanager
def cancelled_by_ctrl_c() -> Iterator[None]:
    """Let Ctrl-C cancel the block, unless it is ignored or handled already."""
    if signal.getsignal(signal.SIGINT) is not signal.SIG_DFL:
        yield
        return
    presses, show = 0, sys.unraisablehook

    def cancel(number: int, frame: FrameType | None) -> None:
        nonlocal presses
        presses += 1
        if presses == 1:
            raise KeyboardInterrupt
        if presses == _PRESSES_TO_EXIT:
            os._exit(EXIT_INTERRUPT)

    def take_swallowed(what: Any) -> None:
        """Raise an interrupt again that was raised in a finalizer, where Python swallows it."""
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
        if presses:  # Python replaced it by another exception, as in a descriptor's `__set_name__`
            raise KeyboardInterrupt from None
        raise
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        sys.unraisablehook = show


def _press_again() -> None:
    time.sleep(_DELAY)
    _thread.interrupt_main()
