"""The library: what `stdlib/*.lisp` defines, and the definitions that a program needs.

    with_library(Program(... (Global map LIBRARY) ...))
    =>  Program((Define %map-one ...), (Define map ...), ...)

The interpreter loads the library once; an executable contains only what its program reaches.  A
macro of the library is ambient, as its procedures are.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from lambent.lang.core.analyze import analyze
from lambent.lang.core.denotation import Macro
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
from lambent.lang.deep import call_deep
from lambent.lang.syntax.reader import read
from lambent.lang.syntax.source import Source

_FIRST = "prelude.lisp"  # what the other files use while they are loaded
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


@cache
def _cached() -> CachedLibrary:
    return cached_library(lambda: call_deep(_analysed))


def _analysed() -> CachedLibrary:
    definitions = _definitions()
    files: dict[str, list[str]] = {}
    for form in definitions:
        if not form.name.startswith("%"):
            files.setdefault(Path(form.span.source.name).stem, []).append(form.name)
    return CachedLibrary(
        {form.name: pickled(form) for form in definitions},
        {form.name: tuple(sorted(_library_uses(form.value))) for form in definitions},
        {file: tuple(names) for file, names in files.items()},
        tuple([name for source in library_sources() for name in _MACRO.findall(source.text)]),
    )


class LibraryMacros(Mapping[str, Macro]):
    """The macros of the library, which is analysed when the first of them is used."""

    def __init__(self) -> None:
        self._names = frozenset(_cached().macros)

    def __getitem__(self, name: str) -> Macro:
        if name not in self._names:
            raise KeyError(name)
        macro = _library()[1].names[name]
        assert isinstance(macro, Macro), name
        return macro

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._names))

    def __len__(self) -> int:
        return len(self._names)


def load_library() -> Program:
    """The whole library as Core, in the order in which it runs."""
    return _library()[0]


@cache
def _library() -> tuple[Program, Scope]:
    data = [datum for source in library_sources() for datum in read(source)]
    scope = Scope(namespace=Namespace.LIBRARY)
    program = analyze(data, scope)
    names: set[str] = set()
    for form in program.forms:
        assert isinstance(form, Define), f"{form.span.location}: the library holds definitions only"
        assert form.name not in names, f"{form.span.location}: {form.name} is defined twice"
        names.add(form.name)
    return program, scope


def library_sources() -> list[Source]:
    """The library's files, in order."""
    paths = sorted(LIBRARY.rglob("*.lisp"), key=lambda path: (path.name != _FIRST, path.name))
    return [library_source(f"stdlib/{path.relative_to(LIBRARY)}") for path in paths]


def with_library(program: Program) -> Program:
    """The program, preceded by the definitions of the library that it reaches."""
    return call_deep(_with_library, program)


def _with_library(program: Program) -> Program:
    cached = _cached()
    reached: set[str] = set()
    waiting = [name for form in program.forms for name in _library_uses(form)]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += cached.uses[name]
    needed = [library_definition(name) for name in cached.definitions if name in reached]
    return Program((*needed, *program.forms))


def _definitions() -> list[Define]:
    return [form for form in load_library().forms if isinstance(form, Define)]


def _library_uses(core: Core) -> frozenset[str]:
    """The library's names that an expression mentions."""
    return frozenset(
        node.name
        for node in walk(core)
        if isinstance(node, Global | SetGlobal) and node.namespace is Namespace.LIBRARY
    )
