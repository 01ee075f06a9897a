"""Parsing and printing of numbers, for the reader, `string->number` and all output.

    parse_number("1e3")  =>  1000.0        format_number(1e21)  =>  "1e21"
    parse_number("#x-ff/2")  =>  -255/2    format_number(100.0)  =>  "100.0"

`runtime/numbers/numeral.c` has the same rules for executables.
"""

import math
import re
import sys
from fractions import Fraction

# Exact integers have no bound, so CPython's limit on long decimal texts must be off.
sys.set_int_max_str_digits(0)

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_RADIX_OF_PREFIX = {"b": 2, "o": 8, "d": 10, "x": 16}
_PREFIX = re.compile(r"#([bodxei])", re.ASCII)
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+(\.[0-9]*)?|(\.[0-9]+))(e[+-]?[0-9]+)?", re.ASCII)
_MAY_BEGIN = frozenset("+-.#0123456789")  # a number in radix 10
_SPECIAL = {
    "+inf.0": math.inf,
    "-inf.0": -math.inf,
    "+nan.0": math.nan,
    "-nan.0": math.nan,
}
_MOST_DIGITS = 4000  # longer integers are converted in parts
_SHORT = 10**_MOST_DIGITS
# `#e1e1000000000` would take all memory.
_GREATEST_EXACT_EXPONENT = 100_000

# Printed doubles get an exponent from 1e21 up and below 1e-6, as in JavaScript.
_LEAST_WITH_EXPONENT = 21
_GREATEST_NEGATIVE_EXPONENT = -7


def parse_number(text: str, radix: int = 10) -> int | Fraction | float | None:
    """The number that a text represents, or None."""
    if radix == 10:
        if text[:1] not in _MAY_BEGIN:
            return None
        if decimal := _DECIMAL.fullmatch(text):
            if decimal.lastindex is None:
                return int(text) if len(text) < _MOST_DIGITS else _parse_integer(text, 10)
            return float(text)
    if not text.isascii():  # the lower case of some non-ASCII letters is ASCII
        return None
    text = text.lower()
    exactness: str | None = None
    radix_given = False
    while prefix := _PREFIX.match(text):
        letter = prefix[1]
        if letter in "ei":
            if exactness:
                return None
            exactness = letter
        else:
            if radix_given:
                return None
            radix, radix_given = _RADIX_OF_PREFIX[letter], True
        text = text[2:]
    if exactness == "e":
        return _parse_exact(text, radix)
    number = _parse_real(text, radix)
    return to_double(number) if exactness == "i" and number is not None else number


def has_zero_denominator(text: str) -> bool:
    """Whether a text is a fraction whose denominator is zero, such as `1/0`."""
    numerator, slash, denominator = text.partition("/")
    return bool(slash and denominator) and not denominator.strip("0") and (
        isinstance(parse_number(numerator), int)
    )


def is_complex(text: str) -> bool:
    """Whether a text is a complex number, `1+2i`, `-i` or `1@2`: of those Lambent has none."""
    real, at, angle = text.partition("@")
    if at:
        return parse_number(real) is not None and parse_number(angle) is not None
    return text[-1:] in ("i", "I") and any(
        char in "+-" and _is_complex_at(text[:index], text[index:-1])
        for index, char in enumerate(text)
    )


def _is_complex_at(real: str, imaginary: str) -> bool:
    """The imaginary part begins with a sign, and may be only that."""
    return (not real or parse_number(real) is not None) and (
        len(imaginary) == 1 or parse_number(imaginary) is not None
    )


def reads_as_number(text: str) -> bool:
    """Whether the reader treats a word as a number, even if it refuses it."""
    return parse_number(text) is not None or has_zero_denominator(text) or is_complex(text)


def _parse_exact(text: str, radix: int) -> int | Fraction | None:
    """The exact value of the decimal digits: `#e0.1` is 1/10."""
    if radix == 10 and _DECIMAL.fullmatch(text) and text not in _SPECIAL:
        mantissa, _, exponent = text.partition("e")
        power = int(exponent or 0)
        if abs(power) > _GREATEST_EXACT_EXPONENT:
            return None
        return simplest(Fraction(mantissa) * Fraction(10) ** power)
    number = _parse_real(text, radix)
    return None if isinstance(number, float) else number


def _parse_real(text: str, radix: int) -> int | Fraction | float | None:
    if text in _SPECIAL:
        return _SPECIAL[text]
    numerator, slash, denominator = text.partition("/")
    upper = _parse_integer(numerator, radix)
    if slash:
        lower = _parse_integer(denominator, radix) if denominator[:1] not in "+-" else None
        return simplest(Fraction(upper, lower)) if upper is not None and lower else None
    if upper is not None:
        return upper
    return float(text) if radix == 10 and _DECIMAL.fullmatch(text) else None


def _parse_integer(text: str, radix: int) -> int | None:
    digits = text[1:] if text[:1] in ("+", "-") else text
    allowed = DIGITS[:radix]
    if not digits or any(char not in allowed for char in digits):
        return None
    if len(digits) < _MOST_DIGITS:
        return int(text, radix)
    from lambent.lang.syntax.long_integers import integer_of

    return -integer_of(digits, radix) if text[:1] == "-" else integer_of(digits, radix)


def simplest(number: Fraction) -> int | Fraction:
    """The fraction, as an integer if it is one."""
    return number.numerator if number.denominator == 1 else number


def to_double(number: int | Fraction | float) -> float:
    """The nearest double; infinite if an exact number is beyond the largest one."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def format_number(number: int | Fraction | float, radix: int = 10) -> str:
    """The shortest text that reads back as the number; radix counts for exact numbers only."""
    match number:
        case float():
            return format_double(number)
        case Fraction():
            return f"{_format_integer(number.numerator, radix)}/" + _format_integer(
                number.denominator, radix
            )
        case int():
            return _format_integer(number, radix)


def _format_integer(number: int, radix: int) -> str:
    if radix == 10 and -_SHORT < number < _SHORT:
        return str(number)
    from lambent.lang.syntax.long_integers import digits_of

    return digits_of(number, radix)


def format_double(x: float) -> str:
    """`0.1`, `100.0`, `-0.0`, `1e21`, `1e-7`, `6.02214076e23`, `+inf.0`, `+nan.0`."""
    text = repr(x)
    if "e" not in text and "n" not in text:  # Python prints most numbers as Lambent does
        return text
    if math.isnan(x):
        return "+nan.0"
    if math.isinf(x):
        return "+inf.0" if x > 0 else "-inf.0"
    sign = "-" if math.copysign(1.0, x) < 0 else ""
    # Python's repr has the fewest digits that read back; only its layout is different.
    mantissa, _, exponent_text = repr(abs(x)).partition("e")
    integer, _, fraction = mantissa.partition(".")
    digits = (integer + fraction).lstrip("0")
    leading_zeros = len(integer + fraction) - len(digits)
    # x is 0.DIGITS times ten to the power point.
    point = len(integer) - leading_zeros + int(exponent_text or 0)
    digits = digits.rstrip("0")
    return sign + (_with_point(digits, point) if digits else "0.0")


def _with_point(digits: str, point: int) -> str:
    exponent = point - 1
    if not _GREATEST_NEGATIVE_EXPONENT < exponent < _LEAST_WITH_EXPONENT:
        tail = f".{digits[1:]}" if len(digits) > 1 else ""
        return f"{digits[0]}{tail}e{exponent}"
    if point <= 0:
        return f"0.{'0' * -point}{digits}"
    integer = digits[:point].ljust(point, "0")
    return f"{integer}.{digits[point:] or '0'}"
