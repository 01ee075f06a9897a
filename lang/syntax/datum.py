"""Data as the reader gives them: immutable, each with the span it was read from.

Two data are equal when they would print alike; spans do not count.  `text.py` prints a datum so
that reading the text gives an equal datum back.

    (f 'x [1 2.5])  =>  List(Symbol f, List(Symbol quote, Symbol x), Brackets(Number 1, Number 2.5))
"""

from dataclasses import dataclass, field
from fractions import Fraction

from lambent.lang.syntax.source import Span


@dataclass(frozen=True, slots=True)
class Symbol:
    name: str
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Keyword:
    """`:name`; the name is kept without its colon."""

    name: str
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Number:
    """An exact integer, an exact rational or a double.  Equal numbers may differ in exactness."""

    value: int | Fraction | float
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Boolean:
    value: bool
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class String:
    text: str
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Character:
    char: str
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class List:
    """A list; tail is what stands after the dot of an improper one."""

    items: tuple["Datum", ...]
    tail: "Datum | None"
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Vector:
    """`#(...)`."""

    items: tuple["Datum", ...]
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Bytes:
    """`#u8(...)`."""

    data: bytes
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Brackets:
    """`[...]`: a tensor expression."""

    items: tuple["Datum", ...]
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Labelled:
    """`#0=(a . #0#)`: a datum in which a Reference stands for the whole datum.

    Other labels leave nothing behind: `(#1=(a) #1#)` is a list with one object in two places.
    """

    number: int
    datum: "Datum"
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Reference:
    """`#0#`, inside the datum that has the label."""

    number: int
    span: Span = field(compare=False, repr=False)


Datum = (
    Symbol | Keyword | Number | Boolean | String | Character | List | Vector | Bytes | Brackets
    | Labelled | Reference
)
