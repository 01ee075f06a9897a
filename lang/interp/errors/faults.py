"""The errors that builtins raise.  Location and trace are added where the error is caught.

`runtime/errors/error.c` has the same texts.
"""

import errno
import os
from contextlib import suppress
from typing import NoReturn

from lambent.lang.errors import FileFault, LispError
from lambent.lang.interp.errors.type_hints import type_hint
from lambent.lang.interp.native import NATIVE
from lambent.lang.interp.values.values import Lisp, Procedure, Record, Tensor

_LONGEST_SHOWN = 60


class RaisedError(Exception):
    """What `raise` and `error` raise: any value, which is the payload.

    It is the only one of Python's `args`: an `__init__` would take longer than the raise.
    """

    @property
    def payload(self) -> Lisp:
        return self.args[0]


class NoMemoryError(LispError):
    """There is no memory for a small object.

    It has no location: which of many small allocations fails is chance.  Operations that need much
    memory report that with `need_room` or `no_room`, as an error like any other.
    """

    def __init__(self) -> None:
        super().__init__("not enough memory")


_RESERVE_BYTES = 16 << 20  # untouched, it takes addresses only; a module may have to be loaded
_LEAST_RESERVE = 1 << 20  # one arena of CPython's, for small objects
_LARGE = 1 << 16  # bytes, as in runtime/rt_internal.h


class _Reserve:
    """Memory that is freed before a MemoryError is handled, so that handlers, after-thunks and the
    message have memory.  In C (`native/reserve.c`) it is also freed on the way to the handler."""

    __slots__ = ("_block",)

    def __init__(self) -> None:
        self._block: bytes | None = None

    def clear(self) -> None:
        if NATIVE is not None:
            NATIVE.open_reserve()
        self._block = None

    def fill(self, size: int) -> bool:
        """Whether there is a reserve now; not if less than as much is left for the program."""
        if NATIVE is not None:
            return NATIVE.fill_reserve(size)  # type: ignore[no-any-return]
        if self._block is None:
            with suppress(MemoryError):
                room = [bytes(size), bytes(size)]
                self._block = room.pop()
        return self._block is not None


RESERVE = _Reserve()


def refill_reserve() -> None:
    """Fill the reserve, if as much memory is left for the program; a smaller one where less is.

    A program that still holds all that it has made fails again with half of what the handler left.
    """
    size = _RESERVE_BYTES
    while not RESERVE.fill(size) and size > _LEAST_RESERVE:
        size //= 2


def means_no_memory(exception: BaseException) -> bool:
    """Whether an exception says that memory is used up: CPython has other words for it, too."""
    match exception:
        case MemoryError():
            return True
        case OSError(errno=errno.ENOMEM):
            return True
        case RuntimeError(args=(str(text),)):
            return text in _NO_MEMORY_TEXTS
        case ImportError(msg=str(text)):
            return "Cannot allocate memory" in text or "failed to map segment" in text
        case _:
            return False


_NO_MEMORY_TEXTS = frozenset({"can't allocate lock", "can't start new thread"})


def need_room(who: str, count: int, noun: str, size: float) -> None:
    """Fail if there is no memory for count elements of size bytes."""
    if count * size > _LARGE:
        try:
            bytes(int(count * size))  # allocates without touching the pages, unlike a bytearray
        except (MemoryError, OverflowError):
            no_room(who, count, noun)


def no_room(who: str, count: int, noun: str) -> NoReturn:
    """In the handler of a MemoryError."""
    raise LispError(f"{who}: not enough memory for {count} {noun}") from None


class Escape(BaseException):
    """A continuation has been called, with the target and the results; not an error."""

    @property
    def target(self) -> Lisp:
        return self.args[0]

    @property
    def results(self) -> Lisp:
        return self.args[1]


class LispExit(BaseException):
    """`(exit status)` ends the program; not an error."""

    cause: SystemExit | None = None  # if Python code raised it

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status

    @staticmethod
    def of_python(cause: SystemExit) -> "LispExit":
        code = cause.code
        made = LispExit(code if isinstance(code, int) else 0 if code is None else 1)
        made.cause = cause
        return made


def shown(value: Lisp) -> str:
    """The text of a value in messages: as `write` prints it, but cut if it is long."""
    if value.__class__ is Procedure:
        return "a procedure"
    if isinstance(value, Record) and value.type_.roles is not None:
        return f"a module, {value.type_.name}"
    if isinstance(value, Tensor):
        from lambent.lang.interp.builtins.tensors import describe

        return describe(value)
    from lambent.lang.interp.io.printing import written_prefix

    text = written_prefix(value, _LONGEST_SHOWN)
    return text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "..."


def wrong_type(name: str, noun: str, value: Lisp) -> NoReturn:
    raise wrong_type_error(name, noun, value)


def wrong_type_error(name: str, noun: str, value: Lisp) -> LispError:
    hint = type_hint(name, noun, value)
    return LispError(f"{name}: expected {noun}, got {shown(value)}", hint=hint)


def out_of_range(name: str, index: int, length: int) -> NoReturn:
    raise LispError(f"{name}: index {index} is out of range for length {length}")


def fail_file(who: str, verb: str, name: str, error: OSError) -> NoReturn:
    """What the system says about a file."""
    raise FileFault(f"{who}: cannot {verb} {name}: {os.strerror(error.errno or 0)}")


def division_by_zero(name: str) -> NoReturn:
    raise LispError(f"{name}: division by zero")
