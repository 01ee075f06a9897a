"""Arithmetic and order on all numbers; LibTorch computes operations on tensors.

Exact arguments give exact results; with a double, the result is a double.  Emitted code inlines
`+`, `<` and others; their functions here are for primitives as values.
"""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from lambent.lang.errors import LispError
from lambent.lang.interp.errors.faults import division_by_zero, shown, wrong_type
from lambent.lang.interp.values.values import (
    NUMBERS,
    TENSOR_ERRORS,
    Boolean,
    Lisp,
    Tensor,
    boolean,
    is_numeric,
)

Number = Any  # int | Ratio | float


def to_double(x: Number) -> float:
    """The nearest double; an infinity for an exact number that is too large."""
    try:
        return float(x)
    except OverflowError:
        return math.inf if x > 0 else -math.inf


def check(name: str, *values: Lisp) -> bool:
    """Refuse what is neither a number nor a tensor; whether a value is a tensor."""
    tensors = False
    for value in values:
        if value.__class__ not in NUMBERS:
            if not isinstance(value, Tensor):
                wrong_type(name, "a number", value)
            tensors = True
    return tensors


def check_number(name: str, x: Lisp) -> None:
    if x.__class__ not in NUMBERS:
        wrong_type(name, "a number", x)


def on_tensors(name: str, *values: Lisp) -> Lisp:
    from lambent.lang.interp.builtins import tensors

    return tensors.arithmetic(name, *values)


# Arithmetic and comparison.


@contextmanager
def _named(name: str) -> Iterator[None]:
    """Name the procedure where LibTorch fails, as emitted code does."""
    try:
        yield
    except Exception as error:
        from lambent.lang.interp.errors.messages import tensor_error_of

        if isinstance(error, tuple(TENSOR_ERRORS)):
            raise tensor_error_of(name, error) from None
        raise


def _two(name: str, operation: Callable[[Any, Any], Lisp]) -> Callable[[Lisp, Lisp], Lisp]:
    def compute(a: Lisp, b: Lisp) -> Lisp:
        if not check(name, a, b):
            return operation(a, b)
        with _named(name):
            return operation(a, b)

    return compute


def _test(name: str, operation: Callable[[Any, Any], bool]) -> Callable[[Lisp, Lisp], Boolean]:
    def compare(a: Lisp, b: Lisp) -> Boolean:
        if not check(name, a, b):
            return boolean(operation(a, b))
        with _named(name):
            return boolean(operation(a, b))

    return compare


def _sign(name: str, operation: Callable[[Any], bool]) -> Callable[[Lisp], Boolean]:
    def compare(x: Lisp) -> Boolean:
        if not check(name, x):
            return boolean(operation(x))
        with _named(name):
            return boolean(operation(x))

    return compare


def _mixed(operation: Callable[[Any, Any], Lisp]) -> Callable[[Any, Any], Lisp]:
    """The operation; an exact number too large for a double counts as infinite beside a double."""

    def compute(a: Any, b: Any) -> Lisp:
        try:
            return operation(a, b)
        except OverflowError:
            if isinstance(a, Tensor) or isinstance(b, Tensor):
                raise
            return operation(to_double(a), to_double(b))

    return compute


add = _two("+", _mixed(lambda a, b: a + b))
subtract = _two("-", _mixed(lambda a, b: a - b))
multiply = _two("*", _mixed(lambda a, b: a * b))
equal_numbers = _test("=", lambda a, b: a <= b and a >= b)
less = _test("<", lambda a, b: a < b)
greater = _test(">", lambda a, b: a > b)
less_or_equal = _test("<=", lambda a, b: a <= b)
greater_or_equal = _test(">=", lambda a, b: a >= b)
is_zero = _sign("zero?", lambda x: x <= 0 and x >= 0)
is_positive = _sign("positive?", lambda x: x > 0)
is_negative = _sign("negative?", lambda x: x < 0)


def negate(x: Lisp) -> Lisp:
    if not check("-", x):
        return -x
    with _named("-"):
        return -x


def square(x: Lisp) -> Lisp:
    if x.__class__ is float or x.__class__ is int:
        return x * x
    return on_tensors("square", x) if check("square", x) else x * x


def divide(a: Lisp, b: Lisp) -> Lisp:
    if a.__class__ is int and b.__class__ is int and b:
        quotient, rest = divmod(a, b)
        return quotient if not rest else ratio(a, b)
    if a.__class__ is float and b.__class__ is float and b:
        return a / b
    if check("/", a, b):
        return on_tensors("/", a, b)
    if b.__class__ is int and b == 0:
        division_by_zero("/")
    if a.__class__ is float or b.__class__ is float:
        return _divide_doubles(to_double(a), to_double(b))
    return ratio(a, b)


def ratio(a: Number, b: Number) -> Number:
    from lambent.lang.interp.values.rationals import rational

    return rational(a, b)


def _divide_doubles(a: float, b: float) -> float:
    try:
        return a / b
    except ZeroDivisionError:
        if a == 0 or math.isnan(a):
            return math.nan
        return math.copysign(math.inf, a) * math.copysign(1.0, b)


# Order.


def _extreme(name: str, a: Lisp, b: Lisp, first: Callable[[Any, Any], bool]) -> Lisp:
    """The argument that comes first in an order; nan if one is nan; a double if one is a double."""
    if a.__class__ is int and b.__class__ is int:
        return b if first(b, a) else a
    if check(name, a, b):
        return on_tensors(name, a, b)
    if a != a or b != b:
        return math.nan
    chosen = b if first(b, a) else a
    return to_double(chosen) if a.__class__ is float or b.__class__ is float else chosen


def max_(a: Lisp, b: Lisp) -> Lisp:
    return _extreme("max", a, b, lambda x, y: x > y)


def min_(a: Lisp, b: Lisp) -> Lisp:
    return _extreme("min", a, b, lambda x, y: x < y)


# Predicates, and exactness.


def is_number(x: Lisp) -> Boolean:
    return boolean(x.__class__ in NUMBERS)


def is_complex(x: Lisp) -> Boolean:
    return boolean(x.__class__ in NUMBERS)


def is_real(x: Lisp) -> Boolean:
    return boolean(x.__class__ in NUMBERS)


def is_integer(x: Lisp) -> Boolean:
    return boolean(x.__class__ is int or (x.__class__ is float and x.is_integer()))


def is_rational(x: Lisp) -> Boolean:
    return boolean(math.isfinite(x) if x.__class__ is float else x.__class__ in NUMBERS)


def is_exact_integer(x: Lisp) -> Boolean:
    return boolean(x.__class__ is int)


def is_exact_rational(x: Lisp) -> Boolean:
    return boolean(x.__class__ in NUMBERS and x.__class__ is not float)


def _number_test(name: str, operation: Callable[[Any], bool]) -> Callable[[Lisp], Boolean]:
    def test(x: Lisp) -> Boolean:
        check_number(name, x)
        return boolean(operation(x))

    return test


is_nan = _number_test("nan?", lambda x: x != x)
is_infinite = _number_test("infinite?", lambda x: x.__class__ is float and math.isinf(x))
is_finite = _number_test("finite?", lambda x: x.__class__ is not float or math.isfinite(x))
is_exact = _number_test("exact?", lambda x: x.__class__ is not float)
is_inexact = _number_test("inexact?", lambda x: x.__class__ is float)


def exact(x: Lisp) -> Lisp:
    if x.__class__ is not float:
        check_number("exact", x)
        return x
    if not math.isfinite(x):
        raise LispError(f"exact: {shown(x)} has no exact value")
    return int(x) if x.is_integer() else ratio(*x.as_integer_ratio())


def inexact(x: Lisp) -> float:
    if x.__class__ is float:
        return x
    check_number("inexact", x)
    return to_double(x)


def _ratio_element(name: str, x: Lisp, index: int) -> Lisp:
    """The numerator (index 0) or denominator (1) of a number; for a double, a double."""
    check_number(name, x)
    if x.__class__ is float and not math.isfinite(x):
        wrong_type(name, "a finite number", x)
    if x.__class__ is float and index == 0 and x.is_integer():
        return x  # also -0.0
    element = x.as_integer_ratio()[index]
    return to_double(element) if x.__class__ is float else element


def numerator(x: Lisp) -> Lisp:
    return _ratio_element("numerator", x, 0)


def denominator(x: Lisp) -> Lisp:
    return _ratio_element("denominator", x, 1)


_LEAST_RADIX, _GREATEST_RADIX = 2, 36


def radix_of(name: str, radix: Lisp) -> int:
    if radix.__class__ is not int or not _LEAST_RADIX <= radix <= _GREATEST_RADIX:
        wrong_type(name, "a radix from 2 to 36", radix)
    return radix


def refuse_non_numeric(name: str, x: Lisp) -> None:
    """Refuse what is neither a number nor a tensor."""
    if not is_numeric(x):
        wrong_type(name, "a number", x)


def too_large(name: str) -> LispError:
    return LispError(f"{name}: the result is too large")
