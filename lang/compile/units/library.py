"""The compiled units of the library in the cache: interfaces of functions, and their bodies.

    library/list-5d1c0a2e77.interfaces     what programs' passes see of each exported function
    library/list-5d1c0a2e77.functions      the owned ANF of each function, from which its C is made

A unit is compiled twice: for programs with tensors, and for those without.  The key in a file's
name is a hash of the compiler's sources, of the unit's definitions, and of the keys of the units
that it uses.  Each function is pickled separately, and unpickled when a program needs it.
"""

import pickle
import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

from lambent.lang.compile.ir.anf import Function
from lambent.lang.compile.units.library_units import library_units
from lambent.lang.core.modules.cached_library import (
    compiler_stamps,
    read_entry,
    unpickled_node,
    write_entry,
)
from lambent.lang.system.cache import ensure_folder, key_of, writable_folder
from lambent.lang.system.carried import carried_entry
from lambent.lang.system.dataclass import dataclass

_FORMAT = "1"
# The endings of the names of a unit's files.
INTERFACES, FUNCTIONS = "interfaces", "functions"
ENDINGS = (INTERFACES, FUNCTIONS)


@dataclass(frozen=True, slots=True)
class Entry:
    """What is known of a function without its body.

    file: that of the library which defines it; "" if its C stands in each file that calls it.
    symbol: its C name, if it has a file.  uses: the functions that it calls or makes values of.
    """

    file: str
    symbol: str
    uses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CompiledUnit:
    """interfaces: the exported functions, by the names of their definitions.  entries: of all
    functions, by their names in ANF."""

    key: str
    interfaces: Mapping[str, bytes]
    entries: Mapping[str, Entry]


def library_function(name: str, tensors: bool) -> Function:
    """An exported function of the library, with its interface.  Its unit has been compiled."""
    return _function(name, tensors)


@cache
def _function(name: str, tensors: bool) -> Function:
    unit = compiled_unit(library_units().unit_of[name], tensors)
    assert unit is not None, name
    found = unpickled_node(unit.interfaces[name])
    assert isinstance(found, Function), name
    return found


# What this process has read or made, by the unit's key.
_UNITS: dict[str, CompiledUnit] = {}
_BODIES: dict[str, Mapping[str, bytes]] = {}


def compiled_unit(index: int, tensors: bool) -> CompiledUnit | None:
    """A unit from the cache; None if it is not found, or damaged."""
    key = unit_key(index, tensors)
    if key not in _UNITS:
        data = unit_data(index, tensors, INTERFACES)
        if data is None:
            return None
        interfaces, entries = pickle.loads(data)
        _UNITS[key] = CompiledUnit(key, interfaces, {n: Entry(*e) for n, e in entries.items()})
    return _UNITS[key]


def has_unit(index: int, tensors: bool) -> bool:
    """Whether both files of a unit are in the cache, and not damaged."""
    return compiled_unit(index, tensors) is not None and (
        unit_key(index, tensors) in _BODIES or unit_data(index, tensors, FUNCTIONS) is not None
    )


def unit_data(index: int, tensors: bool, ending: str) -> bytes | None:
    """The data of one of a unit's files, from the cache, or from what a wheel carries."""
    path = _path(index, unit_key(index, tensors), ending)
    data = read_entry(path)
    if data is None and (data := carried_entry(carried_name(index, tensors, ending))) is not None:
        write_entry(path, data)
    return data


def carried_name(index: int, tensors: bool, ending: str) -> str:
    """The name of a unit's file in a wheel."""
    return f"{index}-{unit_name(index)}-{'tensors' if tensors else 'plain'}.{ending}"


def _bodies(index: int, tensors: bool) -> Mapping[str, bytes]:
    """The functions of a unit that has been compiled, each as a pickle."""
    key = unit_key(index, tensors)
    if key not in _BODIES:
        data = unit_data(index, tensors, FUNCTIONS)
        assert data is not None, unit_name(index)
        _BODIES[key] = pickle.loads(data)
    return _BODIES[key]


def keep_unit(
    index: int,
    tensors: bool,
    interfaces: Mapping[str, bytes],
    entries: Mapping[str, Entry],
    bodies: Mapping[str, bytes],
) -> None:
    """Write a unit to the cache, if that is possible, and keep it for this process."""
    key = unit_key(index, tensors)
    _UNITS[key], _BODIES[key] = CompiledUnit(key, interfaces, entries), bodies
    as_tuples = {name: (e.file, e.symbol, e.uses) for name, e in entries.items()}
    write_entry(_path(index, key, FUNCTIONS), pickle.dumps(bodies, pickle.HIGHEST_PROTOCOL))
    data = pickle.dumps((interfaces, as_tuples), pickle.HIGHEST_PROTOCOL)
    write_entry(_path(index, key, INTERFACES), data)


def _path(index: int, key: str, ending: str) -> Path:
    folder = ensure_folder(writable_folder() / "library")
    return folder / f"{unit_name(index)}-{key}.{ending}"


def unit_name(index: int) -> str:
    """The name of a unit's first file, for people."""
    return Path(library_units().files[index][0]).stem


@cache
def unit_key(index: int, tensors: bool) -> str:
    """What a compiled unit depends on, as a hash."""
    units = library_units()
    others = [unit_key(other, tensors) for other in units.uses[index]]
    return key_of([sys.version, _FORMAT, str(tensors), _compiler(), units.digests[index], *others])


@cache
def _compiler() -> str:
    return key_of(compiler_stamps())


def with_units(indices: Iterable[int]) -> list[int]:
    """Units and all that they use, those that are used first."""
    units, found = library_units(), set[int]()
    waiting = list(indices)
    while waiting:
        index = waiting.pop()
        if index not in found:
            found.add(index)
            waiting += units.uses[index]
    return sorted(found)


@dataclass(frozen=True, slots=True)
class NeededFunctions:
    """The functions of the library that a program's executable has.  files: by the library's file,
    those that are exported from it."""

    names: Sequence[str]
    files: Mapping[str, Sequence[str]]


def needed_functions(externals: Iterable[Function], tensors: bool) -> NeededFunctions:
    """The functions that some exported ones lead to, themselves included."""
    found: dict[str, None] = {}
    files: dict[str, list[str]] = {}
    waiting = [entry_name(function) for function in externals]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found[name] = None
        entry = entry_of(name, tensors)
        if entry.file:
            files.setdefault(entry.file, []).append(name)
        waiting += entry.uses
    return NeededFunctions(sorted(found), {file: sorted(n) for file, n in sorted(files.items())})


def entry_name(function: Function) -> str:
    """The name of an external function in its own unit."""
    assert function.interface is not None, function.name
    return function.interface.library_name


def entry_of(name: str, tensors: bool) -> Entry:
    """What is known of a function by its name in its unit."""
    unit = compiled_unit(_unit_of(name), tensors)
    assert unit is not None, name
    return unit.entries[name]


def unit_of_file(file: str) -> int:
    """The unit that has a file."""
    return next(i for i, files in enumerate(library_units().files) if file in files)


def entries_of_file(file: str, tensors: bool) -> list[str]:
    """The functions whose C a file of the library has."""
    unit = compiled_unit(unit_of_file(file), tensors)
    assert unit is not None, file
    return sorted(name for name, entry in unit.entries.items() if entry.file == file)


def body_of(name: str, tensors: bool) -> Function:
    """A function of the library with its body."""
    return _body(name, tensors)


@cache
def _body(name: str, tensors: bool) -> Function:
    found = unpickled_node(_bodies(_unit_of(name), tensors)[name])
    assert isinstance(found, Function), name
    return found


@cache
def _unit_of(name: str) -> int:
    """The unit of a function: that of the definition with whose name its own begins."""
    unit_of = library_units().unit_of
    if name in unit_of:
        return unit_of[name]
    parts = name.split(".")
    for count in range(len(parts) - 1, 0, -1):
        outer = ".".join(parts[:count])
        if outer in unit_of:
            return unit_of[outer]
    raise AssertionError(name)
