"""Constants of emitted code: numbers stand where they are used, everything else is made once.

    '(a 1)  =>  c:unit:1 = :list((s:a, 1));  ... c:unit:1 ...

What is interned, symbols, keywords and characters, the machine makes at the first mention.
"""

from fractions import Fraction
from typing import assert_never

from lambent.lang.core.ir import Special
from lambent.lang.interp import pycode as py
from lambent.lang.interp.names import constant_name
from lambent.lang.syntax.datum import (
    Boolean,
    Brackets,
    Bytes,
    Character,
    Datum,
    Keyword,
    Labelled,
    List,
    Number,
    Reference,
    String,
    Symbol,
    Vector,
)
from lambent.lang.syntax.labels import labelled_text
from lambent.lang.syntax.source import LabelledSpan


class ConstantPool:
    """setup: the statements that make the constants, to run before any other code of the unit."""

    def __init__(self, unit: str) -> None:
        self.setup: list[py.Stmt] = []
        self._unit = unit
        self._labelled: dict[tuple[int, int], str] = {}
        self._line = 1

    def value(self, value: Datum | Special, line: int) -> py.Expr:
        """The expression whose value is the constant."""
        self._line = line
        match value:
            case List((), None):
                return py.name(":NIL", line)
            case List() | Vector() if value.span.__class__ is not LabelledSpan:
                return py.name(self._hold(self._build(value)), line)
            case _:
                return self._build(value)

    def _build(self, value: Datum | Special) -> py.Expr:
        """What has a label is one object wherever it stands."""
        if isinstance(value, Special) or value.span.__class__ is not LabelledSpan:
            return self._built(value)
        place = (id(value.span.source), value.span.start)
        if place not in self._labelled:
            self._labelled[place] = self._hold(self._built(value))
        return py.name(self._labelled[place], self._line)

    def _built(self, value: Datum | Special) -> py.Expr:
        match value:
            case Special.UNSPECIFIED:
                return py.name(":UNSPECIFIED", self._line)
            case Special.ABSENT:
                return py.name(":ABSENT", self._line)
            case Boolean(truth):
                return py.name(":TRUE" if truth else ":FALSE", self._line)
            case Number(Fraction() as number):
                parts = [number.numerator, number.denominator]
                return py.name(self._hold(self._call(":rational", *parts)), self._line)
            case Number(number):
                return py.constant(number, self._line)
            case String(text):
                # Each literal is an object of its own, as `eq?` shows.
                return py.name(self._hold(self._call(":String", text)), self._line)
            case Symbol(name):
                return py.name(f"s:{name}", self._line)
            case Keyword(name):
                return py.name(f"k:{name}", self._line)
            case Character(char):
                return py.name(f"h:{char}", self._line)
            case List((), None):
                return py.name(":NIL", self._line)
            case List(items, tail):
                arguments = [self._tuple(items)]
                if tail is not None:
                    arguments.append(self._build(tail))
                return py.call_name(":list", arguments, self._line)
            case Vector(items):
                return py.call_name(":vector", [self._tuple(items)], self._line)
            case Bytes(data):
                return py.name(self._hold(self._call(":bytes", data)), self._line)
            case Brackets():
                raise AssertionError("analysis leaves no brackets in constants")
            case Labelled():
                return self._call(":read", labelled_text(value))
            case Reference():
                raise AssertionError("references stand in the data that they lead to")
        assert_never(value)

    def _tuple(self, items: tuple[Datum, ...]) -> py.Expr:
        return py.tuple_of([self._build(item) for item in items], self._line)

    def _call(self, function: str, *parts: int | str | bytes) -> py.Expr:
        return py.call_name(function, [py.constant(p, self._line) for p in parts], self._line)

    def _hold(self, expression: py.Expr) -> str:
        """Give a constant a global variable of its own."""
        name = constant_name(self._unit, len(self.setup))
        self.setup.append(py.assign(name, expression, self._line))
        return name
