"""A program without its macros, as data: what `lambent show expand` prints.

    (define-syntax inc! (syntax-rules () ((_ x) (set! x (+ x 1)))))
    (define (f n) (inc! n))
    =>  (define (f n) (set! n (+ n 1)))

Each use is replaced by the expansion that the analysis recorded, so nothing is expanded twice.
Variables that templates bind are shown with their unique names.
"""

from collections.abc import Iterator, Sequence

from lambent.lang.core.analyze import items_of
from lambent.lang.core.denotation import Alias, AliasKeyword
from lambent.lang.core.scope import Env, Scope, Unit
from lambent.lang.core.special_forms import is_form
from lambent.lang.deep import call_deep
from lambent.lang.syntax.datum import Brackets, Datum, Keyword, List, Symbol, Vector
from lambent.lang.system.dataclass import dataclass


def expansion(data: Sequence[Datum], scope: Scope) -> list[Datum]:
    """The data of a program with its macro uses replaced, and without definitions of macros."""
    return call_deep(_expansion, data, scope)


def _expansion(data: Sequence[Datum], scope: Scope) -> list[Datum]:
    _, unit = items_of(data, scope)
    return list(_spliced(_Rewriter(unit).all(data), Env(unit)))


def _spliced(data: Sequence[Datum], env: Env) -> Iterator[Datum]:
    """The forms, with the contents of each top-level `begin` in its place."""
    for datum in data:
        if isinstance(datum, List) and is_form(datum, "begin", env):
            yield from _spliced(datum.items[1:], env)
        else:
            yield datum


@dataclass(slots=True)
class _Rewriter:
    unit: Unit

    def all(self, data: Sequence[Datum]) -> tuple[Datum, ...]:
        expanded = [self.one(datum) for datum in data]
        return tuple([datum for datum in expanded if datum is not None])

    def one(self, datum: Datum) -> Datum | None:
        """The datum after expansion; None for a definition of a macro."""
        while id(datum) in self.unit.expansions:
            _, result = self.unit.expansions[id(datum)]
            if result is None:
                return None
            datum = result
        match datum:
            case Alias():
                return self._renamed(datum)
            case AliasKeyword(name, span):
                return Keyword(name, span)
            case List(items, tail, span):
                return List(self.all(items), None if tail is None else self.one(tail), span)
            case Vector(items, span):
                return Vector(self.all(items), span)
            case Brackets(items, span):
                return Brackets(self.all(items), span)
        return datum

    def _renamed(self, alias: Alias) -> Symbol:
        symbol: Symbol = alias
        while isinstance(symbol, Alias):
            if symbol in self.unit.renamed:
                return Symbol(self.unit.renamed[symbol], alias.span)
            if symbol in self.unit.scope.own:
                return Symbol(self.unit.scope.own[symbol].name, alias.span)
            symbol = symbol.original
        return Symbol(alias.name, alias.span)
