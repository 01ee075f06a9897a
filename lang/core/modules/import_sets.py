"""Import sets: from `(prefix (only "shapes.lisp" area) s:)` to the names that it brings.

    names_of(datum, find)  =>  ImportSet('"shapes.lisp"', {"s:area": GlobalName("area{shapes}")})
"""

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches

from lambent.lang.core.denotation import Denotation
from lambent.lang.core.special_forms import shown
from lambent.lang.errors import SyntaxFault
from lambent.lang.syntax.datum import Datum, List, String, Symbol
from lambent.lang.system.dataclass import dataclass

_MODIFIERS = ("only", "except", "prefix", "rename")
_USAGE = "\"file.lisp\", (library name), or (only set name ...), except, prefix, rename"

# What a name means; None for a word that only special forms recognise, such as `else`.
Names = Mapping[str, Denotation | None]


@dataclass(frozen=True, slots=True)
class ImportSet:
    """The names that an import set selects.

    title: how messages show the file or library.
    ambient: the names are visible without an import, too.
    lacking: names of the library that Lambent does not implement.
    """

    title: str
    names: Names
    ambient: bool
    lacking: Sequence[str] = ()


def names_of(datum: Datum, find: Callable[[Datum], ImportSet]) -> ImportSet:
    """The names of an import set.  find looks up the library or file inside the modifiers."""
    match datum:
        case List((Symbol(word), List() | String() as inner, *rest), None) if word in _MODIFIERS:
            imported = names_of(inner, find)
            names = _modified(word, imported, rest, datum)
            return ImportSet(imported.title, names, imported.ambient, imported.lacking)
        case String() | List((_, *_), None):
            return find(datum)
    raise _bad_set(datum)


def _modified(word: str, imported: ImportSet, rest: list[Datum], form: Datum) -> Names:
    names = imported.names
    match word:
        case "only":
            return {s.name: names[s.name] for s in _known(rest, imported, form)}
        case "except":
            left_out = {s.name for s in _known(rest, imported, form)}
            return {name: meaning for name, meaning in names.items() if name not in left_out}
        case "prefix":
            if len(rest) == 1 and isinstance(rest[0], Symbol):
                return {rest[0].name + name: meaning for name, meaning in names.items()}
        case "rename":
            pairs = [item.items for item in rest if isinstance(item, List) and item.tail is None]
            if len(pairs) == len(rest) and all(len(pair) == 2 for pair in pairs):
                old = _known([pair[0] for pair in pairs], imported, form)
                new = _symbols([pair[1] for pair in pairs], form)
                renamed = {o.name: n.name for o, n in zip(old, new, strict=True)}
                return {renamed.get(name, name): meaning for name, meaning in names.items()}
    raise _bad_set(form)


def _known(data: list[Datum], imported: ImportSet, form: Datum) -> list[Symbol]:
    """The symbols of a list of names, each of which the set must export."""
    symbols = _symbols(data, form)
    for symbol in symbols:
        if symbol.name in imported.lacking:
            raise SyntaxFault(
                f"import: Lambent has {imported.title} without {symbol.name}",
                symbol.span,
                hint=f"it lacks {', '.join(imported.lacking)}",
            )
        if symbol.name not in imported.names:
            near = get_close_matches(symbol.name, sorted(imported.names), n=1)
            raise SyntaxFault(
                f"import: {imported.title} does not export {symbol.name}",
                symbol.span,
                hint=f"did you mean {near[0]}?" if near else None,
            )
    return symbols


def _symbols(data: list[Datum], form: Datum) -> list[Symbol]:
    symbols = [datum for datum in data if isinstance(datum, Symbol)]
    if len(symbols) < len(data):
        raise _bad_set(form)
    return symbols


def _bad_set(datum: Datum) -> SyntaxFault:
    return SyntaxFault(f"import: expected {_USAGE}, got {shown(datum)}", datum.span)
