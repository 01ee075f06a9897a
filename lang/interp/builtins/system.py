"""Errors and the world outside."""

import os
from time import perf_counter_ns
from typing import NoReturn

from lambent.lang.errors import LispError
from lambent.lang.interp.faults import LispExit, wrong_type
from lambent.lang.interp.printing import written
from lambent.lang.interp.values import (
    FALSE,
    TRUE,
    Lisp,
    String,
    list_of,
)

COMMAND_LINE: list[str] = []  # the program's name and its arguments

_STATUS_LIMIT = 256

def _text(name: str, x: Lisp) -> str:
    if x.__class__ is not String:
        wrong_type(name, "a string", x)
    return x.text


# Errors.


def error(message: Lisp, *irritants: Lisp) -> NoReturn:
    head = message.text if message.__class__ is String else written(message)
    raise LispError(" ".join([head, *map(written, irritants)]))


def wrong_type_(who: Lisp, noun: Lisp, x: Lisp) -> NoReturn:
    wrong_type(_text("wrong-type", who), _text("wrong-type", noun), x)


# The process.


def exit_(status: Lisp = TRUE) -> NoReturn:
    if status is TRUE or status is FALSE:
        raise LispExit(0 if status is TRUE else 1)
    if status.__class__ is not int:
        wrong_type("exit", "an exact integer", status)
    raise LispExit(status % _STATUS_LIMIT)


def command_line() -> Lisp:
    return list_of([String(word) for word in COMMAND_LINE])


def getenv(name: Lisp) -> Lisp:
    value = os.environ.get(_text("getenv", name))
    return FALSE if value is None else String(value)


def current_jiffy() -> int:
    return perf_counter_ns()


def jiffies_per_second() -> int:
    return 1_000_000_000


# A call of `apply` as a value; emitted code spreads the list itself.  The driver is there.


_NOWHERE = ("", 0)


def apply(procedure: Lisp, *arguments: Lisp) -> Lisp:
    from lambent.lang.interp.binding import spread
    from lambent.lang.interp.values import TAIL

    TAIL.function = procedure
    TAIL.arguments = spread(arguments) if arguments else ()
    TAIL.at = _NOWHERE
    return TAIL
