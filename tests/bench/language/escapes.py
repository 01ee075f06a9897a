"""Escapes: Takeuchi's function, in which every call returns through an exception of its own, and
searches that leave a loop."""

import sys


class EscapeError(Exception):
    def __init__(self, target: object, result: int) -> None:
        self.target = target
        self.result = result


def tak(x: int, y: int, z: int) -> int:
    target = object()
    try:
        return tak_to(target, x, y, z)
    except EscapeError as left:
        if left.target is not target:
            raise
        return left.result


def tak_to(target: object, x: int, y: int, z: int) -> int:
    if y >= x:
        raise EscapeError(target, z)
    raise EscapeError(target, tak(tak(x - 1, y, z), tak(y - 1, z, x), tak(z - 1, x, y)))


def find_above(least: int, items: tuple[int, ...]) -> int:
    for x in items:
        if x > least:
            return x
    return -1


items = (3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8)
print(
    sum(
        tak(12, 8, 4) + find_above(8, items) + find_above(i, items) for i in range(int(sys.argv[1]))
    )
)
