"""Small closures: composition, curried addition, Church's numerals, and points that answer
messages."""

import sys
from collections.abc import Callable
from typing import Any

Function = Callable[[int], int]


def compose(f: Function, g: Function) -> Function:
    return lambda x: f(g(x))


def adder(a: int) -> Callable[[int], Function]:
    return lambda b: lambda c: a + b + c


def church(n: int) -> Callable[[Function], Function]:
    if n == 0:
        return lambda f: lambda x: x
    less = church(n - 1)
    return lambda f: compose(f, less(f))


def make_point(x: int, y: int) -> Callable[[str], Any]:
    def answer(message: str) -> Any:
        if message == "x":
            return x
        if message == "y":
            return y
        return lambda dx, dy: make_point(x + dx, y + dy)

    return answer


numeral = church(10)
point = make_point(0, 0)
total = 0
for i in range(int(sys.argv[1])):
    add = adder(i)(2)
    twice = compose(add, add)
    ten = numeral(lambda n: n + 1)
    total += twice(1) + ten(0)
    point = point("move")(1, point("x"))
print(total + point("x") + point("y"))
