"""Converts data to Lisp values, and values to data, for macros and `eval`.

    converter = DatumConverter()
    value = converter.value(datum)      (f x) at 3:5  =>  the list (f x)
    converter.datum(value, span)        the list (f x)  =>  (f x) at 3:5

A converter remembers the datum of each value.  A value that comes back unchanged becomes the same
datum with its old span; all others have the given span.  A tensor expression [a b] becomes the list
(%brackets a b).
"""

from fractions import Fraction
from typing import assert_never

from lambent.lang.core.arity import arity_message
from lambent.lang.core.denotation import Alias
from lambent.lang.core.macros.defmacro import BRACKETS
from lambent.lang.core.scope import Helper
from lambent.lang.errors import LispError
from lambent.lang.interp.io.data_reader import read_text
from lambent.lang.interp.io.printing import written_prefix
from lambent.lang.interp.values import values
from lambent.lang.interp.values.values import Lisp
from lambent.lang.syntax import datum as data
from lambent.lang.syntax.datum import Datum
from lambent.lang.syntax.labels import labelled_text
from lambent.lang.syntax.source import Span


class DatumConverter:
    def __init__(self) -> None:
        self._origins: dict[int, tuple[Lisp, Datum]] = {}  # the value is kept alive: ids are reused
        self._names: dict[str, Datum] = {}

    def value(self, datum: Datum) -> Lisp:
        """The value of `(quote datum)`."""
        value = self._value(datum)
        if isinstance(value, values.Pair | values.Vector | values.String | values.Bytes):
            self._origins[id(value)] = value, datum
        return value

    def symbol(self, datum: data.Symbol) -> Lisp:
        # All symbols of a name are one value; the first datum of the name is kept for it.
        self._names.setdefault(datum.name, datum)
        return values.symbol(datum.name)

    def _value(self, datum: Datum) -> Lisp:
        match datum:
            case data.Symbol():
                return self.symbol(datum)
            case data.Keyword(name):
                self._names.setdefault(f":{name}", datum)
                return values.keyword(name)
            case data.Number(Fraction() as number):
                from lambent.lang.interp.values.rationals import rational

                return rational(number.numerator, number.denominator)
            case data.Number(number):
                return number
            case data.Boolean(truth):
                return values.boolean(truth)
            case data.String(text):
                return values.String(text)
            case data.Character(char):
                return values.char(char)
            case data.Bytes(content):
                return values.Bytes(bytearray(content))
            case data.List(items, tail):
                return self._list(items, tail)
            case data.Vector(items):
                return values.Vector([self.value(item) for item in items])
            case data.Brackets(items, span):
                return self._list((data.Symbol(BRACKETS, span), *items), None)
            case data.Labelled():
                return read_text(labelled_text(datum))
            case data.Reference():
                raise AssertionError("references are only inside labelled data")
        assert_never(datum)

    def _list(self, items: tuple[Datum, ...], tail: Datum | None) -> Lisp:
        end = values.NIL if tail is None else self.value(tail)
        return values.list_of([self.value(item) for item in items], end)

    def datum(self, value: Lisp, span: Span) -> Datum:
        """The datum for a value; a LispError if there is none."""
        datum = self._datum(value, span)
        _, origin = self._origins.get(id(value), (None, None))
        return origin if origin is not None and origin == datum else datum

    def _datum(self, value: Lisp, span: Span) -> Datum:
        match value:
            case values.Symbol():
                return self.identifier(value, span)
            case values.Keyword():
                return self._names.get(f":{value.name}") or data.Keyword(value.name, span)
            case values.Boolean():
                return data.Boolean(value is values.TRUE, span)
            case values.String():
                return data.String(value.text, span)
            case values.Char():
                return data.Character(value.char, span)
            case values.Bytes():
                return data.Bytes(bytes(value.data), span)
            case values.Vector():
                return data.Vector(tuple([self.datum(item, span) for item in value.items]), span)
            case values.Pair():
                return self._list_datum(value, span)
            case values.NIL:
                return data.List((), None, span)
            case int() | float() | Fraction():
                return data.Number(value, span)
        raise LispError(f"expected a datum, got {written_prefix(value, 60)}")

    def identifier(self, value: values.Symbol, span: Span) -> Datum:
        return self._names.get(value.name) or data.Symbol(value.name, span)

    def _list_datum(self, value: Lisp, span: Span) -> Datum:
        items: list[Datum] = []
        seen: set[int] = set()
        while value.__class__ is values.Pair:
            if id(value) in seen:
                raise LispError("expected a datum, got a circular list")
            seen.add(id(value))
            items.append(self.datum(value.car, span))
            value = value.cdr
        if value is values.NIL:
            match items:
                case [data.Symbol(name), *elements] if name == BRACKETS:
                    return data.Brackets(tuple(elements), span)
            return data.List(tuple(items), None, span)
        return data.List(tuple(items), self.datum(value, span), span)


class IdentifierConverter(DatumConverter):
    """A converter for hygienic macros: an alias is a symbol of its own, which has its name.
    span: of data that the macro's procedure makes."""

    def __init__(self, span: Span) -> None:
        super().__init__()
        self._span = span
        self._symbols: dict[Alias, values.Symbol] = {}
        self._aliases: dict[int, tuple[values.Symbol, Alias]] = {}  # by the symbol's identity

    def symbol(self, datum: data.Symbol) -> Lisp:
        if not isinstance(datum, Alias):
            return super().symbol(datum)
        if datum not in self._symbols:
            made = self._symbols[datum] = values.Symbol(datum.name)
            self._aliases[id(made)] = made, datum
        return self._symbols[datum]

    def identifier(self, value: values.Symbol, span: Span) -> Datum:
        alias = self._aliases.get(id(value))
        return super().identifier(value, span) if alias is None else alias[1]

    def procedure(self, helper: Helper) -> Lisp:
        """The Lisp procedure of a function on data."""

        def call(*arguments: Lisp) -> Lisp:
            if len(arguments) != helper.count:
                message = arity_message(helper.name, helper.count, helper.count, len(arguments))
                raise LispError(message)
            given = [self.datum(argument, self._span) for argument in arguments]
            return self.value(helper.function(*given))

        return call
