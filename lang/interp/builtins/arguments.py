"""Checks arguments of builtins: strings, lists, bytes, indices, sizes, ranges.

    range_of("substring", 1, FALSE, 5)  =>  (1, 5)

The counterparts in executables are `rt_index_of`, `rt_size_of` and `rt_range_of`.
"""

from lambent.lang.errors import LispError
from lambent.lang.interp.errors.faults import out_of_range, wrong_type
from lambent.lang.interp.values.values import FALSE, Lisp, String, items_of

_GREATEST_BYTE = 255


def elements(name: str, lisp_list: Lisp) -> list[Lisp]:
    """The elements of an argument that must be a list."""
    items = items_of(lisp_list)
    if items is None:
        wrong_type(name, "a list", lisp_list)
    return items


def text_of(name: str, x: Lisp) -> str:
    """The text of an argument that must be a string."""
    if x.__class__ is not String:
        wrong_type(name, "a string", x)
    return x.text


def byte_of(name: str, x: Lisp) -> int:
    """An argument that must be a byte."""
    if x.__class__ is not int or not 0 <= x <= _GREATEST_BYTE:
        wrong_type(name, "a byte", x)
    return x


def index(name: str, k: Lisp) -> int:
    """An argument that must be an index."""
    if k.__class__ is not int or k < 0:
        wrong_type(name, "a non-negative exact integer", k)
    return k


_TOO_LARGE = 2**36  # more elements than any memory can hold


def size_of(name: str, k: Lisp) -> int:
    """An argument that must be the number of elements of a new object."""
    if index(name, k) >= _TOO_LARGE:
        raise LispError(f"{name}: the result is too large")
    return int(k)


def range_of(name: str, start: Lisp, end: Lisp, length: int) -> tuple[int, int]:
    """The range between two optional arguments; end is #f for the length."""
    first = index(name, start)
    if first > length:
        out_of_range(name, first, length)
    last = length if end is FALSE else index(name, end)
    if last > length:
        out_of_range(name, last, length)
    if first > last:
        raise LispError(f"{name}: start {first} is after end {last}")
    return first, last


def slice_of(name: str, length: int, start: Lisp, end: Lisp) -> slice:
    """The slice between two optional arguments; end is #f for the length."""
    return slice(*range_of(name, start, end, length))
