"""Continuation-passing style: Takeuchi's function, and sums of lists, where a closure holds what is
left to do.  Python has no tail calls: a closure returns the next one, and a loop runs them."""

import sys
from collections.abc import Callable
from typing import Any

Next = Callable[[], Any]


def run(step: Any) -> int:
    while callable(step):
        step = step()
    return step


def tak(x: int, y: int, z: int, k: Callable[[int], Any]) -> Next:
    if y >= x:
        return lambda: k(z)
    return lambda: tak(
        x - 1,
        y,
        z,
        lambda a: tak(y - 1, z, x, lambda b: tak(z - 1, x, y, lambda c: tak(a, b, c, k))),
    )


def sum_of(items: list[int], at: int, k: Callable[[int], Any]) -> Next:
    if at == len(items):
        return lambda: k(0)
    return lambda: sum_of(items, at + 1, lambda rest: lambda: k(items[at] + rest))


items = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8]
print(
    sum(
        run(tak(18, 12, 6, lambda x: x)) + run(sum_of(items, 0, lambda x: x))
        for _ in range(int(sys.argv[1]))
    )
)
