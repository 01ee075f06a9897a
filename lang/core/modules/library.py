"""The library: what `stdlib/*.lisp` defines.

The interpreter loads the library once; an executable contains only what its program reaches
(`lang/compile/units`).  A macro of the library is ambient, as its procedures are.

The folders of CLOSED are not ambient: a program asks for them with `use`, or imports them.  Their
definitions see the whole library, and have the folder's name in Core, as those of a module:
`list{lispe}`.  Their macros belong to them, too.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

from lambent.lang.core.analyze import analyze
from lambent.lang.core.denotation import Denotation, GlobalName, Macro
from lambent.lang.core.ir import Core, Define, Global, Namespace, Program, SetGlobal
from lambent.lang.core.modules.cached_library import (
    LIBRARY,
    CachedLibrary,
    cached_library,
    library_source,
    pickled,
    unpickled,
)
from lambent.lang.core.scope import Scope
from lambent.lang.core.traverse import walk
from lambent.lang.core.usage import module_of, plain_name
from lambent.lang.deep import call_deep
from lambent.lang.syntax.reader import read
from lambent.lang.syntax.source import Source

_FIRST = "prelude.lisp"  # what the other files use while they are loaded
# The folders that are not ambient, each with the folders before it whose public names it sees.
CLOSED: Mapping[str, tuple[str, ...]] = {
    "lispe": (),
    "srfi_13": (),
    "srfi_14": (),
    "srfi_27": (),
    "srfi_41": (),
    "srfi_64": (),
    "srfi_117": (),
    "srfi_128": (),
    "srfi_132": (),
    "srfi_141": (),
    "srfi_151": (),
    "srfi_158": (),
    "srfi_113": ("srfi_128",),
    "srfi_125": ("srfi_128",),
    "srfi_143": ("srfi_151",),
    "srfi_144": ("srfi_151",),
    "srfi_146": ("srfi_128",),
}
_SYNTAX = "(define-syntax "
_MACRO = re.compile(r"^\(define-syntax ([^\s()%][^\s()]*)", re.MULTILINE)


def library_names() -> frozenset[str]:
    """The names that the library defines."""
    return frozenset(_cached().definitions)


def library_names_by_file() -> Mapping[str, frozenset[str]]:
    """The public names that each file of the library defines, by its name without the ending."""
    return {file: frozenset(names) for file, names in _cached().files.items()}


@cache
def library_definition(name: str) -> Define:
    """What the library defines under a name."""
    return unpickled(_cached().definitions[name])


def definition_names() -> tuple[str, ...]:
    """All names that the library defines, in the order in which it runs."""
    return tuple(_cached().definitions)


def library_uses() -> Mapping[str, tuple[str, ...]]:
    """The library's names that each definition mentions."""
    return _cached().uses


def analyse_library() -> None:
    """Make sure that the library has been analysed."""
    _cached()


@cache
def _cached() -> CachedLibrary:
    return cached_library(lambda: call_deep(_analysed))


def _analysed() -> CachedLibrary:
    definitions = _definitions()
    files: dict[str, list[str]] = {}
    for form in definitions:
        if not form.name.startswith("%") and not module_of(form.name):
            files.setdefault(Path(form.span.source.name).stem, []).append(form.name)
    return CachedLibrary(
        {form.name: pickled(form) for form in definitions},
        {form.name: tuple(sorted(mentioned_library(form.value))) for form in definitions},
        {file: tuple(names) for file, names in files.items()},
        _macro_names(""),
    )


def closed_names(folder: str) -> Mapping[str, GlobalName | Macro]:
    """The public names that a closed folder defines, and what they mean."""
    names = {n: meaning for n, meaning in _defined(folder).items() if not n.startswith("%")}
    return {**names, **{name: _macro(name, folder) for name in _macro_names(folder)}}


def _defined(folder: str) -> dict[str, GlobalName]:
    """What a folder defines, by the names that its files show."""
    return {
        plain_name(name): GlobalName(name, Namespace.LIBRARY)
        for name in _cached().definitions
        if module_of(name) == folder
    }


class LibraryMacros(Mapping[str, Macro]):
    """The macros of the library, whose files are read when the first of them is used."""

    def __init__(self) -> None:
        self._names = frozenset(_cached().macros)

    def __getitem__(self, name: str) -> Macro:
        if name not in self._names:
            raise KeyError(name)
        return _macro(name, "")

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._names))

    def __len__(self) -> int:
        return len(self._names)


def _macro(name: str, folder: str) -> Macro:
    macro = _macro_scope(folder).names[name]
    assert isinstance(macro, Macro), name
    return macro


@cache
def _macro_scope(folder: str) -> Scope:
    """A scope with the macros of a folder, and the names of what they can mention.

    That is all that macros need: an analysis of the library would take seconds.
    """
    scope = Scope(namespace=Namespace.LIBRARY, module=folder)
    if folder:
        scope.names.update(_macro_scope("").names)
        for other in CLOSED[folder]:
            scope.names.update(closed_names(other))
    for source in _macro_sources(folder):
        macros = [datum for datum in read(source) if datum.span.text.startswith(_SYNTAX)]
        assert not analyze(macros, scope).forms, source.name
    own = _defined(folder)
    scope.names.update(own)
    scope.own.update(own)
    return scope


def _macro_names(folder: str) -> tuple[str, ...]:
    """The public macros of a folder."""
    return tuple([n for source in _macro_sources(folder) for n in _MACRO.findall(source.text)])


def _macro_sources(folder: str) -> list[Source]:
    return [source for source in library_sources(folder) if _SYNTAX in source.text]


def load_library() -> Program:
    """The whole library as Core, in the order in which it runs."""
    return _library()[0]


@cache
def _library() -> tuple[Program, Scope]:
    data = [datum for source in library_sources() for datum in read(source)]
    library = Scope(namespace=Namespace.LIBRARY)
    forms = [*analyze(data, library).forms]
    scopes: dict[str, Scope] = {}
    for folder, others in CLOSED.items():
        scopes[folder] = _closed_scope(folder, library, [scopes[other] for other in others])
        data = [datum for source in library_sources(folder) for datum in read(source)]
        forms += analyze(data, scopes[folder]).forms
    names: set[str] = set()
    for form in forms:
        assert isinstance(form, Define), f"{form.span.location}: the library holds definitions only"
        assert form.name not in names, f"{form.span.location}: {form.name} is defined twice"
        names.add(form.name)
    return Program(tuple(forms)), library


def _closed_scope(folder: str, library: Scope, others: Iterable[Scope]) -> Scope:
    """The scope of a folder whose definitions see the library, which does not see them.

    others: those of the folders whose public names they see, too.
    """
    macros = {name: meaning for name, meaning in _public(library) if isinstance(meaning, Macro)}
    names = frozenset(variable.name for variable in library.own.values())
    scope = Scope(names, Namespace.LIBRARY, macros, module=folder)
    for other in others:
        scope.names.update({n: m for n, m in _public(other) if not n.startswith("%")})
    return scope


def _public(scope: Scope) -> Iterator[tuple[str, Denotation]]:
    """The names of a scope's text, without those that only templates wrote."""
    for name, meaning in scope.names.items():
        if isinstance(name, str) and meaning is not None:
            yield name, meaning


def library_sources(folder: str = "") -> list[Source]:
    """The library's files, in order: the ambient ones, or those of a closed folder."""
    paths = sorted(LIBRARY.rglob("*.lisp"), key=lambda path: (path.name != _FIRST, path.name))
    chosen = [path for path in paths if _folder_of(path) == folder]
    return [library_source(f"stdlib/{path.relative_to(LIBRARY)}") for path in chosen]


def _folder_of(path: Path) -> str:
    """The closed folder that holds a file; "" if the file is ambient."""
    return path.parent.name if path.parent.name in CLOSED else ""


def _definitions() -> list[Define]:
    return [form for form in load_library().forms if isinstance(form, Define)]


def mentioned_library(core: Core) -> frozenset[str]:
    """The library's names that an expression mentions."""
    return frozenset(
        node.name
        for node in walk(core)
        if isinstance(node, Global | SetGlobal) and node.namespace is Namespace.LIBRARY
    )
