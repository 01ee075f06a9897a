"""Texts of long integers, in less than quadratic time and with polls for Ctrl-C.

    decimal_of(2**1000000)  =>  "9900656...", in a tenth of a second instead of minutes

Python's own conversions take time that grows with the square of the length, and let no signal in.
An integer is split in halves: a high part times a power, and a low part.  To decimal digits, the
parts are joined in the numbers of `decimal`, whose products take little more than linear time.
"""

import decimal

from lambent.lang.syntax.long_arithmetic import divided, product

_SHORT_BITS = 20_000  # Python's own conversions are faster below
_SHORT_DIGITS = 5_000
_MOST_AT_ONCE = 1_000_000  # digits of numbers that `decimal` multiplies at once


def decimal_of(number: int) -> str:
    """The decimal digits of an integer."""
    if number.bit_length() <= _SHORT_BITS:
        return str(number)
    with decimal.localcontext() as context:
        context.prec = decimal.MAX_PREC
        context.Emax, context.Emin = decimal.MAX_EMAX, decimal.MIN_EMIN
        context.traps[decimal.Inexact] = True
        powers: dict[int, decimal.Decimal] = {}
        return ("-" if number < 0 else "") + str(_as_decimal(abs(number), powers))


def _as_decimal(number: int, powers: "dict[int, decimal.Decimal]") -> decimal.Decimal:
    bits = number.bit_length()
    if bits <= _SHORT_BITS:
        return decimal.Decimal(number)
    half = _SHORT_BITS
    while 2 * half < bits:
        half *= 2
    high, low = number >> half, number & ((1 << half) - 1)
    product = _product(_as_decimal(high, powers), _power_of_two(half, powers))
    return product + _as_decimal(low, powers)


def _product(a: decimal.Decimal, b: decimal.Decimal) -> decimal.Decimal:
    """a * b, in pieces that are short enough not to be noticed by who waits for Ctrl-C."""
    size = max(a.adjusted(), b.adjusted())
    if size <= _MOST_AT_ONCE:
        return a * b
    half = size // 2
    (a_high, a_low), (b_high, b_low) = _split(a, half), _split(b, half)
    top, bottom = _product(a_high, b_high), _product(a_low, b_low)
    middle = _product(a_high + a_low, b_high + b_low) - top - bottom
    return top.scaleb(2 * half) + middle.scaleb(half) + bottom


def _split(number: decimal.Decimal, digits: int) -> tuple[decimal.Decimal, decimal.Decimal]:
    """A natural number without its last digits, and those."""
    high = number.scaleb(-digits).to_integral_value(decimal.ROUND_FLOOR)
    return high, number - high.scaleb(digits)


def _power_of_two(bits: int, powers: "dict[int, decimal.Decimal]") -> decimal.Decimal:
    """2 to a power that is _SHORT_BITS times a power of two."""
    if bits not in powers:
        if bits == _SHORT_BITS:
            powers[bits] = decimal.Decimal(1 << bits)
        else:
            root = _power_of_two(bits // 2, powers)
            powers[bits] = _product(root, root)
    return powers[bits]


def digits_of(number: int, radix: int) -> str:
    """The digits of an integer in a radix from 2 to 36."""
    match radix:
        case 2:
            return f"{number:b}"
        case 8:
            return f"{number:o}"
        case 10:
            return decimal_of(number)
        case 16:
            return f"{number:x}"
    powers = [radix]
    while 2 * powers[-1].bit_length() <= number.bit_length() + 1:
        powers.append(product(powers[-1], powers[-1]))
    pieces: list[str] = []
    _add_digits(abs(number), powers, len(powers) - 1, False, pieces)
    return ("-" if number < 0 else "") + ("".join(pieces) or "0")


_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def _add_digits(number: int, powers: list[int], level: int, full: bool, pieces: list[str]) -> None:
    """Add the digits of a number below the square of a power; full: with leading zeros."""
    if level < 0:
        if number or full:
            pieces.append(_DIGITS[number])
        return
    high, low = divided(number, powers[level])
    if high or full:
        _add_digits(high, powers, level - 1, full, pieces)
        full = True
    _add_digits(low, powers, level - 1, full, pieces)


def integer_of(digits: str, radix: int) -> int:
    """The integer of digits without a sign; `int` where that is as fast."""
    if len(digits) <= _SHORT_DIGITS or radix in (2, 4, 8, 16, 32):
        return int(digits, radix)
    powers: dict[int, int] = {}

    def joined(start: int, end: int) -> int:
        length = end - start
        if length <= _SHORT_DIGITS:
            return int(digits[start:end], radix)
        half = _SHORT_DIGITS
        while 2 * half < length:
            half *= 2
        return product(joined(start, end - half), power(half)) + joined(end - half, end)

    def power(count: int) -> int:
        if count not in powers:
            whole = count == _SHORT_DIGITS
            root = radix**count if whole else power(count // 2)
            powers[count] = root if whole else product(root, root)
        return powers[count]

    return joined(0, len(digits))
