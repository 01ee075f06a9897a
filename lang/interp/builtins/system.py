"""The process and its environment: exit, command line, variables, clocks."""

import os
import sys
from pathlib import Path
from time import localtime, perf_counter_ns, time
from typing import NoReturn

from lambent.lang.interp.builtins.arguments import text_of
from lambent.lang.interp.errors.faults import LispExit, wrong_type
from lambent.lang.interp.values.values import (
    FALSE,
    TRUE,
    Lisp,
    Pair,
    String,
    list_of,
)

COMMAND_LINE: list[str] = []  # the program's name and its arguments

_LAST_TIME = 100_000_000_000  # seconds: beyond, years have five digits
_LAST_STATUS = 255  # the system keeps eight bits, so 256 would mean success


# The process.


def exit_(status: Lisp = TRUE) -> NoReturn:
    raise LispExit(_status("exit", status))


def emergency_exit(status: Lisp = TRUE) -> NoReturn:
    code = _status("emergency-exit", status)
    sys.stdout.flush()
    if output_streams := sys.modules.get("lambent.lang.interp.io.output_streams"):
        output_streams.flush_files()
    os._exit(code)


def _status(name: str, status: Lisp) -> int:
    if status is TRUE or status is FALSE:
        return 0 if status is TRUE else 1
    if status.__class__ is not int or not 0 <= status <= _LAST_STATUS:
        wrong_type(name, "#t, #f or an integer from 0 to 255", status)
    return int(status)


def command_line() -> Lisp:
    return list_of([String(word) for word in COMMAND_LINE])


def program_folder() -> Lisp:
    program = COMMAND_LINE[0] if COMMAND_LINE else ""
    is_file = Path(program).is_file()
    return String(str(Path(program).resolve().parent if is_file else Path.cwd()))


def getenv(name: Lisp) -> Lisp:
    value = os.environ.get(text_of("getenv", name))
    return FALSE if value is None else String(value)


def environment() -> Lisp:
    return list_of([Pair(String(name), String(value)) for name, value in os.environ.items()])


def current_second() -> float:
    return time()


def current_seconds() -> int:
    return int(time())


def local_time_offset(seconds: Lisp) -> int:
    if seconds.__class__ is not int or abs(seconds) >= _LAST_TIME:
        wrong_type("%local-time-offset", "a time in seconds", seconds)
    return localtime(seconds).tm_gmtoff


def current_jiffy() -> int:
    return perf_counter_ns()


def jiffies_per_second() -> int:
    return 1_000_000_000


def tensor_window(least: Lisp) -> Lisp:
    """Zeros if LibTorch is not loaded."""
    tensors = sys.modules.get("lambent.lang.interp.builtins.tensors")
    if tensors is None or not tensors.is_loaded():
        return list_of([0, 0, 0])
    lib, _ = tensors.library()
    counts = [lib.ct_allocations(), lib.ct_allocated_bytes()]
    return list_of([lib.ct_exchange_window(least), *counts])


# A call of `apply` as a value: its caller runs the trampoline.  Emitted code spreads lists itself.


_NOWHERE = ("", 0)


def apply(procedure: Lisp, argument: Lisp, *more: Lisp) -> Lisp:
    from lambent.lang.interp.binding import spread
    from lambent.lang.interp.values.values import TAIL

    TAIL.function = procedure
    TAIL.arguments = spread((argument, *more))
    TAIL.at = _NOWHERE
    return TAIL
