"""The verifier of data: the span of every datum is within its text and the datum around it.

Errors show spans, so a wrong span is a wrong message.  Runs in tests and if LAMBENT_VERIFY is set.
"""

from collections.abc import Sequence

from lambent.lang.syntax.datum import Brackets, Datum, Labelled, List, Vector
from lambent.lang.syntax.source import LabelledSpan, Span


class DataError(Exception):
    """A datum whose span is wrong: a bug in the reader."""


def check_data(data: Sequence[Datum]) -> None:
    """Raise DataError unless every datum is within its text and the datum that contains it."""
    end = 0
    for datum in data:
        if datum.span.start < end:
            raise DataError(f"{datum.span.location}: the datum begins before the previous one ends")
        end = datum.span.end
        _check(datum, Span(datum.span.source, 0, len(datum.span.source.text)))


def _check(datum: Datum, around: Span) -> None:
    span = datum.span
    # A labelled datum is once in the text, but several times in the data.
    is_shared = isinstance(span, LabelledSpan)
    if not is_shared and not around.start <= span.start <= span.end <= around.end:
        raise DataError(f"{span.location}: the datum exceeds the one around it")
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
