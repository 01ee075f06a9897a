"""The arithmetic of long integers in pieces, with pieces so short that small numbers need many."""

import math
import random

import pytest

from lambent.lang.syntax import long_arithmetic, long_integers

CASES = 1500
MOST_BITS = 3000


@pytest.fixture(autouse=True)
def short_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (
        ("_PIECE", 2**12), ("_PIECE_TO_DIVIDE", 2**12), ("_SHORT", 64), ("_LEADING", 32),
    ):
        monkeypatch.setattr(long_arithmetic, name, value)
    monkeypatch.setattr(long_integers, "_MOST_AT_ONCE", 50)


def _operand(source: random.Random) -> int:
    """A number of random bits, or one next to a power of two; either sign."""
    bits = source.randrange(1, MOST_BITS)
    number = source.choice([source.getrandbits(bits), (1 << bits) - 1, 1 << bits])
    return source.choice([number, -number])


def test_pieces_compute_what_python_computes() -> None:
    source = random.Random(5)
    for _ in range(CASES):
        a, b, c = _operand(source), _operand(source), _operand(source)
        assert long_arithmetic.product(a, b) == a * b
        if b:
            assert long_arithmetic.divided(a, b) == divmod(a, b)
        assert long_arithmetic.common_divisor(a * c, b * c) == math.gcd(a * c, b * c)
        assert long_arithmetic.root(abs(a)) == math.isqrt(abs(a))
        base, exponent = a % (1 << 100), source.randrange(60)
        assert long_arithmetic.power(base, exponent) == base**exponent


def test_texts_of_long_integers() -> None:
    source = random.Random(6)
    for _ in range(3):
        number = source.getrandbits(400_000)
        text = long_integers.decimal_of(number)
        assert text == str(number)
        assert long_integers.integer_of(text, 10) == number
        assert int(long_integers.digits_of(number, 36), 36) == number
