"""The verifier of data: every datum points into its text, and into the datum around it.

Errors show places, so a wrong span is a wrong message.  Runs in tests and under LAMBENT_VERIFY.
"""

from collections.abc import Sequence

from lambent.lang.syntax.datum import Brackets, Datum, Labelled, List, Vector
from lambent.lang.syntax.source import LabelledSpan, Span


class DataError(AssertionError):
    """A datum whose span cannot be right: a mistake of the reader."""


def check_data(data: Sequence[Datum]) -> None:
    """Raise DataError unless every datum lies in its text and in the datum that holds it."""
    end = 0
    for datum in data:
        if datum.span.start < end:
            raise DataError(f"{datum.span.location}: the datum begins before the last one ends")
        end = datum.span.end
        _check(datum, Span(datum.span.source, 0, len(datum.span.source.text)))


def _check(datum: Datum, around: Span) -> None:
    span = datum.span
    # What a label names stands once in the text, and in the data wherever it is referred to.
    is_shared = isinstance(span, LabelledSpan)
    if not is_shared and not around.start <= span.start <= span.end <= around.end:
        raise DataError(f"{span.location}: the datum leaves what holds it")
    for inner in _inside(datum):
        _check(inner, span)


def _inside(datum: Datum) -> tuple[Datum, ...]:
    match datum:
        case List(items, tail):
            return items if tail is None else (*items, tail)
        case Vector(items) | Brackets(items):
            return items
        case Labelled(_, inner):
            return (inner,)
    return ()
