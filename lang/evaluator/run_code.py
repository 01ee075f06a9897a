"""A program's text as code for the evaluator.

Only the passes that code needs are loaded: none of those that choose representations, which an
executable is compiled with (`passes.py`).
"""

import os

from lambent.lang.compile.closures.inline import inline
from lambent.lang.compile.closures.lift import lift
from lambent.lang.compile.closures.share_globals import share_globals
from lambent.lang.compile.closures.to_anf import to_anf
from lambent.lang.compile.ownership.borrow import borrow
from lambent.lang.compile.ownership.exchange_fields import exchange_fields
from lambent.lang.compile.ownership.insert_frees import insert_frees
from lambent.lang.compile.ownership.move_fields import move_fields
from lambent.lang.compile.ownership.place_cleanups import place_cleanups
from lambent.lang.compile.tensors.plain_truths import find_plain_truths
from lambent.lang.compile.types.effects import find_effects
from lambent.lang.compile.units.library import (
    has_unit,
    library_function,
    needed_functions,
    with_units,
)
from lambent.lang.compile.units.library_units import library_units
from lambent.lang.compile.units.with_library import with_library
from lambent.lang.core.analyze import analyze
from lambent.lang.core.forms.evaluation import evaluator_use
from lambent.lang.core.ir import Program
from lambent.lang.core.modules.library import LibraryMacros, library_names
from lambent.lang.core.modules.modules import Modules
from lambent.lang.core.names.operators import read_operators_with
from lambent.lang.deep import call_deep
from lambent.lang.evaluator.code import UnsupportedError, literals_name
from lambent.lang.evaluator.code_file import code_file
from lambent.lang.evaluator.emit_code import emit_code
from lambent.lang.evaluator.let_tensors_fail import let_tensors_fail
from lambent.lang.interp.code_cache import Inputs
from lambent.lang.interp.run import lazy_evaluator, read_operators
from lambent.lang.syntax.reader import read
from lambent.lang.syntax.source import Source
from lambent.lang.system.dataclass import dataclass

PASSES = (
    share_globals, find_effects, exchange_fields, borrow, insert_frees, move_fields,
    place_cleanups,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ProgramCode:
    """data: its bytes.  tensors: which evaluator runs it.  inputs: what the files were that it
    imports."""

    data: bytes
    tensors: bool
    inputs: Inputs


def code_of_program(text: str, path: str) -> ProgramCode:
    """The code of a program, the text of a file.

    UnsupportedError says what the evaluator cannot run.
    """
    return call_deep(_code_of_program, text, path)


def _code_of_program(text: str, path: str) -> ProgramCode:
    read_operators_with(read_operators)
    modules = Modules(library_names(), LibraryMacros(), lazy_evaluator(), False)
    program = analyze(read(Source(path, text)), modules.program_scope(path))
    try:
        if evaluator_use(program) is not None:
            raise UnsupportedError("eval")
        whole = with_library(program)
        return ProgramCode(_code(whole), whole.tensors, modules.inputs)
    except UnsupportedError as reason:
        reason.inputs = modules.inputs
        raise


def _code(program: Program) -> bytes:
    _require_units(program)
    anf = to_anf(lift(inline(program, own=True)), library_function)
    if anf.uses_tensors:
        anf = let_tensors_fail(find_plain_truths(anf))
    for run in PASSES:
        anf = run(anf)
    if os.environ.get("LAMBENT_VERIFY"):
        from lambent.lang.compile.ownership.check_owned import check_owned

        check_owned(anf)
    files = needed_functions(anf.externals, anf.uses_tensors).files
    return code_file(*emit_code(anf), [literals_name(file) for file in files])


def _require_units(program: Program) -> None:
    """Compile the units of the library that the program uses, if they are not in the cache."""
    unit_of = library_units().unit_of
    used = with_units({unit_of[name] for name in program.externals.heads})
    if not all(has_unit(index, program.tensors) for index in used):
        from lambent.lang.compile_library import compile_units_for  # which loads all passes

        compile_units_for(program)
