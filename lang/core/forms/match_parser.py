"""Parses the patterns of `match`, as SRFI 204 writes them.

    (head *** 'x)  =>  Search(Bind head, Literal x)

A word such as `and` or `?` is one only where the program has not given its name another meaning.
"""

import re
from collections.abc import Callable, Sequence

from lambent.lang.core.denotation import Key, key_of, plain
from lambent.lang.core.forms.match_patterns import (
    DISJOINT_PREDICATES,
    And,
    Anything,
    Apply,
    Bind,
    Entries,
    Getter,
    Literal,
    NamedFields,
    Not,
    Or,
    Pair,
    Pattern,
    Predicate,
    Record,
    Repeat,
    Same,
    Search,
    Setter,
    TypeTest,
    VectorOf,
    VectorRepeat,
)
from lambent.lang.core.macros.patterns import Words
from lambent.lang.core.scope import Env
from lambent.lang.core.special_forms import is_special, shape_hint, shown
from lambent.lang.errors import SyntaxFault
from lambent.lang.primitives.table import Primitive
from lambent.lang.syntax.datum import (
    Brackets,
    Datum,
    Labelled,
    List,
    Number,
    Reference,
    Symbol,
    Vector,
)
from lambent.lang.syntax.source import Span

_PREDICATES = frozenset(name for names in DISJOINT_PREDICATES for name in names) | {
    "list?",
    "procedure?",
}

# The words that may begin a list, with what must follow them.
_USAGES = {
    "quote": "(quote datum)",
    "quasiquote": "(quasiquote template)",
    "and": "(and pattern ...)",
    "or": "(or pattern ...)",
    "not": "(not pattern ...)",
    "?": "(? predicate pattern ...)",
    "=": "(= procedure pattern)",
    "$": "($ type field-pattern ...)",
    "struct": "(struct type field-pattern ...)",
    "@": "(@ type (field pattern) ...)",
    "object": "(object type (field pattern) ...)",
    "hash-table": "(hash-table key pattern ...)",
    "set!": "(set! name)",
    "get!": "(get! name)",
}

# What makes a pattern in other languages, with the pattern that it stands for here.
CONSTRUCTORS = {
    "list": "(a b)",
    "list*": "(a b . rest)",
    "cons": "(a . b)",
    "cons*": "(a b . rest)",
    "vector": "#(a b)",
}

# What may follow a repeated pattern: `...`, `___`, `**1`, `..3` and `__3`; `=..` and `*..` are
# followed by numbers.
_AT_LEAST = re.compile(r"(?:\.\.|__)([0-9]+)\Z")
_COUNTS = {"=..": 1, "*..": 2}
_REPETITIONS = {"=..": "pattern =.. count", "*..": "pattern *.. least most"}


def parse_pattern(
    datum: Datum, form: List, env: Env, constructors: list[Symbol] | None = None
) -> Pattern:
    """The pattern of a clause of a form; a SyntaxFault if it is malformed.

    constructors: gets the names of procedures that begin lists in it, where they are variables.
    """
    parser = _Parser(form, env)
    pattern = parser.pattern(datum, _Seen())
    if constructors is not None:
        constructors += parser.constructors
    return pattern


def parse_patterns(data: Sequence[Datum], form: List, env: Env) -> list[Pattern]:
    """Patterns that bind their variables together."""
    parser, seen = _Parser(form, env), _Seen()
    return [parser.pattern(datum, seen) for datum in data]


class _Seen:
    """The variables of a pattern so far, each with the ellipsis that it is repeated by."""

    def __init__(self, variables: dict[Key, object] | None = None, ellipsis: object = None) -> None:
        self.variables = {} if variables is None else variables
        self.ellipsis = ellipsis

    def copy(self) -> "_Seen":
        return _Seen(dict(self.variables), self.ellipsis)

    def repeated(self) -> "_Seen":
        """The same variables, within one more ellipsis."""
        return _Seen(self.variables, object())


_Parse = Callable[[Datum, _Seen], Pattern]


class _Parser:
    """Parses the patterns of one form."""

    def __init__(self, form: List, env: Env) -> None:
        self.form = form
        self.env = env
        self.words = Words(frozenset(), None, env)
        self.constructors: list[Symbol] = []

    def pattern(self, datum: Datum, seen: _Seen) -> Pattern:
        match datum:
            case Symbol():
                if self.words.is_underscore(datum):
                    return Anything()
                if self._repetition((datum,)) is not None:
                    raise self._fault("a pattern before the ellipsis", datum)
                return self._variable(datum, seen)
            case List((Symbol() as head, *operands), None):
                return self._headed(datum, head, operands, seen)
            case List(items, tail):
                return self._dotted_list(items, tail, seen)
            case Vector(items):
                return self._vector(items, seen, self.pattern)
        return self._literal(datum)

    def _dotted_list(self, items: Sequence[Datum], tail: Datum | None, seen: _Seen) -> Pattern:
        """A list pattern, which may be `(x . (get! y))` or `(x . 'y)`: the reader drops the dot."""
        for k, item in enumerate(items):
            if k > 0 and tail is None and isinstance(item, Symbol) and self._word(item) is not None:
                end = List(tuple(items[k:]), None, item.span)
                return self._list(items[:k], end, seen, self.pattern)
        return self._list(items, tail, seen, self.pattern)

    def _variable(self, symbol: Symbol, seen: _Seen) -> Pattern:
        key = key_of(symbol)
        if key not in seen.variables:
            seen.variables[key] = seen.ellipsis
            return Bind(symbol)
        if seen.variables[key] is not seen.ellipsis:
            name = symbol.name
            message = f"{self._who}: {name} appears twice, and not with the same ellipsis"
            raise SyntaxFault(message, symbol.span, f"give one of them another name than {name}")
        return Same(symbol)

    def _headed(
        self, datum: List, head: Symbol, operands: Sequence[Datum], seen: _Seen
    ) -> Pattern:
        """A list whose first item is a word of the pattern language, or an ordinary pattern."""
        match self._word(head), operands:
            case "quote", (quoted,):
                return self._quoted(quoted)
            case "quasiquote", (template,):
                return self._template(template, seen, 0)
            case "and", _:
                return And(tuple([self.pattern(item, seen) for item in operands]))
            case "or", ():
                return Not(Anything())
            case "or", _:
                return self._or(datum, operands, seen)
            case "not", _:
                return And(tuple([Not(self.pattern(item, seen.copy())) for item in operands]))
            case "?", (procedure, *inner):
                test = self._predicate(procedure)
                return And((test, *[self.pattern(item, seen) for item in inner]))
            case "=", (procedure, inner):
                return Apply(procedure, self.pattern(inner, seen))
            case "$" | "struct", (Symbol() as type_, *fields):
                return Record(type_, tuple([self.pattern(field, seen) for field in fields]))
            case "@" | "object", (Symbol() as type_, *fields):
                pairs = [self._field(field, seen) for field in fields]
                return And((Record(type_, ()), NamedFields(tuple(pairs))))
            case "hash-table", _ if len(operands) % 2 == 0:
                entries = zip(operands[::2], operands[1::2], strict=True)
                parsed = [(key, self.pattern(value, seen)) for key, value in entries]
                return And((TypeTest("hash-table?"), Entries(tuple(parsed))))
            case "get!", (Symbol() as name,):
                return Getter(self._name(name, datum, seen))
            case "set!", (Symbol() as name,):
                return Setter(self._name(name, datum, seen))
            case None, _:
                if operands and head.name in CONSTRUCTORS and self._is_ambient(head):
                    self.constructors.append(head)
                return self._dotted_list(datum.items, None, seen)
            case word, _:
                assert word is not None
                raise self._fault(_USAGES[word], datum)

    def _name(self, symbol: Symbol, datum: Datum, seen: _Seen) -> Symbol:
        """The name of `(get! name)` or `(set! name)`, which stands only once in a pattern."""
        if not isinstance(self.pattern(symbol, seen), Bind):
            raise self._fault("a name that the pattern does not have yet", datum)
        return symbol

    def _word(self, head: Symbol) -> str | None:
        """The word of the pattern language that a name is where the pattern stands."""
        name = head.name
        if name not in _USAGES:
            return None
        if name in ("quote", "quasiquote", "and", "or", "set!"):
            return name if is_special(head, name, self.env) else None
        return name if self._is_ambient(head) else None

    def _is_ambient(self, name: Symbol) -> bool:
        """Whether the program has not given a name another meaning."""
        plain_name = Symbol(name.name, name.span)
        ambient = self.env.unit.scope.ambient_env().resolve(plain_name, False)
        return self.env.resolve(name, False) == ambient

    def _or(self, datum: List, operands: Sequence[Datum], seen: _Seen) -> Pattern:
        scopes = [seen.copy() for _ in operands]
        patterns = tuple([self.pattern(d, s) for d, s in zip(operands, scopes, strict=True)])
        for scope in scopes:
            differing = scope.variables.keys() ^ scopes[0].variables.keys()
            if differing:
                names = sorted([key if isinstance(key, str) else key.name for key in differing])
                message = f"{self._who}: only some alternatives of or bind {', '.join(names)}"
                hint = f"bind {names[0]} in each of them, or write _ for it"
                raise SyntaxFault(message, datum.span, hint)
        seen.variables.update(scopes[0].variables)
        return patterns[0] if len(patterns) == 1 else Or(patterns)

    def _predicate(self, procedure: Datum) -> Pattern:
        meaning = self.env.resolve(procedure) if isinstance(procedure, Symbol) else None
        if isinstance(meaning, Primitive) and meaning.name in _PREDICATES:
            return TypeTest(meaning.name)
        return Predicate(procedure)

    def _field(self, datum: Datum, seen: _Seen) -> tuple[Symbol, Pattern]:
        match datum:
            case List((Symbol() as name, inner), None):
                return name, self.pattern(inner, seen)
        raise self._fault("(field pattern)", datum)

    # Data.

    def _literal(self, datum: Datum) -> Pattern:
        match datum:
            case Brackets() | Labelled() | Reference():
                raise self._fault("a pattern", datum)
        return Literal(plain(datum))

    def _quoted(self, datum: Datum) -> Pattern:
        match datum:
            case List((_, *_) as items, tail):
                result = self._quoted(tail) if tail is not None else _empty(datum.span)
                for item in reversed(items):
                    result = Pair(self._quoted(item), result)
                return result
            case Vector(items):
                return VectorOf(tuple([self._quoted(item) for item in items]))
        return self._literal(datum)

    def _template(self, datum: Datum, seen: _Seen, level: int) -> Pattern:
        """A quasiquoted pattern.  level counts the quasiquotes around it, without the first."""

        def inside(datum: Datum, seen: _Seen) -> Pattern:
            return self._template(datum, seen, level)

        match datum:
            case List((Symbol() as head, inner), None) if is_special(head, "unquote", self.env):
                if level == 0:
                    return self.pattern(inner, seen)
                return self._nested(datum, seen, level - 1)
            case List((Symbol() as head, _), None) if is_special(head, "quasiquote", self.env):
                return self._nested(datum, seen, level + 1)
            case List((Symbol() as head, _), None) if (
                level == 0 and is_special(head, "unquote-splicing", self.env)
            ):
                raise self._fault(",@ in a list or vector", datum)
            case List((_, *_) as items, tail):
                front, end = self._unquoted_end(items) if level == 0 else (items, None)
                front = self._repeated(front) if level == 0 else front
                return self._list(front, tail if end is None else end, seen, inside)
            case Vector(items):
                return self._vector(self._repeated(items) if level == 0 else items, seen, inside)
        return self._literal(datum)

    def _unquoted_end(self, items: Sequence[Datum]) -> tuple[Sequence[Datum], Datum | None]:
        """The items before `. ,end`, and `,end`; None if the items do not end so."""
        match items:
            case (_, *_, Symbol() as head, inner) if is_special(head, "unquote", self.env):
                return items[:-2], List((head, inner), None, inner.span)
        return items, None

    def _repeated(self, items: Sequence[Datum]) -> Sequence[Datum]:
        """The items, in which `,@pattern` is `,pattern ...`."""
        result: list[Datum] = []
        for item in items:
            match item:
                case List((Symbol() as head, inner), None, span) if (
                    is_special(head, "unquote-splicing", self.env)
                ):
                    unquoted = List((Symbol("unquote", head.span), inner), None, span)
                    result += [unquoted, Symbol("...", span)]
                case _:
                    result.append(item)
        return result

    def _nested(self, datum: List, seen: _Seen, level: int) -> Pattern:
        head, inner = datum.items
        rest = Pair(self._template(inner, seen, level), _empty(datum.span))
        return Pair(Literal(plain(head)), rest)

    # Lists and vectors.

    def _list(
        self, items: Sequence[Datum], tail: Datum | None, seen: _Seen, parse: _Parse
    ) -> Pattern:
        span = items[0].span if items else self.form.span
        match items:
            case (*first, head, Symbol() as word, found) if self._is_search(word) and tail is None:
                if self._ellipsis(first) is not None:
                    raise self._fault("a list (pattern *** pattern) around ***", word)
                before = [parse(item, seen) for item in first]
                return _after(before, Search(parse(head, seen.repeated()), parse(found, seen)))
        at = self._ellipsis(items)
        before = [parse(item, seen) for item in (items if at is None else items[: at - 1])]
        if at is not None:
            return _after(before, _plain_list(self._repeat(items[at - 1 :], tail, seen, parse)))
        return _after(before, _empty(span) if tail is None else parse(tail, seen))

    def _vector(self, items: Sequence[Datum], seen: _Seen, parse: _Parse) -> Pattern:
        at = self._ellipsis(items)
        if at is None:
            return VectorOf(tuple([parse(item, seen) for item in items]))
        before = tuple([parse(item, seen) for item in items[: at - 1]])
        repeat = self._repeat(items[at - 1 :], None, seen, parse)
        return And((TypeTest("vector?"), VectorRepeat(before, repeat)))

    def _ellipsis(self, items: Sequence[Datum]) -> int | None:
        """The index of the ellipsis among the items of a list or vector."""
        ellipses = [i for i in range(len(items)) if self._repetition(items[i:]) is not None]
        if len(ellipses) > 1:
            second = items[ellipses[1]]
            raise self._fault("one ellipsis in a list", second, "put one of them into a list")
        if ellipses and ellipses[0] == 0:
            raise self._fault("a pattern before the ellipsis", items[0])
        return ellipses[0] if ellipses else None

    def _is_search(self, word: Symbol) -> bool:
        return word.name == "***" and self.env.resolve(word, False) is None

    def _repetition(self, items: Sequence[Datum]) -> tuple[int, int | None, int] | None:
        """The least and the most of an ellipsis at the start of items, and its length in items."""
        word = items[0]
        if not isinstance(word, Symbol) or self.env.resolve(word, False) is not None:
            return None
        if self._is_search(word):
            raise self._fault("a list (pattern *** pattern) around ***", word)
        if word.name in ("...", "___"):
            return 0, None, 1
        if word.name == "**1":
            return 1, None, 1
        if at_least := _AT_LEAST.match(word.name):
            return int(at_least[1]), None, 1
        if word.name not in _COUNTS:
            return None
        size = 1 + _COUNTS[word.name]
        counts = [n.value for n in items[1:size] if isinstance(n, Number)]
        whole = [n for n in counts if isinstance(n, int) and n >= 0]
        if len(whole) != size - 1:
            raise self._fault(f"{_REPETITIONS[word.name]} with whole numbers", word)
        return whole[0], whole[-1], size

    def _repeat(
        self, items: Sequence[Datum], tail: Datum | None, seen: _Seen, parse: _Parse
    ) -> Repeat:
        """`item ... after ... . tail`"""
        repetition = self._repetition(items[1:])
        assert repetition is not None, items
        least, most, size = repetition
        item = parse(items[0], seen.repeated())
        after = tuple([parse(datum, seen) for datum in items[1 + size :]])
        end = _empty(items[0].span) if tail is None else parse(tail, seen)
        return Repeat(item, least, most, after, end)

    # Errors.

    @property
    def _who(self) -> str:
        head = self.form.items[0]
        assert isinstance(head, Symbol), head
        return head.name

    def _fault(self, expected: str, datum: Datum, hint: str | None = None) -> SyntaxFault:
        message = f"{self._who}: expected {expected}, got {shown(datum)}"
        return SyntaxFault(message, datum.span, shape_hint([datum]) or hint)


def _plain_list(repeat: Repeat) -> Pattern:
    """The pattern; of `(x ...)`, whose variable is the list itself, no loop is left."""
    match repeat:
        case Repeat(Anything() | Bind() as item, 0, None, (), Literal(List((), None))):
            return And((TypeTest("list?"), item))
    return repeat


def _after(before: Sequence[Pattern], result: Pattern) -> Pattern:
    """The pattern of a list that begins with elements, and what follows them."""
    for pattern in reversed(before):
        result = Pair(pattern, result)
    return result


def _empty(span: Span) -> Literal:
    return Literal(List((), None, span))
