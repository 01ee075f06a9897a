"""The families of operators, whose tables hold their cases.

    index_select: f32(3, 4), 0, t([2, 0]) | f64(3, 4).t(), dim=-1, index=t([0])
    sin cos: *real() | *complexes()

ATen's names are on the left; on the right are the argument lists of their cases, between bars, in
the language of `inputs.py`; `*` expands a bundle of it.  A line that begins with a blank continues
the one before.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

from tests.operators.compare import EXACT, Closeness
from tests.operators.inputs import BUNDLES, namespace
from tests.support.absent_operators import absent_operators

TABLES = Path(__file__).parent / "tables"


@dataclass(frozen=True, slots=True)
class Family:
    """in_place: cases are also made for the operator's in-place variant if it has one; out: and
    with :out.  variants: of either only for the first so many cases of an operator.  by_schema:
    the oracle is called through its schema, as functions that Python hides have other defaults.
    python: the names are of Python's functions in torch, which call operators."""

    name: str
    close: Closeness = EXACT
    gradients: bool = True
    in_place: bool = False
    out: bool = False
    variants: int = 3
    by_schema: bool = False
    python: bool = False


# Sums and products of many elements may be taken in another order if the memory layout differs.
SUMS = Closeness(1e-6, 1e-7)
PRODUCTS = Closeness(1e-5, 1e-6)
NO_VALUES = Closeness(values=False)

FAMILIES = (
    Family("unary", in_place=True, out=True),
    Family("special", out=True),
    Family("binary", in_place=True, out=True),
    Family("views", in_place=True),
    Family("joining", out=True),
    Family("indexing", in_place=True, out=True),
    Family("reductions", SUMS, out=True),
    Family("matrices", PRODUCTS, out=True),
    Family("linalg", PRODUCTS, out=True, variants=1),
    Family("fft", PRODUCTS, out=True, variants=1),
    Family("convolution", PRODUCTS),
    Family("pooling", PRODUCTS, out=True, variants=1),
    Family("norms", PRODUCTS, in_place=True),
    Family("losses", PRODUCTS, by_schema=True),
    Family("recurrent", PRODUCTS),
    Family("creation", gradients=False),
    Family("memory", NO_VALUES, gradients=False),
    Family("chance"),
    Family("writing", gradients=False),
    Family("lists", SUMS),
    Family("internals", PRODUCTS, by_schema=True),
    Family("dtypes", PRODUCTS),
    Family("forms", PRODUCTS),
    Family("functions", PRODUCTS, python=True),
)


@dataclass(frozen=True, slots=True)
class Row:
    """One case of a table, not yet made: the name of the operator and its arguments' text."""

    family: Family
    operator: str
    number: int
    text: str

    @property
    def name(self) -> str:
        return f"{self.family.name}/{self.operator}/{self.number}"

    def arguments(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        names = namespace(crc32(f"{self.operator} {self.text}".encode()))
        names["call"] = lambda *args, **kwargs: (args, kwargs)
        found: tuple[tuple[Any, ...], dict[str, Any]] = eval(f"call({self.text})", names)
        return found


def rows(family: Family) -> Iterator[Row]:
    counts: dict[str, int] = {}
    for names, cases in _lines((TABLES / f"{family.name}.txt").read_text(encoding="utf-8")):
        texts = [text for case in cases for text in _unbundled(case)]
        for name in names:
            if not family.python and name in absent_operators():
                continue
            for text in texts:
                counts[name] = counts.get(name, -1) + 1
                yield Row(family, name, counts[name], text)


def _lines(table: str) -> Iterator[tuple[list[str], list[str]]]:
    logical: list[str] = []
    for line in table.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith(" "):
            logical[-1] += " " + line.strip()
        else:
            logical.append(line)
    for line in logical:
        left, _, right = line.partition(":")
        yield left.split(), [case.strip() for case in right.split(" | ")]


def _unbundled(case: str) -> list[str]:
    if not case.startswith("*"):
        return [case]
    found: list[str] = eval(case[1:], dict(BUNDLES))
    return found
