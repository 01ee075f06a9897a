"""Signals that a program has handlers for, as `runtime/system/signals.c` has them.

A signal is only noted when it comes, by a byte in a pipe, which Python's handler in C writes at
once; what is written in Python would run a moment later, in the main thread.  Only that thread may
install handlers, and Lisp runs in another one; `import lambent` leaves signals to the host program.
"""

import os
import signal
from collections.abc import Callable
from types import FrameType

from lambent.lang.errors import LispError
from lambent.lang.interp.builtins.calls import Arguments, Call
from lambent.lang.interp.interrupts.ctrl_c import WATCHING
from lambent.lang.interp.interrupts.masking import interrupts_masked
from lambent.lang.interp.values.values import FALSE, UNSPECIFIED, Lisp, Pair, list_of, symbol

_MICROSECONDS = 1_000_000
# In the order in which those that wait together are told.
_KNOWN = {
    name: signal.Signals[f"SIG{name.upper()}"]
    for name in (
        "hup", "int", "quit", "kill", "usr1", "usr2", "pipe", "alrm", "term", "chld", "cont",
        "stop", "tstp", "winch",
    )
}  # fmt: skip
_NAMES = {int(number): name for name, number in _KNOWN.items()}

_Action = Callable[[int, FrameType | None], object] | int | None

_MOST_BYTES = 1 << 16  # that a pipe holds

_come: set[int] = set()  # the numbers of those that have come, and were read from the pipe
_before: dict[int, _Action] = {}  # what a watched signal did, to be restored
_pipe: list[int] = []  # both ends, while a signal is watched, and where bytes went before


def _ignore(number: int, frame: FrameType | None) -> None:
    """The byte in the pipe says it."""


def _read_pipe() -> None:
    try:
        _come.update(os.read(_pipe[0], _MOST_BYTES) if _pipe else b"")
    except BlockingIOError:
        return


@interrupts_masked
def _watch(given: Arguments) -> Lisp:
    number = given.first
    if not WATCHING:
        raise LispError("with-signal-handler: signals belong to the Python program that runs this")
    WATCHING[-1].do_for_lisp(lambda: _install(number, given.second is not FALSE))
    return UNSPECIFIED


def _install(number: int, is_on: bool) -> None:
    _read_pipe()
    _come.discard(number)
    if is_on:
        if not _pipe:
            reader, writer = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
            _pipe[:] = reader, writer, signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        _before[number] = signal.signal(number, _ignore)
    else:
        signal.signal(number, _before.pop(number))
        if not _before:
            reader, writer, outside = _pipe
            _pipe.clear()
            signal.set_wakeup_fd(outside)
            os.close(reader)
            os.close(writer)


def _next(given: Arguments) -> Lisp:
    _read_pipe()
    for number, name in _NAMES.items():
        if number in _come:
            _come.discard(number)
            return symbol(name)
    return FALSE


def _set_alarm(given: Arguments) -> Lisp:
    signal.setitimer(signal.ITIMER_REAL, given.first / _MICROSECONDS)
    return UNSPECIFIED


def _numbers(given: Arguments) -> Lisp:
    return list_of([Pair(symbol(name), int(number)) for name, number in _KNOWN.items()])


SIGNAL_CALLS: dict[str, Call] = {
    "signal-numbers": _numbers,
    "watch-signal": _watch,
    "next-signal": _next,
    "set-alarm": _set_alarm,
}
