"""Booleans, pairs and lists."""

from collections.abc import Callable, Iterator

from lambent.lang.errors import LispError
from lambent.lang.interp.builtins.arguments import elements, index, size_of
from lambent.lang.interp.builtins.equality import equal_values, same
from lambent.lang.interp.errors.faults import need_room, out_of_range, wrong_type
from lambent.lang.interp.values.repeats import refuse_repeats
from lambent.lang.interp.values.values import (
    ABSENT,
    FALSE,
    NIL,
    UNSPECIFIED,
    Boolean,
    Lisp,
    Pair,
    String,
    Tensor,
    boolean,
    is_number,
    items_of,
    list_of,
)

# Booleans.


def truth(x: Lisp) -> bool:
    """Whether a value is true in a test."""
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


# Pairs.


def cons(car: Lisp, cdr: Lisp) -> Pair:
    return Pair(car, cdr)


def _path(name: str) -> Callable[[Lisp], Lisp]:
    """The accessor of a name: `cadr` is the car of the cdr, so its letters apply from the end."""
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


def exchange_car(pair: Lisp, value: Lisp) -> Lisp:
    if pair.__class__ is not Pair:
        wrong_type("car", "a pair", pair)
    old, pair.car = pair.car, value
    return old


def exchange_cdr(pair: Lisp, value: Lisp) -> Lisp:
    if pair.__class__ is not Pair:
        wrong_type("cdr", "a pair", pair)
    old, pair.cdr = pair.cdr, value
    return old


def is_pair(x: Lisp) -> Boolean:
    return boolean(x.__class__ is Pair)


def is_null(x: Lisp) -> Boolean:
    return boolean(x is NIL)


def is_list(x: Lisp) -> Boolean:
    return boolean(items_of(x) is not None)


# Lists.


def list_(*items: Lisp) -> Lisp:
    return list_of(items)


def length(items: Lisp) -> int:
    return len(elements("length", items))


def append(*lists: Lisp) -> Lisp:
    if not lists:
        return NIL
    copied = [elements("append", items) for items in lists[:-1]]
    result = lists[-1]
    for items in reversed(copied):
        result = list_of(items, result)
    return result


def reverse(items: Lisp) -> Lisp:
    result: Lisp = NIL
    for item in elements("reverse", items):
        result = Pair(item, result)
    return result


_LONG = 1 << 16  # steps that are made without looking for a cycle


def _tail(name: str, items: Lisp, k: Lisp, last: bool) -> Lisp:
    """The list after k elements; with last, it must have an element."""
    steps = index(name, k)
    if (steps > 0 or last) and items.__class__ is not Pair and items is not NIL:
        wrong_type(name, "a list", items)
    mark, passed, marked, limit = items, 0, 0, _LONG
    while passed < steps:
        if items.__class__ is not Pair:
            out_of_range(name, k, passed)
        items = items.cdr
        passed += 1
        if passed < _LONG:
            continue
        if items is mark:  # a cycle: whole rounds are left out
            steps = passed + (steps - passed) % (passed - marked)
        if passed == limit:
            mark, marked, limit = items, passed, 2 * limit
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
    """An improper tail is shared; a value that is not a pair is returned."""
    copied = []
    at = mark = items
    limit = 1
    while at.__class__ is Pair:
        copied.append(at.car)
        at = at.cdr
        if at is mark:
            wrong_type("list-copy", "a list that ends", items)
        if len(copied) == limit:
            mark, limit = at, 2 * limit
    return list_of(copied, at)


def _pairs(name: str, items: Lisp) -> Iterator[Lisp]:
    """The pairs of a list; where it ends otherwise, or comes back to a pair, it is not a list."""
    at = mark = items
    steps, limit = 0, 1
    while at.__class__ is Pair:
        yield at
        at = at.cdr
        steps += 1
        if at is mark:
            break
        if steps == limit:
            mark, limit = at, 2 * limit
    if at is not NIL:
        wrong_type(name, "a list", items)


def _member(name: str, test: Callable[[Lisp, Lisp], bool], x: Lisp, items: Lisp) -> Lisp:
    """What follows the element that is found need not be a list."""
    for at in _pairs(name, items):
        if test(x, at.car):
            return at
    return FALSE


def memq(x: Lisp, items: Lisp) -> Lisp:
    return _member("memq", same, x, items)


def memv(x: Lisp, items: Lisp) -> Lisp:
    return _member("memv", same, x, items)


def member(x: Lisp, items: Lisp) -> Lisp:
    return _member("member", equal_values, x, items)


def _entry(name: str, test: Callable[[Lisp, Lisp], bool], key: Lisp, alist: Lisp) -> Lisp:
    for at in _pairs(name, alist):
        entry = at.car
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


_PAIR_BYTES = 24  # in an executable, so that both back ends refuse the same sizes


def check_room(who: String, count: Lisp) -> Lisp:
    """Refuse a number of elements if there is no memory for a list of so many."""
    need_room(who.text, size_of(who.text, count), "elements", _PAIR_BYTES)
    return UNSPECIFIED


def check_repeats(who: String, data: Lisp) -> Lisp:
    refuse_repeats(who.text, data)
    return UNSPECIFIED


def iota(count: Lisp, start: Lisp = 0, step: Lisp = 1) -> Lisp:
    """Each element is start plus a multiple of step, so rounding errors do not accumulate."""
    total = size_of("iota", count)
    for number in (start, step):
        if not is_number(number):
            wrong_type("iota", "a number", number)
    need_room("iota", total, "elements", _PAIR_BYTES)
    return list_of([start + i * step for i in range(total)])
