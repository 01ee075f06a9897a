"""Constants of emitted code: numbers are written where they are used; others are created once.

    '(a 1)  =>  c:unit:1 = :list((s:a, 1));  ... c:unit:1 ...

The machine creates interned constants, symbols, keywords and characters, at their first mention.
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


def _outline(value: List | Vector | String | Bytes) -> object:
    """What equal data have in common, found in time of their length, not of their depth."""
    match value:
        case String(text):
            return text
        case Bytes(data):
            return data
        case List(items) | Vector(items):
            return tuple([i.name if isinstance(i, Symbol) else i.__class__ for i in items])


class ConstantPool:
    """setup: the statements that create the constants; they run before the unit's other code."""

    def __init__(self, unit: str) -> None:
        self.setup: list[py.Stmt] = []
        self._unit = unit
        self._labelled: dict[tuple[int, int], str] = {}
        # By location, since spans compare slowly, and by outline: all data of a macro's template
        # have one location, and so have those of all record types.
        self._shared: dict[tuple[int, int, int, object], list[tuple[Datum, str]]] = {}
        self._line = 1

    def begin_separate_code(self) -> None:
        """What follows may run without the code before it, so it has constants of its own."""
        self._shared.clear()
        self._labelled.clear()

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
        """One constant of the source is one object, even if a macro uses it twice.

        All data of a macro's template have the span of the macro's use, so those are compared by
        identity.
        """
        span = value.span
        if span.__class__ is LabelledSpan:
            return self._build(value)
        location = (id(span.source), span.start, span.end, _outline(value))
        values = self._shared.setdefault(location, [])
        for kept, name in values:
            if kept is value or (span.within is None and kept == value):
                return py.name(name, self._line)
        name = self._hold(self._built(value))
        values.append((value, name))
        return py.name(name, self._line)

    def _build(self, value: Datum | Special) -> py.Expr:
        """A datum with a label is one object everywhere."""
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
                rational = self._call(":rational", number.numerator, number.denominator)
                return py.name(self._hold(rational), self._line)
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
                    arguments.append(self._element(tail, value))
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
                raise AssertionError("references are only inside labelled data")
        assert_never(value)

    def _tuple(self, items: tuple[Datum, ...], constant: Datum) -> py.Expr:
        return py.tuple_of([self._element(item, constant) for item in items], self._line)

    def _element(self, value: Datum, constant: Datum) -> py.Expr:
        """Only a macro can use an element of a constant elsewhere as well."""
        if constant.span.within is not None and isinstance(value, List | Vector | String | Bytes):
            return self._one_object(value)
        return self._build(value)

    def _call(self, function: str, *arguments: int | str | bytes) -> py.Expr:
        constants: list[py.Expr] = [py.constant(a, self._line) for a in arguments]
        return py.call_name(function, constants, self._line)

    def _hold(self, expression: py.Expr) -> str:
        """Store a constant in a new global variable, and return its name."""
        name = constant_name(self._unit, len(self.setup))
        self.setup.append(py.assign(name, expression, self._line))
        return name
