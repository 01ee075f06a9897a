"""The patterns of `syntax-rules`: what a use of a macro must look like, and what they bind.

    (_ (name value) ... body)  against  (my-let (a 1) (b 2) (f a b))
    =>  name: a, b   value: 1, 2   body: (f a b)
"""

from collections.abc import Iterator, Sequence
from typing import assert_never

from lambent.lang.core.denotation import Alias, GlobalName, Key, key_of, plain
from lambent.lang.core.scope import Env
from lambent.lang.errors import SyntaxFault
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
from lambent.lang.syntax.source import Span
from lambent.lang.system.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Many:
    """The matches of a variable before an ellipsis."""

    items: "tuple[Match, ...]"


Match = Datum | Many


@dataclass(frozen=True, slots=True)
class Anything:
    """`_`"""


@dataclass(frozen=True, slots=True)
class Bind:
    """A pattern variable."""

    key: Key


@dataclass(frozen=True, slots=True)
class Literal:
    """An identifier that must mean in the use what it means where the macro was defined."""

    symbol: Symbol


@dataclass(frozen=True, slots=True)
class Same:
    """A number, string, character, boolean, bytevector or keyword."""

    datum: Datum


@dataclass(frozen=True, slots=True)
class Row:
    """`(before ... repeated <ellipsis> after ... . tail)`, or the same as a vector or brackets."""

    container: type[List] | type[Vector] | type[Brackets]
    before: "tuple[Pattern, ...]"
    repeated: "Pattern | None"
    after: "tuple[Pattern, ...]"
    tail: "Pattern | None"


Pattern = Anything | Bind | Literal | Same | Row


@dataclass(frozen=True, slots=True)
class Words:
    """The special words of one `syntax-rules`, and the environment of its definition.

    ellipsis is None for the usual `...`.  Programs for other Schemes may use `:::`, a keyword here.
    form: the special form that messages name.
    """

    literals: frozenset[Key]
    ellipsis: Symbol | Keyword | None
    env: Env
    form: str = "syntax-rules"

    def is_ellipsis(self, datum: Datum) -> bool:
        if isinstance(self.ellipsis, Keyword):
            return isinstance(datum, Keyword) and datum.name == self.ellipsis.name
        if not isinstance(datum, Symbol) or key_of(datum) in self.literals:
            return False
        if self.ellipsis is not None:
            return key_of(datum) == key_of(self.ellipsis)
        return datum.name == "..." and self.env.resolve(datum, ahead=False) is None

    def is_underscore(self, symbol: Symbol) -> bool:
        """Whether it is `_`, also where the REPL binds that to its last value."""
        if symbol.name != "_":
            return False
        meaning = self.env.resolve(symbol, ahead=False)
        return meaning is None or (isinstance(meaning, GlobalName) and meaning.name == "*1")


def parse_pattern(datum: Datum, words: Words) -> Pattern:
    """The pattern of a rule, which is written without the name of the macro."""
    pattern = _pattern(datum, words)
    seen: set[Key] = set()
    for key, _ in variables(pattern):
        if key in seen:
            name = key.name if isinstance(key, Alias) else key
            raise SyntaxFault(f"{words.form}: {name} appears twice in the pattern", datum.span)
        seen.add(key)
    return pattern


def _pattern(datum: Datum, words: Words) -> Pattern:
    match datum:
        case Symbol():
            if key_of(datum) in words.literals:
                return Literal(datum)
            if words.is_ellipsis(datum):
                raise SyntaxFault(f"{words.form}: nothing precedes the ellipsis", datum.span)
            return Anything() if words.is_underscore(datum) else Bind(key_of(datum))
        case List(items, tail):
            return _row(List, items, tail, words)
        case Vector(items):
            return _row(Vector, items, None, words)
        case Brackets(items):
            return _row(Brackets, items, None, words)
        case Labelled() | Reference():
            raise SyntaxFault(f"{words.form}: a pattern cannot be circular", datum.span)
        case Keyword() | Number() | Boolean() | String() | Character() | Bytes():
            if words.is_ellipsis(datum):
                raise SyntaxFault(f"{words.form}: nothing precedes the ellipsis", datum.span)
            return Same(datum)
    assert_never(datum)


def _row(
    container: type[List] | type[Vector] | type[Brackets],
    items: Sequence[Datum],
    tail: Datum | None,
    words: Words,
) -> Row:
    ellipses = [i for i, item in enumerate(items) if words.is_ellipsis(item)]
    last = None if tail is None else _pattern(tail, words)
    if not ellipses:
        return Row(container, tuple([_pattern(item, words) for item in items]), None, (), last)
    if len(ellipses) > 1:
        second = items[ellipses[1]]
        raise SyntaxFault(f"{words.form}: a list has two ellipses", second.span)
    at = ellipses[0]
    if at == 0:
        raise SyntaxFault(f"{words.form}: nothing precedes the ellipsis", items[0].span)
    before = tuple([_pattern(item, words) for item in items[: at - 1]])
    after = tuple([_pattern(item, words) for item in items[at + 1 :]])
    return Row(container, before, _pattern(items[at - 1], words), after, last)


def variables(pattern: Pattern, depth: int = 0) -> Iterator[tuple[Key, int]]:
    """The variables of a pattern, each with the number of ellipses that follow it."""
    match pattern:
        case Bind(key):
            yield key, depth
        case Row(_, before, repeated, after, tail):
            for inner in before:
                yield from variables(inner, depth)
            if repeated is not None:
                yield from variables(repeated, depth + 1)
            for inner in after:
                yield from variables(inner, depth)
            if tail is not None:
                yield from variables(tail, depth)
        case Anything() | Literal() | Same():
            return
        case _:
            assert_never(pattern)


@dataclass(frozen=True, slots=True)
class Matcher:
    """Matches uses in one environment against patterns from another."""

    defined_in: Env
    used_in: Env

    def match(self, pattern: Pattern, datum: Datum) -> dict[Key, Match] | None:
        """The matches of the variables; None if the datum does not match."""
        matches: dict[Key, Match] = {}
        return matches if self._match(pattern, datum, matches) else None

    def _match(self, pattern: Pattern, datum: Datum, matches: dict[Key, Match]) -> bool:
        match pattern:
            case Anything():
                return True
            case Bind(key):
                matches[key] = datum
                return True
            case Literal(symbol):
                return isinstance(datum, Symbol) and self._is_same_identifier(symbol, datum)
            case Same(expected):
                return is_equal_atom(expected, datum)
            case Row():
                return self._match_row(pattern, datum, matches)
        assert_never(pattern)

    def _match_row(self, row: Row, datum: Datum, matches: dict[Key, Match]) -> bool:
        contents = _contents(row, datum)
        if contents is None:
            return False
        items, tail = contents
        least = len(row.before) + len(row.after)
        if row.repeated is None and row.tail is not None and len(items) > least:
            # The tail of `(a . r)` matches everything after a.
            tail = List(items[least:], tail, _span_of(items[least:], datum))
            items = items[:least]
        if len(items) < least or (row.repeated is None and len(items) > least):
            return False
        if row.tail is None and tail is not None:
            return False
        start, end = len(row.before), len(items) - len(row.after)
        outer = [*zip(row.before, items[:start], strict=True),
                 *zip(row.after, items[end:], strict=True)]
        if row.tail is not None:
            outer.append((row.tail, tail or List((), None, datum.span)))
        return all(
            self._match(inner, item, matches) for inner, item in outer
        ) and self._match_repeated(row.repeated, items[start:end], matches)

    def _match_repeated(
        self, pattern: Pattern | None, items: Sequence[Datum], matches: dict[Key, Match]
    ) -> bool:
        if pattern is None:
            return True
        iterations: list[dict[Key, Match]] = []
        for item in items:
            inner: dict[Key, Match] = {}
            if not self._match(pattern, item, inner):
                return False
            iterations.append(inner)
        for key, _ in variables(pattern):
            matches[key] = Many(tuple([inner[key] for inner in iterations]))
        return True

    def _is_same_identifier(self, literal: Symbol, symbol: Symbol) -> bool:
        return is_same_identifier(literal, self.defined_in, symbol, self.used_in)


def is_same_identifier(one: Symbol, around: Env, other: Symbol, around_other: Env) -> bool:
    """Whether two have the same binding, or are unbound and have the same name, each in its
    environment."""
    meaning = around.resolve(one, ahead=False)
    other_meaning = around_other.resolve(other, ahead=False)
    if meaning is None and other_meaning is None:
        return one.name == other.name
    return meaning == other_meaning


def _contents(row: Row, datum: Datum) -> tuple[tuple[Datum, ...], Datum | None] | None:
    """The items and the tail of a datum; None if it is another type of container."""
    match datum:
        case List(items, tail) if row.container is List:
            return items, tail
        case Vector(items) if row.container is Vector:
            return items, None
        case Brackets(items) if row.container is Brackets:
            return items, None
        case _ if row.container is List and row.tail and not row.before and not row.after:
            return (), datum  # `(x ... . r)` also matches a datum that is not a list
    return None


def _span_of(items: Sequence[Datum], datum: Datum) -> Span:
    """From the first item to the last; the span of the datum if these are from different texts."""
    first, last = items[0].span, items[-1].span
    return first.to(last) if first.source is last.source and first.end <= last.end else datum.span


def is_equal_atom(expected: Datum, datum: Datum) -> bool:
    """Whether a datum is the same atom as another."""
    match expected, datum:
        case Number(one), Number(other):
            return type(one) is type(other) and one == other
        case _, List() | Vector() | Brackets():
            return False
    return plain(expected) == plain(datum)
