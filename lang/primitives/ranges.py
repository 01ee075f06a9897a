"""Ranges of integers: what operations of the machine make of the ranges of their operands.

    (modulo h 1000)             h unknown     =>  0 ... 999
    (+ (* h 33) c)              c 0 ... 127   =>  0 ... 33094: neither leaves the range of a fixnum

An operation on int64_t may be used where its result certainly fits a fixnum.  Inference finds such
ranges, and the verifier proves them again: both compute with this module.
"""

from collections.abc import Callable, Sequence
from itertools import product

from lambent.lang.primitives.machine import Machine
from lambent.lang.system.dataclass import dataclass, replace

FIXNUM_MIN, FIXNUM_MAX = -(2**62), 2**62 - 1


@dataclass(frozen=True, slots=True)
class Range:
    """The integers from low to high, both included: none if high is below low.

    is_counter: they are those of a counter (`compile/types/abstract_types.py`).
    """

    low: int
    high: int
    is_counter: bool = False

    def __str__(self) -> str:
        if self.is_empty:
            return "never"
        return f"{_bound(self.low)}...{_bound(self.high)}{' counter' if self.is_counter else ''}"

    def __contains__(self, n: int) -> bool:
        return self.low <= n <= self.high

    @property
    def is_empty(self) -> bool:
        return self.high < self.low

    def within(self, other: "Range") -> bool:
        """Whether the other one has all of these, and does not say that they are a counter if they
        are none."""
        is_one = self.is_counter or not other.is_counter
        return self.is_empty or (is_one and other.low <= self.low and self.high <= other.high)

    def join(self, other: "Range") -> "Range":
        if self.is_empty or other.is_empty:
            return other if self.is_empty else self
        is_counter = self.is_counter and other.is_counter
        return Range(min(self.low, other.low), max(self.high, other.high), is_counter)

    def meet(self, other: "Range") -> "Range":
        """What both have; this range itself if that is nothing: control does not come there."""
        low, high = max(self.low, other.low), min(self.high, other.high)
        return replace(self, low=low, high=high) if low <= high else self

    def without(self, other: "Range") -> "Range":
        """This range without a single value at one of its ends."""
        if other.low != other.high or self.low == self.high:
            return self
        if other.low == self.low:
            return replace(self, low=self.low + 1)
        return replace(self, high=self.high - 1) if other.low == self.high else self


FIXNUMS = Range(FIXNUM_MIN, FIXNUM_MAX)
NATURALS = Range(0, FIXNUM_MAX)
NEVER = Range(0, -1)  # of what no value ever reaches
SIZES = Range(0, 2**56, is_counter=True)  # of what fits into memory
# Counters begin as small literals or sizes and grow by single digits: it takes years to leave this.
COUNTED = Range(-(2**60), 2**60, is_counter=True)
_STEP = 7  # at most
_SMALL = 2**32


def counted(code: Machine, operands: Sequence[Range]) -> Range | None:
    """The range of a counter after a step, `(+ i 1)`, `(+ 1 i)` or `(- i 1)`; None if it is
    another operation."""
    if code not in (Machine.I64_ADD, Machine.I64_SUBTRACT):
        return None
    counter, step = operands
    if code is Machine.I64_ADD and not _is_step(counter, step):
        counter, step = step, counter
    if not _is_step(counter, step):
        return None
    found = _RANGES[code](*operands)
    assert found is not None
    return replace(found.meet(COUNTED), is_counter=True)


def _is_step(counter: Range, step: Range) -> bool:
    small = step.low == step.high and abs(step.low) <= _STEP
    return small and counter.is_counter and counter.within(COUNTED)


def literal_range(n: int) -> Range:
    return Range(n, n, is_counter=abs(n) <= _SMALL)


def machine_range(code: Machine, operands: Sequence[Range]) -> Range | None:
    """The range of the results of an operation; None if its result may not fit a fixnum, or if it
    is not defined for some operands, or does not compute an integer."""
    found = _RANGES[code](*operands) if code in _RANGES else None
    return found if found is not None and found.within(FIXNUMS) else None


def narrowed(code: Machine, operands: Sequence[Range], holds: bool) -> tuple[Range, ...]:
    """The ranges of the operands of a test of integers where it holds, or does not."""
    if code in _SIGNS:
        code, operands, count = _SIGNS[code], [*operands, Range(0, 0)], 1
    else:
        count = len(operands)
    if not holds:
        return _narrowed(_OPPOSITES.get(code), operands)[:count]
    return _narrowed(code, operands)[:count]


def may_be(code: Machine, operands: Sequence[Range], holds: bool) -> bool:
    """Whether a test of integers in some ranges can hold, or can fail."""
    if code in _SIGNS:
        code, operands = _SIGNS[code], [*operands, Range(0, 0)]
    asked = code if holds else _OPPOSITES.get(code)
    if asked not in _OPPOSITES and asked != _DIFFERENT:
        return True
    a, b = operands
    match asked:
        case Machine.I64_EQUAL:
            return a.low <= b.high and b.low <= a.high
        case Machine.I64_LESS:
            return a.low < b.high
        case Machine.I64_LESS_OR_EQUAL:
            return a.low <= b.high
        case Machine.I64_GREATER:
            return a.high > b.low
        case Machine.I64_GREATER_OR_EQUAL:
            return a.high >= b.low
    return not (a.low == a.high == b.low == b.high)


# Stands for "not equal", which is not an operation of the machine.
_DIFFERENT = "different"


def _narrowed(code: Machine | str | None, operands: Sequence[Range]) -> tuple[Range, ...]:
    if code not in _OPPOSITES and code != _DIFFERENT:
        return tuple(operands)
    a, b = operands
    match code:
        case Machine.I64_EQUAL:
            return a.meet(b), b.meet(a)
        case Machine.I64_LESS:
            return _below(a, b.high - 1), _above(b, a.low + 1)
        case Machine.I64_LESS_OR_EQUAL:
            return _below(a, b.high), _above(b, a.low)
        case Machine.I64_GREATER:
            return _above(a, b.low + 1), _below(b, a.high - 1)
        case Machine.I64_GREATER_OR_EQUAL:
            return _above(a, b.low), _below(b, a.high)
    return a.without(b), b.without(a)


def _bound(n: int) -> str:
    """`-2^62`, `2^56`, or the digits of a small number."""
    for power, text in ((abs(n), ""), (n + 1, "-1")):
        if power >= _SMALL and power & (power - 1) == 0:
            return f"{'-' if n < 0 else ''}2^{power.bit_length() - 1}{text}"
    return str(n)


_OPPOSITES: dict[Machine | str | None, Machine | str] = {
    Machine.I64_EQUAL: _DIFFERENT,
    Machine.I64_LESS: Machine.I64_GREATER_OR_EQUAL,
    Machine.I64_LESS_OR_EQUAL: Machine.I64_GREATER,
    Machine.I64_GREATER: Machine.I64_LESS_OR_EQUAL,
    Machine.I64_GREATER_OR_EQUAL: Machine.I64_LESS,
}
_SIGNS = {
    Machine.I64_IS_ZERO: Machine.I64_EQUAL,
    Machine.I64_IS_POSITIVE: Machine.I64_GREATER,
    Machine.I64_IS_NEGATIVE: Machine.I64_LESS,
}


def _below(a: Range, high: int) -> Range:
    return a.meet(Range(min(a.low, high), high))


def _above(a: Range, low: int) -> Range:
    return a.meet(Range(low, max(a.high, low)))


# The operations.


def _add(a: Range, b: Range) -> Range:
    return Range(a.low + b.low, a.high + b.high)


def _subtract(a: Range, b: Range) -> Range:
    return Range(a.low - b.high, a.high - b.low)


def _at_corners(function: Callable[[int, int], int], a: Range, b: Range) -> Range:
    """The range of a function that is monotonic in each of its arguments."""
    found = [function(x, y) for x, y in product((a.low, a.high), (b.low, b.high))]
    return Range(min(found), max(found))


def _multiply(a: Range, b: Range) -> Range:
    return _at_corners(lambda x, y: x * y, a, b)


def _quotient(n: Range, d: Range) -> Range | None:
    return None if 0 in d else _at_corners(_truncated, n, d)


def _floor_quotient(n: Range, d: Range) -> Range | None:
    return None if 0 in d else _at_corners(lambda x, y: x // y, n, d)


def _truncated(n: int, d: int) -> int:
    return abs(n) // abs(d) * (1 if (n < 0) == (d < 0) else -1)


def _remainder(n: Range, d: Range) -> Range | None:
    """It has the sign of n, and is nearer to 0 than n and d."""
    if 0 in d:
        return None
    most = max(abs(d.low), abs(d.high)) - 1
    return Range(max(min(n.low, 0), -most), min(max(n.high, 0), most))


def _modulo(n: Range, d: Range) -> Range | None:
    """It has the sign of d, and is nearer to 0."""
    if 0 in d:
        return None
    if d.low > 0:
        return Range(0, min(n.high, d.high - 1) if n.low >= 0 else d.high - 1)
    return Range(d.low + 1, 0)


def _and(a: Range, b: Range) -> Range:
    most = [r.high for r in (a, b) if r.low >= 0]
    return Range(0, min(most)) if most else FIXNUMS


def _or(a: Range, b: Range) -> Range:
    if a.low < 0 or b.low < 0:
        return FIXNUMS
    return Range(0, 2 ** max(a.high.bit_length(), b.high.bit_length()) - 1)


def _not(a: Range) -> Range:
    return Range(-1 - a.high, -1 - a.low)


def _negate(a: Range) -> Range:
    return Range(-a.high, -a.low)


def _abs(a: Range) -> Range:
    least = 0 if 0 in a else min(abs(a.low), abs(a.high))
    return Range(least, max(abs(a.low), abs(a.high)))


def _max(a: Range, b: Range) -> Range:
    return Range(max(a.low, b.low), max(a.high, b.high))


def _min(a: Range, b: Range) -> Range:
    return Range(min(a.low, b.low), min(a.high, b.high))


def _shift_left(n: Range, count: Range) -> Range | None:
    if not count.within(_SHIFTS):
        return None
    return _at_corners(lambda x, y: x << y, n, count)


def _shift_right(n: Range, count: Range) -> Range | None:
    if not _negate(count).within(_SHIFTS):
        return None
    return _at_corners(lambda x, y: x >> -y, n, count)


# What computes the same as another operation where no operand is negative.
NATURAL = {
    Machine.I64_MODULO: Machine.I64_REMAINDER,
    Machine.I64_FLOOR_QUOTIENT: Machine.I64_QUOTIENT,
}
_SHIFTS = Range(0, 62)
_RANGES: dict[Machine, Callable[..., Range | None]] = {
    Machine.COPY: lambda a: a,
    Machine.I64_ADD: _add,
    Machine.I64_SUBTRACT: _subtract,
    Machine.I64_MULTIPLY: _multiply,
    Machine.I64_QUOTIENT: _quotient,
    Machine.I64_FLOOR_QUOTIENT: _floor_quotient,
    Machine.I64_REMAINDER: _remainder,
    Machine.I64_MODULO: _modulo,
    Machine.I64_NEGATE: _negate,
    Machine.I64_ABS: _abs,
    Machine.I64_MAX: _max,
    Machine.I64_MIN: _min,
    Machine.I64_SHIFT_LEFT: _shift_left,
    Machine.I64_SHIFT_RIGHT: _shift_right,
    Machine.I64_AND: _and,
    Machine.I64_OR: _or,
    Machine.I64_XOR: _or,
    Machine.I64_NOT: _not,
}
