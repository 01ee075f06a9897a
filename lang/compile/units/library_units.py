"""The library's units: the files of `stdlib` that use each other are compiled together, once.

    stdlib/language/list.lisp uses srfi-1.lisp, which uses list.lisp     one unit
    stdlib/language/string.lisp uses list.lisp, which does not use it    a unit that comes later

What follows from the text of the whole library is found here: which file defines what, which
procedures others call, which of them are worth a copy of their bodies where they are called, and
which need tensors.  This takes seconds, so it is kept in the cache.
"""

import pickle
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from lambent.lang.compile.closures.first_uses import calls_unknown
from lambent.lang.compile.closures.inline_facts import Body, Facts
from lambent.lang.compile.closures.top_level import TopLevel
from lambent.lang.core.ir import (
    Const,
    Define,
    Lambda,
    Namespace,
    Program,
    SetGlobal,
    Special,
)
from lambent.lang.core.modules.cached_library import LIBRARY, cached_entry, pickled, unpickled_node
from lambent.lang.core.modules.library import (
    CLOSED,
    definition_names,
    library_definition,
    library_sources,
    library_uses,
)
from lambent.lang.core.record_calls import is_record_procedure
from lambent.lang.core.strong_components import strongly_connected_components
from lambent.lang.core.tensor_use import mentions_tensors
from lambent.lang.core.traverse import walk
from lambent.lang.core.usage import plain_name
from lambent.lang.deep import call_deep
from lambent.lang.syntax.source import Source, Span
from lambent.lang.system.cache import key_of
from lambent.lang.system.dataclass import dataclass, replace

LARGEST_COPY = 40  # nodes of a body that programs copy although it calls nothing that it is given
_QUOTED = re.compile(r'"(%[^"\s]+)"')
_HIDDEN = Span(Source("library", "", library=True), 0, 0)


@dataclass(frozen=True, slots=True)
class LibraryUnits:
    """The units come after those that they use.

    files: of each unit, in order.  uses: the indices of the units that each uses.  digests: of the
    definitions of each unit.  file_of, unit_of: by definition.
    heads: the exported procedures, each as a pickle without a body.
    copied: those that programs may inline.  given: those among them that call a procedure that they
    are given; the library inlines only these.  records: the procedures of record types.
    tensors: the definitions that need LibTorch.  calling, assigned: as in `core.ir.Externals`.
    variables: the definitions that are not procedures, or that the library's code changes.
    """

    files: tuple[tuple[str, ...], ...]
    uses: tuple[tuple[int, ...], ...]
    digests: tuple[str, ...]
    file_of: Mapping[str, str]
    unit_of: Mapping[str, int]
    heads: Mapping[str, bytes]
    copied: frozenset[str]
    given: frozenset[str]
    records: frozenset[str]
    tensors: frozenset[str]
    calling: frozenset[str]
    assigned: frozenset[str]
    variables: frozenset[str]


@cache
def library_units() -> LibraryUnits:
    """The units of the library."""
    return LibraryUnits(*pickle.loads(units_data()))


CARRIED = "units"  # the entry's name in a wheel


def units_data() -> bytes:
    """What is known of the units, as bytes."""
    return cached_entry(CARRIED, lambda: call_deep(_units_as_bytes))


def _units_as_bytes() -> bytes:
    units = _found_units()
    return pickle.dumps(
        (
            units.files, units.uses, units.digests, units.file_of, units.unit_of, units.heads,
            units.copied, units.given, units.records, units.tensors, units.calling, units.assigned,
            units.variables,
        ),
        pickle.HIGHEST_PROTOCOL,
    )  # fmt: skip


@cache
def head(name: str) -> Lambda:
    """An exported procedure without its body."""
    found = unpickled_node(library_units().heads[name])
    assert isinstance(found, Lambda), name
    return found


def unit_definitions(index: int) -> list[str]:
    """The names that a unit defines, in the library's order."""
    units = library_units()
    return [name for name in definition_names() if units.unit_of[name] == index]


def reached(names: Sequence[str]) -> set[str]:
    """All definitions that some lead to, themselves included."""
    uses, found = library_uses(), set(names)
    waiting = list(found)
    while waiting:
        for name in uses[waiting.pop()]:
            if name not in found:
                found.add(name)
                waiting.append(name)
    return found


# From the text of the library.


def _found_units() -> LibraryUnits:
    definitions = {name: library_definition(name) for name in definition_names()}
    uses = library_uses()
    file_of = _files(definitions)
    files, between = _components(file_of, uses)
    index_of = {file: index for index, group in enumerate(files) for file in group}
    unit_of = {name: index_of[file] for name, file in file_of.items()}
    procedures = {n: d.value for n, d in definitions.items() if isinstance(d.value, Lambda)}
    assigned = _assigned(definitions)
    known = {name: code for name, code in procedures.items() if name not in assigned}
    bodies = _bodies(definitions, known)
    given = frozenset([n for n, b in bodies.items() if b.called and not b.is_too_large])
    small = [n for n, b in bodies.items() if b.may_move and b.size <= LARGEST_COPY]
    records = frozenset([name for name in bodies if is_record_procedure(procedures[name])])
    copied = given | records | frozenset(small)
    exports = _exports(definitions, unit_of, copied, uses) & bodies.keys()
    digests = [
        key_of(pickled(definitions[n]) for n in definitions if unit_of[n] == index)
        for index in range(len(files))
    ]
    return LibraryUnits(
        tuple(files),
        tuple(between),
        tuple(digests),
        file_of,
        unit_of,
        {name: pickled(_without_body(procedures[name])) for name in definitions if name in exports},
        copied & exports,
        given & exports,
        records & exports,
        _with_users(_direct_tensors(definitions), uses),
        _with_users([n for n, p in known.items() if calls_unknown(p, known.keys())], uses),
        assigned,
        frozenset(definitions.keys() - known.keys()),
    )


def _files(definitions: Mapping[str, Define]) -> dict[str, str]:
    """The file of each definition.  The spans of those that `define-record-type` adds do not say
    it: the first comes before that of the type's name, the others after it."""
    found: dict[str, str] = {}
    names = {source.name for folder in folders() for source in library_sources(folder)}
    file, early = "", list[str]()
    for name, definition in definitions.items():
        if definition.span.source.name in names:
            file = definition.span.source.name
            found |= dict.fromkeys(early, file)
            early.clear()
        elif name.startswith("%type:"):
            early.append(name)
            continue
        found[name] = file
    assert not early, early
    return found


def folders() -> tuple[str, ...]:
    """Those whose names are ambient, as one, and the closed ones."""
    return ("", *CLOSED)


def _components(
    file_of: Mapping[str, str], uses: Mapping[str, Sequence[str]]
) -> tuple[list[tuple[str, ...]], list[tuple[int, ...]]]:
    """The files of each unit, and the units that it uses."""
    edges: dict[str, dict[str, None]] = {file: {} for file in file_of.values()}
    for name, file in file_of.items():
        edges[file].update(dict.fromkeys(file_of[used] for used in uses[name]))
    numbers = strongly_connected_components({f: sorted(found) for f, found in edges.items()})
    groups: dict[int, list[str]] = {}
    for file, number in numbers.items():
        groups.setdefault(number, []).append(file)
    index = {number: i for i, number in enumerate(groups)}
    between = [
        tuple(sorted({index[numbers[t]] for f in group for t in edges[f]} - {index[number]}))
        for number, group in groups.items()
    ]
    return [tuple(sorted(group)) for group in groups.values()], between


def _assigned(definitions: Mapping[str, Define]) -> frozenset[str]:
    return frozenset(
        node.name
        for definition in definitions.values()
        for node in walk(definition.value)
        if isinstance(node, SetGlobal) and node.namespace is Namespace.LIBRARY
    )


def _bodies(
    definitions: Mapping[str, Define], procedures: Mapping[str, Lambda]
) -> dict[str, Body]:
    """What inlining asks of each procedure."""
    by_key = {(name, Namespace.LIBRARY): code for name, code in procedures.items()}
    facts = Facts.of(Program(tuple(definitions.values())), TopLevel((), by_key, {}))
    return {name: facts.body(code) for name, code in procedures.items()}


def _exports(
    definitions: Mapping[str, Define],
    unit_of: Mapping[str, int],
    copied: frozenset[str],
    uses: Mapping[str, Sequence[str]],
) -> set[str]:
    """What others may use: all public names, and private ones that another unit uses, the copy of a
    body, the value of a variable, a macro, or what the front end writes into programs."""
    found = {name for name in definitions if not name.startswith("%")}
    for name, definition in definitions.items():
        if name in copied or not isinstance(definition.value, Lambda):
            found.update(uses[name])
        found.update(used for used in uses[name] if unit_of[used] != unit_of[name])
    written = set(_names_in_macros()) | set(_names_of_front_end())
    return found | {name for name in definitions if plain_name(name) in written}


def _names_in_macros() -> Iterator[str]:
    for folder in folders():
        for source in library_sources(folder):
            if "(define-syntax " in source.text:
                yield from re.findall(r"%[^\s()'`,@\"\[\]]+", source.text)


def _names_of_front_end() -> Iterator[str]:
    for path in sorted((LIBRARY.parent / "lang" / "core").rglob("*.py")):
        yield from _QUOTED.findall(Path(path).read_text(encoding="utf-8"))


def _direct_tensors(definitions: Mapping[str, Define]) -> list[str]:
    return [name for name, definition in definitions.items() if mentions_tensors(definition.value)]


def _with_users(names: Sequence[str], uses: Mapping[str, Sequence[str]]) -> frozenset[str]:
    """The names, and all definitions that lead to one of them."""
    users: dict[str, list[str]] = {}
    for name, used in uses.items():
        for other in used:
            users.setdefault(other, []).append(name)
    found = set(names)
    waiting = list(found)
    while waiting:
        for user in users.get(waiting.pop(), ()):
            if user not in found:
                found.add(user)
                waiting.append(user)
    return frozenset(found)


def _without_body(code: Lambda) -> Lambda:
    body = Const(Special.UNSPECIFIED, _HIDDEN)
    return replace(code, body=body, span=_HIDDEN, doc=None)


__all__ = ["LibraryUnits", "head", "library_units", "reached", "unit_definitions"]
