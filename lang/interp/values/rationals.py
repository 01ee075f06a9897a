"""Exact fractions.  Loaded only if a program needs them, since Python's module takes long to load.

`Ratio` is Python's Fraction, except that a result with denominator 1 is an `int`.
"""

import math
from collections.abc import Callable
from fractions import Fraction

from lambent.lang.interp.values import values

Number = int | float | Fraction


def _normal(value: Number) -> Number:
    """An int if it is an integer, otherwise a Ratio; doubles stay."""
    if isinstance(value, Fraction):
        if value.denominator == 1:
            return value.numerator
        if value.__class__ is Fraction:
            return _ratio(value)
    return value


def _closed(name: str) -> Callable[["Ratio", object], Number]:
    plain = getattr(Fraction, name)

    def operation(self: "Ratio", other: object) -> Number:
        try:
            result: Number = plain(self, other)
        except OverflowError:  # beside a double, a number too large for one counts as infinite
            infinity = math.inf if self.numerator > 0 else -math.inf
            result = getattr(infinity, name)(other)
        return result if result is NotImplemented else _normal(result)

    return operation


class Ratio(Fraction):
    """An exact number that is not an integer."""

    __slots__ = ()

    __add__ = _closed("__add__")  # type: ignore[assignment]
    __radd__ = _closed("__radd__")  # type: ignore[assignment]
    __sub__ = _closed("__sub__")  # type: ignore[assignment]
    __rsub__ = _closed("__rsub__")  # type: ignore[assignment]
    __mul__ = _closed("__mul__")  # type: ignore[assignment]
    __rmul__ = _closed("__rmul__")  # type: ignore[assignment]

    def __neg__(self) -> "Ratio":
        return _ratio(Fraction.__neg__(self))

    def __abs__(self) -> "Ratio":
        return _ratio(Fraction.__abs__(self))


def _ratio(value: Fraction) -> Ratio:
    result = object.__new__(Ratio)
    result._numerator = value.numerator  # type: ignore[attr-defined]
    result._denominator = value.denominator  # type: ignore[attr-defined]
    return result


def rational(numerator: int | Fraction, denominator: int | Fraction = 1) -> Number:
    """The exact quotient: an int if it is an integer."""
    return _normal(Fraction(numerator, denominator))


values.NUMBERS.add(Ratio)
values.NUMERIC.add(Ratio)
