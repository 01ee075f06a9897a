"""The patterns of `match`: what `match_parser.py` makes of those of SRFI 204.

    (x . rest)          =>  Pair(Bind x, Bind rest)
    `(add ,a ,b)        =>  Pair(Literal add, Pair(Bind a, Pair(Bind b, Literal ())))
    (key value ... end) =>  Pair(Bind key, Repeat(Bind value, after=(Bind end,), tail=Literal ()))
"""

from collections.abc import Iterator

from lambent.lang.syntax.datum import Datum, Symbol
from lambent.lang.system.dataclass import dataclass

# Predicates without effects.  Those of different rows hold for different objects.
DISJOINT_PREDICATES = (
    ("pair?",),
    ("null?",),
    ("vector?",),
    ("symbol?",),
    ("keyword?",),
    ("string?",),
    ("char?",),
    ("boolean?",),
    ("hash-table?",),
    ("number?", "integer?", "exact-integer?", "real?", "rational?"),
)


@dataclass(frozen=True, slots=True)
class Anything:
    """`_`"""


@dataclass(frozen=True, slots=True)
class Bind:
    """A variable."""

    symbol: Symbol


@dataclass(frozen=True, slots=True)
class Same:
    """A variable that stands in the pattern before: an equal value."""

    symbol: Symbol


@dataclass(frozen=True, slots=True)
class Literal:
    """A datum without elements, or the empty list or vector."""

    datum: Datum


@dataclass(frozen=True, slots=True)
class Pair:
    car: "Pattern"
    cdr: "Pattern"


@dataclass(frozen=True, slots=True)
class VectorOf:
    """A vector that has exactly these elements."""

    items: "tuple[Pattern, ...]"


@dataclass(frozen=True, slots=True)
class Elements:
    """The elements of what is a vector already."""

    items: "tuple[Pattern, ...]"


@dataclass(frozen=True, slots=True)
class Repeat:
    """`item ... after ... . tail`, from least to most times."""

    item: "Pattern"
    least: int
    most: int | None
    after: "tuple[Pattern, ...]"
    tail: "Pattern"


@dataclass(frozen=True, slots=True)
class VectorRepeat:
    """The elements of a vector, of which one pattern is repeated.  The repetition has no tail."""

    before: "tuple[Pattern, ...]"
    repeat: Repeat


@dataclass(frozen=True, slots=True)
class Record:
    """`($ type field ...)`"""

    type: Symbol
    fields: "tuple[Pattern, ...]"


@dataclass(frozen=True, slots=True)
class NamedFields:
    """`(@ type (field pattern) ...)`, after the test of the type."""

    fields: "tuple[tuple[Symbol, Pattern], ...]"


@dataclass(frozen=True, slots=True)
class Entries:
    """`(hash-table key pattern ...)`, after the test that it is a hash table."""

    entries: "tuple[tuple[Datum, Pattern], ...]"


@dataclass(frozen=True, slots=True)
class TypeTest:
    """`(? number?)`: a predicate of the language that has no effects."""

    predicate: str


@dataclass(frozen=True, slots=True)
class Predicate:
    """`(? predicate)`"""

    procedure: Datum


@dataclass(frozen=True, slots=True)
class Apply:
    """`(= procedure pattern)`"""

    procedure: Datum
    pattern: "Pattern"


@dataclass(frozen=True, slots=True)
class Getter:
    """`(get! name)`: the name of a procedure that returns what stands there."""

    symbol: Symbol


@dataclass(frozen=True, slots=True)
class Setter:
    """`(set! name)`: the name of a procedure that replaces what stands there."""

    symbol: Symbol


@dataclass(frozen=True, slots=True)
class Search:
    """`(head *** found)`: the tree itself, or one somewhere below lists that begin with heads."""

    head: "Pattern"
    found: "Pattern"


@dataclass(frozen=True, slots=True)
class And:
    patterns: "tuple[Pattern, ...]"


@dataclass(frozen=True, slots=True)
class Or:
    patterns: "tuple[Pattern, ...]"


@dataclass(frozen=True, slots=True)
class Not:
    pattern: "Pattern"


Pattern = (
    Anything
    | Bind
    | Same
    | Literal
    | Pair
    | VectorOf
    | Elements
    | Repeat
    | VectorRepeat
    | Record
    | NamedFields
    | Entries
    | TypeTest
    | Predicate
    | Apply
    | Getter
    | Setter
    | Search
    | And
    | Or
    | Not
)


def variables(pattern: Pattern) -> list[Symbol]:
    """The variables that a pattern binds, in order."""
    return list(_variables(pattern))


def _variables(pattern: Pattern) -> Iterator[Symbol]:
    match pattern:
        case Bind(symbol) | Getter(symbol) | Setter(symbol):
            yield symbol
        case Search(head, found):
            yield from _variables(head)
            yield from _variables(found)
        case Pair(car, cdr):
            yield from _variables(car)
            yield from _variables(cdr)
        case VectorOf(items) | Elements(items) | Record(_, items) | And(items):
            for item in items:
                yield from _variables(item)
        case Repeat(item, _, _, after, tail):
            for inner in (item, *after, tail):
                yield from _variables(inner)
        case VectorRepeat(before, repeat):
            for inner in (*before, repeat):
                yield from _variables(inner)
        case NamedFields(pairs) | Entries(pairs):
            for _, inner in pairs:
                yield from _variables(inner)
        case Apply(_, inner):
            yield from _variables(inner)
        case Or(patterns):
            yield from _variables(patterns[0])
