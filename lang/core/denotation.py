"""What a name can mean, and identifiers: names in a program's text or in a macro's template.

    car in a program           =>  the Primitive car
    x inside (lambda (x) ...)  =>  Variable("x")
    if                         =>  a SpecialForm

An identifier is a Symbol.  One that a macro's template put into a program is an Alias.  It refers
to the binding of the alias itself, or, without one, to what its original means where the macro was
defined.  So a template's names never clash with the names around a use of the macro.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from lambent.lang.core.ir import Core, Namespace
from lambent.lang.primitives.table import Primitive
from lambent.lang.syntax.datum import (
    Boolean,
    Brackets,
    Datum,
    Keyword,
    Labelled,
    List,
    Symbol,
    Vector,
)
from lambent.lang.system.dataclass import dataclass, field

if TYPE_CHECKING:
    from lambent.lang.core.scope import Env


@dataclass(frozen=True, slots=True, eq=False)
class Alias(Symbol):
    """An identifier from a template.  Each expansion creates its own: it equals only itself.

    env: what surrounds the macro's definition.  siblings: the identifiers of other symbols from the
    same expansion, if it was one of a template.
    """

    original: Symbol = field(repr=False)
    env: "Env" = field(repr=False)
    siblings: "Callable[[Symbol], Alias] | None" = field(default=None, repr=False)

    __eq__ = object.__eq__
    __hash__ = object.__hash__


@dataclass(frozen=True, slots=True, eq=False)
class AliasKeyword(Keyword):
    """A keyword from a template: as a keyword parameter it binds this alias of its name."""

    symbol: Alias = field(repr=False)

    __eq__ = object.__eq__
    __hash__ = object.__hash__


Key = str | Alias  # the key of a name in tables: see `key_of`


def key_of(symbol: Symbol) -> Key:
    """The key of a symbol: its name if it is from the program's text; an alias is its own key."""
    return symbol if isinstance(symbol, Alias) else symbol.name


def plain(datum: Datum) -> Datum:
    """The datum without aliases, as constants need it."""
    match datum:
        case Alias(name, span):
            return Symbol(name, span)
        case AliasKeyword(name, span):
            return Keyword(name, span)
        case List(items, tail, span):
            kept = tuple([plain(item) for item in items])
            end = None if tail is None else plain(tail)
            return datum if _same(kept, items) and end is tail else List(kept, end, span)
        case Vector(items, span):
            kept = tuple([plain(item) for item in items])
            return datum if _same(kept, items) else Vector(kept, span)
        case Brackets(items, span):
            kept = tuple([plain(item) for item in items])
            return datum if _same(kept, items) else Brackets(kept, span)
        case Labelled(number, labelled, span):
            return Labelled(number, plain(labelled), span)
    return datum


def _same(one: tuple[Datum, ...], other: tuple[Datum, ...]) -> bool:
    return all(a is b for a, b in zip(one, other, strict=True))


# What names mean.


@dataclass(frozen=True, slots=True)
class Variable:
    """A local variable, by its unique name."""

    name: str


@dataclass(frozen=True, slots=True)
class GlobalName:
    """A top-level variable, by its name in Core.

    A module may see it under another name: `(import (prefix "m.lisp" m:))`.
    """

    name: str
    namespace: Namespace


@dataclass(frozen=True, slots=True)
class Constant:
    """A name for a constant: `t`."""

    value: Boolean


@dataclass(frozen=True, slots=True)
class SpecialForm:
    """A form whose meaning is a Python function from the form to Core."""

    name: str
    usage: str
    handler: Callable[[List, "Env"], Core]


@dataclass(frozen=True, slots=True)
class Macro:
    """A form that another form replaces.

    expand returns that form for a use and the environment around it.  visible: messages about the
    expansion name the macro; they do not name macros of the library and the language.
    value returns what a mention of the name that is not a use of the form stands for, if it may
    stand for a value; assigned, what a `set!` of the name does.
    repeats: of a variable of a pattern of syntax-case, the variable that holds its matches, and how
    many ellipses follow it in the pattern.
    """

    name: str
    expand: Callable[[List, "Env"], Datum]
    usage: str
    visible: bool = True
    doc: str | None = None
    value: "Callable[[Symbol, Env], Datum] | None" = None
    assigned: "Callable[[List, Env], Datum] | None" = None
    repeats: tuple[Symbol, int] | None = None


Denotation = Variable | GlobalName | Constant | SpecialForm | Macro | Primitive
