"""Numbers of all types and sizes, and texts of numbers, through every operation on both back ends.

One program, `number_lines.lisp`, reads thousands of lines and prints the results.  The back ends
must print the same bytes; tests/programs checks that the interpreter is right.
"""

import random
import struct
import sys
import time
from fractions import Fraction

import pytest

from lambent.lang.syntax.long_integers import decimal_of, digits_of, integer_of
from lambent.lang.syntax.numerals import format_number, parse_number, simplest
from tests.support.paths import ROOT, TESTS
from tests.support.programs_run import ProgramRunner, run

PROGRAM = TESTS / "support" / "number_lines.lisp"
FEW, MANY = 700, 10_000
_EDGES = (0, 30, 31, 32, 53, 54, 61, 62, 63, 64, 65, 127, 128, 1023, 1024)
_SPECIAL = (
    "0", "1", "-1", "0.0", "-0.0", "+inf.0", "-inf.0", "+nan.0", "0.5", "-2.5", "1/2", "-1/3",
    "5e-324", "2.2250738585072014e-308", "1.7976931348623157e308", "9007199254740993",
    "9007199254740992.0", "4611686018427387903", "-4611686018427387904", "1e21", "1e-7", "1e20",
)  # fmt: skip


@pytest.fixture
def rng() -> random.Random:
    return random.Random(2026)


def test_back_ends_agree(runner: ProgramRunner, rng: random.Random, all_random: bool) -> None:
    lines = random_lines(rng, MANY if all_random else FEW)
    data = runner.folder / "numbers.txt"
    data.write_text("".join(f"{line}\n" for line in lines))
    status, said = runner.begin_compiling(PROGRAM).result()
    assert (status, said) == (0, "")
    folder, name = ROOT, str(PROGRAM.relative_to(ROOT))
    script = run([sys.executable, "-m", "lambent.lang", name, str(data)], folder)
    executable = run([str(runner.folder / "support-number_lines"), str(data)], folder)
    assert (script.errors, script.status) == ("", 0)
    assert (executable.errors, executable.status, executable.leaks) == ("", 0, "")
    ours, theirs = script.output.splitlines(), executable.output.splitlines()
    differences = [
        f"{_input_of(ours, i)}: {one} / {other}"
        for i, (one, other) in enumerate(zip(ours, theirs, strict=False))
        if one != other
    ]
    assert not differences[:20]
    assert len(ours) == len(theirs)


def _input_of(lines: list[str], index: int) -> str:
    """The line of input that a line of output belongs to."""
    while index and not lines[index].startswith(("text ", "numbers ", "bits ")):
        index -= 1
    return lines[index]


def test_numbers_read_back(rng: random.Random) -> None:
    for _ in range(3000):
        text = random_number(rng)
        number = parse_number(text)
        assert number is not None, text
        assert parse_number(format_number(number)) == number or number != number, text


def random_lines(rng: random.Random, count: int) -> list[str]:
    values = (*_SPECIAL, "none")
    lines = [f"numbers {a} {b}" for a in values for b in values]
    for _ in range(count):
        lines.append(f"numbers {random_number(rng)} {random_number(rng)}")
        lines.append(f"text {random_text(rng)}")
        lines.append(f"bits {random_integer(rng)} {random_integer(rng)}")
    return [*lines, "bits 1.0 2", "bits none 2", "bits 2 none", "bits 2 1/2"]


def random_number(rng: random.Random) -> str:
    """A number as text: exact or not, of any size, often near an edge."""
    roll = rng.random()
    if roll < 0.1:
        return rng.choice(_SPECIAL)
    if roll < 0.4:
        return str(random_integer(rng))
    if roll < 0.6:
        return format_number(random_ratio(rng))
    return format_number(random_double(rng))


def random_integer(rng: random.Random) -> int:
    roll = rng.random()
    if roll < 0.4:
        return rng.randint(-20, 20)
    if roll < 0.7:
        return rng.choice((-1, 1)) * 2 ** rng.choice(_EDGES) + rng.randint(-2, 2)
    return rng.choice((-1, 1)) * rng.getrandbits(rng.choice((10, 40, 62, 63, 64, 70, 200, 1100)))


def random_ratio(rng: random.Random) -> int | Fraction:
    upper, lower = random_integer(rng), random_integer(rng) or 1
    if rng.random() < 0.2:  # beyond the smallest doubles, or almost
        lower <<= rng.choice((1020, 1070, 1074, 1080))
    return simplest(Fraction(upper, lower))


def random_double(rng: random.Random) -> float:
    roll = rng.random()
    if roll < 0.4:
        bits: float = struct.unpack("<d", rng.randbytes(8))[0]
        return bits
    if roll < 0.6:
        return float(f"{rng.randint(-10**rng.randint(1, 17), 10**17)}e{rng.randint(-30, 10)}")
    if roll < 0.8:
        return rng.choice((-1, 1)) * 2.0 ** rng.randint(-1074, 1023) * rng.choice((1, 1.5))
    return float(rng.randint(-10, 10)) / rng.choice((1, 2, 4, 8))


_PIECES = (
    "0", "1", "7", "9", "10", "12", "00", "1e3", "1E3", "e", ".", ".5", "5.", "+", "-", "/", "1/2",
    "#e", "#i", "#x", "#b", "#o", "#d", "#X", "a", "f", "z", "i", "@", "inf.0", "+inf.0", "-inf.0",
    "+nan.0", "-NaN.0", "e400", "e-400", "e99999", "1_0", "0x1", "é", "\u0663", "\u212a",
)  # fmt: skip


def random_text(rng: random.Random) -> str:
    """A text like a number; most of them are not numbers, or just barely."""
    if rng.random() < 0.3:
        text = list(random_number(rng))
        text[rng.randrange(len(text))] = rng.choice(_PIECES)
        return "".join(text)
    return "".join(rng.choice(_PIECES) for _ in range(rng.randint(1, 4)))


@pytest.mark.parametrize("bits", [1, 19_999, 20_000, 20_001, 40_000, 100_003])
@pytest.mark.parametrize("radix", [2, 3, 8, 10, 16, 36])
def test_texts_of_long_integers(bits: int, radix: int) -> None:
    number = random.Random(bits).getrandbits(bits) | 1 << bits - 1
    for signed in (number, -number):
        text = digits_of(signed, radix)
        assert int(text, radix) == signed
        assert text.removeprefix("-")[0] != "0"
    assert integer_of(digits_of(number, radix), radix) == number


def test_texts_of_integers_of_a_million_digits() -> None:
    """Quadratic conversions would take minutes."""
    number = 3**2_100_000
    started = time.process_time()
    assert integer_of(decimal_of(number), 10) == number
    assert time.process_time() - started < 60
