"""Where Ctrl-C's exception does no harm in Lisp's thread, and how it gets there.

An exception may be raised in emitted code, or in Python code called by it, except functions that
`masking.py` masks, imports, and finalizers; and outside of after-thunks, unless this is the second
Ctrl-C.  Elsewhere the requesting thread looks again a little later.  Without Ctrl-C, all this costs
nothing.

Lisp that runs in C (`lang/evaluator/embed`) has no emitted code: while the thread is there, the
runtime is told instead, whose next poll fails.
"""

import sys
from collections.abc import Callable
from types import CodeType, FrameType

from lambent.lang.interp.emit.unit import UNITS
from lambent.lang.interp.interrupts.masking import CATCHING, DEFERRAL, MASKED, MASKED_FRAMES
from lambent.lang.interp.library import MASKED_KEY
from lambent.lang.system.thread_interrupts import interrupt_thread, is_python_own


class LispInC:
    """Lisp that runs in C without CPython's lock, and polls for interrupts itself.

    waiting: the function that calls it, and waits.  interrupt: end what it runs, and if the
    argument is true, its clean-up, too.  ask_for_pause: its next poll calls
    `LispExecutor.pause_in_c`.
    """

    def __init__(
        self,
        waiting: CodeType,
        interrupt: Callable[[bool], None],
        ask_for_pause: Callable[[], None],
    ) -> None:
        self.waiting = waiting
        self.interrupt = interrupt
        self.ask_for_pause = ask_for_pause


LISP_IN_C: list[LispInC] = []


def interrupt(identity: int, root: CodeType, insistent: bool) -> bool:
    """Raise KeyboardInterrupt in a thread, if that does no harm now; whether it did.

    root: the code that runs the thread's job.  insistent: interrupt after-thunks as well.
    """
    frame = sys._current_frames().get(identity)
    for lisp in LISP_IN_C:
        if frame is not None and frame.f_code is lisp.waiting:
            lisp.interrupt(insistent)
            return True
    return interrupt_thread(
        identity,
        lambda frame: is_harmless(frame, root) and (insistent or not DEFERRAL.depth),
    )


def is_harmless(top: FrameType, root: CodeType) -> bool:
    """Whether an exception may be raised in the innermost frame of a thread.

    Python code counts as the emitted code that called it, unless a `%try` is in between.
    """
    if top.f_code in MASKED_FRAMES or top.f_code is root:
        return False
    frame: FrameType | None = top
    while frame is not None and frame.f_code is not root:
        code = frame.f_code
        if code.co_filename in UNITS:
            return code.co_filename != MASKED_KEY
        if code in CATCHING:
            return True
        if code in MASKED or is_python_own(code):
            return False
        frame = frame.f_back
    return frame is not None
