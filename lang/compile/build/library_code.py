"""Library functions are compiled once for all programs that have the same C of them.

A program is analysed as a whole, so the C of a library function depends on facts of this program:
types, borrowing, failures.  In most programs these are the same.  So each library function is named
by a hash of its C and of all that it calls.  If the cache has a function of that name, it is linked
instead of compiled:

    lib_map__5d1c0a2e77   =>   ~/.cache/lambent/functions-.../4f09ab1c-8d03e5f2.o

Missing functions are compiled, those of one file of the library together, and kept (kept_code.py).
A name determines the text, so functions compiled for other programs can be used, and are never out
of date.  Small functions are not exported; they are `static inline` in each file that calls them.
"""

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from zlib import crc32

from lambent.lang.compile.c.emit_c import library_file_text, program_file_text
from lambent.lang.compile.c.emit_tables import Tables, is_small
from lambent.lang.compile.c.names import c_suffix
from lambent.lang.compile.ir.anf import (
    Anf,
    Bind,
    Function,
    Literal,
    Operation,
)
from lambent.lang.compile.ir.operands import all_blocks
from lambent.lang.compile.types.callers import mentioned
from lambent.lang.core.ir import Namespace
from lambent.lang.core.strong_components import strongly_connected_components
from lambent.lang.deep import call_deep
from lambent.lang.primitives.table import Primitive
from lambent.lang.syntax.datum import Bytes, Labelled, List, String, Vector
from lambent.lang.system.dataclass import dataclass

_DIGITS = 16  # of a hash in a C name


@dataclass(frozen=True, slots=True)
class LibraryFunction:
    """An exported function.  symbol: its C name.  file: that of the library which defines it.
    calls: the ANF names of the exported functions that it uses.  variables, primitives: those that
    the program's file must define for it."""

    name: str
    symbol: str
    file: str
    calls: tuple[str, ...]
    variables: tuple[str, ...]
    primitives: tuple[Primitive, ...]


@dataclass(frozen=True, slots=True)
class SplitProgram:
    """A program whose library functions have names for the cache.

    functions: those that it reaches, callees included, by their ANF names.
    """

    anf: Anf
    tables: Tables
    functions: Mapping[str, LibraryFunction]

    def program_text(self, other_literals: Sequence[str]) -> str:
        """The C of the program's file.  other_literals: the tables of constants of other files."""
        tables = self.tables
        for function in self.functions.values():
            for name in function.variables:
                tables.variable(name, Namespace.LIBRARY)
            for primitive in function.primitives:
                tables.primitive_closure_name(primitive)
        return call_deep(program_file_text, tables, self.anf, other_literals=other_literals)

    def library_text(self, names: Sequence[str], literals_name: str) -> str:
        """The C of a file with some of the functions.  literals_name: its table of constants."""
        return call_deep(
            library_file_text, self.tables.for_other_file(), self.anf, names, literals_name
        )


def split_program(anf: Anf) -> SplitProgram:
    """A program with its library functions named by hashes of their C."""
    return call_deep(_split, anf)


def _split(anf: Anf) -> SplitProgram:
    names = [function.name for function in anf.functions if _is_exported(function)]
    drafts = {name: f"lib_{c_suffix(name)}__{crc32(name.encode()):08x}" for name in names}
    found = _described(anf, Tables.of(anf, drafts), drafts)
    symbols = {name: f"lib_{c_suffix(name)}__{digest}" for name, digest in _digests(found).items()}
    files = {function.name: function.span.source.name for function in anf.functions}
    functions = {
        name: LibraryFunction(name, symbols[name], files[name], *found[name].needs)
        for name in found
    }
    return SplitProgram(anf, Tables.of(anf, symbols), functions)


def _is_exported(function: Function) -> bool:
    """Whether a function is exported: one of the library, unless it is small and has no mutable
    constants, which copies of it would not share."""
    if not function.owner.is_library:
        return False
    return function.escapes or not is_small(function) or any(_mutable_constants(function))


def _mutable_constants(function: Function) -> Iterator[Operation]:
    for block in all_blocks(function.body):
        for statement in block.statements:
            match statement:
                case Bind(operation=Literal(String() | List() | Vector() | Bytes() | Labelled())):
                    yield statement.operation


# Names.


@dataclass(frozen=True, slots=True)
class _Draft:
    """The C of a function as a separate file, with provisional names of exported functions."""

    text: str
    needs: tuple[tuple[str, ...], tuple[str, ...], tuple[Primitive, ...]]


def _described(anf: Anf, tables: Tables, drafts: Mapping[str, str]) -> dict[str, _Draft]:
    """The functions that the program reaches."""
    found: dict[str, _Draft] = {}
    own_functions = [f for f in (*anf.functions, anf.main) if f.name not in drafts]
    reached = [name for function in own_functions for name in mentioned(function)]
    waiting = [name for name in dict.fromkeys(reached) if name in drafts]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        own = tables.for_other_file()
        text = library_file_text(own, anf, [name], "literals_of_file")
        calls = tuple([other for other in own.called if other in drafts and other != name])
        needs = (calls, tuple(own.shared), tuple(own.primitives.values()))
        found[name] = _Draft(text, needs)
        waiting.extend(calls)
    return found


def _digests(found: Mapping[str, _Draft]) -> dict[str, str]:
    """For each function a hash of its C and of the C of all functions that it reaches.

    The functions of a cycle of calls are hashed together.
    """
    component = strongly_connected_components(
        {name: draft.needs[0] for name, draft in found.items()}
    )
    members: dict[int, list[str]] = {}
    for name, number in component.items():
        members.setdefault(number, []).append(name)
    digests: dict[str, str] = {}
    # Components come after those that they lead to.
    for group in members.values():
        inside = set(group)
        digest = sha256()
        for name in sorted(group):
            digest.update(f"{name}\0{found[name].text}\0".encode(errors="surrogateescape"))
            outside = [f"{c}\0{digests[c]}" for c in found[name].needs[0] if c not in inside]
            digest.update("\0".join(sorted(outside)).encode())
        for name in group:
            of_name = digest.copy()
            of_name.update(name.encode())
            digests[name] = of_name.hexdigest()[:_DIGITS]
    return digests
