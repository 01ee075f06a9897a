"""Compare the numbers of both back ends with Guile's and Chez's, on edge and random arguments.

    python -m tests.stress.schemes.numbers [--calls 6000] [--seed 1] [--verbose]

One table of calls is run as a script, as an executable, and by `guile` and `scheme` (Debian:
guile-3.0, chezscheme).  Doubles are compared by their exact value.  Script and executable must be
equal.  Where Guile and Chez agree, Lambent must agree with them; where they differ, with one of
them.  What R7RS leaves open is in `is_open`: complex results are errors here.
"""

import argparse
import random
import sys
import tempfile
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

from tests.stress.schemes import answers, run_peer
from tests.support.programs_run import command_of, run

_POWERS = [2**53 - 1, 2**53 + 1, 2**61, 2**62 - 1, 2**62, 2**63 - 1, 2**63, 2**64, 10**20, 10**23]
_HUGE = [
    10**308, 10**309, 10**400, 2**1023, 2**1024 - 2**971, 2**1024 - 2**970, 2**1024 - 2**970 - 1,
    2**1024, 7 * 10**999 + 1, 3**4000,
]
INTEGERS = [0, 1, 2, 3, 5, 7, 10, 16, 255, *_POWERS, *_HUGE]
FRACTIONS = [
    Fraction(1, 2), Fraction(3, 2), Fraction(5, 2), Fraction(1, 3), Fraction(7, 3), Fraction(1, 10),
    Fraction(3, 200), Fraction(1, 200), Fraction(1, 8), Fraction(2**53 + 1, 2), Fraction(1,
    10**400),
    Fraction(10**400, 3), Fraction(10**400 + 1, 10**400), Fraction(1, 2**1074), Fraction(1,
    2**1075),
    Fraction(3, 2**1076), Fraction(2**1080, 3), Fraction(10**400, 10**399 + 7), Fraction(9, 4),
    Fraction(2**2000, 3**1200), Fraction(10**20, 3),
]  # fmt: skip
DOUBLES = [
    "0.0", "-0.0", "1.0", "-1.0", "0.5", "-0.5", "1.5", "2.5", "-2.5", "3.5", "0.1", "0.015", "4.0",
    "1e22", "1e23", "9007199254740991.0", "9007199254740992.0", "9007199254740994.0", "1e17",
    "1e300", "-1e308", "1.7976931348623157e308", "5e-324", "-5e-324", "2.2250738585072014e-308",
    "1e-310", "+inf.0", "-inf.0", "+nan.0", "0.49999999999999994", "4503599627370495.5", "3.7",
    "4611686018427387904.0", "9223372036854775808.0", "-9223372036854775808.0", "1e-5",
    "123456.789",
]  # fmt: skip
TEXTS = [
    "1.", ".5", "+.5", "-.5e1", "1/2", "-1/2", "2/4", "0/5", "1e3", "1E3", "1e400", "-1e400",
    "1e-400", "1e23", "#e1.5", "#e1e3", "#e1.2e-3", "#i1/3", "#x1F", "#X1f", "#b101", "#b-101",
    "#o17", "#d10", "#x#e1F", "#e#x1F", "#i#x10", "#b102", "+inf.0", "-inf.0", "+nan.0", "-nan.0",
    "inf.0", "#e+inf.0", "", "+", "-", ".", "...", "1+", "--1", "1e", "1e+", "e5", "1.5.2", "1/2/3",
    "1 ", " 1", "1_000", "#", "#x", "#e", "#xg", "1/2.5", "1.5/2", "00012", "-0", "-0.0", "+0",
    "0x10", "12abc", "9007199254740993", "9007199254740993.0", "4.9e-324", "2.4e-324", "2.5e-324",
    "1.7976931348623158e308", "1.7976931348623159e308", "0.1e1", "123456789012345678901234567890",
    "1e0", "1e00", "1e+5", "1.0e+5", "#e.5", "#i5", "#i-0", "1e22", "#e1e22",
    "2.2250738585072011e-308",
]  # fmt: skip

ONE = [
    "-", "/", "abs", "square", "floor", "ceiling", "truncate", "round", "sqrt", "exp", "sin",
    "cos", "tan", "asin", "acos", "atan", "log", "exact", "inexact", "numerator", "denominator",
    "zero?", "positive?", "negative?", "integer?", "rational?", "nan?", "infinite?", "finite?",
    "exact?", "number->string",
]  # fmt: skip
TWO = ["+", "-", "*", "/", "=", "<", ">", "<=", ">=", "max", "min", "atan"]
DIVISIONS = [
    "quotient", "remainder", "modulo", "floor-quotient", "floor-remainder", "truncate-quotient",
    "truncate-remainder", "gcd", "lcm",
]  # fmt: skip
BITS = ["bitwise-and", "bitwise-ior", "bitwise-xor"]
# Results of these may differ in the last place: C's functions are not the same everywhere.
ROUNDED = ("exp", "sin", "cos", "tan", "asin", "acos", "atan", "log", "expt", "exp-log")

COMMON = """
(define (show x)
  (cond ((eq? x #t) "#t")
        ((eq? x #f) "#f")
        ((string? x) (string-append "text " x))
        ((pair? x) (string-append (show (car x)) " " (show (cdr x))))
        ((null? x) "")
        ((not (number? x)) "other")
        ((not (real? x)) "complex")
        ((exact? x) (number->string x))
        ((not (= x x)) "nan")
        ((= x (/ 1.0 0.0)) "+inf")
        ((= x (/ -1.0 0.0)) "-inf")
        ((and (= x 0) (< (/ 1.0 x) 0)) "-0.0")
        (else (string-append "double " (number->string (exact x))))))
(define (hex x) (number->string x 16))
(define (oct x) (number->string x 2))
(define (from-hex x) (string->number (number->string x 16) 16))
(define (again x) (string->number (number->string x)))
(define (roots x) (call-with-values (lambda () (exact-integer-sqrt x)) list))
(define operations
  (list NAMES))
(define (run-all port)
  (let ((call (read port)))
    (if (not (eof-object? call))
        (begin
          (let ((shown (guard (e (#t "error")) (show (apply (cdr (assq (car call) operations))
                                                            (cdr call))))))
            (newline)
            (display "@ ")
            (display shown)
            (newline))
          (run-all port)))))
(call-with-input-file "calls.txt" run-all)
"""
GUILE = """
(use-modules (ice-9 format) (srfi srfi-60) (srfi srfi-34) ((scheme base) #:select (square exact
  inexact exact-integer-sqrt truncate-quotient truncate-remainder floor-quotient floor-remainder)))
(define infinite? inf?)
(define (fixed n x) (format #f (string-append "~," (number->string n) "f") x))
"""
CHEZ = """
(define (square x) (* x x))
(define (arithmetic-shift n k) (bitwise-arithmetic-shift n k))
(define (fixed n x) (format (string-append "~," (number->string n) "f") x))
(define (floor-quotient a b) (floor (/ a b)))
(define floor-remainder modulo)
(define truncate-quotient quotient)
(define truncate-remainder remainder)
"""
LAMBENT = """
(define (fixed n x) (format (string-append "~," (number->string n) "f") x))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=6000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--verbose", action="store_true", help="show open differences, too")
    given = parser.parse_args()
    rng = random.Random(given.seed)
    calls = sorted({*edge_calls(), *(random_call(rng) for _ in range(given.calls))})
    rng.shuffle(calls)
    sys.exit(_compared(calls, given.verbose) > 0)


# The table of calls.


def _signed(numbers: list[int] | list[Fraction]) -> list[str]:
    return [str(sign * number) for number in numbers for sign in (1, -1)]


def edge_calls() -> Iterator[str]:
    """Each operation of one argument on each number, and the texts of numerals."""
    numbers = [*_signed(INTEGERS), *_signed(FRACTIONS), *DOUBLES]
    for operation in ONE:
        yield from (f"({operation} {x})" for x in numbers if _is_plain(operation, x))
    for x in [*_signed(INTEGERS), *_signed(FRACTIONS)]:
        yield from (f"({operation} {x})" for operation in ("hex", "oct", "from-hex"))
        yield from (f"(fixed {digits} {x})" for digits in (0, 1, 2, 5))
    for x in DOUBLES:
        if "n" not in x:  # infinities and nans are written differently everywhere
            yield f"(again {x})"
            yield from (f"(fixed {digits} {x})" for digits in (0, 1, 2, 5))
    yield from (f"(roots {n})" for n in INTEGERS)
    yield from (f'(string->number "{text}")' for text in TEXTS)
    yield from (f"({operation} {n})" for operation in ("odd?", "even?") for n in _signed(INTEGERS))


def _is_plain(operation: str, x: str) -> bool:
    """Whether a double's own text need not be compared: shortest texts have several forms."""
    return operation != "number->string" or ("." not in x and "e" not in x)


def _number(rng: random.Random) -> str:
    match rng.randrange(6):
        case 0:
            return rng.choice(_signed(INTEGERS))
        case 1:
            return rng.choice(_signed(FRACTIONS))
        case 2 | 3:
            return rng.choice(DOUBLES)
        case 4:
            digits = rng.choice((3, 17, 40, 320, 700))
            return str(rng.choice((1, -1)) * rng.randrange(10**digits))
    return repr(rng.uniform(-10, 10) * 10.0 ** rng.randrange(-300, 300))


def _integer(rng: random.Random) -> str:
    if rng.random() < 0.15:
        return rng.choice(["0.0", "-0.0", "7.0", "-7.0", "1e22", "4611686018427387904.0", "1e300"])
    sign = rng.choice((1, -1))
    return str(sign * (rng.choice(INTEGERS) if rng.random() < 0.6 else rng.randrange(10**40)))


def random_call(rng: random.Random) -> str:
    """A call with random arguments; its result is small enough for every implementation."""
    match rng.randrange(10):
        case 0 | 1 | 2 | 3 | 4:
            return f"({rng.choice(TWO)} {_number(rng)} {_number(rng)})"
        case 5 | 6:
            return f"({rng.choice(DIVISIONS)} {_integer(rng)} {_integer(rng)})"
        case 7:
            exact = [n for n in _signed(INTEGERS) if len(n) < 400]
            if rng.random() < 0.3:
                return f"(arithmetic-shift {rng.choice(exact)} {rng.randrange(-1100, 1100)})"
            return f"({rng.choice(BITS)} {rng.choice(exact)} {rng.choice(exact)})"
        case 8:
            return f"(expt {_number(rng)} {rng.choice(_EXPONENTS)})"
    return f"(expt {rng.choice(_UNITS)} {rng.choice([*_EXPONENTS, *_LONG_EXPONENTS])})"


_EXPONENTS = [
    "0", "1", "2", "3", "-1", "-2", "7", "1/2", "1/3", "-1/2", "0.0", "0.5", "2.0", "-0.5",
]  # fmt: skip
_UNITS = [
    "0", "1", "-1", "0.0", "-0.0", "1.0", "-1.0", "0.5", "-0.5", "-2.0", "1.5", "+inf.0", "-inf.0",
]  # fmt: skip
_LONG_EXPONENTS = [
    str(n)
    for n in (2**53 + 1, 2**62, 2**62 + 1, 2**63 + 1, 10**20, 10**20 + 1, 10**400, 10**400 + 1)
] + ["1e300", "9007199254740991.0", "+inf.0", "-inf.0", "-9007199254740993", str(-(10**400) - 1)]


# Running it, and what differs.


def _compared(calls: list[str], verbose: bool) -> int:
    """How many calls differ; prints each."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "calls.txt").write_text("\n".join(calls) + "\n")
        guile = run_peer(folder, "guile", ("--no-auto-compile", "-s"), _program(GUILE))
        chez = run_peer(folder, "scheme", ("--script",), _program(CHEZ))
        peers = {"guile": answers(guile), "chez": answers(chez)}
        text = LAMBENT + _program("")
        found = {
            back_end: run(command_of(text, back_end, folder), folder)
            for back_end in ("script", "executable")
        }
    results = {name: answers(outcome.output) for name, outcome in found.items()}
    for each, lines in (*results.items(), *peers.items()):
        assert len(lines) == len(calls), (each, len(lines), len(calls))
    different = opened = 0
    for index, call in enumerate(calls):
        script, executable = results["script"][index], results["executable"][index]
        guile, chez = peers["guile"][index], peers["chez"][index]
        if script == executable and any(_agree(call, script, peer) for peer in (guile, chez)):
            continue
        is_known = script == executable and is_open(call, script, guile, chez)
        opened += is_known
        different += not is_known
        if verbose or not is_known:
            print("open" if is_known else "DIFFERS", _cut(call))
            for who, line in (("script", script), ("executable", executable), ("guile", guile),
                              ("chez", chez)):  # fmt: skip
                print(f"    {who:10} {_cut(line)}")
    print(f"{len(calls)} calls: {different} differ, {opened} are open")
    return different


def _cut(text: str) -> str:
    return text if len(text) < 160 else f"{text[:100]}... ({len(text)} characters)"


def _agree(call: str, ours: str, theirs: str) -> bool:
    if ours == theirs:
        return True
    name = call[1:].split()[0]
    if name not in ROUNDED or not (ours.startswith("double ") and theirs.startswith("double ")):
        return False
    one, other = (Fraction(text.removeprefix("double ")) for text in (ours, theirs))
    return abs(one - other) <= abs(other) / 2**51


def is_open(call: str, ours: str, guile: str, chez: str) -> bool:
    """Whether R7RS leaves a difference open, or permits Lambent's answer."""
    name, *arguments = call[1:-1].split()
    match name:
        case "fixed":  # not of R7RS: the nearest text, ties to even
            return ours.removeprefix("text ") == _nearest_text(int(arguments[0]), arguments[1])
        case "expt" if arguments[1] == "0":
            return ours == "double 1" and guile == chez == "1"  # may be exact
        case "expt" if arguments[0] == "-0.0":
            return guile != chez
        case "round" | "string->number":
            return {ours, guile, chez} <= {"-0.0", "double 0"}  # the sign of zero
        case _ if name in DIVISIONS and any(map(_is_inexact, arguments)):
            # Guile and Chez round the other argument to a double first, then the quotient.
            return ours.startswith("double ") and any(len(each) > 15 for each in arguments)
    # Lambent's numbers are real.
    return "complex" in (guile, chez) and (ours == "error" or call == "(log -0.0)")


def _is_inexact(number: str) -> bool:
    return any(letter in number for letter in ".en")


def _nearest_text(digits: int, number: str) -> str:
    exact = Fraction(float(number)) if _is_inexact(number) else Fraction(number)
    scaled = round(exact * 10**digits)
    text = str(abs(scaled)).rjust(digits + 1, "0")
    whole = len(text) - digits
    sign = "-" if number.startswith("-") else ""
    return sign + text[:whole] + ("." if digits else "") + text[whole:]


def _program(names: str) -> str:
    operations = [*ONE, *TWO, *DIVISIONS, *BITS, "arithmetic-shift", "expt", "fixed", "again",
    "hex",
                  "oct", "from-hex", "roots", "string->number", "odd?", "even?"]  # fmt: skip
    unique = dict.fromkeys(operations)
    return names + COMMON.replace("NAMES", " ".join(f"(cons '{name} {name})" for name in unique))


if __name__ == "__main__":
    main()
