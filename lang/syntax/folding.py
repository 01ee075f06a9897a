"""Case folding of data: what `include-ci` reads.

    (Define |Two Words| "Text")  =>  (define |Two Words| "Text")
"""

from lambent.lang.syntax.datum import Brackets, Datum, Keyword, List, Symbol, Vector


def folded(datum: Datum) -> Datum:
    """The datum with its symbols and keywords in lower case, except those between bars."""
    match datum:
        case Symbol(name, span):
            return datum if span.text.startswith("|") else Symbol(name.casefold(), span)
        case Keyword(name, span):
            return Keyword(name.casefold(), span)
        case List(items, tail, span):
            return List(_all(items), None if tail is None else folded(tail), span)
        case Vector(items, span):
            return Vector(_all(items), span)
        case Brackets(items, span):
            return Brackets(_all(items), span)
    return datum


def _all(items: tuple[Datum, ...]) -> tuple[Datum, ...]:
    return tuple([folded(item) for item in items])
