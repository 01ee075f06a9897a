"""The tables of cases: families of operators, a line an operator.

    index_select   f32(3, 4), 0, t([2, 0]) | f64(3, 4).t(), dim=-1, index=t([0])
    sin cos        *real() | *complexes()

Left stand ATen's names, right the argument lists of their cases, between bars; `*` is a bundle of
`inputs.py`.  A line that begins with a blank goes on with the one before.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from zlib import crc32

from tests.operators.compare import EXACT, Closeness
from tests.operators.inputs import BUNDLES, namespace


@dataclass(frozen=True, slots=True)
class Family:
    """in_place: cases are also made for the operator's in-place form where there is one; out: and
    with :out.  forms: of either only for the first so many cases of an operator."""

    name: str
    table: str
    close: Closeness = EXACT
    gradients: bool = True
    in_place: bool = False
    out: bool = False
    forms: int = 3


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
    for names, cases in _lines(family.table):
        texts = [text for case in cases for text in _unbundled(case)]
        for name in names:
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
        left, _, right = line.partition("  ")
        yield left.split(), [case.strip() for case in right.split(" | ")]


def _unbundled(case: str) -> list[str]:
    if not case.startswith("*"):
        return [case]
    found: list[str] = eval(case[1:], dict(BUNDLES))
    return found
