"""Datum labels: shared data become one object, and circular data remain labelled.

    (#0=(a) #0#)    =>  ((a) (a)), where both elements are one object
    #0=(a . #0#)    =>  Labelled 0 (List (a) (Reference 0))

A label's scope is the outermost datum that contains it, from the label on.  `labelled_text` does
the reverse: an executable creates circular constants by reading their text when it starts.
"""

from dataclasses import replace

from lambent.lang.deep import call_deep
from lambent.lang.errors import SyntaxFault
from lambent.lang.syntax.datum import Brackets, Datum, Labelled, List, Reference, Vector
from lambent.lang.syntax.source import LabelledSpan
from lambent.lang.syntax.text import to_text


def resolve_labels(datum: Datum) -> Datum:
    """An outermost datum of a source, without references except circular ones."""
    return call_deep(_Resolver().resolve, datum)


class _Resolver:
    """data: the datum of each label; of an open one, whether a reference to it was found so far."""

    def __init__(self) -> None:
        self._data: dict[int, Datum | bool] = {}

    def resolve(self, datum: Datum) -> Datum:
        match datum:
            case Labelled():
                return self._labelled(datum)
            case Reference(number, span):
                meaning = self._data.get(number)
                if meaning is None:
                    raise SyntaxFault(f"unknown datum label: #{number}#", span)
                if not isinstance(meaning, bool):
                    return meaning
                self._data[number] = True
            case List(items, tail):
                resolved = tuple([self.resolve(item) for item in items])
                end = None if tail is None else self.resolve(tail)
                return replace(datum, items=resolved, tail=end)
            case Vector(items) | Brackets(items):
                return replace(datum, items=tuple([self.resolve(item) for item in items]))
        return datum

    def _labelled(self, labelled: Labelled) -> Datum:
        number = labelled.number
        if number in self._data:
            raise SyntaxFault(f"datum label #{number}= is given twice", labelled.span)
        self._data[number] = False
        inner = self.resolve(labelled.datum)
        if inner == Reference(number, labelled.span):
            raise SyntaxFault(f"datum label #{number}= labels itself", labelled.span)
        outer = labelled.span
        span = LabelledSpan(outer.source, outer.start, outer.end)
        meaning = Labelled(number, inner, span) if self._data[number] else replace(inner, span=span)
        self._data[number] = meaning
        return meaning


def labelled_text(datum: Labelled) -> str:
    """The text of a circular constant, with labels for all data that occur more than once."""
    return call_deep(_LabelWriter().text, datum)


class _LabelWriter:
    """numbers: the new labels, by the data's identity.  references: the same, by the old labels."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}
        self._references: dict[int, int] = {}

    def text(self, datum: Datum) -> str:
        if datum.span.__class__ is not LabelledSpan:
            return self._structure(datum)
        if id(datum) in self._numbers:
            return f"#{self._numbers[id(datum)]}#"
        number = self._numbers[id(datum)] = len(self._numbers)
        if isinstance(datum, Labelled):
            self._references[datum.number] = number
            datum = datum.datum
        return f"#{number}={self._structure(datum)}"

    def _structure(self, datum: Datum) -> str:
        match datum:
            case List(items, tail):
                row = self._row(items)
                return f"({row})" if tail is None else f"({row} . {self.text(tail)})"
            case Vector(items):
                return f"#({self._row(items)})"
            case Reference(number):
                return f"#{self._references[number]}#"
        return to_text(datum)

    def _row(self, items: tuple[Datum, ...]) -> str:
        return " ".join([self.text(item) for item in items])
