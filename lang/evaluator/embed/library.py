"""The evaluator as a library in Python's process, and counted references to its values.

    machine().lib.rt_guest_of_integer(5)  =>  a word      Held.of(word): it is freed when Python
                                                          drops that

A word is a value of Lisp's.  Functions return owned ones, which the caller frees or gives to a
Held.  Only a job of the executor calls the library: Lisp runs without CPython's lock, one job at a
time.
"""

from enum import IntEnum
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from lambent.lang.evaluator.start import library_path

_HEADER = Path(__file__).parent.parent / "machine" / "guest.h"


class Kind(IntEnum):
    """What a value is: as in machine/guest.c."""

    OTHER = 0
    INTEGER = 1
    NUMBER = 2
    DOUBLE = 3
    BOOLEAN = 4
    CHAR = 5
    STRING = 6
    SYMBOL = 7
    KEYWORD = 8
    LIST = 9
    VECTOR = 10
    VALUES = 11
    TABLE = 12
    BYTES = 13
    PROCEDURE = 14
    UNSPECIFIED = 15
    TENSOR = 16


class Machine(NamedTuple):
    """The library, through cffi."""

    lib: Any
    ffi: Any


@cache
def machine() -> Machine:
    """The library, which is made at the first call.  `calls.start` starts it."""
    import cffi

    ffi = cffi.FFI()
    text = _HEADER.read_text(encoding="utf-8").split("/* BEGIN */")[1].split("/* END */")[0]
    ffi.cdef("typedef uint64_t rt_value;" + text)
    return Machine(ffi.dlopen(library_path()), ffi)


RUNNING: list[Any] = []  # the sessions with a running job, the innermost last
_objects: dict[int, Any] = {}  # that Lisp refers to, by number: functions, and causes of errors
_last_number = iter(range(1, 2**63))


class Held:
    """A reference to a value of Lisp's, which any thread may drop.

    No code of Python's runs then: it could be where Ctrl-C comes, and swallow that.
    """

    __slots__ = ("_owner", "word")

    word: int
    _owner: Any

    def __new__(cls, *_: object) -> "Held":
        raise TypeError("a reference to a value of Lisp's cannot be created")

    @classmethod
    def of(cls, word: int) -> "Held":
        """A reference that owns a word."""
        held = object.__new__(cls)
        held._own(word)
        return held

    def replace(self, word: int) -> None:
        """Own another word, where the first one has been freed."""
        machine().ffi.gc(self._owner, None)
        self._own(word)

    def _own(self, word: int) -> None:
        lib, ffi = machine()
        self.word = word
        self._owner = ffi.gc(ffi.cast("void *", word), lib.rt_guest_drop)

    def __repr__(self) -> str:
        if not hasattr(self, "word"):
            raise TypeError("a reference to a value of Lisp's cannot be created")
        return f"<value {self.word:x}>"

    def __reduce_ex__(self, _: object) -> NoReturn:
        raise TypeError("a value of Lisp's cannot be copied: it belongs to this process")


def free_dropped() -> None:
    """Free what has been dropped; called by the thread that runs Lisp, between two steps."""
    lib = machine().lib
    lib.rt_guest_free_dropped()
    while number := lib.rt_guest_next_number():
        _objects.pop(number, None)


def number_of(thing: Any) -> int:
    """A number for an object that Lisp refers to, until it says that it does not."""
    number = next(_last_number)
    _objects[number] = thing
    return number


def object_of_number(number: int) -> Any:
    return _objects[number]


def text_of(value: int) -> str:
    """The text of a string, a symbol, a keyword or a number, and else what `write` prints."""
    return _text(value, machine().lib.rt_guest_text)


def digits_of(value: int) -> str:
    """An exact number in base 16: -ff/2."""
    return _text(value, machine().lib.rt_guest_digits)


def _text(value: int, function: Any) -> str:
    lib, ffi = machine()
    size = ffi.new("size_t *")
    data = function(value, size)
    try:
        return decoded(ffi, data, size[0])
    finally:
        lib.rt_guest_free_text(data)


def decoded(ffi: Any, data: Any, size: int) -> str:
    """A text of Lisp's, whose file names may hold bytes that are not UTF-8."""
    return bytes(ffi.buffer(data, size)).decode("utf-8", "surrogateescape") if size else ""


def elements_of(value: int) -> list[int] | None:
    """The elements of a list, a vector, several values or a table, borrowed; None if an improper or
    circular list."""
    lib, ffi = machine()
    count = lib.rt_guest_count(value)
    if count < 0:
        return None
    elements = ffi.new("rt_value[]", max(count, 1))
    lib.rt_guest_elements(value, elements)
    return list(elements[0:count])
