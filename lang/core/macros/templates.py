"""The templates of `syntax-rules`: what replaces a use of a macro.

    ((lambda (name ...) . body) value ...)   with  name: a, b   value: 1, 2   body: ((f a b))
    =>  ((lambda (a b) (f a b)) 1 2)

Data from the use keep their spans.  Data from the template get the span of the use, and each symbol
becomes an alias, the same one throughout one expansion.

More ellipses may follow a variable in the template than in the pattern.  It then repeats with as
many of them as it needs: with those that otherwise repeat nothing, then with the outermost.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import assert_never

from lambent.lang.core.denotation import Alias, AliasKeyword, Key, key_of
from lambent.lang.core.macros.patterns import Many, Match, Words
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
from lambent.lang.system.dataclass import dataclass, field


@dataclass(frozen=True, slots=True)
class Insert:
    """An occurrence of a pattern variable; number identifies it."""

    key: Key
    number: int


@dataclass(frozen=True, slots=True)
class Introduce:
    """A symbol or an atom of the template itself."""

    datum: Datum


@dataclass(frozen=True, slots=True)
class Row:
    container: type[List] | type[Vector] | type[Brackets]
    items: "tuple[Template, ...]"
    tail: "Template | None"


@dataclass(slots=True, eq=False)
class Repeat:
    """`item <ellipsis>`; drivers: the occurrences of variables over whose matches it repeats."""

    item: "Template"
    inside: list[int]
    drivers: list[int] = field(default_factory=list)


Template = Insert | Introduce | Row | Repeat


def parse_template(datum: Datum, depths: Mapping[Key, int], words: Words) -> Template:
    """The template of a rule; depths are those of the pattern's variables."""
    parser = _Parser(words.form, depths, words)
    template = parser.parse(datum, [])
    parser.choose_drivers()
    return template


@dataclass(slots=True)
class _Use:
    """An occurrence of a variable: the repeats around it, outermost first; how many it needs."""

    symbol: Symbol
    around: list[Repeat]
    needs: int


@dataclass(slots=True)
class _Parser:
    form: str  # that messages name
    depths: Mapping[Key, int]
    words: Words | None  # None where an ellipsis is an ordinary symbol
    uses: list[_Use] = field(default_factory=list)
    repeats: list[tuple[Repeat, Span]] = field(default_factory=list)  # innermost first

    def parse(self, datum: Datum, around: list[Repeat]) -> Template:
        match datum:
            case Symbol():
                return self._symbol(datum, around)
            case List((first, escaped), None) if self._is_ellipsis(first):
                words, self.words = self.words, None
                template = self.parse(escaped, around)
                self.words = words
                return template
            case List(items, tail):
                last = None if tail is None else self.parse(tail, around)
                return Row(List, self._items(items, around), last)
            case Vector(items):
                return Row(Vector, self._items(items, around), None)
            case Brackets(items):
                return Row(Brackets, self._items(items, around), None)
            case Keyword() if self._is_ellipsis(datum):
                raise self._lonely(datum)
            case Labelled() | Reference():
                return Introduce(datum)
            case Keyword() | Number() | Boolean() | String() | Character() | Bytes():
                return Introduce(datum)
        assert_never(datum)

    def _symbol(self, symbol: Symbol, around: list[Repeat]) -> Template:
        depth = self.depths.get(key_of(symbol))
        if depth is None:
            if self._is_ellipsis(symbol):
                raise self._lonely(symbol)
            return Introduce(symbol)
        if len(around) < depth:
            raise SyntaxFault(
                f"{self.form}: {symbol.name} is before {_ellipses(depth)} in the pattern, "
                f"but before {_ellipses(len(around))} in the template", symbol.span)
        number = len(self.uses)
        self.uses.append(_Use(symbol, list(around), depth))
        for repeat in around:
            repeat.inside.append(number)
        return Insert(key_of(symbol), number)

    def _items(self, items: Sequence[Datum], around: list[Repeat]) -> tuple[Template, ...]:
        templates: list[Template] = []
        at = 0
        while at < len(items):
            following = at + 1
            while following < len(items) and self._is_ellipsis(items[following]):
                following += 1
            templates.append(self._repeated(items[at], items[at + 1 : following], around))
            at = following
        return tuple(templates)

    def _repeated(
        self, item: Datum, ellipses: Sequence[Datum], around: list[Repeat]
    ) -> Template:
        """`item <ellipsis> ...`: the first ellipsis is the innermost repeat."""
        new = [Repeat(Introduce(item), []) for _ in ellipses]  # the items are set below
        template = self.parse(item, [*around, *reversed(new)])
        for repeat, ellipsis in zip(new, ellipses, strict=True):
            repeat.item = template
            self.repeats.append((repeat, ellipsis.span))
            template = repeat
        return template

    def _lonely(self, ellipsis: Datum) -> SyntaxFault:
        return SyntaxFault(f"{self.form}: nothing precedes the ellipsis", ellipsis.span)

    def _is_ellipsis(self, datum: Datum) -> bool:
        return self.words is not None and self.words.is_ellipsis(datum)

    def choose_drivers(self) -> None:
        """Decide with which of the ellipses around it each variable repeats."""
        for number, use in enumerate(self.uses):
            if use.needs == len(use.around):
                self._drive(number, list(use.around))
        for repeat, span in self.repeats:
            if repeat.drivers:
                continue
            useful = [number for number in repeat.inside if self.uses[number].needs > 0]
            if not useful:
                raise SyntaxFault(f"{self.form}: nothing repeats before this ellipsis", span)
            for number in useful:
                self._drive(number, [repeat])
        for number, use in enumerate(self.uses):
            self._drive(number, use.around[: use.needs])

    def _drive(self, number: int, repeats: Sequence[Repeat]) -> None:
        use = self.uses[number]
        for repeat in repeats:
            repeat.drivers.append(number)
            use.around.remove(repeat)
        use.needs -= len(repeats)


def _ellipses(count: int) -> str:
    return f"{count or 'no'} ellips{'is' if count == 1 else 'es' if count else 'is'}"


@dataclass(slots=True)
class Expander:
    """One expansion; span is for the data that the template introduces."""

    defined_in: Env
    span: Span
    aliases: dict[Key, Alias] = field(default_factory=dict)

    def expand(self, template: Template, matches: Mapping[Key, Match]) -> Datum:
        return self._build(template, {number: matches[key] for key, number in _inserts(template)})

    def _build(self, template: Template, values: Mapping[int, Match]) -> Datum:
        match template:
            case Insert(_, number):
                value = values[number]
                assert not isinstance(value, Many), template
                return value
            case Introduce(datum):
                return self._introduced(datum)
            case Row(container, items, tail):
                return self._row(container, items, tail, values)
            case Repeat():
                raise AssertionError("only lists repeat their items")
        assert_never(template)

    def _introduced(self, datum: Datum) -> Datum:
        match datum:
            case Symbol():
                return self.alias(datum)
            case Keyword(name):
                return AliasKeyword(name, self.span, self.alias(Symbol(name, self.span)))
            case Number(value):
                return Number(value, self.span)
            case Boolean(truth):
                return Boolean(truth, self.span)
            case String(text):
                return String(text, self.span)
            case Character(char):
                return Character(char, self.span)
            case Bytes(data):
                return Bytes(data, self.span)
            case Labelled() | Reference():
                return datum
            case List() | Vector() | Brackets():
                raise AssertionError("these are rows")
        assert_never(datum)

    def alias(self, symbol: Symbol) -> Alias:
        """What a symbol that the expansion introduces becomes: the same one each time."""
        key = key_of(symbol)
        if key not in self.aliases:
            self.aliases[key] = Alias(
                symbol.name, self.span, symbol, self.defined_in, self.alias
            )
        return self.aliases[key]

    def _row(
        self,
        container: type[List] | type[Vector] | type[Brackets],
        items: Sequence[Template],
        tail: Template | None,
        values: Mapping[int, Match],
    ) -> Datum:
        data: list[Datum] = []
        for item in items:
            data += self._all(item, values)
        if container is Vector or container is Brackets:
            return container(tuple(data), self.span)
        end = None if tail is None else self._build(tail, values)
        if isinstance(end, List):  # (a . (b c)) is (a b c)
            if not data:
                return end
            return List((*data, *end.items), end.tail, self.span)
        if end is not None and not data:
            return end
        return List(tuple(data), end, self.span)

    def _all(self, template: Template, values: Mapping[int, Match]) -> Iterator[Datum]:
        """The data that an item of a template becomes in a list."""
        if not isinstance(template, Repeat):
            yield self._build(template, values)
            return
        for iteration in self._iterations(template, values):
            yield from self._all(template.item, iteration)

    def _iterations(
        self, repeat: Repeat, values: Mapping[int, Match]
    ) -> Iterator[Mapping[int, Match]]:
        columns: dict[int, tuple[Match, ...]] = {}
        for number in repeat.drivers:
            value = values[number]
            assert isinstance(value, Many), number
            columns[number] = value.items
        lengths = {len(items) for items in columns.values()}
        if len(lengths) > 1:
            counts = " and ".join(map(str, sorted(lengths)))
            raise SyntaxFault(f"cannot repeat over sequences of {counts} items together", self.span)
        inside = {number: values[number] for number in repeat.inside}
        for i in range(lengths.pop()):
            yield inside | {number: items[i] for number, items in columns.items()}


def _inserts(template: Template) -> Iterator[tuple[Key, int]]:
    match template:
        case Insert(key, number):
            yield key, number
        case Row(_, items, tail):
            for item in items:
                yield from _inserts(item)
            if tail is not None:
                yield from _inserts(tail)
        case Repeat():
            yield from _inserts(template.item)
