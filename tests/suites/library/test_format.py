"""`format` against exact arithmetic in Python, and against Guile where it is installed."""

import random
import shutil
import subprocess
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lambent

EXAMPLES = settings(deadline=None, max_examples=80, database=None)
MOST_DIGITS = 2000

integers = st.one_of(st.integers(-2000, 2000), st.integers(-(10**40), 10**40))
doubles = st.floats(allow_nan=False, allow_infinity=False)
fractions = st.fractions(max_denominator=10**12)


@pytest.fixture(scope="module")
def session() -> lambent.Session:
    return lambent.Session()


def formatted(session: lambent.Session, text: str, *arguments: str) -> str:
    """The result for arguments that are written in Lisp."""
    return str(session.eval(f"(format #f {_quoted(text)} {' '.join(arguments)})"))


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def lisp_number(x: float | Fraction) -> str:
    return repr(x) if isinstance(x, float) else str(x)


def fixed(x: Fraction, decimals: int) -> str:
    """Rounded half to even: the digits of the nearest integer to x times ten to the decimals."""
    digits = str(abs(round(x * 10**decimals))).rjust(decimals + 1, "0")
    text = digits[:-decimals] + "." + digits[-decimals:] if decimals else digits
    return "-" + text if x < 0 else text


@EXAMPLES
@given(x=st.one_of(doubles, fractions), decimals=st.integers(0, 40))
def test_decimals_are_those_of_exact_arithmetic(
    session: lambent.Session, x: float | Fraction, decimals: int
) -> None:
    expected = fixed(Fraction(x), decimals)
    if str(x) == "-0.0":
        expected = "-" + expected
    assert formatted(session, f"~,{decimals}f", lisp_number(x)) == expected
    scaled = fixed(Fraction(x) * 100, decimals)
    assert formatted(session, f"~,{decimals},2f", lisp_number(x)).lstrip("-") == scaled.lstrip("-")


@EXAMPLES
@given(x=doubles, digits=st.integers(1, 40))
def test_exponents_are_those_of_exact_arithmetic(
    session: lambent.Session, x: float, digits: int
) -> None:
    context = Context(digits + 1, ROUND_HALF_EVEN, -MOST_DIGITS, MOST_DIGITS)
    rounded = context.create_decimal(Decimal(x)) if x else x
    mantissa, _, power = f"{rounded:.{digits}e}".partition("e")
    assert formatted(session, f"~,{digits}e", repr(x)) == f"{mantissa}E{int(power):+}"
    assert float(formatted(session, "~e", repr(x))) == x
    assert float(formatted(session, "~f", repr(x))) == x


@EXAMPLES
@given(n=integers, width=st.integers(0, 60))
def test_integers_are_those_of_python(session: lambent.Session, n: int, width: int) -> None:
    assert formatted(session, "~:d", str(n)) == f"{n:,}"
    assert formatted(session, f"~{width},'0d", str(n)) == str(n).rjust(width, "0")
    assert formatted(session, "~x ~o ~b", *[str(n)] * 3) == f"{n:x} {n:o} {n:b}"
    assert formatted(session, "~:@d", str(n)) == f"{n:+,}"
    assert formatted(session, f"~{width}@a|", str(n)) == f"{n:>{width}}|"
    assert formatted(session, f"~{width}a|", str(n)) == f"{n:<{width}}|"


# Guile rounds decimal digits, so its numbers here are exact in few of them.


def _cases() -> list[tuple[str, str]]:
    """Texts and their arguments, for which Guile and Common Lisp agree."""
    random.seed(7)
    cases = []
    for _ in range(120):
        n = random.choice([random.randint(-30, 3000), random.randint(-(10**20), 10**20)])
        x = random.randint(-(10**6), 10**6) / random.choice([1, 2, 4, 1000, 10**6])
        width, decimals = random.randint(1, 15), random.randint(3, 8)
        cases += [
            (f"~{width}:d|~{width}@d|~{width},'*:@d|~v,'0x", f"{n} {n} {n} {width} {n}"),
            ("~r|~:r", f"{abs(n)} {n}"),
            ("~@r|~:@r", f"{abs(n) % 3999 + 1} {abs(n) % 3999 + 1}"),
            (f"~{width}a|~{width}@s|~{width},3,2,'-a|", f'"ab" "a\\"b" {n}'),
            (f"~{width},6f|~,6f|~{decimals + 12},{decimals + 6}e", f"{x} {x} {n % 10**9}"),
            ("~e|~f", f"{x} {x}"),
            (f"~{width}t|abc~{width},4t|~{width},3@t|~10,6,{width}$", f"{x}"),
            ("~{~a~^, ~}|~{~a=~a~^;~}", f"'{_list(width)} '{_list(2 * width)}"),
            ("~:{<~a~^ ~a>~}|~@{~a~^-~}", f"'({_list(1)} {_list(2)}) {n} 3"),
            ("~[a~;b~;c~:;d~]~:[no~;yes~]~@[ ~a~]~p", f"{abs(n) % 5} #{'tf'[n % 2]} {n} {n % 3}"),
            ("~a~:*~a~2*~a~0@*~a", f"{n} 2 3 4"),
            ("~? ~@? ~(ABC ~a~) ~:@(abc~)", f'"~a+~a" \'({n} 2) "~a-~a" 3 4 "X"'),
        ]  # fmt: skip
    return cases


def _list(n: int) -> str:
    return "(" + " ".join(map(str, range(n))) + ")"


@pytest.mark.skipif(shutil.which("guile") is None, reason="Guile is not installed")
def test_directives_are_those_of_guile(session: lambent.Session, tmp_path: Path) -> None:
    lines = ["(use-modules (ice-9 format))"]
    cases = _cases()
    for text, arguments in cases:
        lines.append(f"(write (format #f {_quoted(text)} {arguments})) (newline)")
    program = tmp_path / "cases.scm"
    program.write_text("\n".join(lines))
    guile = subprocess.run(
        ["guile", "-q", "--no-auto-compile", program], capture_output=True, text=True, check=True
    )
    results = guile.stdout.splitlines()
    assert len(results) == len(cases)
    for (text, arguments), expected in zip(cases, results, strict=True):
        assert f'"{_escaped(formatted(session, text, arguments))}"' == expected, (text, arguments)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
