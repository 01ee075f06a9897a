"""Printing of tensors, compared with a second implementation of the rule, on both back ends.

    display  4 decimals, zeros dropped, exponents from 1e6 and below 1e-4, cut over 1000 elements
    write    every element, in the fewest digits that read back

hypothesis finds tensors of many shapes and dtypes, which go into one program, so that one run of
each back end prints them all.
"""

import math
import struct
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal
from pathlib import Path
from typing import Any

import numpy
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

import tests.support.needs_libtorch  # noqa: F401 - skips this module where there is none
from tests.support.programs_run import ProgramRunner

MANY, EDGE, LARGE = 1000, 3, 10**6
SHOWN_AT_ONCE = 60  # tensors of a program


def float32(x: float) -> float:
    return float(numpy.float32(x))


def displayed(x: float) -> str:
    if math.isnan(x):
        return "nan"
    if math.isinf(x):
        return "inf" if x > 0 else "-inf"
    size = abs(Decimal(x))
    small = 0 < abs(float32(x)) < float32(1e-4)
    if size >= LARGE or small:
        digits, exponent = f"{Decimal(x):.4e}".split("e")
        return f"{digits}e{int(exponent):+03d}"
    rounded = str(Decimal(x).quantize(Decimal("0.0001"), ROUND_HALF_EVEN)).rstrip("0")
    rounded += "0" if rounded.endswith(".") else ""
    return "0.0" if rounded == "-0.0" else rounded


def written(x: float, dtype: str) -> str:
    """The fewest digits; the layout is that of Lisp's doubles, which other tests check."""
    from lambent.lang.interp.io.printing import written as lisp_written

    if dtype == "float32" and math.isfinite(x):
        return lisp_written(float(numpy.format_float_scientific(numpy.float32(x))))
    return lisp_written(x)


def text(x: Any, element: Callable[[Any], str], cut: bool) -> str:
    if x.ndim == 0:
        return element(x.item())
    parts = [text(part, element, cut) for part in x]
    if cut and len(parts) > 2 * EDGE:
        parts = [*parts[:EDGE], "...", *parts[-EDGE:]]
    return f"[{' '.join(parts)}]"


def doubles_of_bits(bits: int) -> float:
    return float(struct.unpack("<f", struct.pack("<I", bits))[0])


FLOATS = st.one_of(
    st.floats(width=32),
    st.integers(0, 2**32 - 1).map(doubles_of_bits),
    st.sampled_from([0.0, -0.0, 1e6, 999999.9375, 1e-4, 9.999e-5, 0.00005, 0.25, 0.00015, -1e-9]),
    st.integers(-(2**20), 2**20).map(lambda n: float32(n / 10000)),
)
SHAPES = st.one_of(
    st.lists(st.integers(0, 4), max_size=4).map(tuple),
    st.sampled_from([(7, 150), (1001,), (1000,), (11, 6, 16), (2, 501), (600, 2)]),
)


@dataclass(frozen=True)
class Shown:
    """A tensor whose elements are a few numbers, over and over."""

    dtype: str
    few: list[float]
    shape: tuple[int, ...]

    def tensor(self) -> Any:
        items = [self.few[k % len(self.few)] for k in range(math.prod(self.shape))]
        return numpy.array(items, self.dtype).reshape(self.shape)

    def form(self) -> str:
        items, shape = " ".join(map(lisp_number, self.few)), " ".join(map(str, self.shape))
        return f"(show '({items}) '{self.dtype} '({shape}))\n"


@st.composite
def tensors(draw: st.DrawFn) -> Shown:
    shape = draw(SHAPES)
    few = draw(st.lists(FLOATS, min_size=min(math.prod(shape), 1), max_size=8))
    return Shown(draw(st.sampled_from(["float32", "float64"])), few, shape)


def lisp_number(x: float) -> str:
    if math.isnan(x):
        return "+nan.0"
    if math.isinf(x):
        return "+inf.0" if x > 0 else "-inf.0"
    return repr(x)


# Compiling all numbers of a large tensor would take long.
PRELUDE = """
(define (cycled few count)
  (let loop ((count count) (rest few) (out '()))
    (cond ((= count 0) (reverse out))
          ((null? rest) (loop count few out))
          (else (loop (- count 1) (cdr rest) (cons (car rest) out))))))
(define (show few dtype shape)
  (let* ((items (cycled few (apply * shape)))
         (x (tensor-reshape (tensor items :dtype dtype) shape)))
    (display x) (newline) (write x) (newline)))
"""


def test_text_follows_the_printing_rule(
    runner: ProgramRunner, tmp_path: Path, all_random: bool
) -> None:
    found: list[Shown] = []

    @seed(20261121)
    @settings(
        max_examples=SHOWN_AT_ONCE * (5 if all_random else 1),
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(tensors())
    def collect(shown: Shown) -> None:
        found.append(shown)

    collect()
    program = tmp_path / "tensor_text.lisp"
    program.write_text(PRELUDE + "".join(shown.form() for shown in found))
    expected = []
    for shown in found:
        x = shown.tensor()
        expected.append(text(x, displayed, x.size > MANY))
        expected.append(text(x, lambda v, dtype=shown.dtype: written(v, dtype), False))  # type: ignore[misc]
    for outcome in (runner.run_script(program), runner.run_executable(program)):
        assert outcome.errors == ""
        assert outcome.output.splitlines() == expected
        assert not outcome.leaks
