"""Integers: division in both roundings, divisors, bits.

Division also takes doubles with integer values; then its result is a double.
"""

import math
from collections.abc import Callable

from lambent.lang.interp.builtins.numbers import on_tensors, to_double, too_large
from lambent.lang.interp.errors.faults import division_by_zero, need_room, wrong_type
from lambent.lang.interp.values.values import Boolean, Lisp, Tensor, boolean, is_numeric
from lambent.lang.syntax.long_arithmetic import common_divisor, divided, product, root

# More bits than this are refused rather than computed until the memory is full.
_MOST_BITS = 2**32
_LONG = 2**16  # bits of integers with which Python may compute for long, with no poll for Ctrl-C


# Division.


def _exact_integer(name: str, x: Lisp) -> int:
    """The exact integer of an integer, which may be a double."""
    if x.__class__ is int:
        return x
    if x.__class__ is not float or not x.is_integer():
        wrong_type(name, "an integer", x)
    return int(x)


def _on_integers(
    name: str, operation: Callable[[int, int], int], divides: bool, a: Lisp, b: Lisp
) -> Lisp:
    """The exact operation; the result is a double if an argument is one.  On tensors, it is applied
    to each element."""
    if isinstance(a, Tensor) or isinstance(b, Tensor):
        for operand in (a, b):
            if not is_numeric(operand):
                wrong_type(name, "a number", operand)
        return on_tensors(name, a, b)
    n, d = _exact_integer(name, a), _exact_integer(name, b)
    if divides and d == 0:
        division_by_zero(name)
    result = operation(n, d)
    if a.__class__ is int and b.__class__ is int:
        return result
    if result == 0 and operation in (_truncated, _floored):
        return 0.0 if _is_below(a) == _is_below(b) else -0.0
    return to_double(result)


def _is_below(n: Lisp) -> bool:
    """Whether the sign of an integer is negative; a double's may be that of -0.0."""
    return n < 0 or (n.__class__ is float and math.copysign(1.0, n) < 0)


def _truncated(n: int, d: int) -> int:
    return _floored(n, d) if (n < 0) == (d < 0) else -_floored(-n, d)


def _truncated_remainder(n: int, d: int) -> int:
    rest = _floored_remainder(abs(n), abs(d))
    return -rest if n < 0 else rest


def _floored(n: int, d: int) -> int:
    return n // d if n.bit_length() < _LONG else divided(n, d)[0]


def _floored_remainder(n: int, d: int) -> int:
    return n % d if n.bit_length() < _LONG else divided(n, d)[1]


def _division(
    name: str, operation: Callable[[int, int], int]
) -> Callable[[Lisp, Lisp], Lisp]:
    def divide(n: Lisp, d: Lisp) -> Lisp:
        if n.__class__ is int and d.__class__ is int and d:
            return operation(n, d)
        return _on_integers(name, operation, True, n, d)

    return divide


quotient = _division("quotient", _truncated)
remainder = _division("remainder", _truncated_remainder)
modulo = _division("modulo", _floored_remainder)
truncate_quotient = _division("truncate-quotient", _truncated)
truncate_remainder = _division("truncate-remainder", _truncated_remainder)
floor_quotient = _division("floor-quotient", _floored)
floor_remainder = _division("floor-remainder", _floored_remainder)
truncate_divide = _division("truncate/", _truncated)
floor_divide = _division("floor/", _floored)


def gcd(a: Lisp, b: Lisp) -> Lisp:
    if a.__class__ is int and b.__class__ is int:
        return _divisor(a, b)
    return _on_integers("gcd", _divisor, False, a, b)


def _divisor(a: int, b: int) -> int:
    return math.gcd(a, b) if a.bit_length() < _LONG else common_divisor(a, b)


def _multiple(a: int, b: int) -> int:
    if a.bit_length() < _LONG:
        return math.lcm(a, b)
    return abs(product(divided(a, common_divisor(a, b))[0], b)) if b else 0


def lcm(a: Lisp, b: Lisp) -> Lisp:
    return _on_integers("lcm", _multiple, False, a, b)


def is_odd(x: Lisp) -> Boolean:
    return boolean(_exact_integer("odd?", x) & 1 == 1)


def is_even(x: Lisp) -> Boolean:
    return boolean(_exact_integer("even?", x) & 1 == 0)


def integer_sqrt(n: Lisp) -> Lisp:
    if n.__class__ is not int or n < 0:
        wrong_type("exact-integer-sqrt", "a non-negative exact integer", n)
    return root(n)


# Bits.


def _check_exact(name: str, *values: Lisp) -> None:
    for value in values:
        if value.__class__ is not int:
            wrong_type(name, "an exact integer", value)


def bitwise_and(a: Lisp, b: Lisp) -> int:
    if a.__class__ is not int or b.__class__ is not int:
        _check_exact("bitwise-and", a, b)
    return a & b  # type: ignore[no-any-return]


def bitwise_ior(a: Lisp, b: Lisp) -> int:
    if a.__class__ is not int or b.__class__ is not int:
        _check_exact("bitwise-ior", a, b)
    return a | b  # type: ignore[no-any-return]


def bitwise_xor(a: Lisp, b: Lisp) -> int:
    if a.__class__ is not int or b.__class__ is not int:
        _check_exact("bitwise-xor", a, b)
    return a ^ b  # type: ignore[no-any-return]


def bitwise_not(n: Lisp) -> int:
    _check_exact("bitwise-not", n)
    return ~n  # type: ignore[no-any-return]


def arithmetic_shift(n: Lisp, count: Lisp) -> int:
    if n.__class__ is not int or count.__class__ is not int:
        _check_exact("arithmetic-shift", n, count)
    if count <= 0:
        return n >> -count  # type: ignore[no-any-return]
    if n and n.bit_length() + count > _MOST_BITS:
        raise too_large("arithmetic-shift")
    if n:
        need_room("arithmetic-shift", n.bit_length() + count, "bits", 1 / 8)
    return n << count if n else 0


def bit_count(n: Lisp) -> int:
    _check_exact("bit-count", n)
    return (n if n >= 0 else ~n).bit_count()  # type: ignore[no-any-return]


def power_fits(bits: int, exponent: int) -> bool:
    """Whether the power of a number of so many bits is not too large."""
    return bits <= 1 or exponent <= _MOST_BITS // (bits - 1)
