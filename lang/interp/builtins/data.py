"""Booleans, pairs and lists, symbols, vectors, and the equalities."""

from collections.abc import Callable

from lambent.lang.errors import LispError
from lambent.lang.interp.faults import out_of_range, wrong_type
from lambent.lang.interp.values import (
    ABSENT,
    FALSE,
    NIL,
    NUMBERS,
    TRUE,
    UNSPECIFIED,
    Boolean,
    Bytes,
    Lisp,
    Pair,
    String,
    Tensor,
    Vector,
    boolean,
    is_number,
    items_of,
    list_of,
)

# Booleans and equality.


def truth(x: Lisp) -> bool:
    """How a value counts in a test."""
    if isinstance(x, Tensor):
        from lambent.lang.interp.builtins import tensors

        return tensors.truth(x)
    return x is not FALSE


def not_(x: Lisp) -> Boolean:
    return boolean(not truth(x))


def is_boolean(x: Lisp) -> Boolean:
    return boolean(x.__class__ is Boolean)


def boolean_equal(a: Lisp, b: Lisp) -> Boolean:
    for x in (a, b):
        if x.__class__ is not Boolean:
            wrong_type("boolean=?", "a boolean", x)
    return boolean(a is b)


def is_absent(x: Lisp) -> Boolean:
    return boolean(x is ABSENT)


def same(a: Lisp, b: Lisp) -> bool:
    """eqv?; eq? too, for numbers of one value and exactness are one object."""
    if a is b:
        return True
    kind = a.__class__
    if kind is not b.__class__ or kind not in NUMBERS:
        return False
    if kind is float:
        # 0.0 and -0.0 differ, and a nan is itself.
        return repr(a) == repr(b)
    return bool(a == b)


def _equal_atoms(a: Lisp, b: Lisp) -> bool:
    """equal? of values of one class that are neither pairs nor vectors."""
    if a.__class__ is String:
        return bool(a.text == b.text)
    if a.__class__ is Bytes:
        return bool(a.data == b.data)
    if isinstance(a, Tensor):
        from lambent.lang.interp.builtins import tensors

        return tensors.equal_tensors(a, b)
    return same(a, b)


def equal_values(a: Lisp, b: Lisp) -> bool:
    """equal?: what is still to be compared waits in a list, so nesting takes no stack."""
    if a is b:
        return True
    if a.__class__ is not b.__class__:
        return False
    if a.__class__ is not Pair and a.__class__ is not Vector:
        return _equal_atoms(a, b)
    waiting = [(a, b)]
    seen = 0
    known: dict[int, int] = {}
    while waiting:
        a, b = waiting.pop()
        while a is not b:
            kind = a.__class__
            if kind is not b.__class__:
                return False
            if kind is Pair:
                seen += 1
                if seen > _SMALL and _join(known, id(a), id(b)):
                    break
                first, second = a.car, b.car
                if first is not second:
                    kind = first.__class__
                    if kind is not second.__class__:
                        return False
                    if kind is Pair or kind is Vector:
                        waiting.append((first, second))
                    elif not _equal_atoms(first, second):
                        return False
                a, b = a.cdr, b.cdr
                continue
            if kind is Vector:
                if len(a.items) != len(b.items):
                    return False
                seen += 1 + len(a.items)
                if seen <= _SMALL or not _join(known, id(a), id(b)):
                    waiting.extend(zip(reversed(a.items), reversed(b.items), strict=True))
            elif not _equal_atoms(a, b):
                return False
            break
    return True


# So many pairs and elements of vectors are compared before it is noted which: they may be circular.
_SMALL = 500000


def _join(parents: dict[int, int], a: int, b: int) -> bool:
    """Whether two objects are taken for equal already; if not, they are from now on."""
    first, second = _class_of(parents, a), _class_of(parents, b)
    if first == second:
        return True
    parents[first] = second
    return False


def _class_of(parents: dict[int, int], identity: int) -> int:
    while (parent := parents.setdefault(identity, identity)) != identity:
        parents[identity] = identity = parents[parent]
    return identity


def eq(a: Lisp, b: Lisp) -> Boolean:
    return TRUE if a is b or same(a, b) else FALSE


def eqv(a: Lisp, b: Lisp) -> Boolean:
    return TRUE if same(a, b) else FALSE


def equal(a: Lisp, b: Lisp) -> Boolean:
    return TRUE if equal_values(a, b) else FALSE


# Pairs.


def cons(car: Lisp, cdr: Lisp) -> Pair:
    return Pair(car, cdr)


def _path(name: str) -> Callable[[Lisp], Lisp]:
    """`cadr` is the car of the cdr: the letters are followed from the end."""
    steps = name[-2:0:-1]

    def follow(pair: Lisp) -> Lisp:
        for step in steps:
            if pair.__class__ is not Pair:
                wrong_type(name, "a pair", pair)
            pair = pair.car if step == "a" else pair.cdr
        return pair

    return follow


car, cdr = _path("car"), _path("cdr")
caar, cadr, cdar, cddr = (
    _path("caar"), _path("cadr"), _path("cdar"), _path("cddr")
)
caaar, caadr, cadar, caddr = (
    _path("caaar"), _path("caadr"), _path("cadar"), _path("caddr")
)
cdaar, cdadr, cddar, cdddr = (
    _path("cdaar"), _path("cdadr"), _path("cddar"), _path("cdddr")
)
caaaar, caaadr, caadar, caaddr = (
    _path("caaaar"), _path("caaadr"), _path("caadar"), _path("caaddr")
)
cadaar, cadadr, caddar, cadddr = (
    _path("cadaar"), _path("cadadr"), _path("caddar"), _path("cadddr")
)
cdaaar, cdaadr, cdadar, cdaddr = (
    _path("cdaaar"), _path("cdaadr"), _path("cdadar"), _path("cdaddr")
)
cddaar, cddadr, cdddar, cddddr = (
    _path("cddaar"), _path("cddadr"), _path("cdddar"), _path("cddddr")
)


def set_car(pair: Lisp, value: Lisp) -> Lisp:
    if pair.__class__ is not Pair:
        wrong_type("set-car!", "a pair", pair)
    pair.car = value
    return UNSPECIFIED


def set_cdr(pair: Lisp, value: Lisp) -> Lisp:
    if pair.__class__ is not Pair:
        wrong_type("set-cdr!", "a pair", pair)
    pair.cdr = value
    return UNSPECIFIED


def is_pair(x: Lisp) -> Boolean:
    return boolean(x.__class__ is Pair)


def is_null(x: Lisp) -> Boolean:
    return boolean(x is NIL)


def is_list(x: Lisp) -> Boolean:
    return boolean(items_of(x) is not None)


# Lists.


def elements(name: str, lisp_list: Lisp) -> list[Lisp]:
    """The elements of an argument that must be a list."""
    items = items_of(lisp_list)
    if items is None:
        wrong_type(name, "a list", lisp_list)
    return items


def index(name: str, k: Lisp) -> int:
    """An argument that must be an index, whatever is indexed."""
    if k.__class__ is not int or k < 0:
        wrong_type(name, "a non-negative exact integer", k)
    return k


_TOO_LARGE = 2**36  # more elements than any machine has room for


def size_of(name: str, k: Lisp) -> int:
    """An argument that says how many elements a new object is to have."""
    if index(name, k) >= _TOO_LARGE:
        raise LispError(f"{name}: the result is too large")
    return int(k)


def range_of(name: str, start: Lisp, end: Lisp, length: int) -> tuple[int, int]:
    """The range that two optional arguments mean, end being #f for the length."""
    first = index(name, start)
    if first > length:
        out_of_range(name, first, length)
    last = length if end is FALSE else index(name, end)
    if last > length:
        out_of_range(name, last, length)
    if first > last:
        raise LispError(f"{name}: start {first} is behind end {last}")
    return first, last


def part(name: str, length: int, start: Lisp, end: Lisp) -> slice:
    """The range that two optional arguments mean, end being #f for the length."""
    return slice(*range_of(name, start, end, length))


def list_(*items: Lisp) -> Lisp:
    return list_of(items)


def length(items: Lisp) -> int:
    return len(elements("length", items))


def append(*lists: Lisp) -> Lisp:
    if not lists:
        return NIL
    parts = [elements("append", part) for part in lists[:-1]]
    result = lists[-1]
    for part in reversed(parts):
        result = list_of(part, result)
    return result


def reverse(items: Lisp) -> Lisp:
    result: Lisp = NIL
    for item in elements("reverse", items):
        result = Pair(item, result)
    return result


def _tail(name: str, items: Lisp, k: Lisp, last: bool) -> Lisp:
    """The list after k elements; with last, there must be one more."""
    steps = index(name, k)
    for passed in range(steps):
        if items.__class__ is not Pair:
            out_of_range(name, k, passed)
        items = items.cdr
    if last and items.__class__ is not Pair:
        out_of_range(name, k, steps)
    return items


def list_tail(items: Lisp, k: Lisp) -> Lisp:
    return _tail("list-tail", items, k, False)


def list_ref(items: Lisp, k: Lisp) -> Lisp:
    return _tail("list-ref", items, k, True).car


def list_set(items: Lisp, k: Lisp, value: Lisp) -> Lisp:
    _tail("list-set!", items, k, True).car = value
    return UNSPECIFIED


def list_copy(items: Lisp) -> Lisp:
    """The new list ends as the old one does; what is no pair is its own copy."""
    copied = []
    while items.__class__ is Pair:
        copied.append(items.car)
        items = items.cdr
    return list_of(copied, items)


def _member(name: str, test: Callable[[Lisp, Lisp], bool], x: Lisp, items: Lisp) -> Lisp:
    elements(name, items)
    while items is not NIL:
        if test(x, items.car):
            return items
        items = items.cdr
    return FALSE


def memq(x: Lisp, items: Lisp) -> Lisp:
    return _member("memq", same, x, items)


def memv(x: Lisp, items: Lisp) -> Lisp:
    return _member("memv", same, x, items)


def member(x: Lisp, items: Lisp) -> Lisp:
    return _member("member", equal_values, x, items)


def _entry(name: str, test: Callable[[Lisp, Lisp], bool], key: Lisp, alist: Lisp) -> Lisp:
    for entry in elements(name, alist):
        if entry.__class__ is not Pair:
            wrong_type(name, "a pair", entry)
        if test(key, entry.car):
            return entry
    return FALSE


def assq(key: Lisp, alist: Lisp) -> Lisp:
    return _entry("assq", same, key, alist)


def assv(key: Lisp, alist: Lisp) -> Lisp:
    return _entry("assv", same, key, alist)


def assoc(key: Lisp, alist: Lisp) -> Lisp:
    return _entry("assoc", equal_values, key, alist)


def range_(start: Lisp, end: Lisp = FALSE, step: Lisp = 1) -> Lisp:
    first, last = (0, start) if end is FALSE else (start, end)
    for number in (start, last, step):
        if number.__class__ is not int:
            wrong_type("range", "an exact integer", number)
    if step == 0:
        raise LispError("range: the step is zero")
    return list_of(list(range(first, last, step)))


def iota(count: Lisp, start: Lisp = 0, step: Lisp = 1) -> Lisp:
    """Each element is start plus a multiple of step: doubles do not gather rounding errors."""
    total = size_of("iota", count)
    for number in (start, step):
        if not is_number(number):
            wrong_type("iota", "a number", number)
    return list_of([start + i * step for i in range(total)])
