"""The C runtime alone, under AddressSanitizer: small C programs, and Python as the oracle for
numbers.

Each program ends with the runtime's own leak report; a leak makes it exit with 70.
"""

import math
import operator
import os
import random
import re
import signal
import struct
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from lambent.lang.compile.build.toolchain import (
    BRIDGE,
    Options,
    compile_objects,
    include_flags,
    library,
    run_compiler,
)
from lambent.lang.primitives.library import TABLE
from lambent.lang.primitives.signature import Signature, Type
from lambent.lang.syntax.numerals import format_number
from tests.support.paths import ROOT, TESTS

RUNTIME = ROOT / "runtime"
PROGRAMS = TESTS / "runtime"
RANDOM_DOUBLES = 20_000
RANDOM_INTEGERS = 1_000
SANITIZED = Options(sanitize=True)
LIBRARIES = ("-l:libgmp.so.10", "-lm", "-pthread")

Build = Callable[[str], Path]


@pytest.fixture(scope="module")
def runtime() -> Path:
    return library("runtime", sorted(RUNTIME.rglob("*.c")), SANITIZED)


@pytest.fixture(scope="module")
def build(runtime: Path, tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Compiles each C program once, and returns its executable."""
    folder = tmp_path_factory.mktemp("runtime")

    def build_one(name: str) -> Path:
        target = folder / name
        if not target.exists():
            flags = [*replace(SANITIZED, strict=True).flags, *include_flags()]
            run_compiler([*flags, PROGRAMS / f"{name}.c", runtime, "-o", target, *LIBRARIES])
        return target

    return build_one


def run(
    program: Path, *arguments: str, text: str = "", malloc: bool = True, fail_at: int = 0
) -> tuple[int, str]:
    """Exit status and output, standard error included."""
    env = {**os.environ, "LAMBENT_CHECK_LEAKS": "1", "LAMBENT_FAIL_AT": str(fail_at)}
    if malloc:
        env["LAMBENT_ALLOC"] = "malloc"
    result = subprocess.run(
        [program, *arguments], input=text, env=env, text=True, check=False, timeout=300,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )
    return result.returncode, result.stdout


NO_LEAKS = "live handles: 0, live objects: 0\n"


@pytest.mark.parametrize("malloc", [False, True])
@pytest.mark.parametrize("name", ["memory", "data", "calls"])
def test_program(build: Build, name: str, malloc: bool) -> None:
    assert run(build(name), malloc=malloc) == (0, NO_LEAKS)


# Errors, as lang/errors.py shows them.

ERRORS = {
    "wrong-type": """\
a.lisp:2:3: car: expected a pair, got 5
  2 |   (car x))
    |   ^^^^^^^
  in f, called at a.lisp:5:8
""",
    "folded": """\
a.lisp:2:3: deep
  2 |   (car x))
    |   ^^^^^^^
  in f, called at a.lisp:3:6
  ... repeated 999999 more times
  in f, called at a.lisp:5:8
""",
    "in-library": """\
a.lisp:5:8: map: expected a list, got 5
  5 | (print (f 1) (g 2))
    |        ^^^^^
""",
    "excerpt": """\
b.lisp:10:3: unbound variable: é
  10 | \té(é 1)
     | \t ^^^^
hint: did you mean e?
""",
    "with-arguments": """\
m.lisp:1:1: tensor-matmul: sizes
  1 | (tensor-matmul "a b)" (f [x y]))
    | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
hint: (f [x y]) and "a b)", {2 {}
""",
    "of-another": """\
m.lisp:1:1: tensor-matmul: sizes
  1 | (f a b)
    | ^^^^^^^
""",
    "without-location": "no location\n",
    "user-error": 'bad: 1 "a\\n" |two words|\n',
    "no-string-message": "oops\n",
    "shown-cut-short": "f: expected a number, got (" + "été " * 14 + "été...\n",
    "shown-cycle": "append: expected a list, got (" + "1 " * 29 + "1...\n",
}


@pytest.mark.parametrize("name", ERRORS)
def test_error(build: Build, name: str) -> None:
    assert run(build("errors"), name) == (70, ERRORS[name] + NO_LEAKS)


def test_exit_has_its_status(build: Build) -> None:
    assert run(build("errors"), "leave") == (3, NO_LEAKS)


TOO_DEEP = """\
a.lisp:3:6: recursion is too deep
  3 | (+ 1 (f x))
    |      ^^^^^
hint: does it end?
"""


def test_endless_recursion_is_an_error(build: Build) -> None:
    # The greatest depth depends on the machine, so the message has a location but no trace.
    assert run(build("errors"), "too-deep") == (70, TOO_DEEP + NO_LEAKS)


def test_interrupt_exits_130(build: Build) -> None:
    command = [build("errors"), "interrupted"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait() == 130


# Raise injection: `error.c` and the program are compiled with it; the library's is not linked then.

INJECTED = "i.lisp:1:1: injected failure\n  1 | (f)\n    | ^^^\n"
PRINTED = "(100000000000000000000.0 1.5100000000000000000000 0)\n"
FALLIBLE_OPERATIONS = 7


def test_raise_injection(runtime: Path, tmp_path: Path) -> None:
    options = Options(sanitize=True, strict=True, inject=True)
    sources = [PROGRAMS / "inject.c", RUNTIME / "errors" / "error.c"]
    target = tmp_path / "inject"
    flags = [*options.flags, *include_flags()]
    run_compiler([*flags, *sources, runtime, "-o", target, *LIBRARIES])
    for fail_at in range(FALLIBLE_OPERATIONS + 2):
        status, text = run(target, fail_at=fail_at)
        failed = 1 <= fail_at <= FALLIBLE_OPERATIONS
        assert (status, text.endswith(NO_LEAKS)) == (70 if failed else 0, True), text
        # An operation fails after it has run, so the last one has printed.
        error = text.replace("injecting\n", "").removesuffix(NO_LEAKS).removeprefix(PRINTED)
        assert error in ((INJECTED, "injected failure\n") if failed else ("",))


# Numbers.


def calculate(build: Build, rows: list[tuple[str, ...]]) -> list[str]:
    """The runtime's result of each row: an operation and its arguments, as text."""
    text = "".join("\t".join(row) + "\n" for row in rows)
    status, output = run(build("calculator"), text=text, malloc=False)
    assert status == 0, output
    return output.removesuffix(NO_LEAKS).splitlines()


def check_numbers(build: Build, rows: list[tuple[tuple[str, ...], str]]) -> None:
    results = calculate(build, [row for row, _ in rows])
    wrong = [
        (row, wanted, got)
        for (row, wanted), got in zip(rows, results, strict=True)
        if wanted != got
    ]
    assert not wrong[:5]


def test_doubles_print_their_shortest_digits(build: Build) -> None:
    rng = random.Random(0)
    doubles = [struct.unpack("d", struct.pack("Q", rng.getrandbits(64)))[0]
               for _ in range(RANDOM_DOUBLES)]
    doubles += [rng.uniform(-1000, 1000) for _ in range(1000)]
    doubles += [float(f"{rng.uniform(1, 10):.{rng.randrange(18)}f}e{rng.randrange(-25, 25)}")
                for _ in range(4000)]
    # Every power of two, where the spacing changes, and its neighbours.
    powers = [math.ldexp(1.0, e) for e in range(-1074, 1024)]
    doubles += powers + [math.nextafter(p, 0) for p in powers]
    doubles += [math.nextafter(p, math.inf) for p in powers]
    doubles += [0.0, -0.0, math.inf, -math.inf, math.nan, 1e21, 1e-6, 1e-7, 123456789012345680000.0]
    check_numbers(build, [
        (("bits", struct.pack(">d", x).hex()), format_number(x)) for x in doubles
    ])


def _integers(rng: random.Random) -> int:
    """An integer of any size, often just above a power of two."""
    bits = rng.choice([3, 10, 31, 32, 53, 61, 62, 63, 64, 65, 128, 300])
    near_power = rng.random() < 1 / 3
    magnitude = (1 << bits) + rng.getrandbits(3) if near_power else rng.getrandbits(bits)
    return rng.choice([-1, 1]) * magnitude


def _ratios(rng: random.Random) -> int | Fraction:
    return _whole(Fraction(_integers(rng), rng.choice([1, 2, 3, 7, _integers(rng) or 1])))


def _whole(x: Fraction) -> int | Fraction:
    return x.numerator if x.denominator == 1 else x


def _truncated(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _square_root(x: Fraction | int) -> int | Fraction | float:
    x = Fraction(x)
    roots = [math.isqrt(x.numerator), math.isqrt(x.denominator)]
    exact = Fraction(*roots)
    return _whole(exact) if exact * exact == x else math.sqrt(x)


def _round(x: Fraction | int) -> int:
    return round(x)


INTEGER_OPERATIONS: dict[str, Callable[[int, int], object]] = {
    "quotient": _truncated,
    "remainder": lambda a, b: a - b * _truncated(a, b),
    "modulo": operator.mod,
    "gcd": math.gcd,
    "lcm": math.lcm,
}
EXACT_OPERATIONS: dict[str, Callable[[Fraction, Fraction], object]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
    "=": operator.eq, "<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge,
    "max": max, "min": min,
}
ONE_ARGUMENT: dict[str, Callable[[Fraction], object]] = {
    "-": operator.neg, "abs": abs, "square": lambda x: x * x, "floor": math.floor,
    "ceiling": math.ceil, "truncate": math.trunc, "round": _round, "inexact": float,
    "numerator": lambda x: x.numerator, "denominator": lambda x: x.denominator,
    "sqrt": lambda x: _square_root(abs(x)),
}


def shown(x: object) -> str:
    if isinstance(x, bool):
        return "#t" if x else "#f"
    assert isinstance(x, int | Fraction | float)
    return format_number(_whole(x) if isinstance(x, Fraction) else x)


def test_exact_arithmetic(build: Build) -> None:
    rng = random.Random(1)
    rows: list[tuple[tuple[str, ...], str]] = []
    for _ in range(RANDOM_INTEGERS):
        a, b = _integers(rng), _integers(rng) or 1
        for name, compute in INTEGER_OPERATIONS.items():
            rows.append(((name, str(a), str(b)), shown(compute(a, b))))
        x, y = Fraction(_ratios(rng)), Fraction(_ratios(rng) or 1)
        for name, operation in EXACT_OPERATIONS.items():
            rows.append(((name, str(x), str(y)), shown(operation(x, y))))
            rows.append(((name, str(a), str(b)), shown(operation(Fraction(a), Fraction(b)))))
        for name, function in ONE_ARGUMENT.items():
            argument = str(abs(x)) if name == "sqrt" else str(x)
            rows.append(((name, argument), shown(function(x))))
        rows.append((("integer-sqrt", str(abs(a))), str(math.isqrt(abs(a)))))
        rows.append((("sqrt", str(a * a)), str(abs(a))))
        rows.append((("number->string", str(a), "16"), f"{a:x}"))
    check_numbers(build, rows)


def test_doubles_with_exact_numbers(build: Build) -> None:
    rng = random.Random(2)
    rows: list[tuple[tuple[str, ...], str]] = []
    for _ in range(RANDOM_INTEGERS):
        x = math.ldexp(rng.uniform(-1, 1), rng.randrange(-80, 80))
        exact = rng.choice([_ratios(rng), _integers(rng), Fraction(x), int(x)])
        exact = _whole(Fraction(exact))
        a, b = format_number(x), format_number(exact)
        for name in ("+", "-", "*"):
            rows.append(((name, a, b), shown(EXACT_OPERATIONS[name](x, float(exact)))))  # type: ignore[arg-type]
        for name in ("=", "<", ">", "<=", ">="):
            rows.append(((name, a, b), shown(EXACT_OPERATIONS[name](Fraction(x), Fraction(exact)))))
            rows.append(((name, b, a), shown(EXACT_OPERATIONS[name](Fraction(exact), Fraction(x)))))
        rows.append((("exact", a), shown(Fraction(x))))
        for name, function in (("floor", math.floor), ("ceiling", math.ceil), ("round", round)):
            rows.append(((name, a), shown(math.copysign(float(function(x)), x))))
        for name in ("exp", "sin", "cos", "tan", "tanh"):
            rows.append(((name, f"{x % 7!r}"), shown(getattr(math, name)(x % 7))))
    # Quotients that are subnormal, or hard to round, or overflow.
    for _ in range(500):
        ratio = Fraction(rng.getrandbits(200) | 1, 1 << rng.randrange(1100, 1280))
        rows.append((("inexact", str(ratio)), shown(float(ratio))))
    rows.append((("inexact", str(1 << 2000)), "+inf.0"))
    rows.append((("inexact", f"-1/{1 << 2000}"), "-0.0"))
    check_numbers(build, rows)


NUMBERS = {
    "expt 2 100": str(2**100), "expt 2 -2": "1/4", "expt -2/3 3": "-8/27", "expt 0 0": "1",
    "expt 2.0 0.5": "1.4142135623730951", "expt 1 100000000000000000000": "1",
    "expt -1 100000000000000000001": "-1", "expt 2 0.0": "1.0", "expt 1/2 -3": "8",
    "exp 0": "1", "exp 0.0": "1.0", "sin 0": "0", "cos 0": "1", "tan 0": "0", "tanh 0": "0",
    "log 1": "0", "log 1.0": "0.0", "log 0.0": "-inf.0", "log 8 2": "3.0",
    f"log {10**400}": shown(math.log(10**400)), "exp 1000": "+inf.0", "sin +inf.0": "+nan.0",
    "atan 0 1": "0", "atan 1 1": "0.7853981633974483", "atan 0 -1": "3.141592653589793",
    "sqrt 1/4": "1/2", "sqrt 2": "1.4142135623730951", "sqrt 2.25": "1.5", "sqrt 16": "4",
    "max 1 2.0": "2.0", "max 3 2.0": "3.0", "min 1 +nan.0": "+nan.0", "/ 1 0.0": "+inf.0",
    "/ 0 5": "0", "/ 6 -4": "-3/2", "quotient 7.0 2": "3.0", "modulo -7 2.0": "1.0",
    "round 5/2": "2", "round -5/2": "-2", "round 7/2": "4", "round 2.5": "2.0",
    "= 1 1.0": "#t", "= 9007199254740993 9007199254740992.0": "#f", "< +nan.0 1": "#f",
    "identity 1e3": "1000.0", "identity #xff": "255", "identity #e1.25": "5/4",
    "identity 4/2": "2", "identity #i1/3": "0.3333333333333333", "identity x": "#f",
    "identity 1/0": "#f", "identity -": "#f", "identity .": "#f", "identity .5": "0.5",
    "identity 5.": "5.0", "identity 1e": "#f", "identity #b102": "#f", "identity +INF.0": "+inf.0",
    "identity #xFF/2": "255/2", "identity 1.5.2": "#f", "identity #e1e400": str(10**400),
    "identity #d#e.5": "1/2", "identity #x#x1": "#f",
}


def test_numbers(build: Build) -> None:
    check_numbers(build, [(tuple(row.split()), wanted) for row, wanted in NUMBERS.items()])


NUMBER_ERRORS = {
    "/ 1 0": "/: division by zero", "/ 1.0 0": "/: division by zero",
    "quotient 1 0": "quotient: division by zero",
    "modulo 1.5 2": "modulo: expected an integer, got 1.5",
    "expt 0 -1": "expt: division by zero",
    "sqrt -1": "sqrt: expected a non-negative number, got -1",
    "log 0": "log: expected a positive number, got 0",
    "log -2.5": "log: expected a positive number, got -2.5",
    "integer-sqrt -4":
        "exact-integer-sqrt: expected a non-negative exact integer, got -4",
    "exact +inf.0": "exact: +inf.0 has no exact value",
    "+ 1 x": "+: expected a number, got #f",
}


def test_number_errors(build: Build) -> None:
    program = build("calculator")

    def one(row: str) -> tuple[int, str]:
        return run(program, text="\t".join(row.split()) + "\n")

    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(one, NUMBER_ERRORS))
    assert results == [(70, f"{text}\n{NO_LEAKS}") for text in NUMBER_ERRORS.values()]


# The header declares the functions of the table.

C_TYPES = {
    Type.BOOLEAN: "bool", Type.FIXNUM: "int64_t", Type.FLOAT: "double",
    Type.TENSOR: "struct ct_tensor *", Type.VOID: "void", Type.NUMBER: "rt_number",
}


def c_pointer(signature: Signature, unboxed: dict[Type, str], fails: bool, name: str) -> str:
    """A variable of the type that a C function must have; parameters of types that are not in
    unboxed are values."""
    parameters = [unboxed.get(p.type, "rt_value") for p in signature.params]
    if signature.rest:
        parameters += ["size_t", "const rt_value *"]
    result = C_TYPES.get(signature.result, "rt_value")
    if fails and result not in ("rt_value", "rt_number"):
        parameters += [] if result == "void" else [f"{result} *"]
        result = "int"
    return f"{result} (*{name})({', '.join(parameters) or 'void'})"


def test_header_declares_every_primitive(tmp_path: Path) -> None:
    unboxed = {Type.TENSOR: "struct ct_tensor *", Type.BOOLEAN: "bool"}
    primitives = {
        p.symbol: p for p in TABLE.values() if p.symbol.startswith("rt_") and not p.interpreted
    }
    pointers = {
        symbol: c_pointer(p.signature, unboxed, p.fails, f"check_{symbol}")
        for symbol, p in primitives.items()
    }
    for primitive in TABLE.values():
        for variant in primitive.variants:
            if variant.symbol is not None and variant.symbol.startswith("rt_"):
                name = f"check_{variant.symbol}"
                pointer = c_pointer(variant.signature, C_TYPES, variant.fails, name)
                pointers[variant.symbol] = pointer
    lines = [f"{pointer} = {symbol};" for symbol, pointer in pointers.items()]
    source = tmp_path / "header.c"
    source.write_text("\n".join(['#include "rt.h"', *lines, ""]), encoding="utf-8")
    run_compiler([*Options(strict=True).flags, *include_flags(), "-fsyntax-only", source])


def test_primitives_fit_the_array_of_their_arguments() -> None:
    text = (RUNTIME / "closure.c").read_text(encoding="utf-8")
    most = re.search(r"#define MOST_OF_PRIMITIVES (\d+)", text)
    longest = max(len(p.signature.params) + 1 for p in TABLE.values())
    assert most and longest <= int(most[1])


@pytest.mark.parametrize("optimize", [False, True])
def test_no_warnings(tmp_path: Path, optimize: bool) -> None:
    options = Options(strict=True, optimize=optimize)
    compile_objects(sorted([*RUNTIME.rglob("*.c"), *BRIDGE.glob("*.c")]), tmp_path, options)
