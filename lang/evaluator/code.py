"""What the emitter makes of a program: functions of instructions, and the tables that they share.

The number of an entry of a table is its place in the order in which it was first asked for.
"""

import struct
from collections.abc import Hashable, Iterator, Mapping, Set
from fractions import Fraction
from types import MappingProxyType
from typing import Generic, TypeVar

from lambent.lang.compile.c.literals import (
    location_key,
    location_of,
    number_after_elements,
    number_text,
)
from lambent.lang.compile.ir.anf import Function
from lambent.lang.core.ir import Special
from lambent.lang.errors import expansion_lines
from lambent.lang.primitives.ranges import FIXNUMS
from lambent.lang.primitives.table import Primitive, operator_name
from lambent.lang.syntax.datum import (
    Boolean,
    Bytes,
    Character,
    Datum,
    Keyword,
    Labelled,
    List,
    Number,
    String,
    Symbol,
    Vector,
)
from lambent.lang.syntax.labels import labelled_text
from lambent.lang.syntax.source import Span
from lambent.lang.system.dataclass import dataclass, field

_Key = TypeVar("_Key", bound=Hashable)


class UnsupportedError(Exception):
    """What the evaluator cannot run yet.  inputs: what the files were that the program imports."""

    inputs: Mapping[str, bytes | None] = MappingProxyType({})


class Numbered(Generic[_Key]):
    """Things by number, each once."""

    def __init__(self) -> None:
        self._numbers: dict[_Key, int] = {}

    def number(self, key: _Key) -> int:
        return self._numbers.setdefault(key, len(self._numbers))

    def __iter__(self) -> Iterator[_Key]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)


# Constants, as load_code.c reads them.  The first kinds are those of rt_literal_kind in rt.h.
_KINDS = (
    "WORD", "FIXNUM", "FIXNUMS", "DOUBLE", "DOUBLES", "NUMBER", "STRING", "SYMBOL", "KEYWORD",
    "BYTES", "LIST", "LIST_ON", "VECTOR", "CYCLE",
)  # fmt: skip
_KIND_NUMBERS = {name: number for number, name in enumerate(_KINDS)} | {
    "PROCEDURE": 100,
    "OBJECT": 101,
    "OPERATOR": 102,
}


@dataclass(frozen=True, slots=True)
class Constant:
    """kind: a name in _KIND_NUMBERS.  count: its size, the word itself, or the bits of a double.
    data: its text.  elements: numbers of constants.  location: of constants that programs can tell
    apart."""

    kind: str
    count: int
    data: bytes | None = None
    elements: tuple[int, ...] = ()
    location: str = ""


def literals_name(file: str) -> str:
    """The import that is the constants of a file of the library."""
    return f"literals {file}"


OF_GRAD_MODE = 1 << 16


@dataclass(slots=True)
class Code:
    """The code of one function.

    words: its instructions, as integers of 64 bits.  failures: at an instruction, the registers
    that are released, and the locations that are recorded, each doubled, plus 1 for a tail call.
    borrowed: the registers of the parameters that a call of a value frees.
    """

    function: Function
    registers: int
    words: list[int]
    failures: list[tuple[int, tuple[int, ...], tuple[int, ...]]]
    borrowed: tuple[int, ...]


# The hint for a variable that has no value, by its name and where the program mentions it.
Hints = Mapping[tuple[str, int], str]
NO_HINTS: Hints = MappingProxyType({})


@dataclass(slots=True)
class CodeTables:
    """What all functions of a program share.

    is_open: as in `core.ir.Program`.  within: what traces call the top level.
    library_definitions: the library's variables that the top level defines.
    globals: the top-level variables by their names, and whether they are the library's.
    operators: of LibTorch, with the name and the usage in Lisp, and LibTorch's name."""

    is_open: bool = False
    within: str | None = None
    hints: Hints = field(default_factory=dict)
    library_definitions: Set[str] = frozenset()
    imports: Numbered[str] = field(default_factory=Numbered)
    operators: Numbered[tuple[str, str, str]] = field(default_factory=Numbered)
    globals: Numbered[tuple[str, bool]] = field(default_factory=Numbered)
    texts: Numbered[str] = field(default_factory=Numbered)
    locations: Numbered["Location"] = field(default_factory=Numbered)
    constants: Numbered[Constant] = field(default_factory=Numbered)
    _known_locations: dict[tuple[int, str | None], tuple[Span, int]] = field(default_factory=dict)

    def location(self, span: Span, procedure: str | None) -> int | None:
        """The number of a location; None for one in the library, which traces leave out."""
        if span.source.library:
            return None
        known = self._known_locations.get((id(span), procedure))
        if known is None:
            known = span, self.locations.number(location_of_span(span, procedure))
            self._known_locations[id(span), procedure] = known
        return known[1]

    def constant(self, value: Datum | Special) -> int:
        """The number of a constant, after those of its elements."""
        return number_after_elements(
            value, lambda here, elements: self.constants.number(_constant(here, elements))
        )

    def operator(self, primitive: Primitive) -> int:
        """The number of an operator."""
        name = primitive.name
        return self.operators.number((name, primitive.usage, operator_name(name)))

    def operator_value(self, primitive: Primitive) -> int:
        """The constant that is an operator, as a procedure."""
        return self.constants.number(Constant("OPERATOR", self.operator(primitive)))

    def procedure(self, number: int) -> int:
        """The constant that is a function of the code, as a value."""
        return self.constants.number(Constant("PROCEDURE", number))

    def object(self, name: str) -> int:
        """The constant that is an object of the runtime's."""
        data = name.encode()
        return self.constants.number(Constant("OBJECT", len(data), data))


# File, line, column, width, whether it is all on that line, the line; then the procedure around it,
# and the lines about macros.
Location = tuple[str, int, int, int, bool, str, str | None, str | None]


def location_of_span(span: Span, procedure: str | None) -> Location:
    """What an error shows of a span."""
    lines = expansion_lines(span.macros)
    return (
        span.source.name, span.line, span.column, span.width,
        span.end - span.start <= span.width,
        span.source.line_text(span.source.line_index(span.start)),
        procedure, "".join(f"\n{each}" for each in lines) if lines else None,
    )  # fmt: skip


def _immediate(number: int) -> int:
    return number << 8 | 6


_SPECIALS = {Special.UNSPECIFIED: _immediate(3), Special.ABSENT: _immediate(4)}
_WORD = 0xFFFFFFFFFFFFFFFF


def _constant(value: Datum | Special, elements: tuple[int, ...]) -> Constant:
    """A constant whose elements have numbers."""
    match value:
        case Special():
            return Constant("WORD", _SPECIALS[value])
        case Boolean(truth):
            return Constant("WORD", _immediate(1 if truth else 0))
        case Character(char):
            return Constant("WORD", ord(char) << 8 | 0x86)
        case List((), None):
            return Constant("WORD", _immediate(2))
        case Number(int(number)) if number in FIXNUMS:
            return Constant("WORD", (number << 1 | 1) & _WORD)
        case Number(float(number)):
            return Constant("DOUBLE", struct.unpack("<Q", struct.pack("<d", number))[0])
        case Number(int() | Fraction() as number):
            return _of_text("NUMBER", number_text(number))
        case String(text, span):
            return _of_text("STRING", text, location_of(value, span))
        case Symbol(name):
            return _of_text("SYMBOL", name)
        case Keyword(name):
            return _of_text("KEYWORD", name)
        case List(items, tail, span):
            kind = "LIST" if tail is None else "LIST_ON"
            return Constant(kind, len(items), None, elements, location_of(value, span))
        case Vector(_, span):
            return Constant("VECTOR", len(elements), None, elements, location_of(value, span))
        case Bytes(data, span):
            return Constant("BYTES", len(data), data, location=location_of(value, span))
        case Labelled(_, _, span):
            return _of_text("CYCLE", labelled_text(value), location_key(span))
    raise AssertionError(value)


def _of_text(kind: str, text: str, location: str = "") -> Constant:
    data = text.encode()
    return Constant(kind, len(data), data, location=location)


# The file.

MAGIC = b"lambent code 3\n\n"
IS_OPEN, NEEDS_TENSORS = 1, 2  # the bits of its first number


def kind_number(constant: Constant) -> int:
    return _KIND_NUMBERS[constant.kind]
