"""The library's C beside the program's: functions that other programs have, too, are compiled once.

A program is analysed as a whole, so the C of a library function says all that is known of it in
this program: types, what is borrowed, what can fail.  Most programs find out the same.  So each
library function is named by a hash of its C and of all that it calls, and where the cache holds a
function of that name it is linked instead of compiled:

    lib_map__5d1c0a2e77   =>   ~/.cache/lambent/library-.../4f09.o

What is not there is compiled together, as a file of its own, and kept.  One name is one text, so
it does not matter which program a function was compiled for, and nothing is ever out of date.
What is small is not exported but stands, `static inline`, wherever it is called.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from zlib import crc32

from lambent.lang.compile.c.emit_c import part_text, whole_text
from lambent.lang.compile.c.emit_tables import Tables, is_small
from lambent.lang.compile.c.names import c_suffix
from lambent.lang.compile.ir.anf import (
    Anf,
    Bind,
    DirectCall,
    DirectTailCall,
    Function,
    Literal,
    MakeClosure,
    Operation,
)
from lambent.lang.compile.ir.operands import all_blocks
from lambent.lang.core.ir import Namespace
from lambent.lang.core.strong_components import strongly_connected_components
from lambent.lang.deep import call_deep
from lambent.lang.primitives.table import Primitive
from lambent.lang.syntax.datum import Bytes, Labelled, List, String, Vector

_DIGITS = 16  # of a hash in a C name


@dataclass(frozen=True, slots=True)
class LibraryFunction:
    """A function that stands beside the program.  symbol: its C name.  calls: the ANF names of
    those that it mentions.  variables, primitives: what it needs of the program's file."""

    name: str
    symbol: str
    calls: tuple[str, ...]
    variables: tuple[str, ...]
    primitives: tuple[Primitive, ...]


@dataclass(frozen=True, slots=True)
class SplitProgram:
    """A program whose library functions have names by which they can be kept.

    functions: those that it reaches, callees included, by their ANF names.
    """

    anf: Anf
    tables: Tables
    functions: Mapping[str, LibraryFunction]

    def program_text(self, also_made: Sequence[str]) -> str:
        """The C of the program's own file.  also_made: the C names of the constants of others."""
        tables = self.tables
        for function in self.functions.values():
            for name in function.variables:
                tables.variable(name, Namespace.LIBRARY)
            for primitive in function.primitives:
                tables.close_primitive(primitive)
        return call_deep(whole_text, tables, self.anf, also_made=also_made)

    def library_text(self, names: Sequence[str], made: str) -> str:
        """The C of a file that holds some of the functions.  made: the name of its constants."""
        return call_deep(part_text, self.tables.beside(), self.anf, names, made)


def split_program(anf: Anf) -> SplitProgram:
    """A program with its library functions named by what they are."""
    return call_deep(_split, anf)


def _split(anf: Anf) -> SplitProgram:
    names = [function.name for function in anf.functions if _is_exported(function)]
    drafts = {name: f"lib_{c_suffix(name)}__{crc32(name.encode()):08x}" for name in names}
    found = _described(anf, Tables.of(anf, drafts), drafts)
    symbols = {name: f"lib_{c_suffix(name)}__{digest}" for name, digest in _digests(found).items()}
    functions = {name: LibraryFunction(name, symbols[name], *found[name].needs) for name in found}
    return SplitProgram(anf, Tables.of(anf, symbols), functions)


def _is_exported(function: Function) -> bool:
    """Whether a function stands beside the program: one of the library, unless it is small and
    nobody can tell its copies apart."""
    # The procedures of a program's records are the program's; only their errors are not.
    if not function.span.source.library or not function.span.source.name.startswith("stdlib/"):
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
    """The C of a function in a file of its own; other exported functions have provisional names."""

    text: str
    needs: tuple[tuple[str, ...], tuple[str, ...], tuple[Primitive, ...]]


def _described(anf: Anf, tables: Tables, drafts: Mapping[str, str]) -> dict[str, _Draft]:
    """The functions that the program reaches."""
    found: dict[str, _Draft] = {}
    own_functions = [f for f in (*anf.functions, anf.main) if f.name not in drafts]
    mentioned = [name for function in own_functions for name in _mentioned(function)]
    waiting = [name for name in dict.fromkeys(mentioned) if name in drafts]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        own = tables.beside()
        text = part_text(own, anf, [name], "literals_of_file")
        calls = tuple([other for other in own.called if other in drafts and other != name])
        needs = (calls, tuple(own.shared), tuple(own.primitives.values()))
        found[name] = _Draft(text, needs)
        waiting.extend(calls)
    return found


def _digests(found: Mapping[str, _Draft]) -> dict[str, str]:
    """For each function a hash of its C and of that of all that it reaches.

    Functions that call each other in a circle share one, made of the texts of all of them.
    """
    component = strongly_connected_components(
        {name: draft.needs[0] for name, draft in found.items()}
    )
    members: dict[int, list[str]] = {}
    for name, number in component.items():
        members.setdefault(number, []).append(name)
    digests: dict[str, str] = {}
    # Components come out after those that they reach.
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


def _mentioned(function: Function) -> Iterator[str]:
    """The functions that a function calls or makes closures of."""
    for block in all_blocks(function.body):
        for statement in block.statements:
            match statement:
                case Bind(operation=DirectCall(name) | MakeClosure(name)):
                    yield name
        if isinstance(block.end, DirectTailCall):
            yield block.end.function
