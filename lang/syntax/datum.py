"""Data as the reader returns them: immutable, each with the span it was read from.

Two data are equal if they print alike; spans do not count.  `text.py` prints a datum so that
reading the text returns an equal datum.

    (f 'x [1 2.5])  =>  List(Symbol f, List(Symbol quote, Symbol x), Brackets(Number 1, Number 2.5))
"""

from fractions import Fraction

from lambent.lang.syntax.source import Span
from lambent.lang.system.dataclass import dataclass, field


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
    """A list; tail is what follows the dot of an improper one."""

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
    """`#0=(a . #0#)`: a datum in which a Reference refers to the datum itself.

    The reader resolves other labels: `(#1=(a) #1#)` is a list that contains one object twice.
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
