"""What a name can mean, and identifiers: names as a program's text or a macro's template has them.

    car in a program           =>  the Primitive car
    x inside (lambda (x) ...)  =>  Variable("x")
    if                         =>  a SpecialForm

An identifier is a Symbol.  One that a macro's template put into a program is an Alias: it means
what binds the alias itself, and if nothing does, what its original means where the macro was
defined.  So a template's names never meet the names around a use of the macro.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
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

if TYPE_CHECKING:
    from lambent.lang.core.scope import Env


@dataclass(frozen=True, slots=True, eq=False)
class Alias(Symbol):
    """An identifier out of a template.  Each expansion makes its own: equal only to itself."""

    original: Symbol = field(repr=False)
    env: "Env" = field(repr=False)  # what surrounds the macro's definition

    __eq__ = object.__eq__
    __hash__ = object.__hash__


@dataclass(frozen=True, slots=True, eq=False)
class AliasKeyword(Keyword):
    """A keyword out of a template: as a keyword parameter it binds this alias of its name."""

    symbol: Alias = field(repr=False)

    __eq__ = object.__eq__
    __hash__ = object.__hash__


Key = str | Alias  # what tables of names are kept by: see `key_of`


def key_of(symbol: Symbol) -> Key:
    """All symbols of a name that the program's text holds are one identifier; no alias is."""
    return symbol if isinstance(symbol, Alias) else symbol.name


def plain(datum: Datum) -> Datum:
    """The datum without aliases: what it is as a constant."""
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
    """A top-level variable, by the name that it has in Core.

    That need not be the name by which a module sees it: `(import (prefix "m.lisp" m:))`.
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
    """A form that stands for another one.

    expand gives the other form for a use and what surrounds it.  visible: messages name the macro
    when something goes wrong in its expansion; those of the library and of the language are not
    the user's business.
    """

    name: str
    expand: Callable[[List, "Env"], Datum]
    usage: str
    visible: bool = True
    doc: str | None = None


Denotation = Variable | GlobalName | Constant | SpecialForm | Macro | Primitive
