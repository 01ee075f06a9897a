"""Calls of three arguments: Takeuchi's function, many times."""

import sys


def tak(x: int, y: int, z: int) -> int:
    if y >= x:
        return z
    return tak(tak(x - 1, y, z), tak(y - 1, z, x), tak(z - 1, x, y))


print(sum(tak(18, 12, 6) for _ in range(int(sys.argv[1]))))
