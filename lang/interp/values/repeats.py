"""How many elements nested data have, if a list counts at each place where it occurs.

    (let ((x '(1 2))) (list x x))  =>  6 elements: those of the list, and twice those of x

A text or a tensor of data repeats a list that occurs several times, so forty lists may be a text of
2^40 numbers.  The count takes time for the lists, not for their repetitions.
"""

from collections.abc import Iterable, Iterator
from itertools import chain

from lambent.lang.errors import LispError
from lambent.lang.interp.values.values import HashTable, Lisp, Pair, Vector

_MOST_ELEMENTS = 2**62
_BYTES_PER_ELEMENT = 256
_CONTAINERS = frozenset((Pair, Vector, HashTable))


class _Step:
    """The elements of a value that are still to be counted, and the sum of those before."""

    __slots__ = ("key", "left", "total")

    def __init__(self, value: Lisp) -> None:
        elements, self.total = _elements(value)
        self.key = id(value)
        self.left: Iterator[Lisp] = iter(elements)


def _elements(value: Lisp) -> tuple[Iterable[Lisp], int]:
    """What it holds, and how many elements it adds itself: a pair stands for one."""
    if value.__class__ is Pair:
        return (value.car, value.cdr), 1
    if value.__class__ is Vector:
        return value.items, len(value.items)
    return chain.from_iterable(value.entries.values()), 2 * len(value.entries)


def _count(root: Lisp) -> tuple[int, int]:
    """The elements, and how many of them only repeat others.  A cycle counts once."""
    if root.__class__ not in _CONTAINERS:
        return 0, 0
    totals = {id(root): 0}
    steps = [_Step(root)]
    walked = steps[0].total
    while True:
        step = steps[-1]
        for element in step.left:
            if element.__class__ in _CONTAINERS:
                key = id(element)
                if key not in totals:
                    totals[key] = 0
                    steps.append(_Step(element))
                    walked += steps[-1].total
                    break
                step.total = min(step.total + totals[key], _MOST_ELEMENTS)
        else:
            totals[step.key] = step.total
            steps.pop()
            if not steps:
                return step.total, max(step.total - walked, 0)
            steps[-1].total = min(steps[-1].total + step.total, _MOST_ELEMENTS)


def refuse_repeats(who: str, data: Lisp) -> None:
    """Fail if there is no memory for the elements of data, each at every place where it occurs."""
    total, repeated = _count(data)
    try:
        bytes(repeated * _BYTES_PER_ELEMENT)  # touches no pages
    except (MemoryError, OverflowError):
        raise LispError(
            f"{who}: not enough memory for {total} elements, because a list counts at each place "
            "where it occurs"
        ) from None
