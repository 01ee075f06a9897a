"""Products, quotients, powers, roots and divisors of long integers, with polls for Ctrl-C.

    product(a, b)  =>  a * b        divided(n, d)  =>  divmod(n, d)        root(n)  =>  isqrt(n)

Python's own operations let no signal in, and most take time that grows with the square of the
length.  Here they only get pieces that take a fraction of a second.  Shorter integers go to them
directly.
"""

import math

_PIECE = 2**38  # the product of the bits of two integers that Python multiplies at once
_PIECE_TO_DIVIDE = 2**34  # the same for a quotient and its divisor
_SHORT = 2**17  # bits of integers whose roots and common divisors Python computes at once
_SHORT_ROOT = 16  # bits of roots that are found bit by bit
_LEADING = 2**11  # bits of which the steps of Euclid's algorithm are computed one by one

Matrix = tuple[int, int, int, int]


def product(a: int, b: int) -> int:
    """a * b, after Karatsuba."""
    n, m = a.bit_length(), b.bit_length()
    if n * m <= _PIECE:
        return a * b
    if a < 0 or b < 0:
        positive = product(abs(a), abs(b))
        return positive if (a < 0) == (b < 0) else -positive
    if n < m:
        a, b, n, m = b, a, m, n
    half = n // 2
    high, low = _split(a, half)
    if m <= half:
        return (product(high, b) << half) + product(low, b)
    other_high, other_low = _split(b, half)
    top, bottom = product(high, other_high), product(low, other_low)
    middle = product(high + low, other_high + other_low) - top - bottom
    return (((top << half) + middle) << half) + bottom


def _split(n: int, bits: int) -> tuple[int, int]:
    """The bits from a position up, and those below."""
    high = n >> bits
    return high, n ^ (high << bits)


def power(base: int, exponent: int) -> int:
    """base to a non-negative power."""
    if base.bit_length() * exponent <= _SHORT:
        return int(base**exponent)
    twos = (base & -base).bit_length() - 1
    odd = base >> twos
    result = 1
    for bit in f"{exponent:b}":
        result = product(result, result)
        if bit == "1":
            result = product(result, odd)
    return result << (twos * exponent)


def divided(n: int, d: int) -> tuple[int, int]:
    """The quotient, rounded down, and the remainder; d is not 0."""
    size = d.bit_length()
    if (n.bit_length() - size) * size <= _PIECE_TO_DIVIDE:
        return divmod(n, d)
    if d < 0:
        quotient, rest = divided(-n, -d)
        return quotient, -rest
    if n < 0:
        quotient, rest = divided(~n, d)
        return ~quotient, d - 1 - rest
    digit = max(size, _PIECE_TO_DIVIDE // size)
    return _divide_digits(n, d, digit, n.bit_length() // digit + 1)


def _divide_digits(n: int, d: int, digit: int, count: int) -> tuple[int, int]:
    """The same for n below d times 2 to count digits, each of that many bits."""
    if count == 1:
        return _divide_halves(n, d)
    below = digit * (count // 2)
    high, low = _split(n, below)
    upper, rest = _divide_digits(high, d, digit, count - count // 2)
    lower, rest = _divide_digits((rest << below) + low, d, digit, count // 2)
    return (upper << below) + lower, rest


def _divide_halves(n: int, d: int) -> tuple[int, int]:
    """The same for a quotient of at most as many bits as d, which is computed in two halves."""
    size = d.bit_length()
    bits = n.bit_length() - size
    if bits * size <= _PIECE_TO_DIVIDE:
        return divmod(n, d)
    half = (bits + 1) // 2
    high, low = _split(n, half)
    upper, rest = _divide_by_leading(high, d, half + 1)
    lower, rest = _divide_by_leading((rest << half) + low, d, half + 1)
    return (upper << half) + lower, rest


def _divide_by_leading(n: int, d: int, bits: int) -> tuple[int, int]:
    """The same for a quotient of about so many bits, which d's leading bits nearly determine."""
    dropped = d.bit_length() - bits - 1
    if dropped <= 0:
        return _divide_halves(n, d)
    high, low = _split(n, dropped)
    leading, rest_of_d = _split(d, dropped)
    quotient, rest = divided(high, leading)
    rest = (rest << dropped) + low - product(quotient, rest_of_d)
    while rest < 0:
        quotient -= 1
        rest += d
    return quotient, rest


def root(n: int) -> int:
    """The square root of a non-negative integer, rounded down."""
    size = n.bit_length()
    if size <= _SHORT:
        return math.isqrt(n)
    half = size // 4
    estimate = root(n >> (2 * half)) << half
    nearer = (estimate + divided(n, estimate)[0]) >> 1  # Newton's step, which doubles the digits
    while product(nearer, nearer) > n:
        nearer -= 1
    return nearer


def root_of_order(n: int, order: int) -> int:
    """The root of a non-negative integer, rounded down: of order 3 the cube root."""
    digits = n.bit_length() // order + 1
    if digits <= _SHORT_ROOT:
        return _bitwise_root(n, order, digits)
    half = digits // 2
    x = (root_of_order(n >> (order * half), order) + 1) << half  # above the root
    while True:  # Newton's step, which doubles the digits
        nearer = (x * (order - 1) + divided(n, power(x, order - 1))[0]) // order
        if nearer >= x:
            return x
        x = nearer


def _bitwise_root(n: int, order: int, digits: int) -> int:
    result = 0
    for bit in reversed(range(digits)):
        larger = result | (1 << bit)
        if power(larger, order) <= n:
            result = larger
    return result


def common_divisor(a: int, b: int) -> int:
    """The greatest common divisor."""
    a, b = abs(a), abs(b)
    if a < b:
        a, b = b, a
    while b.bit_length() > _SHORT:
        _, a, b = _applied(_halving(a, b), a, b)
        if b:
            a, b = b, divided(a, b)[1]
    return math.gcd(a, b)


def _halving(a: int, b: int) -> Matrix:
    """Steps of Euclid's algorithm that leave about half of a's bits, as a matrix; a >= b >= 0.

    They are found from the leading bits.  A wrong step does no harm: the determinant of each is 1
    or -1, so the common divisors stay.
    """
    size = a.bit_length()
    if size <= _LEADING:
        return _euclid(a, b)
    target = size // 2
    matrix, a, b = _applied(_halving(a >> target, b >> target), a, b)
    if b and a.bit_length() > target:
        quotient, rest = divided(a, b)
        matrix = _product_of((0, 1, 1, -quotient), matrix)
        a, b = b, rest
        dropped = max(2 * target - a.bit_length(), 0)
        return _product_of(_halving(a >> dropped, b >> dropped), matrix)
    return matrix


def _euclid(a: int, b: int) -> Matrix:
    target = a.bit_length() // 2
    p, q, r, s = 1, 0, 0, 1
    while b.bit_length() > target:
        quotient, rest = divmod(a, b)
        a, b = b, rest
        p, q, r, s = r, s, p - quotient * r, q - quotient * s
    return p, q, r, s


def _product_of(left: Matrix, right: Matrix) -> Matrix:
    p, q, r, s = left
    t, u, v, w = right
    return (
        product(p, t) + product(q, v), product(p, u) + product(q, w),
        product(r, t) + product(s, v), product(r, u) + product(s, w),
    )


def _applied(matrix: Matrix, a: int, b: int) -> tuple[Matrix, int, int]:
    """The matrix times (a, b), with its signs and rows changed so that the first is not smaller
    than the second, and neither is negative."""
    p, q, r, s = matrix
    x, y = product(p, a) + product(q, b), product(r, a) + product(s, b)
    if x < 0:
        p, q, x = -p, -q, -x
    if y < 0:
        r, s, y = -r, -s, -y
    return ((r, s, p, q), y, x) if x < y else ((p, q, r, s), x, y)
