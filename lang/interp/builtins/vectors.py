"""Vectors."""

from math import isnan

from lambent.lang.interp.builtins.arguments import elements, index, range_of, size_of
from lambent.lang.interp.errors.faults import need_room, no_room, out_of_range, wrong_type
from lambent.lang.interp.values.values import (
    FALSE,
    TEXT_OF_STRING,
    UNSPECIFIED,
    Boolean,
    Lisp,
    String,
    Vector,
    boolean,
    list_of,
)


def is_vector(x: Lisp) -> Boolean:
    return boolean(x.__class__ is Vector)


def vector(*items: Lisp) -> Vector:
    return Vector(list(items))


def make_vector(length: Lisp, fill: Lisp = 0) -> Vector:
    count = size_of("make-vector", length)
    need_room("make-vector", count, "elements", 8)
    return Vector([fill] * count)


def _items(name: str, x: Lisp) -> list[Lisp]:
    if x.__class__ is not Vector:
        wrong_type(name, "a vector", x)
    return x.items


def vector_length(x: Lisp) -> int:
    return len(_items("vector-length", x))


def vector_ref(x: Lisp, k: Lisp) -> Lisp:
    if x.__class__ is Vector and k.__class__ is int and 0 <= k < len(x.items):
        return x.items[k]
    return _bad_access("vector-ref", x, k)


def vector_set(x: Lisp, k: Lisp, value: Lisp) -> Lisp:
    if x.__class__ is Vector and k.__class__ is int and 0 <= k < len(x.items):
        x.items[k] = value
        return UNSPECIFIED
    return _bad_access("vector-set!", x, k)


def _bad_access(name: str, x: Lisp, k: Lisp) -> Lisp:
    items = _items(name, x)
    out_of_range(name, index(name, k), len(items))


def vector_fill(x: Lisp, value: Lisp, start: Lisp = 0, end: Lisp = FALSE) -> Lisp:
    items = _items("vector-fill!", x)
    first, last = range_of("vector-fill!", start, end, len(items))
    items[first:last] = [value] * (last - first)
    return UNSPECIFIED


def sort_plain(x: Lisp, order: int) -> Boolean:
    items = _items("sort!", x)
    kinds = {item.__class__ for item in items}
    key = TEXT_OF_STRING if order in _STRING_ORDERS else None
    if key is None:
        plain = kinds <= {int} or (kinds == {float} and not any(map(isnan, items)))
    else:
        plain = kinds <= {String}
    if plain:
        items.sort(key=key, reverse=order in _DOWNWARD)  # which keeps the order of equal ones, too
    return boolean(plain)


_STRING_ORDERS = {2, 3}  # string<? and string>?, as in runtime/data/sort.c
_DOWNWARD = {1, 3}  # > and string>?


def vector_to_list(x: Lisp, start: Lisp = 0, end: Lisp = FALSE) -> Lisp:
    items = _items("vector->list", x)
    first, last = range_of("vector->list", start, end, len(items))
    try:
        return list_of(items[first:last])
    except MemoryError:
        return no_room("vector->list", last - first, "elements")


def vector_copy(x: Lisp, start: Lisp = 0, end: Lisp = FALSE) -> Vector:
    items = _items("vector-copy", x)
    first, last = range_of("vector-copy", start, end, len(items))
    need_room("vector-copy", last - first, "elements", 8)
    return Vector(items[first:last])


def vector_copy_to(
    to: Lisp, at: Lisp, source: Lisp, start: Lisp = 0, end: Lisp = FALSE
) -> Lisp:
    name = "vector-copy!"
    target = _items(name, to)
    target_start = index(name, at)
    if target_start > len(target):
        out_of_range(name, target_start, len(target))
    items = _items(name, source)
    first, last = range_of(name, start, end, len(items))
    target_end = target_start + last - first
    if target_end > len(target):
        out_of_range(name, target_end, len(target))
    target[target_start:target_end] = items[first:last]
    return UNSPECIFIED


def vector_append(*vectors: Lisp) -> Vector:
    appended = [_items("vector-append", x) for x in vectors]
    count = sum(map(len, appended))
    need_room("vector-append", count, "elements", 8)
    items: list[Lisp] = []
    try:
        for copied in appended:
            items += copied
    except MemoryError:
        no_room("vector-append", count, "elements")
    return Vector(items)


def list_to_vector(items: Lisp) -> Vector:
    return Vector(elements("list->vector", items))
