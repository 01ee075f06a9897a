"""Rounding, roots, powers, the transcendental functions, and numbers as text.

Results are exact where that is possible.  Doubles give infinities and nans as C's functions do.
"""

import math
import sys
from collections.abc import Callable
from typing import Any

from lambent.lang.errors import LispError
from lambent.lang.interp.builtins.arguments import text_of
from lambent.lang.interp.builtins.integers import power_fits
from lambent.lang.interp.builtins.numbers import (
    check,
    check_number,
    divide,
    on_tensors,
    radix_of,
    ratio,
    refuse_non_numeric,
    to_double,
    too_large,
)
from lambent.lang.interp.errors.faults import division_by_zero, need_room, wrong_type
from lambent.lang.interp.values.values import FALSE, NUMBERS, Lisp, String, Tensor
from lambent.lang.syntax.long_arithmetic import power as integer_power
from lambent.lang.syntax.long_arithmetic import product, root, root_of_order

_NO_ROOT = 100_000  # a ratio below two to minus this has the root 0.0
_ALL_INTEGERS_FROM = 2.0**52  # doubles of this size and more have no fraction


def abs_(x: Lisp) -> Lisp:
    if x.__class__ is int or x.__class__ is float:
        return abs(x)
    return on_tensors("abs", x) if check("abs", x) else abs(x)


def _rounded(
    name: str, on_doubles: Callable[[float], float], on_ratios: Callable[[Any], int]
) -> Callable[[Lisp], Lisp]:
    def rounded(x: Lisp) -> Lisp:
        if x.__class__ is float:
            return on_doubles(x)
        if x.__class__ is int:
            return x
        return on_tensors(name, x) if check(name, x) else on_ratios(x)

    return rounded


def _integral_double(function: Callable[[float], int]) -> Callable[[float], float]:
    """A rounding of doubles from Python's, which returns an int and fails for infinities.

    The sign of zero is kept.
    """

    def rounded(x: float) -> float:
        if -_ALL_INTEGERS_FROM < x < _ALL_INTEGERS_FROM:
            return float(function(x)) or math.copysign(0.0, x)
        return x

    return rounded


floor = _rounded("floor", _integral_double(math.floor), math.floor)
ceiling = _rounded("ceiling", _integral_double(math.ceil), math.ceil)
truncate = _rounded("truncate", _integral_double(math.trunc), math.trunc)
round_ = _rounded("round", _integral_double(round), round)


def sqrt(x: Lisp) -> Lisp:
    if x.__class__ is float and x >= 0:
        return math.sqrt(x)
    if check("sqrt", x):
        return on_tensors("sqrt", x)
    if x < 0:
        wrong_type("sqrt", "a non-negative number", x)
    if x.__class__ is float:
        return math.sqrt(x)
    upper, lower = (root(n) for n in x.as_integer_ratio())
    if (product(upper, upper), product(lower, lower)) == x.as_integer_ratio():
        return divide(upper, lower)
    number = to_double(x)
    if number < sys.float_info.min:
        return _small_root(*x.as_integer_ratio())
    # The number may be too large for a double, and its root not.
    return math.sqrt(number) if math.isfinite(number) else to_double(root(math.trunc(x)))


def _small_root(upper: int, lower: int) -> float:
    """The root of a ratio that is too small for a double with all its digits."""
    power = lower.bit_length() - upper.bit_length() + 128
    power += power & 1
    number = to_double(ratio(upper << power, lower))
    return 0.0 if power > _NO_ROOT else math.ldexp(math.sqrt(number), -(power // 2))


def expt(base: Lisp, exponent: Lisp) -> Lisp:
    refuse_non_numeric("expt", base)
    refuse_non_numeric("expt", exponent)
    if isinstance(base, Tensor) or isinstance(exponent, Tensor):
        return on_tensors("expt", base, exponent)
    if base.__class__ is not float and exponent.__class__ is int:
        return _exact_power(base, exponent)
    if base.__class__ is not float and exponent.__class__ is not float:
        exact = _exact_root(base, exponent.denominator)
        if exact is not None:
            return _exact_power(exact, exponent.numerator)
    x, y = to_double(base), to_double(exponent)
    if exponent.__class__ is int and exponent & 1 and math.copysign(1.0, x) < 0:
        return -_power(-x, y)  # as a double, a large integer would be even
    if x < 0 and math.isfinite(y) and not y.is_integer():
        wrong_type("expt", "a non-negative number", base)
    return _power(x, y)


def _exact_power(base: Any, exponent: int) -> Lisp:
    if exponent < 0 and base == 0:
        division_by_zero("expt")
    size = abs(exponent)
    bits = max(n.bit_length() for n in base.as_integer_ratio())
    if base == -1:
        power = -1 if size % 2 else 1
    elif base in (0, 1):
        power = base if size else 1
    elif not power_fits(bits, size):
        raise too_large("expt")
    else:
        need_room("expt", bits * size, "bits", 1)  # multiplying takes more memory than the result
        power = integer_power(base.numerator, size)
        if base.__class__ is not int:
            power = ratio(power, integer_power(base.denominator, size))
    return divide(1, power) if exponent < 0 else power


def _exact_root(base: Any, order: int) -> Lisp | None:
    """The root of an exact number, if it is exact."""
    roots: list[int] = []
    for n in base.as_integer_ratio():
        if n in (0, 1):
            roots.append(n)
            continue
        if n < 0 or order > n.bit_length():
            return None
        found = root_of_order(n, order)
        if integer_power(found, order) != n:
            return None
        roots.append(found)
    return divide(*roots)


def _power(base: float, exponent: float) -> float:
    """C's pow: an overflow gives an infinity, and so does zero to a negative power."""
    try:
        return math.pow(base, exponent)
    except OverflowError:
        negative = base < 0 and exponent % 2 == 1
    except ValueError:
        negative = math.copysign(1.0, base) < 0 and abs(exponent % 2) == 1
    return -math.inf if negative else math.inf


def _transcendental(
    name: str, function: Callable[[float], float], at_zero: int
) -> Callable[[Lisp], Lisp]:
    """A function that is exact at an exact zero, with the value at_zero."""

    def compute(x: Lisp) -> Lisp:
        if x.__class__ is float:
            return function(x)
        if check(name, x):
            return on_tensors(name, x)
        return at_zero if x.__class__ is int and x == 0 else function(to_double(x))

    return compute


def _exp(x: float) -> float:
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


def _of_finite(function: Callable[[float], float]) -> Callable[[float], float]:
    """A function of angles: nan for infinities."""
    return lambda x: function(x) if math.isfinite(x) else math.nan


exp = _transcendental("exp", _exp, 1)
sin = _transcendental("sin", _of_finite(math.sin), 0)
cos = _transcendental("cos", _of_finite(math.cos), 1)
tan = _transcendental("tan", _of_finite(math.tan), 0)
tanh = _transcendental("tanh", math.tanh, 0)


def _arc(
    name: str, function: Callable[[float], float], zero_at: int
) -> Callable[[Lisp], Lisp]:
    """An inverse of sine or cosine; its zero is exact for an exact argument."""

    def compute(x: Lisp) -> Lisp:
        if check(name, x):
            return on_tensors(name, x)
        number = to_double(x)
        if abs(number) > 1:
            wrong_type(name, "a number from -1 to 1", x)
        return 0 if x.__class__ is int and x == zero_at else function(number)

    return compute


asin = _arc("asin", math.asin, 0)
acos = _arc("acos", math.acos, 1)


def _check_log(x: Lisp) -> None:
    check_number("log", x)
    if x < 0 or (x.__class__ is not float and x == 0):
        wrong_type("log", "a positive number", x)


def _log(x: Any) -> float:
    number = to_double(x)
    if x.__class__ is float or sys.float_info.min <= number < math.inf:
        return math.log(number) if number else -math.inf
    # Exact numbers too large or too small for a double have logarithms as well.
    upper, lower = x.as_integer_ratio()
    return math.log(upper) - math.log(lower) if lower != 1 else math.log(upper)


def log(x: Lisp, base: Lisp = FALSE) -> Lisp:
    if isinstance(x, Tensor) or isinstance(base, Tensor):
        refuse_non_numeric("log", x)
        return on_tensors("log", x) if base is FALSE else on_tensors("log", x, base)
    _check_log(x)
    if base is FALSE:
        return 0 if x.__class__ is int and x == 1 else _log(x)
    _check_log(base)
    return divide(_log(x), _log(base))


def atan(y: Lisp, x: Lisp = FALSE) -> Lisp:
    if isinstance(y, Tensor) or isinstance(x, Tensor):
        refuse_non_numeric("atan", y)
        return on_tensors("atan", y) if x is FALSE else on_tensors("atan", y, x)
    check_number("atan", y)
    if x is FALSE:
        return 0 if y.__class__ is int and y == 0 else math.atan(to_double(y))
    check_number("atan", x)
    if y.__class__ is int and y == 0 and x.__class__ is not float and x > 0:
        return 0
    return math.atan2(to_double(y), to_double(x))


# Numbers as text.


_SMALL = 10**18
_SAFE_DIGITS = 4000  # Python converts longer numerals only where numerals.py allows it


def number_to_string(x: Lisp, radix: Lisp = 10) -> String:
    if x.__class__ is int and radix.__class__ is int and radix == 10 and -_SMALL < x < _SMALL:
        return String(str(x))
    from lambent.lang.syntax.numerals import format_number

    if x.__class__ not in NUMBERS:
        wrong_type("number->string", "a number", x)
    number: Any = x
    base = radix_of("number->string", radix)
    if x.__class__ is float and base != 10:
        raise LispError(f"number->string: doubles are written in radix 10, not {base}")
    return String(format_number(number, base))


def string_to_number(text: Lisp, radix: Lisp = 10) -> Lisp:
    written = text_of("string->number", text)
    if (
        radix.__class__ is int and radix == 10
        and written.isdigit() and written.isascii() and len(written) < _SAFE_DIGITS
    ):
        return int(written)
    base = radix_of("string->number", radix)
    from lambent.lang.syntax.numerals import parse_number

    number = parse_number(written, base)
    if number is None:
        return FALSE
    return number if number.__class__ in (int, float) else ratio(*number.as_integer_ratio())
