"""Vectors."""

from lambent.lang.interp.builtins.data import elements, index, size_of
from lambent.lang.interp.faults import out_of_range, wrong_type
from lambent.lang.interp.values import UNSPECIFIED, Boolean, Lisp, Vector, boolean, list_of


def is_vector(x: Lisp) -> Boolean:
    return boolean(x.__class__ is Vector)


def vector(*items: Lisp) -> Vector:
    return Vector(list(items))


def make_vector(length: Lisp, fill: Lisp = 0) -> Vector:
    return Vector([fill] * size_of("make-vector", length))


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


def vector_fill(x: Lisp, value: Lisp) -> Lisp:
    items = _items("vector-fill!", x)
    items[:] = [value] * len(items)
    return UNSPECIFIED


def vector_to_list(x: Lisp) -> Lisp:
    return list_of(_items("vector->list", x))


def list_to_vector(items: Lisp) -> Vector:
    return Vector(elements("list->vector", items))
