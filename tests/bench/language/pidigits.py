"""Integers without bound: the digits of pi, one by one, from a stream of fractional maps
(q r; 0 t).  Prints a checksum."""

import sys


def run(size: int) -> int:
    q, r, t, k, made, total = 1, 0, 1, 1, 0, 0
    while made < size:
        digit = (3 * q + r) // t
        if digit == (4 * q + r) // t:
            q, r = 10 * q, 10 * (r - digit * t)
            total = (7 * total + digit) % 1000003
            made += 1
        else:
            odd = 2 * k + 1
            q, r, t, k = q * k, (2 * q + r) * odd, t * odd, k + 1
    return total


print(run(int(sys.argv[1])))
