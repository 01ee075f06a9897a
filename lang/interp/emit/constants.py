"""Constants of emitted code: numbers stand where they are used, everything else is made once.

    '(a 1)  =>  c:unit:1 = :list((s:a, 1));  ... c:unit:1 ...

What is interned, symbols, keywords and characters, the machine makes at the first mention.
"""

from fractions import Fraction
from typing import assert_never

from lambent.lang.core.ir import Special
from lambent.lang.interp.emit import pycode as py
from lambent.lang.interp.emit.names import constant_name
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
        # By place, since spans compare slowly; a place of a macro's template has several.
        self._shared: dict[tuple[int, int, int], list[tuple[Datum, str]]] = {}
        self._line = 1

    def value(self, value: Datum | Special, line: int) -> py.Expr:
        """The expression whose value is the constant."""
        self._line = line
        match value:
            case List((), None):
                return py.name(":NIL", line)
            case List() | Vector() | String() | Bytes():
                return self._one_object(value)
            case _:
                return self._build(value)

    def _one_object(self, value: List | Vector | String | Bytes) -> py.Expr:
        """What stands at one place of the source is one object, also where a macro uses it twice.

        All that a template holds has the span of the use, so there each is told by itself.
        """
        span = value.span
        if span.__class__ is LabelledSpan:
            return self._build(value)
        found = self._shared.setdefault((id(span.source), span.start, span.end), [])
        for kept, name in found:
            if kept is value or (span.within is None and kept == value):
                return py.name(name, self._line)
        name = self._hold(self._built(value))
        found.append((value, name))
        return py.name(name, self._line)

    def _build(self, value: Datum | Special) -> py.Expr:
        """What has a label is one object wherever it stands."""
        if isinstance(value, Special) or value.span.__class__ is not LabelledSpan:
            return self._built(value)
        location = (id(value.span.source), value.span.start)
        if location not in self._labelled:
            self._labelled[location] = self._hold(self._built(value))
        return py.name(self._labelled[location], self._line)

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
                return self._call(":String", text)
            case Symbol(name):
                return py.name(f"s:{name}", self._line)
            case Keyword(name):
                return py.name(f"k:{name}", self._line)
            case Character(char):
                return py.name(f"h:{char}", self._line)
            case List((), None):
                return py.name(":NIL", self._line)
            case List(items, tail):
                arguments = [self._tuple(items, value)]
                if tail is not None:
                    arguments.append(self._part(tail, value))
                return py.call_name(":list", arguments, self._line)
            case Vector(items):
                return py.call_name(":vector", [self._tuple(items, value)], self._line)
            case Bytes(data):
                return self._call(":bytes", data)
            case Brackets():
                raise AssertionError("analysis leaves no brackets in constants")
            case Labelled():
                return self._call(":read", labelled_text(value))
            case Reference():
                raise AssertionError("references stand in the data that they lead to")
        assert_never(value)

    def _tuple(self, items: tuple[Datum, ...], whole: Datum) -> py.Expr:
        return py.tuple_of([self._part(item, whole) for item in items], self._line)

    def _part(self, value: Datum, whole: Datum) -> py.Expr:
        """Only a macro can use a part of a constant elsewhere, too."""
        if whole.span.within is not None and isinstance(value, List | Vector | String | Bytes):
            return self._one_object(value)
        return self._build(value)

    def _call(self, function: str, *parts: int | str | bytes) -> py.Expr:
        return py.call_name(function, [py.constant(p, self._line) for p in parts], self._line)

    def _hold(self, expression: py.Expr) -> str:
        """Give a constant a global variable of its own."""
        name = constant_name(self._unit, len(self.setup))
        self.setup.append(py.assign(name, expression, self._line))
        return name
