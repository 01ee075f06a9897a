"""A program of several files, as one C file for each: what is changed in one leaves the others' C
as it was, and their object files are in the cache.

    main.lisp imports shapes.lisp    =>    C of the top level and of main.lisp's procedures
                                           C of the procedures of shapes.lisp

The passes have seen one program.  The C of a file has the procedures whose text stands in that
file; like the library's files (`interfaces.py`), it has copies of the small ones that it calls of
other files, so that C compilers inline them.  Names in it do not count over the program.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from zlib import crc32

from lambent.lang.compile.c.emit_c import program_text, separate_text
from lambent.lang.compile.c.emit_tables import Tables
from lambent.lang.compile.c.literals import location_of
from lambent.lang.compile.c.names import c_suffix, without_number
from lambent.lang.compile.ir.anf import Anf, Bind, Function, GlobalGet, GlobalSet, Literal
from lambent.lang.compile.ir.blocks import binds_in
from lambent.lang.compile.types.callers import mentioned
from lambent.lang.compile.units.interfaces import has_symbol, mutable_constants
from lambent.lang.core.ir import Namespace, Special
from lambent.lang.deep import call_deep
from lambent.lang.system.cache import key_of
from lambent.lang.system.dataclass import dataclass, field

_UNSPECIFIED = Literal(Special.UNSPECIFIED)


@dataclass(frozen=True, slots=True)
class ProgramFiles:
    """files: the functions that each file has for others, by the file's name; not those of the file
    with the top level, which are `main`.  symbols: the C names of all of these.  shared: the
    top-level variables of the program that several files use."""

    main: tuple[str, ...]
    files: Mapping[str, tuple[str, ...]]
    symbols: Mapping[str, str]
    shared: frozenset[str]


def program_texts(program: Anf, other_literals: Sequence[str]) -> list[str]:
    """The C of an owned program, that with the top level last.

    other_literals: the C names of the tables of constants of the library's files.
    """
    return call_deep(_texts, program, other_literals)


def _texts(program: Anf, other_literals: Sequence[str]) -> list[str]:
    files = program_files(program)
    if not files.files:
        return [program_text(program, other_literals)]
    whole, texts, literals = Tables.of(program), list[str](), list(other_literals)
    for file, own in files.files.items():
        tables = whole.of_several(files.symbols, files.shared, own=False)
        name = f"literals_{key_of(['program', file])}"
        texts.append(separate_text(tables, own, name))
        if any(tables.literals.declarations()):
            literals.append(name)
    tables = whole.of_several(files.symbols, files.shared, own=True)
    return [*texts, program_text(program, literals, tables, files.main)]


def program_files(program: Anf) -> ProgramFiles:
    """The C files of an owned program."""
    top = _file_of_top_level(program)
    homes = _homes(program, top)
    uses = _Uses(program.by_name, homes)
    uses.reach(program.main.name, top)
    symbols = _symbols(program, homes)
    exported = [f.name for f in program.functions if f.name in uses.exported]
    files: dict[str, list[str]] = {}
    for name in exported:
        files.setdefault(homes[name], []).append(name)
    return ProgramFiles(
        tuple(files.pop(top, ())),
        {file: tuple(names) for file, names in files.items()},
        {name: symbols[name] for name in exported},
        frozenset(v for file, used in uses.variables.items() if file != top for v in used),
    )


def _file_of_top_level(program: Anf) -> str:
    """The file of the last form that does something: modules run before what imports them."""
    spans = [
        statement.span
        for statement in program.main.body.statements
        if isinstance(statement, Bind) and statement.operation != _UNSPECIFIED
    ]
    own = [span.source.name for span in spans if not span.source.library]
    return own[-1] if own else program.main.span.source.name


def _homes(program: Anf, top: str) -> dict[str, str]:
    """The file of each function: where its text is, or, for a copy of the library's, that of a
    function that uses it.

    Functions with the same constant, which programs can change, are in one file.
    """
    homes = {
        f.name: f.span.source.name for f in program.functions if not f.span.source.library
    }
    homes[program.main.name] = top
    functions = {f.name: f for f in program.own_functions}
    waiting = list(homes)
    while waiting:
        name = waiting.pop()
        for used in mentioned(functions[name]):
            if used in functions and used not in homes:
                homes[used] = homes[name]
                waiting.append(used)
    for names in _with_shared_constants(functions[name] for name in homes):
        if len({homes[name] for name in names}) > 1:
            homes |= dict.fromkeys(names, top)
    return homes


def _with_shared_constants(functions: Iterable[Function]) -> Iterator[set[str]]:
    """The names of functions in groups: a constant is in the functions of one group only."""
    constants = {function.name: [*_constants(function)] for function in functions}
    holders: dict[str, list[str]] = defaultdict(list)
    for name, own in constants.items():
        for constant in own:
            holders[constant].append(name)
    seen = set[str]()
    for name in constants:
        if name in seen:
            continue
        group, waiting = {name}, [name]
        while waiting:
            for constant in constants[waiting.pop()]:
                others = [other for other in holders.pop(constant, ()) if other not in group]
                group.update(others)
                waiting += others
        seen |= group
        yield group


def _constants(function: Function) -> Iterator[str]:
    """The places of the program's constants in a function that it can tell apart."""
    for constant in mutable_constants(function):
        if not constant.span.source.library:
            yield location_of(constant, constant.span)


@dataclass(slots=True)
class _Uses:
    """What each file has.  exported: functions that another file uses.  variables: the top-level
    variables of the program, by the file that uses them."""

    functions: Mapping[str, Function]
    homes: Mapping[str, str]
    exported: set[str] = field(default_factory=set)
    variables: dict[str, set[str]] = field(default_factory=dict)

    def reach(self, name: str, file: str) -> None:
        """Note a use of a function in a file, and what follows from it."""
        seen = {(name, file)}
        waiting = [(name, file)]
        while waiting:
            name, file = waiting.pop()
            function = self.functions[name]
            self.variables.setdefault(file, set()).update(_variables(function))
            for used in mentioned(function):
                place = (used, self._file(used, file))
                if used in self.homes and place not in seen:
                    seen.add(place)
                    waiting.append(place)

    def _file(self, name: str, user: str) -> str:
        """The file that has a function for one that uses it."""
        home = self.homes.get(name, user)
        if home == user or not has_symbol(self.functions[name]):
            return user
        self.exported.add(name)
        return home


def _variables(function: Function) -> Iterator[str]:
    for bind in binds_in(function.body):
        match bind.operation:
            case GlobalGet(name, Namespace.PROGRAM) | GlobalSet(name, Namespace.PROGRAM):
                yield name


def _symbols(program: Anf, homes: Mapping[str, str]) -> dict[str, str]:
    """The C name of each function.  Those of one file do not change with another file."""
    counts: dict[tuple[str, str], int] = defaultdict(int)
    found: dict[str, str] = {}
    for name in (f.name for f in program.functions if f.name in homes):
        key = homes[name], without_number(name)
        counts[key] += 1
        text = f"{key[0]} {key[1]} {counts[key]}"
        unique = crc32(text.encode(errors="surrogateescape"))
        found[name] = f"fn_{c_suffix(key[1])}__{unique:08x}"
    return found
