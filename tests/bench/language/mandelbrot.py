"""Doubles in loops: how many points of a square stay bounded for 1000 steps."""

import sys

STEPS = 1000


def stays(cr: float, ci: float) -> bool:
    zr = zi = 0.0
    for _ in range(STEPS + 1):
        zr2 = zr * zr
        zi2 = zi * zi
        if zr2 + zi2 > 4.0:
            return False
        zi = 2.0 * zr * zi + ci
        zr = zr2 - zi2 + cr
    return True


def run(size: int) -> int:
    step = 3.0 / size
    count = 0
    for y in range(size):
        for x in range(size):
            if stays(x * step - 2.0, y * step - 1.5):
                count += 1
    return count


print(run(int(sys.argv[1])))
