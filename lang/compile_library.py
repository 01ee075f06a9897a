"""Compiles the library's units: `python -m lambent.lang.compile_library` compiles all of them.

A unit goes through the passes of any program (`passes.py`), without a top level; what callers see
of the result, and the result, are kept (`compile/units`).  The first program that needs a unit
compiles it otherwise.  The command also makes the object files.
"""

from lambent.lang.compile.build.library_files import compile_library_files
from lambent.lang.compile.ir.anf import Anf
from lambent.lang.compile.units.interfaces import entries_of, interfaces_of
from lambent.lang.compile.units.library import has_unit, keep_unit, with_units
from lambent.lang.compile.units.library_units import library_units, unit_definitions
from lambent.lang.compile.units.with_library import external_definitions
from lambent.lang.core.ir import Program
from lambent.lang.core.modules.cached_library import pickled
from lambent.lang.core.modules.library import library_definition, library_uses
from lambent.lang.deep import call_deep
from lambent.lang.passes import Job, run_between
from lambent.lang.syntax.source import Source
from lambent.lang.system.builds import say
from lambent.lang.system.cache import ensure_folder, writable_folder
from lambent.lang.system.collector import collector_paused
from lambent.lang.system.dataclass import replace
from lambent.lang.system.scratch import alone_in
from lambent.lang.system.timing import timed

_LAST = "check_types"
_MANY = 500  # definitions, whose compilation takes seconds


def compile_units_for(program: Program) -> None:
    """Compile the units that a program needs, and that are not in the cache."""
    unit_of = library_units().unit_of
    used = {unit_of[name] for name in program.externals.heads}
    compile_units(sorted(used), program.tensors)


def compile_units(indices: list[int], tensors: bool) -> None:
    """Compile units, and those that they use, for programs with or without tensors."""
    missing = _missing(indices, tensors)
    if not missing:
        return
    with alone_in(ensure_folder(writable_folder() / "library")):
        missing = _missing(missing, tensors)
        if sum(len(unit_definitions(index)) for index in missing) >= _MANY:
            say(f"compiling the library for programs with{'' if tensors else 'out'} tensors (once)")
        with timed("library"), collector_paused():
            for index in missing:
                call_deep(_compile_unit, index, tensors)


def _missing(indices: list[int], tensors: bool) -> list[int]:
    return [index for index in with_units(indices) if not has_unit(index, tensors)]


def _compile_unit(index: int, tensors: bool) -> None:
    job = Job(Source("library", "", library=True), evaluates=False)
    unit: Anf = run_between("with_library", _LAST, _unit_program(index, tensors), job)
    interfaces = {name: pickled(function) for name, function in interfaces_of(unit).items()}
    entries = entries_of(unit, _file_of)
    keep_unit(index, tensors, interfaces, entries, {f.name: pickled(f) for f in unit.functions})


def _unit_program(index: int, tensors: bool) -> Program:
    """The procedures of a unit, and the heads of those that it uses of others."""
    units, uses = library_units(), library_uses()
    names = [n for n in unit_definitions(index) if tensors or n not in units.tensors]
    forms = tuple([library_definition(name) for name in names if name not in units.variables])
    defined = {form.name for form in forms}
    used = {used for name in defined for used in uses[name]} - defined
    externals = external_definitions(sorted(used), units.given | units.records, defined)
    externals = replace(externals, variables=units.variables)
    return Program(forms, externals, frozenset(defined & units.heads.keys()), tensors)


def _file_of(name: str) -> str:
    """The library's file that defines a function, by its name or that of the one around it."""
    file_of = library_units().file_of
    while name not in file_of:
        name, dot, _ = name.rpartition(".")
        assert dot, name
    return file_of[name]


def compile_all_units() -> None:
    """Compile all units that are not in the cache."""
    everything = list(range(len(library_units().files)))
    for tensors in (False, True):
        compile_units(everything, tensors)


if __name__ == "__main__":
    compile_all_units()
    for with_tensors in (False, True):
        compile_library_files(with_tensors)


