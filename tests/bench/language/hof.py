"""Functions as values: lists of 1000 integers through map, filter and a fold."""

import sys
from functools import reduce


def chain(f, g):
    return lambda x: f(g(x))


def run(size: int) -> int:
    items = list(range(1, 1001))
    total = 0
    for i in range(size):
        add = lambda x, i=i: x + i  # noqa: E731
        twice = lambda x: x * 2  # noqa: E731
        changed = list(map(chain(add, twice), items))
        kept = list(filter(lambda x: x % 3 == 0, changed))
        squares = [x * x for x in kept]
        total = reduce(lambda a, b: (a + b) % 1000003, squares, total)
    return total


print(run(int(sys.argv[1])))
