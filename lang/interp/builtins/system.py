"""Output, input, errors and the world outside."""

import os
import sys
from time import perf_counter_ns
from typing import NoReturn

from lambent.lang.errors import LispError
from lambent.lang.interp.faults import LispExit, wrong_type
from lambent.lang.interp.printing import displayed, written
from lambent.lang.interp.values import (
    EOF,
    FALSE,
    TRUE,
    UNSPECIFIED,
    Boolean,
    Lisp,
    Port,
    String,
    boolean,
    char,
    list_of,
)

COMMAND_LINE: list[str] = []  # the program's name and its arguments

_STATUS_LIMIT = 256

# Output.


def display(x: Lisp) -> Lisp:
    sys.stdout.write(displayed(x))
    return UNSPECIFIED


def write(x: Lisp) -> Lisp:
    sys.stdout.write(written(x))
    return UNSPECIFIED


def newline() -> Lisp:
    sys.stdout.write("\n")
    return UNSPECIFIED


def print_(*items: Lisp) -> Lisp:
    sys.stdout.write(" ".join([displayed(item) for item in items]) + "\n")
    return UNSPECIFIED


def flush_output() -> Lisp:
    sys.stdout.flush()
    return UNSPECIFIED


# Input.


def _path(name: str, path: Lisp) -> str:
    if path.__class__ is not String:
        wrong_type(name, "a string", path)
    return path.text


def open_input_file(path: Lisp) -> Port:
    name = _path("open-input-file", path)
    try:
        # Only a newline ends a line; what is no UTF-8 is no reason to stop.
        return Port(open(name, encoding="utf-8", errors="replace", newline="\n"))  # noqa: PTH123
    except OSError as error:
        reason = os.strerror(error.errno or 0)
    except ValueError:  # a zero byte in the name
        reason = "Invalid argument"
    raise LispError(f"open-input-file: cannot open {written(path)}: {reason}")


def _file(name: str, port: Lisp) -> "os.PathLike[str] | object":
    if port.__class__ is not Port:
        wrong_type(name, "a port", port)
    if port.file is None:
        raise LispError(f"{name}: the port is closed")
    return port.file


def read_line(port: Lisp) -> Lisp:
    line = _file("read-line", port).readline()  # type: ignore[attr-defined]
    return String(line.removesuffix("\n")) if line else EOF


def read_char(port: Lisp) -> Lisp:
    text = _file("read-char", port).read(1)  # type: ignore[attr-defined]
    return char(text) if text else EOF


def close_port(port: Lisp) -> Lisp:
    if port.__class__ is not Port:
        wrong_type("close-port", "a port", port)
    if port.file is not None:
        port.file.close()
        port.file = None
    return UNSPECIFIED


def is_port(x: Lisp) -> Boolean:
    return boolean(x.__class__ is Port)


def eof_object() -> Lisp:
    return EOF


def is_eof_object(x: Lisp) -> Boolean:
    return boolean(x is EOF)


def file_exists(path: Lisp) -> Boolean:
    return boolean(os.path.exists(_path("file-exists?", path)))  # noqa: PTH110


# Errors.


def error(message: Lisp, *irritants: Lisp) -> NoReturn:
    head = message.text if message.__class__ is String else written(message)
    raise LispError(" ".join([head, *map(written, irritants)]))


def wrong_type_(who: Lisp, noun: Lisp, x: Lisp) -> NoReturn:
    wrong_type(_path("wrong-type", who), _path("wrong-type", noun), x)


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
    value = os.environ.get(_path("getenv", name))
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
